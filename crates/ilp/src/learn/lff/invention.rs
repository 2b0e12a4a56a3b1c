//! Programs with an invented predicate.
//!
//! One clause of the target calls a predicate of one argument or two that other clauses define by the
//! background. What fails with all clauses that could define it fails with each choice of them, and a
//! choice that covers a negative example needs no further clause.

use kibitz_prolog::{Argument, Clause, Direction, Mode, Predicate, Symbol, all_bits};
use rustc_hash::FxHashSet;

use super::language::{Body, Language};
use super::results::{CompleteTheory, Invention, STEPS_A_CLAUSE, SearchEnd};
use super::state::Search;
use crate::eval::Key;
use crate::task::Bias;

/// The name of an invented predicate, or its beginning where there is such a predicate.
const NAME: &str = "inv1";
/// Most body literals of a clause that defines it.
const MAX_BODY: usize = 2;
/// Most clauses to choose its definition from, and most that define it.
const MAX_PARTS: usize = 60;
const MAX_CHOSEN: usize = 6;

/// The types of its arguments, and what its clauses and those that call it may look like.
struct Shape {
    definition: Bias,
    calls: Bias,
}

/// A search for clauses that call it.
struct Callers<'s> {
    language: Language<'s>,
    predicate: Predicate,
    parts: Vec<Clause>,
    level: Vec<Body>,
    seen: FxHashSet<Key>,
}

