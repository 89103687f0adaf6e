//! The log of a training run in words: the result of a round, its meaning, the next step, the files made.

use gammond_report::render::signed;
use gammond_train::training::recipe::TrainingRecipe;
use gammond_train::training::run::Plan;
use serde_json::Value;
use std::path::Path;

/// The parts of a run that its reports need: its stages with the labels that each round makes. A single run is a stage
/// without a name.
pub(super) struct Narrator {
    stages: Vec<(String, Vec<usize>)>,
    /// The stage that is trained now.
    stage: usize,
    /// Player that the nets of a stage are measured against.
    against: Option<String>,
}

/// The first line of a run.
pub(super) const FIRST_LINE: &str = "\
A line follows for each net after a round. Its loss is the error of the chances that it gives: on the newest labels \
before it was trained on them, and at the end of the round. It should fall from one to the other, and from round to \
round. The second figure is the error of differences between plays of a roll, in points; it decides how well a net plays.";

impl Narrator {
    /// Returns the words for a single run.
    pub(super) fn of_plan(plan: &Plan) -> Narrator {
        Narrator {
            stages: vec![(String::new(), labels(plan))],
            stage: 0,
            against: None,
        }
    }

    /// Returns the words for a recipe.
    pub(super) fn of_recipe(recipe: &TrainingRecipe) -> Narrator {
        let stages = recipe.stage.iter();
        Narrator {
            stages: stages
                .map(|stage| (stage.name.clone(), labels(&stage.plan)))
                .collect(),
            stage: 0,
            against: recipe.measure.as_ref().map(|one| one.against.clone()),
        }
    }

    /// Returns a line of the log in words; a line that is not JSON stays as it is.
    pub(super) fn words(&mut self, line: &str) -> String {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            return line.to_owned();
        };
        if let Some(stage) = value["stage"].as_str() {
            return self.stage_words(stage, &value);
        }
        self.round_words(&value).unwrap_or_else(|| line.to_owned())
    }

    fn round_words(&self, value: &Value) -> Option<String> {
        let number = value["round"].as_u64()?;
        let figure = |name: &str| value[name].as_f64();
        let (stage, rounds) = self.stages.get(self.stage)?;
        // Only the figures of a measured recipe have the stage.
        let place = match self.against {
            Some(_) => format!("stage {stage}, "),
            None => String::new(),
        };
        let (end, on) = match figure("held_out") {
            Some(loss) => (loss, "on labels kept out of training"),
            None => (figure("loss")?, "at the end"),
        };
        let next = usize::try_from(number).ok().and_then(|at| rounds.get(at));
        let next = match next {
            None => String::new(),
            Some(0) => format!("; next: round {}, on the labels there are", number + 1),
            Some(labels) => format!("; next: round {}, games for {labels} labels", number + 1),
        };
        Some(format!(
            "{place}round {number} of {}, {} net: {} labels, loss {:.4} before, {end:.4} {on}; differences off by {:.3} before, \
             {:.3} after{next}",
            rounds.len(),
            value["kind"].as_str()?,
            value["labels"].as_u64()?,
            figure("fresh")?,
            figure("fresh_pairs")?,
            figure("pairs")?,
        ))
    }

    fn stage_words(&mut self, name: &str, value: &Value) -> String {
        let found = self.stages.iter().position(|(stage, _)| stage == name);
        self.stage = found.map_or(self.stage, |found| found + 1);
        let figure = |name: &str| value[name].as_f64().unwrap_or(0.0);
        let next = match self.stages.get(self.stage) {
            Some((next, rounds)) => {
                format!("; next: stage {next}, {}", count(rounds.len(), "round"))
            }
            None => "; next: the net files".to_owned(),
        };
        let minutes = 60.0 * figure("hours");
        format!(
            "stage {name} is done after {minutes:.1} minutes of computing: its nets score {} +- {:.3} points per game against \
             {}{next}",
            signed(figure("points"), 3),
            figure("error"),
            self.against.as_deref().unwrap_or("the measure")
        )
    }

    /// Describes the results of a finished run in `folder` and how to measure them.
    pub(super) fn end(&self, folder: &Path) -> String {
        let at = folder.display();
        match self.stages.as_slice() {
            [(name, rounds)] if name.is_empty() => {
                let last = rounds.len();
                format!(
                    "The nets are {at}/round-{last}-KIND.net, in float weights. To play with one:\n  \
                     gammond net quantise {at}/round-{last}-contact.net contact.net --class contact\n  \
                     gammond duel gammond:nets=contact.net pubeval --games 1000"
                )
            }
            _ => format!(
                "The nets are in {at}/nets, their learning curve is {at}/curve.svg. To measure them:\n  \
                 gammond duel gammond:nets={at}/nets gammond --games 1000 --luck-adjusted embedded"
            ),
        }
    }
}

/// Returns the labels that each round of a run makes.
fn labels(plan: &Plan) -> Vec<usize> {
    plan.rounds().iter().map(|round| round.labels).collect()
}

fn count(number: usize, what: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {what}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrator(against: Option<&str>) -> Narrator {
        Narrator {
            stages: vec![
                ("start".to_owned(), vec![400, 0, 500]),
                ("luck".to_owned(), vec![600]),
            ],
            stage: 0,
            against: against.map(str::to_owned),
        }
    }

    const ROUND: &str = r#"{"round":1,"kind":"race","labels":400,"steps":9,"fresh":0.5,"loss":0.25,"fresh_pairs":0.125,"pairs":0.0625,"rate":0.001}"#;

    /// TP-16.
    #[test]
    fn round_in_words_says_what_comes_next() {
        let mut words = narrator(None);
        assert_eq!(
            words.words(ROUND),
            "round 1 of 3, race net: 400 labels, loss 0.5000 before, 0.2500 at the end; differences off by 0.125 before, \
             0.062 after; next: round 2, on the labels there are"
        );
        let held = ROUND.replace(r#""loss""#, r#""held_out":0.75,"loss""#);
        let last = held.replace(r#""round":1"#, r#""round":3"#);
        assert!(words.words(&last).contains("0.7500 on labels kept out"));
        assert!(!words.words(&last).contains("next"));
        // Lines of other work, and of a later version, stay as they are.
        for other in ["round 0: 20 groups", r#"{"round":1}"#, "[1]"] {
            assert_eq!(words.words(other), other);
        }
    }

    #[test]
    fn stages_follow_each_other() {
        let mut words = narrator(Some("pubeval"));
        assert!(words.words(ROUND).starts_with("stage start, round 1 of 3"));
        let line = r#"{"stage":"start","hours":0.05,"points":0.3,"error":0.02}"#;
        assert_eq!(
            words.words(line),
            "stage start is done after 3.0 minutes of computing: its nets score +0.300 +- 0.020 points per game against \
             pubeval; next: stage luck, 1 round"
        );
        assert!(words.words(ROUND).starts_with("stage luck, round 1 of 1"));
        assert!(
            words
                .words(&line.replace("start", "luck"))
                .ends_with("next: the net files")
        );
    }
}
