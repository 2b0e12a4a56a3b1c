//! PAL on states: each variable is a component of the state, each constraint a feature.

use kibitz_experiment::CellError;
use kibitz_pal::{
    Attribute, Background, Change, Component, Domain, Example, Feature, Judgement, KeepComponents,
    Pal, PalError, PalParams, Teacher, Verdict,
};
use kibitz_prolog::{Atom, Clause, Constant, Database, Symbol, SymbolTable, Term};
use kibitz_qsim::{Constraint, ConstraintKind, Model, State, Variable};

/// The constraints of the definition that PAL generalizes from the states, all given to it as legal.
///
/// # Source
/// Morales 1992, section 8.4: `qvar(Name:Value/Deriv, State)`. The facts of a state are the
/// candidates that accept it.
pub(super) fn learn(
    variables: &[Variable],
    states: &[State],
    candidates: &[Constraint],
) -> Result<Vec<Constraint>, CellError> {
    let mut symbols = SymbolTable::new();
    let domain = States::new(variables, states, &mut symbols);
    let facts = domain.facts(variables, states, candidates, &mut symbols)?;
    let mut kinds: Vec<ConstraintKind> = candidates.iter().map(|c| c.kind).collect();
    kinds.dedup();
    let features = kinds.iter().map(|kind| {
        let variable = |part| format!("name({part}):magnitude({part})/direction({part})");
        let variables: Vec<String> = (1..=kind.arity()).map(variable).collect();
        let text = format!("{kind}({}, state)", variables.join(", "));
        Feature::parse(&text, &domain, &mut symbols)
    });
    let features: Vec<Feature> = features.collect::<Result<_, _>>()?;
    let mut db = Database::builder().clauses(&facts);
    for feature in &features {
        // A constraint may hold in no state.
        db = db.declare(feature.predicate());
    }
    let db = db.build(&mut symbols)?;
    let background = Background {
        features,
        ..Background::default()
    };
    let params = PalParams {
        keep: KeepComponents::All,
        max_clauses: 1,
        ..PalParams::default()
    };
    let concept = symbols.intern("legalstate");
    let learner = Pal::new(&domain, &db, &background, concept, params);
    let learned = learner.learn_from_given(&domain.examples, &mut TrustingTeacher)?;
    let clause = learned.clauses.first();
    let body = clause.map_or(&[][..], |clause| &clause.body);
    let said = |constraint: &&Constraint| {
        body.iter().map(|literal| &literal.atom).any(|atom| {
            let mut arguments = constraint.variables.iter().zip(atom.args.iter());
            symbols.name(atom.name) == constraint.kind.name()
                && arguments.all(|(own, arg)| domain.variable(arg) == Some(*own))
        })
    };
    Ok(candidates.iter().filter(said).cloned().collect())
}

/// Given states, made of their variables.
struct States {
    attributes: Vec<Attribute>,
    description: Atom,
    names: Vec<Symbol>,
    examples: Vec<Example>,
}

impl States {
    fn new(variables: &[Variable], states: &[State], symbols: &mut SymbolTable) -> Self {
        let attribute = |name: &str| Attribute {
            name: name.to_owned(),
            values: Vec::new(),
        };
        let component =
            |variable: &Variable, value: &kibitz_qsim::QValue, symbols: &mut SymbolTable| {
                let magnitude = variable.space.name(value.magnitude());
                let parts = [&variable.name[..], &magnitude, value.direction().name()];
                parts
                    .map(|part| Constant::Symbol(symbols.intern(part)))
                    .to_vec()
            };
        let mut examples = Vec::new();
        for state in states {
            let values = variables.iter().zip(state);
            examples.push(
                values
                    .map(|(own, value)| component(own, value, symbols))
                    .collect(),
            );
        }
        let places: Vec<Term> = (0..4).map(Term::var).collect();
        let value = value_term(&places[..3], symbols);
        Self {
            attributes: ["name", "magnitude", "direction"].map(attribute).to_vec(),
            description: Atom::new(symbols.intern("qvar"), [value, places[3].clone()]),
            names: (variables.iter())
                .map(|own| symbols.intern(&own.name))
                .collect(),
            examples,
        }
    }

    /// The facts of each state, with states named by their numbers.
    fn facts(
        &self,
        variables: &[Variable],
        states: &[State],
        candidates: &[Constraint],
        symbols: &mut SymbolTable,
    ) -> Result<Vec<Clause>, CellError> {
        let model = Model::new(variables.to_vec(), candidates.to_vec())?;
        let mut facts = Vec::new();
        for (state, example) in states.iter().zip(&self.examples) {
            let number = Term::Const(self.state(example));
            let value = |component: &Component, symbols: &mut SymbolTable| {
                let parts: Vec<Term> = component.iter().copied().map(Term::Const).collect();
                value_term(&parts, symbols)
            };
            let refused = model.objections(state, 0);
            for (index, constraint) in candidates.iter().enumerate() {
                if refused.iter().all(|(refusing, _)| *refusing != index) {
                    let own = constraint.variables.iter();
                    let mut args: Vec<Term> = own
                        .map(|&variable| value(&example[variable], symbols))
                        .collect();
                    args.push(number.clone());
                    let name = symbols.intern(constraint.kind.name());
                    facts.push(Clause::fact(Atom::new(name, args)));
                }
            }
            for component in example {
                let args = [value(component, symbols), number.clone()];
                facts.push(Clause::fact(Atom::new(self.description.name, args)));
            }
        }
        Ok(facts)
    }

    /// The variable that a term such as `la:A/B` is about.
    fn variable(&self, term: &Term) -> Option<usize> {
        match term {
            Term::Compound(_, args) => self.variable(&args[0]),
            Term::Const(Constant::Symbol(name)) => self.names.iter().position(|own| own == name),
            _ => None,
        }
    }
}

/// `Name:Magnitude/Direction`.
fn value_term(parts: &[Term], symbols: &mut SymbolTable) -> Term {
    let named = Term::compound(symbols.intern(":"), [parts[0].clone(), parts[1].clone()]);
    Term::compound(symbols.intern("/"), [named, parts[2].clone()])
}

impl Domain for States {
    fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    fn key(&self) -> &[usize] {
        &[0]
    }

    fn description(&self) -> &Atom {
        &self.description
    }

    fn state(&self, example: &[Component]) -> Constant {
        let place = self.examples.iter().position(|known| known == example);
        let number = place.and_then(|place| i64::try_from(place).ok());
        Constant::Int(number.unwrap_or(-1))
    }

    fn is_legal(&self, _: &[Component]) -> bool {
        true
    }
}

/// A teacher that accepts every state as legal and every definition.
struct TrustingTeacher;

impl Teacher for TrustingTeacher {
    fn classify(&mut self, _: &Example, _: Constant, _: &Change) -> Result<Verdict, PalError> {
        Ok(Verdict::Positive)
    }

    fn judge(&mut self, _: &Clause) -> Result<Judgement, PalError> {
        Ok(Judgement::Accept)
    }
}
