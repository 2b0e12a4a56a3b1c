//! Layouts with mode declarations: Aleph (one file, or `.b`, `.f` and `.n`), Golem and Progol.

use super::issue::{Issue, IssueKind, TaskError};
use super::source::{Source, as_count, as_indicator, as_name, check_arity, push_example, show};
use super::{Bias, Task};
use crate::mode::{Argument, Direction, MAX_ARITY, Mode};
use crate::reader::{Dialect, SentenceKind};
use crate::term::{Atom, Clause, Constant, Predicate, Symbol, SymbolTable, Term};

/// Most modes that one declaration may stand for.
const MAX_MODES: usize = 64;

/// Where the clauses of a file belong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Background,
    Positive,
    Negative,
}

/// Declarations, background and examples in the order of the files.
#[derive(Default)]
struct Collected {
    heads: Vec<(Mode, usize)>,
    bodies: Vec<Mode>,
    determinations: Vec<(Predicate, Predicate)>,
    background: Vec<Clause>,
    positive: Vec<(Clause, usize)>,
    negative: Vec<(Clause, usize)>,
    max_body: Option<usize>,
    max_clauses: Option<usize>,
    issues: Vec<Issue>,
}

impl Task {
    /// Reads a task in Aleph's layout in one file, with sections `begin_bg`, `begin_in_pos` and
    /// `begin_in_neg`.
    ///
    /// # Errors
    /// Every problem found, with file, line and column.
    pub fn from_aleph(source: Source<'_>) -> Result<Task, TaskError> {
        let (collected, symbols) = Collected::of([(&source, Section::Background)], Dialect::Prolog);
        collected.into_task(symbols, [&source, &source, &source])
    }

    /// Reads a task from three files: background with modes, positive and negative examples, as
    /// Aleph (`.b`, `.f`, `.n` with `modeh` and `modeb`) and Golem (with `mode`) have them.
    ///
    /// # Errors
    /// Every problem found, with file, line and column.
    pub fn from_three_files(
        background: Source<'_>,
        positive: Source<'_>,
        negative: Source<'_>,
    ) -> Result<Task, TaskError> {
        let files = [
            (&background, Section::Background),
            (&positive, Section::Positive),
            (&negative, Section::Negative),
        ];
        let (collected, symbols) = Collected::of(files, Dialect::Prolog);
        collected.into_task(symbols, [&background, &positive, &negative])
    }

    /// Reads a task in Progol's layout: one file whose directives end in a question mark, with
    /// positive examples as facts and negative ones as headless clauses.
    ///
    /// # Errors
    /// Every problem found, with file, line and column.
    pub fn from_progol(source: Source<'_>) -> Result<Task, TaskError> {
        let (mut collected, symbols) =
            Collected::of([(&source, Section::Background)], Dialect::Progol);
        if let Some((head, _)) = collected.heads.first() {
            let target = head.predicate;
            let (examples, background) = std::mem::take(&mut collected.background)
                .into_iter()
                .partition(|clause| clause.head.predicate() == target && clause.body.is_empty());
            collected.background = background;
            collected
                .positive
                .extend(examples.into_iter().map(|clause| (clause, 0)));
        }
        collected.into_task(symbols, [&source, &source, &source])
    }
}

