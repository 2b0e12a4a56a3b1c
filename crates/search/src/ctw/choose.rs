//! Choosing a move: points 5 to 7 and 9 to 11 of the outline.

use std::cmp::Ordering;

use super::{
    Bounds, Estimate,
    graph::{Graph, Id, Successor},
    refine::{Interruption, Screen, Work},
};
use crate::{
    fixed_depth::SearchError,
    game::{Counts, Game, Stop},
};

/// The choice among moves none of which has been proved best.
///
/// The outline names four purposes of a stylistic function; of these we have the bold and the
/// cautious. Ties go to the most plausible move.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "kebab-case", deny_unknown_fields, default)
)]
pub struct Style {
    /// Weight of the optimistic value, from 0 (cautious: the greatest L) to 1 (bold: the greatest H).
    pub boldness: f64,
}

impl Default for Style {
    fn default() -> Self {
        Self { boldness: 0.5 }
    }
}

impl Style {
    fn value(self, bounds: Bounds) -> f64 {
        self.boldness * bounds.high + (1.0 - self.boldness) * bounds.low
    }
}

/// Work done by a search, and counts of its events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CtwCounts {
    /// Positions listed and evaluated.
    pub work: Counts,
    /// Refinements, each line of them counted at every position.
    pub refinements: u64,
    /// Times that refining raised H or lowered L.
    pub anomalies: u64,
    /// Positions whose H was above their plausibility.
    pub implausible: u64,
    /// Successors that were in the graph already.
    pub transpositions: u64,
    /// Successors whose values came from the library.
    pub from_library: u64,
}

/// A move at the root with its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedMove<M> {
    /// The move.
    pub m: M,
    /// Bounds of the position it leads to.
    pub bounds: Bounds,
}

/// The result of a Closeness-To-Win search.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision<M> {
    /// The principal variation: the move chosen, and the most hopeful play after it as far as it is
    /// known.
    pub line: Vec<M>,
    /// Bounds of the move; [`Bounds::OPEN`] if there was no time to evaluate it.
    pub bounds: Bounds,
    /// Whether no other move may be better.
    pub is_settled: bool,
    /// The moves that may still be better than the worst that the presumptive move can be, with
    /// itself, in order of plausibility.
    pub candidates: Vec<RatedMove<M>>,
    /// Work done.
    pub counts: CtwCounts,
}

/// The Closeness-To-Win search of a game, with all positions it has evaluated.
#[derive(Debug)]
pub struct Ctw<'a, G: Game> {
    game: &'a G,
    style: Style,
    graph: Graph<G::Position, G::Key, G::Move>,
}

impl<'a, G: Estimate> Ctw<'a, G> {
    /// A search that knows no position yet.
    pub fn new(game: &'a G, style: Style) -> Self {
        Self {
            game,
            style,
            graph: Graph::default(),
        }
    }

    /// Number of positions in the graph.
    pub fn n_positions(&self) -> usize {
        self.graph.len()
    }

    /// Advances the search to `position`: positions that can no longer be reached go to the library
    /// (point 9).
    pub fn advance(&mut self, position: &G::Position) {
        match self.graph.find(self.game.key(position)) {
            Some(root) => self.graph.retire_unreachable(root),
            None => self.graph.retire_all(),
        }
    }

    /// The bounds of a position in the library.
    pub fn recall(&self, key: G::Key) -> Option<Bounds> {
        self.graph.library.get(&key).copied()
    }

    /// Chooses a move.
    ///
    /// All successors of `root` are evaluated, then the most uncertain candidate is refined until the
    /// choice is settled or `stop` returns true. A search that is not stopped then evaluates all replies
    /// to the chosen move, and should it turn out no better than another, those to that one (point
    /// 10). Stopped before anything was evaluated, the result is the most plausible move.
    ///
    /// # Errors
    /// [`SearchError::Ended`] if the root has no legal move.
    pub fn choose(
        &mut self,
        root: &G::Position,
        stop: Stop<'_>,
    ) -> Result<Decision<G::Move>, SearchError> {
        let mut is_stopped = false;
        let mut watch = |counts: Counts| {
            is_stopped = stop(counts);
            is_stopped
        };
        let (choice, mut counts) = self.deepen(root, &mut watch)?;
        if !is_stopped {
            self.guard(&choice, &mut counts, stop);
        }
        Ok(self.decision(root, &choice, counts))
    }

