use rustc_hash::FxHashMap;

use super::builtin::Builtin;
use super::cell::{Cell, STATIC};
use super::code::{Arg, Code, Goal, Rule, Span, Target};
use super::error::ProverError;
use crate::term::{Atom, Clause, Constant, Literal, Predicate, Symbol, Term, Var};

/// Names of control constructs that are not reserved symbols.
#[derive(Clone, Copy, Debug)]
pub(super) struct ControlNames {
    pub(super) call: Symbol,
    pub(super) findall: Symbol,
    pub(super) forall: Symbol,
    pub(super) fail: Symbol,
    pub(super) false_: Symbol,
}

/// Finds what a predicate of a body goal refers to.
pub(super) trait Resolve {
    fn target(&mut self, predicate: Predicate) -> Target;
    fn builtin(&self, predicate: Predicate) -> Option<Builtin>;
    fn names(&self) -> ControlNames;
    /// Stores a ground compound term once; `None` where that is not possible.
    fn ground(&mut self, term: &Term) -> Option<u32>;
}

/// Translates clauses into [`Code`].
pub(super) struct Compiler<'a, R> {
    pub(super) code: &'a mut Code,
    /// Added to every index: [`super::code::DYNAMIC`] for the code of a query.
    pub(super) base: u32,
    pub(super) resolve: &'a mut R,
    vars: FxHashMap<Var, u32>,
}

impl<'a, R: Resolve> Compiler<'a, R> {
    pub(super) fn new(code: &'a mut Code, base: u32, resolve: &'a mut R) -> Self {
        Self {
            code,
            base,
            resolve,
            vars: FxHashMap::default(),
        }
    }

    pub(super) fn clause(&mut self, clause: &Clause) -> Result<Rule, ProverError> {
        self.vars.clear();
        let head = self.args(&clause.head.args);
        let body = self.body(&clause.body)?;
        Ok(Rule {
            head,
            body,
            n_vars: self.n_vars(),
        })
    }

    /// Goals of a query; the clause's variables keep their numbers as places.
    pub(super) fn query(
        &mut self,
        goals: &[Literal],
        n_vars: u32,
    ) -> Result<(Span, u32), ProverError> {
        self.vars = (0..n_vars).map(|v| (Var(v), v)).collect();
        let body = self.body(goals)?;
        Ok((body, self.n_vars()))
    }

    fn n_vars(&self) -> u32 {
        u32::try_from(self.vars.len()).expect("fewer than 2^32 variables")
    }

    fn args(&mut self, terms: &[Term]) -> Span {
        let args: Vec<Arg> = terms.iter().map(|term| self.arg(term)).collect();
        let start = self.base + u32::try_from(self.code.args.len()).expect("code fits");
        self.code.args.extend(args);
        Span {
            start,
            len: u32::try_from(terms.len()).expect("arity fits"),
        }
    }

    fn arg(&mut self, term: &Term) -> Arg {
        match term {
            Term::Var(var) => {
                let next = self.n_vars();
                Arg::Var(*self.vars.entry(*var).or_insert(next))
            }
            Term::Const(constant) => Arg::Const(*constant),
            Term::Compound(name, args) => {
                if term.is_ground()
                    && let Some(address) = self.resolve.ground(term)
                {
                    return Arg::Static(address);
                }
                Arg::Struct(*name, self.args(args))
            }
        }
    }

    fn body(&mut self, literals: &[Literal]) -> Result<Span, ProverError> {
        let mut goals = Vec::with_capacity(literals.len());
        for literal in literals {
            if literal.positive {
                self.goal(&literal.atom.to_term(), &mut goals)?;
            } else {
                let block = self.block(&literal.atom.to_term())?;
                goals.push(Goal::Not(block));
            }
        }
        Ok(self.push(goals))
    }

    fn push(&mut self, goals: Vec<Goal>) -> Span {
        let start = self.base + u32::try_from(self.code.goals.len()).expect("code fits");
        let len = u32::try_from(goals.len()).expect("code fits");
        self.code.goals.extend(goals);
        Span { start, len }
    }

