use super::flatten::MatchingProblem;
use crate::eval::Arg;

const UNBOUND: u32 = u32::MAX;
/// Choices nested in one search.
const MAX_DEPTH: usize = 1_000;

/// Backtracking search with forward checking over the candidate tuples of each constraint.
///
/// Invariants: the first `live[c]` candidates of constraint `c` agree with every binding made so
/// far and the others do not; removal only swaps candidates behind that mark, so that undoing means
/// restoring the mark.
pub(super) struct Matcher<'p> {
    problem: &'p MatchingProblem,
    candidates: Vec<Vec<u32>>,
    live: Vec<usize>,
    binding: Vec<u32>,
    occurrences: Vec<Vec<usize>>,
    trail: Vec<Undo>,
    /// Tuples and constraints that may still be looked at; at 0 the search ends without success.
    left: &'p mut u64,
}

#[derive(Clone, Copy)]
enum Undo {
    Binding(u32),
    Live(usize, usize),
}

impl<'p> Matcher<'p> {
    /// A search that may look at `left` tuples.
    pub(super) fn new(problem: &'p MatchingProblem, left: &'p mut u64) -> Self {
        let mut occurrences = vec![Vec::new(); problem.n_slots as usize];
        for (c, constraint) in problem.constraints.iter().enumerate() {
            for slot in &*constraint.args {
                if let Arg::Var(var) = slot
                    && occurrences[*var as usize].last() != Some(&c)
                {
                    occurrences[*var as usize].push(c);
                }
            }
        }
        let candidates: Vec<Vec<u32>> = problem
            .constraints
            .iter()
            .map(|constraint| {
                let tuples = &problem.relations[constraint.relation as usize];
                if !spend(left, tuples.len()) {
                    return Vec::new();
                }
                (0u32..)
                    .zip(tuples)
                    .filter(|(_, t)| fits(&constraint.args, t))
                    .map(|(i, _)| i)
                    .collect()
            })
            .collect();
        Self {
            live: candidates.iter().map(Vec::len).collect(),
            candidates,
            binding: vec![UNBOUND; problem.n_slots as usize],
            occurrences,
            problem,
            trail: Vec::new(),
            left,
        }
    }

    /// The term bound to a slot after a successful search.
    pub(super) fn value(&self, slot: u32) -> Option<u32> {
        Some(self.binding[slot as usize]).filter(|&term| term != UNBOUND)
    }

    /// Whether all constraints can be met together.
    pub(super) fn solve(&mut self) -> bool {
        if self.live.contains(&0) || !self.make_arc_consistent() {
            return false;
        }
        let all: Vec<usize> = (0..self.problem.constraints.len()).collect();
        self.search(all, 0)
    }

    /// Removes candidates that hold a term which some other constraint rules out for the variable,
    /// until nothing changes.
    fn make_arc_consistent(&mut self) -> bool {
        let n_vars = self.problem.n_slots as usize;
        let mut domains: Vec<Option<Vec<u32>>> = vec![None; n_vars];
        let mut queue: Vec<usize> = (0..self.problem.constraints.len()).collect();
        let mut queued = vec![true; queue.len()];
        while let Some(c) = queue.pop() {
            queued[c] = false;
            let pattern = &self.problem.constraints[c].args;
            let tuples = &self.problem.relations[self.problem.constraints[c].relation as usize];
            let mut live = self.live[c];
            if !spend(self.left, live) {
                return false;
            }
            let mut i = 0;
            while i < live {
                let tuple = &tuples[self.candidates[c][i] as usize];
                let allowed = pattern.iter().zip(tuple).all(|(slot, term)| {
                    let domain = slot.var().and_then(|var| domains[var as usize].as_ref());
                    domain.is_none_or(|domain| domain.binary_search(term).is_ok())
                });
                if allowed {
                    i += 1;
                } else {
                    live -= 1;
                    self.candidates[c].swap(i, live);
                }
            }
            self.live[c] = live;
            if live == 0 {
                return false;
            }
            for (place, slot) in pattern.iter().enumerate() {
                let Arg::Var(var) = slot else { continue };
                let mut values: Vec<u32> = self.candidates[c][..live]
                    .iter()
                    .map(|&t| tuples[t as usize][place])
                    .collect();
                values.sort_unstable();
                values.dedup();
                let domain = &mut domains[*var as usize];
                if domain.as_ref().is_none_or(|old| values.len() < old.len()) {
                    *domain = Some(values);
                    for &other in &self.occurrences[*var as usize] {
                        if other != c && !queued[other] {
                            queued[other] = true;
                            queue.push(other);
                        }
                    }
                }
            }
        }
        true
    }

