//! Games as files: the moves in a code whose lengths are their information under a model.
//!
//! A range coder writes each move with its probability under the model, so that a file needs the bits
//! that [`fit`](fn@crate::fit) tells, and can be read with the same model only. The moves, the result,
//! the start position and the tags of a game come back as they were, tags in their order and with
//! their values as they are written; comments and variations are in no [`Game`].
//!
//! # Format
//! A head: `KZGAMES`, the version, the identity of the model, and the name of its player. Blocks of up
//! to [`BLOCK`] games, each by itself: the number of games, the lengths of its two parts, a check sum
//! of them, and a check sum of the moves; then a zstd frame about the games, and the words of the range
//! coder. The last block is one of no games. Numbers are little-endian.
//!
//! The frame has the number of plies of each game, then a byte for the result of each, then lines of
//! text: the start position of each (nothing for the ordinary one), then for each game its tags, one
//! a line, the name and the value with a space between, and an empty line. `\n`, `\s` and `\\` stand for
//! a line feed, a space in a name, and a backslash.
//!
//! Version 1 had normalized tags, and is not read.
//!
//! The file is long so that what writes each part of the format stands beside what reads it.

use std::{io::Read, ops::RangeInclusive, str::Split};

use constriction::stream::{
    Decode as _, Encode as _,
    model::DefaultContiguousCategoricalEntropyModel as Categorical,
    queue::{DefaultRangeDecoder, DefaultRangeEncoder},
};
use kibitz_board::{
    CastlingMode, Chess, EnPassantMode, Game, MoveList, Outcome, Position as _, Tags,
    fen::Fen,
    pgn::{Collection, ReadError},
};
use rayon::prelude::*;

use crate::{Model, model::Valuer, session::stream_seed};

/// Games in a block.
pub const BLOCK: usize = 1024;

/// The first bytes of a file; the version of the format follows.
const MAGIC: &[u8; 7] = b"KZGAMES";

/// Version of the format.
const VERSION: u8 = 2;

/// Results, in the order of their bytes.
const OUTCOMES: [&str; 4] = ["*", "1-0", "0-1", "1/2-1/2"];

/// Bits of a probability.
const PRECISION: u32 = 24;

/// Values are rounded to this part of a natural logarithm, which costs nothing that could be measured,
/// and hides what exponential functions of different machines make of the last digit of a tree.
const STEPS: f64 = 4096.0;

/// Numbers in the head of a block.
const BLOCK_HEAD: usize = 5;

/// Why games are not coded, or a file is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CoderError {
    /// The model is of a table.
    #[error("the model is not one of chess moves")]
    NotChess,
    /// The model has no weights for a phase.
    #[error("the model has no weights for the {0}, which is in these games")]
    NoPhase(&'static str),
    /// The start position of a game has no FEN that gives it back.
    #[error("the start position of game {0} cannot be kept")]
    Start(usize),
    /// The file begins otherwise.
    #[error("not a file of `kibitz-players encode`")]
    NotOurs,
    /// The file has another version.
    #[error(
        "the file is of version {0}, and this program reads version {VERSION}: encode the games again"
    )]
    Version(u8),
    /// Another model wrote the file.
    #[error("the file was written with another model: one of `{0}`")]
    OtherModel(String),
    /// The file ends too early.
    #[error("the file ends in {}: it was cut off", block(*.0, .1))]
    Truncated(usize, RangeInclusive<usize>),
    /// A check sum does not agree.
    #[error("{} is damaged: {why}", block(*.number, .games))]
    Damaged {
        /// The block, from 1.
        number: usize,
        /// Its games, from 1; up to the first if their number is unknown.
        games: RangeInclusive<usize>,
        /// How it shows.
        why: &'static str,
    },
    /// Something follows the last block.
    #[error("{0} bytes follow the last game")]
    Trailing(usize),
}

fn block(number: usize, games: &RangeInclusive<usize>) -> String {
    let (first, last) = (games.start(), games.end());
    if last > first {
        format!("block {number} (games {first} to {last})")
    } else {
        format!("block {number} (from game {first})")
    }
}

/// A game with its tags as they are written, where [`Game::tags`] has their meaning alone.
#[derive(Debug, Clone, PartialEq)]
pub struct TaggedGame {
    game: Game,
    tags: Vec<(String, String)>,
}

