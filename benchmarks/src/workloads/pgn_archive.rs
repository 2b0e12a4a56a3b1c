//! A large collection parsed and replayed as a stream.

use std::path::{Path, PathBuf};

use kibitz_board::{open, pgn};
use serde::Deserialize;

use super::{Answer, SkippedComparison, Workload};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// File name in the folder given with `--data`.
    file: String,
    /// Games in it, for the rate.
    games: u64,
}

pub(crate) struct PgnArchive {
    path: PathBuf,
    games: u64,
}

impl PgnArchive {
    pub(crate) fn prepare(params: &Params, data: Option<&Path>) -> anyhow::Result<Self> {
        let Some(data) = data else {
            return Err(SkippedComparison(format!(
                "needs {} in the folder of --data",
                params.file
            ))
            .into());
        };
        let path = data.join(&params.file);
        if !path.is_file() {
            return Err(SkippedComparison(format!("{} is not there", path.display())).into());
        }
        Ok(Self {
            path,
            games: params.games,
        })
    }
}

impl Workload for PgnArchive {
    fn unit(&self) -> &'static str {
        "games"
    }

    fn n_items(&self) -> u64 {
        self.games
    }

    fn run(&self, engine: &str) -> anyhow::Result<Answer> {
        anyhow::ensure!(engine == "kibitz", "only kibitz is known");
        let reader = open::open(&self.path)?;
        let mut collection = pgn::read_games(
            self.path.display().to_string(),
            reader,
            pgn::Policy::default(),
        );
        let mut plies = 0;
        for game in &mut collection {
            plies += game?.n_plies();
        }
        let tally = collection.tally();
        Ok(Answer::from([
            ("games".to_owned(), tally.n_games as f64),
            ("bad".to_owned(), tally.n_bad as f64),
            ("plies".to_owned(), plies as f64),
        ]))
    }
}
