//! `tree-search`: minimax and alpha-beta on a tree with given scores.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems};
use kibitz_search::{
    fixed_depth::{AlphaBeta, SearchError, minimax},
    game::{End, Game, SCORE_LIMIT, never},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Minimax values of a tree, and the nodes that alpha-beta visits.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct TreeSearch {
    /// The root, with the computer to move.
    root: String,
    /// The successors of each node, in search order.
    moves: BTreeMap<String, Vec<String>>,
    /// Scores of the terminal nodes, all at the same depth, from the computer's side.
    scores: BTreeMap<String, f64>,
}

impl Experiment for TreeSearch {
    type Row = ();

    const NAME: &'static str = "tree-search";
    const EXAMPLE: &'static str = include_str!("../examples/tree-search.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("value", "", "score that minimax backs up to the node"),
        Column::new(
            "searched",
            "",
            "score backed up from the nodes that alpha-beta looks at",
        ),
        Column::new("scored", "nodes", "terminal nodes that alpha-beta scores"),
        Column::new("move", "", "node that the best move leads to"),
    ];

    fn check(&self, problems: &mut Problems) {
        if let Err(problem) = self.tree() {
            problems.at("moves", problem);
        }
        let scores = self.scores.values();
        let are_small = scores.into_iter().all(|score| score.abs() <= SCORE_LIMIT);
        problems.require(are_small, "scores", format!("at most {SCORE_LIMIT}"));
    }

    fn cells(&self) -> Vec<Cell> {
        let nodes = self.moves.keys().chain(self.scores.keys());
        vec![Cell::rows("tree", nodes, ())]
    }

    fn run(&self, (): &(), _: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let tree = self.tree().map_err(CellError::new)?;
        let mut search = AlphaBeta::new(&tree).with_table(0);
        let found = search.search(&(&*self.root, 0), tree.depth(), &mut never)?;
        for (node, value) in tree.visited().values()? {
            output.row(node).set("searched", value);
        }
        for (node, value) in tree.values()? {
            output.row(node).set("value", value);
        }
        output
            .row(&self.root)
            .set("scored", found.counts.evaluated)
            .set("move", found.line[0]);
        Ok(())
    }
}

impl TreeSearch {
    /// The tree; an error if the nodes do not form one.
    fn tree(&self) -> Result<Tree<'_>, String> {
        let mut levels = vec![vec![&*self.root]];
        let mut seen = BTreeSet::from([&*self.root]);
        loop {
            let last = &levels[levels.len() - 1];
            let n_terminal = last.iter().filter(|&&node| self.scores.contains_key(node));
            match n_terminal.count() {
                0 => {}
                n if n == last.len() => break,
                _ => return Err("the terminal nodes are not equally far from the root".to_owned()),
            }
            let mut next = Vec::new();
            for &node in last {
                let moves = self.moves.get(node).filter(|moves| !moves.is_empty());
                let Some(moves) = moves else {
                    return Err(format!("`{node}` has neither moves nor a score"));
                };
                for successor in moves {
                    if !seen.insert(successor) {
                        return Err(format!("`{successor}` is reached twice"));
                    }
                    next.push(&**successor);
                }
            }
            levels.push(next);
        }
        if levels.len() < 2 {
            return Err(format!("`{}` is the only node", self.root));
        }
        let mut named = self.moves.keys().chain(self.scores.keys());
        if let Some(node) = named.find(|node| !seen.contains(node.as_str())) {
            return Err(format!("`{node}` is not reached"));
        }
        let moves = self.moves.iter();
        let moves = moves.map(|(node, moves)| (&**node, moves.iter().map(|m| &**m).collect()));
        Ok(Tree {
            levels,
            moves: moves.collect(),
            scores: &self.scores,
            played: RefCell::default(),
        })
    }
}

/// A tree as a game, which records the nodes visited.
struct Tree<'a> {
    /// The nodes by depth.
    levels: Vec<Vec<&'a str>>,
    moves: BTreeMap<&'a str, Vec<&'a str>>,
    scores: &'a BTreeMap<String, f64>,
    played: RefCell<BTreeSet<&'a str>>,
}

impl<'a> Tree<'a> {
    /// Plies from the root to the terminal nodes.
    fn depth(&self) -> u32 {
        u32::try_from(self.levels.len() - 1).unwrap_or(u32::MAX)
    }

