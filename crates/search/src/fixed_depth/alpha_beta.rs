//! Alpha-beta search, forward pruning, and iterative deepening.

use super::{
    Fanout, SearchError, SearchResult,
    table::{Bound, Entry, TranspositionTable},
};
use crate::game::{Counts, End, Game, Stop, Verdict, lost_in};

/// Default capacity of the transposition table, in values: some 100 MB for chess.
const TABLE_CAPACITY: usize = 1 << 20;

/// Positions looked at to complete a line, at most.
const LINE_NODES: u64 = 20_000;

/// Called with the principal variations of each completed depth, the best first.
pub type Report<'r, M> = &'r mut dyn FnMut(&[SearchResult<M>]);

/// Alpha-beta search of a game.
///
/// With [`Fanout::FULL`], the default, it finds the value and the move of [`minimax`](super::minimax);
/// with a smaller fanout those of minimax in the tree of the most plausible moves.
/// The transposition table is kept from one search to the next.
#[derive(Debug)]
pub struct AlphaBeta<'a, G: Game> {
    game: &'a G,
    fanout: Fanout,
    table: Option<TranspositionTable<G::Key, G::Move>>,
    completes: bool,
}

impl<'a, G: Game> AlphaBeta<'a, G> {
    /// A search of every move, with a transposition table.
    pub fn new(game: &'a G) -> Self {
        Self {
            game,
            fanout: Fanout::FULL,
            table: Some(TranspositionTable::new(TABLE_CAPACITY)),
            completes: false,
        }
    }

    /// The same search with forward pruning. The table starts empty.
    #[must_use]
    pub fn with_fanout(self, fanout: Fanout) -> Self {
        let capacity = self.table.map(|_| TABLE_CAPACITY);
        Self {
            game: self.game,
            fanout,
            table: capacity.map(TranspositionTable::new),
            ..self
        }
    }

    /// The same search, with the whole principal variation of every win and loss that iterative
    /// deepening finds, also where the transposition table cut it short. The work for this is not
    /// counted.
    #[must_use]
    pub fn with_complete_mates(self) -> Self {
        Self {
            completes: true,
            ..self
        }
    }

    /// The same search with a table for at most `n_values` positions; none if 0.
    #[must_use]
    pub fn with_table(self, n_values: usize) -> Self {
        Self {
            table: (n_values > 0).then(|| TranspositionTable::new(n_values)),
            ..self
        }
    }

    /// Searches `depth` plies.
    ///
    /// Among best moves the most plausible is chosen.
    ///
    /// # Errors
    /// [`SearchError::Ended`] if the root has no legal move, [`SearchError::NoDepth`] if `depth` is 0,
    /// [`SearchError::Stopped`] if `stop` said so.
    pub fn search(
        &mut self,
        root: &G::Position,
        depth: u32,
        stop: Stop<'_>,
    ) -> Result<SearchResult<G::Move>, SearchError> {
        if depth == 0 {
            return Err(SearchError::NoDepth);
        }
        let moves = self.root_moves(root)?;
        let counts = Counts {
            expanded: 1,
            evaluated: 0,
        };
        self.search_root(root, &moves, None, depth, counts, stop)
    }

    /// Iterative deepening: searches 1, 2, 3, ... up to `max_depth` plies, and calls `report` after
    /// each depth.
    ///
    /// Stops early when `stop` returns true, or when a win or a loss has been found within the depth,
    /// which a deeper search cannot change. The result is that of the last completed depth, with the node
    /// counts of all; before the first, it is the most plausible move.
    ///
    /// # Errors
    /// [`SearchError::Ended`] if the root has no legal move, [`SearchError::NoDepth`] if `max_depth` is 0.
    pub fn deepen(
        &mut self,
        root: &G::Position,
        max_depth: u32,
        stop: Stop<'_>,
        report: &mut dyn FnMut(&SearchResult<G::Move>),
    ) -> Result<SearchResult<G::Move>, SearchError> {
        let mut lines =
            self.deepen_lines(root, 1, max_depth, stop, &mut |lines| report(&lines[0]))?;
        Ok(lines.swap_remove(0))
    }

