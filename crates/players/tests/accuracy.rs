//! Accuracy that allows for difficulty: by simulation, and through the command line.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

mod common;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use kibitz_board::{Color, Tags};
use kibitz_players::accuracy::{
    Attributes, Covariates, EvaluatedGame, EvaluatedMove, Evaluation, Gaps, Survey,
};

/// Random numbers after `SplitMix64`.
struct Random(u64);

impl Random {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (0..n)
            .rev()
            .find(|&one| self.share() * (one as f64 + 1.0) < 1.0)
            .unwrap_or(0)
    }
}

/// Somebody who loses `more` than others in the same position, and whose positions are `harder`.
#[derive(Clone, Copy)]
struct Simulated {
    name: &'static str,
    more: f64,
    harder: f64,
}

const ANN: Simulated = Simulated {
    name: "Ann",
    more: -0.6,
    harder: 0.8,
};
const BOB: Simulated = Simulated {
    name: "Bob",
    more: 0.6,
    harder: 0.0,
};
const OTHERS: [&str; 10] = ["c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];

/// The moves of both sides: losses whose means are a linear function of two attributes, and that go up
/// and down together within a game.
fn play(random: &mut Random, sides: [Simulated; 2]) -> (Tags, EvaluatedGame) {
    let mut tags = Tags::default();
    tags.set("White", sides[0].name);
    tags.set("Black", sides[1].name);
    let form = [0.5 + random.share(), 0.5 + random.share()];
    let n_plies = 20 + random.below(60);
    let moves = (0..n_plies).map(|ply| {
        let side = ply % 2;
        let mut attributes = Attributes([0.0; Attributes::COUNT]);
        attributes.0[0] = random.share();
        attributes.0[4] = random.share() + sides[side].harder;
        let mean = 1.5 + attributes.0[0] + 3.0 * attributes.0[4] + sides[side].more;
        EvaluatedMove {
            ply: ply + 1,
            color: Color::from_white(side == 0),
            san: String::new(),
            before: Evaluation::Centipawns(0),
            after: Evaluation::Centipawns(0),
            loss: -mean * form[side] * (1.0 - random.share()).ln(),
            attributes,
            elo: None,
            clock: None,
        }
    });
    let game = EvaluatedGame {
        moves: moves.collect(),
        gaps: Gaps::default(),
        unreadable: Vec::new(),
        accuracy: None,
    };
    (tags, game)
}

fn simulated(seed: u64, n_own: usize) -> Survey {
    let mut random = Random(seed);
    let other = |random: &mut Random| Simulated {
        name: OTHERS[random.below(OTHERS.len())],
        more: 0.0,
        harder: 0.4 * random.share(),
    };
    let mut games = Vec::new();
    for number in 0..300 + 2 * n_own {
        let first = match number {
            _ if number < n_own => ANN,
            _ if number < 2 * n_own => BOB,
            _ => other(&mut random),
        };
        let second = other(&mut random);
        let sides = if number % 2 == 0 {
            [first, second]
        } else {
            [second, first]
        };
        games.push(play(&mut random, sides));
    }
    let mut survey = Survey::new(Covariates::default(), seed);
    for (tags, game) in &games {
        survey.fit(tags, game).unwrap();
    }
    assert!(survey.fitted().is_some());
    for (tags, game) in &games {
        survey.judge(tags, game, |_| true, |_| ());
    }
    survey
}

/// Ann loses more than Bob, since her positions are harder; in the same positions she loses less. The
/// intervals cover what was simulated in about 95 of 100 runs: between 88 and 100, which a right
/// interval misses in one of 400 cases.
#[test]
fn intervals_cover_the_simulated_difference() {
    let mut covered = BTreeMap::<&str, u32>::new();
    let (mut n_turned, mut n_right) = (0, 0);
    for seed in 0..100 {
        let survey = simulated(seed, 40);
        let players = survey.players();
        let of = |name: &str| players.iter().find(|one| one.name == name).unwrap();
        let value = |name: &str| of(name).standing.difference().unwrap();
        let loss = |name: &str| of(name).standing.loss().unwrap().value;
        n_turned += u32::from(loss("Ann") > loss("Bob"));
        n_right += u32::from(value("Ann").value < value("Bob").value);
        for (name, truth) in [("Ann", ANN.more), ("Bob", BOB.more), ("c", 0.0)] {
            let (error, interval) = value(name).error.unwrap();
            assert!(error < 0.6, "{seed}: {name} {error}");
            *covered.entry(name).or_default() += u32::from(interval.contains(truth));
        }
    }
    assert!(n_turned >= 88 && n_right >= 95, "{n_turned}, {n_right}");
    for (name, covered) in covered {
        assert!((88..=100).contains(&covered), "{name}: {covered}");
    }
}

#[test]
fn too_few_games_have_no_interval() {
    let survey = simulated(1, 19);
    for one in survey.players() {
        let difference = one.standing.difference().unwrap();
        let is_enough = one.standing.n_games() >= 20;
        assert_eq!(difference.error.is_some(), is_enough, "{}", one.name);
    }
    assert!(
        survey
            .players()
            .iter()
            .any(|one| one.standing.n_games() == 19)
    );
}

fn docs(name: &str) -> PathBuf {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    docs.join(name).canonicalize().unwrap()
}

/// A folder with the evaluated games of the guide, plain and compressed, and a user's games.
fn folder(games: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let packed = fs::read(docs("lichess-evaluations.pgn.zst")).unwrap();
    let plain = zstd::decode_all(packed.as_slice()).unwrap();
    for (name, bytes) in [
        ("all.pgn.zst", packed.as_slice()),
        ("all.pgn", &plain),
        ("own.pgn", games.as_bytes()),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

/// The exit code, the output, and the messages of `accuracy`.
fn typed(folder: &Path, line: &str) -> (i32, String, String) {
    common::typed(folder, &format!("accuracy {line}"))
}

fn told(folder: &Path, line: &str) -> String {
    let (code, out, messages) = typed(folder, line);
    format!("$ {line}\nexit {code}\n{out}{messages}")
}

#[test]
fn players_and_ranges_of_the_guide() {
    let folder = folder("");
    let folder = folder.path();
    let (code, out, messages) = typed(folder, "all.pgn.zst --by clock --html page.html");
    assert_eq!((code, messages.as_str()), (0, "wrote page.html\n"));
    insta::assert_snapshot!("accuracy", out);
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("José") && !page.contains("http"));
    assert!(page.contains("The 200 moves that lose most beyond what was expected, of 2952"));
    assert_eq!(typed(folder, "all.pgn --by clock").1, out);
    insta::assert_snapshot!(
        "accuracy_by_elo",
        told(folder, "all.pgn --by elo --given clock --book 5")
    );
}

/// Weights as curves, of all players and of one.
#[test]
fn weights_by_rating_and_clock() {
    let folder = folder("1. e4 e5 2. Nf3 Nc6 *\n");
    let folder = folder.path();
    let told = |line: &str| {
        let (code, out, messages) = common::typed(folder, line);
        format!("$ {line}\nexit {code}\n{out}{messages}")
    };
    let all = [
        told("fit all.pgn.zst --by elo"),
        told("fit all.pgn --by clock --attributes material"),
        told("fit all.pgn --by clock --attributes material --player Jos --level 80"),
        told("fit own.pgn --by elo"),
        told("fit own.pgn --by clock"),
        told("fit all.pgn --by elo --model four-ply"),
        told("fit all.pgn --by elo --player Josef"),
        told("fit all.pgn --by rating"),
        told("fit all.pgn --by elo --phases"),
    ];
    insta::assert_snapshot!("curves", all.join("\n"));
    let (_, json, _) = common::typed(folder, "fit all.pgn --by elo --format json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["curves"][1]["attribute"], "mobility");
    assert!(json["curves"][0]["points"][0]["high"].is_f64());
}

/// The lines of moves add up to the table.
#[test]
fn moves_add_up_to_the_table() {
    let folder = folder("");
    let folder = folder.path();
    let (_, table, _) = typed(folder, "all.pgn --csv moves.csv --format csv");
    let moves = fs::read_to_string(folder.join("moves.csv")).unwrap();
    let mut sums = BTreeMap::<String, [f64; 3]>::new();
    for record in csv::Reader::from_reader(moves.as_bytes()).records() {
        let record = record.unwrap();
        let sum = sums.entry(record[2].to_owned()).or_default();
        let number = |index: usize| record[index].parse::<f64>().unwrap();
        assert!(number(6) >= 0.0);
        for (sum, value) in sum.iter_mut().zip([1.0, number(6), number(7)]) {
            *sum += value;
        }
    }
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let records: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), sums.len());
    for record in records {
        let [n, loss, expected] = sums[&record[0]];
        let number = |index: usize| record[index].parse::<f64>().unwrap();
        assert!((number(2) - n).abs() < 0.5);
        for (value, sum) in [
            (number(4), loss),
            (number(7), expected),
            (number(8), loss - expected),
        ] {
            assert!((value - sum / n).abs() < 2e-4, "{record:?}");
        }
    }
    let (_, out, _) = typed(folder, "all.pgn --player Jos --csv own.csv --format csv");
    assert_eq!(
        out.lines().nth(1),
        table.lines().find(|line| line.starts_with("José"))
    );
    let own = fs::read_to_string(folder.join("own.csv")).unwrap();
    assert!(own.lines().skip(1).all(|line| line.contains(",José,")));
}

#[test]
fn a_model_judges_other_games() {
    let folder = folder(
        "[White \"Ann\"]\n[Black \"Bo\"]\n\n1. e4 {[%eval 0.3]} e5 {[%eval 0.9]} 2. Nf3 {[%eval 0.2]} *\n",
    );
    let folder = folder.path();
    assert_eq!(typed(folder, "all.pgn --save model.toml").0, 0);
    let model = fs::read_to_string(folder.join("model.toml")).unwrap();
    let mut all = told(folder, "own.pgn --model model.toml");
    all += &told(folder, "own.pgn");
    all += &told(folder, "own.pgn --save none.toml");
    for (name, text) in [
        (
            "games.toml",
            "[expected-loss]\nconstant = \"much\"\n".to_owned(),
        ),
        (
            "short.toml",
            model.replacen("weights = [", "weights = [0.5, ", 1),
        ),
        ("old.toml", model.replace("version = 2", "version = 1")),
        (
            "nan.toml",
            model.replacen("constant = ", "constant = nan #", 1),
        ),
    ] {
        fs::write(folder.join(name), text).unwrap();
        all += &told(folder, &format!("own.pgn --model {name}"));
    }
    all += &told(folder, "own.pgn --model all.pgn");
    all += &told(folder, "own.pgn --model missing.toml");
    all += &told(folder, "own.pgn --model model.toml --given elo");
    insta::assert_snapshot!("accuracy_models", all);
}

#[test]
fn games_that_cannot_be_judged_are_refused() {
    let folder = folder("1. e4 e5 2. Nf3 { [%clk 0:01:00] } *\n");
    let folder = folder.path();
    fs::write(folder.join("empty.pgn"), "").unwrap();
    let bad = "1. e4 e5 2. Ke3 {[%eval 0.1]} *\n";
    fs::write(folder.join("bad.pgn"), format!("{bad}\n{bad}")).unwrap();
    fs::write(
        folder.join("tags.pgn"),
        "[White \"A\"]\n[Result \"*\"]\n\n*\n",
    )
    .unwrap();
    let lines = [
        "own.pgn",
        "empty.pgn",
        "bad.pgn",
        "tags.pgn",
        "missing.pgn",
        ".",
        "all.pgn --player Josef",
        "all.pgn --book 100",
        "all.pgn --csv nowhere/moves.csv",
    ];
    let all: String = lines.iter().map(|line| told(folder, line)).collect();
    insta::assert_snapshot!("accuracy_refused", all);
    let games = fs::read(folder.join("all.pgn")).unwrap();
    for option in ["csv", "html", "save"] {
        let (code, _, message) = typed(folder, &format!("all.pgn --{option} ./all.pgn"));
        assert!(code == 2 && message.contains("is read and cannot be written to as well"));
    }
    for line in ["--csv a --html ./a", "--save s --csv s"] {
        let (code, _, message) = typed(folder, &format!("all.pgn {line}"));
        assert!(
            code == 2 && message.contains("is written twice"),
            "{message}"
        );
        assert!(!folder.join("a").exists() && !folder.join("s").exists());
    }
    assert!(fs::read(folder.join("all.pgn")).unwrap() == games);
}

/// What is expected by clock or rating says nothing of moves without one.
#[test]
fn moves_without_what_is_given_are_left_out() {
    let folder = folder("");
    let folder = folder.path();
    let all = fs::read_to_string(folder.join("all.pgn")).unwrap();
    let without = |mark: &str| {
        let parts = all.split(mark).enumerate();
        let rest = parts.map(|(at, text)| match text.find(']') {
            Some(end) if at > 0 => &text[end + 1..],
            _ => text,
        });
        rest.collect::<String>()
    };
    let no_elo = without("[WhiteElo ").replace("[BlackElo ", "[Rating ");
    for (given, games) in [("clock", without("[%clk ")), ("elo", no_elo)] {
        // The tag gives clocks of the first moves.
        fs::write(
            folder.join("own.pgn"),
            games.replace("[TimeControl ", "[Control "),
        )
        .unwrap();
        let line = format!("all.pgn --given {given} --save {given}.toml");
        assert_eq!(typed(folder, &line).0, 0);
        let (code, out, messages) = typed(folder, &format!("own.pgn --model {given}.toml"));
        assert_eq!((code, out.as_str()), (4, ""), "{messages}");
        assert!(
            messages.contains("2952 moves without the rating or clock"),
            "{messages}"
        );
        let (code, _, messages) = typed(folder, &format!("own.pgn --given {given}"));
        let expected = format!("own.pgn: no move has a {}", given.replace("elo", "rating"));
        assert!(code == 4 && messages.contains(&expected), "{messages}");
    }
    // Where some moves have no clock, the fit knows what that means.
    let (plain, rest) = all.split_at(all.len() / 2);
    let half = plain.to_owned()
        + &rest
            .replace("[%clk ", "[%time ")
            .replace("[TimeControl ", "[Control ");
    fs::write(folder.join("half.pgn"), half).unwrap();
    assert_eq!(
        typed(folder, "half.pgn --given clock --save half.toml").0,
        0
    );
    let (code, out, _) = typed(folder, "all.pgn --model half.toml");
    assert!(code == 0 && !out.contains("without the rating"), "{out}");
}

/// Somebody's own moves are no others'.
#[test]
fn a_model_of_the_same_players_is_not_one_of_others() {
    let folder = folder("");
    let folder = folder.path();
    assert_eq!(typed(folder, "all.pgn --save model.toml").0, 0);
    let (_, out, messages) = typed(folder, "all.pgn --model model.toml --html page.html");
    let expected = "warning: the model was fitted to moves of the same players: `Benedikt`, `ada_l`, \
        `rookie77`, `zugzwanger`, `tempo_loss` and 1 more";
    assert!(messages.contains(expected), "{messages}");
    let meaning = "expected: that of the players of the model, some of these among them,";
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(out.contains(meaning) && page.contains(meaning), "{out}");
    let others = fs::read_to_string(folder.join("all.pgn")).unwrap();
    fs::write(folder.join("own.pgn"), others.replace("rookie77", "Own")).unwrap();
    let (_, out, messages) = typed(folder, "own.pgn --model model.toml --player Own");
    assert!(
        messages.is_empty() && out.contains("that of other players"),
        "{messages}"
    );
}

/// Evaluations that cannot be read have a place, and games that occur twice are reported.
#[test]
fn remarks_on_the_games() {
    let mut games = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 {[%eval 0.1]} *\n\n".repeat(2);
    games += "[White \"A\"]\n[Black \"B\"]\n\n1. d4 {[%eval M3]} d5 {[%eval #+2x]} 2. c4 {[%eval ?]} \
        c6 {[%eval a]} 3. Nf3 {[%eval b]} Nf6 {[%eval c]} 4. Nc3 {[%eval d]} *\n";
    let folder = folder(&games);
    let folder = folder.path();
    let (code, out, messages) = typed(folder, "own.pgn");
    assert_eq!(code, 0);
    assert!(
        out.contains("7 moves whose evaluation cannot be read"),
        "{out}"
    );
    insta::assert_snapshot!(messages, @r"
    warning: own.pgn: cannot read 7 evaluations
     |
     = own.pgn:11: game 3: 1. d4: `M3`
     = own.pgn:11: game 3: 1... d5: `#+2x`
     = own.pgn:11: game 3: 2. c4: `?`
     = own.pgn:11: game 3: 2... c6: `a`
     = own.pgn:11: game 3: 3. Nf3: `b`
     = and 2 more
     = expected pawns, as in `[%eval 0.17]`, or a mate, as in `[%eval #-3]`
    warning: 1 game has the moves of another; it counts, too
    warning: expected losses cannot be fitted: too few games of other players
     |
     = `--model` takes those of other games, which `--save` wrote
    ");
    let (code, out, messages) = typed(folder, "own.pgn --by elo");
    assert_eq!((code, out.as_str()), (4, ""));
    assert!(
        messages.contains("own.pgn: no move has a rating"),
        "{messages}"
    );
    // Lichess has no accuracy of ranges.
    for (line, has_accuracy) in [("", true), (" --by clock", false)] {
        let (_, out, _) = typed(folder, &format!("all.pgn --format csv{line}"));
        let head = out.lines().next().unwrap();
        assert_eq!(head.contains(",accuracy,"), has_accuracy, "{head}");
    }
}

/// Whatever is not judged is counted by its cause.
#[test]
fn what_is_left_out_is_counted() {
    let games = [
        // Both sides are one player; an evaluation is missing, one cannot be read.
        "[White \"Zoë\"]\n[Black \"Zoë\"]\n\n1. e4 {[%eval 0.1]} e5 {[%eval 0.1]} 2. Nf3 Nc6 {[%eval 0.2]} \
         3. Bb5 {[%eval ?]} a6 {[%eval 0.3]} *",
        // Fool's mate, and nobody has a name.
        "[White \"?\"]\n\n1. f3 {[%eval -0.5]} e5 {[%eval -0.5]} 2. g4 {[%eval #-1]} Qh4# {[%eval #0]} 0-1",
        // A single move.
        "[White \"Zoë\"]\n[Black \"Max\"]\n\n1. e4 {[%eval #-3] [%clk 0:00:07]} *",
        // Black begins.
        "[White \"Max\"]\n[Black \"Zoë\"]\n[WhiteElo \"1500\"]\n[FEN \"4k3/8/8/8/8/8/r7/4K2R b K - 0 1\"]\n\n\
         1... Rh2 {[%eval 0.0]} 2. Rxh2 {[%eval 5.0]} *",
        // Chess960.
        "[White \"Max\"]\n[Black \"Zoë\"]\n[Variant \"Chess960\"]\n\
         [FEN \"bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1\"]\n\n\
         1. e4 {[%eval 0.2]} e5 {[%eval 0.4]} *",
        "[White \"Max\"]\n[Black \"Zoë\"]\n[Variant \"Atomic\"]\n\n1. e4 {[%eval 0.2]} *",
        "[White \"Max\"]\n[Black \"Zoë\"]\n\n1. e4 e5 *",
    ];
    let folder = folder(&(games.join("\n\n") + "\n"));
    let folder = folder.path();
    let all = told(folder, "own.pgn --by elo --csv moves.csv");
    let moves = fs::read_to_string(folder.join("moves.csv")).unwrap();
    insta::assert_snapshot!("accuracy_left_out", all + &moves);
}
