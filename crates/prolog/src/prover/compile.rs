use rustc_hash::FxHashMap;

use super::builtin::Builtin;
use super::cell::{Cell, STATIC};
use super::code::{Arg, Code, Goal, Rule, Span, Target};
use super::error::ProverError;
use super::heap::write_term;
use crate::term::{Atom, Clause, Constant, Literal, Predicate, Symbol, Term, Var};

/// Names of control constructs that are not reserved symbols.
#[derive(Clone, Copy, Debug)]
pub(super) struct ControlNames {
    pub(super) call: Symbol,
    pub(super) findall: Symbol,
    pub(super) forall: Symbol,
    pub(super) catch: Symbol,
    pub(super) fail: Symbol,
    pub(super) false_: Symbol,
}

/// Whether a predicate is a control construct.
pub(super) fn is_control(predicate: Predicate, names: ControlNames) -> bool {
    let Predicate { name, arity } = predicate;
    match arity {
        0 => name == Symbol::CUT || name == names.fail || name == names.false_,
        1 => matches!(name, Symbol::NOT | Symbol::NOT_WORD) || name == names.call,
        2 => {
            matches!(name, Symbol::COMMA | Symbol::OR | Symbol::THEN)
                || name == names.forall
                || name == names.call
        }
        3 => name == names.findall || name == names.catch,
        _ => false,
    }
}

/// Resolves the predicates of body goals.
pub(super) trait Resolve {
    fn target(&mut self, predicate: Predicate) -> Target;
    fn builtin(&self, predicate: Predicate) -> Option<Builtin>;
    fn names(&self) -> ControlNames;
    /// The goal of a native relation that a goal stands for.
    fn unwrapped(&self, goal: &Atom) -> Option<Atom>;
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
        self.rule(clause)
    }

    /// The same; variables keep their numbers as places.
    pub(super) fn numbered_clause(&mut self, clause: &Clause) -> Result<Rule, ProverError> {
        self.vars = (0..clause.var_bound()).map(|v| (Var(v), v)).collect();
        self.rule(clause)
    }

    fn rule(&mut self, clause: &Clause) -> Result<Rule, ProverError> {
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
        let span = self.reserve(terms.len());
        // Places to be filled, and how many cells of a list are known to hold variables.
        let mut open = Vec::new();
        places(&mut open, self.code.args.len(), terms, 0);
        while let Some((place, term, known)) = open.pop() {
            self.code.args[place] = match term {
                Term::Var(var) => {
                    let next = self.n_vars();
                    Arg::Var(*self.vars.entry(*var).or_insert(next))
                }
                Term::Const(constant) => Arg::Const(*constant),
                Term::Compound(name, args) => {
                    let open_cells = if known > 0 { known } else { open_cells(term) };
                    let stored = (open_cells == 0).then(|| self.resolve.ground(term));
                    if let Some(address) = stored.flatten() {
                        Arg::Static(address)
                    } else {
                        let inner = self.reserve(args.len());
                        let rest = open_cells.saturating_sub(1);
                        places(&mut open, self.code.args.len(), args, rest);
                        Arg::Struct(*name, inner)
                    }
                }
            };
        }
        span
    }

    /// Places for arguments at the end of the code.
    fn reserve(&mut self, n: usize) -> Span {
        let start = self.base + u32::try_from(self.code.args.len()).expect("code fits");
        let nothing = Arg::Const(Constant::Symbol(Symbol::NIL));
        self.code.args.resize(self.code.args.len() + n, nothing);
        Span {
            start,
            len: u32::try_from(n).expect("arity fits"),
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
                // A conjunction adds no block of its own: its goals join those around it, and a cut
                // reaches as far.
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
                // forall(C, A) is \+ (C, \+ A).
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
                (catch, [inner, catcher, recovery]) if catch == names.catch => {
                    let mut block = Vec::new();
                    self.goal(inner, &mut block)?;
                    block.push(Goal::EndCatch);
                    Goal::Catch {
                        block: self.push(block),
                        otherwise: self.args(&[catcher.clone(), recovery.clone()]),
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
        let atom = self.resolve.unwrapped(&atom).unwrap_or(atom);
        let predicate = atom.predicate();
        let args = self.args(&atom.args);
        Ok(match self.resolve.builtin(predicate) {
            Some(builtin) => Goal::Builtin(builtin, args),
            None => Goal::Call(self.resolve.target(predicate), args),
        })
    }
}

/// Notes the places before `end` for these terms, the first on top; `known` belongs to the last.
fn places<'t>(
    open: &mut Vec<(usize, &'t Term, usize)>,
    end: usize,
    terms: &'t [Term],
    mut known: usize,
) {
    for (place, term) in (end - terms.len()..end).zip(terms).rev() {
        open.push((place, term, std::mem::take(&mut known)));
    }
}

/// How many levels of a compound term, from one to its last argument, hold variables; 0 for a ground
/// term. Only lists have more than one: asked at each of their cells, it would take quadratic time.
fn open_cells(term: &Term) -> usize {
    let (mut cell, mut n, mut open) = (term, 0, 0);
    while let Term::Compound(Symbol::CONS, args) = cell
        && let [head, tail] = &args[..]
    {
        n += 1;
        if !head.is_ground() {
            open = n;
        }
        cell = tail;
    }
    if cell.is_ground() { open } else { n.max(1) }
}

/// Appends a ground term to the database's ground terms.
pub(super) fn store_ground(term: &Term, statics: &mut Vec<Cell>) -> Cell {
    // Ground terms hold no variables.
    let mut none = |_, _: &mut Vec<Cell>| Cell::Const(Constant::Symbol(Symbol::NIL));
    write_term(term, statics, STATIC, &mut none)
}
