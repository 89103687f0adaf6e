//! `gammond farm` with a real nats-server: the bytes of one machine, whoever dies or lies on the way.
//!
//! `GAMMOND_FARM_KILLS=50` kills that often; the figures of protocol-specs/measured/2026-11-22.md come from it.
#![cfg(unix)]

use crate::field::{Field, Running, block_on, free_port};
use async_nats::jetstream::{self, AckKind, consumer::PullConsumer};
use futures_util::StreamExt as _;
use std::collections::BTreeMap;
use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a rollout prints has the time that it took in it.
fn timeless(text: &str) -> String {
    let mut value: serde_json::Value = serde_json::from_str(text).unwrap();
    if let Some(map) = value.as_object_mut() {
        map.retain(|key, _| {
            !key.ends_with("ms") && !key.contains("time") && !key.contains("seconds")
        });
    }
    value.to_string()
}

#[test]
fn three_machines_roll_out_as_one_does() {
    three_machines(
        "farm::three_machines_roll_out_as_one_does",
        &[
            (
                "bm --bm-in positions --out OUT --best 2 trials=72 vr=off truncate=2",
                Some("made.bm"),
            ),
            (
                "rollout 4HPwATDgc/ABMA 31 top=2 trials=200 vr=off truncate=2 --format json",
                None,
            ),
            (
                "rollout 4HPwATDgc/ABMA trials=1296 vr=off truncate=1 se=0.06 --format json",
                None,
            ),
        ],
    );
}

#[test]
#[ignore = "long; .ci/run test runs it"]
fn three_machines_label_and_play_as_one_does() {
    three_machines(
        "farm::three_machines_label_and_play_as_one_does",
        &[
            ("label positions OUT --games 2 --seed 4", Some("labels")),
            ("sample OUT --positions 100", Some("some.labels")),
            ("duel pubeval gammond --games 20", None),
            (
                "duel pubeval random --games 400 --decide 0.5 --journal OUT",
                Some("duel.journal"),
            ),
        ],
    );
}

#[test]
#[ignore = "long; .ci/run test runs it"]
fn three_machines_score_as_one_does() {
    three_machines(
        "farm::three_machines_score_as_one_does",
        &[
            (
                "bench x.bm --player gammond --against pubeval --format json",
                None,
            ),
            (
                "bench regret positions --player pubeval --against random --decisions 20 --judge gammond:plies=1",
                None,
            ),
            ("tournament pubeval random pubeval --games 40", None),
            (
                "gate gammond --against pubeval --against random --games 40 --bench x.bm --lead 0.1",
                None,
            ),
        ],
    );
}

/// What is typed, alone and on three machines, and the file that comes of it; none for what is printed.
fn three_machines(test: &str, lines: &[(&str, Option<&str>)]) {
    let Some(field) = Field::new(test) else {
        return;
    };
    let _workers = ["one", "two", "three"].map(|name| field.worker(name, "--jobs 1"));
    for (line, file) in lines {
        let line = line.replace("OUT", "made");
        let alone = match line.strip_prefix("bm ") {
            Some(rest) => field.good(&format!("rollout {rest}")),
            None => field.good(&line),
        };
        let made = file.map(|_| field.read("made"));
        let _ = fs::remove_file(field.path("made"));
        let submit = "farm submit --wait --verify 0.3 --part-seconds 0.3";
        let together = field.good(&format!("{submit} {line}"));
        if line.starts_with("rollout") {
            assert_eq!(timeless(&together), timeless(&alone), "{line}");
        } else {
            assert_eq!(together, alone, "{line}");
        }
        if let Some(made) = made {
            assert!(field.read("made") == made, "{line}");
            fs::remove_file(field.path("made")).unwrap();
        }
    }
    let all: serde_json::Value =
        serde_json::from_str(&field.good("farm status --format json")).unwrap();
    for job in all["jobs"].as_array().unwrap() {
        assert_eq!(job["state"], "complete", "{job}");
        assert_eq!(job["abandoned"], serde_json::json!([]), "{job}");
    }
    field.good("farm status --html page.html");
    let page = String::from_utf8(field.read("page.html")).unwrap();
    assert!(
        page.contains("Contributor") && page.contains("three"),
        "{page}"
    );
}

