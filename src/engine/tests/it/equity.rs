//! Match equity tables and the cube model against recorded values of GNU Backgammon.

use crate::support::{lines, rows, rows_are, shared};
use gammond_engine::bearoff::Tables;
use gammond_engine::equity::{
    AWAY_MAX, CubeEfficiency, CubeNumbers, CubeState, Leaf, MatchEquityTable, MetError, Stakes,
    Valuer,
};
use gammond_engine::query::Verdict;
use gammond_game::notation::parse_position;
use gammond_game::{Chances, Cube, CubeOwner, MatchState, Rules, Score};
use serde_json::Value;

fn integer(row: &Value, key: &str) -> u32 {
    u32::try_from(row[key].as_u64().unwrap()).unwrap()
}

/// The state of an oracle row.
pub(crate) fn state(row: &Value) -> MatchState {
    let owner = match row["owner"].as_str().unwrap_or("center") {
        "center" => CubeOwner::Centred,
        "me" => CubeOwner::Me,
        _ => CubeOwner::Opponent,
    };
    let flag = |key: &str| row[key].as_u64() == Some(1);
    let mut state = MatchState::money(Rules {
        jacoby: flag("jacoby"),
        beavers: flag("beavers"),
    });
    state.cube = Cube::new(integer(row, "cube"), owner).unwrap();
    let (length, me, opponent) = (
        integer(row, "match_len"),
        integer(row, "me"),
        integer(row, "opp"),
    );
    state.score = Score::new(length, me, opponent, flag("crawford")).unwrap();
    state
}

/// Five numbers of an oracle row.
pub(crate) fn chances(values: &Value) -> Chances {
    let numbers: Vec<f32> = (values.as_array().unwrap().iter())
        .map(|value| value.as_f64().unwrap() as f32)
        .collect();
    Chances::from_array(numbers.try_into().unwrap())
}

/// A verdict by its number.
pub(crate) fn verdict_code(verdict: Verdict) -> u64 {
    u64::from(verdict as u8)
}

/// MET-01, MET-02, MET-09, MET-10.
#[test]
fn match_equities_agree_with_gnubg() {
    let Some(path) = shared("match_equities_agree_with_gnubg", "oracle/met.jsonl") else {
        return;
    };
    let met = MatchEquityTable::default();
    let rows = rows(&path);
    rows_are(&path, rows.len(), 200, 100);
    for row in rows {
        let mut state = MatchState::default();
        let (length, me, opponent) = (
            integer(&row, "match_len"),
            integer(&row, "me"),
            integer(&row, "opp"),
        );
        let crawford = row["crawford"] == 1;
        state.score = Score::new(length, me, opponent, crawford).unwrap();
        let stakes = Stakes::new(state, &met);
        let cube = CubeState {
            doublings: integer(&row, "cube").trailing_zeros() as u8,
            owner: CubeOwner::Centred,
        };
        let close = |ours: f64, theirs: &Value, tolerance: f64| {
            let theirs = theirs.as_f64().unwrap();
            let allowed = tolerance * theirs.abs().max(1.0);
            assert!((ours - theirs).abs() <= allowed, "{ours} {theirs} {row}");
        };
        for games in 1..=3u32 {
            let points = games << cube.doublings;
            let index = games as usize - 1;
            close(
                met.after(state.score, true, points),
                &row["mwc_win"][index],
                1e-6,
            );
            close(
                met.after(state.score, false, points),
                &row["mwc_lose"][index],
                1e-6,
            );
        }
        for (equity, mwc) in row["mwc_of_equity"].as_object().unwrap() {
            close(stakes.to_mwc(cube, equity.parse().unwrap()), mwc, 1e-6);
        }
        // Far behind, the recorded single-precision numbers cancel.
        let swing = met.after(state.score, true, 1 << cube.doublings)
            - met.after(state.score, false, 1 << cube.doublings);
        let tolerance = 1e-6_f64.max(3e-7 / swing);
        for (mwc, equity) in row["equity_of_mwc"].as_object().unwrap() {
            close(stakes.to_emg(cube, mwc.parse().unwrap()), equity, tolerance);
        }
        let prices = stakes.prices(cube);
        let recorded = &row["gammon_price"];
        close(prices.my_gammon, &recorded["me_g"], 10.0 * tolerance);
        close(prices.my_backgammon, &recorded["me_bg"], 10.0 * tolerance);
        close(prices.opponent_gammon, &recorded["opp_g"], 10.0 * tolerance);
        close(
            prices.opponent_backgammon,
            &recorded["opp_bg"],
            10.0 * tolerance,
        );
    }
}

