//! Whether a strategy for the stronger side wins every position of a small endgame, whatever the
//! opponent replies.
//!
//! A strategy allows moves; which of several it makes is settled by a [`TieBreak`]. All positions
//! with White to move are looked at, and all replies.
//!
//! # Source
//! Morales 1992, section 7.3: "following every possible path of a starting position [...] checked
//! for loops, captures or stalemates". Here every position is settled once, from the ends backwards.
//!
//! # Examples
//! ```
//! use kibitz_board::{Chess, Position};
//! use kibitz_search::verification::{Choice, Scope, TieBreak, Verification};
//!
//! // Any move at all: with luck it mates, with none it never does.
//! let any = |position: &Chess| {
//!     let moves = position.legal_moves().into_iter().collect();
//!     Some(Choice { rule: 0, moves, preferred: Vec::new() })
//! };
//! let verification =
//!     Verification::new(&"KRvK".parse()?, Scope::UpToSymmetry, &any, &mut |_, _| {})?;
//! assert_eq!(verification.outcomes(TieBreak::Angelic).summary().longest, 16);
//! assert!(!verification.outcomes(TieBreak::Adversarial).summary().is_won());
//! # Ok::<(), kibitz_search::verification::Fault>(())
//! ```

mod line;
mod spread;

use kibitz_board::{Chess, Color, Endgame, Move, Position};

use crate::retrograde::{Tablebase, Value};
pub use line::Line;
use spread::{Distances, Lists, Needs};

/// What a strategy does in a position with White, the stronger side, to move.
pub trait Strategy {
    /// The moves that its first rule that applies allows; `None` if no rule applies.
    ///
    /// # Errors
    /// The strategy cannot decide it.
    fn choose(&self, position: &Chess) -> Result<Option<Choice>, Fault>;
}

/// Why a strategy cannot decide what to do.
pub type Fault = Box<dyn std::error::Error + Send + Sync>;

impl<F: Fn(&Chess) -> Option<Choice>> Strategy for F {
    fn choose(&self, position: &Chess) -> Result<Option<Choice>, Fault> {
        Ok(self(position))
    }
}

/// Moves that a rule allows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The rule, from 0.
    pub rule: usize,
    /// The moves, at least one.
    pub moves: Vec<Move>,
    /// For each preference that the strategy knows, the place in `moves` of the move it prefers.
    pub preferred: Vec<usize>,
}

/// Which of the allowed moves is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieBreak {
    /// The best one: an upper bound for any other way to choose.
    Angelic,
    /// The worst one: the strategy wins only if every allowed move does.
    Adversarial,
    /// The one that the strategy's preference of this number takes.
    Preferred(usize),
}

/// Which positions are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every position.
    All,
    /// One of those that are alike: right for a strategy that treats them alike, and for a tie-break
    /// other than by preference.
    UpToSymmetry,
}

/// What becomes of a position, against the opponent's best play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Mate in so many moves at the latest.
    Mates(u16),
    /// No mate can be counted on.
    Fails(Failure),
}

/// How a strategy fails. Of several ways the opponent takes the shortest that ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failure {
    /// A position is reached in which no rule allows a move.
    NoRule,
    /// A position is reached in which the opponent has no move, and is not in check.
    Stalemate,
    /// The material to win with is captured or given away.
    Loss,
    /// Nothing of this can be forced: moves are repeated.
    Loop,
}

impl Failure {
    /// All of them.
    pub const ALL: [Failure; 4] = [
        Failure::NoRule,
        Failure::Stalemate,
        Failure::Loss,
        Failure::Loop,
    ];
}

/// Counts of positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// All positions with White to move.
    pub positions: usize,
    /// Those that are won.
    pub won: usize,
    /// Those that fail, in the order of [`Failure::ALL`].
    pub failed: [usize; 4],
    /// Moves of the longest win.
    pub longest: u16,
}

impl Summary {
    /// Whether every position is won.
    pub fn is_won(&self) -> bool {
        self.won == self.positions
    }
}

/// Told how many positions of how many are done.
pub type Progress<'p> = &'p mut dyn FnMut(usize, usize);

