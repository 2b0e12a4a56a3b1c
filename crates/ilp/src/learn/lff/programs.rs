//! Programs with recursive clauses.

use kibitz_prolog::{BitSet, Clause, all_bits};
use rustc_hash::FxHashSet;

use super::cover::{Member, smallest};
use super::language::Body;
use super::results::{CompleteTheory, STEPS_A_CLAUSE, SearchEnd};
use super::state::{MAX_BASE, MAX_SHORT_BASE, Rule, Search};
use crate::eval::Key;

/// About the most pairs of recursive clauses that are tried.
const MAX_PAIRS: usize = 1_000_000;
/// Most bodies of one level that are kept for longer ones.
const MAX_LEVEL: usize = 100_000;

/// The beginning of a recursive clause.
struct Beginning {
    body: Body,
    /// The positive examples that it covers without its recursive literal.
    positive: BitSet,
}

/// A clause that calls the target.
struct RecursiveClause {
    clause: Clause,
    /// The positive examples that it may cover, whatever its call finds.
    positive: BitSet,
}

/// The recursive clauses so far.
pub(super) struct Programs {
    /// How often each of them calls the target.
    n_calls: usize,
    level: Vec<Beginning>,
    seen: FxHashSet<Key>,
    recursive: Vec<RecursiveClause>,
    /// The positive examples, those that most programs do not cover first.
    order: Vec<usize>,
}

/// A clause that ends the calls of others, with the positive examples that all cover together.
struct Base<'r> {
    rule: &'r Rule,
    positive: BitSet,
    is_cut_short: bool,
}

impl Member for Base<'_> {
    fn positive(&self) -> &BitSet {
        &self.positive
    }

    fn size(&self) -> usize {
        self.rule.size()
    }

    fn n_singletons(&self) -> usize {
        Member::n_singletons(self.rule)
    }
}

