//! `set player N external`: another program takes the decisions of a seat, in gnubg's external protocol.
//!
//! Rules CON-26 and CON-27 of `protocol-specs/gnubg-console.md`. The original loses the turn, or ends, when a reply
//! is no legal play; here the turn waits.

use super::Console;
use super::host::ConsoleHost;
use super::table::Seat;
use super::words::Words;
use gammond_game::notation::{BoardLine, Offer};
use gammond_game::{MatchState, Play, legal_plays};

use gammond_game::notation::external_play::{Reading, read_play};

/// Longest name in a board line, in bytes.
const NAME_BYTES_MAX: usize = 31;
/// Length to which a reply is quoted in a message, in characters.
const QUOTED_MAX: usize = 60;

/// Kinds of replies of an external player.
enum Reply<'a> {
    /// An error that the other program reports.
    Error(&'a str),
    /// A resignation, with the word for its size.
    Resignation(&'a str),
    Other,
}

fn reply_kind(reply: &str) -> Reply<'_> {
    if reply.starts_with("Error: ") || reply.starts_with("Error (") {
        return Reply::Error(reply);
    }
    match begins_with(reply, "re") {
        true => Reply::Resignation(reply.split_whitespace().nth(1).unwrap_or("normal")),
        false => Reply::Other,
    }
}

/// Returns whether the text begins with the letters, case-insensitively.
fn begins_with(text: &str, letters: &str) -> bool {
    text.get(..letters.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(letters))
}

/// Returns a name as the protocol allows it.
fn board_name(name: &str) -> String {
    let mut bytes = 0;
    let fits = |letter: &char| {
        bytes += letter.len_utf8();
        bytes <= NAME_BYTES_MAX
    };
    name.replace(':', "_").chars().take_while(fits).collect()
}

impl Console {
    /// Runs `set player N external ADDRESS`: connects at once.
    pub(super) fn set_external(
        &mut self,
        seat: Seat,
        words: &mut Words<'_>,
        host: &mut dyn ConsoleHost,
    ) {
        let Some(address) = words.next() else {
            self.say(
                "You must specify the name of the socket to the external\n\
                 player (see `help set player external').",
            );
            return;
        };
        match host.connect(seat.index(), address) {
            Ok(()) => {
                let player = seat.of_mut(&mut self.players);
                (player.human, player.external) = (false, Some(address.to_owned()));
            }
            Err(reason) => self.complain(&format!("{address}: {reason}")),
        }
    }

    /// Gives the seat to a human or to the engine, and closes its connection.
    pub(super) fn seat_player(&mut self, seat: Seat, human: bool, host: &mut dyn ConsoleHost) {
        let player = seat.of_mut(&mut self.players);
        player.human = human;
        if player.external.take().is_some() {
            host.disconnect(seat.index());
        }
    }

    /// Returns the question about the decision that is due, as gnubg writes it.
    fn board_line(&self, state: &MatchState) -> String {
        let table = &self.table;
        let (roller, asked) = (table.on_roll, table.decides);
        let names: [String; 2] =
            [roller, roller.other()].map(|seat| board_name(seat.of::<String>(&self.names)));
        let [own, other] = &names;
        let offer = table.doubled.then_some(Offer::Double);
        let mut line =
            BoardLine::external([own, other], &table.position, state, table.roll(), offer);
        // The dice stand as they fell.
        line.dice = [table.dice.unwrap_or_default().map(i32::from); 2];
        // A beaver goes back to the player on roll, whose own questions have the other order of names.
        if table.doubled && asked == roller {
            line.names.reverse();
            line.scores.reverse();
        }
        match roller {
            Seat::Top => line.for_player_zero().to_string(),
            Seat::Bottom => line.to_string(),
        }
    }

    /// Lets the external player take the decision that is due.
    pub(super) fn external_turn(&mut self, state: &MatchState, host: &mut dyn ConsoleHost) {
        if self.table.resigned > 0 {
            // The protocol has no question about it: the original answers so in any position.
            match self.table.resigned {
                3.. => self.agree(host),
                _ => self.decline(),
            }
            return;
        }
        let seat = self.table.decides;
        if !self.table.doubled && self.table.dice.is_none() && self.table.double_refusal().is_some()
        {
            self.throw(host);
            if self.waiting.is_some() {
                return;
            }
        }
        let reply = match host.ask_external(seat.index(), &self.board_line(state)) {
            Ok(reply) => reply,
            Err(reason) => {
                self.say(&reason);
                return;
            }
        };
        match reply_kind(&reply) {
            Reply::Error(text) => self.say(text),
            _ if self.table.doubled => self.external_answer(&reply, host),
            Reply::Resignation(word) => self.resign(&mut Words::new(word)),
            Reply::Other if self.table.dice.is_none() => match reply.bytes().next() {
                Some(b'r' | b'R') => {
                    self.throw(host);
                    self.due = true;
                }
                Some(b'd' | b'D') => self.offer(),
                _ => self.not_understood(&reply, "`roll', `double' or `resign'"),
            },
            Reply::Other => self.external_play(&reply),
        }
    }

    /// Takes the reply to an offered cube.
    fn external_answer(&mut self, reply: &str, host: &mut dyn ConsoleHost) {
        let is = |letters: &[&str]| letters.iter().any(|word| begins_with(reply, word));
        if is(&["a", "t"]) {
            self.take();
        } else if is(&["b", "red"]) {
            self.redouble();
        } else if is(&["d", "p", "rej"]) {
            self.drop_cube(host);
        } else {
            self.say("Warning: badly formed cube response from external player");
        }
    }

    fn external_play(&mut self, reply: &str) {
        let Some(roll) = self.table.roll() else {
            return;
        };
        let position = self.table.position;
        match read_play(&position, roll, reply) {
            Reading::Played(after) => {
                let legal = legal_plays(&position, roll);
                let play = legal.iter().find(|legal| legal.after == after);
                let play = play.map_or(Play::default(), |legal| legal.play);
                self.announce(play);
                self.make(play, after);
            }
            Reading::Forfeit | Reading::Unreadable => {
                self.not_understood(reply, "a legal play such as `8/5 6/5'");
            }
        }
    }

    fn not_understood(&mut self, reply: &str, want: &str) {
        let name = self.table.decides.of(&self.names).clone();
        let quoted: String = reply.chars().take(QUOTED_MAX).collect();
        self.complain(&format!(
            "gammond: the external player of {name} replied `{quoted}', expected {want}; `play' asks again"
        ));
    }
}
