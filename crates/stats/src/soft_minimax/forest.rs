//! Game trees packed into flat arrays.

use super::Side;

/// Code of a leaf: a row of attributes belongs to it.
pub(super) const LEAF: u8 = 0;
/// Largest number of children, and largest code of an inner node: the code is the number.
const MAX_CHILDREN: usize = 253;
/// Code of a terminal node, drawn.
pub(super) const DRAWN: u8 = 254;
/// Code of a terminal node, lost by the side to move.
pub(super) const LOST: u8 = 255;

/// Number of children of a node, from its code.
#[inline]
pub(super) fn n_children(code: u8) -> u8 {
    if code < DRAWN { code } else { 0 }
}

/// Why a tree was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// An inner node has no children, or more than its code can hold.
    #[error("a node of tree {tree} has {found} children, expected 1 to {MAX_CHILDREN}")]
    ChildCount {
        /// Position of the refused tree, counting from 0.
        tree: usize,
        /// The number of children.
        found: usize,
    },
    /// The number of nodes differs from the declared numbers of children.
    #[error("tree {tree} announces {expected} nodes and has {found}, or they come out of order")]
    NodeCount {
        /// Position of the refused tree, counting from 0.
        tree: usize,
        /// Nodes announced.
        expected: usize,
        /// Nodes added.
        found: usize,
    },
    /// The attribute values do not divide into one row per leaf.
    #[error("tree {tree} has {found} attribute values, expected {expected}")]
    RowCount {
        /// Position of the refused tree, counting from 0.
        tree: usize,
        /// Leaves times attributes.
        expected: usize,
        /// Values added.
        found: usize,
    },
    /// The chosen index points past the last alternative.
    #[error("tree {tree}: alternative {chosen} was chosen, but there are only {n_alternatives}")]
    ChosenOutOfRange {
        /// Position of the refused tree, counting from 0.
        tree: usize,
        /// The index given.
        chosen: usize,
        /// Number of alternatives at the root.
        n_alternatives: usize,
    },
}

/// Decisions with their game trees, packed into flat arrays.
///
/// A node takes one byte (its number of children, or its terminal kind), and a leaf one byte more per
/// attribute, or two in a tree with values beyond one byte. Nodes are stored in breadth-first order, so
/// that children are found by counting, without pointers; attributes are stored in columns per tree.
///
/// # Examples
/// ```
/// use kibitz_stats::soft_minimax::{Forest, Side};
/// // The maximizer may take 3, or let the minimizer choose between 5 and -1.
/// let mut forest = Forest::new(1);
/// let mut tree = forest.begin_tree(Side::Maximizer, 2);
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
    /// Per tree: a column of all leaves' first attribute, then of the second, ... Each tree's columns
    /// lie in one of the two lists.
    narrow: Vec<i8>,
    wide: Vec<i16>,
    heads: Vec<Head>,
    /// The rows of the tree being built.
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
    /// An empty forest, for leaves with `n_attributes` attributes.
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

    /// Frees unused memory.
    pub fn shrink_to_fit(&mut self) {
        self.codes.shrink_to_fit();
        self.narrow.shrink_to_fit();
        self.wide.shrink_to_fit();
        self.heads.shrink_to_fit();
        self.rows = Vec::new();
    }

    /// Begins a tree: a decision of `first` among `n_alternatives`.
    ///
    /// Add the nodes below the root in breadth-first order; [`TreeBuilder::finish`] adds the tree to the
    /// forest.
    pub fn begin_tree(&mut self, first: Side, n_alternatives: usize) -> TreeBuilder<'_> {
        let codes_start = self.codes.len();
        let mut seedling = TreeBuilder {
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

    /// Adds a copy of a tree of another forest, with its own `chosen` alternative and `group`.
    ///
    /// # Errors
    /// [`TreeError::RowCount`] if its leaves have another number of attributes,
    /// [`TreeError::ChosenOutOfRange`] if `chosen` is out of range.
    pub fn push_tree(
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

    /// Whether the forest is empty.
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
    pub(super) fn heap_bytes(&self) -> usize {
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

    /// Ends a tree of the nodes and attributes added last.
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

/// Builder of a tree in a [`Forest`], from [`Forest::begin_tree`]; dropped unfinished, it adds
/// nothing.
#[derive(Debug)]
pub struct TreeBuilder<'a> {
    forest: &'a mut Forest,
    first: Side,
    codes_start: usize,
    n_announced: usize,
    n_leaves: usize,
    bad_child_count: Option<usize>,
    /// Whether a node was added that no parent had announced.
    has_orphans: bool,
}

impl TreeBuilder<'_> {
    /// Adds a leaf with these attributes, from the maximizer's side.
    pub fn leaf(&mut self, row: &[i16]) {
        self.leaf_with(|rows| rows.extend_from_slice(row));
    }

    /// Adds a leaf; `append` appends its attributes.
    #[inline]
    pub fn leaf_with(&mut self, append: impl FnOnce(&mut Vec<i16>)) {
        append(&mut self.forest.rows);
        self.n_leaves += 1;
        self.push(LEAF);
    }

    /// Adds an inner node with `n_children` children.
    #[inline]
    pub fn inner(&mut self, n_children: usize) {
        match u8::try_from(n_children) {
            Ok(code) if (1..=MAX_CHILDREN).contains(&n_children) => self.push(code),
            _ => self.bad_child_count = Some(n_children),
        }
        self.n_announced += n_children;
    }

    /// Adds a terminal node, drawn.
    #[inline]
    pub fn drawn(&mut self) {
        self.push(DRAWN);
    }

    /// Adds a terminal node, lost by the side to move.
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

    /// Adds the tree to the forest, with the index of the `chosen` alternative and the decision's
    /// `group`.
    ///
    /// # Errors
    /// [`TreeError`] if the nodes do not make a tree or `chosen` is out of range; the forest is then
    /// unchanged.
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

impl Drop for TreeBuilder<'_> {
    fn drop(&mut self) {
        let finished = self.forest.heads.last().map_or(0, |head| head.codes_end);
        self.forest.codes.truncate(finished);
    }
}

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// A leaf, with the weighted sum of its attributes as value.
    Leaf,
    /// Terminal: drawn.
    Drawn,
    /// Terminal: lost by the side to move.
    Lost,
    /// An inner node, with its number of children.
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

    /// Index of the chosen alternative.
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
    /// If `attribute` is out of range.
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
