//! Exceptions by beam search: rules inserted into a list that lower the number of corrections.

use std::cell::OnceCell;
use std::rc::Rc;

use super::evaluation::{Bits, Correction, Evaluation, all_win};
use super::{Candidate, Clause, Key, Learner, Literal, QUANTITIES, ROLES, Rule};
use crate::strategy::features::Moves;

/// Number of positions from which an exception is searched for until one helps.
const MISSES: usize = 8;

/// Some positions, with at least one move of each.
#[derive(Clone, Default)]
struct AllowedMoves {
    positions: Vec<usize>,
    moves: Moves,
}

impl AllowedMoves {
    fn iter(&self) -> impl Iterator<Item = (usize, u64)> {
        self.positions
            .iter()
            .copied()
            .zip(self.moves.iter().copied())
    }

    fn push(&mut self, position: usize, moves: u64) {
        self.positions.push(position);
        self.moves.push(moves);
    }
}

/// A rule that is being specialized, with the moves that it allows where no rule before it applies.
struct SpecializedRule {
    rule: Rule,
    /// Positions that need no correction, where some of its moves does not win.
    risky: AllowedMoves,
    /// The other positions that need no correction.
    right: AllowedMoves,
    /// Positions that need a correction, ascending.
    wrong: AllowedMoves,
    /// The effect of each refinement, if it excludes a move; computed when first needed.
    effects: Vec<OnceCell<Option<Effect>>>,
}

/// The most general rules, one for each of the pieces.
type Starts = [Rc<SpecializedRule>; ROLES.len()];

/// A refinement of a rule.
#[derive(Clone, Copy)]
enum Refinement<'l> {
    Add(&'l Literal),
    Prefer(Key),
}

impl Refinement<'_> {
    fn of(self, rule: &Rule) -> Rule {
        let mut rule = rule.clone();
        match self {
            Refinement::Add(literal) => {
                let conditions = rule.conditions(literal.after);
                conditions.push(literal.condition.clone());
            }
            Refinement::Prefer(key) => rule.prefer.push(key),
        }
        rule
    }
}

/// The effect of a rule at its place in the list.
#[derive(Clone, Copy, Default, PartialEq)]
struct Effect {
    /// Positions that need a correction without the rule and none with it, and the other way around.
    right: u32,
    wrong: u32,
    /// Positions that need a correction, in which it allows a winning move.
    hope: u32,
}

impl Effect {
    fn gain(self) -> i64 {
        i64::from(self.right) - i64::from(self.wrong)
    }

    /// The score by which the beam is sorted.
    fn promise(self) -> f64 {
        (f64::from(self.hope) + 0.1) / (f64::from(self.wrong) + 0.1)
    }
}

impl SpecializedRule {
    fn new(
        rule: Rule,
        allowed: impl Iterator<Item = (usize, u64)>,
        n_refinements: usize,
        here: &Candidate,
    ) -> SpecializedRule {
        let mut new = SpecializedRule {
            rule,
            risky: AllowedMoves::default(),
            right: AllowedMoves::default(),
            wrong: AllowedMoves::default(),
            effects: vec![OnceCell::new(); n_refinements],
        };
        for (position, moves) in allowed.filter(|(_, moves)| *moves != 0) {
            let part = if !here.evaluation.is_right(position, &here.policy.moves) {
                &mut new.wrong
            } else if all_win(moves, here.evaluation.winning[position]) {
                &mut new.right
            } else {
                &mut new.risky
            };
            part.push(position, moves);
        }
        new
    }

    fn allowed(&self) -> impl Iterator<Item = (usize, u64)> {
        let parts = [&self.risky, &self.right, &self.wrong];
        parts.into_iter().flat_map(AllowedMoves::iter)
    }

    /// Its moves in a position that needs a correction.
    fn of_wrong(&self, position: usize) -> u64 {
        let place = self.wrong.positions.binary_search(&position);
        place.map_or(0, |place| self.wrong.moves[place])
    }

    /// Its effect when only some of its moves are left; `None` if all are.
    fn effect(&self, left: impl Fn(usize, u64) -> u64, evaluation: &Evaluation) -> Option<Effect> {
        let excludes = |(at, moves)| left(at, moves) != moves;
        self.allowed().any(excludes).then_some(())?;
        let mut effect = Effect::default();
        for (at, moves) in self.risky.iter() {
            let losing = left(at, moves) & !evaluation.winning[at];
            effect.wrong += u32::from(losing != 0);
        }
        for (at, moves) in self.wrong.iter() {
            let (left, winning) = (left(at, moves), evaluation.winning[at]);
            effect.right += u32::from(all_win(left, winning));
            effect.hope += u32::from(left & winning != 0);
        }
        Some(effect)
    }
}

