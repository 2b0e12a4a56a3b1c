//! Policy evaluation by backward induction: how many moves of a policy are wrong.

use kibitz_search::adjacency::Adjacency;
use kibitz_search::backward_induction::{Decide, Induction, Predecessors};

use super::graph::{MAX_MOVES, MoveGraph, number};
use crate::strategy::features::Moves;

/// The evaluation of a policy that allows some moves of every position, any of which may be made.
#[derive(Clone, Debug, Default)]
pub(super) struct Evaluation {
    /// Positions whose moves are corrected so that all are won, in the order of the induction.
    pub(super) corrections: Vec<Correction>,
    /// The moves of each position that win after all corrections, and need no more of them than the
    /// position does.
    pub(super) winning: Moves,
    /// Number of positions that are not won without corrections.
    pub(super) n_open: u32,
    /// The longest mate after all corrections, in moves of White.
    pub(super) longest: u16,
    /// Moves of White to the mate from the average position.
    pub(super) average: f64,
}

/// The cost of a policy.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// Number of corrections.
    pub(super) corrections: usize,
    /// The longest mate after them, in moves of White.
    pub(super) longest: u16,
    /// Moves of White to the mate from the average position.
    pub(super) average: f64,
}

impl Evaluation {
    pub(super) fn cost(&self) -> Cost {
        Cost {
            corrections: self.corrections.len(),
            longest: self.longest,
            average: self.average,
        }
    }

    /// An upper bound of the number of corrections of another policy: its positions in which some
    /// move is not known to win, or none is allowed.
    pub(super) fn bound(&self, policy: &[u64]) -> usize {
        let n_right: usize = policy
            .iter()
            .zip(&self.winning)
            .map(|(moves, winning)| usize::from(all_win(*moves, *winning)))
            .sum();
        policy.len() - n_right
    }

    /// Whether a policy allows a move in a position, and all that it allows are known to win.
    pub(super) fn is_right(&self, position: usize, policy: &[u64]) -> bool {
        all_win(policy[position], self.winning[position])
    }
}

/// Whether there are moves and all of them are winning ones.
pub(super) fn all_win(moves: u64, winning: u64) -> bool {
    moves != 0 && moves & !winning == 0
}

/// A position whose moves are replaced, and the winning move that replaces them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Correction {
    pub(super) position: usize,
    pub(super) bit: u32,
}

impl Correction {
    fn of_move(coded: u32) -> Correction {
        Correction {
            position: (coded / MAX_MOVES) as usize,
            bit: coded % MAX_MOVES,
        }
    }

    /// Whether the winning move is among these of all positions.
    pub(super) fn is_among(self, moves: &[u64]) -> bool {
        self.is_one_of(moves[self.position])
    }

    /// Whether the winning move is one of these of its position.
    pub(super) fn is_one_of(self, moves: u64) -> bool {
        moves >> self.bit & 1 == 1
    }
}

/// Later than any move is known to win.
const NEVER: u32 = u32::MAX;

/// When a move was known to win, ordered among the moves of a position that lead to one successor.
fn moment(time: u32, bit: u32) -> u32 {
    time.saturating_mul(MAX_MOVES).saturating_add(bit)
}

/// The edges of a policy and of all replies. Nodes with White to move come first.
struct PolicyEdges<'a> {
    /// The allowed moves, coded, that lead to each position with Black to move.
    moves: Adjacency,
    /// The positions with Black to move that lead to each position with White to move.
    repliers: &'a Adjacency,
}

impl Predecessors for PolicyEdges<'_> {
    fn predecessors(&self, node: u32) -> impl Iterator<Item = u32> {
        let node = node as usize;
        let edges = match node.checked_sub(self.repliers.n_nodes()) {
            Some(black) => self.moves.get(black),
            None => self.repliers.get(node),
        };
        edges.iter().copied()
    }
}

/// A position with White to move.
#[derive(Clone, Copy)]
struct WhiteNode {
    /// When it was known to be won: the [moment] of the last move allowed.
    settled: u32,
    /// Moves to the mate by the moves allowed that are known to win.
    depth: u16,
    /// Moves allowed that are not known to win.
    open_moves: u8,
}

impl WhiteNode {
    fn new(moves: u64) -> WhiteNode {
        WhiteNode {
            settled: NEVER,
            depth: 0,
            open_moves: u8::try_from(moves.count_ones()).expect("there are 64 bits"),
        }
    }

    fn is_settled(self) -> bool {
        self.settled != NEVER
    }
}

/// A position with Black to move.
#[derive(Clone, Copy)]
struct BlackNode {
    /// Moves to the mate by the replies that are known to lose.
    depth: u16,
    /// Replies that are not known to lose: the out-degree, counted down.
    open_replies: u8,
}

