//! `show evaluation|analysis|rollout|player|output|automatic`: the settings in words.

use super::Console;
use super::evals::{Context, Evals};
use super::table::Seat;

/// Formats an evaluation below a heading.
fn part(heading: &str, context: &Context) -> String {
    format!(
        "    {heading}:\n      Neural net evaluation:\n{}",
        context.lines("        ")
    )
}

/// Formats plays, filters and cube of a hint or a player.
fn evals_lines(evals: &Evals) -> String {
    let mut text = part("Chequer play", &evals.chequer);
    text += "    Move filters:\n";
    text += &evals.filter_lines();
    text.push('\n');
    text + &part("Cube decisions", &evals.cube)
}

impl Console {
    pub(super) fn show_settings(&mut self, path: &[&'static str]) {
        let text = match path {
            ["evaluation"] => format!("`eval' and `hint' will use:\n{}", evals_lines(&self.hints)),
            ["analysis"] => self.analysis_text(),
            ["rollout"] => self.rollout.text(),
            ["player"] => Seat::BOTH.map(|seat| self.player_text(seat)).concat(),
            ["output"] => self.output_text(),
            _ => self.automatic_text(),
        };
        self.out.push_str(&text);
    }

    fn analysis_text(&self) -> String {
        let will = |on| if on { "will" } else { "will not" };
        let yes = |on| if on { "yes" } else { "no" };
        let [top, bottom] = &self.names;
        let [one, other] = self.parts.players;
        let [doubtful, bad, very_bad] = self.marks;
        let mut text = format!(
            "Cube action {} be analysed.\nDice rolls {} be analysed.\nChequer play {} be analysed.\n\n\
             Analyse {top}'s chequerplay and cube decisions: {}\nAnalyse {bottom}'s chequerplay and cube decisions: {}\n\n\
             Analysis thresholds:\n  -{doubtful:.3} doubtful\n  -{bad:.3} bad\n  -{very_bad:.3} very bad\n\n\
             \x20 +0.600 very lucky\n  +0.300 lucky\n  -0.300 unlucky\n  -0.600 very unlucky\n\n\
             Analysis will be performed with the following evaluation parameters:\n",
            will(self.parts.cubes),
            will(self.parts.luck),
            will(self.parts.plays),
            yes(one),
            yes(other)
        );
        text += &part("Chequer play", &self.analysis.chequer);
        text += &self.analysis.filter_lines();
        text.push('\n');
        text += &part("Cube decisions", &self.analysis.cube);
        text + "    Luck analysis:\n" + &self.luck.lines("        ")
    }

    fn player_text(&self, seat: Seat) -> String {
        let player = seat.of(&self.players);
        let mut text = format!(
            "Player {}:\n  Name: {}\n",
            seat.index(),
            seat.of(&self.names)
        );
        match (&player.external, player.human) {
            (Some(address), _) => text += &format!("  Type: external: {address}\n\n"),
            (None, true) => text += "  Type: human\n\n",
            (None, false) => match player.evals.people {
                Some(pr) => text += &format!("  Type: gnubg, as people of PR {pr:.1}\n\n"),
                None => {
                    text += "  Type: gnubg:\n";
                    text += &evals_lines(&player.evals);
                }
            },
        }
        text
    }

    fn output_text(&self) -> String {
        let style = &self.style;
        let kind = |percent| {
            if percent {
                "percentages"
            } else {
                "probabilities"
            }
        };
        let equities = match style.mwc {
            true => "Match equities shown in MWC (match winning chance) (match play only).",
            false => {
                "Match equities shown in EMG (normalized money game equity) (match play only)."
            }
        };
        let boards = if style.raw_board {
            "raw format"
        } else {
            "ASCII"
        };
        format!(
            "Match winning chances will be shown as {}.\n{equities}\nGame winning chances will be shown as {}.\n\
             Boards will be shown in {boards}.\n",
            kind(style.match_percent),
            kind(style.win_percent)
        )
    }

    fn automatic_text(&self) -> String {
        let own = &self.automatic;
        let on = |on| if on { "On" } else { "Off" };
        format!(
            "bearoff \t(Play certain non-contact bearoff moves):      \t{}\n\
             crawford\t(Enable the Crawford rule as appropriate):     \t{}\n\
             doubles \t(Turn the cube when opening roll is a double): \t{}\n\
             game    \t(Start a new game after each one is completed):\t{}\n\
             move    \t(Play the forced move when there is no choice):\t{}\n\
             roll    \t(Roll the dice if no double is possible):      \t{}\n",
            on(own.bearoff),
            on(own.crawford),
            own.doubles,
            on(own.game),
            on(own.play),
            on(own.roll)
        )
    }
}
