use std::io::{BufRead, Write};

use kibitz_ilp::learn::pal::{Change, Example, Judgement, PalError, Teacher, Verdict};
use kibitz_ilp::{Clause, Constant, SymbolTable, Term, print_clause, print_term};
use kibitz_patterns::{Prepared, World, draw};

/// A person at a terminal.
///
/// # Source
/// Morales 1992, appendix A.
pub(crate) struct Person<'a, R, W> {
    prepared: &'a Prepared,
    input: R,
    output: W,
}

impl<'a, R: BufRead, W: Write> Person<'a, R, W> {
    pub(crate) fn new(prepared: &'a Prepared, input: R, output: W) -> Self {
        Self {
            prepared,
            input,
            output,
        }
    }

    /// Asks until one of the letters is given.
    fn answer(&mut self, question: &str, letters: &str) -> Result<char, PalError> {
        let failed = |error: std::io::Error| PalError::Teacher(error.to_string());
        loop {
            write!(self.output, "{question} ").map_err(failed)?;
            self.output.flush().map_err(failed)?;
            let mut line = String::new();
            if self.input.read_line(&mut line).map_err(failed)? == 0 {
                return Err(PalError::Teacher("the input ends".to_owned()));
            }
            let letter = line.trim().chars().next().map(|c| c.to_ascii_lowercase());
            if let Some(letter) = letter.filter(|letter| letters.contains(*letter)) {
                return Ok(letter);
            }
        }
    }

    fn show(&mut self, text: &str) -> Result<(), PalError> {
        writeln!(self.output, "{text}").map_err(|error| PalError::Teacher(error.to_string()))
    }
}

/// The components as facts, one on a line.
fn list(example: &Example, symbols: &SymbolTable) -> String {
    let mut text = String::new();
    for component in example {
        let values = component.iter().copied().map(Term::Const);
        for (i, value) in values.enumerate() {
            text.push_str(if i == 0 { "" } else { " " });
            text.push_str(&print_term(&value, symbols).to_string());
        }
        text.push('\n');
    }
    text
}

impl<R: BufRead, W: Write> Teacher for Person<'_, R, W> {
    fn classify(
        &mut self,
        example: &Example,
        _: Constant,
        change: &Change,
    ) -> Result<Verdict, PalError> {
        let board = match self.prepared.domain() {
            World::Chess(chess) => draw(&chess.position(example)),
            World::Placement(_) => list(example, self.prepared.symbols()),
        };
        self.show(&format!("\n{board}"))?;
        if *change == Change::Given {
            return Ok(Verdict::Positive);
        }
        Ok(
            match self.answer("Positive, negative or stop (p/n/s)?", "pns")? {
                'p' => Verdict::Positive,
                'n' => Verdict::Negative,
                _ => Verdict::Stop,
            },
        )
    }

    fn judge(&mut self, definition: &Clause) -> Result<Judgement, PalError> {
        let text = print_clause(definition, self.prepared.symbols()).to_string();
        self.show(&text)?;
        let question = "Accept definition: yes, no, or save and stop (y/n/s)?";
        Ok(match self.answer(question, "yns")? {
            'y' => Judgement::Accept,
            'n' => Judgement::Reject,
            _ => Judgement::Stop,
        })
    }
}
