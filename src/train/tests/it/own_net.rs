//! Our own nets: inputs, kernels, quantisation, files.

use crate::support;
use gammond_base::rng;
use gammond_engine::Engine;
use gammond_engine::equity::{CubeEfficiency, CubeState, Leaf, MatchEquityTable, Stakes, Valuer};
use gammond_engine::eval::Evaluator;
use gammond_engine::eval::nets::handcrafted::handcrafted;
use gammond_engine::eval::nets::{
    ClassNet, EMBEDDED, InputSet, NetEvaluator, PRUNING, Role, VOLATILITY,
};
use gammond_engine::nn::format::{native, safetensors};
use gammond_engine::nn::{
    Activation, CpuLevel, FloatNet, InputGroup, IntegerNet, Limits, SecondBits, quantise,
};
use gammond_engine::query::{CubeQuery, Settings, Stop};
use gammond_game::notation::PositionId;
use gammond_game::{
    Chances, Class, Cube, CubeOwner, MatchState, Position, Roll, Rules, legal_plays, perf_positions,
};
use gammond_train::training::net::Net;
use rand::Rng;

/// Positions met in games of random plays, with the positions after every play of one roll.
fn random_turns(seed: u64, turns: usize) -> Vec<(Position, Vec<Position>)> {
    let mut rng = rng::stream(seed, 0);
    let mut found = Vec::new();
    let mut position = Position::start();
    while found.len() < turns {
        let plays = legal_plays(&position, Roll::thrown(&mut rng));
        let after: Vec<Position> = plays.iter().map(|play| play.after).collect();
        let before = position.swapped();
        position = match after.len() {
            0 => before,
            count => after[rng::below(&mut rng, count as u32) as usize],
        };
        if !after.is_empty() {
            found.push((before, after));
        }
        if position.is_over() {
            position = Position::start();
        }
    }
    found
}

fn bits(chances: &[Chances]) -> Vec<[u32; 5]> {
    chances
        .iter()
        .map(|chances| chances.to_array().map(f32::to_bits))
        .collect()
}

fn evaluated(
    evaluator: &NetEvaluator,
    reference: Option<&Position>,
    positions: &[Position],
) -> Vec<[u32; 5]> {
    let mut out = vec![Chances::default(); positions.len()];
    evaluator.evaluate(reference, positions, &mut out);
    bits(&out)
}

/// A net with weights drawn like those of a trained one.
fn random_net(seed: u64, inputs: InputSet, width: usize, second: usize) -> FloatNet {
    let mut rng = rng::stream(seed, 1);
    let mut draw = |size: f64| {
        let sum: f64 = (0..4).map(|_| rng::unit(&mut rng) - 0.5).sum();
        (sum * size) as f32
    };
    let group = InputGroup {
        name: "base".into(),
        inputs: inputs.inputs(),
    };
    let mut net = FloatNet::zeros(vec![group], width, second);
    net.w1.iter_mut().for_each(|w| *w = draw(0.3));
    net.b1.iter_mut().for_each(|w| *w = draw(0.5));
    net.w2.iter_mut().for_each(|w| *w = draw(0.2));
    net.b2.iter_mut().for_each(|w| *w = draw(0.5));
    net.w3.iter_mut().for_each(|w| *w = draw(1.0));
    net.b3 = [0.1, -0.5, -1.0, -0.5, -1.0];
    net
}

/// NF-20: every file of `nets/float` is the master of the net that ships under its name, to the byte.
#[test]
fn float_nets_quantise_to_the_bytes_of_the_nets_that_ship() {
    let folder = crate::support::root().join("nets/float");
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let name = format!("{stem}.net");
        let shipped = EMBEDDED.iter().find(|net| net.name() == name);
        let shipped = shipped.unwrap_or_else(|| panic!("{stem}: no such net ships"));
        let bytes = shipped.bytes();
        let (label, _) = native::read(&bytes).unwrap();
        let net = Net::load(&path).unwrap();
        let made = net.to_integer(&label.name, &label.class).unwrap();
        assert!(made == bytes, "{name} is not what {stem} quantises to");
        seen += 1;
    }
    assert_eq!(seen, EMBEDDED.len());
}

fn file_of(net: &FloatNet, inputs: InputSet, class: &str, bits: SecondBits) -> Vec<u8> {
    let parts = quantise(net, &inputs.units(), bits, 4).unwrap();
    let label = native::Label {
        name: format!("{class}-test"),
        inputs: inputs.name(),
        class: class.into(),
    };
    native::write(&label, &parts)
}

