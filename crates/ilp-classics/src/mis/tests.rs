use std::fmt::Write as _;

use kibitz_ilp::learn::NoProgress;
use kibitz_ilp::{Source, Study, subsumes};
use kibitz_prolog::{Database, print_clause, read_clauses};

use super::refinement::Operator;
use super::*;

fn task(examples: &str, background: &str, bias: &str) -> Task {
    let source = |name, text| Source { name, text };
    Task::from_popper(
        source("exs.pl", examples),
        source("bk.pl", background),
        source("bias.pl", bias),
    )
    .expect("a task")
}

/// The examples of section 5.3 of the thesis, with false ones.
const MEMBER: &str = "pos(member(a,[a])). pos(member(1,[1,2])). pos(member(f,[f,g,h])).
    pos(member(1,[1])). pos(member(1,[2,1,3])). pos(member(a,[b,a,c,d])).
    pos(member(1,[3,2,1,4])). pos(member(b,[c,d,b,e,f])).
    neg(member(a,[])). neg(member(a,[b])). neg(member(2,[1,3])). neg(member(c,[a,b])).
    neg(member(1,[2,3,4])). neg(member(x,[y])).";

const LISTS: &str = "head_pred(member,2). body_pred(nil,1). enable_recursion.";

fn learned(mut task: Task) -> (Vec<String>, Stop) {
    let theory = task.learn(&Mis::default()).expect("learned");
    assert!(
        theory.is_correct() || theory.stop != Stop::Complete,
        "{theory}"
    );
    let mut lines: Vec<String> = theory.text.lines().map(str::to_owned).collect();
    lines.sort();
    (lines, theory.stop)
}

#[test]
fn member_is_learned_in_any_order_of_its_examples() {
    let expected = ["member(A,[A|B]).", "member(A,[B|C]) :- member(A,C)."];
    let (theory, stop) = learned(task(MEMBER, "nil([]).", LISTS));
    assert_eq!(
        (theory, stop),
        (expected.map(str::to_owned).to_vec(), Stop::Complete)
    );
    // The order that makes Cigol fail.
    let mut other = task(MEMBER, "nil([]).", LISTS);
    let fourth = other.positive.remove(3);
    other.positive.insert(1, fourth);
    assert_eq!(learned(other).0, expected);
}

#[test]
fn append_is_learned() {
    // All facts about short lists, as a patient user would give them.
    let lists = ["", "a", "b", "a,b", "b,a", "a,b,a"];
    let mut examples = String::new();
    for x in &lists[..4] {
        for y in &lists[..4] {
            for z in lists {
                let joined = [*x, *y].into_iter().filter(|own| !own.is_empty());
                let side = if joined.collect::<Vec<_>>().join(",") == z {
                    "pos"
                } else {
                    "neg"
                };
                let _ = write!(examples, "{side}(append([{x}],[{y}],[{z}])). ");
            }
        }
    }
    let bias = "head_pred(append,3). body_pred(nil,1). enable_recursion. max_body(1).";
    let (theory, stop) = learned(task(&examples, "nil([]).", bias));
    assert_eq!(stop, Stop::Complete);
    for clause in ["append([A|B],C,[A|D]) :- append(B,C,D).", "append([],A,A)."] {
        assert!(theory.iter().any(|own| own == clause), "{theory:?}");
    }
}

#[test]
fn relations_of_a_family_are_learned() {
    let facts =
        "parent(ann,bob). parent(ann,cid). parent(bob,dan). parent(cid,eva). parent(dan,fay).";
    let pairs = "pos(gp(ann,dan)). pos(gp(ann,eva)). pos(gp(bob,fay)). neg(gp(ann,bob)).
        neg(gp(dan,ann)). neg(gp(bob,dan)). neg(gp(cid,dan)). neg(gp(ann,fay)).";
    let (theory, _) = learned(task(pairs, facts, "head_pred(gp,2). body_pred(parent,2)."));
    assert_eq!(theory, ["gp(A,B) :- parent(A,C), parent(C,B)."]);
    let ancestors = "pos(anc(ann,bob)). pos(anc(ann,dan)). pos(anc(ann,fay)). pos(anc(bob,dan)).
        pos(anc(bob,fay)). pos(anc(cid,eva)). neg(anc(bob,ann)). neg(anc(dan,bob)). neg(anc(cid,dan)).
        neg(anc(eva,cid)). neg(anc(bob,eva)). neg(anc(ann,ann)). neg(anc(fay,ann)).";
    let bias = "head_pred(anc,2). body_pred(parent,2). enable_recursion. max_body(2).";
    let (theory, stop) = learned(task(ancestors, facts, bias));
    assert_eq!(stop, Stop::Complete);
    assert_eq!(theory.len(), 2, "{theory:?}");
    assert!(
        theory.iter().any(|line| line == "anc(A,B) :- parent(A,B)."),
        "{theory:?}"
    );
}

