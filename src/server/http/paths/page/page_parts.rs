//! The answer of the page: the board, the ranked plays or the cube decision, and the position in every form.

use crate::core::Core;
use crate::core::fair_queue::Origin;
use crate::http::ask::drawing;
use crate::http::ask::question::Question;
use crate::http::ask::submission;
use crate::http::paths::page::form::PageForm;
use crate::http::wire::problem::Problem;
use gammond_base::escape::Markup;
use gammond_game::notation::{Form, PositionId};
use gammond_game::{BAR, CubeOwner, MatchState, Position, Roll, Side, Variant};
use gammond_protocol::ErrorCode;
use gammond_protocol::verbs::{CONVERT, CUBE, EVAL, MOVE, PositionRequest, Verb};
use gammond_report::render;
use serde_json::Value;
use std::fmt::Write as _;
use std::sync::Arc;

/// Number of plays that are listed where the query has no `top`.
const PLAYS_LISTED: usize = 10;
/// Chances of an answer: the member, its name, and its column heading.
const CHANCES: [(&str, &str, &str); 5] = [
    ("win", "Win", "Win"),
    ("win_gammon", "Win gammon", "Win G"),
    ("win_backgammon", "Win backgammon", "Win BG"),
    ("lose_gammon", "Lose gammon", "Lose G"),
    ("lose_backgammon", "Lose backgammon", "Lose BG"),
];
/// Forms in which the position can be copied: the member of `convert`, and its label.
const FORMS: [(&str, &str); 4] = [
    ("position", "Position ID"),
    ("gnubgid", "GNUbg ID"),
    ("xgid", "XGID"),
    ("ogid", "OGID"),
];

/// The parts of the page that an answer fills. All are markup.
#[derive(Debug)]
pub(in crate::http) struct PageParts {
    pub(in crate::http) title: String,
    /// One line, which screen readers read out.
    pub(in crate::http) summary: String,
    pub(in crate::http) html: String,
    pub(in crate::http) roll: Option<Roll>,
}

/// Query behind one page.
struct PageQuery<'a> {
    shared: &'a Arc<Core>,
    origin: Origin,
    question: Question,
}

impl PageQuery<'_> {
    /// Answers as `/v1/VERB` does.
    async fn ask(&self, verb: &'static Verb) -> Result<Value, Problem> {
        let question = self.question.of(verb);
        let answer = submission::ask(self.shared, self.origin, &question).await?;
        let text = answer.collect().await;
        let unread = |_| Problem::new(ErrorCode::Internal, "the answer could not be read");
        serde_json::from_slice(&text).map_err(unread)
    }
}

/// Answers the form.
///
/// # Errors
/// Those of the paths below `/v1/`.
pub(in crate::http) async fn explore(
    shared: &Arc<Core>,
    origin: Origin,
    form: &PageForm,
) -> Result<PageParts, Problem> {
    let mut question = form.question()?;
    let PositionRequest { shown, state, .. } = *drawing::shown(shared, &question)?;
    if form.value("top").is_empty() {
        let top = ("top".to_owned(), PLAYS_LISTED.to_string());
        question.parts.settings.push(top);
    }
    let inquirer = PageQuery {
        shared,
        origin,
        question,
    };
    let ids = inquirer.ask(&CONVERT).await?;
    let (heading, summary, tables) = match shown.roll {
        Some(roll) => {
            let answer = inquirer.ask(&MOVE).await?;
            let (summary, table) = plays(&answer, form, &state);
            (format!("Plays of {roll}"), summary, table)
        }
        None => {
            let (summary, table) = match inquirer.ask(&CUBE).await {
                Ok(answer) => cube(&answer),
                // There is nothing to decide, but the position has a value.
                Err(problem) if problem.code == ErrorCode::BadCube => {
                    value(&inquirer.ask(&EVAL).await?)
                }
                Err(problem) => return Err(problem),
            };
            ("Cube decision".to_owned(), summary, table)
        }
    };
    let picture = picture(form, &shown.position, &state, shown.roll);
    let html = format!(
        "<section class=\"board\" aria-label=\"Board\">{picture}</section>\
         <section class=\"ranking\" aria-labelledby=\"ranking\"><h2 id=\"ranking\">{heading}</h2>{tables}</section>{}",
        forms(&ids)
    );
    Ok(PageParts {
        title: heading,
        summary,
        html,
        roll: shown.roll,
    })
}

