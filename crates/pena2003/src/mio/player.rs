//! Rules at play, run as a logic program.

use indexmap::IndexMap;
use kibitz_experiment::ChaCha8Rng;
use kibitz_ilp::equivalent;
use kibitz_ilp::learn::bottom_clause::{AnswerCache, NoMode, RuleEvaluator, Rules};
use kibitz_minesweeper::{Action, Knowledge, Move, Player, Rule, Tile};
use kibitz_prolog::{Clause, Constant, Limits, ProverError};
use rand::seq::IndexedRandom as _;
use rustc_hash::FxBuildHasher;

use super::compiled_rule::CompiledRule;
use super::observation::Observer;
use super::relations::Vocabulary;
use super::sampler::atom;

/// Maximum number of positions kept in the world.
const MAX_BOARDS: usize = 100;
/// Maximum number of observations with remembered verdicts.
const MAX_OBSERVATIONS: usize = 100_000;

/// Theories: clauses about safe tiles and about mines, in the order in which a player tries them.
#[derive(Debug)]
pub(crate) struct Theories<'v> {
    vocabulary: &'v Vocabulary,
    /// The different clauses of all theories, about safe tiles and about mines.
    rules: [Rules<'v>; 2],
    /// Those of them that depend on a local observation alone.
    compiled: [Vec<Option<CompiledRule>>; 2],
    /// For each theory, which are its own.
    own: Vec<[Vec<usize>; 2]>,
}

impl<'v> Theories<'v> {
    /// Each theory by its clauses; those about safe tiles come first.
    pub(crate) fn new(vocabulary: &'v Vocabulary, theories: &[&[Clause]]) -> Result<Self, NoMode> {
        let tasks = [&vocabulary.safe, &vocabulary.mine];
        let mut different: [Vec<Clause>; 2] = Default::default();
        let own = theories.iter().map(|theory| {
            let mut own: [Vec<usize>; 2] = Default::default();
            for ((task, different), own) in tasks.iter().zip(&mut different).zip(&mut own) {
                let is_about = |clause: &&Clause| clause.head.predicate() == task.target;
                for clause in theory.iter().filter(is_about) {
                    let known = different.iter().position(|other| equivalent(other, clause));
                    own.push(known.unwrap_or(different.len()));
                    if known.is_none() {
                        different.push(clause.clone());
                    }
                }
            }
            own
        });
        let own = own.collect();
        let rules = |side: usize| {
            let (db, bias) = (&vocabulary.db, &tasks[side].bias);
            Rules::new(db, bias, &different[side], Limits::default())
        };
        let compile = |clause: &Clause| CompiledRule::new(vocabulary, clause);
        let compiled = different
            .each_ref()
            .map(|clauses| clauses.iter().map(compile).collect());
        Ok(Self {
            vocabulary,
            rules: [rules(0)?, rules(1)?],
            compiled,
            own,
        })
    }

    /// The number of theories.
    pub(crate) fn len(&self) -> usize {
        self.own.len()
    }

    /// The first theory that says the same, rule by rule.
    pub(crate) fn first_alike(&self, theory: usize) -> usize {
        let alike = self.own.iter().position(|own| *own == self.own[theory]);
        alike.unwrap_or(theory)
    }

    /// A player of the first of them.
    pub(crate) fn player(&self) -> TheoryPlayer<'_> {
        TheoryPlayer {
            theories: self,
            theory: 0,
            evaluators: self.rules.each_ref().map(Rules::evaluator),
            answers: Default::default(),
            generation: self.vocabulary.world.generation(),
            observer: Observer::default(),
            verdicts: IndexMap::default(),
            error: None,
        }
    }
}

/// Plays by the first rule that applies to any tile, on one such tile at random, and guesses
/// uniformly where none does.
#[derive(Debug)]
pub(crate) struct TheoryPlayer<'t> {
    theories: &'t Theories<'t>,
    /// The number of the theory played.
    theory: usize,
    evaluators: [RuleEvaluator<'t>; 2],
    /// Remembered answers about the positions in the world.
    answers: [AnswerCache; 2],
    /// Number of times that the world was cleared before these positions.
    generation: u64,
    observer: Observer,
    /// Verdicts of rules, by observation.
    verdicts: IndexMap<Box<[u32]>, Verdicts, FxBuildHasher>,
    /// The first failure of the background; the player then makes no more moves.
    error: Option<ProverError>,
}

/// Verdicts on a tile, a bit for each rule about safe tiles and about mines: those that were evaluated,
/// and those that apply.
#[derive(Clone, Copy, Debug, Default)]
struct Verdicts {
    evaluated: [u64; 2],
    applies: [u64; 2],
}

/// A position that rules are applied to.
#[derive(Debug)]
pub(crate) struct Position {
    board: Constant,
    /// Each blank tile, and the place of its observation.
    blanks: Vec<(Tile, usize)>,
}

