//! Constraints on single clauses, as bias files for Popper write them.

pub(super) mod asp;
pub(super) mod evaluation;
pub(super) mod names;

use std::sync::Arc;

use kibitz_prolog::{Clause, SymbolTable};
use kibitz_text::Location;

use self::asp::{Comparison, Goal, Rule, Term};
use self::evaluation::{Item, Lasting, MAX_DEPTH, Program, Shape};

/// Relations on clauses, with their arities and whether the first argument is the clause.
const RELATIONS: [(&str, usize, bool); 14] = [
    ("clause", 1, true),
    ("head_literal", 4, true),
    ("body_literal", 4, true),
    ("var_type", 3, true),
    ("head_var", 2, true),
    ("body_var", 2, true),
    ("clause_var", 2, true),
    ("var_in_literal", 4, true),
    ("body_size", 2, true),
    ("recursive", 1, true),
    ("vars", 2, false),
    ("var_member", 2, false),
    ("var_pos", 3, false),
    ("type", 2, false),
];

/// Constraints that forbid clauses by the literals they have.
///
/// They are those of a Popper bias that are about one clause: how often a predicate or a type occurs,
/// which literals exclude each other, what a predicate's arguments may be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constraints(Option<Arc<Program>>);

/// What the bias file says beside its settings.
#[derive(Default)]
pub(super) struct Builder {
    /// Rules and constraints, and where they are.
    pub(super) rules: Vec<(Rule, Location)>,
    pub(super) facts: Vec<(String, Vec<Item>)>,
    pub(super) types: Vec<(String, Vec<String>)>,
}

impl Builder {
    /// The constraints among the rules that can be kept, and which of the rules have no effect.
    pub(super) fn build(self) -> (Constraints, Vec<bool>) {
        let mut program = Program {
            facts: self.facts,
            types: self.types,
            ..Program::default()
        };
        let is_constraint = |rule: &Rule| match &rule.head {
            None => true,
            Some(Term::Compound(name, args)) => name == "bad_body" && args.len() == 2,
            Some(_) => false,
        };
        let (constraints, rules): (Vec<_>, Vec<_>) =
            self.rules.iter().partition(|(rule, _)| is_constraint(rule));
        program.rules = rules.into_iter().map(|(rule, _)| rule.clone()).collect();
        let mut used = Vec::new();
        for (rule, place) in constraints {
            let body = whole_body(rule);
            for goals in without_inequality(&body) {
                if !program.is_sound(&goals, &mut used) {
                    continue;
                }
                if program.is_lasting(&goals, 0) {
                    let place = place.clone();
                    program.lasting.push(Lasting { goals, place });
                } else {
                    program.of_whole_clauses.push(goals);
                }
            }
        }
        let keeps = |rule: &Rule| {
            if is_constraint(rule) {
                program.is_sound(&whole_body(rule), &mut Vec::new())
            } else {
                name_of(rule.head.as_ref()).is_some_and(|name| used.contains(&name.to_owned()))
            }
        };
        let has_no_effect = self.rules.iter().map(|(rule, _)| !keeps(rule)).collect();
        let is_empty = program.lasting.is_empty() && program.of_whole_clauses.is_empty();
        let constraints = Constraints((!is_empty).then(|| Arc::new(program)));
        (constraints, has_no_effect)
    }
}

fn name_of(term: Option<&Term>) -> Option<&str> {
    match term {
        Some(Term::Compound(name, _)) => Some(name),
        _ => None,
    }
}

/// The goals that no clause may satisfy.
fn whole_body(rule: &Rule) -> Vec<Goal> {
    let mut body = rule.body.clone();
    if let Some(Term::Compound(_, args)) = &rule.head
        && let [predicate, vars] = &args[..]
    {
        let any = |name: &str| Term::Var(name.to_owned());
        let args = vec![any("_"), predicate.clone(), any("_"), vars.clone()];
        let atom = Term::Compound("body_literal".into(), args);
        body.insert(
            0,
            Goal::Atom {
                positive: true,
                atom,
            },
        );
    }
    body
}

/// The same goals, with counts that must not be a number once as greater and once as less than it.
fn without_inequality(goals: &[Goal]) -> Vec<Vec<Goal>> {
    let place = goals
        .iter()
        .position(|goal| matches!(goal, Goal::Count(_, Comparison::NotEqual, _)));
    let Some(place) = place else {
        return vec![goals.to_vec()];
    };
    let sides = [Comparison::Greater, Comparison::Less].map(|comparison| {
        let mut goals = goals.to_vec();
        if let Goal::Count(_, own, _) = &mut goals[place] {
            *own = comparison;
        }
        without_inequality(&goals)
    });
    sides.concat()
}

impl Constraints {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whether a clause keeps them all.
    pub fn permit(&self, clause: &Clause, symbols: &SymbolTable) -> bool {
        self.0.as_ref().is_none_or(|program| {
            let shape = Shape::new(clause, symbols, &program.types);
            let lasting = program.lasting.iter().map(|own| &own.goals);
            let mut constraints = lasting.chain(&program.of_whole_clauses);
            !constraints.any(|goals| program.is_met(&shape, goals))
        })
    }

