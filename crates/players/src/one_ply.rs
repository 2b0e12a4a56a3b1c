//! The simple model: the decisions of a player as choice sets, and the fit of the weights.

use kibitz_board::{Chess, Move, Position};
use kibitz_heuristics::attributes::AttributeSet;
use kibitz_search::one_ply::OnePly;
use kibitz_stats::{
    ChoiceSets, ConditionalLogit, Fit, FitError, NewtonOptions, soft_minimax::STAGED_FROM,
};

use crate::{Error, Session};

/// The decisions of a player in games, grouped by game index, as choice sets of the one-ply model.
///
/// Each game is the positions in which the player was to move, with the move.
///
/// # Errors
/// [`Error::IllegalMove`], [`Error::Choice`], or the end of the session.
pub fn choices<S: Session, P: IntoIterator<Item = (Chess, Move)>>(
    attributes: &AttributeSet,
    games: impl IntoIterator<Item = P>,
    session: &S,
) -> Result<ChoiceSets, S::Error> {
    let model = OnePly::new(attributes.clone());
    let mut builder = ChoiceSets::scaled_builder(&attributes.scales()).map_err(Error::from)?;
    let mut rows = Vec::new();
    for (number, plies) in (0..).zip(games) {
        session.check()?;
        for (position, played) in plies {
            let moves = position.legal_moves();
            let chosen = (moves.iter())
                .position(|candidate| *candidate == played)
                .ok_or_else(|| Error::IllegalMove {
                    played: format!("{played:?}"),
                    game: number,
                })?;
            rows.clear();
            model.extend_rows(&position, &moves, &mut rows);
            let pushed = builder.push_flat(number, chosen, &rows);
            pushed.map_err(Error::from)?;
        }
    }
    Ok(builder.build())
}

/// Maximum likelihood weights by Newton's method from zero; with many choices first on a tenth of
/// them, because most passes are spent far from the maximum.
///
/// # Errors
/// [`FitError`] without data or attributes, or on overflow.
pub fn fit(model: ConditionalLogit<'_>) -> Result<Fit, FitError> {
    let options = NewtonOptions::default();
    let mut start = vec![0.0; model.sets().n_attributes()];
    if model.sets().n_choices() >= STAGED_FROM {
        let sample = model.sets().every(10);
        let rough = ConditionalLogit::new(&sample).fit_newton(&start, &options)?;
        if rough.converged() {
            start = rough.weights;
        }
    }
    model.fit_newton(&start, &options)
}
