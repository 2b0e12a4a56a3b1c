//! The program, through its command line.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

mod common;

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use common::{refused, typed};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../data")
        .join(name)
}

/// A folder with the first games of a collection.
fn folder(n_games: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (from, to) in [
        ("fischer-games.pgn", "fischer.pgn"),
        ("kasparov-games.pgn", "kasparov.pgn"),
    ] {
        let text = fs::read_to_string(data(from)).unwrap();
        let games = text.split("[Event ").skip(1).take(n_games);
        let games = games.fold(String::new(), |all, game| all + "[Event " + game);
        fs::write(folder.path().join(to), games).unwrap();
    }
    folder
}

#[test]
fn weights_of_all_games_are_those_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let games = data("fischer-games.pgn");
    let line = format!("fit {} --player Fischer --format json", games.display());
    let (code, out, messages) = typed(folder.path(), &line);
    assert_eq!(code, 0, "{messages}");
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    let table = data("../results/jansen2000/table2/table.csv");
    let table = fs::read_to_string(table).unwrap();
    for (column, place) in [("lambda-mat", 0), ("lambda-mob", 1)] {
        let start = format!("Fischer,{column},");
        let line = table
            .lines()
            .find_map(|line| line.strip_prefix(&start))
            .unwrap();
        let printed: f64 = line.split(',').next().unwrap().parse().unwrap();
        let found = told["parts"][0]["fit"]["weights"][place]["value"]
            .as_f64()
            .unwrap();
        assert!(
            (found - printed).abs() < 1e-5 * printed,
            "{column}: {found}, {printed}"
        );
    }
}

#[test]
fn a_player_is_fitted_explained_told_apart_and_compared() {
    let folder = folder(30);
    let folder = folder.path();
    let (code, out, messages) = typed(folder, "fit fischer.pgn --player Fischer --out f.toml");
    assert_eq!(code, 0, "{messages}");
    insta::assert_snapshot!("fit", out);
    assert_eq!(
        typed(folder, "fit kasparov.pgn --player Kasparov --out k.toml").0,
        0
    );
    let (code, out, messages) = typed(folder, "explain fischer.pgn --model f.toml");
    assert_eq!(code, 0, "{messages}");
    insta::assert_snapshot!("explain", out);
    let (_, out, _) = typed(folder, "explain fischer.pgn --model f.toml --format html");
    assert!(out.contains("<svg") && !out.contains("http"), "{out}");
    let (_, out, _) = typed(folder, "explain fischer.pgn --model f.toml --format pgn");
    fs::write(folder.join("told.pgn"), out).unwrap();
    let (_, told, _) = typed(folder, "explain told.pgn --model f.toml --format json");
    let (_, plain, _) = typed(folder, "explain fischer.pgn --model f.toml --format json");
    assert_eq!(told, plain);
    let line = "who fischer.pgn --player Fischer --models f.toml k.toml --prior Fischer=0.5";
    let (code, out, _) = typed(folder, line);
    assert_eq!(code, 0);
    insta::assert_snapshot!(
        "who",
        out.lines().rev().take(5).collect::<Vec<_>>().join("\n")
    );
    let (code, out, _) = typed(folder, "compare f.toml k.toml");
    assert_eq!(code, 0);
    insta::assert_snapshot!("compare", out);
}

/// The bits of the moves are what the fit says of the same games.
#[test]
fn explained_bits_add_up() {
    let folder = folder(30);
    let folder = folder.path();
    typed(folder, "fit fischer.pgn --player Fischer --out f.toml");
    let (_, out, _) = typed(folder, "fit fischer.pgn --player Fischer --format json");
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    let fitted = &told["parts"][0]["fit"]["fitted"];
    let total = fitted["bits"].as_f64().unwrap() * fitted["moves"].as_f64().unwrap();
    let sum: f64 = (1..=30)
        .map(|number| {
            let line =
                format!("explain fischer.pgn --number {number} --model f.toml --format json");
            let (_, out, _) = typed(folder, &line);
            let game: serde_json::Value = serde_json::from_str(&out).unwrap();
            game["bits"].as_f64().unwrap()
        })
        .sum();
    assert!((sum - total).abs() < 1e-6, "{sum}, {total}");
}