    /// Searches as [`AlphaBeta::deepen`] does, for the `n_lines` best moves of the root instead of the
    /// best: the result, and the argument of `report`, are the lines that begin with them, the best
    /// first. There are fewer if there are fewer moves, and only one before the first depth.
    ///
    /// Looks deeper until each of the lines is known to win or to lose.
    ///
    /// # Errors
    /// As those of [`AlphaBeta::deepen`].
    pub fn deepen_lines(
        &mut self,
        root: &G::Position,
        n_lines: usize,
        max_depth: u32,
        stop: Stop<'_>,
        report: Report<'_, G::Move>,
    ) -> Result<Vec<SearchResult<G::Move>>, SearchError> {
        if max_depth == 0 {
            return Err(SearchError::NoDepth);
        }
        let moves = self.root_moves(root)?;
        let mut spent = Counts {
            expanded: 1,
            evaluated: 1,
        };
        let mut found = vec![SearchResult {
            depth: 0,
            value: self.game.evaluate(root),
            line: vec![moves[0]],
            counts: spent,
        }];
        for depth in 1..=max_depth {
            let mut watch = |counts: Counts| {
                spent = counts;
                stop(counts)
            };
            let Ok(deeper) =
                self.search_lines(root, &moves, n_lines.max(1), &found, depth, &mut watch)
            else {
                found[0].counts = spent;
                break;
            };
            found = deeper;
            if self.completes {
                for line in &mut found {
                    self.complete(root, line);
                }
            }
            report(&found);
            let is_open =
                |line: &SearchResult<_>| matches!(Verdict::of(line.value), Verdict::Score(_));
            if !found.iter().any(is_open) {
                break;
            }
        }
        Ok(found)
    }

    /// The best `moves` of the root, each among those that no better one has taken; those of the
    /// depth `before` are searched first.
    fn search_lines(
        &mut self,
        root: &G::Position,
        moves: &[G::Move],
        n_lines: usize,
        before: &[SearchResult<G::Move>],
        depth: u32,
        stop: Stop<'_>,
    ) -> Result<Vec<SearchResult<G::Move>>, SearchError> {
        let mut rest = moves.to_vec();
        let mut counts = before[0].counts;
        let mut lines: Vec<SearchResult<G::Move>> = Vec::new();
        while lines.len() < n_lines && !rest.is_empty() {
            let first = before.get(lines.len()).map(|line| line.line[0]);
            let line = self.search_root(root, &rest, first, depth, counts, stop)?;
            counts = line.counts;
            rest.retain(|m| *m != line.line[0]);
            lines.push(line);
        }
        lines[0].counts = counts;
        Ok(lines)
    }

    /// Lengthens the line of a win or a loss to its end.
    fn complete(&mut self, root: &G::Position, found: &mut SearchResult<G::Move>) {
        let (Verdict::Wins(plies) | Verdict::Loses(plies)) = Verdict::of(found.value) else {
            return;
        };
        let mut work = Work {
            game: self.game,
            fanout: &self.fanout,
            table: self.table.as_mut(),
            depth: found.depth,
            counts: Counts::default(),
            stop: &mut |counts| counts.nodes() >= LINE_NODES,
        };
        let mut position = root.clone();
        let mut value = found.value;
        for m in &found.line {
            position = self.game.play(&position, *m);
            value = -value;
        }
        for ply in (1..=plies).skip(found.line.len()) {
            let mut moves = self.game.moves(&position);
            moves.truncate(self.fanout.at(ply - 1));
            let best = moves.into_iter().find_map(|m| {
                let next = self.game.play(&position, m);
                let window = ((-value).next_down(), (-value).next_up());
                let (reply, _) = work.value(&next, ply, window.0, window.1).ok()?;
                (reply.to_bits() == (-value).to_bits()).then_some((m, next))
            });
            let Some((m, next)) = best else {
                return;
            };
            found.line.push(m);
            (position, value) = (next, -value);
        }
    }

    fn root_moves(&self, root: &G::Position) -> Result<Vec<G::Move>, SearchError> {
        if self.game.end(root).is_some() {
            return Err(SearchError::Ended);
        }
        let mut moves = self.game.moves(root);
        moves.truncate(self.fanout.at(0));
        Ok(moves)
    }

