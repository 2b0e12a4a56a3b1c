//! The directed graph of positions, and the library of those that play has left behind.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::Bounds;

/// Number of a position in the graph.
pub(super) type Id = usize;

/// A position that has been evaluated.
#[derive(Clone, Debug)]
pub(super) struct Node<P, K, M> {
    pub(super) position: P,
    pub(super) key: K,
    pub(super) bounds: Bounds,
    /// Empty until the position is refined for the first time.
    pub(super) successors: Vec<Successor<M>>,
}

/// A move and the position it leads to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Successor<M> {
    pub(super) m: M,
    pub(super) state: State,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    Evaluated(Id),
    /// Not worth evaluating so far, and how good it may be at most.
    Unevaluated(f64),
}

impl<M> Successor<M> {
    pub(super) fn id(&self) -> Option<Id> {
        match self.state {
            State::Evaluated(id) => Some(id),
            State::Unevaluated(_) => None,
        }
    }
}

/// Every position evaluated, each once however it is reached (point 9).
#[derive(Clone, Debug)]
pub(super) struct Graph<P, K, M> {
    nodes: Vec<Node<P, K, M>>,
    index: FxHashMap<K, Id>,
    pub(super) library: FxHashMap<K, Bounds>,
}

impl<P, K, M> Default for Graph<P, K, M> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            index: FxHashMap::default(),
            library: FxHashMap::default(),
        }
    }
}

impl<P, K: Copy + Eq + Hash, M> Graph<P, K, M> {
    pub(super) fn find(&self, key: K) -> Option<Id> {
        self.index.get(&key).copied()
    }

    pub(super) fn insert(&mut self, position: P, key: K, bounds: Bounds) -> Id {
        let id = self.nodes.len();
        self.index.insert(key, id);
        self.nodes.push(Node {
            position,
            key,
            bounds,
            successors: Vec::new(),
        });
        id
    }

    pub(super) fn node(&self, id: Id) -> &Node<P, K, M> {
        &self.nodes[id]
    }

    pub(super) fn node_mut(&mut self, id: Id) -> &mut Node<P, K, M> {
        &mut self.nodes[id]
    }

    pub(super) fn bounds(&self, id: Id) -> Bounds {
        self.nodes[id].bounds
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Keeps the nodes that can be reached from `root` and moves the others to the library.
    pub(super) fn retire_unreachable(&mut self, root: Id) {
        let mut new_ids = vec![None; self.nodes.len()];
        let mut order = vec![root];
        new_ids[root] = Some(0);
        let mut next = 0;
        while let Some(&id) = order.get(next) {
            next += 1;
            for successor in self.nodes[id].successors.iter().filter_map(Successor::id) {
                if new_ids[successor].is_none() {
                    new_ids[successor] = Some(order.len());
                    order.push(successor);
                }
            }
        }
        let mut kept: Vec<Option<Node<P, K, M>>> = order.iter().map(|_| None).collect();
        for (node, new_id) in self.nodes.drain(..).zip(&new_ids) {
            match *new_id {
                Some(new_id) => kept[new_id] = Some(node),
                None => {
                    self.library.insert(node.key, node.bounds);
                }
            }
        }
        self.nodes = kept.into_iter().flatten().collect();
        self.index.clear();
        for (id, node) in self.nodes.iter_mut().enumerate() {
            self.index.insert(node.key, id);
            for successor in &mut node.successors {
                if let State::Evaluated(old) = successor.state
                    && let Some(new) = new_ids[old]
                {
                    successor.state = State::Evaluated(new);
                }
            }
        }
    }

    /// Moves everything to the library.
    pub(super) fn retire_all(&mut self) {
        for node in self.nodes.drain(..) {
            self.library.insert(node.key, node.bounds);
        }
        self.index.clear();
    }
}