#[test]
fn other_probabilities_stand_beside_the_model() {
    let folder = folder(30);
    let folder = folder.path();
    typed(folder, "fit fischer.pgn --player Fischer --out f.toml");
    let mut rows = "game,ply,move,probability\n".to_owned();
    rows += "1,1,e4,0.75\n1,1,d2d4,0.25\n1,3,Qh5,1\n99,1,e4,1\n1,2,e5,0.5\n";
    fs::write(folder.join("other.csv"), rows).unwrap();
    let line = "compare f.toml --reference other.csv --games fischer.pgn";
    let (code, out, messages) = typed(folder, line);
    insta::assert_snapshot!("reference", format!("exit {code}\n{out}\n{messages}"));
    // The same as a spreadsheet writes it, and a row with another fault.
    let rows = "sep=;\ngame; ply;move;probability\n1;1;e4;0,75\n1;1;d2d4;0,25\n1;3;Qh5;1\n1;3;Qh5;0\n1;3;a3;2\n1;3;d4;\n";
    fs::write(folder.join("other.csv"), rows).unwrap();
    let (_, same, messages) = typed(folder, line);
    assert_eq!(same, out);
    insta::assert_snapshot!(messages, @r"
    warning: other.csv:6: `Qh5` has a probability already; the row is left out
    warning: other.csv:7: probability 2 is out of range: expected 0 to 1; the row is left out
    warning: other.csv:8: the probability is missing; the row is left out
    ");
}

/// Numbers of games are those of the file, bad ones among them.
#[test]
fn games_keep_their_numbers() {
    let folder = folder(2);
    let folder = folder.path();
    let good = fs::read_to_string(folder.join("fischer.pgn")).unwrap();
    let bad = "[White \"Fischer\"]\n[Black \"?\"]\n\n1. e4 e5 2. Ke3 *\n\n";
    fs::write(folder.join("mixed.pgn"), bad.to_owned() + &good).unwrap();
    typed(folder, "fit fischer.pgn --player Fischer --out f.toml");
    let told = |line: &str| typed(folder, line).1;
    let second = told("explain mixed.pgn --number 2 --model f.toml");
    assert_eq!(
        second,
        told("explain fischer.pgn --number 1 --model f.toml")
    );
    assert_eq!(second, told("explain mixed.pgn --model f.toml"));
    let rows = "game,ply,move,probability\n1,1,e4,1\n2,1,e4,1\n4,1,e4,1\n";
    fs::write(folder.join("other.csv"), rows).unwrap();
    let line = "compare f.toml --reference other.csv --games mixed.pgn";
    let (code, out, messages) = typed(folder, line);
    let refused = refused(folder, "explain mixed.pgn --number 1 --model f.toml");
    insta::assert_snapshot!(
        "numbers",
        format!("exit {code}\n{out}\n{messages}\n{refused}")
    );
}

/// What is left out of the player's games is reported.
#[test]
fn games_that_tell_nothing_of_a_player_are_told() {
    let folder = folder(30);
    let folder = folder.path();
    let more = "[White \"Fischer, R\"]\n[Black \"Fischer, R\"]\n\n1. e4 e5 *\n\n\
        [White \"Fischer, R\"]\n[Black \"?\"]\n\n*\n";
    let games = fs::read_to_string(folder.join("fischer.pgn")).unwrap() + "\n" + more;
    fs::write(folder.join("more.pgn"), games).unwrap();
    let (code, out, messages) = typed(
        folder,
        "fit more.pgn --player Fischer --folds 40 --out m.toml",
    );
    assert_eq!(code, 0, "{messages}");
    assert_eq!(
        out.replace("m.toml", "f.toml"),
        typed(
            folder,
            "fit fischer.pgn --player Fischer --folds 40 --out f.toml"
        )
        .1
    );
    let (code, named, _) = typed(folder, "compare f.toml m.toml");
    assert_eq!(code, 0);
    insta::assert_snapshot!("left_out", format!("{messages}\n{named}"));
}

#[cfg(not(any(feature = "codec", feature = "parquet")))]
#[test]
fn a_feature_that_was_not_built_is_named() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let told = [
        "fit --choices buys.parquet --choice day --group shop",
        "encode games.pgn --model fischer.toml --out games.kz",
        "decode games.kz --model fischer.toml",
    ];
    let told = told.map(|line| refused(&folder, line));
    insta::assert_snapshot!(told.join("\n"), @r"
    exit 2
    error: buys.parquet: a Parquet file, and this program was built without its feature `parquet`: write the file as CSV, or build the program with `--features parquet`

    exit 5
    error: this program was built without its feature `codec`, which `encode` and `decode` need: build it with `--features codec`

    exit 5
    error: this program was built without its feature `codec`, which `encode` and `decode` need: build it with `--features codec`
    ");
}

/// Games of both players, written and read with the model of one.
#[cfg(feature = "codec")]
#[test]
fn games_come_back_from_a_code() {
    let folder = folder(30);
    let folder = folder.path();
    for name in ["fischer", "kasparov"] {
        let player = if name == "fischer" {
            "Fischer"
        } else {
            "Kasparov"
        };
        let line = format!("fit {name}.pgn --player {player} --phases --out {name}.toml");
        assert_eq!(typed(folder, &line).0, 0);
    }
    let line = "encode fischer.pgn kasparov.pgn --model fischer.toml --out games.kz";
    let (code, out, messages) = typed(folder, line);
    assert_eq!(code, 0, "{messages}");
    let mut told = vec![out];
    let (code, decoded, messages) = typed(folder, "decode games.kz --model fischer.toml");
    assert_eq!(code, 0, "{messages}");
    let line = "decode games.kz --model fischer.toml --out again.pgn";
    told.push(typed(folder, line).1);
    assert_eq!(
        decoded,
        fs::read_to_string(folder.join("again.pgn")).unwrap()
    );
    let games = |name: &str| {
        kibitz_board::pgn::read_all(name, &fs::read(folder.join(name)).unwrap()).unwrap()
    };
    let mut both = games("fischer.pgn");
    both.extend(games("kasparov.pgn"));
    assert_eq!(games("again.pgn"), both);

    let bytes = fs::read(folder.join("games.kz")).unwrap();
    fs::write(folder.join("cut.kz"), &bytes[..bytes.len() / 2]).unwrap();
    let mut hit = bytes.clone();
    hit[bytes.len() / 2] ^= 1;
    fs::write(folder.join("hit.kz"), hit).unwrap();
    for file in ["cut.kz", "hit.kz", "fischer.pgn", "none.kz"] {
        told.push(refused(
            folder,
            &format!("decode {file} --model fischer.toml"),
        ));
    }
    told.push(refused(folder, "decode games.kz --model kasparov.toml"));
    insta::assert_snapshot!("code", told.join("\n"));
}

/// Tags that mean nothing come back as they are written.
#[cfg(feature = "codec")]
#[test]
fn tags_come_back_from_a_code() {
    let folder = folder(1);
    let folder = folder.path();
    typed(folder, "fit fischer.pgn --player Fischer --out f.toml");
    let text = "[Event \"Town match\"]\n[White \"Ada\"]\n[White \"Ida\"]\n[WhiteElo \"\"]\n[BlackElo \"-\"]\n\
        [Result \"1-0\"]\n[WhiteFideId \"?\"]\n[WhiteElo \"2700?\"]\n\n1. e4 1-0\n\n1. d4 *\n\n";
    fs::write(folder.join("a.pgn"), text).unwrap();
    assert_eq!(typed(folder, "encode a.pgn --model f.toml --out a.kz").0, 0);
    let (code, out, messages) = typed(folder, "decode a.kz --model f.toml");
    assert_eq!((code, out.as_str()), (0, text), "{messages}");
    // Nothing that is read is overwritten.
    let content = |name: &str| fs::read(folder.join(name)).unwrap();
    let before = ["a.pgn", "f.toml", "a.kz"].map(content);
    for line in [
        "encode a.pgn --model f.toml --out a.pgn",
        "encode a.pgn --model f.toml --out ./f.toml",
        "decode a.kz --model f.toml --out a.kz",
        "decode a.kz --model f.toml --out f.toml",
    ] {
        let told = refused(folder, line);
        assert!(
            told.contains("is read and cannot be written to as well"),
            "{told}"
        );
    }
    assert_eq!(["a.pgn", "f.toml", "a.kz"].map(content), before);
    let (_, _, messages) = typed(folder, "encode a.pgn a.pgn --model f.toml --out b.kz");
    assert!(
        messages.contains("2 games have the moves of another"),
        "{messages}"
    );
}

/// Blocks of the games that the models were fitted to: the evidence is shown with its spread, and no
/// block is given to the wrong player with near certainty.
#[test]
fn who_played_is_not_too_sure() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let players = ["Fischer", "Kasparov"];
    for player in players {
        let games = data(&format!("{}-games.pgn", player.to_lowercase()));
        let line = format!(
            "fit {} --player {player} --out {player}.toml",
            games.display()
        );
        assert_eq!(typed(folder, &line).0, 0);
    }
    let ask = |games: &Path, player: &str| -> serde_json::Value {
        let line = format!(
            "who {} --player {player} --models Fischer.toml Kasparov.toml --format json",
            games.display()
        );
        let (code, out, messages) = typed(folder, &line);
        assert_eq!(code, 0, "{messages}");
        serde_json::from_str(&out).unwrap()
    };
    for (player, needed) in players.into_iter().zip([561.0, 456.0]) {
        let path = data(&format!("{}-games.pgn", player.to_lowercase()));
        let told = ask(&path, player);
        let found = told["difference"]["games-needed"][0].as_f64().unwrap();
        assert!((found - needed).abs() <= 5.0, "{player}: {found}");
        let text = fs::read_to_string(&path).unwrap();
        let games: Vec<&str> = text.split("[Event ").skip(1).collect();
        for (number, block) in games[..720].chunks(40).enumerate() {
            let block = block
                .iter()
                .map(|game| format!("[Event {game}"))
                .collect::<Vec<_>>()
                .concat();
            let path = folder.join("block.pgn");
            fs::write(&path, block).unwrap();
            let told = ask(&path, player);
            let index = players.iter().position(|one| *one == player).unwrap();
            let own = told["together"]["posterior"][index].as_f64().unwrap();
            assert!(own > 0.1, "{player}, block {number}: {own}");
            let difference = &told["difference"];
            if own < 0.5 {
                assert!(
                    difference["games-needed"].is_null(),
                    "{player}, block {number}"
                );
            }
        }
    }
}

