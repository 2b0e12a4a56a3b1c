//! serde over a spanned value of the TOML parser.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ::toml::Spanned;
use ::toml::de::{DeInteger, DeValue};
use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde_spanned::de::{SpannedDeserializer, is_spanned};

use super::error::{Error, ErrorKind, Frame, Step};
use super::hole::Hole;

/// A value of a file on its way into a type.
#[derive(Clone, Copy, Debug)]
pub struct Deserializer<'d> {
    node: &'d Spanned<DeValue<'d>>,
    edits: &'d Edits,
}

/// Changes to the file as read. Values are identified by their addresses.
#[derive(Debug, Default)]
pub(super) struct Edits {
    /// Ignored values.
    pub(super) removed: BTreeSet<usize>,
    /// Missing keys that get a [`Hole`], by table.
    pub(super) holes: BTreeMap<usize, Vec<&'static str>>,
}

/// The identity of a value.
pub(super) fn id_of(node: &Spanned<DeValue<'_>>) -> usize {
    std::ptr::from_ref(node).addr()
}

impl<'d> Deserializer<'d> {
    pub(super) fn new(node: &'d Spanned<DeValue<'d>>, edits: &'d Edits) -> Self {
        Self { node, edits }
    }

    fn of(self, node: &'d Spanned<DeValue<'d>>) -> Self {
        Self { node, ..self }
    }

    fn is_kept(self, node: &Spanned<DeValue<'_>>) -> bool {
        !self.edits.removed.contains(&id_of(node))
    }

    /// Adds the step from this value to one in it.
    fn frame(
        self,
        step: impl FnOnce() -> Step,
        node: &Spanned<DeValue<'_>>,
    ) -> impl FnOnce(Error) -> Error {
        let (container, id, span) = (id_of(self.node), id_of(node), node.span());
        move |error| {
            error.within(Frame {
                container,
                node: id,
                step: step(),
                span,
            })
        }
    }

    fn visit<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.node.get_ref() {
            DeValue::String(text) => visitor.visit_str(text),
            DeValue::Boolean(value) => visitor.visit_bool(*value),
            DeValue::Datetime(time) => visitor.visit_string(time.to_string()),
            DeValue::Integer(number) => match (signed(number), unsigned(number)) {
                (Some(number), _) => visitor.visit_i64(number),
                (None, Some(number)) => visitor.visit_u64(number),
                (None, None) => Err(too_large(number.as_str())),
            },
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(value) if value.is_finite() || !number.as_str().contains(['0', '9']) => {
                    visitor.visit_f64(value)
                }
                _ => Err(too_large(number.as_str())),
            },
            DeValue::Array(items) => visitor.visit_seq(Items {
                array: self,
                items: items.iter().enumerate(),
            }),
            DeValue::Table(table) => visitor.visit_map(Entries {
                table: self,
                written: table.iter(),
                holes: self
                    .edits
                    .holes
                    .get(&id_of(self.node))
                    .map_or(&[], Vec::as_slice),
                value: None,
            }),
        }
    }

    fn visit_expecting<'de, V: Visitor<'de>>(
        self,
        wanted: &str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.visit(visitor).map_err(|error| error.expecting(wanted))
    }

    /// The only entry that is kept of a table, for a variant of an enumeration.
    fn only_entry(self) -> Result<Variant<'d>, Error> {
        let expected = |found: &str, expected: &str| {
            Error::new(ErrorKind::Unexpected {
                found: found.to_owned(),
                expected: expected.to_owned(),
            })
        };
        let DeValue::Table(table) = self.node.get_ref() else {
            let refused: Result<(), Error> = self.visit(RejectingVisitor);
            let refused = refused.err().unwrap_or_else(|| expected("a value", ""));
            return Err(refused.expecting("a word or a table with one key"));
        };
        let mut entries = table.iter().filter(|(_, value)| self.is_kept(value));
        match (entries.next(), entries.next()) {
            (Some((key, value)), None) => Ok(Variant {
                of: self,
                name: key.get_ref(),
                span: key.span(),
                content: Some(value),
            }),
            (None, _) => Err(expected("an empty table", "one with one key")),
            (Some(_), Some(_)) => Err(expected("a table with several keys", "one with one key")),
        }
    }
}

fn signed(number: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

fn unsigned(number: &DeInteger<'_>) -> Option<u64> {
    u64::from_str_radix(number.as_str(), number.radix()).ok()
}

fn too_large(number: &str) -> Error {
    Error::new(ErrorKind::Custom(format!(
        "the number `{number}` does not fit into 64 bits"
    )))
}

/// Takes nothing, to learn how a value is described.
struct RejectingVisitor;

impl Visitor<'_> for RejectingVisitor {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("something else")
    }
}

macro_rules! natural_numbers {
    ($($method:ident $of:ty),*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            let found = match self.node.get_ref() {
                DeValue::Integer(number) => unsigned(number),
                _ => None,
            };
            let most = u64::from(<$of>::MAX);
            match found {
                Some(0) => self.visit_expecting("an integer of at least 1", visitor),
                _ if u16::try_from(most).is_ok() => {
                    self.visit_expecting(&format!("an integer from 0 to {most}"), visitor)
                }
                _ => self.visit_expecting("an integer of at least 0", visitor),
            }
        })*
    };
}

macro_rules! expecting {
    ($($method:ident $wanted:literal),*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.visit_expecting($wanted, visitor)
        })*
    };
}

