//! Why examples are not covered: what the language of a task can say about them at all, and which bound
//! is in the way.

mod inquiry;
mod recursion;
mod saying;
mod within;

use std::collections::BTreeMap;
use std::fmt;

use indexmap::IndexSet;
use kibitz_prolog::{Atom, Clause, Limits, print_atom};
use kibitz_text::counted;
use rustc_hash::FxHashSet;

use self::inquiry::{DEPTH, Diagnosis, Inquiry, near_head};
use self::recursion::chained;
use self::saying::without_equalities;
use super::reading_order::ReadingOrder;
use super::theory::Theory;
use crate::learn::bottom_clause::callable_modes;
use crate::learn::{LearnError, Progress, Stop};
use crate::problem::Problem;
use crate::task::listed;

/// Most examples that are looked at.
const MAX_EXAMPLES: usize = 20;
/// Most examples that are named.
pub(super) const MAX_NAMED: usize = 3;
/// Why positive examples are not covered and negative ones are, a finding a line.
///
/// It is displayed as Prolog comments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WhyNot {
    /// The findings, most important first.
    pub findings: Vec<String>,
    /// The clauses that cover negative examples, with what holds of the first of these.
    pub covered: Vec<String>,
}

impl fmt::Display for WhyNot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.covered {
            writeln!(f, "% why: {finding}")?;
        }
        for finding in &self.findings {
            writeln!(f, "% why not: {finding}")?;
        }
        Ok(())
    }
}

impl Problem<'_> {
    /// Why positive examples are not covered by a theory, as [`Problem::why_not`] says, and why negative
    /// ones are; nothing if its search was cut short, or if it cannot be found out; what is found out
    /// before `progress` says no. Of positive examples nothing either where a theory by message length
    /// leaves some out: to name these takes fewer bits than a clause for them.
    pub fn why_not_all(
        &self,
        theory: &Theory,
        limits: Limits,
        progress: &mut (dyn Progress + Send),
    ) -> WhyNot {
        let positive = self.task().positive.iter().enumerate();
        let left = positive.filter(|(e, _)| !theory.total.positive.contains(*e));
        let left: Vec<Atom> = left.map(|(_, example)| example.clone()).collect();
        let is_over = matches!(theory.stop, Stop::Interrupted | Stop::OutOfMemory);
        let is_chosen = theory.message().is_some() && !theory.clauses.is_empty();
        if is_over {
            return WhyNot::default();
        }
        let covered = self.wrongly_covered(theory, limits, progress);
        let why_not = if left.is_empty() {
            let recursive = self.recursive_in_place_of(theory, limits, &mut Silent(progress));
            let findings = recursive.ok().flatten().into_iter().collect();
            WhyNot {
                findings,
                ..WhyNot::default()
            }
        } else if is_chosen {
            WhyNot::default()
        } else {
            // What there is to say about the background was said while it was learned.
            self.why_not(&left, Some(theory), limits, &mut Silent(progress))
                .unwrap_or_default()
        };
        WhyNot { covered, ..why_not }
    }

    /// A recursive clause that would do in place of several of a theory without recursion.
    fn recursive_in_place_of(
        &self,
        theory: &Theory,
        limits: Limits,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Option<String>, LearnError> {
        if self.task().bias.recursion || chained(theory).is_empty() {
            return Ok(None);
        }
        let modes = callable_modes(self, limits, progress)?;
        modes.map_or(Ok(None), |modes| {
            let mut inquiry = Inquiry::new(self, modes, limits, progress);
            Ok(inquiry.recursive_clause(Some(theory), &[])?)
        })
    }

    /// Why some positive examples are not covered, as far as clauses that do not call themselves can tell:
    /// what holds for each, whether that tells it from the negative examples, and, beside a theory that was
    /// learned, a clause that does with the bounds that it lies beyond, and which could not be examined. Of
    /// many examples the first are looked at, as far as `progress` says that there is time; what a bound
    /// leaves open is not claimed.
    ///
    /// # Errors
    /// [`LearnError`] for background that cannot be carried out or takes more memory than allowed.
    pub fn why_not(
        &self,
        uncovered: &[Atom],
        theory: Option<&Theory>,
        limits: Limits,
        progress: &mut (dyn Progress + Send),
    ) -> Result<WhyNot, LearnError> {
        let task = self.task();
        let Some(modes) = callable_modes(self, limits, progress)? else {
            return Ok(WhyNot::default());
        };
        let mut inquiry = Inquiry::new(self, modes, limits, progress);
        let mut findings = Vec::new();
        let negative: FxHashSet<&Atom> = task.negative.iter().collect();
        let distinct: IndexSet<&Atom> = uncovered.iter().collect();
        let (both, uncovered): (Vec<&Atom>, Vec<&Atom>) =
            (distinct.into_iter()).partition(|own| negative.contains(own));
        if !both.is_empty() {
            let atoms = counted(both.len(), "atom is", "atoms are");
            let names = self.named(&both);
            findings.push(format!(
                "{atoms} both positive and negative, which no theory gets right: {names}"
            ));
        }
        let looked_at = &uncovered[..uncovered.len().min(MAX_EXAMPLES)];
        let mut diagnoses = Diagnoses::new(looked_at, theory.is_some(), &mut inquiry)?;
        let (n, all) = (looked_at.len(), uncovered.len());
        if n < all {
            diagnoses.of_all = format!(" (the first {n} of {all} examples were looked at)");
        }
        let unasked = inquiry.unasked();
        findings.extend(self.bare(&diagnoses, &unasked));
        let is_near = |within: &Option<u16>| within.is_some_and(|depth| depth < DEPTH);
        findings.extend(self.alike(&diagnoses, &unasked, |within| !is_near(within)));
        if let Some(theory) = theory.filter(|_| !task.negative.is_empty()) {
            findings.extend(self.out_of_reach(&diagnoses.apart, theory, &mut inquiry)?);
        }
        // Before anything is learned recursion is of use where nothing else tells examples apart.
        let alike = diagnoses.alike.values().flatten();
        let alike: Vec<&Atom> = alike.map(|(example, _)| *example).collect();
        let open = if theory.is_some() { looked_at } else { &alike };
        if !open.is_empty() {
            findings.extend(inquiry.recursive_clause(theory, open)?);
        }
        findings.extend(self.alike(&diagnoses, &unasked, is_near));
        if theory.is_some() && inquiry.keeps_going() {
            findings.extend(self.unexamined(&diagnoses));
        }
        if !looked_at.is_empty() {
            let these = if theory.is_some() {
                "the uncovered examples"
            } else {
                "the positive examples"
            };
            findings.extend(inquiry.unbound_arguments(these));
            findings.extend(inquiry.unused_predicates(these));
        }
        findings.extend(theory.and_then(|own| self.ran_out(own)));
        if task.negative.is_empty() {
            let finding = "without negative examples a clause must pay by how rare what it covers is; \
                           where the positive ones are all there are, --closed-world says so";
            findings.push(finding.to_owned());
        }
        findings.extend(task.hints());
        Ok(WhyNot {
            findings,
            covered: Vec::new(),
        })
    }
}

