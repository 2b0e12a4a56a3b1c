//! The recorded data, from the files of the workspace.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use toml::Spanned;

use super::problems::{Notes as _, indexed, papers_problems};
use crate::documents::{Sources, articles};
use crate::records::inputs_as_recorded;
use crate::render::{IndexLine, columns_of, kind_file, ours_like, plot_svg, spread_shown};
use crate::{Answer, Desk};
use kibitz_command::input::Input;
use kibitz_lab::config::entry::{Entry, TableColumn};
use kibitz_lab::config::envelope::Legibility;
use kibitz_lab::config::experiment::DataUse;
use kibitz_lab::config::papers::{Paper as ListedPaper, Topic};
use kibitz_lab::config::self_check;
use kibitz_lab::costs::Costs;
use kibitz_lab::error::error_chain;
use kibitz_lab::figure::Others;
use kibitz_lab::history::{CommitOrder, Tolerances};
use kibitz_lab::judge::{self, CellDetails, JudgedCell, judge_all};
use kibitz_lab::measurement::{Measurement, Table};
use kibitz_lab::published::{PublishedValue, twelve_digits};
use kibitz_lab::record::{
    Dataset, Joint, JointFinding, KindCode, Origin, Paper, PrintedTable, RecordedCell,
    RecordedColumn, RecordedDeviation, RecordedTable, Values, WorkspaceRecord,
};
use kibitz_lab::results::{CommittedTable, read_committed};
use kibitz_lab::session::Session;
use kibitz_text::{Diagnostic, Exit};

impl Desk {
    /// Everything recorded in the workspace, or of the last run; nothing is run.
    ///
    /// Experiments whose files are unfinished, and tables whose recorded values are damaged, are left out,
    /// and what is wrong with them is listed beside the others.
    ///
    /// # Errors
    /// What is wrong with the files that all tables rest on, or with the selection.
    pub fn recorded(&self, values: Values<'_>) -> Result<WorkspaceRecord, Answer> {
        let session = Session::open(&self.lab)?;
        let mut recorded = WorkspaceRecord {
            program: self.lab.program.clone(),
            ..WorkspaceRecord::default()
        };
        recorded.leave_out_broken(&session);
        recorded.problem(Exit::BadInput, papers_problems(&session));
        let others = session.intact_others();
        let ran = match values {
            Values::Recorded => Vec::new(),
            Values::LastRun(selection) => selection.apply(&session.catalog, &self.lab)?.entries,
        };
        let (recorded_in, ran_in) = (
            self.lab.root.join("results"),
            self.lab.state.join("results"),
        );
        let tolerances = Tolerances::recorded(&self.lab.root);
        let costs = Costs::read(session.cache.folder());
        let known_before = indexed(&recorded_in);
        let store = session.store();
        let (mut values, mut index) = (BTreeMap::new(), Vec::new());
        for entry in &session.catalog.entries {
            if entry.is_dataset() {
                recorded.datasets.push(dataset(entry, &costs));
                continue;
            }
            let mut results = &recorded_in;
            let mut committed = match read_committed(results, entry.id()) {
                Ok(Some(committed)) if !committed.intact => {
                    let why = "table.csv is not what inputs.toml says it is";
                    recorded.leave_out(entry.id(), format!("results/{}/{why}", entry.id()));
                    None
                }
                Ok(committed) => committed,
                Err(error) => {
                    recorded.leave_out(entry.id(), error_chain(&error));
                    None
                }
            };
            if ran.iter().any(|own| own.id() == entry.id())
                && let Some(last) = read_committed(&ran_in, entry.id())?
            {
                let key = |committed: &CommittedTable| committed.inputs.inputs_key.clone();
                if committed.as_ref().map(key) != Some(key(&last)) {
                    (results, committed) = (&ran_in, Some(last));
                }
            }
            let Some(committed) = committed else {
                recorded.miss(entry.id(), &recorded_in, &known_before);
                continue;
            };
            let judged = judge_all(entry, &committed.table, &others);
            let line = IndexLine::new(entry, &committed.inputs.inputs_key, &judged, &tolerances);
            let mut table = table(
                entry,
                &committed.table,
                &judged,
                &line,
                &others,
                &tolerances,
            );
            table.origin = Origin {
                inputs_key: committed.inputs.inputs_key.clone(),
                toolchain: committed.inputs.toolchain.clone(),
                code: committed.inputs.code.clone(),
                ..origin(entry, &costs)
            };
            table.is_of_last_run = results == &ran_in;
            table.plot = plot_svg(entry, &committed.table);
            if !table.is_of_last_run {
                let edited = inputs_as_recorded(&session, entry, &committed)?;
                if !edited.is_empty() {
                    let id = entry.id();
                    let notice = format!("results/{id}/inputs.toml is not what was recorded.");
                    table.notices.push(notice);
                }
                recorded.problem(Exit::Negative, edited);
            }
            recorded.look_at_data(&session, &store, entry, &mut table.notices);
            recorded.tables.push(table);
            values.insert(entry.id(), (committed.table, judged));
            index.push(line);
        }
        recorded.kinds = kinds(&session);
        for entry in &session.catalog.entries {
            for used in &entry.experiment.data {
                if let Some(known) = session.catalog.manifest.entries.get(&used.entry) {
                    recorded.data.insert(used.entry.clone(), known.clone());
                }
            }
        }
        let sources = Sources {
            root: &self.lab.root,
            kinds: &self.lab.kinds,
            catalog: &session.catalog,
            recorded: values,
            index,
            written: BTreeMap::new(),
        };
        let mut texts = BTreeMap::new();
        let mut left_out = recorded.left_out.iter();
        let lacks_tables = left_out.any(|(id, _)| known_before.contains(id));
        for article in articles(&sources)? {
            if lacks_tables {
                // Its numbers are of all tables that were recorded.
                texts.insert(article.path, article.written);
                continue;
            }
            for change in article.changes.iter().filter(|change| change.is_large) {
                let change = change.told(&article.path);
                let warning = Diagnostic::warning(format!("a number is out of date: {change}"));
                let note = format!("`{} refresh --accept` writes it", self.lab.program);
                recorded.warnings.push(warning.with_note(note));
            }
            recorded.problem(Exit::BadInput, article.problems);
            texts.insert(article.path, article.text);
        }
        recorded.rule = std::fs::read_to_string(self.lab.root.join("docs/outcomes.md")).ok();
        if lacks_tables {
            let message = "the articles are shown as they are written";
            let note = "they tell of tables that are left out";
            recorded
                .warnings
                .push(Diagnostic::warning(message).with_note(note));
        }
        recorded.article = texts.remove("experiments/article.md");
        recorded.papers = papers(&session, &mut texts);
        // A new project has an entry for explorations, and perhaps none of them.
        let tables = &recorded.tables;
        let has_tables = |paper: &Paper| {
            let mut papers = tables.iter().filter_map(|table| table.id.split_once('/'));
            papers.any(|(own, _)| own == paper.id)
        };
        let is_shown = |paper: &Paper| paper.is_published || has_tables(paper);
        recorded.papers.retain(is_shown);
        Ok(recorded)
    }
}

