//! Games and what a player chose in them, as data to fit.

use kibitz_board::{Chess, Color, Game, Move, Position, pgn};
use kibitz_experiment::{CellError, Column, Context, DataFile, Number, Problems, RowOutput};
use kibitz_heuristics::attributes::{Attribute, AttributeSet};
use kibitz_search::one_ply::OnePly;
use kibitz_stats::{
    ChoiceSets, ConditionalLogit, Fit, HillClimbOptions, NewtonOptions,
    inference::{BootstrapOptions, Interval, bootstrap_groups},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whose moves are coded.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CodedPlayer {
    /// How the player is called in the table.
    pub(crate) name: String,
    /// The collection, by its name under `data`.
    pub(crate) games: String,
    /// Whose moves: the beginning of the name as the collection has it.
    pub(crate) player: String,
}

impl CodedPlayer {
    /// Reports what makes no sense in the list `players`.
    pub(crate) fn check_all(players: &[Self], problems: &mut Problems) {
        problems.require(!players.is_empty(), "players", "at least one player");
        problems.each("players", players, |player, problems| {
            problems.names_data("games", &player.games);
        });
    }

    /// The row of the table for what the player's moves cost under this code.
    pub(crate) fn row(&self, code: &str) -> String {
        format!("{}, {code}", self.name)
    }
}

/// How the weights are fitted; both ways lead to the same maximum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Optimizer {
    /// Newton's method with line search.
    #[default]
    Newton,
    /// The paper's "simple and robust hill climbing".
    HillClimb,
}

impl Optimizer {
    /// Maximum likelihood weights, started from zero.
    pub(crate) fn fit(self, model: ConditionalLogit<'_>) -> Result<Fit, CellError> {
        let start = vec![0.0; model.sets().n_attributes()];
        Ok(match self {
            Optimizer::Newton => model.fit_newton(&start, &NewtonOptions::default())?,
            Optimizer::HillClimb => model.fit_hill_climb(&start, &HillClimbOptions::default())?,
        })
    }
}

/// The column of that name that several kinds have.
pub(crate) const I_RANDOM: Column = Column::new(
    "i-random",
    "bit",
    "information of the moves when all are equally likely",
);

/// The column of that name that several kinds have.
pub(crate) const I_INFERRED: Column = Column::new(
    "i-inferred",
    "bit",
    "information of the moves under the fitted model",
);

/// The columns `<prefix>-<attribute>` have this name for an attribute.
pub(crate) fn column(prefix: &str, attribute: Attribute) -> String {
    format!("{prefix}-{}", attribute.short_name())
}

/// `columns` with those of every attribute at `place`. The names of `of_each` are prefixes, and
/// `{}` in their docs is the attribute's short name.
pub(crate) fn with_attributes(
    columns: &[Column],
    place: usize,
    attributes: &[Attribute],
    of_each: &[Column],
) -> Vec<Column> {
    let of_attributes = attributes.iter().flat_map(|&attribute| {
        of_each.iter().map(move |each| Column {
            name: column(&each.name, attribute).into(),
            doc: each.doc.replace("{}", attribute.short_name()).into(),
            ..each.clone()
        })
    });
    let mut columns = columns.to_vec();
    columns.splice(place..place, of_attributes);
    columns
}

/// Fills the columns `lambda` of the attributes; that the fit found no maximum is an error.
pub(crate) fn set_weights(
    output: &mut RowOutput<'_>,
    attributes: &[Attribute],
    fit: &Fit,
) -> Result<(), CellError> {
    let std_errors = fit.std_errors.as_ref().ok_or_else(|| no_maximum(fit))?;
    let weights = fit.weights.iter().zip(std_errors);
    for (&attribute, (&weight, &std_error)) in attributes.iter().zip(weights) {
        let weight = Number::new(weight).with_std_error(std_error);
        output.set(column("lambda", attribute), weight);
    }
    Ok(())
}

/// What to say of a fit without a maximum.
pub(crate) fn no_maximum(fit: &Fit) -> CellError {
    CellError::new(format!("no maximum: {:?}", fit.stop))
}

/// 95% intervals of what is estimated, from drawing the groups anew `n_replicates` times.
pub(crate) fn intervals(
    groups: &[u32],
    n_replicates: u32,
    ctx: &Context<'_>,
    estimate: impl Fn(&[u32]) -> Option<Vec<f64>> + Sync,
) -> Result<Vec<Interval>, CellError> {
    let options = BootstrapOptions {
        n_replicates: n_replicates as usize,
        seed: ctx.seed_u64("bootstrap"),
    };
    let bootstrap = bootstrap_groups(groups, options, estimate)?;
    ctx.check()?;
    Ok(bootstrap.percentile_intervals(0.95)?)
}

/// All games of an embedded collection. A bad game is an error: what is embedded is clean.
pub(crate) fn read_games(file: &DataFile) -> Result<Vec<Game>, CellError> {
    let bytes = file.bytes()?;
    pgn::read_games(file.entry(), &bytes[..], pgn::Policy::strict())
        .map(|game| game.map_err(CellError::from))
        .collect()
}

/// The color that `player` had, by the beginning of the name (the surname).
pub(crate) fn color_of(game: &Game, player: &str) -> Result<Color, CellError> {
    let tags = game.tags();
    match (
        tags.white.starts_with(player),
        tags.black.starts_with(player),
    ) {
        (true, false) => Ok(Color::White),
        (false, true) => Ok(Color::Black),
        _ => Err(CellError::new(format!(
            "game {} ({} - {}) should have `{player}` on just one side",
            game.key(),
            tags.white,
            tags.black,
        ))),
    }
}

/// All games of a collection, by its name under `data`, each with the color that `player` had.
pub(crate) fn games_of(
    player: &str,
    collection: &str,
    ctx: &Context<'_>,
) -> Result<Vec<(Game, Color)>, CellError> {
    let games = read_games(&ctx.data(collection)?)?.into_iter();
    games
        .map(|game| {
            let color = color_of(&game, player)?;
            Ok((game, color))
        })
        .collect()
}

/// The decisions of a player in games, which are numbered, as choices under the one-ply model.
pub(crate) fn one_ply_choices<P: IntoIterator<Item = (Chess, Move)>>(
    attributes: &AttributeSet,
    games: impl IntoIterator<Item = P>,
    ctx: &Context<'_>,
) -> Result<ChoiceSets, CellError> {
    let model = OnePly::new(attributes.clone());
    let mut builder = ChoiceSets::scaled_builder(&attributes.scales())?;
    let mut rows = Vec::new();
    for (number, plies) in (0..).zip(games) {
        ctx.check()?;
        for (position, played) in plies {
            let moves = position.legal_moves();
            let chosen = (moves.iter())
                .position(|candidate| *candidate == played)
                .ok_or_else(|| {
                    CellError::new(format!("illegal move {played:?} in game {number}"))
                })?;
            rows.clear();
            model.extend_rows(&position, &moves, &mut rows);
            builder.push_flat(number, chosen, &rows)?;
        }
    }
    Ok(builder.build())
}
