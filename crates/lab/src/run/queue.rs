//! Which task comes next: the costliest whose lock is free.

use std::collections::BTreeSet;

/// Tasks by index, waiting to be taken.
#[derive(Debug)]
pub(super) struct Queue {
    /// Costliest first; equal ones as planned.
    waiting: Vec<usize>,
    locks: Vec<Option<String>>,
    held: BTreeSet<String>,
}

impl Queue {
    pub(super) fn new<'a>(tasks: impl Iterator<Item = (f64, Option<&'a str>)>) -> Self {
        let (costs, locks): (Vec<f64>, Vec<Option<String>>) = tasks
            .map(|(cost, lock)| (cost, lock.map(str::to_owned)))
            .unzip();
        let mut waiting: Vec<usize> = (0..costs.len()).collect();
        waiting.sort_by(|a, b| costs[*b].total_cmp(&costs[*a]));
        Self {
            waiting,
            locks,
            held: BTreeSet::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The next task whose lock is free; its lock is then held.
    pub(super) fn take(&mut self) -> Option<usize> {
        let at = self.waiting.iter().position(|idx| {
            self.locks[*idx]
                .as_ref()
                .is_none_or(|lock| !self.held.contains(lock))
        })?;
        let idx = self.waiting.remove(at);
        self.held.extend(self.locks[idx].clone());
        Some(idx)
    }

    /// Any waiting task, to be given up.
    pub(super) fn take_any(&mut self) -> Option<usize> {
        self.waiting.pop()
    }

    /// Gives the lock of a finished task back.
    pub(super) fn release(&mut self, idx: usize) {
        if let Some(lock) = &self.locks[idx] {
            self.held.remove(lock);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costliest_first_then_as_planned() {
        let mut queue = Queue::new([(1.0, None), (3.0, None), (1.0, None)].into_iter());
        let order: Vec<usize> = std::iter::from_fn(|| queue.take()).collect();
        assert_eq!(order, [1, 0, 2]);
    }

    #[test]
    fn a_lock_is_held_by_one() {
        let tasks = [(3.0, Some("memory")), (2.0, Some("memory")), (1.0, None)];
        let mut queue = Queue::new(tasks.into_iter());
        assert_eq!(queue.take(), Some(0));
        assert_eq!(queue.take(), Some(2));
        assert_eq!(queue.take(), None);
        assert!(!queue.is_empty());
        queue.release(0);
        assert_eq!(queue.take(), Some(1));
        assert!(queue.is_empty());
    }
}
