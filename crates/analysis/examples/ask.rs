//! A dataset and a table that is a query over it, without a workspace: throws of a die.

#![allow(clippy::print_stdout, reason = "an example speaks")]

use std::collections::BTreeMap;

use kibitz_experiment::{Datum, Field, FieldType, Kind, Records};
use kibitz_lab::testing::TestBench;

const ASKED: &str = r#"
kind = "query"
title = "How often each throw is a six"
from = { throws = "beyond/throws" }
resample = { by = "game", method = "jackknife" }

[params]
sql = """
SELECT CONCAT('throw ', throw) AS row, 100.0 * SUM(CASE WHEN eyes = 6 THEN 1 ELSE 0 END) / COUNT(*) AS six
FROM throws GROUP BY throw"""
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut throws = Records::new(vec![
        Field::new("game", FieldType::Int, "", "number of the game"),
        Field::new("throw", FieldType::Int, "", "number of the throw in it"),
        Field::new("eyes", FieldType::Int, "eyes", "what the die shows"),
    ]);
    for game in 0..60_i64 {
        for throw in 1..=3_i64 {
            let eyes = 1 + (game * game + 5 * game * throw) % 6;
            throws.push([Datum::Int(game), throw.into(), eyes.into()])?;
        }
    }
    let query = kibitz_analysis::kinds()
        .into_iter()
        .find(|kind: &Kind| kind.name() == "query")
        .ok_or("there is such a kind")?;
    let sources = BTreeMap::from([("beyond/throws".to_owned(), throws)]);
    let bench = TestBench::reading(query, "beyond/sixes", ASKED, sources)?;
    let output = bench.run("query", 0).map_err(|error| error.to_string())?;
    for (row, column, value) in output.values() {
        println!("{row}  {column}  {value:?}");
    }
    Ok(())
}
