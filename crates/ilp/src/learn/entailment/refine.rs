//! Longer clauses: a literal or a macro more, as the bottom clause of an example has it.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::Bounds;
use super::examples::Known;
use super::matching::{Matcher, Plan};
use super::pattern::{Arg, Lit, Pattern, Variable, small};
use crate::mode::Direction;
use crate::prover::ProverError;
use crate::term::Term;

/// Ways to find a clause in a bottom clause that are looked at for literals to add.
const MAX_EMBEDDINGS: usize = 2_000;

/// The constants that clauses of a search name.
pub(in crate::learn) type Constants = IndexSet<Term, FxBuildHasher>;

/// The clauses with one literal more that are part of the bottom clause of an example.
pub(in crate::learn) fn literals(
    matcher: &mut Matcher<'_>,
    known: &mut Known,
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
                    .map(|&var| pattern.vars[usize::from(var)].depth)
                    .max();
                let may_name = deepest.unwrap_or(0) < bounds.max_depth;
                for values in &ways {
                    let inputs: Vec<u32> =
                        chosen.iter().map(|&var| values[usize::from(var)]).collect();
                    let answers =
                        matcher.call(&mut known.memo, language.modes[mode].access, &inputs)?;
                    let n_outputs = access.outputs.len();
                    for answer in answers
                        .step_by(n_outputs.max(1))
                        .take(language.modes[mode].recall)
                    {
                        let outputs: Vec<u32> = (0..n_outputs)
                            .map(|at| known.memo.output(answer + at))
                            .collect();
                        let mut number = |value: u32| {
                            small(constants.insert_full(known.memo.term(value).clone()).0)
                        };
                        let literal = Literals {
                            mode,
                            chosen,
                            outputs: &outputs,
                            values,
                            may_name,
                        };
                        literal.list(matcher, &pattern.vars, &mut number, &mut found);
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

/// What is done with a choice of inputs.
type Visit<'v, 'd> = dyn FnMut(&mut Matcher<'d>, &[u16]) -> Result<(), ProverError> + 'v;

/// Every choice of variables for the inputs of a mode.
fn all_inputs<'d>(
    matcher: &mut Matcher<'d>,
    mode: usize,
    vars: &[Variable],
    chosen: &mut Vec<u16>,
    visit: &mut Visit<'_, 'd>,
) -> Result<(), ProverError> {
    let language = matcher.language;
    let Some(&place) = language.access(mode).inputs.get(chosen.len()) else {
        return visit(matcher, chosen);
    };
    let (_, kind) = language.modes[mode].args[place];
    for (var, variable) in vars.iter().enumerate() {
        if variable.kind == kind && variable.is_known {
            chosen.push(small(var));
            all_inputs(matcher, mode, vars, chosen, visit)?;
            chosen.pop();
        }
    }
    Ok(())
}

/// An answer, seen from a clause whose variables have these values.
struct Literals<'a> {
    mode: usize,
    chosen: &'a [u16],
    outputs: &'a [u32],
    values: &'a [u32],
    /// Whether there may be new variables.
    may_name: bool,
}

impl Literals<'_> {
    /// The literals that say it: outputs are the variables that have their values, or new ones.
    fn list(
        &self,
        matcher: &Matcher<'_>,
        vars: &[Variable],
        number: &mut dyn FnMut(u32) -> u16,
        found: &mut IndexSet<Lit, FxBuildHasher>,
    ) {
        let access = matcher.language.access(self.mode);
        let args = &matcher.language.modes[self.mode].args;
        let mut lits = vec![vec![Arg::Var(0); args.len()]];
        for (&place, &var) in access.inputs.iter().zip(self.chosen) {
            lits[0][place] = Arg::Var(var);
        }
        let mut fresh: Vec<(u16, u32)> = Vec::new();
        for (&place, &value) in access.outputs.iter().zip(self.outputs) {
            let (direction, kind) = args[place];
            let mut choices = Vec::new();
            if direction == Direction::Constant {
                choices.push(Arg::Const(number(value)));
            } else {
                let is_it = |var: &usize| vars[*var].kind == kind && self.values[*var] == value;
                let those = (0..vars.len()).filter(is_it);
                choices.extend(those.map(|var| Arg::Var(small(var))));
                if choices.is_empty() {
                    if !self.may_name {
                        return;
                    }
                    let known = fresh.iter().position(|own| *own == (kind, value));
                    let at = known.unwrap_or(fresh.len());
                    if known.is_none() {
                        fresh.push((kind, value));
                    }
                    choices.push(Arg::Var(small(vars.len() + at)));
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
        found.extend(lits.into_iter().map(|args| Lit {
            mode: small(self.mode),
            args: args.into(),
        }));
    }
}

/// The ways to put two clauses with the same head together: literals of the second are found among
/// those of the first or added, and its variables follow.
pub(in crate::learn) fn merges(
    matcher: &Matcher<'_>,
    first: &Pattern,
    second: &Pattern,
    max_literals: usize,
) -> Vec<Pattern> {
    let n_head = first.n_head_vars();
    let mut names: Vec<Option<u16>> = vec![None; second.vars.len()];
    for (var, name) in names.iter_mut().take(n_head).enumerate() {
        *name = Some(small(var));
    }
    let mut merging = Merging {
        matcher,
        first,
        second,
        max_literals,
        found: Vec::new(),
    };
    merging.next(0, &first.clone(), &names);
    merging.found
}

struct Merging<'a, 'd> {
    matcher: &'a Matcher<'d>,
    first: &'a Pattern,
    second: &'a Pattern,
    max_literals: usize,
    found: Vec<Pattern>,
}

impl Merging<'_, '_> {
    fn next(&mut self, at: usize, merged: &Pattern, names: &[Option<u16>]) {
        let Some(lit) = self.second.lits.get(at) else {
            if merged.lits.len() > self.first.lits.len() {
                self.found.push(merged.clone());
            }
            return;
        };
        for own in &self.first.lits {
            if let Some(more) = unified(lit, own, names) {
                self.next(at + 1, merged, &more);
            }
        }
        if merged.lits.len() == self.max_literals {
            return;
        }
        let mut more = names.to_vec();
        let mut n_vars = merged.vars.len();
        let args = lit.args.iter().map(|arg| match *arg {
            Arg::Var(var) => {
                let name = &mut more[usize::from(var)];
                Arg::Var(*name.get_or_insert_with(|| {
                    n_vars += 1;
                    small(n_vars - 1)
                }))
            }
            constant @ Arg::Const(_) => constant,
        });
        let added = Lit {
            mode: lit.mode,
            args: args.collect(),
        };
        if !merged.lits.contains(&added) {
            let mut longer = merged.clone();
            longer.push(self.matcher.language, added);
            self.next(at + 1, &longer, &more);
        }
    }
}

/// The names of variables with which a literal is another; different variables stay different.
fn unified(lit: &Lit, other: &Lit, names: &[Option<u16>]) -> Option<Vec<Option<u16>>> {
    if lit.mode != other.mode {
        return None;
    }
    let mut names = names.to_vec();
    for (own, wanted) in lit.args.iter().zip(&other.args) {
        match (*own, *wanted) {
            (Arg::Var(own), Arg::Var(wanted)) => {
                let known = names[usize::from(own)];
                if known.is_none() && !names.contains(&Some(wanted)) {
                    names[usize::from(own)] = Some(wanted);
                } else if known != Some(wanted) {
                    return None;
                }
            }
            (own, wanted) if own == wanted => {}
            _ => return None,
        }
    }
    Some(names)
}

/// Whether a clause is part of the bottom clause of an example, but for the names of variables.
pub(in crate::learn) fn is_part(
    matcher: &mut Matcher<'_>,
    known: &mut Known,
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
