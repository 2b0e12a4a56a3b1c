//! Comments of any text can be read for evaluations and clocks: losses are shares of a chance, every move is
//! judged or counted as a gap, and accuracies are between 0 and 100.
#![no_main]

use kibitz_board::pgn::{Policy, read_games};
use kibitz_players::accuracy::{Covariates, EvaluatedGame, Survey, clock_in, evaluation_in};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    if let Some(Ok(evaluation)) = evaluation_in(&text, None) {
        assert!((0.0..=100.0).contains(&evaluation.win_percent()));
        let written = format!("[%eval {evaluation}]");
        assert_eq!(evaluation_in(&written, None), Some(Ok(evaluation)));
    }
    if let Some(seconds) = clock_in(&text) {
        assert!(seconds.is_finite() && seconds >= 0.0);
    }
    let mut survey = Survey::new(Covariates::default(), 0);
    let mut evaluated = Vec::new();
    let mut games = read_games("fuzz", bytes, Policy::default());
    while let Some(game) = games.next() {
        let Ok(game) = game else { continue };
        let Some(found) = EvaluatedGame::read(&game, &games.comments(), 0) else {
            continue;
        };
        let gaps = found.gaps;
        let n_gaps = gaps.without + gaps.unreadable + gaps.after_gap + gaps.book;
        assert_eq!(found.moves.len() as u64 + n_gaps, game.n_plies() as u64);
        for one in &found.moves {
            assert!((0.0..=100.0).contains(&one.loss));
        }
        if let Some(accuracy) = found.accuracy {
            for side in [accuracy.white, accuracy.black] {
                assert!((0.0..=100.0).contains(&side));
            }
        }
        survey
            .fit(game.tags(), &found)
            .expect("every loss is finite");
        evaluated.push((game, found));
    }
    survey.fitted();
    for (game, found) in &evaluated {
        survey.judge(game.tags(), found, |_| true, |_| ());
    }
    assert_eq!(survey.n_games(), evaluated.len() as u64);
});
