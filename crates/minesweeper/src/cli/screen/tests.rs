use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::time::Duration;

use kibitz_minesweeper::{
    Action, Analysis, Board, Density, Game, Knowledge, Level, Mines, PlayerName, Solver, Tile,
    TooManyMines,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use ratatui::widgets::Widget;

use super::board::{BoardView, MARGIN, Overlay, TileWidth};
use super::play::{KeyEffect, Table};
use super::watch::Replay;
use crate::cli::{Failure, play, show};

mod window;

const BOARD: &str = "5x4/3\n.....\n..*..\n....*\n*....\n";

fn screen(width: u16, height: u16, widget: impl Widget) -> TestBackend {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let drawn = |frame: &mut ratatui::Frame<'_>| frame.render_widget(widget, frame.area());
    terminal.draw(drawn).unwrap();
    terminal.backend().clone()
}

/// Presses these keys in a game on a board; arrows are `<^>v`, the middle is where it begins.
fn pressed(board: &str, keys: &str, look: impl FnOnce(&Table<'_>, KeyEffect)) {
    let board = Board::from_text(board).unwrap();
    let level = Level {
        grid: board.grid().clone(),
        n_mines: board.n_mines(),
    };
    let lay = |_| Ok(board.clone());
    let slot = OnceCell::new();
    let empty = Knowledge::new(&level.grid, level.n_mines);
    let mut table = Table::new(level, empty, PlayerName::Rules, &lay, &slot);
    let mut next = KeyEffect::GoOn;
    for key in keys.chars() {
        assert_eq!(next, KeyEffect::GoOn, "{keys}");
        let key = match key {
            '<' => KeyCode::Left,
            '>' => KeyCode::Right,
            '^' => KeyCode::Up,
            'v' => KeyCode::Down,
            '!' => KeyCode::Esc,
            key => KeyCode::Char(key),
        };
        next = table.press(key).unwrap();
    }
    look(&table, next);
}

fn shown(keys: &str) -> String {
    let mut shown = String::new();
    pressed(BOARD, keys, |table, _| {
        shown = screen(58, 14, table).to_string();
    });
    shown
}

#[test]
fn a_game_on_the_screen() {
    insta::assert_snapshot!(shown(""), @r#"
    "     1  2  3  4  5   5x4/3: 3 mines left, 20 tiles covered"
    "  1  .  .  .  .  .   0:00                                 "
    "  2  .  .  .  .  .                                        "
    "  3  .  . [.] .  .                                        "
    "  4  .  .  .  .  .                                        "
    "                     arrows move, or hjkl, or the mouse   "
    "                     enter  uncover, or chord on a number "
    "                     f      mark, or take the mark off    "
    "                     s      what is safe, and what a mine "
    "                     o      odds: how likely a mine, in % "
    "                     w      why                           "
    "                     a      analyse: the best move        "
    "                     n      new game                      "
    "                     q      quit                          "
    "#);
    // The corner and its cascade, with the certain tiles.
    insta::assert_snapshot!(shown("<<^^ s"), @r#"
    "     1  2  3  4  5   5x4/3: 3 mines left, 14 tiles covered"
    "  1 [ ] 1  .  .  .   0:00, 3BV 1, 1 click (100 %)         "
    "  2     1  .  .  .                                        "
    "  3  1  2  +  .  .                                        "
    "  4  .  .  .  .  .                                        "
    "                     arrows move, or hjkl, or the mouse   "
    "                     enter  uncover, or chord on a number "
    "                     f      mark, or take the mark off    "
    "                     s      what is safe, and what a mine "
    "                     o      odds: how likely a mine, in % "
    "                     w      why                           "
    "                     a      analyse: the best move        "
    "                     n      new game                      "
    "                     q      quit                          "
    "#);
    insta::assert_snapshot!(shown("<<^^ o"), @r#"
    "     1  2  3  4  5   5x4/3: 3 mines left, 14 tiles covered"
    "  1 [ ] 1 11 11 11   0:00, 3BV 1, 1 click (100 %)         "
    "  2     1 89 11 11                                        "
    "  3  1  2  + 11 11                                        "
    "  4 50 50 11 11 11                                        "
    "                     arrows move, or hjkl, or the mouse   "
    "                     enter  uncover, or chord on a number "
    "                     f      mark, or take the mark off    "
    "                     s      what is safe, and what a mine "
    "                     o      odds: how likely a mine, in % "
    "                     w      why                           "
    "                     a      analyse: the best move        "
    "                     n      new game                      "
    "                     q      quit                          "
    "#);
}

/// Odds under the cursor keep their digits, and the best move is never a risk beside a safe tile, whatever
/// the player would do.
#[test]
fn odds_and_advice_under_the_cursor() {
    insta::assert_snapshot!(shown("<<^^ >>vo"));
    insta::assert_snapshot!(shown("<<^^ oa"));
    insta::assert_snapshot!(shown("<<^^ >>vv a"));
}

/// For any player, a safe tile is advised if there is one, even where the player would guess.
#[test]
fn no_player_advises_a_risk_beside_a_safe_tile() {
    for text in ["3x2/2\n..1\n..F\n", "4x2/1\n11..\n....\n", "5x1/1\n.1.1.\n"] {
        let knowledge = Knowledge::from_text(text).unwrap();
        let probabilities = Solver::new().solve(&knowledge).unwrap().clone();
        for player in PlayerName::ALL {
            let (said, next) = play::hint(&knowledge, player, None).unwrap();
            let Action::Uncover(tile) = next.action else {
                panic!("{text} {player}: {said}")
            };
            assert!(probabilities.mine(tile) <= 0.0, "{text} {player}: {said}");
            assert!(!said.contains('%'), "{text} {player}: {said}");
        }
    }
}

/// Where no tile is safe, but a mine is certain, it is to be marked, and the tile to uncover is a guess.
#[test]
fn a_certain_mine_is_marked_and_never_uncovered() {
    let dots = "........\n".repeat(4);
    let text = format!("8x8/10\n01......\n02......\n02......\n13......\n{dots}");
    let knowledge = Knowledge::from_text(&text).unwrap();
    for player in PlayerName::ALL {
        let (said, next) = play::hint(&knowledge, player, None).unwrap();
        assert_eq!(next.action, Action::Mark(2 * 8 + 2), "{player}: {said}");
        assert_eq!(said, "mark 3 3: sets, because of 2 2, 1 2");
    }
    let found = Analysis::new(&knowledge).unwrap();
    let best = found.best.unwrap();
    assert!(best.risk > 0.0 && best.risk < 0.5, "{best:?}");
    for (player, next) in &found.guesses {
        let Action::Uncover(tile) = next.action else {
            panic!("{player}: {next:?}")
        };
        assert!(found.probabilities.mine(tile) < 1.0, "{player}");
    }
    let mut marked = knowledge.clone();
    marked.mark(2 * 8 + 2);
    let (said, next) = play::hint(&marked, PlayerName::LookAhead, None).unwrap();
    assert_eq!(next.action, Action::Uncover(best.tile), "{said}");
}

/// On a large board the hint stays where the person plays.
#[test]
fn hints_are_near() {
    let knowledge = Knowledge::from_text("9x1/2\n.1.....1.\n").unwrap();
    let near = |tile| {
        play::hint(&knowledge, PlayerName::Random, Some(tile))
            .unwrap()
            .0
    };
    assert_eq!(
        near(0),
        "uncover 1 4: the count of mines, because of 1 2, 1 8"
    );
    assert_eq!(
        near(8),
        "uncover 1 6: the count of mines, because of 1 2, 1 8"
    );
}

#[test]
fn reasons_on_the_screen() {
    insta::assert_snapshot!(shown("<<^^ vvsw"), @r#"
    "     1  2  3  4  5   5x4/3: 3 mines left, 14 tiles covered"
    "  1     1  .  .  .   0:00, 3BV 1, 1 click (100 %)         "
    "  2     1  .  .  .                                        "
    "  3 [1] 2  +  .  .   that tile is uncovered or marked     "
    "  4  .  .  .  .  .                                        "
    "                     arrows move, or hjkl, or the mouse   "
    "                     enter  uncover, or chord on a number "
    "                     f      mark, or take the mark off    "
    "                     s      what is safe, and what a mine "
    "                     o      odds: how likely a mine, in % "
    "                     w      why                           "
    "                     a      analyse: the best move        "
    "                     n      new game                      "
    "                     q      quit                          "
    "#);
    insta::assert_snapshot!(shown("<<^^ >>vw"), @r#"
    "     1  2  3  4  5   5x4/3: 3 mines left, 14 tiles covered"
    "  1     1  .  .  .   0:00, 3BV 1, 1 click (100 %)         "
    "  2     1 [.] .  .                                        "
    "  3  1  2  .  .  .   nothing decides it: a mine in 88.9 % "
    "  4  .  .  .  .  .   of all arrangements                  "
    "                                                          "
    "                     arrows move, or hjkl, or the mouse   "
    "                     enter  uncover, or chord on a number "
    "                     f      mark, or take the mark off    "
    "                     s      what is safe, and what a mine "
    "                     o      odds: how likely a mine, in % "
    "                     w      why                           "
    "                     a      analyse: the best move        "
    "                     n      new game                      "
    "#);
    insta::assert_snapshot!(shown("<<^^ >>vf a"), @r#"
    "     1  2  3  4  5   5x4/3: 2 mines left, 13 tiles covered"
    "  1     1  .  .  .   0:00, 3BV 1, 2 clicks (50 %)         "
    "  2     1  F  .  .                                        "
    "  3  1  2 [.] .  .   uncover 3 3: S-1, because of 2 2     "
    "  4  .  .  .  .  .                                        "
    "                     arrows move, or hjkl, or the mouse   "
    "                     enter  uncover, or chord on a number "
    "                     f      mark, or take the mark off    "
    "                     s      what is safe, and what a mine "
    "                     o      odds: how likely a mine, in % "
    "                     w      why                           "
    "                     a      analyse: the best move        "
    "                     n      new game                      "
    "                     q      quit                          "
    "#);
    // A wrong mark contradicts a number.
    insta::assert_snapshot!(shown("<<^^ >>vvfo"), @r#"
    "     1  2  3  4  5   5x4/3: 2 mines left, 13 tiles covered"
    "  1     1  .  .  .   0:00, 3BV 1, 2 clicks (50 %)         "
    "  2     1  .  .  .                                        "
    "  3  1  2 [F] .  .   no arrangement of the mines agrees   "
    "  4  .  .  .  .  .   with the position                    "
    "                                                          "
    "                     arrows move, or hjkl, or the mouse   "
    "                     enter  uncover, or chord on a number "
    "                     f      mark, or take the mark off    "
    "                     s      what is safe, and what a mine "
    "                     o      odds: how likely a mine, in % "
    "                     w      why                           "
    "                     a      analyse: the best move        "
    "                     n      new game                      "
    "#);
}

#[test]
fn a_game_ends() {
    insta::assert_snapshot!(shown("<<^^ >>vvf^ "), @r#"
    "     1  2  3  4  5   5x4/3: 2 mines left, 13 tiles covered"
    "  1     1  .  .  .   0:00, 3BV 1 of 5, 3 clicks (33 %)    "
    "  2     1 [*] .  .                                        "
    "  3  1  2  X  .  *   a mine: lost                         "
    "  4  *  .  .  .  .                                        "
    "                     arrows move, or hjkl, or the mouse   "
    "                     enter  uncover, or chord on a number "
    "                     f      mark, or take the mark off    "
    "                     s      what is safe, and what a mine "
    "                     o      odds: how likely a mine, in % "
    "                     w      why                           "
    "                     a      analyse: the best move        "
    "                     n      new game                      "
    "                     q      quit                          "
    "#);
    insta::assert_snapshot!(shown("<<^^ o>>>> << vvv >> a"), @r#"
    "     1  2  3  4  5   5x4/3: 3 mines left, 3 tiles covered "
    "  1     1  1  1      0:00, 3BV 5 of 5, 5 clicks (100 %)   "
    "  2     1  *  2  1                                        "
    "  3  1  2  1  2  *   won                                  "
    "  4  *  1     1 [1]                                       "
    "                     arrows move, or hjkl, or the mouse   "
    "                     enter  uncover, or chord on a number "
    "                     f      mark, or take the mark off    "
    "                     s      what is safe, and what a mine "
    "                     o      odds: how likely a mine, in % "
    "                     w      why                           "
    "                     a      analyse: the best move        "
    "                     n      new game                      "
    "                     q      quit                          "
    "#);
}

#[test]
fn reasons_and_risks_have_colors() {
    pressed(BOARD, "<<^^ >>vfao", |table, _| {
        let backend = screen(58, 14, table);
        let cell = |row: u16, column: u16| &backend.buffer()[(4 + 3 * column + 1, row + 1)];
        let is_reason = |row, column| cell(row, column).modifier.contains(Modifier::REVERSED);
        assert!(is_reason(1, 1) && !is_reason(2, 1) && !is_reason(2, 2));
        assert_eq!(cell(2, 2).bg, Color::Indexed(28), "safe");
        assert_eq!(cell(3, 0).bg, Color::Indexed(124), "perhaps");
    });
}

/// A click of the mouse acts on the tile under it, and the screen shows the clock and 3BV.
#[test]
fn the_mouse_uncovers_marks_and_chords() {
    let board = Board::from_text(BOARD).unwrap();
    let level: Level = "5x4/3".parse().unwrap();
    let lay = |_| Ok(board.clone());
    let slot = OnceCell::new();
    let empty = Knowledge::new(&level.grid, level.n_mines);
    let mut table = Table::new(level, empty, PlayerName::Rules, &lay, &slot);
    let area = Rect::new(0, 0, 58, 14);
    let mut click = |button, row: u16, column: u16| {
        let mouse = MouseEvent {
            kind: MouseEventKind::Down(button),
            column: 4 + 3 * column + 1,
            row: row + 1,
            modifiers: KeyModifiers::NONE,
        };
        table.click(area, mouse).unwrap();
    };
    click(MouseButton::Left, 0, 0);
    click(MouseButton::Right, 1, 2);
    click(MouseButton::Middle, 1, 1);
    click(MouseButton::Left, 2, 3);
    click(MouseButton::Left, 30, 30);
    table.clock = Duration::from_secs(75);
    insta::assert_snapshot!(screen(58, 14, &table).to_string(), @r#"
    "     1  2  3  4  5   5x4/3: 2 mines left, 10 tiles covered"
    "  1     1  1  .  .   1:15, 3BV 2, 4 clicks (50 %)         "
    "  2     1  F  .  .                                        "
    "  3  1  2  1 [2] .                                        "
    "  4  .  .  .  .  .                                        "
    "                     arrows move, or hjkl, or the mouse   "
    "                     enter  uncover, or chord on a number "
    "                     f      mark, or take the mark off    "
    "                     s      what is safe, and what a mine "
    "                     o      odds: how likely a mine, in % "
    "                     w      why                           "
    "                     a      analyse: the best move        "
    "                     n      new game                      "
    "                     q      quit                          "
    "#);
}

#[test]
fn keys_end_and_begin() {
    for (keys, expected) in [
        ("q", KeyEffect::Quit),
        ("!", KeyEffect::Quit),
        (" n", KeyEffect::NewGame),
        ("x?f", KeyEffect::GoOn),
    ] {
        pressed(BOARD, keys, |_, next| assert_eq!(next, expected));
    }
    let event = |code, modifiers| Event::Key(KeyEvent::new(code, modifiers));
    let interrupt = event(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(super::key(&interrupt), Some(KeyCode::Char('q')));
    let plain = event(KeyCode::Char('c'), KeyModifiers::NONE);
    assert_eq!(super::key(&plain), Some(KeyCode::Char('c')));
    assert_eq!(super::key(&Event::Resize(80, 24)), None);
}

#[test]
fn a_player_is_watched() {
    let board = Board::from_text(BOARD).unwrap();
    let mut moves = Vec::new();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut player = PlayerName::Exact.player();
    let outcome = Game::new(&board).play(player.as_mut(), &mut rng, |_, next| {
        moves.push(next.clone());
    });
    let mut replay = Replay::new(
        PlayerName::Exact,
        &board,
        Game::new(&board),
        &moves,
        outcome,
    );
    let mut shown = |keys: &[KeyCode]| {
        for key in keys {
            assert!(replay.press(*key));
        }
        screen(58, 12, &replay).to_string()
    };
    insta::assert_snapshot!(shown(&[]), @r#"
    "     1  2  3  4  5   exact: 0 of 15 moves                 "
    "  1 [.] .  .  .  .   3 mines left, 20 tiles covered       "
    "  2  .  .  .  .  .                                        "
    "  3  .  .  .  .  .   uncover 1 1: guess, a mine at 15.0 % "
    "  4  .  .  .  .  .                                        "
    "                     space      go on, or wait            "
    "                     left right a move back or forth      "
    "                     home end   the first or the last     "
    "                     o          how likely a mine, in %   "
    "                     q          quit                      "
    "                                                          "
    "                                                          "
    "#);
    insta::assert_snapshot!(shown(&[KeyCode::Right, KeyCode::Right, KeyCode::Char('o')]), @r#"
    "     1  2  3  4  5   exact: 2 of 15 moves                 "
    "  1     1 17 17 17   3 mines left, 13 tiles covered       "
    "  2     1 83  + 17                                        "
    "  3  1  2  1  + 17   uncover 4 4: certain                 "
    "  4  x  + 17 [+]17                                        "
    "                     space      go on, or wait            "
    "                     left right a move back or forth      "
    "                     home end   the first or the last     "
    "                     o          how likely a mine, in %   "
    "                     q          quit                      "
    "                                                          "
    "                                                          "
    "#);
    let here = shown(&[]);
    assert_eq!(shown(&[KeyCode::Right, KeyCode::Left]), here);
    insta::assert_snapshot!(shown(&[KeyCode::End]), @r#"
    "     1  2  3  4  5   exact: 15 of 15 moves                "
    "  1     1  1  1      0 mines left, 0 tiles covered        "
    "  2     1  F  2  1                                        "
    "  3  1  2  1  2  F   won after 15 moves                   "
    "  4  F  1     1 [1]                                       "
    "                     space      go on, or wait            "
    "                     left right a move back or forth      "
    "                     home end   the first or the last     "
    "                     o          how likely a mine, in %   "
    "                     q          quit                      "
    "                                                          "
    "                                                          "
    "#);
    assert_eq!(
        shown(&[KeyCode::Home, KeyCode::Left, KeyCode::Right, KeyCode::Right]),
        here
    );
    assert!(!replay.is_running, "it waits for who goes by hand");
    replay.press(KeyCode::Char(' '));
    let mut n_steps = 0;
    while replay.is_running {
        replay.step();
        n_steps += 1;
    }
    assert_eq!(n_steps, moves.len() - 2);
    assert!(!replay.press(KeyCode::Char('q')));
}
