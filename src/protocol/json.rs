//! Untrusted JSON: an object is read with all its members, and one that has a member twice is refused.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::cell::Cell;
use std::fmt;

/// Most members of an object.
pub const MEMBERS_MAX: usize = 64;

/// Most values of a document, each of which takes more memory than its text.
const VALUES_MAX: usize = 100_000;

/// JSON that keeps duplicate members.
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

/// Reads one value, and counts it.
#[derive(Clone, Copy)]
struct Reader<'c>(&'c Cell<usize>);

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Json, D::Error> {
        self.0.set(self.0.get() + 1);
        if self.0.get() > VALUES_MAX {
            let message = format!("there are more than {VALUES_MAX} values");
            return Err(D::Error::custom(message));
        }
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
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
        while let Some(one) = access.next_element_seed(self)? {
            list.push(one);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut members: Vec<(String, Json)> = Vec::new();
        while let Some(name) = access.next_key::<String>()? {
            if members.len() >= MEMBERS_MAX {
                return Err(A::Error::custom(format!(
                    "an object has more than {MEMBERS_MAX} members"
                )));
            }
            if members.iter().any(|(other, _)| *other == name) {
                return Err(A::Error::custom(format!("member {name:?} stands twice")));
            }
            let value = access.next_value_seed(self)?;
            members.push((name, value));
        }
        Ok(Json::Object(members))
    }
}

impl Json {
    /// Parses a whole document.
    ///
    /// # Errors
    /// The syntax error, with line and column.
    pub fn parse(bytes: &[u8]) -> Result<Json, serde_json::Error> {
        let mut input = serde_json::Deserializer::from_slice(bytes);
        let json = Reader(&Cell::new(0)).deserialize(&mut input)?;
        input.end()?;
        Ok(json)
    }

    /// Returns it as a value of a setting can be: `null` for objects, which none is.
    #[must_use]
    pub fn plain(&self) -> serde_json::Value {
        match self {
            Json::Null | Json::Object(_) => serde_json::Value::Null,
            Json::Bool(on) => (*on).into(),
            Json::Number(number) => number.clone().into(),
            Json::Text(text) => text.as_str().into(),
            Json::List(list) => list.iter().map(Json::plain).collect(),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_so_many_values() {
        let list = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
        let parse = |text: &str| Json::parse(text.as_bytes());
        assert!(parse(&list(VALUES_MAX - 1)).is_ok());
        let error = parse(&list(VALUES_MAX)).unwrap_err().to_string();
        assert!(error.contains("100000 values"), "{error}");
        for text in ["{} {}", "[1,]", "{\"a\":1,\"a\":1}", "1e999", ""] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