impl Search<'_> {
    /// Programs with an invented predicate that are smaller than the best so far.
    pub(super) fn with_invention(&mut self) -> Result<(), SearchEnd> {
        let mut symbols = self.task.symbols.clone();
        let name = symbols.fresh(NAME);
        self.invented = Some(Invention {
            name,
            symbols: symbols.clone(),
        });
        let shapes = self.shapes(name);
        let max_vars = self.max_vars;
        let mut callers = Vec::new();
        for shape in &shapes {
            let definition = Language::new(self.task, &symbols, &shape.definition, max_vars);
            let parts = self.parts(&definition)?;
            let language = Language::new(self.task, &symbols, &shape.calls, max_vars);
            let root = language.root();
            callers.push(Callers {
                language,
                predicate: shape.definition.head.predicate,
                parts,
                level: vec![root],
                seen: FxHashSet::default(),
            });
        }
        for size in 1..=self.max_body {
            for own in &mut callers {
                // The clause has a head, and the shortest definition two literals.
                if self.best.as_ref().is_some_and(|best| best.size <= size + 3) {
                    return Ok(());
                }
                self.grow_callers(own, size)?;
            }
        }
        Ok(())
    }

    /// The predicates that may be invented: of an argument of each type, and of two.
    fn shapes(&self, name: Symbol) -> Vec<Shape> {
        let bias = &self.task.bias;
        let modes = || std::iter::once(&bias.head).chain(&bias.body);
        let arguments = || modes().flat_map(|mode| &mode.arguments);
        let mut kinds: Vec<Symbol> = Vec::new();
        for argument in arguments() {
            if !kinds.contains(&argument.kind) {
                kinds.push(argument.kind);
            }
        }
        // Where inputs are declared, the first argument is one.
        let body = || bias.body.iter().flat_map(|mode| &mode.arguments);
        let is_directed = body().any(|own| own.direction == Direction::In);
        let argument = |place: usize, kind| Argument {
            direction: if is_directed && place == 0 {
                Direction::In
            } else {
                Direction::Out
            },
            kind,
        };
        let single = kinds.iter().map(|kind| vec![argument(0, *kind)]);
        let pairs = kinds.iter().flat_map(|first| {
            let second = kinds.iter();
            second.map(|second| vec![argument(0, *first), argument(1, *second)])
        });
        let shape = |arguments: Vec<Argument>| {
            let predicate = Predicate {
                name,
                arity: arguments.len(),
            };
            let mode = Mode {
                predicate,
                arguments,
                recall: None,
            };
            let is_target = |mode: &&Mode| mode.predicate == self.task.target;
            let body = bias.body.iter().filter(|mode| !is_target(mode));
            Shape {
                definition: Bias {
                    head: mode.clone(),
                    body: body.clone().cloned().collect(),
                    // Every argument of the head is to occur.
                    recursion: true,
                    ..bias.clone()
                },
                calls: Bias {
                    body: body.chain([&mode]).cloned().collect(),
                    recursion: false,
                    ..bias.clone()
                },
            }
        };
        single.chain(pairs).map(shape).collect()
    }

    /// The clauses that may define an invented predicate, the shortest first.
    fn parts(&mut self, language: &Language<'_>) -> Result<Vec<Clause>, SearchEnd> {
        let mut parts = Vec::new();
        let mut seen = FxHashSet::default();
        let mut level: Vec<Body> = vec![language.root()];
        for _ in 0..MAX_BODY {
            let mut longer = Vec::new();
            for body in &level {
                let growth = language.grow(body, 0, self.max_grown - longer.len());
                Self::look_at_growth(growth.is_cut)?;
                longer.extend(growth.bodies);
            }
            level.clear();
            for body in longer {
                if parts.len() >= MAX_PARTS {
                    return Ok(parts);
                }
                if !seen.insert(language.key(&body)) || !language.is_permitted(&body) {
                    continue;
                }
                self.look_at_limits()?;
                self.tester.steps += STEPS_A_CLAUSE;
                let clause = language.clause(&body);
                if !self.tester.may_hold(&clause.body)? {
                    continue;
                }
                if language.is_whole(&body) {
                    parts.push(clause);
                }
                level.push(body);
            }
        }
        Ok(parts)
    }

    /// The clauses of so many literals that cover every positive example with all that may define what
    /// they call, and the programs that are found with them.
    fn grow_callers(&mut self, own: &mut Callers<'_>, size: usize) -> Result<(), SearchEnd> {
        let n = self.task.positive.len();
        let mut longer = Vec::new();
        for beginning in std::mem::take(&mut own.level) {
            let growth = own.language.grow(&beginning, 0, self.max_grown);
            for body in growth.bodies {
                if !own.seen.insert(own.language.key(&body)) || !own.language.is_permitted(&body) {
                    continue;
                }
                self.look_at_limits()?;
                self.tester.steps += STEPS_A_CLAUSE;
                let clause = own.language.clause(&body);
                let mut called = clause.body.iter().map(|literal| literal.atom.predicate());
                let is_caller = called.any(|called| called == own.predicate);
                let mut theory = vec![clause];
                if is_caller {
                    theory.extend(own.parts.iter().cloned());
                }
                let failed = self.tester.first_uncovered(&theory, 0..1, 0..n)?;
                if failed.is_some() {
                    continue;
                }
                theory.truncate(1);
                if is_caller && own.language.is_whole(&body) {
                    self.define(&theory[0], &own.parts)?;
                }
                longer.push(body);
            }
            Self::look_at_growth(growth.is_cut)?;
        }
        if size < self.max_body {
            own.level = longer;
        }
        Ok(())
    }

    /// Takes the smallest choice of clauses with which a clause covers every positive example and no
    /// negative one.
    fn define(&mut self, caller: &Clause, parts: &[Clause]) -> Result<(), SearchEnd> {
        let max = self.max_clauses().saturating_sub(1).min(MAX_CHOSEN);
        // What covers a negative example alone does so with others.
        let mut harmless = Vec::new();
        for part in parts {
            let theory = [caller.clone(), part.clone()];
            if self.is_consistent(&theory)? {
                harmless.push(part);
            }
        }
        for n in 1..=max.min(harmless.len()) {
            let mut theory = vec![caller.clone()];
            if self.choose(&mut theory, &harmless, n)? {
                break;
            }
        }
        Ok(())
    }

    /// Whether a theory, whose first clause is the target's, covers no negative example.
    fn is_consistent(&mut self, theory: &[Clause]) -> Result<bool, SearchEnd> {
        self.look_at_limits()?;
        self.tester.steps += STEPS_A_CLAUSE;
        let negative = all_bits(self.task.negative.len());
        let covered = self.tester.covered(theory, 0..1, 1, &negative)?;
        Ok(covered.set.is_clear() && !covered.is_cut_short)
    }

    /// Adds so many of the clauses to a theory in every way, and takes the smallest that is right; whether
    /// there is one.
    fn choose(
        &mut self,
        theory: &mut Vec<Clause>,
        parts: &[&Clause],
        n: usize,
    ) -> Result<bool, SearchEnd> {
        let size = theory.iter().map(Clause::len).sum();
        if self.best.as_ref().is_some_and(|best| best.size <= size) {
            return Ok(false);
        }
        let examples = 0..self.task.positive.len();
        if n == 0 {
            let failed = (self.tester).first_uncovered(theory, 0..1, examples)?;
            let is_found = failed.is_none();
            if is_found {
                self.take(CompleteTheory {
                    clauses: theory.clone(),
                    size,
                    is_cut_short: false,
                });
            }
            return Ok(is_found);
        }
        let known = theory.len();
        theory.extend(parts.iter().map(|part| (*part).clone()));
        self.look_at_limits()?;
        let failed = (self.tester).first_uncovered(theory, 0..1, examples)?;
        theory.truncate(known);
        let mut is_found = false;
        for (i, part) in parts.iter().enumerate() {
            if failed.is_some() || parts.len() - i < n {
                break;
            }
            theory.push((*part).clone());
            if known == 1 || self.is_consistent(theory)? {
                is_found |= self.choose(theory, &parts[i + 1..], n - 1)?;
            }
            theory.pop();
        }
        Ok(is_found)
    }
}