/// The graph of a strategy's moves and all replies.
///
/// Its nodes are the positions with White to move, numbered in the order of their indices, and after
/// them those with Black to move that the strategy allows.
#[derive(Debug)]
pub struct Verification {
    endgame: Endgame,
    scope: Scope,
    conversions: Tablebase,
    /// Indices of the positions with White to move.
    indices: Vec<u32>,
    /// Nodes by index.
    nodes: Vec<u32>,
    /// The rule that applies in each position with White to move.
    rules: Vec<Option<u16>>,
    /// What each node leads to.
    next: Lists,
    before: Lists,
    preferred: Vec<Vec<u32>>,
    /// What there is to say of each node with Black to move.
    replies: Vec<Replies>,
}

/// How a position with Black to move ends at once, and what its replies lead out of the endgame to.
#[derive(Clone, Debug, Default)]
struct Replies {
    /// White wins in so many plies.
    won_in: Option<u16>,
    /// The game is not won any more.
    end: Option<Failure>,
    /// One reply takes the material.
    gives_up: bool,
    /// Plies of the wins that other replies lead to.
    conversions: Vec<u16>,
}

const NONE: u32 = u32::MAX;

impl Verification {
    /// Asks the strategy about every position.
    ///
    /// A move that leaves the endgame, by capture or promotion, is judged by perfect play from there.
    ///
    /// # Errors
    /// The strategy's own.
    ///
    /// # Panics
    /// If the strategy has more than 65,535 rules, or allows no move, or one that is illegal.
    pub fn new(
        endgame: &Endgame,
        scope: Scope,
        strategy: &impl Strategy,
        progress: Progress<'_>,
    ) -> Result<Verification, Fault> {
        let mut made = Verification {
            endgame: endgame.clone(),
            scope,
            conversions: Tablebase::new(endgame.conversions()),
            indices: Vec::new(),
            nodes: vec![NONE; endgame.n_indices()],
            rules: Vec::new(),
            next: Lists::default(),
            before: Lists::default(),
            preferred: Vec::new(),
            replies: Vec::new(),
        };
        // White's turn comes first.
        for index in 0..endgame.n_indices() / 2 {
            if made.position(index).is_some() {
                made.nodes[index] = number(made.indices.len());
                made.indices.push(number(index));
            }
        }
        let n_white = made.indices.len();
        let mut of_black = Lists::default();
        for node in 0..n_white {
            if node % 1024 == 0 {
                progress(node, n_white);
            }
            let position = made.start(node);
            let Some(choice) = strategy.choose(&position)? else {
                made.rules.push(None);
                made.next.push([]);
                for preferred in &mut made.preferred {
                    preferred.push(NONE);
                }
                continue;
            };
            assert!(!choice.moves.is_empty(), "a rule allows a move");
            let rule = u16::try_from(choice.rule).expect("there are few rules");
            made.rules.push(Some(rule));
            let after: Vec<u32> = (choice.moves.iter())
                .map(|m| made.after(&position, *m, &mut of_black))
                .collect();
            made.preferred
                .resize_with(choice.preferred.len(), || vec![NONE; node]);
            for (preferred, place) in made.preferred.iter_mut().zip(&choice.preferred) {
                preferred.push(after[*place]);
            }
            made.next.push(after);
        }
        progress(n_white, n_white);
        made.next.append(of_black);
        made.before = made.next.reversed();
        Ok(made)
    }

    fn position(&self, index: usize) -> Option<Chess> {
        match self.scope {
            Scope::All => self.endgame.placement(index),
            Scope::UpToSymmetry => self.endgame.position(index),
        }
    }

    fn index_of(&self, position: &Chess) -> Option<usize> {
        match self.scope {
            Scope::All => self.endgame.placement_index_of(position),
            Scope::UpToSymmetry => self.endgame.index_of(position),
        }
    }

    /// The position of a node with White to move.
    fn start(&self, node: usize) -> Chess {
        self.position(self.indices[node] as usize)
            .expect("the index was made from a position")
    }

