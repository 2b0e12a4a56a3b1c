//! UCI commands as text: unknown and unreadable words are ignored and reported.

use std::{fmt::Write as _, ops::RangeInclusive, time::Duration};

use kibitz_board::uci::UciMove;

use crate::limits::{Go, MAX_DEPTH};

/// Longest time that a command can give, some 24 days: numbers of 31 bits are customary.
const MAX_MILLISECONDS: i64 = i32::MAX as i64;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Uci,
    Debug(bool),
    IsReady,
    SetOption {
        name: String,
        value: Option<String>,
    },
    Register,
    NewGame,
    /// A position; the initial one without a FEN.
    Position {
        fen: Option<String>,
        moves: Vec<String>,
    },
    /// A position that cannot be read.
    BadPosition,
    Go(Go),
    Stop,
    PonderHit,
    Quit,
}

/// The first words of all commands.
const COMMANDS: [&str; 11] = [
    "uci",
    "debug",
    "isready",
    "setoption",
    "register",
    "ucinewgame",
    "position",
    "go",
    "stop",
    "ponderhit",
    "quit",
];

/// The words that begin an argument of `go`.
const ARGUMENTS: [&str; 12] = [
    "searchmoves",
    "ponder",
    "infinite",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
];

impl Command {
    /// Reads a line that is not blank, and notes the words it ignores; `None` if it has no command.
    ///
    /// UCI demands that unknown words before and after a command are ignored.
    pub(crate) fn read(line: &str, notes: &mut Vec<String>) -> Option<Command> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(at) = words.iter().position(|word| COMMANDS.contains(word)) else {
            notes.push(format!(
                "no command in `{}`: expected one of {}",
                words.join(" "),
                COMMANDS.join(", ")
            ));
            return None;
        };
        skipped(&words[..at], notes);
        let (name, rest) = (words[at], &words[at + 1..]);
        match name {
            "debug" => debug(rest, notes),
            "setoption" => set_option(rest, notes),
            "register" => Some(Command::Register),
            "position" => Some(position(rest, notes)),
            "go" => Some(Command::Go(Go::read(rest, notes))),
            _ => {
                skipped(rest, notes);
                Some(match name {
                    "uci" => Command::Uci,
                    "isready" => Command::IsReady,
                    "ucinewgame" => Command::NewGame,
                    "stop" => Command::Stop,
                    "ponderhit" => Command::PonderHit,
                    _ => Command::Quit,
                })
            }
        }
    }
}

/// Notes ignored words.
fn skipped(words: &[&str], notes: &mut Vec<String>) {
    if !words.is_empty() {
        notes.push(format!("skipped: `{}`", words.join(" ")));
    }
}

fn debug(words: &[&str], notes: &mut Vec<String>) -> Option<Command> {
    let is_on = match words.first() {
        Some(&"on") => true,
        Some(&"off") => false,
        _ => {
            notes.push("debug: expected on or off".to_owned());
            return None;
        }
    };
    skipped(&words[1..], notes);
    Some(Command::Debug(is_on))
}

fn set_option(words: &[&str], notes: &mut Vec<String>) -> Option<Command> {
    let name = words.iter().position(|word| *word == "name");
    let after_name = name.map_or(&[][..], |at| &words[at + 1..]);
    let value = after_name.iter().position(|word| *word == "value");
    let (name, value) = match value {
        Some(at) => (&after_name[..at], Some(after_name[at + 1..].join(" "))),
        None => (after_name, None),
    };
    if name.is_empty() {
        notes.push("setoption: expected `name NAME value VALUE`".to_owned());
        return None;
    }
    Some(Command::SetOption {
        name: name.join(" "),
        value,
    })
}

fn position(words: &[&str], notes: &mut Vec<String>) -> Command {
    let n_before = words.iter().position(|word| *word == "moves");
    let (before, moves) = words.split_at(n_before.unwrap_or(words.len()));
    let fen = match before.split_first() {
        Some((&"startpos", [])) => None,
        Some((&"fen", fen @ [_, ..])) => Some(fen.join(" ")),
        _ => {
            let message = "position: expected `startpos` or `fen FEN`, then `moves MOVE ...` if there are any";
            notes.push(message.to_owned());
            return Command::BadPosition;
        }
    };
    let moves = moves.iter().skip(1).map(ToString::to_string).collect();
    Command::Position { fen, moves }
}