    /// Searches the `moves` of the root, `first` before the others.
    fn search_root(
        &mut self,
        root: &G::Position,
        moves: &[G::Move],
        first: Option<G::Move>,
        depth: u32,
        counts: Counts,
        stop: Stop<'_>,
    ) -> Result<SearchResult<G::Move>, SearchError> {
        let mut work = Work {
            game: self.game,
            fanout: &self.fanout,
            table: self.table.as_mut(),
            depth,
            counts,
            stop,
        };
        let mut order: Vec<usize> = (0..moves.len()).collect();
        let first = first.and_then(|first| moves.iter().position(|&m| m == first));
        if let Some(first) = first {
            order[..=first].rotate_right(1);
        }
        let mut best = (f64::NEG_INFINITY, 0, Vec::new());
        for index in order {
            // A move before the best one in the order of plausibility takes its place when it is
            // just as good, so that the order of the search is not seen in its result.
            let is_preferred = index < best.1;
            let alpha = if is_preferred {
                best.0.next_down()
            } else {
                best.0
            };
            let next = self.game.play(root, moves[index]);
            let (reply, line) = work.value(&next, 1, f64::NEG_INFINITY, -alpha)?;
            if -reply > alpha || best.2.is_empty() {
                let mut whole = vec![moves[index]];
                whole.extend(line);
                best = (-reply, index, whole);
            }
        }
        Ok(SearchResult {
            depth,
            value: best.0,
            line: best.2,
            counts: work.counts,
        })
    }
}

/// One search under way.
struct Work<'a, 's, G: Game> {
    game: &'a G,
    fanout: &'s Fanout,
    table: Option<&'s mut TranspositionTable<G::Key, G::Move>>,
    depth: u32,
    counts: Counts,
    stop: Stop<'s>,
}

impl<G: Game> Work<'_, '_, G> {
    /// Value of a position `ply` plies from the root if it is between `alpha` and `beta`, else a
    /// bound on the same side of them; and the line that leads to it.
    fn value(
        &mut self,
        position: &G::Position,
        ply: u32,
        mut alpha: f64,
        beta: f64,
    ) -> Result<(f64, Vec<G::Move>), SearchError> {
        match self.game.end(position) {
            Some(End::Lost) => return Ok((lost_in(ply), Vec::new())),
            Some(End::Drawn) => return Ok((0.0, Vec::new())),
            None => {}
        }
        if (self.stop)(self.counts) {
            return Err(SearchError::Stopped);
        }
        if ply == self.depth {
            self.counts.evaluated += 1;
            return Ok((self.game.evaluate(position), Vec::new()));
        }
        let entry = Entry {
            key: self.game.key(position),
            remaining: self.depth - ply,
            level: if self.fanout.is_full() { 0 } else { ply },
        };
        let mut known_best = None;
        if let Some(table) = &self.table {
            if let Some(value) = table.value(entry, ply, alpha, beta) {
                return Ok((value, Vec::new()));
            }
            known_best = table.best(entry.key);
        }
        self.counts.expanded += 1;
        let mut moves = self.game.moves(position);
        moves.truncate(self.fanout.at(ply));
        if let Some(index) = moves.iter().position(|&m| Some(m) == known_best) {
            moves[..=index].rotate_right(1);
        }
        let floor = alpha;
        let mut best = (f64::NEG_INFINITY, moves[0], Vec::new());
        for m in moves {
            let next = self.game.play(position, m);
            let (reply, line) = self.value(&next, ply + 1, -beta, -alpha)?;
            if -reply > best.0 {
                best = (-reply, m, line);
                alpha = alpha.max(best.0);
                if alpha >= beta {
                    break;
                }
            }
        }
        let (value, m, rest) = best;
        if let Some(table) = &mut self.table {
            let bound = if value >= beta {
                Bound::AtLeast
            } else if value <= floor {
                Bound::AtMost
            } else {
                Bound::Exact
            };
            table.store(entry, ply, bound, value, m);
        }
        let mut line = vec![m];
        line.extend(rest);
        Ok((value, line))
    }
}
