//! A source file as the compiler sees it: tokens, without docs and test modules.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// A canonical form of a Rust file: equal for two files that differ only in whitespace, comments, doc
/// comments and items under `#[cfg(test)]`.
///
/// A file that does not lex is its own canonical form. Positions are not included, so `line!()` does not
/// count.
pub(crate) fn meaning(file: &[u8]) -> Vec<u8> {
    let stream = std::str::from_utf8(file)
        .ok()
        .and_then(|text| text.parse::<TokenStream>().ok());
    let mut out = Vec::with_capacity(file.len() + 1);
    if let Some(stream) = stream {
        out.push(b'T');
        write(stream, &mut out);
    } else {
        out.push(b'B');
        out.extend_from_slice(file);
    }
    out
}

/// Every token with a tag; texts with their length, groups between two brackets.
fn write(stream: TokenStream, out: &mut Vec<u8>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut at = 0;
    while at < trees.len() {
        let attributes = attributes_at(&trees, at);
        let inner = inner_attribute_at(&trees, at);
        if attributes > at {
            if let Some(end) = test_item(&trees, at, attributes) {
                at = end;
                continue;
            }
            for pair in trees[at..attributes].chunks(2) {
                if !is_doc(&pair[1]) {
                    write_tree(&pair[0], out);
                    write_tree(&pair[1], out);
                }
            }
            at = attributes;
        } else if inner.is_some_and(is_doc) {
            at += 3;
        } else {
            write_tree(&trees[at], out);
            at += 1;
        }
    }
}

