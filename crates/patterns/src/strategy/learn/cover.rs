//! Exceptions: rules put into a list that put more positions right than wrong.

use std::cell::OnceCell;
use std::rc::Rc;

use super::judge::{Bits, Judgement, Wrong, all_win};
use super::{Clause, Key, Learner, Literal, QUANTITIES, ROLES, Rule, Tried};
use crate::strategy::truths::Moves;

/// Positions for which exceptions are looked for until one helps.
const MISSES: usize = 8;

/// Some positions, and some moves of each, at least one.
#[derive(Clone, Default)]
struct Allowed {
    positions: Vec<usize>,
    moves: Moves,
}

impl Allowed {
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

/// A rule that is being narrowed, and what it allows where none before it applies.
struct Narrowed {
    rule: Rule,
    /// Positions that are right, and of the moves there one does not win.
    risky: Allowed,
    /// The others that are right.
    right: Allowed,
    /// Positions to be put right, ascending.
    wrong: Allowed,
    /// What it does with each step more, if that leaves less of it: known once asked.
    effects: Vec<OnceCell<Option<Effect>>>,
}

/// Rules without conditions, one for each of the pieces.
type Starts = [Rc<Narrowed>; ROLES.len()];

/// How a rule can be narrowed.
#[derive(Clone, Copy)]
enum Step<'l> {
    By(&'l Literal),
    Prefer(Key),
}

impl Step<'_> {
    fn of(self, rule: &Rule) -> Rule {
        let mut rule = rule.clone();
        match self {
            Step::By(literal) => {
                let conditions = rule.conditions(literal.after);
                conditions.push(literal.condition.clone());
            }
            Step::Prefer(key) => rule.prefer.push(key),
        }
        rule
    }
}

/// What a rule does where it stands.
#[derive(Clone, Copy, Default, PartialEq)]
struct Effect {
    /// Positions put right, and put wrong.
    right: u32,
    wrong: u32,
    /// Positions to be put right in which it allows a winning move.
    hope: u32,
}

impl Effect {
    fn gain(self) -> i64 {
        i64::from(self.right) - i64::from(self.wrong)
    }

    /// How much a beam wants it: most where little is put wrong.
    fn promise(self) -> f64 {
        (f64::from(self.hope) + 0.1) / (f64::from(self.wrong) + 0.1)
    }
}

