//! A decision tree on attributes of positions, for comparison with learners of clauses.

use kibitz_experiment::CellError;
use kibitz_ilp::{BitSet, bits_where};
use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa_trees::{DecisionTree, SplitQuality, TreeNode};
use ndarray::{Array1, Array2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::examples::Examples;
use super::space::{Background, Concept, N_POSITIONS, Position, position};

/// A decision tree by gain of information (`linfa-trees`), not pruned but for splits that decide nothing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct TreeParams {
    /// First part of the rows' names.
    pub(super) name: String,
    /// Relations of two coordinates. Whether one holds of two coordinates of the same type is an attribute;
    /// the coordinates themselves, as numbers, always are.
    #[serde(default)]
    pub(super) background: Vec<Background>,
}

/// What a tree decides.
pub(super) struct Grown {
    /// Leaves that say that the concept is true.
    pub(super) leaves: usize,
    /// The positions in them.
    pub(super) covered: BitSet,
}

/// A number of a position by which a tree may split.
enum Attribute {
    Coordinate(usize),
    /// Whether a relation, told by its pairs, holds of two coordinates.
    Relation(Vec<Vec<i64>>, [usize; 2]),
}

impl Attribute {
    fn of(&self, position: &Position) -> f64 {
        match self {
            Self::Coordinate(place) => f64::from(i32::try_from(position[*place]).unwrap_or(0)),
            Self::Relation(pairs, [x, y]) => {
                let holds = pairs.iter().any(|p| p[..] == [position[*x], position[*y]]);
                f64::from(u8::from(holds))
            }
        }
    }
}

impl TreeParams {
    fn attributes(&self, concept: Concept) -> Vec<Attribute> {
        let mut attributes: Vec<_> = (0..6).map(Attribute::Coordinate).collect();
        let kinds = concept.kinds();
        for background in &self.background {
            for (x, kind) in kinds.iter().enumerate() {
                let same = (0..6).filter(|&y| y != x && kinds[y] == *kind);
                attributes.extend(same.map(|y| Attribute::Relation(background.facts(), [x, y])));
            }
        }
        attributes
    }

    pub(super) fn grow(&self, concept: Concept, examples: &Examples) -> Result<Grown, CellError> {
        let attributes = self.attributes(concept);
        let given = || {
            let label = |side: &[usize], is| side.iter().map(|&i| (position(i), is)).collect();
            let both: [Vec<_>; 2] = [
                label(&examples.positive, true),
                label(&examples.negative, false),
            ];
            both.into_iter().flatten()
        };
        let values =
            given().flat_map(|(position, _)| attributes.iter().map(move |a| a.of(&position)));
        let values: Vec<f64> = values.collect();
        let n = values.len() / attributes.len();
        let records = Array2::from_shape_vec((n, attributes.len()), values)
            .map_err(|error| CellError::new(error.to_string()))?;
        let labels: Array1<bool> = given().map(|(_, label)| label).collect();
        // The library breaks a tie of a leaf in the order of a hash: there is none if the sides never weigh
        // the same. Sums of these weights are exact.
        let weight = |(_, label)| if label { 1.0 } else { 1.0 + 1.0 / 1024.0 };
        let weights: Array1<f32> = given().map(weight).collect();
        let data = DatasetBase::new(records, labels).with_weights(weights);
        let tree = DecisionTree::params()
            .split_quality(SplitQuality::Entropy)
            .fit(&data)
            .map_err(|error| CellError::new(error.to_string()))?;
        let root = tree.root_node();
        Ok(Grown {
            leaves: tree
                .iter_nodes()
                .filter(|node| node.prediction() == Some(true))
                .count(),
            covered: bits_where(N_POSITIONS, |index| {
                decide(root, &attributes, &position(index))
            }),
        })
    }
}

/// Whether the leaf of a position says that the concept is true.
fn decide(node: &TreeNode<f64, bool>, attributes: &[Attribute], position: &Position) -> bool {
    let mut node = node;
    loop {
        let (attribute, value, _) = node.split();
        let side = usize::from(attributes[attribute].of(position) > value);
        match node.children().get(side).copied() {
            Some(Some(child)) if !node.is_leaf() => node = child,
            _ => return node.prediction().unwrap_or(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_splits_by_relations() {
        let mut examples = Examples::new();
        let truth = bits_where(N_POSITIONS, |index| {
            let [a, _, _, _, e, _] = position(index);
            a == e
        });
        for index in (0..N_POSITIONS).step_by(997) {
            examples.push(index, &truth);
        }
        let grow = |background| {
            let name = String::new();
            let grown = TreeParams { name, background }.grow(Concept::Illegal, &examples);
            grown.expect("there are examples")
        };
        let related = grow(vec![Background::LessThan, Background::Equal]);
        assert_eq!((related.leaves, related.covered == truth), (1, true));
        let plain = grow(Vec::new());
        assert!(plain.leaves > 1 && plain.covered != truth);
    }
}
