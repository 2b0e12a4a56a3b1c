use std::fmt::Write as _;
use std::io::{BufRead, Write};

use kibitz_ilp::learn::pal::{
    Change, Example, Generator, Judgement, PalError, PalLearned, Teacher, Verdict,
    covers_as_pattern, reduced_by_expansion,
};
use kibitz_ilp::{Clause, Constant, SymbolTable, Term, print_atom, print_literal, print_term};
use kibitz_patterns::{ConceptError, Prepared, World, draw};

/// Has a person at a terminal be the teacher of what `learn` learns, and asks for the name of the
/// concept in the end. Returns what was learned under that name, and the names.
///
/// If the input ends earlier, what was learned so far is written before the error is returned.
///
/// # Source
/// Morales 1992, appendix A.
pub(crate) fn learn(
    prepared: &Prepared,
    input: impl BufRead,
    output: impl Write,
    learn: impl FnOnce(&mut dyn Teacher) -> Result<PalLearned, ConceptError>,
) -> Result<(PalLearned, SymbolTable), ConceptError> {
    let mut person = Person {
        prepared,
        input,
        output,
        positive: Vec::new(),
        base: None,
        accepted: Vec::new(),
    };
    let mut learned = match learn(&mut person) {
        Ok(learned) => learned,
        Err(error) => {
            person.show_accepted()?;
            return Err(error);
        }
    };
    let mut symbols = prepared.symbols().clone();
    if let Some(name) = person.name()? {
        let name = symbols.intern(&name);
        for clause in learned.clauses.iter_mut().chain(&mut learned.unreduced) {
            clause.head.name = name;
        }
    }
    Ok((learned, symbols))
}

/// A person at a terminal.
struct Person<'a, R, W> {
    prepared: &'a Prepared,
    input: R,
    output: W,
    /// The initial examples and the positive ones.
    positive: Vec<Example>,
    /// The example that the definition was generalized with last, which the next ones change.
    base: Option<Example>,
    /// The definitions accepted, the last one of each disjunct.
    accepted: Vec<Clause>,
}

impl<R: BufRead, W: Write> Person<'_, R, W> {
    /// The next line without spaces around it, `None` at the end of the input.
    fn line(&mut self, question: &str) -> Result<Option<String>, PalError> {
        let failed = |error: std::io::Error| PalError::Teacher(error.to_string());
        write!(self.output, "{question} ").map_err(failed)?;
        self.output.flush().map_err(failed)?;
        let mut line = String::new();
        let read = self.input.read_line(&mut line).map_err(failed)?;
        Ok((read > 0).then(|| line.trim().to_owned()))
    }

    /// Asks until one of the letters is given.
    fn answer(&mut self, question: &str, letters: &str) -> Result<char, PalError> {
        loop {
            let Some(line) = self.line(question)? else {
                self.show("")?;
                return Err(PalError::Teacher("the input ends".to_owned()));
            };
            // A full stop may follow, as in Prolog.
            let mut given = line.trim_end_matches('.').chars();
            let letter = given.next().map(|c| c.to_ascii_lowercase());
            match letter.filter(|letter| letters.contains(*letter)) {
                Some(letter) if given.next().is_none() => return Ok(letter),
                _ => {
                    let known: Vec<String> = letters.chars().map(String::from).collect();
                    self.show(&format!("`{line}` is none of {}.", known.join(", ")))?;
                }
            }
        }
    }

    /// The name that the concept shall have: a name of Prolog; `None` if it keeps its own.
    fn name(&mut self) -> Result<Option<String>, PalError> {
        loop {
            let Some(line) = self.line("How would you like to call the concept?")? else {
                self.show("")?;
                return Ok(None);
            };
            let name = line.trim_end_matches('.');
            if name.is_empty() {
                return Ok(None);
            }
            let mut letters = name.chars();
            let starts = letters.next().is_some_and(|c| c.is_ascii_lowercase());
            if starts && letters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
                return Ok(Some(name.to_owned()));
            }
            self.show(&format!(
                "`{name}` is no name: a small letter, then letters, digits and _ are expected."
            ))?;
        }
    }

    fn show(&mut self, text: &str) -> Result<(), PalError> {
        writeln!(self.output, "{text}").map_err(|error| PalError::Teacher(error.to_string()))
    }

    /// What was learned before the input ended.
    fn show_accepted(&mut self) -> Result<(), PalError> {
        if self.accepted.is_empty() {
            return self.show("No definition was accepted yet.");
        }
        self.show("Learned so far:")?;
        let definitions = self.prepared.definitions();
        for clause in std::mem::take(&mut self.accepted) {
            let reduced = reduced_by_expansion(&clause, definitions).normalized();
            self.show(&listing(&reduced, self.prepared.symbols()))?;
        }
        Ok(())
    }

    /// Remembers a definition in place of the one it generalizes.
    fn accept(&mut self, definition: &Clause) {
        let definitions = self.prepared.definitions();
        if (self.accepted.last())
            .is_some_and(|last| covers_as_pattern(definition, last, definitions))
        {
            self.accepted.pop();
        }
        self.accepted.push(definition.clone());
        self.base = self.positive.last().cloned();
    }

    /// How an example came about, in words.
    fn changed(&self, example: &Example, change: &Change) -> String {
        match change {
            Change::Given => "The initial example:".to_owned(),
            Change::Exchanged => "Changed: the sides of all pieces.".to_owned(),
            Change::Perturbed(class) => {
                let base = self.base_of(example, class).unwrap_or(example);
                let changes: Vec<String> = (class.iter())
                    .map(|generator| self.one_change(*generator, base, example))
                    .collect();
                format!("Changed: {}.", changes.join("; "))
            }
        }
    }

    /// The example that another one changes in these arguments: the last one generalized with, or,
    /// where the search for another clause begins, an earlier positive one.
    fn base_of(&self, example: &Example, class: &[Generator]) -> Option<&Example> {
        let arguments = self.prepared.domain().arguments();
        let is_base = |base: &&Example| {
            (example.iter().zip(*base).enumerate()).all(|(c, (new, old))| {
                let changes = |a: usize| {
                    (class.iter()).any(|g| g.component == c && arguments[g.argument].contains(&a))
                };
                (0..new.len()).all(|a| changes(a) || new.get(a) == old.get(a))
            })
        };
        (self.base.iter().chain(self.positive.iter().rev())).find(is_base)
    }

    fn one_change(&self, generator: Generator, base: &Example, example: &Example) -> String {
        let domain = self.prepared.domain();
        let attributes = &domain.arguments()[generator.argument];
        let values = |example: &Example| -> String {
            let component = &example[generator.component];
            let own = attributes.iter().map(|&attribute| component[attribute]);
            list(own, self.prepared.symbols())
        };
        let old = &base[generator.component];
        let name = (0..old.len()).filter(|a| !domain.key().contains(a));
        format!(
            "{} of the {} piece ({}), {} to {}",
            self.prepared.argument_name(generator.argument),
            ordinal(generator.component + 1),
            list(
                name.map(|attribute| old[attribute]),
                self.prepared.symbols()
            ),
            values(base),
            values(example)
        )
    }
}

