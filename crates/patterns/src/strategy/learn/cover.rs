//! Exceptions: rules put into a list that put more positions right than wrong.

use super::arena::{Judgement, Wrong};
use super::{Key, Learner, Literal, QUANTITIES, ROLES, Rule, Tried};
use crate::strategy::truths::first_of;

/// Positions for which exceptions are looked for until one helps.
const MISSES: usize = 8;

/// The positions where a rule applies and none before it does, and the moves that it allows there.
type Allowed = Vec<(usize, u64)>;

/// A rule that is being narrowed.
struct Narrowed {
    rule: Rule,
    allowed: Allowed,
    effect: Effect,
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
    fn of(allowed: &Allowed, chosen: &[u64], judgement: &Judgement) -> Effect {
        let mut effect = Effect::default();
        for (position, moves) in allowed {
            let winning = judgement.winning[*position];
            let was_right = judgement.is_right(*position, chosen);
            let is_right = moves & !winning == 0;
            effect.right += u32::from(is_right && !was_right);
            effect.wrong += u32::from(was_right && !is_right);
            effect.hope += u32::from(!was_right && moves & winning != 0);
        }
        effect
    }

    fn gain(self) -> i64 {
        i64::from(self.right) - i64::from(self.wrong)
    }

    /// How much a beam wants it: most where little is put wrong.
    fn promise(self) -> f64 {
        (f64::from(self.hope) + 0.1) / (f64::from(self.wrong) + 0.1)
    }
}

impl Learner<'_> {
    /// Exceptions put in while fewer positions are left to be put right, each found from one of these.
    pub(super) fn cover(&mut self, mut here: Tried) -> Tried {
        while here.list.len() < self.params.max_rules {
            let count = here.judgement.wrong.len();
            let wrong = here.judgement.wrong.iter().take(MISSES);
            let next = wrong
                .filter_map(|wrong| self.exception(&here, *wrong))
                .find(|next| next.judgement.wrong.len() < count);
            let Some(next) = next else {
                break;
            };
            here = next;
        }
        here
    }

    /// The list with the rule put in that puts most right, at any place, of those that allow a move
    /// known to win in this position.
    fn exception(&mut self, here: &Tried, wrong: Wrong) -> Option<Tried> {
        let mut best: Option<(i64, usize, Rule)> = None;
        let winning = here.judgement.winning[wrong.position];
        for at in 0..=here.list.len() {
            let mut before = vec![0; here.chosen.len()];
            if at > 0 {
                before = first_of(here.list[..at].iter().map(|own| own.moves.as_slice()));
            }
            if before[wrong.position] != 0 {
                break;
            }
            for bit in (0..u64::BITS).filter(|bit| winning >> bit & 1 == 1) {
                let found = self.narrowed(here, &before, Wrong { bit, ..wrong });
                if let Some((gain, rule)) = found
                    && best.as_ref().is_none_or(|best| gain > best.0)
                {
                    best = Some((gain, at, rule));
                }
            }
        }
        let (_, at, rule) = best?;
        let mut list = here.list.clone();
        list.insert(at, self.clause(rule));
        Some(self.judged(list, Some(&here.judgement)))
    }

    /// The rule that puts most right where no rule before it applies, by a beam search from those
    /// without conditions; each allows this move.
    fn narrowed(&mut self, here: &Tried, before: &[u64], seed: Wrong) -> Option<(i64, Rule)> {
        let narrowed = |rule, allowed: Allowed| Narrowed {
            effect: Effect::of(&allowed, &here.chosen, &here.judgement),
            rule,
            allowed,
        };
        let mut beam = Vec::new();
        for role in ROLES {
            let moves = self.truths.of_role(role);
            if seed.is_among(moves) {
                let own = moves.iter().copied().enumerate();
                let allowed = own.filter(|(at, own)| *own != 0 && before[*at] == 0);
                let rule = Rule {
                    role,
                    ..Rule::default()
                };
                beam.push(narrowed(rule, allowed.collect()));
            }
        }
        let fits = |own: &&Literal| seed.is_among(&own.moves);
        let literals: Vec<&Literal> = self.literals.iter().filter(fits).collect();
        let ways = QUANTITIES.iter().flat_map(|quantity| {
            let key = |more| Key { quantity, more };
            [key(false), key(true)]
        });
        let keys: Vec<Key> = ways.collect();
        let mut best = None;
        let mut most = 0;
        for _ in 0..self.params.max_conditions + self.params.max_keys {
            let mut found: Vec<Narrowed> = Vec::new();
            for own in &beam {
                let rule = &own.rule;
                let n_conditions = rule.before.len() + rule.after.len();
                let has_room = rule.prefer.is_empty() && n_conditions < self.params.max_conditions;
                let literals = literals.iter().filter(|_| has_room);
                let by_condition = literals.map(|literal| {
                    let mut rule = rule.clone();
                    let conditions = rule.conditions(literal.after);
                    conditions.push(literal.condition.clone());
                    let left = |(at, moves): &(usize, u64)| {
                        let left = moves & literal.moves[*at];
                        (left != 0).then_some((*at, left))
                    };
                    (
                        rule,
                        own.allowed.iter().filter_map(left).collect::<Allowed>(),
                    )
                });
                let is_new = |key: &&Key| {
                    let mut keys = rule.prefer.iter();
                    keys.all(|own| own.quantity.name != key.quantity.name)
                };
                let has_room = rule.prefer.len() < self.params.max_keys;
                let new = keys.iter().filter(|_| has_room).filter(is_new);
                let by_key = new.map(|key| {
                    let mut rule = rule.clone();
                    rule.prefer.push(*key);
                    let best =
                        |(at, moves): &(usize, u64)| (*at, self.truths.best(*at, *moves, *key));
                    (rule, own.allowed.iter().map(best).collect())
                });
                for (rule, allowed) in by_condition.chain(by_key) {
                    let at_seed = |(at, moves): &(usize, u64)| {
                        *at == seed.position && moves >> seed.bit & 1 == 1
                    };
                    if allowed == own.allowed || !allowed.iter().any(at_seed) {
                        continue;
                    }
                    let next = narrowed(rule, allowed);
                    if next.effect.gain() > most {
                        most = next.effect.gain();
                        best = Some(next.rule.clone());
                    }
                    if found.iter().all(|own| own.effect != next.effect) {
                        found.push(next);
                    }
                }
            }
            found.sort_by(|a, b| b.effect.promise().total_cmp(&a.effect.promise()));
            found.truncate(self.params.tries);
            beam = found;
        }
        best.map(|rule| (most, rule))
    }
}
