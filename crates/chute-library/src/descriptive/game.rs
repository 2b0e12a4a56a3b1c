//! Whole games in descriptive notation, and the game cards of the 1975 library.

use kibitz_board::{Chess, Color, Move, Position};

use super::{
    DescriptiveGameError,
    resolver::{Origins, read_move_with},
};

/// A move with its text in descriptive notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedMove {
    /// The move.
    pub m: Move,
    /// The text, with trailing marks.
    pub text: String,
}

impl DescribedMove {
    /// Whether the move is marked `?` or `??`, but not `!?` or `?!`.
    pub fn is_doubtful(&self) -> bool {
        self.text.contains('?') && !self.text.contains('!')
    }
}

/// How a library game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryEnding {
    /// The loser resigned (cards `WHITERS` and `BLACKRS`).
    Resignation,
    /// The loser was mated (cards `WHITECM` and `BLACKCM`).
    Checkmate,
}

/// A game of the library of 1975: an id card, pairs of moves, and an outcome card.
///
/// # Source
/// Sugar 1975, Appendix 4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryGame {
    /// Number on the id card, 101 to 198 in the library.
    pub number: u32,
    /// Players as on the id card, White first.
    pub players: String,
    /// The moves, White's first.
    pub moves: Vec<DescribedMove>,
    /// The winner.
    pub winner: Color,
    /// How the game was won.
    pub ending: LibraryEnding,
}

/// Reads the moves of a game from the initial position.
///
/// Moves are separated by blanks or line ends. Move numbers (`12.`), dots and the filler `$` for a
/// missing move are skipped. A mark such as `?`, `ch` or `e.p.` may stand apart from its move.
///
/// # Errors
/// [`DescriptiveGameError::Move`] at the first move that cannot be read.
///
/// # Examples
/// ```
/// # use kibitz_chute_library::descriptive::read_moves;
/// let moves = read_moves("1. P-K4 P-K4  2. Kt-KB3 P-KB3 ?")?;
/// assert_eq!(moves.len(), 4);
/// assert!(moves[3].is_doubtful());
///
/// let error = read_moves("1. P-K4 P-K4\n2. N-B3").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 2, column 4, ply 3: `N-B3` is ambiguous, it can mean N-QB3 or N-KB3"
/// );
/// # Ok::<(), kibitz_chute_library::descriptive::DescriptiveGameError>(())
/// ```
pub fn read_moves(text: &str) -> Result<Vec<DescribedMove>, DescriptiveGameError> {
    read_move_lines(text.lines().enumerate())
}

/// Reads a game of the 1975 library.
///
/// The first line is the id card (`132G. Stahlberg, M. Monticelli`), then follow the moves as in
/// [`read_moves`], and the last line is the outcome card (`WHITERS`, `BLACKCM`, ...). Blank lines
/// and lines of job control (`//`) are skipped.
///
/// # Errors
/// [`DescriptiveGameError::Card`] if a card is missing or malformed,
/// [`DescriptiveGameError::Move`] at the first move that cannot be read.
pub fn read_library_game(text: &str) -> Result<LibraryGame, DescriptiveGameError> {
    let is_card = |(_, line): &(usize, &str)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('/')
    };
    let cards: Vec<(usize, &str)> = text.lines().enumerate().filter(is_card).collect();
    let past_the_end = text.lines().count() + 1;
    let expected_id = "an id card: the number of the game and the players";
    let Some(((id_line, id), rest)) = cards.split_first() else {
        return Err(DescriptiveGameError::Card {
            line: past_the_end,
            expected: expected_id,
        });
    };
    let id = id.trim();
    let players = id.trim_start_matches(|c: char| c.is_ascii_digit());
    let number =
        id[..id.len() - players.len()]
            .parse()
            .map_err(|_| DescriptiveGameError::Card {
                line: id_line + 1,
                expected: expected_id,
            })?;

    let expected = "an outcome card: WHITERS, WHITECM, BLACKRS or BLACKCM";
    let Some(((outcome_line, outcome), moves)) = rest.split_last() else {
        return Err(DescriptiveGameError::Card {
            line: past_the_end,
            expected,
        });
    };
    let (winner, ending) = match outcome.trim().to_ascii_uppercase().as_str() {
        "WHITERS" => (Color::White, LibraryEnding::Resignation),
        "WHITECM" => (Color::White, LibraryEnding::Checkmate),
        "BLACKRS" => (Color::Black, LibraryEnding::Resignation),
        "BLACKCM" => (Color::Black, LibraryEnding::Checkmate),
        _ => {
            return Err(DescriptiveGameError::Card {
                line: outcome_line + 1,
                expected,
            });
        }
    };
    Ok(LibraryGame {
        number,
        players: players.trim().to_owned(),
        moves: read_move_lines(moves.iter().copied())?,
        winner,
        ending,
    })
}

