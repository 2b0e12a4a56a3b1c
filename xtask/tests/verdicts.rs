//! Every recorded agreement could have failed.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::{fs, path::Path};

/// Half a unit of the last printed digit.
fn half_unit(printed: &str) -> f64 {
    let digits = printed
        .split_once('.')
        .map_or(0, |(_, digits)| digits.len());
    0.5 * 10f64.powi(-i32::try_from(digits).unwrap())
}

#[test]
fn no_tolerance_of_an_agreement_accepts_nothing() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results");
    let mut n_bands = 0;
    for paper in fs::read_dir(results).unwrap().flatten() {
        for table in fs::read_dir(paper.path()).into_iter().flatten().flatten() {
            let path = table.path().join("compare.csv");
            let text = fs::read_to_string(&path).unwrap();
            for (figures, _) in text.lines().filter_map(|line| line.split_once(",agrees,")) {
                let place = format!("{}: {figures}", path.display());
                let mut fields = figures.rsplit(',');
                let [tolerance, _, ours, printed] = [(); 4].map(|()| fields.next().unwrap());
                assert!(!printed.is_empty(), "agrees with nothing: {place}");
                let numbers = printed.parse::<f64>().ok().zip(ours.parse::<f64>().ok());
                let (Some((printed_value, ours)), Some(band)) =
                    (numbers, tolerance.strip_prefix("± "))
                else {
                    continue;
                };
                n_bands += 1;
                let accepts_zero = if let Some(percent) = band.strip_suffix(" %") {
                    percent.parse::<f64>().unwrap() >= 100.0
                } else {
                    let width: f64 = band.parse().unwrap();
                    let is_within = printed_value.abs() <= width || ours.abs() <= width;
                    is_within && width > half_unit(printed)
                };
                assert!(!accepts_zero, "{place}");
            }
        }
    }
    assert!(n_bands > 30, "only {n_bands} were looked at");
}
