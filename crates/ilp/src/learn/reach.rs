use std::fmt;

use crate::task::Task;
use kibitz_text::counted;

/// Which clauses a learner looks at, by what the task or the learner itself bounds; `None` for no bound.
///
/// It is displayed with the options of the command line that raise the bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Most body literals of a clause.
    pub max_body: Option<usize>,
    /// Most variables of a clause.
    pub max_vars: Option<usize>,
    /// Most literals between a variable and the head.
    pub max_depth: Option<usize>,
    /// Fewest positive examples that a clause must cover.
    pub min_positives: Option<usize>,
    /// Most tuples of a table of bindings, where examples are so many that it may matter.
    pub max_tuples: Option<usize>,
    /// Most clauses that one search from an example looks at.
    pub max_clauses: Option<usize>,
    /// Whether a constant takes a literal of its own, `B = red`, and the variable in it.
    pub equates_constants: bool,
}

impl Reach {
    /// What the bias and the settings of a task say.
    pub fn of_bias(task: &Task) -> Self {
        Self {
            max_body: task.bias.max_body,
            max_vars: task.bias.max_vars,
            max_depth: None,
            min_positives: task.search.min_positives,
            max_tuples: None,
            max_clauses: None,
            equates_constants: false,
        }
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_at_most = [
            (self.max_body, ["literal", "literals"], "--max-body"),
            (self.max_vars, ["variable", "variables"], "--max-vars"),
        ];
        let of_at_most = of_at_most
            .into_iter()
            .filter_map(|(bound, [one, many], option)| {
                Some(format!("at most {} ({option})", counted(bound?, one, many)))
            });
        let depth = self.max_depth.map(|n| {
            format!(
                "variables at most {} from the head (--max-depth)",
                counted(n, "literal", "literals")
            )
        });
        let positives = self.min_positives.filter(|n| *n > 1).map(|n| {
            format!(
                "at least {} covered (--min-positives)",
                counted(n, "positive example", "positive examples")
            )
        });
        let tuples = self.max_tuples.map(|n| {
            format!(
                "literals with at most {} in all",
                counted(n, "answer", "answers")
            )
        });
        let clauses = self
            .max_clauses
            .map(|n| format!("at most {} for an example", counted(n, "clause", "clauses")));
        let parts: Vec<String> = of_at_most
            .chain(depth)
            .chain(positives)
            .chain(tuples)
            .chain(clauses)
            .collect();
        f.write_str(&parts.join(", "))
    }
}
