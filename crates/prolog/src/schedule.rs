//! The order in which the goals of a conjunction are tried.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A goal in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Its place in the conjunction.
    pub goal: usize,
    /// Whether all that it waits for is known by then, so that one answer is enough.
    pub is_test: bool,
}

/// Tests as early as possible: a goal comes as soon as the variables that it waits for have values,
/// the first of several such goals before the others. Where there is none, the first goal that is left
/// comes and gives values to the variables that it binds.
///
/// `waits` tells the unknown variables that must be known for a goal to be a test, or `None` for a goal
/// that is none in any case; `binds` tells the variables that have values after a goal.
pub fn tests_first<W, B>(
    n_goals: usize,
    n_vars: usize,
    waits: impl Fn(usize) -> Option<W>,
    binds: impl Fn(usize) -> B,
) -> Vec<Turn>
where
    W: Iterator<Item = usize>,
    B: Iterator<Item = usize>,
{
    // The tests that wait for each variable, and how many variables each test waits for.
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); n_vars];
    let mut n_unknown = vec![0_usize; n_goals];
    let mut ready = BinaryHeap::new();
    for (goal, n_unknown) in n_unknown.iter_mut().enumerate() {
        let Some(vars) = waits(goal) else { continue };
        for var in vars {
            waiting[var].push(goal);
            *n_unknown += 1;
        }
        if *n_unknown == 0 {
            ready.push(Reverse(goal));
        }
    }
    let mut is_placed = vec![false; n_goals];
    let mut first_left = 0;
    let mut turns = Vec::with_capacity(n_goals);
    while turns.len() < n_goals {
        let test = ready.pop().map(|Reverse(goal)| goal);
        while test.is_none() && is_placed[first_left] {
            first_left += 1;
        }
        let goal = test.unwrap_or(first_left);
        is_placed[goal] = true;
        turns.push(Turn {
            goal,
            is_test: test.is_some(),
        });
        for var in binds(goal) {
            for test in std::mem::take(&mut waiting[var]) {
                n_unknown[test] -= 1;
                if n_unknown[test] == 0 && !is_placed[test] {
                    ready.push(Reverse(test));
                }
            }
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(goals: &[(&[usize], &[usize])]) -> Vec<(usize, bool)> {
        let waits = |goal: usize| Some(goals[goal].0.iter().copied());
        let turns = tests_first(goals.len(), 4, waits, |goal| goals[goal].1.iter().copied());
        turns.iter().map(|turn| (turn.goal, turn.is_test)).collect()
    }

    #[test]
    fn tests_come_once_their_variables_are_known() {
        // p(A,B), q(B,C), \+ r(A,C), s(B), t
        let goals: [(&[usize], &[usize]); 5] = [
            (&[0, 1], &[0, 1]),
            (&[1, 2], &[1, 2]),
            (&[0, 2], &[]),
            (&[1], &[1]),
            (&[], &[]),
        ];
        let expected = [(4, true), (0, false), (3, true), (1, false), (2, true)];
        assert_eq!(order(&goals), expected);
    }

    #[test]
    fn a_goal_that_waits_for_itself_or_for_nobody_has_its_turn() {
        // \+ p(A,A), q(B): nothing binds A.
        let goals: [(&[usize], &[usize]); 2] = [(&[0, 0], &[]), (&[1], &[1])];
        assert_eq!(order(&goals), [(0, false), (1, false)]);
        let no_test = tests_first(2, 1, |_| None::<std::ops::Range<usize>>, |_| 0..1);
        let places: Vec<usize> = no_test.iter().map(|turn| turn.goal).collect();
        assert_eq!(places, [0, 1]);
    }
}
