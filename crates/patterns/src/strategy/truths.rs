//! What concepts say of every move in every position, so that many rules are judged at once.

use std::collections::BTreeMap;

use kibitz_board::{Chess, Move, Position, Role};

use super::scene::Scene;
use super::{Condition, Fault, Rule, RuleStrategy};

/// The legal moves of a position in the order of their squares.
pub(super) fn moves_of(position: &Chess) -> Vec<Move> {
    let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
    moves.sort_by_key(|m| (m.from(), m.to(), m.promotion()));
    moves
}

/// Positions, and the concepts that were asked about them so far. A move is a bit, by its place in
/// [`moves_of`] its position.
pub(super) struct Truths<'s> {
    strategy: &'s RuleStrategy,
    /// Each position, and what comes of it after each move.
    positions: Vec<(Scene, Vec<(Role, Scene)>)>,
    /// The numbers of concepts in the list of truths, by what they are asked about.
    numbers: BTreeMap<(String, bool), usize>,
    /// For each concept, and each position, the moves of which it holds.
    found: Vec<Vec<u64>>,
}

/// A rule in terms of truths.
pub(super) struct Compiled {
    role: Option<Role>,
    /// The number of each truth, and whether it has to hold.
    conditions: Vec<(usize, bool)>,
}

impl<'s> Truths<'s> {
    /// Nothing is known yet of these positions, in which White has something to win with and no more
    /// than 64 moves.
    pub(super) fn of(strategy: &'s RuleStrategy, positions: impl Iterator<Item = Chess>) -> Self {
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
            strategy,
            positions: positions.map(of_position).collect(),
            numbers: BTreeMap::new(),
            found: Vec::new(),
        }
    }

    /// Number of positions.
    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    /// The rules in terms of truths, which are found out now if they are not known.
    ///
    /// # Errors
    /// A concept defined in Prolog cannot be decided.
    pub(super) fn compile(&mut self, rules: &[Rule]) -> Result<Vec<Compiled>, Fault> {
        let mut compiled = Vec::new();
        for rule in rules {
            let before = rule.before.iter().map(|own| (own, !own.is_of_move()));
            let after = rule.after.iter().map(|own| (own, false));
            let conditions = before.chain(after).map(|(condition, of_position)| {
                let number = self.number(condition, of_position)?;
                Ok((number, condition.positive))
            });
            compiled.push(Compiled {
                role: rule.role,
                conditions: conditions.collect::<Result<_, Fault>>()?,
            });
        }
        Ok(compiled)
    }

    /// The moves that the first rule that applies allows; none if no rule applies.
    pub(super) fn allowed(&self, rules: &[Compiled], position: usize) -> u64 {
        let (_, moves) = &self.positions[position];
        let of_role = |role: Option<Role>| {
            let moves = moves.iter().enumerate();
            let own = moves.filter(|(_, (own, _))| role.is_none_or(|role| role == *own));
            own.fold(0_u64, |all, (bit, _)| all | 1 << bit)
        };
        let of_rule = |rule: &Compiled| {
            let conditions = rule.conditions.iter();
            conditions.fold(of_role(rule.role), |left, (number, positive)| {
                let holds = self.found[*number][position];
                left & if *positive { holds } else { !holds }
            })
        };
        (rules.iter().map(of_rule))
            .find(|allowed| *allowed != 0)
            .unwrap_or(0)
    }

    /// The number of the truth of a condition's concept, asked about the position or about each move.
    fn number(&mut self, condition: &Condition, of_position: bool) -> Result<usize, Fault> {
        let concept = Condition {
            positive: true,
            ..condition.clone()
        };
        let key = (concept.to_string(), of_position);
        if let Some(number) = self.numbers.get(&key) {
            return Ok(*number);
        }
        let holds = |before: &Scene, after: &Scene| self.strategy.holds(&concept, before, after);
        let mut truth = Vec::with_capacity(self.positions.len());
        for (before, moves) in &self.positions {
            truth.push(if of_position {
                u64::from(holds(before, before)?) * u64::MAX
            } else {
                let mut all = 0;
                for (bit, (_, after)) in moves.iter().enumerate() {
                    all |= u64::from(holds(before, after)?) << bit;
                }
                all
            });
        }
        self.found.push(truth);
        let number = self.found.len() - 1;
        self.numbers.insert(key, number);
        Ok(number)
    }
}
