//! Refining a position: point 8 of the outline.

use super::{
    Bounds, Estimate, back_up,
    choose::CtwCounts,
    graph::{Graph, Id, State, Successor},
};
use crate::game::{Game, Stop};

/// The caller's check has ended the search.
#[derive(Debug)]
pub(super) struct Interruption;

/// Maximum number of plies of a refined line: deeper positions keep their values.
const LONGEST_LINE: usize = 256;

/// How often a position is refined again at once after an anomaly. The outline leaves open what
/// happens when refining again brings the next anomaly; we go on with the line after this many.
const REPEATS: u32 = 2;

/// A search under way.
pub(super) struct Work<'w, 's, G: Game> {
    pub(super) game: &'w G,
    pub(super) graph: &'w mut Graph<G::Position, G::Key, G::Move>,
    pub(super) counts: &'w mut CtwCounts,
    pub(super) stop: Stop<'s>,
    /// Whether anything was listed or evaluated, or any value changed, since this was last set to
    /// false.
    pub(super) has_progress: bool,
}

/// Which successors are evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Screen {
    /// Those that are plausible enough to be better than the best.
    Plausible,
    /// All of them.
    Nothing,
}

impl<G: Estimate> Work<'_, '_, G> {
    /// Refines a position: its successors are listed if they have not been, else its most hopeful
    /// successor is refined; then its values are backed up. `path` are the positions that led here.
    pub(super) fn refine(&mut self, id: Id, path: &mut Vec<Id>) -> Result<(), Interruption> {
        for repeat in 0..=REPEATS {
            let before = self.graph.bounds(id);
            self.counts.refinements += 1;
            if self.graph.node(id).successors.is_empty() {
                self.list_successors(id)?;
            } else if let Some(hopeful) = self.hopeful(id, path) {
                path.push(id);
                let refined = self.refine(hopeful, path);
                path.pop();
                refined?;
            }
            self.back_up(id, path, Screen::Plausible)?;
            let after = self.graph.bounds(id);
            if after.high <= before.high && after.low >= before.low {
                break;
            }
            self.counts.anomalies += 1;
            if repeat == REPEATS {
                break;
            }
        }
        Ok(())
    }

    /// The successor with the greatest optimistic value; `None` if its bounds are exact or it is too
    /// deep.
    fn hopeful(&self, id: Id, path: &[Id]) -> Option<Id> {
        if path.len() >= LONGEST_LINE {
            return None;
        }
        let mut best: Option<(Id, Bounds)> = None;
        for successor in self
            .graph
            .node(id)
            .successors
            .iter()
            .filter_map(Successor::id)
        {
            let bounds = self.seen_from(successor, id, path);
            if best.is_none_or(|(_, best)| bounds.high > best.high) {
                best = Some((successor, bounds));
            }
        }
        best.filter(|(_, bounds)| !bounds.is_exact())
            .map(|(successor, _)| successor)
    }

    /// Bounds of a successor of `id`. The outline does not define the value of a line that returns to one
    /// of its positions; here it is a draw, since repetition leads to one.
    fn seen_from(&self, successor: Id, id: Id, path: &[Id]) -> Bounds {
        if successor == id || path.contains(&successor) {
            Bounds::DRAWN
        } else {
            self.graph.bounds(successor)
        }
    }

    /// Lists the successors. Those known, in the graph or the library, keep their values; those where
    /// the game has ended need no evaluation; the others wait, with their plausibility.
    pub(super) fn list_successors(&mut self, id: Id) -> Result<(), Interruption> {
        self.check()?;
        self.counts.work.expanded += 1;
        self.has_progress = true;
        let position = self.graph.node(id).position.clone();
        let mut successors = Vec::new();
        for m in self.game.moves(&position) {
            let next = self.game.play(&position, m);
            let key = self.game.key(&next);
            let state = if let Some(known) = self.graph.find(key) {
                self.counts.transpositions += 1;
                State::Evaluated(known)
            } else if let Some(&bounds) = self.graph.library.get(&key) {
                self.counts.from_library += 1;
                State::Evaluated(self.graph.insert(next, key, bounds))
            } else if let Some(end) = self.game.end(&next) {
                let bounds = match end {
                    crate::game::End::Lost => Bounds::WON,
                    crate::game::End::Drawn => Bounds::DRAWN,
                };
                State::Evaluated(self.graph.insert(next, key, bounds))
            } else {
                State::Unevaluated(self.game.plausibility(&position, m))
            };
            successors.push(Successor { m, state });
        }
        self.graph.node_mut(id).successors = successors;
        Ok(())
    }

    /// Evaluates the successors that `screen` lets through, the most plausible first, and backs up:
    /// H = B(max L), L = B(max H) (point 4).
    pub(super) fn back_up(
        &mut self,
        id: Id,
        path: &[Id],
        screen: Screen,
    ) -> Result<(), Interruption> {
        loop {
            let mut presumptive = f64::NEG_INFINITY;
            let mut hopeful = f64::NEG_INFINITY;
            let mut next: Option<(usize, f64)> = None;
            for (index, successor) in self.graph.node(id).successors.iter().enumerate() {
                match successor.state {
                    State::Evaluated(known) => {
                        let bounds = self.seen_from(known, id, path);
                        presumptive = presumptive.max(bounds.low);
                        hopeful = hopeful.max(bounds.high);
                    }
                    State::Unevaluated(plausibility) => {
                        if next.is_none_or(|(_, best)| plausibility > best) {
                            next = Some((index, plausibility));
                        }
                    }
                }
            }
            if let Some((index, plausibility)) = next
                && (screen == Screen::Nothing || plausibility > presumptive)
            {
                self.evaluate(id, index, plausibility)?;
                continue;
            }
            if hopeful.is_finite() {
                let bounds = Bounds {
                    low: back_up(hopeful),
                    high: back_up(presumptive),
                };
                self.has_progress |= bounds != self.graph.bounds(id);
                self.graph.node_mut(id).bounds = bounds;
            }
            return Ok(());
        }
    }

    /// Evaluates a successor that has waited.
    fn evaluate(&mut self, id: Id, index: usize, plausibility: f64) -> Result<(), Interruption> {
        self.has_progress = true;
        let node = self.graph.node(id);
        let next = self.game.play(&node.position, node.successors[index].m);
        let key = self.game.key(&next);
        let successor = if let Some(known) = self.graph.find(key) {
            self.counts.transpositions += 1;
            known
        } else {
            self.check()?;
            self.counts.work.evaluated += 1;
            let bounds = self.game.bounds(&next);
            self.counts.implausible += u64::from(bounds.high > plausibility);
            self.graph.insert(next, key, bounds)
        };
        self.graph.node_mut(id).successors[index].state = State::Evaluated(successor);
        Ok(())
    }

    fn check(&mut self) -> Result<(), Interruption> {
        if (self.stop)(self.counts.work) {
            return Err(Interruption);
        }
        Ok(())
    }
}
