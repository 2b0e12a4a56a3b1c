use super::{Alternative, Continuation, Frame, Machine, RuleSource, Step};
use crate::prover::ProverError;
use crate::prover::cell::Cell;
use crate::prover::code::{Arg, DYNAMIC, Rule, Target};
use crate::prover::compile::Compiler;
use crate::prover::database::Database;
use crate::prover::facts::Cursor;
use crate::prover::heap::{Sources, VarNumbers};
use crate::reader::literal_from_term;
use crate::term::{Constant, Term};

/// Arguments, variables, and facts and rules looked at that a step pays for.
const FREE_CELLS: u32 = 64;

/// Calls of predicates: facts, rules, and goals that are known only when they run.
impl Machine {
    pub(super) fn call(
        &mut self,
        db: &Database,
        target: Target,
        arity: usize,
        then: Continuation,
        depth: u32,
        negated: bool,
    ) -> Result<Step, ProverError> {
        let (entry_index, predicate) = match target {
            Target::Entry(index) => {
                let (predicate, _) = db
                    .entries
                    .get_index(index as usize)
                    .expect("indexes come from the database");
                (Some(index), *predicate)
            }
            Target::Named(predicate) => (None, predicate),
        };
        debug_assert_eq!(predicate.arity, arity);
        if arity > FREE_CELLS as usize {
            self.heap.spend(u32::try_from(arity).unwrap_or(u32::MAX));
        }
        let in_theory = !self.theory.is_empty() && self.theory.contains_key(&predicate);
        let entry = entry_index.map(|index| (index, &db.entries[index as usize]));
        let Some((index, entry)) = entry.filter(|(_, entry)| entry.defined) else {
            return if in_theory {
                Ok(self.try_rules(db, RuleSource::Theory(predicate), 0, then, depth, negated))
            } else {
                Err(ProverError::UnknownPredicate(predicate))
            };
        };
        if let Some(native) = &entry.native {
            return self.call_native(db, native.as_ref(), then);
        }
        if in_theory {
            // The theory's clauses come after the program's own.
            self.choose_with_args(
                Alternative::Rules {
                    source: RuleSource::Theory(predicate),
                    next: 0,
                    n_args: arity,
                    depth,
                    negated,
                },
                then,
            );
        }
        if entry.facts.is_empty() {
            return Ok(self.try_rules(db, RuleSource::Entry(index), 0, then, depth, negated));
        }
        if !entry.rules.is_empty() {
            self.choose_with_args(
                Alternative::Rules {
                    source: RuleSource::Entry(index),
                    next: 0,
                    n_args: arity,
                    depth,
                    negated,
                },
                then,
            );
        }
        let cursor = entry.facts.search(&self.regs);
        Ok(self.try_facts(db, index, cursor, then))
    }

    pub(super) fn try_facts(
        &mut self,
        db: &Database,
        entry: u32,
        mut cursor: Cursor,
        then: Continuation,
    ) -> Step {
        let table = &db.entries[entry as usize].facts;
        let mut row = table.advance(&mut cursor);
        let mut tried = 0;
        while let Some(current) = row {
            tried += 1;
            row = table.advance(&mut cursor);
            let more = row.is_some();
            let (trail, cells) = (self.heap.trail.len(), self.heap.cells.len());
            if more {
                // The cursor has already passed the row to try next; step back to it.
                let cursor = match cursor {
                    Cursor::All(next) => Cursor::All(next - 1),
                    Cursor::Chain { mask, .. } => Cursor::Chain {
                        mask,
                        row: row.unwrap_or(u32::MAX),
                    },
                };
                let n_args = table.arity;
                self.choose_with_args(
                    Alternative::Facts {
                        entry,
                        cursor,
                        n_args,
                    },
                    then,
                );
            }
            let unified = self
                .regs
                .iter()
                .zip(table.row(current))
                .all(|(&arg, &cell)| arg == cell || self.heap.unify(arg, cell, &db.statics));
            if unified {
                self.pay_for_search(tried);
                return Step::Continue(then);
            }
            self.heap.undo(trail, cells);
            if more {
                self.choices.pop();
                self.args.truncate(self.args.len() - table.arity);
            }
        }
        self.pay_for_search(tried);
        Step::Fail
    }

    /// Pays for facts or rules that were looked at in vain, beyond those that a step covers.
    fn pay_for_search(&self, tried: u32) {
        if tried > FREE_CELLS {
            self.heap.spend(tried);
        }
    }