/// MET-03, MET-04.
#[test]
fn extension_to_64_points_agrees_with_gnubg() {
    for name in ["Kazaross-XG2", "Rockwell-Kazaross", "g11"] {
        let file = format!("data/met-{}-extended64.csv", name.to_lowercase());
        let Some(path) = shared("extension_to_64_points_agrees_with_gnubg", &file) else {
            return;
        };
        let met = MatchEquityTable::named(name).unwrap();
        let table: Vec<Vec<f64>> = (lines(&path).iter())
            .filter(|line| !line.is_empty())
            .map(|line| {
                line.split(',')
                    .map(|text| text.trim().parse().unwrap())
                    .collect()
            })
            .collect();
        assert_eq!(table.len(), AWAY_MAX + 1);
        for mine in 1..=AWAY_MAX as u32 {
            for theirs in 1..=AWAY_MAX as u32 {
                let recorded = table[mine as usize - 1][theirs as usize - 1];
                let ours = met.before_crawford(mine, theirs);
                assert!((ours - recorded).abs() < 2e-7, "{name} {mine} {theirs}");
            }
            let recorded = table[AWAY_MAX][mine as usize - 1];
            assert!(
                (met.trailer(mine) - recorded).abs() < 2e-7,
                "{name} post {mine}"
            );
        }
    }
}

/// MET-03, MET-04: at the longest matches fewer points to go are never worse, and equal scores are even.
#[test]
fn match_equity_is_monotone_to_255_points() {
    let most = u32::from(Score::LENGTH_MAX);
    for name in MatchEquityTable::NAMES {
        let met = MatchEquityTable::named(name).unwrap();
        for mine in 1..=most {
            assert!((met.before_crawford(mine, mine) - 0.5).abs() < 2e-9);
            for theirs in 1..most {
                let [nearer, farther] =
                    [theirs, theirs + 1].map(|away| met.before_crawford(mine, away));
                assert!(
                    nearer <= farther,
                    "{name} {mine} {theirs}: {nearer} {farther}"
                );
                let other = met.before_crawford(theirs, mine);
                assert!(
                    (nearer + other - 1.0).abs() < 2e-9,
                    "{name} {mine} {theirs}"
                );
            }
            let line = (mine < most).then(|| [mine, mine + 1].map(|needs| met.trailer(needs)));
            assert!(
                line.is_none_or(|[nearer, farther]| nearer >= farther),
                "{name} {mine}"
            );
        }
    }
}

/// What the cube model says of a row's own chances.
fn numbers_of(row: &Value, met: &MatchEquityTable) -> (CubeNumbers, [f64; 2], Stakes, CubeState) {
    let state = state(row);
    let position = parse_position(row["id"].as_str().unwrap().as_bytes())
        .unwrap()
        .position;
    let tables = Tables::shared();
    let class = tables.class(&position);
    let stakes = Stakes::new(state, met);
    let leaf = Leaf {
        chances: chances(&row["probs"]),
        efficiency: [CubeEfficiency::default().of(class, position.me().pips()); 3],
        exact: tables.exact_cubeful(&position),
        by_position: false,
        next: None,
        near: None,
    };
    let valuer = Valuer::new(&stakes, leaf);
    let cube = CubeState::from(state.cube);
    let (none, double) = (valuer.value(cube), valuer.value(cube.doubled()));
    let double = if stakes.is_money() {
        2.0 * double
    } else {
        double
    };
    let numbers = CubeNumbers {
        no_double: stakes.to_emg(cube, none),
        double_take: stakes.to_emg(cube, double),
        double_pass: 1.0,
    };
    (numbers, [none, double], stakes, cube)
}

