//! The answers as JSON Schema, for clients that are generated from the description (HTTP-102).

use super::question_schemas::described;
use gammond_protocol::ErrorCode;
use serde_json::{Map, Value, json};

/// Returns the name of the schema of a verb's answer.
fn name(verb: &str) -> String {
    let (first, rest) = verb.split_at(1);
    format!("{}{rest}Answer", first.to_ascii_uppercase())
}

/// Returns a reference to the schema of a verb's answer.
pub(super) fn reference(verb: &str) -> Value {
    refer(&name(verb))
}

fn refer(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// A member: its name, a description and a schema.
type Member = (&'static str, &'static str, Value);

/// Returns an object with the members that are always there, and with some that depend on the question.
fn object(about: &str, always: &[Member], sometimes: &[Member]) -> Value {
    let required: Vec<&str> = always.iter().map(|(name, ..)| *name).collect();
    let mut properties = Map::new();
    for (name, about, schema) in always.iter().chain(sometimes) {
        properties.insert((*name).to_owned(), described(schema.clone(), about));
    }
    json!({"type": "object", "description": about, "required": required, "properties": properties})
}

/// Returns the answer of a verb, which has a type and perhaps an id.
fn answer(verb: &'static str, always: &[Member], sometimes: &[Member]) -> (String, Value) {
    let kind = (
        "type",
        "The verb",
        json!({ "type": "string", "const": verb }),
    );
    let id = ("id", "That of the question", text());
    let always = [&[kind], always].concat();
    let sometimes = [&[id], sometimes].concat();
    let schema = object(&format!("The answer of `{verb}`"), &always, &sometimes);
    (name(verb), schema)
}

fn text() -> Value {
    json!({"type": "string"})
}

fn number() -> Value {
    json!({"type": "number"})
}

fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

fn truth() -> Value {
    json!({"type": "boolean"})
}

fn or_null(kind: &str) -> Value {
    json!({ "type": [kind, "null"] })
}

fn list(item: &Value) -> Value {
    json!({"type": "array", "items": item})
}

fn pair(item: &Value) -> Value {
    json!({"type": "array", "items": item, "minItems": 2, "maxItems": 2})
}

/// Returns the schema of any object.
fn any_object() -> Value {
    json!({"type": "object", "additionalProperties": true})
}

const PLAY: &str = "The play, such as 8/5 6/5; empty if there is none";
const POSITION: &str = "Position ID";
const UNIT: &str = "`points` in money games, `emg` (equivalent to money) in matches";
const PLIES: &str = "Look-ahead of the answer";
const LEVEL: &str = "Level that took the place of plies";

/// Returns the schemas of all answers.
pub(super) fn schemas() -> Map<String, Value> {
    let mut all = Map::new();
    all.extend(chances());
    all.extend(verbs());
    all.extend(others());
    all
}

fn chances() -> [(String, Value); 3] {
    let chance = json!({"type": "number", "minimum": 0, "maximum": 1});
    let names = [
        ("win", "Chance to win"),
        ("win_gammon", "Chance to win a gammon or backgammon"),
        ("win_backgammon", "Chance to win a backgammon"),
        ("lose_gammon", "Chance to lose a gammon or backgammon"),
        ("lose_backgammon", "Chance to lose a backgammon"),
    ];
    let members = names.map(|(name, about)| (name, about, chance.clone()));
    let error = json!({"type": ["number", "null"]});
    let errors = names.map(|(name, about)| (name, about, error.clone()));
    let cubes = |schema: &Value| {
        [
            ("cubeless", "Without the cube", schema.clone()),
            (
                "cubeful",
                "With the cube; missing where it is ignored",
                schema.clone(),
            ),
        ]
    };
    let perhaps = or_null("number");
    [
        (
            "Probabilities",
            object("Chances of the player on roll", &members, &[]),
        ),
        (
            "ProbabilityErrors",
            object(
                "Standard errors of the chances; null for too few games",
                &errors,
                &[],
            ),
        ),
        (
            "Equities",
            object("Values without and with the cube", &[], &cubes(&perhaps)),
        ),
    ]
    .map(|(name, schema)| (name.to_owned(), schema))
}

/// Returns the schemas of the answers of all verbs.
#[expect(clippy::too_many_lines, reason = "one table of schemas")]
fn verbs() -> Vec<(String, Value)> {
    let probabilities = || refer("Probabilities");
    let equities = || refer("Equities");
    let unit = || json!({"type": "string", "enum": ["points", "emg", "mwc"]});
    let die = json!({"type": "integer", "minimum": 1, "maximum": 6});
    let dice = pair(&die);
    let values = any_object();
    let cube: [Member; 8] = [
        ("no_double", "Value without a double", number()),
        ("double_take", "Value after double and take", number()),
        ("double_pass", "Value after double and pass", number()),
        ("optimal", "Value of the best action", number()),
        ("double", "True if a double is right", truth()),
        ("take", "True if a take is right", truth()),
        ("beaver", "True if a beaver is right", truth()),
        ("verdict", "The decision in gnubg's words", text()),
    ];
    let play = object(
        "A play of the roll",
        &[
            ("play", PLAY, text()),
            (
                "position",
                "Position ID after it; the opponent is on roll",
                text(),
            ),
            ("equity", "Value for the player who moves", number()),
            ("loss", "Equity lost against the best play", number()),
            ("plies", PLIES, count()),
        ],
        &[
            ("mwc", "Chance to win the match", number()),
            (
                "probabilities",
                "Chances of the player who moves",
                probabilities(),
            ),
        ],
    );
    let candidate = object(
        "A play or a cube action that was rolled out",
        &[
            ("trials", "Number of games", count()),
            ("probabilities", "Means of the chances", probabilities()),
            (
                "probability_errors",
                "Their standard errors",
                refer("ProbabilityErrors"),
            ),
            ("equity", "Mean value", equities()),
            (
                "error",
                "Its standard error; null for too few games",
                equities(),
            ),
        ],
        &[
            ("play", PLAY, text()),
            ("action", "`no double` or `double, take`", text()),
            ("position", "Position ID after the play", text()),
            ("loss", "Equity lost against the best play", number()),
            ("mwc", "Chance to win the match", equities()),
            ("mwc_error", "Its standard error", equities()),
        ],
    );
    let rollout_plies = [
        (
            "otherplies",
            "Look-ahead of the other side, where it differs",
            count(),
        ),
        ("othercubeplies", "Its look-ahead for the cube", count()),
        ("otherfilter", "Its filter", or_null("string")),
        ("level", LEVEL, text()),
        ("roll", "The dice", dice.clone()),
        ("mwc", "Chances to win the match", values.clone()),
    ];
    let decided = [(
        "probabilities",
        "Chances of the player on roll",
        probabilities(),
    )];
    let warning = ("warning", "What of the request was left out", text());
    let state = object(
        "State of the match",
        &[
            ("length", "Points to play to; 0 for money", count()),
            (
                "score",
                "Points of the player on roll and of the opponent",
                pair(&count()),
            ),
            ("crawford", "True in the Crawford game", truth()),
            ("jacoby", "True if Jacoby's rule holds", truth()),
            ("beavers", "True if beavers are allowed", truth()),
            (
                "cube",
                "Value of the cube",
                json!({"type": "integer", "minimum": 1}),
            ),
            (
                "owner",
                "Owner of the cube",
                json!({"type": "string", "enum": ["me", "opponent", "centred"]}),
            ),
        ],
        &[],
    );
    vec![
        ("MatchState".to_owned(), state),
        ("Play".to_owned(), play),
        ("Candidate".to_owned(), candidate),
        answer(
            "eval",
            &[
                ("position", POSITION, text()),
                ("class", "Class of the position, such as contact", text()),
                ("plies", PLIES, count()),
                ("net", "Net that valued it", text()),
                (
                    "probabilities",
                    "Chances of the player on roll",
                    probabilities(),
                ),
                ("equity", "Value before the roll", equities()),
                ("unit", UNIT, unit()),
            ],
            &[
                ("mwc", "Chance to win the match", equities()),
                ("level", LEVEL, text()),
                warning.clone(),
            ],
        ),
        answer(
            "move",
            &[
                ("position", POSITION, text()),
                ("roll", "The dice", dice),
                ("plies", PLIES, count()),
                ("legal", "Number of legal plays", count()),
                ("unit", UNIT, unit()),
                ("plays", "The plays, best first", list(&refer("Play"))),
            ],
            &[("level", LEVEL, text()), warning.clone()],
        ),
        answer(
            "cube",
            &[
                &[("position", POSITION, text()), ("plies", PLIES, count())],
                &cube[..],
                &[("unit", UNIT, unit())],
                &decided[..],
            ]
            .concat(),
            &[
                (
                    "percentage",
                    "Place in the doubling window, in percent",
                    or_null("number"),
                ),
                ("cubeless", "Value without the cube", or_null("number")),
                ("mwc", "The values as chances to win the match", values),
                ("level", LEVEL, text()),
                warning.clone(),
            ],
        ),
        answer(
            "rollout",
            &[
                ("position", POSITION, text()),
                (
                    "candidates",
                    "What was rolled out, best first",
                    list(&refer("Candidate")),
                ),
                ("trials", "Games of the candidate with most", count()),
                ("seed", "Seed of the dice", count()),
                (
                    "stopped",
                    "Reason for the end: trials, se, jsd, time or stopped",
                    text(),
                ),
                ("unit", UNIT, unit()),
                ("cubeful", "True if the cube was in use", truth()),
                ("plies", "Look-ahead of the plays", count()),
                ("cubeplies", "Look-ahead of the cube", count()),
                ("vr", "True if the luck of the dice was taken out", truth()),
            ],
            &[
                &[("elapsed_ms", "Milliseconds; missing for a job", count())],
                &rollout_plies[..],
                &cube[..],
                &decided[..],
                std::slice::from_ref(&warning),
            ]
            .concat(),
        ),
        answer(
            "convert",
            &[
                ("position", POSITION, text()),
                ("gnubgid", "GNUbg ID: Position ID and Match ID", text()),
                ("match", "Match ID", text()),
                ("xgid", "XGID; null if the match is over", or_null("string")),
                ("key", "The 20 letters of benchmark files", text()),
                (
                    "board",
                    "FIBS board line; null if the match is over",
                    or_null("string"),
                ),
            ],
            &[
                ("ogid", "OGID; null where it has no form", or_null("string")),
                (
                    "roll",
                    "The dice",
                    json!({"type": ["array", "null"], "items": die}),
                ),
                ("final", "Points of a match that is over", pair(&count())),
                warning.clone(),
            ],
        ),
        answer(
            "show",
            &[
                ("position", POSITION, text()),
                ("board", "The board as lines of text", list(&text())),
                ("class", "Class of the position, such as contact", text()),
                (
                    "pips",
                    "Pips of the player on roll and of the opponent",
                    pair(&count()),
                ),
                ("off", "Checkers that each has borne off", pair(&count())),
                ("state", "State of the match", refer("MatchState")),
            ],
            &[
                (
                    "roll",
                    "The dice",
                    json!({"type": ["array", "null"], "items": die}),
                ),
                ("race", "Counts of a race, with their advice", any_object()),
                warning,
            ],
        ),
    ]
}

#[expect(clippy::too_many_lines, reason = "one table of schemas")]
fn others() -> Vec<(String, Value)> {
    let problem = json!({"anyOf": [refer("Problem"), {"type": "null"}]});
    let codes: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    let time = || or_null("integer");
    let rates = || pair(&or_null("number"));
    let judged: [Member; 8] = [
        (
            "type",
            "Always `analysis`",
            json!({"type": "string", "const": "analysis"}),
        ),
        ("players", "Names of the players", pair(&text())),
        ("length", "Points to play to; 0 for money", count()),
        ("score", "Points after the last game", pair(&count())),
        ("level", "Level of the analysis, such as 2-ply", text()),
        (
            "totals",
            "Losses, luck and rates of each player",
            list(&any_object()),
        ),
        ("games", "The games, with their totals", list(&any_object())),
        (
            "decisions",
            "The decisions in their order",
            list(&any_object()),
        ),
    ];
    let archived = object(
        "A match of the archive; pairs are in the order of the players",
        &[
            (
                "id",
                "Its number in the archive",
                json!({"type": "integer"}),
            ),
            ("players", "Names of the players", pair(&text())),
            (
                "date",
                "Day of the match; null where its file has none",
                or_null("string"),
            ),
            ("length", "Points to play to; 0 for money", count()),
            (
                "score",
                "Points after the last game",
                pair(&json!({"type": "integer"})),
            ),
            (
                "error_rates",
                "GNU Backgammon's error rates, in thousandths",
                rates(),
            ),
            ("pr", "Performance ratings", rates()),
            ("luck", "Luck in points", rates()),
            ("judged", "Level of the analysis, such as 2-ply", text()),
            ("games", "Number of games", count()),
            ("file", "Name of the file without its folder", text()),
            ("fault_count", "Number of faults of the file", count()),
        ],
        &[],
    );
    let code = object(
        "A code of errors",
        &[
            ("type", "Path about it", text()),
            ("code", "The code", json!({"type": "string", "enum": codes})),
            ("meaning", "Its meaning", text()),
            (
                "status",
                "Status of answers with it",
                json!({"type": "integer"}),
            ),
            ("title", "The status in words", text()),
        ],
        &[],
    );
    let kind = |word: &str| json!({"type": "string", "const": word});
    [
        (
            "Job",
            object(
                "A job",
                &[
                    ("type", "Always `job`", kind("job")),
                    ("id", "Its name in paths", text()),
                    ("kind", "Its work", json!({"type": "string", "enum": ["rollout", "analyse"]})),
                    (
                        "state",
                        "Its state",
                        json!({"type": "string", "enum": ["queued", "running", "done", "failed"]}),
                    ),
                    ("created", "Unix time in seconds", json!({"type": "integer"})),
                    ("finished", "Unix time of its end", time()),
                    ("expires", "Unix time at which it is forgotten", time()),
                    ("progress", "The last line of progress", json!({"type": ["object", "null"], "additionalProperties": true})),
                    ("problem", "The problem of a failed one", problem),
                    (
                        "links",
                        "Paths about it: self, events and result",
                        json!({"type": "object", "additionalProperties": {"type": "string"}}),
                    ),
                ],
                &[("archived", "Its matches in the archive", time())],
            ),
        ),
        (
            "Event",
            object(
                "A server-sent event",
                &[
                    (
                        "event",
                        "Its name",
                        json!({"type": "string", "enum": ["state", "progress", "result", "problem"]}),
                    ),
                    ("data", "One line of JSON", text()),
                ],
                &[("id", "Place in the stream, for Last-Event-ID", text())],
            ),
        ),
        (
            "Problem",
            object(
                "An error (RFC 9457)",
                &[
                    ("type", "Path about its code, such as /v1/errors/bad-roll", text()),
                    ("title", "The status in words", text()),
                    ("status", "The status", json!({"type": "integer"})),
                    ("detail", "What is wrong, in one line", text()),
                    ("code", "What is wrong, for programs; more may be added", text()),
                ],
                &[
                    ("id", "That of the question", text()),
                    ("field", "What is wrong, in words", text()),
                    ("at", "Byte of the position, from 0", json!({"type": "integer"})),
                    ("pointer", "JSON Pointer into the body", text()),
                    ("parameter", "Parameter of the query", text()),
                ],
            ),
        ),
        (
            "Analysis",
            object(
                "The analysis of a match, as `gammond analyse --format json` prints it",
                &judged,
                &[
                    ("file", "Always `-`", text()),
                    ("marks", "Losses from which plays are doubtful, bad and very bad", list(&number())),
                    ("classes", "Totals by class of the position", list(&any_object())),
                    ("phases", "Totals by phase of the game", list(&any_object())),
                    ("faults", "Faults of the file", list(&any_object())),
                    ("partial", "True for a part of the match", truth()),
                    ("more", "The other matches of the file", list(&any_object())),
                ],
            ),
        ),
        (
            "Analyses",
            object(
                "The analyses of several files",
                &[
                    ("type", "Always `analyses`", kind("analyses")),
                    ("files", "An analysis or a problem for each file, in their order", list(&any_object())),
                ],
                &[],
            ),
        ),
        ("ArchivedMatch", archived),
        (
            "ArchivedMatches",
            object(
                "A page of the archive",
                &[
                    ("matches", "The matches, the one that was filed last first", list(&refer("ArchivedMatch"))),
                    ("next", "Path of the next page; null on the last one", or_null("string")),
                ],
                &[],
            ),
        ),
        (
            "ArchivedAnalysis",
            object("The analysis of an archived match, with the members that are filed", &judged, &[]),
        ),
        (
            "Version",
            object(
                "The program",
                &[
                    ("type", "Always `version`", kind("version")),
                    ("name", "Name of the program", text()),
                    ("version", "Its version", text()),
                    ("protocol", "Version of the line protocol", count()),
                    ("net", "Name of the net", text()),
                    ("cpu", "Instructions that are in use", text()),
                ],
                &[
                    ("commit", "Commit of the sources", text()),
                    ("bearoff", "Bearoff databases", list(&json!({}))),
                ],
            ),
        ),
        (
            "Stats",
            object(
                "Counters since the start",
                &[
                    ("type", "Always `stats`", kind("stats")),
                    ("uptime", "Seconds since the start", count()),
                    ("answered", "Requests that were answered", count()),
                    ("errors", "Answers that were errors", count()),
                    ("connections", "Open connections", count()),
                    ("threads", "Threads that compute", count()),
                ],
                &[],
            ),
        ),
        ("ErrorCode", code),
        (
            "ErrorCodes",
            object(
                "The codes of errors",
                &[
                    ("type", "Always `errors`", kind("errors")),
                    ("errors", "The codes", list(&refer("ErrorCode"))),
                ],
                &[],
            ),
        ),
        (
            "Health",
            object("State of the process", &[("status", "`ok`, `ready` or `ends`", text())], &[]),
        ),
    ]
    .map(|(name, schema)| (name.to_owned(), schema))
    .into()
}
