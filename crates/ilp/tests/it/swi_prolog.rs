//! Printed theories load in SWI-Prolog and answer as they do here.

use crate::common;
use crate::swipl::swi_prolog;

use std::fmt::Write;

use kibitz_ilp::learn::Foil;
use kibitz_ilp::{
    Database, Limits, Prover, Source, SymbolTable, Task, print_clause, read_clause, read_clauses,
};

#[test]
fn learned_theories_answer_identically() {
    let sides = common::positions(500, 11);
    let (examples, facts) = (common::popper_examples(&sides), common::board_facts());
    let mut task = Task::from_popper(
        Source {
            name: "exs.pl",
            text: &examples,
        },
        Source {
            name: "bk.pl",
            text: &facts,
        },
        Source {
            name: "bias.pl",
            text: common::POPPER_BIAS,
        },
    )
    .expect("valid");
    task.bias.negation = true;
    let theory = task.learn(&Foil::default()).expect("learned").text;
    let db = task.database().expect("valid");
    // Fresh positions, which the learner has not seen.
    let [a, b] = common::positions(400, 99);
    let mut queries = String::new();
    let mut expected = String::new();
    let mut prover = Prover::new(&db, Limits::default());
    let clauses = read_clauses(&theory, &mut task.symbols).expect("valid");
    let prepared = prover.prepare(&clauses).expect("valid");
    prover.load(&prepared);
    for position in a.into_iter().chain(b) {
        let atom = common::atom(position);
        let goal = read_clause(&atom, &mut task.symbols).expect("valid").head;
        let holds = (0..clauses.len()).any(|i| {
            prover
                .covers(&prepared, i, &goal)
                .expect("no error")
                .is_proved()
        });
        let _ = writeln!(queries, "query({atom}).");
        let _ = writeln!(expected, "{}", if holds { "yes" } else { "no" });
    }
    let program = format!(
        ":- style_check(-singleton). :- style_check(-discontiguous).\n{theory}{facts}{queries}"
    );
    let goal = "forall(query(Q), (call(Q) -> writeln(yes) ; writeln(no)))";
    if let Some(answers) = swi_prolog(&program, goal) {
        assert_eq!(answers, expected);
    }
}

#[test]
fn awkward_terms_mean_the_same() {
    let mut symbols = SymbolTable::new();
    let texts = [
        "t('Capital', 'it''s', \"text\", [], {}, [a|b], [1,-2,3.5])",
        "t(- 1, -(1), 1 - -1, -(-(1)), - a, 1-(2-3), (1-2)-3, 2**3, -(2)^2)",
        "t((a:-b,c;d->e), \\+a, \\+ (a,b), f(:-), [(a,b)], f((a:-b)), {x,y})",
        "t(a=b, [a=b|c], f(;), f(!), (a,b), '$x', 'new\\nline', 'back\\\\slash', 'ü')",
        "t(1.0e10, 1.0e-10, -0.5, 'hello world'(x), +, f(+), - - a, \\+ \\+ a)",
    ];
    let mut program = String::from(":- style_check(-singleton). :- style_check(-discontiguous).\n");
    for (n, text) in texts.into_iter().enumerate() {
        let clause = read_clause(text, &mut symbols).expect("valid");
        // What was written by hand and what is printed must be one term for SWI-Prolog.
        let _ = writeln!(program, "hand({n}, {text}).");
        let printed = print_clause(&clause, &symbols).to_string();
        let _ = writeln!(
            program,
            "printed({n}, {}).",
            printed.trim_end_matches('.').trim_end()
        );
    }
    let goal = "forall((hand(N,A), printed(N,B)), (A =@= B -> true ; writeq(N-A-B), nl))";
    if let Some(differences) = swi_prolog(&program, goal) {
        assert_eq!(differences, "");
    }
}