/// Draws the board, with the position in words and in letters.
fn picture(form: &PageForm, position: &Position, state: &MatchState, roll: Option<Roll>) -> String {
    let query = form.board_query();
    let (wide, high) = render::BOARD_SIZE;
    let letters = render::board(position, state, roll);
    format!(
        "<img id=\"board\" src=\"/v1/show?{}\" width=\"{wide}\" height=\"{high}\" alt=\"{}\">\
         <details><summary>Board as text</summary><pre>{}</pre></details>",
        Markup::new(&query),
        Markup::new(&in_words(position, state, roll)),
        // A line end is not part of untrusted text.
        letters
            .lines()
            .map(|line| format!("{}\n", Markup::new(line)))
            .collect::<String>(),
    )
}

/// Writes the position for people who do not see it. Points have the numbers of the player on roll.
fn in_words(position: &Position, state: &MatchState, roll: Option<Roll>) -> String {
    let mut text = String::from("Player on roll: ");
    let _ = write!(
        text,
        "{}. Opponent: ",
        side(position.me(), state.variant, false)
    );
    text += &side(position.opponent(), state.variant, true);
    let score = state.score;
    let _ = match score.is_money() {
        true => write!(text, ". Money game"),
        false => write!(
            text,
            ". Match to {}, player on roll {}, opponent {}",
            score.length(),
            score.me(),
            score.opponent()
        ),
    };
    let owner = match state.cube.owner() {
        CubeOwner::Centred => "centred",
        CubeOwner::Me => "of the player on roll",
        CubeOwner::Opponent => "of the opponent",
    };
    let _ = write!(text, ". Cube {}, {owner}", state.cube.value());
    if let Some(roll) = roll {
        let _ = write!(text, ". Rolled {roll}");
    }
    text
}

fn side(side: Side, variant: Variant, turned: bool) -> String {
    let mut parts = Vec::new();
    for (index, count) in side.counts().into_iter().enumerate().rev() {
        match index {
            _ if count == 0 => {}
            BAR => parts.push(format!("{count} on the bar")),
            _ if turned => parts.push(format!("{count} on point {}", BAR - index)),
            _ => parts.push(format!("{count} on point {}", index + 1)),
        }
    }
    let off = variant.off(side);
    if off > 0 {
        parts.push(format!("{off} off"));
    }
    format!("{}; {} pips", parts.join(", "), side.pips())
}

/// Writes the ranked plays; each leads to the position after it.
fn plays(answer: &Value, form: &PageForm, state: &MatchState) -> (String, String) {
    let with_mwc = answer.pointer("/plays/0/mwc").is_some();
    let mut rows = String::new();
    let mut summary = "There is no legal play".to_owned();
    let plays = answer["plays"].as_array().map_or(&[][..], Vec::as_slice);
    for (number, play) in (1..).zip(plays) {
        let played = play["play"].as_str().unwrap_or_default();
        let text = Markup::new(played);
        let name = Markup::new(if played.is_empty() { "no play" } else { played });
        let shown = number_of(&play["equity"]);
        let depth = &play["plies"];
        if number == 1 && !played.is_empty() {
            summary = format!("Best play: {text}, equity {shown}, {depth}-ply");
        }
        let loss = match number {
            1 => String::new(),
            _ => number_of(
                &play["loss"]
                    .as_f64()
                    .map_or(Value::Null, |loss| (-loss).into()),
            ),
        };
        let _ = write!(
            rows,
            "<tr data-play=\"{text}\"><td>{number}</td><th scope=\"row\"><a href=\"/?{}\">{name}</a></th>\
             <td>{shown}</td><td>{loss}</td>",
            Markup::new(&form.leading_to(&after(play, state)))
        );
        if with_mwc {
            let _ = write!(rows, "<td>{}</td>", percent(&play["mwc"]));
        }
        for (member, ..) in CHANCES {
            let _ = write!(rows, "<td>{}</td>", percent(&play["probabilities"][member]));
        }
        let _ = write!(rows, "<td>{depth}-ply</td></tr>");
    }
    let mut heads = format!(
        "<th>#</th><th data-context=\"column\">Play</th><th>{}</th><th>Loss</th>",
        equity(answer)
    );
    if with_mwc {
        heads += "<th>Match win</th>";
    }
    for (_, name, label) in CHANCES {
        let _ = write!(heads, "<th><abbr title=\"{name}\">{label}</abbr></th>");
    }
    heads += "<th>Depth</th>";
    let table = table(
        "plays",
        "Ranked plays",
        &format!("<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody>"),
    );
    let count = match answer["legal"].as_u64() {
        Some(legal) => {
            let listed = plays.len();
            format!(
                "<p class=\"note\">{listed} of {legal} legal plays. A play leads to the position after it.</p>"
            )
        }
        None => String::new(),
    };
    (summary, table + &count)
}

