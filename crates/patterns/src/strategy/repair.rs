//! Repair of a strategy: the smallest edits that make it win, by exhaustive search.

use std::borrow::Cow;

use kibitz_board::{Chess, Color};
use kibitz_search::verification::{Choice, Outcome, Progress, Scope, TieBreak, Verification};
use rustc_hash::FxHashMap;

use super::built_in::BUILT_IN;
use super::features::{FeatureIndex, Moves, first_of, moves_of};
use super::{Concept, Condition, Fault, Rule, RuleStrategy};

/// One change of the rules.
#[derive(Clone, Debug)]
pub enum Edit {
    /// The rule of this number goes.
    Drop(usize),
    /// The rule of this number moves to another place.
    Move(usize, usize),
    /// A condition is added to a rule: to those after the move if `true`.
    Add(usize, bool, Condition),
    /// The condition of this number of a rule goes.
    Remove(usize, bool, usize),
}

/// A change with which every position is won.
#[derive(Clone, Debug)]
pub struct Repair {
    /// The change.
    pub edit: Edit,
    /// Moves of the longest win.
    pub longest: u16,
}

/// The result of a search among edits.
#[derive(Clone, Debug, Default)]
pub struct Repairs {
    /// Changes tried.
    pub tried: usize,
    /// Those that allow other moves in a position that fails: no other can help.
    pub concerned: usize,
    /// Those with which every position is won, those with the shortest longest win first.
    pub found: Vec<Repair>,
}

impl Edit {
    /// Every change of one condition, the place of one rule, or one rule less. Conditions added are
    /// concepts built in; one that is about a move is added after it only, as it means the same there.
    pub fn all(strategy: &RuleStrategy) -> Vec<Edit> {
        let mut edits = Vec::new();
        let n_rules = strategy.rules.len();
        for (number, rule) in strategy.rules.iter().enumerate() {
            edits.push(Edit::Drop(number));
            let places = (0..n_rules).filter(|place| *place != number);
            // A rule moved by one is the next one moved back by one.
            edits.extend(
                places
                    .filter(|place| place + 1 != number)
                    .map(|place| Edit::Move(number, place)),
            );
            for after in [false, true] {
                let conditions = if after { &rule.after } else { &rule.before };
                edits.extend((0..conditions.len()).map(|own| Edit::Remove(number, after, own)));
                for own in BUILT_IN {
                    if !after && own.is_of_move() {
                        continue;
                    }
                    for positive in [true, false] {
                        let concept = Concept::BuiltIn(own);
                        let condition = Condition { concept, positive };
                        edits.push(Edit::Add(number, after, condition));
                    }
                }
            }
        }
        edits
    }

    /// The rules with the change made.
    pub fn apply(&self, strategy: &RuleStrategy) -> RuleStrategy {
        let mut changed = strategy.clone();
        match self {
            Edit::Drop(number) => {
                changed.rules.remove(*number);
            }
            Edit::Move(from, to) => {
                let rule = changed.rules.remove(*from);
                changed.rules.insert(*to, rule);
            }
            Edit::Add(number, after, condition) => {
                changed.rules[*number]
                    .conditions(*after)
                    .push(condition.clone());
            }
            Edit::Remove(number, after, own) => {
                changed.rules[*number].conditions(*after).remove(*own);
            }
        }
        changed
    }

    /// The change in words.
    pub fn describe(&self, strategy: &RuleStrategy) -> String {
        let rules = &strategy.rules;
        let part = |after: bool| if after { "after" } else { "before" };
        match self {
            Edit::Drop(number) => format!("{} dropped", rules[*number].name),
            Edit::Move(from, to) if to < from => {
                format!("{} moved before {}", rules[*from].name, rules[*to].name)
            }
            Edit::Move(from, to) => {
                format!("{} moved behind {}", rules[*from].name, rules[*to].name)
            }
            Edit::Add(number, after, condition) => {
                format!(
                    "{}: `{condition}` {} the move added",
                    rules[*number].name,
                    part(*after)
                )
            }
            Edit::Remove(number, after, own) => {
                let rule = &rules[*number];
                let condition = if *after {
                    &rule.after[*own]
                } else {
                    &rule.before[*own]
                };
                format!(
                    "{}: `{condition}` {} the move removed",
                    rule.name,
                    part(*after)
                )
            }
        }
    }
}