#[test]
#[ignore = "long; .ci/run test runs it"]
fn job_continues_without_its_submitter() {
    let Some(field) = Field::new("farm::job_continues_without_its_submitter") else {
        return;
    };
    let line = "rollout --bm-in positions --out made.bm --best 2 trials=72 vr=off truncate=3";
    let job = field.good(&format!("farm submit --batch 1 {line}"));
    let job = job.trim();
    // The same work is the same job.
    assert_eq!(
        field.good(&format!("farm submit --batch 1 {line}")).trim(),
        job
    );
    let early = field.run(&format!("farm fetch {job}"));
    assert_eq!(early.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&early.stderr).contains("--wait"));
    // Nobody but workers from here on, through both steps.
    let _workers = ["one", "two"].map(|name| field.worker(name, ""));
    field.until("both steps", || field.status(job)["state"] == "complete");
    field.good(&format!("farm fetch {job}"));
    let made = field.read("made.bm");
    fs::remove_file(field.path("made.bm")).unwrap();
    field.good(line);
    assert!(field.read("made.bm") == made);
    let status = field.good(&format!("farm status {job}"));
    assert!(status.contains("CPU hours"), "{status}");
    assert!(field.good("farm workers").contains("one"));
    // A file that has changed since is not passed off as the job's.
    field.write("positions", "4HPwATDgc/ABMA\n");
    fs::remove_file(field.path("made.bm")).unwrap();
    let other = field.run(&format!("farm fetch {job}"));
    assert!(
        String::from_utf8_lossy(&other.stderr).contains("has changed since the job was submitted")
    );
    field.good(&format!("farm cancel {job}"));
    let gone = field.run(&format!("farm fetch {job}"));
    assert!(String::from_utf8_lossy(&gone.stderr).contains("was cancelled"));
}

/// Files of a folder, with their contents.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let name = |entry: &fs::DirEntry| entry.file_name().into_string().unwrap();
    entries
        .map(|entry| (name(&entry), fs::read(entry.path()).unwrap()))
        .collect()
}

/// The games of each round, and then its nets, are made by others; a killed worker costs what it computed. The second
/// run begins with files of the first.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn training_on_machines_leaves_the_folder_of_one() {
    let Some(field) = Field::new("farm::training_on_machines_leaves_the_folder_of_one") else {
        return;
    };
    let fresh = "{ first = 64, second = 16 }";
    let plan = |contact: &str, more: &str| {
        let round = "[[round]]\nlabels = 150\npool = 3\nrate = 2e-3\ngames = { lambda = 0.0 }\n";
        format!("seed = 1\ncontact = {contact}\nrace = {fresh}\nbatch = 64\n{more}\n{round}{round}")
    };
    field.write("one.toml", &plan(fresh, ""));
    let later = plan("'one/round-2-contact.net'", "earlier = ['one']");
    field.write("two.toml", &later);
    let mut killed = field.worker("killed", "--jobs 1");
    let _other = field.worker("other", "--jobs 1");
    for name in ["one", "two"] {
        let alone = field.good(&format!("train {name}.toml --folder {name}"));
        let submit = "farm submit --verify 0.3 --part-seconds 0.2 --silence 1";
        let job = field.good(&format!("{submit} train {name}.toml --folder {name}-made"));
        let job = job.trim();
        field.until("a part", || field.status(job)["parts_done"] != 0);
        killed.kill();
        killed = field.worker("killed", "--jobs 1");
        let together = field.good(&format!("farm fetch --wait {job}"));
        assert_eq!(together, alone, "{name}");
        let made = contents(&field.path(&format!("{name}-made")));
        assert!(
            made == contents(&field.path(name)),
            "{name}: {:?}",
            made.keys()
        );
        assert_eq!(field.status(job)["state"], "complete");
        // Fetched once more, into the same folder: nothing changes.
        assert_eq!(field.good(&format!("farm fetch {job}")), "");
        assert!(made == contents(&field.path(&format!("{name}-made"))));
    }
    let recipe = "[[stage]]\nname = 'a'\n";
    field.write("recipe.toml", recipe);
    let refused = field.run("farm submit train recipe.toml --folder x");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("a farm trains one run"), "{said}");
}