    /// Chooses a move as [`Ctw::choose`] does, but lets the replies to the chosen move be evaluated
    /// after `stop` has ended the refinement, until `last_stop` says that the move is due.
    ///
    /// # Errors
    /// [`SearchError::Ended`] if the root has no legal move.
    pub fn choose_guarded(
        &mut self,
        root: &G::Position,
        stop: Stop<'_>,
        last_stop: Stop<'_>,
    ) -> Result<Decision<G::Move>, SearchError> {
        let (choice, mut counts) = self.deepen(root, stop)?;
        self.guard(&choice, &mut counts, last_stop);
        Ok(self.decision(root, &choice, counts))
    }

    /// The evaluated moves of a position that a move was chosen in, each with the most hopeful play
    /// after it and its bounds: the chosen one first, then the other candidates, then the rest, each
    /// by the style.
    pub fn lines(&self, root: &G::Position) -> Vec<(Vec<G::Move>, Bounds)> {
        let Some(root) = self.graph.find(self.game.key(root)) else {
            return Vec::new();
        };
        let style = self.style;
        let rated = Choice { root, style }.by_style(&self.graph);
        let lines = rated.into_iter();
        lines
            .map(|(index, bounds)| (self.line(root, index), bounds))
            .collect()
    }

    /// Points 5 to 7. Stopped or finished, the graph is consistent.
    fn deepen(
        &mut self,
        root: &G::Position,
        stop: Stop<'_>,
    ) -> Result<(Choice, CtwCounts), SearchError> {
        if self.game.end(root).is_some() {
            return Err(SearchError::Ended);
        }
        let key = self.game.key(root);
        let choice = Choice {
            root: match self.graph.find(key) {
                Some(known) => known,
                None => self.graph.insert(root.clone(), key, Bounds::OPEN),
            },
            style: self.style,
        };
        let mut counts = CtwCounts::default();
        let _ = choice.deepen(&mut Work {
            game: self.game,
            graph: &mut self.graph,
            counts: &mut counts,
            stop,
            has_progress: false,
        });
        Ok((choice, counts))
    }

    /// Point 10.
    fn guard(&mut self, choice: &Choice, counts: &mut CtwCounts, stop: Stop<'_>) {
        let _ = choice.guard(&mut Work {
            game: self.game,
            graph: &mut self.graph,
            counts,
            stop,
            has_progress: false,
        });
    }

    fn decision(
        &self,
        root: &G::Position,
        choice: &Choice,
        counts: CtwCounts,
    ) -> Decision<G::Move> {
        let node = self.graph.node(choice.root);
        let Some(&(chosen, bounds)) = choice.by_style(&self.graph).first() else {
            let first = match node.successors.first() {
                Some(successor) => successor.m,
                None => self.game.moves(root)[0],
            };
            return Decision {
                line: vec![first],
                bounds: Bounds::OPEN,
                is_settled: false,
                candidates: Vec::new(),
                counts,
            };
        };
        let candidates: Vec<_> = choice
            .candidates(&self.graph)
            .into_iter()
            .map(|index| RatedMove {
                m: node.successors[index].m,
                bounds: choice.bounds(&self.graph, index).unwrap_or(Bounds::OPEN),
            })
            .collect();
        let all_evaluated = node
            .successors
            .iter()
            .all(|successor| successor.id().is_some());
        Decision {
            line: self.line(choice.root, chosen),
            bounds,
            is_settled: all_evaluated && is_settled(&candidates),
            candidates,
            counts,
        }
    }

    /// The chosen move and the most hopeful replies.
    fn line(&self, root: Id, chosen: usize) -> Vec<G::Move> {
        let mut line = Vec::new();
        let mut seen = vec![root];
        let mut next = Some(&self.graph.node(root).successors[chosen]);
        while let Some(successor) = next {
            line.push(successor.m);
            let Some(id) = successor.id().filter(|id| !seen.contains(id)) else {
                break;
            };
            seen.push(id);
            let hope = |successor: &Successor<G::Move>| {
                let bounds = successor.id().map(|id| self.graph.bounds(id));
                bounds.map_or(f64::NEG_INFINITY, |bounds| self.style.value(bounds))
            };
            next = None;
            for successor in &self.graph.node(id).successors {
                if next.is_none_or(|best| hope(successor) > hope(best)) {
                    next = Some(successor);
                }
            }
        }
        line
    }
}

/// Whether one candidate is left, or all of them are known to be alike.
fn is_settled<M>(candidates: &[RatedMove<M>]) -> bool {
    match candidates {
        [] => false,
        [_] => true,
        [first, ..] => candidates
            .iter()
            .all(|candidate| candidate.bounds.is_exact() && candidate.bounds == first.bounds),
    }
}