impl TaggedGame {
    /// A game with these tags in the place of its own.
    pub fn new(mut game: Game, tags: Vec<(String, String)>) -> Self {
        let mut meaning = Tags::default();
        for (name, value) in &tags {
            meaning.set(name, value);
        }
        *game.tags_mut() = meaning;
        Self { game, tags }
    }

    /// All games of a collection.
    ///
    /// # Errors
    /// Those of the collection.
    pub fn read_all<R: Read>(collection: &mut Collection<R>) -> Result<Vec<Self>, ReadError> {
        let mut games = Vec::new();
        while let Some(game) = collection.next() {
            games.push(Self::new(game?, collection.tags()));
        }
        Ok(games)
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Names and values of its tags, in order.
    pub fn tags(&self) -> &[(String, String)] {
        &self.tags
    }
}

/// Games in the code of a model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EncodedGames {
    /// The file.
    pub bytes: Vec<u8>,
    /// Games.
    pub games: u64,
    /// Moves of both sides.
    pub moves: u64,
    /// Bytes of the moves alone.
    pub move_bytes: u64,
}

impl EncodedGames {
    /// Bits of a move, without tags.
    pub fn bits_per_move(&self) -> f64 {
        8.0 * self.move_bytes as f64 / self.moves as f64
    }
}

/// Writes games in the code of a model. The bytes do not depend on the number of threads.
///
/// # Errors
/// [`CoderError::NotChess`], [`CoderError::NoPhase`] and [`CoderError::Start`].
///
/// # Examples
/// ```no_run
/// # fn read_model() -> kibitz_players::Model { unimplemented!() }
/// use kibitz_board::pgn::{Policy, read_games};
/// use kibitz_players::coder::{TaggedGame, decode, encode};
///
/// let model = read_model();
/// let text = "[WhiteElo \"-\"]\n\n1. e4 e5 2. Nf3 *";
/// let games = TaggedGame::read_all(&mut read_games("mine", text.as_bytes(), Policy::Fail))?;
/// let encoded = encode(&model, &games)?;
/// assert_eq!(decode(&model, &encoded.bytes)?, games);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn encode(model: &Model, games: &[TaggedGame]) -> Result<EncodedGames, CoderError> {
    let mut encoded = EncodedGames {
        bytes: head(model),
        games: games.len() as u64,
        ..EncodedGames::default()
    };
    let blocks: Vec<Block> = (games.par_chunks(BLOCK).enumerate())
        .map(|(number, games)| Block::of(model, games, number * BLOCK))
        .collect::<Result<_, _>>()?;
    for block in &blocks {
        encoded.moves += block.moves;
        encoded.move_bytes += block.words.len() as u64;
        block.write(&mut encoded.bytes);
    }
    Block::default().write(&mut encoded.bytes);
    Ok(encoded)
}

/// Reads what [`encode`] wrote with the same model.
///
/// # Errors
/// All but [`CoderError::Start`].
pub fn decode(model: &Model, bytes: &[u8]) -> Result<Vec<TaggedGame>, CoderError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(CoderError::NotOurs)?;
    let (&version, mut rest) = rest.split_first().ok_or(CoderError::NotOurs)?;
    if version != VERSION {
        return Err(CoderError::Version(version));
    }
    let cut = || CoderError::Truncated(1, 1..=1);
    let (own, name) = (take(&mut rest, 8), take_name(&mut rest));
    let (own, name) = (own.ok_or_else(cut)?, name.ok_or_else(cut)?);
    if own != identity(model).to_le_bytes() {
        return Err(CoderError::OtherModel(name));
    }
    let mut blocks = Vec::new();
    let mut first = 1;
    loop {
        let place = Place {
            number: blocks.len() + 1,
            first,
            games: 0,
        };
        let block = Block::read(&mut rest, place)?;
        if block.place.games == 0 {
            break;
        }
        first += block.place.games;
        blocks.push(block);
    }
    if !rest.is_empty() {
        return Err(CoderError::Trailing(rest.len()));
    }
    let games: Vec<Vec<TaggedGame>> = (blocks.par_iter())
        .map(|block| block.games(model))
        .collect::<Result<_, _>>()?;
    Ok(games.into_iter().flatten().collect())
}

fn head(model: &Model) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.push(VERSION);
    bytes.extend(identity(model).to_le_bytes());
    let name = model.player.as_bytes();
    bytes.extend(word(name.len()).to_le_bytes());
    bytes.extend(name);
    bytes
}

