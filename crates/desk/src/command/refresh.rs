//! `refresh`: everything that derives from committed values: comparisons, tables, index, and the
//! numbers and tables in documents. Either all of it is written, or nothing.

use std::fmt::Write as _;

use crate::Answer;
use crate::Desk;
use crate::derived::{DerivedFiles, JudgedTables, changes_of, left_as_is};
use crate::records::{edited_tables, log_as_indexed};
use kibitz_lab::history::Tolerances;
use kibitz_lab::session::{Session, left_out};
use kibitz_text::Exit;
use kibitz_text::{Diagnostics, counted};

/// The options of `refresh`.
#[derive(Clone, Debug, Default)]
pub struct RefreshOptions {
    /// Write nothing, and list what is stale.
    pub check: bool,
    /// Write numbers in documents even if they change by more than their rounding.
    pub accept: bool,
    /// Why outcomes, published values or tolerances change, for the log of outcomes.
    pub why: Option<String>,
}

impl Desk {
    /// Rewrites the files that derive from the committed values, without running anything.
    ///
    /// Every number and outcome that changes in a document is listed with its sentence. If one changes by
    /// more than a unit of its last digit and that is not accepted, or if recorded values were edited,
    /// nothing is written, and the exit code is 1.
    pub fn refresh(&self, options: &RefreshOptions) -> Answer {
        self.try_refresh(options).unwrap_or_else(|answer| answer)
    }

    fn try_refresh(&self, options: &RefreshOptions) -> Result<Answer, Answer> {
        let session = Session::open(&self.lab)?;
        let edited = edited_tables(&session, |_| true);
        if !edited.is_empty() {
            return Ok(closing(&session, RefreshReport::refused(edited)));
        }
        let tables = JudgedTables::recorded(&session)?;
        let log = changes_of(&session, &tables);
        if !options.check {
            log.ask_why(options.why.as_deref())?;
        }
        let why = options.why.as_deref();
        let (text, told) = (log.text(&session, why)?, log.told());
        let of_history = Tolerances::of_history(&self.lab.root, &session.catalog);
        let derived = DerivedFiles::new(&session, &self.drawings, tables, text, of_history, true)?;
        let mut refreshed = RefreshReport::default();
        if options.check {
            refreshed.problems = stale(&session, &derived);
        } else if !options.accept && derived.files.iter().any(|file| file.pending().count() > 0) {
            refreshed = RefreshReport::refused(stale(&session, &derived));
        } else {
            refreshed.changes = told.collect();
            let files = derived.files.iter().filter(|file| !file.stale.is_empty());
            let told = files.flat_map(|file| file.told(|_| true));
            refreshed.changes.extend(told);
            refreshed.written = derived.write(&session)?;
            let problems = derived.files.iter().map(|file| file.problems.clone());
            problems.for_each(|own| refreshed.problems.append(own));
        }
        Ok(closing(&session, refreshed))
    }
}

/// The changes, files and problems of a refresh.
#[derive(Default)]
struct RefreshReport {
    /// Numbers and words that changed, each in a line.
    changes: Vec<String>,
    /// Files that were written.
    written: Vec<String>,
    problems: Diagnostics,
    /// Whether the problems kept everything from being written.
    is_refused: bool,
}

impl RefreshReport {
    fn refused(problems: Diagnostics) -> Self {
        Self {
            problems,
            is_refused: true,
            ..Self::default()
        }
    }
}

/// Everything that is not as it should be.
fn stale(session: &Session<'_>, derived: &DerivedFiles<'_>) -> Diagnostics {
    let mut problems = derived.stale_tables(session);
    problems.extend(log_as_indexed(session));
    for file in &derived.files {
        if file.command == "refresh" {
            problems.append(file.stale.clone());
        }
        problems.append(file.problems.clone());
    }
    problems
}

/// The answer: changes, files and problems, and experiments that are left out.
fn closing(session: &Session<'_>, refreshed: RefreshReport) -> Answer {
    let RefreshReport {
        changes,
        written,
        problems,
        is_refused,
    } = refreshed;
    let mut out = String::new();
    for change in &changes {
        let _ = writeln!(out, "{change}");
    }
    for file in &written {
        let _ = writeln!(out, "wrote {file}");
    }
    if written.is_empty() && problems.is_empty() && session.catalog.broken.is_empty() {
        out.push_str("everything is up to date\n");
    }
    let mut answer = Answer::ok(out);
    let broken = session.catalog.problems_of(|_| true);
    if !broken.is_empty() {
        let n_broken = session.catalog.broken.len();
        answer.err.push_str(&left_out(&broken, n_broken));
        answer.exit = Exit::BadInput;
    }
    let strays = session.catalog.strays.iter().cloned();
    for warning in strays.chain(left_as_is(session)) {
        let _ = writeln!(answer.err, "{warning}");
    }
    if !problems.is_empty() {
        let n = counted(problems.len(), "problem", "problems");
        let end = if is_refused {
            "; nothing was written"
        } else {
            ""
        };
        let _ = writeln!(answer.err, "{problems}\n{n}{end}");
        answer.exit = answer.exit.max(Exit::Negative);
    }
    answer
}
