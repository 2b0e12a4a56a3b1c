//! Clauses made of modes.

use indexmap::IndexSet;
use kibitz_prolog::{Clause, Direction, Literal, Term};
use rustc_hash::FxBuildHasher;

use super::decode::decode_clause;
use super::literal::{Arg, Lit};
use crate::encoded::{Kind, Language, number};

/// A variable of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Variable {
    pub(crate) kind: Kind,
    /// Literals between it and the head.
    pub(crate) depth: u16,
    /// Whether literals may take it as an input: an output of the head must be provided first.
    pub(crate) is_known: bool,
}

/// A clause made of modes; its literals stand after those that provide their inputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pattern {
    pub(crate) head: Vec<Arg>,
    pub(crate) lits: Vec<Lit>,
    pub(crate) vars: Vec<Variable>,
}

/// The constants that the clauses of a search name, by number.
pub(crate) type Constants = IndexSet<Term, FxBuildHasher>;

impl Pattern {
    /// The head alone, with these constants where it takes some.
    pub(crate) fn of_head(language: &Language, mut constant: impl FnMut(usize) -> u32) -> Self {
        let mut vars = Vec::new();
        let head = language.head.iter().enumerate();
        let head = head.map(|(place, &(direction, kind))| {
            if direction == Direction::Constant {
                return Arg::Const(constant(place));
            }
            vars.push(Variable {
                kind,
                depth: 0,
                is_known: direction == Direction::In,
            });
            Arg::Var(number(vars.len() - 1))
        });
        Self {
            head: head.collect(),
            lits: Vec::new(),
            vars,
        }
    }

    /// How many variables the head has; they come first.
    pub(crate) fn n_head_vars(&self) -> usize {
        let vars = self.head.iter().filter_map(|arg| arg.var());
        vars.max().map_or(0, |var| var as usize + 1)
    }

    /// Whether literals may take a variable of the head from the start.
    pub(crate) fn head_is_input(&self, language: &Language, var: usize) -> bool {
        let is_it = |arg: &Arg| arg.var().is_some_and(|own| own as usize == var);
        let mut args = self.head.iter().zip(&language.head);
        args.any(|(arg, (direction, _))| is_it(arg) && *direction == Direction::In)
    }

    /// Outputs of the head that no literal provides.
    pub(crate) fn n_missing(&self) -> usize {
        self.vars.iter().filter(|var| !var.is_known).count()
    }

    /// Adds a literal; arguments beyond the variables there are, in their order, are new ones.
    pub(crate) fn push(&mut self, language: &Language, lit: Lit) {
        let mode = &language.modes[lit.relation as usize];
        let depth = self.depth_after(language, &lit);
        for (&arg, &(direction, kind)) in lit.args.iter().zip(&mode.args) {
            let Arg::Var(var) = arg else { continue };
            let var = var as usize;
            if var == self.vars.len() {
                self.vars.push(Variable {
                    kind,
                    depth,
                    is_known: true,
                });
            } else if direction == Direction::Out && !self.vars[var].is_known {
                self.vars[var].is_known = true;
                self.vars[var].depth = depth;
            }
        }
        self.lits.push(lit);
    }

    /// The depth of variables that a literal would provide.
    pub(crate) fn depth_after(&self, language: &Language, lit: &Lit) -> u16 {
        let access = language.access(lit.relation as usize);
        let inputs = access.inputs.iter().map(|&place| {
            let var = lit.args[place].var();
            var.map_or(0, |var| self.vars[var as usize].depth)
        });
        1 + inputs.max().unwrap_or(0)
    }

    /// The same, with other numbers for the constants.
    pub(crate) fn with_constants(&self, numbers: &[u32]) -> Self {
        let arg = |arg: Arg| match arg {
            Arg::Const(constant) => Arg::Const(numbers[constant as usize]),
            other => other,
        };
        Self {
            head: self.head.iter().copied().map(arg).collect(),
            lits: self.lits.iter().map(|lit| lit.map_args(arg)).collect(),
            vars: self.vars.clone(),
        }
    }

    /// The clause in terms.
    pub(crate) fn clause(&self, language: &Language, constants: &[Term]) -> Clause {
        self.decoded(language, constants).normalized()
    }

