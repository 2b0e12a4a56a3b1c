//! The workloads of comparisons, one file each.

mod graph_rules;
mod krk;
mod krk_illegal;
mod logit_fit;
mod minesweeper;
mod one_ply;
mod pgn_archive;
mod qsim;
mod theory_coverage;

use std::{collections::BTreeMap, path::Path};

use anyhow::bail;

/// The answer of an engine: values by name.
pub(crate) type Answer = BTreeMap<String, f64>;

/// The name under which an engine says itself how long its work took, where more happens in a run.
pub(crate) const SECONDS: &str = "seconds";

/// Work that several engines can do, with its input ready.
pub(crate) trait Workload {
    /// The unit of work, in the plural.
    fn unit(&self) -> &'static str;
    /// The number of units in one run.
    fn n_items(&self) -> u64;
    /// Does the work once.
    fn run(&self, engine: &str) -> anyhow::Result<Answer>;
}

/// A comparison that cannot run here, with the reason and the remedy.
#[derive(Debug)]
pub(crate) struct SkippedComparison(pub(crate) String);

impl std::fmt::Display for SkippedComparison {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SkippedComparison {}

/// Reads a workload's parameters and makes its input.
pub(crate) fn prepare(
    name: &str,
    params: toml::Table,
    data: Option<&Path>,
) -> anyhow::Result<Box<dyn Workload>> {
    Ok(match name {
        "graph-rules" => Box::new(graph_rules::GraphRules::prepare(params.try_into()?, data)?),
        "krk-illegal" => Box::new(krk_illegal::KrkIllegal::prepare(params.try_into()?)?),
        "logit-fit" => Box::new(logit_fit::LogitFit::prepare(&params.try_into()?)?),
        "minesweeper" => Box::new(minesweeper::Minesweeper::prepare(&params.try_into()?)?),
        "one-ply" => Box::new(one_ply::OnePlyChoiceSets::prepare(&params.try_into()?)),
        "pgn-archive" => Box::new(pgn_archive::PgnArchive::prepare(&params.try_into()?, data)?),
        "qsim" => Box::new(qsim::Qsim::prepare(&params.try_into()?)?),
        "theory-coverage" => Box::new(theory_coverage::TheoryCoverage::prepare(
            &params.try_into()?,
        )),
        _ => bail!(
            "unknown workload `{name}`: graph-rules, krk-illegal, logit-fit, minesweeper, one-ply, pgn-archive, \
             qsim and theory-coverage are known"
        ),
    })
}