#[test]
fn impossible_submissions_are_one_line_errors() {
    let Some(field) = Field::new("farm::impossible_submissions_are_one_line_errors") else {
        return;
    };
    let nowhere = free_port();
    field.write("password", "s3cretW0rd\n");
    for (line, why) in [
        (
            format!("farm status --nats nats://127.0.0.1:{nowhere}"),
            "cannot connect to nats://127.0.0.1",
        ),
        (
            "farm status --nats http://127.0.0.1:1".to_owned(),
            "cannot connect to",
        ),
        (
            "farm status --nats nats://u:s3cretW0rd@127.0.0.1:1".to_owned(),
            "put it into a file",
        ),
        ("farm status --farm a.b".to_owned(), "--farm a.b"),
        (
            "farm status label-000000000000".to_owned(),
            "no job 'label-000000000000'",
        ),
        ("farm status nonsense*".to_owned(), "no job 'nonsense*'"),
        ("farm fetch label-000000000000".to_owned(), "no job"),
        ("farm cancel label-000000000000".to_owned(), "no job"),
        (
            "farm workers --believe nobody".to_owned(),
            "no machine 'nobody'",
        ),
        ("farm submit serve".to_owned(), "does not run 'serve'"),
        (
            "farm submit train pruning a b".to_owned(),
            "does not run 'train pruning'",
        ),
        (
            "farm submit duel pipe:true random".to_owned(),
            "start no other programs",
        ),
        ("farm submit label nothing out".to_owned(), "nothing: "),
        (
            "farm submit duel random gammond --cube".to_owned(),
            "does not know the cube",
        ),
        (
            "farm submit duel expectiminimax:eval=ubgi:true random".to_owned(),
            "start no other programs",
        ),
        ("farm worker --name a.b".to_owned(), "--name a.b"),
        ("farm status --creds nothing".to_owned(), "nothing: "),
    ] {
        let out = field.run(&line);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(!out.status.success(), "{line}");
        assert!(said.contains(why), "{line}: {said}");
        assert_eq!(said.trim_end().lines().count(), 1, "{line}: {said}");
        assert!(!said.contains("s3cretW0rd"), "{said}");
    }
    let status = field.run("farm status");
    let said = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(status.status.success() && !said.contains("duel-"), "{said}");
}

/// How often each is killed.
fn kills() -> u64 {
    let asked = std::env::var("GAMMOND_FARM_KILLS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(4)
}

/// A duel of short games: many parts, each of a few milliseconds, for about as long as there are kills.
fn duel() -> String {
    let games = (250 * kills()).max(3000);
    format!("duel random pubeval --games {games} --journal made")
}

/// Workers (half of the kills), the server and who waits (a quarter each) are killed at random times; both workers lose every fifth delivery.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn killed_workers_and_submitters_change_no_byte() {
    let Some(mut field) = Field::new("farm::killed_workers_and_submitters_change_no_byte") else {
        return;
    };
    let duel = duel();
    let alone = field.good(&duel);
    let made = field.read("made");
    fs::remove_file(field.path("made")).unwrap();
    let job = field.good(&format!(
        "farm submit --batch 5 --silence 1 --verify 0 {duel}"
    ));
    let job = job.trim();
    let drops = "--fault drops=20";
    let mut one = field.worker("one", drops);
    let _two = field.worker("two", drops);
    let mut waits = Running(
        field
            .command(&field.url())
            .args(["farm", "fetch", "--wait", job])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let mut seed = 7_u64;
    for number in 0..kills() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // Kills come at random moments: the moments are what is tested.
        std::thread::sleep(Duration::from_millis(300 + (seed >> 33) % 700));
        match number % 4 {
            0 | 1 => {
                one.kill();
                one = field.worker("one", drops);
            }
            2 => {
                field.server.take();
                field.start();
            }
            _ => {
                waits.kill();
                let mut again = field.command(&field.url());
                again.args(["farm", "fetch", "--wait", job]);
                again.stdout(Stdio::null()).stderr(Stdio::null());
                waits = Running(again.spawn().unwrap());
            }
        }
    }
    waits.kill();
    let then = field.status(job);
    eprintln!(
        "after {} kills: {} of {} parts",
        kills(),
        then["parts_done"],
        then["parts"]
    );
    let together = field.good(&format!("farm fetch --wait {job}"));
    assert_eq!(together, alone);
    assert!(field.read("made") == made);
    let status = field.status(job);
    assert_eq!(status["abandoned"], serde_json::json!([]), "{status}");
    assert_eq!(status["parts_done"], status["parts"], "{status}");
}

