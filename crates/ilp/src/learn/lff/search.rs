//! Single clauses, level by level.

use kibitz_prolog::{BitSet, Clause, SymbolTable, all_bits};

use super::cover::{Member, smallest, widest};
use super::language::Body;
use super::results::{CompleteTheory, STEPS_A_CLAUSE, SearchEnd};
use super::state::{MAX_BASE, MAX_SHORT_BASE, Rule, Search};
use crate::learn::proof_count::is_asked_for;
use crate::learn::{Hypothesis, LearnError, Stop};

/// Most clauses of one level that are kept for longer ones.
const MAX_LEVEL: usize = 200_000;

/// The body of a clause that may be grown, with the examples that it covers.
struct Node {
    body: Body,
    positive: BitSet,
    negative: BitSet,
}

impl Search<'_> {
    pub(super) fn run(mut self) -> Result<Hypothesis, LearnError> {
        let stop = match self.levels() {
            Ok(()) => None,
            Err(SearchEnd::Stop(stop)) => {
                self.join();
                Some(stop)
            }
            Err(SearchEnd::Error(error)) => return Err(error.into()),
        };
        let is_complete = self.best.is_some();
        let mut clauses = match self.best.take() {
            Some(found) => found.clauses,
            None if self.task.search.noisy => self.shortest_description(),
            None => {
                let n = self.task.positive.len();
                let chosen = widest(&self.rules, n, self.max_clauses()).into_iter();
                chosen.map(|i| self.rules[i].clause.clone()).collect()
            }
        };
        let stop = match stop {
            _ if is_complete => Stop::Complete,
            Some(stop) => stop,
            None if clauses.len() >= self.max_clauses() => Stop::ClauseLimit,
            None => Stop::NoMoreClauses,
        };
        for remark in self.tester.remarks() {
            self.progress.remark(&remark);
        }
        for clause in &mut clauses {
            *clause = clause.normalized();
        }
        // Reporting the clauses does not count as search.
        let steps = self.tester.steps;
        self.tester.max_steps = u64::MAX;
        let invented = self.invented.as_ref().filter(|own| {
            let mut heads = clauses.iter().map(|clause| clause.head.name);
            heads.any(|name| name == own.name)
        });
        let symbols: &SymbolTable = invented.map_or(&self.task.symbols, |own| &own.symbols);
        for (i, clause) in clauses.iter().enumerate() {
            let mut counts = [0, 0];
            for (side, n) in [self.task.positive.len(), self.task.negative.len()]
                .into_iter()
                .enumerate()
            {
                counts[side] = match self.tester.covered(&clauses, i..i + 1, side, &all_bits(n)) {
                    Ok(covered) => covered.set.count_ones(..),
                    Err(SearchEnd::Error(error)) => return Err(error.into()),
                    Err(SearchEnd::Stop(_)) => 0,
                };
            }
            self.progress.clause(clause, symbols, counts[0], counts[1]);
        }
        let invented = invented.map(|own| own.symbols.name(own.name).to_owned());
        let mut learned = Hypothesis::new(clauses, stop, steps);
        learned.invented = invented.into_iter().collect();
        Ok(learned)
    }

    fn levels(&mut self) -> Result<(), SearchEnd> {
        let (n, m) = (self.task.positive.len(), self.task.negative.len());
        let mut plain = vec![Node {
            body: self.language.root(),
            positive: all_bits(n),
            negative: all_bits(m),
        }];
        let mut first = 1;
        if self.task.bias.recursion {
            let mut programs = self.programs(1);
            // By the size of a program: longer ends of calls go with shorter recursive clauses.
            for size in 1..=self.max_body + 1 {
                if first <= MAX_BASE.min(size).min(self.max_body) {
                    plain = self.grown(&plain, first)?;
                    self.join();
                    first += 1;
                }
                if size <= self.max_body {
                    self.grow_recursive(&mut programs, size)?;
                    self.with_one_recursive(&mut programs, size, MAX_SHORT_BASE)?;
                }
                self.with_one_recursive(&mut programs, size - 1, MAX_BASE)?;
                if self.best.as_ref().is_some_and(|best| self.is_settled(best)) {
                    return Ok(());
                }
            }
            self.with_two_recursive(programs)?;
            if self.best.as_ref().is_none_or(|best| !self.is_settled(best)) {
                self.with_two_calls()?;
            }
        }
        for size in first..=self.max_body {
            if self.best.is_some() && self.is_smallest(size) {
                break;
            }
            plain = self.grown(&plain, size)?;
            self.join();
        }
        if self.task.search.invention {
            self.with_invention()?;
        }
        Ok(())
    }

    /// Whether no theory with a clause of so many literals is smaller than the best.
    fn is_smallest(&self, size: usize) -> bool {
        let best = self.best.as_ref();
        best.is_some_and(|best| best.size <= size + 1 || self.task.bias.recursion)
    }

    /// Whether a clause may be part of a theory.
    fn is_good(&self, positive: &BitSet, negative: &BitSet) -> bool {
        let search = &self.task.search;
        let counts = [positive.count_ones(..), negative.count_ones(..)];
        let allows_some = search.max_false_positives.is_some() || search.min_accuracy.is_some();
        (counts[1] == 0 || allows_some) && is_asked_for(self.task, counts)
    }

    /// The clauses with one more literal that may be worth growing, with recursion also what covers no
    /// example but may end calls; those that are good enough become rules. Ends early with a rule that
    /// covers every positive example: no theory of longer rules is smaller.
    fn grown(&mut self, nodes: &[Node], size: usize) -> Result<Vec<Node>, SearchEnd> {
        let for_bases = self.task.bias.recursion && size <= MAX_SHORT_BASE;
        let mut longer = Vec::new();
        for node in nodes {
            self.look_at_limits()?;
            let growth = self.language.grow(&node.body, 0, self.max_grown);
            for body in growth.bodies {
                if !self.seen.insert(self.language.key(&body)) || !self.language.is_permitted(&body)
                {
                    continue;
                }
                self.look_at_limits()?;
                self.tester.steps += STEPS_A_CLAUSE;
                let clause = [self.language.clause(&body)];
                let positive = self.tester.covered(&clause, 0..1, 0, &node.positive)?.set;
                let is_base =
                    for_bases && positive.is_clear() && self.tester.may_hold(&clause[0].body)?;
                if positive.is_clear() && !is_base {
                    continue;
                }
                let negative = self.tester.covered(&clause, 0..1, 1, &node.negative)?.set;
                let [clause] = clause;
                let rule = || Rule {
                    clause: clause.clone(),
                    lits: body.lits.clone(),
                    positive: positive.clone(),
                    negative: negative.clone(),
                    n_singletons: self.language.n_singletons(&body),
                };
                let is_good = negative.is_clear() && is_base || self.is_good(&positive, &negative);
                if is_good && self.language.is_whole(&body) {
                    let is_longer = |own: &Rule| {
                        own.negative.is_subset(&negative)
                            && own.lits.iter().all(|lit| body.lits.contains(lit))
                    };
                    if !self.rules.iter().any(is_longer) {
                        self.rules.push(rule());
                    }
                    if positive.is_full() && negative.is_clear() {
                        return Ok(Vec::new());
                    }
                    if negative.is_clear() {
                        continue;
                    }
                }
                let gain = positive.count_ones(..) > negative.count_ones(..) + clause.body.len();
                if self.task.search.noisy && gain && self.language.is_whole(&body) {
                    self.useful.push(rule());
                }
                if size < self.max_body && longer.len() < MAX_LEVEL {
                    longer.push(Node {
                        body,
                        positive,
                        negative,
                    });
                }
            }
            Self::look_at_growth(growth.is_cut)?;
        }
        Ok(longer)
    }

    /// The smallest theory of single clauses.
    fn join(&mut self) {
        let wanted = all_bits(self.task.positive.len());
        let Some(chosen) = smallest(&self.rules, &wanted, self.max_clauses()) else {
            return;
        };
        let chosen = || chosen.iter().map(|i| &self.rules[*i]);
        let found = CompleteTheory {
            clauses: chosen().map(|rule| rule.clause.clone()).collect(),
            size: chosen().map(Member::size).sum(),
            is_cut_short: false,
        };
        self.take(found);
    }

    /// The clauses that together save most: literals and exceptions cost what a covered example is worth.
    fn shortest_description(&self) -> Vec<Clause> {
        let rules: Vec<&Rule> = self.useful.iter().chain(&self.rules).collect();
        let mut covered = [
            BitSet::with_capacity(self.task.positive.len()),
            BitSet::with_capacity(self.task.negative.len()),
        ];
        let mut clauses = Vec::new();
        while clauses.len() < self.max_clauses() {
            let gain = |rule: &Rule| {
                let new = |own: &BitSet, known: &BitSet| own.difference_count(known);
                let right = new(&rule.positive, &covered[0]);
                right.saturating_sub(new(&rule.negative, &covered[1]) + rule.size())
            };
            let best = rules
                .iter()
                .max_by_key(|rule| (gain(rule), std::cmp::Reverse(rule.size())));
            let Some(best) = best.filter(|best| gain(best) > 0) else {
                break;
            };
            clauses.push(best.clause.clone());
            covered[0].union_with(&best.positive);
            covered[1].union_with(&best.negative);
        }
        clauses
    }
}