#[test]
fn the_prover_agrees_with_swi_prolog() {
    let program = "p(1). p(2). p(3). q(a,X) :- p(X), X > 1. q(b,X) :- p(X), \\+ X = 2.
        len([],0). len([_|T],N) :- len(T,M), N is M + 1.
        r(X) :- ( p(X), X > 2 -> true ; X = none ). s(X) :- p(X), !. s(9).
        path(X,Y) :- e(X,Y). path(X,Z) :- e(X,Y), path(Y,Z). e(a,b). e(b,c). e(c,d).";
    let queries = [
        "q(A,B)",
        "len([a,b,c],A)",
        "r(A)",
        "s(A)",
        "path(a,A)",
        "findall(X,q(a,X),A)",
        "member(A,[1,2])",
        "append(A,B,[1,2])",
        "between(1,3,A)",
        "A is 7 mod -2",
        "A is -7 // 2",
        "length([_,_],A)",
        "nth0(A,[x,y],B)",
        "nth1(2,[x,y],A)",
        "select(A,[1,2],B)",
        "last([1,2],A)",
        "A = f(B)",
        "forall(p(X),X > 0)",
        "once(p(A))",
        "(p(A), A > 1 ; A = 0)",
        "A is 2 ** 3.0",
        "A is max(1,2)",
        "msg = msg",
        "\\+ p(4)",
        "reverse([1,2,3],A)",
        "sum_list([1,2],A)",
        "(is_list([a|_]) -> A = 1 ; A = 0)",
        "msort([b,f(x),2,a,1.5,b],A)",
        "sort([c,a,c,b],A)",
        "sort(0,@>=,[1,3,2,3],A)",
        "sort(1,@<,[f(2,x),f(1,y),f(2,z)],A)",
        "predsort(compare,[c,a,b,a],A)",
        "keysort([b-1,a-2,b-0],A)",
        "maplist(succ,[1,2],A)",
        "maplist(p,[1,A])",
        "foldl(plus,[1,2,3],0,A)",
        "include(p,[0,1,2,9],A)",
        "exclude(p,[0,1,2,9],A)",
        "partition(p,[0,1,2,9],A,B)",
        "aggregate_all(count,p(_),A)",
        "aggregate_all(sum(X),p(X),A)",
        "aggregate_all(max(X),p(X),A)",
        "aggregate_all(max(X,q(X)),p(X),A)",
        "aggregate_all(bag(X),p(X),A)",
        "setof(X-Y,q(X,Y),A)",
        "bagof(X,q(X,A),B)",
        "setof(X,Y^q(X,Y),A)",
        "f(x,y) =.. A",
        "A =.. [g,1]",
        "functor(f(x,y),A,B)",
        "functor(A,f,0)",
        "arg(A,f(x,y),B)",
        "copy_term(f(X,X,a),f(A,B,_)), A = 1",
        "atom_codes(abc,A)",
        "atom_chars(abc,A)",
        "char_code(A,0'a)",
        "atom_length(abc,A)",
        "atom_number('12',A)",
        "number_codes(A,[0'4,0'2])",
        "atom_concat(ms,g,A)",
        "catch(A is foo + 1, error(type_error(_,_),_), A = caught)",
        "catch(throw(ball), A, true)",
        "catch(p(A), _, true)",
        "(catch(member(A,[1,2]),_,true), A > 1)",
        "catch((p(A), A > 1, throw(found(A))), found(B), true)",
        "(compare(A,1,2), compare(B,b,a))",
        "list_to_set([a,b,a],A)",
        "subtract([1,2,3],[2],A)",
        "intersection([1,2,3],[3,1],A)",
        "union([1,2],[2,3],A)",
        "delete([a,b,a],a,A)",
        "flatten([1,[2,[3]],[]],A)",
        "permutation([1,2],A)",
        "numlist(1,3,A)",
        "pairs_keys_values(A,[a,b],[1,2])",
        "nextto(A,2,[1,2])",
        "max_member(A,[1,b,f(x)])",
        "A is gcd(12,18) + truncate(3.7) + sqrt(4.0)",
        "forall(member(X,[1,2]),p(X))",
        "A is 5 / 2",
        "A is 7 >> 1",
    ];
    let mut symbols = SymbolTable::new();
    let clauses = read_clauses(program, &mut symbols).expect("valid");
    let read = queries.map(|query| {
        let clause = read_clause(&format!("answer(A,B) :- {query}"), &mut symbols);
        (query, clause.expect("valid"))
    });
    let db = Database::builder()
        .clauses(&clauses)
        .build(&mut symbols)
        .expect("valid");
    let mut prover = Prover::new(&db, Limits::default());
    let mut expected = String::new();
    let mut goals = String::new();
    for (query, clause) in read {
        let answers = prover.solutions(&clause.body, 50).expect("no error");
        for row in answers.bindings {
            // The clause's first two variables are A and B; unused ones stay free.
            let map = |v: u32| {
                row.get(v as usize)
                    .cloned()
                    .unwrap_or(kibitz_ilp::Term::var(v))
            };
            let atom = clause.head.map_vars(&mut |v| map(v.0));
            let fact = kibitz_ilp::Clause::fact(atom).normalized();
            let _ = writeln!(expected, "{}", print_clause(&fact, &symbols));
        }
        let _ = write!(
            goals,
            "forall(({query}), (numbervars(answer(A,B),0,_), print_answer(answer(A,B)))),"
        );
    }
    let program = format!(
        ":- style_check(-singleton). :- style_check(-discontiguous).\n{program}\nprint_answer(T) :- \
         write_term(T, [quoted(true), numbervars(true)]), write('.'), nl.\nrun :- {goals} true.\n"
    );
    if let Some(answers) = swi_prolog(&program, "run") {
        assert_eq!(answers, expected);
    }
}