/// One bit of every answer of a machine is wrong: it is named, and nothing of it is in the result.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn lying_machine_is_quarantined() {
    let Some(field) = Field::new("farm::lying_machine_is_quarantined") else {
        return;
    };
    let alone = field.good("duel random pubeval --games 600");
    let submit = "farm submit --wait --verify 0.2 --batch 5 --silence 2";
    let _workers = [
        field.worker("liar", "--fault lies"),
        field.worker("one", ""),
        field.worker("two", ""),
    ];
    let together = field.good(&format!("{submit} duel random pubeval --games 600"));
    assert_eq!(together, alone);
    let workers = field.good("farm workers --format json");
    let workers: serde_json::Value = serde_json::from_str(&workers).unwrap();
    let aside: Vec<&String> = workers["aside"].as_object().unwrap().keys().collect();
    assert_eq!(aside, ["liar"], "{workers}");
    field.until("it knows", || field.log("liar").contains("quarantined"));
    assert!(
        field
            .good("farm workers --believe liar")
            .contains("believed again")
    );
}

/// One machine alone cannot verify its own answers: the status names what the job waits for, until another one comes.
#[test]
fn a_verified_job_names_its_wait_for_a_second_machine() {
    let Some(field) = Field::new("farm::a_verified_job_names_its_wait_for_a_second_machine") else {
        return;
    };
    let line = "duel random pubeval --games 20";
    let job = field.good(&format!("farm submit --verify 1 --batch 5 {line}"));
    let job = job.trim();
    let _one = field.worker("one", "");
    field.until("the wait is named", || {
        let status = field.good(&format!("farm status {job}"));
        status.contains("2 batches to be verified") && status.contains("--verify 0")
    });
    let _two = field.worker("two", "");
    let together = field.good(&format!("farm fetch --wait {job}"));
    assert_eq!(together, field.good(line));
}

/// A machine of another version refuses by name and lives; another one does the work.
#[test]
fn another_version_refuses_and_leaves_it_to_others() {
    let Some(field) = Field::new("farm::another_version_refuses_and_leaves_it_to_others") else {
        return;
    };
    let line = "duel random pubeval --games 40";
    let job = field.good(&format!("farm submit --batch 5 {line}"));
    let mut old = field.worker("old", "--fault version=0.0.9");
    field.until("it refuses", || field.log("old").contains("this is 0.0.9"));
    field.until("all can see it", || {
        field.good("farm workers").contains("refuses")
    });
    let _good = field.worker("good", "");
    let together = field.good(&format!("farm fetch --wait {}", job.trim()));
    assert_eq!(together, field.good(line));
    assert!(old.0.try_wait().unwrap().is_none(), "it lives");
}

/// A message that ends whoever takes it: ten deliveries, no answer. The nine others wait.
fn lose_ten_times(field: &Field, job: &str) {
    block_on(async {
        let client = async_nats::connect(field.url()).await.unwrap();
        let js = jetstream::new(client.clone());
        let parts = js.get_stream("gammond-parts").await.unwrap();
        let queue: PullConsumer = parts.get_consumer(job).await.unwrap();
        let mut all = queue.fetch().max_messages(10).messages().await.unwrap();
        let mut others = Vec::new();
        for _ in 0..19 {
            let message = all.next().await.unwrap().unwrap();
            if message.subject.ends_with(".0.0.0") {
                message.ack_with(AckKind::Nak(None)).await.unwrap();
                client.flush().await.unwrap();
            } else {
                others.push(message);
            }
            if others.len() == 9 {
                all = queue.batch().max_messages(1).messages().await.unwrap();
            }
        }
        for message in others {
            message.ack_with(AckKind::Nak(None)).await.unwrap();
        }
        client.flush().await.unwrap();
    });
}

/// What status, page and who waits say of two abandoned batches.
fn all_are_told(field: &Field, job: &str) {
    let told = field.good(&format!("farm status {job}"));
    for wanted in [
        "2 batches abandoned".to_owned(),
        format!("abandoned: {job}.0.0.0: delivered 1"),
        "times without an answer".to_owned(),
        format!("abandoned: {job}.0.3.0: it fails, as injected by --fault"),
        format!("`gammond farm retry {job}`"),
    ] {
        assert!(
            told.replace("\n ", "").contains(&wanted),
            "{wanted}: {told}"
        );
    }
    assert!(field.good("farm status").contains("2 batches abandoned"));
    field.good("farm status --html page.html");
    let page = String::from_utf8(field.read("page.html")).unwrap();
    assert!(
        page.contains("Abandoned") && page.contains("farm retry"),
        "{page}"
    );
    // Who waits is told at once, in one line, what to do.
    let waits = field.run(&format!("farm fetch --wait {job}"));
    let said = String::from_utf8_lossy(&waits.stderr).into_owned();
    assert!(!waits.status.success());
    assert!(
        said.contains("batch 0 was abandoned: delivered 1"),
        "{said}"
    );
    assert!(
        said.contains(&format!("gammond farm retry {job}")),
        "{said}"
    );
}

