//! `set matchinfo`, `show matchinfo`: where, when and by whom a match was played (CON-47).

use super::Console;
use super::host::ConsoleHost;
use super::table::Seat;
use super::words::Words;

/// Words of `set matchinfo` with the headers of the match that they set, and with their names in listings.
const TEXTS: [(&str, &str, &str); 4] = [
    ("event", "Event", "Event"),
    ("round", "Round", "Round"),
    ("place", "Site", "Place"),
    ("annotator", "Transcriber", "Annotator"),
];
const COMMENT: &str = "Comment";
const DATE: &str = "EventDate";
/// Headers of the ratings.
static RATINGS: [&str; 2] = ["Player 1 Elo", "Player 2 Elo"];

impl Console {
    /// Runs `set matchinfo KEY …`.
    pub(super) fn set_match_info(&mut self, key: &str, words: &mut Words<'_>) {
        match key {
            "date" => self.set_date(words.trimmed()),
            "rating" => self.set_rating(words),
            _ => {
                let text = words.trimmed();
                let found = TEXTS.iter().find(|(word, ..)| *word == key);
                self.set_header(found.map_or(COMMENT, |(_, header, _)| header), text);
                self.say(&match text {
                    "" => format!("Match {key} cleared."),
                    text => format!("Match {key} set to: {text}"),
                });
            }
        }
    }

    fn set_header(&mut self, header: &str, text: &str) {
        let text = text.replace('"', "'");
        let value = Some(text.as_str()).filter(|text| !text.is_empty());
        self.record.file.set_header(header, value);
    }

    fn set_date(&mut self, text: &str) {
        if text.is_empty() {
            self.set_header(DATE, "");
            self.say("Match date cleared.");
            return;
        }
        let parts: Option<Vec<u32>> = text.split('-').map(|part| part.parse().ok()).collect();
        let date = parts.and_then(|parts| match *parts.as_slice() {
            [year, month, day] if is_date(year, month, day) => Some([year, month, day]),
            _ => None,
        });
        let Some([year, month, day]) = date else {
            self.say(&format!(
                "{text} is not a valid date (see `help set matchinfo date')."
            ));
            return;
        };
        self.set_header(DATE, &format!("{year:04}.{month:02}.{day:02}"));
        self.say(&format!("Match date set to {year:04}-{month:02}-{day:02}."));
    }

    fn set_rating(&mut self, words: &mut Words<'_>) {
        let Some(seat) = words.next().and_then(|word| self.seat(word)) else {
            self.say(
                "You must specify which player's rating to set (see `help set matchinfo rating').",
            );
            return;
        };
        let text = words.trimmed();
        self.set_header(seat.of::<&str>(&RATINGS), text);
        let name = seat.of(&self.names);
        self.say(&match text {
            "" => format!("Rating for {name} cleared."),
            text => format!("Rating for {name} set to: {text}"),
        });
    }

    /// Prints the answer to `show matchinfo`.
    pub(super) fn show_match_info(&mut self, host: &mut dyn ConsoleHost) {
        let file = &self.record.file;
        let player = |seat: Seat| {
            let rating = file
                .header(seat.of::<&str>(&RATINGS))
                .unwrap_or("unknown rating");
            format!("{} ({rating})", seat.of(&self.names))
        };
        let date = match file.header(DATE) {
            Some(date) => date.replace('.', "-"),
            None => {
                let [month, day, year] = host.today();
                format!("{year:04}-{month:02}-{day:02}")
            }
        };
        let [top, bottom] = Seat::BOTH.map(player);
        let mut text = format!("{top} vs. {bottom}, {date}");
        for (_, header, name) in TEXTS {
            if let Some(value) = file.header(header) {
                text += &format!("\n{name}: {value}");
            }
        }
        if let Some(comment) = file.header(COMMENT) {
            text += &format!("\n{comment}");
        }
        self.say(&text);
    }

    /// Returns the lines of text exports beside the date: those before it and those after it.
    pub(super) fn match_info_lines(&self) -> [String; 2] {
        let file = &self.record.file;
        let mut lines = [String::new(), String::new()];
        let [before, after] = &mut lines;
        for seat in Seat::BOTH {
            if let Some(rating) = file.header(seat.of::<&str>(&RATINGS)) {
                *before += &format!("{}'s rating: {rating}\n", seat.of(&self.names));
            }
        }
        let comment = ("", COMMENT, "Comments");
        for (_, header, name) in TEXTS.into_iter().chain([comment]) {
            if let Some(value) = file.header(header) {
                *after += &format!("{name}: {value}\n");
            }
        }
        lines
    }
}

/// Returns true for days of the calendar from the year 1753 on, as the original takes them.
fn is_date(year: u32, month: u32, day: u32) -> bool {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1753..=9999).contains(&year) && (1..=days).contains(&day)
}
