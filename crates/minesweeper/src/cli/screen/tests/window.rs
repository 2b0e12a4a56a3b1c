//! Boards larger than the window, and small terminals.

use super::*;

/// A tile of a position under the cursor: its text, and whether it is in reverse video.
fn under_cursor(knowledge: &Knowledge, cursor: Tile, width: TileWidth) -> (String, bool) {
    let probabilities = Solver::new().solve(knowledge).unwrap().clone();
    let view = BoardView {
        tile_width: width,
        knowledge,
        overlay: Overlay::Odds,
        probabilities: Some(&probabilities),
        cursor,
        because: &[],
        exploded: None,
        mines: None,
    };
    let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 4));
    view.render(buffer.area, &mut buffer);
    let (row, column) = knowledge.grid().row_and_column(cursor);
    let (x, y) = (
        MARGIN + width.columns() * u16::try_from(column).unwrap(),
        1 + u16::try_from(row).unwrap(),
    );
    let cells = (x..x + width.columns()).map(|x| &buffer[(x, y)]);
    let is_reversed = |cell: &Cell| cell.modifier.contains(Modifier::REVERSED);
    (
        cells.clone().map(Cell::symbol).collect(),
        cells.clone().all(is_reversed),
    )
}

/// No percentage loses a digit under the cursor, and none looks like another one or like a number.
#[test]
fn all_odds_can_be_read_under_the_cursor() {
    for width in [TileWidth::Two, TileWidth::Three] {
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        let mut see = |shown: String, meaning: &str| {
            let known = seen.entry(shown.clone()).or_insert(meaning.to_owned());
            assert_eq!(known, meaning, "{shown}");
        };
        for number in 0..=8 {
            let text = format!("3x3/{number}\n...\n.{number}.\n...\n");
            let knowledge = Knowledge::from_text(&text).unwrap();
            let (shown, is_reversed) = under_cursor(&knowledge, 4, width);
            see(shown, &format!("number {number}"));
            assert_eq!(is_reversed, width == TileWidth::Two);
        }
        // 0 and 100 are certain.
        for (text, sign) in [("3x1/1\n.1F\n", "+"), ("2x1/1\n.1\n", "x")] {
            let (shown, _) = under_cursor(&Knowledge::from_text(text).unwrap(), 0, width);
            assert!(shown.contains(sign), "{shown}");
            see(shown, text);
        }
        if width == TileWidth::Two {
            continue;
        }
        let risks = (1..100).map(|percent| f64::from(percent) / 100.0);
        for risk in [0.001, 0.005, 0.995].into_iter().chain(risks) {
            let density = Mines::Density(Density::new(risk).unwrap());
            let knowledge = Knowledge::from_text_with("2x1/?\n..\n", density).unwrap();
            let (shown, is_reversed) = under_cursor(&knowledge, 0, width);
            let percent = show::percent(risk);
            // `>99` has no room beside a percent sign.
            let percent = percent.trim_start_matches('>');
            assert!(shown.contains(percent), "{risk}: {shown}");
            assert!(is_reversed, "{risk}");
            see(shown, percent);
        }
    }
}

