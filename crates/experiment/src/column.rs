//! Columns a kind can fill.

use std::borrow::Cow;

/// A column a kind can fill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name in `[columns]` and `[published]`, kebab-case.
    pub name: Cow<'static, str>,
    /// Unit unless the file gives another one for display; empty when there is none.
    pub unit: Cow<'static, str>,
    /// The meaning of the value, in one line.
    pub doc: Cow<'static, str>,
    /// Whether the figures depend on the machine, as times do.
    ///
    /// Published values are shown; reproduced ones are [volatile](crate::VolatileValue) figures of the cell,
    /// which are not part of the table.
    pub volatile: bool,
    /// Whether the kind takes the figures from its own parameters, such as a number of rules that the
    /// file lists.
    ///
    /// A file that prints one names the cell among its `inputs`: it could not differ.
    pub is_input: bool,
}

impl Column {
    /// A column from its three texts.
    pub const fn new(name: &'static str, unit: &'static str, doc: &'static str) -> Self {
        Self {
            name: Cow::Borrowed(name),
            unit: Cow::Borrowed(unit),
            doc: Cow::Borrowed(doc),
            volatile: false,
            is_input: false,
        }
    }

    /// A column whose texts depend on the parameters.
    pub fn named(name: impl Into<String>, unit: &'static str, doc: impl Into<String>) -> Self {
        Self {
            name: Cow::Owned(name.into()),
            doc: Cow::Owned(doc.into()),
            ..Self::new("", unit, "")
        }
    }

    /// The same column for figures that depend on the machine.
    #[must_use]
    pub const fn volatile(mut self) -> Self {
        self.volatile = true;
        self
    }

    /// The same column for figures that the experiment itself puts in.
    #[must_use]
    pub const fn input(mut self) -> Self {
        self.is_input = true;
        self
    }
}
