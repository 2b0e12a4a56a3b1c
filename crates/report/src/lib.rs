//! Recorded experiments as a folder of static pages.
//!
//! Everything shown is [`WorkspaceRecord`](kibitz_lab::record::WorkspaceRecord), the public data of the runner; the
//! same results give the same bytes. Programs that know a game add pictures through [`Pictures`].
//!
//! | module | what it shows |
//! | --- | --- |
//! | `site` | which pages there are |
//! | `context` | what all pages read, and the addresses of tables and values |
//! | `page`, `outcomes`, `number`, `rounding` | what all pages have: frame, marks and bars, numbers |
//! | `front`, `paper`, `table`, `dataset`, `code`, `rule` | one kind of page each |
//! | `scatter`, `dots`, `picture` | published against reproduced values; recorded plots on a page |
//! | `text` | Markdown and paragraphs, with links to what they name |
//! | `command` | the subcommand |

mod code;
mod command;
mod comparison;
mod context;
mod dataset;
mod dots;
mod front;
mod number;
mod origin;
mod outcomes;
mod page;
mod paper;
mod picture;
mod rounding;
mod rule;
mod scatter;
mod site;
mod table;
mod text;

pub use command::Arguments;
pub use comparison::comparison;
pub use site::{Site, site};

use kibitz_lab::record::RecordedTable;
use maud::Markup;

/// A drawing that belongs to a table.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Its heading.
    pub title: String,
    /// The drawing: inline SVG, or a list of class `strip` of several.
    pub body: Markup,
    /// One or two sentences on what the drawing shows.
    pub caption: Markup,
}

/// Draws the subject of a table.
pub trait Pictures {
    /// The pictures of a table, from its values or from embedded data.
    ///
    /// # Errors
    /// Why one could not be drawn; the report says so and goes on.
    fn of(&self, table: &RecordedTable) -> Result<Vec<Picture>, String>;
}

/// A page that is not the report's own.
#[derive(Clone, Debug)]
pub struct OtherPage {
    /// Its file in the folder of the report.
    pub path: String,
    /// What it is called.
    pub title: String,
    /// What it is for, in a sentence.
    pub about: String,
}

/// Draws nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPictures;

impl Pictures for NoPictures {
    fn of(&self, _: &RecordedTable) -> Result<Vec<Picture>, String> {
        Ok(Vec::new())
    }
}

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;
