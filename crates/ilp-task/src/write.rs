//! Tasks as files of other systems.

use std::fmt::Write as _;

use kibitz_prolog::{
    Argument, Atom, Direction, Mode, Predicate, Symbol, Term, print_atom, print_clause, print_term,
};

use rustc_hash::FxHashSet;

use super::Task;

impl Task {
    /// The files of Popper's layout with their names: `exs.pl`, `bk.pl` and `bias.pl`.
    ///
    /// Of several modes of a predicate the first is written; recalls, constraints on clauses and settings
    /// of the search are not.
    pub fn to_popper(&self) -> [(&'static str, String); 3] {
        let mut examples = String::new();
        for (sign, side) in [("pos", &self.positive), ("neg", &self.negative)] {
            for atom in side {
                let _ = writeln!(examples, "{sign}({}).", print_atom(atom, &self.symbols));
            }
        }
        examples.push_str(&self.weights_text());
        let mut bias = String::new();
        let mut seen: Vec<Predicate> = Vec::new();
        let head = &self.bias.head;
        let _ = writeln!(
            bias,
            "head_pred({},{}).",
            self.name(head.predicate.name),
            head.predicate.arity
        );
        self.popper_mode(head, &mut bias);
        for mode in &self.bias.body {
            let Predicate { name, arity } = mode.predicate;
            if mode.predicate == self.target || seen.contains(&mode.predicate) {
                continue;
            }
            seen.push(mode.predicate);
            let _ = writeln!(bias, "body_pred({},{arity}).", self.name(name));
            self.popper_mode(mode, &mut bias);
        }
        for set in &self.bias.constants {
            for constant in &set.constants {
                let constant = print_term(constant, &self.symbols);
                let _ = writeln!(bias, "constant({constant},{}).", self.name(set.kind));
            }
        }
        let limits = [
            ("max_body", self.bias.max_body),
            ("max_vars", self.bias.max_vars),
            ("max_clauses", self.bias.max_clauses),
        ];
        for (name, limit) in limits {
            if let Some(limit) = limit {
                let _ = writeln!(bias, "{name}({limit}).");
            }
        }
        if self.bias.recursion {
            bias.push_str("enable_recursion.\n");
        }
        [
            ("exs.pl", examples),
            ("bk.pl", self.background_text()),
            ("bias.pl", bias),
        ]
    }

    /// Types and directions of a predicate.
    fn popper_mode(&self, mode: &Mode, bias: &mut String) {
        let name = self.name(mode.predicate.name);
        let list = |of: &dyn Fn(&Argument) -> String| {
            let parts: Vec<String> = mode.arguments.iter().map(of).collect();
            match &parts[..] {
                [only] => format!("({only},)"),
                parts => format!("({})", parts.join(",")),
            }
        };
        if mode.arguments.is_empty() {
            return;
        }
        let kinds = list(&|argument| self.name(argument.kind));
        let _ = writeln!(bias, "type({name},{kinds}).");
        if mode.places(Direction::In).next().is_some() {
            let directions = list(&|argument| match argument.direction {
                Direction::In => "in".to_owned(),
                Direction::Out | Direction::Constant => "out".to_owned(),
            });
            let _ = writeln!(bias, "direction({name},{directions}).");
        }
        for place in mode.places(Direction::Constant) {
            let _ = writeln!(bias, "magic_value({name},{place}).");
        }
    }

    /// The task as one file for Aleph. Where no direction is declared, each argument in turn is an input.
    pub fn to_aleph(&self) -> String {
        let mut text = String::from(
            ":- use_module(library(aleph)).\n:- aleph.\n:- style_check(-discontiguous).\n\
             :- aleph_set(verbosity,0).\n",
        );
        if let Some(max_body) = self.bias.max_body {
            let _ = writeln!(text, ":- aleph_set(clauselength,{}).", max_body + 1);
        }
        let head = self.signed(&self.bias.head);
        let _ = writeln!(text, ":- modeh(1,{head}).");
        let has_input = |mode: &Mode| mode.places(Direction::In).next().is_some();
        let is_directed = self.bias.body.iter().any(has_input);
        let mut determined: Vec<Predicate> = Vec::new();
        for mode in &self.bias.body {
            let recall = mode
                .recall
                .map_or("*".to_owned(), |recall| recall.to_string());
            let mut modes = vec![mode.clone()];
            if !is_directed {
                modes = (mode.places(Direction::Out))
                    .map(|place| {
                        let mut own = mode.clone();
                        own.arguments[place].direction = Direction::In;
                        own
                    })
                    .collect();
            }
            for mode in modes {
                let _ = writeln!(text, ":- modeb({recall},{}).", self.signed(&mode));
            }
            if !determined.contains(&mode.predicate) {
                determined.push(mode.predicate);
            }
        }
        let indicator = |own: Predicate| format!("{}/{}", self.name(own.name), own.arity);
        for own in determined {
            let (target, own) = (indicator(self.target), indicator(own));
            let _ = writeln!(text, ":- determination({target},{own}).");
        }
        let _ = writeln!(
            text,
            ":- begin_bg.\n{}:- end_bg.",
            self.background_text() + &self.weights_text()
        );
        for (name, side) in [("pos", &self.positive), ("neg", &self.negative)] {
            let _ = writeln!(text, ":- begin_in_{name}.");
            for atom in side {
                let _ = writeln!(text, "{}.", print_atom(atom, &self.symbols));
            }
            let _ = writeln!(text, ":- end_in_{name}.");
        }
        text.push_str(":- aleph_read_all.\n");
        text
    }

    /// A fact for each example that has a weight; one for an atom that is positive and negative.
    fn weights_text(&self) -> String {
        let mut text = String::new();
        let mut written: FxHashSet<&Atom> = FxHashSet::default();
        if !self.weights.are_given() {
            return text;
        }
        for (side, examples) in [&self.positive, &self.negative].into_iter().enumerate() {
            for atom in examples {
                if let Some(weight) = self.weights.get(side, atom)
                    && written.insert(atom)
                {
                    let atom = print_atom(atom, &self.symbols);
                    let _ = writeln!(text, "weight({atom},{weight}).");
                }
            }
        }
        text
    }

    /// A mode with signs: `east(+train)`.
    fn signed(&self, mode: &Mode) -> String {
        let args = mode.arguments.iter().map(|argument| {
            let sign = match argument.direction {
                Direction::In => '+',
                Direction::Out => '-',
                Direction::Constant => '#',
            };
            format!("{sign}{}", self.name(argument.kind))
        });
        let args: Vec<String> = args.collect();
        let name = self.name(mode.predicate.name);
        if args.is_empty() {
            name
        } else {
            format!("{name}({})", args.join(","))
        }
    }

    /// The task as a file for FOIL.
    ///
    /// # Errors
    /// The reason, if a predicate of the background is not a table of ground facts.
    pub fn to_foil(&self) -> Result<String, String> {
        let mut relations: Vec<(&Mode, Vec<&Atom>)> = Vec::new();
        for mode in &self.bias.body {
            if mode.predicate == self.target
                || relations
                    .iter()
                    .any(|(own, _)| own.predicate == mode.predicate)
            {
                continue;
            }
            let own = (self.background.iter()).filter(|it| it.head.predicate() == mode.predicate);
            let is_row = |own: &&Atom| own.is_ground();
            let rows: Vec<&Atom> = own.clone().map(|it| &it.head).collect();
            if rows.is_empty()
                || !rows.iter().all(is_row)
                || own.clone().any(|it| !it.body.is_empty())
            {
                let Predicate { name, arity } = mode.predicate;
                let name = self.symbols.name(name);
                return Err(format!("FOIL reads tables, and {name}/{arity} is none"));
            }
            relations.push((mode, rows));
        }
        let mut kinds: Vec<Symbol> = Vec::new();
        let modes = std::iter::once(&self.bias.head).chain(&self.bias.body);
        for argument in modes.flat_map(|mode| &mode.arguments) {
            if !kinds.contains(&argument.kind) {
                kinds.push(argument.kind);
            }
        }
        let mut text = String::new();
        for kind in kinds {
            let constants = self.constants_of(kind);
            let constants: Vec<String> = constants.iter().map(|it| self.foil_word(it)).collect();
            let name = self.foil_word(&Term::symbol(kind));
            let _ = writeln!(text, "{name}: {}.", constants.join(","));
        }
        let header = |mode: &Mode| {
            let kinds = mode
                .arguments
                .iter()
                .map(|it| self.foil_word(&Term::symbol(it.kind)));
            let kinds: Vec<String> = kinds.collect();
            let name = self.foil_word(&Term::symbol(mode.predicate.name));
            format!("{name}({})", kinds.join(","))
        };
        let rows = |rows: &mut dyn Iterator<Item = &Atom>, text: &mut String| {
            for atom in rows {
                let row: Vec<String> = atom.args.iter().map(|it| self.foil_word(it)).collect();
                let _ = writeln!(text, "{}", row.join(","));
            }
        };
        let _ = writeln!(text, "\n{}", header(&self.bias.head));
        rows(&mut self.positive.iter(), &mut text);
        text.push_str(";\n");
        rows(&mut self.negative.iter(), &mut text);
        text.push_str(".\n");
        for (mode, own) in relations {
            let key = if mode.places(Direction::In).next().is_some() {
                let marks = mode
                    .arguments
                    .iter()
                    .map(|argument| match argument.direction {
                        Direction::In => '#',
                        Direction::Out | Direction::Constant => '-',
                    });
                format!(" {}", marks.collect::<String>())
            } else {
                String::new()
            };
            let _ = writeln!(text, "*{}{key}", header(mode));
            rows(&mut own.into_iter(), &mut text);
            text.push_str(".\n");
        }
        Ok(text)
    }

    /// A term as one word of FOIL's.
    fn foil_word(&self, term: &Term) -> String {
        let text = match term {
            Term::Const(kibitz_prolog::Constant::Symbol(name)) => {
                self.symbols.name(*name).to_owned()
            }
            term => print_term(term, &self.symbols).to_string(),
        };
        let mut word = String::with_capacity(text.len());
        for c in text.chars() {
            if c.is_whitespace() || ",;:().|*#\\?'".contains(c) {
                word.push('\\');
            }
            word.push(c);
        }
        word
    }

    fn name(&self, name: Symbol) -> String {
        print_term(&Term::symbol(name), &self.symbols).to_string()
    }

    fn background_text(&self) -> String {
        self.background
            .iter()
            .fold(String::new(), |mut text, clause| {
                let _ = writeln!(text, "{}", print_clause(clause, &self.symbols));
                text
            })
    }
}

#[cfg(test)]
mod tests {
    use kibitz_prolog::print_atom;

