use std::sync::Arc;

use kibitz_ilp::learn::pal::{
    Background, Domain, Example, Feature, KeepComponents, Oracle, Pal, PalError, PalLearned,
    PalParams, Teacher,
};
use kibitz_ilp::{
    Clause, Database, DatabaseBuilder, Limits, ProverError, Symbol, SymbolTable, read_clauses,
};

use kibitz_text::suggestion;

use crate::example_text::read_examples;
use crate::implications::implications;
use crate::vocabulary::{CHESS, MAKE_MOVE, PLACEMENT, name_of};
use crate::world::World;
use crate::{
    Axis, Changes, ChessDomain, ConceptError, Names, PlacementDomain, Placements, Places,
    relations::Positions,
};

pub(crate) const RULES: &str = include_str!("chess.pl");
pub(crate) const NUMBERS: &str = include_str!("numbers.pl");
const PLACES: &str = include_str!("placement.pl");

/// Bounds on every query: no pattern needs more, and a recursion ends.
const LIMITS: Limits = Limits {
    steps: 5_000_000,
    depth: 1_000,
    memory: 1 << 30,
};

/// What examples are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Board {
    /// Chess positions: `contents(Side, Piece, square(File, Rank))`.
    #[default]
    Chess,
    /// Named pieces on any squares: `piece(Name, File, Rank)`.
    Placement,
}

/// A concept to be learned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, rename_all = "kebab-case")
)]
pub struct Concept {
    /// Its name; the target is the definition of this predicate.
    pub name: String,
    /// What examples are made of.
    #[cfg_attr(feature = "serde", serde(default))]
    pub board: Board,
    /// Whether it involves a move.
    #[cfg_attr(feature = "serde", serde(default))]
    pub dynamic: bool,
    /// Initial examples, one for each disjunct: a FEN, or `contents` (`piece`) facts, whose order is
    /// the order of the arguments.
    pub examples: Vec<String>,
    /// Examples that a user who knows how PAL generalizes gives after the initial ones.
    #[cfg_attr(feature = "serde", serde(default))]
    pub chosen: Vec<String>,
    /// Background predicates by name.
    pub background: Vec<String>,
    /// Concepts learned before, defined with the targets, to be used as background.
    #[cfg_attr(feature = "serde", serde(default))]
    pub concepts: Vec<String>,
    /// Axes in which the board may be reflected.
    #[cfg_attr(feature = "serde", serde(default = "all_axes"))]
    pub symmetries: Vec<Axis>,
    /// How the generator changes the place of a piece.
    #[cfg_attr(feature = "serde", serde(default))]
    pub places: Places,
    /// The predicate that says what is true, where the target says something else.
    #[cfg_attr(feature = "serde", serde(default))]
    pub truth: Option<String>,
    /// What the generator changes of pieces.
    #[cfg_attr(feature = "serde", serde(default))]
    pub changes: Changes,
    /// Whether pieces of which nothing is said stay in the definition.
    #[cfg_attr(feature = "serde", serde(default))]
    pub keep_pieces: bool,
}

#[cfg(feature = "serde")]
fn all_axes() -> Vec<Axis> {
    Axis::ALL.to_vec()
}

/// A concept with everything that is needed to learn it.
#[derive(Debug)]
pub struct Prepared {
    symbols: SymbolTable,
    db: Database,
    domain: World,
    background: Background,
    target: Vec<Clause>,
    truth: Vec<Clause>,
    examples: Vec<Example>,
    chosen: Vec<Example>,
    name: Symbol,
    params: PalParams,
}

impl Concept {
    /// Reads target definitions and examples and puts the background together.
    ///
    /// `targets` is Prolog text that defines the concept, and the concepts used as background; a
    /// person may be asked instead of a target, and then the concept itself need not be there.
    ///
    /// # Errors
    /// [`ConceptError`] for text that cannot be read, unknown names and impossible positions.
    pub fn prepare(&self, targets: &str, need_target: bool) -> Result<Prepared, ConceptError> {
        let mut symbols = SymbolTable::new();
        let targets = read_clauses(targets, &mut symbols)?;
        let name = symbols.intern(&self.name);
        let (domain, builder) = match self.board {
            Board::Chess => self.chess(&mut symbols)?,
            Board::Placement => self.placement(&mut symbols)?,
        };
        let examples = read_examples(1, &self.examples, &domain, &mut symbols)?;
        let chosen = read_examples(1 + examples.len(), &self.chosen, &domain, &mut symbols)?;
        let numbers = read_clauses(NUMBERS, &mut symbols)?;
        let db = builder
            .clauses(&numbers)
            .clauses(&targets)
            .build(&mut symbols)?;
        let truth = self.truth.as_ref().unwrap_or(&self.name);
        let target = clauses_of(&self.name, &targets, &symbols, need_target)?;
        let truth = clauses_of(truth, &targets, &symbols, need_target)?;
        check_goals(&targets, &db, &symbols)?;
        let (features, make_move) = self.features(&targets, name, &*domain, &mut symbols)?;
        let definitions = implications(self.board, &targets, name, &mut symbols)?;
        Ok(Prepared {
            symbols,
            db,
            domain,
            background: Background {
                features,
                transition: make_move.filter(|_| self.dynamic),
                definitions,
            },
            target,
            truth,
            examples,
            chosen,
            name,
            params: PalParams {
                dynamic: self.dynamic,
                keep: if self.keep_pieces {
                    KeepComponents::All
                } else {
                    KeepComponents::Connected
                },
                limits: LIMITS,
                ..PalParams::default()
            },
        })
    }

