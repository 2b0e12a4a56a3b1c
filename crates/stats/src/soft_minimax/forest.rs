//! Trees of alternatives as flat arrays.

use super::Side;

/// Code of a leaf: a row of attributes belongs to it.
pub(super) const LEAF: u8 = 0;
/// Largest number of children, and largest code of an inner node: the code is that number.
const MAX_CHILDREN: usize = 253;
/// Code of a node that ends drawn.
pub(super) const DRAWN: u8 = 254;
/// Code of a node whose side to move has lost.
pub(super) const LOST: u8 = 255;

/// Number of children that a node's code stands for.
#[inline]
pub(super) fn n_children(code: u8) -> u8 {
    if code < DRAWN { code } else { 0 }
}

/// Why a tree was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// A node has no children, or more than fit its code.
    #[error("a node of tree {tree} has {found} children, expected 1 to {MAX_CHILDREN}")]
    ChildCount {
        /// Position of the refused tree, counting from 0.
        tree: usize,
        /// The number of children.
        found: usize,
    },
    /// The nodes that came are not those that their parents announced.
    #[error("tree {tree} announces {expected} nodes and has {found}, or they come out of order")]
    NodeCount {
        /// Position of the refused tree, counting from 0.
        tree: usize,
        /// Nodes announced.
        expected: usize,
        /// Nodes that came.
        found: usize,
    },
    /// The attribute values do not divide into one row per leaf.
    #[error("tree {tree} has {found} attribute values, expected {expected}")]
    RowCount {
        /// Position of the refused tree, counting from 0.
        tree: usize,
        /// Leaves times attributes.
        expected: usize,
        /// Values that came.
        found: usize,
    },
    /// The chosen index points past the last alternative.
    #[error("tree {tree}: alternative {chosen} was chosen, but there are only {n_alternatives}")]
    ChosenOutOfRange {
        /// Position of the refused tree, counting from 0.
        tree: usize,
        /// The index given.
        chosen: usize,
        /// How many alternatives the root has.
        n_alternatives: usize,
    },
}

/// Decisions with the trees below their alternatives, packed into flat arrays.
///
/// A node takes one byte (its number of children, or how it ends) and a leaf one byte more per
/// attribute, or two where a tree has a value that does not fit one. Nodes lie in breadth-first order, so that the children of a node are found by
/// counting and need no pointers; the leaves' attributes lie by attribute within each tree.
///
/// # Examples
/// ```
/// use kibitz_stats::soft_minimax::{Forest, Side};
/// // The maximizer may end the matter at 3, or let the minimizer choose between 5 and -1.
/// let mut forest = Forest::new(1);
/// let mut tree = forest.plant(Side::Maximizer, 2);
/// tree.leaf(&[3]);
/// tree.inner(2);
/// tree.leaf(&[5]);
/// tree.leaf(&[-1]);
/// tree.finish(0, 7)?;
/// assert_eq!((forest.len(), forest.n_nodes(), forest.n_leaves()), (1, 5, 3));
/// # Ok::<(), kibitz_stats::soft_minimax::TreeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forest {
    n_attributes: usize,
    codes: Vec<u8>,
    /// Per tree: a column of all leaves' first attribute, then of the second, ... A tree's are in the
    /// one list or the other.
    narrow: Vec<i8>,
    wide: Vec<i16>,
    heads: Vec<Head>,
    /// The rows of the tree being planted.
    rows: Vec<i16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Head {
    /// Where the tree's nodes end; they start where the last tree's end.
    codes_end: usize,
    /// Number of leaves of all trees up to this one.
    leaves_end: usize,
    /// Where the attributes of all trees up to this one end.
    narrow_end: usize,
    wide_end: usize,
    group: u32,
    chosen: u8,
    first: Side,
}