/// The state of an evaluation.
struct PolicyInduction<'a> {
    graph: &'a MoveGraph,
    policy: &'a [u64],
    white: Vec<WhiteNode>,
    black: Vec<BlackNode>,
    /// Positions with Black to move in which he is lost, in the order found: a time is a place among
    /// them.
    lost: Vec<u32>,
    /// Of each position the first of all its moves that was known to win, in the order found, and
    /// the moves to the mate by it, 0 where none is known. The first `n_scanned` of `lost` are
    /// accounted for.
    first_wins: Vec<u32>,
    first_depths: Vec<u16>,
    n_scanned: usize,
    corrections: Vec<Correction>,
    /// Number of positions that are sure to be corrected later.
    n_spoiled: usize,
    /// Number of positions that can be won and are not settled.
    n_left: usize,
    n_open: u32,
    longest: u16,
    /// Moves to the mate from all positions; by perfect play from those that are not settled.
    sum: u64,
}

/// The value of a solved position, as propagated to its predecessors.
#[derive(Clone, Copy)]
enum SolvedValue {
    /// Black to move is lost: moves to the mate by the move that leads there, and the time.
    Lost { depth: u16, time: u32 },
    /// White to move wins: moves to the mate.
    Won { depth: u16 },
}

impl Decide for PolicyInduction<'_> {
    type Value = SolvedValue;

    fn value(&mut self, node: u32) -> SolvedValue {
        let node = node as usize;
        let Some(black) = node.checked_sub(self.white.len()) else {
            let depth = self.white[node].depth;
            return SolvedValue::Won { depth };
        };
        let time = number(self.lost.len());
        self.lost.push(number(black));
        // Before a correction everything is found in the order of the moves to the mate, so that the
        // first winning move is not the longest.
        if !self.corrections.is_empty() {
            self.scan();
        }
        let depth = self.black[black].depth + 1;
        SolvedValue::Lost { depth, time }
    }

    fn arrive(&mut self, edge: u32, value: SolvedValue) -> Option<u32> {
        match value {
            SolvedValue::Lost { depth, time } => {
                let Correction { position, bit } = Correction::of_move(edge);
                let own = &mut self.white[position];
                if own.is_settled() {
                    return None;
                }
                own.depth = own.depth.max(depth);
                own.open_moves -= 1;
                (own.open_moves == 0).then(|| {
                    self.settle(position, moment(time, bit));
                    edge / MAX_MOVES
                })
            }
            SolvedValue::Won { depth } => {
                let own = &mut self.black[edge as usize];
                own.depth = own.depth.max(depth);
                own.open_replies -= 1;
                (own.open_replies == 0).then(|| self.black_node(edge))
            }
        }
    }
}

impl<'a> PolicyInduction<'a> {
    fn new(graph: &'a MoveGraph, policy: &'a [u64], n_spoiled: usize) -> Self {
        let black = |open_replies: &u8| BlackNode {
            depth: 0,
            open_replies: *open_replies,
        };
        PolicyInduction {
            graph,
            policy,
            white: policy.iter().map(|moves| WhiteNode::new(*moves)).collect(),
            black: graph.out_degrees.iter().map(black).collect(),
            lost: Vec::with_capacity(graph.out_degrees.len()),
            first_wins: Vec::with_capacity(policy.len()),
            first_depths: vec![0; policy.len()],
            n_scanned: 0,
            corrections: Vec::new(),
            n_spoiled,
            n_left: graph.depths.iter().filter(|depth| **depth != 0).count(),
            n_open: graph.n_positions,
            longest: graph.longest,
            sum: graph.sum_of_depths,
        }
    }

    /// The node of a position with Black to move.
    fn black_node(&self, black: u32) -> u32 {
        number(self.white.len()) + black
    }

    /// A lower bound of the cost, with this many corrections to come.
    fn cost(&self, n_to_come: usize) -> Cost {
        let n_corrections = self.corrections.len() + n_to_come;
        self.graph.cost(n_corrections, self.longest, self.sum)
    }

    /// Notes the moves that were first known to win up to now.
    fn scan(&mut self) {
        for black in &self.lost[self.n_scanned..] {
            let depth = self.black[*black as usize].depth + 1;
            for coded in self.graph.moves.get(*black as usize) {
                let first = &mut self.first_depths[(coded / MAX_MOVES) as usize];
                if *first == 0 {
                    *first = depth;
                    self.first_wins.push(*coded);
                }
            }
        }
        self.n_scanned = self.lost.len();
    }

    /// The first position with a winning move that is neither solved nor to be skipped; those before
    /// it are counted as skipped.
    fn next_open(
        &self,
        n_passed: &mut usize,
        passes: impl Fn(usize) -> bool,
    ) -> Option<Correction> {
        let is_passed = |coded: &&u32| {
            let position = Correction::of_move(**coded).position;
            self.white[position].is_settled() || passes(position)
        };
        let left = self.first_wins[*n_passed..].iter();
        *n_passed += left.take_while(is_passed).count();
        let coded = self.first_wins.get(*n_passed)?;
        Some(Correction::of_move(*coded))
    }

