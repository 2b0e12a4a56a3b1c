//! The moves of a game with the evaluations around them.

use kibitz_board::{ByColor, Chess, Color, Game, Move, Position as _, Role, san::SanPlus};

use super::{
    Covariates, clock_in,
    evaluation::Evaluation,
    evaluation_in,
    lichess::{INITIAL, deviation, game_accuracy},
};

/// What is known of a position before the move, and may make it difficult; see [`Attributes::NAMES`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attributes(pub [f64; Attributes::COUNT]);

impl Attributes {
    /// Number of attributes.
    pub const COUNT: usize = 17;

    /// Number of those that are of the position and its history alone; rating and clock follow.
    pub const OF_POSITION: usize = 13;

    /// Place of the mark of an unknown rating.
    pub(super) const NO_ELO: usize = Self::OF_POSITION + 1;

    /// Place of the mark of an unknown clock.
    pub(super) const NO_CLOCK: usize = Self::OF_POSITION + 3;

    /// Names and meanings, in order.
    pub const NAMES: [(&str, &str); Self::COUNT] = [
        ("win", "the mover's chance of winning, w, from 0 to 1"),
        ("balance", "w (1 - w)"),
        ("tilt", "w (1 - w) (1 - 2 w)"),
        (
            "drop",
            "loss of the opponent's last move, in tens of percentage points",
        ),
        (
            "volatility",
            "standard deviation of the last six chances, in the same unit",
        ),
        ("open-fight", "volatility times balance"),
        ("choices", "natural logarithm of the number of legal moves"),
        ("forced", "1 if there is only one legal move"),
        ("captures", "share of captures among the legal moves"),
        ("check", "1 in check"),
        (
            "material",
            "knights and bishops at 3, rooks at 5 and queens at 9, of both sides, over 62",
        ),
        (
            "opening",
            "1 at the first move, falling to 0 at the twenty-first",
        ),
        ("mate", "1 if the evaluation before the move is a mate"),
        (
            "elo",
            "the mover's rating above 1500, in units of 400; 0 if unknown",
        ),
        ("no-elo", "1 if the rating is unknown"),
        (
            "clock",
            "natural logarithm of 1 + the seconds left; 0 if unknown",
        ),
        ("no-clock", "1 if the clock is unknown"),
    ];

    /// Which of rating and clock is known.
    pub(super) fn known(&self) -> Covariates {
        Covariates {
            elo: self.0[Self::NO_ELO] == 0.0,
            clock: self.0[Self::NO_CLOCK] == 0.0,
        }
    }
}

/// A move with the evaluations before and after it.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluatedMove {
    /// Number of the half-move in the game, from 1.
    pub ply: usize,
    /// Who moved.
    pub color: Color,
    /// The move.
    pub san: String,
    /// Evaluation of the position before it.
    pub before: Evaluation,
    /// Evaluation of the position after it.
    pub after: Evaluation,
    /// What it lost of the mover's chance of winning, in percentage points, at least 0.
    pub loss: f64,
    /// The position before it.
    pub attributes: Attributes,
    /// The mover's rating.
    pub elo: Option<u16>,
    /// Seconds on the mover's clock before the move.
    pub clock: Option<f64>,
}

/// Moves of a game that cannot be judged, by cause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gaps {
    /// They have no evaluation.
    pub without: u64,
    /// Their evaluation cannot be read.
    pub unreadable: u64,
    /// They have an evaluation, but the position before them has none.
    pub after_gap: u64,
    /// They are among the moves of the opening that were to be left out.
    pub book: u64,
}

/// An evaluation that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableEvaluation {
    /// The move with its number, as in `12... Nf6`.
    pub played: String,
    /// What its comment has.
    pub text: String,
}

/// A game with evaluations in its comments.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluatedGame {
    /// The moves that can be judged.
    pub moves: Vec<EvaluatedMove>,
    /// The others.
    pub gaps: Gaps,
    /// The evaluations that cannot be read, in order, as many as the moves without one by that cause.
    pub unreadable: Vec<UnreadableEvaluation>,
    /// The accuracy of lichess, from 0 to 100, if every move has an evaluation, and both sides have moved.
    pub accuracy: Option<ByColor<f64>>,
}