/// The moves of the root under comparison, by their place in its list.
struct Choice {
    root: Id,
    style: Style,
}

impl Choice {
    fn bounds<P, K: Copy + Eq + std::hash::Hash, M>(
        &self,
        graph: &Graph<P, K, M>,
        index: usize,
    ) -> Option<Bounds> {
        let id = graph.node(self.root).successors[index].id()?;
        Some(if id == self.root {
            Bounds::DRAWN
        } else {
            graph.bounds(id)
        })
    }

    fn evaluated<P, K: Copy + Eq + std::hash::Hash, M>(
        &self,
        graph: &Graph<P, K, M>,
    ) -> Vec<(usize, Bounds)> {
        let n_successors = graph.node(self.root).successors.len();
        (0..n_successors)
            .filter_map(|index| Some((index, self.bounds(graph, index)?)))
            .collect()
    }

    /// The presumptive move and those with H above its L (point 6).
    fn candidates<P, K: Copy + Eq + std::hash::Hash, M>(
        &self,
        graph: &Graph<P, K, M>,
    ) -> Vec<usize> {
        let evaluated = self.evaluated(graph);
        let mut presumptive: Option<(usize, Bounds)> = None;
        for &(index, bounds) in &evaluated {
            let is_better = presumptive
                .is_none_or(|(_, best)| (bounds.low, bounds.high) > (best.low, best.high));
            if is_better {
                presumptive = Some((index, bounds));
            }
        }
        let Some((presumptive, best)) = presumptive else {
            return Vec::new();
        };
        evaluated
            .into_iter()
            .filter(|&(index, bounds)| index == presumptive || bounds.high > best.low)
            .map(|(index, _)| index)
            .collect()
    }

    /// The evaluated moves, the candidates before the others, each by the style.
    fn by_style<P, K: Copy + Eq + std::hash::Hash, M>(
        &self,
        graph: &Graph<P, K, M>,
    ) -> Vec<(usize, Bounds)> {
        let candidates = self.candidates(graph);
        let mut evaluated = self.evaluated(graph);
        let rank = |(index, bounds): &(usize, Bounds)| {
            (candidates.contains(index), self.style.value(*bounds))
        };
        evaluated.sort_by(|a, b| {
            let ((is_a, a), (is_b, b)) = (rank(a), rank(b));
            is_b.cmp(&is_a)
                .then(b.partial_cmp(&a).unwrap_or(Ordering::Equal))
        });
        evaluated
    }

    /// Refines the most uncertain candidate until one is left (points 5 to 7).
    fn deepen<G: Estimate>(&self, work: &mut Work<'_, '_, G>) -> Result<(), Interruption> {
        if work.graph.node(self.root).successors.is_empty() {
            work.list_successors(self.root)?;
        }
        work.back_up(self.root, &[], Screen::Nothing)?;
        loop {
            let candidates = self.candidates(work.graph);
            if candidates.len() <= 1 {
                return Ok(());
            }
            let mut most_uncertain: Option<(Id, Bounds)> = None;
            for index in candidates {
                let bounds = self.bounds(work.graph, index);
                let id = work.graph.node(self.root).successors[index].id();
                if let (Some(bounds), Some(id)) = (bounds, id)
                    && most_uncertain
                        .is_none_or(|(_, most)| bounds.uncertainty() > most.uncertainty())
                {
                    most_uncertain = Some((id, bounds));
                }
            }
            let Some((id, _)) = most_uncertain.filter(|(_, bounds)| !bounds.is_exact()) else {
                return Ok(());
            };
            work.has_progress = false;
            work.refine(id, &mut vec![self.root])?;
            // Lines that come back to themselves, or grow too long, can leave nothing to be done.
            if !work.has_progress {
                return Ok(());
            }
        }
    }

    /// Evaluates all replies to the move about to be chosen, and to the next should that fall back.
    fn guard<G: Estimate>(&self, work: &mut Work<'_, '_, G>) -> Result<(), Interruption> {
        let mut guarded = Vec::new();
        while let Some(&(chosen, _)) = self.by_style(work.graph).first() {
            let id = work.graph.node(self.root).successors[chosen].id();
            let Some(id) = id.filter(|_| !guarded.contains(&chosen)) else {
                break;
            };
            guarded.push(chosen);
            if id == self.root || work.game.end(&work.graph.node(id).position).is_some() {
                break;
            }
            if work.graph.node(id).successors.is_empty() {
                work.list_successors(id)?;
            }
            work.back_up(id, &[self.root], Screen::Nothing)?;
        }
        Ok(())
    }
}
