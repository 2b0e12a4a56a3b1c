//! Compiled rules about zones and sets.

use kibitz_prolog::{Clause, Constant, Term, Var};

use super::observation::{HERE, Tiles, observed_sets};
use super::relations::{Relation, Vocabulary};

/// A rule about the sets in the zone of interest of a tile, matched against an observation.
#[derive(Clone, Debug)]
pub(super) struct CompiledRule {
    steps: Vec<Step>,
}

/// A step; sets and numbers are numbered in the order in which they get a value.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Any set of the zone is the next one.
    Any,
    /// The first without the tiles of the second is the next one.
    Difference(usize, usize),
    /// The tile is in it.
    HasTile(usize),
    /// The number of its tiles.
    Length(usize, Number),
    /// The number of its mines.
    Mines(usize, Number),
}

#[derive(Clone, Copy, Debug)]
enum Number {
    Is(u32),
    /// One that has a value.
    Known(usize),
    /// The next one.
    New,
}

/// Tiles, and the mines among them.
type Set = (Tiles, u32);

/// The values so far.
#[derive(Default)]
struct Values {
    sets: Vec<Set>,
    numbers: Vec<u32>,
}

impl CompiledRule {
    /// Compiles a rule; `None` if it is not of this form.
    pub(super) fn new(vocabulary: &Vocabulary, clause: &Clause) -> Option<Self> {
        let [Term::Var(tile), Term::Var(board)] = *clause.head.args else {
            return None;
        };
        let (mut zones, mut sets, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        // Variables that occur once more than in the outputs that give them their values.
        let is_new = |var: &Var, known: [&[Var]; 3]| {
            *var != tile && *var != board && !known.iter().any(|known| known.contains(var))
        };
        let mut steps = Vec::new();
        let mut open: Vec<_> = clause.body.iter().collect();
        while !open.is_empty() {
            // Literals with at most one answer come as soon as they can be asked.
            let mut chosen = None;
            for (place, literal) in open.iter().enumerate() {
                let vars: Vec<Var> = (literal.atom.args.iter())
                    .filter_map(|term| match term {
                        Term::Var(var) => Some(*var),
                        _ => None,
                    })
                    .collect();
                let place_of = |known: &[Var], var: &Var| known.iter().position(|own| own == var);
                let known: [&[Var]; 3] = [&zones, &sets, &numbers];
                let number = |term: &Term| match term {
                    Term::Const(Constant::Int(value)) => u32::try_from(*value).ok().map(Number::Is),
                    Term::Var(var) if is_new(var, known) => Some(Number::New),
                    Term::Var(var) => place_of(&numbers, var).map(Number::Known),
                    _ => None,
                };
                let step = match (vocabulary.relation(literal)?, &vars[..]) {
                    (Relation::ZoneOfInterest, [own, of, zone]) => {
                        if *own != tile || *of != board || !is_new(zone, known) {
                            return None;
                        }
                        zones.push(*zone);
                        chosen = Some((place, None));
                        break;
                    }
                    (Relation::SetHasXMines, [near, of, zone, set]) => {
                        if *of != board || near == set || !is_new(near, known) {
                            return None;
                        }
                        // A number that is named again would have to be the same.
                        let is_again = |other: &&kibitz_prolog::Literal| {
                            other.atom.args.contains(&Term::Var(*near))
                        };
                        if clause.body.iter().filter(is_again).count() > 1 {
                            return None;
                        }
                        let is_ready = zones.contains(zone) && is_new(set, known);
                        is_ready.then_some(Step::Any)
                    }
                    (Relation::DiffSetHasXMines, [first, second, set]) => {
                        let pair = place_of(&sets, first).zip(place_of(&sets, second));
                        let pair = pair.filter(|_| is_new(set, known));
                        pair.map(|(first, second)| Step::Difference(first, second))
                    }
                    (Relation::InSet, [own, set]) if *own == tile => {
                        place_of(&sets, set).map(Step::HasTile)
                    }
                    (Relation::LengthSet, [set, ..]) => {
                        let number = number(literal.atom.args.get(1)?)
                            .filter(|number| !matches!(number, Number::New));
                        let set = place_of(&sets, set);
                        set.zip(number)
                            .map(|(set, number)| Step::Length(set, number))
                    }
                    (Relation::MinesInSet, [set, ..]) => {
                        let number = number(literal.atom.args.get(1)?);
                        let set = place_of(&sets, set);
                        set.zip(number)
                            .map(|(set, number)| Step::Mines(set, number))
                    }
                    _ => return None,
                };
                let Some(step) = step else { continue };
                let output = vars.last().copied();
                if chosen.is_none() || !matches!(step, Step::Any) {
                    chosen = Some((place, Some((step, output))));
                }
                if !matches!(step, Step::Any) {
                    break;
                }
            }
            let (place, step) = chosen?;
            open.remove(place);
            let Some((step, output)) = step else { continue };
            steps.push(step);
            match step {
                Step::Any | Step::Difference(..) => sets.extend(output),
                Step::Mines(_, Number::New) => numbers.extend(output),
                _ => {}
            }
        }
        Some(Self { steps })
    }

    /// Whether the rule applies to a tile with this observation.
    pub(super) fn applies(&self, observation: &[u32]) -> bool {
        // Two numbers with the same tiles around them are as good as one.
        let mut sets: Vec<Set> = Vec::with_capacity(observation.len());
        for set in observed_sets(observation) {
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
        holds(&self.steps, &sets, &mut Values::default())
    }
}

/// Whether the rest of a rule holds, if there are these sets in the zone.
fn holds(steps: &[Step], zone: &[Set], values: &mut Values) -> bool {
    let Some((step, rest)) = steps.split_first() else {
        return true;
    };
    let is_it = |number: Number, value: u32, numbers: &[u32]| match number {
        Number::Is(own) => own == value,
        Number::Known(place) => numbers[place] == value,
        Number::New => true,
    };
    match *step {
        Step::Any => zone.iter().any(|&set| holds_with(set, rest, zone, values)),
        Step::Difference(first, second) => {
            let found = difference(values.sets[first], values.sets[second]);
            found.is_some_and(|set| holds_with(set, rest, zone, values))
        }
        Step::HasTile(set) => values.sets[set].0 & HERE != 0 && holds(rest, zone, values),
        Step::Length(set, number) => {
            let length = values.sets[set].0.count_ones();
            is_it(number, length, &values.numbers) && holds(rest, zone, values)
        }
        Step::Mines(set, number) => {
            let n_mines = values.sets[set].1;
            if !is_it(number, n_mines, &values.numbers) {
                return false;
            }
            let n_before = values.numbers.len();
            if matches!(number, Number::New) {
                values.numbers.push(n_mines);
            }
            let holds = holds(rest, zone, values);
            values.numbers.truncate(n_before);
            holds
        }
    }
}

/// Whether the rest holds with this as the next set.
fn holds_with(set: Set, rest: &[Step], zone: &[Set], values: &mut Values) -> bool {
    values.sets.push(set);
    let holds = holds(rest, zone, values);
    values.sets.pop();
    holds
}

/// As the relation has it.
fn difference(first: Set, second: Set) -> Option<Set> {
    let tiles = first.0 & !second.0;
    let n_common = (first.0 & second.0).count_ones();
    if n_common == 0 || tiles == 0 {
        return None;
    }
    let least = (first.1.saturating_sub(tiles.count_ones()))
        .max(second.1.saturating_sub(second.0.count_ones() - n_common));
    let most = first.1.min(second.1).min(n_common);
    (least == most).then(|| (tiles, first.1 - most))
}
