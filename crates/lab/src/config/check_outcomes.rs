//! What may be wrong with what cells are judged by: baselines, bounds, values that show a reason, and the
//! home tables of variants.

use std::ops::Range;

use kibitz_experiment::suggestion;
use kibitz_text::Diagnostics;
use toml::Spanned;
use wildmatch::WildMatch;

use super::baseline::Baseline;
use super::deviation::{Bound, Deviation};
use super::entry::{PlannedExperiment, TableColumn};
use super::envelope::names_cell;
use super::experiment::{Experiment, PublishedCell, PublishedRow};
use super::expression::Expression;
use super::variant::VariantOf;

use crate::figure::Place;
use crate::published::{six_digits, twelve_digits};
use crate::tolerance::{Interval, Tolerance};

/// The most errors that a deviation may explain.
const MOST_ERRORS: f64 = 1e3;
/// The largest multiple of the published value that a deviation may explain.
const MOST_TIMES: f64 = 1e3;

/// What a file may name.
pub(super) struct Outcomes<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) full: &'a PlannedExperiment,
    pub(super) columns: &'a [TableColumn],
    /// All experiments; none while any will do.
    pub(super) ids: &'a [&'a str],
}

impl Outcomes<'_> {
    pub(super) fn check(&self, problems: &mut Diagnostics) {
        for (name, spec) in &self.experiment.file.columns.0 {
            let baselines = spec.baseline.iter().flat_map(|baselines| {
                let span = baselines.span();
                baselines
                    .get_ref()
                    .0
                    .iter()
                    .map(move |baseline| (span.clone(), baseline))
            });
            for (span, baseline) in baselines {
                self.check_baseline(name.get_ref(), span, baseline, problems);
            }
            if let Some(same) = &spec.same_as {
                self.check_figure(same, name.span(), problems);
            }
            for (figure, has_row) in spec.derived.iter().flat_map(Expression::names) {
                if has_row {
                    self.check_figure(figure, name.span(), problems);
                } else if !self.full.columns.iter().any(|column| column.name == figure) {
                    let names = self.full.columns.iter().map(|column| column.name.as_ref());
                    let message =
                        format!("`derived` names a column `{figure}`, which the table lacks");
                    let problem = self.experiment.error_at(name.span(), message);
                    problems.push(problem.with_label(suggestion(figure, names)));
                }
            }
        }
        self.check_inputs(problems);
        self.check_variants(problems);
        for deviation in &self.experiment.file.deviation {
            self.check_bound(deviation, problems);
            self.check_tested(deviation, problems);
        }
    }

    /// That the home tables of variants are there, and patterns name published rows.
    fn check_variants(&self, problems: &mut Diagnostics) {
        let file = &self.experiment.file;
        let columns = file.columns.0.iter();
        let of_columns = columns.filter_map(|(_, spec)| spec.variant_of.as_ref());
        let of_rows = file.variant_of.iter().flat_map(VariantOf::homes);
        for home in of_rows.chain(of_columns) {
            let id = home.get_ref().as_str();
            if !self.ids.is_empty() && !self.ids.contains(&id) {
                let message = format!("unknown experiment `{id}`");
                let problem = self.experiment.error_at(home.span(), message);
                problems.push(problem.with_label(suggestion(id, self.ids.iter().copied())));
            }
        }
        if let Some(VariantOf::Whole(home)) = &file.variant_of
            && home.get_ref() == &self.experiment.id
        {
            let message = "a table cannot be a variant of itself";
            problems.push(self.experiment.error_at(home.span(), message));
        }
        for glob in file.variant_of.iter().flat_map(VariantOf::patterns) {
            let names = |row: &PublishedRow| {
                let is_cell =
                    |value: &PublishedCell| names_cell(glob.get_ref(), &row.row, &value.column);
                WildMatch::new(glob.get_ref()).matches(&row.row) || row.values.iter().any(is_cell)
            };
            if !self.experiment.published.iter().any(names) {
                let message = format!("`{}` names no published row or cell", glob.get_ref());
                let rows = self.experiment.published.iter().map(|row| row.row.as_str());
                let problem = self.experiment.error_at(glob.span(), message);
                problems.push(problem.with_label(suggestion(glob.get_ref(), rows)));
            }
        }
    }

    /// That what the kind takes from the parameters is judged nowhere.
    fn check_inputs(&self, problems: &mut Diagnostics) {
        let put_in = |column: &&TableColumn| column.is_input && column.tolerance != Tolerance::Info;
        for column in self.columns.iter().filter(put_in) {
            let judged = self.experiment.published.iter().find_map(|row| {
                let value = row
                    .values
                    .iter()
                    .find(|value| value.column == column.name)?;
                let is_named = self.experiment.is_input(&row.row, &value.column);
                (!is_named).then_some((row, value))
            });
            let Some((row, value)) = judged else { continue };
            let message = format!(
                "`{}` cannot fail: the kind takes it from the parameters",
                column.name
            );
            let problem = self.experiment.error_at(value.span.clone(), message);
            let (row, column) = (&row.row, &column.name);
            problems.push(problem.with_label(format!("name `{row}.{column}` in `inputs`")));
        }
    }

    fn check_baseline(
        &self,
        column: &str,
        at: Range<usize>,
        baseline: &Baseline,
        problems: &mut Diagnostics,
    ) {
        match baseline {
            Baseline::Number(value) => {
                if let Some(range) = self.range(column).filter(|range| !range.holds(*value)) {
                    let message = format!(
                        "a baseline of {} is outside of the column's range",
                        twelve_digits(*value)
                    );
                    let problem = self.experiment.error_at(at, message);
                    problems.push(problem.with_label(told(range)));
                }
            }
            Baseline::Figure(name) => self.check_figure(name, at, problems),
            Baseline::Text(_) | Baseline::MostCommon | Baseline::Shuffle | Baseline::None(_) => {}
        }
    }

    /// The values that make sense in a column: those given, or up to twice the largest that is printed.
    fn range(&self, column: &str) -> Option<Interval> {
        let specs = self.experiment.file.columns.0.iter();
        let mut spec = specs.filter(|(name, _)| name.get_ref() == column);
        let given = spec.next().and_then(|(_, spec)| spec.range);
        let largest = || {
            let values = self.experiment.published.iter().flat_map(|row| &row.values);
            let own = values.filter(|value| value.column == column);
            let sizes = own.filter_map(|value| Some(value.printed.number()?.abs()));
            let largest = sizes.fold(0.0, f64::max);
            if largest > 0.0 {
                Interval::new(-2.0 * largest, 2.0 * largest)
            } else {
                None
            }
        };
        given.or_else(largest)
    }

    /// That a bound is there where numbers are printed, and not beyond what makes sense.
    fn check_bound(&self, deviation: &Spanned<Deviation>, problems: &mut Diagnostics) {
        let judged = self.experiment.published.iter().flat_map(|row| {
            let values = row.values.iter().filter(|value| {
                let mut columns = self.columns.iter();
                let is_judged = columns.any(|column| {
                    column.name == value.column && column.tolerance != Tolerance::Info
                });
                is_judged && deviation.get_ref().covers(&row.row, &value.column)
            });
            values.map(|value| (value.column.as_str(), &value.printed))
        });
        let mut numbers = judged.filter_map(|(column, printed)| Some((column, printed.number()?)));
        let Some(bound) = deviation.get_ref().up_to else {
            if numbers.next().is_some() {
                let message = "the deviation does not say how large a difference it explains";
                let problem = self.experiment.error_at(deviation.span(), message);
                problems.push(
                    problem.with_label(
                        "add `up-to = { errors = … }`, or `{ abs = … }`, `{ rel = … }`",
                    ),
                );
            }
            return;
        };
        let most = match bound {
            Bound::Errors(_) => Some((MOST_ERRORS, "errors")),
            Bound::Rel(_) => Some((MOST_TIMES, "times the published value")),
            Bound::Abs(_) => None,
        };
        if let Some((most, unit)) = most.filter(|(most, _)| bound.size() > *most) {
            let message =
                format!("`up-to` of {bound} explains anything: at most {most} {unit} are a bound");
            problems.push(self.experiment.error_at(deviation.span(), message));
            return;
        }
        let beyond = numbers.find_map(|(column, printed)| {
            let size = match bound {
                Bound::Errors(_) => return None,
                Bound::Abs(size) => size,
                Bound::Rel(share) => share * printed.abs(),
            };
            // Beside a published zero the range has to be given.
            let range = self.range(column).or_else(|| Interval::new(-1.0, 1.0))?;
            let [low, high] = range.ends();
            (size > high - low).then_some((column, range))
        });
        if let Some((column, range)) = beyond {
            let message =
                format!("`up-to` of {bound} is more than the whole range of column `{column}`");
            let problem = self.experiment.error_at(deviation.span(), message);
            problems.push(problem.with_label(told(range)));
        }
    }

    /// That what shows a reason is one figure, and not the deviating one; or that a conjecture says what
    /// would decide it.
    fn check_tested(&self, at: &Spanned<Deviation>, problems: &mut Diagnostics) {
        let deviation = at.get_ref();
        let Some(tested) = &deviation.tested else {
            if deviation.predicts.is_some() {
                let message = "`predicts` is of the figure that `tested` names";
                problems.push(self.experiment.error(message));
            }
            let decided_by = deviation.decided_by.as_deref().unwrap_or_default();
            if decided_by.trim().is_empty() {
                let message = "the deviation is a conjecture and does not say what would decide it";
                let problem = self.experiment.error_at(at.span(), message);
                problems.push(problem.with_label(
                    "add `decided-by = \"…\"`: an experiment, or that nothing published can; \
                     or `tested`, a figure that shows the reason",
                ));
            }
            return;
        };
        let (name, at) = (tested.get_ref(), tested.span());
        let own = |place: &Place<'_>| place.table.is_none_or(|table| table == self.experiment.id);
        let itself = Place::parse(name).filter(|place| {
            let is_cell = place.row == "{row}" && place.column == "{column}";
            own(place) && (is_cell || deviation.covers(place.row, place.column))
        });
        if itself.is_some() {
            let message = format!("`{name}` is among the cells that deviate: it cannot show why");
            problems.push(self.experiment.error_at(at, message));
            return;
        }
        self.check_figure(name, at, problems);
    }

    /// That a figure can be there, as far as that is known before anything runs.
    fn check_figure(&self, name: &str, at: Range<usize>, problems: &mut Diagnostics) {
        let Some(place) = Place::parse(name) else {
            let message = format!("`{name}` names no single figure");
            let problem = self.experiment.error_at(at, message);
            problems
                .push(problem.with_label("write \"row.column\", or \"paper/table:row.column\""));
            return;
        };
        if let Some(id) = place.table {
            if !self.ids.is_empty() && !self.ids.contains(&id) {
                let message = format!("unknown experiment `{id}`");
                let problem = self.experiment.error_at(at, message);
                problems.push(problem.with_label(suggestion(id, self.ids.iter().copied())));
            }
            return;
        }
        // A placeholder stands for many names, and rows that only the values tell are not known here.
        let is_known = |name: &str| !name.contains('{');
        if is_known(place.row)
            && !self.full.is_open()
            && !self.full.rows().any(|row| row == place.row)
        {
            let message = format!("`{name}` names no row of the table");
            let problem = self.experiment.error_at(at, message);
            problems.push(problem.with_label(suggestion(place.row, self.full.rows())));
        } else if is_known(place.column)
            && !self
                .full
                .columns
                .iter()
                .any(|column| column.name == place.column)
        {
            let message = format!("`{name}` names no column of the table");
            let names = self.full.columns.iter().map(|column| column.name.as_ref());
            let problem = self.experiment.error_at(at, message);
            problems.push(problem.with_label(suggestion(place.column, names)));
        }
    }
}

/// A range in words.
fn told(range: Interval) -> String {
    let [low, high] = range.ends().map(six_digits);
    format!("it is {low} to {high}; `range = [lowest, highest]` of the column gives another")
}
