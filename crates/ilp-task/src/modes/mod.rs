//! Layouts with mode declarations: Aleph (one file, or `.b`, `.f` and `.n`), Golem and Progol.

mod directive;
mod targets;
mod undeclared;
mod unknown;

use kibitz_prolog::{
    Argument, Atom, Clause, Dialect, Direction, Literal, Mode, Predicate, SentenceKind, Symbol,
    SymbolTable, Term, print_term,
};

use self::undeclared::undeclared_mode;
use super::example_targets::{ExampleTargets, TargetDeclaration};
use super::issue::{Issue, IssueKind, TaskError};
use super::mode_leaves::{Leaves, unsigned};
use super::settings::SearchSettings;
use super::source::{Source, check_arity, other_target_in_bodies, show};
use super::types::fit_types;
use super::weights::is_weight;
use super::{Bias, ConstantSet, Task, Templates};

/// Where the clauses of a file belong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    /// Outside of sections: what stands there is background, too.
    Outside,
    Background,
    Positive,
    Negative,
}

impl Section {
    /// What it holds, in words, and the directive that ends it.
    fn described(self) -> (&'static str, &'static str) {
        match self {
            Self::Outside | Self::Background => ("the background", "end_bg"),
            Self::Positive => ("positive examples", "end_in_pos"),
            Self::Negative => ("negative examples", "end_in_neg"),
        }
    }
}

/// Declarations, background and examples in the order of the files.
#[derive(Clone, Default)]
pub(super) struct FileContents {
    pub(super) heads: Vec<Mode>,
    pub(super) bodies: Vec<Mode>,
    pub(super) determinations: Vec<(Predicate, Predicate)>,
    /// The declarations of predicates to learn.
    pub(super) declared: Vec<TargetDeclaration>,
    /// Whether modes tell heads from bodies, as those of Golem do not.
    has_body_modes: bool,
    is_progol: bool,
    /// Whether some directive is misspelled.
    is_misspelled: bool,
    pub(super) background: Vec<Clause>,
    /// Facts of the background that may give an example a weight, and where they are.
    weights: Vec<(usize, usize)>,
    pub(super) positive: Vec<(Clause, usize)>,
    pub(super) negative: Vec<(Clause, usize)>,
    /// Goals that are no directive known here.
    goals: Vec<UnknownGoal>,
    /// Constants that may be compared with.
    pub(super) constants: Vec<ConstantSet>,
    max_body: Option<usize>,
    max_clauses: Option<usize>,
    search: SearchSettings,
    pub(super) templates: Templates,
    pub(super) remarks: Vec<Issue>,
    issues: Vec<Issue>,
}

/// A goal that is not a known directive.
#[derive(Clone)]
struct UnknownGoal {
    atom: Atom,
    /// The number of its file.
    file: usize,
    offset: usize,
}

/// Where a directive is.
#[derive(Clone, Copy)]
struct Place<'s> {
    source: &'s Source<'s>,
    /// The number of the file.
    file: usize,
    offset: usize,
}

impl Task {
    /// Reads a task in Aleph's layout in one file, with sections `begin_bg`, `begin_in_pos` and
    /// `begin_in_neg`.
    ///
    /// # Errors
    /// Every problem found, with file, line and column.
    pub fn from_aleph(source: Source<'_>) -> Result<Task, TaskError> {
        Self::only(Self::each_from_aleph(source)?, source.name)
    }

    /// Reads a task for each `modeh` of another predicate that has examples.
    pub(super) fn each_from_aleph(source: Source<'_>) -> Result<Vec<Task>, TaskError> {
        let files = [(&source, Section::Outside)];
        let (collected, symbols) = FileContents::of(files, Dialect::Prolog);
        collected.into_tasks(symbols, [&source, &source, &source])
    }

    /// Reads a task from three files: background with modes, positive and negative examples, as
    /// Aleph (`.b`, `.f`, `.n` with `modeh` and `modeb`) and Golem (with `mode`) have them. What the
    /// positive examples are of is learned.
    ///
    /// # Errors
    /// Every problem found, with file, line and column.
    pub fn from_three_files(
        background: Source<'_>,
        positive: Source<'_>,
        negative: Source<'_>,
    ) -> Result<Task, TaskError> {
        let tasks = Self::each_from_three_files(background, positive, negative)?;
        Self::only(tasks, background.name)
    }

