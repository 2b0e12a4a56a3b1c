//! Other samples of the same records: groups left out or drawn.

use std::collections::{BTreeMap, BTreeSet};

use kibitz_experiment::{CellError, Context, Number, Output, Resample, Resampling, Value};
use kibitz_stats::{inference::jackknife_std_error, summary::std_dev};
use polars::prelude::*;
use rand::RngExt as _;
use rayon::prelude::*;

use crate::frames::{Frames, texts};

/// Stack of a thread that asks queries.
const STACK_BYTES: usize = 64 << 20;

/// Which groups a sample holds: by their numbers, a number as often as it was drawn.
type Sample = Vec<usize>;

/// The samples of `n` groups that an experiment asks for.
pub(crate) fn samples(
    resample: &Resample,
    n_groups: usize,
    ctx: &Context<'_>,
) -> Result<Vec<Sample>, CellError> {
    if n_groups < 2 {
        return Err(CellError::new(format!(
            "resampling takes two groups or more, `{}` has {n_groups}",
            resample.by
        )));
    }
    Ok(match resample.method {
        Resampling::Jackknife => {
            let without = |left_out| (0..n_groups).filter(|group| *group != left_out).collect();
            (0..n_groups).map(without).collect()
        }
        Resampling::Bootstrap => {
            let mut rng = ctx.rng_for("resample");
            let mut draw = || {
                (0..n_groups)
                    .map(|_| rng.random_range(0..n_groups))
                    .collect()
            };
            (0..resample.draws).map(|_| draw()).collect()
        }
    })
}

/// The standard error that estimates from the samples give; `None` if there are too few.
pub(crate) fn std_error(method: Resampling, estimates: &[f64]) -> Option<f64> {
    let std_error = match method {
        Resampling::Jackknife => jackknife_std_error(estimates),
        Resampling::Bootstrap => std_dev(estimates),
    };
    std_error.ok().filter(|error| error.is_finite())
}

/// Estimates with the standard errors that those of the samples give, if there are samples.
pub(crate) fn numbers(
    values: &[f64],
    resample: Option<&Resample>,
    samples: &[Vec<f64>],
) -> Vec<Number> {
    let number = |(place, &value): (usize, &f64)| {
        let estimates: Vec<f64> = samples.iter().map(|figures| figures[place]).collect();
        let resample = resample.filter(|_| !samples.is_empty());
        Number {
            std_error: resample.and_then(|resample| std_error(resample.method, &estimates)),
            ..Number::new(value)
        }
    };
    values.iter().enumerate().map(number).collect()
}

/// The figures of some frames; those that are numbers with their standard errors, if the experiment
/// asks for them.
pub(crate) fn with_errors(
    frames: &Frames,
    ctx: &Context<'_>,
    figures: &(dyn Fn(&Frames) -> Result<Output, CellError> + Sync),
) -> Result<Output, CellError> {
    let whole = figures(frames)?;
    let Some(resample) = ctx.resample() else {
        return Ok(whole);
    };
    let groups = Groups::of(frames, &resample.by)?;
    let samples = samples(resample, groups.n, ctx)?;
    let figures_of = |sample: &Sample| {
        ctx.check()?;
        figures(&groups.sample(frames, sample, &resample.by)?)
    };
    // Plans of queries recurse, deeper than the threads of a common pool allow.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(rayon::current_num_threads())
        .stack_size(STACK_BYTES)
        .build()?;
    let of_samples: Vec<Output> = pool.install(|| {
        let all = samples.par_iter().map(figures_of);
        all.collect::<Result<_, CellError>>()
    })?;
    let mut output = Output::default();
    for (row, column, value) in whole.values() {
        let mut value = value.clone();
        if let Value::Number(number) = &mut value {
            let estimates = of_samples.iter().map(|output| output.number(row, column));
            let estimates: Option<Vec<f64>> = estimates.collect();
            let estimated = estimates.and_then(|found| std_error(resample.method, &found));
            number.std_error = estimated.or(number.std_error);
        }
        output.row(row).set(column, value);
    }
    Ok(output)
}

/// Frames whose records are in the order of their groups.
struct Groups {
    n: usize,
    /// Frames without the column that names the groups belong to all of them.
    frames: BTreeMap<String, Grouped>,
}

struct Grouped {
    frame: DataFrame,
    /// Where the records of each group begin, and where those of the last one end.
    starts: Vec<usize>,
}

impl Grouped {
    /// The records of groups that follow one another.
    fn records(&self, groups: &[usize]) -> DataFrame {
        let first = groups.first().map_or(0, |group| self.starts[*group]);
        let (start, end) = (
            first,
            groups.last().map_or(0, |group| self.starts[group + 1]),
        );
        self.frame
            .slice(i64::try_from(start).unwrap_or(i64::MAX), end - start)
    }
}

impl Groups {
    fn of(frames: &Frames, by: &str) -> Result<Self, CellError> {
        let grouped = frames.iter().filter(|(_, frame)| frame.column(by).is_ok());
        let grouped: Vec<(&String, &DataFrame, Vec<Option<String>>)> = grouped
            .map(|(name, frame)| Ok((name, frame, texts(frame, by)?)))
            .collect::<Result<_, CellError>>()?;
        let names = grouped
            .iter()
            .flat_map(|(_, _, texts)| texts.iter().flatten());
        let names: BTreeSet<&String> = names.collect();
        let names: Vec<&String> = names.into_iter().collect();
        let mut sorted = BTreeMap::new();
        for (name, frame, texts) in &grouped {
            let mut records = vec![Vec::new(); names.len()];
            for (record, text) in (0..).zip(texts) {
                let group = text
                    .as_ref()
                    .and_then(|text| names.binary_search(&text).ok());
                if let Some(group) = group {
                    records[group].push(record);
                }
            }
            let mut starts = vec![0];
            starts.extend(records.iter().scan(0, |end, records| {
                *end += records.len();
                Some(*end)
            }));
            let order: Vec<IdxSize> = records.concat();
            let frame = frame.take(&IdxCa::from_vec("".into(), order))?;
            sorted.insert((*name).clone(), Grouped { frame, starts });
        }
        Ok(Self {
            n: names.len(),
            frames: sorted,
        })
    }

    /// The records of a sample. A group that is drawn twice is two groups: its name says which.
    fn sample(&self, frames: &Frames, sample: &[usize], by: &str) -> PolarsResult<Frames> {
        let is_drawn_twice = sample.windows(2).any(|pair| pair[0] >= pair[1]);
        frames.map(|name, frame| {
            let Some(grouped) = self.frames.get(name) else {
                return Ok(frame.clone());
            };
            let mut sampled = grouped.frame.clear();
            let mut draws: Vec<i64> = Vec::new();
            // Groups that follow one another stay together: nothing is copied.
            for (draw, run) in (0..).zip(sample.chunk_by(|a, b| !is_drawn_twice && a + 1 == *b)) {
                sampled.vstack_mut(&grouped.records(run))?;
                draws.resize(sampled.height(), draw);
            }
            if !is_drawn_twice {
                return Ok(sampled);
            }
            sampled.with_column(Column::new(by.into(), draws))?;
            Ok(sampled)
        })
    }
}
