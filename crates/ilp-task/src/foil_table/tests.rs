//! What is read of FOIL's files, and what is said about the rest.

use kibitz_text::Location;

use crate::{Findings, Source, Task};

fn tasks(text: &str) -> Vec<Task> {
    let source = Source { name: "t.d", text };
    Task::each_from_foil(source).unwrap_or_else(|error| panic!("{error}"))
}

/// The warnings about a task, each with its place and its help.
fn warnings(task: &Task) -> Vec<String> {
    let Findings { warnings, .. } = task.check();
    let warnings = warnings.iter().map(|issue| {
        let place = issue.location.as_ref().and_then(Location::line_and_column);
        format!(
            "{place:?} {} | {}",
            issue.kind,
            issue.help.as_deref().unwrap_or("")
        )
    });
    warnings.collect()
}

fn target(task: &Task) -> &str {
    task.symbols.name(task.target.name)
}

#[test]
fn a_constant_counts_once_in_its_type() {
    let tasks = tasks("N: a,b,*c,c,*c,a.\n\nh(N)\na\n.\n*p(N)\na\nb\n.\n");
    assert_eq!(tasks[0].negative.len(), 2);
    assert_eq!(tasks[0].bias.constants[0].constants.len(), 1);
    assert_eq!(
        warnings(&tasks[0]),
        ["Some((1, 11)) ignored 3 repeated constants of type N: c, a | "]
    );
}

#[test]
fn a_name_is_defined_once() {
    let two_types = "N: a,b.\nN: c.\n\nh(N)\na\n.\n";
    let two_relations = "N: a,b.\n\nh(N)\na\n.\n*h(N)\nb\n.\n";
    for (text, message, place) in [
        (two_types, "type N is defined twice", "t.d:2:1"),
        (two_relations, "relation h/1 is defined twice", "t.d:6:1"),
    ] {
        let error = Task::each_from_foil(Source { name: "t.d", text }).expect_err(text);
        let said = error.to_string();
        assert!(said.contains(message) && said.contains(place), "{said}");
    }
}

#[test]
fn each_relation_without_an_asterisk_is_learned() {
    let text = "N: a,b,c.\n\nh(N)\na\n.\ng(N)\nb\n.\n*p(N)\na\n.\n\ng\nc: -\n.\nh\na: +\n.\n";
    let both = tasks(text);
    let targets: Vec<&str> = both.iter().map(target).collect();
    assert_eq!(targets, ["h", "g"]);
    for (task, tests) in both.iter().zip([[1, 0], [0, 1]]) {
        assert_eq!([task.positive.len(), task.negative.len()], [1, 2]);
        assert_eq!([task.background.len(), task.bias.body.len()], [2, 2]);
        assert_eq!(task.test.each_ref().map(Vec::len), tests);
        assert_eq!(task.others.len(), 1);
        assert_eq!(warnings(task), [""; 0]);
    }
    let source = Source { name: "t.d", text };
    let error = Task::from_foil(source)
        .expect_err("two targets")
        .to_string();
    assert!(
        error.contains("mark the others with an asterisk"),
        "{error}"
    );
    // The first task is what it is where the other relation is background.
    let marked = tasks(&text.replace("\ng(N)", "\n*g(N)"));
    assert_eq!(marked.len(), 1);
    assert_eq!(marked[0].negative, both[0].negative);
    assert_eq!(marked[0].background, both[0].background);
    assert_eq!(marked[0].bias, both[0].bias);
}

#[test]
fn a_further_relation_without_negative_tuples_is_background() {
    let tasks = tasks("N: a,b.\nV: continuous.\n\nh(N)\na\n.\nval(N,V)\na,1.5\nb,2\n.\n");
    assert_eq!(tasks.len(), 1);
    assert_eq!(tasks[0].background.len(), 2);
    let said = warnings(&tasks[0]);
    let said = said.iter().find(|own| own.contains("val/2"));
    let said = said.expect("a warning");
    assert!(
        said.starts_with(
            "Some((7, 1)) val/2 has no negative tuples, and none can be made up | it is not learned"
        ),
        "{said}"
    );
}

#[test]
fn a_test_of_background_is_reported() {
    let tasks = tasks("N: a,b.\n\nh(N)\na\n.\n*p(N)\na\n.\n\np\nb: -\n.\n");
    assert_eq!(
        warnings(&tasks[0]),
        [
            "Some((10, 1)) ignored the test of p/1, which is not learned | a test needs a relation without an \
          asterisk"
        ]
    );
}

#[test]
fn constants_outside_their_types_are_reported() {
    let tasks = tasks(
        "N: a,b,c.\nV: continuous.\n\nh(N)\na\nqq\n.\n*p(N,V)\na,1\nzz,2\nyy,3\nzz,4\n?,5\nb,many\nc,?\n.\n\nh\nxx: +\nb: -\n.\n",
    );
    let said = warnings(&tasks[0]);
    let said: Vec<&str> = said
        .iter()
        .filter_map(|own| own.split(" | ").next())
        .collect();
    assert_eq!(
        said[1..],
        [
            "Some((6, 1)) h has 1 constant that its type does not list: qq",
            "Some((10, 1)) p has 3 constants that their types do not list: zz, yy, many",
            "Some((19, 1)) the test of h has 1 constant that its type does not list: xx",
        ]
    );
}
