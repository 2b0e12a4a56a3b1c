//! The search for an explanation: a short proof of an example, or where each clause fails.

use kibitz_prolog::{
    Answers, Atom, CallTables, Clause, Database, Limits, Literal, Predicate, Proof, Prover,
    ProverError, Symbol, Term, Var, unify_atoms,
};
use rustc_hash::FxHashMap;

use super::explanation::{By, Explanation, FailedClause, MAX_ANSWERS, ProvedGoal, Reason};
use crate::task::Task;

/// Most goals of a proof that are shown.
const MAX_GOALS: usize = 500;
/// Most rules within each other that are shown.
const MAX_DEPTH: usize = 50;

/// As [`Study::explain`](super::Study::explain).
pub(super) fn explain(
    task: &Task,
    theory: &[Clause],
    example: &Atom,
    limits: Limits,
) -> Result<Explanation, ProverError> {
    let mut symbols = task.symbols.clone();
    let prefix = symbols.intern("a prefix of a clause");
    let db = task.compiled(theory, &mut symbols)?;
    let background = || (task.background.iter()).filter(|own| !task.is_given_target(own));
    let mut clauses: FxHashMap<Predicate, Vec<&Clause>> = FxHashMap::default();
    for clause in theory.iter().chain(background()) {
        let own = clauses.entry(clause.head.predicate());
        own.or_default().push(clause);
    }
    // Tables of calls find shortest proofs. The rules of the background are theirs, too, if they can be.
    let is_fact = |clause: &&Clause| clause.body.is_empty();
    let rules = theory
        .iter()
        .chain(background().filter(|own| !is_fact(own)));
    let rules: Vec<Clause> = rules.cloned().collect();
    let mut facts = task.clone();
    facts.background.retain(|own| own.body.is_empty());
    let (facts, given) = (
        facts.compiled(&[], &mut symbols)?,
        task.compiled(&[], &mut symbols)?,
    );
    let choices = [(&facts, rules), (&given, theory.to_vec())];
    let tables = Tables::first(choices, limits)?;
    let mut explainer = Explainer {
        prover: Prover::new(&db, limits),
        clauses,
        tables,
        prefix,
        n_goals: 0,
    };
    let goal = Literal::positive(example.clone());
    let reason = match explainer.outcome(&goal)? {
        Proof::Proved => Reason::Proof(Box::new(explainer.goal(&goal, 0)?)),
        Proof::Refuted => {
            let own = explainer.clauses.get(&example.predicate());
            let own = own.cloned().unwrap_or_default();
            let failures = own.into_iter().map(|own| explainer.failure(own, example));
            Reason::Failures(failures.collect::<Result<_, _>>()?)
        }
        end => Reason::CutShort(end),
    };
    Ok(Explanation {
        example: example.clone(),
        reason,
        symbols,
    })
}

/// Tables of calls with their rules.
struct Tables<'a>(CallTables<'a>, Vec<Clause>);

impl<'a> Tables<'a> {
    /// Those of the first database with rules that tables can decide.
    fn first(
        choices: [(&'a Database, Vec<Clause>); 2],
        limits: Limits,
    ) -> Result<Option<Self>, ProverError> {
        for (db, rules) in choices {
            let mut tables = CallTables::new(db, limits);
            if tables.load(&rules)? {
                return Ok(Some(Self(tables, rules)));
            }
        }
        Ok(None)
    }
}

struct Explainer<'a> {
    prover: Prover<'a>,
    clauses: FxHashMap<Predicate, Vec<&'a Clause>>,
    /// Tables of calls with their rules, where some of these call themselves.
    tables: Option<Tables<'a>>,
    /// The predicate of rules by which these are asked about several goals together.
    prefix: Symbol,
    n_goals: usize,
}

impl Explainer<'_> {
    /// Whether an atom can be proved.
    fn outcome(&mut self, goal: &Literal) -> Result<Proof, ProverError> {
        if let Some(Tables(tables, _)) = &mut self.tables
            && tables.ask(&goal.atom)
        {
            let is_proved = tables.proof().is_some();
            return Ok(if is_proved {
                Proof::Proved
            } else {
                Proof::Refuted
            });
        }
        self.prover.prove(std::slice::from_ref(goal))
    }