/// CUBE-13: at 2 away against 3 away the trailer turns a cube of 2 that he owns at once, so that a taken double is worth what winning the
/// game is, and after the Crawford game a centred one; for gnubg's efficiencies not.
#[test]
fn a_cube_that_the_opponent_turns_for_nothing_is_live() {
    let met = MatchEquityTable::default();
    let chances = Chances::from_array([0.68, 0.0, 0.0, 0.0, 0.0]);
    let value = |(score, crawford), cube: CubeState, by_position| {
        let (mine, theirs) = score;
        let mut state = MatchState::money(Rules::default());
        state.score = Score::new(7, mine, theirs, crawford).unwrap();
        let stakes = Stakes::new(state, &met);
        let leaf = Leaf {
            chances,
            efficiency: [0.6; 3],
            by_position,
            next: None,
            near: None,
            exact: None,
        };
        Valuer::new(&stakes, leaf).value(cube)
    };
    let cube = |doublings, owner| CubeState { doublings, owner };
    let theirs = cube(1, CubeOwner::Opponent);
    assert!((value(((5, 4), false), theirs, true) - 0.68).abs() < 1e-6);
    assert!(value(((5, 4), false), theirs, false) > 0.69);
    // The leader needs a point, the trailer three: the trailer turns a centred cube, for nothing.
    let centred = cube(0, CubeOwner::Centred);
    let [live, by_class] = [true, false].map(|known| value(((6, 4), false), centred, known));
    assert!(live < by_class, "{live} {by_class}");
    // For who is on roll not turning it is no better than before, and worse than turning it.
    let [still, by_class] = [true, false].map(|known| value(((4, 6), false), centred, known));
    assert_eq!(still, by_class);
    assert!(value(((4, 6), false), cube(1, CubeOwner::Opponent), true) > still);
    let mine = cube(1, CubeOwner::Me);
    let [still, by_class] = [true, false].map(|known| value(((4, 5), false), mine, known));
    assert_eq!(still, by_class);
    assert!(value(((4, 5), false), cube(2, CubeOwner::Opponent), true) > still);
    // At other scores nothing changes.
    for owner in [CubeOwner::Me, CubeOwner::Centred, CubeOwner::Opponent] {
        let values = [true, false].map(|known| value(((0, 0), false), cube(1, owner), known));
        assert_eq!(values[0], values[1]);
    }
}

