//! The two serialized forms of a source: the name of the collection, or a table.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::GameSource;

impl Serialize for GameSource {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.is_selective() {
            GameSource::serialize(self, to)
        } else {
            to.serialize_str(&self.data)
        }
    }
}

impl<'de> Deserialize<'de> for GameSource {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<GameSource, D::Error> {
        struct NameOrTable;
        impl<'de> de::Visitor<'de> for NameOrTable {
            type Value = GameSource;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name under `data`, or a table with it")
            }

            fn visit_str<E>(self, name: &str) -> Result<GameSource, E> {
                Ok(GameSource::whole(name))
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<GameSource, A::Error> {
                GameSource::deserialize(de::value::MapAccessDeserializer::new(map))
            }
        }
        from.deserialize_any(NameOrTable)
    }
}

/// Adds the short form, the name alone, to the schema of the table.
pub(super) fn or_name(schema: &mut schemars::Schema) {
    let table = schema.clone();
    *schema = schemars::json_schema!({
        "description": "A collection, by its name under `data`, and a filter of its games.",
        "anyOf": [{ "type": "string" }, table],
    });
}
