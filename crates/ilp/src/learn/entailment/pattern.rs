//! Clauses made of modes, and when two are the same but for names.

use std::sync::Arc;

use super::language::{Kind, Language};
use crate::mode::Direction;
use crate::term::{Atom, Clause, Literal, Term};

/// An argument of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::learn) enum Arg {
    Var(u16),
    /// A place in a list of constants that goes with the pattern.
    Const(u16),
}

/// A body literal: a mode and its arguments by place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::learn) struct Lit {
    pub(in crate::learn) mode: u16,
    pub(in crate::learn) args: Arc<[Arg]>,
}

impl Lit {
    /// The same with other variables.
    pub(in crate::learn) fn renamed(&self, mut name: impl FnMut(u16) -> u16) -> Self {
        let args = self.args.iter().map(|arg| match *arg {
            Arg::Var(var) => Arg::Var(name(var)),
            constant @ Arg::Const(_) => constant,
        });
        Self {
            mode: self.mode,
            args: args.collect(),
        }
    }

    pub(in crate::learn) fn vars(&self) -> impl Iterator<Item = usize> + use<'_> {
        self.args.iter().filter_map(|arg| match arg {
            Arg::Var(var) => Some(usize::from(*var)),
            Arg::Const(_) => None,
        })
    }
}

/// What is known of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::learn) struct Variable {
    pub(in crate::learn) kind: Kind,
    /// Literals between it and the head.
    pub(in crate::learn) depth: u16,
    /// Whether literals may take it as an input: an output of the head must be provided first.
    pub(in crate::learn) is_known: bool,
}

/// A clause; its literals stand after those that provide their inputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::learn) struct Pattern {
    pub(in crate::learn) head: Vec<Arg>,
    pub(in crate::learn) lits: Vec<Lit>,
    pub(in crate::learn) vars: Vec<Variable>,
}

/// As an index of variables or constants.
pub(in crate::learn) fn small(index: usize) -> u16 {
    u16::try_from(index).expect("fewer than 2^16 variables and constants")
}

impl Pattern {
    /// The head alone, with these constants where it takes some.
    pub(in crate::learn) fn of_head(
        language: &Language,
        mut constant: impl FnMut(usize) -> u16,
    ) -> Self {
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
            Arg::Var(small(vars.len() - 1))
        });
        Self {
            head: head.collect(),
            lits: Vec::new(),
            vars,
        }
    }

    /// How many variables the head has; they come first.
    pub(in crate::learn) fn n_head_vars(&self) -> usize {
        let is_var = |arg: &&Arg| matches!(arg, Arg::Var(_));
        self.head.iter().filter(is_var).count()
    }

    /// Outputs of the head that no literal provides.
    pub(in crate::learn) fn n_missing(&self) -> usize {
        self.vars.iter().filter(|var| !var.is_known).count()
    }

    /// Adds a literal; arguments beyond the variables there are, in their order, are new ones.
    pub(in crate::learn) fn push(&mut self, language: &Language, lit: Lit) {
        let mode = &language.modes[usize::from(lit.mode)];
        let depth = self.depth_after(language, &lit);
        for (&arg, &(direction, kind)) in lit.args.iter().zip(&mode.args) {
            let Arg::Var(var) = arg else { continue };
            let var = usize::from(var);
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

    /// How far from the head what a literal provides would be.
    pub(in crate::learn) fn depth_after(&self, language: &Language, lit: &Lit) -> u16 {
        let access = language.access(usize::from(lit.mode));
        let inputs = access.inputs.iter().map(|&place| match lit.args[place] {
            Arg::Var(var) => self.vars[usize::from(var)].depth,
            Arg::Const(_) => 0,
        });
        1 + inputs.max().unwrap_or(0)
    }

    /// The same, with other numbers for the constants.
    pub(in crate::learn) fn with_constants(&self, numbers: &[u16]) -> Self {
        let arg = |arg: &Arg| match *arg {
            Arg::Const(constant) => Arg::Const(numbers[usize::from(constant)]),
            var @ Arg::Var(_) => var,
        };
        let lits = self.lits.iter().map(|lit| Lit {
            mode: lit.mode,
            args: lit.args.iter().map(arg).collect(),
        });
        Self {
            head: self.head.iter().map(arg).collect(),
            lits: lits.collect(),
            vars: self.vars.clone(),
        }
    }

    /// The clause with this name of the target.
    pub(in crate::learn) fn clause(&self, language: &Language, constants: &[Term]) -> Clause {
        let term = |arg: &Arg| match *arg {
            Arg::Var(var) => Term::var(var.into()),
            Arg::Const(constant) => constants[usize::from(constant)].clone(),
        };
        let head = Atom::new(language.target.name, self.head.iter().map(term));
        let body = self.lits.iter().map(|lit| {
            let name = language.access(usize::from(lit.mode)).predicate.name;
            Literal::positive(Atom::new(name, lit.args.iter().map(term)))
        });
        Clause::new(head, body.collect()).normalized()
    }

    /// What a clause is in these modes, with its constants; `None` if some literal has no mode in
    /// which its inputs are known.
    pub(in crate::learn) fn of_clause(
        language: &Language,
        clause: &Clause,
    ) -> Option<(Self, Vec<Term>)> {
        let mut constants: Vec<Term> = Vec::new();
        let mut numbers: Vec<Option<u16>> = vec![None; clause.var_bound() as usize];
        let (mut head, mut vars) = (Vec::new(), Vec::new());
        if clause.head.predicate() != language.target {
            return None;
        }
        for (term, &(direction, kind)) in clause.head.args.iter().zip(&language.head) {
            head.push(match term {
                Term::Var(var) => {
                    let number = numbers[var.index()].unwrap_or(small(vars.len()));
                    if usize::from(number) == vars.len() {
                        numbers[var.index()] = Some(number);
                        vars.push(Variable {
                            kind,
                            depth: 0,
                            is_known: direction == Direction::In,
                        });
                    }
                    Arg::Var(number)
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
        numbers: &mut [Option<u16>],
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
                Term::Var(var) => numbers[var.index()]
                    .is_some_and(|number| self.vars[usize::from(number)].is_known),
                term => term.is_ground(),
            };
            let simple = |term: &Term| matches!(term, Term::Var(_)) || term.is_ground();
            access.predicate == literal.atom.predicate()
                && access.inputs.iter().all(known)
                && literal.atom.args.iter().all(simple)
                && (!strictly || literal.atom.args.iter().zip(args).all(as_declared))
        };
        // A mode with constants where the literal has some is what is meant.
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
                    let number = &mut numbers[var.index()];
                    Arg::Var(*number.get_or_insert_with(|| {
                        next += 1;
                        small(next - 1)
                    }))
                }
                term => match constant(constants, term) {
                    Some(arg) => arg,
                    None => return false,
                },
            });
        }
        let lit = Lit {
            mode: small(mode),
            args: args.into(),
        };
        self.push(language, lit);
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
    Some(Arg::Const(small(place)))
}
