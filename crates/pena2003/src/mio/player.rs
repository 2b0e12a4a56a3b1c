//! Rules at play, run as a logic program.

use kibitz_experiment::ChaCha8Rng;
use kibitz_ilp::learn::entailment::{Asker, NoMode, Rules, Situation};
use kibitz_ilp::{Atom, Clause, Limits, ProverError, Symbol, Task};
use kibitz_minesweeper::{Action, Knowledge, Move, Player, Rule, Tile};
use rand::seq::IndexedRandom as _;

use super::relations::Vocabulary;
use super::sampler::atom;

/// Clauses about safe tiles and about mines, in the order in which a player tries them.
#[derive(Debug)]
pub(crate) struct Theory<'v> {
    vocabulary: &'v Vocabulary,
    safe: Rules<'v>,
    mine: Rules<'v>,
}

impl<'v> Theory<'v> {
    /// Clauses of both targets; those about safe tiles come first.
    pub(crate) fn new(vocabulary: &'v Vocabulary, clauses: &[Clause]) -> Result<Self, NoMode> {
        let of = |task: &Task| -> Vec<Clause> {
            let own = clauses
                .iter()
                .filter(|clause| clause.head.predicate() == task.target);
            own.cloned().collect()
        };
        let rules =
            |task: &'v Task| Rules::new(&vocabulary.db, &task.bias, &of(task), Limits::default());
        Ok(Self {
            vocabulary,
            safe: rules(&vocabulary.safe)?,
            mine: rules(&vocabulary.mine)?,
        })
    }

    /// Someone who applies them.
    pub(crate) fn player(&self) -> TheoryPlayer<'_> {
        let vocabulary = self.vocabulary;
        let side = |rules: &'_ Rules<'v>, task: &Task| (rules.len(), task.target.name);
        TheoryPlayer {
            vocabulary,
            askers: [self.safe.asker(), self.mine.asker()],
            sides: [
                side(&self.safe, &vocabulary.safe),
                side(&self.mine, &vocabulary.mine),
            ],
            spare: Default::default(),
            error: None,
        }
    }
}

/// Plays by the first rule that applies to any tile, on one such tile at random, and guesses
/// uniformly where none does.
#[derive(Debug)]
pub(crate) struct TheoryPlayer<'t> {
    vocabulary: &'t Vocabulary,
    askers: [Asker<'t>; 2],
    /// How many rules there are about safe tiles and about mines, and the targets.
    sides: [(usize, Symbol); 2],
    /// Those of the last position, for their memory.
    spare: [Situation; 2],
    /// The first failure of the background; the player then makes no more moves.
    error: Option<ProverError>,
}

/// What rules say of the tiles of one position.
pub(crate) struct Position {
    situations: [Situation; 2],
    /// For each target, each blank tile with the atom that says it of the tile.
    atoms: [Vec<(Tile, Atom)>; 2],
}

impl TheoryPlayer<'_> {
    /// What went wrong.
    pub(crate) fn error(&mut self) -> Option<ProverError> {
        self.error.take()
    }

    /// How many rules there are, about safe tiles and about mines.
    pub(crate) fn n_rules(&self) -> [usize; 2] {
        [self.sides[0].0, self.sides[1].0]
    }

    /// A position to be asked about; those before it are forgotten.
    pub(crate) fn position(&mut self, knowledge: &Knowledge) -> Position {
        self.vocabulary.world.clear();
        let board = self.vocabulary.world.add(knowledge.clone());
        let atoms = self.sides.map(|(_, target)| {
            knowledge
                .covered()
                .map(|tile| (tile, atom(target, tile, board)))
                .collect()
        });
        let mut situations = std::mem::take(&mut self.spare);
        situations.iter_mut().for_each(Situation::clear);
        Position { situations, atoms }
    }

    /// The tiles to which a rule applies; `side` is 0 for rules about safe tiles and 1 for mines.
    pub(crate) fn tiles(
        &mut self,
        position: &mut Position,
        side: usize,
        rule: usize,
    ) -> Result<Vec<Tile>, ProverError> {
        let mut tiles = Vec::new();
        for (tile, atom) in &position.atoms[side] {
            if self.askers[side].covers(rule, &mut position.situations[side], atom)? {
                tiles.push(*tile);
            }
        }
        Ok(tiles)
    }

    /// The first rule that applies to any tile, by side and number, and its tiles.
    pub(crate) fn applicable(
        &mut self,
        knowledge: &Knowledge,
    ) -> Result<Option<(usize, usize, Vec<Tile>)>, ProverError> {
        let mut position = self.position(knowledge);
        let found = self.first_applicable(&mut position);
        self.spare = position.situations;
        found
    }

    fn first_applicable(
        &mut self,
        position: &mut Position,
    ) -> Result<Option<(usize, usize, Vec<Tile>)>, ProverError> {
        for side in [0, 1] {
            for rule in 0..self.sides[side].0 {
                let tiles = self.tiles(position, side, rule)?;
                if !tiles.is_empty() {
                    return Ok(Some((side, rule, tiles)));
                }
            }
        }
        Ok(None)
    }
}