    fn search(&mut self, mut open: Vec<usize>, depth: usize) -> bool {
        let mark = self.trail.len();
        loop {
            open.retain(|&c| self.has_unbound(c));
            if open.is_empty() {
                return true;
            }
            if depth > MAX_DEPTH || !spend(self.left, open.len()) {
                break;
            }
            let components = self.components(&open);
            if components.len() > 1 {
                // Independent parts: a failure in one cannot be repaired in another.
                if components.into_iter().all(|it| self.search(it, depth + 1)) {
                    return true;
                }
                break;
            }
            let chosen = *open
                .iter()
                .min_by_key(|&&c| (self.live[c], c))
                .unwrap_or(&open[0]);
            open.retain(|&c| c != chosen);
            let choices: Vec<u32> = self.candidates[chosen][..self.live[chosen]].to_vec();
            if let [only] = choices[..] {
                // Without a choice nothing is nested.
                if self.assign(chosen, only) {
                    continue;
                }
                break;
            }
            for tuple in choices {
                let before = self.trail.len();
                if self.assign(chosen, tuple) && self.search(open.clone(), depth + 1) {
                    return true;
                }
                self.undo(before);
            }
            break;
        }
        self.undo(mark);
        false
    }

    fn has_unbound(&self, c: usize) -> bool {
        self.problem.constraints[c]
            .args
            .iter()
            .any(|slot| matches!(slot, Arg::Var(var) if self.binding[*var as usize] == UNBOUND))
    }

    /// Groups constraints that share unbound variables, in order of their first member.
    fn components(&self, open: &[usize]) -> Vec<Vec<usize>> {
        let mut in_open = vec![false; self.problem.constraints.len()];
        for &c in open {
            in_open[c] = true;
        }
        let mut components = Vec::new();
        for &start in open {
            if !in_open[start] {
                continue;
            }
            in_open[start] = false;
            let mut component = vec![start];
            let mut next = 0;
            while next < component.len() {
                for slot in &*self.problem.constraints[component[next]].args {
                    let Arg::Var(var) = slot else { continue };
                    if self.binding[*var as usize] != UNBOUND {
                        continue;
                    }
                    for &other in &self.occurrences[*var as usize] {
                        if std::mem::take(&mut in_open[other]) {
                            component.push(other);
                        }
                    }
                }
                next += 1;
            }
            components.push(component);
        }
        components
    }

    /// Binds the constraint's variables to a tuple and filters the candidates of its neighbors.
    fn assign(&mut self, c: usize, tuple: u32) -> bool {
        let problem = self.problem;
        let constraint = &problem.constraints[c];
        let tuple = &problem.relations[constraint.relation as usize][tuple as usize];
        let mut bound = Vec::new();
        for (slot, &term) in constraint.args.iter().zip(tuple) {
            if let Arg::Var(var) = slot
                && self.binding[*var as usize] == UNBOUND
            {
                self.binding[*var as usize] = term;
                self.trail.push(Undo::Binding(*var));
                bound.push(*var);
            }
        }
        for var in bound {
            for i in 0..self.occurrences[var as usize].len() {
                let other = self.occurrences[var as usize][i];
                if other != c && !self.filter(other, var) {
                    return false;
                }
            }
        }
        true
    }

    /// Keeps the candidates that agree with the binding of one variable.
    fn filter(&mut self, c: usize, var: u32) -> bool {
        let constraint = &self.problem.constraints[c];
        let tuples = &self.problem.relations[constraint.relation as usize];
        let term = self.binding[var as usize];
        let before = self.live[c];
        if !spend(self.left, before) {
            return false;
        }
        let mut live = before;
        let mut i = 0;
        while i < live {
            let tuple = &tuples[self.candidates[c][i] as usize];
            let agrees = constraint
                .args
                .iter()
                .zip(tuple)
                .all(|(slot, &t)| *slot != Arg::Var(var) || t == term);
            if agrees {
                i += 1;
            } else {
                live -= 1;
                self.candidates[c].swap(i, live);
            }
        }
        if live < before {
            self.trail.push(Undo::Live(c, before));
            self.live[c] = live;
        }
        live > 0
    }

    fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            match self.trail.pop() {
                Some(Undo::Binding(var)) => self.binding[var as usize] = UNBOUND,
                Some(Undo::Live(c, live)) => self.live[c] = live,
                None => break,
            }
        }
    }
}

/// Pays for tuples or constraints looked at; false once nothing is left.
fn spend(left: &mut u64, n: usize) -> bool {
    *left = left.saturating_sub(n as u64 + 1);
    *left > 0
}

/// Whether a tuple agrees with the terms of a pattern and with its repeated variables.
fn fits(pattern: &[Arg], tuple: &[u32]) -> bool {
    pattern
        .iter()
        .zip(tuple)
        .enumerate()
        .all(|(i, (slot, &term))| match slot {
            Arg::Const(own) => *own == term,
            Arg::Var(_) | Arg::New => pattern[..i]
                .iter()
                .zip(tuple)
                .all(|(earlier, &t)| earlier != slot || t == term),
        })
}
