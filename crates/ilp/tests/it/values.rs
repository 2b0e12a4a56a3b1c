//! Values and numbers that become constants, and what `mml` learns of them.

use std::fmt::Write as _;

use kibitz_ilp::learn::Mml;
use kibitz_ilp::{Source, Study, Task};

fn mushrooms(bias: &str) -> Task {
    let source = |name, text| Source { name, text };
    let (mut examples, mut facts) = (String::new(), String::new());
    for i in 0..40 {
        let sign = if i % 4 == 0 { "pos" } else { "neg" };
        let _ = write!(examples, "{sign}(bad(m{i})). ");
        let odor = ["foul", "almond", "anise", "none"][i % 4];
        let _ = write!(facts, "odor(m{i},{odor}). weight(m{i},{i}). ");
    }
    Task::from_popper(
        source("exs.pl", &examples),
        source("bk.pl", &facts),
        source("bias.pl", bias),
    )
    .expect("a task")
}

const BIAS: &str = "head_pred(bad,1). body_pred(odor,2). body_pred(weight,2). type(bad,(m,)). \
                    type(odor,(m,smell)). type(weight,(m,grams)).";

#[test]
fn few_values_become_constants() {
    let mut task = mushrooms(BIAS);
    let before = task.learn(&Mml::default()).expect("learned");
    assert_eq!(before.clauses.len(), 0, "{before}");
    let taken = task.take_values_as_constants();
    // There are forty weights.
    assert_eq!(taken.len(), 1);
    assert_eq!(task.symbols.name(taken[0].0.kind), "smell");
    assert_eq!(taken[0].1.len(), 4);
    let theory = task.learn(&Mml::default()).expect("learned");
    assert_eq!(theory.text, "bad(A) :- odor(A,foul).\n");
    assert!(task.take_values_as_constants().is_empty());
}

#[test]
fn numbers_are_cut_where_it_saves_bits() {
    let source = |name, text| Source { name, text };
    let (mut examples, mut facts) = (String::new(), String::new());
    for i in 0..120 {
        let weight = i * 37 % 120;
        let sign = if weight < 60 { "pos" } else { "neg" };
        let _ = write!(examples, "{sign}(light(b{i})). ");
        let _ = write!(facts, "weight(b{i},{weight}). ");
    }
    let bias =
        "head_pred(light,1). body_pred(weight,2). type(light,(box,)). type(weight,(box,grams)).";
    let mut task = Task::from_popper(
        source("exs.pl", &examples),
        source("bk.pl", &facts),
        source("bias.pl", bias),
    )
    .expect("a task");
    let cut = task.cut_numbers();
    assert_eq!(cut.len(), 1);
    assert_eq!(cut[0].1.len(), 32);
    let theory = task.learn(&Mml::default()).expect("learned");
    // The cuts are about four apart.
    let [tp, fn_, tn, fp] = theory.total.confusion();
    assert!(tp >= 57 && tn >= 57, "{theory}");
    assert_eq!([tp + fn_, tn + fp], [60, 60]);
    assert!(
        theory.text.starts_with("light(A) :- weight(A,B), B=<"),
        "{theory}"
    );
}

#[test]
fn types_with_several_places_or_constants_stay() {
    let more = format!("{BIAS} constant(foul,smell).");
    assert!(mushrooms(&more).take_values_as_constants().is_empty());
    let more = format!("{BIAS} body_pred(near,2). type(near,(smell,smell)).");
    assert!(mushrooms(&more).take_values_as_constants().is_empty());
}