    /// The rules of chess; positions need both kings if all initial examples have them.
    fn chess(&self, symbols: &mut SymbolTable) -> Result<(World, DatabaseBuilder), ConceptError> {
        let names = Names::new(symbols);
        let positions = Arc::new(Positions::new(names.clone()));
        let rules = read_clauses(RULES, symbols)?;
        let mut builder = Database::builder().clauses(&rules);
        for relation in positions.relations(symbols) {
            builder = builder.native(relation);
        }
        let domain = |symbols: &mut SymbolTable, kings| {
            let positions = Arc::clone(&positions);
            let axes = &self.symmetries;
            let domain = ChessDomain::new(positions, symbols, axes, kings, self.places);
            World::Chess(domain.with_changes(self.changes))
        };
        let open = domain(symbols, false);
        let king = names.role(kibitz_board::Role::King);
        let examples = read_examples(1, &self.examples, &open, symbols)?;
        let both = (examples.iter())
            .all(|example| example.iter().filter(|piece| piece[1] == king).count() == 2);
        Ok((domain(symbols, both), builder))
    }

    /// Named pieces anywhere.
    fn placement(
        &self,
        symbols: &mut SymbolTable,
    ) -> Result<(World, DatabaseBuilder), ConceptError> {
        let placements = Arc::new(Placements::default());
        let rules = read_clauses(PLACES, symbols)?;
        let builder = Database::builder()
            .clauses(&rules)
            .native(placements.relation(symbols));
        let domain = PlacementDomain::new(placements, symbols, &self.symmetries);
        Ok((World::Placement(domain), builder))
    }

    /// The features of the background predicates and concepts asked for, and the move if the board
    /// has one.
    fn features(
        &self,
        targets: &[Clause],
        learned: Symbol,
        domain: &dyn Domain,
        symbols: &mut SymbolTable,
    ) -> Result<(Vec<Feature>, Option<Feature>), ConceptError> {
        let (declarations, make_move) = match self.board {
            Board::Chess => (CHESS, Some(MAKE_MOVE)),
            Board::Placement => (PLACEMENT, None),
        };
        let mut parse = |text: &&str| Feature::parse(text, domain, symbols);
        let mut features = Vec::new();
        let mut unknown = Vec::new();
        for name in &self.background {
            let own = declarations.iter().filter(|text| name_of(text) == name);
            let before = features.len();
            for text in own {
                features.push(parse(text)?);
            }
            if features.len() == before {
                let mut known: Vec<&str> = declarations.iter().map(|text| name_of(text)).collect();
                known.dedup();
                unknown.push(unknown_predicate(name, &known));
            }
        }
        let all = declarations.iter().map(&mut parse);
        let mut all = all.collect::<Result<Vec<_>, _>>()?;
        let make_move = make_move.as_ref().map(parse).transpose()?;
        all.extend(make_move.clone());
        // In the order of the text, so that a concept may use those before it.
        for clause in targets.iter().filter(|c| c.head.name != learned) {
            if !all.iter().any(|f| f.predicate() == clause.head.predicate()) {
                all.push(Feature::of_concept(clause, domain, &all));
            }
        }
        for concept in &self.concepts {
            let symbol = symbols.get(concept);
            let defined = (targets.iter()).any(|clause| Some(clause.head.name) == symbol);
            let feature = all.iter().find(|f| Some(f.predicate().name) == symbol);
            let Some(feature) = feature.filter(|_| defined) else {
                unknown.push(unknown_predicate(concept, &defined_names(targets, symbols)));
                continue;
            };
            features.push(feature.clone());
        }
        ConceptError::all(unknown)?;
        Ok((features, make_move))
    }
}

/// The clauses of a concept; none are an error where they are needed.
fn clauses_of(
    name: &str,
    targets: &[Clause],
    symbols: &SymbolTable,
    needed: bool,
) -> Result<Vec<Clause>, ConceptError> {
    let symbol = symbols.get(name);
    let own = (targets.iter()).filter(|clause| Some(clause.head.name) == symbol);
    let own: Vec<Clause> = own.cloned().collect();
    if needed && own.is_empty() {
        return Err(ConceptError::UnknownConcept {
            name: name.to_owned(),
            help: suggestion(name, defined_names(targets, symbols)),
        });
    }
    Ok(own)
}

