//! What concepts and quantities say of every move in every position, so that many rules are judged
//! at once.

use std::collections::{BTreeMap, BTreeSet};
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
    found: [BTreeMap<String, Moves>; 2],
    /// How much of a quantity there is after each move, as the place of the amount among all: for
    /// each binary digit, the highest first, the moves whose number has it.
    digits: BTreeMap<&'static str, Vec<Moves>>,
}

/// Positions that are looked at together.
pub(super) const BLOCK: usize = 64;

/// What a rule asks about.
pub(super) struct Asked<'t> {
    role: &'t [u64],
    /// Where a concept holds, and which bits of that are turned.
    conditions: Vec<(&'t [u64], u64)>,
    /// The digits of a quantity, and which bits of them are turned.
    keys: Vec<(&'t [Moves], u64)>,
}

impl Asked<'_> {
    /// Those of all moves, or of none, of positions from this one on that the rule allows.
    pub(super) fn narrow(&self, start: usize, moves: &mut [u64]) {
        for (left, own) in moves.iter_mut().zip(&self.role[start..]) {
            *left &= own;
        }
        for (holds, turned) in &self.conditions {
            for (left, holds) in moves.iter_mut().zip(&holds[start..]) {
                *left &= holds ^ turned;
            }
        }
        if moves.iter().all(|left| *left == 0) {
            return;
        }
        for (digits, turned) in &self.keys {
            for digit in *digits {
                for (left, digit) in moves.iter_mut().zip(&digit[start..]) {
                    *left = most(*left, *digit, *turned);
                }
            }
        }
    }
}

/// Those of some moves that have a digit of the most, or all where none has it.
fn most(moves: u64, digit: u64, turned: u64) -> u64 {
    let some = moves & (digit ^ turned);
    if some == 0 { moves } else { some }
}

/// Every bit, or none.
fn turned(turned: bool) -> u64 {
    u64::from(turned) * u64::MAX
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
            found: Default::default(),
            digits: BTreeMap::new(),
        }
    }

    /// The moves that a rule allows where no other stands before it.
    ///
    /// # Errors
    /// A concept defined in Prolog cannot be decided.
    pub(super) fn moves(&mut self, rule: &Rule) -> Result<Moves, Fault> {
        self.of_role(rule.role);
        for (condition, after) in conditions(rule) {
            self.ask(condition, after)?;
        }
        for key in &rule.prefer {
            self.measure(key.quantity);
        }
        Ok(self.known_moves(rule))
    }

    /// The same of a rule that has only what was asked about before.
    pub(super) fn known_moves(&self, rule: &Rule) -> Moves {
        let asked = self.asked(rule);
        let mut moves = vec![u64::MAX; self.positions.len()];
        for (start, block) in (0..).step_by(BLOCK).zip(moves.chunks_mut(BLOCK)) {
            asked.narrow(start, block);
        }
        moves
    }

    pub(super) fn known_moves_of(&self, rule: &Rule, position: usize) -> u64 {
        let mut moves = [u64::MAX];
        self.asked(rule).narrow(position, &mut moves);
        moves[0]
    }

    /// What a rule asks about, all of which was asked before.
    pub(super) fn asked(&self, rule: &Rule) -> Asked<'_> {
        let conditions = conditions(rule).map(|(condition, after)| {
            let found = &self.found[usize::from(after || condition.is_of_move())];
            let holds = &found[condition.concept.name()];
            (holds.as_slice(), turned(!condition.positive))
        });
        Asked {
            role: &self.roles[&rule.role],
            conditions: conditions.collect(),
            keys: rule.prefer.iter().map(|key| self.digits(*key)).collect(),
        }
    }

    /// The digits of a key's quantity, and which bits of them are turned.
    fn digits(&self, key: Key) -> (&[Moves], u64) {
        (&self.digits[key.quantity.name], turned(!key.more))
    }

    /// Those of some moves of a position that a key prefers, whose quantity was measured.
    pub(super) fn best(&self, key: Key) -> impl Fn(usize, u64) -> u64 {
        let (digits, turned) = self.digits(key);
        move |position, moves| {
            let digits = digits.iter().map(|digit| digit[position]);
            digits.fold(moves, |left, digit| most(left, digit, turned))
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

    /// Finds the moves of which a condition's concept holds; before the move, all or none of a
    /// concept that is of positions.
    fn ask(&mut self, condition: &Condition, after: bool) -> Result<(), Fault> {
        let of_move = after || condition.is_of_move();
        let name = condition.concept.name();
        if !self.found[usize::from(of_move)].contains_key(name) {
            let concept = Condition {
                positive: true,
                ..condition.clone()
            };
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
            self.found[usize::from(of_move)].insert(name.to_owned(), found);
        }
        Ok(())
    }

    /// Asks how much of a quantity there is after each move.
    pub(super) fn measure(&mut self, quantity: &'static Quantity) {
        self.digits.entry(quantity.name).or_insert_with(|| {
            let measured: Vec<Vec<u32>> = (self.positions.iter())
                .map(|(_, moves)| {
                    let moves = moves.iter();
                    moves.map(|(_, after)| (quantity.measure)(after)).collect()
                })
                .collect();
            let amounts: BTreeSet<u32> = measured.iter().flatten().copied().collect();
            let places: BTreeMap<u32, usize> = amounts.into_iter().zip(0..).collect();
            let n_digits = places.len().next_power_of_two().ilog2();
            let digits = (0..n_digits).rev().map(|digit| {
                let of_position = |moves: &Vec<u32>| {
                    let moves = moves.iter().enumerate();
                    moves.fold(0, |all, (bit, amount)| {
                        all | (places[amount] as u64 >> digit & 1) << bit
                    })
                };
                measured.iter().map(of_position).collect()
            });
            digits.collect()
        });
    }
}

/// The conditions of a rule, and whether they stand behind `ensure`.
fn conditions(rule: &Rule) -> impl Iterator<Item = (&Condition, bool)> {
    let before = rule.before.iter().map(|own| (own, false));
    before.chain(rule.after.iter().map(|own| (own, true)))
}
