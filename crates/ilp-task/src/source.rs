use std::ops::Range;

use kibitz_prolog::{
    Atom, Clause, Constant, Dialect, MAX_ARITY, Predicate, Reader, Sentence, SentenceKind, Symbol,
    SymbolTable, Term, Var, print_term,
};
use kibitz_text::{Location, counted, word_at};
use rustc_hash::FxHashSet;

use super::issue::{Issue, IssueKind};

/// Directives that say nothing about a task.
pub(super) const WITHOUT_MEANING: [&str; 13] = [
    "use_module",
    "ensure_loaded",
    "module",
    "dynamic",
    "discontiguous",
    "multifile",
    "style_check",
    "set_prolog_flag",
    "op",
    "if",
    "elif",
    "else",
    "endif",
];

/// Finds places in texts whose offsets grow: each line is counted once, not for every place after it.
#[derive(Default)]
pub(super) struct Places {
    /// The text that the last place is in.
    text: usize,
    /// Where its line starts.
    offset: usize,
    /// The number of the lines before it.
    n_before: usize,
}

impl Places {
    /// The range of bytes of a text, as [`Location::new`] gives it.
    pub(super) fn at(&mut self, source: &Source<'_>, span: Range<usize>) -> Location {
        let (text, address) = (source.text, source.text.as_ptr().addr());
        let start = text.floor_char_boundary(span.start);
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        if self.text != address || line < self.offset {
            (self.text, self.offset, self.n_before) = (address, 0, 0);
        }
        // At the end of a text its last line is meant.
        if line == text.len() {
            return Location::new(source.name, text, span);
        }
        self.n_before += text[self.offset..line].matches('\n').count();
        self.offset = line;
        let mut place = Location::new(
            source.name,
            &text[line..],
            start - line..span.end.max(start) - line,
        );
        if let Some(excerpt) = &mut place.excerpt {
            excerpt.line += self.n_before;
        }
        place
    }

    /// The problem with the word at an offset.
    pub(super) fn issue(&mut self, source: &Source<'_>, offset: usize, kind: IssueKind) -> Issue {
        Issue {
            location: Some(self.at(source, word_at(source.text, offset))),
            kind,
            help: None,
        }
    }
}

/// Whether an argument is a variable that no other place has.
fn has_single_variable(head: &Atom) -> bool {
    let count = |var: Var| {
        let mut n = 0;
        head.for_each_var(&mut |own| n += usize::from(own == var));
        n
    };
    (head.args.iter()).any(|own| matches!(own, Term::Var(var) if count(*var) == 1))
}

/// A text and the name under which errors speak of it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'t> {
    /// Usually a file name.
    pub name: &'t str,
    /// Its contents.
    pub text: &'t str,
}