    fn block(&mut self, term: &Term) -> Result<Span, ProverError> {
        let mut goals = Vec::new();
        self.goal(term, &mut goals)?;
        Ok(self.push(goals))
    }

    /// The block of a condition: it forgets its own choices once it has succeeded.
    fn condition(&mut self, term: &Term) -> Result<Span, ProverError> {
        let mut goals = Vec::new();
        self.goal(term, &mut goals)?;
        goals.push(Goal::Cut);
        Ok(self.push(goals))
    }

    fn goal(&mut self, term: &Term, goals: &mut Vec<Goal>) -> Result<(), ProverError> {
        let names = self.resolve.names();
        let goal = match term {
            Term::Var(_) => Goal::CallTerm(self.args(std::slice::from_ref(term))),
            Term::Const(Constant::Symbol(Symbol::CUT)) => Goal::Cut,
            Term::Const(Constant::Symbol(name)) if *name == names.fail || *name == names.false_ => {
                Goal::Fail
            }
            Term::Const(Constant::Symbol(_)) => self.call(term)?,
            Term::Const(_) => return Err(ProverError::NotCallable),
            Term::Compound(name, args) => match (*name, &args[..]) {
                (Symbol::COMMA, [a, b]) => {
                    self.goal(a, goals)?;
                    return self.goal(b, goals);
                }
                (Symbol::OR, [Term::Compound(Symbol::THEN, inner), otherwise])
                    if inner.len() == 2 =>
                {
                    Goal::IfThenElse(
                        self.condition(&inner[0])?,
                        self.block(&inner[1])?,
                        self.block(otherwise)?,
                    )
                }
                (Symbol::OR, [a, b]) => Goal::Or(self.block(a)?, self.block(b)?),
                (Symbol::THEN, [condition, then]) => {
                    let fail = self.push(vec![Goal::Fail]);
                    Goal::IfThenElse(self.condition(condition)?, self.block(then)?, fail)
                }
                (Symbol::NOT | Symbol::NOT_WORD, [inner]) => Goal::Not(self.block(inner)?),
                (call, [..]) if call == names.call => Goal::CallTerm(self.args(args)),
                (forall, [condition, action]) if forall == names.forall => {
                    let mut inner = Vec::new();
                    self.goal(condition, &mut inner)?;
                    let action = self.block(action)?;
                    inner.push(Goal::Not(action));
                    Goal::Not(self.push(inner))
                }
                (findall, [template, inner, result]) if findall == names.findall => {
                    let mut block = Vec::new();
                    self.goal(inner, &mut block)?;
                    block.push(Goal::Collect(self.args(std::slice::from_ref(template))));
                    Goal::Findall {
                        block: self.push(block),
                        result: self.args(std::slice::from_ref(result)),
                    }
                }
                _ => self.call(term)?,
            },
        };
        goals.push(goal);
        Ok(())
    }

    fn call(&mut self, term: &Term) -> Result<Goal, ProverError> {
        let atom = Atom::from_term(term).ok_or(ProverError::NotCallable)?;
        let predicate = atom.predicate();
        let args = self.args(&atom.args);
        Ok(match self.resolve.builtin(predicate) {
            Some(builtin) => Goal::Builtin(builtin, args),
            None => Goal::Call(self.resolve.target(predicate), args),
        })
    }
}

/// Appends a ground term to the database's ground terms.
pub(super) fn store_ground(term: &Term, statics: &mut Vec<Cell>) -> Cell {
    match term {
        Term::Const(constant) => Cell::Const(*constant),
        // Ground terms hold no variables.
        Term::Var(_) => Cell::Const(Constant::Symbol(Symbol::NIL)),
        Term::Compound(name, args) => {
            let parts: Vec<Cell> = args.iter().map(|arg| store_ground(arg, statics)).collect();
            let start = u32::try_from(statics.len()).expect("fewer than 2^31 cells");
            statics.push(Cell::Functor(
                *name,
                u32::try_from(args.len()).expect("arity fits"),
            ));
            statics.extend(parts);
            Cell::Struct(start | STATIC)
        }
    }
}
