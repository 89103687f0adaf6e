//! Strangers on a farm: jobs and answers written by hand, with a real nats-server and real workers.
#![cfg(unix)]

use crate::field::{Field, block_on};
use async_nats::HeaderMap;
use async_nats::jetstream::{self, Context};
use gammond_base::checksum::sha256;
use gammond_farm::FORMAT;
use serde_json::{Value, json};
use std::fs;

async fn context(field: &Field) -> Context {
    jetstream::new(async_nats::connect(field.url()).await.unwrap())
}

/// An answer that nobody computed.
struct Forged {
    job: String,
    batch: u64,
    worker: &'static str,
    parts: u64,
    bytes: Vec<u8>,
    sum: Option<String>,
    object: bool,
}

impl Forged {
    async fn give(self, js: &Context) {
        let mut headers = HeaderMap::new();
        let sum = self.sum.unwrap_or_else(|| sha256(&self.bytes));
        for (name, value) in [
            ("Nats-Expected-Last-Subject-Sequence", "0"),
            ("Gammond-Worker", self.worker),
            ("Gammond-Instance", "1-1"),
            ("Gammond-Busy-Ms", "18446744073709551615"),
            ("Gammond-Parts", &self.parts.to_string()),
            ("Gammond-Sha256", &sum),
        ] {
            headers.insert(name, value);
        }
        if self.object {
            headers.insert("Gammond-Object", "1");
        }
        let subject = format!("gammond.result.{}.0.{}.0", self.job, self.batch);
        let sent = js.publish_with_headers(subject, headers, self.bytes.into());
        sent.await.unwrap().await.unwrap();
    }
}

/// Parts as answers have them.
fn packed(parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend((part.len() as u32).to_le_bytes());
        bytes.extend(*part);
    }
    bytes
}

/// A missing object, garbage with the right number of parts, parts without number: each is taken back and computed again,
/// and the machine in whose name it came is quarantined; the result is that of one machine.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn forged_answer_is_recomputed_and_its_machine_quarantined() {
    let test = "farm_hostile::forged_answer_is_recomputed_and_its_machine_quarantined";
    let Some(field) = Field::new(test) else {
        return;
    };
    let alone = {
        field.good("label positions out --plies 0");
        let alone = field.read("out");
        fs::remove_file(field.path("out")).unwrap();
        alone
    };
    let job = field.good("farm submit --verify 0 --batch 1 label positions out --plies 0");
    let job = job.trim().to_owned();
    let batches = field.status(&job)["batches"].as_u64().unwrap();
    let part = &b"no label"[..];
    // None by more than one of them; one message of each.
    let cases: [(&'static str, u64, Vec<u8>, Option<String>, bool); 5] = [
        ("garbage", 1, packed(&[part]), None, false),
        (
            "many",
            1_000_000_000_000_000_000,
            packed(&[part]),
            None,
            false,
        ),
        ("missing", 1, Vec::new(), Some("1".repeat(64)), true),
        ("wrong-sum", 1, packed(&[part]), Some("0".repeat(64)), false),
        ("torn", 1, vec![255; 9], None, false),
    ];
    for (count, (worker, parts, bytes, sum, object)) in (0..).zip(cases) {
        field.good(&format!("farm cancel {job}"));
        let again = field.good("farm submit --verify 0 --batch 1 label positions out --plies 0");
        assert_eq!(again.trim(), job);
        block_on(async {
            let js = context(&field).await;
            let forged = Forged {
                job: job.clone(),
                batch: count % batches,
                worker,
                parts,
                bytes,
                sum,
                object,
            };
            forged.give(&js).await;
        });
        // What nobody checked is not shown.
        let status = field.status(&job);
        assert!(
            status["parts_done"].as_u64().unwrap() <= status["parts"].as_u64().unwrap(),
            "{worker}: {status}"
        );
        let mut honest = field.worker("honest", "");
        field.good(&format!("farm fetch --wait {job}"));
        honest.kill();
        assert!(field.read("out") == alone, "{worker}");
        fs::remove_file(field.path("out")).unwrap();
        let workers: Value =
            serde_json::from_str(&field.good("farm workers --format json")).unwrap();
        let aside: Vec<&String> = workers["aside"].as_object().unwrap().keys().collect();
        assert_eq!(aside, [worker]);
        field.good(&format!("farm workers --believe {worker}"));
    }
}

/// Files of players travel with the job; the result is that of one machine.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn players_of_files_compute_the_same_on_a_farm() {
    let Some(field) = Field::new("farm_hostile::players_of_files_compute_the_same_on_a_farm")
    else {
        return;
    };
    let linear = include_str!("../../src/arena/player/linear.toml");
    field.write("sum.toml", linear);
    field.write(
        "parts.toml",
        "contact = 'linear:sum.toml'\nrace = 'gammond'\none_sided = true\n",
    );
    let _worker = field.worker("one", "");
    for line in [
        "duel linear:sum.toml random --games 20",
        "duel expectiminimax:eval=linear:sum.toml random --games 4",
        "duel parts:parts.toml random --games 20",
    ] {
        let alone = field.good(line);
        // The worker has neither file where the job was submitted from.
        assert_eq!(
            field.good(&format!("farm submit --wait --verify 0 {line}")),
            alone,
            "{line}"
        );
    }
    // A job that writes elsewhere is fetched only by who says so.
    let job = field.good("farm submit duel random random --games 2 --journal ../elsewhere");
    let job = job.trim();
    field.until("it is done", || field.status(job)["state"] == "complete");
    let out = field.run(&format!("farm fetch {job}"));
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(2), "{said}");
    assert!(said.contains("outside of this folder"), "{said}");
    assert!(!field.path("../elsewhere").exists());
}