/// Compares the prototype's vectors: every integer, floats to 7e-7, quantised results near the floats.
fn check_vectors(test: &str, vectors: &str, contact: &str, inputs: InputSet) {
    let folder = "data/prototype-net";
    let Some(path) = support::shared(test, &format!("{folder}/{vectors}")) else {
        return;
    };
    let net = |name: &str| {
        let path = support::shared(test, &format!("{folder}/{name}.safetensors")).unwrap();
        safetensors::read(&std::fs::read(path).unwrap()).unwrap()
    };
    let (contact, race) = (net(contact), net("race"));
    let judge = |net: &FloatNet, set| {
        let file = file_of(net, set, "contact", SecondBits::Thirteen);
        ClassNet::parse("test", &file).unwrap()
    };
    let judges = [judge(&contact, inputs), judge(&race, InputSet::COUNTS)];
    let mut rows = 0;
    let lines = support::lines(&path);
    for line in lines.iter().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [id, class, pips, integers, floats, equity, _] = fields[..] else {
            panic!("{line}");
        };
        let position: Position = PositionId::parse(id.as_bytes()).unwrap().position();
        let numbers = |text: &str| -> Vec<f64> {
            text.split_whitespace()
                .map(|n| n.parse().unwrap())
                .collect()
        };
        assert_eq!(position.me().pips().to_string(), pips, "{id}");
        let is_race = class == "race";
        if !is_race && inputs == InputSet::COUNTS_HAND {
            let found: Vec<f64> = handcrafted(&position)
                .iter()
                .map(|&n| f64::from(n))
                .collect();
            assert_eq!(found, numbers(integers), "{id}");
        }
        let (net, set, judge) = if is_race {
            (&race, InputSet::COUNTS, &judges[1])
        } else {
            (&contact, inputs, &judges[0])
        };
        let exact = net.results(&set.values(&position));
        let found = judge.raw(&position);
        let mut sum = 2.0 * exact[0] - 1.0 + exact[1] + exact[2] - exact[3] - exact[4];
        for (k, want) in numbers(floats).into_iter().enumerate() {
            assert!(
                (exact[k] - want).abs() < 1e-6,
                "{id}: {k}: {exact:?} {want}"
            );
            let noise = (f64::from(found[k]) - exact[k]).abs();
            assert!(noise < 0.01, "{id}: {k}: {found:?} {exact:?}");
        }
        sum -= numbers(equity)[0];
        assert!(sum.abs() < 2e-6, "{id}: {sum}");
        rows += 1;
    }
    assert!(rows >= 50, "{rows}");
}

/// NI-07: fourteen inputs a side for checkers borne off, six of them among the base inputs.
#[test]
fn checkers_borne_off_have_an_input_each() {
    let set = InputSet::COUNTS_OFF;
    assert_eq!(set.inputs(), 380);
    for (mine, theirs) in [(0, 1), (1, 6), (6, 7), (7, 14), (14, 0), (10, 12)] {
        let counts = |off: u8| {
            let mut counts = [0; 25];
            counts[8] = 15 - off;
            counts
        };
        let position = Position::new(&counts(mine), &counts(theirs)).unwrap();
        let values = set.values(&position);
        for (side, off) in [(0, mine), (1, theirs)] {
            let is_one = |input: usize| values.contains(&(input, 1.0));
            let base = (0..6).map(|k| (26 * side + 25) * 7 + k);
            let more = (0..8).map(|k| 364 + 8 * side + k);
            let ones: Vec<bool> = base.chain(more).map(is_one).collect();
            let want: Vec<bool> = (1..=14).map(|count| off >= count).collect();
            assert_eq!(ones, want, "{off}");
        }
    }
}

/// Races have one net: there is nothing quicker to ask before it.
#[test]
fn races_are_not_judged_twice() {
    let evaluator = NetEvaluator::embedded().unwrap();
    let mut counts = [0; 25];
    counts[8] = 15;
    let race = Position::new(&counts, &counts).unwrap();
    let mut out = [Chances::default(); 2];
    assert!(
        !evaluator
            .shortcuts()
            .evaluate_quickly(None, &[race, race], &mut out)
    );
    assert!(
        evaluator
            .shortcuts()
            .evaluate_quickly(None, &[Position::start(), race], &mut out)
    );
}

