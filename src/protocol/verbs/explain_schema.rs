//! Schemas of the answer of `explain`.

use super::schema::{
    self, LEVEL, PLAY, PLIES, POSITION, UNIT, answer, count, dice, list, number, pair, refer, text,
};
use serde_json::{Value, json};

/// Returns the schema of a number of the 36 throws.
fn of_36() -> Value {
    json!({"type": "integer", "minimum": 0, "maximum": 36})
}

/// Returns the schema of a point.
fn point() -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": 24})
}

fn shots() -> Value {
    let blot = schema::object(
        "A blot that can be hit",
        &[
            ("point", "Its point, as its side counts", point()),
            ("number", "Throws among the 36 that hit it", of_36()),
            ("rolls", "The rolls that hit it", list(&dice())),
        ],
        &[],
    );
    schema::object(
        "The shots of the other side at the blots, if it rolled now",
        &[
            ("number", "Throws among the 36 that hit", of_36()),
            ("rolls", "The rolls that hit", list(&dice())),
            ("blots", "The blots that can be hit", list(&blot)),
        ],
        &[],
    )
}

fn side() -> Value {
    let prime = schema::object(
        "The longest block of points made side by side",
        &[
            ("from", "Its lowest point", point()),
            ("to", "Its highest point", point()),
            ("length", "Number of points", count()),
            ("behind", "Checkers of the other side behind it", count()),
            (
                "spare_pips",
                "Pips that the other checkers can play before it breaks",
                count(),
            ),
        ],
        &[],
    );
    let stack = schema::object(
        "A point with five checkers or more",
        &[
            ("point", "The point", point()),
            ("checkers", "Checkers on it", count()),
        ],
        &[],
    );
    schema::object(
        "Facts of a side, which counts the points from its own home",
        &[
            ("pips", "Pip count", count()),
            ("off", "Checkers borne off", count()),
            ("bar", "Checkers on the bar", count()),
            ("points", "Points made", list(&point())),
            ("blots", "Single checkers", list(&point())),
            (
                "anchors",
                "Points made in the opponent's home board",
                list(&point()),
            ),
            (
                "back",
                "Checkers in the opponent's home board and on the bar",
                count(),
            ),
            ("stacks", "Points with five checkers or more", list(&stack)),
            ("shots", "The shots at it", refer("Shots")),
        ],
        &[
            (
                "entering",
                "Throws among the 36 with which a checker enters from the bar, if one is there",
                of_36(),
            ),
            ("prime", "The longest block of two points or more", prime),
        ],
    )
}

fn board() -> Value {
    schema::object(
        "Facts of a board, seen by the player who decides",
        &[
            ("me", "The player who decides", refer("SideFacts")),
            ("opponent", "The opponent", refer("SideFacts")),
        ],
        &[],
    )
}

fn race() -> Value {
    let both = || pair(&number());
    schema::object(
        "Facts of a race, those of the player who decides first",
        &[
            ("keith", "Keith's counts", both()),
            ("thorp", "Thorp's counts", both()),
            ("kleinman", "Kleinman's number", number()),
        ],
        &[
            (
                "effective_pips",
                "Effective pip counts, where the one-sided table covers both sides",
                both(),
            ),
            ("wastage", "They less the pip counts", both()),
        ],
    )
}

fn play() -> Value {
    schema::object(
        "A play with its facts",
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
            (
                "probabilities",
                "Chances of the player who moves",
                refer("Probabilities"),
            ),
            ("board", "The board after it", refer("BoardFacts")),
            ("hits", "Checkers hit", count()),
            ("made", "Points made that were not before", list(&point())),
            ("broken", "Points made before and no longer", list(&point())),
            (
                "escaped",
                "Checkers that leave the opponent's home board",
                count(),
            ),
        ],
        &[
            ("mwc", "Chance to win the match", number()),
            ("race", "The race after it", refer("RaceFacts")),
        ],
    )
}

