//! Growing the tree of a position, level by level.

use kibitz_board::{Chess, Color, Move, Position};
use kibitz_heuristics::attributes::{PieceValues, material_balance};
use kibitz_stats::soft_minimax::{Forest, TreeBuilder, TreeError};

use super::{DrawKind, Expansion, Forcing, MateRule, Quiescent, side};

impl Quiescent {
    /// Adds the tree of `position` to `forest`; alternative `chosen` was played, counted in the
    /// order of `position.legal_moves()`, in a decision that belongs to `group`.
    ///
    /// The forest's leaves must have this model's attributes.
    ///
    /// # Errors
    /// [`TreeError::ChildCount`] if the position has no legal move, and
    /// [`TreeError::ChosenOutOfRange`] if it has none of that number.
    pub fn plant(
        &self,
        position: &Chess,
        chosen: usize,
        group: u32,
        forest: &mut Forest,
    ) -> Result<(), TreeError> {
        let moves = position.legal_moves();
        let mut growth = Growth {
            model: self,
            tree: forest.begin_tree(side(position.turn()), moves.len()),
            next: Level::default(),
        };
        let mut level = Level::default();
        level.push(Branch {
            material: material_balance(position.board(), Color::White),
            position: position.clone(),
            stands_pat: false,
        });
        level.moves.extend_from_slice(&moves);
        level.close();
        let mut depth = 0;
        while !level.branches.is_empty() {
            depth += 1;
            growth.grow(&level, depth);
            level.clear();
            std::mem::swap(&mut level, &mut growth.next);
        }
        growth.tree.finish(chosen, group)
    }
}

/// A position whose moves are looked at.
struct Branch {
    position: Chess,
    /// Material balance from White's side.
    material: i16,
    /// Whether its own evaluation is one of the alternatives.
    stands_pat: bool,
}

/// The branches of one depth, with their moves in one flat list.
#[derive(Default)]
struct Level {
    branches: Vec<Branch>,
    moves: Vec<Move>,
    /// Where the moves of each branch end.
    ends: Vec<usize>,
}

impl Level {
    fn push(&mut self, branch: Branch) {
        self.branches.push(branch);
    }

    /// The moves pushed so far belong to the branches pushed so far.
    fn close(&mut self) {
        self.ends.push(self.moves.len());
    }

    fn clear(&mut self) {
        self.branches.clear();
        self.moves.clear();
        self.ends.clear();
    }
}

/// A tree under way.
struct Growth<'a> {
    model: &'a Quiescent,
    tree: TreeBuilder<'a>,
    /// The branches found at the depth being grown.
    next: Level,
}

impl Growth<'_> {
    /// Looks at every move of every branch of a level; the positions reached lie at `depth`.
    fn grow(&mut self, level: &Level, depth: u8) {
        let mut start = 0;
        for (branch, &end) in level.branches.iter().zip(&level.ends) {
            let sign = branch.position.turn().fold_wb(1, -1);
            for &played in &level.moves[start..end] {
                let mut reached = branch.position.clone();
                reached.play_unchecked(played);
                let material = branch.material + sign * PieceValues::gain(played);
                self.visit(&reached, material, depth);
            }
            if branch.stands_pat {
                self.leaf(&branch.position, branch.material);
            }
            start = end;
        }
    }

    /// Decides what becomes of a position: an end, a leaf, or a branch of the next level.
    ///
    /// The paper leaves open whether a mate or stalemate on the deepest ply counts as one; here
    /// both are told before depth is asked for.
    fn visit(&mut self, position: &Chess, material: i16, depth: u8) {
        let rules = &self.model.rules;
        if depth >= rules.max_ply.get() {
            let attributes = &self.model.attributes;
            let counts = attributes.counts(position);
            let no_moves = counts.legal_moves()[position.turn()] == 0;
            if !self.ends(position, no_moves) {
                self.tree.leaf_with(|rows| {
                    attributes.extend_row_from(rows, position, Color::White, material, &counts);
                });
            }
            return;
        }
        let moves = position.legal_moves();
        if self.ends(position, moves.is_empty()) {
            return;
        }
        let before = self.next.moves.len();
        let in_check = position.is_check();
        if in_check {
            self.next.moves.extend_from_slice(&moves);
        } else {
            let forcing = Forcing::of(position);
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
            self.leaf(position, material);
            return;
        }
        let stands_pat = !in_check && rules.expansion == Expansion::Forcing;
        self.tree.inner(n_moves + usize::from(stands_pat));
        self.next.push(Branch {
            position: position.clone(),
            material,
            stands_pat,
        });
        self.next.close();
    }

    /// Adds the node of a position that is an end, if it is one.
    fn ends(&mut self, position: &Chess, no_moves: bool) -> bool {
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

    fn leaf(&mut self, position: &Chess, material: i16) {
        let attributes = &self.model.attributes;
        self.tree.leaf_with(|rows| {
            attributes.extend_row(rows, position, Color::White, material);
        });
    }
}
