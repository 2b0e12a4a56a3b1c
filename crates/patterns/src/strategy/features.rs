//! A bit-set index of the moves of all positions by concept and quantity, by which a rule's moves are
//! found with bitwise operations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kibitz_board::{Chess, Position, Role};
pub(super) use kibitz_search::reply_graph::moves_of;

use super::definitions::Definitions;
use super::men::Men;
use super::{Condition, Fault, Key, Quantity, Rule};

/// A set of moves for each position: bit n stands for move n of [`moves_of`].
pub(super) type Moves = Vec<u64>;

/// The moves of a rule list, from those of its rules: in each position those of the first rule that
/// has any.
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

/// A bit-set index of positions: the moves for which each concept holds, and the rank of each move by
/// each quantity, as far as they were added.
pub(super) struct FeatureIndex {
    definitions: Arc<Definitions>,
    /// The men of each position, and after each of its moves.
    positions: Vec<(Men, Vec<(Role, Men)>)>,
    /// The moves of each piece.
    roles: BTreeMap<Option<Role>, Moves>,
    /// The moves for which each concept holds: before the move, and after it or of it.
    concepts: [BTreeMap<String, Moves>; 2],
    /// The rank of each move by each quantity after it, bit-sliced: for each binary digit, the highest
    /// first, the moves whose rank has it.
    ranks: BTreeMap<&'static str, Vec<Moves>>,
}

/// Number of positions in a block, to which a rule is applied at a time.
pub(super) const BLOCK: usize = 64;

/// The bit sets of a rule's parts.
pub(super) struct RuleBits<'t> {
    role: &'t [u64],
    /// The moves for which each concept holds, and a mask to negate them.
    conditions: Vec<(&'t [u64], u64)>,
    /// The ranks of each quantity, and a mask to reverse them.
    keys: Vec<(&'t [Moves], u64)>,
}

impl RuleBits<'_> {
    /// Keeps the moves that the rule allows, of all or none in each position from `start` on.
    pub(super) fn narrow(&self, start: usize, moves: &mut [u64]) {
        for (left, own) in moves.iter_mut().zip(&self.role[start..]) {
            *left &= own;
        }
        for (holds, mask) in &self.conditions {
            for (left, holds) in moves.iter_mut().zip(&holds[start..]) {
                *left &= holds ^ mask;
            }
        }
        if moves.iter().all(|left| *left == 0) {
            return;
        }
        for (digits, mask) in &self.keys {
            for digit in *digits {
                for (left, digit) in moves.iter_mut().zip(&digit[start..]) {
                    *left = select(*left, *digit, *mask);
                }
            }
        }
    }
}

/// The moves whose rank has a digit, or all where none has it: one step of a radix selection.
fn select(moves: u64, digit: u64, mask: u64) -> u64 {
    let some = moves & (digit ^ mask);
    if some == 0 { moves } else { some }
}

/// Every bit, or none.
fn mask(is_set: bool) -> u64 {
    u64::from(is_set) * u64::MAX
}

impl FeatureIndex {
    /// The index of these positions, in which White has a man to win with and at most 64 moves, without
    /// any feature yet.
    pub(super) fn new(
        definitions: &Arc<Definitions>,
        positions: impl Iterator<Item = Chess>,
    ) -> Self {
        let of_position = |position: Chess| {
            let men =
                |position: &Chess| Men::of(position.board()).expect("White has a man to win with");
            let moves = moves_of(&position);
            assert!(moves.len() <= 64, "{} moves", moves.len());
            let after = moves.into_iter().map(|m| {
                let mut next = position.clone();
                next.play_unchecked(m);
                (m.role(), men(&next))
            });
            (men(&position), after.collect())
        };
        Self {
            definitions: Arc::clone(definitions),
            positions: positions.map(of_position).collect(),
            roles: BTreeMap::new(),
            concepts: Default::default(),
            ranks: BTreeMap::new(),
        }
    }

