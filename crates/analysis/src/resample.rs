//! Other samples of the same records: groups left out or drawn.

use std::collections::{BTreeMap, BTreeSet};

use kibitz_experiment::{CellError, Context, Output, Resample, Resampling, Value};
use polars::prelude::*;
use rand::RngExt as _;
use rayon::prelude::*;

use crate::{
    errors::Errors,
    frames::{Frames, codes, texts},
};

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

/// The groups of records, as numbers in the order in which they first occur.
pub(crate) fn group_codes(records: &DataFrame, by: &str) -> Result<Vec<u32>, CellError> {
    refuse_absent(records, by)?;
    codes(records, by)
}

/// Records without a group could be in no sample, and would count in the whole.
fn refuse_absent(records: &DataFrame, by: &str) -> Result<(), CellError> {
    let n_absent = records.column(by)?.null_count();
    if n_absent > 0 {
        return Err(CellError::new(format!(
            "{n_absent} of {} records have no `{by}` to resample by; leave them out with \
             `WHERE \"{by}\" IS NOT NULL`",
            records.height()
        )));
    }
    Ok(())
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
    let mut errors = Errors::new(resample);
    for (row, column, value) in whole.values() {
        let mut value = value.clone();
        if let Value::Number(number) = &mut value {
            let estimates = of_samples.iter().map(|output| {
                let number = output.number(row, column);
                number.ok_or("the query has no number there")
            });
            number.std_error = errors.std_error(row, column, estimates);
        }
        output.row(row).set(column, value);
    }
    errors.used.tell(ctx, &mut output)?;
    Ok(output)
}

/// Frames whose records are in the order of their groups.
struct Groups {
    n: usize,
    /// Frames without the column that names the groups belong to all of them.
    frames: BTreeMap<String, GroupedFrame>,
}

/// A frame whose records are in the order of their groups.
struct GroupedFrame {
    frame: DataFrame,
    /// Where the records of each group begin, and where those of the last one end.
    starts: Vec<usize>,
}

impl GroupedFrame {
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
            .map(|(name, frame)| {
                refuse_absent(frame, by)?;
                Ok((name, frame, texts(frame, by)?))
            })
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
            sorted.insert((*name).clone(), GroupedFrame { frame, starts });
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
