//! Loop analysis: the sign of every equilibrium response to a press, by the signs of links alone.
//!
//! Near a stable equilibrium the variables of a signed digraph follow x' = A x, where A has the signs of
//! the links. A press on a variable adds a constant to its rate of change; the equilibrium moves by a
//! column of the inverse of −A, the adjugate by the determinant, which is positive where the equilibrium
//! is stable. The sign of an entry of the adjugate is that of its terms: each is a path from the press to
//! the response, times the feedback of the complementary subsystem, the variables off the path.
//!
//! # Source
//! Levins 1974, The qualitative analysis of partially specified systems, Annals of the New York Academy
//! of Sciences 231, 123–138; Puccia and Levins 1985, Qualitative Modeling of Complex Systems, Harvard
//! University Press. That stability settles more signs, by components and in components without negative
//! loops (M-matrices), and that the balance of pushes at equilibrium does, is added here.

mod balance;
mod calculus;
mod diagram;
mod equation;
mod proof;
mod terms;
mod witness;
mod xmile;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use thiserror::Error;

pub use diagram::{Diagram, Link, LinkSign};
pub use proof::{Proof, Term};
pub use witness::Witness;
pub use xmile::{UnsignedLink, XmileDiagram, is_xmile};

use terms::{Component, MINUS, MOST_MEMBERS, PLUS, times};

/// The sign of a response, of a term or of feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Response {
    /// It rises: every term is positive.
    Rises,
    /// It falls: every term is negative.
    Falls,
    /// It does not change: there is no term.
    Unchanged,
    /// It depends on magnitudes: there are terms of both signs.
    Ambiguous,
}

impl Response {
    /// `+`, `-`, `0` or `?`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rises => "+",
            Self::Falls => "-",
            Self::Unchanged => "0",
            Self::Ambiguous => "?",
        }
    }

    fn of(bits: u8) -> Self {
        match bits {
            0 => Self::Unchanged,
            PLUS => Self::Rises,
            MINUS => Self::Falls,
            _ => Self::Ambiguous,
        }
    }
}

/// Why there is no analysis of a diagram.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PressError {
    /// More variables push each other than tables can hold.
    #[error("{n} variables push each other ({names}): there is a limit of {MOST_MEMBERS}")]
    TooLarge {
        /// Their number.
        n: usize,
        /// Their names.
        names: String,
    },
    /// Variables whose overall feedback cannot be negative: they have no stable equilibrium.
    #[error("no stable equilibrium: the overall feedback of {names} {why}")]
    Unstable {
        /// The variables of the component.
        names: String,
        /// Why it is not negative.
        why: &'static str,
    },
}

/// The feedback of a component at each level, which stability needs to be negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stability {
    /// The variables of the component: all that push each other, directly or not.
    pub variables: Vec<usize>,
    /// The feedback of loops through one variable, of disjoint loops through two, and so on. It must be
    /// negative ([`Response::Falls`]) at each level; where it is ambiguous, magnitudes decide.
    pub levels: Vec<Response>,
}

/// The ambiguous responses of a diagram, by what shows that they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Two sets of magnitudes with stable equilibria disagree.
    pub stable: usize,
    /// Two sets disagree, of which one or both have an unstable equilibrium with negative overall feedback.
    pub unstable: usize,
    /// No set was found for one of the signs: the sign may be determined after all.
    pub missing: usize,
}

/// Two witnesses of each ambiguous response, by pressed variable and response.
type Witnesses = BTreeMap<(usize, usize), [Option<Witness>; 2]>;

/// The responses of all variables of a diagram to presses on each.
#[derive(Clone, Debug)]
pub struct Press {
    diagram: Diagram,
    inputs: Vec<usize>,
    components: Vec<Component>,
    /// By pressed variable and response.
    responses: Vec<Vec<u8>>,
    /// The pairs whose sign the balance of pushes settles.
    balanced: BTreeSet<(usize, usize)>,
    /// Computed on first use.
    witnesses: OnceLock<Witnesses>,
}

