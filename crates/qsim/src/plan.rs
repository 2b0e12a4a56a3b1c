//! The search plan of a region: static variable ordering for backtracking.

use crate::frame::Frame;
use crate::index::compact;
use crate::relation::Relation;

/// The order in which variables get values, and the constraints that each assignment completes.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Indices of the constraints in force.
    pub(crate) relations: Vec<usize>,
    /// The variables, in order of assignment.
    pub(crate) order: Vec<usize>,
    /// For each step of the order, places in `relations` of the constraints that it completes.
    pub(crate) closing: Vec<Vec<usize>>,
    /// For each variable, places in `relations` of the constraints it occurs in.
    pub(crate) touching: Vec<Vec<usize>>,
}

impl Plan {
    /// Orders greedily: next comes the variable that completes most of these constraints, among
    /// equals the one that occurs in most.
    pub(crate) fn new(frame: &Frame, relations: Vec<usize>) -> Self {
        let n = frame.spaces.len();
        let arguments = |at: usize| -> &[u16] {
            let relation: &Relation = &frame.relations[relations[at]];
            &relation.variables[..relation.arity()]
        };
        let mut placed = vec![false; n];
        let mut order = Vec::with_capacity(n);
        let mut closing = Vec::with_capacity(n);
        while order.len() < n {
            let score = |variable: usize| {
                let with =
                    (0..relations.len()).filter(|at| arguments(*at).contains(&compact(variable)));
                let (mut completed, mut begun) = (0, 0);
                for at in with {
                    let others = arguments(at)
                        .iter()
                        .filter(|v| usize::from(**v) != variable);
                    let missing = others.filter(|v| !placed[usize::from(**v)]).count();
                    completed += usize::from(missing == 0);
                    begun += 1;
                }
                (completed, begun)
            };
            let open = (0..n).filter(|variable| !placed[*variable]);
            // `max_by_key` returns the last maximum: of the reversed order that is the first.
            let next = open
                .rev()
                .max_by_key(|variable| score(*variable))
                .expect("one is open");
            placed[next] = true;
            order.push(next);
            closing.push(
                (0..relations.len())
                    .filter(|at| {
                        let used = arguments(*at);
                        used.contains(&compact(next))
                            && used.iter().all(|v| placed[usize::from(*v)])
                    })
                    .collect(),
            );
        }
        let touching = (0..n)
            .map(|variable| {
                let all = 0..relations.len();
                all.filter(|at| arguments(*at).contains(&compact(variable)))
                    .collect()
            })
            .collect();
        Self {
            relations,
            order,
            closing,
            touching,
        }
    }
}
