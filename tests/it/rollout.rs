//! Rollouts through the program.

/// Through the program: shapes, the same numbers twice, errors that name the setting.
#[test]
fn requests_are_answered_and_refused() {
    use std::io::Write as _;
    let start = "4HPwATDgc/ABMA";
    let quick = "trials=36 truncate=3 vr=off";
    let asked = [
        format!("rollout {start} 31 plays=\"8/5 6/5; 24/19\" {quick}"),
        format!("rollout {start} 31 top=2 {quick}"),
        format!("rollout cube {start} {quick} length=5"),
        format!("rollout {start} {quick} cubeful=off"),
        format!("rollout {start} 31 plays=\"8/5 6/4\" {quick}"),
        format!("rollout {start} plays=\"8/5 6/5\""),
        format!("rollout {start} trials=0"),
        format!("rollout {start} trials=1e18"),
        format!("rollout {start} trials=-1"),
        format!("rollout {start} truncate=x"),
        format!("rollout cube {start} owner=opponent {quick}"),
        format!("rollout cube {start} {quick} length=5"),
        format!("rollout {start} {quick} otherplies=0 otherfilter=tiny"),
    ];
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["pipe", "--threads", "2"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = program.stdin.take().unwrap();
    input
        .write_all((asked.join("\n") + "\n").as_bytes())
        .unwrap();
    drop(input);
    let output = program.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), asked.len(), "{text}");
    let count = |at: usize| answers[at]["candidates"].as_array().unwrap().len();
    assert_eq!([count(1), count(2), count(3)], [2, 2, 1], "{text}");
    assert_eq!(answers[1]["roll"], serde_json::json!([3, 1]));
    assert_eq!(answers[1]["candidates"][0]["loss"], 0.0);
    assert_eq!(answers[2]["candidates"][1]["action"], "double, take");
    assert!(answers[2]["verdict"].is_string() && answers[2]["mwc"]["no_double"].is_number());
    assert!(answers[3]["candidates"][0]["equity"]["cubeful"].is_null());
    // The other side is told where it plays differently.
    let other = ["otherplies", "othercubeplies", "otherfilter"];
    assert!(other.iter().all(|key| answers[1][key].is_null()));
    let told = other.map(|key| answers[12][key].clone());
    assert_eq!(
        serde_json::json!(told),
        serde_json::json!([0, 0, "tiny"]),
        "{text}"
    );
    let numbers = |at: usize| answers[at]["candidates"].clone();
    assert_eq!(numbers(2), numbers(11));
    // 24/19 is no play of 3-1.
    let refused = [
        (0, "24/19", "bad-play"),
        (4, "8/5 6/4", "bad-play"),
        (5, "needs a roll", "bad-combination"),
        (6, "'trials' is '0'", "bad-setting"),
        (7, "'trials' is '1e18'", "bad-setting"),
        (8, "'trials' is '-1'", "bad-setting"),
        (9, "'truncate' is 'x'", "bad-setting"),
    ];
    assert_eq!(answers[10]["code"], "bad-cube");
    for (at, part, code) in refused {
        let message = answers[at]["message"].as_str().unwrap();
        assert!(
            message.contains(part) && answers[at]["code"] == code,
            "{message}"
        );
    }
}
