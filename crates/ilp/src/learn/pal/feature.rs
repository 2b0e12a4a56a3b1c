use super::{Domain, PalError};
use crate::reader::read_term;
use crate::term::{Atom, Clause, Constant, Predicate, SymbolTable, Term, Var};

/// Where an argument of a fact comes from: the label of a constant.
///
/// # Source
/// Morales 1992, section 5.2.3.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Label {
    /// From no component.
    Free,
    /// The state the fact holds in.
    State,
    /// The state a move leads to.
    Next,
    /// From an attribute of a component.
    Of {
        /// Place of the component in the example.
        component: usize,
        /// Which of its attributes.
        attribute: usize,
    },
}

/// What stands at one place of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Free,
    State,
    Next,
    /// An attribute of the component that plays a part; `optional` if there may be none.
    Of {
        part: usize,
        attribute: usize,
        optional: bool,
    },
}

/// A background predicate from which facts are derived, and how its arguments relate to components.
///
/// Written as an atom whose places are `attribute(part)`, where components that play different
/// parts differ; `attribute(part, optional)` where there may be no such component; `state`; `next`;
/// `_` for a value of its own; or a constant. `legal_move(side(1), piece(1), square(file(1),
/// rank(1)), square(file(2, optional), rank(2, optional)), state)` says that the piece to be
/// captured, if there is one, is the second part.
///
/// # Source
/// Morales 1992, appendix G (`feature`); the thesis finds the labels by following each derivation,
/// we state them with the predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The atom with one variable for each place that is not a constant.
    pub(super) atom: Atom,
    /// One role for each place, constants included, from left to right.
    pub(super) roles: Vec<Role>,
}

/// The places of an atom: its arguments, with compound arguments taken apart.
pub(super) fn leaves(atom: &Atom) -> Vec<&Term> {
    fn visit<'a>(term: &'a Term, found: &mut Vec<&'a Term>) {
        match term {
            Term::Compound(_, args) => args.iter().for_each(|arg| visit(arg, found)),
            _ => found.push(term),
        }
    }
    let mut found = Vec::new();
    atom.args.iter().for_each(|arg| visit(arg, &mut found));
    found
}

/// The atom with every place replaced, from left to right.
pub(super) fn map_leaves(atom: &Atom, replace: &mut impl FnMut(&Term) -> Term) -> Atom {
    fn visit(term: &Term, replace: &mut impl FnMut(&Term) -> Term) -> Term {
        match term {
            Term::Compound(functor, args) => Term::Compound(
                *functor,
                args.iter().map(|arg| visit(arg, replace)).collect(),
            ),
            _ => replace(term),
        }
    }
    Atom {
        name: atom.name,
        args: (atom.args.iter().map(|arg| visit(arg, replace))).collect(),
    }
}

impl Feature {
    /// Reads a declaration.
    ///
    /// # Errors
    /// [`PalError::Feature`] for anything but the form described above.
    pub fn parse(
        text: &str,
        domain: &dyn Domain,
        symbols: &mut SymbolTable,
    ) -> Result<Self, PalError> {
        let error = |reason: String| PalError::Feature {
            feature: text.to_owned(),
            reason,
        };
        let term = read_term(text, symbols).map_err(|e| error(e.to_string()))?;
        let declared = Atom::from_term(&term).ok_or_else(|| error("an atom is expected".into()))?;
        let mut roles = Vec::new();
        let mut args = Vec::new();
        for arg in declared.args.iter() {
            args.push(read_place(arg, domain, symbols, &mut roles).map_err(error)?);
        }
        Ok(Self {
            atom: Atom::new(declared.name, args),
            roles,
        })
    }

