//! The games of a player, and the one-ply choices in them: data, shared columns and fits.

use std::ops::ControlFlow;

use kibitz_board::{
    Color, Game,
    game_filter::{self, GameCounts, GameSource, SelectedGames},
};
use kibitz_experiment::{CellError, Column, Context, Number, Part, Problems, RowOutput};
use kibitz_heuristics::attributes::Attribute;
use kibitz_players::{RememberedStep, Session, one_ply};
use kibitz_stats::{
    ConditionalLogit, Fit, HillClimbOptions,
    inference::{BootstrapOptions, Interval, bootstrap_groups},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A running cell as the session of a fit.
pub(crate) struct CellSession<'a>(pub(crate) &'a Context<'a>);

impl Session for CellSession<'_> {
    type Error = CellError;

    fn check(&self) -> Result<(), CellError> {
        self.0.check()
    }

    fn progress(&self, step: &str, done: usize, total: usize) {
        self.0.progress(step, done, total);
    }

    fn seed(&self, stream: &str) -> u64 {
        self.0.seed_u64(stream)
    }

    fn remember(
        &self,
        name: &str,
        compute: &mut dyn FnMut() -> Vec<RememberedStep>,
    ) -> Result<Vec<RememberedStep>, CellError> {
        self.0.checkpoint(name, || Ok(compute()))
    }
}

/// A player in a collection.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CodedPlayer {
    /// Name of the player in the table.
    pub(crate) name: String,
    /// The collection, by its name under `data`, and a filter of its games.
    pub(crate) games: GameSource,
    /// The player, by prefix of the name in the collection.
    pub(crate) player: String,
}

impl CodedPlayer {
    /// Validates the list `players`.
    pub(crate) fn check_all(players: &[Self], problems: &mut Problems) {
        problems.require(!players.is_empty(), "players", "at least one player");
        problems.each("players", players, |player, problems| {
            check_games(&player.games, problems);
        });
    }

    /// The row of the player under a code.
    pub(crate) fn row(&self, code: &str) -> String {
        format!("{}, {code}", self.name)
    }
}

/// The maximizer of the likelihood; both lead to the same maximum.
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
    /// Maximum likelihood weights, from zero.
    pub(crate) fn fit(self, model: ConditionalLogit<'_>) -> Result<Fit, CellError> {
        match self {
            Optimizer::Newton => Ok(one_ply::fit(model)?),
            Optimizer::HillClimb => {
                let start = vec![0.0; model.sets().n_attributes()];
                Ok(model.fit_hill_climb(&start, &HillClimbOptions::default())?)
            }
        }
    }
}

/// The shared column `i-random`.
pub(crate) const I_RANDOM: Column = Column::new(
    "i-random",
    "bit",
    "information of the moves when all are equally likely",
);

/// The shared column `i-inferred`.
pub(crate) const I_INFERRED: Column = Column::new(
    "i-inferred",
    "bit",
    "information of the moves under the fitted model",
);

/// Name of the column `<prefix>-<attribute>`.
pub(crate) fn column(prefix: &str, attribute: Attribute) -> String {
    format!("{prefix}-{}", attribute.short_name())
}

/// `columns` with the columns `of_each` of every attribute inserted at `place`; their names are prefixes,
/// and `{}` in their docs stands for the attribute's short name.
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

/// Fills the columns `lambda` of the attributes.
pub(crate) fn set_weights(
    output: &mut RowOutput<'_>,
    attributes: &[Attribute],
    weights: &[f64],
    std_errors: &[f64],
) {
    let weights = weights.iter().zip(std_errors);
    for (&attribute, (&weight, &std_error)) in attributes.iter().zip(weights) {
        let weight = Number::new(weight).with_std_error(std_error);
        output.set(column("lambda", attribute), weight);
    }
}

/// 95% bootstrap intervals of estimates, from `n_replicates` resamples of the groups. Resamples without
/// an estimate are reported; over 5% of them are an error.
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
    if bootstrap.n_lost > 0 {
        let used = bootstrap.n_drawn - bootstrap.n_lost;
        ctx.warn(format!(
            "intervals rest on the {used} of {} resamples that have an estimate",
            bootstrap.n_drawn
        ));
    }
    Ok(bootstrap.percentile_intervals(0.95)?)
}

