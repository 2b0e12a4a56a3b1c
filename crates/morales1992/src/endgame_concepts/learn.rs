//! One concept learned clause by clause.

use std::collections::BTreeMap;

use kibitz_board::{Chess, Endgame, Position as _};
use kibitz_experiment::{CellError, Context, Output, suggestion};
use kibitz_pal::{Interruptible, PalParams, PalResult, equivalent_relative_to};
use kibitz_patterns::strategy::BUILT_IN;
use kibitz_patterns::{
    Axis, Changes, Concept, ConceptError, ConfusionCounts, Places, Position, PreparedConcept,
    TeachingSetParams,
};
use kibitz_prolog::{Clause, Constant, SymbolTable, Term, read_clauses};
use serde::Deserialize;

use super::{EndgameConcepts, RowParams};
use crate::memo::Memo;
use crate::{clauses, concepts};

/// The declaration of a concept in the data.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Declaration {
    /// The pieces of its examples: capital letters are White's.
    men: String,
    /// Whether it involves a move.
    #[serde(default)]
    dynamic: bool,
    /// Background predicates by name.
    background: Vec<String>,
    /// Concepts learned before.
    #[serde(default)]
    concepts: Vec<String>,
    /// The axes in which each clause may be reflected.
    symmetries: Vec<Vec<Axis>>,
}

impl Declaration {
    fn read(name: &str, ctx: &Context<'_>) -> Result<Declaration, CellError> {
        let [_, file] = concepts::DATA;
        let file = ctx.data(file)?;
        let mut all: BTreeMap<String, Declaration> = toml::from_slice(&file.bytes()?)
            .map_err(|error| CellError::new(format!("data `{}`: {error}", file.entry())))?;
        all.remove(name).ok_or_else(|| {
            let near = suggestion(name, all.keys().map(String::as_str));
            let entry = file.entry();
            CellError::new(format!("data `{entry}` has no concept `{name}`; {near}"))
        })
    }

    /// The concept, with an example of its pieces on arbitrary squares.
    fn concept(
        &self,
        name: &str,
        places: Places,
        changes: Changes,
        symmetries: &[Axis],
    ) -> Result<Concept, CellError> {
        let mut contents = String::new();
        for man in self.men.chars() {
            contents += match man {
                'K' => "contents(white, king, square(1, 1)). ",
                'R' => "contents(white, rook, square(4, 2)). ",
                'P' => "contents(white, pawn, square(4, 2)). ",
                'k' => "contents(black, king, square(8, 8)). ",
                _ => {
                    return Err(CellError::new(format!(
                        "`{name}`: expected pieces K, R, P and k"
                    )));
                }
            };
        }
        Ok(Concept {
            name: name.to_owned(),
            dynamic: self.dynamic,
            examples: vec![contents],
            background: self.background.clone(),
            concepts: self.concepts.clone(),
            symmetries: symmetries.to_vec(),
            places,
            changes,
            ..Concept::default()
        })
    }
}

/// The definitions of the targets, as text.
struct Targets {
    /// The clauses of the concept.
    own: Vec<String>,
    /// The clauses of all others.
    others: String,
}

impl Targets {
    fn read(name: &str, ctx: &Context<'_>) -> Result<Targets, CellError> {
        let [targets, _] = concepts::DATA;
        let bytes = ctx.data(targets)?.bytes()?;
        let mut symbols = SymbolTable::new();
        let all = read_clauses(std::str::from_utf8(&bytes)?, &mut symbols)?;
        let (own, others): (Vec<Clause>, Vec<Clause>) =
            (all.into_iter()).partition(|clause| symbols.name(clause.head.name) == name);
        let text = |clause| clauses::print(&[clause], &symbols);
        Ok(Targets {
            own: own.into_iter().map(text).collect(),
            others: clauses::print(&others, &symbols),
        })
    }

    /// The definitions of the others with this definition of the concept.
    fn with(&self, definition: &str) -> String {
        format!("{} {definition}", self.others)
    }
}

/// Numbers of examples, summed over the clauses.
#[derive(Default)]
struct Counts {
    generated: [usize; 2],
    symmetric: [usize; 2],
    /// Those that the trained user adds to the initial ones; `None` after a clause without a teaching set.
    user: Option<usize>,
    found: usize,
}