    /// The declaration of a concept defined by a clause: each place of the head plays the part
    /// that it plays in the body, by the declarations of the predicates called there.
    ///
    /// Without a place in the body that tells, a place is a value of its own.
    pub fn of_concept(clause: &Clause, domain: &dyn Domain, known: &[Feature]) -> Self {
        let state = clause.head.args.last().cloned();
        let mut groups: Vec<Vec<(usize, Term)>> = Vec::new();
        let description = description_feature(domain);
        for literal in clause.body.iter().filter(|literal| literal.positive) {
            let features = known.iter().chain(std::iter::once(&description));
            for feature in features.filter(|f| f.predicate() == literal.atom.predicate()) {
                let places = leaves(&literal.atom);
                let here = (feature.roles.iter().zip(&places))
                    .any(|(role, place)| *role == Role::State && Some((*place).clone()) == state);
                if here && places.len() == feature.roles.len() {
                    feature.add_groups(&places, domain.key(), &mut groups);
                }
            }
        }
        let places: Vec<Term> = leaves(&clause.head).into_iter().cloned().collect();
        let state_place = places.len().saturating_sub(1);
        let described: Vec<usize> = description
            .roles
            .iter()
            .filter_map(|role| match role {
                Role::Of { attribute, .. } => Some(*attribute),
                _ => None,
            })
            .collect();
        let mut roles = Vec::with_capacity(places.len());
        while let Some(place) = places.get(roles.len()) {
            if roles.len() == state_place {
                roles.push(Role::State);
                continue;
            }
            let window = places[roles.len()..state_place].get(..described.len());
            let part = window.and_then(|window| {
                groups
                    .iter()
                    .position(|group| plays(group, &described, domain.key(), window))
            });
            match part {
                Some(part) => roles.extend(described.iter().map(|&attribute| Role::Of {
                    part,
                    attribute,
                    optional: false,
                })),
                None => roles.push(single_role(&groups, place)),
            }
        }
        let mut next = 0;
        let atom = map_leaves(&clause.head, &mut |leaf| match leaf {
            Term::Var(_) => {
                next += 1;
                Term::var(next - 1)
            }
            _ => leaf.clone(),
        });
        Self { atom, roles }
    }

    /// The predicate.
    pub fn predicate(&self) -> Predicate {
        self.atom.predicate()
    }

    /// Whether facts of this feature belong to a state.
    pub(super) fn has_state(&self) -> bool {
        self.roles.contains(&Role::State)
    }

    /// Adds the values at the places of each part, joined with a group of the same key.
    fn add_groups(&self, places: &[&Term], key: &[usize], groups: &mut Vec<Vec<(usize, Term)>>) {
        for part in 0..=self.parts() {
            let mut own: Vec<(usize, Term)> = Vec::new();
            for (role, place) in self.roles.iter().zip(places) {
                if let Role::Of {
                    part: p, attribute, ..
                } = role
                    && *p == part
                {
                    own.push((*attribute, (*place).clone()));
                }
            }
            let key_of = |group: &[(usize, Term)]| -> Option<Vec<Term>> {
                key.iter()
                    .map(|k| group.iter().find(|(a, _)| a == k).map(|(_, t)| t.clone()))
                    .collect()
            };
            let Some(own_key) = key_of(&own) else {
                continue;
            };
            match groups
                .iter_mut()
                .find(|g| key_of(g).as_ref() == Some(&own_key))
            {
                Some(group) => {
                    for item in own {
                        if !group.contains(&item) {
                            group.push(item);
                        }
                    }
                }
                None => groups.push(own),
            }
        }
    }

    fn parts(&self) -> usize {
        let parts = self.roles.iter().map(|role| match role {
            Role::Of { part, .. } => *part,
            _ => 0,
        });
        parts.max().unwrap_or(0)
    }

    /// Whether two rows of values say the same, in whatever states.
    pub(super) fn agree(&self, row: &[Constant], other: &[Constant]) -> bool {
        let mut places = self.roles.iter().zip(row.iter().zip(other));
        places.all(|(role, (a, b))| *role == Role::State || a == b)
    }

    /// Whether two facts, by their labels, are about the same components, as far as all facts of
    /// this feature speak of components at the same places.
    pub(super) fn is_about_the_same(&self, labels: &[Label], others: &[Label]) -> bool {
        let mut places = self.roles.iter().zip(labels.iter().zip(others));
        places.all(|(role, (a, b))| {
            let always = matches!(
                role,
                Role::Of {
                    optional: false,
                    ..
                }
            );
            !always || a == b
        })
    }

    /// Calls `found` with the labels of a fact whose places have these values, once for every way in
    /// which different components can play the parts; not at all if some part has no component.
    pub(super) fn each_labels(
        &self,
        places: &[Constant],
        components: &[(usize, &[Constant])],
        found: &mut impl FnMut(&[Label]),
    ) {
        let mut chosen = Vec::with_capacity(self.parts() + 1);
        self.assign(places, components, &mut chosen, found);
    }

