//! Concepts prepared for learning: domain, background, target and examples.

use std::sync::Arc;

use kibitz_pal::{
    Background, ConnectedBy, Domain, Example, Feature, KeepComponents, Oracle, Pal, PalError,
    PalParams, PalResult, Teacher,
};
use kibitz_prolog::{Clause, Database, DatabaseBuilder, Limits, Symbol, SymbolTable, read_clauses};
use kibitz_text::suggestion;

use crate::background_definitions::background_definitions;
use crate::concept_domain::ConceptDomain;
use crate::declarations::{CHESS, LESS_VALUE, MAKE_MOVE, PLACEMENT, name_of};
use crate::example_text::read_examples;
use crate::relations::Positions;
use crate::targets::{check_goals, clauses_of, defined_names, definition_error};
use crate::{Board, ChessConstants, ChessDomain, Concept, ConceptError, PlacementDomain};

pub(crate) const RULES: &str = include_str!("chess.pl");
pub(crate) const NUMBERS: &str = include_str!("numbers.pl");
const PLACES: &str = include_str!("placement.pl");

/// Bounds on every query: enough for every pattern, and an end for recursion.
const LIMITS: Limits = Limits {
    steps: 5_000_000,
    depth: 1_000,
    memory: 1 << 30,
};

/// A concept prepared for learning: domain, background, target and examples.
#[derive(Debug)]
pub struct PreparedConcept {
    symbols: SymbolTable,
    db: Database,
    targets: Vec<Clause>,
    domain: ConceptDomain,
    background: Background,
    target: Vec<Clause>,
    truth: Vec<Clause>,
    examples: Vec<Example>,
    chosen: Vec<Example>,
    name: Symbol,
    params: PalParams,
}

impl Concept {
    /// Reads targets and examples, and builds the background.
    ///
    /// `targets` is Prolog text that defines the concept and the concepts of its background. Without
    /// `need_target` the concept itself may be undefined: a person can be the teacher.
    ///
    /// # Errors
    /// [`ConceptError`] for text that cannot be read, unknown names and impossible positions.
    pub fn prepare(
        &self,
        targets: &str,
        need_target: bool,
    ) -> Result<PreparedConcept, ConceptError> {
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
            .build(&mut symbols)
            // An error in a clause of the file is reported at its place; other errors have none.
            .map_err(|error| match error.clause() {
                Some(clause) => {
                    let reason = error.describe(&symbols, &[]);
                    definition_error(clause, &targets, &symbols, reason)
                }
                None => ConceptError::Prover(error),
            })?;
        let truth = self.truth.as_ref().unwrap_or(&self.name);
        let target = clauses_of(&self.name, &targets, &symbols, need_target)?;
        let truth = clauses_of(truth, &targets, &symbols, need_target)?;
        // Unknown predicates would only fail, and the concept would have no instance.
        check_goals(&targets, &db, &symbols)?;
        let comparison = (self.compares_values())
            .then(|| Feature::parse(LESS_VALUE, &*domain, &mut symbols))
            .transpose()?;
        let (features, make_move) = self.features(&targets, name, &*domain, &mut symbols)?;
        let definitions = background_definitions(self.board, &targets, name, &mut symbols)?;
        Ok(PreparedConcept {
            symbols,
            db,
            targets,
            domain,
            background: Background {
                features,
                transition: make_move.filter(|_| self.dynamic),
                comparison,
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
                connected_by: if self.compares_values() {
                    ConnectedBy::EachArgument
                } else {
                    ConnectedBy::Arguments
                },
                limits: LIMITS,
                ..PalParams::default()
            },
        })
    }

    /// Whether numbers in facts of one predicate are compared.
    fn compares_values(&self) -> bool {
        self.board == Board::Chess
            && (self.background.iter()).any(|name| name == name_of(LESS_VALUE))
    }

