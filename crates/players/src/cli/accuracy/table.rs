//! Tables of players and of ranges.

use kibitz_board::pgn::Tally;
use kibitz_players::accuracy::{Estimate, PlayerStanding, RangeVariable, Standing, Survey};
use kibitz_text::{Failure, counted, rounded_by};

use super::super::aligned;

/// Players shown on a page or a terminal, those with most moves.
pub(super) const PLAYERS: usize = 20;

/// A mean with two decimals; a dash where there is none.
pub(super) fn mean(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), |value| format!("{value:.2}"))
}

/// A difference and the ends of its interval.
pub(super) fn difference(found: Option<Estimate>) -> [String; 3] {
    match found {
        None => ["–".to_owned(), String::new(), String::new()],
        Some(Estimate { value, error: None }) => [
            format!("{value:.2}"),
            "too few games".to_owned(),
            String::new(),
        ],
        Some(Estimate {
            value,
            error: Some((error, interval)),
        }) => [value, interval.low, interval.high].map(|one| rounded_by(one, error)),
    }
}

/// The head of a table whose first column is `of`.
pub(super) fn head(of: &str) -> Vec<String> {
    let rest = [
        "games",
        "moves",
        "accuracy",
        "loss",
        "expected",
        "difference",
        "from",
        "to",
    ];
    [of].into_iter().chain(rest).map(str::to_owned).collect()
}

/// A line of a table.
pub(super) fn row(name: String, standing: &Standing) -> Vec<String> {
    let accuracy = standing.accuracy();
    let mut row = vec![
        name,
        standing.n_games().to_string(),
        standing.n_moves().to_string(),
        accuracy.map_or("–".to_owned(), |accuracy| format!("{accuracy:.1}")),
        mean(standing.loss().map(|loss| loss.value)),
        mean(standing.expected()),
    ];
    row.extend(difference(standing.difference()));
    row
}

/// A line of a range, which has no accuracy of lichess but an interval of the loss.
pub(super) fn range_head(by: RangeVariable) -> Vec<String> {
    let mut head = head(by.name());
    head.splice(3..5, ["loss", "from", "to"].map(str::to_owned));
    head
}

pub(super) fn range_row(name: String, standing: &Standing) -> Vec<String> {
    let mut row = row(name, standing);
    row.splice(3..5, difference(standing.loss()));
    row
}

/// The ranges as rows.
pub(super) fn ranges(survey: &Survey, by: RangeVariable) -> Vec<Vec<String>> {
    let ranges = survey.ranges().iter();
    ranges
        .map(|(&lower, standing)| range_row(by.shown(lower), standing))
        .collect()
}

/// What the columns are.
pub(super) fn meaning(survey: &Survey) -> String {
    let others = if survey.players_of_model().is_empty() {
        "other players"
    } else {
        "the players of the model, some of these among them,"
    };
    format!(
        "loss: chance of winning lost per move, in percentage points; \
         expected: that of {others} in the same positions; 95% intervals over games; \
         accuracy: that of lichess"
    )
}

pub(super) fn text(
    survey: &Survey,
    players: &[PlayerStanding],
    by: Option<RangeVariable>,
    tally: &Tally,
) -> String {
    let mut rows = vec![head("player")];
    let shown = players.iter().take(PLAYERS);
    rows.extend(shown.map(|one| row(one.name.clone(), &one.standing)));
    let mut text = aligned(&rows);
    if let Some(more) = players.len().checked_sub(PLAYERS).filter(|&more| more > 0) {
        let more = counted(more, "more player", "more players");
        text.extend([
            "and ",
            &more,
            "; `--player` selects, `--format csv` has all\n",
        ]);
    }
    if let Some(by) = by {
        let head = std::iter::once(range_head(by));
        let rows: Vec<_> = head.chain(ranges(survey, by)).collect();
        text.extend(["\n", &aligned(&rows)]);
    }
    format!("{text}{}\n{}\n", meaning(survey), counts(survey, tally))
}

/// What was judged, and what was not, in a sentence.
pub(super) fn counts(survey: &Survey, tally: &Tally) -> String {
    let left_out = survey.left_out();
    let gaps = left_out.gaps;
    let reasons: Vec<String> = tally
        .n_bad_by_reason
        .iter()
        .map(|(reason, n)| format!("{reason}: {n}"))
        .collect();
    let bad = format!("that cannot be read ({})", reasons.join(", "));
    let parts = [
        (left_out.games, "game", "without evaluations"),
        (tally.n_bad, "game", bad.as_str()),
        (gaps.without, "move", "without an evaluation"),
        (gaps.unreadable, "move", "whose evaluation cannot be read"),
        (gaps.after_gap, "move", "after a position without one"),
        (gaps.book, "move", "at the beginning"),
        (left_out.unnamed, "move", "of players without a name"),
        (
            left_out.not_covered,
            "move",
            "without the rating or clock on which expected losses depend, or with one that no move fitted to has",
        ),
        (
            left_out.without_range,
            "move",
            "without rating or clock from the second table",
        ),
        (
            left_out.without_accuracy,
            "game",
            "from the accuracy of lichess, which needs every evaluation and a move of each side",
        ),
    ];
    let parts = parts.iter().filter(|(n, ..)| *n > 0);
    let parts: Vec<String> = parts
        .map(|(n, noun, why)| format!("{} {why}", counted(*n, noun, &format!("{noun}s"))))
        .collect();
    let judged = counted(survey.n_games(), "game", "games");
    if parts.is_empty() {
        format!("{judged} with evaluations; nothing is left out")
    } else {
        format!("{judged} with evaluations; left out: {}", parts.join("; "))
    }
}

/// The table of players, or of ranges, for programs.
pub(super) fn csv(
    survey: &Survey,
    players: &[PlayerStanding],
    by: Option<RangeVariable>,
) -> Result<String, Failure> {
    let rows: Vec<(String, &Standing)> = match by {
        None => (players.iter().map(|one| (one.name.clone(), &one.standing))).collect(),
        Some(by) => {
            let ranges = survey.ranges().iter();
            ranges
                .map(|(&lower, standing)| (by.shown(lower), standing))
                .collect()
        }
    };
    let mut out = csv::Writer::from_writer(Vec::new());
    let failed = |error: csv::Error| Failure::failed(error.to_string());
    let mut head = vec![
        by.map_or("player", RangeVariable::name),
        "games",
        "moves",
        "accuracy",
        "loss",
        "loss_low",
        "loss_high",
        "expected",
        "difference",
        "difference_low",
        "difference_high",
    ];
    // Lichess has no accuracy of single moves.
    head.retain(|column| by.is_none() || *column != "accuracy");
    out.write_record(head).map_err(failed)?;
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.4}"));
    let ends = |found: Option<Estimate>| {
        let interval = found.and_then(|found| found.error).map(|(_, it)| it);
        [
            number(found.map(|found| found.value)),
            number(interval.map(|it| it.low)),
            number(interval.map(|it| it.high)),
        ]
    };
    for (name, standing) in rows {
        let counts = [standing.n_games(), standing.n_moves()].map(|n| n.to_string());
        let mut record = vec![name];
        record.extend(counts);
        if by.is_none() {
            record.push(number(standing.accuracy()));
        }
        record.extend(ends(standing.loss()));
        record.push(number(standing.expected()));
        record.extend(ends(standing.difference()));
        out.write_record(record).map_err(failed)?;
    }
    let bytes = out
        .into_inner()
        .map_err(|error| Failure::failed(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| Failure::failed(error.to_string()))
}