    /// The node of a position of this endgame.
    fn node_of(&self, position: &Chess) -> Option<u32> {
        let node = self.nodes[self.index_of(position)?];
        (node != NONE).then_some(node)
    }

    /// Moves that the strategy allows in all positions together.
    pub fn n_allowed(&self) -> usize {
        let nodes = 0..self.n_white();
        nodes.map(|node| self.next.get(node).len()).sum()
    }

    fn n_white(&self) -> usize {
        self.indices.len()
    }

    /// The node after a move of White, which is made and followed by all replies if it is new.
    fn after(&mut self, position: &Chess, m: Move, of_black: &mut Lists) -> u32 {
        assert!(position.is_legal(m), "a strategy allows legal moves");
        let mut next = position.clone();
        next.play_unchecked(m);
        let node = number(self.n_white() + self.replies.len());
        let Some(index) = self.index_of(&next) else {
            self.replies.push(match self.conversions.value(&next) {
                Some(Value::Lost(plies)) => Replies {
                    won_in: Some(plies),
                    ..Replies::default()
                },
                _ => Replies {
                    end: Some(Failure::Loss),
                    ..Replies::default()
                },
            });
            of_black.push([]);
            return node;
        };
        if self.nodes[index] != NONE {
            return self.nodes[index];
        }
        self.nodes[index] = node;
        let mut replies = Replies::default();
        let mut leads_to = Vec::new();
        let moves = next.legal_moves();
        if moves.is_empty() && next.is_check() {
            replies.won_in = Some(0);
        } else if moves.is_empty() {
            replies.end = Some(Failure::Stalemate);
        }
        for m in moves {
            let mut then = next.clone();
            then.play_unchecked(m);
            match self.node_of(&then) {
                Some(node) => leads_to.push(node),
                None => match self.conversions.value(&then) {
                    Some(Value::Won(plies)) => replies.conversions.push(plies),
                    _ => replies.gives_up = true,
                },
            }
        }
        self.replies.push(replies);
        of_black.push(leads_to);
        node
    }

    /// The endgame.
    pub fn endgame(&self) -> &Endgame {
        &self.endgame
    }

    /// Positions in which no rule applies.
    pub fn n_without_rule(&self) -> usize {
        self.rules.iter().filter(|rule| rule.is_none()).count()
    }

    /// Every position with White to move, with the rule that applies.
    pub fn positions(&self) -> impl Iterator<Item = (Chess, Option<usize>)> {
        (0..self.n_white()).map(|node| (self.start(node), self.rules[node].map(usize::from)))
    }

    /// The rules alone, in the order of [`Verification::positions`].
    pub fn rules(&self) -> impl Iterator<Item = Option<usize>> {
        self.rules.iter().map(|rule| rule.map(usize::from))
    }

    /// What becomes of every position.
    pub fn outcomes(&self, tie_break: TieBreak) -> Outcomes<'_> {
        let preferred = match tie_break {
            TieBreak::Preferred(number) => Some(self.preferred[number].as_slice()),
            TieBreak::Angelic | TieBreak::Adversarial => None,
        };
        let leads = |node: usize, then: usize| {
            let only = preferred.and_then(|preferred| preferred.get(node));
            only.is_none_or(|only| *only as usize == then)
        };
        let black = |node: usize| self.black(node);
        let is_white = |node: usize| node < self.n_white();
        let wins = self.wins(tie_break == TieBreak::Adversarial, leads);
        let failures = Distances::new(
            &self.next,
            &self.before,
            |node, n_next| {
                if is_white(node) && tie_break == TieBreak::Angelic && n_next > 0 {
                    Needs::All(n_next)
                } else {
                    Needs::One
                }
            },
            (0..self.next.len()).filter_map(|node| {
                if is_white(node) {
                    let fails = self.rules[node].is_none();
                    return fails.then_some((node, 0, Failure::NoRule));
                }
                let lost = black(node).gives_up.then_some((node, 1, Failure::Loss));
                black(node).end.map(|end| (node, 0, end)).or(lost)
            }),
            leads,
        );
        Outcomes {
            verification: self,
            tie_break,
            wins,
            failures,
        }
    }
}

