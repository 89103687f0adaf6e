//! JSON of strangers: an object is read with all its members, and one that has a member twice is refused.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Most members of an object.
pub const MEMBERS_MAX: usize = 64;

/// JSON that keeps members that stand twice.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it was written, but for the exponent.
    Number(serde_json::Number),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object's members in their order.
    Object(Vec<(String, Json)>),
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Json, D::Error> {
        input.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        let number = serde_json::Number::from_f64(value);
        number
            .map(Json::Number)
            .ok_or_else(|| E::custom("a number is not finite"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(one) = access.next_element()? {
            list.push(one);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut members: Vec<(String, Json)> = Vec::new();
        while let Some((name, value)) = access.next_entry::<String, Json>()? {
            if members.len() >= MEMBERS_MAX {
                return Err(A::Error::custom(format!(
                    "an object has more than {MEMBERS_MAX} members"
                )));
            }
            if members.iter().any(|(other, _)| *other == name) {
                return Err(A::Error::custom(format!("member {name:?} stands twice")));
            }
            members.push((name, value));
        }
        Ok(Json::Object(members))
    }
}

impl Json {
    /// Parses a whole document.
    ///
    /// # Errors
    /// What is wrong with it, with line and column.
    pub fn parse(bytes: &[u8]) -> Result<Json, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// Returns the kind of value in words: `an object`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "true or false",
            Json::Number(_) => "a number",
            Json::Text(_) => "a string",
            Json::List(_) => "an array",
            Json::Object(_) => "an object",
        }
    }
}