/// Validates the parameter `games` of a player.
pub(crate) fn check_games(games: &GameSource, problems: &mut Problems) {
    problems.names_data("games", &games.data);
    if let Some((place, problem)) = games.problem(true) {
        problems.at(format!("games.{place}"), problem);
    }
}

/// The color of `player`, by prefix of the name (the surname).
pub(crate) fn color_of(game: &Game, player: &str) -> Result<Color, CellError> {
    game_filter::color_of(game, player)
        .ok_or_else(|| CellError::new(format!("game {} is not one of `{player}`", game.key())))
}

/// The selected games of a player, each with the player's color.
pub(crate) struct PlayerGames {
    pub(crate) games: Vec<(Game, Color)>,
    /// Numbers of bad games and of good games left out; `None` if none may be left out.
    left_out: Option<[u64; 2]>,
}

/// The columns of [`PlayerGames::set_left_out`].
pub(crate) const BAD_GAMES: Column = Column::new(
    "bad-games",
    "games",
    "games that cannot be read, where these are left out",
);
pub(crate) const LEFT_OUT: Column = Column::new(
    "left-out",
    "games",
    "games that do not count, where a choice is made",
);

impl PlayerGames {
    /// Fills the columns of games left out, if the experiment leaves out games.
    pub(crate) fn set_left_out(&self, output: &mut RowOutput<'_>) {
        if let Some([bad, good]) = self.left_out {
            output.set("bad-games", bad).set("left-out", good);
        }
    }
}

/// The selected games of `player`, with an audit and a warning about unreadable ones.
pub(crate) fn games_of(
    player: &str,
    games: &GameSource,
    ctx: &Context<'_>,
) -> Result<PlayerGames, CellError> {
    let file = ctx.data(&games.data)?;
    let read: SelectedGames = games.read(
        file.entry(),
        kibitz_tables::games::open(&file)?,
        Some(player),
    )?;
    if let Some(report) = read.report() {
        ctx.warn(report);
    }
    let counts = read.counts();
    ctx.audit(format!("{} of `{player}`: {counts}", file.entry()));
    let left_out = games
        .is_selective()
        .then_some([counts.bad, counts.left_out]);
    let of_player = read.games.into_iter();
    Ok(PlayerGames {
        games: of_player
            .filter_map(|(game, color)| Some((game, color?)))
            .collect(),
        left_out,
    })
}

/// Gives the selected games of `player` that fall into a part to `each`, with their numbers among
/// all of them from 1, as a stream; with an audit and a warning about unreadable ones.
pub(crate) fn visit_games(
    player: &CodedPlayer,
    part: Part,
    ctx: &Context<'_>,
    mut each: impl FnMut(u64, &Game, Color) -> Result<(), CellError>,
) -> Result<(), CellError> {
    let CodedPlayer { player, games, .. } = player;
    let file = ctx.data(&games.data)?;
    // How many there are is known once all are read.
    let mut n_games = 0;
    let tally = games.visit(
        file.entry(),
        kibitz_tables::games::open(&file)?,
        Some(player),
        |_, _| {
            n_games += 1;
            ctx.check().map(ControlFlow::Continue)
        },
    )?;
    if let Some(report) = tally.report() {
        ctx.warn(report);
    }
    let counts = GameCounts::new(&tally, n_games);
    ctx.audit(format!("{} of `{player}`: {counts}", file.entry()));
    let range = part.range(n_games);
    let length = usize::try_from(range.end - range.start)?;
    let mut place = 0;
    games.visit(
        file.entry(),
        kibitz_tables::games::open(&file)?,
        Some(player),
        |game, color| {
            ctx.check()?;
            let Some(color) = color.filter(|_| range.contains(&place)) else {
                place += 1;
                return Ok(ControlFlow::Continue(()));
            };
            let n_done = usize::try_from(place - range.start)?;
            ctx.progress("game", n_done, length);
            place += 1;
            each(place, &game, color)?;
            Ok::<_, CellError>(if place < range.end {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        },
    )?;
    Ok(())
}
