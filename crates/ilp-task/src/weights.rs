//! Weights of examples: for how many an example counts.

use indexmap::IndexMap;
use kibitz_prolog::{Atom, Clause, Constant, Coverage, SymbolTable, Term, print_atom, print_term};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::issue::Issue;
use super::source::Source;

/// The predicate of facts that give an example a weight.
pub(super) const WEIGHT: &str = "weight";

/// The least and the greatest weight of an example.
const RANGE: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

/// For how many each example counts: 1 where nothing is given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// Those of positive and of negative examples.
    given: [FxHashMap<Atom, f64>; 2],
}

impl Weights {
    /// Whether some example has a weight.
    pub fn are_given(&self) -> bool {
        self.given.iter().any(|side| !side.is_empty())
    }

    /// The number of examples that have a weight; copies of an example count once.
    pub fn len(&self) -> usize {
        self.given.iter().map(FxHashMap::len).sum()
    }

    /// Whether no example has a weight.
    pub fn is_empty(&self) -> bool {
        !self.are_given()
    }

    /// The weight that is given for an example of a side.
    pub(super) fn get(&self, side: usize, example: &Atom) -> Option<f64> {
        self.given[side].get(example).copied()
    }

    /// The weight of an example of a side: 0 for the positive ones, 1 for the negative ones.
    pub fn of(&self, side: usize, example: &Atom) -> f64 {
        self.get(side, example).unwrap_or(1.0)
    }

    /// The weights of true positives, false negatives, true negatives and false positives.
    pub fn confusion(&self, coverage: &Coverage, examples: [&[Atom]; 2]) -> [f64; 4] {
        if self.is_empty() {
            return coverage.confusion().map(|n| n as f64);
        }
        let covered = [&coverage.positive, &coverage.negative];
        let [[positive, tp], [negative, fp]] = [0, 1].map(|side| {
            let mut sums = [0.0; 2];
            for (i, example) in examples[side].iter().enumerate() {
                let weight = self.of(side, example);
                sums[0] += weight;
                if covered[side].contains(i) {
                    sums[1] += weight;
                }
            }
            sums
        });
        [tp, positive - tp, negative - fp, fp]
    }

    /// The weights of positive and negative examples in their order.
    pub fn each(&self, examples: [&[Atom]; 2]) -> [Vec<f64>; 2] {
        [0, 1].map(|side| {
            let own = examples[side].iter();
            own.map(|example| self.of(side, example)).collect()
        })
    }
}

/// Weights as a file states them, before its examples are all known.
#[derive(Clone, Debug, Default)]
pub(super) struct StatedWeights {
    /// Of examples that have one as a second argument: their sum, and the number of such copies.
    inline: [IndexMap<Atom, (f64, usize), FxBuildHasher>; 2],
    /// Of facts `weight(Example, W)`, with the files and the offsets of these facts.
    facts: Vec<(Atom, f64, (usize, usize))>,
}

impl StatedWeights {
    /// Takes the weight of one example of a side.
    pub(super) fn add(&mut self, side: usize, example: &Atom, weight: f64) {
        let (sum, n) = self.inline[side].entry(example.clone()).or_default();
        *sum += weight;
        *n += 1;
    }

    /// Takes a fact `weight(Example, W)`, which is in a file at an offset.
    pub(super) fn add_fact(&mut self, example: Atom, weight: f64, place: (usize, usize)) {
        self.facts.push((example, weight, place));
    }

    /// The weights of these examples. Copies of an example share the mean of their weights, so that all
    /// together count for as much as the file says.
    pub(super) fn resolve(
        self,
        files: &[&Source<'_>],
        examples: [&[Atom]; 2],
        symbols: &SymbolTable,
        issues: &mut Vec<Issue>,
    ) -> Weights {
        let mut weights = Weights::default();
        let Self { inline, facts } = self;
        if facts.is_empty() && inline.iter().all(IndexMap::is_empty) {
            return weights;
        }
        let mut n_copies: [FxHashMap<&Atom, usize>; 2] = Default::default();
        for (n, side) in n_copies.iter_mut().zip(examples) {
            for example in side {
                *n.entry(example).or_default() += 1;
            }
        }
        for (side, inline) in inline.into_iter().enumerate() {
            for (example, (sum, n_weighted)) in inline {
                let n = n_copies[side].get(&example).copied().unwrap_or(n_weighted);
                let mean = (sum + (n - n_weighted) as f64) / n as f64;
                weights.given[side].insert(example, mean);
            }
        }
        for (example, weight, (file, offset)) in facts {
            let source = files[file];
            let shown = || print_atom(&example, symbols).to_string();
            let sides = [0, 1].map(|side| n_copies[side].contains_key(&example));
            if sides == [false, false] {
                let message = format!("a weight of {}, which is not an example", shown());
                let issue = source.unexpected(offset, message);
                issues.push(issue.help("weigh an atom that is a positive or a negative example"));
                continue;
            }
            for side in (0..2).filter(|side| sides[*side]) {
                if weights.given[side]
                    .insert(example.clone(), weight)
                    .is_some()
                {
                    let message = format!("{} has a second weight", shown());
                    issues.push(source.unexpected(offset, message).help("keep one of them"));
                    break;
                }
            }
        }
        weights
    }
}

/// Reads a weight; what is none is reported.
pub(super) fn weight(
    source: &Source<'_>,
    offset: usize,
    term: &Term,
    symbols: &SymbolTable,
    issues: &mut Vec<Issue>,
) -> Option<f64> {
    let number = match term {
        Term::Const(Constant::Int(value)) => Some(*value as f64),
        Term::Const(Constant::Real(value)) => Some(value.0),
        _ => None,
    };
    let weight = number.filter(|own| RANGE.contains(own));
    if weight.is_none() {
        let message = format!(
            "the weight of an example is {}; expected a number from 0.000001 to 1000000",
            print_term(term, symbols)
        );
        let issue = source.unexpected(offset, message);
        issues.push(issue.help("write it as in pos(east(t1), 3)."));
    }
    weight
}

/// Whether a clause may be a fact that gives an example a weight.
pub(super) fn is_weight(clause: &Clause, symbols: &SymbolTable) -> bool {
    let Clause { head, body } = clause;
    body.is_empty() && head.args.len() == 2 && symbols.name(head.name) == WEIGHT
}