impl Verification {
    fn black(&self, node: usize) -> &Replies {
        &self.replies[node - self.n_white()]
    }

    /// Plies to the mate, by the best of the moves that lead on, or by all of them.
    fn wins(&self, by_all: bool, leads: impl Fn(usize, usize) -> bool) -> Distances {
        Distances::new(
            &self.next,
            &self.before,
            |node, n_next| match node < self.n_white() {
                true if by_all => Needs::All(n_next),
                true => Needs::One,
                false => {
                    let replies = self.black(node);
                    match n_next + replies.conversions.len() {
                        _ if replies.gives_up || replies.end.is_some() => Needs::Never,
                        0 => Needs::One,
                        all => Needs::All(all),
                    }
                }
            },
            (self.n_white()..self.next.len()).flat_map(|node| {
                let replies = self.black(node);
                let converted = replies.conversions.iter().map(|plies| plies + 1);
                let arrivals = replies.won_in.into_iter().chain(converted);
                arrivals.map(move |plies| (node, plies, Failure::Loop))
            }),
            leads,
        )
    }

    /// The moves of the longest win if only some of the allowed moves are left, by the best of these;
    /// `None` if some position is not won then.
    ///
    /// `kept` has for each position, by its place in [`positions`](Self::positions), the moves as bits
    /// by their places in [`Choice::moves`], of which there are 64 at most. So one verification of a
    /// strategy that allows every move judges many that allow fewer.
    pub fn longest_win_among(&self, kept: &[u64]) -> Option<u16> {
        kept.iter().all(|moves| *moves != 0).then_some(())?;
        let leads = |node: usize, then: usize| {
            let Some(mut left) = kept.get(node).copied() else {
                return true;
            };
            let next = self.next.get(node);
            while left != 0 {
                if next[left.trailing_zeros() as usize] as usize == then {
                    return true;
                }
                left &= left - 1;
            }
            false
        };
        let wins = self.wins(false, leads);
        let moves = |node| wins.get(node).map(|(plies, _)| plies.div_ceil(2));
        (0..self.n_white()).try_fold(0, |longest, node| Some(longest.max(moves(node)?)))
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("an endgame that fits has fewer positions")
}

/// What becomes of every position under a tie-break.
#[derive(Debug)]
pub struct Outcomes<'v> {
    verification: &'v Verification,
    tie_break: TieBreak,
    /// Plies to the mate.
    wins: Distances,
    /// Plies to a failure that can be forced.
    failures: Distances,
}

impl Outcomes<'_> {
    fn of_node(&self, node: usize) -> Outcome {
        match (self.wins.get(node), self.failures.get(node)) {
            (Some((plies, _)), _) => Outcome::Mates(plies.div_ceil(2)),
            (None, Some((_, failure))) => Outcome::Fails(failure),
            (None, None) => Outcome::Fails(Failure::Loop),
        }
    }

    /// The outcome of each position, in the order of [`Verification::positions`].
    pub fn iter(&self) -> impl Iterator<Item = Outcome> {
        (0..self.verification.n_white()).map(|node| self.of_node(node))
    }

    /// The outcome of a position with White to move; `None` if it is not of this endgame.
    pub fn of(&self, position: &Chess) -> Option<Outcome> {
        if position.turn() == Color::Black {
            return None;
        }
        let node = self.verification.node_of(position)?;
        Some(self.of_node(node as usize))
    }

    /// Counts.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for outcome in self.iter() {
            summary.positions += 1;
            match outcome {
                Outcome::Mates(moves) => {
                    summary.won += 1;
                    summary.longest = summary.longest.max(moves);
                }
                Outcome::Fails(failure) => summary.failed[failure as usize] += 1,
            }
        }
        summary
    }
}

#[cfg(test)]
mod tests {
    use kibitz_board::Role;

    use super::*;

    fn krk() -> Endgame {
        "KRvK".parse().unwrap()
    }

