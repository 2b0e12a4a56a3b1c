use super::*;
use crate::{MAX_LIST_LENGTH, MAX_NESTING, ReadErrors, print_term, read_clauses, read_term};

fn read_program(text: &str, symbols: &mut SymbolTable) -> Result<Vec<Sentence>, ReadErrors> {
    Reader::new(text, Dialect::Prolog).read_all(symbols)
}

fn check(text: &str, expected: &str) {
    let mut symbols = SymbolTable::new();
    let term = read_term(text, &mut symbols).unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_eq!(print_term(&term, &symbols).to_string(), expected, "{text}");
}

#[test]
fn terms() {
    check("p(X, Y, X)", "p(A,B,A)");
    check("[1, -2, 3.5 | T]", "[1,-2,3.5|A]");
    check("- 1", "-(1)");
    check("1 - 1", "1-1");
    check("a - -1", "a- -1");
    check("X is 2 * (3 + 4)", "A is 2*(3+4)");
    check("1 - (2 - 3)", "1-(2-3)");
    check("(1 - 2) - 3", "1-2-3");
    check("\\+ (a, b)", "\\+ (a,b)");
    check(
        "'hello world'(\"text\", 'it''s', [])",
        "'hello world'(\"text\",'it\\'s',[])",
    );
    check("f(:-, [a|b], {x})", "f(:-,[a|b],{x})");
    check("a:b:c", "a:b:c");
    check("f((a:-b))", "f((a:-b))");
    check("0'a", "97");
    check("1.0e3", "1000.0");
    check("-(-(1))", "- -(1)");
    check("- a", "-a");
    check("p(_, _)", "p(A,B)");
}

#[test]
fn numbers_as_swi_prolog_writes_them() {
    check("[0x40, 0xFF, 0o17, 0b101, -0x1]", "[64,255,15,5,-1]");
    check("[0'\\n, 0'\\\\, 0''', 0' , 0'é]", "[10,92,39,32,233]");
    check("[1_000_000, 1_0.5_0]", "[1000000,10.5]");
    check("[1.0Inf, -1.0Inf]", "[1.0Inf,-1.0Inf]");
    check("`ab`", "[97,98]");
    check("f(``, `\\n`)", "f([],[10])");
    // Names that only begin like them.
    check("f(0, x40)", "f(0,x40)");
    check("1.0*inf", "1.0*inf");
}

#[test]
fn errors_have_places() {
    let cases = [
        (
            "p(1.\nq(2).",
            "line 1, column 4: expected \",\" or \")\" in the arguments, found the end of the clause",
        ),
        (
            "p(1)\nq(2).",
            "line 2, column 1: the full stop that ends a clause is missing; the clause starts at line 1",
        ),
        (
            "p('a).",
            "line 1, column 3: the quotation opened here with ' is never closed",
        ),
        (
            "p(0x8000000000000000).",
            "line 1, column 3: the number 0x8000000000000000 does not fit into 64 bits",
        ),
        (
            "p(1.5NaN).",
            "line 1, column 3: NaN is not a number that can be compared; write a name for a missing value",
        ),
        (
            "p(`ab).",
            "line 1, column 3: the quotation opened here with ` is never closed",
        ),
        (
            "/* p.",
            "line 1, column 1: the comment opened here is never closed with */",
        ),
        (
            "Illegal(1, 2).",
            "line 1, column 1: the capitalized name Illegal is a variable, a predicate is expected; write illegal or 'Illegal'",
        ),
        (
            "X :- p.",
            "line 1, column 1: the capitalized name X is a variable, a predicate is expected; write x or 'X'",
        ),
        (
            "p(99999999999999999999).",
            "line 1, column 3: the number 99999999999999999999 does not fit into 64 bits",
        ),
        (
            "p :- q, 3.",
            "line 1, column 1: a number, string or variable cannot be a head or a condition",
        ),
        (
            "p(X) q(X).",
            "line 1, column 6: expected an operator or a full stop, found \"q\"",
        ),
        (
            "p(1)",
            "line 1, column 5: the full stop that ends a clause is missing; the clause starts at line 1",
        ),
        (
            "p('\\q').",
            "line 1, column 4: unknown escape sequence \\q in a quotation (use \\\\, \\', \\n, \\t or \\xHH\\)",
        ),
    ];
    for (text, expected) in cases {
        let mut symbols = SymbolTable::new();
        let errors = read_program(text, &mut symbols).expect_err(text);
        assert_eq!(errors.errors()[0].to_string(), expected, "{text}");
    }
}

