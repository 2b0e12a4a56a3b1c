//! Systems in TOML files: read, checked, with every problem in its place.

mod declared;
mod reader;
mod reporter;
mod simulated;
mod values;
mod vocabulary;
mod wire;

use kibitz_text::{Diagnostics, SourceFile, toml};
use serde::Deserialize as _;

use crate::model::Model;
use crate::options::Options;
use crate::partial::PartialState;
use crate::trajectory::LandmarkValues;

use declared::declared;
use reader::Reader;
use reporter::Reporter;
use vocabulary::Vocabulary;
use wire::{SequenceFile, SystemFile};

/// A model with the states it starts in, as a file declares them.
#[derive(Clone, Debug)]
pub struct System {
    /// Title of the system.
    pub title: String,
    /// Where the model comes from.
    pub source: String,
    /// Further notes.
    pub notes: String,
    /// Variables and constraints.
    pub model: Model,
    /// Initial states, perhaps partial.
    pub initial: Vec<PartialState>,
    /// How to simulate.
    pub options: Options,
    /// What landmarks are in numbers, as far as the file says.
    pub landmarks: LandmarkValues,
    /// Warnings, in reading order: variables that nothing ties to the rest of the model
    /// ([`Model::unconnected`]).
    pub warnings: Diagnostics,
}

impl System {
    /// Reads a system file; `file` is the name that messages show.
    ///
    /// # Errors
    /// All errors of the file that can be found in one pass.
    pub fn from_toml(file: &str, text: &str) -> Result<Self, Diagnostics> {
        let source = SourceFile::new(file, text);
        let mut reporter = Reporter::new(&source);
        let system = toml::parse(&source, &mut reporter.found).and_then(|root| {
            let declared = declared(&root);
            let read = |table: toml::Deserializer<'_>| SystemFile::deserialize(table);
            let wire = toml::Reader::default().read(&source, root, &read, &mut reporter.found)?;
            Reader::new(&mut reporter, declared).system(wire)
        });
        reporter.finish(system)
    }

    /// Reads a sequence of states of this system: `[[states]]` with values by variable.
    ///
    /// # Errors
    /// All mistakes of the file.
    pub fn read_states(&self, file: &str, text: &str) -> Result<Vec<PartialState>, Diagnostics> {
        let source = SourceFile::new(file, text);
        let mut reporter = Reporter::new(&source);
        let states = toml::read::<SequenceFile>(&source, &mut reporter.found)
            .map(|wire| Vocabulary::of_model(&mut reporter, &self.model).states(&wire.states));
        reporter.finish(states)
    }
}

impl System {
    /// Reads the states of a simulation of this system, as [`render::json`](crate::render::json) writes them.
    ///
    /// A landmark that the simulation discovered is read as the interval of the system's own landmarks that
    /// contains it, so that the states of all behaviors share one space. An ignored direction is any.
    ///
    /// # Errors
    /// All errors of the file.
    pub fn read_simulation(
        &self,
        file: &str,
        text: &str,
    ) -> Result<Vec<PartialState>, Diagnostics> {
        let source = SourceFile::new(file, text);
        let mut reporter = Reporter::new(&source);
        let states = simulated::states(&mut reporter, &self.model);
        reporter.finish(states)
    }
}

/// The schema of system files, for editors.
#[cfg(feature = "schemars")]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(SystemFile).into()
}