impl Forest {
    /// A forest without trees, whose leaves will have `n_attributes` attributes.
    pub fn new(n_attributes: usize) -> Self {
        Self {
            n_attributes,
            codes: Vec::new(),
            narrow: Vec::new(),
            wide: Vec::new(),
            heads: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Removes all trees and keeps the memory.
    pub fn clear(&mut self) {
        self.codes.clear();
        self.narrow.clear();
        self.wide.clear();
        self.heads.clear();
    }

    /// Gives back memory that the trees do not need.
    pub fn shrink_to_fit(&mut self) {
        self.codes.shrink_to_fit();
        self.narrow.shrink_to_fit();
        self.wide.shrink_to_fit();
        self.heads.shrink_to_fit();
        self.rows = Vec::new();
    }

    /// Begins a tree: a decision of `first` among `n_alternatives`.
    ///
    /// The nodes below the root follow in breadth-first order. The tree becomes part of the forest
    /// with [`Seedling::finish`].
    pub fn plant(&mut self, first: Side, n_alternatives: usize) -> Seedling<'_> {
        let codes_start = self.codes.len();
        let mut seedling = Seedling {
            forest: self,
            first,
            codes_start,
            n_announced: 1,
            n_leaves: 0,
            bad_child_count: None,
            has_orphans: false,
        };
        seedling.forest.rows.clear();
        seedling.inner(n_alternatives);
        seedling
    }

    /// Adds a tree of another forest, in which alternative `chosen` was taken in a decision that
    /// belongs to `group`.
    ///
    /// # Errors
    /// [`TreeError::RowCount`] if its leaves have another number of attributes, and
    /// [`TreeError::ChosenOutOfRange`] if there is no such alternative.
    pub fn transplant(
        &mut self,
        tree: &Tree<'_>,
        chosen: usize,
        group: u32,
    ) -> Result<(), TreeError> {
        if tree.n_attributes != self.n_attributes {
            return Err(TreeError::RowCount {
                tree: self.len(),
                expected: tree.n_leaves * self.n_attributes,
                found: tree.n_leaves * tree.n_attributes,
            });
        }
        let chosen = check_chosen(self.len(), chosen, tree.n_alternatives())?;
        self.codes.extend_from_slice(tree.codes);
        match tree.leaves {
            Leaves::Narrow(units) => self.narrow.extend_from_slice(units),
            Leaves::Wide(units) => self.wide.extend_from_slice(units),
        }
        self.end_tree(tree.n_leaves, tree.head.first, chosen, group);
        Ok(())
    }

    /// Number of trees.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there is no tree at all.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Number of attributes of every leaf.
    pub fn n_attributes(&self) -> usize {
        self.n_attributes
    }

    /// Number of nodes of all trees, the roots included.
    pub fn n_nodes(&self) -> usize {
        self.codes.len()
    }

    /// Number of leaves with attributes, of all trees.
    pub fn n_leaves(&self) -> usize {
        self.heads.last().map_or(0, |head| head.leaves_end)
    }

    /// Bytes held by the arrays.
    pub fn heap_bytes(&self) -> usize {
        self.codes.capacity()
            + self.narrow.capacity()
            + (self.wide.capacity() + self.rows.capacity()) * size_of::<i16>()
            + self.heads.capacity() * size_of::<Head>()
    }

    /// Tree number `index`, or `None` past the end.
    pub fn get(&self, index: usize) -> Option<Tree<'_>> {
        (index < self.len()).then(|| self.tree(index))
    }

    /// All trees in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Tree<'_>> {
        (0..self.len()).map(|index| self.tree(index))
    }

    /// Tree number `index`, which must be below the length.
    fn tree(&self, index: usize) -> Tree<'_> {
        let head = self.heads[index];
        let start = index.checked_sub(1).map(|previous| self.heads[previous]);
        let since = |end: fn(&Head) -> usize| start.as_ref().map_or(0, end)..end(&head);
        let narrow = since(|head| head.narrow_end);
        Tree {
            codes: &self.codes[since(|head| head.codes_end)],
            leaves: if narrow.is_empty() {
                Leaves::Wide(&self.wide[since(|head| head.wide_end)])
            } else {
                Leaves::Narrow(&self.narrow[narrow])
            },
            n_leaves: since(|head| head.leaves_end).len(),
            n_attributes: self.n_attributes,
            head,
        }
    }

    /// The nodes and attributes that came last make a tree.
    fn end_tree(&mut self, n_leaves: usize, first: Side, chosen: u8, group: u32) {
        self.heads.push(Head {
            codes_end: self.codes.len(),
            leaves_end: self.n_leaves() + n_leaves,
            narrow_end: self.narrow.len(),
            wide_end: self.wide.len(),
            group,
            chosen,
            first,
        });
    }
}

fn check_chosen(tree: usize, chosen: usize, n_alternatives: usize) -> Result<u8, TreeError> {
    match u8::try_from(chosen) {
        Ok(code) if chosen < n_alternatives => Ok(code),
        _ => Err(TreeError::ChosenOutOfRange {
            tree,
            chosen,
            n_alternatives,
        }),
    }
}

/// A tree that is being added to a [`Forest`]; dropped unfinished, it leaves no trace.
#[derive(Debug)]
pub struct Seedling<'a> {
    forest: &'a mut Forest,
    first: Side,
    codes_start: usize,
    n_announced: usize,
    n_leaves: usize,
    bad_child_count: Option<usize>,
    /// Whether a node came that no parent had announced.
    has_orphans: bool,
}

