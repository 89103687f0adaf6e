//! PureTD's published nets: a small one of the same form, and the files themselves where they are.

use crate::support::shared;
use gammond_engine::bearoff::Tables;
use gammond_engine::eval::Evaluator;
use gammond_engine::eval::puretd::{PureTdEvaluator, PureTdOutput};
use gammond_engine::nn::CpuLevel;
use gammond_engine::query::{PlayQuery, Settings, Stop};
use gammond_engine::{Engine, engine::Nets};
use gammond_game::notation::parse_position;
use gammond_game::{Chances, MatchState, Outcome, Position, Roll};
use std::path::Path;
use std::process::Command;

/// 196 inputs, layers of 6, 4 and 5 units with random weights, written by the `zipfile` of Python.
const SMALL: &[u8] = include_bytes!("../data/puretd/small.pt");

fn small_path() -> &'static Path {
    Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/puretd/small.pt"
    ))
}

fn position(id: &str) -> Position {
    parse_position(id.as_bytes()).unwrap().position
}

fn equity(chances: &Chances) -> f32 {
    let [win, gammon, backgammon, lose_gammon, lose_backgammon] = chances.to_array();
    2.0 * win + gammon + backgammon - lose_gammon - lose_backgammon - 1.0
}

/// Replaces a text by one of the same length everywhere, the checksums with it.
fn with_text(from: &str, to: &str) -> Vec<u8> {
    let sum = |bytes: &[u8]| crc32fast::hash(bytes).to_le_bytes();
    let replace = |bytes: &[u8], from: &[u8], to: &[u8]| -> Vec<u8> {
        assert_eq!(from.len(), to.len());
        let mut bytes = bytes.to_vec();
        let places: Vec<usize> = (0..bytes.len().saturating_sub(from.len()))
            .filter(|&at| bytes[at..].starts_with(from))
            .collect();
        assert!(!places.is_empty());
        for at in places {
            bytes[at..at + from.len()].copy_from_slice(to);
        }
        bytes
    };
    let begin = SMALL.windows(2).position(|two| two == b"\x80\x02").unwrap();
    let end = begin
        + SMALL[begin..]
            .windows(2)
            .position(|two| two == b"u.")
            .unwrap()
        + 2;
    let pickle = replace(&SMALL[begin..end], from.as_bytes(), to.as_bytes());
    let file = replace(SMALL, &SMALL[begin..end], &pickle);
    replace(&file, &sum(&SMALL[begin..end]), &sum(&pickle))
}

/// NF-40 and NF-41: what is not known is refused with the reason.
#[test]
fn small_net_with_unknown_texts_is_refused() {
    let net = PureTdEvaluator::parse(SMALL).unwrap();
    assert_eq!(
        (net.name(), net.widths()),
        ("PureTD small", &[196, 6, 4, 5][..])
    );
    assert_eq!(net.output(), PureTdOutput::Chances);
    for (from, to, want) in [
        ("relu", "tanh", "activation is \"tanh\", expected relu"),
        (
            "relu",
            "re\u{7}\n",
            "activation is \"re\\u{7}\\n\", expected relu",
        ),
        ("prob5", "prob6", "model_type is \"prob6\", expected prob5"),
        (
            "activation",
            "activities",
            "activation is missing, expected relu",
        ),
        (
            "perspective196",
            "perspective200",
            "encoder_name is \"perspective200\", expected perspective196",
        ),
    ] {
        let error = PureTdEvaluator::parse(&with_text(from, to)).unwrap_err();
        assert_eq!(error.to_string(), want);
    }
}