fn papers(session: &Session<'_>, articles: &mut BTreeMap<String, String>) -> Vec<Paper> {
    let papers = session.catalog.papers.iter();
    let paper = papers.map(|paper| {
        let (id, details) = (&paper.id, &paper.details);
        let printed = details.tables.iter().map(|table| PrintedTable {
            place: table.place.clone(),
            tables: table
                .rebuilt_by
                .iter()
                .map(|name| format!("{id}/{}", name.get_ref()))
                .collect(),
            note: table.note.clone(),
        });
        let left_out = details.not_attempted.iter();
        Paper {
            id: id.clone(),
            title: details.title.clone().unwrap_or_else(|| id.clone()),
            short: details.short.clone().unwrap_or_else(|| id.clone()),
            citation: details.citation.trim().to_owned(),
            link: details.link.clone(),
            is_published: details.published,
            differences: details.differences.clone(),
            errata: details.errata.clone(),
            printed_tables: printed.collect(),
            not_attempted: left_out
                .map(|left| (left.place.clone(), left.reason.clone()))
                .collect(),
            article: articles.remove(&format!("experiments/{id}/article.md")),
            topics: topics(session, paper),
        }
    });
    paper.collect()
}

/// The tables of a paper by topic; each is in the last that has one of its tags.
fn topics(session: &Session<'_>, paper: &ListedPaper) -> Vec<(String, Vec<String>)> {
    let topics = &paper.details.topics;
    let mut found: Vec<(String, Vec<String>)> = topics
        .iter()
        .map(|topic| (topic.title.clone(), Vec::new()))
        .collect();
    let entries = session.catalog.entries.iter();
    let own = entries
        .filter(|entry| !entry.is_dataset() && entry.id().split('/').next() == Some(&paper.id));
    for entry in own {
        let tags = &entry.experiment.file.tags;
        let has = |topic: &Topic| {
            tags.iter()
                .any(|tag| topic.tags.iter().any(|own| own == tag))
        };
        if let Some(at) = topics.iter().rposition(has) {
            found[at].1.push(entry.id().to_owned());
        }
    }
    found
}