/// Returns the position after a play, in a form that holds the state.
fn after(play: &Value, state: &MatchState) -> String {
    let text = play["position"].as_str().unwrap_or_default();
    match PositionId::parse(text.as_bytes()) {
        Ok(id) => Form::GnubgId.print(&id.position(), &state.swapped(), None, None),
        Err(_) => text.to_owned(),
    }
}

/// Writes the cube decision.
fn cube(answer: &Value) -> (String, String) {
    let verdict = Markup::new(answer["verdict"].as_str().unwrap_or_default());
    let depth = &answer["plies"];
    let mut rows = String::new();
    for (member, label) in [
        ("no_double", "No double"),
        ("double_take", "Double, take"),
        ("double_pass", "Double, pass"),
    ] {
        let _ = write!(
            rows,
            "<tr><th scope=\"row\">{label}</th><td>{}</td>",
            number_of(&answer[member])
        );
        if let Some(mwc) = answer.get("mwc") {
            let _ = write!(rows, "<td>{}</td>", percent(&mwc[member]));
        }
        rows += "</tr>";
    }
    let mwc = answer.get("mwc").map_or("", |_| "<th>Match win</th>");
    let heads = format!("<th>Decision</th><th>{}</th>{mwc}", equity(answer));
    let body = format!("<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody>");
    let text = format!(
        "<p class=\"verdict\">{verdict}</p>{}{}",
        table("cube", "Cube decision", &body),
        chances(answer)
    );
    (format!("{verdict}, {depth}-ply"), text)
}

/// Writes the value of a position without a decision.
fn value(answer: &Value) -> (String, String) {
    let cubeful = number_of(&answer["equity"]["cubeful"]);
    let depth = &answer["plies"];
    let text = format!(
        "<p class=\"verdict\">The opponent owns the cube</p><p><span>{}</span> {cubeful}</p>{}",
        equity(answer),
        chances(answer)
    );
    (format!("Equity {cubeful}, {depth}-ply"), text)
}

/// Writes the chances of one answer.
fn chances(answer: &Value) -> String {
    let mut rows = String::new();
    for (member, label, _) in CHANCES {
        let chance = percent(&answer["probabilities"][member]);
        let _ = write!(
            rows,
            "<tr><th scope=\"row\">{label}</th><td>{chance}</td></tr>"
        );
    }
    table(
        "chances",
        "Chances of the player on roll",
        &format!("<tbody>{rows}</tbody>"),
    )
}

/// Returns a table that scrolls by itself where the window is narrow.
fn table(class: &str, caption: &str, rows: &str) -> String {
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\
         <table class=\"{class}\"><caption>{caption}</caption>{rows}</table></div>"
    )
}

/// Writes the position in the forms that people copy.
fn forms(ids: &Value) -> String {
    let mut rows = String::new();
    for (member, label) in FORMS {
        let Some(text) = ids[member].as_str() else {
            continue;
        };
        let _ = write!(
            rows,
            "<label for=\"id-{member}\">{label}</label>\
             <input id=\"id-{member}\" readonly value=\"{}\">\
             <button type=\"button\" class=\"scripted\" data-copy=\"id-{member}\" aria-label=\"Copy {label}\">Copy</button>",
            Markup::new(text)
        );
    }
    format!(
        "<section class=\"ids\" aria-labelledby=\"ids\"><h2 id=\"ids\">The position to copy</h2><div>{rows}</div></section>"
    )
}

fn equity(answer: &Value) -> &'static str {
    match answer["unit"].as_str() {
        Some("emg") => "Equity (EMG)",
        _ => "Equity",
    }
}

/// Returns an equity, with a true minus sign.
fn number_of(value: &Value) -> String {
    let shown = value.as_f64().map(|value| format!("{value:+.3}"));
    shown.map_or_else(|| "–".to_owned(), |text| text.replace('-', "\u{2212}"))
}

fn percent(value: &Value) -> String {
    let shown = value.as_f64().map(|value| format!("{:.1}%", value * 100.0));
    shown.unwrap_or_else(|| "–".to_owned())
}