/// Reads moves from numbered lines; the numbers count from 0.
fn read_move_lines<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
) -> Result<Vec<DescribedMove>, DescriptiveGameError> {
    let mut position = Chess::default();
    let mut origins = Origins::new();
    let mut moves = Vec::new();
    for (line, text) in lines {
        for (column, token) in tokens(text) {
            let error = |source| DescriptiveGameError::Move {
                line: line + 1,
                column: text[..column].chars().count() + 1,
                ply: moves.len() + 1,
                source,
            };
            let m = read_move_with(&position, &token, Some(&origins)).map_err(error)?;
            position.play_unchecked(m);
            origins.play(m);
            moves.push(DescribedMove { m, text: token });
        }
    }
    Ok(moves)
}

/// Tokenizer: the moves of a line with their byte columns, without move numbers and fillers, and with
/// separate marks joined to their moves.
fn tokens(line: &str) -> Vec<(usize, String)> {
    let mut tokens: Vec<(usize, String)> = Vec::new();
    for word in line.split_whitespace() {
        let column = word.as_ptr() as usize - line.as_ptr() as usize;
        let numbered = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_number = numbered.len() < word.len() && numbered.starts_with('.');
        let skipped = if is_number {
            word.len() - numbered.trim_start_matches('.').len()
        } else {
            0
        };
        let word = &word[skipped..];
        if word.is_empty() || word.chars().all(|c| c == '$' || c == '.') {
            continue;
        }
        match tokens.last_mut() {
            Some((_, move_text)) if continues_move(move_text, word) => {
                move_text.push(' ');
                move_text.push_str(word);
            }
            _ => tokens.push((column + skipped, word.to_owned())),
        }
    }
    tokens
}

/// Whether a word continues the move before it: a mark, a square in parentheses, a castling side, or
/// the rest after a hyphen.
fn continues_move(before: &str, word: &str) -> bool {
    let word = word.to_ascii_uppercase();
    let mark = word.trim_end_matches(['.', '!', '?', '+', '#', ',']);
    let is_mark = matches!(
        mark,
        "" | "CH" | "CHECK" | "MATE" | "DIS" | "DBL" | "E.P" | "EP"
    );
    let is_side = before.eq_ignore_ascii_case("castles") && matches!(mark, "K" | "KR" | "Q" | "QR");
    let is_joined = word.starts_with(['(', ')', '-', '=', '*']) || word == "X";
    is_mark || is_side || is_joined || before.ends_with(['-', '*', '(', 'x', 'X'])
}

#[cfg(test)]
mod tests {
    use kibitz_board::{Square, san::SanPlus};

    use super::*;

    /// The game that the thesis prints as its example of the library format, with the letters that
    /// the scan confuses (P, R and B) set right, and the blanks and marks as printed.
    const PRINTED: &str = "\
//sysut1 dd *
132G. Stahlberg, M. Monticelli
P-Q4           KT-KB3
P-QB4          P-K3
KT-QB3         P-Q4
KT-B3          QKT-Q2
B-KT5          P-B3
P-K3           Q-R4
P*P            KT*P
Q-Q2           B-KT5
R-B1           P-QB4
P-K4           KT ( Q4) -B3
B-Q3           P*P
KT*P           0-0
0-0            KT-B4 ?
B *KT          P*B
P-QR3          KT*B
P*B            KT* P (KT5)
N (QB3 ) -KT5  KT-B3
R-B3           R-Q1
Q-R6           KT-K2
Q*P (KB6)      KT-KT3
KT-B5          P*KT
Q*R            $
whiters
";