/// NI-01, NI-02, NI-03, NI-04, NI-05, NI-06, NI-20, NI-21.
#[test]
fn vectors_of_the_hand_made_net() {
    let set = InputSet::COUNTS_HAND;
    check_vectors(
        "own_net::vectors_of_the_hand_made_net",
        "vectors-hand.tsv",
        "contact",
        set,
    );
}

/// NI-01.
#[test]
fn vectors_of_the_raw_net() {
    let set = InputSet::COUNTS;
    check_vectors(
        "own_net::vectors_of_the_raw_net",
        "vectors-raw.tsv",
        "contact-raw",
        set,
    );
}

#[test]
fn embedded_nets_load_and_serve_their_classes() {
    let evaluator = NetEvaluator::embedded().unwrap();
    let classes: Vec<&str> = evaluator.class_nets().map(ClassNet::class).collect();
    assert_eq!(classes[0], "contact");
    assert!(classes.contains(&"race") && classes.contains(&"contact-fast"));
    assert!(NetEvaluator::embedded_fast().is_ok());
    for net in &EMBEDDED {
        let parsed = ClassNet::parse(net.name(), &net.bytes());
        assert!(parsed.is_ok(), "{net:?}");
    }
}

/// NF-10 to NF-14: NF-11, NF-12 and NF-13 are the same bits at every level.
#[test]
fn every_level_every_near_and_every_batch_give_the_same_bits() {
    let best = NetEvaluator::embedded().unwrap();
    let levels = CpuLevel::available();
    eprintln!(
        "levels: {:?}",
        levels.iter().map(|l| l.name()).collect::<Vec<_>>()
    );
    let others: Vec<NetEvaluator> = levels.iter().map(|&level| best.at(level)).collect();
    let free_text: Vec<Position> = random_turns(9, 40).iter().map(|turn| turn.0).collect();
    for (number, (before, after)) in random_turns(1, 1500).iter().enumerate() {
        let want: Vec<[u32; 5]> = (after.iter())
            .flat_map(|position| evaluated(&others[levels.len() - 1], None, &[*position]))
            .collect();
        for evaluator in &others {
            assert_eq!(evaluated(evaluator, Some(before), after), want);
            assert_eq!(evaluated(evaluator, None, after), want);
        }
        let stranger = &free_text[number % free_text.len()];
        assert_eq!(evaluated(&best, Some(stranger), after), want);
        let middle = after.len() / 2;
        assert_eq!(
            evaluated(&best, Some(before), &after[middle..]),
            want[middle..]
        );
    }
}

/// NF-15: however large the second layer's weights, no sum can leave 32 bits: rows that could are rounded coarser.
#[test]
fn sums_of_the_second_layer_stay_within_32_bits() {
    let inputs = InputSet::COUNTS;
    let mut net = random_net(2, inputs, 1024, 3);
    (net.activation, net.limits) = (Activation::Screlu, Limits::WIDE);
    // Equal weights: the largest sum for their size.
    net.w2[..1024].fill(7.0);
    net.w2[1024..2048].fill(-1e-3);
    let parts = quantise(&net, &inputs.units(), SecondBits::Thirteen, 4).unwrap();
    for row in parts.second.chunks(1024) {
        let sum: i64 = row.iter().map(|&w| i64::from(w).abs()).sum();
        assert!(sum * 4068 <= i64::from(i32::MAX), "{sum}");
    }
    let near = |row: usize, want: f64| {
        let unit = f64::from(parts.scales[row]) * 65025.0 / 64.0;
        (f64::from(parts.second[1024 * row]) * unit / want - 1.0).abs() < 0.002
    };
    assert!(near(0, 7.0) && near(1, -1e-3));
    assert!(IntegerNet::new(parts).is_ok());
}

