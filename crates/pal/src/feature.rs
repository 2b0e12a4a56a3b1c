//! Background predicates that facts are derived from, and the labels of their arguments.

use kibitz_prolog::{Atom, Clause, Constant, Predicate, SymbolTable, Term, Var, read_term};

use crate::{Domain, PalError};

/// The label of an argument: where its value comes from.
///
/// # Source
/// Morales 1992, section 5.2.3.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Label {
    /// No component.
    Free,
    /// The state of the fact.
    State,
    /// The successor state of a move.
    Next,
    /// An attribute of a component.
    Of {
        /// Index of the component in the example.
        component: usize,
        /// Index of the attribute.
        attribute: usize,
    },
}

/// The role of one leaf of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Free,
    State,
    Next,
    /// An attribute of the component that fills a part; `optional` if there may be none.
    Of {
        part: usize,
        attribute: usize,
        optional: bool,
    },
}

/// A background predicate from which facts are derived, with a declaration of its arguments.
///
/// A declaration is an atom whose leaves, the arguments inside compound ones included, are
/// `attribute(part)`, where different parts are different components; `attribute(part, optional)`
/// if there may be no such component; `state`; `next`; `_` for any value; or a constant. In
/// `legal_move(side(1), piece(1), square(file(1), rank(1)), square(file(2, optional), rank(2,
/// optional)), state)` the second part is the captured piece, if there is one.
///
/// # Source
/// Morales 1992, appendix G (`feature`). The thesis finds the labels by following each derivation;
/// we declare them with the predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The atom with a variable at each leaf that is not a constant.
    pub(crate) atom: Atom,
    /// The roles of the leaves, constants included, from left to right.
    pub(crate) roles: Vec<Role>,
}