fn ordinal(n: usize) -> String {
    let ending = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

/// A clause with one condition a line.
fn listing(clause: &Clause, symbols: &SymbolTable) -> String {
    let conditions = clause.body.iter().map(|l| print_literal(l, symbols));
    let mut text = print_atom(&clause.head, symbols).to_string();
    for (i, condition) in conditions.enumerate() {
        let before = if i == 0 { " :-" } else { "," };
        let _ = write!(text, "{before}\n    {condition}");
    }
    text + "."
}

/// Values side by side.
pub(crate) fn list(values: impl IntoIterator<Item = Constant>, symbols: &SymbolTable) -> String {
    let texts = values
        .into_iter()
        .map(|value| print_term(&Term::Const(value), symbols).to_string());
    texts.collect::<Vec<_>>().join(" ")
}

impl<R: BufRead, W: Write> Teacher for Person<'_, R, W> {
    fn classify(
        &mut self,
        example: &Example,
        _: Constant,
        change: &Change,
    ) -> Result<Verdict, PalError> {
        let changed = self.changed(example, change);
        self.show(&format!("\n{changed}"))?;
        let symbols = self.prepared.symbols();
        let board = match self.prepared.domain() {
            World::Chess(chess) => draw(&chess.position(example)),
            World::Placement(_) => (example.iter())
                .map(|component| list(component.iter().copied(), symbols) + "\n")
                .collect(),
        };
        self.show(&board)?;
        let answer = if *change == Change::Given {
            'p'
        } else {
            self.answer("Positive, negative or stop (p/n/s)?", "pns")?
        };
        Ok(match answer {
            'p' => {
                self.positive.push(example.clone());
                Verdict::Positive
            }
            'n' => Verdict::Negative,
            _ => Verdict::Stop,
        })
    }

    fn judge(&mut self, definition: &Clause) -> Result<Judgement, PalError> {
        self.show(&format!(
            "\n{}",
            listing(definition, self.prepared.symbols())
        ))?;
        let question = "Accept definition: yes, no, or save and stop (y/n/s)?";
        Ok(match self.answer(question, "yns")? {
            'y' => {
                self.accept(definition);
                Judgement::Accept
            }
            'n' => Judgement::Reject,
            _ => {
                self.accept(definition);
                Judgement::Stop
            }
        })
    }
}