    /// The rule of a shortest proof of a goal, with the goals that it holds by; none if the tables do
    /// not tell.
    fn shortest(&mut self, goal: &Atom) -> Result<Option<(Clause, Vec<Literal>)>, ProverError> {
        let Some(Tables(tables, rules)) = &mut self.tables else {
            return Ok(None);
        };
        let proof = tables.ask(goal).then(|| tables.proof()).flatten();
        let Some((rule, values)) = proof else {
            return Ok(None);
        };
        let rule = rules[rule].clone();
        let value = |var: Var| values.get(var.index()).cloned().flatten();
        let mut body = Vec::with_capacity(rule.body.len());
        for literal in &rule.body {
            let own = literal.map_vars(&mut |var| value(var).unwrap_or(Term::Var(var)));
            // Variables without a value occur here alone.
            let answers = self.prover.solutions(std::slice::from_ref(&own), 1)?;
            let answer = answers.bindings.first().filter(|_| own.positive);
            body.push(answer.map_or(own.clone(), |answer| valued(&own, answer)));
        }
        Ok(Some((rule, body)))
    }

    /// A goal that holds, with the goals that it holds by.
    fn goal(&mut self, literal: &Literal, depth: usize) -> Result<ProvedGoal, ProverError> {
        self.n_goals += 1;
        let leaf = |by| ProvedGoal {
            literal: literal.clone(),
            by,
            body: Vec::new(),
        };
        if !literal.positive {
            return Ok(leaf(By::NoProof));
        }
        let Some(own) = self.clauses.get(&literal.atom.predicate()).cloned() else {
            return Ok(leaf(By::BuiltIn));
        };
        let is_fact = |own: &&Clause| own.body.is_empty() && own.head == literal.atom;
        if own.iter().any(is_fact) {
            return Ok(leaf(By::Fact));
        }
        if depth >= MAX_DEPTH || self.n_goals >= MAX_GOALS {
            return Ok(leaf(By::NotShown));
        }
        if let Some((clause, body)) = self.shortest(&literal.atom)? {
            return self.by_rule(literal, &clause, &body, depth);
        }
        for clause in own {
            let Some(body) = called(clause, &literal.atom) else {
                continue;
            };
            if body.is_empty() {
                return Ok(leaf(By::Fact));
            }
            let answers = self.prover.solutions(&body, 1)?;
            let Some(answer) = answers.bindings.first() else {
                continue;
            };
            let body = body.iter().map(|literal| valued(literal, answer));
            let body: Vec<Literal> = body.collect();
            return self.by_rule(literal, clause, &body, depth);
        }
        Ok(leaf(By::BuiltIn))
    }

    fn by_rule(
        &mut self,
        literal: &Literal,
        clause: &Clause,
        body: &[Literal],
        depth: usize,
    ) -> Result<ProvedGoal, ProverError> {
        let body = body.iter().map(|literal| self.goal(literal, depth + 1));
        Ok(ProvedGoal {
            literal: literal.clone(),
            by: By::Rule(Box::new(clause.clone())),
            body: body.collect::<Result<_, _>>()?,
        })
    }

    /// Whether the tables tell that an atom cannot be proved.
    fn is_refuted(&mut self, atom: &Atom) -> bool {
        let tables = self.tables.as_mut();
        tables.is_some_and(|Tables(tables, _)| tables.ask(atom) && tables.proof().is_none())
    }