/// A batch that fails ten times is abandoned with its reason and can be retried; the others are computed.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn abandoned_parts_are_named_and_can_be_retried() {
    let Some(field) = Field::new("farm::abandoned_parts_are_named_and_can_be_retried") else {
        return;
    };
    let line = "duel random pubeval --games 100";
    let job = field.good(&format!("farm submit --batch 5 --verify 0 {line}"));
    let job = job.trim();
    lose_ten_times(&field, job);
    let mut bad = field.worker("bad", "--fault fails=3");
    field.until("both are abandoned", || {
        let status = field.status(job);
        status["abandoned"].as_array().unwrap().len() == 2
    });
    let status = field.status(job);
    assert_eq!(status["state"], "active", "{status}");
    assert_eq!(status["batches"], 10, "{status}");
    assert_eq!(status["batches_done"], 8, "{status}");
    all_are_told(&field, job);
    bad.kill();
    let _good = field.worker("good", "");
    let tried = field.good(&format!("farm retry {job}"));
    assert!(
        tried.contains("2 batches of") && tried.contains("retried"),
        "{tried}"
    );
    let together = field.good(&format!("farm fetch --wait {job}"));
    assert_eq!(together, field.good(line));
    assert!(
        field
            .good(&format!("farm retry {job}"))
            .contains("was abandoned")
    );
    let status = field.status(job);
    assert_eq!(status["abandoned"], serde_json::json!([]), "{status}");
    assert_eq!(status["parts_done"], status["parts"], "{status}");
    for wrong in ["duel-000000000000", "no*job"] {
        let out = field.run(&format!("farm retry {wrong}"));
        assert!(String::from_utf8_lossy(&out.stderr).contains("no job"));
    }
    field.good(&format!("farm cancel {job}"));
    let out = field.run(&format!("farm retry {job}"));
    assert!(String::from_utf8_lossy(&out.stderr).contains("was cancelled; submit it again"));
}

/// Who submits is killed while posting, and goes on by the same command: each part counts once.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn submission_killed_while_posting_is_completed() {
    let Some(field) = Field::new("farm::submission_killed_while_posting_is_completed") else {
        return;
    };
    // So that the streams are there.
    field.good("farm status");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut stream = runtime.block_on(async {
        let client = async_nats::connect(field.url()).await.unwrap();
        let stream = jetstream::new(client).get_stream("gammond-parts").await;
        stream.unwrap()
    });
    let mut posted = || {
        let info = runtime.block_on(stream.info());
        info.unwrap().state.messages
    };
    let (games, mut seed, mut before, mut half) = (2000, 11_u64, 0, 0);
    let mut lines = Vec::new();
    for number in 0..kills() {
        let line = format!("duel random random --games {games} --seed {number} --journal made");
        let submit = format!("farm submit --batch 1 --verify 0.1 {line}");
        let mut command = field.command(&field.url());
        command.args(submit.split(' '));
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut submits = Running(command.spawn().unwrap());
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let wanted = before + (seed >> 33) % (games / 2);
        while posted() <= wanted && submits.0.try_wait().unwrap().is_none() {}
        submits.kill();
        let now = posted();
        half += u64::from(now > before && now - before < games / 2);
        before = now;
        lines.push((line, submit));
    }
    eprintln!("{half} of {} were killed while posting", kills());
    assert!(half > 0, "none was killed while posting");
    // One that goes on without waiting posts all that is missing.
    let (_, first) = &lines[0];
    let job = field.good(first);
    let in_work = block_on(async {
        let client = async_nats::connect(field.url()).await.unwrap();
        let parts = jetstream::new(client).get_stream("gammond-parts").await;
        let queue: PullConsumer = parts.unwrap().get_consumer(job.trim()).await.unwrap();
        queue.cached_info().num_pending
    });
    assert!(in_work >= games / 2, "{in_work}");
    let _workers = ["one", "two"].map(|name| field.worker(name, ""));
    for (line, submit) in &lines {
        let together = field.good(&submit.replace("submit", "submit --wait"));
        let made = field.read("made");
        fs::remove_file(field.path("made")).unwrap();
        assert_eq!(together, field.good(line), "{line}");
        assert!(field.read("made") == made, "{line}");
        fs::remove_file(field.path("made")).unwrap();
    }
    let all = field.good("farm status --format json");
    let all: serde_json::Value = serde_json::from_str(&all).unwrap();
    assert_eq!(all["jobs"].as_array().unwrap().len() as u64, kills());
    for job in all["jobs"].as_array().unwrap() {
        assert_eq!(job["parts_done"], games / 2, "{job}");
        assert_eq!(job["batches_done"], games / 2, "{job}");
    }
}