    /// The value of each node, from the computer's side.
    fn values(&self) -> Result<BTreeMap<&'a str, f64>, SearchError> {
        let depth = self.depth();
        let mut values = BTreeMap::new();
        for (ply, level) in (0..).zip(&self.levels) {
            for &node in level {
                let value = if ply == depth {
                    self.scores[node]
                } else {
                    let found = minimax(self, &(node, ply), depth - ply, &mut never)?;
                    from_computer(ply, found.value)
                };
                values.insert(node, value);
            }
        }
        Ok(values)
    }

    /// The part of the tree that was visited.
    fn visited(&self) -> Tree<'a> {
        let played = self.played.borrow();
        let mut part = Tree {
            levels: self.levels.clone(),
            moves: self.moves.clone(),
            scores: self.scores,
            played: RefCell::default(),
        };
        for nodes in part.levels[1..].iter_mut().chain(part.moves.values_mut()) {
            nodes.retain(|node| played.contains(node));
        }
        part
    }
}

/// Converts a value between the side to move and the computer, which moves at even plies.
fn from_computer(ply: u32, value: f64) -> f64 {
    if ply.is_multiple_of(2) { value } else { -value }
}

impl<'a> Game for Tree<'a> {
    /// A node and its depth.
    type Position = (&'a str, u32);
    type Move = &'a str;
    type Key = &'a str;

    fn key(&self, &(node, _): &Self::Position) -> &'a str {
        node
    }

    fn end(&self, _: &Self::Position) -> Option<End> {
        None
    }

    fn moves(&self, (node, _): &Self::Position) -> Vec<&'a str> {
        self.moves.get(node).cloned().unwrap_or_default()
    }

    fn play(&self, &(_, ply): &Self::Position, m: &'a str) -> Self::Position {
        self.played.borrow_mut().insert(m);
        (m, ply + 1)
    }

    fn evaluate(&self, &(node, ply): &Self::Position) -> f64 {
        from_computer(ply, self.scores[node])
    }
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Code, Kind};
    use kibitz_lab::testing::TestBench;

    use super::*;

    fn params(moves: &[(&str, &[&str])], scores: &[(&str, f64)]) -> TreeSearch {
        let names = |nodes: &[&str]| nodes.iter().map(|&node| node.to_owned()).collect();
        let moves = moves.iter();
        let scores = scores.iter();
        TreeSearch {
            root: "A".to_owned(),
            moves: moves
                .map(|&(node, to)| (node.to_owned(), names(to)))
                .collect(),
            scores: scores
                .map(|&(node, score)| (node.to_owned(), score))
                .collect(),
        }
    }

    #[test]
    fn what_is_cut_off_is_not_looked_at() {
        // After B is worth 2, D shows that C is worth 1 at most.
        let scores = [("D", 1.0), ("E", 9.0), ("F", 2.0)];
        let params = params(
            &[("A", &["B", "C"]), ("B", &["F"]), ("C", &["D", "E"])],
            &scores,
        );
        let tree = params.tree().unwrap();
        let mut search = AlphaBeta::new(&tree).with_table(0);
        let found = search.search(&("A", 0), 2, &mut never).unwrap();
        assert_eq!(found.line, ["B", "F"]);
        let visited = tree.visited().values().unwrap();
        let expected = [("A", 2.0), ("B", 2.0), ("C", 1.0), ("D", 1.0), ("F", 2.0)];
        assert_eq!(visited, BTreeMap::from(expected));
    }

    #[test]
    fn the_table_leaves_out_what_is_cut_off() {
        let kind = Kind::of::<TreeSearch>(Code::Constant);
        let bench = TestBench::new(kind, "sugar1975/example-tree", TreeSearch::EXAMPLE).unwrap();
        let output = bench.run("tree", 0).unwrap();
        let of =
            |column| ["A", "B", "C", "D", "E", "F", "G"].map(|node| output.number(node, column));
        let values = [3.0, 3.0, 2.0, 3.0, 5.0, 2.0, 9.0].map(Some);
        assert_eq!(of("value"), values);
        let mut searched = values;
        searched[6] = None;
        assert_eq!(of("searched"), searched);
        assert_eq!(output.number("A", "scored"), Some(3.0));
    }

    #[test]
    fn what_is_no_tree_is_told() {
        let problem = |moves: &[(&str, &[&str])], scores: &[(&str, f64)]| {
            params(moves, scores).tree().err().unwrap_or_default()
        };
        let cases = [
            problem(&[("A", &["B", "B"])], &[("B", 1.0)]),
            problem(
                &[("A", &["B", "C"]), ("C", &["D"])],
                &[("B", 1.0), ("D", 1.0)],
            ),
            problem(&[("A", &["B"])], &[("C", 1.0)]),
            problem(&[("A", &["B"])], &[("B", 1.0), ("C", 1.0)]),
            problem(&[], &[("A", 1.0)]),
        ];
        let expected = [
            "`B` is reached twice",
            "the terminal nodes are not equally far from the root",
            "`B` has neither moves nor a score",
            "`C` is not reached",
            "`A` is the only node",
        ];
        assert_eq!(cases, expected);
    }
}