/// What decides the probabilities of a model, in a number.
fn identity(model: &Model) -> u64 {
    let weights = model.parts.iter().flat_map(|part| {
        let bits = part.fit.weights.iter().map(|one| one.value.to_bits());
        std::iter::once(part.phase.map_or(u64::MAX, |phase| phase as u64)).chain(bits)
    });
    // A domain is plain names and numbers, which are always TOML.
    let text = toml::to_string(&model.domain).unwrap_or_default();
    weights.fold(stream_seed(0, &text), |seed, weight| {
        stream_seed(seed ^ weight, "weight")
    })
}

fn take<'b>(bytes: &mut &'b [u8], n: usize) -> Option<&'b [u8]> {
    let (head, rest) = bytes.split_at_checked(n)?;
    *bytes = rest;
    Some(head)
}

/// A number as files have it.
fn word(n: usize) -> u32 {
    u32::try_from(n).expect("names, games and blocks of games are far below four thousand million")
}

fn take_number(bytes: &mut &[u8]) -> Option<u32> {
    let number = take(bytes, 4)?.try_into().ok()?;
    Some(u32::from_le_bytes(number))
}

fn take_name(bytes: &mut &[u8]) -> Option<String> {
    let n = take_number(bytes)? as usize;
    Some(String::from_utf8_lossy(take(bytes, n)?).into_owned())
}

/// Where a block stands.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    number: usize,
    first: usize,
    games: usize,
}

impl Place {
    fn range(self) -> RangeInclusive<usize> {
        self.first..=(self.first + self.games).saturating_sub(1).max(self.first)
    }

    fn damaged(self, why: &'static str) -> CoderError {
        CoderError::Damaged {
            number: self.number,
            games: self.range(),
            why,
        }
    }
}

/// Some games, written.
#[derive(Debug, Default)]
struct Block {
    place: Place,
    moves: u64,
    check: u32,
    /// What is known of the games but their moves, compressed.
    headers: Vec<u8>,
    words: Vec<u8>,
}

impl Block {
    fn of(model: &Model, games: &[TaggedGame], before: usize) -> Result<Self, CoderError> {
        let mut frequencies = Frequencies::new(model)?;
        let mut encoder = DefaultRangeEncoder::new();
        let mut check = Check::default();
        let headers = headers(games, before)?;
        let mut moves_coded = 0;
        for game in games.iter().map(TaggedGame::game) {
            moves_coded += game.n_plies() as u64;
            for (position, played) in game.plies() {
                check.add(game.castling_mode(), played);
                let moves = position.legal_moves();
                let chosen = moves.iter().position(|one| *one == played);
                // A game has legal moves alone, and a sole move needs no bits.
                if let (2.., Some(chosen)) = (moves.len(), chosen) {
                    (encoder.encode_symbol(chosen, frequencies.of(&position, &moves)?))
                        .expect("every move has a probability, and memory takes every word");
                }
            }
        }
        let words = encoder.into_compressed().unwrap_or_default();
        Ok(Self {
            place: Place {
                number: before / BLOCK + 1,
                first: before + 1,
                games: games.len(),
            },
            moves: moves_coded,
            check: check.finish(),
            headers: zstd::encode_all(headers.as_slice(), 19).expect("memory takes every byte"),
            words: words.into_iter().flat_map(u32::to_le_bytes).collect(),
        })
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        let parts = [&self.headers, &self.words];
        let lengths = parts.map(|part| word(part.len()));
        let numbers = [word(self.place.games), lengths[0], lengths[1], self.check];
        let start = bytes.len();
        bytes.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
        bytes.extend(parts.into_iter().flatten());
        let sum = crc32fast::hash(&bytes[start..]);
        bytes.extend(sum.to_le_bytes());
    }

    fn read(bytes: &mut &[u8], place: Place) -> Result<Self, CoderError> {
        let all = *bytes;
        let cut = |place: Place| CoderError::Truncated(place.number, place.range());
        let mut numbers = [0; BLOCK_HEAD - 1];
        for number in &mut numbers {
            *number = take_number(bytes).ok_or_else(|| cut(place))?;
        }
        let [games, headers, words, check] = numbers;
        let place = Place {
            games: games as usize,
            ..place
        };
        if place.games > BLOCK {
            return Err(Place { games: 0, ..place }.damaged("it would have too many games"));
        }
        let headers = take(bytes, headers as usize).ok_or_else(|| cut(place))?;
        let words = take(bytes, words as usize).ok_or_else(|| cut(place))?;
        let length = all.len() - bytes.len();
        let sum = take_number(bytes).ok_or_else(|| cut(place))?;
        if sum != crc32fast::hash(&all[..length]) {
            return Err(place.damaged("its check sum does not agree"));
        }
        Ok(Self {
            place,
            moves: 0,
            check,
            headers: headers.to_vec(),
            words: words.to_vec(),
        })
    }

