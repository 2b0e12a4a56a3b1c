//! Positions of random play: probabilities that sum to the mines left, and equal an exact count by other
//! means, and those of `ms_toollib`.
//!
//! `KIBITZ_PYTHON` names the Python that has `ms_toollib`.

#![allow(missing_docs, reason = "a test")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread;

use kibitz_minesweeper::{Advice, Knowledge, Level, NoOptimum, Optimum, Solver, Tile, View};

mod positions;

use positions::{LEVELS, position};

/// Limit on the nodes of a search: beyond it, a component is not small.
const MANY: usize = 200_000;

/// The first `n` positions of each level.
fn all(n: u64) -> impl Iterator<Item = (String, Knowledge)> {
    LEVELS.into_iter().flat_map(move |name| {
        let level: Level = name.parse().expect("a level");
        (0..n).map(move |number| {
            let knowledge = position(&level, number).expect("there is room");
            (format!("{name}, position {number}"), knowledge)
        })
    })
}

/// Tiles that are linked by numbers, and the arrangements of mines on them: how many there are with so
/// many mines, and how many of these have a mine on each tile.
struct Component {
    tiles: Vec<Tile>,
    counts: Vec<f64>,
    with_mine: Vec<Vec<f64>>,
    n_nodes: usize,
}

impl Component {
    /// Lists the arrangements; `numbers` are those that touch each tile, as places in `needed`: the mines
    /// that each still needs, and the tiles that are left to it.
    fn list(&mut self, numbers: &[Vec<usize>], needed: &mut [(i32, i32)], chosen: &mut Vec<bool>) {
        self.n_nodes += 1;
        let at = chosen.len();
        if self.n_nodes > MANY {
            return;
        }
        if at == self.tiles.len() {
            let n_mines = chosen.iter().filter(|is_mine| **is_mine).count();
            self.counts[n_mines] += 1.0;
            for (with_mine, _) in self
                .with_mine
                .iter_mut()
                .zip(&*chosen)
                .filter(|(_, is)| **is)
            {
                with_mine[n_mines] += 1.0;
            }
            return;
        }
        for is_mine in [false, true] {
            let mut agrees = true;
            for &number in &numbers[at] {
                let (mines, tiles) = &mut needed[number];
                *mines -= i32::from(is_mine);
                *tiles -= 1;
                agrees &= (0..=*tiles).contains(mines);
            }
            if agrees {
                chosen.push(is_mine);
                self.list(numbers, needed, chosen);
                chosen.pop();
            }
            for &number in &numbers[at] {
                needed[number].0 += i32::from(is_mine);
                needed[number].1 += 1;
            }
        }
    }
}

/// The number of ways to choose.
fn choose(n: usize, k: usize) -> f64 {
    let factors = (0..k).map(|at| (n - at) as f64 / (k - at) as f64);
    if k > n { 0.0 } else { factors.product() }
}

fn convolved(one: &[f64], other: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; one.len() + other.len() - 1];
    for (at, a) in one.iter().enumerate() {
        for (sum, b) in sums[at..].iter_mut().zip(other) {
            *sum += a * b;
        }
    }
    sums
}