/// All shapes: widths that are not multiples of the tile, one to 64 neurons in the second layer,
/// both kinds of weights and of activation, weights of the largest size.
#[test]
fn kernels_agree_on_all_shapes() {
    let turns = random_turns(3, 12);
    for (seed, (width, second)) in [
        (1, 1),
        (100, 16),
        (128, 17),
        (256, 32),
        (520, 48),
        (1024, 64),
    ]
    .into_iter()
    .enumerate()
    {
        let kinds = [
            (SecondBits::Eight, InputSet::COUNTS_HAND),
            (SecondBits::Thirteen, InputSet::COUNTS_HAND),
            (SecondBits::Thirteen, InputSet::COUNTS_HAND_REACH),
            (SecondBits::Thirteen, InputSet::COUNTS_OFF),
        ];
        let activations = [
            (Activation::Crelu, Limits::default()),
            (Activation::Screlu, Limits::default()),
            (Activation::Screlu, Limits::WIDE),
        ];
        let kinds = kinds.map(|kind| activations.map(|activation| (kind, activation)));
        for ((bits, inputs), (activation, limits)) in kinds.into_iter().flatten() {
            let mut net = random_net(seed as u64, inputs, width, second);
            net.w2[0] = 100.0;
            (net.activation, net.limits) = (activation, limits);
            let files = ["contact", "race"]
                .map(|class| (class.to_owned(), file_of(&net, inputs, class, bits)));
            let evaluator = NetEvaluator::from_files(&files).unwrap();
            for (before, after) in &turns {
                let want = evaluated(&evaluator.at(CpuLevel::SCALAR), None, after);
                for level in CpuLevel::available() {
                    assert_eq!(evaluated(&evaluator.at(level), Some(before), after), want);
                }
            }
        }
    }
}

/// NF-21.
#[test]
fn integers_stay_close_to_the_float_net() {
    let activations = [
        (Activation::Crelu, Limits::default()),
        (Activation::Screlu, Limits::default()),
        (Activation::Screlu, Limits::WIDE),
    ];
    for (seed, (activation, limits)) in (0..9).zip(activations.into_iter().cycle()) {
        let inputs = match seed {
            6.. => InputSet::COUNTS_OFF,
            3.. => InputSet::COUNTS_HAND_REACH,
            _ => InputSet::COUNTS_HAND,
        };
        let mut net = random_net(seed, inputs, 256, 32);
        (net.activation, net.limits) = (activation, limits);
        let file = file_of(&net, inputs, "contact", SecondBits::Thirteen);
        let judge = ClassNet::parse("test", &file).unwrap();
        for (before, _) in random_turns(seed, 200) {
            let exact = net.results(&inputs.values(&before));
            for (found, exact) in judge.raw(&before).into_iter().zip(exact) {
                // The slope of a square is up to 2: the first layer's rounding counts twice.
                // With the limit 2 it is up to 4, and what is beyond 1 counts.
                let near = match (activation, limits.first) {
                    (Activation::Crelu, _) => 0.01,
                    (Activation::Screlu, 1) => 0.02,
                    _ => 0.04,
                };
                // What rounding takes from a row is taken as often as the integer says, up to 18 times.
                let near = match inputs {
                    InputSet::COUNTS_HAND_REACH => 4.0 * near,
                    _ => near,
                };
                assert!((f64::from(found) - exact).abs() < near, "{found} {exact}");
            }
        }
    }
}

#[test]
fn chances_are_ordered_and_possible() {
    let evaluator = NetEvaluator::embedded().unwrap();
    let mut seen = [0; 11];
    for (before, after) in random_turns(5, 1500) {
        let mut out = vec![Chances::default(); after.len()];
        evaluator.evaluate(Some(&before), &after, &mut out);
        for (position, c) in after.iter().zip(out) {
            seen[evaluator.class(position) as usize] += 1;
            assert!(c.win_backgammon >= 0.0 && c.win_backgammon <= c.win_gammon);
            assert!(c.win_gammon <= c.win && c.win <= 1.0, "{position:?} {c:?}");
            assert!(c.lose_backgammon >= 0.0 && c.lose_backgammon <= c.lose_gammon);
            assert!(c.lose_gammon <= 1.0 - c.win + 1e-6, "{position:?} {c:?}");
            if position.opponent().off() > 0 {
                assert_eq!(c.win_gammon, 0.0);
            }
            if !position.has_contact() && position.opponent().occupied() >> 18 == 0 {
                assert_eq!(c.win_backgammon, 0.0);
            }
        }
    }
    for class in [Class::Over, Class::Bearoff2, Class::Race, Class::Contact] {
        assert!(seen[class as usize] > 0, "{class}");
    }
}