    fn games(&self, model: &Model) -> Result<Vec<TaggedGame>, CoderError> {
        let damaged = |why| self.place.damaged(why);
        let headers = zstd::decode_all(self.headers.as_slice());
        let headers = headers.map_err(|_| damaged("its tags are not a zstd frame"))?;
        let headers =
            read_headers(&headers, self.place.games).ok_or_else(|| damaged("it lacks tags"))?;
        let words = self.words.chunks_exact(4);
        let words = words.filter_map(|mut four| take_number(&mut four));
        let mut decoder = DefaultRangeDecoder::from_compressed(words.collect::<Vec<u32>>())
            .map_err(|_| damaged("its moves end early"))?;
        let mut frequencies = Frequencies::new(model)?;
        let mut check = Check::default();
        let mut games = Vec::with_capacity(headers.len());
        for one in headers {
            let mut position = one.start.clone();
            let mode = position.castles().mode();
            let mut played = Vec::new();
            for _ in 0..one.plies {
                let moves = position.legal_moves();
                let chosen = match moves.len() {
                    0 => return Err(damaged("a game goes on after its end")),
                    1 => 0,
                    _ => decoder
                        .decode_symbol(frequencies.of(&position, &moves)?)
                        .map_err(|_| damaged("its moves are not valid code"))?,
                };
                check.add(mode, moves[chosen]);
                played.push(moves[chosen]);
                position.play_unchecked(moves[chosen]);
            }
            let game = Game::new(Tags::default(), one.start, played, one.outcome);
            let game = game.map_err(|_| damaged("a move is not legal"))?;
            games.push(TaggedGame::new(game, one.tags));
        }
        if check.finish() != self.check {
            return Err(damaged(
                "its moves do not agree with their check sum; a program of another version may have written it",
            ));
        }
        Ok(games)
    }
}

/// A game without its moves.
struct GameHeader {
    plies: u32,
    outcome: Outcome,
    start: Chess,
    tags: Vec<(String, String)>,
}

/// The bytes of the headers of games; the number of the first game is `before` + 1.
fn headers(games: &[TaggedGame], before: usize) -> Result<Vec<u8>, CoderError> {
    let mut headers = Vec::new();
    for one in games {
        headers.extend(word(one.game.n_plies()).to_le_bytes());
    }
    let byte = |one: &TaggedGame| {
        let name = one.game.outcome().as_str();
        (0..).zip(OUTCOMES).find(|(_, outcome)| *outcome == name)
    };
    headers.extend(games.iter().filter_map(byte).map(|(byte, _)| byte));
    for (number, one) in (before + 1..).zip(games) {
        if !one.game.starts_normally() {
            let start = one.game.start();
            let line = start_line(start);
            if read_start(&line).is_none_or(|read| read != *start) {
                return Err(CoderError::Start(number));
            }
            headers.extend(line.bytes());
        }
        headers.push(b'\n');
    }
    for one in games {
        for (name, value) in &one.tags {
            let name = escaped(name).replace(' ', "\\s");
            headers.extend(format!("{name} {}\n", escaped(value)).bytes());
        }
        headers.push(b'\n');
    }
    Ok(headers)
}

/// What [`headers`] wrote of so many games; `None` if it is damaged.
fn read_headers(mut headers: &[u8], games: usize) -> Option<Vec<GameHeader>> {
    let plies = take(&mut headers, 4 * games)?.chunks_exact(4);
    let plies: Vec<u32> = plies
        .filter_map(|mut four| take_number(&mut four))
        .collect();
    let outcomes = take(&mut headers, games)?;
    let text = std::str::from_utf8(headers).ok()?.strip_suffix('\n')?;
    let mut lines = text.split('\n');
    let starts = (0..games).map(|_| match lines.next()? {
        "" => Some(Chess::default()),
        line => read_start(line),
    });
    let starts: Vec<Chess> = starts.collect::<Option<_>>()?;
    let mut all = Vec::with_capacity(games);
    for ((plies, outcome), start) in plies.into_iter().zip(outcomes).zip(starts) {
        let outcome = OUTCOMES.get(usize::from(*outcome))?;
        all.push(GameHeader {
            plies,
            outcome: Outcome::from_ascii(outcome.as_bytes()).ok()?,
            start,
            tags: read_tags(&mut lines)?,
        });
    }
    lines.next().is_none().then_some(all)
}

