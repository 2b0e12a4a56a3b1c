//! Unstoppable pawns, which promote without their king: the patterns of Morales 1992, appendix F, and
//! the solution by exhaustive search.

use kibitz_board::{Chess, Color, Endgame, Move, Position, Role, Square};
use kibitz_prolog::{
    Atom, Clause, Constant, Database, Limits, Literal, Prover, ProverError, Symbol, SymbolTable,
    Term, Var, read_clauses,
};

use crate::ConceptError;

/// The printed patterns as Prolog text.
pub const PRINTED: &str = include_str!("../strategies/kpk-can-run.pl");

/// Clauses that correct the printed patterns in every position.
pub const REPAIRED: &str = include_str!("../strategies/kpk-can-run-repaired.pl");

/// Patterns prepared for queries.
#[derive(Debug)]
pub struct Patterns {
    db: Database,
    can_run: Symbol,
}

impl Patterns {
    /// Reads patterns that define `can_run/7`, such as [`PRINTED`].
    ///
    /// # Errors
    /// [`ConceptError::Targets`] or [`ConceptError::Prover`].
    pub fn read(text: &str) -> Result<Patterns, ConceptError> {
        Patterns::read_changed(text, "")
    }

    /// Reads patterns with changes, such as [`PRINTED`] with [`REPAIRED`]: a clause of `changes` replaces
    /// those with the same predicate and pattern number.
    ///
    /// # Errors
    /// [`ConceptError::Targets`] or [`ConceptError::Prover`].
    pub fn read_changed(text: &str, changes: &str) -> Result<Patterns, ConceptError> {
        let mut symbols = SymbolTable::new();
        let mut clauses = read_clauses(text, &mut symbols)?;
        let changes = read_clauses(changes, &mut symbols)?;
        let replaces = |new: &Clause, old: &Clause| {
            new.head.name == old.head.name && new.head.args.first() == old.head.args.first()
        };
        clauses.retain(|old| !changes.iter().any(|new| replaces(new, old)));
        clauses.extend(changes);
        Ok(Patterns {
            db: Database::builder().clauses(&clauses).build(&mut symbols)?,
            can_run: symbols.intern("can_run"),
        })
    }

    /// The number, counted from 1, of the first pattern that covers a position with White to move;
    /// `None` if no pattern does, or without a white pawn and both kings.
    ///
    /// # Errors
    /// The prover's own.
    pub fn first(&self, position: &Chess) -> Result<Option<u8>, ProverError> {
        let board = position.board();
        let pawn = board.by_piece(Role::Pawn.of(Color::White)).first();
        let kings = [Color::White, Color::Black].map(|color| board.king_of(color));
        let ([Some(king), Some(oking)], Some(pawn)) = (kings, pawn) else {
            return Ok(None);
        };
        let places = [king, pawn, oking]
            .into_iter()
            .flat_map(crate::chess_constants::coordinates);
        let args = [Term::Var(Var(0))]
            .into_iter()
            .chain(places.map(Term::Const));
        let goal = Literal::positive(Atom::new(self.can_run, args));
        let answers = Prover::new(&self.db, Limits::default()).solutions(&[goal], 1)?;
        Ok(answers
            .bindings
            .first()
            .and_then(|answer| match answer.first() {
                Some(Term::Const(Constant::Int(number))) => u8::try_from(*number).ok(),
                _ => None,
            }))
    }
}

/// Which white pawns promote against every reply when White moves nothing else, by exhaustive search
/// with a memo.
///
/// A pawn may make a double step. It fails if it is blocked, if it is captured, also on the last rank,
/// or if a step before that stalemates Black. The thesis does not specify this; of the definitions tried,
/// this one agrees best with the patterns.
#[derive(Debug)]
pub struct Runs {
    endgame: Endgame,
    /// Results by the index of the position.
    known: Vec<Option<bool>>,
}

impl Default for Runs {
    fn default() -> Self {
        let endgame: Endgame = "KPvK".parse().expect("an endgame");
        Self {
            known: vec![None; endgame.n_indices()],
            endgame,
        }
    }
}