    /// Reads a task for each `modeh` of another predicate that has examples.
    pub(super) fn each_from_three_files(
        background: Source<'_>,
        positive: Source<'_>,
        negative: Source<'_>,
    ) -> Result<Vec<Task>, TaskError> {
        let files = [
            (&background, Section::Outside),
            (&positive, Section::Positive),
            (&negative, Section::Negative),
        ];
        let (collected, symbols) = FileContents::of(files, Dialect::Prolog);
        collected.into_tasks(symbols, [&background, &positive, &negative])
    }

    /// Reads a task in Progol's layout: one file whose directives end in a question mark, with
    /// positive examples as facts and negative ones as headless clauses.
    ///
    /// # Errors
    /// Every problem found, with file, line and column.
    pub fn from_progol(source: Source<'_>) -> Result<Task, TaskError> {
        Self::only(Self::each_from_progol(source)?, source.name)
    }

    /// Reads a task for each `modeh` of another predicate that has examples.
    pub(super) fn each_from_progol(source: Source<'_>) -> Result<Vec<Task>, TaskError> {
        let files = [(&source, Section::Outside)];
        let (mut collected, symbols) = FileContents::of(files, Dialect::Progol);
        collected.take_progol_examples();
        collected.into_tasks(symbols, [&source, &source, &source])
    }
}

impl FileContents {
    /// Takes the ground facts of the targets as positive examples, and the headless clauses about them as
    /// negative ones. What bodies may call stays in the background, too.
    fn take_progol_examples(&mut self) {
        let heads = self.heads.iter().map(|head| head.predicate);
        let mut heads: Vec<Predicate> = heads.collect();
        if heads.is_empty() {
            heads.extend(self.determinations.iter().map(|(head, _)| *head));
        }
        if heads.is_empty() {
            heads.extend(self.denied());
        }
        let in_bodies = self.bodies.iter().map(|mode| mode.predicate);
        let determined = self.determinations.iter().map(|(_, body)| *body);
        let called: Vec<Predicate> = in_bodies.chain(determined).collect();
        let are_several = heads.iter().any(|own| *own != heads[0]);
        for clause in std::mem::take(&mut self.background) {
            let own = clause.head.predicate();
            let is_example =
                heads.contains(&own) && clause.body.is_empty() && clause.head.is_ground();
            if is_example {
                self.positive.push((clause.clone(), 0));
            }
            if !is_example || (are_several && called.contains(&own)) {
                self.background.push(clause);
            }
        }
        for goal in std::mem::take(&mut self.goals) {
            if heads.contains(&goal.atom.predicate()) {
                self.negative.push((Clause::fact(goal.atom), goal.offset));
            } else {
                self.goals.push(goal);
            }
        }
    }
}

impl FileContents {
    /// The only predicate of ground headless clauses that has facts and no mode: without a declaration it is
    /// the one that has examples of both sides.
    fn denied(&self) -> Option<Predicate> {
        let first = self.goals.first()?.atom.predicate();
        let mut goals = self.goals.iter();
        let is_one = goals.all(|own| own.atom.predicate() == first && own.atom.is_ground());
        let is_given = |clause: &Clause| clause.head.predicate() == first && clause.body.is_empty();
        let has_facts = self.background.iter().any(is_given);
        let has_mode = self.bodies.iter().any(|mode| mode.predicate == first);
        (is_one && has_facts && !has_mode).then_some(first)
    }

