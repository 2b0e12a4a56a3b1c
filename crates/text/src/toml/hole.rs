//! A value in the place of a missing key, so that the rest of its table can be read.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde_spanned::de::{SpannedDeserializer, is_spanned};

use super::error::{Error, ErrorKind};

/// The empty value of any requested type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hole;

/// Marks an error that is not reported to users.
fn unfit(_: Error) -> Error {
    Error::new(ErrorKind::Hole)
}

macro_rules! numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.visit_u8(0).map_err(unfit)
        })*
    };
}

impl<'de> Deserializer<'de> for Hole {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_str("").map_err(unfit)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(false).map_err(unfit)
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_f32 deserialize_f64
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_none().map_err(unfit)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self).map_err(unfit)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let none: SeqDeserializer<std::iter::Empty<Hole>, Error> =
            SeqDeserializer::new(std::iter::empty());
        visitor.visit_seq(none).map_err(unfit)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let none: MapDeserializer<'_, std::iter::Empty<(Hole, Hole)>, Error> =
            MapDeserializer::new(std::iter::empty());
        visitor.visit_map(none).map_err(unfit)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if is_spanned(name) {
            let spanned = SpannedDeserializer::new(self, 0..0);
            return visitor.visit_map(spanned).map_err(unfit);
        }
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        Err(Error::new(ErrorKind::Hole))
    }

    serde::forward_to_deserialize_any! {
        i128 u128 char str string bytes byte_buf unit unit_struct tuple tuple_struct identifier
        ignored_any
    }
}

impl IntoDeserializer<'_, Error> for Hole {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
