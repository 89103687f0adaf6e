//! Answers in words that a model can quote (MCP-22).

use serde_json::Value;
use std::fmt::Write as _;

/// Pairs of rolls in a text, at each end.
const EXCHANGES_SHOWN: usize = 5;
/// Longest text in characters.
const CHARACTERS_MAX: usize = 1200;
const VIEW: &str = "Equities are points for the player on roll (X, at the bottom of a board).";
const VIEW_MATCH: &str =
    "Equities are normalized to the cube, for the player on roll (X, at the bottom of a board).";

fn number(value: &Value, path: &str) -> f64 {
    value.pointer(path).and_then(Value::as_f64).unwrap_or(0.0)
}

fn word<'a>(value: &'a Value, path: &str) -> &'a str {
    value
        .pointer(path)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn view(answer: &Value) -> &'static str {
    match word(answer, "/unit") {
        "points" | "" => VIEW,
        _ => VIEW_MATCH,
    }
}

fn chances(value: &Value) -> String {
    let percent = |name: &str| 100.0 * number(value, &format!("/probabilities/{name}"));
    format!(
        "wins {:.1} % (gammon {:.1} %, backgammon {:.1} %), loses {:.1} % (gammon {:.1} %, backgammon {:.1} %)",
        percent("win"),
        percent("win_gammon"),
        percent("win_backgammon"),
        100.0 - percent("win"),
        percent("lose_gammon"),
        percent("lose_backgammon"),
    )
}

/// Returns an answer of the line protocol in words.
pub(in crate::http) fn summary(answer: &Value) -> String {
    let text = match word(answer, "/type") {
        "eval" => format!(
            "Equity {:+.3} cubeful, {:+.3} cubeless; {}. {} plies. {}",
            number(answer, "/equity/cubeful"),
            number(answer, "/equity/cubeless"),
            chances(answer),
            number(answer, "/plies"),
            view(answer)
        ),
        "move" => plays(answer),
        "cube" => format!(
            "{}. No double {:+.3}, double and take {:+.3}, double and pass {:+.3}; {}. {} plies. {}{}",
            word(answer, "/verdict"),
            number(answer, "/no_double"),
            number(answer, "/double_take"),
            number(answer, "/double_pass"),
            chances(answer),
            number(answer, "/plies"),
            actions_of_people(answer),
            view(answer)
        ),
        "rollout" => rollout(answer),
        "rolls" => rolls(answer),
        "scores" => scores(answer),
        "cubes" => cubes(answer),
        "explain" => sentences(answer),
        "opening" | "reply" if word(answer, "/source") == "rollout" => rolled_out(answer),
        "opening" | "reply" => format!("Evaluated, not rolled out.\n{}", plays(answer)),
        "convert" => {
            let names = ["position", "gnubgid", "xgid", "ogid", "key", "board"];
            let lines = names.map(|name| format!("{name}: {}", word(answer, &format!("/{name}"))));
            lines.join("\n")
        }
        "analysis" => analysis(answer),
        _ => answer.to_string(),
    };
    text.chars().take(CHARACTERS_MAX).collect()
}

fn list<'a>(answer: &'a Value, name: &str) -> &'a [Value] {
    answer
        .get(name)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn plays(answer: &Value) -> String {
    let plays = list(answer, "plays");
    if number(answer, "/legal") == 0.0 {
        return "There is no legal play.".to_owned();
    }
    let mut text = String::new();
    for (rank, play) in plays.iter().enumerate() {
        let share = play.get("share").and_then(Value::as_f64);
        let people = share.map_or_else(String::new, |share| {
            format!(
                ", found by {:.0} % of people of this strength",
                100.0 * share
            )
        });
        let _ = writeln!(
            text,
            "{}. {} {:+.3} (loss {:.3}), {} plies{people}",
            rank + 1,
            word(play, "/play"),
            number(play, "/equity"),
            number(play, "/loss"),
            number(play, "/plies"),
        );
    }
    let _ = write!(
        text,
        "{} legal plays. {}",
        number(answer, "/legal"),
        view(answer)
    );
    text
}

/// Returns the shares of people and the actions of one of them, if the answer has them.
fn actions_of_people(answer: &Value) -> String {
    if answer.get("shares").is_none() {
        return String::new();
    }
    let is = |name| answer.get(name).and_then(Value::as_bool) == Some(true);
    format!(
        "{:.0} % of people of this strength double, {:.0} % take; one of them: {}, {}. ",
        100.0 * number(answer, "/shares/double"),
        100.0 * number(answer, "/shares/take"),
        if is("double") { "double" } else { "no double" },
        if is("take") { "take" } else { "pass" },
    )
}

fn rolls(answer: &Value) -> String {
    let mut text = format!(
        "Mean {:+.3}, standard deviation {:.3}.",
        number(answer, "/mean"),
        number(answer, "/deviation")
    );
    if let Some(share) = answer.get("market_losers").and_then(Value::as_f64) {
        let _ = write!(
            text,
            " Market losers {:.1} % of the exchanges.",
            100.0 * share
        );
    }
    text.push('\n');
    for roll in list(answer, "rolls") {
        let _ = writeln!(
            text,
            "{}{} {} {:+.3} (luck {:+.3})",
            number(roll, "/roll/0"),
            number(roll, "/roll/1"),
            play(roll),
            number(roll, "/equity"),
            number(roll, "/luck"),
        );
    }
    let exchanges = list(answer, "exchanges");
    let half = EXCHANGES_SHOWN.min(exchanges.len() / 2);
    for (word, part) in [
        ("Best", &exchanges[..half]),
        ("Worst", &exchanges[exchanges.len() - half..]),
    ] {
        for one in part {
            let _ = writeln!(
                text,
                "{word}: {}{} {}, then {}{} {} {:+.3}",
                number(one, "/roll/0"),
                number(one, "/roll/1"),
                play(one),
                number(one, "/reply/0"),
                number(one, "/reply/1"),
                played(one, "/reply_play"),
                number(one, "/equity"),
            );
        }
    }
    text + view(answer)
}