/// NF-40: every cut and every flipped bit is refused, or gives a net that answers with chances.
#[test]
fn damaged_archive_is_refused_or_answers() {
    let start = [Position::start()];
    for end in 0..SMALL.len() {
        assert!(PureTdEvaluator::parse(&SMALL[..end]).is_err(), "{end}");
    }
    let mut refused = 0;
    for bit in 0..8 * SMALL.len() {
        let mut bytes = SMALL.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        match PureTdEvaluator::parse(&bytes) {
            Ok(net) => assert!(
                net.net_chances(&start)[0]
                    .to_array()
                    .iter()
                    .all(|p| p.is_finite())
            ),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 8 * SMALL.len() * 3 / 4, "{refused}");
    // Lengths and offsets at their largest, wherever they are.
    for at in 0..SMALL.len() - 4 {
        let mut bytes = SMALL.to_vec();
        bytes[at..at + 4].fill(0xff);
        let _ = PureTdEvaluator::parse(&bytes);
    }
}

/// NF-42, NF-43, NF-44: the net's own numbers from the formula, on every level and in any batch.
#[test]
fn small_net_has_the_same_bits_on_all_levels() {
    let net = PureTdEvaluator::parse(SMALL).unwrap();
    let ids = [
        "4HPwATDgc/ABMA",
        "sGfwATDgc/ABMA",
        "29sCBATXeQ8AAA",
        "4HPMAQaMZ/ABMA",
        "AgAAAgAAAAAAAA",
    ];
    let all = ids.map(position).repeat(13);
    let want = net.clone().at(CpuLevel::SCALAR).net_chances(&all);
    assert!(want.iter().any(|chances| chances.win != want[0].win));
    for level in CpuLevel::available() {
        let net = net.clone().at(level);
        assert_eq!(net.net_chances(&all), want, "{}", level.name());
        assert_eq!(net.net_chances(&all[3..4]), want[3..4]);
    }
}

/// NF-45: finished games and bearoff positions are answered exactly, and a side that has borne off loses no gammon.
#[test]
fn exact_ends_do_not_ask_the_net() {
    let net = PureTdEvaluator::load(small_path()).unwrap();
    let side = |checkers: &[(usize, u8)]| {
        let mut counts = [0; 25];
        for &(place, count) in checkers {
            counts[place] = count;
        }
        counts
    };
    let of = |mine, theirs| Position::new(&side(mine), &side(theirs)).unwrap();
    let bearoff = of(&[(0, 2), (3, 1)], &[(1, 2)]);
    let over = of(&[(0, 2)], &[]);
    let off = of(&[(20, 14)], &[(18, 15)]);
    let mut out = [Chances::default(); 3];
    net.evaluate(None, &[bearoff, off, over], &mut out);
    assert_eq!(Some(out[0]), Tables::shared().chances(&bearoff));
    assert_eq!((out[1].lose_gammon, out[1].lose_backgammon), (0.0, 0.0));
    assert_eq!(Some(out[2]), over.outcome().map(Outcome::chances));
}

#[test]
fn net_info_tells_of_the_file() {
    let run = |path: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
        let output = command.args(["net", "info"]).arg(path).output().unwrap();
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    };
    let text = run(small_path());
    for line in [
        "net      PureTD's net of five chances: PureTD small",
        "layers   196 - 6 - 4 - 5",
        "inputs   perspective196",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tanh.pt");
    std::fs::write(&path, with_text("relu", "tanh")).unwrap();
    let text = run(&path);
    assert!(
        text.contains("tanh.pt: activation is \"tanh\", expected relu\n"),
        "{text}"
    );
    let error = Engine::builder()
        .nets(Nets::Path(path))
        .build()
        .unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("tanh.pt: activation is \"tanh\", expected relu"),
        "{error}"
    );
}

/// The vectors of `protocol-specs/net-file.md`: equity and chances of the net of five, and the equity net's value.
const VECTORS: [(&str, f32, [f32; 5], f32); 4] = [
    (
        "4HPwATDgc/ABMA",
        0.040039,
        [0.51359, 0.14523, 0.00679, 0.13342, 0.00573],
        0.081709,
    ),
    (
        "sGfwATDgc/ABMA",
        -0.165832,
        [0.44556, 0.11795, 0.00536, 0.17254, 0.00772],
        -0.165260,
    ),
    (
        "4HPMAQaMZ/ABMA",
        -0.128367,
        [0.46012, 0.09514, 0.00340, 0.14216, 0.00499],
        -0.127555,
    ),
    (
        "29sCBATXeQ8AAA",
        0.894180,
        [0.93985, 0.01441, 0.00009, 0.00001, 0.0],
        0.896361,
    ),
];

/// NF-42, NF-43, NF-44, NF-46.
#[test]
fn published_nets_have_the_values_of_the_vectors() {
    let test = "puretd::published_nets_have_the_values_of_the_vectors";
    let prob5 = shared(test, "data/puretd/cubeless_prob5_512_512_256_128.pt");
    let money = shared(test, "data/puretd/cubeless_money_512_512_256.pt");
    let (Some(prob5), Some(money)) = (prob5, money) else {
        return;
    };
    let nets = [&prob5, &money].map(|path| PureTdEvaluator::load(path).unwrap());
    assert_eq!(nets[0].widths(), [196, 512, 512, 256, 128, 5]);
    assert_eq!(nets[1].output(), PureTdOutput::Equity);
    for (id, value, chances, money) in VECTORS {
        let [found, other] = [0, 1].map(|net: usize| nets[net].net_chances(&[position(id)])[0]);
        assert!((equity(&found) - value).abs() < 2e-6, "{id}: {found:?}");
        assert!((equity(&other) - money).abs() < 2e-6, "{id}: {other:?}");
        for (found, want) in found.to_array().into_iter().zip(chances) {
            assert!((found - want).abs() < 6e-6, "{id}: {found} for {want}");
        }
    }
    for path in [prob5, money] {
        let engine = Engine::builder()
            .nets(Nets::Path(path))
            .threads(1)
            .build()
            .unwrap();
        for (dice, after) in [
            ((3, 1), "sGfwATDgc/ABMA"),
            ((4, 2), "mGfwATDgc/ABMA"),
            ((6, 1), "4NvgATDgc/ABMA"),
            ((5, 3), "jGfwATDgc/ABMA"),
        ] {
            let roll = Roll::new(dice.0, dice.1).unwrap();
            let query = PlayQuery::new(Position::start(), roll, MatchState::default());
            let found = engine
                .rank_plays(&query, &Settings::plies(0), &Stop::never())
                .unwrap();
            assert_eq!(found.plays[0].position, position(after), "{dice:?}");
        }
    }
}