impl EndgameConcepts {
    pub(super) fn learn(
        &self,
        row: &RowParams,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let name = row.concept.as_str();
        let changes = row.changes.unwrap_or(self.changes);
        let mut declaration = Declaration::read(name, ctx)?;
        if let Some(men) = &row.men {
            declaration.men.clone_from(men);
        }
        let targets = Targets::read(name, ctx)?;
        if declaration.symmetries.len() != targets.own.len() {
            let message = format!(
                "`{name}` needs symmetries for {} clauses",
                targets.own.len()
            );
            return Err(CellError::new(message));
        }
        let mut counts = Counts {
            user: self.user.map(|_| 0),
            ..Counts::default()
        };
        let mut definition = Vec::new();
        for (i, (target, symmetries)) in targets.own.iter().zip(&declaration.symmetries).enumerate()
        {
            ctx.check()?;
            ctx.progress("clauses", i, targets.own.len());
            let prepared = declaration
                .concept(name, self.places, changes, symmetries)?
                .prepare(&targets.with(target), true)?;
            let learned = self.learn_clause(i, &prepared, row, &mut counts, ctx)?;
            definition.push(clauses::print(&learned.clauses, prepared.symbols()));
        }
        let definition = definition.join(" ");
        output
            .set("clauses", targets.own.len())
            .set("generated", counts.generated.iter().sum::<usize>())
            .set("generated-pos", counts.generated[0])
            .set("generated-neg", counts.generated[1])
            .set("symmetry", counts.symmetric.iter().sum::<usize>())
            .set("symmetry-pos", counts.symmetric[0])
            .set("symmetry-neg", counts.symmetric[1])
            .set("found", counts.found);
        if let Some(user) = counts.user {
            output.set("manual-pos", user);
        }
        let comparison = self.compared(name, &declaration, &targets, &definition, ctx)?;
        output
            .set("positions", comparison.counts.n_positions)
            .set("positive", comparison.counts.n_positive)
            .set(
                "differ",
                comparison.counts.n_positions - comparison.counts.agreed(),
            );
        if let Some(first) = comparison.first {
            output.set("first-differing", first);
        }
        output.set("definition", definition);
        Ok(())
    }

    /// Compares a definition in every position, once for all replicates that learn it.
    fn compared(
        &self,
        name: &str,
        declaration: &Declaration,
        targets: &Targets,
        definition: &str,
        ctx: &Context<'_>,
    ) -> Result<Comparison, CellError> {
        let endgame = self.endgame.as_deref().unwrap_or("strategies");
        let data = concepts::DATA.map(|key| ctx.data(key).map(|data| data.entry().to_owned()));
        let places = self.places;
        let shared = format!("comparisons of {name} in {endgame}, {places:?}, by {data:?}");
        let known = ctx.shared(&shared, || Ok(Memo::<Comparison>::default()))?;
        if let Some(found) = known.get(definition) {
            return Ok(found);
        }
        // The learned definition as a target of its own.
        let as_target = |definition: &str| -> Result<PreparedConcept, CellError> {
            let concept = declaration.concept(name, self.places, self.changes, &[])?;
            Ok(concept.prepare(&targets.with(definition), true)?)
        };
        let learned = as_target(definition)?;
        let comparison = match &self.endgame {
            None => compare_with_strategies(name, &learned)?,
            Some(endgame) => {
                let printed = as_target(&targets.own.join(" "))?;
                let positions = positions(endgame, true)?;
                let positions = positions.map(|position| Position::from(position.board().clone()));
                compare(&learned, printed.labeled(printed.target(), positions)?)?
            }
        };
        known.insert(definition.to_owned(), comparison.clone());
        Ok(comparison)
    }

