//! The visitor of `pgn-reader` that builds games: normalizes tags and plays moves.

use std::{borrow::Cow, ops::ControlFlow};

use encoding_rs::WINDOWS_1252;
use pgn_reader::{RawTag, Visitor};
use shakmaty::{
    CastlingMode, Chess, Color, Move, Outcome, Position, PositionError, PositionErrorKinds, Setup,
    fen::Fen,
    san::{SanError, SanPlus, Suffix},
};

use super::{BadGameReason, Repair, result};
use crate::{Date, Game, Tags};

/// Limit of plies of a game. The 75-move rule ends every game before 17,698.
pub(super) const MAX_PLIES: usize = 1 << 15;

/// Builds games.
#[derive(Debug)]
pub(super) struct GameBuilder;

/// The result of a visit without errors.
#[derive(Debug)]
pub(super) struct VisitedGame {
    pub(super) game: Box<Game>,
    /// Repairs of its tags and result.
    pub(super) repairs: Vec<Repair>,
    /// Repairs of its moves, with their numbers from 0.
    pub(super) repairs_of_moves: Vec<(Repair, usize)>,
}

/// Result of a visit; an error names the tag at fault, if any, to locate its line.
pub(super) type Visit = Result<VisitedGame, (BadGameReason, Option<&'static str>)>;

/// The tags of a game, and those that determine how its moves are read.
#[derive(Debug, Default)]
pub(super) struct Header {
    tags: Tags,
    repairs: Vec<Repair>,
    has_result: bool,
    result: Option<Outcome>,
    /// The tag `Result`, if it is not spelled as in the standard.
    result_tag: Option<String>,
    fen: Option<String>,
    set_up: Option<String>,
    variant: Option<String>,
}

/// A game during its moves.
#[derive(Debug)]
pub(super) struct MovetextState {
    header: Header,
    repairs_of_moves: Vec<(Repair, usize)>,
    start: Chess,
    position: Chess,
    moves: Vec<Move>,
    outcome: Option<Outcome>,
}

/// The text of a tag: UTF-8, or else Windows-1252, which is Latin-1 with letters and signs in place
/// of the control characters 0x80 to 0x9F.
pub(super) fn decode(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    match str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => (WINDOWS_1252.decode_without_bom_handling(bytes).0, true),
    }
}

/// A tag value with escapes resolved: `\"` to a quote and `\\` to a backslash (PGN standard, section
/// 7). `RawTag::decode` takes the second backslash of a pair for the start of another escape.
fn unescape(value: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', value).is_none() {
        return Cow::Borrowed(value);
    }
    let mut plain = Vec::with_capacity(value.len());
    let mut bytes = value.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = bytes.next_if(|&next| byte == b'\\' && matches!(next, b'\\' | b'"'));
        plain.push(escaped.unwrap_or(byte));
    }
    Cow::Owned(plain)
}

/// Collects the tags of a game as they are written.
#[derive(Debug)]
pub(super) struct TagCollector;

impl Visitor for TagCollector {
    type Tags = Vec<(String, String)>;
    type Movetext = ();
    type Output = Vec<(String, String)>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(
        &mut self,
        tags: &mut Self::Tags,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        let bytes = unescape(value.as_bytes());
        let (value, _) = decode(&bytes);
        let (name, _) = decode(name.trim_ascii());
        tags.push((name.into_owned(), value.into_owned()));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Self::Output> {
        ControlFlow::Break(tags)
    }

    fn end_game(&mut self, (): ()) -> Self::Output {
        Vec::new()
    }
}

impl Header {
    /// Sets a tag that does not determine how the moves are read.
    fn set(&mut self, name: &str, value: &str) {
        self.tags.set(name, value);
        let tags = &self.tags;
        let (tag, is_unknown) = match name {
            "Date" => ("Date", tags.date == Date::default()),
            "WhiteElo" => ("WhiteElo", tags.white_elo.is_none()),
            "BlackElo" => ("BlackElo", tags.black_elo.is_none()),
            _ => return,
        };
        let is_said = |c: char| !c.is_whitespace() && !matches!(c, '?' | '-' | '.');
        if is_unknown && value.contains(is_said) {
            let found = value.trim().to_owned();
            self.repairs.push(Repair::IgnoredTag { tag, found });
        }
    }

