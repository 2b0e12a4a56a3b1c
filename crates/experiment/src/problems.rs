//! Invalid parameters, reported by path; the runner finds the place in the file.

use std::ops::Range;

use crate::{Sources, suggestion};

/// The subject of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A parameter: keys and array positions joined by dots (`runs.2.games`).
    Param(String),
    /// Bytes of a text parameter.
    Text(String, Range<usize>),
    /// An entry of `data = { … }`, by its name.
    Data(String),
    /// An entry of `from = { … }`, by its name, or `from` as a whole.
    Source(String),
}

/// Something that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The parameter concerned.
    pub place: Place,
    /// The mistake or the wanted value, lower case, no full stop.
    pub message: String,
    /// What to write instead.
    pub label: Option<String>,
}

/// Collects all problems in the parameters of an experiment.
///
/// # Examples
/// ```
/// use kibitz_experiment::{Place, Problems};
///
/// let mut problems = Problems::new(["games".to_owned()]);
/// let rows = [("a", 1), ("b", 0)];
/// problems.each("rows", &rows, |row, problems| {
///     problems.require(row.1 > 0, "count", "at least one");
/// });
/// let found = problems.into_found();
/// assert_eq!(found[0].place, Place::Param("rows.1.count".to_owned()));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Problems {
    data: Vec<String>,
    sources: Option<Sources>,
    prefix: String,
    found: Vec<Problem>,
}

impl Problems {
    /// None yet, in an experiment that declares data under these names.
    pub fn new(data: impl IntoIterator<Item = String>) -> Self {
        Self {
            data: data.into_iter().collect(),
            ..Self::default()
        }
    }

    /// The same in an experiment that reads these under `from`.
    #[must_use]
    pub fn reading(mut self, sources: Sources) -> Self {
        self.sources = Some(sources);
        self
    }

    /// The datasets and tables that the experiment reads under `from`; `None` if they are not known, as in
    /// an example.
    pub fn sources(&self) -> Option<&Sources> {
        self.sources.as_ref()
    }

    /// Reports that an experiment of this kind reads nothing under `from`.
    pub fn expect_sources(&mut self, kind: &str) {
        if self.sources.as_ref().is_some_and(Sources::is_empty) {
            self.found.push(Problem {
                place: Place::Source(String::new()),
                message: format!("kind `{kind}` reads a dataset"),
                label: Some("write `from = { name = \"paper/dataset\" }`".to_owned()),
            });
        }
    }

    /// Reports a problem with some bytes of the text parameter at `path`, perhaps with what to write.
    pub fn in_text(
        &mut self,
        path: impl AsRef<str>,
        bytes: Range<usize>,
        message: impl Into<String>,
        label: Option<String>,
    ) {
        let place = Place::Text(self.path(path.as_ref()), bytes);
        self.found.push(Problem {
            place,
            message: message.into(),
            label,
        });
    }

    /// Everything reported.
    pub fn into_found(self) -> Vec<Problem> {
        self.found
    }

    /// Reports a problem with the parameter at `path`.
    ///
    /// The value is marked; when the file leaves the key out, the nearest enclosing table that is
    /// there.
    pub fn at(&mut self, path: impl AsRef<str>, message: impl Into<String>) {
        let place = Place::Param(self.path(path.as_ref()));
        self.found.push(Problem {
            place,
            message: message.into(),
            label: None,
        });
    }

    /// Reports a problem with the parameter at `path` unless `holds`.
    pub fn require(&mut self, holds: bool, path: impl AsRef<str>, message: impl Into<String>) {
        if !holds {
            self.at(path, message);
        }
    }

    /// Reports numbers and lengths that are zero, by path.
    pub fn at_least_one<'p>(&mut self, counts: impl IntoIterator<Item = (&'p str, usize)>) {
        for (path, count) in counts {
            self.require(count > 0, path, "at least one");
        }
    }

    /// Reports with `check` on every item of the list at `path`; paths within are those of the item.
    pub fn each<'t, T: 't>(
        &mut self,
        path: &str,
        items: impl IntoIterator<Item = &'t T>,
        mut check: impl FnMut(&'t T, &mut Self),
    ) {
        for (index, item) in items.into_iter().enumerate() {
            self.within(&format!("{path}.{index}"), |problems| check(item, problems));
        }
    }

    /// Reports with `check` on the value at `path`; paths within are relative to it.
    pub fn within(&mut self, path: &str, check: impl FnOnce(&mut Self)) {
        let inner = self.path(path);
        let outer = std::mem::replace(&mut self.prefix, inner);
        check(self);
        self.prefix = outer;
    }

    /// Reports that the parameter at `path` names data that the file does not declare.
    pub fn names_data(&mut self, path: impl AsRef<str>, name: &str) {
        if !self.data.iter().any(|declared| declared == name) {
            self.at(path, format!("`{name}` is not named under `data`"));
        }
    }

    /// Reports data of other names than these, and those of these that are missing.
    pub fn expect_data(&mut self, kind: &str, names: &[&str]) {
        let unknown = self
            .data
            .iter()
            .filter(|used| !names.contains(&used.as_str()));
        let unknown = unknown.map(|used| Problem {
            place: Place::Data(used.clone()),
            message: format!("kind `{kind}` reads no data called `{used}`"),
            label: Some(suggestion(used, names.iter().copied())),
        });
        let missing = names
            .iter()
            .filter(|name| !self.data.iter().any(|used| used == *name));
        let missing = missing.map(|name| Problem {
            place: Place::Data((*name).to_owned()),
            message: format!("kind `{kind}` needs data `{name}`"),
            label: Some(format!(
                "write `{name} = \"…\"` with an entry of data/manifest.toml"
            )),
        });
        self.found
            .extend(unknown.chain(missing).collect::<Vec<_>>());
    }

    fn path(&self, path: &str) -> String {
        match (self.prefix.as_str(), path) {
            ("", path) => path.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, path) => format!("{prefix}.{path}"),
        }
    }
}
