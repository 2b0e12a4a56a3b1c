//! The paths and loops behind a response.

use super::terms::{MINUS, PLUS, times};
use super::{Press, Response};

/// One path from the press to the response, and the complementary subsystem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The variables of the path, from the pressed one to the one that responds.
    pub path: Vec<usize>,
    /// The sign of the path: the product of its links.
    pub path_sign: Response,
    /// The complementary subsystem: the variables off the path in the components that it passes.
    pub rest: Vec<usize>,
    /// Whether the complementary subsystem returns to rest ([`Response::Rises`]), runs away, or depends
    /// on magnitudes; without feedback the term is absent.
    pub rest_sign: Response,
    /// Whether the sign of the complementary subsystem follows from the stability of the whole.
    pub by_stability: bool,
    /// Disjoint loops through the complementary subsystem: for each sign that it can have by its loops,
    /// one example.
    pub loops: Vec<Vec<Vec<usize>>>,
}

/// The terms of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The terms, short paths first.
    pub terms: Vec<Term>,
    /// Whether there are more than these.
    pub has_more: bool,
    /// Whether terms have both signs, and the sign follows all the same: in the balance of some variable
    /// at equilibrium every other push has the same sign, so that this one must be opposite.
    pub is_balance: bool,
}

/// Maximum number of terms shown.
const MOST_TERMS: usize = 12;
/// Maximum number of steps of the search for paths.
const MOST_STEPS: usize = 20_000;

impl Press {
    /// Why a response has its sign: the paths to it, with the loops of the complementary subsystems.
    ///
    /// # Panics
    /// If there is no such variable.
    pub fn proof(&self, pressed: usize, variable: usize) -> Proof {
        let bits = self.diagram.bits();
        let mut terms: Vec<Term> = Vec::new();
        let mut has_more = false;
        // Breadth first, so that short paths come first.
        let mut open = std::collections::VecDeque::from([(vec![pressed], PLUS)]);
        let mut steps = 0;
        while let Some((path, signs)) = open.pop_front() {
            steps += 1;
            if steps > MOST_STEPS {
                has_more = true;
                break;
            }
            let end = path[path.len() - 1];
            if end == variable {
                let term = self.term(path, signs);
                if term.rest_sign == Response::Unchanged {
                    continue;
                }
                if terms.len() == MOST_TERMS {
                    has_more = true;
                    break;
                }
                terms.push(term);
                continue;
            }
            for (next, links) in bits.iter().enumerate() {
                let is_way = self.responses[next][variable] != 0 || next == variable;
                if links[end] != 0 && is_way && !path.contains(&next) {
                    let mut longer = path.clone();
                    longer.push(next);
                    open.push_back((longer, times(signs, links[end])));
                }
            }
        }
        Proof {
            terms,
            has_more,
            is_balance: self.balanced.contains(&(pressed, variable)),
        }
    }

    fn term(&self, path: Vec<usize>, signs: u8) -> Term {
        let mut rest = Vec::new();
        let mut rest_signs = PLUS;
        let mut by_stability = false;
        let mut examples: Vec<(u8, Vec<Vec<usize>>)> = vec![(PLUS, Vec::new())];
        for component in &self.components {
            let members = &component.members;
            if !members.iter().any(|member| path.contains(member)) {
                continue;
            }
            let off = |place: &usize| !path.contains(&members[*place]);
            let places: Vec<usize> = (0..members.len()).filter(off).collect();
            let set = places.iter().fold(0, |set, place| set | 1 << place);
            rest.extend(places.iter().map(|place| members[*place]));
            rest_signs = times(rest_signs, component.rest(set));
            by_stability |= component.is_settled_by_stability(set);
            let mut wider = Vec::new();
            for (sign, loops) in &examples {
                for own in [PLUS, MINUS] {
                    if component.covers(set) & own == 0 {
                        continue;
                    }
                    let Some(found) = component.example(set, own) else {
                        continue;
                    };
                    let named = |places: Vec<usize>| places.iter().map(|at| members[*at]).collect();
                    let mut loops = loops.clone();
                    loops.extend(found.into_iter().map(named));
                    wider.push((times(*sign, own), loops));
                }
            }
            wider.dedup_by_key(|(sign, _)| *sign);
            examples = wider;
        }
        examples.sort_by_key(|(sign, _)| *sign);
        examples.dedup_by_key(|(sign, _)| *sign);
        rest.sort_unstable();
        Term {
            path,
            path_sign: Response::of(signs),
            rest,
            rest_sign: Response::of(rest_signs),
            by_stability,
            loops: examples.into_iter().map(|(_, loops)| loops).collect(),
        }
    }
}