/// The names that the targets define, in their order.
fn defined_names<'s>(targets: &[Clause], symbols: &'s SymbolTable) -> Vec<&'s str> {
    let mut names: Vec<&str> = (targets.iter())
        .map(|clause| symbols.name(clause.head.name))
        .collect();
    names.dedup();
    names
}

/// Whether everything that the targets call is defined.
fn check_goals(
    targets: &[Clause],
    db: &Database,
    symbols: &SymbolTable,
) -> Result<(), ConceptError> {
    for clause in targets {
        for predicate in clause.body.iter().map(|literal| literal.atom.predicate()) {
            if !db.is_defined(predicate) {
                let error = ProverError::UnknownPredicate(predicate);
                let text = error.describe(symbols, &db.predicates());
                let head = symbols.name(clause.head.name);
                return Err(ConceptError::Goal(format!(
                    "in the definition of {head}: {text}"
                )));
            }
        }
    }
    Ok(())
}

fn unknown_predicate(name: &str, known: &[&str]) -> ConceptError {
    ConceptError::UnknownPredicate {
        name: name.to_owned(),
        help: suggestion(name, known.iter().copied()),
    }
}

impl Prepared {
    /// The names of everything.
    pub fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    /// The domain.
    pub fn domain(&self) -> &World {
        &self.domain
    }

    /// What an argument of the example generator is called: the attributes it changes.
    pub fn argument_name(&self, argument: usize) -> String {
        let arguments = self.domain.arguments();
        let of = |&attribute: &usize| self.domain.attributes()[attribute].name.as_str();
        let attributes = arguments.get(argument).into_iter().flatten();
        attributes.map(of).collect::<Vec<_>>().join(" and ")
    }

    /// The initial examples.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }

    /// The examples that a user gives after the initial ones.
    pub fn chosen(&self) -> &[Example] {
        &self.chosen
    }

    /// The target's clauses.
    pub fn target(&self) -> &[Clause] {
        &self.target
    }

    /// The clauses that say what is true: the target's unless the concept says otherwise.
    pub fn truth(&self) -> &[Clause] {
        &self.truth
    }

    /// The parameters that follow from the concept's declaration.
    pub fn params(&self) -> PalParams {
        self.params
    }

    /// What the definitions of the background predicates imply.
    pub fn definitions(&self) -> &[Clause] {
        &self.background.definitions
    }

    /// An oracle that answers from the target.
    pub fn oracle(&self) -> Oracle<'_> {
        self.oracle_of(&self.target)
    }

    /// An oracle that answers from other clauses than the target's.
    pub(crate) fn oracle_of<'a>(&'a self, clauses: &'a [Clause]) -> Oracle<'a> {
        Oracle::new(&self.db, clauses, self.definitions(), LIMITS)
    }

    /// The background knowledge.
    pub(crate) fn database(&self) -> &Database {
        &self.db
    }

    /// A learner.
    pub(crate) fn pal(&self, params: PalParams) -> Pal<'_> {
        Pal::new(&*self.domain, &self.db, &self.background, self.name, params)
    }

    /// Learns with a teacher.
    ///
    /// # Errors
    /// What the learner cannot do.
    pub fn learn(
        &self,
        params: PalParams,
        teacher: &mut dyn Teacher,
    ) -> Result<PalLearned, ConceptError> {
        self.learn_starting_with(&self.examples, params, teacher)
    }

    /// Learns with a teacher from other initial examples.
    ///
    /// # Errors
    /// What the learner cannot do.
    pub fn learn_starting_with(
        &self,
        examples: &[Example],
        params: PalParams,
        teacher: &mut dyn Teacher,
    ) -> Result<PalLearned, ConceptError> {
        let learned = self.pal(params).learn(examples, teacher);
        learned.map_err(|error| self.explained(error))
    }

    /// The error with names instead of symbols where it has any.
    pub(crate) fn explained(&self, error: PalError) -> ConceptError {
        match error {
            PalError::Prover(error) => {
                ConceptError::Goal(error.describe(&self.symbols, &self.db.predicates()))
            }
            other => ConceptError::Pal(other),
        }
    }

    /// Learns from given examples only, the first of them the initial one.
    ///
    /// # Errors
    /// What the learner cannot do.
    ///
    /// # Source
    /// Morales 1992, section 5.3.4.
    pub fn follow(
        &self,
        examples: &[Example],
        params: PalParams,
        teacher: &mut dyn Teacher,
    ) -> Result<PalLearned, ConceptError> {
        let followed = self.pal(params).follow(examples, teacher);
        followed.map_err(|e| self.explained(e))
    }
}
