//! Questions whose answers no page has yet shown.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use serde_json::{Value, json};

fn answer(question: &Value) -> Value {
    serde_json::from_slice(&kibitz_web::answer(question.to_string().as_bytes())).unwrap()
}

const TANK: &str = r#"
title = "A tank with a leak"
initial = [{ amount = "full" }]
[variables]
amount = { landmarks = ["0", "full"], range = ["0", "full"] }
change = { landmarks = ["minf", "0", "inf"] }
[[constraints]]
kind = "m_minus"
of = ["amount", "change"]
corresponding = [["0", "0"]]
[[constraints]]
kind = "deriv"
of = ["amount", "change"]
"#;

fn check(of: &Value) -> Value {
    answer(&json!({ "ask": "check", "system": TANK, "of": of }))
}

#[test]
fn trajectories_are_among_the_behaviors_or_not() {
    let falls = check(&json!({"trajectory": {"text": "time,amount\n0,9\n1,7\n2,5\n"}}));
    assert_eq!(falls["consistent"], true, "{falls}");
    assert!(!falls["path"].as_array().unwrap().is_empty());
    let rises = check(&json!({"trajectory": {"text": "time,amount\n0,9\n1,7\n2,8\n"}}));
    assert_eq!(rises["consistent"], false);
    assert!(rises["contradiction"]["variables"].is_object());
    let text = rises["text"].as_str().unwrap();
    assert!(text.contains("trajectory.csv:"), "{text}");
}

#[test]
fn sequences_of_states_follow_or_not() {
    let state = |value: &str| format!("[[states]]\namount = \"{value}\"\n");
    let sequence = |second| check(&json!({"states": state("full/dec") + &state(second)}));
    assert_eq!(sequence("0..full/dec")["consistent"], true);
    let refused = sequence("0..full/inc");
    assert_eq!(refused["contradiction"]["number"], 1);
    let text = refused["text"].as_str().unwrap();
    assert!(text.contains("refuse state 2"), "{text}");
}

#[test]
fn a_quiz_asks_what_comes_next() {
    let quiz = answer(&json!({ "ask": "quiz", "system": TANK }));
    assert_eq!(quiz["title"], "A tank with a leak");
    let exercises = quiz["exercises"].as_array().unwrap();
    assert_eq!(exercises[0]["state"], "amount=full/dec change=minf..0/inc");
    for exercise in exercises {
        let choices = exercise["choices"].as_array().unwrap();
        let n_right = choices.iter().filter(|choice| choice["right"] == true);
        assert!((1..choices.len()).contains(&n_right.count()), "{exercise}");
    }
    let still = TANK.replace("\"full\" }]", "\"0\" }]");
    let refused = answer(&json!({ "ask": "quiz", "system": still }));
    let message = refused["error"][0]["message"].as_str().unwrap();
    assert!(message.contains("nothing to predict"), "{message}");
}

#[test]
fn mistakes_about_trajectories_have_names() {
    let wrong = |more: &Value| {
        let mut of = json!({ "text": "time,amount\n0,9\n" });
        let both = (of.as_object_mut().unwrap(), more.as_object().unwrap());
        both.0.extend(both.1.clone());
        let answer = check(&json!({ "trajectory": of }));
        answer["error"][0]["message"].as_str().unwrap().to_owned()
    };
    let mistakes = [
        (json!({"landmarks": {"amount": {"fill": 1.0}}}), "`full`"),
        (json!({"tolerances": {"amont": 1.0}}), "`amount`"),
        (json!({"tolerance": -1.0}), "at least 0"),
        (json!({"text": "time,amount\n0,nine\n"}), "nine"),
    ];
    for (more, told) in mistakes {
        let message = wrong(&more);
        assert!(message.contains(told), "{message}");
    }
}

fn learn(more: &Value) -> Value {
    let mut question = json!({
        "ask": "learn",
        "examples": include_str!("../tasks/grandparent/exs.pl"),
        "background": include_str!("../tasks/grandparent/bk.pl"),
        "bias": include_str!("../tasks/grandparent/bias.pl"),
    });
    let both = (question.as_object_mut().unwrap(), more.as_object().unwrap());
    both.0.extend(both.1.clone());
    answer(&question)
}

#[test]
fn options_of_the_program_are_obeyed_or_refused() {
    let theory = learn(&json!({"learner": "foil", "test": 0.3, "seed": 2}));
    assert!(theory["theory"]["test"]["counts"].is_object(), "{theory}");
    let folds = learn(&json!({"learner": "foil", "folds": 2}));
    assert_eq!(folds["folds"].as_array().unwrap().len(), 2);
    let short = learn(&json!({"learner": "foil", "max_body": 1}));
    assert_eq!(short["theory"]["clauses"], json!([]), "{short}");
    let refused = [
        (
            json!({"learner": "foil", "noise": "none"}),
            "not supported by foil",
        ),
        (
            json!({"learner": "cigol", "min_positives": 2}),
            "not supported by cigol",
        ),
        (json!({"learner": "foil", "folds": 1}), "at least 2"),
        (json!({"learner": "foil", "test": 1.5}), "between 0 and 1"),
        (
            json!({"learner": "foil", "min_accuracy": 2.0}),
            "from 0 to 1",
        ),
        (json!({"learner": "foyl"}), "did you mean `foil`"),
    ];
    for (options, why) in refused {
        let told = learn(&options)["error"][0]["message"].clone();
        assert!(told.as_str().unwrap().contains(why), "{told}");
    }
}

#[test]
fn what_is_undecided_is_told() {
    let judged = answer(&json!({
        "ask": "judge",
        "examples": "pos(t(a)).\n",
        "background": "far(A) :- far(A).\n",
        "bias": "head_pred(t,1).\nbody_pred(far,1).\n",
        "theory": "t(A) :- far(A).\n",
    }));
    assert_eq!(judged["undecided"], 1, "{judged}");
}
