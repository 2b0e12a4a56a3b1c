//! Ordered rules learned from perfect play.
//!
//! First rules are put one by one into a list that ends with one that allows every move, whichever
//! lowers the regret most: how many moves later than need be the worst move mates that is allowed,
//! over all positions. A rule is grown like a clause, condition by condition, in a beam. Then rules and
//! conditions are changed at random with the verification in the loop, by simulated annealing: for
//! more positions won against every reply by the best of the moves allowed, a shorter longest mate,
//! fewer moves allowed, and fewer rules and conditions. At last a preference among the moves that are
//! allowed is put together key by key, for more positions won with it.

mod arena;
mod play;

use std::fmt::Write as _;

use kibitz_board::{Endgame, Role};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::{Condition, Key, QUANTITIES, Rule};
use arena::{Arena, Keys};
use play::Play;

/// How rules are learned.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, rename_all = "kebab-case")
)]
pub struct LearnParams {
    /// Clauses that are refined at a time.
    pub beam: usize,
    /// Most conditions of a rule.
    pub max_conditions: usize,
    /// Most rules.
    pub max_rules: usize,
    /// Most keys of the preference.
    pub max_keys: usize,
    /// Regret that a rule has to save for each of its conditions, as a share of all positions.
    pub worth: f64,
    /// Single changes that are tried.
    pub steps: usize,
    /// How much worse a list is for each move more that it allows on average, where one that wins no
    /// position is worse by 1 than one that wins all.
    pub freedom: f64,
    /// The loss at which a change is taken with a probability of 1/e in the beginning.
    pub heat: f64,
    /// Seed of the order in which changes are tried.
    pub seed: u64,
}

/// What was learned.
#[derive(Clone, Debug, Default)]
pub struct LearnedRules {
    /// The rules, in order.
    pub rules: Vec<Rule>,
    /// Which of several moves is made.
    pub preference: Vec<Key>,
    /// Positions that the best of the moves allowed wins.
    pub won: u32,
    /// Lists of rules that were judged.
    pub tried: u64,
}

/// A rule in terms of the arena.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Clause {
    /// Who moves.
    mover: usize,
    /// Its conditions, by number.
    literals: Vec<usize>,
    /// The moves that it allows in each position.
    moves: Vec<u32>,
}

/// Rules, and an order of moves.
#[derive(Clone)]
struct List {
    clauses: Vec<Clause>,
    keys: Keys,
}

/// Learns rules that win an endgame of three men.
///
/// `progress` is told the positions won, and all there are.
pub fn learn(
    endgame: &Endgame,
    params: LearnParams,
    progress: &mut dyn FnMut(u32, u32),
) -> LearnedRules {
    let arena = Arena::new(endgame);
    let mut learner = Learner {
        arena: &arena,
        params,
        tried: 0,
    };
    let list = learner.imitate();
    let (open, mut list) = learner.anneal(list, progress);
    learner.prefer(&mut list);
    LearnedRules {
        rules: (1..)
            .zip(&list.clauses)
            .map(|(n, clause)| learner.rule(n, clause))
            .collect(),
        preference: (list.keys.iter())
            .map(|(quantity, more)| Key {
                quantity: &QUANTITIES[*quantity],
                more: *more,
            })
            .collect(),
        won: arena.n_positions() - open,
        tried: learner.tried,
    }
}

/// What a list is worth.
#[derive(Clone, Copy, Debug)]
struct Worth {
    open: u32,
    value: f64,
}

impl LearnedRules {
    /// The rules as a [`RuleStrategy`](super::RuleStrategy) reads them.
    pub fn text(&self, title: &str, endgame: &Endgame) -> String {
        let mut text = format!("strategy \"{title}\" for {endgame}\n");
        let key = |key: &Key| {
            format!(
                "{} {}",
                if key.more { "more" } else { "less" },
                key.quantity.name
            )
        };
        if !self.preference.is_empty() {
            let keys: Vec<String> = self.preference.iter().map(key).collect();
            let _ = writeln!(text, "prefer {}", keys.join(", "));
        }
        for rule in &self.rules {
            let _ = writeln!(text, "{rule}");
        }
        text
    }
}

struct Learner<'a> {
    arena: &'a Arena,
    params: LearnParams,
    tried: u64,
}