/// The components of a position; `None` if one of them is not small.
fn components(knowledge: &Knowledge) -> Option<Vec<Component>> {
    let grid = knowledge.grid();
    let touching = |tile: Tile| {
        grid.neighbors(tile)
            .filter(|near| !is_closed(knowledge, *near))
    };
    let mut is_seen = vec![false; grid.n_tiles()];
    let mut components = Vec::new();
    for first in knowledge.covered() {
        if is_seen[first] || touching(first).next().is_none() {
            continue;
        }
        // Depth first, so that tiles of one number stand together.
        let (mut tiles, mut open) = (Vec::new(), vec![first]);
        while let Some(tile) = open.pop() {
            if std::mem::replace(&mut is_seen[tile], true) {
                continue;
            }
            tiles.push(tile);
            for number in touching(tile) {
                open.extend(
                    grid.neighbors(number)
                        .filter(|near| knowledge.is_covered(*near)),
                );
            }
        }
        let mut centers: Vec<Tile> = tiles.iter().flat_map(|tile| touching(*tile)).collect();
        centers.sort_unstable();
        centers.dedup();
        let place = |center: Tile| centers.iter().position(|other| *other == center);
        let numbers = tiles
            .iter()
            .map(|tile| touching(*tile).filter_map(place).collect());
        let numbers: Vec<Vec<usize>> = numbers.collect();
        let needed = centers.iter().map(|center| {
            let covered = grid
                .neighbors(*center)
                .filter(|near| knowledge.is_covered(*near));
            let mines = knowledge.mines_around(*center).expect("a number");
            (
                i32::from(mines),
                i32::try_from(covered.count()).expect("at most eight"),
            )
        });
        let mut needed: Vec<(i32, i32)> = needed.collect();
        let n_counts = tiles.len() + 1;
        let mut component = Component {
            counts: vec![0.0; n_counts],
            with_mine: vec![vec![0.0; n_counts]; tiles.len()],
            tiles,
            n_nodes: 0,
        };
        component.list(&numbers, &mut needed, &mut Vec::new());
        if component.n_nodes > MANY {
            return None;
        }
        components.push(component);
    }
    Some(components)
}

fn is_closed(knowledge: &Knowledge, tile: Tile) -> bool {
    !matches!(knowledge.view(tile), View::Number(_))
}

/// The probability of a mine on each tile, by listing the arrangements of each component.
fn listed(knowledge: &Knowledge) -> Option<Vec<f64>> {
    let components = components(knowledge)?;
    let n_linked: usize = components
        .iter()
        .map(|component| component.tiles.len())
        .sum();
    let n_apart = knowledge.n_covered() - n_linked;
    let n_mines = usize::try_from(knowledge.mines_left()?).ok()?;
    let weight = |ways: &[f64], less: usize| -> f64 {
        let used = ways.iter().enumerate().take(n_mines + 1);
        let weights = used.filter(|(_, ways)| **ways > 0.0).map(|(used, ways)| {
            let rest = (n_mines - used).checked_sub(less);
            ways * rest.map_or(0.0, |rest| choose(n_apart - less, rest))
        });
        weights.sum()
    };
    let all = components.iter().fold(vec![1.0], |ways, component| {
        convolved(&ways, &component.counts)
    });
    let total = weight(&all, 0);
    let apart = if n_apart > 0 {
        weight(&all, 1) / total
    } else {
        0.0
    };
    let mut probabilities = vec![apart; knowledge.grid().n_tiles()];
    for (at, component) in components.iter().enumerate() {
        let others = components
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at);
        let others = others.fold(vec![1.0], |ways, (_, other)| {
            convolved(&ways, &other.counts)
        });
        for (tile, with_mine) in component.tiles.iter().zip(&component.with_mine) {
            probabilities[*tile] = weight(&convolved(&others, with_mine), 0) / total;
        }
    }
    Some(probabilities)
}

#[test]
fn probabilities_sum_to_the_mines_left_and_equal_a_listing() {
    let mut solver = Solver::new();
    let mut n_listed = 0;
    for (name, knowledge) in all(60) {
        let found = solver
            .solve(&knowledge)
            .unwrap_or_else(|problem| panic!("{name}: {problem}"));
        let sum: f64 = knowledge.covered().map(|tile| found.mine(tile)).sum();
        let left = knowledge.mines_left().expect("it is known") as f64;
        assert!((sum - left).abs() < 1e-9, "{name}: {sum} for {left}");
        let Some(listed) = listed(&knowledge) else {
            continue;
        };
        n_listed += 1;
        for tile in knowledge.covered() {
            let (one, other) = (found.mine(tile), listed[tile]);
            assert!(
                (one - other).abs() < 1e-12,
                "{name}, tile {tile}: {one} {other}"
            );
            assert_eq!(one <= 0.0, other <= 0.0, "{name}, tile {tile}");
        }
    }
    assert!(
        n_listed > 60,
        "{n_listed} positions were small enough to list"
    );
}

