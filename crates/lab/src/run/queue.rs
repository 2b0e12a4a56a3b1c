//! The work queue: list scheduling by the longest path of work that begins with a task.

/// The waiting tasks, by index.
#[derive(Debug)]
pub(super) struct Queue {
    /// Longest path first, equal ones as planned.
    waiting: Vec<usize>,
    /// The predecessors of each task.
    after: Vec<Vec<usize>>,
    done: Vec<bool>,
}

impl Queue {
    /// A queue of tasks, each with its cost and its predecessors.
    pub(super) fn new<'a>(tasks: impl Iterator<Item = (f64, &'a [usize])>) -> Self {
        let (costs, after): (Vec<f64>, Vec<Vec<usize>>) =
            tasks.map(|(cost, after)| (cost, after.to_vec())).unzip();
        let paths = longest_paths(&costs, &after);
        let mut waiting: Vec<usize> = (0..paths.len()).collect();
        waiting.sort_by(|a, b| paths[*b].total_cmp(&paths[*a]));
        Self {
            waiting,
            done: vec![false; after.len()],
            after,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes the next task that is ready.
    pub(super) fn take(&mut self) -> Option<usize> {
        let is_ready = |idx: &usize| self.after[*idx].iter().all(|before| self.done[*before]);
        let at = self.waiting.iter().position(is_ready)?;
        Some(self.waiting.remove(at))
    }

    /// Takes any waiting task, to be given up.
    pub(super) fn take_any(&mut self) -> Option<usize> {
        self.waiting.pop()
    }

    /// Marks a task as done, whether it failed or not.
    pub(super) fn finish(&mut self, idx: usize) {
        self.done[idx] = true;
    }
}

/// Of each task its cost and the costs of those that wait for it, one after the other, along the longest path.
fn longest_paths(costs: &[f64], after: &[Vec<usize>]) -> Vec<f64> {
    let mut paths = costs.to_vec();
    // Tasks wait for each other in no circle, so that each round settles one more step; the bound only guards.
    for _ in 0..costs.len() {
        let mut changed = false;
        for idx in (0..costs.len()).rev() {
            for before in &after[idx] {
                let path = costs[*before] + paths[idx];
                if path > paths[*before] {
                    paths[*before] = path;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costliest_first_then_as_planned() {
        let mut queue = Queue::new([1.0, 3.0, 1.0].into_iter().map(|cost| (cost, &[][..])));
        let order: Vec<usize> = std::iter::from_fn(|| queue.take()).collect();
        assert_eq!(order, [1, 0, 2]);
    }

    #[test]
    fn a_task_waits_for_those_before_it() {
        let tasks: [(f64, &[usize]); 3] = [(1.0, &[]), (3.0, &[0]), (5.0, &[])];
        let mut queue = Queue::new(tasks.into_iter());
        assert_eq!(queue.take(), Some(2));
        assert_eq!(queue.take(), Some(0));
        assert_eq!(queue.take(), None);
        assert!(!queue.is_empty());
        queue.finish(0);
        assert_eq!(queue.take(), Some(1));
        assert!(queue.is_empty());
    }

    #[test]
    fn what_long_tasks_wait_for_begins_first() {
        let tasks: [(f64, &[usize]); 4] = [(5.0, &[]), (9.0, &[2]), (1.0, &[3]), (1.0, &[])];
        let mut queue = Queue::new(tasks.into_iter());
        assert_eq!(queue.take(), Some(3));
        assert_eq!(queue.take(), Some(0));
    }
}
