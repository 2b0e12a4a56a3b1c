//! Learns what a grandparent is from a family, with Foil, and checks the definition by proof.
//!
//! `cargo run -p kibitz-ilp --example family`

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use kibitz_ilp::learn::{NoProgress, foil};
use kibitz_ilp::{Limits, Source, Task, verify};

const EXAMPLES: &str = "
    pos(grandparent(ann,dan)). pos(grandparent(ann,eve)). pos(grandparent(bob,fay)).
    neg(grandparent(ann,bob)). neg(grandparent(bob,dan)). neg(grandparent(dan,ann)).
    neg(grandparent(cas,fay)). neg(grandparent(eve,eve)).";

const BACKGROUND: &str = "
    parent(ann,bob). parent(ann,cas). parent(bob,dan). parent(cas,eve). parent(dan,fay).";

const BIAS: &str = "
    head_pred(grandparent,2). body_pred(parent,2).
    type(grandparent,(person,person)). type(parent,(person,person)).";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = |name, text| Source { name, text };
    let mut task = Task::from_popper(
        source("exs.pl", EXAMPLES),
        source("bk.pl", BACKGROUND),
        source("bias.pl", BIAS),
    )?;
    for warning in task.check().warnings {
        println!("warning: {warning}");
    }
    let db = task.database()?;
    let learned = foil::learn(&task, &db, &foil::FoilParams::default(), &mut NoProgress)?;
    let verified = verify(&task, &db, &learned.clauses, Limits::default())?;
    let [tp, fn_, tn, fp] = verified.total.confusion();
    print!("{}", verified.text);
    println!("right on {tp} positive and {tn} negative examples, wrong on {fn_} and {fp}");
    assert_eq!(
        verified.text,
        "grandparent(A,B) :- parent(C,B), parent(A,C).\n"
    );
    assert_eq!([fn_, fp], [0, 0]);
    Ok(())
}