    use crate::{Source, Task};

    #[test]
    fn what_is_written_reads_back_as_the_same_task() {
        let source = |name, text| Source { name, text };
        let task = Task::from_popper(
            source("exs.pl", "pos(p(a,1.5)). pos(p('B c',2)). neg(p([x],3))."),
            source("bk.pl", "q(a,x). q('B c',y). q([x],z). r(1.5). r(2). s(x,k1). s(y,k2)."),
            source(
                "bias.pl",
                "head_pred(p,2). body_pred(q,2). body_pred(r,1). body_pred(s,2).
                 type(p,(name,number)). type(q,(name,thing)). type(r,(number,)). type(s,(thing,key)).
                 direction(p,(in,in)). direction(q,(in,out)). direction(r,(in,)). direction(s,(in,out)).
                 magic_value(s,1). max_body(3). max_vars(4).",
            ),
        )
        .expect("a task");
        let shown = |task: &Task, side: &[kibitz_prolog::Atom]| -> Vec<String> {
            let shown = side
                .iter()
                .map(|atom| print_atom(atom, &task.symbols).to_string());
            shown.collect()
        };
        let [exs, bk, bias] = task.to_popper();
        let popper = Task::from_popper(
            source(exs.0, &exs.1),
            source(bk.0, &bk.1),
            source(bias.0, &bias.1),
        );
        let (aleph, foil) = (task.to_aleph(), task.to_foil().expect("tables"));
        let others = [
            popper.expect("Popper's"),
            Task::from_aleph(source("p.pl", &aleph)).expect("Aleph's"),
            Task::from_foil(source("p.d", &foil)).expect("FOIL's"),
        ];
        for (i, other) in others.iter().enumerate() {
            assert_eq!(other.negative.len(), 1);
            assert_eq!(other.background.len(), task.background.len());
            assert_eq!(other.bias.body.len(), 3);
            if i < 2 {
                assert_eq!(shown(other, &other.positive), shown(&task, &task.positive));
                let directions = |task: &Task| -> Vec<_> {
                    let arguments = task
                        .bias
                        .body
                        .iter()
                        .flat_map(|mode| mode.arguments.clone());
                    arguments.map(|argument| argument.direction).collect()
                };
                assert_eq!(directions(other), directions(&task));
                assert_eq!(other.bias.max_body, Some(3));
            }
        }
    }

    #[test]
    fn rules_are_no_tables() {
        let source = |name, text| Source { name, text };
        let task = Task::from_popper(
            source("exs.pl", "pos(p(a)). neg(p(b))."),
            source("bk.pl", "q(X) :- r(X). r(a)."),
            source("bias.pl", "head_pred(p,1). body_pred(q,1)."),
        );
        let error = task.expect("a task").to_foil().unwrap_err();
        assert_eq!(error, "FOIL reads tables, and q/1 is none");
    }
}