impl Diagram {
    /// The sign of the response of every variable to a press on each.
    ///
    /// A variable that nothing pushes is an input that returns to its own level: it gets a link `-` to
    /// itself, and is named in [`Press::inputs`].
    ///
    /// # Errors
    /// [`PressError`].
    ///
    /// # Examples
    /// ```
    /// use kibitz_qsim::press::Diagram;
    ///
    /// let diagram = Diagram::from_csv("loops.csv", "from,to,sign
    /// grass,grass,-
    /// grass,hare,+
    /// hare,grass,-
    /// hare,fox,+
    /// fox,hare,-
    /// fox,fox,-
    /// ")?;
    /// let press = diagram.press()?;
    /// // More foxes: fewer hares, more grass.
    /// let signs: Vec<&str> = (0..3).map(|of| press.response(2, of).name()).collect();
    /// assert_eq!(signs, ["+", "-", "+"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn press(&self) -> Result<Press, PressError> {
        let mut diagram = self.clone();
        let is_pushed = |variable: &usize| self.links.iter().any(|link| link.to == *variable);
        let inputs: Vec<usize> = (0..self.variables.len())
            .filter(|variable| !is_pushed(variable))
            .collect();
        diagram.links.extend(inputs.iter().map(|&input| Link {
            from: input,
            to: input,
            sign: LinkSign::Negative,
        }));
        let bits = diagram.bits();
        let names = |members: &[usize]| {
            let names = members.iter().map(|at| self.variables[*at].as_str());
            names.collect::<Vec<_>>().join(", ")
        };
        let mut components = Vec::new();
        for members in terms::components(&bits) {
            if members.len() > MOST_MEMBERS {
                let names = names(&members);
                let n = members.len();
                return Err(PressError::TooLarge { n, names });
            }
            let component = Component::new(members, &bits);
            let signs = component.covers(component.all());
            if signs & PLUS == 0 {
                let names = names(&component.members);
                let why = if signs == 0 {
                    "is 0: no disjoint loops go through all of them"
                } else {
                    "is positive whatever the magnitudes"
                };
                return Err(PressError::Unstable { names, why });
            }
            components.push(component);
        }
        let mut responses = responses(&bits, &components);
        let balanced = balance::settle(&bits, &mut responses);
        Ok(Press {
            diagram,
            inputs,
            components,
            responses,
            balanced,
            witnesses: OnceLock::new(),
        })
    }
}

/// The signs of all responses, by pressed variable: components in the order in which they push each
/// other, each entered by the links from those before it.
#[expect(
    clippy::needless_range_loop,
    reason = "matrices are read by row and column"
)]
fn responses(bits: &[Vec<u8>], components: &[Component]) -> Vec<Vec<u8>> {
    let n = bits.len();
    let mut found = vec![vec![0; n]; n];
    for component in components {
        let members = &component.members;
        for (place, &entry) in members.iter().enumerate() {
            let inner = component.responses(place);
            for pressed in 0..n {
                let pushes = if pressed == entry {
                    PLUS
                } else if members.contains(&pressed) {
                    continue;
                } else {
                    let outer = (0..n).filter(|from| !members.contains(from));
                    outer.fold(0, |signs, from| {
                        signs | times(found[pressed][from], bits[entry][from])
                    })
                };
                for (at, signs) in inner.iter().enumerate() {
                    found[pressed][members[at]] |= times(pushes, *signs);
                }
            }
        }
    }
    found
}

impl Press {
    /// The diagram, with the links that were assumed of inputs.
    pub fn diagram(&self) -> &Diagram {
        &self.diagram
    }

    /// The variables that nothing pushes.
    pub fn inputs(&self) -> &[usize] {
        &self.inputs
    }

    /// The response of a variable to a press on one, by index.
    ///
    /// # Panics
    /// If there is no such variable.
    pub fn response(&self, pressed: usize, variable: usize) -> Response {
        Response::of(self.responses[pressed][variable])
    }

    /// A necessary condition for stability: negative feedback at every level of each component. With three
    /// variables or more, feedback at high levels must also not be too strong relative to low levels (the
    /// Routh-Hurwitz conditions).
    pub fn stability(&self) -> Vec<Stability> {
        let of = |component: &Component| Stability {
            variables: component.members.clone(),
            // The terms of determinants of the negated matrix: feedback has the opposite sign.
            levels: (component.levels().into_iter())
                .map(|bits| Response::of(terms::opposite(bits)))
                .collect(),
        };
        self.components.iter().map(of).collect()
    }

    /// Whether some magnitudes may make the equilibrium stable: feedback is not absent or positive at any
    /// level. Otherwise the signs are those of an equilibrium with negative overall feedback.
    pub fn may_be_stable(&self) -> bool {
        let mut levels = self.components.iter().flat_map(Component::levels);
        levels.all(|bits| bits & PLUS != 0)
    }

    /// How many ambiguous responses are shown by magnitudes.
    pub fn evidence(&self) -> Evidence {
        let found = self.witnesses.get_or_init(|| witness::search(self));
        let mut evidence = Evidence::default();
        for both in found.values() {
            let [a, b] = both
                .each_ref()
                .map(|own| own.as_ref().map(|own| own.is_stable));
            match (a, b) {
                (Some(true), Some(true)) => evidence.stable += 1,
                (Some(_), Some(_)) => evidence.unstable += 1,
                _ => evidence.missing += 1,
            }
        }
        evidence
    }

    /// For an ambiguous response: magnitudes with which the variable rises, and some with which it falls.
    ///
    /// The search is limited to stable equilibria first; if it finds none, it continues with all that have
    /// negative overall feedback: see [`Witness::is_stable`].
    ///
    /// # Panics
    /// If there is no such variable.
    pub fn witnesses(&self, pressed: usize, variable: usize) -> Option<&[Option<Witness>; 2]> {
        let found = self.witnesses.get_or_init(|| witness::search(self));
        found.get(&(pressed, variable))
    }
}