    fn choice(moves: Vec<Move>) -> Option<Choice> {
        (!moves.is_empty()).then(|| Choice {
            rule: 0,
            preferred: vec![0, moves.len() - 1],
            moves,
        })
    }

    /// Every move.
    fn any(position: &Chess) -> Option<Choice> {
        choice(position.legal_moves().into_iter().collect())
    }

    /// Some moves, the same for the same position; none in a few positions.
    fn some(position: &Chess) -> Option<Choice> {
        let board = position.board();
        let place = |m: &Move| usize::from(m.to()) * 7 + board.occupied().0.count_zeros() as usize;
        let moves = position.legal_moves().into_iter();
        choice(
            moves
                .filter(|m| (place(m) + usize::from(m.from().unwrap())) % 5 > 2)
                .collect(),
        )
    }

    fn verify(scope: Scope, strategy: impl Fn(&Chess) -> Option<Choice>) -> Verification {
        Verification::new(&krk(), scope, &strategy, &mut |_, _| {}).unwrap()
    }

    #[test]
    fn the_best_of_all_moves_is_perfect_play() {
        let tables = Tablebase::new([krk()]);
        let verification = verify(Scope::All, any);
        let outcomes = verification.outcomes(TieBreak::Angelic);
        for ((position, _), outcome) in verification.positions().zip(outcomes.iter()) {
            let expected = match tables.value(&position).unwrap() {
                Value::Won(plies) => Outcome::Mates(plies.div_ceil(2)),
                value => panic!("{position:?} is {value:?}"),
            };
            assert_eq!(outcome, expected, "{position:?}");
        }
        let summary = outcomes.summary();
        assert_eq!(
            (summary.positions, summary.won, summary.longest),
            (175_168, 175_168, 16)
        );
        let longest = outcomes.longest_win().unwrap();
        assert_eq!(longest.moves.len(), 31);
        assert!(longest.positions()[31].is_checkmate());
    }

    #[test]
    fn promotions_are_judged_by_what_they_lead_to() {
        let endgame: Endgame = "KPvK".parse().unwrap();
        let tables = Tablebase::new([endgame.clone()]);
        let made = Verification::new(&endgame, Scope::UpToSymmetry, &any, &mut |_, _| {}).unwrap();
        let outcomes = made.outcomes(TieBreak::Angelic);
        for (position, _) in made.positions() {
            let won = match tables.value(&position).unwrap() {
                Value::Won(plies) => Some(Outcome::Mates(plies.div_ceil(2))),
                _ => None,
            };
            let found = outcomes.of(&position);
            assert_eq!(
                found.filter(|own| matches!(own, Outcome::Mates(_))),
                won,
                "{position:?}"
            );
        }
    }

    /// Each outcome follows from those one move on, and the moves to a mate get fewer.
    fn check_definition(verification: &Verification, tie_break: TieBreak) {
        let outcomes = verification.outcomes(tie_break);
        for (position, _) in verification.positions() {
            let allowed = some(&position);
            let picked: Vec<Move> = match (&allowed, tie_break) {
                (None, _) => Vec::new(),
                (Some(own), TieBreak::Preferred(number)) => vec![own.moves[own.preferred[number]]],
                (Some(own), _) => own.moves.clone(),
            };
            // Moves to the mate after each; `None` if it is not forced.
            let after = picked.iter().map(|m| {
                let mut next = position.clone();
                next.play_unchecked(*m);
                if next.legal_moves().is_empty() {
                    return next.is_check().then_some(0);
                }
                let replies = next.legal_moves().into_iter().map(|m| {
                    let mut then = next.clone();
                    then.play_unchecked(m);
                    match outcomes.of(&then) {
                        Some(Outcome::Mates(moves)) => Some(moves),
                        _ => None,
                    }
                });
                replies.collect::<Option<Vec<u16>>>()?.into_iter().max()
            });
            let after: Vec<Option<u16>> = after.collect();
            let expected = match tie_break {
                TieBreak::Adversarial => after
                    .into_iter()
                    .collect::<Option<Vec<u16>>>()
                    .and_then(|all| all.into_iter().max()),
                _ => after.into_iter().flatten().min(),
            };
            let outcome = outcomes.of(&position).unwrap();
            let found = match outcome {
                Outcome::Mates(moves) => Some(moves - 1),
                Outcome::Fails(_) => None,
            };
            assert_eq!(found, expected, "{position:?}");
            assert!(allowed.is_some() || outcome == Outcome::Fails(Failure::NoRule));
        }
    }

