//! The mistakes of one file.

use std::fmt;
use std::ops::Range;

use kibitz_text::{Diagnostics, SourceFile};

/// Collects the mistakes of a file.
#[derive(Debug)]
pub(super) struct Reporter<'s> {
    pub(super) source: &'s SourceFile,
    pub(super) found: Diagnostics,
}

impl<'s> Reporter<'s> {
    pub(super) fn new(source: &'s SourceFile) -> Self {
        Self {
            source,
            found: Diagnostics::new(),
        }
    }

    pub(super) fn report(
        &mut self,
        span: Range<usize>,
        message: impl fmt::Display,
        label: impl Into<String>,
    ) {
        let mistake = self.source.error_at(span, message.to_string());
        self.found.push(mistake.with_label(label));
    }

    pub(super) fn is_clean(&self) -> bool {
        self.found.is_empty()
    }

    pub(super) fn finish<T>(self, value: Option<T>) -> Result<T, Diagnostics> {
        match value {
            Some(value) if self.found.is_empty() => Ok(value),
            _ => Err(self.found.in_reading_order()),
        }
    }
}