/// Jobs written by hand: none is run, none opens a file, and what workers say of them quotes nothing.
#[test]
fn job_written_by_hand_runs_and_reads_nothing() {
    let Some(field) = Field::new("farm_hostile::job_written_by_hand_runs_and_reads_nothing") else {
        return;
    };
    let marker = field.path("was-run");
    let run = format!("touch {}", marker.display());
    field.write("private", "top-secret-line\n");
    let private = field.path("private").display().to_string();
    let honest = field.good("farm submit --verify 0 duel random random --games 4");
    let players = [
        json!({"ubgi": run}),
        json!({"pipe": run}),
        json!({"expectiminimax": {"depth": 1, "eval": {"ubgi": run}}}),
        json!({"parts": {"name": "n", "contact": {"pipe": run}, "race": "random", "one_sided": false}}),
        json!({"linear": private}),
        json!({"classic": {"kind": "td", "file": private, "sides": "swap"}}),
        json!({"parts": private}),
        json!({"gammond": {"nets": private}}),
        // A file that travels, and is no net: its content is not quoted.
        json!({"classic": {"kind": "td", "file": 0, "sides": "swap"}}),
        json!({"linear": 0}),
    ];
    let count = players.len();
    // The same with an honest player is run: nothing but the player is wrong with the others.
    let players = players.into_iter().chain([json!("random")]);
    let written = block_on(async {
        let js = context(&field).await;
        let jobs = js.get_key_value("gammond-jobs").await.unwrap();
        let files = js.get_object_store("gammond-files").await.unwrap();
        let sum = sha256(b"top-secret-line\n");
        files
            .put(sum.as_str(), &mut &b"top-secret-line\n"[..])
            .await
            .unwrap();
        let bytes = jobs.get(format!("{}.task", honest.trim())).await.unwrap();
        let stage = jobs
            .get(format!("{}.stage.0", honest.trim()))
            .await
            .unwrap();
        let honest: Value = serde_json::from_slice(&bytes.unwrap()).unwrap();
        let mut last = String::new();
        for player in players {
            // The name of a job is the checksum of its bytes as they are written.
            let mut task = honest.clone();
            task["typed"] = json!("");
            let text = task_text(&task, &player, &sum);
            let name = format!("duel-{}", &sha256(text.as_bytes())[..12]);
            jobs.put(format!("{name}.task"), text.into()).await.unwrap();
            jobs.put(format!("{name}.stage.0"), stage.clone().unwrap())
                .await
                .unwrap();
            jobs.put(format!("{name}.state"), "active".into())
                .await
                .unwrap();
            last = name;
        }
        last
    });
    let mut worker = field.worker("one", "");
    field.until("all are refused", || {
        let workers: Value =
            serde_json::from_str(&field.good("farm workers --format json")).unwrap();
        let refuses = workers["machines"][0]["refuses"].as_object().cloned();
        refuses.is_some_and(|refuses| refuses.len() == count)
    });
    field.good(&format!("farm fetch --wait {}", honest.trim()));
    field.good(&format!("farm fetch --wait {written}"));
    assert!(worker.0.try_wait().unwrap().is_none(), "it lives");
    let said = field.good("farm workers") + &field.good("farm status") + &field.log("one");
    assert!(!said.contains("top-secret"), "{said}");
    assert!(!marker.exists());
}

/// A job with another first player and one file, with its fields in the order in which they are written.
fn task_text(honest: &Value, player: &Value, sum: &str) -> String {
    let files = json!([{"path": "private", "folder": false,
        "files": [{"name": "private", "sha256": sum, "length": 16}]}]);
    let duel = &honest["job"]["duel"];
    let fields = [
        "b",
        "games",
        "decide",
        "journal",
        "luck_adjusted",
        "independent_dice",
        "terms",
        "failures",
    ];
    let terms = format!(
        "{{\"cube\":{},\"no_jacoby\":{},\"beavers\":{},\"match_length\":{},\"variant\":{},\"start\":{}}}",
        duel["terms"]["cube"],
        duel["terms"]["no_jacoby"],
        duel["terms"]["beavers"],
        duel["terms"]["match_length"],
        duel["terms"]["variant"],
        duel["terms"]["start"]
    );
    let rest: String = fields
        .iter()
        .map(|field| match *field {
            "terms" => format!(",\"terms\":{terms}"),
            field => format!(",\"{field}\":{}", duel[field]),
        })
        .collect();
    let engine = ["nets", "plies", "bearoff", "met", "seed", "format"];
    let engine: Vec<String> = engine
        .iter()
        .map(|field| format!("\"{field}\":{}", honest["engine"][field]))
        .collect();
    let shipped = ordered_files(&files);
    format!(
        "{{\"format\":{FORMAT},\"version\":{},\"job\":{{\"duel\":{{\"a\":{}{rest}}}}},\"engine\":{{{}}},\"files\":{shipped},\
         \"verify_millionths\":0,\"silence_s\":30,\"typed\":\"\"}}",
        honest["version"],
        ordered_player(player),
        engine.join(",")
    )
}

fn ordered_files(files: &Value) -> String {
    let file = &files[0]["files"][0];
    format!(
        "[{{\"path\":{},\"folder\":false,\"files\":[{{\"name\":{},\"sha256\":{},\"length\":{}}}]}}]",
        files[0]["path"], file["name"], file["sha256"], file["length"]
    )
}

/// The one player whose fields are in another order than the alphabet's.
fn ordered_player(player: &Value) -> String {
    match player.get("classic") {
        Some(classic) => format!(
            "{{\"classic\":{{\"kind\":{},\"file\":{},\"sides\":{}}}}}",
            classic["kind"], classic["file"], classic["sides"]
        ),
        None => player.to_string(),
    }
}
