use super::*;

fn rows<const N: usize>(rows: &[[f64; N]]) -> impl Iterator<Item = &[f64]> {
    rows.iter().map(|row| &row[..])
}

/// Two games; values in units of one.
fn two_games() -> ChoiceSets {
    let mut builder = ChoiceSets::builder(2);
    builder.push_flat(5, 1, &[0, 1, 2, 3]).unwrap();
    builder.push_flat(9, 0, &[4, 5, 6, 7, 8, 9]).unwrap();
    builder.push_flat(5, 0, &[-1, -2]).unwrap();
    builder.build()
}

#[test]
fn keeps_pushed_values() {
    let sets = two_games();
    assert_eq!(
        (sets.len(), sets.n_alternatives(), sets.n_attributes()),
        (3, 6, 2)
    );
    assert_eq!(sets.groups(), [5, 9]);
    let set = sets.get(1).unwrap();
    assert_eq!(
        (set.group(), set.chosen(), set.n_alternatives(), set.count()),
        (9, 0, 3, 1)
    );
    assert_eq!(set.alternative(2), [8.0, 9.0]);
    assert!(sets.get(3).is_none());
}

#[test]
fn whole_numbers_take_two_bytes_and_others_eight() {
    let mut builder = ChoiceSets::builder(2);
    builder
        .push(0, 0, rows(&[[1.0, 0.25], [-3.0, 32767.0]]))
        .unwrap();
    builder
        .push(0, 0, rows(&[[1e6, -0.5], [0.0, 1.0]]))
        .unwrap();
    builder.push_flat(0, 0, &[7, 8]).unwrap();
    let sets = builder.build();
    assert_eq!(sets.get(0).unwrap().alternative(0), [1.0, 0.25]);
    assert_eq!(sets.get(1).unwrap().alternative(0), [1e6, -0.5]);
    assert_eq!(sets.get(2).unwrap().alternative(0), [7.0, 8.0]);

    let mut whole = ChoiceSets::builder(1);
    let mut broken = ChoiceSets::builder(1);
    for _ in 0..1000 {
        whole.push(0, 0, rows(&[[1.0], [2.0]])).unwrap();
        broken.push(0, 0, rows(&[[1.5], [2.0]])).unwrap();
    }
    assert_eq!(
        broken.build().heap_bytes() - whole.build().heap_bytes(),
        2000 * (8 - 2)
    );
}

#[test]
fn scales_give_units_their_size() {
    let mut builder = ChoiceSets::scaled_builder(&[0.1, 2.0]).unwrap();
    builder.push_flat(0, 0, &[3, 5]).unwrap();
    builder.push(0, 0, rows(&[[0.3, 10.0]])).unwrap();
    builder.push(0, 0, rows(&[[0.35, 9.0]])).unwrap();
    let sets = builder.build();
    let first = sets.get(0).unwrap().alternative(0);
    assert_eq!(
        first,
        sets.get(1).unwrap().alternative(0),
        "0.3 is three tenths"
    );
    assert_eq!(first[1], 10.0);
    let third = sets.get(2).unwrap().alternative(0);
    assert!((third[0] - 0.35).abs() < 1e-15 && third[1] == 9.0);
}

#[test]
fn bad_sets_are_refused_and_leave_no_trace() {
    let mut builder = ChoiceSets::builder(2);
    builder.push(0, 0, rows(&[[1.0, 2.0]])).unwrap();
    let message = |result: Result<(), ChoiceError>| result.unwrap_err().to_string();
    assert_eq!(
        message(builder.push(0, 0, rows::<2>(&[]))),
        "choice set 1 has no alternatives"
    );
    assert_eq!(
        message(builder.push(0, 2, rows(&[[1.0, 2.0], [3.0, 4.0]]))),
        "choice set 1: alternative 2 was chosen, but there are only 2"
    );
    assert_eq!(
        message(builder.push(0, 0, rows(&[[1.0, 2.0], [3.0, f64::NAN]]))),
        "choice set 1: attribute 1 of alternative 1 is NaN, not a finite number of units"
    );
    assert_eq!(
        message(builder.push(0, 0, [&[1.0, 2.0][..], &[1.0][..]])),
        "choice set 1: alternative 1 has 1 attributes, expected 2"
    );
    assert_eq!(
        message(builder.push_flat(0, 0, &[1, 2, 3])),
        "choice set 1: 3 values do not divide into rows of 2 attributes"
    );
    assert_eq!(
        message(builder.push_flat(0, 0, &[])),
        "choice set 1 has no alternatives"
    );
    assert_eq!(
        ChoiceSets::scaled_builder(&[1.0, 0.0])
            .unwrap_err()
            .to_string(),
        "scale of attribute 1 is 0, expected a positive finite number"
    );
    let sets = builder.build();
    assert_eq!((sets.len(), sets.n_alternatives()), (1, 1));
}

#[test]
fn subsets_keep_order_count_repeats_and_ignore_the_unknown() {
    let sets = two_games();
    let subset = sets.by_groups(&[9, 5, 9, 77]);
    let counts: Vec<_> = subset
        .iter()
        .map(|set| (set.group(), set.count()))
        .collect();
    assert_eq!(counts, [(5, 1), (9, 2), (5, 1)]);
    assert_eq!((subset.len(), subset.n_choices()), (3, 4));
    let nested = subset.by_groups(&[9, 9, 9]);
    assert_eq!((nested.len(), nested.n_choices()), (1, 6));
    assert!(sets.by_groups(&[]).is_empty());
    assert!(
        Arc::ptr_eq(&sets.data, &nested.data),
        "the values are shared"
    );
}

#[test]
fn every_so_manieth_set_is_taken_as_often_as_it_counts() {
    let sets = two_games().by_groups(&[5, 5, 9]);
    let taken: Vec<_> = (sets.every(2).iter())
        .map(|set| (set.group(), set.chosen(), set.count()))
        .collect();
    assert_eq!(taken, [(5, 1, 2), (5, 0, 2)]);
    assert_eq!(sets.every(1).n_choices(), sets.n_choices());
}

#[test]
fn only_few_different_values_are_condensed() {
    let mut alike = ChoiceSets::builder(1);
    for _ in 0..7 {
        alike.push_flat(0, 1, &[4, 5, 4, 4]).unwrap();
        alike.push_flat(0, 0, &[1, 0, 0, 0]).unwrap();
    }
    let aggregated = alike.build().aggregated().unwrap();
    assert_eq!((aggregated.len(), aggregated.n_alternatives()), (1, 2));
    assert_eq!(aggregated.n_choices(), 14);
    assert!(two_games().aggregated().is_none());
    let mut broken = ChoiceSets::builder(1);
    broken.push(0, 0, rows(&[[0.5], [1.0]])).unwrap();
    assert!(broken.build().aggregated().is_none());
}
