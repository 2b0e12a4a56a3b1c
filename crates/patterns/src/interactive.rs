//! A person at the terminal as teacher.

use std::fmt::Write as _;
use std::io::{BufRead, Write};

use kibitz_pal::{
    Change, Example, Generator, Judgement, PalError, PalResult, Teacher, Verdict,
    reduced_relative_to, subsumes_relative_to,
};
use kibitz_patterns::{ConceptDomain, ConceptError, PreparedConcept, draw};
use kibitz_prolog::{Clause, Constant, SymbolTable, Term, print_atom, print_literal, print_term};

/// Runs `learn` with a person at a terminal as teacher, then asks for the name of the concept. Returns
/// the learned concept under that name, and its symbol table.
///
/// If the input ends earlier, the accepted definitions are written before the error is returned.
///
/// # Source
/// Morales 1992, appendix A.
pub(crate) fn learn(
    prepared: &PreparedConcept,
    input: impl BufRead,
    output: impl Write,
    learn: impl FnOnce(&mut dyn Teacher) -> Result<PalResult, ConceptError>,
) -> Result<(PalResult, SymbolTable), ConceptError> {
    let mut person = HumanTeacher {
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
struct HumanTeacher<'a, R, W> {
    prepared: &'a PreparedConcept,
    input: R,
    output: W,
    /// The initial examples and the positive ones.
    positive: Vec<Example>,
    /// The last example that generalized the definition; the next ones are its perturbations.
    base: Option<Example>,
    /// The accepted definitions, the last of each disjunct.
    accepted: Vec<Clause>,
}

impl<R: BufRead, W: Write> HumanTeacher<'_, R, W> {
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

    /// The chosen name of the concept, an atom of Prolog; `None` to keep its own.
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
                "`{name}` is not a name: expected a lowercase letter, then letters, digits and _."
            ))?;
        }
    }

    fn show(&mut self, text: &str) -> Result<(), PalError> {
        writeln!(self.output, "{text}").map_err(|error| PalError::Teacher(error.to_string()))
    }

    /// Writes the definitions accepted before the input ended.
    fn show_accepted(&mut self) -> Result<(), PalError> {
        if self.accepted.is_empty() {
            return self.show("No definition was accepted yet.");
        }
        self.show("Learned so far:")?;
        let definitions = self.prepared.definitions();
        for clause in std::mem::take(&mut self.accepted) {
            let reduced = reduced_relative_to(&clause, definitions).normalized();
            self.show(&listing(&reduced, self.prepared.symbols()))?;
        }
        Ok(())
    }

    /// Stores a definition in place of the one it generalizes.
    fn accept(&mut self, definition: &Clause) {
        let definitions = self.prepared.definitions();
        if (self.accepted.last())
            .is_some_and(|last| subsumes_relative_to(definition, last, definitions))
        {
            self.accepted.pop();
        }
        self.accepted.push(definition.clone());
        self.base = self.positive.last().cloned();
    }

    /// The origin of an example in words.
    fn changed(&self, example: &Example, change: &Change) -> String {
        match change {
            Change::Given => "The initial example:".to_owned(),
            Change::Exchanged => "Changed: the sides of all pieces.".to_owned(),
            Change::Counterexample => "A counterexample:".to_owned(),
            Change::Perturbed(class) => {
                let base = self.base_of(example, class).unwrap_or(example);
                let changes: Vec<String> = (class.iter())
                    .map(|generator| self.one_change(*generator, base, example))
                    .collect();
                format!("Changed: {}.", changes.join("; "))
            }
        }
    }

    /// The example of which another one is a perturbation in this class: the last one that generalized
    /// the definition or, at the start of another clause, an earlier positive one.
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

/// A clause with one condition on each line.
fn listing(clause: &Clause, symbols: &SymbolTable) -> String {
    let conditions = clause.body.iter().map(|l| print_literal(l, symbols));
    let mut text = print_atom(&clause.head, symbols).to_string();
    for (i, condition) in conditions.enumerate() {
        let before = if i == 0 { " :-" } else { "," };
        let _ = write!(text, "{before}\n    {condition}");
    }
    text + "."
}

/// Values separated by spaces.
pub(crate) fn list(values: impl IntoIterator<Item = Constant>, symbols: &SymbolTable) -> String {
    let texts = values
        .into_iter()
        .map(|value| print_term(&Term::Const(value), symbols).to_string());
    texts.collect::<Vec<_>>().join(" ")
}

impl<R: BufRead, W: Write> Teacher for HumanTeacher<'_, R, W> {
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
            ConceptDomain::Chess(chess) => draw(&chess.position(example)),
            ConceptDomain::Placement(_) => (example.iter())
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