impl Collected {
    /// Reads files, each of which begins in a section.
    fn of<const N: usize>(
        files: [(&Source<'_>, Section); N],
        dialect: Dialect,
    ) -> (Self, SymbolTable) {
        let (mut this, mut symbols) = (Self::default(), SymbolTable::new());
        for (source, mut section) in files {
            for sentence in source.sentences(dialect, &mut symbols, &mut this.issues) {
                let offset = sentence.offset;
                match sentence.kind {
                    SentenceKind::Clause(clause) => match section {
                        Section::Background => this.background.push(clause),
                        Section::Positive => this.positive.push((clause, offset)),
                        Section::Negative => this.negative.push((clause, offset)),
                    },
                    SentenceKind::Directive(goal) | SentenceKind::Query(goal) => {
                        let read = this.directive(
                            source,
                            offset,
                            &goal,
                            dialect,
                            &mut section,
                            &mut symbols,
                        );
                        if let Err(error) = read {
                            this.issues.extend(error.issues);
                        }
                    }
                }
            }
        }
        (this, symbols)
    }

    fn directive(
        &mut self,
        source: &Source<'_>,
        offset: usize,
        goal: &Term,
        dialect: Dialect,
        section: &mut Section,
        symbols: &mut SymbolTable,
    ) -> Result<(), TaskError> {
        let Some(atom) = Atom::from_term(goal) else {
            return Ok(());
        };
        let name = symbols.name(atom.name).to_owned();
        match (name.as_str(), &atom.args[..]) {
            ("begin_in_pos" | "begin_pos", []) => *section = Section::Positive,
            ("begin_in_neg" | "begin_neg", []) => *section = Section::Negative,
            ("begin_bg" | "end_bg" | "end_in_pos" | "end_in_neg", []) => {
                *section = Section::Background;
            }
            ("modeh", [.., template]) if atom.args.len() <= 2 => {
                let mode = mode(source, offset, template, None, symbols)?.remove(0);
                self.heads.push((mode, offset));
            }
            ("modeb", [.., template]) if atom.args.len() <= 2 => {
                let recall = atom.args[..atom.args.len() - 1].first().and_then(as_count);
                let recall = recall.and_then(|n| u32::try_from(n).ok());
                self.bodies
                    .extend(mode(source, offset, template, recall, symbols)?);
            }
            // Golem does not tell heads from bodies; determinations do.
            ("mode", [template] | [_, template]) => {
                let modes = mode(source, offset, template, None, symbols)?;
                if self.heads.is_empty() {
                    self.heads.push((modes[0].clone(), offset));
                }
                self.bodies.extend(modes);
            }
            ("determination", [head, body]) => {
                let both = as_indicator(head).zip(as_indicator(body));
                self.determinations.push(both.ok_or_else(|| {
                    let message = format!(
                        "a determination takes two predicates with their arities, of at most {MAX_ARITY}"
                    );
                    let issue = source.unexpected(offset, message);
                    issue.help("write determination(east/1,has_car/2)")
                })?);
            }
            ("set" | "aleph_set", [Term::Const(Constant::Symbol(key)), value]) => {
                match (symbols.name(*key), as_count(value)) {
                    // Progol's c counts body literals, Aleph's clauselength the head as well.
                    ("clauselength", Some(n)) => self.max_body = Some(n.saturating_sub(1)),
                    ("c", Some(n)) => self.max_body = Some(n),
                    ("max_clauses" | "clauses", Some(n)) => self.max_clauses = Some(n),
                    _ => {}
                }
            }
            _ if dialect == Dialect::Progol
                && (self.heads.iter()).any(|(mode, _)| mode.predicate == atom.predicate()) =>
            {
                self.negative.push((Clause::fact(atom), offset));
            }
            _ => {}
        }
        Ok(())
    }

    /// The declared mode of the target; without one, every argument is an input of one type.
    fn head_mode(&self, target: Predicate) -> Mode {
        let heads = self.heads.iter().map(|(mode, _)| mode);
        let declared = heads
            .chain(&self.bodies)
            .find(|mode| mode.predicate == target);
        let argument = Argument {
            direction: Direction::In,
            kind: Symbol::TRUE,
        };
        declared.cloned().unwrap_or_else(|| Mode {
            predicate: target,
            arguments: vec![argument; target.arity],
            recall: None,
        })
    }

    /// Drops the body modes that no determination of the target names; without determinations, those
    /// of the target.
    fn keep_determined(&mut self, target: Predicate, main: &Source<'_>, symbols: &SymbolTable) {
        if self.determinations.is_empty() {
            self.bodies.retain(|mode| mode.predicate != target);
            return;
        }
        let own = (self.determinations.iter()).filter(|(head, _)| *head == target);
        let determined: Vec<Predicate> = own.map(|(_, body)| *body).collect();
        for predicate in &determined {
            if !self.bodies.iter().any(|mode| mode.predicate == *predicate) {
                let message = format!(
                    "{} is determined but has no mode",
                    show(*predicate, symbols)
                );
                let issue = Issue::new(main.name, IssueKind::Unexpected(message));
                self.issues
                    .push(issue.help("add a modeb declaration for it"));
            }
        }
        self.bodies
            .retain(|mode| determined.contains(&mode.predicate));
    }

    fn into_task(
        mut self,
        symbols: SymbolTable,
        [main, pos, neg]: [&Source<'_>; 3],
    ) -> Result<Task, TaskError> {
        let determined = self.determinations.iter().map(|(head, _)| *head);
        let heads = self.heads.iter().map(|(mode, _)| mode.predicate);
        let examples = self.positive.iter().map(|(it, _)| it.head.predicate());
        let target = determined.chain(heads).chain(examples).next();
        let Some(target) = target else {
            self.issues.push(
                Issue::new(main.name, IssueKind::NoTarget).help(
                    "declare it with modeh(1,east(+train)) or determination(east/1,has_car/2)",
                ),
            );
            return Err(TaskError {
                issues: self.issues,
            });
        };
        if let Err(problem) = check_arity(target.arity) {
            let offset = self.positive.first().map_or(0, |(_, offset)| *offset);
            return Err(pos.unexpected(offset, problem).into());
        }
        let head = self.head_mode(target);
        self.keep_determined(target, main, &symbols);
        let mut bias = Bias::new(head, self.bodies);
        bias.max_body = self.max_body;
        bias.max_clauses = self.max_clauses;
        bias.recursion = self.determinations.iter().any(|(head, body)| head == body);
        let (mut positive, mut negative) = (Vec::new(), Vec::new());
        let sides = [
            (pos, self.positive, &mut positive),
            (neg, self.negative, &mut negative),
        ];
        for (source, clauses, examples) in sides {
            for (clause, offset) in clauses {
                push_example(
                    source,
                    offset,
                    clause,
                    target,
                    &symbols,
                    examples,
                    &mut self.issues,
                );
            }
        }
        let task = Task {
            positive,
            negative,
            background: self.background,
            ..Task::new(symbols, bias)
        };
        TaskError::check(self.issues, task)
    }
}

/// The modes of a template: with `-#` for an argument there are two, as an output and as a constant.
fn mode(
    source: &Source<'_>,
    offset: usize,
    template: &Term,
    recall: Option<u32>,
    symbols: &mut SymbolTable,
) -> Result<Vec<Mode>, TaskError> {
    let any = symbols.intern("any");
    let atom = Atom::from_term(template).ok_or_else(|| {
        let issue = source.unexpected(offset, "a mode takes a predicate");
        issue.help("write modeb(*,has_car(+train,-car)); predicate names are in lower case")
    })?;
    check_arity(atom.args.len()).map_err(|problem| source.unexpected(offset, problem))?;
    let mut choices: Vec<Vec<Argument>> = vec![Vec::with_capacity(atom.args.len())];
    for arg in atom.args.iter() {
        let signed = match arg {
            Term::Compound(sign, inner) if inner.len() == 1 => {
                as_name(&inner[0]).map(|kind| (*sign, kind))
            }
            other => as_name(other).map(|sign| (sign, any)),
        };
        let (sign, kind) = signed.unzip();
        let directions: &[Direction] = match sign.map(|sign| symbols.name(sign)) {
            Some("+") => &[Direction::In],
            Some("-") => &[Direction::Out],
            Some("#") => &[Direction::Constant],
            Some("-#") => &[Direction::Out, Direction::Constant],
            _ => {
                let name = symbols.name(atom.name);
                let message = format!("a mode of {name} has an argument without + - or #");
                let help = "write +type for inputs, -type for outputs, #type for constants and -#type for both";
                return Err(source.unexpected(offset, message).help(help).into());
            }
        };
        let kind = kind.unwrap_or(any);
        if choices.len() * directions.len() > MAX_MODES {
            let message = "too many arguments that are both outputs and constants";
            return Err(source.unexpected(offset, message).into());
        }
        choices = (choices.iter())
            .flat_map(|before| {
                directions.iter().map(move |&direction| {
                    let mut longer = before.clone();
                    longer.push(Argument { direction, kind });
                    longer
                })
            })
            .collect();
    }
    let modes = choices.into_iter().map(|arguments| Mode {
        predicate: atom.predicate(),
        arguments,
        recall,
    });
    Ok(modes.collect())
}
