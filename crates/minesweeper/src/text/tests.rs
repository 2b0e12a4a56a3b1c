//! Boards and positions as people and programs write them.

use proptest::prelude::*;

use super::*;
use crate::{Action, Game, Grid};

prop_compose! {
    fn boards()(width in 1..9_usize, height in 1..9_usize)(
        width in Just(width), height in Just(height),
        is_mine in prop::collection::vec(prop::bool::weighted(0.2), width * height),
    ) -> Board {
        let mines = (0..).zip(is_mine).filter(|(_, is_mine)| *is_mine).map(|(tile, _)| tile);
        Board::new(&Grid::new(width, height).unwrap(), mines)
    }
}

proptest! {
    #[test]
    fn reading_undoes_writing(board in boards(), clicks in prop::collection::vec((0..64_usize, prop::bool::ANY), 0..20)) {
        prop_assert_eq!(&Board::from_text(&board.to_text()).unwrap(), &board);
        prop_assert_eq!(&Board::from_mbf(&board.to_mbf().unwrap()).unwrap(), &board);
        let mut game = Game::new(&board);
        for (tile, marks) in clicks {
            let tile = tile % board.grid().n_tiles();
            // A player who marks what is no mine may have no consistent position.
            game.act(if marks && board.is_mine(tile) { Action::Mark(tile) } else { Action::Uncover(tile) });
        }
        let knowledge = game.knowledge();
        prop_assert_eq!(&Knowledge::from_text(&knowledge.to_text()).unwrap(), knowledge);
    }

    /// Another program's sign for covered tiles, its layout and its ends of lines change nothing,
    /// or are refused because the sign may be a zero.
    #[test]
    fn other_programs_write_the_same(
        board in boards(), clicks in prop::collection::vec(0..64_usize, 0..20),
        sign in prop::sample::select(vec!['.', '#', '-', '_', '\u{25a0}', ' ']),
        layout in 0..4, has_head in prop::bool::ANY,
    ) {
        let mut game = Game::new(&board);
        for tile in clicks {
            let tile = tile % board.grid().n_tiles();
            game.act(if board.is_mine(tile) { Action::Mark(tile) } else { Action::Uncover(tile) });
        }
        let knowledge = game.knowledge();
        let text = knowledge.to_text();
        let (head, rows) = text.split_once('\n').unwrap();
        let mut written = String::from("\u{feff}");
        if has_head || sign == ' ' {
            written += &head.replace('x', " X ");
            written += "\r\n";
        }
        for row in rows.lines() {
            let row = row.replace('.', &sign.to_string()).replace('F', "*");
            let signs: Vec<String> = row.chars().map(String::from).collect();
            let laid_out = match layout {
                _ if sign == ' ' => row,
                0 => row,
                1 => signs.join(" "),
                2 => signs.join("\t"),
                _ => format!("  {row} "),
            };
            written += &laid_out;
            written += "\r\n";
        }
        let read = Knowledge::from_text_with(&written, board.n_mines());
        let lone_sign = sign == '#' && board.grid().width() == 1 && !has_head;
        match read {
            Ok(read) => prop_assert_eq!(&read, knowledge),
            Err(errors) => {
                let is_ambiguous = matches!(errors.0[0].problem, TextProblem::Ambiguous { .. });
                prop_assert!(is_ambiguous || lone_sign, "{}\n{}", errors, written);
            }
        }
    }

    #[test]
    fn any_text_is_answered(
        text in "[0-9x/.*F#? \t\r\n\u{feff}-]{0,40}", header in prop::bool::ANY,
    ) {
        let text = if header { format!("3x2/1\n{text}") } else { text };
        let errors = [
            Board::from_text(&text).err(),
            Knowledge::from_text(&text).err(),
            Knowledge::from_text_with(&text, 1).err(),
        ];
        for error in errors {
            for error in error.into_iter().flat_map(|errors| errors.0) {
                let n_lines = text.lines().count().max(1);
                prop_assert!((1..=n_lines).contains(&error.line), "{}", error);
                prop_assert!(text.get(error.span.clone()).is_some(), "{}", error);
            }
        }
    }
}

