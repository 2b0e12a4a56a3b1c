//! Values that clauses cannot name, since their type has no constants.

use kibitz_prolog::{
    Argument, Atom, Clause, Constant, Direction, Literal, Mode, Predicate, Symbol, SymbolTable,
    Term,
};

use super::Task;
use super::bias::ConstantSet;

/// Most values of a type that are taken as constants.
pub(super) const MAX_VALUES: usize = 20;

/// Fewest different numbers that are worth a cut.
const MIN_CUTS: usize = 4;

/// Most values that the numbers of a type are cut at.
const MAX_CUTS: usize = 32;

/// An argument whose type has no other place and no constants: its variables join nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoneArgument {
    /// The type.
    pub kind: Symbol,
    /// The predicate.
    pub predicate: Predicate,
    /// The place of the argument, from 0.
    pub place: usize,
    /// Whether it is an argument of the head.
    pub(super) is_of_head: bool,
}

impl Task {
    /// The arguments whose types have no other place and no constants.
    pub fn lone_arguments(&self) -> Vec<LoneArgument> {
        let mut alone = self.arguments_alone();
        alone.retain(|own| self.declared_constants(own.kind).is_none());
        alone
    }

    /// The arguments whose types have no other place.
    fn arguments_alone(&self) -> Vec<LoneArgument> {
        let modes = std::iter::once(&self.bias.head).chain(&self.bias.body);
        let mut places: Vec<(LoneArgument, bool)> = Vec::new();
        for (i, mode) in modes.enumerate() {
            for (place, argument) in mode.arguments.iter().enumerate() {
                if argument.direction == Direction::Constant {
                    continue;
                }
                let own = LoneArgument {
                    kind: argument.kind,
                    predicate: mode.predicate,
                    place,
                    is_of_head: i == 0,
                };
                match places.iter_mut().find(|known| known.0.kind == own.kind) {
                    Some((known, is_alone)) => {
                        *is_alone &= (known.predicate, known.place) == (own.predicate, own.place);
                    }
                    None => places.push((own, true)),
                }
            }
        }
        let alone = places.into_iter().filter(|(_, is_alone)| *is_alone);
        alone.map(|(own, _)| own).collect()
    }

    fn declared_constants(&self, kind: Symbol) -> Option<&[Term]> {
        let mut sets = self.bias.constants.iter();
        let own = sets.find(|set| set.kind == kind)?;
        Some(&own.constants)
    }

    /// Makes arguments of the head constants in clauses, where nothing else could be said of them: their
    /// types have no other place, and all their values in examples are declared as constants.
    pub(super) fn name_values_of_head(&mut self) {
        let alone = self.arguments_alone().into_iter();
        for own in alone.filter(|own| own.is_of_head) {
            let Some(constants) = self.declared_constants(own.kind) else {
                continue;
            };
            let mut examples = self.positive.iter().chain(&self.negative);
            let is_declared = examples.all(|example| constants.contains(&example.args[own.place]));
            if is_declared {
                self.bias.head.arguments[own.place].direction = Direction::Constant;
            }
        }
    }

    /// The modes, and after each those that ask for a constant where a variable could join nothing: at an
    /// argument of facts whose type has no other place and whose values are all declared as constants.
    pub fn modes_with_constants(&self, modes: Vec<Mode>) -> Vec<Mode> {
        let alone = self.arguments_alone().into_iter();
        let named: Vec<LoneArgument> = alone.filter(|own| self.is_named(own)).collect();
        let each = modes.into_iter().flat_map(|mode| {
            let of_mode = named.iter().filter(|own| own.predicate == mode.predicate);
            let constant = of_mode.map(|own| {
                let mut with_constant = mode.clone();
                with_constant.arguments[own.place].direction = Direction::Constant;
                with_constant
            });
            let constant: Vec<Mode> = constant.collect();
            std::iter::once(mode).chain(constant)
        });
        each.collect()
    }

    /// Whether an argument of facts has declared constants only.
    fn is_named(&self, argument: &LoneArgument) -> bool {
        let Some(constants) = self.declared_constants(argument.kind) else {
            return false;
        };
        let clauses = self.background.iter();
        let mut clauses = clauses.filter(|own| own.head.predicate() == argument.predicate);
        let is_fact = |own: &Clause| {
            own.body.is_empty() && constants.contains(&own.head.args[argument.place])
        };
        !argument.is_of_head && clauses.all(is_fact)
    }

    /// The arguments whose values [`Task::take_values_as_constants`] and [`Task::cut_numbers`] would let
    /// clauses name or compare.
    pub fn values_to_name(&self) -> Vec<LoneArgument> {
        let mut lone = self.lone_arguments();
        lone.retain(|own| self.few_values(own).is_some() || self.cuts(own).is_some());
        lone
    }

