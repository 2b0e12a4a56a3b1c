//! What is printed means the same in SWI-Prolog, and the prover answers as it does.

use std::fmt::Write;

use kibitz_prolog::{
    Clause, Database, Limits, Prover, SymbolTable, Term, print_clause, read_clause, read_clauses,
};

use crate::swipl::swi_prolog;

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
            let map = |v: u32| row.get(v as usize).cloned().unwrap_or(Term::var(v));
            let atom = clause.head.map_vars(&mut |v| map(v.0));
            let fact = Clause::fact(atom).normalized();
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