/// Positions of which the chances make the volatility.
const WINDOW: usize = 6;

/// Half-moves until a game is no longer in its opening.
const OPENING: f64 = 40.0;

impl EvaluatedGame {
    /// The moves of a game by its comments, each with the number of moves before it; `book` moves of
    /// each side at the beginning are left out. `None` if no comment has an evaluation.
    ///
    /// The evaluation of the standard initial position is that of lichess; another start has none, and
    /// the first move after it cannot be judged. A checkmate, and a draw by the rules that has no
    /// comment, need none.
    pub fn read(game: &Game, comments: &[(usize, String)], book: usize) -> Option<Self> {
        let is_evaluated = |(_, text): &(usize, String)| evaluation_in(text, None).is_some();
        if !comments.iter().any(is_evaluated) {
            return None;
        }
        let (evaluations, unreadable_texts) = evaluations(game, comments);
        let clocks = clocks(game, comments);
        let chances: Vec<Option<f64>> = evaluations
            .iter()
            .map(|one| one.map(Evaluation::win_percent))
            .collect();
        let mut gaps = Gaps::default();
        let (mut moves, mut unreadable) = (Vec::new(), Vec::new());
        for (ply, (position, played)) in game.plies().enumerate() {
            let (before, after) = match (evaluations[ply], evaluations[ply + 1]) {
                _ if ply < 2 * book => {
                    gaps.book += 1;
                    continue;
                }
                (_, None) => {
                    if let Some(text) = unreadable_texts[ply + 1] {
                        gaps.unreadable += 1;
                        unreadable.push(UnreadableEvaluation {
                            played: numbered(position, played),
                            text: text.to_owned(),
                        });
                    } else {
                        gaps.without += 1;
                    }
                    continue;
                }
                (None, Some(_)) => {
                    gaps.after_gap += 1;
                    continue;
                }
                (Some(before), Some(after)) => (before, after),
            };
            let color = position.turn();
            let tags = game.tags();
            let elo = color.fold_wb(tags.white_elo, tags.black_elo);
            let clock = clocks[ply];
            let lost = before.win_percent() - after.win_percent();
            let attributes = attributes(&position, &chances[..=ply], before, elo, clock);
            moves.push(EvaluatedMove {
                ply: ply + 1,
                color,
                san: SanPlus::from_move(position, played).to_string(),
                before,
                after,
                loss: color.fold_wb(lost, -lost).max(0.0),
                attributes,
                elo,
                clock,
            });
        }
        Some(Self {
            moves,
            gaps,
            unreadable,
            accuracy: accuracy(game, &evaluations),
        })
    }
}

/// A move with its number.
fn numbered(position: Chess, played: Move) -> String {
    let dots = position.turn().fold_wb(".", "...");
    let number = position.fullmoves();
    let san = SanPlus::from_move(position, played);
    format!("{number}{dots} {san}")
}

/// The evaluation of every position, the first among them, and the text of one that cannot be read.
fn evaluations<'c>(
    game: &Game,
    comments: &'c [(usize, String)],
) -> (Vec<Option<Evaluation>>, Vec<Option<&'c str>>) {
    let mut found = vec![None; game.n_plies() + 1];
    let last = game.final_position();
    let winner = last.is_checkmate().then(|| last.turn().other());
    let mut unreadable = vec![None; found.len()];
    for (at, comment) in comments {
        let winner = winner.filter(|_| *at == game.n_plies());
        match (found.get_mut(*at), evaluation_in(comment, winner)) {
            (Some(place @ None), Some(Ok(evaluation))) => *place = Some(evaluation),
            (Some(None), Some(Err(text))) => unreadable[*at] = Some(text),
            _ => {}
        }
    }
    if game.starts_normally() {
        found[0].get_or_insert(Evaluation::Centipawns(INITIAL));
    }
    let by_rules = match winner {
        Some(winner) => Some(Evaluation::Checkmate(winner)),
        None => last.is_game_over().then_some(Evaluation::Centipawns(0)),
    };
    if let (Some(place @ None), Some(by_rules)) = (found.last_mut(), by_rules) {
        *place = Some(by_rules);
    }
    (found, unreadable)
}

