/// The variants of Prolog text that learners have used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Plain Prolog; `!-` is accepted for `:-`, as Golem writes it.
    Prolog,
    /// Progol: directives end in `?`.
    Progol,
    /// Popper's bias files, which follow answer set programming: `(a,)` is a tuple of one.
    Popper,
}