/// CUBE-01, CUBE-02, CUBE-03, CUBE-04, CUBE-05, CUBE-06, CUBE-07, CUBE-08, CUBE-09, MET-11.
#[test]
fn static_cube_values_and_verdicts_agree_with_gnubg() {
    let test = "static_cube_values_and_verdicts_agree_with_gnubg";
    let Some(path) = shared(test, "oracle/cube.jsonl.gz") else {
        return;
    };
    let met = MatchEquityTable::default();
    let rows = rows(&path);
    let rows: Vec<_> = rows.iter().filter(|row| row["ply"] == 0).collect();
    rows_are(&path, rows.len(), 600, 200);
    let mut wrong = Vec::new();
    for row in rows {
        let (numbers, mwc, stakes, cube) = numbers_of(row, &met);
        let tolerance = if stakes.is_money() { 2e-5 } else { 3e-5 };
        let values = [("nd", numbers.no_double), ("dt", numbers.double_take)];
        for (index, (key, ours)) in values.into_iter().enumerate() {
            let theirs = row[key].as_f64().unwrap();
            let near = (ours - theirs).abs() <= tolerance;
            // Far behind, single-precision EMG cancels: match winning chances are compared.
            let near_mwc = row[format!("{key}_mwc")].as_f64().is_some_and(|theirs| {
                integer(row, "match_len") > 30 && (mwc[index] - theirs).abs() <= 1e-6
            });
            if !near && !near_mwc {
                wrong.push(format!("{key} {ours} {theirs}: {row}"));
            }
        }
        let beavers = state(row).rules.beavers;
        let decision = numbers.judge(&stakes, cube, beavers, &chances(&row["probs"]));
        let text = row["verdict"].as_str().unwrap();
        if decision.verdict.text() != text
            || verdict_code(decision.verdict) != row["verdict_code"].as_u64().unwrap()
        {
            wrong.push(format!("{} {numbers:?}: {row}", decision.verdict));
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

/// MET-06, MET-07, MET-08.
#[test]
fn mec_files_are_read() {
    let xml = |kind: &str, inside: &str| {
        format!(
            "<?xml version = \"1.0\"?>\n<!DOCTYPE met PUBLIC \"x\" \"met.dtd\">\n<!-- note -->\n\
             <met><info><name>mine</name><length>2</length></info>\
             <pre-crawford-table type=\"{kind}\">{inside}</pre-crawford-table>\
             <post-crawford-table player=\"both\"><row><me>0.5</me><me>0.49</me></row>\
             </post-crawford-table></met>"
        )
    };
    let table = |text: &str| text.parse::<MatchEquityTable>();
    let good = "<row><me>0.5</me><me>0.7</me></row><row><me>0.3</me><me>0.5</me></row>";
    let read = table(&xml("explicit", good)).unwrap();
    assert_eq!(read.name(), "mine");
    assert_eq!(read.before_crawford(1, 2), 0.7);
    assert_eq!(read.trailer(1), 0.5);
    let computed = "<parameters><parameter name=\"gammon-rate\">0.26</parameter>\
                    <parameter name=\"win-rate\">0.5</parameter></parameters>";
    let read = table(&xml("mec", computed)).unwrap();
    assert!((read.before_crawford(2, 1) - 0.315).abs() < 0.01);
    let message = |text: &str| table(text).unwrap_err().to_string();
    let bad = good.replace("0.7", "0,7");
    assert!(message(&xml("explicit", &bad)).contains("entry 2 of row 1 is \"0,7\""));
    let uneven = good.replace("0.7", "0.9");
    assert!(message(&xml("explicit", &uneven)).contains("2-away 1-away"));
    assert!(message(&xml("magic", good)).contains("magic"));
    assert!(message("<met></met>").contains("no pre-crawford-table"));
    assert!(
        message("<met><info>").contains("met equity") || message("<met><info>").contains("XML")
    );
    assert!(message("").contains("no pre-crawford-table"));
    assert!(matches!(
        MatchEquityTable::named("nothing"),
        Err(MetError::Name(_))
    ));
}

/// The files of an installed gnubg: the explicit ones give the built-in numbers.
///
/// MET-05, MET-06, MET-07.
#[test]
fn installed_met_files_are_read() {
    let Some(folder) = crate::support::gnubg_file("installed_met_files_are_read", "met") else {
        return;
    };
    let load = |name: &str| MatchEquityTable::load(&folder.join(name));
    for name in MatchEquityTable::NAMES {
        let ours = MatchEquityTable::named(name).unwrap();
        let theirs = load(&format!("{name}.xml")).unwrap();
        for mine in 1..=AWAY_MAX as u32 {
            for other in 1..=AWAY_MAX as u32 {
                let (a, b) = (
                    ours.before_crawford(mine, other),
                    theirs.before_crawford(mine, other),
                );
                assert!((a - b).abs() < 1e-9, "{name} {mine} {other}: {a} {b}");
            }
            assert!((ours.trailer(mine) - theirs.trailer(mine)).abs() < 1e-9);
        }
    }
    for name in ["jacobs", "ortega", "snowie", "woolsey", "mec", "zadeh"] {
        assert!(load(&format!("{name}.xml")).is_ok(), "{name}");
    }
    assert!(matches!(load("jac050.xml"), Err(MetError::OneSided { .. })));
    assert!(matches!(load("none.xml"), Err(MetError::Read { .. })));
}