#[test]
fn finished_games_are_exact() {
    let evaluator = NetEvaluator::embedded().unwrap();
    let check = |me: &[(usize, u8)], opponent: &[(usize, u8)], want: [f32; 5]| {
        let counts = |list: &[(usize, u8)]| {
            let mut counts = [0; 25];
            list.iter()
                .for_each(|&(point, count)| counts[point] = count);
            counts
        };
        let position = Position::new(&counts(me), &counts(opponent)).unwrap();
        let mut out = [Chances::default()];
        evaluator.evaluate(None, &[position], &mut out);
        assert_eq!(out[0].to_array(), want);
    };
    check(&[], &[(0, 14)], [1.0, 0.0, 0.0, 0.0, 0.0]);
    check(&[], &[(10, 15)], [1.0, 1.0, 0.0, 0.0, 0.0]);
    check(&[], &[(10, 14), (18, 1)], [1.0, 1.0, 1.0, 0.0, 0.0]);
    check(&[(10, 14), (24, 1)], &[], [0.0, 0.0, 0.0, 1.0, 1.0]);
    check(&[(3, 1)], &[], [0.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn float_nets_that_do_not_fit_are_refused() {
    let inputs = InputSet::COUNTS;
    let mut net = random_net(1, inputs, 8, 4);
    net.w1[8 * 7 + 5] = 1000.0;
    let error = quantise(&net, &inputs.units(), SecondBits::Eight, 4).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("first layer, neuron 5: sums reach"),
        "{text}"
    );
    net.w1[8 * 7 + 5] = f32::NAN;
    assert!(quantise(&net, &inputs.units(), SecondBits::Eight, 4).is_err());
    let hand = InputSet::COUNTS_HAND;
    assert!(quantise(&net, &hand.units(), SecondBits::Eight, 4).is_err());
}

/// No position adds more to a sum of the first layer than quantising makes room for.
#[test]
fn sums_stay_within_what_inputs_reach() {
    for set in [InputSet::COUNTS_HAND, InputSet::COUNTS_HAND_REACH] {
        let net = random_net(11, set, 64, 16);
        let units = set.units();
        let mut widest = 0.0_f64;
        for neuron in 0..64 {
            let weight = |input: usize| f64::from(net.w1[input * 64 + neuron]);
            let columns = (0..set.inputs()).map(|k| weight(k) * f64::from(units.units[k]));
            let (low, high) = (units.reach)(&columns.collect::<Vec<_>>());
            for (position, _) in random_turns(neuron as u64, 40) {
                let values = set.values(&position).into_iter();
                let sum: f64 = values.map(|(input, x)| weight(input) * x).sum();
                assert!((low..=high).contains(&sum), "{sum}: {low} to {high}");
                widest = widest.max(sum / high).max(sum / low);
            }
        }
        assert!(widest > 0.2, "{widest}");
    }
}

/// Random bytes and random damage never panic.
#[test]
fn damaged_files_are_refused() {
    let net = random_net(1, InputSet::COUNTS, 4, 2);
    let good = file_of(&net, InputSet::COUNTS, "race", SecondBits::Eight);
    let float = safetensors::write(&net);
    let mut rng = rng::stream(7, 0);
    for _ in 0..3000 {
        let mut file = good.clone();
        let at = rng::below(&mut rng, file.len() as u32) as usize;
        file[at] ^= 1 << rng::below(&mut rng, 8);
        assert!(ClassNet::parse("damaged", &file).is_err());
        let mut file = float.clone();
        for _ in 0..4 {
            let at = rng::below(&mut rng, 700) as usize;
            file[at] = rng.next_u32() as u8;
        }
        let _ = safetensors::read(&file);
    }
    for length in (0..good.len()).step_by(7) {
        let error = ClassNet::parse("short.net", &good[..length]).unwrap_err();
        assert!(error.to_string().starts_with("short.net: byte "), "{error}");
    }
}

#[test]
fn nets_of_a_folder_are_loaded() {
    let folder = tempfile::tempdir().unwrap();
    assert!(NetEvaluator::load(&folder.path().join("none")).is_err());
    let error = NetEvaluator::load(folder.path()).unwrap_err();
    assert_eq!(error.to_string(), "no contact net");
    for net in &EMBEDDED {
        std::fs::write(folder.path().join(net.name()), net.bytes()).unwrap();
    }
    let loaded = NetEvaluator::load(folder.path()).unwrap();
    let embedded = NetEvaluator::embedded().unwrap();
    assert_eq!(loaded.name(), embedded.name());
    let start = [Position::start()];
    assert_eq!(
        evaluated(&loaded, None, &start),
        evaluated(&embedded, None, &start)
    );
    let one = NetEvaluator::load(&folder.path().join("race.net")).unwrap();
    assert_eq!(
        evaluated(&one, None, &start),
        evaluated(&embedded, None, &start)
    );
    // Which of two would be used? Neither.
    let (second, first) = (
        folder.path().join("second.net"),
        "race.net: a second race net beside",
    );
    std::fs::copy(folder.path().join("race.net"), &second).unwrap();
    let error = NetEvaluator::load(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("second.net") && error.contains("a second race net"),
        "{error}"
    );
    assert!(!error.contains(first), "{error}");
    std::fs::remove_file(second).unwrap();
    let second = folder.path().join("second.net");
    std::fs::write(&second, PRUNING.bytes()).unwrap();
    std::fs::write(folder.path().join("pruning.net"), PRUNING.bytes()).unwrap();
    let error = NetEvaluator::load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("a second pruning net"), "{error}");
    std::fs::remove_file(folder.path().join("pruning.net")).unwrap();
    std::fs::write(&second, VOLATILITY.bytes()).unwrap();
    std::fs::write(folder.path().join("volatility.net"), VOLATILITY.bytes()).unwrap();
    let error = NetEvaluator::load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("a second volatility net"), "{error}");
}

