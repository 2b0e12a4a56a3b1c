//! A data set of trees within a memory budget.

use std::fmt;

use rayon::prelude::*;

use super::forest::{Forest, Tree, TreeError};

/// Least and largest number of chunks built at once. It depends on the trees and the budget alone, so
/// that memory use does not depend on the number of threads.
const CHUNKS_PER_WAVE: (usize, usize) = (8, 256);

/// A data set of decisions with their game trees, within a memory budget.
///
/// A function builds the trees in chunks. The first chunks that fit the budget are stored; the others
/// are rebuilt whenever they are needed. So a data set of any size can be fitted in any memory, at the
/// price of time, with the same results to the last bit.
///
/// # Examples
/// ```
/// use kibitz_stats::soft_minimax::{Side, Trees};
/// // Ten decisions between 2 and 1, and memory for some of them.
/// let trees = Trees::build(&[1.0], 10, 200, |chunk, forest| {
///     let mut tree = forest.begin_tree(Side::Maximizer, 2);
///     tree.leaf(&[2]);
///     tree.leaf(&[1]);
///     tree.finish(chunk % 2, 0)
/// })?;
/// let counts = trees.counts();
/// assert_eq!((counts.n_trees, counts.n_nodes), (10, 30));
/// assert!(counts.n_stored_trees < 10 && counts.n_stored_bytes <= 200);
/// # Ok::<(), kibitz_stats::soft_minimax::TreeError>(())
/// ```
pub struct Trees {
    scales: Vec<f64>,
    chunks: Vec<ChunkSummary>,
    build_chunk: Box<BuildChunk>,
}

type BuildChunk = dyn Fn(usize, &mut Forest) -> Result<(), TreeError> + Send + Sync;

/// The summary of a chunk, stored or not.
struct ChunkSummary {
    stored: Option<Forest>,
    summaries: Vec<TreeSummary>,
    n_nodes: usize,
    n_leaves: usize,
    /// Per attribute: sum and sum of squares over the leaves, in stored units. Integers, so that
    /// they can be added in any order.
    moments: Vec<(i64, i64)>,
}

/// The summary of a tree, stored or not.
#[derive(Debug, Clone, Copy)]
pub(super) struct TreeSummary {
    pub(super) group: u32,
    pub(super) n_alternatives: u8,
}

/// Numbers of trees, nodes and bytes of a data set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TreeCounts {
    /// Decisions.
    pub n_trees: usize,
    /// Nodes of all trees, the roots included.
    pub n_nodes: usize,
    /// Leaves of all trees.
    pub n_leaves: usize,
    /// Trees that fit the budget.
    pub n_stored_trees: usize,
    /// Bytes that the stored trees take.
    pub n_stored_bytes: usize,
}

impl TreeCounts {
    /// Mean number of nodes of a tree, the root not counted: positions evaluated per decision.
    /// NaN without trees.
    pub fn mean_nodes(&self) -> f64 {
        (self.n_nodes - self.n_trees) as f64 / self.n_trees as f64
    }

    /// Mean bytes of a stored tree. NaN if none is stored.
    pub fn mean_bytes(&self) -> f64 {
        self.n_stored_bytes as f64 / self.n_stored_trees as f64
    }

    /// Whether all trees fit the budget.
    pub fn all_stored(&self) -> bool {
        self.n_trees == self.n_stored_trees
    }
}

impl Trees {
    /// Builds `n_chunks` chunks, and stores those that fit `budget` bytes.
    ///
    /// `scales` holds the size of one stored unit of every attribute. `build_chunk` adds the trees of
    /// a chunk, given by its index, to an empty forest, and must be deterministic. Chunks of about ten
    /// thousand nodes suit best. They are built in parallel.
    ///
    /// # Errors
    /// The first error of `build_chunk`.
    pub fn build(
        scales: &[f64],
        n_chunks: usize,
        budget: usize,
        build_chunk: impl Fn(usize, &mut Forest) -> Result<(), TreeError> + Send + Sync + 'static,
    ) -> Result<Self, TreeError> {
        let mut chunks = Vec::with_capacity(n_chunks);
        let mut left = Some(budget);
        let mut largest = 0;
        while chunks.len() < n_chunks {
            // No more than fit the rest of the budget, by the mean size so far.
            let (fewest, most) = CHUNKS_PER_WAVE;
            let fitting = match left {
                Some(left) => left
                    .checked_div(largest)
                    .map_or(fewest, |fitting| fitting.clamp(fewest, most)),
                None => most,
            };
            let end = n_chunks.min(chunks.len() + fitting);
            let wave: Vec<Result<ChunkSummary, TreeError>> = (chunks.len()..end)
                .into_par_iter()
                .map(|chunk| {
                    let mut forest = Forest::new(scales.len());
                    build_chunk(chunk, &mut forest)?;
                    let mut chunk = ChunkSummary::describe(&forest);
                    chunk.stored = left.is_some().then(|| {
                        forest.shrink_to_fit();
                        forest
                    });
                    Ok(chunk)
                })
                .collect();
            for chunk in wave {
                let mut chunk = chunk?;
                largest = largest.max(chunk.stored_bytes());
                // The first chunk that does not fit closes the store: later ones are not tried.
                left = left.and_then(|left| left.checked_sub(chunk.stored_bytes()));
                if left.is_none() {
                    chunk.stored = None;
                }
                chunks.push(chunk);
            }
        }
        Ok(Self {
            scales: scales.to_vec(),
            chunks,
            build_chunk: Box::new(build_chunk),
        })
    }