impl Learner<'_> {
    fn clause(&self, mover: usize, literals: Vec<usize>) -> Clause {
        let mut moves = self.arena.movers[mover].1.clone();
        for literal in &literals {
            and(&mut moves, &self.arena.literals[*literal].moves);
        }
        Clause {
            mover,
            literals,
            moves,
        }
    }

    /// The number of the first rule that applies, and the regret, of each position.
    fn regrets(&mut self, list: &List) -> (Vec<usize>, Vec<u32>, u64) {
        self.tried += 1;
        let (mut firsts, mut regrets, mut sum) = (Vec::new(), Vec::new(), 0);
        for position in 0..self.arena.all.len() {
            let applies = |clause: &Clause| clause.moves[position] != 0;
            let first = list.clauses.iter().position(applies);
            let allowed = first.map_or(0, |first| list.clauses[first].moves[position]);
            let (_, regret) = self.arena.choice(&list.keys, position, allowed);
            firsts.push(first.unwrap_or(list.clauses.len()));
            regrets.push(regret);
            sum += u64::from(regret) * u64::from(self.arena.weights[position]);
        }
        (firsts, regrets, sum)
    }

    /// Rules that choose moves as good as can be said.
    fn imitate(&mut self) -> List {
        let mut list = List {
            clauses: vec![self.clause(0, Vec::new())],
            keys: Vec::new(),
        };
        let n = self.arena.n_positions();
        let worth = self.params.worth * f64::from(n);
        let mut regret = self.regrets(&list).2;
        loop {
            let before = regret;
            if list.clauses.len() < self.params.max_rules
                && let Some((clause, place, then)) = self.best_rule(&list, regret, worth)
            {
                list.clauses.insert(place, clause);
                regret = then;
            }
            if regret == before {
                return list;
            }
        }
    }

    /// The rule that saves most regret, where it does, and the regret with it.
    fn best_rule(&mut self, list: &List, regret: u64, worth: f64) -> Option<(Clause, usize, u64)> {
        let (firsts, regrets, _) = self.regrets(list);
        let arena = self.arena;
        let mut best: Option<(f64, Clause, usize, u64)> = None;
        let mut beam: Vec<Clause> = (0..arena.movers.len())
            .map(|own| self.clause(own, Vec::new()))
            .collect();
        for n_conditions in 1..=self.params.max_conditions {
            let mut next: Vec<(u64, usize, Clause)> = Vec::new();
            for clause in &beam {
                for literal in 0..arena.literals.len() {
                    let mut longer = clause.clone();
                    longer.literals.push(literal);
                    and(&mut longer.moves, &arena.literals[literal].moves);
                    if longer.moves == clause.moves
                        || next.iter().any(|own| own.2.moves == longer.moves)
                    {
                        continue;
                    }
                    // The regret saved at each place: of positions whose first rule stands behind it.
                    let mut saved = vec![0_i64; list.clauses.len() + 1];
                    for (position, allowed) in longer.moves.iter().enumerate() {
                        if *allowed != 0 {
                            let (_, then) = self.arena.choice(&list.keys, position, *allowed);
                            let gain = i64::from(regrets[position]) - i64::from(then);
                            saved[firsts[position]] += gain * i64::from(arena.weights[position]);
                        }
                    }
                    self.tried += 1;
                    for place in (0..list.clauses.len()).rev() {
                        saved[place] += saved[place + 1];
                    }
                    let place = (0..list.clauses.len())
                        .max_by_key(|place| saved[*place])
                        .unwrap_or(0);
                    let Ok(saved) = u64::try_from(saved[place]) else {
                        continue;
                    };
                    let rank = next.partition_point(|own| own.0 >= saved);
                    if rank < self.params.beam {
                        next.insert(rank, (saved, place, longer));
                        next.truncate(self.params.beam);
                    }
                }
            }
            let Some((saved, place, clause)) = next.first() else {
                break;
            };
            let value = *saved as f64 - worth * n_conditions as f64;
            if value > best.as_ref().map_or(0.0, |best| best.0) {
                best = Some((value, clause.clone(), *place, regret - saved));
            }
            beam = next.into_iter().map(|own| own.2).collect();
        }
        best.map(|(_, clause, place, then)| (clause, place, then))
    }

    /// The moves that a list chooses.
    fn chosen(&self, list: &List) -> Vec<u32> {
        let chosen = |position: usize| {
            let mut allowed = list.clauses.iter().map(|clause| clause.moves[position]);
            let first = allowed.find(|allowed| *allowed != 0).unwrap_or(0);
            self.arena.choice(&list.keys, position, first).0
        };
        (0..self.arena.all.len()).map(chosen).collect()
    }

    /// Adds the key that helps most, as long as one does.
    fn prefer(&mut self, list: &mut List) {
        let mut cost = u32::MAX;
        while list.keys.len() < self.params.max_keys {
            let mut best: Option<(u32, Keys)> = None;
            for key in (0..QUANTITIES.len()).flat_map(|own| [(own, false), (own, true)]) {
                let keys = [list.keys.as_slice(), &[key]].concat();
                let other = List {
                    keys,
                    clauses: list.clauses.clone(),
                };
                self.tried += 1;
                let then = Play::new(self.arena, &self.chosen(&other), false)
                    .cost()
                    .open;
                if then < best.as_ref().map_or(cost, |best| best.0) {
                    best = Some((then, other.keys));
                }
            }
            let Some(best) = best else { return };
            (cost, list.keys) = best;
        }
    }

    /// Single changes, drawn at random, of which those that do harm are taken less and less often.
    /// The positions that the best list leaves open, and that list.
    fn anneal(&mut self, start: List, progress: &mut dyn FnMut(u32, u32)) -> (u32, List) {
        let n = self.arena.n_positions();
        let mut rng = ChaCha8Rng::seed_from_u64(self.params.seed);
        let mut here = (self.worth(&start), start);
        let mut best = here.clone();
        for step in 0..self.params.steps {
            let left = 1.0 - step as f64 / self.params.steps as f64;
            let heat = self.params.heat * left * left;
            if step % 256 == 0 {
                progress(n - best.0.open, n);
            }
            let change = self.draw(&here.1, &mut rng);
            let Some(other) = self.changed(&here.1, &change) else {
                continue;
            };
            let worth = self.worth(&other);
            let loss = worth.value - here.0.value;
            if loss <= 0.0 || rng.random_bool((-loss / heat).exp().min(1.0)) {
                here = (worth, other);
                if here.0.value < best.0.value {
                    best = here.clone();
                }
            }
        }
        (best.0.open, best.1)
    }

    /// What a list is worth when the best of the moves is made that it allows.
    fn worth(&mut self, list: &List) -> Worth {
        self.tried += 1;
        let n = self.arena.n_positions();
        let chosen = self.chosen(list);
        let cost = Play::new(self.arena, &chosen, true).cost();
        let weights = self.arena.weights.iter().map(|weight| f64::from(*weight));
        let allowed = chosen
            .iter()
            .zip(weights)
            .map(|(own, weight)| f64::from(own.count_ones()) * weight);
        let n = f64::from(n);
        let value = f64::from(cost.open) / n
            + if cost.open > 0 { INCOMPLETE } else { 0.0 }
            + LONGEST * f64::from(cost.longest)
            + self.params.freedom * allowed.sum::<f64>() / n
            + SIZE * size(list) as f64;
        Worth {
            open: cost.open,
            value,
        }
    }

    fn draw(&self, list: &List, rng: &mut ChaCha8Rng) -> Change {
        let n = list.clauses.len();
        let rule = rng.random_range(0..n);
        let other = rng.random_range(0..n);
        let literal = rng.random_range(0..self.arena.literals.len());
        let mover = rng.random_range(0..self.arena.movers.len());
        let place = rng.random_range(0..=list.clauses[rule].literals.len());
        match rng.random_range(0..19) {
            0 => Change::Drop(rule),
            1 | 2 => Change::Move(rule, other),
            3 => Change::Mover(rule, mover),
            4..=6 => Change::Less(rule, place),
            7..=10 => Change::More(rule, literal),
            11..=14 => Change::Swap(rule, place, literal),
            15 | 16 => Change::Insert(rule, mover, literal),
            _ => Change::Copy(rule, literal),
        }
    }

    fn changed(&self, list: &List, change: &Change) -> Option<List> {
        let mut other = list.clone();
        let clauses = &mut other.clauses;
        let n = clauses.len();
        match change {
            Change::Drop(rule) => {
                (n > 1 && *rule < n).then(|| clauses.remove(*rule))?;
            }
            Change::Move(from, to) => {
                (*from < n && *to < n).then_some(())?;
                let clause = clauses.remove(*from);
                clauses.insert(*to, clause);
            }
            Change::Mover(rule, mover) => {
                let own = clauses.get_mut(*rule)?;
                *own = self.clause(*mover, own.literals.clone());
            }
            Change::Less(rule, place) => {
                let own = clauses.get_mut(*rule)?;
                let mut literals = own.literals.clone();
                (*place < literals.len()).then(|| literals.remove(*place))?;
                *own = self.clause(own.mover, literals);
            }
            Change::More(rule, literal) => {
                let own = clauses.get_mut(*rule)?;
                (own.literals.len() < self.params.max_conditions).then_some(())?;
                let literals = [own.literals.as_slice(), &[*literal]].concat();
                *own = self.clause(own.mover, literals);
            }
            Change::Swap(rule, place, literal) => {
                let own = clauses.get_mut(*rule)?;
                let mut literals = own.literals.clone();
                *literals.get_mut(*place)? = *literal;
                *own = self.clause(own.mover, literals);
            }
            Change::Insert(rule, mover, literal) => {
                (*rule <= n && n < self.params.max_rules).then_some(())?;
                clauses.insert(*rule, self.clause(*mover, vec![*literal]));
            }
            Change::Copy(rule, literal) => {
                let own = clauses.get(*rule)?;
                (n < self.params.max_rules && own.literals.len() < self.params.max_conditions)
                    .then_some(())?;
                let literals = [own.literals.as_slice(), &[*literal]].concat();
                let copy = self.clause(own.mover, literals);
                clauses.insert(*rule, copy);
            }
        }
        Some(other)
    }

    fn rule(&self, number: usize, clause: &Clause) -> Rule {
        let literals = || clause.literals.iter().map(|own| &self.arena.literals[*own]);
        let conditions = |after: bool| -> Vec<Condition> {
            let own = literals().filter(|literal| literal.after == after);
            own.map(|literal| literal.condition.clone()).collect()
        };
        let role: Option<Role> = self.arena.movers[clause.mover].0;
        Rule {
            name: format!("R{number}"),
            before: conditions(false),
            role,
            after: conditions(true),
        }
    }
}