/// A net of random weights for a role.
fn file_for(role: Role) -> Vec<u8> {
    let inputs = InputSet::COUNTS;
    let net = random_net(role as u64, inputs, 64, 16);
    file_of(&net, inputs, role.name(), SecondBits::Eight)
}

/// Who judges all contact by that net.
fn alone(role: Role) -> NetEvaluator {
    let net = file_of_class(&file_for(role), "contact");
    let files = [("one".to_owned(), net), ("race".to_owned(), race_net())];
    NetEvaluator::from_files(&files).unwrap()
}

fn race_net() -> Vec<u8> {
    let race = EMBEDDED.iter().find(|net| net.name() == "race.net");
    race.unwrap().bytes()
}

/// Positions of all kinds of contact, with the positions after every play of one roll.
fn varied_turns() -> Vec<(Position, Vec<Position>)> {
    let mut rng = rng::stream(21, 0);
    let mut turns = random_turns(21, 40);
    for position in perf_positions(400, |n| rng::below(&mut rng, n)) {
        let plays = legal_plays(&position, Roll::thrown(&mut rng));
        let after = plays.iter().map(|play| play.after).collect();
        turns.push((position.swapped(), after));
    }
    turns
}

/// NF-07: with any of the nets for parts of contact there or not, each position is the nearest net's of its line, alone and among others.
#[test]
fn a_net_that_is_missing_is_its_parents_work() {
    let in_contact = &Role::ALL[..Role::IN_CONTACT];
    let alone: Vec<NetEvaluator> = in_contact.iter().map(|role| alone(*role)).collect();
    let turns = varied_turns();
    let mut seen = [0; Role::IN_CONTACT];
    for there in [0b1_1111_1111, 0b1, 0b1101, 0b1_0001_0001, 0b0_1110_1111_u32] {
        let has = |role: Role| there >> role as u32 & 1 == 1;
        let mut files = vec![("race".to_owned(), race_net())];
        for role in in_contact.iter().filter(|role| has(**role)) {
            files.push((role.name().to_owned(), file_for(*role)));
        }
        let together = NetEvaluator::from_files(&files).unwrap();
        for (before, after) in &turns {
            let found = evaluated(&together, Some(before), after);
            for (position, found) in after.iter().zip(found) {
                let role = Role::of(position).filter(|role| (*role as usize) < Role::IN_CONTACT);
                let Some(role) = role else { continue };
                seen[role as usize] += 1;
                let whose = role.line().find(|role| has(*role)).unwrap();
                let want = evaluated(&alone[whose as usize], None, &[*position]);
                assert_eq!(found, want[0], "{there:b} {}", role.name());
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 20), "{seen:?}");
}

/// NF-07: a file by itself takes the place of the embedded nets of its whole line, and of no other.
#[test]
fn a_file_stands_for_all_of_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.net");
    std::fs::write(&path, file_for(Role::Ahead)).unwrap();
    let (one, ahead) = (NetEvaluator::load(&path).unwrap(), alone(Role::Ahead));
    let embedded = NetEvaluator::embedded().unwrap();
    let mut seen = [0; 2];
    for position in varied_turns().iter().flat_map(|(_, after)| after) {
        let Some(role) = Role::of(position) else {
            continue;
        };
        let of_line = role.line().any(|role| role == Role::Ahead);
        seen[usize::from(of_line)] += 1;
        let whose = if of_line { &ahead } else { &embedded };
        assert_eq!(
            evaluated(&one, None, &[*position]),
            evaluated(whose, None, &[*position])
        );
    }
    assert!(seen.iter().all(|count| *count > 20), "{seen:?}");
    let strange = file_of_class(&file_for(Role::Contact), "contact-edge");
    let error = NetEvaluator::from_files(&[("x.net".to_owned(), strange)]).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("x.net: class \"contact-edge\", expected one of contact, ")
            && error.contains(", behind-anchor, race, contact-fast"),
        "{error}"
    );
}