    #[test]
    fn outcomes_follow_from_each_other() {
        let verification = verify(Scope::All, some);
        for tie_break in [
            TieBreak::Angelic,
            TieBreak::Adversarial,
            TieBreak::Preferred(0),
            TieBreak::Preferred(1),
        ] {
            check_definition(&verification, tie_break);
        }
    }

    #[test]
    fn fewer_moves_of_all_are_a_strategy_of_their_own() {
        let all = verify(Scope::UpToSymmetry, any);
        let positions: Vec<Chess> = all.positions().map(|(position, _)| position).collect();
        let longest = |kept: &dyn Fn(Move) -> bool| {
            let bits = |position: &Chess| {
                let moves = position.legal_moves().into_iter().zip(0..);
                moves.fold(0, |bits, (m, place)| bits | u64::from(kept(m)) << place)
            };
            let found = all.longest_win_among(&positions.iter().map(bits).collect::<Vec<_>>());
            let some = |position: &Chess| {
                let moves = position.legal_moves().into_iter();
                choice(moves.filter(|m| kept(*m)).collect())
            };
            let summary = verify(Scope::UpToSymmetry, some)
                .outcomes(TieBreak::Angelic)
                .summary();
            assert_eq!(found, summary.is_won().then_some(summary.longest));
            found
        };
        assert_eq!(longest(&|_| true), Some(16));
        // A rook that steps beside itself has others; one that never moves mates nobody.
        let is_step = |m: Move| m.from().is_some_and(|from| from.distance(m.to()) == 1);
        let slower = longest(&|m| m.role() == Role::King || !is_step(m)).unwrap();
        assert!(slower >= 16, "{slower}");
        assert_eq!(longest(&|m| m.role() == Role::King), None);
    }

    #[test]
    fn symmetry_changes_no_outcome() {
        let all = verify(Scope::All, any);
        let few = verify(Scope::UpToSymmetry, any);
        let outcomes = all.outcomes(TieBreak::Adversarial);
        for ((position, _), outcome) in few
            .positions()
            .zip(few.outcomes(TieBreak::Adversarial).iter())
        {
            assert_eq!(outcomes.of(&position), Some(outcome));
        }
    }

    #[test]
    fn lines_show_what_they_are_for() {
        let verification = verify(Scope::All, some);
        for tie_break in [
            TieBreak::Angelic,
            TieBreak::Adversarial,
            TieBreak::Preferred(0),
        ] {
            let outcomes = verification.outcomes(tie_break);
            let summary = outcomes.summary();
            for failure in Failure::ALL {
                let line = outcomes.counterexample(failure);
                assert_eq!(
                    line.is_some(),
                    summary.failed[failure as usize] > 0,
                    "{failure:?}"
                );
                let Some(line) = line else {
                    continue;
                };
                let positions = line.positions();
                for (position, m) in positions.iter().zip(&line.moves).step_by(2) {
                    assert!(some(position).unwrap().moves.contains(m));
                }
                let last = &positions[positions.len() - 1];
                match failure {
                    Failure::NoRule => assert!(some(last).is_none()),
                    Failure::Stalemate => assert!(last.is_stalemate()),
                    Failure::Loss => assert_eq!(last.board().occupied().count(), 2),
                    Failure::Loop => {
                        assert_eq!(last.board(), line.start.board());
                        assert!(line.moves.len() >= 4 && line.moves.len().is_multiple_of(2));
                    }
                }
            }
        }
        let adversarial = verification.outcomes(TieBreak::Adversarial).summary();
        assert!(
            adversarial
                .failed
                .iter()
                .filter(|count| **count > 0)
                .count()
                >= 2,
            "{adversarial:?}"
        );
    }
}
