//! Refinement: clauses with one literal or macro more of an example's bottom clause.

use indexmap::IndexSet;
use kibitz_prolog::{Direction, ProverError, Term};
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::Bounds;
use super::example::ExampleMemo;
use crate::encoded::{Language, number};
use crate::eval::{Arg, Constants, Lit, Pattern, PatternMatcher, Plan, Variable};

/// Ways to find a clause in a bottom clause that are looked at for literals to add.
const MAX_EMBEDDINGS: usize = 2_000;

/// The clauses with one literal more that are part of the bottom clause of an example.
pub(in crate::learn) fn literals(
    matcher: &mut PatternMatcher<'_>,
    known: &mut ExampleMemo,
    bounds: &Bounds,
    pattern: &Pattern,
    constants: &mut Constants,
) -> Result<Vec<Pattern>, ProverError> {
    let language = matcher.language;
    let terms: Vec<Term> = constants.iter().cloned().collect();
    let plan = Plan::new(language, pattern, &terms);
    let mut ways: Vec<Vec<u32>> = Vec::new();
    matcher.embeddings(&plan, &mut known.memo, &known.args, &mut |values| {
        ways.push(values.to_vec());
        ways.len() < MAX_EMBEDDINGS
    })?;
    let mut found: IndexSet<Lit, FxBuildHasher> = IndexSet::default();
    // Descriptions of earlier outputs: equal ones make the same literals.
    let mut listed: FxHashSet<Box<[u32]>> = FxHashSet::default();
    let mut like: Vec<u32> = Vec::new();
    let mut inputs: Vec<u32> = Vec::new();
    let mut outputs: Vec<u32> = Vec::new();
    for mode in 0..language.modes.len() {
        let mut chosen = Vec::new();
        all_inputs(
            matcher,
            mode,
            &pattern.vars,
            &mut chosen,
            &mut |matcher, chosen| {
                let access = language.access(mode);
                let deepest = chosen
                    .iter()
                    .map(|&var| pattern.vars[var as usize].depth)
                    .max();
                let may_name = deepest.unwrap_or(0) < bounds.max_depth;
                listed.clear();
                for values in &ways {
                    inputs.clear();
                    inputs.extend(chosen.iter().map(|&var| values[var as usize]));
                    let answers =
                        matcher.call(&mut known.memo, language.modes[mode].access, &inputs)?;
                    let n_outputs = access.outputs.len();
                    for answer in answers
                        .step_by(n_outputs.max(1))
                        .take(language.modes[mode].recall)
                    {
                        outputs.clear();
                        outputs.extend((0..n_outputs).map(|at| known.memo.output(answer + at)));
                        let mut place_of = |value: u32| {
                            number(constants.insert_full(known.memo.term(value).clone()).0)
                        };
                        let literal = Literals {
                            mode,
                            chosen,
                            outputs: &outputs,
                            values,
                            may_name,
                        };
                        literal.describe(matcher, &pattern.vars, &mut like);
                        if listed.contains(&*like) {
                            continue;
                        }
                        listed.insert(like.as_slice().into());
                        literal.list(matcher, &pattern.vars, &mut place_of, &mut found);
                    }
                }
                Ok(())
            },
        )?;
    }
    found.retain(|lit| !pattern.lits.contains(lit));
    Ok(found
        .into_iter()
        .map(|lit| {
            let mut longer = pattern.clone();
            longer.push(language, lit);
            longer
        })
        .collect())
}

/// A visitor of choices of inputs.
type Visit<'v, 'd> = dyn FnMut(&mut PatternMatcher<'d>, &[u32]) -> Result<(), ProverError> + 'v;

/// Every choice of variables for the inputs of a mode.
fn all_inputs<'d>(
    matcher: &mut PatternMatcher<'d>,
    mode: usize,
    vars: &[Variable],
    chosen: &mut Vec<u32>,
    visit: &mut Visit<'_, 'd>,
) -> Result<(), ProverError> {
    let language = matcher.language;
    let Some(&place) = language.access(mode).inputs.get(chosen.len()) else {
        return visit(matcher, chosen);
    };
    let (_, kind) = language.modes[mode].args[place];
    for (var, variable) in vars.iter().enumerate() {
        if variable.kind == kind && variable.is_known {
            chosen.push(number(var));
            all_inputs(matcher, mode, vars, chosen, visit)?;
            chosen.pop();
        }
    }
    Ok(())
}

/// An answer, seen from a clause whose variables have these values.
struct Literals<'a> {
    mode: usize,
    chosen: &'a [u32],
    outputs: &'a [u32],
    values: &'a [u32],
    /// Whether there may be new variables.
    may_name: bool,
}