/// Knows an intended definition.
struct IntendedDefinition(Vec<Clause>);

impl Oracle for IntendedDefinition {
    fn is_true(&self, atom: &Atom, problem: &Problem<'_>) -> Result<Option<bool>, LearnError> {
        let mut prover = Prover::new(problem.database(), Limits::default());
        let prepared = prover.prepare(&self.0)?;
        prover.load(&prepared);
        for clause in 0..self.0.len() {
            if prover.covers(&prepared, clause, atom)?.is_proved() {
                return Ok(Some(true));
            }
        }
        Ok(Some(false))
    }
}

#[test]
fn a_contradiction_is_traced_to_the_clause_that_is_false() {
    let mut task = task(
        "pos(member(a,[a])). neg(member(z,[x,y,b])).",
        "nil([]).",
        LISTS,
    );
    let read = |task: &mut Task, text| read_clauses(text, &mut task.symbols).expect("valid");
    let theory = read(
        &mut task,
        "member(A,[A|B]). member(A,[B|C]) :- member(A,C). member(A,[b]).",
    );
    let intended = read(
        &mut task,
        "member(A,[A|B]). member(A,[B|C]) :- member(A,C).",
    );
    let db: Database = task.database().expect("compiles");
    let problem = Problem::with_database(&task, &db);
    let blamed = |oracle: Box<dyn Oracle>| {
        let mis = Mis {
            oracle,
            ..Mis::default()
        };
        let mut inference = Inference {
            mis: &mis,
            problem: &problem,
            operator: Operator::new(&problem, Vec::new(), 1),
            prover: Prover::new(&db, Limits::default()),
            progress: &mut NoProgress,
            theory: Vec::new(),
            refuted: FxHashSet::default(),
            read: [1, 1],
            agrees: [0, 0],
            steps: 0,
            stop: None,
        };
        inference.culprit(&theory, 0, 0).expect("carried out")
    };
    // Asked about member(z,[y,b]) and member(z,[b]), which are false as well.
    assert_eq!(blamed(Box::new(IntendedDefinition(intended))), Some(2));
    // The examples do not say, and the first clause that adds something is blamed.
    assert_eq!(blamed(Box::new(ExampleOracle)), Some(1));
}

/// The size by which refinements grow, after Shapiro: symbols, less different variables.
fn size(clause: &Clause) -> usize {
    let mut vars: Vec<kibitz_prolog::Var> = Vec::new();
    clause.for_each_var(&mut |var| {
        if !vars.contains(&var) {
            vars.push(var);
        }
    });
    clause.size() - vars.len()
}

#[test]
fn a_refinement_is_implied_and_larger() {
    let mut task = task(
        MEMBER,
        "nil([]). e(a,b). e(b,c).",
        "head_pred(member,2). body_pred(e,2). body_pred(nil,1). enable_recursion. max_vars(5).
         allow_singletons.",
    );
    task.bias.negation = true;
    let problem = Problem::new(&mut task).expect("compiles");
    let modes = problem.task().bias.body.clone();
    let operator = Operator::new(&problem, modes, 3);
    let mut layer = vec![operator.root()];
    for _ in 0..3 {
        let mut next = Vec::new();
        for node in &layer {
            let mut own: Vec<Clause> = Vec::new();
            for refined in operator.refinements(node) {
                let shown = || print_clause(&refined.clause, &problem.task().symbols).to_string();
                assert!(subsumes(&node.clause, &refined.clause), "{}", shown());
                assert!(size(&node.clause) < size(&refined.clause), "{}", shown());
                assert!(!own.contains(&refined.clause), "{}", shown());
                own.push(refined.clause.clone());
                next.push(refined);
            }
        }
        next.truncate(40);
        layer = next;
    }
    assert!(!layer.is_empty());
}