impl Runs {
    /// Every position with White to move, up to reflection.
    pub fn positions(&self) -> impl Iterator<Item = Chess> {
        let positions = self.endgame.positions().map(|(_, position)| position);
        positions.filter(|position| position.turn() == Color::White)
    }

    /// Whether the pawn promotes; false without a pawn.
    pub fn promotes(&mut self, position: &Chess) -> bool {
        let Some(index) = self.endgame.index_of(position) else {
            return false;
        };
        if let Some(known) = self.known[index] {
            return known;
        }
        let steps = position.legal_moves().into_iter();
        let runs = steps
            .filter(|m| {
                m.role() == Role::Pawn && m.promotion().is_none_or(|role| role == Role::Queen)
            })
            .any(|m| self.step_succeeds(position, m));
        self.known[index] = Some(runs);
        runs
    }

    fn step_succeeds(&mut self, position: &Chess, m: Move) -> bool {
        let mut next = position.clone();
        next.play_unchecked(m);
        let takes = |reply: &Move, on: Square| reply.is_capture() && reply.to() == on;
        let replies = next.legal_moves();
        if m.is_promotion() {
            return !replies.iter().any(|reply| takes(reply, m.to()));
        }
        if replies.is_empty() {
            return next.is_check();
        }
        replies.iter().all(|reply| {
            let mut then = next.clone();
            then.play_unchecked(*reply);
            self.promotes(&then)
        })
    }
}

#[cfg(test)]
mod tests {
    use kibitz_board::{CastlingMode, fen::Fen};

    use super::*;

    fn position(fen: &str) -> Chess {
        let fen: Fen = fen.parse().unwrap();
        fen.into_position(CastlingMode::Standard).unwrap()
    }

    #[test]
    fn textbook_pawns_run_or_do_not() {
        let mut runs = Runs::default();
        let patterns = Patterns::read(PRINTED).unwrap();
        for (fen, expected) in [
            // Outside the square, and inside it.
            ("8/8/8/P6k/8/8/8/7K w - - 0 1", true),
            ("8/8/8/P2k4/8/8/8/7K w - - 0 1", false),
            // The king guards the queening square.
            ("1k6/8/1PK5/8/8/8/8/8 w - - 0 1", false),
            ("8/1K6/P6k/8/8/8/8/8 w - - 0 1", true),
            // Its own king is in the way.
            ("K7/P7/8/8/8/8/8/7k w - - 0 1", false),
            // A double step.
            ("8/8/8/6k1/8/8/P7/7K w - - 0 1", true),
        ] {
            let position = position(fen);
            assert_eq!(runs.promotes(&position), expected, "{fen}");
            assert_eq!(
                patterns.first(&position).unwrap().is_some(),
                expected,
                "{fen}"
            );
        }
    }

    #[test]
    fn the_repaired_patterns_are_right_in_every_position() {
        let mut runs = Runs::default();
        let patterns = Patterns::read_changed(PRINTED, REPAIRED).unwrap();
        let positions: Vec<Chess> = runs.positions().collect();
        assert_eq!(positions.len(), 81_664);
        for position in &positions {
            let runs = runs.promotes(position);
            assert_eq!(
                patterns.first(position).unwrap().is_some(),
                runs,
                "{position:?}"
            );
        }
    }

    #[test]
    fn the_patterns_are_right_on_more_than_99_percent() {
        let mut runs = Runs::default();
        let patterns = Patterns::read(PRINTED).unwrap();
        let positions: Vec<Chess> = runs.positions().step_by(7).collect();
        let agree = |position: &&Chess| {
            patterns.first(position).unwrap().is_some() == runs.promotes(position)
        };
        let n_agreed = positions.iter().filter(agree).count();
        assert!(n_agreed < positions.len());
        assert!(
            100 * n_agreed > 99 * positions.len(),
            "{n_agreed} of {}",
            positions.len()
        );
    }
}