    /// The position before the first move.
    fn start(&mut self) -> Result<Chess, (BadGameReason, Option<&'static str>)> {
        let is_chess960 = match self
            .variant
            .as_deref()
            .map(str::to_ascii_lowercase)
            .as_deref()
        {
            None | Some("" | "?" | "standard" | "normal" | "chess" | "from position") => false,
            Some(
                "chess960" | "chess 960" | "fischerandom" | "fischer random" | "fischerrandom",
            ) => true,
            Some(_) => {
                let variant = self.variant.clone().unwrap_or_default();
                return Err((
                    BadGameReason::UnsupportedVariant { variant },
                    Some("Variant"),
                ));
            }
        };
        // The standard wants both tags or none. A FEN without `SetUp` is so common that it is taken
        // as it stands; a contradiction is not.
        match (self.set_up.as_deref(), &self.fen) {
            (Some("1"), None) | (Some("0"), Some(_)) => {
                let set_up = self.set_up.clone().unwrap_or_default();
                let has_fen = self.fen.is_some();
                return Err((
                    BadGameReason::ContradictorySetUp { set_up, has_fen },
                    Some("SetUp"),
                ));
            }
            _ => {}
        }
        let setup = match &self.fen {
            None if !is_chess960 => return Ok(Chess::default()),
            None => Setup::initial(),
            Some(fen) => match Fen::from_ascii(fen.as_bytes()) {
                Ok(fen) => fen.into_setup(),
                Err(reason) => {
                    let fen = fen.clone();
                    return Err((BadGameReason::BrokenFen { fen, reason }, Some("FEN")));
                }
            },
        };
        let mode = if is_chess960 {
            CastlingMode::Chess960
        } else {
            // Castling rights that only Chess960 can have show that the tag `Variant` is missing.
            CastlingMode::detect(&setup)
        };
        let mut position = setup.position(mode);
        // Impossible castling rights and en passant squares do not change the pieces, so they are
        // dropped, and reported as repairs.
        if let Err(error) = position {
            let kinds = error.kinds();
            position = (error.ignore_invalid_castling_rights())
                .or_else(PositionError::ignore_invalid_ep_square);
            let is_wrong = |kind, repair| kinds.contains(kind).then_some(repair);
            self.repairs.extend(is_wrong(
                PositionErrorKinds::INVALID_CASTLING_RIGHTS,
                Repair::CastlingRights,
            ));
            self.repairs.extend(is_wrong(
                PositionErrorKinds::INVALID_EP_SQUARE,
                Repair::EnPassant,
            ));
        }
        position.map_err(|error: PositionError<Chess>| {
            let fen = self.fen.clone().unwrap_or_default();
            let reason = error.to_string();
            (BadGameReason::IllegalPosition { fen, reason }, Some("FEN"))
        })
    }
}

impl MovetextState {
    /// The number of the next move, as in `12.` or `12...`.
    fn move_number(&self) -> String {
        let number = self.position.fullmoves();
        match self.position.turn() {
            Color::White => format!("{number}."),
            Color::Black => format!("{number}..."),
        }
    }
}

impl Visitor for GameBuilder {
    type Tags = Header;
    type Movetext = MovetextState;
    type Output = Visit;

    fn begin_tags(&mut self) -> ControlFlow<Visit, Header> {
        ControlFlow::Continue(Header::default())
    }