/// The tags up to the next empty line.
fn read_tags(lines: &mut Split<'_, char>) -> Option<Vec<(String, String)>> {
    let mut tags = Vec::new();
    loop {
        match lines.next()? {
            "" => return Some(tags),
            line => {
                let (name, value) = line.split_once(' ')?;
                tags.push((unescaped(name)?, unescaped(value)?));
            }
        }
    }
}

/// A start position with its castling mode, which a FEN does not always tell.
fn start_line(start: &Chess) -> String {
    let mode = if start.castles().mode().is_standard() {
        "standard"
    } else {
        "chess960"
    };
    format!("{mode} {}", Fen::from_position(start, EnPassantMode::Legal))
}

fn read_start(line: &str) -> Option<Chess> {
    let (mode, fen) = line.split_once(' ')?;
    let mode = match mode {
        "standard" => CastlingMode::Standard,
        "chess960" => CastlingMode::Chess960,
        _ => return None,
    };
    let setup = Fen::from_ascii(fen.as_bytes()).ok()?.into_setup();
    setup.position(mode).ok()
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n")
}

fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.push(match letter {
            '\\' => match letters.next()? {
                'n' => '\n',
                's' => ' ',
                '\\' => '\\',
                _ => return None,
            },
            letter => letter,
        });
    }
    Some(plain)
}

/// A check sum of moves.
#[derive(Debug, Default)]
struct Check {
    hasher: crc32fast::Hasher,
    text: Vec<u8>,
}

impl Check {
    fn add(&mut self, mode: CastlingMode, played: kibitz_board::Move) {
        self.text.clear();
        played.to_uci(mode).append_ascii_to(&mut self.text);
        self.hasher.update(&self.text);
    }

    fn finish(self) -> u32 {
        self.hasher.finalize()
    }
}

/// Probabilities as integers, the same on every machine.
struct Frequencies {
    valuer: Valuer,
    values: Vec<f64>,
    whole: Vec<u32>,
}

impl Frequencies {
    fn new(model: &Model) -> Result<Self, CoderError> {
        Ok(Self {
            valuer: Valuer::new(model).ok_or(CoderError::NotChess)?,
            values: Vec::new(),
            whole: Vec::new(),
        })
    }

    fn of(&mut self, position: &Chess, moves: &MoveList) -> Result<Categorical, CoderError> {
        self.values.clear();
        let valued = self.valuer.extend_values(position, moves, &mut self.values);
        valued.map_err(|phase| CoderError::NoPhase(phase.name()))?;
        whole_probabilities(&self.values, &mut self.whole);
        Ok(
            Categorical::from_nonzero_fixed_point_probabilities(&self.whole, false)
                .expect("whole numbers from 1 that add up to the scale"),
        )
    }
}

/// The softmax of two or more values in integers from 1, which add up to `2^PRECISION`.
fn whole_probabilities(values: &[f64], whole: &mut Vec<u32>) {
    const SCALE: u32 = 1 << PRECISION;
    let rounded = values.iter().map(|value| (value * STEPS).round());
    let most = rounded.clone().fold(f64::NEG_INFINITY, f64::max);
    // Not the exponential function of the platform, whose last digit differs between them.
    let odds = rounded.map(|value| libm::exp((value - most) / STEPS));
    let total: f64 = odds.clone().sum();
    let room = f64::from(SCALE) - values.len() as f64;
    whole.clear();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "shares of the room, which are rounded down"
    )]
    whole.extend(odds.map(|one| 1 + (one / total * room) as u32));
    // What rounding down left over goes to the likeliest.
    let largest = (0..whole.len())
        .max_by_key(|&index| whole[index])
        .unwrap_or(0);
    let sum: u32 = whole.iter().sum();
    whole[largest] = (whole[largest] + SCALE).saturating_sub(sum);
}
