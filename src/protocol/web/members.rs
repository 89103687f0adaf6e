//! The members of an object, taken by name; unknown members are ignored.

use super::WebError;
use crate::ErrorCode;
use crate::json::Json;
use gammond_game::Roll;

/// The members of one object that are not taken yet, and its own name with a dot.
#[derive(Debug)]
pub(super) struct Members {
    above: String,
    members: Vec<(String, Json)>,
}

impl Members {
    /// Returns the members of a body.
    pub(super) fn of_body(body: Json) -> Result<Members, WebError> {
        Members::of(String::new(), body)
    }

    /// Returns the members of an object member.
    pub(super) fn of_member(name: &str, value: Json) -> Result<Members, WebError> {
        Members::of(name.to_owned(), value)
    }

    fn of(name: String, value: Json) -> Result<Members, WebError> {
        match value {
            Json::Object(members) => Ok(Members {
                above: if name.is_empty() { name } else { name + "." },
                members,
            }),
            other => {
                let what = if name.is_empty() { "the body" } else { &name };
                let message = format!("{what} is {}, expected an object", other.kind());
                Err(WebError::new(ErrorCode::BadRequest, name, message))
            }
        }
    }

    /// Returns the whole name of a member.
    pub(super) fn name(&self, name: &str) -> String {
        format!("{}{name}", self.above)
    }

    /// Takes a member; `null` is none.
    pub(super) fn take(&mut self, name: &str) -> Option<Json> {
        let at = self.members.iter().position(|(other, _)| other == name)?;
        Some(self.members.swap_remove(at).1).filter(|value| *value != Json::Null)
    }

    /// Returns the fault of a member whose value is not as expected.
    pub(super) fn wrong(&self, name: &str, value: &Json, want: &str) -> WebError {
        let name = self.name(name);
        let message = match value {
            Json::Number(number) => format!("{name} is {number}, expected {want}"),
            Json::Text(text) => format!("{name} is {:.64?}, expected {want}", text),
            other => format!("{name} is {}, expected {want}", other.kind()),
        };
        WebError::new(ErrorCode::BadRequest, name, message)
    }

    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, WebError> {
        match self.take(name) {
            None => Ok(None),
            Some(Json::Text(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(name, &other, "a string")),
        }
    }

    pub(super) fn flag(&mut self, name: &str, default: bool) -> Result<bool, WebError> {
        match self.take(name) {
            None => Ok(default),
            Some(Json::Bool(value)) => Ok(value),
            Some(other) => Err(self.wrong(name, &other, "true or false")),
        }
    }

    /// Returns a whole number of at most `max`.
    pub(super) fn number(&mut self, name: &str, max: u32) -> Result<Option<u32>, WebError> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        let number = match &value {
            Json::Number(number) => number.as_u64().and_then(|number| number.try_into().ok()),
            _ => None,
        };
        match number.filter(|number| *number <= max) {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong(name, &value, &format!("a whole number from 0 to {max}"))),
        }
    }

    /// Reads two dice.
    pub(super) fn dice(&mut self) -> Result<Option<Roll>, WebError> {
        let Some(value) = self.take("dice") else {
            return Ok(None);
        };
        let Json::List(dice) = &value else {
            let fault = self.wrong("dice", &value, "two dice such as [3,1]");
            return Err(WebError {
                code: ErrorCode::BadRoll,
                ..fault
            });
        };
        let [first, second] = dice.as_slice() else {
            let message = format!("dice are {}, expected two such as [3,1]", dice.len());
            return Err(WebError::new(ErrorCode::BadRoll, "dice", message));
        };
        let die = |name: &str, die: &Json| {
            match die {
                Json::Number(number) => number
                    .as_u64()
                    .and_then(|number| u8::try_from(number).ok())
                    .filter(|number| (1..=6).contains(number)),
                _ => None,
            }
            .ok_or_else(|| WebError {
                code: ErrorCode::BadRoll,
                ..self.wrong(name, die, "a whole number from 1 to 6")
            })
        };
        let (first, second) = (die("dice[0]", first)?, die("dice[1]", second)?);
        let roll = Roll::new(first, second);
        roll.map(Some)
            .map_err(|error| WebError::new(ErrorCode::BadRoll, "dice", error.to_string()))
    }
}