#[test]
fn a_large_board_is_seen_in_part() {
    let level: Level = "60x40/400".parse().unwrap();
    let lay = |_| {
        Err(Failure::from(TooManyMines {
            n_mines: 4,
            n_tiles: 3,
        }))
    };
    let slot = OnceCell::new();
    let empty = Knowledge::new(&level.grid, level.n_mines);
    let mut table = Table::new(level, empty, PlayerName::Exact, &lay, &slot);
    insta::assert_snapshot!(screen(40, 20, &table).to_string(), @r#"
    "          25        30        35        "
    " 17  . . . . . . . . . . . . . . . . . ."
    " 18  . . . . . . . . . . . . . . . . . ."
    " 19  . . . . . . . . . . . . . . . . . ."
    " 20  . . . . . . . . . . . . . . . . . ."
    " 21  . . . . . . . . .>. . . . . . . . ."
    " 22  . . . . . . . . . . . . . . . . . ."
    " 23  . . . . . . . . . . . . . . . . . ."
    " 24  . . . . . . . . . . . . . . . . . ."
    " 25  . . . . . . . . . . . . . . . . . ."
    "60x40/400: 400 mines left, 2400 tiles   "
    "covered                                 "
    "shown: rows 17 to 25 of 40, columns 22  "
    "to 39 of 60                             "
    "0:00                                    "
    "arrows: move, or hjkl, or the mouse |   "
    "enter: uncover, or chord on a number |  "
    "f: mark, or take the mark off | s: what "
    "is safe, and what a mine | o: odds: how "
    "likely a mine, in % | w: why | a:       "
    "#);
    for key in [KeyCode::Down, KeyCode::Right] {
        for _ in 0..70 {
            table.press(key).unwrap();
        }
    }
    insta::assert_snapshot!(screen(80, 10, &table).to_string(), @r#"
    "        25        30        35        40        45        50        55        60"
    " 37  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . ."
    " 38  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . ."
    " 39  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . ."
    " 40  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .>."
    "60x40/400: 400 mines left, 2400 tiles covered                                   "
    "shown: rows 37 to 40 of 40, columns 23 to 60 of 60                              "
    "0:00                                                                            "
    "arrows: move, or hjkl, or the mouse | enter: uncover, or chord on a number | f: "
    "mark, or take the mark off | s: what is safe, and what a mine | o: odds: how    "
    "#);
    assert!(table.press(KeyCode::Enter).is_err());
    // There may be hardly any room.
    for (width, height) in [(1, 1), (3, 2), (5, 30), (200, 1)] {
        screen(width, height, &table);
    }
}

/// On the usual terminal the whole expert board is seen, and all keys below it.
#[test]
fn all_keys_are_seen_on_a_small_terminal() {
    let level: Level = "30x16/99".parse().unwrap();
    let lay = |_| Ok(Board::from_text(BOARD).unwrap());
    let slot = OnceCell::new();
    let empty = Knowledge::new(&level.grid, level.n_mines);
    let table = Table::new(level, empty, PlayerName::Exact, &lay, &slot);
    insta::assert_snapshot!(screen(80, 24, &table).to_string(), @r#"
    "     1       5        10        15        20        25        30                "
    "  1  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .                "
    "  2  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .                "
    "  3  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .                "
    "  4  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .                "
    "  5  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .                "
    "  6  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .                "
    "  7  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .                "
    "  8  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .                "
    "  9  . . . . . . . . . . . . . . .>. . . . . . . . . . . . . . .                "
    " 10  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .                "
    " 11  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .                "
    " 12  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .                "
    " 13  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .                "
    " 14  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .                "
    " 15  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .                "
    " 16  . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .                "
    "30x16/99: 99 mines left, 480 tiles covered                                      "
    "0:00                                                                            "
    "arrows: move, or hjkl, or the mouse | enter: uncover, or chord on a number | f: "
    "mark, or take the mark off | s: what is safe, and what a mine | o: odds: how    "
    "likely a mine, in % | w: why | a: analyse: the best move | n: new game | q: quit"
    "                                                                                "
    "                                                                                "
    "#);
}

/// Where tiles are narrow, the odds are shown on wider ones, of which some are beyond the window: otherwise
/// their digits would run together.
#[test]
fn odds_of_a_wide_board_are_apart() {
    let level: Level = "30x16/99".parse().unwrap();
    let lay = |_| Ok(Board::from_text(BOARD).unwrap());
    let slot = OnceCell::new();
    let empty = Knowledge::new(&level.grid, level.n_mines);
    let mut table = Table::new(level, empty, PlayerName::Exact, &lay, &slot);
    table.press(KeyCode::Char('o')).unwrap();
    insta::assert_snapshot!(screen(80, 24, &table).to_string(), @r#"
    "     4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28  "
    "  2 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21  "
    "  3 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21  "
    "  4 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21  "
    "  5 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21  "
    "  6 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21  "
    "  7 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21  "
    "  8 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21  "
    "  9 21 21 21 21 21 21 21 21 21 21 21 21 21%21 21 21 21 21 21 21 21 21 21 21 21  "
    " 10 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21  "
    " 11 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21  "
    " 12 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21  "
    " 13 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21  "
    " 14 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21  "
    " 15 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21  "
    " 16 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21 21  "
    "30x16/99: 99 mines left, 480 tiles covered                                      "
    "shown: rows 2 to 16 of 16, columns 4 to 28 of 30                                "
    "0:00                                                                            "
    "arrows: move, or hjkl, or the mouse | enter: uncover, or chord on a number | f: "
    "mark, or take the mark off | s: what is safe, and what a mine | o: odds: how    "
    "likely a mine, in % | w: why | a: analyse: the best move | n: new game | q: quit"
    "                                                                                "
    "                                                                                "
    "#);
}

/// The numbers of columns are whole, the last one, too.
#[test]
fn columns_of_three_digits_have_their_numbers() {
    let level: Level = "100x2/9".parse().unwrap();
    let empty = Knowledge::new(&level.grid, level.n_mines);
    let lay = |_| Ok(Board::from_text(BOARD).unwrap());
    let slot = OnceCell::new();
    let mut table = Table::new(level, empty, PlayerName::Exact, &lay, &slot);
    for _ in 0..99 {
        table.press(KeyCode::Right).unwrap();
    }
    for key in ['s', 'o'] {
        table.press(KeyCode::Char(key)).unwrap();
        let shown = screen(44, 12, &table).to_string();
        let head = shown.lines().next().unwrap();
        assert!(head.contains(" 100"), "{shown}");
    }
}
