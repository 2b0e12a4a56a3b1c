//! `player-weights`: the one-ply model of every player with enough games in a collection.

use std::collections::BTreeMap;

use kibitz_board::{Color, Game, Outcome, game_filter::GameCounts, open::Decompressed, pgn};
use kibitz_experiment::{
    Cell, CellError, Column, Context, Datum, Experiment, Field, FieldType, Output, Part, Problems,
    Records, Sources,
};
use kibitz_heuristics::attributes::{Attribute, AttributeSet, MobilityConvention};
use kibitz_search::one_ply::OnePly;
use kibitz_stats::{
    ChoiceSets, ChoiceSetsBuilder, ConditionalLogit, inference::MIN_CLUSTERS,
    inference::clustered_covariance, optimize::Differentiable, split::k_fold,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::player_games::Optimizer;
use kibitz_players::no_maximum;

/// Weights of every player of a collection, with errors, and bits per move of games held out.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PlayerWeights {
    /// The collection, by its name under `data`; read as a stream.
    games: String,
    /// Games that a player must have; names count as they are written.
    least: u32,
    /// The attributes of the model.
    attributes: Vec<Attribute>,
    /// The moves counted in the mobility balance.
    #[serde(default)]
    mobility: MobilityConvention,
    /// Number of cross-validation folds of a player's games.
    folds: u32,
    /// Seed of the folds: that of a cell would depend on the parts.
    seed: u64,
    /// Into how many parts the players fall: cells that run one by one.
    parts: u32,
}

impl Experiment for PlayerWeights {
    type Row = Part;

    const NAME: &'static str = "player-weights";
    const EXAMPLE: &'static str = include_str!("../examples/player-weights.toml");
    const COLUMNS: &'static [Column] = &[];

    fn check(&self, problems: &mut Problems) {
        problems.names_data("games", &self.games);
        let needed = u32::try_from(MIN_CLUSTERS).unwrap_or(u32::MAX);
        problems.require(
            self.least >= needed && self.least >= self.folds,
            "least",
            format!("at least {needed} games, to tell how games differ, and one for each fold"),
        );
        problems.require(
            self.folds >= 2,
            "folds",
            "at least two parts, to fit on one and code another",
        );
        problems.require(
            !self.attributes.is_empty(),
            "attributes",
            "at least one attribute",
        );
        problems.require(Part::is_number(self.parts), "parts", Part::PROBLEM);
    }

    fn fields(&self, _: &Sources) -> Vec<Field> {
        self.columns_of_records()
    }

    fn cells(&self) -> Vec<Cell<Part>> {
        let cell = |part: Part| {
            Cell::rows(part.name("players"), [""; 0], part)
                .reading([&self.games])
                .costing(2000.0 / f64::from(self.parts))
        };
        Part::all(self.parts).map(cell).collect()
    }

    fn run(&self, part: &Part, ctx: &Context<'_>, _: &mut Output) -> Result<(), CellError> {
        let mut players = self.players(*part, ctx)?;
        self.collect(&mut players, ctx)?;
        let mut records = Records::new(self.columns_of_records());
        let n_players = players.len();
        for (number, (name, player)) in players.into_iter().enumerate() {
            ctx.progress("player", number, n_players);
            self.push(&name, player, &mut records, ctx)?;
        }
        ctx.add_records(records)
    }
}

/// What is known of a player.
struct Player {
    choices: ChoiceSetsBuilder,
    n_games: u32,
    years: Vec<u16>,
    elos: Vec<u16>,
    /// Twice the points, and games of known result.
    points: (u32, u32),
}

impl PlayerWeights {
    fn columns_of_records(&self) -> Vec<Field> {
        use FieldType::{Float, Int, Text};
        let of_player = [
            ("player", Text, "", "the name, as the collection has it"),
            ("games", Int, "games", "games of the player"),
            ("decisions", Int, "moves", "moves of the player"),
            ("year", Int, "", "median year of the games with a date"),
            (
                "elo",
                Float,
                "points",
                "mean Elo rating in the games that tell it",
            ),
            ("elo_games", Int, "games", "games that tell the rating"),
            (
                "score",
                Float,
                "%",
                "share of the points in games of known result",
            ),
        ];
        let bits = [
            (
                "bits_random",
                Float,
                "bit",
                "bits per move when all moves are equally likely",
            ),
            ("bits", Float, "bit", "bits per move under the fitted model"),
            (
                "bits_held_out",
                Float,
                "bit",
                "bits per move under models fitted to other games of the player",
            ),
        ];
        let weights = self.attributes.iter().flat_map(|attribute| {
            let name = attribute.short_name();
            [
                Field::new(
                    name.to_owned(),
                    Float,
                    "",
                    format!("weight of {name}; none where the choices have no single maximum"),
                ),
                Field::new(
                    format!("{name}_error"),
                    Float,
                    "",
                    "its standard error, clustered by game",
                ),
            ]
        });
        let field = |(name, of, unit, doc)| Field::new(name, of, unit, doc);
        let fields = of_player.into_iter().map(field).chain(weights);
        fields.chain(bits.into_iter().map(field)).collect()
    }

