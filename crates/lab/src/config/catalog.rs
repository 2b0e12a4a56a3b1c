//! All experiments of a workspace, checked against their kinds, papers and data.

use std::path::Path;

use super::entry::Entry;
use super::files::experiment_files;
use super::load::Loader;
use super::papers::{self, Paper};
use crate::files::read_source;
use crate::manifest::Manifest;
use kibitz_experiment::Kind;
use kibitz_text::Diagnostics;

/// Everything declared in a workspace.
#[derive(Debug)]
pub struct Catalog {
    /// Sorted by id.
    pub entries: Vec<Entry>,
    /// Experiment files with problems, by id.
    pub broken: Vec<(String, Diagnostics)>,
    /// Files that stand where no experiment is read, as warnings.
    pub strays: Diagnostics,
    /// The papers of `experiments/papers.toml`, in its order.
    pub papers: Vec<Paper>,
    /// The declared data files.
    pub manifest: Manifest,
}

impl Catalog {
    /// Reads everything below `root`.
    ///
    /// # Errors
    /// What is wrong with the files that all experiments rest on, and all other problems besides.
    pub fn load(root: &Path, kinds: &[Kind]) -> Result<Self, Diagnostics> {
        let mut problems = Diagnostics::new();
        let manifest = Manifest::load(root, &mut problems);
        let about = read_source(root, Path::new("experiments/papers.toml"), &mut problems);
        let papers = about
            .as_ref()
            .map_or_else(Vec::new, |source| papers::read(source, &mut problems));
        let mut loader = Loader::new(kinds, &papers, &manifest);
        let mut strays = Diagnostics::new();
        for (id, path) in experiment_files(root, &mut strays, &mut problems) {
            let mut own = Diagnostics::new();
            match read_source(root, &path, &mut own) {
                Some(source) => drop(loader.files.insert(id, source)),
                None => drop(loader.broken.insert(id, own)),
            }
        }
        let ids: Vec<String> = loader.files.keys().cloned().collect();
        for id in &ids {
            loader.load(id, &mut Vec::new());
        }
        loader.check_figures(&root.join("results"));
        let entries: Vec<Entry> = loader.entries.into_values().collect();
        let broken: Vec<(String, Diagnostics)> = loader.broken.into_iter().collect();
        if !problems.is_empty() {
            let own = broken.iter().flat_map(|(_, own)| own.iter().cloned());
            problems.append(own.collect());
        }
        problems.in_reading_order().into_result(Self {
            entries,
            broken,
            strays,
            papers,
            manifest,
        })
    }

    /// The experiment of this id.
    pub fn entry(&self, id: &str) -> Option<&Entry> {
        let idx = self.entries.binary_search_by(|entry| entry.id().cmp(id));
        idx.ok().map(|idx| &self.entries[idx])
    }

    /// Whether the paper of an id is not published: its tables answer questions of their own.
    pub fn is_exploration(&self, id: &str) -> bool {
        let own = id.split('/').next();
        let mut papers = self.papers.iter();
        papers.any(|paper| !paper.details.published && Some(paper.id.as_str()) == own)
    }

    /// The problems of the experiment files whose ids are wanted; nothing is said of the others.
    pub fn problems_of(&self, wanted: impl Fn(&str) -> bool) -> Diagnostics {
        let broken = self.broken.iter().filter(|(id, _)| wanted(id));
        let problems: Diagnostics = broken.flat_map(|(_, own)| own.iter().cloned()).collect();
        problems.in_reading_order()
    }

    /// Whether there is an experiment file of this id, sound or not.
    pub fn has_file(&self, id: &str) -> bool {
        self.entries.iter().any(|entry| entry.id() == id)
            || self.broken.iter().any(|(broken, _)| broken == id)
    }
}