    /// An answer to goals about an example by the tables, if they tell: it gives values to the variables.
    fn answer_of_tables(
        &mut self,
        goals: &[Literal],
        example: &Atom,
    ) -> Result<Option<Answers>, ProverError> {
        let Some(Tables(tables, rules)) = &mut self.tables else {
            return Ok(None);
        };
        // Variables that occur once would have no value.
        let twice = goals.iter().chain(goals).cloned();
        let rule = Clause::new(
            Atom::new(self.prefix, example.args.iter().cloned()),
            twice.collect(),
        );
        let mut vars: Vec<Var> = Vec::new();
        rule.for_each_var(&mut |var| {
            if !vars.contains(&var) {
                vars.push(var);
            }
        });
        let asked = rule.head.clone();
        rules.push(rule.normalized());
        let is_decided = tables.load(rules)? && tables.ask(&asked);
        let values = is_decided.then(|| tables.proof());
        rules.pop();
        tables.load(rules)?;
        Ok(values.map(|proof| {
            let row = proof.map(|(_, values)| {
                let n = vars.iter().map(|var| var.index() + 1).max().unwrap_or(0);
                let mut row: Vec<Term> = (0u32..).map(Term::var).take(n).collect();
                for (var, value) in vars.iter().zip(values) {
                    if let Some(value) = value {
                        row[var.index()] = value;
                    }
                }
                row
            });
            Answers {
                bindings: row.into_iter().collect(),
                end: Proof::Refuted,
            }
        }))
    }

    /// Where a clause fails.
    fn failure(&mut self, clause: &Clause, example: &Atom) -> Result<FailedClause, ProverError> {
        let mut failure = FailedClause {
            clause: clause.clone(),
            held: None,
            failed: None,
            n_answers: 0,
            end: Proof::Refuted,
            raised: None,
        };
        let Some(body) = called(clause, example) else {
            return Ok(failure);
        };
        let mut before = Answers {
            bindings: vec![Vec::new()],
            end: Proof::Refuted,
        };
        // Tables give one answer, whatever others there are.
        let mut is_counted = true;
        for n in 0..body.len() {
            let mut answers = self.prover.solutions(&body[..=n], MAX_ANSWERS)?;
            if answers.bindings.is_empty()
                && answers.end.is_cut_short()
                && let Some(known) = self.answer_of_tables(&body[..=n], example)?
            {
                is_counted &= known.bindings.is_empty();
                answers = known;
            }
            if answers.bindings.is_empty() {
                if let Some(answer) = before.bindings.first() {
                    let held = body[..n].iter().map(|literal| valued(literal, answer));
                    failure.held = Some(held.collect());
                    failure.failed = Some(valued(&body[n], answer));
                }
                failure.n_answers = if is_counted { before.bindings.len() } else { 0 };
                failure.end = answers.end;
                if n + 1 == body.len() && self.is_refuted(example) {
                    failure.end = Proof::Refuted;
                }
                failure.raised = self.prover.raised().map(|error| Box::new(error.clone()));
                return Ok(failure);
            }
            before = answers;
        }
        failure.held = Some(body);
        Ok(failure)
    }
}

/// The body of a clause whose head matches a goal.
pub(super) fn called(clause: &Clause, goal: &Atom) -> Option<Vec<Literal>> {
    let mut bound = 0;
    goal.for_each_var(&mut |var| bound = bound.max(var.0 + 1));
    let clause = clause.shifted(bound);
    let bindings = unify_atoms(goal, &clause.head)?;
    let body = clause.body.iter();
    Some(body.map(|it| bindings.apply_literal(it)).collect())
}

/// A literal with the values of an answer.
pub(super) fn valued(literal: &Literal, answer: &[Term]) -> Literal {
    literal.map_vars(&mut |var| answer.get(var.index()).cloned().unwrap_or(Term::Var(var)))
}

#[cfg(test)]
mod tests {
    use kibitz_prolog::{read_clauses, read_term};

    use super::*;
    use crate::{Source, Study};