impl TheoryPlayer<'_> {
    /// Plays by this theory from now on.
    pub(crate) fn take(&mut self, theory: usize) {
        self.theory = theory;
    }

    /// The first failure of the background, taken out.
    pub(crate) fn error(&mut self) -> Option<ProverError> {
        self.error.take()
    }

    /// Takes a position; earlier ones are forgotten.
    pub(crate) fn position(&mut self, knowledge: &Knowledge) -> Position {
        let world = &self.theories.vocabulary.world;
        if world.n_boards() >= MAX_BOARDS {
            world.clear();
        }
        let generation = world.generation();
        if std::mem::replace(&mut self.generation, generation) != generation {
            self.answers.iter_mut().for_each(AnswerCache::clear);
        }
        if self.verdicts.len() >= MAX_OBSERVATIONS {
            self.verdicts.clear();
        }
        self.observer.look(knowledge);
        let blanks = knowledge.covered().map(|tile| {
            let observation = self.observer.observe(knowledge, tile);
            let known = self.verdicts.get_index_of(observation);
            let place = known.unwrap_or_else(|| {
                let new = self
                    .verdicts
                    .insert_full(observation.into(), Verdicts::default());
                new.0
            });
            (tile, place)
        });
        Position {
            blanks: blanks.collect(),
            board: world.add(knowledge.clone()),
        }
    }

    /// The tiles to which a rule applies, by its number among the different ones; `side` is 0 for
    /// rules about safe tiles and 1 for mines.
    fn tiles(
        &mut self,
        position: &Position,
        side: usize,
        rule: usize,
    ) -> Result<Vec<Tile>, ProverError> {
        let Vocabulary { safe, mine, .. } = self.theories.vocabulary;
        let target = [safe, mine][side].target.name;
        let compiled = self.theories.compiled[side][rule].as_ref();
        // Of the first rules it is remembered what they verdicts.
        let bit = if rule < 64 { 1 << rule } else { 0 };
        let mut tiles = Vec::new();
        for &(tile, place) in &position.blanks {
            let Some(compiled) = compiled else {
                let atom = atom(target, tile, position.board);
                if self.evaluators[side].covers(rule, &mut self.answers[side], &atom)? {
                    tiles.push(tile);
                }
                continue;
            };
            let Some((observation, verdicts)) = self.verdicts.get_index_mut(place) else {
                continue;
            };
            if verdicts.evaluated[side] & bit == 0 {
                verdicts.evaluated[side] |= bit;
                if compiled.applies(observation) {
                    verdicts.applies[side] |= bit;
                    tiles.push(tile);
                }
            } else if verdicts.applies[side] & bit != 0 {
                tiles.push(tile);
            }
        }
        Ok(tiles)
    }

    /// For every rule of the theory on a side, in their order, the tiles to which it applies.
    pub(crate) fn by_rule(
        &mut self,
        position: &Position,
        side: usize,
    ) -> impl Iterator<Item = Result<Vec<Tile>, ProverError>> {
        let theories = self.theories;
        let rules = theories.own[self.theory][side].iter();
        rules.map(move |&rule| self.tiles(position, side, rule))
    }

    /// The first rule that applies to any tile, by side and number, and its tiles.
    pub(crate) fn applicable(
        &mut self,
        knowledge: &Knowledge,
    ) -> Result<Option<(usize, usize, Vec<Tile>)>, ProverError> {
        let position = self.position(knowledge);
        for side in [0, 1] {
            for (rule, tiles) in self.by_rule(&position, side).enumerate() {
                let tiles = tiles?;
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
    use kibitz_minesweeper::{RulePlayer, Series};
    use kibitz_prolog::{Proof, Prover};

    use super::super::relations::TABLE_3;
    use super::*;

    const RULES: [[&[Rule]; 1]; 2] = [[&[Rule::S1, Rule::S2, Rule::S3]], [&[Rule::M1]]];

    /// Rules that were learned beside them, the last about the whole board.
    const FURTHER: &str = "safe(A, B) :- zoneOfInterest(A, B, C), setHasXMines(_, B, C, E),
        setHasXMines(_, B, C, G), setHasXMines(_, B, C, I), diffSetHasXMines(E, I, J),
        diffSetHasXMines(J, G, K), inSet(A, K), minesInSet(K, 0).
    mine(A, B) :- zoneOfInterest(A, B, C), setHasXMines(_, B, C, E), setHasXMines(_, B, C, G),
        diffSetHasXMines(E, G, H), inSet(A, H), minesInSet(H, I), lengthSet(H, I).
    safe(A, B) :- zoneOfInterest(A, B, C), allMinesInFringe(B, D), setHasXMines(_, B, C, F),
        diffSetHasXMines(D, F, G), inSet(A, G), minesInSet(G, H), lengthSet(F, H).
    ";

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
        let theory = Theories::new(&vocabulary, &[&clauses]).unwrap();
        let mut player = theory.player();
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
        let clauses = vocabulary.read(&[TABLE_3, FURTHER].concat()).unwrap();
        let compiled = |clause: &Clause| CompiledRule::new(&vocabulary, clause).is_some();
        assert!(clauses[..6].iter().all(compiled) && !compiled(&clauses[6]));
        let theory = Theories::new(&vocabulary, &[&clauses]).unwrap();
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
                let position = asked.position(knowledge);
                let targets = [&vocabulary.safe, &vocabulary.mine].map(|task| task.target.name);
                for (side, numbers) in [(0, &[0, 1, 2, 4, 6][..]), (1, &[3, 5][..])] {
                    let found: Vec<_> = asked.by_rule(&position, side).collect();
                    for (&clause, tiles) in numbers.iter().zip(found) {
                        let tiles = tiles.unwrap();
                        for (tile, _) in &position.blanks {
                            let atom = atom(targets[side], *tile, position.board);
                            let proof = prover.covers(&prepared, clause, &atom).unwrap();
                            assert!(!proof.is_cut_short());
                            assert_eq!(proof == Proof::Proved, tiles.contains(tile), "{clause}");
                        }
                    }
                }
            });
            assert!(outcome.is_ok());
        }
    }
}
