//! The form of the page: what its fields hold, and links that keep it.

use crate::http::ask::question::{self, Question};
use crate::http::wire::problem::Problem;
use gammond_base::escape::Markup;
use gammond_engine::query::Setting;
use gammond_game::Roll;
use gammond_protocol::verbs::SHOW;
use gammond_protocol::verbs::schema::START;
use std::fmt::Write as _;

/// Parameters that have a field.
pub(in crate::http) const FIELDS: [&str; 5] = ["position", "roll", "plies", "length", "score"];
/// Parameters that a state inside an ID replaces.
const OF_STATE: [&str; 6] = ["roll", "length", "score", "crawford", "cube", "owner"];
/// Rules, which are the same for both players.
const RULES: [&str; 2] = ["jacoby", "beavers"];
/// The language of the texts, which only the script uses.
const LANGUAGE: &str = "lang";
/// Plies that the field offers.
const PLIES: [&str; 4] = ["0", "1", "2", "3"];

/// Parameters of the page. Those without a field are settings, and are kept.
#[derive(Debug, Default)]
pub(in crate::http) struct PageForm {
    /// Values; none is empty, because a form sends all of its fields.
    values: Vec<(String, String)>,
}

impl PageForm {
    /// Reads a query.
    ///
    /// # Errors
    /// A duplicate parameter, and too many of them.
    pub(in crate::http) fn read(query: &str) -> Result<PageForm, Problem> {
        let parameters = question::parameters(query)?.into_iter();
        let trimmed = parameters.map(|(name, value)| (name, value.trim().to_owned()));
        let values = trimmed
            .filter(|(name, value)| !value.is_empty() && name != LANGUAGE)
            .collect();
        Ok(PageForm { values })
    }

    /// Returns the value of a parameter, else an empty text.
    pub(in crate::http) fn value(&self, name: &str) -> &str {
        let found = self.values.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    /// Returns true if the match is given in fields.
    pub(in crate::http) fn has_match(&self) -> bool {
        !self.value("length").is_empty() || !self.value("score").is_empty()
    }

    /// Returns the question of the fields.
    ///
    /// # Errors
    /// As for a query of the paths below `/v1/`.
    pub(in crate::http) fn question(&self) -> Result<Question, Problem> {
        let mut parameters = self.values.clone();
        if self.value("position").is_empty() {
            parameters.push(("position".to_owned(), START.to_owned()));
        }
        question::of_parameters(&SHOW, parameters, false)
    }

    /// Returns the query of the page with another position, which holds its own state.
    pub(in crate::http) fn leading_to(&self, position: &str) -> String {
        let kept = self
            .values
            .iter()
            .filter(|(name, _)| name != "position" && !OF_STATE.contains(&name.as_str()));
        form_urlencoded::Serializer::new(String::new())
            .append_pair("position", position)
            .extend_pairs(kept)
            .finish()
    }

    /// Returns the query of `/v1/show` for the board. Settings that only a look-ahead has do not matter to it.
    pub(in crate::http) fn board_query(&self) -> String {
        let shown = |name: &str| OF_STATE.contains(&name) || RULES.contains(&name);
        let mut query = form_urlencoded::Serializer::new(String::new());
        let position = match self.value("position") {
            "" => START,
            position => position,
        };
        query.append_pair("position", position);
        for (name, value) in self.values.iter().filter(|(name, _)| shown(name)) {
            // The script makes JSON of it, which has one spelling.
            let read = Setting::named(name).and_then(|setting| setting.read(value));
            match read {
                Some(read) => query.append_pair(name, &read.to_string()),
                None => query.append_pair(name, value),
            };
        }
        query.finish()
    }

    /// Writes the choices of dice. Without a choice, the position may bring a roll along.
    pub(in crate::http) fn roll_options(&self, of_position: Option<Roll>) -> String {
        let given = self.value("roll");
        let none = match of_position.filter(|_| given.is_empty()) {
            Some(roll) => format!("{roll} (position)"),
            None => "none: cube".to_owned(),
        };
        let mut choices = Vec::new();
        for high in 1..=6_u8 {
            choices.extend((1..=high).map(|low| format!("{high}{low}")));
        }
        // The line takes "1-3" and "13" for the same.
        let mut dice: Vec<char> = given.chars().filter(char::is_ascii_digit).collect();
        dice.sort_unstable_by(|one, other| other.cmp(one));
        let dice: String = dice.into_iter().collect();
        let chosen = if choices.contains(&dice) {
            &dice
        } else {
            given
        };
        let labels: Vec<&str> = choices.iter().map(String::as_str).collect();
        options(&none, chosen, &labels, "")
    }

    /// Writes the choices of plies.
    pub(in crate::http) fn plies_options(&self) -> String {
        options("automatic", self.value("plies"), &PLIES, "-ply")
    }

    /// Writes the parameters without a field, so that the form keeps them.
    pub(in crate::http) fn others(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.values {
            if !FIELDS.contains(&name.as_str()) {
                let (name, value) = (Markup::new(name), Markup::new(value));
                let _ = write!(
                    text,
                    "<input type=\"hidden\" name=\"{name}\" value=\"{value}\">"
                );
            }
        }
        text
    }
}

/// Writes the options of a field. A value that is not among the choices stays as it is.
fn options(none: &str, chosen: &str, choices: &[&str], unit: &str) -> String {
    let mut text = option("", none, "", chosen.is_empty());
    for choice in choices {
        text += &option(choice, choice, unit, *choice == chosen);
    }
    if !chosen.is_empty() && !choices.contains(&chosen) {
        text += &option(chosen, chosen, "", true);
    }
    text
}

fn option(value: &str, label: &str, unit: &str, chosen: bool) -> String {
    let (value, label) = (Markup::new(value), Markup::new(label));
    let chosen = if chosen { " selected" } else { "" };
    format!("<option value=\"{value}\"{chosen}>{label}{unit}</option>")
}