/// The leaves of an atom: its arguments, with compound ones replaced by their own leaves.
pub(crate) fn leaves(atom: &Atom) -> Vec<&Term> {
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

/// The atom with every leaf replaced, from left to right.
pub(crate) fn map_leaves(atom: &Atom, replace: &mut impl FnMut(&Term) -> Term) -> Atom {
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
            args.push(read_leaf(arg, domain, symbols, &mut roles).map_err(error)?);
        }
        Ok(Self {
            atom: Atom::new(declared.name, args),
            roles,
        })
    }

    /// The declaration of a concept, inferred from its clause: a leaf of the head has the role of the
    /// same variable in the body, by the declarations of the predicates called there.
    ///
    /// Without such a variable the leaf may have any value.
    pub fn of_concept(clause: &Clause, domain: &dyn Domain, known: &[Feature]) -> Self {
        let state = clause.head.args.last().cloned();
        let mut groups: Vec<Vec<(usize, Term)>> = Vec::new();
        let description = description_feature(domain);
        for literal in clause.body.iter().filter(|literal| literal.positive) {
            let features = known.iter().chain(std::iter::once(&description));
            for feature in features.filter(|f| f.predicate() == literal.atom.predicate()) {
                let leaves = leaves(&literal.atom);
                let same_state = (feature.roles.iter().zip(&leaves))
                    .any(|(role, leaf)| *role == Role::State && Some((*leaf).clone()) == state);
                if same_state && leaves.len() == feature.roles.len() {
                    feature.add_groups(&leaves, domain.key(), &mut groups);
                }
            }
        }
        let head: Vec<Term> = leaves(&clause.head).into_iter().cloned().collect();
        let state_index = head.len().saturating_sub(1);
        let described: Vec<usize> = description
            .roles
            .iter()
            .filter_map(|role| match role {
                Role::Of { attribute, .. } => Some(*attribute),
                _ => None,
            })
            .collect();
        let mut roles = Vec::with_capacity(head.len());
        while let Some(leaf) = head.get(roles.len()) {
            if roles.len() == state_index {
                roles.push(Role::State);
                continue;
            }
            let window = head[roles.len()..state_index].get(..described.len());
            let part = window.and_then(|window| {
                groups
                    .iter()
                    .position(|group| describes(group, &described, domain.key(), window))
            });
            match part {
                Some(part) => roles.extend(described.iter().map(|&attribute| Role::Of {
                    part,
                    attribute,
                    optional: false,
                })),
                None => roles.push(single_role(&groups, leaf)),
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

    /// Whether facts of this feature depend on the state.
    pub(crate) fn has_state(&self) -> bool {
        self.roles.contains(&Role::State)
    }

    /// Adds the leaves of each part as a group, merged with a group of the same key.
    fn add_groups(&self, leaves: &[&Term], key: &[usize], groups: &mut Vec<Vec<(usize, Term)>>) {
        for part in 0..=self.parts() {
            let mut own: Vec<(usize, Term)> = Vec::new();
            for (role, leaf) in self.roles.iter().zip(leaves) {
                if let Role::Of {
                    part: p, attribute, ..
                } = role
                    && *p == part
                {
                    own.push((*attribute, (*leaf).clone()));
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

    /// The largest part.
    fn parts(&self) -> usize {
        let parts = self.roles.iter().map(|role| match role {
            Role::Of { part, .. } => *part,
            _ => 0,
        });
        parts.max().unwrap_or(0)
    }

    /// The integers of a fact that come from no component.
    pub(crate) fn integers(&self, row: &[Constant]) -> impl Iterator<Item = i64> {
        let leaves = self.roles.iter().zip(row);
        leaves.filter_map(|(role, value)| match (role, value) {
            (Role::Free, Constant::Int(value)) => Some(*value),
            _ => None,
        })
    }

    /// Whether two facts are equal up to the state.
    pub(crate) fn equal_up_to_state(&self, row: &[Constant], other: &[Constant]) -> bool {
        let mut leaves = self.roles.iter().zip(row.iter().zip(other));
        leaves.all(|(role, (a, b))| *role == Role::State || a == b)
    }

    /// Whether two facts with these labels are about the same components, optional parts aside.
    pub(crate) fn same_components(&self, labels: &[Label], others: &[Label]) -> bool {
        let mut leaves = self.roles.iter().zip(labels.iter().zip(others));
        leaves.all(|(role, (a, b))| {
            let is_required = matches!(
                role,
                Role::Of {
                    optional: false,
                    ..
                }
            );
            !is_required || a == b
        })
    }

    /// Calls `found` with each labeling of a fact: once for every assignment of different components
    /// to the parts, and never if a required part has no component.
    pub(crate) fn each_labeling(
        &self,
        row: &[Constant],
        components: &[(usize, &[Constant])],
        found: &mut impl FnMut(&[Label]),
    ) {
        let mut chosen = Vec::with_capacity(self.parts() + 1);
        self.assign(row, components, &mut chosen, found);
    }

    /// Assigns components to the remaining parts.
    fn assign(
        &self,
        row: &[Constant],
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
            (self.roles.iter().zip(row)).filter_map(|(role, value)| match *role {
                Role::Of {
                    part,
                    attribute,
                    optional,
                } if part == next => Some((attribute, optional, *value)),
                _ => None,
            })
        };
        let mut may_lack = own().next_back().is_none_or(|(_, optional, _)| optional);
        if own().next().is_some() {
            for (c, (_, component)) in components.iter().enumerate() {
                if own().all(|(attribute, _, value)| component[attribute] == value) {
                    may_lack = false;
                    if !chosen.contains(&Some(c)) {
                        chosen.push(Some(c));
                        self.assign(row, components, chosen, found);
                        chosen.pop();
                    }
                }
            }
        }
        if may_lack {
            chosen.push(None);
            self.assign(row, components, chosen, found);
            chosen.pop();
        }
    }
}

/// The description of a component as a feature with one part.
pub(crate) fn description_feature(domain: &dyn Domain) -> Feature {
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

/// Whether leaves in the order of a description belong to this group.
fn describes(group: &[(usize, Term)], described: &[usize], key: &[usize], window: &[Term]) -> bool {
    described.iter().zip(window).all(|(attribute, leaf)| {
        let mut known = (group.iter().filter(|(a, _)| a == attribute)).peekable();
        let any = !key.contains(attribute) && known.peek().is_none();
        any || known.any(|(_, term)| term == leaf)
    })
}

/// The role of a single leaf: an attribute of the only component with this value.
fn single_role(groups: &[Vec<(usize, Term)>], leaf: &Term) -> Role {
    let mut roles = groups.iter().enumerate().flat_map(|(part, group)| {
        let own = group.iter().filter(|(_, term)| term == leaf);
        own.map(move |(attribute, _)| Role::Of {
            part,
            attribute: *attribute,
            optional: false,
        })
    });
    match (leaf, roles.next(), roles.next()) {
        (Term::Var(_), Some(role), None) => role,
        _ => Role::Free,
    }
}

/// Reads an argument of a declaration and adds the roles of its leaves.
fn read_leaf(
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
                    .map(|arg| read_leaf(arg, domain, symbols, roles))
                    .collect::<Result<Vec<_>, _>>()?;
                Ok(Term::compound(*functor, args))
            }
        }
    }
}