    /// Domain and relations of chess; positions need both kings if all initial examples have them.
    fn chess(
        &self,
        symbols: &mut SymbolTable,
    ) -> Result<(ConceptDomain, DatabaseBuilder), ConceptError> {
        let names = ChessConstants::new(symbols);
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
            let domain = domain.with_translations(self.translations);
            ConceptDomain::Chess(domain.with_changes(self.changes))
        };
        let open = domain(symbols, false);
        let king = names.role(kibitz_board::Role::King);
        let examples = read_examples(1, &self.examples, &open, symbols)?;
        let both = (examples.iter())
            .all(|example| example.iter().filter(|piece| piece[1] == king).count() == 2);
        Ok((domain(symbols, both), builder))
    }

    /// Domain and relation of named pieces.
    fn placement(
        &self,
        symbols: &mut SymbolTable,
    ) -> Result<(ConceptDomain, DatabaseBuilder), ConceptError> {
        let rules = read_clauses(PLACES, symbols)?;
        let domain = PlacementDomain::new(symbols, &self.symmetries);
        let builder = Database::builder()
            .clauses(&rules)
            .native(domain.relation());
        Ok((ConceptDomain::Placement(domain), builder))
    }

    /// The features of the declared background and concepts, and the transition if the board has one.
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
        // The comparison has no facts of its own.
        let others = |name: &&String| !self.compares_values() || *name != name_of(LESS_VALUE);
        for name in self.background.iter().filter(others) {
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
        // In the order of the text: a concept may use those before it.
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

fn unknown_predicate(name: &str, known: &[&str]) -> ConceptError {
    ConceptError::UnknownPredicate {
        name: name.to_owned(),
        help: suggestion(name, known.iter().copied()),
    }
}

impl PreparedConcept {
    /// The symbol table.
    pub fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    /// The domain.
    pub fn domain(&self) -> &ConceptDomain {
        &self.domain
    }

    /// The name of a perturbed argument: its attributes.
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

    /// The teaching set declared with the concept, without the initial examples.
    pub fn chosen(&self) -> &[Example] {
        &self.chosen
    }

    /// The target's clauses.
    pub fn target(&self) -> &[Clause] {
        &self.target
    }

    /// The clauses of the true definition: the target unless the concept declares another.
    pub fn truth(&self) -> &[Clause] {
        &self.truth
    }

    /// The parameters that follow from the concept's declaration.
    pub fn params(&self) -> PalParams {
        self.params
    }

    /// The definitions of the background predicates, for relative subsumption.
    pub fn definitions(&self) -> &[Clause] {
        &self.background.definitions
    }

    /// An oracle that answers from the target.
    pub fn oracle(&self) -> Oracle<'_> {
        Oracle::new(&self.db, &self.target, self.definitions(), LIMITS)
    }

    /// The background knowledge.
    pub(crate) fn database(&self) -> &Database {
        &self.db
    }

    /// PAL for this concept.
    pub fn pal(&self, params: PalParams) -> Pal<'_> {
        Pal::new(&*self.domain, &self.db, &self.background, self.name, params)
    }

    /// The first definition that is made of the first initial example: its bottom clause.
    ///
    /// # Errors
    /// The learner's own.
    pub fn initial_clause(&self) -> Result<Clause, ConceptError> {
        let example = self
            .examples
            .first()
            .ok_or(PalError::NoExample)
            .map_err(|error| self.explained(error))?;
        let mut pal = self.pal(self.params);
        let definition = pal.saturate(example);
        let definition = definition.map_err(|error| self.explained(error))?;
        Ok(pal.clause(&definition))
    }

    /// Learns from the initial examples and the answers of a teacher.
    ///
    /// # Errors
    /// The learner's own.
    pub fn learn(
        &self,
        params: PalParams,
        teacher: &mut dyn Teacher,
    ) -> Result<PalResult, ConceptError> {
        self.learn_starting_with(&self.examples, params, teacher)
    }

    /// Learns from other initial examples and the answers of a teacher.
    ///
    /// # Errors
    /// The learner's own.
    pub fn learn_starting_with(
        &self,
        examples: &[Example],
        params: PalParams,
        teacher: &mut dyn Teacher,
    ) -> Result<PalResult, ConceptError> {
        let learned = self.pal(params).learn(examples, teacher);
        learned.map_err(|error| self.explained(error))
    }

    /// Writes the error with names in place of symbols, and with the clause at fault.
    pub(crate) fn explained(&self, error: PalError) -> ConceptError {
        let (clause, reason) = match &error {
            PalError::Prover(error) => {
                let reason = error.describe(&self.symbols, &self.db.predicates());
                (error.clause(), reason)
            }
            // A query is in no clause where the body of the target itself was carried out.
            PalError::OutOfSteps(_, last) => {
                (last.as_deref().or(self.target.first()), error.to_string())
            }
            _ => return ConceptError::Pal(error),
        };
        let Some(clause) = clause else {
            return ConceptError::Goal(reason);
        };
        match definition_error(clause, &self.targets, &self.symbols, reason) {
            ConceptError::Definition {
                clause,
                name,
                reason,
            } => ConceptError::Undecided {
                clause,
                name,
                reason,
            },
            other => other,
        }
    }

    /// Learns from given examples only; the first is the initial one.
    ///
    /// # Errors
    /// The learner's own.
    ///
    /// # Source
    /// Morales 1992, section 5.3.4.
    pub fn learn_from_given(
        &self,
        examples: &[Example],
        params: PalParams,
        teacher: &mut dyn Teacher,
    ) -> Result<PalResult, ConceptError> {
        let followed = self.pal(params).learn_from_given(examples, teacher);
        followed.map_err(|e| self.explained(e))
    }
}