    /// The players of a part, by name: every so manieth of those with enough games, so that parts are
    /// of about one length.
    fn players(
        &self,
        part: Part,
        ctx: &Context<'_>,
    ) -> Result<BTreeMap<String, Player>, CellError> {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        visit_all(&self.games, ctx, |game| {
            for (name, _) in sides(game) {
                match counts.get_mut(name) {
                    Some(count) => *count += 1,
                    None => drop(counts.insert(name.to_owned(), 1)),
                }
            }
            Ok(())
        })?;
        let names: Vec<String> = (counts.into_iter())
            .filter_map(|(name, count)| (count >= self.least).then_some(name))
            .collect();
        let range = part.range(names.len() as u64);
        let (start, end) = (usize::try_from(range.start)?, usize::try_from(range.end)?);
        let scales = self.attribute_set().scales();
        let player = |name: String| {
            let player = Player {
                choices: ChoiceSets::scaled_builder(&scales)?,
                n_games: 0,
                years: Vec::new(),
                elos: Vec::new(),
                points: (0, 0),
            };
            Ok((name, player))
        };
        names
            .into_iter()
            .take(end)
            .skip(start)
            .map(player)
            .collect()
    }

    fn attribute_set(&self) -> AttributeSet {
        AttributeSet {
            mobility: self.mobility,
            ..AttributeSet::new(self.attributes.clone())
        }
    }

    /// Collects the decisions of players.
    fn collect(
        &self,
        players: &mut BTreeMap<String, Player>,
        ctx: &Context<'_>,
    ) -> Result<(), CellError> {
        let model = OnePly::new(self.attribute_set());
        let mut rows = Vec::new();
        visit_all(&self.games, ctx, |game| {
            for (name, color) in sides(game) {
                let Some(player) = players.get_mut(name) else {
                    continue;
                };
                for (position, played) in game.plies_of(color) {
                    let moves = kibitz_board::Position::legal_moves(&position);
                    let chosen = moves.iter().position(|candidate| *candidate == played);
                    let chosen = chosen.ok_or_else(|| {
                        CellError::new(format!("illegal move {played:?} in game {}", game.key()))
                    })?;
                    rows.clear();
                    model.extend_rows(&position, &moves, &mut rows);
                    player.choices.push_flat(player.n_games, chosen, &rows)?;
                }
                player.n_games += 1;
                player.years.extend(game.tags().date.year);
                player.elos.extend(match color {
                    Color::White => game.tags().white_elo,
                    Color::Black => game.tags().black_elo,
                });
                if let Outcome::Known(outcome) = game.outcome() {
                    player.points.0 += match outcome.winner() {
                        Some(winner) => 2 * u32::from(winner == color),
                        None => 1,
                    };
                    player.points.1 += 1;
                }
            }
            Ok(())
        })
    }

    /// Fits a player's model and adds its record.
    fn push(
        &self,
        name: &str,
        mut player: Player,
        records: &mut Records,
        ctx: &Context<'_>,
    ) -> Result<(), CellError> {
        let sets = player.choices.build();
        player.years.sort_unstable();
        let year = player.years.get(player.years.len() / 2);
        let n_elos = player.elos.len();
        let elo: f64 = player.elos.iter().copied().map(f64::from).sum();
        let (points, n_known) = player.points;
        let n_moves = sets.n_choices();
        let mut row = vec![
            Datum::Text(name),
            player.n_games.into(),
            Datum::Int(i64::try_from(n_moves)?),
            year.map_or(Datum::Absent, |&year| Datum::Int(year.into())),
            defined(n_elos > 0, elo / n_elos as f64),
            n_elos.into(),
            defined(n_known > 0, 50.0 * f64::from(points) / f64::from(n_known)),
        ];
        let figures = self.figures(name, &sets, ctx)?;
        row.extend(
            figures
                .into_iter()
                .map(|figure| figure.map_or(Datum::Absent, Datum::Float)),
        );
        records.push(row).map_err(CellError::new)
    }

