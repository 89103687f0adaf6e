//! The answers as JSON Schema, for clients that are generated from the description (HTTP-102).

use gammond_protocol::ErrorCode;
use gammond_protocol::verbs::schema::{
    SchemaMember, answer_name, any_object, count, list, number, object, or_null, pair, refer, text,
    truth,
};
use gammond_protocol::verbs::{VERBS, Verb};
use serde_json::{Map, Value, json};

/// Returns a reference to the schema of a verb's answer.
pub(in crate::http) fn reference(verb: &Verb) -> Value {
    refer(&answer_name(verb.name))
}

/// Returns the schemas of all answers.
pub(in crate::http) fn schemas() -> Map<String, Value> {
    let mut all = Map::new();
    all.extend(chances());
    all.extend(VERBS.iter().flat_map(|verb| (verb.schemas)()));
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

#[expect(clippy::too_many_lines, reason = "one table of schemas")]
fn others() -> Vec<(String, Value)> {
    let problem = json!({"anyOf": [refer("Problem"), {"type": "null"}]});
    let codes: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    let time = || or_null("integer");
    let rates = || pair(&or_null("number"));
    let judged: [SchemaMember; 8] = [
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
        &[("variant", "The variant, where it is not backgammon", text())],
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
                    ("variant", "The variant, where it is not backgammon", text()),
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