impl Narrowed {
    fn new(
        rule: Rule,
        allowed: impl Iterator<Item = (usize, u64)>,
        n_steps: usize,
        here: &Tried,
    ) -> Narrowed {
        let mut new = Narrowed {
            rule,
            risky: Allowed::default(),
            right: Allowed::default(),
            wrong: Allowed::default(),
            effects: vec![OnceCell::new(); n_steps],
        };
        for (position, moves) in allowed.filter(|(_, moves)| *moves != 0) {
            let part = if !here.judgement.is_right(position, &here.choice.moves) {
                &mut new.wrong
            } else if all_win(moves, here.judgement.winning[position]) {
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
        parts.into_iter().flat_map(Allowed::iter)
    }

    /// Its moves in a position to be put right.
    fn of_wrong(&self, position: usize) -> u64 {
        let place = self.wrong.positions.binary_search(&position);
        place.map_or(0, |place| self.wrong.moves[place])
    }

    /// What it does when only some of its moves are left; `None` if all are.
    fn effect(&self, left: impl Fn(usize, u64) -> u64, judgement: &Judgement) -> Option<Effect> {
        let is_narrowed = |(at, moves)| left(at, moves) != moves;
        self.allowed().any(is_narrowed).then_some(())?;
        let mut effect = Effect::default();
        for (at, moves) in self.risky.iter() {
            let losing = left(at, moves) & !judgement.winning[at];
            effect.wrong += u32::from(losing != 0);
        }
        for (at, moves) in self.wrong.iter() {
            let (left, winning) = (left(at, moves), judgement.winning[at]);
            effect.right += u32::from(all_win(left, winning));
            effect.hope += u32::from(left & winning != 0);
        }
        Some(effect)
    }
}

impl Learner<'_> {
    /// Exceptions put in while fewer positions are left to be put right, each found from one of these.
    pub(super) fn cover<E>(
        &self,
        mut here: Tried,
        progress: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Tried, E> {
        let ways = QUANTITIES.iter().flat_map(|quantity| {
            let key = |more| Step::Prefer(Key { quantity, more });
            [key(false), key(true)]
        });
        let steps: Vec<Step<'_>> = self.literals.iter().map(Step::By).chain(ways).collect();
        'more: while here.list.len() < self.params.max_rules {
            let count = here.judgement.wrong.len();
            let starts = vec![OnceCell::new(); here.list.len() + 1];
            for wrong in here.judgement.wrong.iter().take(MISSES) {
                progress()?;
                let next = self.exception(&here, *wrong, &steps, &starts);
                if let Some(next) = next.filter(|next| next.judgement.wrong.len() < count) {
                    here = next;
                    continue 'more;
                }
            }
            break;
        }
        Ok(here)
    }

    /// The list with the rule put in that puts most right, at any place, of those that allow a move
    /// known to win in this position. The rules that are narrowed at a place are known once asked.
    fn exception(
        &self,
        here: &Tried,
        wrong: Wrong,
        steps: &[Step<'_>],
        starts: &[OnceCell<Starts>],
    ) -> Option<Tried> {
        let mut best: Option<(i64, usize, Rule)> = None;
        let winning = here.judgement.winning[wrong.position];
        for (at, starts) in starts.iter().enumerate() {
            if usize::from(here.choice.rules[wrong.position]) < at {
                break;
            }
            let starts = starts.get_or_init(|| self.starts(here, at, steps.len()));
            for bit in Bits(winning) {
                let found = self.narrowed(here, starts, steps, Wrong { bit, ..wrong });
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
        Some(self.judged(list, Some(here)))
    }

    /// The rules without conditions at a place of the list.
    fn starts(&self, here: &Tried, at: usize, n_steps: usize) -> Starts {
        let rules = here.choice.rules.iter().enumerate();
        let free = rules.filter(|(_, rule)| usize::from(**rule) >= at);
        let free: Vec<usize> = free.map(|(position, _)| position).collect();
        ROLES.map(|role| {
            let rule = Rule {
                role,
                ..Rule::default()
            };
            let moves = self.truths.known_moves(&rule);
            let allowed = free.iter().map(|at| (*at, moves[*at]));
            Rc::new(Narrowed::new(rule, allowed, n_steps, here))
        })
    }

    /// The rule that puts most right where it is asked, by a beam search from those that these steps
    /// narrow; each allows this move.
    fn narrowed(
        &self,
        here: &Tried,
        starts: &[Rc<Narrowed>],
        steps: &[Step<'_>],
        seed: Wrong,
    ) -> Option<(i64, Rule)> {
        let allows = |own: &&Rc<Narrowed>| seed.is_one_of(own.of_wrong(seed.position));
        let mut beam: Vec<Rc<Narrowed>> = starts.iter().filter(allows).cloned().collect();
        let mut best = None;
        let mut most = 0;
        for _ in 0..self.params.max_conditions + self.params.max_keys {
            let mut found: Vec<(Effect, &Narrowed, Step<'_>)> = Vec::new();
            for own in &beam {
                let rule = &own.rule;
                let n_conditions = rule.before.len() + rule.after.len();
                let takes_conditions =
                    rule.prefer.is_empty() && n_conditions < self.params.max_conditions;
                let takes_keys = rule.prefer.len() < self.params.max_keys;
                let is_new = |key: Key| {
                    let mut keys = rule.prefer.iter();
                    keys.all(|own| own.quantity.name != key.quantity.name)
                };
                let of_seed = own.of_wrong(seed.position);
                for (step, effect) in steps.iter().zip(&own.effects) {
                    let is_open = match *step {
                        Step::By(literal) => takes_conditions && seed.is_among(&literal.moves),
                        Step::Prefer(key) => takes_keys && is_new(key),
                    };
                    if !is_open || !seed.is_one_of(self.left(*step, seed.position, of_seed)) {
                        continue;
                    }
                    let effect = effect.get_or_init(|| match *step {
                        Step::By(literal) => {
                            own.effect(|at, own| own & literal.moves[at], &here.judgement)
                        }
                        Step::Prefer(key) => own.effect(self.truths.best(key), &here.judgement),
                    });
                    let Some(effect) = *effect else {
                        continue;
                    };
                    if effect.gain() > most {
                        most = effect.gain();
                        best = Some(step.of(rule));
                    }
                    if found.iter().all(|(own, ..)| *own != effect) {
                        found.push((effect, own, *step));
                    }
                }
            }
            found.sort_by(|(a, ..), (b, ..)| b.promise().total_cmp(&a.promise()));
            found.truncate(self.params.tries);
            let narrower = found.into_iter().map(|(_, own, step)| {
                let left = own.allowed();
                let left = left.map(|(at, moves)| (at, self.left(step, at, moves)));
                Rc::new(Narrowed::new(step.of(&own.rule), left, steps.len(), here))
            });
            beam = narrower.collect();
        }
        best.map(|rule| (most, rule))
    }

    /// Those of some moves of a position that a step leaves.
    fn left(&self, step: Step<'_>, position: usize, moves: u64) -> u64 {
        match step {
            Step::By(literal) => moves & literal.moves[position],
            Step::Prefer(key) => self.truths.best(key)(position, moves),
        }
    }
}