    pub(super) fn try_rules(
        &mut self,
        db: &Database,
        source: RuleSource,
        mut next: u32,
        then: Continuation,
        depth: u32,
        negated: bool,
    ) -> Step {
        let rule_at = |machine: &Self, i: u32| -> Option<Rule> {
            let rules = match source {
                RuleSource::Entry(entry) => Some(&db.entries[entry as usize].rules),
                RuleSource::Theory(predicate) => machine.theory.get(&predicate),
            };
            rules?.get(i as usize).copied()
        };
        // Skips rules whose head cannot match, so that the last one leaves no choice behind.
        let find = |machine: &Self, mut i: u32| {
            let first = i;
            let found = loop {
                let Some(rule) = rule_at(machine, i) else {
                    break None;
                };
                if machine.may_match(db, rule) {
                    break Some((i, rule));
                }
                i += 1;
            };
            machine.pay_for_search(i - first);
            found
        };
        let mut candidate = find(self, next);
        while let Some((index, rule)) = candidate {
            next = index + 1;
            candidate = find(self, next);
            let cut = self.height();
            let (trail, cells) = (self.heap.trail.len(), self.heap.cells.len());
            if let Some((index, _)) = candidate {
                let n_args = self.regs.len();
                self.choose_with_args(
                    Alternative::Rules {
                        source,
                        next: index,
                        n_args,
                        depth,
                        negated,
                    },
                    then,
                );
            }
            if rule.n_vars > FREE_CELLS {
                self.heap.spend(rule.n_vars);
            }
            let env = self.heap.variables(rule.n_vars);
            let sources = Sources {
                statics: &db.statics,
                code: &db.code,
                dynamic: &self.code,
            };
            let unified = self.regs.iter().zip(0..).all(|(&value, i)| {
                self.heap
                    .unify_arg(sources.arg(rule.head, i), env, value, sources)
            });
            if unified {
                if rule.body.len == 0 {
                    return Step::Continue(then);
                }
                let frame =
                    u32::try_from(self.frames.len()).expect("the bound on memory holds for frames");
                self.frames.push(Frame {
                    goals: rule.body,
                    env,
                    then,
                    cut,
                    depth,
                    negated,
                });
                return Step::Continue(Continuation { frame, next: 0 });
            }
            self.heap.undo(trail, cells);
            if candidate.is_some() {
                self.choices.pop();
                self.args.truncate(self.args.len() - self.regs.len());
            }
        }
        Step::Fail
    }

    /// A quick look at the atomic arguments of a rule's head.
    fn may_match(&self, db: &Database, rule: Rule) -> bool {
        let sources = self.sources(db);
        self.regs
            .iter()
            .zip(0..)
            .all(|(&value, i)| match (sources.arg(rule.head, i), value) {
                (Arg::Const(own), Cell::Const(constant)) => own == constant,
                (Arg::Const(_), Cell::Struct(_))
                | (Arg::Struct(..) | Arg::Static(_), Cell::Const(_)) => false,
                (Arg::Struct(name, span), Cell::Struct(address)) => {
                    self.heap.at(address, &db.statics) == Cell::Functor(name, span.len)
                }
                _ => true,
            })
    }

    /// Calls the term in the first register with the other registers as further arguments.
    pub(super) fn call_term(
        &mut self,
        db: &Database,
        frame: Frame,
        then: Continuation,
    ) -> Result<Step, ProverError> {
        let mut addresses = VarNumbers::default();
        let mut to_term = |&cell| self.heap.to_term(cell, &mut addresses, &db.statics);
        let goal = to_term(&self.regs[0])?;
        let extra = self.regs[1..]
            .iter()
            .map(to_term)
            .collect::<Result<Vec<Term>, _>>()?;
        if self.heap.is_over() {
            return Ok(Step::Fail);
        }
        let goal = match goal {
            Term::Const(Constant::Symbol(name)) => Term::compound(name, extra),
            Term::Compound(name, args) => Term::compound(name, args.iter().cloned().chain(extra)),
            Term::Var(_) | Term::Const(_) => return Err(ProverError::NotCallable),
        };
        let literals = goal
            .conjuncts()
            .into_iter()
            .map(literal_from_term)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|_| ProverError::NotCallable)?;
        let n_vars = u32::try_from(addresses.len()).expect("fewer than 2^32 variables");
        let mut resolve = db;
        let (body, total) =
            Compiler::new(&mut self.code, DYNAMIC, &mut resolve).query(&literals, n_vars)?;
        let env = self.heap.variables(total);
        for (i, address) in addresses.into_iter().enumerate() {
            self.heap.cells[env as usize + i] = Cell::Ref(address);
        }
        let height = self.height();
        Ok(Step::Continue(self.block(
            body,
            Frame { env, ..frame },
            then,
            Some(height),
        )))
    }
}