/// What was found out about examples.
#[derive(Default)]
struct Diagnoses<'e> {
    /// Those for which no literal holds.
    bare: Vec<&'e Atom>,
    /// Those that are like a negative example, by the literals between them and the head that were looked
    /// at, if there are more.
    alike: BTreeMap<Option<u16>, Vec<(&'e Atom, Atom)>>,
    /// Those that a clause distinguishes.
    apart: Vec<(&'e Atom, Clause)>,
    /// Those for which too many literals hold.
    crowded: Vec<&'e Atom>,
    /// Those whose proofs take too long.
    slow: Vec<&'e Atom>,
    /// Of how many examples they are, where some were not looked at.
    of_all: String,
}

impl<'e> Diagnoses<'e> {
    /// Looks at examples as long as there is time; `reduces` asks for clauses that distinguish them.
    fn new(
        examples: &[&'e Atom],
        reduces: bool,
        inquiry: &mut Inquiry<'_, '_>,
    ) -> Result<Self, LearnError> {
        let mut own = Self::default();
        for &example in examples {
            if !inquiry.keeps_going() {
                inquiry.is_cut_short = true;
                break;
            }
            match inquiry.look_at(example, reduces)? {
                Diagnosis::Nothing => own.bare.push(example),
                Diagnosis::Alike(other, within) => {
                    own.alike.entry(within).or_default().push((example, other));
                }
                Diagnosis::Apart(clause) => {
                    own.apart.extend(clause.map(|clause| (example, clause)));
                }
                Diagnosis::Crowded => own.crowded.push(example),
                Diagnosis::Slow => own.slow.push(example),
            }
        }
        // What is true of all that holds is true of what holds within a few literals.
        if own.alike.contains_key(&Some(DEPTH)) {
            let all = own.alike.remove(&None).unwrap_or_default();
            let far = own.alike.entry(Some(DEPTH)).or_default();
            far.splice(..0, all);
        }
        Ok(own)
    }
}

impl Problem<'_> {
    /// Some atoms in words.
    fn named(&self, atoms: &[&Atom]) -> String {
        let shown = |atom: &&Atom| print_atom(atom, &self.task().symbols).to_string();
        listed(atoms.iter().map(shown))
    }

    /// Which examples nothing can be said of.
    fn bare(&self, diagnoses: &Diagnoses<'_>, unasked: &str) -> Option<String> {
        let (bare, of_all) = (&diagnoses.bare, &diagnoses.of_all);
        (!bare.is_empty()).then(|| {
            let names = self.named(bare);
            let unasked = cannot_be_asked(unasked);
            format!("no literal holds for {names}{of_all}{unasked}")
        })
    }

    /// Which examples nothing tells from negative ones, of those for which so many literals from the head
    /// were looked at.
    fn alike(
        &self,
        diagnoses: &Diagnoses<'_>,
        unasked: &str,
        is_meant: impl Fn(&Option<u16>) -> bool,
    ) -> Vec<String> {
        let groups = diagnoses.alike.iter();
        let groups = groups.filter(|(within, _)| is_meant(within));
        let findings = groups.map(|(within, pairs)| {
            let within = within.map_or(String::new(), |depth| format!("{}, ", near_head(depth)));
            let pairs = self.alike_pairs(pairs, (unasked, &diagnoses.of_all));
            format!("{within}{pairs}")
        });
        findings.collect()
    }

    /// That nothing tells examples from negative ones.
    fn alike_pairs(&self, alike: &[(&Atom, Atom)], (unasked, of_all): (&str, &str)) -> String {
        let bias = &self.task().bias;
        let mut kind = String::new();
        if bias.negation {
            kind += " whose positive literals lead from the head";
        }
        let recursion = bias.recursion.then_some("recursion");
        let left_out = recursion.into_iter();
        let left_out = left_out.chain(Some(unasked).filter(|own| !own.is_empty()));
        let left_out: Vec<&str> = left_out.collect();
        if !left_out.is_empty() {
            kind = format!("{kind} without {}", left_out.join(" and "));
        }
        let unasked = cannot_be_asked(unasked);
        let pairs = alike.iter().take(MAX_NAMED);
        let pairs = pairs
            .map(|(own, other)| format!("{} and not {}", self.named(&[own]), self.named(&[other])));
        let pairs: Vec<String> = pairs.collect();
        let first = if alike.len() == 1 {
            "the first"
        } else {
            "the first of each pair"
        };
        let more = match alike.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            n => {
                let others = counted(n, "more example", "more examples");
                format!("; the same is true of {others}{of_all}")
            }
        };
        format!(
            "no clause{kind} covers {}: whatever can be said of {first} holds for the \
             second{unasked}{more}{}",
            pairs.join(", or "),
            self.beyond_language(),
        )
    }

    /// What keeps the clauses that tell examples from the negative ones out of a theory; of many the first.
    fn out_of_reach(
        &self,
        apart: &[(&Atom, Clause)],
        theory: &Theory,
        inquiry: &mut Inquiry<'_, '_>,
    ) -> Result<Vec<String>, LearnError> {
        let mut order = ReadingOrder::new(self.task());
        let mut told = Vec::new();
        let mut findings = Vec::new();
        for (example, clause) in apart {
            let readable = self
                .task()
                .unfolded(&without_equalities(clause).normalized());
            let readable = order.of(&readable);
            if told.len() < MAX_NAMED && !told.contains(&readable) {
                findings.extend(inquiry.beyond(example, (clause, &readable), theory)?);
                told.push(readable);
            }
        }
        Ok(findings)
    }

    /// Which examples could not be examined.
    fn unexamined(&self, diagnoses: &Diagnoses<'_>) -> Vec<String> {
        let groups = [
            (&diagnoses.crowded, "too many literals hold"),
            (
                &diagnoses.slow,
                "the proofs of all that holds take too many steps or raise errors",
            ),
        ];
        let groups = groups.into_iter().filter(|(own, _)| !own.is_empty());
        let of_all = &diagnoses.of_all;
        let way = if self.task().is_untyped() {
            "; types and directions in the bias would help"
        } else {
            ""
        };
        let findings = groups.map(|(examples, reason)| {
            let names = self.named(examples);
            format!("not examined, because {reason}: {names}{of_all}{way}")
        });
        findings.collect()
    }

    /// What would help `lff` where it ran out of steps.
    fn ran_out(&self, theory: &Theory) -> Option<String> {
        let is_lff = theory.learner == "lff" || theory.chosen == Some("lff");
        let is_unfinished = theory.unfinished.contains(&("lff", Stop::OutOfSteps));
        let ran_out = (is_lff && theory.stop == Stop::OutOfSteps) || is_unfinished;
        (ran_out && self.task().is_untyped()).then(|| {
            "types and directions in the bias would shrink the search of lff, which ran out of steps"
                .to_owned()
        })
    }

    /// What would let clauses say more, in brackets.
    fn beyond_language(&self) -> String {
        let bias = &self.task().bias;
        let mut ways: Vec<String> = Vec::new();
        if !self.task().values_to_name().is_empty() {
            ways.push("--learner auto and mml name or compare values".to_owned());
        }
        let literals = match (bias.recursion, bias.negation) {
            (false, false) => "--recursion and --negation allow other literals",
            (false, true) => "--recursion allows other literals",
            (true, false) => "--negation allows other literals",
            (true, true) => "",
        };
        if !literals.is_empty() {
            ways.push(literals.to_owned());
        }
        if ways.is_empty() {
            return String::new();
        }
        format!(" ({})", ways.join("; "))
    }
}

/// That predicates could not be asked, if there are some.
fn cannot_be_asked(unasked: &str) -> String {
    if unasked.is_empty() {
        return String::new();
    }
    format!("; {unasked} cannot be asked")
}

/// Tells nothing of what was found out while the theory was learned.
struct Silent<'p>(&'p mut (dyn Progress + Send));

impl Progress for Silent<'_> {
    fn keep_going(&mut self) -> bool {
        self.0.keep_going()
    }
}

#[cfg(test)]
mod tests;