/// One change of a list, by numbers of rules, places of conditions and numbers of literals.
#[derive(Clone, Debug)]
enum Change {
    Drop(usize),
    Move(usize, usize),
    Mover(usize, usize),
    Less(usize, usize),
    More(usize, usize),
    Swap(usize, usize, usize),
    /// A rule of one condition before another.
    Insert(usize, usize, usize),
    /// A rule before itself with one condition more.
    Copy(usize, usize),
}

/// How much worse a list is that does not win every position: one that does is never given up for it.
const INCOMPLETE: f64 = 1.0;
/// How much worse a list is for each move of its longest mate.
const LONGEST: f64 = 0.003;
/// How much worse it is for each rule and condition.
const SIZE: f64 = 0.001;

/// Rules and conditions.
fn size(list: &List) -> usize {
    list.clauses.iter().map(|own| 1 + own.literals.len()).sum()
}

fn and(moves: &mut [u32], others: &[u32]) {
    for (own, other) in moves.iter_mut().zip(others) {
        *own &= other;
    }
}

#[cfg(test)]
mod tests {
    use kibitz_search::verification::{Scope, TieBreak, Verification};

    use super::super::RuleStrategy;
    use super::*;

    #[test]
    fn what_is_learned_wins_what_it_says() {
        let endgame: Endgame = "KRvK".parse().unwrap();
        let params = LearnParams {
            beam: 2,
            max_conditions: 4,
            max_rules: 8,
            max_keys: 1,
            worth: 0.002,
            steps: 400,
            freedom: 0.02,
            heat: 0.001,
            seed: 1,
        };
        let learned = learn(&endgame, params, &mut |_, _| {});
        assert!(learned.won > 0);
        assert!(learned.rules.len() <= 8 && learned.preference.len() <= 1);
        let text = learned.text("learned", &endgame);
        let strategy = RuleStrategy::read("learned", &text).unwrap();
        assert_eq!(learned.rules.len(), strategy.rules.len());
        let made = Verification::new(&endgame, Scope::All, &strategy, &mut |_, _| {}).unwrap();
        let won = made.outcomes(TieBreak::Angelic).summary().won;
        assert_eq!(won, learned.won as usize);
        assert_eq!(
            text,
            learn(&endgame, params, &mut |_, _| {}).text("learned", &endgame)
        );
    }
}