#[test]
fn mistakes_have_a_place_and_a_reason() {
    let one = folder(1);
    let one = one.path();
    let mut told = vec![
        refused(one, "fit fischer.pgn --player Fisher"),
        refused(one, "fit none.pgn --player Fischer"),
        refused(
            one,
            "fit fischer.pgn --player Fischer --attributes material,mobilty",
        ),
    ];
    let (code, _, messages) = typed(one, "fit fischer.pgn --player Fischer --out f.toml");
    told.push(format!("exit {code}\n{messages}"));
    if code == 0 {
        let model = fs::read_to_string(one.join("f.toml")).unwrap();
        fs::write(
            one.join("new.toml"),
            model.replace("version = 2", "version = 1"),
        )
        .unwrap();
        fs::write(
            one.join("other.toml"),
            model.replace("\"mobility\"", "\"mobilty\""),
        )
        .unwrap();
        told.push(refused(one, "explain fischer.pgn --model new.toml"));
        told.push(refused(one, "explain fischer.pgn --model other.toml"));
        let (before, _) = model.split_once("value = ").unwrap();
        let rest = &model[before.len()..];
        let rest = &rest[rest.find('\n').unwrap()..];
        let infinite = format!("{before}value = inf{rest}");
        fs::write(one.join("infinite.toml"), infinite).unwrap();
        told.push(refused(one, "explain fischer.pgn --model infinite.toml"));
        // Arguments exchanged, a table, and a file of another program.
        fs::write(one.join("a.csv"), "choice,chosen\n1,true\n").unwrap();
        fs::write(one.join("Cargo.toml"), "[package]\nversion = \"0.1\"\n").unwrap();
        for file in ["fischer.pgn", "a.csv", "Cargo.toml"] {
            told.push(refused(one, &format!("explain f.toml --model {file}")));
        }
        let line = "who fischer.pgn --models f.toml other.toml --prior Tal=0.5";
        told.push(refused(one, line));
        let line = "who fischer.pgn --models f.toml f.toml --prior Tal=0.5";
        told.push(refused(one, line));
        let line = "who fischer.pgn --models f.toml f.toml --player Fisher";
        told.push(refused(one, line));
    }
    fs::write(
        one.join("t.csv"),
        "choice,chosen,x\n1,1,0\n1,0,1\n2,0,0\n2,1,1\n",
    )
    .unwrap();
    let line = "fit --choices t.csv --out table.toml";
    assert_eq!(typed(one, line).0, 0);
    for line in [
        "explain fischer.pgn --model table.toml",
        "who fischer.pgn --models f.toml table.toml",
        "fit - --player Fischer",
        "fit fischer.pgn --player Fischer --out fischer.pgn",
    ] {
        told.push(refused(one, line));
    }
    told.push(refused(one, "fit fischer.pgn --player Fischer --phases"));
    let line = "fit fischer.pgn --player Fischer --attributes all,mobility";
    told.push(refused(one, line));
    for (name, text) in [
        ("uneven", "game,ply,move,probability\n1,1,e4,1,7\n"),
        ("empty", ""),
        ("other", "game,ply,move,p\n"),
    ] {
        fs::write(one.join(name), text).unwrap();
        let line = format!("compare f.toml --reference {name} --games fischer.pgn");
        told.push(refused(one, &line));
    }
    let packed = zstd::encode_all(&*fs::read(one.join("fischer.pgn")).unwrap(), 0).unwrap();
    fs::write(one.join("cut.pgn.zst"), &packed[..packed.len() / 2]).unwrap();
    told.push(refused(one, "fit cut.pgn.zst --player Fischer"));
    insta::assert_snapshot!("mistakes", told.join("\n"));
}