fn play(one: &Value) -> &str {
    played(one, "/play")
}

fn played<'a>(one: &'a Value, at: &str) -> &'a str {
    match word(one, at) {
        "" => "no play",
        play => play,
    }
}

/// Returns the choice for money, and the scores at which another one is right.
fn scores(answer: &Value) -> String {
    let (money, all) = (
        answer.get("money").unwrap_or(&Value::Null),
        list(answer, "scores"),
    );
    let has_plays = answer.get("roll").is_some();
    let choice = |one: &Value| match has_plays {
        true => play(one).to_owned(),
        false => word(one, "/verdict").to_owned(),
    };
    let is_other = |one: &&Value| match has_plays {
        true => word(one, "/position") != word(money, "/position"),
        false => ["double", "take"]
            .iter()
            .any(|name| one.get(name) != money.get(name)),
    };
    let others: Vec<&Value> = all.iter().filter(is_other).collect();
    let mut text = format!(
        "For money: {}. At {} of {} scores another choice is right; N-N are the points that the player on roll and the \
         opponent need.\n",
        choice(money),
        others.len(),
        all.len()
    );
    let count = others.len();
    for (written, one) in others.into_iter().enumerate() {
        if text.chars().count() > CHARACTERS_MAX - 200 {
            let _ = writeln!(text, "and {} more", count - written);
            break;
        }
        let crawford = match one.get("crawford").and_then(Value::as_bool) {
            Some(true) => " (Crawford)",
            _ => "",
        };
        let loss = ["money_loss", "double_error", "take_error"]
            .map(|name| number(one, &format!("/{name}")))
            .into_iter()
            .fold(0.0, f64::max);
        let _ = writeln!(
            text,
            "{}-{}{crawford}: {} (the choice for money loses {loss:.3})",
            number(one, "/away/0"),
            number(one, "/away/1"),
            choice(one),
        );
    }
    text
}

fn rolled_out(answer: &Value) -> String {
    let mut text = String::from("Rolled out.\n");
    for (rank, play) in list(answer, "plays").iter().enumerate() {
        let _ = writeln!(
            text,
            "{}. {} {:+.3}, standard error {:.4} (loss {:.3}), {} games",
            rank + 1,
            word(play, "/play"),
            number(play, "/equity"),
            number(play, "/error"),
            number(play, "/loss"),
            number(play, "/trials"),
        );
    }
    text + view(answer)
}

fn cubes(answer: &Value) -> String {
    let mut text = String::new();
    for one in list(answer, "cubes") {
        let choice = match (list(one, "plays").first(), word(one, "/decision/verdict")) {
            (Some(best), _) => play(best),
            (None, "") => "no double allowed",
            (None, verdict) => verdict,
        };
        let _ = writeln!(
            text,
            "Cube at {}, {}: {choice} {:+.3}",
            number(one, "/cube"),
            word(one, "/owner"),
            number(one, "/equity"),
        );
    }
    text + view(answer)
}

fn sentences(answer: &Value) -> String {
    let mut text = String::new();
    for one in list(answer, "sentences") {
        let sentence = word(one, "/text");
        if text.chars().count() + sentence.chars().count() + VIEW_MATCH.len() > CHARACTERS_MAX {
            break;
        }
        let _ = writeln!(text, "{sentence}");
    }
    text + view(answer)
}

fn rollout(answer: &Value) -> String {
    let mut text = String::new();
    for one in list(answer, "candidates") {
        let play = match word(one, "/play") {
            "" => "the position",
            play => play,
        };
        let kind = match one.pointer("/equity/cubeful").is_some_and(Value::is_number) {
            true => "cubeful",
            false => "cubeless",
        };
        let error = one
            .pointer(&format!("/error/{kind}"))
            .and_then(Value::as_f64);
        let error = error.map_or_else(|| "unknown".to_owned(), |error| format!("{error:.3}"));
        let _ = writeln!(
            text,
            "{play}: {:+.3}, standard error {error}, {} games",
            number(one, &format!("/equity/{kind}")),
            number(one, "/trials"),
        );
    }
    let stopped = word(answer, "/stopped");
    let _ = write!(text, "Ended by {stopped}. {}", view(answer));
    text
}

fn analysis(answer: &Value) -> String {
    let mut text = String::new();
    for total in list(answer, "totals") {
        let _ = writeln!(
            text,
            "{:?}: PR {:.2}, {} decisions, loss {:.3}, luck {:+.3}, {}",
            word(total, "/name").chars().take(60).collect::<String>(),
            number(total, "/error_rate/pr"),
            number(total, "/decisions"),
            number(total, "/loss/emg"),
            number(total, "/luck/emg"),
            word(total, "/rating"),
        );
    }
    for one in list(answer, "decisions").iter().take(8) {
        let _ = writeln!(
            text,
            "game {} move {}: {} instead of {}, loss {:.3}",
            number(one, "/game"),
            number(one, "/move"),
            word(one, "/played"),
            word(one, "/best"),
            number(one, "/loss/emg"),
        );
    }
    text.push_str("Losses are equity of the player who decided.");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// MCP-22: a list without plays is not a roll without plays.
    #[test]
    fn roll_without_legal_plays_is_named() {
        let legal = |count: u32| summary(&json!({"type": "move", "plays": [], "legal": count}));
        assert_eq!(legal(0), "There is no legal play.");
        assert!(legal(16).starts_with("16 legal plays."));
    }
}