/// The mover's clock before each move: what his last comment says, or the time of the tag
/// `TimeControl` before his first.
pub(crate) fn clocks(game: &Game, comments: &[(usize, String)]) -> Vec<Option<f64>> {
    let base = game.tags().get_other("TimeControl");
    let base = base.and_then(|text| text.split('+').next()?.parse::<f64>().ok());
    let base = base.filter(|seconds| (0.0..1e6).contains(seconds));
    let mut clocks = vec![None; game.n_plies() + 2];
    for first in clocks.iter_mut().take(2) {
        *first = base;
    }
    for (at, comment) in comments {
        // The clock of the move before is that of the mover before his next.
        if let (Some(place), Some(seconds)) = (clocks.get_mut(at + 1), clock_in(comment))
            && *at > 0
        {
            *place = Some(seconds);
        }
    }
    clocks
}

/// The accuracy of lichess, which leaves out a checkmate: it has no evaluation there. Every start counts
/// as the standard one does, also one of Chess960.
fn accuracy(game: &Game, evaluations: &[Option<Evaluation>]) -> Option<ByColor<f64>> {
    let evaluated = match evaluations.split_last() {
        Some((Some(Evaluation::Checkmate(_)), before)) => before,
        _ => evaluations,
    };
    let initial = Some(Evaluation::Centipawns(INITIAL));
    let evaluated = std::iter::once(initial).chain(evaluated.iter().skip(1).copied());
    let chances = evaluated.map(|one| one.map(Evaluation::win_percent));
    let chances: Vec<f64> = chances.collect::<Option<_>>()?;
    game_accuracy(&chances, game.start().turn())
}

/// What is known before a move. `chances` are White's until then, in percent.
fn attributes(
    position: &Chess,
    chances: &[Option<f64>],
    before: Evaluation,
    elo: Option<u16>,
    clock: Option<f64>,
) -> Attributes {
    let color = position.turn();
    let win = color.fold_wb(before.win_percent(), 100.0 - before.win_percent()) / 100.0;
    let balance = win * (1.0 - win);
    let known = chances.iter().rev().map_while(|one| *one);
    let recent: Vec<f64> = known.take(WINDOW).collect();
    let volatility = deviation(&recent) / 10.0;
    let drop = recent.get(1).map_or(0.0, |earlier| recent[0] - earlier);
    let legal = position.legal_moves();
    let n = legal.len() as f64;
    let n_captures = legal.iter().filter(|one| one.is_capture()).count();
    let board = position.board();
    let pieces = |role: Role| board.by_role(role).count() as f64;
    let material = 3.0 * (pieces(Role::Knight) + pieces(Role::Bishop))
        + 5.0 * pieces(Role::Rook)
        + 9.0 * pieces(Role::Queen);
    let flag = |is: bool| if is { 1.0 } else { 0.0 };
    Attributes([
        win,
        balance,
        balance * (1.0 - 2.0 * win),
        color.fold_wb(drop, -drop).max(0.0) / 10.0,
        volatility,
        volatility * balance,
        n.ln(),
        flag(legal.len() == 1),
        n_captures as f64 / n,
        flag(position.is_check()),
        material / 62.0,
        (1.0 - (chances.len() - 1) as f64 / OPENING).max(0.0),
        flag(before.is_mate()),
        elo.map_or(0.0, |elo| (f64::from(elo) - 1500.0) / 400.0),
        flag(elo.is_none()),
        clock.map_or(0.0, f64::ln_1p),
        flag(clock.is_none()),
    ])
}

#[cfg(test)]
mod tests {
    use kibitz_board::pgn::{Policy, read_games};

    use super::*;

