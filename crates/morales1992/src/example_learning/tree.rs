//! A decision tree on attributes of positions, for comparison with learners of clauses.

use kibitz_experiment::CellError;
use kibitz_prolog::{BitSet, bits_where};
use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa_trees::{DecisionTree, SplitQuality};
use ndarray::{Array1, Array2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::examples::Examples;
use super::space::{Background, Concept, N_POSITIONS, Position, position};

/// A decision tree by gain of information (`linfa-trees`), not pruned.
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

/// The decision of a tree.
pub(super) struct TreeDecision {
    /// Leaves that say that the concept is true.
    pub(super) leaves: usize,
    /// The positions in them.
    pub(super) covered: BitSet,
}

/// A number of a position by which a tree may split.
enum Attribute {
    Coordinate(usize),
    /// Whether a relation, given by its pairs, holds of two coordinates.
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

    pub(super) fn grow(
        &self,
        concept: Concept,
        examples: &Examples,
    ) -> Result<TreeDecision, CellError> {
        let attributes = self.attributes(concept);
        let sides = [(&examples.positive, true), (&examples.negative, false)];
        let given = sides.into_iter().flat_map(|(side, label)| {
            let of = move |&index: &usize| (position(index), label);
            side.iter().map(of)
        });
        let root = Node::grow(&given.collect::<Vec<_>>(), &attributes)?;
        Ok(TreeDecision {
            leaves: root.n_leaves(),
            covered: bits_where(N_POSITIONS, |index| {
                root.decides(&attributes, &position(index))
            }),
        })
    }
}

/// A node of a tree.
enum Node {
    /// Whether the concept is true.
    Leaf(bool),
    /// An attribute, and the nodes of lesser and of greater values of it than this.
    Split(usize, f64, Box<[Node; 2]>),
}

impl Node {
    /// Each split is fitted to the examples of its own branch: among those of all branches
    /// `linfa-trees` 0.8 overlooks a split where the next equal value belongs to another branch.
    fn grow(given: &[(Position, bool)], attributes: &[Attribute]) -> Result<Self, CellError> {
        let n_true = given.iter().filter(|(_, label)| *label).count();
        let leaf = Self::Leaf(2 * n_true > given.len());
        if n_true == 0 || n_true == given.len() {
            return Ok(leaf);
        }
        let values =
            (given.iter()).flat_map(|(own, _)| attributes.iter().map(move |it| it.of(own)));
        let values: Vec<f64> = values.collect();
        let records = Array2::from_shape_vec((given.len(), attributes.len()), values)?;
        let labels: Array1<bool> = given.iter().map(|(_, label)| *label).collect();
        let stump = DecisionTree::params()
            .split_quality(SplitQuality::Entropy)
            .max_depth(Some(1))
            .fit(&DatasetBase::new(records, labels))?;
        let (attribute, value, gain) = stump.root_node().split();
        let is_less = |own: &(Position, bool)| attributes[attribute].of(&own.0) <= value;
        let (less, more): (Vec<_>, Vec<_>) = given.iter().copied().partition(is_less);
        if gain <= 0.0 || less.is_empty() || more.is_empty() {
            return Ok(leaf);
        }
        let children = [
            Self::grow(&less, attributes)?,
            Self::grow(&more, attributes)?,
        ];
        Ok(Self::Split(attribute, value, Box::new(children)))
    }

    /// Leaves where the concept is true.
    fn n_leaves(&self) -> usize {
        match self {
            Self::Leaf(label) => usize::from(*label),
            Self::Split(_, _, children) => children.iter().map(Self::n_leaves).sum(),
        }
    }

    fn decides(&self, attributes: &[Attribute], position: &Position) -> bool {
        match self {
            Self::Leaf(label) => *label,
            Self::Split(attribute, value, children) => {
                let side = usize::from(attributes[*attribute].of(position) > *value);
                children[side].decides(attributes, position)
            }
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