impl Literals<'_> {
    /// Describes the outputs: those that are described in the same way make the same literals.
    fn describe(&self, matcher: &PatternMatcher<'_>, vars: &[Variable], like: &mut Vec<u32>) {
        let access = matcher.language.access(self.mode);
        let args = &matcher.language.modes[self.mode].args;
        like.clear();
        for (at, (&place, value)) in access.outputs.iter().zip(self.outputs).enumerate() {
            let (direction, kind) = args[place];
            if direction == Direction::Constant {
                like.push(*value);
                continue;
            }
            // The variables with this value, an end, and the first output with it.
            let own = vars.iter().zip(self.values).enumerate();
            let same = own.filter(|(_, (var, own))| var.kind == kind && *own == value);
            like.extend(same.map(|(var, _)| number(var)));
            let mut before = access.outputs.iter().zip(&self.outputs[..at]);
            let first = before.position(|(&other, own)| args[other] == args[place] && own == value);
            like.extend([u32::MAX, number(first.unwrap_or(at))]);
        }
    }

    /// The literals that say it: outputs are the variables that have their values, or new ones.
    fn list(
        &self,
        matcher: &PatternMatcher<'_>,
        vars: &[Variable],
        place_of: &mut dyn FnMut(u32) -> u32,
        found: &mut IndexSet<Lit, FxBuildHasher>,
    ) {
        let access = matcher.language.access(self.mode);
        let args = &matcher.language.modes[self.mode].args;
        let mut lits = vec![vec![Arg::Var(0); args.len()]];
        for (&place, &var) in access.inputs.iter().zip(self.chosen) {
            lits[0][place] = Arg::Var(var);
        }
        let mut fresh: Vec<(u32, u32)> = Vec::new();
        for (&place, &value) in access.outputs.iter().zip(self.outputs) {
            let (direction, kind) = args[place];
            let mut choices = Vec::new();
            if direction == Direction::Constant {
                choices.push(Arg::Const(place_of(value)));
            } else {
                let is_it = |var: &usize| vars[*var].kind == kind && self.values[*var] == value;
                let those = (0..vars.len()).filter(is_it);
                choices.extend(those.map(|var| Arg::Var(number(var))));
                if choices.is_empty() {
                    if !self.may_name {
                        return;
                    }
                    let known = fresh.iter().position(|own| *own == (kind, value));
                    let at = known.unwrap_or(fresh.len());
                    if known.is_none() {
                        fresh.push((kind, value));
                    }
                    choices.push(Arg::Var(number(vars.len() + at)));
                }
            }
            lits = (lits.iter())
                .flat_map(|lit| {
                    choices.iter().map(move |&choice| {
                        let mut lit = lit.clone();
                        lit[place] = choice;
                        lit
                    })
                })
                .collect();
        }
        let mode = number(self.mode);
        found.extend(lits.into_iter().map(|args| Lit::positive(mode, args)));
    }
}

/// The ways to put two clauses with the same head together: literals of the second are found among
/// those of the first or added, and its variables follow.
pub(in crate::learn) fn merges(
    matcher: &PatternMatcher<'_>,
    first: &Pattern,
    second: &Pattern,
    max_literals: usize,
) -> Vec<Pattern> {
    let n_head = first.n_head_vars();
    let mut names: Vec<Option<u32>> = vec![None; second.vars.len()];
    for (var, name) in names.iter_mut().take(n_head).enumerate() {
        *name = Some(number(var));
    }
    let mut merging = Merger {
        language: matcher.language,
        first,
        second,
        max_literals,
        names,
        named: Vec::new(),
        added: Vec::new(),
        n_vars: first.vars.len(),
        found: Vec::new(),
    };
    merging.next(0);
    merging.found
}

struct Merger<'a> {
    language: &'a Language,
    first: &'a Pattern,
    second: &'a Pattern,
    max_literals: usize,
    /// The names of the second clause's variables in the first, as far as they are chosen.
    names: Vec<Option<u32>>,
    /// Those that were chosen, in their order.
    named: Vec<usize>,
    /// The literals of the second that are not found in the first.
    added: Vec<Lit>,
    /// With those of the literals that were added.
    n_vars: usize,
    found: Vec<Pattern>,
}

impl Merger<'_> {
    fn next(&mut self, at: usize) {
        let first = self.first;
        let Some(lit) = self.second.lits.get(at) else {
            if !self.added.is_empty() {
                let mut merged = first.clone();
                for lit in &self.added {
                    merged.push(self.language, lit.clone());
                }
                self.found.push(merged);
            }
            return;
        };
        let n_named = self.named.len();
        for own in &first.lits {
            if self.unify(lit, own) {
                self.next(at + 1);
            }
            self.forget(n_named);
        }
        if first.lits.len() + self.added.len() == self.max_literals {
            return;
        }
        let n_vars = self.n_vars;
        let added = lit.renamed(|var| {
            self.names[var as usize].unwrap_or_else(|| {
                self.n_vars += 1;
                self.name(var, number(self.n_vars - 1))
            })
        });
        if !first.lits.contains(&added) && !self.added.contains(&added) {
            self.added.push(added);
            self.next(at + 1);
            self.added.pop();
        }
        self.n_vars = n_vars;
        self.forget(n_named);
    }

    fn name(&mut self, var: u32, name: u32) -> u32 {
        self.names[var as usize] = Some(name);
        self.named.push(var as usize);
        name
    }

    /// Forgets the names of all variables but the first that got one.
    fn forget(&mut self, n_named: usize) {
        for var in self.named.drain(n_named..) {
            self.names[var] = None;
        }
    }

    /// Chooses names with which a literal is another, if there are; different variables stay
    /// different.
    fn unify(&mut self, lit: &Lit, other: &Lit) -> bool {
        lit.relation == other.relation
            && (lit.args.iter().zip(&*other.args)).all(|(own, wanted)| match (*own, *wanted) {
                (Arg::Var(own), Arg::Var(wanted)) => {
                    let known = self.names[own as usize];
                    let is_free = known.is_none() && !self.names.contains(&Some(wanted));
                    if is_free {
                        self.name(own, wanted);
                    }
                    is_free || known == Some(wanted)
                }
                (own, wanted) => own == wanted,
            })
    }
}

/// Whether a clause is part of the bottom clause of an example, but for the names of variables.
pub(in crate::learn) fn is_part(
    matcher: &mut PatternMatcher<'_>,
    known: &mut ExampleMemo,
    pattern: &Pattern,
    constants: &Constants,
) -> Result<bool, ProverError> {
    let terms: Vec<Term> = constants.iter().cloned().collect();
    let plan = Plan::new(matcher.language, pattern, &terms);
    let mut is_part = false;
    matcher.embeddings(&plan, &mut known.memo, &known.args, &mut |_| {
        is_part = true;
        false
    })?;
    Ok(is_part)
}