    fn explained(theory: &str, example: &str) -> String {
        let source = |name, text| Source { name, text };
        let mut task = Task::from_popper(
            source("exs.pl", "pos(anc(a,b)). neg(anc(b,a))."),
            source(
                "bk.pl",
                "par(a,b). par(a,x). par(b,c). anc(z,z). adult(X) :- par(X,_), \\+ X == x. age(a,40).",
            ),
            source("bias.pl", "head_pred(anc,2). body_pred(par,2)."),
        )
        .expect("a task");
        let theory = read_clauses(theory, &mut task.symbols).expect("valid");
        let example = read_term(example, &mut task.symbols).expect("valid");
        let example = Atom::from_term(&example).expect("an atom");
        let explained = task.explain(&theory, &example, Limits::default());
        explained.expect("carried out").to_string()
    }

    const ANCESTOR: &str = "anc(A,B) :- par(A,B), adult(A). anc(A,B) :- par(A,C), anc(C,B).";

    #[test]
    fn no_proof_runs_through_its_own_goal() {
        let both_ways =
            "anc(A,B) :- anc(B,A). anc(A,B) :- par(A,B). anc(A,B) :- anc(A,C), anc(C,B).";
        insta::assert_snapshot!(explained(both_ways, "anc(c,a)"), @r"
        % anc(c,a) is covered
        anc(c,a)  % by anc(A,B) :- anc(B,A).
          anc(a,c)  % by anc(A,B) :- anc(A,C), anc(C,B).
            anc(a,b)  % by anc(A,B) :- par(A,B).
              par(a,b)  % a fact
            anc(b,c)  % by anc(A,B) :- par(A,B).
              par(b,c)  % a fact
        ");
        insta::assert_snapshot!(explained("anc(A,B) :- anc(B,A). anc(A,B) :- par(A,B).", "anc(c,a)"), @r"
        % anc(c,a) is not covered
        anc(A,B) :- anc(B,A).
          anc(a,c) fails
        anc(A,B) :- par(A,B).
          par(c,a) fails
        ");
    }

    #[test]
    fn a_proof_names_the_clauses_and_facts_of_every_goal() {
        insta::assert_snapshot!(explained(ANCESTOR, "anc(a,c)"), @r"
        % anc(a,c) is covered
        anc(a,c)  % by anc(A,B) :- par(A,C), anc(C,B).
          par(a,b)  % a fact
          anc(b,c)  % by anc(A,B) :- par(A,B), adult(A).
            par(b,c)  % a fact
            adult(b)  % by adult(A) :- par(A,B), \+ A==x.
              par(b,c)  % a fact
              \+ b==x  % what it denies cannot be proved
        ");
    }

    #[test]
    fn a_failure_names_the_literal_and_its_values() {
        insta::assert_snapshot!(explained(ANCESTOR, "anc(c,a)"), @r"
        % anc(c,a) is not covered
        anc(A,B) :- par(A,B), adult(A).
          par(c,a) fails
        anc(A,B) :- par(A,C), anc(C,B).
          par(c,C) fails
        ");
        insta::assert_snapshot!(
            explained("anc(A,B) :- par(A,C), age(A,D), C =:= D. anc(x,A).", "anc(a,c)"), @r"
            % anc(a,c) is not covered
            anc(A,B) :- par(A,C), age(A,D), C=:=D.
              par(a,b), age(a,40) hold, with 2 answers
              b=:=40 raises an error: an arithmetic expression expects numbers and functions of numbers, for the first of them
            anc(x,A).
              its head does not match
            ");
        // Facts of the target in the background prove nothing.
        insta::assert_snapshot!(explained("anc(A,A) :- par(A,A).", "anc(z,z)"), @r"
        % anc(z,z) is not covered
        anc(A,A) :- par(A,A).
          par(z,z) fails
        ");
        insta::assert_snapshot!(explained("anc(A,B) :- anc(B,A).", "anc(a,b)"), @r"
        % anc(a,b) is not covered
        anc(A,B) :- anc(B,A).
          anc(b,a) fails
        ");
    }
}