    /// Whether literals that are added to a clause may lead to one that keeps them all.
    pub fn permit_beginning(&self, clause: &Clause, symbols: &SymbolTable) -> bool {
        self.0.as_ref().is_none_or(|program| {
            let shape = Shape::new(clause, symbols, &program.types);
            let mut constraints = program.lasting.iter();
            !constraints.any(|own| program.is_met(&shape, &own.goals))
        })
    }

    /// Where the constraints are that a clause breaks for good, whatever literals are added to it.
    pub(super) fn broken_for_good(&self, clause: &Clause, symbols: &SymbolTable) -> Vec<&Location> {
        let Some(program) = &self.0 else {
            return Vec::new();
        };
        let shape = Shape::new(clause, symbols, &program.types);
        let broken = program.lasting.iter();
        let broken = broken.filter(|own| program.is_met(&shape, &own.goals));
        broken.map(|own| &own.place).collect()
    }
}

impl Program {
    /// Whether goals are about one clause and use nothing that is not known; notes the predicates of
    /// rules that they use.
    fn is_sound(&self, goals: &[Goal], used: &mut Vec<String>) -> bool {
        let mut clauses = Vec::new();
        self.is_known(goals, true, &mut clauses, used, 0)
            && match &clauses[..] {
                [] => false,
                [(Term::Var(_), true)] => true,
                all => all.iter().all(|(term, _)| {
                    *term == all[0].0 && matches!(term, Term::Var(name) if name != "_")
                }),
            }
    }