/// Theories as Morales 1992 prints them, in sections 6.1 and 6.2.
const PRINTED: [&str; 4] = [
    "p(A,B,C,D,C,E). p(A,B,C,D,E,D). p(A,B,A,B,C,D). p(A,B,C,D,A,B).
     p(A,B,C,D,A,E) :- adjacent(B,E). p(A,B,C,D,E,B) :- adjacent(A,E).
     p(A,B,C,D,E,F) :- adjacent(A,E), adjacent(B,F).",
    "p(A,B,C,D,C,E) :- \\+ legal_special1(A,B,C,D,E). p(A,B,C,D,E,D) :- \\+ legal_special2(A,B,C,D,E).
     p(A,B,A,B,C,D). p(A,B,C,D,E,F) :- adj_or_eq(A,E), adj_or_eq(B,F).
     legal_special1(A,B,A,C,D) :- less_than(B,C), less_than(D,B).
     legal_special1(A,B,A,C,D) :- less_than(B,D), less_than(C,B).
     legal_special2(A,B,C,B,D) :- less_than(A,C), less_than(D,A).
     legal_special2(A,B,C,B,D) :- less_than(A,D), less_than(C,A).",
    "p(A,B,C,D,E,F) :- less_than(A,C), less_than(A,E), less_than(B,D), less_than(D,F),
     line(A,B,C,D), line(A,B,E,F).",
    "p(A,B,C,D,E,F) :- abs_diff(A,C,G), abs_diff(B,D,G), abs_diff(A,E,H), abs_diff(B,F,H),
     less_than(A,C), less_than(C,E).",
];

#[test]
fn printed_theories_answer_identically() {
    let background = "
        adjacent(X,Y) :- adj_or_eq(X,Y), X =\\= Y.
        adj_or_eq(X,Y) :- abs_diff(X,Y,D), D =< 1.
        abs_diff(X,Y,D) :- D is abs(X - Y).
        less_than(X,Y) :- X < Y.
        line(A,B,C,D) :- abs_diff(A,C,X), abs_diff(B,D,Y), (X = Y ; X = 0 ; Y = 0), X + Y > 0.";
    let [a, b] = common::positions(300, 6);
    // Random positions are seldom diagonal, so some that are go with them.
    let diagonal = (0..3).map(|i| [i, i + 1, i + 2, i + 3, i + 4, i + 5]);
    let positions: Vec<[i64; 6]> = diagonal.chain(a).chain(b).collect();
    for text in PRINTED {
        let mut symbols = SymbolTable::new();
        let theory = read_clauses(text, &mut symbols).expect("valid");
        let facts = read_clauses(background, &mut symbols).expect("valid");
        let db = Database::builder()
            .clauses(&facts)
            .clauses(&theory)
            .build(&mut symbols)
            .expect("valid");
        let mut prover = Prover::new(&db, Limits::default());
        let (mut program, mut queries, mut expected) =
            (String::new(), String::new(), String::new());
        for clause in facts.iter().chain(&theory) {
            let _ = writeln!(program, "{}", print_clause(clause, &symbols));
        }
        for &position in &positions {
            let goal = format!("p({})", position.map(|v| v.to_string()).join(","));
            let head = read_clause(&goal, &mut symbols).expect("valid").head;
            let answers = prover
                .solutions(&[kibitz_ilp::Literal::positive(head)], 1)
                .expect("no error");
            let holds = !answers.bindings.is_empty();
            let _ = writeln!(queries, "query({goal}).");
            let _ = writeln!(expected, "{}", if holds { "yes" } else { "no" });
        }
        assert!(
            expected.contains("yes") && expected.contains("no"),
            "{text}"
        );
        let program = format!(
            ":- style_check(-singleton). :- style_check(-discontiguous).\n{program}{queries}"
        );
        let goal = "forall(query(Q), (call(Q) -> writeln(yes) ; writeln(no)))";
        if let Some(answers) = swi_prolog(&program, goal) {
            assert_eq!(answers, expected, "{text}");
        }
    }
}
