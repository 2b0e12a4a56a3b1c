//! The quiescence search tree of a position, built breadth first.

use kibitz_board::{Chess, Color, Move, Position};
use kibitz_heuristics::attributes::{PieceValues, material_balance};
use kibitz_stats::soft_minimax::{Forest, TreeBuilder, TreeError};

use super::{DrawKind, Expansion, ForcingMoves, MateRule, Quiescent, side};

impl Quiescent {
    /// Adds the quiescence search tree of `position` to `forest`; alternative `chosen` was played,
    /// counted in the order of `position.legal_moves()`, in a decision that belongs to `group`.
    ///
    /// The forest's leaves must have this model's attributes.
    ///
    /// # Errors
    /// [`TreeError::ChildCount`] if the position has no legal move, and
    /// [`TreeError::ChosenOutOfRange`] if it has none of that number.
    pub fn add_tree(
        &self,
        position: &Chess,
        chosen: usize,
        group: u32,
        forest: &mut Forest,
    ) -> Result<(), TreeError> {
        let moves = position.legal_moves();
        let mut builder = Builder {
            model: self,
            tree: forest.begin_tree(side(position.turn()), moves.len()),
            next: Level::default(),
        };
        let mut level = Level::default();
        level.push(InnerNode {
            material: material_balance(position.board(), Color::White),
            position: position.clone(),
            stands_pat: false,
        });
        level.moves.extend_from_slice(&moves);
        level.close();
        let mut depth = 0;
        while !level.nodes.is_empty() {
            depth += 1;
            builder.expand(&level, depth);
            level.clear();
            std::mem::swap(&mut level, &mut builder.next);
        }
        builder.tree.finish(chosen, group)
    }
}

/// An inner node: a position whose moves are searched.
struct InnerNode {
    position: Chess,
    /// Material balance from White's side.
    material: i16,
    /// Whether its own evaluation is one of the alternatives.
    stands_pat: bool,
}

/// The inner nodes of one depth, with their moves in one flat list.
#[derive(Default)]
struct Level {
    nodes: Vec<InnerNode>,
    moves: Vec<Move>,
    /// Where the moves of each node end.
    ends: Vec<usize>,
}

impl Level {
    fn push(&mut self, node: InnerNode) {
        self.nodes.push(node);
    }

    /// The moves pushed so far belong to the nodes pushed so far.
    fn close(&mut self) {
        self.ends.push(self.moves.len());
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.moves.clear();
        self.ends.clear();
    }
}

/// A tree under construction.
struct Builder<'a> {
    model: &'a Quiescent,
    tree: TreeBuilder<'a>,
    /// The inner nodes found at the depth that is searched.
    next: Level,
}

impl Builder<'_> {
    /// Searches every move of every node of a level; the positions reached lie at `depth`.
    fn expand(&mut self, level: &Level, depth: u8) {
        let mut start = 0;
        for (node, &end) in level.nodes.iter().zip(&level.ends) {
            let sign = node.position.turn().fold_wb(1, -1);
            for &played in &level.moves[start..end] {
                let mut reached = node.position.clone();
                reached.play_unchecked(played);
                let material = node.material + sign * PieceValues::gain(played);
                self.visit(&reached, material, depth);
            }
            if node.stands_pat {
                self.add_leaf(&node.position, node.material);
            }
            start = end;
        }
    }

    /// Adds a position as a terminal node, a leaf, or an inner node of the next level.
    ///
    /// The paper leaves open whether a mate or stalemate on the deepest ply counts as one; here it
    /// does.
    fn visit(&mut self, position: &Chess, material: i16, depth: u8) {
        let rules = &self.model.rules;
        if depth >= rules.max_ply.get() {
            let attributes = &self.model.attributes;
            let counts = attributes.counts(position);
            let no_moves = counts.legal_moves()[position.turn()] == 0;
            if !self.add_terminal(position, no_moves) {
                self.tree.leaf_with(|rows| {
                    attributes.extend_row_from(rows, position, Color::White, material, &counts);
                });
            }
            return;
        }
        let moves = position.legal_moves();
        if self.add_terminal(position, moves.is_empty()) {
            return;
        }
        let before = self.next.moves.len();
        let in_check = position.is_check();
        if in_check {
            self.next.moves.extend_from_slice(&moves);
        } else {
            let forcing = ForcingMoves::of(position);
            let mut forcing_moves = moves.iter().copied().filter(|m| forcing.contains(*m));
            match rules.expansion {
                Expansion::Forcing | Expansion::ForcingOnly => {
                    self.next.moves.extend(forcing_moves);
                }
                Expansion::Literal => {
                    if forcing_moves.next().is_some() {
                        drop(forcing_moves);
                        self.next.moves.extend_from_slice(&moves);
                    }
                }
            }
        }
        let n_moves = self.next.moves.len() - before;
        if n_moves == 0 {
            self.add_leaf(position, material);
            return;
        }
        let stands_pat = !in_check && rules.expansion == Expansion::Forcing;
        self.tree.inner(n_moves + usize::from(stands_pat));
        self.next.push(InnerNode {
            position: position.clone(),
            material,
            stands_pat,
        });
        self.next.close();
    }

    /// Adds the node of a position if it is terminal; whether it is.
    fn add_terminal(&mut self, position: &Chess, no_moves: bool) -> bool {
        let rules = &self.model.rules;
        if no_moves && position.is_check() {
            // A mate that does not count is a leaf.
            return rules.mates == MateRule::Won && {
                self.tree.lost();
                true
            };
        }
        let drawn = rules.draws.iter().any(|kind| match kind {
            DrawKind::Stalemate => no_moves,
            DrawKind::InsufficientMaterial => position.is_insufficient_material(),
            DrawKind::FiftyMoves => position.halfmoves() >= 100,
        });
        if drawn {
            self.tree.drawn();
        }
        drawn
    }

    fn add_leaf(&mut self, position: &Chess, material: i16) {
        let attributes = &self.model.attributes;
        self.tree.leaf_with(|rows| {
            attributes.extend_row(rows, position, Color::White, material);
        });
    }
}
