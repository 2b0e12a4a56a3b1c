use super::*;
use crate::term::{SymbolTable, Term};
use crate::{print_atom, print_clause, read_clause};

#[test]
fn the_member_example_of_the_thesis() {
    // Morales 1992, section 4.3: nine literals before reduction.
    let mut symbols = SymbolTable::new();
    let body = "member(1,[1]), member(0,[2,0]), member(1,[1,0])";
    let a = read_clause(&format!("member(1,[0,1]) :- {body}"), &mut symbols).expect("valid");
    let b = read_clause(&format!("member(0,[1,2,0]) :- {body}"), &mut symbols).expect("valid");
    let lgg = lgg_clauses(&a, &b).expect("one predicate").normalized();
    assert_eq!(
        print_clause(&lgg, &symbols).to_string(),
        "member(A,[B,C|D]) :- member(1,[1]), member(A,[C|D]), member(1,[1|D]), \
         member(B,[E|F]), member(0,[2,0]), member(B,[E,0]), member(1,[1|F]), member(A,[C,0]), \
         member(1,[1,0])."
    );
}

struct SameParity;

impl Compatibility for SameParity {
    fn literals(&self, left: LiteralRef, right: LiteralRef) -> bool {
        match (left, right) {
            (LiteralRef::Body(i), LiteralRef::Body(j)) => i % 2 == j % 2,
            (a, b) => a == b,
        }
    }
}

#[test]
fn incompatible_literals_are_left_out() {
    let mut symbols = SymbolTable::new();
    let a = read_clause("p :- q(1), q(2), q(3)", &mut symbols).expect("valid");
    let b = read_clause("p :- q(4), q(5)", &mut symbols).expect("valid");
    let lgg = lgg_clauses_with(&a, &b, &SameParity).expect("one predicate");
    assert_eq!(lgg.parents, [(0, 0), (1, 1), (2, 0)]);
}

/// Two pieces, each literal labeled with its own.
struct SamePiece([usize; 2]);

impl Compatibility for SamePiece {
    fn literals(&self, left: LiteralRef, right: LiteralRef) -> bool {
        match (left, right) {
            (LiteralRef::Body(i), LiteralRef::Body(j)) => (i < self.0[0]) == (j < self.0[1]),
            (a, b) => a == b,
        }
    }
}

#[test]
fn labels_shorten_the_moves_of_two_pieces_as_printed() {
    // Morales 1992, section 5.2.3.2: nine and four legal moves in one position, one and six in the
    // other; 91 literals without labels, 33 with them.
    let mut symbols = SymbolTable::new();
    let mut position = |first: i32, second: i32| {
        let moves = (0..first + second).map(|at| format!("legal_move({at})"));
        let text = format!("p :- {}", moves.collect::<Vec<_>>().join(", "));
        read_clause(&text, &mut symbols).expect("valid")
    };
    let (a, b) = (position(9, 4), position(1, 6));
    let plain = lgg_clauses(&a, &b).expect("one predicate");
    assert_eq!(plain.body.len(), 91);
    let labeled = lgg_clauses_with(&a, &b, &SamePiece([9, 1])).expect("one predicate");
    assert_eq!(labeled.parents.len(), 33);
}

struct ByArgument;

impl Compatibility for ByArgument {
    fn terms(
        &self,
        _: (LiteralRef, &Term),
        _: (LiteralRef, &Term),
        argument: usize,
    ) -> Option<u32> {
        (argument < 2).then_some(u32::try_from(argument).expect("small"))
    }
}

#[test]
fn classes_keep_variables_apart() {
    let mut symbols = SymbolTable::new();
    let a = read_clause("p(1,1) :- q(1,1,1), r(1)", &mut symbols).expect("valid");
    let b = read_clause("p(2,2) :- q(2,2,2), r(2)", &mut symbols).expect("valid");
    let lgg = lgg_clauses_with(&a, &b, &ByArgument).expect("one predicate");
    assert_eq!(
        print_clause(&lgg.clause, &symbols).to_string(),
        "p(A,B) :- r(A)."
    );
}

/// The example of the thesis: the same pair of terms becomes the same variable.
#[test]
fn atoms_generalize_pair_by_pair() {
    let mut symbols = SymbolTable::new();
    let mut head = |text: &str| read_clause(text, &mut symbols).expect("an atom").head;
    let (a, b) = (
        head("foo(a, f(a), g(X, b), f)"),
        head("foo(Y, f(Y), g(c, b), h(g))"),
    );
    let lgg = Generalizer::new().atoms(&a, &b).expect("one predicate");
    let lgg = print_atom(&lgg, &symbols).to_string();
    assert_eq!(lgg, "foo(A,f(A),g(B,b),C)");
}
