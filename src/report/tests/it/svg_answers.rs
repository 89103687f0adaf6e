//! Drawings of answers: well-formed, complete, in every theme, language and form.

use gammond_engine::engine::Engine;
use gammond_engine::query::{
    CubesQuery, EngineAnswer, EvalQuery, ExplainQuery, Language, Question, ScoresQuery, Settings,
    Stop,
};
use gammond_game::notation::{parse_position, play_text};
use gammond_game::{MatchState, Position, Roll, Rules, Score, Variant};
use gammond_report::explain::sentences;
use gammond_report::render::{DrawingStyle, Theme, answer_svg, has_letters, signed};
use quick_xml::Reader;
use quick_xml::events::Event;

const SENTENCES: &str = include_str!("../../explain/sentences.tsv");
const PICTURES: &str = include_str!("../../render/pictures.tsv");
/// A position whose cube action depends on the score.
const DOUBLE: &str = "u7sNAADb7g4AAA";

fn position(id: &str) -> Position {
    parse_position(id.as_bytes()).unwrap().position
}

fn scores(position: Position, away: u8) -> ScoresQuery {
    ScoresQuery {
        position,
        cube: MatchState::default().cube,
        rules: Rules::default(),
        variant: Variant::Backgammon,
        away,
    }
}

fn explain(position: Position, roll: Option<Roll>, language: Language) -> Question {
    Question::Explain(ExplainQuery {
        position,
        state: MatchState::default(),
        roll,
        play: None,
        language,
    })
}

/// One question of each kind that has a drawing.
fn questions() -> Vec<Question> {
    let (start, double) = (Position::start(), position(DOUBLE));
    let state = MatchState {
        score: Score::new(9, 2, 3, false).unwrap(),
        ..MatchState::default()
    };
    let cubes = |position, roll| {
        Question::Cubes(CubesQuery {
            position,
            state,
            roll,
        })
    };
    vec![
        Question::Scores(scores(double, 25)),
        Question::ScorePlays(scores(start, 7), Roll::of(6, 4)),
        Question::Rolls(EvalQuery {
            position: double,
            state,
        }),
        cubes(double, None),
        cubes(start, Some(Roll::of(6, 2))),
        explain(start, Some(Roll::of(6, 4)), Language::English),
        explain(double, None, Language::German),
    ]
}

fn answer(engine: &Engine, question: &Question) -> EngineAnswer {
    let settings = Settings {
        plies: 0,
        ..Settings::default()
    };
    engine.answer(question, &settings, &Stop::never()).unwrap()
}

/// Returns the texts of a drawing, with the number of its boxes; the parser refuses damaged XML.
fn read(svg: &str) -> (Vec<String>, usize) {
    let mut reader = Reader::from_str(svg);
    let (mut texts, mut boxes, mut depth): (Vec<String>, _, _) = (Vec::new(), 0, 0_usize);
    let mut is_text = false;
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => break,
            Event::Start(tag) => {
                depth += 1;
                for attribute in tag.attributes() {
                    attribute.unwrap();
                }
                is_text = tag.name().as_ref() == "text";
                if is_text {
                    texts.push(String::new());
                }
            }
            Event::Empty(tag) => {
                for attribute in tag.attributes() {
                    attribute.unwrap();
                }
                boxes += usize::from(tag.name().as_ref() == "rect");
            }
            Event::End(_) => {
                depth -= 1;
                is_text = false;
            }
            Event::Text(text) if is_text => {
                texts.last_mut().unwrap().push_str(&text);
            }
            Event::GeneralRef(name) if is_text => {
                let letter = match &*name {
                    "#39" => "'",
                    "amp" => "&",
                    other => panic!("&{other};"),
                };
                texts.last_mut().unwrap().push_str(letter);
            }
            _ => {}
        }
    }
    assert_eq!(depth, 0, "{svg}");
    (texts, boxes)
}

/// Every value of an answer is on its drawing.
#[test]
fn drawings_are_well_formed_and_complete() {
    let engine = Engine::builder().threads(2).build().unwrap();
    for question in questions() {
        let found = answer(&engine, &question);
        let svg = answer_svg(&found, Language::English, DrawingStyle::File(None)).unwrap();
        let (mut texts, boxes) = read(&svg);
        let mut wants = Vec::new();
        let mut cells = 0;
        match &found {
            EngineAnswer::Scores(found) => {
                cells = found.cells.len();
                wants.push(format!(
                    "For money: {}, {}",
                    found.money.verdict.text(),
                    signed(found.money.optimal.equity, 3)
                ));
                wants.extend(
                    found
                        .cells
                        .iter()
                        .map(|cell| signed(cell.cube.optimal.equity, 3)),
                );
            }
            EngineAnswer::ScorePlays(found) => {
                cells = found.cells.len();
                wants.extend(
                    found
                        .cells
                        .iter()
                        .map(|cell| signed(cell.plays.best().value.equity, 3)),
                );
                let best = play_text(&found.position, &found.money.best().play);
                assert!(
                    texts
                        .iter()
                        .any(|text| text.starts_with(&format!("A {best} (")))
                );
            }
            EngineAnswer::Rolls(found) => {
                cells = 21;
                for roll in &found.rolls {
                    wants.push(roll.roll.to_string());
                    wants.push(play_text(&roll.position, &roll.best().play));
                    wants.push(signed(roll.best().value.equity, 3));
                    wants.push(signed(roll.best().value.equity - found.mean.equity, 3));
                }
            }
            EngineAnswer::Cubes(found) => {
                cells = found.places.len();
                assert_eq!(cells, 7);
                for place in &found.places {
                    let listed = place.plays.iter().flat_map(|plays| &plays.plays);
                    let plays = listed.map(|play| signed(play.value.equity, 3));
                    wants.extend(plays);
                    if place.plays.is_none() {
                        wants.push(signed(place.value.equity, 3));
                    }
                }
            }
            EngineAnswer::Explain(_) => {}
            other => panic!("{other:?}"),
        }
        assert!(boxes > cells, "{boxes} boxes, {cells} cells");
        for want in wants {
            let at = texts.iter().position(|text| *text == want);
            texts.swap_remove(at.unwrap_or_else(|| panic!("{want} is not in {texts:?}")));
        }
    }
}