impl Learner<'_> {
    /// Inserts exceptions while they lower the number of corrections, each found from a position that
    /// needs one.
    pub(super) fn add_exceptions<E>(
        &self,
        mut here: Candidate,
        progress: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Candidate, E> {
        let ways = QUANTITIES.iter().flat_map(|quantity| {
            let key = |more| Refinement::Prefer(Key { quantity, more });
            [key(false), key(true)]
        });
        let refinements: Vec<Refinement<'_>> = self
            .literals
            .iter()
            .map(Refinement::Add)
            .chain(ways)
            .collect();
        'more: while here.list.len() < self.params.max_rules {
            let count = here.evaluation.corrections.len();
            let starts = vec![OnceCell::new(); here.list.len() + 1];
            for correction in here.evaluation.corrections.iter().take(MISSES) {
                progress()?;
                let next = self.exception(&here, *correction, &refinements, &starts);
                if let Some(next) = next.filter(|next| next.evaluation.corrections.len() < count) {
                    here = next;
                    continue 'more;
                }
            }
            break;
        }
        Ok(here)
    }

    /// The list with the rule of the greatest gain inserted, at any place, of those that allow a winning
    /// move in this position. `starts` has for each place the rules that its beam search starts from,
    /// computed when first needed.
    fn exception(
        &self,
        here: &Candidate,
        correction: Correction,
        refinements: &[Refinement<'_>],
        starts: &[OnceCell<Starts>],
    ) -> Option<Candidate> {
        let mut best: Option<(i64, usize, Rule)> = None;
        let winning = here.evaluation.winning[correction.position];
        for (at, starts) in starts.iter().enumerate() {
            if usize::from(here.policy.rules[correction.position]) < at {
                break;
            }
            let starts = starts.get_or_init(|| self.starts(here, at, refinements.len()));
            for bit in Bits(winning) {
                let found =
                    self.beam_search(here, starts, refinements, Correction { bit, ..correction });
                if let Some((gain, rule)) = found
                    && best.as_ref().is_none_or(|best| gain > best.0)
                {
                    best = Some((gain, at, rule));
                }
            }
        }
        let (_, at, rule) = best?;
        let mut list = here.list.clone();
        list.insert(at, Clause::new(rule));
        Some(self.evaluated(list, Some(here)))
    }

    /// The most general rules at a place of the list.
    fn starts(&self, here: &Candidate, at: usize, n_refinements: usize) -> Starts {
        let rules = here.policy.rules.iter().enumerate();
        let free = rules.filter(|(_, rule)| usize::from(**rule) >= at);
        let free: Vec<usize> = free.map(|(position, _)| position).collect();
        ROLES.map(|role| {
            let rule = Rule {
                role,
                ..Rule::default()
            };
            let moves = self.features.known_moves(&rule);
            let allowed = free.iter().map(|at| (*at, moves[*at]));
            Rc::new(SpecializedRule::new(rule, allowed, n_refinements, here))
        })
    }

    /// The rule of the greatest gain by a beam search from general to specific, through rules that allow
    /// the move of `seed`.
    fn beam_search(
        &self,
        here: &Candidate,
        starts: &[Rc<SpecializedRule>],
        refinements: &[Refinement<'_>],
        seed: Correction,
    ) -> Option<(i64, Rule)> {
        let allows = |own: &&Rc<SpecializedRule>| seed.is_one_of(own.of_wrong(seed.position));
        let mut beam: Vec<Rc<SpecializedRule>> = starts.iter().filter(allows).cloned().collect();
        let mut best = None;
        let mut most = 0;
        for _ in 0..self.params.max_conditions + self.params.max_keys {
            let mut found: Vec<(Effect, &SpecializedRule, Refinement<'_>)> = Vec::new();
            for own in &beam {
                let rule = &own.rule;
                let n_conditions = rule.before.len() + rule.after.len();
                // Conditions come before preferences in a rule, so a rule with a preference takes
                // no further condition.
                let takes_conditions =
                    rule.prefer.is_empty() && n_conditions < self.params.max_conditions;
                let takes_keys = rule.prefer.len() < self.params.max_keys;
                let is_new = |key: Key| {
                    let mut keys = rule.prefer.iter();
                    keys.all(|own| own.quantity.name != key.quantity.name)
                };
                let of_seed = own.of_wrong(seed.position);
                for (refinement, effect) in refinements.iter().zip(&own.effects) {
                    let is_open = match *refinement {
                        Refinement::Add(literal) => {
                            takes_conditions && seed.is_among(&literal.moves)
                        }
                        Refinement::Prefer(key) => takes_keys && is_new(key),
                    };
                    if !is_open || !seed.is_one_of(self.left(*refinement, seed.position, of_seed)) {
                        continue;
                    }
                    // The effect does not depend on the seed, so it is kept for the searches from
                    // other seeds.
                    let effect = effect.get_or_init(|| match *refinement {
                        Refinement::Add(literal) => {
                            own.effect(|at, own| own & literal.moves[at], &here.evaluation)
                        }
                        Refinement::Prefer(key) => {
                            own.effect(self.features.best(key), &here.evaluation)
                        }
                    });
                    let Some(effect) = *effect else {
                        continue;
                    };
                    if effect.gain() > most {
                        most = effect.gain();
                        best = Some(refinement.of(rule));
                    }
                    // Of refinements with equal effect, one is enough for the beam.
                    if found.iter().all(|(own, ..)| *own != effect) {
                        found.push((effect, own, *refinement));
                    }
                }
            }
            found.sort_by(|(a, ..), (b, ..)| b.promise().total_cmp(&a.promise()));
            found.truncate(self.params.tries);
            let narrower = found.into_iter().map(|(_, own, refinement)| {
                let left = own.allowed();
                let left = left.map(|(at, moves)| (at, self.left(refinement, at, moves)));
                Rc::new(SpecializedRule::new(
                    refinement.of(&own.rule),
                    left,
                    refinements.len(),
                    here,
                ))
            });
            beam = narrower.collect();
        }
        best.map(|rule| (most, rule))
    }

    /// The moves of a position that a refinement leaves.
    fn left(&self, refinement: Refinement<'_>, position: usize, moves: u64) -> u64 {
        match refinement {
            Refinement::Add(literal) => moves & literal.moves[position],
            Refinement::Prefer(key) => self.features.best(key)(position, moves),
        }
    }
}
