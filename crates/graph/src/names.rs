//! The names of entities and relations, and their numbers.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A thing that relations connect; its number in a [`Vocabulary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entity(pub(crate) u32);

/// A relation between two entities; its number in a [`Vocabulary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Relation(pub(crate) u32);

impl Entity {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Relation {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A fact of a knowledge graph: head entity, relation, tail entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Triple {
    /// The first entity.
    pub head: Entity,
    /// The relation.
    pub relation: Relation,
    /// The second entity.
    pub tail: Entity,
}

/// Names of entities and relations in the order in which they were first read.
///
/// All graphs, rules and queries that are used together share one.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    entities: IndexSet<Box<str>, FxBuildHasher>,
    relations: IndexSet<Box<str>, FxBuildHasher>,
}

impl Vocabulary {
    /// The entity of that name, added if it is new.
    pub fn entity(&mut self, name: &str) -> Entity {
        Entity(number(&mut self.entities, name))
    }

    /// The relation of that name, added if it is new.
    pub fn relation(&mut self, name: &str) -> Relation {
        Relation(number(&mut self.relations, name))
    }

    /// The triple of these names.
    pub fn triple(&mut self, head: &str, relation: &str, tail: &str) -> Triple {
        Triple {
            head: self.entity(head),
            relation: self.relation(relation),
            tail: self.entity(tail),
        }
    }

    /// The entity of that name, if there is one.
    pub fn known_entity(&self, name: &str) -> Option<Entity> {
        let index = self.entities.get_index_of(name)?;
        Some(Entity(index as u32))
    }

    /// The relation of that name, if there is one.
    pub fn known_relation(&self, name: &str) -> Option<Relation> {
        let index = self.relations.get_index_of(name)?;
        Some(Relation(index as u32))
    }

    /// The name of an entity.
    pub fn entity_name(&self, entity: Entity) -> &str {
        &self.entities[entity.index()]
    }

    /// The name of a relation.
    pub fn relation_name(&self, relation: Relation) -> &str {
        &self.relations[relation.index()]
    }

    /// The number of entities.
    pub fn n_entities(&self) -> usize {
        self.entities.len()
    }

    /// The number of relations.
    pub fn n_relations(&self) -> usize {
        self.relations.len()
    }

    /// All relations, in the order of their numbers.
    pub fn relations(&self) -> impl Iterator<Item = Relation> + use<> {
        (0..self.n_relations() as u32).map(Relation)
    }

    /// The names of all entities, in the order of their numbers.
    pub fn entity_names(&self) -> impl Iterator<Item = &str> {
        self.entities.iter().map(AsRef::as_ref)
    }

    /// The names of all relations, in the order of their numbers.
    pub fn relation_names(&self) -> impl Iterator<Item = &str> {
        self.relations.iter().map(AsRef::as_ref)
    }
}

fn number(names: &mut IndexSet<Box<str>, FxBuildHasher>, name: &str) -> u32 {
    let index = match names.get_index_of(name) {
        Some(index) => index,
        None => names.insert_full(name.into()).0,
    };
    u32::try_from(index).expect("fewer than 2^32 names fit into memory")
}