    /// The same with the pattern's own numbers for the variables.
    pub(crate) fn decoded(&self, language: &Language, constants: &[Term]) -> Clause {
        let name = |mode| language.access(mode as usize).predicate.name;
        decode_clause(
            language.target.name,
            &self.head,
            &self.lits,
            constants,
            name,
        )
    }

    /// A clause as a pattern, with its constants; `None` if some literal has no mode in which its
    /// inputs are known.
    pub(crate) fn of_clause(language: &Language, clause: &Clause) -> Option<(Self, Vec<Term>)> {
        let mut constants: Vec<Term> = Vec::new();
        let mut numbers: Vec<Option<u32>> = vec![None; clause.var_bound() as usize];
        let (mut head, mut vars) = (Vec::new(), Vec::new());
        if clause.head.predicate() != language.target {
            return None;
        }
        for (term, &(direction, kind)) in clause.head.args.iter().zip(&language.head) {
            head.push(match term {
                Term::Var(var) => {
                    let own = numbers[var.index()].unwrap_or(number(vars.len()));
                    if own as usize == vars.len() {
                        numbers[var.index()] = Some(own);
                        vars.push(Variable {
                            kind,
                            depth: 0,
                            is_known: direction == Direction::In,
                        });
                    }
                    Arg::Var(own)
                }
                term => constant(&mut constants, term)?,
            });
        }
        let mut pattern = Self {
            head,
            lits: Vec::new(),
            vars,
        };
        let mut open: Vec<&Literal> = clause.body.iter().collect();
        while !open.is_empty() {
            let place = open.iter().position(|literal| {
                pattern.take(language, literal, &mut numbers, &mut constants)
            })?;
            open.remove(place);
        }
        Some((pattern, constants))
    }

    /// Adds a literal of a clause in the first mode that fits; whether there is one.
    fn take(
        &mut self,
        language: &Language,
        literal: &Literal,
        numbers: &mut [Option<u32>],
        constants: &mut Vec<Term>,
    ) -> bool {
        let fits = |mode: usize, strictly: bool| {
            let access = language.access(mode);
            let args = &language.modes[mode].args;
            let as_declared = |(term, (direction, _)): (&Term, &(Direction, Kind))| match direction
            {
                Direction::In => true,
                Direction::Out => matches!(term, Term::Var(_)),
                Direction::Constant => term.is_ground(),
            };
            let known = |place: &usize| match &literal.atom.args[*place] {
                Term::Var(var) => {
                    numbers[var.index()].is_some_and(|number| self.vars[number as usize].is_known)
                }
                term => term.is_ground(),
            };
            let simple = |term: &Term| matches!(term, Term::Var(_)) || term.is_ground();
            access.predicate == literal.atom.predicate()
                && access.inputs.iter().all(known)
                && literal.atom.args.iter().all(simple)
                && (!strictly || literal.atom.args.iter().zip(args).all(as_declared))
        };
        // A mode that declares the literal's constants goes before others.
        let find = |strictly| (0..language.modes.len()).find(|&mode| fits(mode, strictly));
        let mode = literal
            .positive
            .then(|| find(true).or_else(|| find(false)))
            .flatten();
        let Some(mode) = mode else { return false };
        let mut next = self.vars.len();
        let mut args = Vec::with_capacity(literal.atom.args.len());
        for term in literal.atom.args.iter() {
            args.push(match term {
                Term::Var(var) => {
                    let own = &mut numbers[var.index()];
                    Arg::Var(*own.get_or_insert_with(|| {
                        next += 1;
                        number(next - 1)
                    }))
                }
                term => match constant(constants, term) {
                    Some(arg) => arg,
                    None => return false,
                },
            });
        }
        self.push(language, Lit::positive(number(mode), args));
        true
    }
}

/// The place of a constant in a list.
fn constant(constants: &mut Vec<Term>, term: &Term) -> Option<Arg> {
    if !term.is_ground() {
        return None;
    }
    let known = constants.iter().position(|own| own == term);
    let place = known.unwrap_or_else(|| {
        constants.push(term.clone());
        constants.len() - 1
    });
    Some(Arg::Const(number(place)))
}