/// Models of different attributes cannot be compared by bits, and a repeated game is not further
/// evidence.
#[test]
fn who_played_compares_like_with_like_and_each_game_once() {
    let folder = folder(40);
    let folder = folder.path();
    let fit = |player: &str, file: &str, more: &str| {
        let games = format!("{}.pgn", player.to_lowercase());
        let line = format!("fit {games} --player {player} --out {file}{more}");
        assert_eq!(typed(folder, &line).0, 0);
    };
    fit("Fischer", "f.toml", "");
    fit("Kasparov", "k.toml", "");
    fit(
        "Kasparov",
        "k-all.toml",
        " --attributes material,mobility,center-control",
    );
    let other = refused(
        folder,
        "who fischer.pgn --player Fischer --models f.toml k-all.toml",
    );
    assert!(
        other.starts_with("exit 2\nerror: the model of `Fischer` has the attributes"),
        "{other}"
    );
    let once = typed(
        folder,
        "who fischer.pgn --player Fischer --models f.toml k.toml",
    );
    let games = fs::read_to_string(folder.join("fischer.pgn")).unwrap();
    fs::write(folder.join("twice.pgn"), games.repeat(2)).unwrap();
    let twice = typed(
        folder,
        "who twice.pgn --player Fischer --models f.toml k.toml",
    );
    assert_eq!((once.0, &once.1), (twice.0, &twice.1));
    assert!(
        twice
            .2
            .contains("ignored 40 games with the moves of an earlier game, first game 41"),
        "{}",
        twice.2
    );
}

/// Evaluations and clocks stay beside what is explained.
#[test]
fn explained_games_keep_their_commands() {
    let folder = folder(5);
    let folder = folder.path();
    typed(folder, "fit fischer.pgn --player Fischer --out f.toml");
    let game = "[White \"Fischer\"]\n\n1. e4 {[%eval 0.3] good [%clk 0:01:00]} e5 {[%eval 0.2]} 2. Nf3 *\n";
    fs::write(folder.join("own.pgn"), game).unwrap();
    let (code, out, messages) = typed(folder, "explain own.pgn --model f.toml --format pgn");
    assert_eq!(code, 0, "{messages}");
    let first = "1. e4 { [%eval 0.3] [%clk 0:01:00] ";
    assert!(
        out.contains(first) && out.contains("1... e5 { [%eval 0.2] }"),
        "{out}"
    );
}
