use super::*;

const GAMES: &str = "\
[Event \"Candidates\"]\n[Date \"1962.05.02\"]\n[White \"Tal, M\"]\n[Black \"Keres, P\"]\n\n1. e4 e5 1-0\n\n\
[Event \"Blitz\"]\n[Date \"1970.??.??\"]\n[White \"Fischer, R\"]\n[Black \"Tal, M\"]\n\n1. d4 d5 2. c4 1/2-1/2\n\n\
[White \"Tal, M\"]\n[Black \"Tal, M jr\"]\n\n1. e4 *\n";

fn kept(source: &GameSource, player: Option<&str>) -> Result<Vec<usize>, String> {
    let read = source.read("games", GAMES.as_bytes(), player);
    let read = read.map_err(|error| error.to_string())?;
    Ok(read.games.iter().map(|(game, _)| game.n_plies()).collect())
}

fn selecting(select: GameFilter) -> GameSource {
    GameSource {
        select,
        ..GameSource::whole("games")
    }
}

#[test]
fn every_criterion_filters() {
    let none = GameFilter::default;
    let date = |text: &str| Some(text.parse().unwrap());
    let tal = Some("Tal".to_owned());
    let cases: [(GameFilter, &[usize]); 9] = [
        (none(), &[2, 3, 1]),
        (
            GameFilter {
                player: tal.clone(),
                ..none()
            },
            &[2, 3],
        ),
        (
            GameFilter {
                player: tal,
                color: Some(Side::Black),
                ..none()
            },
            &[3],
        ),
        (
            GameFilter {
                since: date("1962.06"),
                ..none()
            },
            &[3],
        ),
        (
            GameFilter {
                until: date("1970"),
                ..none()
            },
            &[2, 3],
        ),
        // Whether it was played before June is not known.
        (
            GameFilter {
                until: date("1970.06"),
                ..none()
            },
            &[2],
        ),
        (
            GameFilter {
                event: Some("Blitz".to_owned()),
                ..none()
            },
            &[3],
        ),
        (
            GameFilter {
                result: vec![GameResult::WhiteWon, GameResult::Unknown],
                ..none()
            },
            &[2, 1],
        ),
        (
            GameFilter {
                plies: Some([2, 2]),
                ..none()
            },
            &[2],
        ),
    ];
    for (filter, expected) in cases {
        let source = selecting(filter);
        assert_eq!(kept(&source, None).as_deref(), Ok(expected), "{source:?}");
    }
}

#[test]
fn a_player_is_on_just_one_side() {
    let mut source = GameSource::whole("games");
    let error = kept(&source, Some("Tal")).unwrap_err();
    assert!(
        error.contains("(Tal, M - Tal, M jr) should have `Tal`"),
        "{error}"
    );
    source.skip = Some(Skip::NotThisPlayer);
    assert_eq!(kept(&source, Some("Tal")).as_deref(), Ok(&[2, 3][..]));
    source.select.color = Some(Side::White);
    assert_eq!(kept(&source, Some("Tal")).as_deref(), Ok(&[2][..]));
    let error = kept(&source, Some("Spassky")).unwrap_err();
    assert_eq!(
        error,
        "`games` has no player whose name begins with `Spassky`; `Tal, M` is in most games"
    );
    let error = kept(
        &selecting(GameFilter {
            plies: Some([9, 9]),
            ..GameFilter::default()
        }),
        None,
    );
    assert!(error.unwrap_err().contains("none of the 3 games"));
}
