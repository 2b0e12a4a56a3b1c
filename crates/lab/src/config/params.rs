//! `[params]` of an experiment file, on its way into the kind's own type.

use std::ops::Range;

use kibitz_experiment::{Kind, Place, Plan, Problems, Sources};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use kibitz_text::Diagnostics;
use kibitz_text::toml::{Deserializer, Reader};

use super::experiment::{Experiment, RENAMED};

/// Where the parameters of an experiment stand in its file.
///
/// In a quick run the keys of `[quick]` replace those of `[params]`; tables are merged key by
/// key, everything else is replaced whole. Positions point at whichever section a value came
/// from.
#[derive(Debug)]
pub(crate) struct Params<'e, 'a> {
    experiment: &'e Experiment,
    table: Spanned<DeTable<'a>>,
}

impl<'e, 'a> Params<'e, 'a> {
    /// `[params]` with `[quick]` laid over it, if it is given.
    pub(crate) fn new(
        experiment: &'e Experiment,
        mut table: Spanned<DeTable<'a>>,
        quick: Option<DeTable<'a>>,
    ) -> Self {
        if let Some(quick) = quick {
            overlay(table.get_mut(), quick);
        }
        Self { experiment, table }
    }

    /// The parameters as the kind's own type, free of problems.
    ///
    /// # Errors
    /// Every key and value that cannot be read, or else everything that makes no sense.
    pub(crate) fn plan(
        &self,
        kind: &Kind,
        sources: Option<&Sources>,
    ) -> Result<Box<dyn Plan>, Diagnostics> {
        let about = format!("for kind `{}`", kind.name());
        let reader = Reader {
            about: Some(&about),
            example: |_| None,
            renamed: RENAMED,
        };
        let mut diagnostics = Diagnostics::new();
        let read = |table: Deserializer<'_>| kind.read(table);
        let plan = reader.read(
            &self.experiment.source,
            self.table.clone(),
            &read,
            &mut diagnostics,
        );
        let plan = plan.filter(|_| diagnostics.is_empty()).ok_or(diagnostics)?;
        let data = &self.experiment.data;
        let mut problems = Problems::new(data.iter().map(|used| used.name.clone()));
        if let Some(sources) = sources {
            problems = problems.reading(sources.clone());
        }
        plan.check(&mut problems);
        let mut diagnostics = Diagnostics::new();
        for problem in problems.into_found() {
            let span = match &problem.place {
                Place::Param(path) => self.span_of(path),
                Place::Text(path, bytes) => self.span_within(path, bytes),
                Place::Data(name) => {
                    let used = data.iter().find(|used| used.name == *name);
                    used.map_or(self.experiment.data_span(), |used| used.span.clone())
                }
                Place::Source(name) => {
                    let used = self.experiment.from.iter().find(|used| used.name == *name);
                    used.map_or(self.experiment.span_of_from(), |used| used.span.clone())
                }
            };
            let diagnostic = self.experiment.error_at(span, problem.message);
            diagnostics.push(diagnostic.with_label(problem.label.unwrap_or_default()));
        }
        diagnostics.into_result(plan)
    }

    /// Where some bytes of a text stand; the whole text if it is written with escapes.
    fn span_within(&self, path: &str, bytes: &Range<usize>) -> Range<usize> {
        let (span, value) = self.find(path);
        let written = &self.experiment.source.text()[span.clone()];
        let text = value.and_then(|value| value.get_ref().as_str());
        match text.and_then(|text| written.find(text)) {
            Some(start) => span.start + start + bytes.start..span.start + start + bytes.end,
            None => span,
        }
    }

    fn span_of(&self, path: &str) -> Range<usize> {
        self.find(path).0
    }

    /// The value at a path and where it stands; what encloses it, where there is none.
    fn find(&self, path: &str) -> (Range<usize>, Option<&Spanned<DeValue<'a>>>) {
        let mut span = self.table.span();
        let mut table = Some(self.table.get_ref());
        let mut value: Option<&Spanned<DeValue<'a>>> = None;
        for part in path.split('.').filter(|part| !part.is_empty()) {
            let next = match (table, value.map(Spanned::get_ref)) {
                (Some(table), _) => table.get(part),
                (None, Some(DeValue::Array(items))) => {
                    part.parse::<usize>().ok().and_then(|idx| items.get(idx))
                }
                _ => None,
            };
            let Some(next) = next else { break };
            span = next.span();
            table = next.get_ref().as_table();
            value = Some(next);
        }
        (span, value)
    }
}

/// Lays `top` over `base`: tables key by key, everything else whole.
fn overlay<'a>(base: &mut DeTable<'a>, top: DeTable<'a>) {
    for (key, value) in top {
        if let Some(existing) = base.get_mut(key.get_ref().as_ref())
            && let (DeValue::Table(below), DeValue::Table(_)) =
                (existing.get_mut(), value.get_ref())
        {
            if let DeValue::Table(above) = value.into_inner() {
                overlay(below, above);
            }
            continue;
        }
        // A map keeps the old key on insertion; the new one carries the position in `[quick]`.
        base.remove(key.get_ref().as_ref());
        base.insert(key, value);
    }
}