impl Repairs {
    /// Tries changes, each on its own, with the best of the moves allowed.
    ///
    /// The concepts of the strategy have to treat positions alike up to symmetry as alike.
    ///
    /// # Errors
    /// A concept defined in Prolog cannot be decided.
    pub fn search(
        strategy: &RuleStrategy,
        edits: Vec<Edit>,
        progress: Progress<'_>,
    ) -> Result<Repairs, Fault> {
        let endgame = &strategy.endgame;
        if endgame.men_of(Color::White).is_empty() {
            // There is nothing to win with.
            return Ok(Repairs {
                tried: edits.len(),
                ..Repairs::default()
            });
        }
        let up_to_symmetry = Scope::UpToSymmetry;
        let printed = Verification::new(endgame, up_to_symmetry, strategy, &mut |_, _| {})?;
        let outcomes = printed.outcomes(TieBreak::Angelic);
        let failing: Vec<usize> = (outcomes.iter().enumerate())
            .filter(|(_, outcome)| matches!(outcome, Outcome::Fails(_)))
            .map(|(position, _)| position)
            .collect();
        let every_move = |position: &Chess| {
            let moves = moves_of(position);
            // White can be stalemated beside pawns.
            (!moves.is_empty()).then(|| Choice {
                moves,
                ..Choice::default()
            })
        };
        let all = Verification::new(endgame, up_to_symmetry, &every_move, &mut |_, _| {})?;
        let n_positions = all.rules().count();
        let positions = all.positions().map(|(position, _)| position);
        let mut features = FeatureIndex::new(&strategy.definitions, positions);
        let mut known = FxHashMap::default();
        for rule in &strategy.rules {
            known.insert(rule.to_string(), features.moves(rule)?);
        }
        let mut allowed = |rules: &[Rule]| -> Result<Moves, Fault> {
            let of_rule = |rule: &Rule| match known.get(&rule.to_string()) {
                Some(moves) => Ok(Cow::Borrowed(moves.as_slice())),
                None => features.moves(rule).map(Cow::Owned),
            };
            if rules.is_empty() {
                return Ok(vec![0; n_positions]);
            }
            let moves = rules
                .iter()
                .map(of_rule)
                .collect::<Result<Vec<_>, Fault>>()?;
            Ok(first_of(moves.iter().map(AsRef::as_ref)))
        };
        let before = allowed(&strategy.rules)?;
        let mut repairs = Repairs::default();
        let n_edits = edits.len();
        for edit in edits {
            progress(repairs.tried, n_edits);
            repairs.tried += 1;
            let changed = allowed(&edit.apply(strategy).rules)?;
            if failing.iter().all(|own| changed[*own] == before[*own]) {
                continue;
            }
            repairs.concerned += 1;
            if let Some(longest) = all.longest_win_among(&changed) {
                repairs.found.push(Repair { edit, longest });
            }
        }
        repairs.found.sort_by_key(|repair| repair.longest);
        Ok(repairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::bundled;

    /// Without its only rule a strategy allows no move; White can be stalemated beside a pawn, and has
    /// nothing to win with beside no man. With the rook, any move will do once the condition is gone.
    #[test]
    fn a_strategy_of_one_rule_that_never_applies_is_repaired_where_it_can_be() {
        for (endgame, n_repairs) in [("KRvK", 1), ("KPvK", 0), ("KvK", 0)] {
            let text = format!("strategy \"x\" for {endgame} rule a if l_patt with move any");
            let strategy = RuleStrategy::read("x", &text).unwrap();
            let mut edits = Edit::all(&strategy);
            edits.truncate(3);
            let repairs = Repairs::search(&strategy, edits, &mut |_, _| {}).unwrap();
            assert_eq!(
                (repairs.tried, repairs.found.len()),
                (3, n_repairs),
                "{endgame}"
            );
        }
    }

    #[test]
    fn the_repair_of_the_first_strategy_is_found_again() {
        let strategy = RuleStrategy::read("krk-1", bundled("krk-1").unwrap()).unwrap();
        let of_r12 = |edit: &Edit| matches!(edit, Edit::Add(11, true, own) if !own.positive);
        let mut edits = Edit::all(&strategy);
        assert!(edits.len() > 1000);
        edits.retain(of_r12);
        let repairs = Repairs::search(&strategy, edits, &mut |_, _| {}).unwrap();
        assert!(repairs.concerned < repairs.tried);
        let found: Vec<String> = (repairs.found.iter())
            .map(|repair| format!("{}: {}", repair.longest, repair.edit.describe(&strategy)))
            .collect();
        assert!(
            found.contains(&"64: R12: `not in_check` after the move added".to_owned()),
            "{found:?}"
        );
        assert!(repairs.found.is_sorted_by_key(|repair| repair.longest));
    }
}