    /// Reads files, each of which begins in a section.
    fn of<const N: usize>(
        files: [(&Source<'_>, Section); N],
        dialect: Dialect,
    ) -> (Self, SymbolTable) {
        let (mut this, mut symbols) = (Self::default(), SymbolTable::new());
        this.is_progol = dialect == Dialect::Progol;
        for (file, (source, mut section)) in files.into_iter().enumerate() {
            let sentences = source.sentences(dialect, &mut symbols, &mut this.issues);
            this.remarks.extend(source.capital_in_fact(&sentences));
            for sentence in sentences {
                let offset = sentence.offset;
                match sentence.kind {
                    SentenceKind::Clause(clause) => match section {
                        Section::Outside | Section::Background => {
                            if dialect == Dialect::Prolog && is_weight(&clause, &symbols) {
                                this.weights.push((this.background.len(), offset));
                            }
                            this.background.push(clause);
                        }
                        Section::Positive => this.positive.push((clause, offset)),
                        Section::Negative => this.negative.push((clause, offset)),
                    },
                    SentenceKind::Directive(goals) | SentenceKind::Query(goals) => {
                        for goal in goals.conjuncts() {
                            let place = Place {
                                source,
                                file,
                                offset,
                            };
                            let read =
                                this.directive(place, goal, dialect, &mut section, &mut symbols);
                            if let Err(error) = read {
                                this.issues.extend(error.issues);
                            }
                        }
                    }
                }
            }
        }
        (this, symbols)
    }

    /// The modes of a template; one with structured terms, a negation or an equality stands for a
    /// predicate of its own. In a head, structured terms are arguments, and modes take them apart.
    fn modes(
        &mut self,
        source: &Source<'_>,
        offset: usize,
        template: &Term,
        recall: Option<u32>,
        head: Option<Dialect>,
        symbols: &mut SymbolTable,
    ) -> Result<Vec<Mode>, TaskError> {
        let (positive, inner) = match template {
            Term::Compound(Symbol::NOT | Symbol::NOT_WORD, args) if args.len() == 1 => {
                (false, &args[0])
            }
            _ => (true, template),
        };
        let atom = Atom::from_term(inner).ok_or_else(|| {
            let issue = source.unexpected(offset, "a mode takes a predicate");
            issue.help("write modeb(*,has_car(+train,-car)); predicate names are in lower case")
        })?;
        check_arity(atom.args.len()).map_err(|problem| source.unexpected(offset, problem))?;
        if head.is_some() {
            return self.head_modes(source, offset, &atom, symbols);
        }
        let mut leaves = Leaves::default();
        let args: Result<Vec<Term>, &Term> = atom
            .args
            .iter()
            .map(|arg| leaves.take(arg, symbols))
            .collect();
        let args = args.map_err(|arg| unsigned(source, offset, &atom, arg, symbols))?;
        let modes = leaves.modes(atom.predicate(), recall);
        let modes = modes.map_err(|problem| source.unexpected(offset, problem))?;
        let is_plain = args.iter().all(|arg| matches!(arg, Term::Var(_)));
        if positive && is_plain && atom.name != Symbol::EQUALS {
            return Ok(modes);
        }
        let literal = Literal {
            positive,
            atom: Atom::new(atom.name, args),
        };
        let arguments = &modes[0].arguments;
        let (predicate, clause) = (self.templates).add(&literal, arguments, Vec::new(), symbols);
        if !self.background.contains(&clause) {
            self.background.push(clause);
        }
        let renamed = modes.into_iter().map(|mode| Mode { predicate, ..mode });
        Ok(renamed.collect())
    }

    fn head_modes(
        &mut self,
        source: &Source<'_>,
        offset: usize,
        atom: &Atom,
        symbols: &mut SymbolTable,
    ) -> Result<Vec<Mode>, TaskError> {
        let mut arguments = Vec::with_capacity(atom.args.len());
        for arg in atom.args.iter() {
            let mut leaves = Leaves::default();
            let whole = leaves.take(arg, symbols);
            let whole = whole.map_err(|arg| unsigned(source, offset, atom, arg, symbols))?;
            if let (Term::Var(_), [(directions, kind)]) = (&whole, &leaves.0[..]) {
                arguments.push(Argument {
                    direction: directions[0],
                    kind: *kind,
                });
                continue;
            }
            // A list has the type of its tail; other terms have one of their own.
            let is_input =
                |(directions, _): &(Vec<Direction>, Symbol)| directions[0] == Direction::In;
            let direction = if leaves.0.iter().all(is_input) {
                Direction::In
            } else {
                Direction::Out
            };
            let kind = match (&whole, leaves.0.last()) {
                (Term::Compound(Symbol::CONS, args), Some((_, kind)))
                    if matches!(args.last(), Some(Term::Var(_))) =>
                {
                    *kind
                }
                _ => symbols.intern(&print_term(arg, symbols).to_string()),
            };
            arguments.push(Argument { direction, kind });
            let parts = leaves
                .0
                .into_iter()
                .map(|(_, kind)| (vec![Direction::Out], kind));
            let whole_first = std::iter::once((vec![Direction::In], kind));
            let all = Leaves(whole_first.chain(parts).collect());
            let shifted = whole.map_vars(&mut |var| Term::var(var.0 + 1));
            let equality = Atom::new(Symbol::EQUALS, [Term::var(0), shifted]);
            let modes = all.modes(equality.predicate(), Some(1));
            let modes = modes.map_err(|problem| source.unexpected(offset, problem))?;
            let (predicate, clause) = self.templates.add(
                &Literal::positive(equality),
                &modes[0].arguments,
                Vec::new(),
                symbols,
            );
            if !self.background.contains(&clause) {
                self.background.push(clause);
                self.bodies
                    .extend(modes.into_iter().map(|mode| Mode { predicate, ..mode }));
            }
        }
        Ok(vec![Mode {
            predicate: atom.predicate(),
            arguments,
            recall: None,
        }])
    }

    /// The declared mode of the target, one without structured terms if there is.
    fn head_mode(&self, target: Predicate) -> Option<Mode> {
        let modes = self.heads.iter().chain(&self.bodies);
        let mut own = modes.filter(|mode| mode.predicate == target);
        own.next().cloned()
    }

    /// The predicate to learn: that of the modes for heads, of the examples, of the determinations.
    fn target(&self) -> Option<Predicate> {
        let heads = || self.heads.iter().map(|mode| mode.predicate);
        let determined = || self.determinations.iter().map(|(head, _)| *head);
        let of_examples = self.positive.first().map(|(it, _)| it.head.predicate());
        let is_head =
            |own: &Predicate| heads().next().is_none() || heads().any(|head| head == *own);
        let is_determined = |own: &Predicate| {
            determined().next().is_none() || determined().any(|head| head == *own)
        };
        of_examples
            .filter(|own| is_head(own) && (self.heads.is_empty() || is_determined(own)))
            .or_else(|| determined().next())
            .or_else(|| heads().next())
            .or(of_examples)
    }

    fn into_task(
        mut self,
        targets: &[Predicate],
        place: usize,
        mut symbols: SymbolTable,
        [main, pos, neg]: [&Source<'_>; 3],
        issues: &mut Vec<Issue>,
    ) -> Task {
        let target = targets[place];
        let declared = self.head_mode(target);
        let any = symbols.intern("any");
        let undeclared = self.undeclared_head(target, any);
        let is_declared = declared.is_some();
        let head = declared.unwrap_or_else(|| undeclared_mode(target));
        self.keep_determined(target, targets, main, &symbols);
        self.take_terms_apart(target, &mut symbols);
        let mut bias = Bias::new(head, self.bodies);
        bias.max_body = self.max_body;
        bias.max_clauses = self.max_clauses;
        bias.constants = self.constants;
        bias.recursion = bias.body.iter().any(|mode| mode.predicate == target);
        let others = targets.iter().copied().filter(|own| *own != target);
        let others: Vec<Predicate> = others.collect();
        for own in &others {
            if bias.body.iter().any(|mode| mode.predicate == *own) {
                let message =
                    other_target_in_bodies(&show(*own, &symbols), &show(target, &symbols));
                let kind = IssueKind::Unexpected(message);
                self.remarks.push(Issue::new(main.name, kind));
            }
        }
        let mut task = Task {
            others,
            background: self.background,
            search: self.search,
            remarks: self.remarks,
            templates: self.templates,
            ..Task::new(symbols, bias)
        };
        let sides = [
            (pos, self.positive, &mut task.positive),
            (neg, self.negative, &mut task.negative),
        ];
        let declaration = self.declared.iter().find(|own| own.predicate == target);
        let mut of_targets = ExampleTargets::new(targets, &self.declared);
        for (source, clauses, examples) in sides {
            for (clause, offset) in clauses {
                let read = of_targets.take(source, offset, clause, &task.symbols, issues);
                examples.extend(read.filter(|(of, _)| *of == place).map(|(_, own)| own));
            }
        }
        of_targets.finish(&task.symbols, issues);
        task.declared_at = declaration.map(|own| own.place.clone());
        task.take_type_facts();
        if is_declared {
            fit_types(&mut task, any);
        } else {
            undeclared.infer(&mut task, main, any);
        }
        task.take_head_constants();
        task.list_constants();
        task
    }
}
