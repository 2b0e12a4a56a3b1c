//! Packed trees, and their values by hand.

use super::super::*;

#[test]
fn a_tree_by_hand() {
    // The maximizer chooses between 3 and a minimizer's choice of 5 and -1.
    let mut forest = Forest::new(1);
    let mut tree = forest.begin_tree(Side::Maximizer, 2);
    tree.leaf(&[3]);
    tree.inner(2);
    tree.leaf(&[5]);
    tree.leaf(&[-1]);
    tree.finish(0, 7).unwrap();
    let tree = forest.get(0).unwrap();
    assert_eq!((tree.group(), tree.chosen()), (7, 0));
    assert_eq!(
        tree.nodes().collect::<Vec<_>>(),
        [
            Node::Inner(2),
            Node::Leaf,
            Node::Inner(2),
            Node::Leaf,
            Node::Leaf
        ]
    );
    let mut evaluator = Evaluator::new(&[0.5], &[1.0]);
    let values: Vec<f64> = evaluator.alternatives(&tree).collect();
    let (high, low) = ((-2.5f64).exp(), 0.5f64.exp());
    let mean = (2.5 * high - 0.5 * low) / (high + low);
    assert_eq!(values[0], 1.5);
    assert!((values[1] - mean).abs() < 1e-15);
    let expected = 1.5 - (1.5f64.exp() + mean.exp()).ln();
    assert!((evaluator.log_likelihood(&tree) - expected).abs() < 1e-15);
}

#[test]
fn ends_have_the_papers_values() {
    // At depth 1 the minimizer has lost, at depth 2 the maximizer may have lost or drawn.
    let mut forest = Forest::new(0);
    let mut tree = forest.begin_tree(Side::Maximizer, 3);
    tree.lost();
    tree.drawn();
    tree.inner(2);
    tree.lost();
    tree.drawn();
    tree.finish(0, 0).unwrap();
    let tree = forest.get(0).unwrap();
    let mut evaluator = Evaluator::new(&[], &[]);
    let values: Vec<f64> = evaluator.alternatives(&tree).collect();
    assert_eq!(values, [590.0, 0.0, -580.0]);
    assert_eq!(evaluator.log_likelihood(&tree), 0.0);
}

#[test]
fn malformed_trees_leave_no_trace() {
    let mut forest = Forest::new(1);
    let mut tree = forest.begin_tree(Side::Maximizer, 1);
    tree.drawn();
    tree.finish(0, 0).unwrap();
    let before = forest.clone();

    let tree = forest.begin_tree(Side::Maximizer, 0);
    let error = tree.finish(0, 0).unwrap_err();
    assert_eq!(error, TreeError::ChildCount { tree: 1, found: 0 });

    let mut tree = forest.begin_tree(Side::Maximizer, 2);
    tree.drawn();
    let error = tree.finish(0, 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tree 1 announces 3 nodes and has 2, or they come out of order"
    );

    // The last node hangs on the one before, which hangs on nothing.
    let mut tree = forest.begin_tree(Side::Maximizer, 1);
    tree.drawn();
    tree.inner(1);
    assert!(matches!(
        tree.finish(0, 0),
        Err(TreeError::NodeCount { .. })
    ));

    let mut tree = forest.begin_tree(Side::Maximizer, 1);
    tree.leaf(&[1, 2]);
    let error = tree.finish(0, 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tree 1 has 2 attribute values, expected 1"
    );

    let mut tree = forest.begin_tree(Side::Maximizer, 1);
    tree.drawn();
    let error = tree.finish(1, 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tree 1: alternative 1 was chosen, but there are only 1"
    );

    assert_eq!(forest.len(), before.len());
    assert_eq!(forest.n_nodes(), before.n_nodes());
}

/// A decision between two leaves with these attributes.
fn push_pair(forest: &mut Forest, rows: [[i16; 2]; 2]) {
    let mut tree = forest.begin_tree(Side::Minimizer, 2);
    for row in &rows {
        tree.leaf(row);
    }
    tree.finish(0, 0).unwrap();
}

#[test]
fn leaves_take_as_many_bytes_as_they_need() {
    let (mut narrow, mut mixed) = (Forest::new(2), Forest::new(2));
    push_pair(&mut narrow, [[127, -128], [0, 1]]);
    for rows in [
        [[1, 2], [3, 128]],
        [[127, -128], [0, 1]],
        [[-129, 4], [5, 6]],
    ] {
        push_pair(&mut mixed, rows);
    }
    let columns = |forest: &Forest, tree| {
        let tree = forest.get(tree).unwrap();
        [0, 1].map(|attribute| tree.column(attribute))
    };
    assert_eq!(columns(&narrow, 0), [vec![127, 0], vec![-128, 1]]);
    assert_eq!(columns(&mixed, 0), [vec![1, 3], vec![2, 128]]);
    assert_eq!(columns(&mixed, 1), [vec![127, 0], vec![-128, 1]]);
    assert_eq!(columns(&mixed, 2), [vec![-129, 5], vec![4, 6]]);
    // The attributes alone: four values of one byte; four of one and eight of two.
    let overhead = |forest: &Forest, n_bytes| {
        let mut forest = forest.clone();
        forest.shrink_to_fit();
        (forest.heap_bytes() - n_bytes) / forest.len()
    };
    assert_eq!(overhead(&narrow, 4), overhead(&mixed, 4 + 16));
}

#[test]
fn pushed_trees_equal_their_originals() {
    let (mut built, mut copied) = (Forest::new(2), Forest::new(2));
    let rows = [[[1, 2], [3, 400]], [[5, 6], [7, 8]]];
    for rows in rows {
        push_pair(&mut built, rows);
    }
    for tree in built.iter() {
        copied.push_tree(&tree, 1, 9).unwrap();
    }
    for (tree, copy) in built.iter().zip(copied.iter()) {
        assert_eq!((copy.chosen(), copy.group()), (1, 9));
        assert_eq!(copy.first(), tree.first());
        assert!(copy.nodes().eq(tree.nodes()));
        assert_eq!(copy.column(1), tree.column(1));
    }
    let tree = built.get(0).unwrap();
    let error = copied.push_tree(&tree, 2, 0).unwrap_err();
    assert!(matches!(error, TreeError::ChosenOutOfRange { tree: 2, .. }));
    let error = Forest::new(3).push_tree(&tree, 0, 0).unwrap_err();
    assert!(matches!(
        error,
        TreeError::RowCount {
            expected: 6,
            found: 4,
            ..
        }
    ));
    assert_eq!(copied.len(), 2);
}
