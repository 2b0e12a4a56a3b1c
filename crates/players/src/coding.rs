//! What moves cost under weights that were fitted to other games.

use std::collections::BTreeMap;

use kibitz_stats::{ChoiceSets, ConditionalLogit, split::Split};

use crate::{Error, Session, no_maximum, one_ply};

/// The cost of one game's moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GameCost {
    /// The game, by its group.
    pub group: u32,
    /// The player's moves in it.
    pub moves: u64,
    /// Bits if all moves are equally likely.
    pub uniform: f64,
    /// Bits under the weights fitted without the game's fold.
    pub model: f64,
}

/// One-ply weights fitted to the training groups of each fold.
///
/// # Errors
/// [`Error::NoMaximum`] for a fold whose training games have no maximum, and the end of the session.
pub fn fold_weights<S: Session, N: AsRef<str>>(
    sets: &ChoiceSets,
    attributes: &[N],
    folds: &[Split],
    session: &S,
) -> Result<Vec<Vec<f64>>, S::Error> {
    let weights = folds.iter().enumerate().map(|(index, fold)| {
        session.check()?;
        session.progress("fold", index, folds.len());
        let training = sets.by_groups(&fold.train);
        let model = ConditionalLogit::new(&training);
        let fit = one_ply::fit(model)?;
        if let Some(why) = model.no_maximum(&fit.weights, fit.stop) {
            let name = format!("fold {} of {}", index + 1, folds.len());
            return Err(Error::NoMaximum(no_maximum(&name, &why, attributes)).into());
        }
        Ok(fit.weights)
    });
    weights.collect()
}

/// The cost of every game of `folds` under one-ply weights fitted to the other folds, in the order of
/// the folds.
///
/// # Errors
/// As [`fold_weights`].
pub fn held_out<S: Session, N: AsRef<str>>(
    sets: &ChoiceSets,
    attributes: &[N],
    folds: &[Split],
    session: &S,
) -> Result<Vec<GameCost>, S::Error> {
    let weights = fold_weights(sets, attributes, folds, session)?;
    let costs = folds.iter().zip(weights).flat_map(|(fold, weights)| {
        fold.test.iter().map(move |&group| {
            let game = sets.by_groups(&[group]);
            let model = ConditionalLogit::new(&game);
            GameCost {
                group,
                moves: game.n_choices(),
                uniform: model.uniform_bits(),
                model: model.bits(&weights),
            }
        })
    });
    Ok(costs.collect())
}

/// Sums of costs by game, in the order of `games`; costs of other games are ignored.
pub fn by_game(costs: impl Iterator<Item = (u32, f64)>, games: &[u32]) -> Vec<f64> {
    let mut totals: BTreeMap<u32, f64> = games.iter().map(|&game| (game, 0.0)).collect();
    for (game, cost) in costs {
        if let Some(total) = totals.get_mut(&game) {
            *total += cost;
        }
    }
    games.iter().map(|game| totals[game]).collect()
}