    /// Learns a clause of the target in all three ways.
    fn learn_clause(
        &self,
        number: usize,
        prepared: &PreparedConcept,
        row: &RowParams,
        counts: &mut Counts,
        ctx: &Context<'_>,
    ) -> Result<PalResult, CellError> {
        let target = of_white(prepared.target(), prepared);
        let seed = ctx.seed_u64(&format!("start {number}"));
        let start = match row.quiet {
            Some(n_drawn) => prepared.quiet_instance(&target, seed, n_drawn)?,
            None => prepared.random_instance(&target, seed)?,
        };
        let params = PalParams {
            max_level: self.max_level,
            foresight: self.foresight,
            success_sets: self.success_sets,
            max_clauses: 1,
            ..prepared.params()
        };
        let learn = |symmetries| -> Result<PalResult, CellError> {
            let mut oracle = prepared.oracle();
            let mut teacher = Interruptible {
                teacher: &mut oracle,
                condition: || !ctx.cancelled(),
            };
            let params = PalParams {
                symmetries,
                ..params
            };
            let given = std::slice::from_ref(&start);
            let learned = prepared.learn_starting_with(given, params, &mut teacher)?;
            // A search that ran out of time has no result.
            ctx.check()?;
            Ok(learned)
        };
        let symmetric = learn(true)?.n_examples();
        let learned = learn(false)?;
        let generated = learned.n_examples();
        for (sum, own) in [
            (&mut counts.generated, generated),
            (&mut counts.symmetric, symmetric),
        ] {
            *sum = [sum[0] + own.0, sum[1] + own.1];
        }
        if let (Some(user), Some(n)) = (self.user, counts.user) {
            let seed = ctx.seed_u64(&format!("user {number}"));
            let chosen =
                prepared.smallest_teaching_set(&start, TeachingSetParams { seed, ..user })?;
            counts.user = chosen.map(|own| n + own.len() - 1);
        }
        counts.found += usize::from(is_equivalent(&learned, prepared));
        Ok(learned)
    }
}

/// The clauses with White as the side of their first piece, the king of the winning side, unless a rook
/// distinguishes the sides.
fn of_white(clauses: &[Clause], prepared: &PreparedConcept) -> Vec<Clause> {
    let rook = prepared.symbols().get("rook");
    let white = prepared.symbols().get("white");
    let has_rook = |clause: &Clause| {
        let mut args = clause.head.args.iter();
        args.any(|arg| matches!(arg, Term::Const(Constant::Symbol(own)) if Some(*own) == rook))
    };
    let bound = |clause: &Clause| match (clause.head.args.first(), white) {
        (Some(Term::Var(side)), Some(white)) if !has_rook(clause) => {
            let side = *side;
            clause.map_vars(&mut |var| {
                if var == side {
                    Term::symbol(white)
                } else {
                    Term::Var(var)
                }
            })
        }
        _ => clause.clone(),
    };
    clauses.iter().map(bound).collect()
}

/// Whether the learned clause is equivalent to the target.
fn is_equivalent(learned: &PalResult, prepared: &PreparedConcept) -> bool {
    let definitions = prepared.definitions();
    (learned.clauses.iter().zip(prepared.target()))
        .all(|(own, target)| equivalent_relative_to(own, target, definitions))
}

/// A comparison of a definition in all positions.
#[derive(Clone)]
struct Comparison {
    counts: ConfusionCounts,
    /// The board of the first position that differs.
    first: Option<String>,
}

/// Compares a definition with the concept of the strategies in every position.
fn compare_with_strategies(name: &str, learned: &PreparedConcept) -> Result<Comparison, CellError> {
    let built_in = BUILT_IN.iter().find(|own| own.name == name);
    let built_in = built_in.ok_or_else(|| CellError::new("no such concept of strategies"))?;
    let cases = positions("KRvK", built_in.is_of_move())?.map(|position| {
        Ok((
            Position::from(position.board().clone()),
            built_in.holds(&position),
        ))
    });
    compare(learned, cases)
}

/// Compares a definition with labeled positions.
fn compare(
    learned: &PreparedConcept,
    cases: impl IntoIterator<Item = Result<(Position, bool), ConceptError>>,
) -> Result<Comparison, CellError> {
    let (counts, first) = learned.compare_with(&of_white(learned.target(), learned), cases)?;
    Ok(Comparison {
        counts,
        first: first.map(|first| first.board().to_string()),
    })
}

/// Every placement of the pieces of an endgame with White, or Black, to move.
fn positions(endgame: &str, white: bool) -> Result<impl Iterator<Item = Chess>, CellError> {
    let endgame: Endgame = endgame.parse()?;
    let half = endgame.n_indices() / 2;
    let turns = if white { 0..half } else { half..2 * half };
    Ok(turns.filter_map(move |index| endgame.placement(index)))
}