impl Source<'_> {
    /// The sound sentences; the mistakes of the others are added to `issues`.
    pub(super) fn sentences(
        &self,
        dialect: Dialect,
        symbols: &mut SymbolTable,
        issues: &mut Vec<Issue>,
    ) -> Vec<Sentence> {
        let reader = Reader::new(self.text, dialect).with_mode_operators();
        let (sentences, errors) = reader.read_sound(symbols);
        let mut places = Places::default();
        issues.extend(errors.errors().iter().map(|error| Issue {
            location: Some(places.at(self, error.span.clone())),
            kind: error.kind.clone().into(),
            help: None,
        }));
        issues.extend(self.conditional_clause(&sentences, symbols));
        sentences
    }

    /// The first clause that counts only if a goal of Prolog's `:- if` is true; directives there say
    /// nothing about a task.
    fn conditional_clause(&self, sentences: &[Sentence], symbols: &SymbolTable) -> Option<Issue> {
        let mut depth = 0_usize;
        for sentence in sentences {
            match &sentence.kind {
                SentenceKind::Directive(goal) => {
                    let goal = Atom::from_term(goal);
                    let goal = goal
                        .as_ref()
                        .map(|goal| (symbols.name(goal.name), goal.args.len()));
                    match goal {
                        Some(("if", 1)) => depth += 1,
                        Some(("endif", 0)) => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                }
                SentenceKind::Clause(_) if depth > 0 => {
                    let message =
                        "a clause between `:- if` and `:- endif`, whose condition is not asked";
                    let help = "keep the clauses that count, without the directives around them";
                    return Some(self.unexpected(sentence.offset, message).help(help));
                }
                SentenceKind::Clause(_) | SentenceKind::Query(_) => {}
            }
        }
        None
    }

    /// A warning about the first fact with a variable that seems to be a constant with a capital letter: it
    /// stands there once, and the other clauses of the predicate are facts, some without variables.
    pub(super) fn capital_in_fact(&self, sentences: &[Sentence]) -> Option<Issue> {
        // Most files of facts have no capital letter; blocks of bytes are compared at once.
        let has_capital = |block: &[u8]| {
            let is_capital = |own: &u8| own.is_ascii_uppercase() | !own.is_ascii();
            block.iter().fold(false, |has, own| has | is_capital(own))
        };
        if !self.text.as_bytes().chunks(256).any(has_capital) {
            return None;
        }
        let clauses = || {
            sentences.iter().filter_map(|own| match &own.kind {
                SentenceKind::Clause(clause) => Some((clause, own.offset)),
                SentenceKind::Directive(_) | SentenceKind::Query(_) => None,
            })
        };
        let suspects = clauses().filter(|(own, _)| own.body.is_empty());
        let suspects = suspects.filter(|(own, _)| has_single_variable(&own.head));
        let suspects = suspects
            .filter_map(|(own, offset)| Some((own.head.predicate(), self.capital(offset)?)));
        let mut suspects: Vec<(Predicate, usize)> = suspects.collect();
        if suspects.is_empty() {
            return None;
        }
        let ground = clauses().filter(|(own, _)| own.body.is_empty() && own.head.is_ground());
        let mut plain: FxHashSet<Predicate> = ground.map(|(own, _)| own.head.predicate()).collect();
        for (rule, _) in clauses().filter(|(own, _)| !own.body.is_empty()) {
            plain.remove(&rule.head.predicate());
        }
        suspects.retain(|(predicate, _)| plain.contains(predicate));
        let (_, at) = *suspects.first()?;
        let name = &self.text[word_at(self.text, at)];
        let others = match suspects.len() - 1 {
            0 => String::new(),
            n => format!("; {} like it", counted(n, "more fact is", "more facts are")),
        };
        let message = format!("{name} is a variable: the fact holds for every term{others}");
        let help = format!("constants begin with a small letter, or stand in quotes: '{name}'");
        Some(self.unexpected(at, message).help(help))
    }

    /// Where the first name with a capital letter begins in the sentence at an offset.
    fn capital(&self, offset: usize) -> Option<usize> {
        let (mut quote, mut before) = (None, ' ');
        for (at, own) in self.text[offset..].char_indices() {
            match quote {
                Some(end) => quote = (own != end).then_some(end),
                None if matches!(own, '\'' | '"') => quote = Some(own),
                None if own == '.' && !before.is_numeric() => return None,
                None if own.is_uppercase() && !before.is_alphanumeric() && before != '_' => {
                    return Some(offset + at);
                }
                None => {}
            }
            before = own;
        }
        None
    }

    /// What there is to say about a directive that is not carried out; nothing where it says nothing about
    /// a task.
    pub(super) fn ignored_directive(
        &self,
        offset: usize,
        goal: &Term,
        symbols: &SymbolTable,
    ) -> Option<Issue> {
        let Some(atom) = Atom::from_term(goal) else {
            return Some(self.unexpected(offset, "ignored a directive that is not a goal"));
        };
        let name = symbols.name(atom.name);
        let shown = print_term(goal, symbols);
        let first = atom.args.first();
        let is_library =
            matches!(first, Some(Term::Compound(own, _)) if symbols.name(*own) == "library");
        let (message, help) = match name {
            "table" => (
                format!("ignored `:- {shown}`: tables are not supported"),
                "a definition that calls itself first does not end without them; call the facts first, as \
                 in p(A,B) :- e(A,C), p(C,B)",
            ),
            "initialization" => (
                format!("ignored `:- {shown}`: no goal is run"),
                "learning needs facts and rules alone",
            ),
            "consult" | "include" | "load_files" | "[]" | "[|]" => (
                format!("ignored `:- {shown}`: no other file is read"),
                "put its clauses into this file",
            ),
            "use_module" | "ensure_loaded" if !is_library => (
                format!("ignored `:- {shown}`: no other file is read"),
                "put its clauses into this file",
            ),
            _ if WITHOUT_MEANING.contains(&name) => return None,
            _ => (
                format!("ignored `:- {shown}`: no goal is run"),
                "learning needs facts and rules alone",
            ),
        };
        Some(self.unexpected(offset, message).help(help))
    }

    /// Where a clause stands in the text.
    pub fn place_of(
        &self,
        clause: &Clause,
        dialect: Dialect,
        symbols: &SymbolTable,
    ) -> Option<Location> {
        let mut symbols = symbols.clone();
        let mut reader = Reader::new(self.text, dialect).with_mode_operators();
        loop {
            let sentence = reader.next_sentence(&mut symbols).ok()??;
            if sentence.kind == SentenceKind::Clause(clause.clone()) {
                let span = word_at(self.text, sentence.offset);
                return Some(Location::new(self.name, self.text, span));
            }
        }
    }

    /// The word at an offset, as a place.
    pub(super) fn place(&self, offset: usize) -> Location {
        Location::new(self.name, self.text, word_at(self.text, offset))
    }

    pub(super) fn issue(&self, offset: usize, kind: IssueKind) -> Issue {
        Issue::at(self.name, self.text, offset, kind)
    }

    pub(super) fn unexpected(&self, offset: usize, message: impl Into<String>) -> Issue {
        self.issue(offset, IssueKind::Unexpected(message.into()))
    }
}