impl Player for TheoryPlayer<'_> {
    fn choose(&mut self, knowledge: &Knowledge, rng: &mut ChaCha8Rng) -> Option<Move> {
        let found = match self.applicable(knowledge) {
            Ok(found) => found,
            Err(error) => {
                self.error = Some(error);
                return None;
            }
        };
        let (action, rule): (fn(Tile) -> Action, Rule) = match &found {
            Some((1, ..)) => (Action::Mark, Rule::Certain),
            Some(_) => (Action::Uncover, Rule::Certain),
            None => (Action::Uncover, Rule::Guess),
        };
        let tiles = found.map_or_else(|| knowledge.covered().collect(), |(_, _, tiles)| tiles);
        Some(Move {
            action: action(*tiles.choose(rng)?),
            rule,
            because: Vec::new(),
            risk: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use kibitz_ilp::{Proof, Prover};
    use kibitz_minesweeper::{RulePlayer, Series};

    use super::super::relations::TABLE_3;
    use super::*;

    const RULES: [[&[Rule]; 1]; 2] = [[&[Rule::S1, Rule::S2, Rule::S3]], [&[Rule::M1]]];

    /// The first rule of Table 3 that the native player applies, and its tiles in order.
    fn native(knowledge: &Knowledge) -> Option<(usize, usize, Vec<Tile>)> {
        let mut player = RulePlayer::default();
        for (side, [rules]) in RULES.iter().enumerate() {
            for (number, &rule) in rules.iter().enumerate() {
                let moves = player.applicable(rule, knowledge);
                let mut tiles: Vec<Tile> = (moves.iter())
                    .map(|next| match next.action {
                        Action::Uncover(tile) | Action::Mark(tile) | Action::Unmark(tile) => tile,
                    })
                    .collect();
                tiles.sort_unstable();
                if !tiles.is_empty() {
                    return Some((side, number, tiles));
                }
            }
        }
        None
    }

    #[test]
    fn table_3_as_a_logic_program_decides_like_native_code() {
        let vocabulary = Vocabulary::new().unwrap();
        let clauses = vocabulary.read(TABLE_3).unwrap();
        let theory = Theory::new(&vocabulary, &clauses).unwrap();
        let mut player = theory.player();
        assert_eq!(player.n_rules(), [3, 1]);
        let mut used = [0; 5];
        for (level, games) in [("8x8/10", 300), ("12x5/9", 40)] {
            let series = Series::new(&level.parse().unwrap(), [7; 32]);
            for number in 0..games {
                let mut logic = theory.player();
                let outcome = series.play(number, &mut logic, |knowledge, _| {
                    let found = player.applicable(knowledge).unwrap();
                    assert_eq!(found, native(knowledge), "{}", knowledge.to_text());
                    used[found.map_or(4, |(side, rule, _)| 3 * side + rule)] += 1;
                });
                assert!(outcome.is_ok() && logic.error().is_none());
            }
        }
        assert!(used.iter().all(|&times| times > 10), "{used:?}");
    }

    /// Clause by clause and goal by goal from left to right, without anything remembered.
    #[test]
    fn the_prover_says_the_same() {
        let vocabulary = Vocabulary::new().unwrap();
        let clauses = vocabulary.read(TABLE_3).unwrap();
        let theory = Theory::new(&vocabulary, &clauses).unwrap();
        let (mut logic, mut asked) = (theory.player(), theory.player());
        let mut prover = Prover::new(&vocabulary.db, Limits::default());
        let prepared = prover.prepare(&clauses).unwrap();
        prover.load(&prepared);
        let series = Series::new(&"8x8/10".parse().unwrap(), [8; 32]);
        for number in 0..12 {
            let mut n_moves = 0;
            let outcome = series.play(number, &mut logic, |knowledge, _| {
                n_moves += 1;
                // One position in three, with all four rules on all tiles.
                if n_moves % 3 != 0 {
                    return;
                }
                let mut position = asked.position(knowledge);
                for (side, rule, clause) in [(0, 0, 0), (0, 1, 1), (0, 2, 2), (1, 0, 3)] {
                    let tiles = asked.tiles(&mut position, side, rule).unwrap();
                    for (tile, atom) in &position.atoms[side] {
                        let proof = prover.covers(&prepared, clause, atom).unwrap();
                        assert!(!proof.is_cut_short());
                        assert_eq!(proof == Proof::Proved, tiles.contains(tile), "{clause}");
                    }
                }
            });
            assert!(outcome.is_ok());
        }
    }
}