fn kinds(session: &Session<'_>) -> Vec<KindCode> {
    let root = &session.lab.root;
    let used = |name: &str| {
        let mut entries = session.catalog.entries.iter();
        entries.any(|entry| entry.kind.name() == name)
    };
    let kinds = session.lab.kinds.iter().filter(|kind| used(kind.name()));
    let mut found: Vec<KindCode> = kinds
        .map(|kind| {
            let file = kind_file(kind, root);
            let text = file.as_ref().map(|file| root.join(file));
            let text = text.and_then(|path| std::fs::read_to_string(path).ok());
            let text = text.unwrap_or_default();
            let own = kind.type_name().rsplit("::").next().unwrap_or_default();
            let begins = format!("impl Experiment for {own}");
            let line = text.lines().position(|line| line.contains(&begins));
            KindCode {
                name: kind.name().to_owned(),
                file,
                line: line.map_or(1, |line| line + 1),
                text,
            }
        })
        .collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

fn dataset(entry: &Entry, costs: &Costs) -> Dataset {
    let file = &entry.experiment.file;
    let fields = entry.full.fields.iter().map(|field| {
        let of = format!("{:?}", field.of).to_lowercase();
        [
            field.name.to_string(),
            of,
            field.unit.to_string(),
            field.doc.to_string(),
        ]
    });
    Dataset {
        id: entry.id().to_owned(),
        title: file.title.clone(),
        kind: entry.kind.name().to_owned(),
        place: place(entry),
        notes: file.notes.clone(),
        fields: fields.collect(),
        origin: origin(entry, costs),
    }
}

fn place(entry: &Entry) -> String {
    let source = entry.experiment.file.source.as_ref();
    source.map_or_else(String::new, |source| source.place.clone())
}

fn origin(entry: &Entry, costs: &Costs) -> Origin {
    let experiment = &entry.experiment;
    let replicates = experiment.run.replicates();
    let cells = entry.full.cells.iter();
    let seconds = cells.map(|cell| Some(costs.of(entry.id(), &cell.id)?.seconds));
    let seconds: Option<f64> = seconds.sum();
    let resample = experiment.resample().map(|resample| {
        let method = format!("{:?}", resample.method).to_lowercase();
        format!("{method} by {}", resample.by)
    });
    let shown = |used: &DataUse| match Input::of_name(&used.entry) {
        Some(input) => input.shown(),
        None => used.entry.clone(),
    };
    let data: Vec<String> = experiment.data.iter().map(shown).collect();
    Origin {
        toml: experiment.source.text().to_owned(),
        queries: queries(&entry.full.params),
        seed: experiment.run.seed.as_ref().map(|seed| *seed.get_ref()),
        replicates,
        resample,
        data: named(data.iter().map(String::as_str)),
        from: named(experiment.from.iter().map(|used| used.entry.as_str())),
        seconds: seconds.map(|seconds| seconds * f64::from(replicates)),
        ..Origin::default()
    }
}

/// Names without repetition, in their order.
fn named<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in names {
        if found.iter().all(|known| known != name) {
            found.push(name.to_owned());
        }
    }
    found
}

/// The queries among parameters: `sql`, and what `with` asks before.
fn queries(params: &Json) -> Vec<(String, String)> {
    let text = |value: &Json| Some(value.as_str()?.trim().to_owned());
    let with = params.get("with").and_then(Json::as_object);
    let with = with.into_iter().flatten();
    let mut found: Vec<(String, String)> = with
        .filter_map(|(name, query)| Some((name.clone(), text(query)?)))
        .collect();
    if let Some(sql) = params.get("sql").and_then(text) {
        found.push(("sql".to_owned(), sql));
    }
    found
}