#[test]
fn mistakes_have_a_place() {
    let position = |text: &str| Knowledge::from_text(text).unwrap_err().to_string();
    let board = |text: &str| Board::from_text(text).unwrap_err().to_string();
    let said = [
        board(""),
        board("# only this\n3 x 2\n"),
        board("0x2/1\n"),
        board("2x2/5\n"),
        board("2x2/1\n..\n.?\n"),
        board("2x2/1\n..\n...\n"),
        board("2x2/1\n..\n"),
        board("2x2/1\n**\n..\n"),
        position("2x2/1\n1x\n..\n"),
        position("2x2/1\n9.\n..\n"),
        position("3x2/2\n\n...\n4..\n"),
        position("3x2/2\n0F.\n...\n"),
        position("2x2/1\nFF\n..\n"),
        position("2x2/2\n11\n1.\n"),
        position("2x2/1\n\t?1x\n9..\n"),
        board("2x/1\n.?\n?*\n"),
        // The first line is another, or missing.
        position("3x2/?\n...\n.1.\n"),
        position("...\n.1.\n"),
        board("...\n.*\n"),
        position("2x3/1\n...\n.1.\n"),
        position("30 16 99\n...\n"),
        // Signs that may mean two things.
        position("3x2/1\n11#\n.1#\n"),
        position("4x2/1\n--1F\n--11\n"),
        position("4x2/1\n..1?\n..11\n"),
        position("4x2/1\n  1F\n  11\n"),
        // Blanks beside another sign, and too few of them.
        position("3x2/1\n 1.\n 1.\n"),
        position("3x2/1\n1 \n1\n."),
    ];
    insta::assert_snapshot!(said.join("\n"));
    let other = |text: &str| Knowledge::from_text_with(text, 3).unwrap_err().to_string();
    let said = [
        other("3x2/1\n...\n.1.\n"),
        other("1.\n"),
        other("...\n.1\n"),
        other("# only this\n"),
    ];
    insta::assert_snapshot!(said.join("\n"), @r"
    line 1, column 1: expected 3 mines, as given; the first line says 1 mine
    line 1, column 1: cannot lay 3 mines on 2 tiles
    line 2, column 3: found 2 tiles; the first row has 3
    line 1, column 1: the text is empty; the first line says columns, rows and mines as in `30x16/99`
    ");
}

/// What no arrangement agrees with has a place: a number, or the count of mines.
#[test]
fn contradictions_have_a_place() {
    let said = |text: &str, given: Option<usize>| {
        let read = match given {
            Some(n_mines) => Knowledge::from_text_with(text, n_mines).err(),
            None => Knowledge::from_text(text).err(),
        };
        let given = given.map(Mines::Total);
        let found = || Knowledge::contradiction(text, given).map(|error| error.to_string());
        read.map(|errors| errors.to_string()).or_else(found)
    };
    let cases = [
        ("3x3/1\n3..\n...\n...\n", None),
        ("...\n.1.\n...\n", Some(2)),
        ("3x2/2\n2..\n1..\n", None),
        ("7x1/3\n1.1.1.1\n", None),
        ("5x3/4\n1...1\n.....\n1...1\n", None),
        ("5x3/8\n1...1\n.....\n1...1\n", None),
    ];
    let said = cases.map(|(text, given)| said(text, given).unwrap_or("possible".to_owned()));
    insta::assert_snapshot!(said.join("\n"), @r"
    line 2, column 1: this 3 needs 3 mines, and the board has 1
    line 1, column 1: the count of mines contradicts the numbers: no arrangement that agrees with them has 2 mines
    line 3, column 1: no arrangement of the mines agrees with this 1 and the numbers before it
    line 1, column 1: the count of mines contradicts the numbers: no arrangement that agrees with them has 3 mines
    possible
    line 1, column 1: the count of mines contradicts the numbers: no arrangement that agrees with them has 8 mines
    ");
}

/// One position as many programs would write it.
#[test]
fn signs_and_layouts_of_other_programs() {
    let wanted = Knowledge::from_text("4x3/2\n112.\n1F..\n11..\n").unwrap();
    let same = [
        "\u{feff}4x3/2\r\n112.\r\n1F..\r\n11..\r\n",
        "4 x 3 / 2\n1 1 2 #\n1 f # #\n1 1 # #\n",
        "4X3x2\n1\t1\t2\t-\n1\t*\t-\t-\n1\t1\t-\t-\n",
        "4\u{d7}3, 2 mines\n112_\n1!__\n11__",
        "# a comment\n\n4x3/2\n\n112?\n\n1M??\n\n11??\n",
        "4x3/2\n112.\n1F?.\n11..\n",
        "4x3/2\n112 \n1F  \n11  \n",
        "4x3/2\n112\n1F \n11\n",
        "4x3/2\n1\t1\t2\t\n1\tm\t\t\n1\t1\t\t\n",
        "  4x3/2\n  112\u{25a0}\n  1\u{2691}\u{25a0}\u{25a0}\n  11\u{25a0}\u{25a0}\n",
    ];
    for text in same {
        assert_eq!(Knowledge::from_text(text).as_ref(), Ok(&wanted), "{text}");
    }
    for text in [
        "112.\n1F..\n11..\n",
        "4x3\n112#\n1F##\n11##\n",
        "4x3/2\n112.\n1F..\n11..\n",
    ] {
        assert_eq!(
            Knowledge::from_text_with(text, 2).as_ref(),
            Ok(&wanted),
            "{text}"
        );
    }
    // Rows that begin with the sign of comments, and an empty row.
    let covered = Knowledge::from_text("3x3/1\n...\n.1.\n...\n").unwrap();
    for text in [
        "3x3/1\n###\n#1#\n###\n",
        "3x3/1\n\n 1\n\n",
        "3x3/1\n   \n 1 \n   \n\n",
    ] {
        assert_eq!(Knowledge::from_text(text).as_ref(), Ok(&covered), "{text}");
    }
    // What is written for zeros where nothing else is, and cannot be a zero here.
    let covered = Knowledge::from_text("3x1/1\n..1\n").unwrap();
    assert_eq!(Knowledge::from_text("3x1/1\n--1\n").as_ref(), Ok(&covered));
    let board = Board::from_text("3x2/1\n..*\n...\n").unwrap();
    for text in ["..*\n...\n", "3 x 2\n. . *\n. . .\n", "3x2/?\n..*\n...\n"] {
        assert_eq!(Board::from_text(text).as_ref(), Ok(&board), "{text}");
    }
}

#[test]
fn every_sign_is_in_the_reference() {
    let reference = include_str!("../../../../docs/boards.md");
    let mut all = String::new();
    for row in SIGNS {
        let line = format!("| {row} | {} |", row.meaning);
        assert!(reference.contains(&line), "{line}");
        all += row.characters;
    }
    let mut signs: Vec<char> = all.chars().collect();
    signs.sort_unstable();
    signs.dedup();
    assert_eq!(signs.len(), all.chars().count(), "each has one meaning");
    assert_eq!(signs::view(signs::COVERED), Some(View::Covered));
    assert_eq!(signs::view(signs::MARKED), Some(View::Marked));
    assert_eq!(signs::view('8'), Some(View::Number(8)));
    assert_eq!(signs::view('9'), None);
}