    fn san(moves: &[DescribedMove]) -> String {
        let mut position = Chess::default();
        let to_san = |described: &DescribedMove| {
            SanPlus::from_move_and_play_unchecked(&mut position, described.m).to_string()
        };
        moves.iter().map(to_san).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_printed_game_is_read() {
        let game = read_library_game(PRINTED).unwrap();
        assert_eq!(
            (game.number, game.players.as_str()),
            (132, "G. Stahlberg, M. Monticelli")
        );
        assert_eq!(
            (game.winner, game.ending),
            (Color::White, LibraryEnding::Resignation)
        );
        assert_eq!(
            san(&game.moves),
            "d4 Nf6 c4 e6 Nc3 d5 Nf3 Nbd7 Bg5 c6 e3 Qa5 cxd5 Nxd5 Qd2 Bb4 Rc1 c5 e4 N5f6 Bd3 cxd4 \
             Nxd4 O-O O-O Nc5 Bxf6 gxf6 a3 Nxd3 axb4 Nxb4 Ncb5 Nc6 Rc3 Rd8 Qh6 Ne7 Qxf6 Ng6 Nf5 exf5 \
             Qxd8+"
        );
        let doubtful = |(i, m): (usize, &DescribedMove)| m.is_doubtful().then_some(i + 1);
        let doubtful: Vec<usize> = game.moves.iter().enumerate().filter_map(doubtful).collect();
        assert_eq!(doubtful, [26], "13...Nc5? is ply 26");
    }

    #[test]
    fn errors_name_the_place() {
        let error = |old: &str, new: &str| {
            read_library_game(&PRINTED.replace(old, new))
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            error("R-B3 ", "R-X3 "),
            "line 20, column 1, ply 35: cannot read `R-X3`: expected a square such as K4, QB3 or R8"
        );
        // Without its origin either knight can go to knight 5.
        assert_eq!(
            error("N (QB3 ) -KT5 ", "KT-KT5 "),
            "line 19, column 1, ply 33: `KT-KT5` is ambiguous, it can mean N(QB3)-N5 or N(Q4)-N5"
        );
        assert_eq!(
            error("KT-K2", "B-K2"),
            "line 21, column 16, ply 38: no legal move is `B-K2`; legal would be B-Q2"
        );
        assert_eq!(
            error("whiters", "draw"),
            "line 25: expected an outcome card: WHITERS, WHITECM, BLACKRS or BLACKCM"
        );
        assert_eq!(
            error("132G", "G"),
            "line 2: expected an id card: the number of the game and the players"
        );
        assert_eq!(
            read_library_game("").unwrap_err().to_string(),
            "line 1: expected an id card: the number of the game and the players"
        );
        assert_eq!(
            read_library_game("101A, B").unwrap_err().to_string(),
            "line 2: expected an outcome card: WHITERS, WHITECM, BLACKRS or BLACKCM"
        );
    }

    #[test]
    fn a_wing_means_where_the_piece_began() {
        // The queen's knight goes to g3, on the king's side of the king's knight on d4.
        let opening = "1.Kt-QB3 P-QR3 2.Kt-K4 P-QR4 3.Kt-Kt3 P-R5 4.Kt-B3 P-KR3 5.Kt-Q4 P-KR4 ";
        let last = |text: &str| {
            let moves = read_moves(&(opening.to_owned() + text)).unwrap();
            moves.last().and_then(|described| described.m.from())
        };
        assert_eq!(last("QKt-B5"), Some(Square::G3));
        assert_eq!(last("KKt-B5"), Some(Square::D4));
    }

    #[test]
    fn numbers_marks_and_fillers_may_stand_apart() {
        let moves = read_moves("1.P-K4 P-K4 2 . B-B4 ! Kt-QB3\n3. ... ").unwrap_err();
        assert_eq!(
            moves.to_string(),
            "line 1, column 13, ply 3: cannot read `2`: expected a move such as P-K4, KtxB, Q-R5ch or O-O"
        );
        let moves =
            read_moves("1. P-K4 P-K4 2. Q-R5 !? Kt-QB3 3. B-B4 P-KKt3 ? 4. Q x P ch $").unwrap();
        assert_eq!(san(&moves), "e4 e5 Qh5 Nc6 Bc4 g6 Qxe5+");
        assert_eq!(
            moves
                .iter()
                .map(DescribedMove::is_doubtful)
                .collect::<Vec<_>>(),
            [false, false, false, false, false, true, false]
        );
    }
}