fn table(
    entry: &Entry,
    values: &Table,
    judged: &[JudgedCell],
    line: &IndexLine,
    others: &Others,
    tolerances: &Tolerances,
) -> RecordedTable {
    let file = &entry.experiment.file;
    let deviations = file.deviation.iter().map(Spanned::get_ref);
    let told = deviations.map(|deviation| RecordedDeviation {
        cells: deviation.cells.iter().map(str::to_owned).collect(),
        up_to: deviation.up_to.map(|bound| bound.to_string()),
        reason: deviation.reason.trim().to_owned(),
        tested: deviation.tested.as_ref().map(|name| name.get_ref().clone()),
        predicts: deviation.predicts.as_ref().map(ToString::to_string),
        decided_by: deviation
            .decided_by
            .as_deref()
            .map(str::trim)
            .map(str::to_owned),
    });
    let fitted = file.fitted.iter().map(|fitted| {
        let cells = fitted.patterns().map(str::to_owned).collect();
        (cells, fitted.by.clone(), fitted.on.clone())
    });
    let checks = self_check::run(&entry.experiment).into_iter();
    RecordedTable {
        is_of_last_run: false,
        notices: Vec::new(),
        id: entry.id().to_owned(),
        title: file.title.clone(),
        finding: entry.experiment.finding(),
        is_evidence: entry.experiment.is_evidence(),
        kind: entry.kind.name().to_owned(),
        place: place(entry),
        is_scanned: entry.experiment.reading() == Legibility::Ocr,
        notes: file.notes.clone(),
        columns: columns_of(judged)
            .into_iter()
            .map(|own| RecordedColumn {
                tolerance_set: tolerances
                    .of(entry.id(), &own.name, own.tolerance)
                    .map(CommitOrder::told),
                ..column(own)
            })
            .collect(),
        cells: judged
            .iter()
            .map(|judged| cell(entry, judged, values, others))
            .collect(),
        outcomes: line.outcomes,
        joint: joint(&line.joint),
        deviations: told.collect(),
        fitted: fitted.collect(),
        self_checks: checks.map(|check| (check.holds, check.text)).collect(),
        plot: None,
        origin: Origin::default(),
    }
}

fn joint(joint: &judge::Joint) -> Joint {
    Joint {
        errors: joint.errors.as_ref().map(|errors| JointFinding {
            n_cells: errors.cells,
            n_found: errors.far,
            expected: errors.expected,
            p: errors.p,
        }),
        rows: joint.rows.as_ref().map(|rows| JointFinding {
            n_cells: rows.cells,
            n_found: rows.close,
            expected: rows.expected,
            p: rows.p,
        }),
    }
}

fn column(column: &TableColumn) -> RecordedColumn {
    let derived = column.derived.as_ref().map(|from| from.text().to_owned());
    RecordedColumn {
        name: column.name.clone(),
        unit: column.unit.clone(),
        doc: column.doc.trim_end_matches('.').to_owned(),
        tolerance: column.tolerance.to_string(),
        tolerance_set: None,
        baselines: column.baseline.iter().map(ToString::to_string).collect(),
        why: column.why.clone(),
        follows: derived.or_else(|| column.same_as.clone()),
    }
}

fn cell(entry: &Entry, judged: &JudgedCell, values: &Table, others: &Others) -> RecordedCell {
    let (printed, ours) = (judged.printed.as_ref(), judged.ours.as_ref());
    let beside = CellDetails::new(judged, values, others);
    let mut deviations = entry.experiment.file.deviation.iter().map(Spanned::get_ref);
    let explained = judged.outcome.differs() && !judged.is_undeclared;
    RecordedCell {
        row: judged.row.clone(),
        column: judged.column.name.clone(),
        printed: printed.map(ToString::to_string),
        printed_number: printed.and_then(PublishedValue::number),
        ours: ours.map(Measurement::written),
        ours_shown: ours.map_or_else(String::new, |ours| ours_like(printed, ours)),
        number: ours.and_then(Measurement::number),
        std_dev: ours.and_then(|ours| ours.std_dev),
        std_error: ours.and_then(|ours| ours.std_error),
        spread_shown: ours.and_then(spread_shown).unwrap_or_default(),
        replicates_n: ours.map_or(0, |ours| ours.n),
        samples: ours.and_then(|ours| ours.n_samples),
        replicates: ours
            .and_then(|ours| ours.replicates.clone())
            .unwrap_or_default(),
        difference: judged.difference.map(twelve_digits),
        errors: beside.errors,
        tolerance: judged.column.tolerance.to_string(),
        accepted: beside.accepted,
        interval: beside.interval,
        baselines: beside.baselines,
        outcome: judged.outcome,
        baseline: judged.baseline.clone(),
        reason: judged.reason.clone(),
        deviation: explained
            .then(|| deviations.position(|one| one.covers(&judged.row, &judged.column.name)))
            .flatten(),
    }
}