    fn read(text: &str, book: usize) -> Option<EvaluatedGame> {
        let mut games = read_games("test", text.as_bytes(), Policy::strict());
        let game = games.next().unwrap().unwrap();
        EvaluatedGame::read(&game, &games.comments(), book)
    }

    #[test]
    fn losses_are_the_movers() {
        let text = "1. e4 {[%eval 0.15]} e5 {[%eval 1.15]} 2. Nf3 {[%eval -1.00]} *";
        let found = read(text, 0).unwrap();
        let losses: Vec<f64> = found.moves.iter().map(|one| one.loss).collect();
        let white = |centipawns| super::super::lichess::win_percent(centipawns);
        assert!(losses[0] <= 0.0);
        assert!((losses[1] - (white(115) - white(15))).abs() < 1e-12);
        assert!((losses[2] - (white(115) - white(-100))).abs() < 1e-12);
        // Black's mistake is there for White to use.
        assert!((found.moves[2].attributes.0[3] - losses[1] / 10.0).abs() < 1e-12);
        assert_eq!(found.gaps, Gaps::default());
        assert!(found.accuracy.unwrap().black < 80.0);
        assert_eq!(read(text, 1).unwrap().gaps.book, 2);
        assert_eq!(read("1. e4 {good} e5 *", 0), None);
    }

    #[test]
    fn gaps_are_counted_by_cause() {
        let text = "1. e4 {[%eval 0.2]} e5 2. Nf3 {[%eval 0.2]} Nc6 {[%eval what]} \
                    3. Bc4 {[%eval 0.1]} Bc5 {[%eval #0]} 4. b4 {[%eval #-3]} *";
        let found = read(text, 0).unwrap();
        let plies: Vec<usize> = found.moves.iter().map(|one| one.ply).collect();
        assert_eq!(plies, [1]);
        let expected = Gaps {
            without: 1,
            unreadable: 2,
            after_gap: 3,
            book: 0,
        };
        assert_eq!(found.gaps, expected);
        let unreadable = found.unreadable.iter();
        let unreadable: Vec<_> = unreadable
            .map(|one| (one.played.as_str(), one.text.as_str()))
            .collect();
        assert_eq!(unreadable, [("2... Nc6", "what"), ("3... Bc5", "#0")]);
        assert_eq!(found.accuracy, None);
    }

    #[test]
    fn a_mate_needs_no_evaluation_and_loses_nothing() {
        let text = "1. f3 {[%eval -0.3]} e5 {[%eval -0.3]} 2. g4 {[%eval #-1]} Qh4# 0-1";
        let found = read(text, 0).unwrap();
        let last = found.moves.last().unwrap();
        assert_eq!((last.san.as_str(), last.loss), ("Qh4#", 0.0));
        assert_eq!(last.after, Evaluation::Checkmate(Color::Black));
        // Lichess has three evaluations of this game.
        let chances = [15, -30, -30, -1000].map(super::super::lichess::win_percent);
        assert_eq!(found.accuracy, game_accuracy(&chances, Color::White));
        let marked = text.replace("Qh4#", "Qh4# {[%eval #-0]}");
        assert_eq!(read(&marked, 0), Some(found));
    }

    #[test]
    fn a_position_set_up_has_no_evaluation_before_its_first_move() {
        let text = "[FEN \"4k3/8/8/8/8/8/r7/4K2R b K - 0 1\"]\n\n\
                    1... Rh2 {[%eval 0.0] [%clk 0:00:09]} 2. Rxh2 {[%eval 5.0]} Kd7 {[%eval 5.1]} *";
        let found = read(text, 0).unwrap();
        assert_eq!(found.gaps.after_gap, 1);
        // Lichess counts every start as the standard one.
        let chances = [15, 0, 500, 510].map(super::super::lichess::win_percent);
        assert_eq!(found.accuracy, game_accuracy(&chances, Color::Black));
        assert_eq!(found.moves[0].color, Color::White);
        assert_eq!(
            (found.moves[0].clock, found.moves[1].clock),
            (None, Some(9.0))
        );
    }
}
