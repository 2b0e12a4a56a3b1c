//! What concepts and quantities say of every move in every position, so that many rules are judged
//! at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use kibitz_board::{Chess, Move, Position, Role};

use super::definitions::Definitions;
use super::scene::Scene;
use super::{Condition, Fault, Key, Quantity, Rule};

/// The legal moves of a position in the order of their squares.
pub(super) fn moves_of(position: &Chess) -> Vec<Move> {
    let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
    moves.sort_by_key(|m| (m.from(), m.to(), m.promotion()));
    moves
}

/// For each position some of its moves. A move is a bit, by its place in [`moves_of`] the position.
pub(super) type Moves = Vec<u64>;

/// The moves that the first rule that applies allows; none where no rule applies.
pub(super) fn first_of<'m>(mut rules: impl Iterator<Item = &'m [u64]>) -> Moves {
    let mut first = rules.next().map_or_else(Vec::new, <[u64]>::to_vec);
    for rule in rules {
        for (left, own) in first.iter_mut().zip(rule) {
            if *left == 0 {
                *left = *own;
            }
        }
    }
    first
}

/// Positions, and the concepts and quantities that were asked about them so far.
pub(super) struct Truths {
    definitions: Arc<Definitions>,
    /// Each position, and what comes of it after each move.
    positions: Vec<(Scene, Vec<(Role, Scene)>)>,
    /// The moves of a piece.
    roles: BTreeMap<Option<Role>, Moves>,
    /// The moves of which a concept holds, by what it is asked about: the position or the move.
    found: BTreeMap<(String, bool), Moves>,
    /// The moves of each position by how much of a quantity there is after them.
    levels: BTreeMap<&'static str, Levels>,
}

/// For each position its moves after which there is equally much of a quantity, the least first.
struct Levels {
    starts: Vec<usize>,
    all: Moves,
}

impl Truths {
    /// Nothing is known yet of these positions, in which White has something to win with and no more
    /// than 64 moves.
    pub(super) fn of(
        definitions: &Arc<Definitions>,
        positions: impl Iterator<Item = Chess>,
    ) -> Self {
        let of_position = |position: Chess| {
            let scene = |position: &Chess| {
                Scene::of(position.board()).expect("White has something to win with")
            };
            let moves = moves_of(&position);
            assert!(moves.len() <= 64, "{} moves", moves.len());
            let after = moves.into_iter().map(|m| {
                let mut next = position.clone();
                next.play_unchecked(m);
                (m.role(), scene(&next))
            });
            (scene(&position), after.collect())
        };
        Self {
            definitions: Arc::clone(definitions),
            positions: positions.map(of_position).collect(),
            roles: BTreeMap::new(),
            found: BTreeMap::new(),
            levels: BTreeMap::new(),
        }
    }

    /// The moves that a rule allows where no other stands before it.
    ///
    /// # Errors
    /// A concept defined in Prolog cannot be decided.
    pub(super) fn moves(&mut self, rule: &Rule) -> Result<Moves, Fault> {
        let mut moves = self.of_role(rule.role).clone();
        let before = rule.before.iter().map(|own| (own, false));
        for (condition, after) in before.chain(rule.after.iter().map(|own| (own, true))) {
            let holds = self.of_concept(condition, after)?;
            for (left, holds) in moves.iter_mut().zip(holds) {
                *left &= if condition.positive { *holds } else { !holds };
            }
        }
        for key in &rule.prefer {
            self.measure(key.quantity);
            for (position, left) in moves.iter_mut().enumerate() {
                *left = self.best(position, *left, *key);
            }
        }
        Ok(moves)
    }

    /// Those of some moves of a position that a key prefers, whose quantity was measured.
    pub(super) fn best(&self, position: usize, moves: u64, key: Key) -> u64 {
        let levels = &self.levels[key.quantity.name];
        let levels = &levels.all[levels.starts[position]..levels.starts[position + 1]];
        if key.more {
            first_level(moves, levels.iter().rev())
        } else {
            first_level(moves, levels.iter())
        }
    }

    /// The moves of a piece; all without one.
    pub(super) fn of_role(&mut self, role: Option<Role>) -> &Moves {
        self.roles.entry(role).or_insert_with(|| {
            let of_position = |(_, moves): &(Scene, Vec<(Role, Scene)>)| {
                let moves = moves.iter().enumerate();
                let own = moves.filter(|(_, (own, _))| role.is_none_or(|role| role == *own));
                own.fold(0, |all, (bit, _)| all | 1 << bit)
            };
            self.positions.iter().map(of_position).collect()
        })
    }

    /// The moves of which a condition's concept holds; before the move, all or none of a concept that
    /// is of positions.
    fn of_concept(&mut self, condition: &Condition, after: bool) -> Result<&Moves, Fault> {
        let concept = Condition {
            positive: true,
            ..condition.clone()
        };
        let of_move = after || condition.is_of_move();
        let key = (concept.to_string(), of_move);
        if !self.found.contains_key(&key) {
            let holds = |before, after| concept.holds(&self.definitions, before, after);
            let mut found = Vec::with_capacity(self.positions.len());
            for (before, moves) in &self.positions {
                found.push(if of_move {
                    let mut all = 0;
                    for (bit, (_, after)) in moves.iter().enumerate() {
                        all |= u64::from(holds(before, after)?) << bit;
                    }
                    all
                } else {
                    u64::from(holds(before, before)?) * u64::MAX
                });
            }
            self.found.insert(key.clone(), found);
        }
        Ok(&self.found[&key])
    }

    /// Asks how much of a quantity there is after each move.
    pub(super) fn measure(&mut self, quantity: &'static Quantity) {
        self.levels.entry(quantity.name).or_insert_with(|| {
            let (mut starts, mut all) = (vec![0], Vec::new());
            for (_, moves) in &self.positions {
                let mut levels: BTreeMap<u32, u64> = BTreeMap::new();
                for (bit, (_, after)) in moves.iter().enumerate() {
                    *levels.entry((quantity.measure)(after)).or_default() |= 1 << bit;
                }
                all.extend(levels.into_values());
                starts.push(all.len());
            }
            Levels { starts, all }
        });
    }
}

/// Those of some moves that are of the first level that has any.
fn first_level<'l>(moves: u64, mut levels: impl Iterator<Item = &'l u64>) -> u64 {
    if moves == 0 {
        return 0;
    }
    let level = levels.find(|level| moves & **level != 0);
    moves & level.expect("every move is of some level")
}