    fn correct(&mut self, correction: Correction) {
        let is_spoiled = self.graph.is_spoiled(correction.position, self.policy);
        self.n_spoiled -= usize::from(is_spoiled);
        self.corrections.push(correction);
        let now = moment(number(self.lost.len()), 0) - 1;
        self.settle(correction.position, now);
    }

    fn settle(&mut self, position: usize, moment: u32) {
        let own = &mut self.white[position];
        own.settled = moment;
        self.n_left -= 1;
        // The first move that was known to win counts too.
        own.depth = own.depth.max(self.first_depths[position]);
        let weight = self.graph.weights[position];
        if self.corrections.is_empty() {
            self.n_open -= weight;
        }
        self.longest = self.longest.max(own.depth);
        let excess = own.depth - self.graph.depths[position];
        self.sum += u64::from(weight) * u64::from(excess);
    }

    /// The moves of each position that were known to win when it was settled.
    fn winning(&self) -> Moves {
        let mut times = vec![NEVER; self.black.len()];
        for (time, black) in (0..).zip(&self.lost) {
            times[*black as usize] = time;
        }
        let nodes = self.white.iter().zip(self.graph.successors.iter());
        let winning = nodes.map(|(node, successors)| {
            successors.iter().zip(0..).fold(0, |winning, (black, bit)| {
                let moment = moment(times[*black as usize], bit);
                winning | u64::from(moment <= node.settled && moment != NEVER) << bit
            })
        });
        winning.collect()
    }
}

/// Nodes after which costs are looked at again.
const CHECKED: usize = 64;

impl MoveGraph {
    /// Evaluates a policy under the worst choice among its moves; `None` if it costs more than is allowed.
    /// `is_allowed` is called with increasing lower bounds of the cost.
    ///
    /// Whenever Black can keep off the mate everywhere, the moves of one position are corrected: of
    /// those in which some move wins, the one nearest to the mates. So a policy is known to be near
    /// to one that wins long before it wins anything. With the evaluation of another policy,
    /// positions that are right by that come last, so that there are no more corrections than it
    /// [bounds](Evaluation::bound).
    pub(super) fn evaluate(
        &self,
        policy: &[u64],
        known: Option<&Evaluation>,
        is_allowed: &dyn Fn(Cost) -> bool,
    ) -> Option<Evaluation> {
        let spoiled = (0..policy.len()).filter(|at| self.is_spoiled(*at, policy));
        let n_spoiled = spoiled.count();
        is_allowed(self.cost(n_spoiled, self.longest, self.sum_of_depths)).then_some(())?;
        let mut state = PolicyInduction::new(self, policy, n_spoiled);
        let edges = self.edges(policy);
        let mut induction = Induction::default();
        for mate in &self.mates {
            induction.settle(state.black_node(*mate));
        }
        let is_right = |position| known.is_some_and(|known| known.is_right(position, policy));
        // How many positions with a winning move are skipped: those that are right by the known
        // evaluation together with the settled ones, then the settled ones alone.
        let mut n_passed = [0; 2];
        loop {
            while induction.advance(&edges, &mut state) {
                if induction.n_spread().is_multiple_of(CHECKED) {
                    is_allowed(state.cost(state.n_spoiled)).then_some(())?;
                }
            }
            if state.n_left == 0 {
                break;
            }
            is_allowed(state.cost(state.n_spoiled.max(1))).then_some(())?;
            state.scan();
            let first = state.next_open(&mut n_passed[0], is_right);
            let first = first.or_else(|| state.next_open(&mut n_passed[1], |_| false));
            let correction = first.expect("a position that can be won has a winning move");
            state.correct(correction);
            induction.settle(number(correction.position));
        }
        let cost = state.cost(0);
        is_allowed(cost).then(|| Evaluation {
            winning: state.winning(),
            average: cost.average,
            corrections: state.corrections,
            n_open: state.n_open,
            longest: state.longest,
        })
    }

    fn cost(&self, corrections: usize, longest: u16, sum: u64) -> Cost {
        Cost {
            corrections,
            longest,
            average: sum as f64 / f64::from(self.n_positions),
        }
    }

    fn edges(&self, policy: &[u64]) -> PolicyEdges<'_> {
        let edges = || {
            (0..).zip(policy).flat_map(|(position, moves)| {
                let successors = self.successors.get(position as usize);
                Bits(*moves).map(move |bit| (successors[bit as usize], position * MAX_MOVES + bit))
            })
        };
        PolicyEdges {
            moves: Adjacency::from_edges(self.out_degrees.len(), edges),
            repliers: &self.repliers,
        }
    }
}

/// The places of the bits of a number that are set, ascending.
pub(super) struct Bits(pub(super) u64);

impl Iterator for Bits {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        (self.0 != 0).then(|| {
            let bit = self.0.trailing_zeros();
            self.0 &= self.0 - 1;
            bit
        })
    }
}