    /// Chooses components for the parts from the next one on.
    fn assign(
        &self,
        places: &[Constant],
        components: &[(usize, &[Constant])],
        chosen: &mut Vec<Option<usize>>,
        found: &mut impl FnMut(&[Label]),
    ) {
        let next = chosen.len();
        if next > self.parts() {
            let label = |role: &Role| match *role {
                Role::Free => Label::Free,
                Role::State => Label::State,
                Role::Next => Label::Next,
                Role::Of {
                    part, attribute, ..
                } => match chosen[part] {
                    None => Label::Free,
                    Some(c) => Label::Of {
                        component: components[c].0,
                        attribute,
                    },
                },
            };
            found(&self.roles.iter().map(label).collect::<Vec<Label>>());
            return;
        }
        let own = || {
            (self.roles.iter().zip(places)).filter_map(|(role, place)| match *role {
                Role::Of {
                    part,
                    attribute,
                    optional,
                } if part == next => Some((attribute, optional, *place)),
                _ => None,
            })
        };
        let mut may_lack = own().next_back().is_none_or(|(_, optional, _)| optional);
        if own().next().is_some() {
            for (c, (_, component)) in components.iter().enumerate() {
                if own().all(|(attribute, _, place)| component[attribute] == place) {
                    may_lack = false;
                    if !chosen.contains(&Some(c)) {
                        chosen.push(Some(c));
                        self.assign(places, components, chosen, found);
                        chosen.pop();
                    }
                }
            }
        }
        if may_lack {
            chosen.push(None);
            self.assign(places, components, chosen, found);
            chosen.pop();
        }
    }
}

/// The description of a component as a feature with one part.
pub(super) fn description_feature(domain: &dyn Domain) -> Feature {
    let state = Var(u32::try_from(domain.attributes().len()).expect("few attributes"));
    let atom = domain.description().clone();
    let roles = leaves(&atom)
        .into_iter()
        .map(|leaf| match leaf {
            Term::Var(var) if *var == state => Role::State,
            Term::Var(var) => Role::Of {
                part: 0,
                attribute: var.index(),
                optional: false,
            },
            _ => Role::Free,
        })
        .collect();
    Feature { atom, roles }
}

/// Whether places in the order of a description are those of this component.
fn plays(group: &[(usize, Term)], described: &[usize], key: &[usize], window: &[Term]) -> bool {
    described.iter().zip(window).all(|(attribute, place)| {
        let mut known = (group.iter().filter(|(a, _)| a == attribute)).peekable();
        let any = !key.contains(attribute) && known.peek().is_none();
        any || known.any(|(_, term)| term == place)
    })
}

/// The role of a place on its own: that of the only component it can belong to.
fn single_role(groups: &[Vec<(usize, Term)>], place: &Term) -> Role {
    let mut roles = groups.iter().enumerate().flat_map(|(part, group)| {
        let own = group.iter().filter(|(_, term)| term == place);
        own.map(move |(attribute, _)| Role::Of {
            part,
            attribute: *attribute,
            optional: false,
        })
    });
    match (place, roles.next(), roles.next()) {
        (Term::Var(_), Some(role), None) => role,
        _ => Role::Free,
    }
}

fn read_place(
    term: &Term,
    domain: &dyn Domain,
    symbols: &SymbolTable,
    roles: &mut Vec<Role>,
) -> Result<Term, String> {
    let fresh = |roles: &[Role]| Term::var(u32::try_from(roles.len()).unwrap_or(u32::MAX));
    match term {
        Term::Var(_) => {
            roles.push(Role::Free);
            Ok(fresh(&roles[1..]))
        }
        Term::Const(Constant::Symbol(name)) if symbols.name(*name) == "state" => {
            roles.push(Role::State);
            Ok(fresh(&roles[1..]))
        }
        Term::Const(Constant::Symbol(name)) if symbols.name(*name) == "next" => {
            roles.push(Role::Next);
            Ok(fresh(&roles[1..]))
        }
        Term::Const(_) => {
            roles.push(Role::Free);
            Ok(term.clone())
        }
        Term::Compound(functor, args) => {
            let name = symbols.name(*functor);
            let attribute = domain.attributes().iter().position(|a| a.name == name);
            if let (Some(attribute), [Term::Const(Constant::Int(part)), rest @ ..]) =
                (attribute, &**args)
            {
                let optional = match rest {
                    [] => false,
                    [Term::Const(Constant::Symbol(word))] if symbols.name(*word) == "optional" => {
                        true
                    }
                    _ => {
                        return Err(format!(
                            "after the part of `{name}` only `optional` may stand"
                        ));
                    }
                };
                let part = usize::try_from(*part)
                    .ok()
                    .filter(|part| (1..=9).contains(part))
                    .ok_or_else(|| format!("the part of `{name}` must be from 1 to 9"))?;
                roles.push(Role::Of {
                    part: part - 1,
                    attribute,
                    optional,
                });
                Ok(fresh(&roles[1..]))
            } else {
                let args = args
                    .iter()
                    .map(|arg| read_place(arg, domain, symbols, roles))
                    .collect::<Result<Vec<_>, _>>()?;
                Ok(Term::compound(*functor, args))
            }
        }
    }
}