    /// The numbers of a type that they may be compared with, if there are more than are taken as constants,
    /// or each is that of few facts.
    pub(super) fn cuts(&self, argument: &LoneArgument) -> Option<Vec<Term>> {
        // No threshold is needed for a value that is missing.
        let values = self.constants_of(argument.kind).into_iter();
        let values = values.filter(|value| !is_missing(value, &self.symbols));
        let numbers: Option<Vec<(f64, Term)>> =
            values.map(|value| Some((number(&value)?, value))).collect();
        let is_told_apart = !argument.is_of_head && self.few_values(argument).is_none();
        let least = if is_told_apart {
            MIN_CUTS
        } else {
            MAX_VALUES + 1
        };
        let mut numbers = numbers.filter(|own| own.len() >= least)?;
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
        let n = numbers.len().min(MAX_CUTS);
        let cuts = (0..n).map(|i| numbers[i * (numbers.len() - 1) / (n - 1)].1.clone());
        Some(cuts.collect())
    }

    /// The values of an argument of facts, if they are few enough to be named in clauses and each says
    /// something of two others: what has a value of its own is no better told by it.
    pub(super) fn few_values(&self, argument: &LoneArgument) -> Option<Vec<Term>> {
        let values = self.constants_of(argument.kind);
        let facts = self.background.iter().filter(|own| own.body.is_empty());
        let facts = facts.filter(|own| own.head.predicate() == argument.predicate);
        let is_few = (2..=MAX_VALUES).contains(&values.len()) && facts.count() >= 2 * values.len();
        (is_few && !argument.is_of_head).then_some(values)
    }

    /// Lets clauses name the values of arguments whose variables join nothing, where a type has few of
    /// them. Returns these arguments with their values.
    pub fn take_values_as_constants(&mut self) -> Vec<(LoneArgument, Vec<Term>)> {
        let lone = self.lone_arguments().into_iter();
        let taken: Vec<_> = lone
            .filter_map(|own| Some((self.few_values(&own)?, own)))
            .map(|(values, own)| (own, values))
            .collect();
        for (argument, values) in &taken {
            self.bias.constants.push(ConstantSet {
                kind: argument.kind,
                constants: values.clone(),
            });
        }
        taken
    }

    /// Lets clauses compare numbers that are not taken as constants and join nothing with some of them.
    /// Returns these arguments with the numbers that they may be cut at.
    pub fn cut_numbers(&mut self) -> Vec<(LoneArgument, Vec<Term>)> {
        let mut cut = Vec::new();
        for argument in self.lone_arguments() {
            if let Some(cuts) = self.cuts(&argument) {
                self.compare_with(argument.kind, &cuts);
                cut.push((argument, cuts));
            }
        }
        cut
    }

    /// Adds literals that compare the values of a type with constants.
    fn compare_with(&mut self, kind: Symbol, cuts: &[Term]) {
        // A comparison with a missing value would be an error.
        let values = self.constants_of(kind).into_iter();
        let (missing, numbers): (Vec<Term>, Vec<Term>) =
            values.partition(|value| is_missing(value, &self.symbols));
        let numbers_of = format!("numbers of {}", self.symbols.name(kind));
        let numbers_of = self.symbols.intern(&numbers_of);
        if !missing.is_empty() {
            let facts = numbers.into_iter();
            let facts = facts.map(|own| Clause::fact(Atom::new(numbers_of, [own])));
            self.background.extend(facts);
        }
        let cuts_of = format!("cuts of {}", self.symbols.name(kind));
        let cuts_of = self.symbols.intern(&cuts_of);
        let facts = cuts
            .iter()
            .map(|cut| Clause::fact(Atom::new(cuts_of, [cut.clone()])));
        self.background.extend(facts);
        for comparison in ["=<", ">="] {
            let name = self.symbols.intern(comparison);
            let literal = Literal::positive(Atom::new(name, [Term::var(0), Term::var(1)]));
            let argument = |direction, kind| Argument { direction, kind };
            let arguments = vec![
                argument(Direction::In, kind),
                argument(Direction::Constant, cuts_of),
            ];
            let mut conditions = vec![Literal::positive(Atom::new(cuts_of, [Term::var(1)]))];
            if !missing.is_empty() {
                conditions.push(Literal::positive(Atom::new(numbers_of, [Term::var(0)])));
            }
            let (predicate, clause) =
                (self.templates).add(&literal, &arguments, conditions, &mut self.symbols);
            self.background.push(clause);
            self.bias.body.push(Mode {
                predicate,
                arguments,
                recall: None,
            });
        }
    }
}

/// Whether a constant stands for a missing value or one out of range, as FOIL has them.
pub(super) fn is_missing(term: &Term, symbols: &SymbolTable) -> bool {
    matches!(term, Term::Const(Constant::Symbol(name)) if matches!(symbols.name(*name), "?" | "^"))
}

/// The value of a number.
pub(super) fn number(term: &Term) -> Option<f64> {
    match term {
        Term::Const(Constant::Int(value)) => Some(*value as f64),
        Term::Const(Constant::Real(value)) => Some(value.0),
        _ => None,
    }
}