/// The same net for another class.
fn file_of_class(bytes: &[u8], class: &str) -> Vec<u8> {
    let (label, parts) = native::read(bytes).unwrap();
    let class = class.to_owned();
    native::write(&native::Label { class, ..label }, &parts)
}

/// A file whose checksum is right and whose numbers are not.
#[test]
fn nets_with_numbers_beyond_all_measure_are_refused() {
    let race = EMBEDDED.last().unwrap();
    let (label, parts) = native::read(&race.bytes()).unwrap();
    for number in [3e38, 2e6, f32::INFINITY, f32::NAN] {
        for place in 0..4 {
            let mut parts = parts.clone();
            match place {
                0 => parts.scales[1] = number,
                1 => parts.second_bias[1] = -number,
                2 => parts.results[1] = number,
                _ => parts.results_bias[1] = number,
            }
            let bytes = native::write(&label, &parts);
            let error = ClassNet::parse(race.name(), &bytes)
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("race.net: ") && error.contains(" 1: "),
                "{error}"
            );
        }
    }
}

/// CUBE-12, NF-34: the numbers of the file, by hand, for every owner, in the value of a position that is not looked beyond; and the table of
/// classes where it is wanted instead.
#[test]
fn cube_life_follows_the_volatility_net() {
    let (_, parts) = native::read(&VOLATILITY.bytes()).unwrap();
    let evaluator = NetEvaluator::embedded().unwrap();
    let rules = Rules {
        jacoby: false,
        beavers: false,
    };
    let recent = CubeEfficiency::recent();
    let [ours, by_class] = [CubeEfficiency::default(), recent]
        .map(|efficiency| Engine::builder().efficiency(efficiency).build().unwrap());
    let met = MatchEquityTable::default();
    let mut different = 0;
    for (position, _) in random_turns(404, 60) {
        if !position.has_contact() || position.is_over() {
            continue;
        }
        let mut chances = [Chances::default()];
        evaluator.evaluate(None, &[position], &mut chances);
        let [w, wg, _, lg, _] = chances[0].to_array().map(f64::from);
        let s = evaluator.volatility(&position);
        let terms = [1.0, s, w, w * w, wg, lg, s * w, s * w * w];
        for (number, owner) in [CubeOwner::Me, CubeOwner::Centred, CubeOwner::Opponent]
            .into_iter()
            .enumerate()
        {
            let numbers = parts.results[8 * number..].iter().map(|&c| f64::from(c));
            let sum: f64 = numbers.zip(terms).map(|(c, term)| c * term).sum();
            let life = sum.clamp(0.0, 1.0);
            let mut state = MatchState::money(rules);
            if owner != CubeOwner::Centred {
                state.cube = Cube::new(2, owner).unwrap();
            }
            for (engine, efficiency) in [(&ours, life), (&by_class, recent.contact)] {
                let stakes = Stakes::new(state, &met);
                let leaf = Leaf {
                    chances: chances[0],
                    efficiency: [efficiency; 3],
                    by_position: false,
                    next: None,
                    near: None,
                    exact: None,
                };
                let cube = CubeState::from(state.cube);
                let want = Valuer::new(&stakes, leaf).value(cube);
                let query = CubeQuery::new(position, state);
                let found = engine.cube_action(&query, &Settings::plies(0), &Stop::never());
                let found = found.unwrap().no_double.equity;
                assert!(
                    (found - want).abs() < 1e-6,
                    "{position:?} {owner:?}: {found} {want}"
                );
            }
            different += usize::from((life - recent.contact).abs() > 0.01);
        }
    }
    assert!(different > 100, "{different}");
}