fn cube() -> Value {
    let chance = || json!({"type": "number", "minimum": 0, "maximum": 1});
    let window = schema::object(
        "The chances to win between which a double is right",
        &[
            (
                "double",
                "A double gains from here on, with a dead cube",
                chance(),
            ),
            (
                "cash",
                "A double is passed from here on, with a dead and a live cube",
                pair(&chance()),
            ),
            (
                "take",
                "The opponent's chances from which on a double is taken, with a dead and a live cube",
                pair(&chance()),
            ),
        ],
        &[],
    );
    let value = |name| (name, "A gammon's gain per a win's; 0.5 for money", number());
    schema::object(
        "Facts of a cube decision",
        &[
            ("equity", "Value of the best action", number()),
            (
                "probabilities",
                "Chances of the player on roll",
                refer("Probabilities"),
            ),
            value("gammon_value"),
            value("opponent_gammon_value"),
        ],
        &[
            ("mwc", "Chance to win the match", number()),
            (
                "decision",
                "The decision; it and what follows are missing where the player may not double",
                refer("CubeDecision"),
            ),
            ("window", "The doubling window", window),
            (
                "after_double",
                "The opponent's use for the cube after a double",
                json!({"type": "string", "enum": ["live", "dead", "turned at once"]}),
            ),
            (
                "recube_vig",
                "Value of the opponent's right to turn the doubled cube",
                number(),
            ),
            (
                "market_losers",
                "Share of the 1,296 exchanges after which the opponent must pass a double or the game is won",
                chance(),
            ),
        ],
    )
}

fn explanation() -> (String, Value) {
    let difference = schema::object(
        "A fact in which the two plays differ",
        &[
            ("fact", "Its name", text()),
            ("best", "Its value after the best play", number()),
            ("other", "Its value after the other play", number()),
            (
                "weight",
                "The difference as a multiple of the least one that matters for the fact",
                number(),
            ),
        ],
        &[],
    );
    let sentence = schema::object(
        "A sentence that the facts license",
        &[
            ("rule", "The rule that made it", text()),
            ("text", "The sentence", text()),
        ],
        &[],
    );
    let always = [
        ("position", POSITION, text()),
        ("plies", PLIES, count()),
        ("unit", UNIT, schema::unit()),
        (
            "board",
            "The board before the decision",
            refer("BoardFacts"),
        ),
        ("language", "Language of the sentences", text()),
        (
            "sentences",
            "The sentences, the most important first",
            list(&sentence),
        ),
    ];
    let sometimes = [
        ("race", "The race, without contact", refer("RaceFacts")),
        ("roll", "The dice", dice()),
        ("legal", "With a roll: number of legal plays", count()),
        ("best", "With a roll: the best play", refer("ExplainedPlay")),
        (
            "other",
            "With a roll: the play of the request, else the next best",
            refer("ExplainedPlay"),
        ),
        (
            "gain",
            "With another play: the chances of the best one less those of the other",
            refer("ChanceGains"),
        ),
        (
            "differences",
            "With a roll: the facts in which the two plays differ, the weightiest first",
            list(&difference),
        ),
        ("cube", "Without a roll: the cube", refer("CubeFacts")),
        ("level", LEVEL, text()),
        schema::warning(),
    ];
    answer("explain", &always, &sometimes)
}

/// Returns the schemas of the answer and its parts.
pub(super) fn schemas() -> Vec<(String, Value)> {
    let gains = [
        "win",
        "win_gammon",
        "win_backgammon",
        "lose_gammon",
        "lose_backgammon",
    ]
    .map(|name| (name, "Difference of this chance", number()));
    let gains = schema::object("Differences of chances", &gains, &[]);
    let mut all: Vec<(String, Value)> = [
        ("Shots", shots()),
        ("SideFacts", side()),
        ("BoardFacts", board()),
        ("RaceFacts", race()),
        ("ExplainedPlay", play()),
        ("ChanceGains", gains),
        ("CubeFacts", cube()),
    ]
    .map(|(name, schema)| (name.to_owned(), schema))
    .into();
    all.push(explanation());
    all
}
