//! Another model's move probabilities beside ours, on the same moves.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use kibitz_board::{
    Chess, Game, Move, Position as _, game_filter::color_of, san::San, uci::UciMove,
};
use kibitz_experiment::{Field, FieldType};
use kibitz_players::{JudgedChoice, Measures, Model};
use kibitz_text::{Diagnostic, Exit, Failure, note, print};

use super::{Format, aligned, games, json, open_table::OpenTable};

/// Rejected rows that are shown one by one.
const TOLD: usize = 5;

/// How far probabilities of a position may be from adding up to one.
const ROUNDING: f64 = 1e-3;

/// The columns of a file of probabilities.
const COLUMNS: [&str; 4] = ["game", "ply", "move", "probability"];

/// Rows that are left out: all are counted, the first are shown.
struct RejectedRows<'a> {
    table: &'a OpenTable,
    n: usize,
}

impl RejectedRows<'_> {
    fn tell(&mut self, record: usize, why: &str) {
        self.n += 1;
        if self.n <= TOLD {
            let place = self.table.place(record);
            let message = format!("{place}: {why}; the row is left out");
            note(&Diagnostic::warning(message).render(true));
        }
    }
}

/// Probabilities of the legal moves of a position, as far as they are given.
type MoveProbabilities = BTreeMap<(u64, usize), Vec<Option<f64>>>;

/// The games by their numbers in the file.
type Positions = BTreeMap<u64, Vec<(Chess, Move)>>;

pub(super) fn run(
    models: &[Model],
    names: Vec<String>,
    file: &Path,
    games: &Path,
    format: Format,
) -> Result<Exit, Failure> {
    let all: BTreeMap<u64, Game> = games::read_one(games)?.into_iter().collect();
    let plies = |(number, game): (&u64, &Game)| (*number, game.plies().collect());
    let positions: Positions = all.iter().map(plies).collect();
    let table = OpenTable::open(file)?;
    let mut rejected = RejectedRows {
        table: &table,
        n: 0,
    };
    let given = read(&table, &positions, &mut rejected)?;
    let mut judged: Vec<Vec<JudgedChoice>> = vec![Vec::new(); models.len() + 1];
    let mut incomplete = 0;
    let mut of_others = 0;
    for ((game, ply), probabilities) in &given {
        let (position, played) = &positions[game][*ply];
        let side = color_of(&all[game], &models[0].player);
        if side.is_some_and(|side| side != position.turn()) {
            of_others += 1;
            continue;
        }
        let chosen = position.legal_moves().iter().position(|one| one == played);
        let (Some(chosen), true) = (chosen, is_whole(probabilities)) else {
            incomplete += 1;
            continue;
        };
        let group = u32::try_from(*game).unwrap_or(u32::MAX);
        let ours = models
            .iter()
            .map(|model| model.judge(position, *played, group));
        let Some(ours) = ours.collect::<Option<Vec<_>>>() else {
            return Err(Failure::usage("a model lacks a phase of these games"));
        };
        let theirs = probabilities.iter().map(|one| one.unwrap_or(0.0)).collect();
        for (list, one) in judged.iter_mut().zip(ours) {
            list.push(one);
        }
        if let Some(list) = judged.last_mut() {
            list.push(JudgedChoice::new(group, chosen, theirs));
        }
    }
    let told = [
        (
            rejected.n.saturating_sub(TOLD),
            "further rows that are left out",
        ),
        (
            incomplete,
            "positions left out, whose probabilities do not add up to 1",
        ),
        (
            of_others,
            "positions left out, where the other side was to move",
        ),
    ];
    for (n, what) in told.into_iter().filter(|(n, _)| *n > 0) {
        note(&Diagnostic::warning(format!("{what}: {n}")).render(true));
    }
    let names = names.into_iter().chain([file.display().to_string()]);
    let measures: Option<Vec<(String, Measures)>> = names
        .zip(&judged)
        .map(|(name, judged)| Some((name, Measures::of(judged)?)))
        .collect();
    let Some(measures) = measures else {
        return Err(Failure::new(
            Exit::NothingSelected,
            Diagnostic::new("no position of the reference is left"),
        ));
    };
    print(&match format {
        Format::Json => json(&measures)?,
        Format::Text => text(&measures),
    })?;
    Ok(Exit::Done)
}