/// Beyond complete search, too, no risk is advised where a tile is safe.
#[test]
fn no_risk_is_advised_beside_a_safe_tile() {
    let mut n_safe = 0;
    for (name, knowledge) in all(12) {
        let probabilities = Solver::new()
            .solve(&knowledge)
            .expect("it is possible")
            .clone();
        let advice = Advice::new(&knowledge)
            .expect("as before")
            .expect("it is open");
        let mut safe = knowledge.covered();
        let safe = safe.find(|tile| probabilities.mine(*tile) <= 0.0);
        assert_eq!(safe.is_some(), advice.risk <= 0.0, "{name}");
        assert!(knowledge.is_covered(advice.tile), "{name}");
        if Optimum::default().tiles(&knowledge) == Err(NoOptimum::TooMany) {
            assert_eq!(advice.chance, None, "{name}");
            assert!(safe.is_none_or(|tile| advice.tile == tile), "{name}");
            n_safe += usize::from(safe.is_some());
        }
    }
    assert!(n_safe > 5, "{n_safe} positions with a safe tile");
    let level: Level = "30x16/99".parse().expect("a level");
    let empty = Knowledge::new(&level.grid, level.n_mines);
    let advice = Advice::new(&empty)
        .expect("it is possible")
        .expect("it is open");
    assert!((advice.risk - 99.0 / 480.0).abs() < 1e-9 && advice.chance.is_none());
}

/// Answers each line, a number of mines and the rows of a position, with the probabilities of its tiles.
const MS_TOOLLIB: &str = "
import sys, ms_toollib
for line in sys.stdin:
    mines, *rows = line.split()
    board = [[10 if tile == '.' else int(tile) for tile in row] for row in rows]
    found, _ = ms_toollib.cal_probability_onboard(board, float(mines))
    print(*(value for row in found for value in row), flush=True)
";

#[test]
fn probabilities_equal_those_of_ms_toollib() {
    let python = std::env::var("KIBITZ_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_it = Command::new(&python)
        .args(["-c", "import ms_toollib"])
        .output();
    if !has_it.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {python} has no ms_toollib");
        return;
    }
    let positions: Vec<(String, Knowledge)> = all(67).collect();
    let mut lines = String::new();
    for (_, knowledge) in &positions {
        let text = knowledge.to_text();
        let rows: Vec<&str> = text.lines().skip(1).collect();
        let _ = writeln!(lines, "{} {}", knowledge.mines(), rows.join(" "));
    }
    let mut program = Command::new(&python)
        .args(["-c", MS_TOOLLIB])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut input = program.stdin.take().expect("it is piped");
    let asking = thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = program.wait_with_output().expect("it ends");
    asking.join().expect("it writes").expect("it reads");
    let answers = String::from_utf8(output.stdout).expect("numbers");
    let mut solver = Solver::new();
    let mut answers = answers.lines();
    let mut greatest = 0.0_f64;
    for (name, knowledge) in &positions {
        let found = solver.solve(knowledge).expect("it is possible");
        let answer = answers
            .next()
            .unwrap_or_else(|| panic!("{name}: no answer"));
        let values = answer
            .split(' ')
            .map(|value| value.parse().expect("a number"));
        let values: Vec<f64> = values.collect();
        assert_eq!(values.len(), knowledge.grid().n_tiles(), "{name}");
        for tile in knowledge.covered() {
            let difference = (found.mine(tile) - values[tile]).abs();
            assert!(
                difference < 1e-12,
                "{name}, tile {tile}: {} {}",
                found.mine(tile),
                values[tile]
            );
            greatest = greatest.max(difference);
        }
    }
    let n_positions = positions.len();
    eprintln!("{n_positions} positions, greatest difference {greatest:.1e}");
}
