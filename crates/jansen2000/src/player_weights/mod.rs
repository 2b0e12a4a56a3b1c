//! `player-weights`: the model of every player with enough games in a collection.

mod figures;

use std::collections::BTreeMap;

use kibitz_board::{
    Color, Game, Outcome, Position, game_filter::GameCounts, open::Decompressor, pgn,
};
use kibitz_experiment::{
    Cell, CellError, Column, Context, Datum, Experiment, Field, FieldType, Output, Part, Problems,
    Records, Sources,
};
use kibitz_heuristics::attributes::{Attribute, AttributeSet, MobilityConvention};
use kibitz_players::four_ply::{budget_bytes, decisions_in};
use kibitz_search::{
    one_ply::OnePly,
    quiescent::{Decision, Quiescent, TreeRules},
};
use kibitz_stats::{
    ChoiceSets, ChoiceSetsBuilder, inference::MIN_CLUSTERS, soft_minimax::SoftMinimax, split::draw,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use figures::Figures;

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
    /// The rules of the quiescent search tree below a move; the one-ply model when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tree: Option<TreeRules>,
    /// Games drawn of each player, of which alone the moves are fitted; all when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sample: Option<u32>,
    /// Number of cross-validation folds of a player's games.
    folds: u32,
    /// Seed of the folds and of the sample: that of a cell would depend on the parts.
    seed: u64,
    /// Into how many parts the players fall: cells that run one by one.
    parts: u32,
}

impl Experiment for PlayerWeights {
    type Row = Part;

    const NAME: &'static str = "player-weights";
    const EXAMPLE: &'static str = include_str!("../../examples/player-weights.toml");
    const COLUMNS: &'static [Column] = &[];