    /// Each weight with its error, and bits per move.
    fn figures(
        &self,
        name: &str,
        sets: &ChoiceSets,
        ctx: &Context<'_>,
    ) -> Result<Vec<Option<f64>>, CellError> {
        let model = ConditionalLogit::new(sets);
        let n_moves = sets.n_choices() as f64;
        let random = model.uniform_bits() / n_moves;
        let without = || {
            let weights = vec![None; 2 * self.attributes.len()];
            Ok(weights
                .into_iter()
                .chain([Some(random), None, None])
                .collect())
        };
        let fit = Optimizer::Newton.fit(model)?;
        if let Some(why) = model.no_maximum(&fit.weights, fit.stop) {
            ctx.warn(no_maximum(name, &why, &self.attributes));
            return without();
        }
        let Some(covariance) = &fit.covariance else {
            ctx.warn(format!("{name}: the maximum has no standard errors"));
            return without();
        };
        let score = |&game: &u32| {
            let game = sets.by_groups(&[game]);
            ConditionalLogit::new(&game)
                .first_order(&fit.weights)
                .gradient
        };
        let games = sets.groups();
        let scores: Vec<_> = games.iter().map(score).collect();
        let clustered = clustered_covariance(covariance, &scores)?;
        let mut held_out = 0.0;
        for fold in k_fold(&games, self.folds as usize, self.seed)? {
            ctx.check()?;
            let training = sets.by_groups(&fold.train);
            let model = ConditionalLogit::new(&training);
            let fit = model.fit_newton(&fit.weights, &kibitz_stats::NewtonOptions::default())?;
            if let Some(why) = model.no_maximum(&fit.weights, fit.stop) {
                let name = format!("{name}, a fold");
                ctx.warn(no_maximum(&name, &why, &self.attributes));
                return without();
            }
            held_out += ConditionalLogit::new(&sets.by_groups(&fold.test)).bits(&fit.weights);
        }
        let errors = clustered.diagonal();
        let weights = fit.weights.iter().zip(errors.iter());
        let weights = weights.flat_map(|(weight, variance)| [*weight, variance.sqrt()]);
        let bits = [
            random,
            model.bits(&fit.weights) / n_moves,
            held_out / n_moves,
        ];
        Ok(weights.chain(bits).map(Some).collect())
    }
}

fn defined<'t>(is_defined: bool, value: f64) -> Datum<'t> {
    if is_defined {
        Datum::Float(value)
    } else {
        Datum::Absent
    }
}

/// Gives each game of a collection to `each`, with an audit and a warning about unreadable ones.
pub(crate) fn visit_all(
    games: &str,
    ctx: &Context<'_>,
    mut each: impl FnMut(&Game) -> Result<(), CellError>,
) -> Result<(), CellError> {
    let file = ctx.data(games)?;
    let reader = Decompressed::new(kibitz_tables::games::open(&file)?)?;
    let mut collection = pgn::read_games(file.entry(), reader, pgn::Policy::default());
    for game in collection.by_ref() {
        ctx.check()?;
        each(&game?)?;
    }
    let tally = collection.tally();
    if let Some(report) = tally.report() {
        ctx.warn(report);
    }
    let counts = GameCounts::new(tally, tally.n_games);
    ctx.audit(format!("{}: {counts}", file.entry()));
    Ok(())
}

/// The named players of a game in which somebody moved; one who plays both sides is none.
pub(crate) fn sides(game: &Game) -> impl Iterator<Item = (&str, Color)> {
    let tags = game.tags();
    let is_played = game.n_plies() > 1 && tags.white != tags.black;
    [(&tags.white, Color::White), (&tags.black, Color::Black)]
        .into_iter()
        .filter(move |(name, _)| is_played && !name.is_empty())
        .map(|(name, color)| (name.as_str(), color))
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Code, Kind};
    use kibitz_lab::testing::TestBench;

    use super::*;

    fn records(parts: u32, least: u32) -> Records {
        let mut file: toml::Table = PlayerWeights::EXAMPLE.parse().unwrap();
        let params = file["params"].as_table_mut().unwrap();
        params.insert("parts".to_owned(), parts.into());
        params.insert("least".to_owned(), least.into());
        let pgn = include_bytes!("../../../data/fischer-games.pgn");
        let kind = Kind::of::<PlayerWeights>(Code::Constant);
        TestBench::new(kind, "beyond/players", &file.to_string())
            .unwrap()
            .with_data("games", pgn)
            .records()
            .unwrap()
    }

    #[test]
    fn any_number_of_parts_gives_the_same_players() {
        let whole = records(1, 20);
        assert!(whole.len() > 1, "{} players", whole.len());
        assert!(records(7, 20) == whole);
        assert_eq!(records(3, 500).len(), 1);
    }
}