    /// The moves that a rule allows if it is the first; adds the features it needs.
    ///
    /// # Errors
    /// A concept defined in Prolog cannot be decided.
    pub(super) fn moves(&mut self, rule: &Rule) -> Result<Moves, Fault> {
        self.add_role(rule.role);
        for (condition, after) in conditions(rule) {
            self.add_concept(condition, after)?;
        }
        for key in &rule.prefer {
            self.add_quantity(key.quantity);
        }
        Ok(self.known_moves(rule))
    }

    /// The moves that a rule allows whose features were added before.
    pub(super) fn known_moves(&self, rule: &Rule) -> Moves {
        let bits = self.rule_bits(rule);
        let mut moves = vec![u64::MAX; self.positions.len()];
        for (start, block) in (0..).step_by(BLOCK).zip(moves.chunks_mut(BLOCK)) {
            bits.narrow(start, block);
        }
        moves
    }

    /// The moves of one position that a rule allows whose features were added before.
    pub(super) fn known_moves_of(&self, rule: &Rule, position: usize) -> u64 {
        let mut moves = [u64::MAX];
        self.rule_bits(rule).narrow(position, &mut moves);
        moves[0]
    }

    /// The bit sets of a rule whose features were added before.
    pub(super) fn rule_bits(&self, rule: &Rule) -> RuleBits<'_> {
        let conditions = conditions(rule).map(|(condition, after)| {
            let concepts = &self.concepts[usize::from(after || condition.is_of_move())];
            let holds = &concepts[condition.concept.name()];
            (holds.as_slice(), mask(!condition.positive))
        });
        RuleBits {
            role: &self.roles[&rule.role],
            conditions: conditions.collect(),
            keys: rule.prefer.iter().map(|key| self.ranks(*key)).collect(),
        }
    }

    /// The ranks of a key's quantity, and a mask to reverse them.
    fn ranks(&self, key: Key) -> (&[Moves], u64) {
        (&self.ranks[key.quantity.name], mask(!key.more))
    }

    /// Selects the moves of a position that a key prefers, whose quantity was added before.
    pub(super) fn best(&self, key: Key) -> impl Fn(usize, u64) -> u64 {
        let (digits, mask) = self.ranks(key);
        move |position, moves| {
            let digits = digits.iter().map(|digit| digit[position]);
            digits.fold(moves, |left, digit| select(left, digit, mask))
        }
    }

    /// Adds the moves of a piece, of all without one, and returns them.
    pub(super) fn add_role(&mut self, role: Option<Role>) -> &Moves {
        self.roles.entry(role).or_insert_with(|| {
            let of_position = |(_, moves): &(Men, Vec<(Role, Men)>)| {
                let moves = moves.iter().enumerate();
                let own = moves.filter(|(_, (own, _))| role.is_none_or(|role| role == *own));
                own.fold(0, |all, (bit, _)| all | 1 << bit)
            };
            self.positions.iter().map(of_position).collect()
        })
    }

    /// Adds the moves for which a condition's concept holds; before the move, all or none of a concept
    /// of positions.
    fn add_concept(&mut self, condition: &Condition, after: bool) -> Result<(), Fault> {
        let of_move = after || condition.is_of_move();
        let name = condition.concept.name();
        if !self.concepts[usize::from(of_move)].contains_key(name) {
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
            self.concepts[usize::from(of_move)].insert(name.to_owned(), found);
        }
        Ok(())
    }

    /// Adds the ranks of all moves by a quantity after them.
    pub(super) fn add_quantity(&mut self, quantity: &'static Quantity) {
        self.ranks.entry(quantity.name).or_insert_with(|| {
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

/// The conditions of a rule, and whether they follow `ensure`.
fn conditions(rule: &Rule) -> impl Iterator<Item = (&Condition, bool)> {
    let before = rule.before.iter().map(|own| (own, false));
    before.chain(rule.after.iter().map(|own| (own, true)))
}
