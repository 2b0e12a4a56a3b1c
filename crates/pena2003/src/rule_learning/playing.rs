//! Theories as players, and compared with Table 3.

use std::collections::BTreeSet;
use std::ops::Range;

use kibitz_experiment::{CellError, Context};
use kibitz_minesweeper::{Knowledge, Level, RulePlayer, Series};
use kibitz_prolog::{Clause, ProverError};
use rayon::prelude::*;

use crate::mio::player::Theories;
use crate::mio::relations::{TABLE_3, Vocabulary};

/// Games that are played together.
const GAMES_PER_CHUNK: u32 = 125;

/// How a theory compares with Table 3 on tiles of positions.
#[derive(Default)]
pub(super) struct Comparison {
    pub(super) tiles: u64,
    /// Tiles that Table 3 decides and the theory does not, and the other way around.
    pub(super) missed: u64,
    pub(super) extra: u64,
}

/// Boards, and how many games are played on them.
pub(super) struct Boards<'a> {
    pub(super) level: &'a Level,
    pub(super) seed: [u8; 32],
    pub(super) n_games: u32,
}

impl Boards<'_> {
    /// Compares the predictions of a theory and of Table 3 for one target on the tiles of all positions that
    /// the rule player meets.
    pub(super) fn compare(
        &self,
        clauses: &[Clause],
        side: usize,
        ctx: &Context<'_>,
    ) -> Result<Comparison, CellError> {
        let parts = self.in_chunks(ctx, |series, games| compare(clauses, side, series, games))?;
        let mut all = Comparison::default();
        for part in parts {
            all.tiles += part.tiles;
            all.missed += part.missed;
            all.extra += part.extra;
        }
        Ok(all)
    }

    /// Games won by each theory.
    pub(super) fn n_won(
        &self,
        theories: &[&[Clause]],
        ctx: &Context<'_>,
    ) -> Result<Vec<u64>, CellError> {
        let parts = self.in_chunks(ctx, |series, games| n_won(theories, series, games))?;
        let mut all = vec![0; theories.len()];
        for part in parts {
            all.iter_mut().zip(part).for_each(|(all, won)| *all += won);
        }
        Ok(all)
    }

    /// Work on all games, in parts of some; the results in their order.
    fn in_chunks<T: Send>(
        &self,
        ctx: &Context<'_>,
        work: impl Fn(&Series, Range<u32>) -> Result<T, CellError> + Sync,
    ) -> Result<Vec<T>, CellError> {
        let series = Series::new(self.level, self.seed);
        let chunks: Vec<u32> = (0..self.n_games)
            .step_by(GAMES_PER_CHUNK as usize)
            .collect();
        let part = |first: u32| {
            ctx.check()?;
            work(&series, first..self.n_games.min(first + GAMES_PER_CHUNK))
        };
        chunks.into_par_iter().map(part).collect()
    }
}

fn compare(
    clauses: &[Clause],
    side: usize,
    series: &Series,
    games: Range<u32>,
) -> Result<Comparison, CellError> {
    let vocabulary = Vocabulary::new()?;
    let printed = vocabulary.read(TABLE_3)?;
    let theories = Theories::new(&vocabulary, &[clauses, &printed])?;
    let mut asked = theories.player();
    let mut comparison = Comparison::default();
    let mut failure: Option<ProverError> = None;
    let mut look = |knowledge: &Knowledge| -> Result<(), ProverError> {
        let position = asked.position(knowledge);
        let mut said = [const { BTreeSet::new() }; 2];
        for (theory, said) in said.iter_mut().enumerate() {
            asked.take(theory);
            for tiles in asked.by_rule(&position, side) {
                said.extend(tiles?);
            }
        }
        comparison.tiles += knowledge.n_covered() as u64;
        comparison.missed += said[1].difference(&said[0]).count() as u64;
        comparison.extra += said[0].difference(&said[1]).count() as u64;
        Ok(())
    };
    let mut player = RulePlayer::default();
    for number in games {
        series.play(number.into(), &mut player, |knowledge, _| {
            if failure.is_none() {
                failure = look(knowledge).err();
            }
        })?;
    }
    failure.map_or(Ok(comparison), |error| Err(error.into()))
}

fn n_won(
    theories: &[&[Clause]],
    series: &Series,
    games: Range<u32>,
) -> Result<Vec<u64>, CellError> {
    let vocabulary = Vocabulary::new()?;
    let theories = Theories::new(&vocabulary, theories)?;
    let mut player = theories.player();
    let mut n_won = vec![0; theories.len()];
    for number in games {
        let mut is_won = Vec::with_capacity(theories.len());
        for theory in 0..theories.len() {
            let alike = theories.first_alike(theory);
            if alike < theory {
                is_won.push(is_won[alike]);
                continue;
            }
            player.take(theory);
            let outcome = series.play(number.into(), &mut player, |_, _| ())?;
            if let Some(error) = player.error() {
                return Err(error.into());
            }
            is_won.push(outcome.is_won);
        }
        for (n_won, is_won) in n_won.iter_mut().zip(is_won) {
            *n_won += u64::from(is_won);
        }
    }
    Ok(n_won)
}