fn is_whole(probabilities: &[Option<f64>]) -> bool {
    let sum: f64 = probabilities.iter().flatten().sum();
    (sum - 1.0).abs() <= ROUNDING
}

fn read(
    table: &OpenTable,
    positions: &Positions,
    rejected: &mut RejectedRows<'_>,
) -> Result<MoveProbabilities, Failure> {
    // Other programs put blanks around names.
    let column = |name: &'static str| {
        let found = table.columns.iter().find(|one| one.name.trim() == name);
        found.map_or(name, |found| found.name.as_str())
    };
    let columns = COLUMNS.map(column);
    let [game, ply, played, probability] = columns;
    let field = |name: &str| {
        let of = if name == probability {
            FieldType::Float
        } else {
            FieldType::Text
        };
        table.field(name, of)
    };
    let fields: Vec<Field> = columns.into_iter().map(field).collect::<Result<_, _>>()?;
    let mut given = MoveProbabilities::new();
    table.read(&fields, |row| {
        let [game, ply, played] = [game, ply, played].map(|column| row.text(column));
        let [game, ply, played] = [&game, &ply, &played].map(|text| text.trim());
        let rejected = &mut |why: &str| rejected.tell(row.record, why);
        match entry(positions, game, ply, played, row.number(probability)) {
            Err(why) => rejected(&why),
            Ok((key, index, probability)) => {
                let n = positions[&key.0][key.1].0.legal_moves().len();
                let moves = given.entry(key).or_insert_with(|| vec![None; n]);
                match &mut moves[index] {
                    Some(_) => rejected(&format!("`{played}` has a probability already")),
                    place @ None => *place = Some(probability),
                }
            }
        }
        Ok(())
    })?;
    Ok(given)
}

/// The place of a row, the index of its move among the legal ones, and the probability.
fn entry(
    positions: &Positions,
    game: &str,
    ply: &str,
    played: &str,
    probability: Option<f64>,
) -> Result<((u64, usize), usize, f64), String> {
    let last = positions.last_key_value().map_or(0, |(last, _)| *last);
    let number = game.parse().ok().filter(|n| (1..=last).contains(n));
    let game: u64 =
        number.ok_or_else(|| format!("game `{game}` is out of range: expected 1 to {last}"))?;
    let plies = positions
        .get(&game)
        .ok_or_else(|| format!("game {game} could not be read"))?;
    let most = plies.len();
    let number = ply.parse().ok().filter(|n| (1..=most).contains(n));
    let ply: usize =
        number.ok_or_else(|| format!("ply `{ply}` is out of range: expected 1 to {most}"))?;
    let (ply, position) = (ply - 1, &plies[ply - 1].0);
    let uci = played
        .parse::<UciMove>()
        .ok()
        .and_then(|uci| uci.to_move(position).ok());
    let found = uci.or_else(|| played.parse::<San>().ok()?.to_move(position).ok());
    let found = found.ok_or_else(|| {
        format!(
            "`{played}` is not a legal move of game {game}, ply {}",
            ply + 1
        )
    })?;
    let index = position.legal_moves().iter().position(|one| *one == found);
    let index = index.ok_or_else(|| format!("`{played}` is not legal"))?;
    let probability = probability.ok_or("the probability is missing")?;
    if !(0.0..=1.0).contains(&probability) {
        return Err(format!(
            "probability {probability} is out of range: expected 0 to 1"
        ));
    }
    Ok(((game, ply), index, probability))
}

fn text(measures: &[(String, Measures)]) -> String {
    let head = ["model", "moves", "bits per move", "top 1 (%)", "top 3 (%)"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(measures.iter().map(|(name, of)| {
        vec![
            name.clone(),
            of.moves.to_string(),
            format!("{:.4}", of.bits),
            format!("{:.1}", of.top_1),
            format!("{:.1}", of.top_3),
        ]
    }));
    let mut text = aligned(&rows);
    for (name, of) in measures {
        let mut rows = vec![
            [name.as_str(), "moves", "predicted (%)", "played (%)"]
                .map(str::to_owned)
                .to_vec(),
        ];
        rows.extend(of.calibration.iter().map(|bin| {
            vec![
                String::new(),
                bin.alternatives.to_string(),
                format!("{:.2}", bin.predicted),
                format!("{:.2}", bin.chosen),
            ]
        }));
        let _ = write!(text, "\n{}", aligned(&rows));
    }
    text
}