fn write_tree(tree: &TokenTree, out: &mut Vec<u8>) {
    match tree {
        TokenTree::Group(group) => {
            let (open, close) = match group.delimiter() {
                Delimiter::Parenthesis => (b'(', b')'),
                Delimiter::Brace => (b'{', b'}'),
                Delimiter::Bracket => (b'[', b']'),
                Delimiter::None => (b'<', b'>'),
            };
            out.push(open);
            write(group.stream(), out);
            out.push(close);
        }
        TokenTree::Punct(punct) => {
            out.push(match punct.spacing() {
                Spacing::Joint => b'j',
                Spacing::Alone => b'a',
            });
            write_text(punct.as_char().encode_utf8(&mut [0; 4]), out);
        }
        TokenTree::Ident(ident) => {
            out.push(b'i');
            write_text(&ident.to_string(), out);
        }
        TokenTree::Literal(literal) => {
            out.push(b'l');
            write_text(&literal.to_string(), out);
        }
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(&(text.len() as u64).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// Where the run of outer attributes (`#`, `[...]`) that begins at `at` ends; `at` if there is none.
fn attributes_at(trees: &[TokenTree], at: usize) -> usize {
    let mut end = at;
    while is_punct(trees.get(end), '#') && is_group(trees.get(end + 1), Delimiter::Bracket) {
        end += 2;
    }
    end
}

/// The brackets of the inner attribute (`#`, `!`, `[...]`) that begins at `at`.
fn inner_attribute_at(trees: &[TokenTree], at: usize) -> Option<&TokenTree> {
    (is_punct(trees.get(at), '#')
        && is_punct(trees.get(at + 1), '!')
        && is_group(trees.get(at + 2), Delimiter::Bracket))
    .then(|| &trees[at + 2])
}

/// Where the item ends whose attributes are `trees[from..to]`, if one of them is `#[cfg(test)]`.
///
/// Only unambiguous items count: those that begin with an item's keyword and are not in a list. A field
/// or a match arm under `#[cfg(test)]` is kept, since a missed change costs more than an unnecessary run.
fn test_item(trees: &[TokenTree], from: usize, to: usize) -> Option<usize> {
    let tests = trees[from..to].chunks(2).any(|pair| is_cfg_test(&pair[1]));
    let in_list =
        from > 0 && (is_punct(trees.get(from - 1), ',') || is_punct(trees.get(from - 1), '<'));
    if !tests || in_list {
        return None;
    }
    let mut at = to;
    if word(trees.get(at)).as_deref() == Some("pub") {
        at += 1;
        if is_group(trees.get(at), Delimiter::Parenthesis) {
            at += 1;
        }
    }
    let next = word(trees.get(at + 1));
    let to_semicolon = match word(trees.get(at))?.as_str() {
        "use" | "static" | "type" => true,
        "const" => !matches!(next.as_deref(), Some("fn" | "unsafe" | "extern" | "async")),
        "extern" => next.as_deref() == Some("crate"),
        "mod" | "fn" | "struct" | "enum" | "impl" | "trait" | "unsafe" | "async" => false,
        "macro_rules" if is_punct(trees.get(at + 1), '!') => false,
        _ => return None,
    };
    let rest = trees[at..].iter().position(|tree| {
        is_punct(Some(tree), ';') || (!to_semicolon && is_group(Some(tree), Delimiter::Brace))
    })?;
    Some(at + rest + 1)
}

fn is_punct(tree: Option<&TokenTree>, character: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}

fn is_group(tree: Option<&TokenTree>, delimiter: Delimiter) -> bool {
    matches!(tree, Some(TokenTree::Group(group)) if group.delimiter() == delimiter)
}

fn word(tree: Option<&TokenTree>) -> Option<String> {
    match tree {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    }
}

fn is_doc(brackets: &TokenTree) -> bool {
    matches!(brackets, TokenTree::Group(group)
        if word(group.stream().into_iter().next().as_ref()).as_deref() == Some("doc"))
}

fn is_cfg_test(brackets: &TokenTree) -> bool {
    let TokenTree::Group(group) = brackets else {
        return false;
    };
    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
    matches!(&inside[..], [TokenTree::Ident(name), TokenTree::Group(condition)]
        if name == "cfg" && condition.stream().to_string() == "test")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Text with the same tokens: `separators` are used in turn wherever a separator is allowed.
    fn print(stream: TokenStream, separators: &[&str], at: &mut usize, out: &mut String) {
        for tree in stream {
            let mut joint = false;
            match tree {
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::None => ("", ""),
                    };
                    out.push_str(open);
                    print(group.stream(), separators, at, out);
                    out.push_str(close);
                }
                TokenTree::Punct(punct) => {
                    out.push(punct.as_char());
                    joint = punct.spacing() == Spacing::Joint;
                }
                other => out.push_str(&other.to_string()),
            }
            if !joint {
                out.push_str(separators[*at % separators.len()]);
                *at += 1;
            }
        }
    }

    /// Whether the compiler is taken to see the same in both.
    fn check(left: &str, right: &str, same: bool) {
        let equal = meaning(left.as_bytes()) == meaning(right.as_bytes());
        assert_eq!(equal, same, "{left}\n----\n{right}");
    }

    #[test]
    fn comments_docs_and_whitespace_do_not_count() {
        check(
            "fn f() { 1 + 2 }",
            "fn f()\n{ 1 /* one */ + 2 // two\n}",
            true,
        );
        check(
            "fn f() {}",
            "//! The file.\n\n/// Does.\n#[doc = \"it\"]\nfn f() { //! well\n }",
            true,
        );
        check(
            "struct S { a: u8, b: u8 }",
            "struct S {\n/** a */ a: u8,\n/// b\nb: u8 }",
            true,
        );
    }

    #[test]
    fn what_is_compiled_counts() {
        check("fn f() { 1 }", "fn f() { 2 }", false);
        check("#[inline] fn f() {}", "fn f() {}", false);
        check("#![no_std] fn f() {}", "fn f() {}", false);
        check("f(a)(b)", "f((a) b)", false);
        check("a <= b", "a < = b", false);
        check("ab c", "a bc", false);
        check("\"a // b\"", "\"a\"", false);
        check("f()", "f[]", false);
    }

    #[test]
    fn items_for_tests_do_not_count() {
        let rest = "fn g() {}";
        for item in [
            "mod tests { fn t() {} }",
            "mod tests;",
            "pub(crate) fn f(x: [u8; { 3 }]) -> u8 { 1 }",
            "use a::{b, c};",
            "const A: [u8; 1] = { [1] };",
            "const fn f() {}",
            "static A: u8 = 1;",
            "struct S(u8);",
            "pub struct S { a: u8 }",
            "unsafe impl T for S {}",
            "extern crate alloc;",
            "macro_rules! m { () => {} }",
            "type A = u8;",
        ] {
            for attributes in [
                "#[cfg(test)]",
                "#[allow(x)]\n#[cfg(test)]",
                "#[cfg(test)] #[path = \"x\"] /// d\n",
            ] {
                check(rest, &format!("{attributes} {item} {rest}"), true);
                check(rest, &format!("{rest} {attributes} {item}"), true);
            }
            check(rest, &format!("#[cfg(unix)] {item} {rest}"), false);
            check(rest, &format!("#[cfg(not(test))] {item} {rest}"), false);
        }
    }

    #[test]
    fn what_may_hide_more_than_a_test_is_kept() {
        check(
            "struct S { #[cfg(test)] a: u8, b: u8 }",
            "struct S { #[cfg(test)] a: u8, b: u16 }",
            false,
        );
        check(
            "fn f<#[cfg(test)] const N: usize>() { a } static A: u8 = 1;",
            "fn f<#[cfg(test)] const N: usize>() { b } static A: u8 = 1;",
            false,
        );
        check("#[cfg(test)] a(); b()", "#[cfg(test)] a(); c()", false);
    }

    #[test]
    fn what_does_not_lex_counts_by_its_bytes() {
        check("fn f( {", "fn  f( {", false);
        assert_ne!(meaning(b"\xff"), meaning(b"\xfe"));
        assert_eq!(meaning(b"\xff"), meaning(b"\xff"));
    }

    proptest! {
        #[test]
        fn another_layout_means_the_same(
            source in prop::sample::select(vec![
                include_str!("tokens.rs"),
                include_str!("error.rs"),
                "fn f<'a, T: ?Sized>(x: &'a mut T) -> impl Fn(u8) -> u8 + 'a { |y| y >> 1 | -2..=3 }",
                "macro_rules! m { ($($a:expr),* $(,)?) => { [$(b'\\n' as char != $a),*, r#\"//\"#] } }",
            ]),
            separators in prop::collection::vec(
                prop::sample::select(vec![" ", "\n", "\t\r\n", " /* c */ ", " // c\n", " /* /* */ */", "\n//// c\n"]),
                1..20,
            ),
        ) {
            let mut text = String::new();
            print(source.parse().unwrap(), &separators, &mut 0, &mut text);
            prop_assert_eq!(meaning(source.as_bytes()), meaning(text.as_bytes()));
        }

        #[test]
        fn another_token_means_something_else(change in 0_usize..500, with in "[a-z]{12}") {
            let source = "fn f(a: u8, b: &[u8]) -> Option<u8> { let c = a + 1; b.get(usize::from(c)) }";
            let words: Vec<_> = source.match_indices(|c: char| c.is_ascii_alphabetic()).collect();
            let (at, _) = words[change % words.len()];
            let changed = format!("{}{with}{}", &source[..at], &source[at + 1..]);
            prop_assert_ne!(meaning(source.as_bytes()), meaning(changed.as_bytes()));
        }
    }
}
