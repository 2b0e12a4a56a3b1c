//! A log of the teacher's answers.

use std::io::Write;

use kibitz_pal::{Change, Component, Example, Generator, Judgement, PalError, Teacher, Verdict};
use kibitz_patterns::PreparedConcept;
use kibitz_prolog::{Clause, Constant, print_clause};

use crate::interactive::list;

/// A teacher that logs its answers.
pub(crate) struct TracingTeacher<'a, T, W> {
    prepared: &'a PreparedConcept,
    teacher: T,
    output: W,
}

impl<'a, T: Teacher, W: Write> TracingTeacher<'a, T, W> {
    pub(crate) fn new(prepared: &'a PreparedConcept, teacher: T, output: W) -> Self {
        Self {
            prepared,
            teacher,
            output,
        }
    }

    fn write(&mut self, text: &str) -> Result<(), PalError> {
        writeln!(self.output, "{text}").map_err(|error| PalError::Teacher(error.to_string()))
    }

    fn write_example(
        &mut self,
        answer: &str,
        example: &Example,
        change: &Change,
    ) -> Result<(), PalError> {
        let symbols = self.prepared.symbols();
        let component = |values: &Component| list(values.iter().copied(), symbols);
        let components: Vec<String> = example.iter().map(component).collect();
        let changed = self.changed(change);
        self.write(&format!("{answer}: {} ({changed})", components.join(", ")))
    }

    fn changed(&self, change: &Change) -> String {
        let argument = |g: &Generator| {
            let name = self.prepared.argument_name(g.argument);
            format!("{name} of component {}", g.component + 1)
        };
        match change {
            Change::Given => "given".to_owned(),
            Change::Exchanged => "sides exchanged".to_owned(),
            Change::Counterexample => "counterexample".to_owned(),
            Change::Perturbed(class) => {
                let arguments: Vec<String> = class.iter().map(argument).collect();
                format!("changed {}", arguments.join(", "))
            }
        }
    }
}

impl<T: Teacher, W: Write> Teacher for TracingTeacher<'_, T, W> {
    fn classify(
        &mut self,
        example: &Example,
        state: Constant,
        change: &Change,
    ) -> Result<Verdict, PalError> {
        let verdict = self.teacher.classify(example, state, change)?;
        let answer = match verdict {
            Verdict::Positive => "positive",
            Verdict::Negative => "negative",
            Verdict::Stop => "stop",
        };
        self.write_example(answer, example, change)?;
        Ok(verdict)
    }

    fn judge(&mut self, definition: &Clause) -> Result<Judgement, PalError> {
        let judgement = self.teacher.judge(definition)?;
        let text = print_clause(definition, self.prepared.symbols()).to_string();
        self.write(&format!(
            "{}: {text}",
            match judgement {
                Judgement::Accept => "accepted",
                Judgement::Reject => "rejected",
                Judgement::Stop => "accepted as final",
            }
        ))?;
        Ok(judgement)
    }

    fn counterexample(&mut self, theory: &[Clause]) -> Result<Option<Example>, PalError> {
        let found = self.teacher.counterexample(theory)?;
        if let Some(example) = &found {
            self.write_example("positive", example, &Change::Counterexample)?;
        }
        Ok(found)
    }

    fn keep_going(&mut self) -> bool {
        self.teacher.keep_going()
    }
}
