//! The parameters of learning from failures.

use kibitz_prolog::Limits;

/// Generate and test with learning from failures: the smallest theory first, recursive ones included.
///
/// Outputs of the head get their values in the body, where recursion is allowed every argument occurs
/// there, and every literal is joined to the head. The limits of
/// the bias stand for the learner's own.
///
/// # Examples
/// ```
/// use kibitz_ilp::learn::Lff;
/// use kibitz_ilp::{Source, Study, Task};
///
/// let source = |name, text| Source { name, text };
/// let mut task = Task::from_popper(
///     source("exs.pl", "pos(last([1,2],2)). pos(last([3],3)). pos(last([1,4,1,5],5)).
///                       neg(last([1,2],1)). neg(last([3,1,2],3)). neg(last([3,1,2],1))."),
///     source("bk.pl", "head([H|_],H). tail([_|T],T). empty([])."),
///     source(
///         "bias.pl",
///         "head_pred(last,2). body_pred(head,2). body_pred(tail,2). body_pred(empty,1).
///          type(last,(list,element)). type(head,(list,element)). type(tail,(list,list)).
///          type(empty,(list,)). direction(last,(in,out)). direction(head,(in,out)).
///          direction(tail,(in,out)). direction(empty,(in,)). enable_recursion.",
///     ),
/// )?;
/// let theory = task.learn(&Lff::default())?;
/// assert_eq!(
///     theory.text,
///     "last(A,B) :- head(A,B), tail(A,C), empty(C).\nlast(A,B) :- tail(A,C), last(C,B).\n"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
pub struct Lff {
    /// Most goals proved, with some for each clause.
    pub max_steps: u64,
    /// Most body literals of a clause.
    pub max_body: usize,
    /// Most variables of a clause, beside those of the head.
    pub max_new_vars: usize,
    /// Bounds on queries to the background.
    pub limits: Limits,
}

impl Default for Lff {
    fn default() -> Self {
        Self {
            max_steps: 50_000_000,
            max_body: 5,
            max_new_vars: 4,
            limits: Limits::default(),
        }
    }
}