    /// Collects what stands for clauses, with whether it is in a goal that is not negated.
    fn is_known(
        &self,
        goals: &[Goal],
        positive: bool,
        clauses: &mut Vec<(Term, bool)>,
        used: &mut Vec<String>,
        depth: usize,
    ) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        goals.iter().all(|goal| match goal {
            Goal::Compare(..) => true,
            Goal::Count(elements, ..) => elements
                .iter()
                .all(|(_, conditions)| self.is_known(conditions, positive, clauses, used, depth)),
            Goal::Atom {
                positive: own,
                atom,
            } => {
                let Term::Compound(name, args) = atom else {
                    return false;
                };
                let relation = RELATIONS
                    .iter()
                    .find(|(own, arity, _)| own == name && *arity == args.len());
                if let Some((.., is_of_clause)) = relation {
                    if *is_of_clause {
                        clauses.push((args[0].clone(), positive && *own));
                    }
                    return true;
                }
                let rules = self.rules.iter();
                let rules = rules.filter(|rule| name_of(rule.head.as_ref()) == Some(name));
                let mut n_rules = 0;
                let all_known = rules.fold(true, |all, rule| {
                    n_rules += 1;
                    let mut inner = Vec::new();
                    let known = self.is_known(&rule.body, true, &mut inner, used, depth + 1);
                    // A rule about a clause must be told which.
                    let mut told = match &rule.head {
                        Some(Term::Compound(_, args)) => args.clone(),
                        _ => Vec::new(),
                    };
                    told.retain(|arg| inner.iter().any(|(clause, _)| clause == arg));
                    let is_told = inner.iter().all(|(clause, _)| told.contains(clause));
                    if let Some(clause) = args.first().filter(|_| !inner.is_empty()) {
                        clauses.push((clause.clone(), positive && *own));
                    }
                    all && known && is_told
                });
                if n_rules > 0 {
                    used.push(name.clone());
                }
                let is_fact = self.facts.iter().any(|(own, _)| own == name);
                all_known && (n_rules > 0 || is_fact)
            }
        })
    }

    /// Whether more literals never undo what satisfies these goals.
    fn is_lasting(&self, goals: &[Goal], depth: usize) -> bool {
        let is_size = |term: &Term| {
            goals.iter().any(|goal| {
                matches!(goal, Goal::Atom { atom: Term::Compound(name, args), .. }
                    if name == "body_size" && args.get(1) == Some(term))
            })
        };
        goals.iter().all(|goal| match goal {
            Goal::Compare(left, comparison, right) => match (is_size(left), is_size(right)) {
                (false, false) => true,
                (true, false) => {
                    matches!(comparison, Comparison::Greater | Comparison::GreaterOrEqual)
                }
                (false, true) => matches!(comparison, Comparison::Less | Comparison::LessOrEqual),
                (true, true) => false,
            },
            Goal::Count(elements, comparison, _) => {
                matches!(comparison, Comparison::Greater | Comparison::GreaterOrEqual)
                    && elements
                        .iter()
                        .all(|(_, goals)| self.is_lasting(goals, depth))
            }
            Goal::Atom { positive, atom } => {
                let name = name_of(Some(atom)).unwrap_or("");
                let is_number = |arg: &Term| matches!(arg, Term::Int(_));
                let fixed_size = name == "body_size"
                    && matches!(atom, Term::Compound(_, args) if args.iter().any(is_number));
                let mut rules = self.rules.iter();
                *positive
                    && !fixed_size
                    && depth <= MAX_DEPTH
                    && rules.all(|rule| {
                        name_of(rule.head.as_ref()) != Some(name)
                            || self.is_lasting(&rule.body, depth + 1)
                    })
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use kibitz_prolog::read_clause;

    use crate::{Source, Task};

    /// The warnings of a bias, and which of the clauses it permits.
    fn permitted(constraints: &str, clauses: &[&str]) -> (Vec<String>, Vec<bool>) {
        let bias = format!(
            "head_pred(t,2). body_pred(e,2). body_pred(f,1). body_pred(g,2).\n\
             type(t,(n,n)). type(e,(n,k)). type(f,(k,)). type(g,(n,n)).\n{constraints}"
        );
        let source = |name, text| Source { name, text };
        let task = Task::from_popper(
            source("exs.pl", "pos(t(a,b)). neg(t(b,a))."),
            source("bk.pl", "e(a,b). f(b). g(a,b)."),
            source("bias.pl", &bias),
        );
        let task = task.expect("valid");
        let warnings = task
            .check()
            .warnings
            .into_iter()
            .map(|it| it.kind.to_string());
        let mut symbols = task.symbols.clone();
        let permits = clauses.iter().map(|text| {
            let clause = read_clause(text, &mut symbols).expect("a clause");
            task.bias.constraints.permit(&clause, &symbols)
        });
        let permits = permits.collect();
        (warnings.collect(), permits)
    }

    #[test]
    fn constraints_of_the_common_shapes_are_kept() {
        let clauses = [
            "t(A,B) :- e(A,C), f(C)",
            "t(A,B) :- e(A,C), e(B,C), f(C)",
            "t(A,B) :- g(A,B), g(B,A)",
            "t(A,B) :- e(B,C)",
            "t(A,B) :- e(A,C), e(A,D)",
        ];
        let all = [true; 5];
        let but = |forbidden: &[usize]| {
            let mut kept = all;
            for i in forbidden {
                kept[*i] = false;
            }
            kept.to_vec()
        };
        for (constraint, forbidden) in [
            (
                ":- clause(C), #count{V : body_literal(C,e,_,V)} > 1.",
                &[1, 4][..],
            ),
            (
                ":- clause(C), #count{V : body_literal(C,e,_,V)} != 1.",
                &[1, 2, 4],
            ),
            (
                ":- clause(C), 2 <= #count{V : body_literal(C,e,2,V)}.",
                &[1, 4],
            ),
            (
                ":- body_literal(C,g,2,(X,Y)), body_literal(C,g,2,(Y,X)).",
                &[2],
            ),
            (":- clause(C), #count{V : var_type(C,V,k)} > 1.", &[4]),
            (
                "bad_body(e,Vars) :- vars(_,Vars), Vars = (V0,_), V0 != 0.",
                &[1, 3],
            ),
            (":- clause(C), not body_var(C,1).", &[0, 4]),
            (":- body_size(C,N), N > 2.", &[1]),
            ("only_once(e).", &[1, 4]),
            (
                "only_once(e). :- only_once(P), clause(C), #count{V : body_literal(C,P,A,V)} > 1.",
                &[1, 4],
            ),
            (
                "same(e,e). :- body_literal(C,P,_,(X,Y)), body_literal(C,Q,_,(X,Z)), Y != Z, same(P,Q).",
                &[4],
            ),
            (
                "twice(C,P) :- clause(C), body_pred(P,_), #count{V : body_literal(C,P,_,V)} > 1.\n:- twice(C,e).",
                &[1, 4],
            ),
        ] {
            let (warnings, permits) = permitted(constraint, &clauses);
            assert!(warnings.is_empty(), "{constraint}: {warnings:?}");
            assert_eq!(permits, but(forbidden), "{constraint}");
        }
    }

    #[test]
    fn what_is_not_kept_is_told_once() {
        let rules = ":- body_literal(0,_,2,_).\n:- not body_var(_,1).\n\
                     :- body_literal(C,e,_,_), body_literal(D,f,_,_), C < D.\n\
                     :- unheard(C).\n#show e/2.\n{ a; b } 1.";
        let (warnings, permits) = permitted(rules, &["t(A,B) :- e(A,C), f(C)"]);
        assert_eq!(
            warnings,
            ["6 rules and constraints are not supported: lines 3, 4, 5, 6, 7, 8"]
        );
        assert_eq!(permits, [true]);
    }

    #[test]
    fn rules_declare() {
        let rules = "constant(b,k). constant(c,k).\nbody_pred(P,1) :- constant(P,_).\n\
                     type(P,(T,)) :- constant(P,T).";
        let bias = format!("head_pred(t,1). type(t,(k,)).\n{rules}");
        let source = |name, text| Source { name, text };
        let task = Task::from_popper(
            source("exs.pl", "pos(t(1)). neg(t(2))."),
            source("bk.pl", "b(1). c(2)."),
            source("bias.pl", &bias),
        );
        let task = task.expect("valid");
        assert_eq!(task.bias.body.len(), 2);
        assert!(task.bias.constants.is_empty());
        let kinds = task.bias.body.iter().map(|mode| mode.arguments[0].kind);
        assert!(kinds.into_iter().all(|kind| task.symbols.name(kind) == "k"));
    }
}