impl Go {
    /// Reads the words behind `go`. Of an argument given twice the last counts.
    fn read(words: &[&str], notes: &mut Vec<String>) -> Go {
        let mut go = Go::default();
        let mut words = words;
        let mut unknown = Vec::new();
        while let Some((&word, rest)) = words.split_first() {
            words = rest;
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "searchmoves" => {
                    let is_move = |word: &&&str| word.parse::<UciMove>().is_ok();
                    let n_moves = words.iter().take_while(is_move).count();
                    let (moves, rest) = words.split_at(n_moves);
                    if moves.is_empty() {
                        notes.push("skipped: `searchmoves`, expected moves".to_owned());
                    }
                    go.searchmoves = moves.iter().map(ToString::to_string).collect();
                    words = rest;
                }
                key if ARGUMENTS.contains(&key) => {
                    let value = words.first().filter(|word| !ARGUMENTS.contains(word));
                    words = &words[usize::from(value.is_some())..];
                    if let Err(expected) = go.set(key, value.copied()) {
                        let mut note = format!("skipped: `{key}");
                        let _ = value.map(|value| write!(note, " {value}"));
                        notes.push(format!("{note}`, expected {expected}"));
                    }
                }
                other => unknown.push(other),
            }
        }
        skipped(&unknown, notes);
        go
    }

    /// Sets an argument with a number; the error is the expected input.
    fn set(&mut self, key: &str, value: Option<&str>) -> Result<(), String> {
        // A clock may have run out: the flag falls by the rules of the chess program.
        let time = || {
            let time = number(value, i64::MIN..=MAX_MILLISECONDS, "milliseconds")?;
            let time = u64::try_from(time).unwrap_or(0);
            Ok::<_, String>(Some(Duration::from_millis(time)))
        };
        match key {
            "wtime" => self.wtime = time()?,
            "btime" => self.btime = time()?,
            "winc" => self.winc = time()?,
            "binc" => self.binc = time()?,
            "movetime" => {
                let time = number(value, 0..=MAX_MILLISECONDS, "milliseconds")?;
                self.movetime = u64::try_from(time).ok().map(Duration::from_millis);
            }
            "movestogo" => self.movestogo = Some(count(value, "moves", u32::MAX)?),
            "depth" => self.depth = Some(count(value, "plies", MAX_DEPTH)?),
            "mate" => self.mate = Some(count(value, "moves", MAX_DEPTH / 2)?),
            _ => {
                let nodes = number(value, 1..=i64::MAX, "positions")?;
                self.nodes = u64::try_from(nodes).ok();
            }
        }
        Ok(())
    }
}

fn count(value: Option<&str>, unit: &str, most: u32) -> Result<u32, String> {
    let count = number(value, 1..=i64::from(most), unit)?;
    u32::try_from(count).map_err(|error| error.to_string())
}

/// A number; the error is the expected input.
fn number(value: Option<&str>, range: RangeInclusive<i64>, unit: &str) -> Result<i64, String> {
    let number = value.and_then(|value| value.parse().ok());
    number
        .filter(|number| range.contains(number))
        .ok_or_else(|| match (*range.start(), *range.end()) {
            (i64::MIN, most) => format!("{unit}, {most} at most"),
            (least, i64::MAX) => format!("{unit}, {least} at least"),
            (least, most) => format!("{unit}, from {least} to {most}"),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> (Option<Command>, String) {
        let mut notes = Vec::new();
        let command = Command::read(line, &mut notes);
        (command, notes.join("; "))
    }

    fn go(line: &str) -> (Go, String) {
        match read(line) {
            (Some(Command::Go(go)), notes) => (go, notes),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn arguments_of_go_come_in_any_order() {
        let (read, notes) = go("go nodes 5000000000 searchmoves e2e4 a7a8q ponder movestogo 3");
        assert_eq!(notes, "");
        let expected = Go {
            searchmoves: vec!["e2e4".to_owned(), "a7a8q".to_owned()],
            ponder: true,
            movestogo: Some(3),
            nodes: Some(5_000_000_000),
            ..Go::default()
        };
        assert_eq!(read, expected);
        let (clocks, notes) = go("go wtime 300 btime -5 winc 0");
        assert_eq!(notes, "");
        let ms = |ms| Some(Duration::from_millis(ms));
        assert_eq!(
            (clocks.wtime, clocks.btime, clocks.winc, clocks.binc),
            (ms(300), ms(0), ms(0), None)
        );
    }

    #[test]
    fn what_is_passed_over_is_named() {
        let lines = [
            "go go",
            "go depth abc movetime 5",
            "go depth",
            "go depth infinite",
            "go depth 0 nodes -1 mate 99 movestogo 0",
            "go depth 99999999999999999999 wtime 99999999999999999999",
            "go movetime -5",
            "go searchmoves depth 2",
            "go searchmoves e2e4 zz depth 2",
            "go dépth 3 perft 5",
            "joho go depth 1",
            "isready now",
            "uci 3",
            "debug",
            "debug on and on",
            "setoption value 3",
            "setoption name",
            "position",
            "position fen moves e2e4",
            "position startpos e2e4",
            "gone",
        ];
        let shown = lines.map(|line| {
            let (command, notes) = read(line);
            format!("> {line}\n{notes}\n{command:?}")
        });
        insta::assert_snapshot!(shown.join("\n"));
    }

    #[test]
    fn options_have_names_and_values_of_several_words() {
        let option = |line| match read(line).0 {
            Some(Command::SetOption { name, value }) => (name, value),
            other => panic!("{line}: {other:?}"),
        };
        let weights = option("setoption name Pawn Points value 9=0 12=1.5");
        assert_eq!(weights.0, "Pawn Points");
        assert_eq!(weights.1.as_deref(), Some("9=0 12=1.5"));
        assert_eq!(option("setoption name Ponder").1, None);
    }
}