impl Seedling<'_> {
    /// The next node is a leaf with these attributes, from the maximizer's side.
    pub fn leaf(&mut self, row: &[i16]) {
        self.leaf_with(|rows| rows.extend_from_slice(row));
    }

    /// The next node is a leaf; `append` appends its attributes.
    #[inline]
    pub fn leaf_with(&mut self, append: impl FnOnce(&mut Vec<i16>)) {
        append(&mut self.forest.rows);
        self.n_leaves += 1;
        self.push(LEAF);
    }

    /// The next node has `n_children` children.
    #[inline]
    pub fn inner(&mut self, n_children: usize) {
        match u8::try_from(n_children) {
            Ok(code) if (1..=MAX_CHILDREN).contains(&n_children) => self.push(code),
            _ => self.bad_child_count = Some(n_children),
        }
        self.n_announced += n_children;
    }

    /// The next node ends drawn.
    #[inline]
    pub fn drawn(&mut self) {
        self.push(DRAWN);
    }

    /// At the next node the side to move has lost.
    #[inline]
    pub fn lost(&mut self) {
        self.push(LOST);
    }

    #[inline]
    fn push(&mut self, code: u8) {
        self.has_orphans |= self.n_nodes() == self.n_announced;
        self.forest.codes.push(code);
    }

    #[inline]
    fn n_nodes(&self) -> usize {
        self.forest.codes.len() - self.codes_start
    }

    /// Ends the tree: alternative `chosen` was taken, in a decision that belongs to `group`.
    ///
    /// # Errors
    /// [`TreeError`] if the nodes do not make a tree or there is no such alternative; the forest
    /// is then as it was before the tree.
    pub fn finish(self, chosen: usize, group: u32) -> Result<(), TreeError> {
        let tree = self.forest.heads.len();
        let n_attributes = self.forest.n_attributes;
        if let Some(found) = self.bad_child_count {
            return Err(TreeError::ChildCount { tree, found });
        }
        if self.has_orphans || self.n_nodes() != self.n_announced {
            return Err(TreeError::NodeCount {
                tree,
                expected: self.n_announced,
                found: self.n_nodes(),
            });
        }
        let n_alternatives = usize::from(self.forest.codes[self.codes_start]);
        let n_values = self.forest.rows.len();
        if n_values != self.n_leaves * n_attributes {
            return Err(TreeError::RowCount {
                tree,
                expected: self.n_leaves * n_attributes,
                found: n_values,
            });
        }
        let chosen = check_chosen(tree, chosen, n_alternatives)?;
        let forest = &mut *self.forest;
        let is_narrow = forest.rows.iter().all(|unit| i8::try_from(*unit).is_ok());
        for attribute in 0..n_attributes {
            let column = forest.rows.iter().skip(attribute).step_by(n_attributes);
            if is_narrow {
                #[expect(clippy::cast_possible_truncation, reason = "all fit")]
                forest.narrow.extend(column.map(|unit| *unit as i8));
            } else {
                forest.wide.extend(column);
            }
        }
        forest.end_tree(self.n_leaves, self.first, chosen, group);
        Ok(())
    }
}

impl Drop for Seedling<'_> {
    fn drop(&mut self) {
        let finished = self.forest.heads.last().map_or(0, |head| head.codes_end);
        self.forest.codes.truncate(finished);
    }
}

/// What a node of a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// Worth what its attributes say.
    Leaf,
    /// The matter ends here without a winner.
    Drawn,
    /// The matter ends here, and the side to move has lost.
    Lost,
    /// As many children.
    Inner(usize),
}

impl Node {
    #[inline]
    fn of_code(code: u8) -> Self {
        match code {
            LEAF => Self::Leaf,
            DRAWN => Self::Drawn,
            LOST => Self::Lost,
            n_children => Self::Inner(usize::from(n_children)),
        }
    }
}

/// The attributes of a tree's leaves, column after column, in as many bytes as they need.
#[derive(Debug, Clone, Copy)]
pub(super) enum Leaves<'a> {
    Narrow(&'a [i8]),
    Wide(&'a [i16]),
}

/// One decision and the tree below it: a view into a [`Forest`].
#[derive(Debug, Clone, Copy)]
pub struct Tree<'a> {
    codes: &'a [u8],
    leaves: Leaves<'a>,
    n_leaves: usize,
    n_attributes: usize,
    head: Head,
}

impl<'a> Tree<'a> {
    /// The side that decides at the root.
    pub fn first(&self) -> Side {
        self.head.first
    }

    /// Number of alternatives at the root.
    pub fn n_alternatives(&self) -> usize {
        usize::from(self.codes[0])
    }

    /// The alternative that was taken.
    pub fn chosen(&self) -> usize {
        usize::from(self.head.chosen)
    }

    /// The group (game) of the decision.
    pub fn group(&self) -> u32 {
        self.head.group
    }

    /// Number of nodes, the root included.
    pub fn n_nodes(&self) -> usize {
        self.codes.len()
    }

    /// Number of attributes of every leaf.
    pub fn n_attributes(&self) -> usize {
        self.n_attributes
    }

    /// Number of leaves.
    pub fn n_leaves(&self) -> usize {
        self.n_leaves
    }

    /// The nodes in breadth-first order, the root first.
    #[inline]
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = Node> + 'a {
        self.codes.iter().map(|code| Node::of_code(*code))
    }

    /// One attribute of all leaves, in the order of the nodes.
    ///
    /// # Panics
    /// If there is no such attribute, as with a slice.
    pub fn column(&self, attribute: usize) -> Vec<i16> {
        assert!(attribute < self.n_attributes, "no attribute {attribute}");
        let place = attribute * self.n_leaves..(attribute + 1) * self.n_leaves;
        match self.leaves {
            Leaves::Narrow(units) => units[place].iter().copied().map(i16::from).collect(),
            Leaves::Wide(units) => units[place].to_vec(),
        }
    }

    pub(super) fn leaves(&self) -> Leaves<'a> {
        self.leaves
    }

    pub(super) fn codes(&self) -> &'a [u8] {
        self.codes
    }
}