/// `name/arity` in words.
pub(super) fn show(predicate: Predicate, symbols: &SymbolTable) -> String {
    format!("{}/{}", symbols.name(predicate.name), predicate.arity)
}

/// The problem with a predicate of more than [`MAX_ARITY`] arguments, if it has.
pub(super) fn check_arity(arity: usize) -> Result<(), String> {
    if arity <= MAX_ARITY {
        return Ok(());
    }
    Err(format!(
        "{arity} arguments are too many; a predicate to learn or to learn with has at most {MAX_ARITY}"
    ))
}

/// Predicates in words.
pub(super) fn show_all(predicates: &[Predicate], symbols: &SymbolTable, between: &str) -> String {
    let shown = predicates.iter().map(|own| show(*own, symbols));
    shown.collect::<Vec<_>>().join(between)
}

/// What happens where clauses of a target may call another target.
pub(super) fn other_target_in_bodies(own: &str, target: &str) -> String {
    format!(
        "{own} is to be learned, too: in clauses of {target} it has the answers of the background alone, not \
         those of its examples or of its theory"
    )
}

/// An integer that fits a count.
pub(super) fn as_count(term: &Term) -> Option<usize> {
    match term {
        Term::Const(Constant::Int(value)) => usize::try_from(*value).ok(),
        _ => None,
    }
}

/// A name.
pub(super) fn as_name(term: &Term) -> Option<Symbol> {
    match term {
        Term::Const(Constant::Symbol(name)) => Some(*name),
        _ => None,
    }
}

/// `name/arity` as a predicate with at most [`MAX_ARITY`] arguments.
pub(super) fn as_indicator(term: &Term) -> Option<Predicate> {
    match term {
        Term::Compound(Symbol::SLASH, args) if args.len() == 2 => Some(Predicate {
            name: as_name(&args[0])?,
            arity: as_count(&args[1]).filter(|arity| *arity <= MAX_ARITY)?,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_whole_text() {
        let texts = ["a.\nbé c.\r\n\n  d.", "x.\n\ny.\n", ""];
        let mut places = Places::default();
        for text in texts {
            let source = Source { name: "t.pl", text };
            for start in (0..=text.len() + 1).chain([0, 4, 2]) {
                for end in [start, start + 3] {
                    let expected = Location::new("t.pl", text, start..end);
                    assert_eq!(
                        places.at(&source, start..end),
                        expected,
                        "{text:?} {start}..{end}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_constant_with_a_capital_letter_is_questioned() {
        let said = |text| {
            let source = Source {
                name: "bk.pl",
                text,
            };
            let (mut symbols, mut issues) = (SymbolTable::new(), Vec::new());
            let sentences = source.sentences(Dialect::Prolog, &mut symbols, &mut issues);
            let found = source.capital_in_fact(&sentences)?;
            let place = found.location?.line_and_column();
            Some((place, found.kind.to_string()))
        };
        assert_eq!(
            said("p(ann,'Bob').\np(dan, Fay). p(1.5,Eve). q(_,X,Y) :- p(X,Y)."),
            Some((
                Some((2, 8)),
                "Fay is a variable: the fact holds for every term; 1 more fact is like it".into()
            ))
        );
        for fine in [
            "p(a,b). p('Ann',\"Bob\").",
            "p(a,b). p(c,_). p(d,_Any).",
            "eq(a,a). eq(X,X).",
            "leq(0,N). leq(s(M),s(N)) :- leq(M,N). leq(0,0).",
            "any(X).",
            "last([a],a). last([X],X).",
        ] {
            assert_eq!(said(fine), None, "{fine}");
        }
    }
}