#[test]
fn answers_without_a_drawing_have_none() {
    let engine = Engine::builder().threads(1).build().unwrap();
    let class = Question::Class(Position::start());
    let found = answer(&engine, &class);
    assert_eq!(
        answer_svg(&found, Language::English, DrawingStyle::File(None)),
        None
    );
}

/// The sentences in each language are on the drawing, and letters of the Latin ones have lines.
#[test]
fn explanations_have_their_sentences() {
    let engine = Engine::builder().threads(2).build().unwrap();
    for language in Language::ALL {
        for (id, roll) in [("4HPwATDgc/ABMA", Some(Roll::of(6, 4))), (DOUBLE, None)] {
            let question = explain(position(id), roll, language);
            let found = answer(&engine, &question);
            let EngineAnswer::Explain(facts) = &found else {
                panic!("{found:?}");
            };
            let svg = answer_svg(&found, language, DrawingStyle::File(Some(Theme::DARK))).unwrap();
            let letters = |text: &str| text.replace(' ', "");
            let whole = letters(&read(&svg).0.concat());
            let sentences = sentences(facts, language);
            assert!(sentences.len() > 2);
            for sentence in sentences {
                assert!(whole.contains(&letters(&sentence.text)), "{whole}");
                let is_latin = language != Language::Japanese;
                assert_eq!(has_letters(&sentence.text), is_latin, "{}", sentence.text);
            }
        }
    }
    for table in [SENTENCES, PICTURES] {
        for line in table.lines() {
            for cell in line.split('\t').take(4) {
                let text = cell.replace(['{', '}'], "");
                assert!(has_letters(&text), "{text}");
            }
        }
    }
}

/// Words of a text, without those in which plays and signs are written.
fn words(text: &str) -> Vec<&str> {
    let words = text.split(|one: char| !one.is_alphabetic() && one != '\'');
    let same = [
        "ply", "bar", "off", "C", "EMG", "Crawford", "Equity", "Action", "A", "B", "ND", "DT",
        "DP", "TG", "scores", "score",
    ];
    words
        .filter(|word| !word.is_empty() && !same.contains(word))
        .collect()
}

/// Tables in another language have the same values, and of their English texts none.
#[test]
fn tables_have_their_texts_in_each_language() {
    let engine = Engine::builder().threads(2).build().unwrap();
    let tables = |question: &Question| !matches!(question, Question::Explain(_));
    for question in questions().into_iter().filter(tables) {
        let found = answer(&engine, &question);
        let texts = |language| {
            let svg = answer_svg(&found, language, DrawingStyle::File(None)).unwrap();
            read(&svg).0
        };
        let english = texts(Language::English);
        let numbers = |texts: &[String]| -> Vec<String> {
            let is_number = |text: &&String| text.parse::<f64>().is_ok();
            texts.iter().filter(is_number).cloned().collect()
        };
        assert!(
            english.iter().any(|text| words(text).len() > 2),
            "{english:?}"
        );
        for language in [Language::German, Language::French, Language::Japanese] {
            let other = texts(language);
            assert!(!other.iter().any(String::is_empty), "{other:?}");
            assert_eq!(numbers(&other), numbers(&english));
            for text in other.iter().filter(|text| !words(text).is_empty()) {
                assert!(!english.contains(text), "{text:?} is English: {language:?}");
            }
        }
    }
}

/// A drawing in fixed colours has no variables; one in lines has no texts either.
#[test]
fn themes_and_outlines() {
    let engine = Engine::builder().threads(2).build().unwrap();
    for question in questions() {
        let found = answer(&engine, &question);
        let draw = |style| answer_svg(&found, Language::English, style).unwrap();
        let free = draw(DrawingStyle::File(None));
        assert!(free.contains("prefers-color-scheme:dark") && free.contains("--kind1:"));
        for &theme in Theme::ALL {
            let fixed = draw(DrawingStyle::File(Some(theme)));
            assert!(!fixed.contains("var(") && fixed.contains("<text"));
            let lines = draw(DrawingStyle::Outlines(theme));
            assert!(
                !lines.contains("var(") && !lines.contains("<text"),
                "{lines}"
            );
            read(&lines);
        }
    }
}