/// How many parts there are of which every fifth delivery is lost.
fn dropped_parts() -> u64 {
    let asked = std::env::var("GAMMOND_FARM_DROPPED").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(150)
}

/// Of all deliveries to all machines a fifth is lost.
#[test]
fn lost_deliveries_cost_time_only() {
    let Some(field) = Field::new("farm::lost_deliveries_cost_time_only") else {
        return;
    };
    let line = format!(
        "duel random pubeval --games {} --journal made",
        2 * dropped_parts()
    );
    let alone = field.good(&line);
    let made = field.read("made");
    fs::remove_file(field.path("made")).unwrap();
    let _workers = ["one", "two", "three"].map(|name| field.worker(name, "--fault drops=20"));
    let submit = "farm submit --wait --batch 1 --silence 1 --verify 0.05";
    let begun = Instant::now();
    assert_eq!(field.good(&format!("{submit} {line}")), alone);
    assert!(field.read("made") == made);
    let all: serde_json::Value =
        serde_json::from_str(&field.good("farm status --format json")).unwrap();
    let job = &all["jobs"][0];
    eprintln!("{} parts in {:.1?}", job["parts"], begun.elapsed());
    assert_eq!(job["parts_done"], dropped_parts(), "{job}");
    assert_eq!(job["abandoned"], serde_json::json!([]), "{job}");
}

/// A worker that finds a queue empty does not wait there while others hold work: twelve small jobs take less than twelve
/// times as long as a single one.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn empty_queues_delay_no_other_job() {
    let Some(field) = Field::new("farm::empty_queues_delay_no_other_job") else {
        return;
    };
    let submitted = |wait: &str, seed: u32| {
        field.good(&format!(
            "farm submit {wait}--verify 0 rollout 4HPwATDgc/ABMA trials=36 seed={seed}"
        ))
    };
    let jobs: Vec<String> = (1..=12).map(|seed| submitted("", seed)).collect();
    let begun = Instant::now();
    let _worker = field.worker("one", "");
    for job in &jobs {
        field.until("all jobs", || {
            field.status(job.trim())["state"] == "complete"
        });
    }
    let together = begun.elapsed();
    let single = |seed| {
        let begun = Instant::now();
        submitted("--wait ", seed);
        begun.elapsed()
    };
    let fastest = (91..=95).map(single).min().unwrap();
    eprintln!("twelve jobs in {together:.1?}, a single one in {fastest:.1?}");
    assert!(together < fastest * 12, "{together:?}, {fastest:?}");
}

/// A demo that is told to end takes its server, its workers and its folder with it.
#[test]
fn a_stopped_demo_leaves_nothing() {
    let Some(field) = Field::new("farm::a_stopped_demo_leaves_nothing") else {
        return;
    };
    fs::create_dir(field.path("temporary")).unwrap();
    let mut demo = field.command(&field.url());
    demo.args(["farm", "demo"])
        .env("TMPDIR", field.path("temporary"))
        .stdout(fs::File::create(field.path("said")).unwrap())
        .stderr(fs::File::create(field.path("warned")).unwrap());
    let mut demo = Running(demo.spawn().unwrap());
    let said = || String::from_utf8(field.read("said")).unwrap();
    field.until("it submits", || said().contains("farm submit"));
    let port: u16 = said()
        .lines()
        .find_map(|line| line.rsplit_once("127.0.0.1:")?.1.parse().ok())
        .unwrap();
    assert!(TcpStream::connect(("127.0.0.1", port)).is_ok());
    let told = Command::new("kill").arg(demo.0.id().to_string()).status();
    assert!(told.unwrap().success());
    let ended = demo.0.wait().unwrap();
    let warned = String::from_utf8(field.read("warned")).unwrap();
    assert_eq!(ended.code(), Some(1), "{warned}");
    assert!(warned.contains("gammond: stopped;"), "{warned}");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    let left = fs::read_dir(field.path("temporary")).unwrap().count();
    assert_eq!(left, 0);
}