    fn tag(&mut self, header: &mut Header, name: &[u8], value: RawTag<'_>) -> ControlFlow<Visit> {
        let bytes = unescape(value.as_bytes());
        let (text, is_windows1252) = decode(&bytes);
        let name = name.trim_ascii();
        let is_first = |known: &Repair| !matches!(known, Repair::Windows1252 { .. });
        if is_windows1252 && header.repairs.iter().all(is_first) {
            let tag = String::from_utf8_lossy(name).into_owned();
            header.repairs.push(Repair::Windows1252 { tag });
        }
        match name {
            b"Result" => {
                header.has_result = true;
                header.result = Outcome::from_ascii(bytes.trim_ascii()).ok();
                header.result_tag = None;
                if header.result.is_none() && !matches!(text.trim(), "" | "?" | "-") {
                    header.result = result::of_tag(&text);
                    header.result_tag = Some(text.trim().to_owned());
                }
            }
            b"FEN" => header.fen = Some(text.trim().to_owned()),
            b"SetUp" => header.set_up = Some(text.trim().to_owned()),
            b"Variant" => header.variant = Some(text.trim().to_owned()),
            name => {
                if let Ok(name) = str::from_utf8(name) {
                    header.set(name, &text);
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, mut header: Header) -> ControlFlow<Visit, MovetextState> {
        match header.start() {
            Ok(start) => ControlFlow::Continue(MovetextState {
                header,
                repairs_of_moves: Vec::new(),
                position: start.clone(),
                start,
                moves: Vec::with_capacity(80),
                outcome: None,
            }),
            Err(bad) => ControlFlow::Break(Err(bad)),
        }
    }

    fn san(&mut self, game: &mut MovetextState, san: SanPlus) -> ControlFlow<Visit> {
        if let Some(outcome) = game.outcome {
            let san = san.to_string();
            return ControlFlow::Break(Err((
                BadGameReason::MoveAfterResult { outcome, san },
                None,
            )));
        }
        if game.moves.len() == MAX_PLIES {
            let reason = BadGameReason::TooManyMoves { limit: MAX_PLIES };
            return ControlFlow::Break(Err((reason, None)));
        }
        match san.san.to_move(&game.position) {
            Ok(m) => {
                game.position.play_unchecked(m);
                let gives = san.suffix.is_none_or(|sign| match sign {
                    Suffix::Check => game.position.is_check(),
                    Suffix::Checkmate => game.position.is_checkmate(),
                });
                if !gives {
                    let repair = Repair::FalseSign {
                        san: san.to_string(),
                    };
                    game.repairs_of_moves.push((repair, game.moves.len()));
                }
                game.moves.push(m);
                ControlFlow::Continue(())
            }
            Err(error) => {
                let (number, san) = (game.move_number(), san.to_string());
                let reason = match error {
                    SanError::IllegalSan => BadGameReason::IllegalMove { number, san },
                    SanError::AmbiguousSan => BadGameReason::AmbiguousMove { number, san },
                };
                ControlFlow::Break(Err((reason, None)))
            }
        }
    }

    fn outcome(&mut self, game: &mut MovetextState, outcome: Outcome) -> ControlFlow<Visit> {
        match game.outcome {
            Some(first) if first != outcome => {
                let reason = BadGameReason::ContradictoryResult {
                    first,
                    second: outcome,
                };
                ControlFlow::Break(Err((reason, None)))
            }
            Some(_) => {
                let repair = Repair::RepeatedResult(outcome);
                if !game.header.repairs.contains(&repair) {
                    game.header.repairs.push(repair);
                }
                ControlFlow::Continue(())
            }
            None => {
                game.outcome = Some(outcome);
                ControlFlow::Continue(())
            }
        }
    }

    fn end_game(&mut self, game: MovetextState) -> Visit {
        let MovetextState {
            header,
            repairs_of_moves,
            start,
            moves,
            ..
        } = game;
        let unknown = Outcome::Unknown;
        let mut repairs = header.repairs;
        let outcome = match (header.result, game.outcome) {
            (Some(first), Some(second)) if first == second => first,
            (None, Some(outcome)) => outcome,
            (Some(known), Some(open)) | (Some(open), Some(known)) if open == unknown => {
                repairs.push(Repair::OpenResult(known));
                known
            }
            (Some(first), Some(second)) => {
                let reason = BadGameReason::ContradictoryResult { first, second };
                return Err((reason, None));
            }
            (told, None) if header.has_result => {
                let outcome = told.unwrap_or(unknown);
                repairs.push(match outcome {
                    _ if moves.is_empty() => Repair::TagsAlone(outcome),
                    Outcome::Unknown => Repair::NoResult,
                    Outcome::Known(_) => Repair::ResultOfTag(outcome),
                });
                outcome
            }
            (_, None) => return Err((BadGameReason::NoResult, None)),
        };
        if let Some(found) = header.result_tag {
            let read = outcome;
            repairs.push(Repair::ResultTag { found, read });
        }
        Ok(VisitedGame {
            game: Box::new(Game::from_legal(header.tags, start, moves, outcome)),
            repairs,
            repairs_of_moves,
        })
    }
}
