//! Few behaviors, and true ones: chatter is left open by default, and what only rises does not come back.

use kibitz_qsim::{Ending, Options, System, render};

const LOGISTIC: &str = r#"
[variables]
p = { landmarks = ["0", "p0", "capacity", "inf"] }
room = { landmarks = ["minf", "0", "inf"] }
growth = { landmarks = ["minf", "0", "inf"] }
[[constraints]]
kind = "m_minus"
of = ["p", "room"]
corresponding = [["capacity", "0"]]
[[constraints]]
kind = "mult"
of = ["p", "room", "growth"]
[[constraints]]
kind = "deriv"
of = ["p", "growth"]
[[initial]]
p = "p0"
"#;

const EPIDEMIC: &str = r#"
[variables]
s = { landmarks = ["0", "s0", "inf"] }
i = { landmarks = ["0", "inf"] }
r = { landmarks = ["0", "inf"] }
infection = { landmarks = ["0", "inf"] }
recovery = { landmarks = ["0", "inf"] }
ds = { landmarks = ["minf", "0"] }
di = { landmarks = ["minf", "0", "inf"] }
[[constraints]]
kind = "mult"
of = ["s", "i", "infection"]
[[constraints]]
kind = "m_plus"
of = ["i", "recovery"]
corresponding = [["0", "0"]]
[[constraints]]
kind = "minus"
of = ["infection", "ds"]
corresponding = [["0", "0"]]
[[constraints]]
kind = "add"
of = ["di", "recovery", "infection"]
corresponding = [["0", "0", "0"]]
[[constraints]]
kind = "deriv"
of = ["s", "ds"]
[[constraints]]
kind = "deriv"
of = ["i", "di"]
[[constraints]]
kind = "deriv"
of = ["r", "recovery"]
[[initial]]
s = "s0"
i = "0..inf"
r = "0"
"#;

/// The number of behaviors, of those that come back, and the lines above the tables.
fn told(name: &str, text: &str, options: &Options) -> (usize, usize, String) {
    let system = System::from_toml(name, text).expect("sound");
    let tree = system
        .model
        .simulate(&system.initial, options)
        .expect("a start");
    let behaviors = tree.behaviors();
    let returns = behaviors.iter();
    let returns = returns
        .filter(|own| matches!(own.ending, Ending::Cycle(_)))
        .count();
    let text = render::behaviors_text(&system.title, &tree);
    let head = text.split("\n\n").next().unwrap_or_default();
    (behaviors.len(), returns, head.to_owned())
}

#[test]
fn what_only_rises_or_falls_does_not_come_back() {
    let all = Options {
        ignore_chatter: false,
        ..Options::default()
    };
    let few = Options::default();
    let mut heads = Vec::new();
    for (name, text, most) in [
        ("logistic.toml", LOGISTIC, 1),
        ("epidemic.toml", EPIDEMIC, 24),
    ] {
        let (n, returns, head) = told(name, text, &few);
        assert_eq!((n, returns), (most, 0), "{name}");
        heads.push(head);
        let (more, returns, head) = told(name, text, &all);
        assert!(more > n && returns == 0, "{name}: {more}, {returns}");
        heads.push(head);
    }
    insta::assert_snapshot!(heads.join("\n\n"));
}

/// Of a spring that swings, the states come back.
#[test]
fn what_swings_comes_back() {
    let spring = crate::common::bundled("spring");
    let tree = spring
        .model
        .simulate(&spring.initial, &Options::default())
        .expect("a start");
    let behaviors = tree.behaviors();
    assert!(
        behaviors
            .iter()
            .any(|own| matches!(own.ending, Ending::Cycle(_)))
    );
}