#[test]
fn reading_goes_on_after_an_error() {
    let mut symbols = SymbolTable::new();
    let errors = read_program("p(.\nq(1).\nr).\ns.", &mut symbols).expect_err("broken");
    let lines: Vec<usize> = errors.errors().iter().map(|error| error.line).collect();
    assert_eq!(lines, [1, 3]);
}

#[test]
fn nesting_is_bounded() {
    let mut symbols = SymbolTable::new();
    let text = format!("p({}1{}).", "(".repeat(5_000), ")".repeat(5_000));
    let error = read_program(&text, &mut symbols).expect_err("too deep");
    assert_eq!(error.errors()[0].kind, ReadErrorKind::TooDeep(MAX_NESTING));
    let text = format!("p([{}]).", vec!["1"; 20_000].join(","));
    let error = read_program(&text, &mut symbols).expect_err("too long");
    assert_eq!(
        error.errors()[0].kind,
        ReadErrorKind::ListTooLong(MAX_LIST_LENGTH)
    );
}

#[test]
fn dialects() {
    let mut symbols = SymbolTable::new();
    let text = ":- set(i,2)?\np(1).\n:- p(2).\n";
    let kinds = Reader::new(text, Dialect::Progol)
        .read_all(&mut symbols)
        .expect("valid");
    assert!(matches!(kinds[0].kind, SentenceKind::Directive(_)));
    assert!(matches!(kinds[1].kind, SentenceKind::Clause(_)));
    let text = "type(p,(t,)). type(q,(t,u)).";
    let kinds = Reader::new(text, Dialect::Popper)
        .read_all(&mut symbols)
        .expect("valid");
    assert_eq!(kinds.len(), 2);
    let text = ":- op(700, xfx, ===>).\na ===> b.";
    let kinds = read_program(text, &mut symbols).expect("valid");
    assert!(matches!(&kinds[1].kind, SentenceKind::Clause(c) if c.head.args.len() == 2));
}

#[test]
fn a_cut_before_a_minus_sign_is_no_directive() {
    let mut symbols = SymbolTable::new();
    let clause = crate::read_clause("! -(1)", &mut symbols).expect("valid");
    let printed = crate::print_clause(&clause, &symbols).to_string();
    let mut again = read_program(&printed, &mut symbols).expect("valid");
    let kind = again.remove(0).kind;
    assert_eq!(kind, SentenceKind::Clause(clause), "{printed}");
}

#[test]
fn a_minus_sign_before_what_begins_with_a_number_stays_outside() {
    let mut symbols = SymbolTable::new();
    for text in [
        "- (1) ** 3",
        "-(1)",
        "-1 ** 3",
        "-(1 + 2)",
        "- - 1",
        "+ (2 ^ 2)",
    ] {
        let term = read_term(text, &mut symbols).expect("valid");
        let printed = crate::print_term(&term, &symbols).to_string();
        assert_eq!(
            read_term(&printed, &mut symbols),
            Ok(term),
            "{text}: {printed}"
        );
    }
}

#[test]
fn left_sides_are_as_deep_as_right_sides() {
    for n in [MAX_NESTING - 1, 150_000] {
        let chain = vec!["1"; n].join("+");
        let read = read_term(&chain, &mut SymbolTable::new());
        assert_eq!(read.is_ok(), n < MAX_NESTING);
    }
}

#[test]
fn the_least_integer_is_read_after_a_minus_sign_only() {
    let mut symbols = SymbolTable::new();
    let read = read_term("-9223372036854775808", &mut symbols);
    assert_eq!(read, Ok(Term::int(i64::MIN)));
    for text in [
        "9223372036854775808",
        "1-9223372036854775808",
        "-9223372036854775809",
    ] {
        assert!(read_term(text, &mut symbols).is_err(), "{text}");
    }
}

#[test]
fn white_space_follows_a_full_stop() {
    let mut symbols = SymbolTable::new();
    let error = read_clauses("p(b,1).q(c).", &mut symbols).expect_err("it is missing");
    let expected =
        "line 1, column 7: expected white space after the full stop of a clause, found \".\"";
    assert_eq!(error.to_string(), expected);
}