    fn check(&self, problems: &mut Problems) {
        problems.names_data("games", &self.games);
        let needed = u32::try_from(MIN_CLUSTERS).unwrap_or(u32::MAX);
        for (name, games) in [("least", Some(self.least)), ("sample", self.sample)] {
            problems.require(
                games.is_none_or(|games| games >= needed && games >= self.folds),
                name,
                format!("at least {needed} games, to tell how games differ, and one for each fold"),
            );
        }
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

/// The results of a player.
struct Player {
    decisions: Decisions,
    /// The games that are fitted, by their numbers from 0, ascending.
    drawn: Vec<u32>,
    n_games: u32,
    years: Vec<u16>,
    elos: Vec<u16>,
    /// Twice the points, and games of known result.
    points: (u32, u32),
}

/// The moves of a player in the games that are fitted.
enum Decisions {
    /// With the attributes of all alternatives.
    OnePly(ChoiceSetsBuilder),
    /// Of which the trees are built once no other player's are in memory.
    Quiescent(Vec<Decision>),
}

/// Memory for the trees of a player, in MiB; those beyond it are built again where they are needed.
const TREES_MIB: u32 = 256;

impl PlayerWeights {
    fn columns_of_records(&self) -> Vec<Field> {
        use FieldType::{Float, Int, Text};
        let of_player = [
            ("player", Text, "", "the name, as the collection has it"),
            ("games", Int, "games", "games of the player"),
            (
                "fitted_games",
                Int,
                "games",
                "games that are fitted: all, or those drawn",
            ),
            ("decisions", Int, "moves", "moves of the player in these"),
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
        let names: Vec<(String, u32)> = (games_by_name(&self.games, ctx)?.into_iter())
            .filter(|(_, count)| *count >= self.least)
            .collect();
        let range = part.range(names.len() as u64);
        let (start, end) = (usize::try_from(range.start)?, usize::try_from(range.end)?);
        let scales = self.attribute_set().scales();
        let player = |(name, count): (String, u32)| {
            let games: Vec<u32> = (0..count).collect();
            let player = Player {
                decisions: match &self.tree {
                    None => Decisions::OnePly(ChoiceSets::scaled_builder(&scales)?),
                    Some(_) => Decisions::Quiescent(Vec::new()),
                },
                drawn: match self.sample {
                    None => games,
                    Some(n) => draw(&games, n, self.seed)?,
                },
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
                if player.drawn.binary_search(&player.n_games).is_ok() {
                    let (plies, group) = (game.plies_of(color), player.n_games);
                    match &mut player.decisions {
                        Decisions::Quiescent(all) => all.extend(decisions_in(plies, group)),
                        Decisions::OnePly(sets) => {
                            for (position, played) in plies {
                                let moves = position.legal_moves();
                                let chosen = moves.iter().position(|other| *other == played);
                                let chosen = chosen.ok_or_else(|| {
                                    let key = game.key();
                                    CellError::new(format!("illegal move {played:?} in game {key}"))
                                })?;
                                rows.clear();
                                model.extend_rows(&position, &moves, &mut rows);
                                sets.push_flat(group, chosen, &rows)?;
                            }
                        }
                    }
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
        let of = Figures {
            attributes: &self.attributes,
            folds: self.folds,
            seed: self.seed,
        };
        let (n_moves, figures) = match player.decisions {
            Decisions::OnePly(sets) => {
                let sets = sets.build();
                (sets.n_choices(), of.of(name, &sets, ctx)?)
            }
            Decisions::Quiescent(decisions) => {
                let rules = self.tree.clone().unwrap_or_default();
                let model = Quiescent::new(self.attribute_set(), rules);
                let trees = model.trees(decisions, budget_bytes(TREES_MIB))?;
                let likelihood = SoftMinimax::new(&trees);
                (likelihood.n_choices(), of.of(name, &likelihood, ctx)?)
            }
        };
        player.years.sort_unstable();
        let year = player.years.get(player.years.len() / 2);
        let n_elos = player.elos.len();
        let elo: f64 = player.elos.iter().copied().map(f64::from).sum();
        let (points, n_known) = player.points;
        let mut row = vec![
            Datum::Text(name),
            player.n_games.into(),
            player.drawn.len().into(),
            Datum::Int(i64::try_from(n_moves)?),
            year.map_or(Datum::Absent, |&year| Datum::Int(year.into())),
            defined(n_elos > 0, elo / n_elos as f64),
            n_elos.into(),
            defined(n_known > 0, 50.0 * f64::from(points) / f64::from(n_known)),
        ];
        row.extend(
            figures
                .into_iter()
                .map(|figure| figure.map_or(Datum::Absent, Datum::Float)),
        );
        records.push(row).map_err(CellError::new)
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
    let reader = Decompressor::new(kibitz_tables::games::open(&file)?)?;
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

/// How many games of a collection each of its [`sides`] has.
pub(crate) fn games_by_name(
    games: &str,
    ctx: &Context<'_>,
) -> Result<BTreeMap<String, u32>, CellError> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    visit_all(games, ctx, |game| {
        for (name, _) in sides(game) {
            match counts.get_mut(name) {
                Some(count) => *count += 1,
                None => drop(counts.insert(name.to_owned(), 1)),
            }
        }
        Ok(())
    })?;
    Ok(counts)
}

/// The named players of a game with at least one move; a player of both sides is left out.
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

    fn records(parts: u32, least: u32, further: toml::Table) -> Records {
        let mut file: toml::Table = PlayerWeights::EXAMPLE.parse().unwrap();
        let params = file["params"].as_table_mut().unwrap();
        params.insert("parts".to_owned(), parts.into());
        params.insert("least".to_owned(), least.into());
        params.extend(further);
        let pgn = include_bytes!("../../../../data/fischer-games.pgn");
        let kind = Kind::of::<PlayerWeights>(Code::Constant);
        TestBench::new(kind, "beyond/players", &file.to_string())
            .unwrap()
            .with_data("games", pgn)
            .records()
            .unwrap()
    }

    #[test]
    fn any_number_of_parts_gives_the_same_players() {
        let records = |parts, least| records(parts, least, toml::Table::new());
        let whole = records(1, 20);
        assert!(whole.len() > 1, "{} players", whole.len());
        assert!(records(7, 20) == whole);
        assert_eq!(records(3, 500).len(), 1);
    }

    #[test]
    fn any_number_of_parts_gives_the_same_trees() {
        let further = toml::toml! {
            tree = { max-ply = 2 }
            sample = 20
        };
        let records = |parts| records(parts, 20, further.clone());
        let whole = records(1);
        assert!(whole.len() > 1, "{} players", whole.len());
        for parts in [2, 7] {
            assert!(records(parts) == whole, "{parts} parts");
        }
    }
}