    /// A data set of trees already built, all of them stored.
    ///
    /// `scales` and the size of chunks are as in [`build`](Self::build).
    pub fn stored(scales: &[f64], chunks: Vec<Forest>) -> Self {
        let keep = |mut forest: Forest| {
            let chunk = ChunkSummary::describe(&forest);
            forest.shrink_to_fit();
            ChunkSummary {
                stored: Some(forest),
                ..chunk
            }
        };
        Self {
            scales: scales.to_vec(),
            chunks: chunks.into_iter().map(keep).collect(),
            build_chunk: Box::new(|_, _| Ok(())),
        }
    }

    /// Number of attributes of every leaf.
    pub fn n_attributes(&self) -> usize {
        self.scales.len()
    }

    /// The size of one stored unit of every attribute.
    pub fn scales(&self) -> &[f64] {
        &self.scales
    }

    /// Numbers of trees, nodes and bytes.
    pub fn counts(&self) -> TreeCounts {
        let mut counts = TreeCounts::default();
        for chunk in &self.chunks {
            counts.n_trees += chunk.summaries.len();
            counts.n_nodes += chunk.n_nodes;
            counts.n_leaves += chunk.n_leaves;
            if chunk.stored.is_some() {
                counts.n_stored_trees += chunk.summaries.len();
                counts.n_stored_bytes += chunk.stored_bytes();
            }
        }
        counts
    }

    /// The group (game) of every tree, in order.
    pub fn groups(&self) -> impl Iterator<Item = u32> + '_ {
        self.summaries().map(|summary| summary.group)
    }

    /// Standard deviation of every attribute over all leaves, in the attribute's own unit.
    pub(super) fn spreads(&self) -> Vec<f64> {
        let n_leaves: usize = self.chunks.iter().map(|chunk| chunk.n_leaves).sum();
        let spread = |attribute: usize| {
            let (sum, squares) = self.chunks.iter().fold((0, 0), |(sum, squares), chunk| {
                let (chunk_sum, chunk_squares) = chunk.moments[attribute];
                (sum + chunk_sum, squares + chunk_squares)
            });
            let mean = sum as f64 / n_leaves as f64;
            let variance = squares as f64 / n_leaves as f64 - mean * mean;
            self.scales[attribute] * variance.max(0.0).sqrt()
        };
        (0..self.n_attributes()).map(spread).collect()
    }

    pub(super) fn n_chunks(&self) -> usize {
        self.chunks.len()
    }

    pub(super) fn summaries(&self) -> impl Iterator<Item = &TreeSummary> + '_ {
        self.chunks.iter().flat_map(|chunk| &chunk.summaries)
    }

    pub(super) fn summaries_of(&self, chunk: usize) -> &[TreeSummary] {
        &self.chunks[chunk].summaries
    }

    /// The trees of a chunk: stored, rebuilt in `spare`, or none if neither stored nor `needed`.
    pub(super) fn chunk<'s>(
        &'s self,
        chunk: usize,
        spare: &'s mut Forest,
        needed: bool,
    ) -> &'s Forest {
        if let Some(stored) = &self.chunks[chunk].stored {
            return stored;
        }
        spare.clear();
        if needed {
            (self.build_chunk)(chunk, spare).expect("the same trees were built before");
        }
        spare
    }
}

impl ChunkSummary {
    fn describe(forest: &Forest) -> Self {
        let moments = |attribute: usize| {
            let units = forest.iter().flat_map(|tree| tree.column(attribute));
            units.fold((0, 0), |(sum, squares), unit| {
                let unit = i64::from(unit);
                (sum + unit, squares + unit * unit)
            })
        };
        let summary = |tree: Tree<'_>| TreeSummary {
            group: tree.group(),
            n_alternatives: u8::try_from(tree.n_alternatives()).unwrap_or(u8::MAX),
        };
        Self {
            stored: None,
            summaries: forest.iter().map(summary).collect(),
            n_nodes: forest.n_nodes(),
            n_leaves: forest.n_leaves(),
            moments: (0..forest.n_attributes()).map(moments).collect(),
        }
    }

    fn stored_bytes(&self) -> usize {
        self.stored
            .as_ref()
            .map_or(0, |forest| size_of::<Forest>() + forest.heap_bytes())
    }
}

impl fmt::Debug for Trees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trees")
            .field("scales", &self.scales)
            .field("counts", &self.counts())
            .finish_non_exhaustive()
    }
}