impl<'de> de::Deserializer<'de> for Deserializer<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.visit(visitor)
    }

    natural_numbers! {
        deserialize_u8 u8, deserialize_u16 u16, deserialize_u32 u32, deserialize_u64 u64
    }

    expecting! {
        deserialize_bool "true or false",
        deserialize_i8 "an integer from -128 to 127",
        deserialize_i16 "an integer from -32768 to 32767",
        deserialize_i32 "an integer",
        deserialize_i64 "an integer",
        deserialize_f32 "a number",
        deserialize_f64 "a number",
        deserialize_char "a character",
        deserialize_str "a string",
        deserialize_string "a string",
        deserialize_seq "an array",
        deserialize_map "a table"
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let wanted = array_of(length);
        if let DeValue::Array(items) = self.node.get_ref()
            && items.len() != length
        {
            return Err(Error::new(ErrorKind::Unexpected {
                found: array_of(items.len()),
                expected: wanted,
            }));
        }
        self.visit_expecting(&wanted, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_tuple(length, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if is_spanned(name) {
            return visitor.visit_map(SpannedDeserializer::new(self, self.node.span()));
        }
        self.visit_expecting("a table", visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(match self.node.get_ref() {
            DeValue::String(name) => Variant {
                of: self,
                name,
                span: self.node.span(),
                content: None,
            },
            _ => self.only_entry()?,
        })
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        i128 u128 bytes byte_buf unit unit_struct identifier
    }
}

impl IntoDeserializer<'_, Error> for Deserializer<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// The items of an array.
struct Items<'d, I> {
    array: Deserializer<'d>,
    items: I,
}

impl<'de, 'd, I> SeqAccess<'de> for Items<'d, I>
where
    I: Iterator<Item = (usize, &'d Spanned<DeValue<'d>>)>,
{
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let array = self.array;
        let Some((at, item)) = self.items.find(|(_, item)| array.is_kept(item)) else {
            return Ok(None);
        };
        let read = seed.deserialize(array.of(item));
        read.map(Some).map_err(array.frame(|| Step::Item(at), item))
    }
}

/// The entries of a table, and then the keys that it lacks.
struct Entries<'d, I> {
    table: Deserializer<'d>,
    written: I,
    holes: &'d [&'static str],
    /// The value of the last key; none for a hole.
    value: Option<(&'d str, &'d Spanned<DeValue<'d>>)>,
}

impl<'de, 'd, I, K> MapAccess<'de> for Entries<'d, I>
where
    I: Iterator<Item = (&'d Spanned<K>, &'d Spanned<DeValue<'d>>)>,
    K: AsRef<str> + 'd,
{
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        let table = self.table;
        if let Some((key, value)) = self.written.find(|(_, value)| table.is_kept(value)) {
            let name = key.get_ref().as_ref();
            self.value = Some((name, value));
            let span = key.span();
            let read = seed.deserialize(Key {
                name,
                span: span.clone(),
            });
            let frame = table.frame(|| Step::Key(name.to_owned()), value);
            return read.map(Some).map_err(|error| frame(error.at(span)));
        }
        self.value = None;
        let Some((name, rest)) = self.holes.split_first() else {
            return Ok(None);
        };
        self.holes = rest;
        seed.deserialize(Key { name, span: 0..0 }).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let Some((name, value)) = self.value else {
            return seed.deserialize(Hole);
        };
        let read = seed.deserialize(self.table.of(value));
        read.map_err(self.table.frame(|| Step::Key(name.to_owned()), value))
    }
}

/// A key.
struct Key<'d> {
    name: &'d str,
    span: Range<usize>,
}

impl<'de> de::Deserializer<'de> for Key<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_str(self.name)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if is_spanned(name) {
            let text: StrDeserializer<'_, Error> = self.name.into_deserializer();
            return visitor.visit_map(SpannedDeserializer::new(Text(text), self.span));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let text: StrDeserializer<'_, Error> = self.name.into_deserializer();
        text.deserialize_enum(name, variants, visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

/// The text of a key.
struct Text<'d>(StrDeserializer<'d, Error>);

impl<'d> IntoDeserializer<'_, Error> for Text<'d> {
    type Deserializer = StrDeserializer<'d, Error>;

    fn into_deserializer(self) -> Self::Deserializer {
        self.0
    }
}

/// A variant of an enumeration, with its content if it is written as a table.
struct Variant<'d> {
    of: Deserializer<'d>,
    name: &'d str,
    span: Range<usize>,
    content: Option<&'d Spanned<DeValue<'d>>>,
}

impl<'d> Variant<'d> {
    fn content<T>(
        self,
        read: impl FnOnce(Deserializer<'d>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Some(content) = self.content else {
            return Err(Error::new(ErrorKind::Custom(format!(
                "`{0}` needs a value, as in {{ {0} = … }}",
                self.name
            ))));
        };
        let frame = self.of.frame(|| Step::Key(self.name.to_owned()), content);
        read(self.of.of(content)).map_err(frame)
    }
}

impl<'de, 'd> EnumAccess<'de> for Variant<'d> {
    type Error = Error;
    type Variant = Variant<'d>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Error> {
        let name: StrDeserializer<'_, Error> = self.name.into_deserializer();
        let variant = seed.deserialize(name);
        let variant = variant.map_err(|error| error.at(self.span.clone()))?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        if self.content.is_none() {
            return Ok(());
        }
        Err(de::Error::invalid_type(Unexpected::Map, &"a word"))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Error> {
        self.content(|content| seed.deserialize(content))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Error> {
        self.content(|content| de::Deserializer::deserialize_tuple(content, length, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.content(|content| de::Deserializer::deserialize_struct(content, "", fields, visitor))
    }
}

fn array_of(n: usize) -> String {
    format!("an array of {}", crate::counted(n, "value", "values"))
}
