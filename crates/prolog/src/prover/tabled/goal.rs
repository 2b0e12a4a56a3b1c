use crate::term::{Literal, Var};

/// A goal of a [`TabledProver`](super::TabledProver).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TabledGoal(pub(super) usize);

/// The variables of a literal, each once, in the order in which they come first.
pub(super) fn variables(literal: &Literal) -> Vec<Var> {
    let mut vars = Vec::new();
    literal.atom.for_each_var(&mut |var| {
        if !vars.contains(&var) {
            vars.push(var);
        }
    });
    vars
}