impl Search<'_> {
    /// No recursive clauses yet, of those that call the target so many times.
    pub(super) fn programs(&self, n_calls: usize) -> Programs {
        let n = self.task.positive.len();
        Programs {
            n_calls,
            level: vec![Beginning {
                body: self.language.root(),
                positive: all_bits(n),
            }],
            seen: FxHashSet::default(),
            recursive: Vec::new(),
            order: (0..n).collect(),
        }
    }

    /// The recursive clauses of so many literals.
    pub(super) fn grow_recursive(
        &mut self,
        programs: &mut Programs,
        size: usize,
    ) -> Result<(), SearchEnd> {
        let level = std::mem::take(&mut programs.level);
        for node in &level {
            self.look_at_limits()?;
            let growth = (self.language).grow(&node.body, programs.n_calls, self.max_grown);
            for body in growth.bodies {
                // A literal more uses up two variables at most that occur once.
                if self.language.n_singletons(&body) > 2 * (self.max_body - size)
                    || !programs.seen.insert(self.language.key(&body))
                    || !self.language.is_permitted(&body)
                {
                    continue;
                }
                self.look_at_limits()?;
                self.tester.steps += STEPS_A_CLAUSE;
                let positive = if self.language.ends_in_waiting(&body) {
                    node.positive.clone()
                } else {
                    let relaxed = [self.language.relaxed(&body)];
                    self.tester.covered(&relaxed, 0..1, 0, &node.positive)?.set
                };
                if positive.is_clear() {
                    continue;
                }
                if self.language.n_recursive(&body) == programs.n_calls
                    && self.language.has_few_singletons(&body)
                    && self.language.is_whole(&body)
                {
                    programs.recursive.push(RecursiveClause {
                        clause: self.language.clause(&body),
                        positive: positive.clone(),
                    });
                }
                if size < self.max_body && programs.level.len() < MAX_LEVEL {
                    programs.level.push(Beginning { body, positive });
                }
            }
            Self::look_at_growth(growth.is_cut)?;
        }
        Ok(())
    }

    /// Programs with one recursive clause of so many literals, and rules of at most so many.
    pub(super) fn with_one_recursive(
        &mut self,
        programs: &mut Programs,
        size: usize,
        max_base: usize,
    ) -> Result<(), SearchEnd> {
        let rules = self.ends_of_calls(max_base);
        if rules.is_empty() {
            return Ok(());
        }
        let ended = self.union(&rules);
        let mut theory: Vec<Clause> = rules.iter().map(|rule| rule.clause.clone()).collect();
        let last = rules.len();
        for recursive in programs
            .recursive
            .iter()
            .filter(|own| own.clause.body.len() == size)
        {
            let mut reach = recursive.positive.clone();
            reach.union_with(&ended);
            if !reach.is_full() {
                continue;
            }
            self.look_at_limits()?;
            // What fails with all ends of calls together fails with each.
            theory.push(recursive.clause.clone());
            let order = programs
                .order
                .iter()
                .copied()
                .filter(|&e| !ended.contains(e));
            let failed = (self.tester).first_uncovered(&theory, last..last + 1, order)?;
            theory.pop();
            match failed {
                Some(failed) => programs.order.sort_by_key(|&e| e != failed),
                None if programs.n_calls == 1 => self.with_bases(&[&recursive.clause], &rules)?,
                None => self.with_bases_of_several_calls(&recursive.clause, &rules)?,
            }
        }
        Ok(())
    }

    /// Programs with one recursive clause that calls the target twice.
    pub(super) fn with_two_calls(&mut self) -> Result<(), SearchEnd> {
        let mut programs = self.programs(2);
        for size in 1..=self.max_body {
            self.grow_recursive(&mut programs, size)?;
            self.with_one_recursive(&mut programs, size, MAX_BASE)?;
            if self.best.as_ref().is_some_and(|best| self.is_settled(best)) {
                break;
            }
        }
        Ok(())
    }

    /// Takes the smallest program of a recursive clause with several calls and one rule or two that end
    /// them: its proofs may end in all of these, so that they are judged together.
    fn with_bases_of_several_calls(
        &mut self,
        recursive: &Clause,
        rules: &[Rule],
    ) -> Result<(), SearchEnd> {
        let (n, m) = (self.task.positive.len(), self.task.negative.len());
        let mut bases: Vec<&Rule> = Vec::new();
        for rule in rules {
            self.look_at_limits()?;
            let theory = [rule.clause.clone(), recursive.clone()];
            if (self.tester.covered(&theory, 1..2, 1, &all_bits(m))?.set).is_clear() {
                bases.push(rule);
            }
        }
        bases.sort_by_key(|rule| rule.size());
        let single = bases.iter().map(|rule| vec![*rule]);
        let pairs = bases.iter().enumerate().flat_map(|(i, second)| {
            let first = bases[..i].iter();
            first.map(|first| vec![*first, *second])
        });
        let n_bases = self.max_clauses().saturating_sub(1);
        for chosen in single.chain(pairs).filter(|chosen| chosen.len() <= n_bases) {
            let clauses = chosen.iter().map(|rule| &rule.clause).chain([recursive]);
            let clauses: Vec<Clause> = clauses.cloned().collect();
            let size = clauses.iter().map(Clause::len).sum();
            if self.best.as_ref().is_some_and(|best| best.size <= size) {
                continue;
            }
            self.look_at_limits()?;
            let last = chosen.len();
            let ended = self.union(chosen.iter().copied());
            let open = (0..n).filter(|&e| !ended.contains(e));
            if (self
                .tester
                .first_uncovered(&clauses, last..last + 1, open)?)
            .is_some()
            {
                continue;
            }
            let negative = self
                .tester
                .covered(&clauses, last..last + 1, 1, &all_bits(m))?;
            if negative.set.is_clear() {
                self.take(CompleteTheory {
                    clauses,
                    size,
                    is_cut_short: negative.is_cut_short,
                });
                return Ok(());
            }
        }
        Ok(())
    }

    /// The rules of at most so many literals that cover no negative example.
    fn ends_of_calls(&self, max_base: usize) -> Vec<Rule> {
        let is_end = |rule: &&Rule| rule.negative.is_clear() && rule.clause.body.len() <= max_base;
        self.rules.iter().filter(is_end).cloned().collect()
    }

    /// Takes the smallest program of recursive clauses, which call the target once each, and rules that
    /// end their calls: every proof ends in one of them, so that each is judged on its own.
    fn with_bases(&mut self, recursive: &[&Clause], rules: &[Rule]) -> Result<(), SearchEnd> {
        let (n, m) = (self.task.positive.len(), self.task.negative.len());
        let mut bases = Vec::new();
        for rule in rules {
            self.look_at_limits()?;
            let mut theory = vec![rule.clause.clone()];
            theory.extend(recursive.iter().map(|clause| (*clause).clone()));
            let negative = self
                .tester
                .covered(&theory, 1..theory.len(), 1, &all_bits(m))?;
            if !negative.set.is_clear() {
                continue;
            }
            let mut open = all_bits(n);
            open.difference_with(&rule.positive);
            let mut positive = self.tester.covered(&theory, 1..theory.len(), 0, &open)?.set;
            positive.union_with(&rule.positive);
            bases.push(Base {
                rule,
                positive,
                is_cut_short: negative.is_cut_short,
            });
        }
        let n_bases = self.max_clauses().saturating_sub(recursive.len());
        let Some(chosen) = smallest(&bases, &all_bits(n), n_bases) else {
            return Ok(());
        };
        let chosen = || chosen.iter().map(|i| &bases[*i]);
        let own = chosen().map(|base| base.rule.clause.clone());
        let size = chosen().map(Member::size).sum::<usize>();
        let found = CompleteTheory {
            clauses: own
                .chain(recursive.iter().map(|clause| (*clause).clone()))
                .collect(),
            size: size + recursive.iter().map(|clause| clause.len()).sum::<usize>(),
            is_cut_short: chosen().any(|base| base.is_cut_short),
        };
        self.take(found);
        Ok(())
    }

    /// Programs with two recursive clauses, each for other positive examples, and short rules that end
    /// their calls.
    pub(super) fn with_two_recursive(&mut self, programs: Programs) -> Result<(), SearchEnd> {
        let Programs {
            recursive,
            mut order,
            ..
        } = programs;
        let rules = self.ends_of_calls(MAX_SHORT_BASE);
        if self.max_clauses() < 3 || rules.is_empty() {
            return Ok(());
        }
        let ended = self.union(&rules);
        let mut theory: Vec<Clause> = rules.iter().map(|rule| rule.clause.clone()).collect();
        let last = rules.len();
        for [first, second] in pairs(&recursive, &ended) {
            self.look_at_limits()?;
            self.tester.steps += STEPS_A_CLAUSE;
            let both = [&first.clause, &second.clause];
            theory.extend(both.map(Clause::clone));
            let open = order.iter().copied().filter(|&e| !ended.contains(e));
            let failed = (self.tester).first_uncovered(&theory, last..last + 2, open)?;
            theory.truncate(last);
            match failed {
                Some(failed) => order.sort_by_key(|&e| e != failed),
                None => self.with_bases(&both, &rules)?,
            }
            if self.best.as_ref().is_some_and(|best| self.is_settled(best)) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The positive examples that rules cover.
    fn union<'r>(&self, rules: impl IntoIterator<Item = &'r Rule>) -> BitSet {
        let mut union = BitSet::with_capacity(self.task.positive.len());
        for rule in rules {
            union.union_with(&rule.positive);
        }
        union
    }
}

/// Pairs of clauses that may cover no positive example both, and all together with those that rules
/// cover; the shortest pairs first.
fn pairs<'r>(recursive: &'r [RecursiveClause], ended: &BitSet) -> Vec<[&'r RecursiveClause; 2]> {
    let mut groups: Vec<(&BitSet, Vec<&RecursiveClause>)> = Vec::new();
    for own in recursive.iter().filter(|own| !own.positive.is_full()) {
        match groups
            .iter_mut()
            .find(|(positive, _)| **positive == own.positive)
        {
            Some((_, members)) => members.push(own),
            None => groups.push((&own.positive, vec![own])),
        }
    }
    let mut pairs = Vec::new();
    for (i, (second, of_second)) in groups.iter().enumerate() {
        for (first, of_first) in &groups[..i] {
            let mut reach = (*first).clone();
            reach.union_with(second);
            reach.union_with(ended);
            if !first.is_disjoint(second) || !reach.is_full() {
                continue;
            }
            for second in of_second {
                pairs.extend(of_first.iter().map(|first| [*first, *second]));
                if pairs.len() > MAX_PAIRS {
                    break;
                }
            }
        }
    }
    pairs.sort_by_key(|pair| pair[0].clause.len() + pair[1].clause.len());
    pairs
}
