//! What goes wrong around a living worker: the network, the disk, foreign messages, other nets, refused credentials.
//! One clear line each, the worker lives, and the bytes are those of one machine.
#![cfg(unix)]

use crate::field::{Field, RECORDS, Running, block_on};
use async_nats::jetstream;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const DUEL: &str = "duel random pubeval --games 1600 --journal made";

/// A way to the server that can be cut: bytes wait, connections stay, as when a cable is pulled.
struct Cable {
    port: u16,
    cut: Arc<AtomicBool>,
}

impl Cable {
    fn to(server: u16) -> Cable {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let cut = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&cut);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let Ok(client) = client else { return };
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else {
                    continue;
                };
                let ends = [
                    (client.try_clone().unwrap(), server.try_clone().unwrap()),
                    (server, client),
                ];
                for (from, to) in ends {
                    let cut = Arc::clone(&flag);
                    std::thread::spawn(move || carry(from, to, &cut));
                }
            }
        });
        Cable { port, cut }
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

/// How long the cable takes for what it reads at once: an optimised build must not be done before anybody looks.
const DELAY: Duration = Duration::from_millis(15);

fn carry(mut from: TcpStream, mut to: TcpStream, cut: &AtomicBool) {
    let mut bytes = [0; 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        std::thread::sleep(DELAY);
        while cut.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(20));
        }
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
    let _ = from.shutdown(std::net::Shutdown::Both);
}

/// Seconds without a network: 4, or `GAMMOND_FARM_CUT`.
fn cut_s() -> u64 {
    let asked = std::env::var("GAMMOND_FARM_CUT").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(4)
}

/// The network between the only worker and the server is gone for a while, and then for who waits.
#[test]
fn a_cut_network_costs_time_only() {
    let Some(field) = Field::new("farm_faults::a_cut_network_costs_time_only") else {
        return;
    };
    let alone = field.good(DUEL);
    let made = field.read("made");
    fs::remove_file(field.path("made")).unwrap();
    let cable = Cable::to(field.port);
    let job = field.good(&format!(
        "farm submit --batch 2 --silence 1 --verify 0 {DUEL}"
    ));
    let job = job.trim().to_owned();
    let _one = field.worker_at(&cable.url(), "one", "");
    let waits = field
        .command(&cable.url())
        .args(["farm", "fetch", "--wait", &job])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut waits = Running(waits.unwrap());
    field.until("it computes", || field.status(&job)["parts_done"] != 0);
    cable.cut.store(true, Ordering::Relaxed);
    // The length of the cut is what is tested.
    std::thread::sleep(Duration::from_secs(cut_s()));
    let during = field.status(&job)["parts_done"].clone();
    assert_ne!(
        during,
        field.status(&job)["parts"],
        "it was over before the cut"
    );
    cable.cut.store(false, Ordering::Relaxed);
    let mut together = String::new();
    let mut out = waits.0.stdout.take().unwrap();
    out.read_to_string(&mut together).unwrap();
    assert!(waits.0.wait().unwrap().success());
    assert_eq!(together, alone);
    assert!(field.read("made") == made);
    let status = field.status(&job);
    assert_eq!(status["abandoned"], serde_json::json!([]), "{status}");
    assert_eq!(status["parts_done"], status["parts"], "{status}");
}

/// A machine whose disk is full says so, lives, and leaves the job to others.
#[test]
fn worker_with_a_full_disk_reports_it_and_refuses() {
    let Some(field) = Field::new("farm_faults::worker_with_a_full_disk_reports_it_and_refuses")
    else {
        return;
    };
    // Longer than the files that the machine may write.
    let long =
        RECORDS.repeat(12) + &"# nothing is asked here, in a long line of a file\n".repeat(4000);
    field.write("long.bm", &long);
    let line = "bench long.bm --player pubeval --format json";
    let alone = field.good(line);
    let job = field.good(&format!("farm submit --batch 5 --verify 0 {line}"));
    let log = fs::File::create(field.path("full.log")).unwrap();
    let worker = field.command(&field.url());
    let mut full = Command::new("sh");
    full.current_dir(field.path("."))
        // The signal would end it; a full disk sends none.
        .args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$@\"", "sh"])
        .arg(worker.get_program())
        .args([
            "farm",
            "worker",
            "--threads",
            "1",
            "--name",
            "full",
            "--cache",
            "full.cache",
        ])
        .env("GAMMOND_NATS", field.url())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log);
    let mut full = Running(full.spawn().unwrap());
    field.until("it says so", || field.log("full").contains("refused: "));
    let said = field.log("full");
    assert!(
        said.contains("File too large") || said.contains("No space"),
        "{said}"
    );
    field.until("all can see it", || {
        field.good("farm workers").contains("refuses")
    });
    let _good = field.worker("good", "");
    let together = field.good(&format!("farm fetch --wait {}", job.trim()));
    assert_eq!(together, alone);
    assert!(full.0.try_wait().unwrap().is_none(), "it lives");
}

/// Returns a net as the engine's build script packs it: numbers of 16 bits with their sign in the lowest bit, all lower
/// bytes before all upper ones, by DEFLATE.
fn packed_as_in_the_program(net: &[u8]) -> Vec<u8> {
    let (numbers, last) = net.as_chunks();
    let numbers = numbers.iter().map(|number| i16::from_le_bytes(*number));
    let zigzag = numbers.map(|number| (number << 1 ^ number >> 15).to_le_bytes());
    let (mut planes, high): (Vec<u8>, Vec<u8>) = zigzag.map(|[low, high]| (low, high)).unzip();
    planes.extend(high.iter().chain(last));
    miniz_oxide::deflate::compress_to_vec(&planes, 9)
}

/// A machine whose program was built with another net refuses by name, lives, and uses up none of the tries; another
/// one does the work.
#[test]
fn another_net_refuses_and_leaves_it_to_others() {
    let Some(field) = Field::new("farm_faults::another_net_refuses_and_leaves_it_to_others") else {
        return;
    };
    // The same program with a net of which one weight is another.
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("nets/contact.net");
    let own = fs::read(own).unwrap();
    let end = own.len() - 4;
    let with_other_weight = |at: usize| {
        let mut other = own.clone();
        other[at] ^= 1;
        let sum = crc32fast::hash(&other[..end]);
        other[end..].copy_from_slice(&sum.to_le_bytes());
        packed_as_in_the_program(&other)
    };
    // The place of the other net is not larger; DEFLATE ends by itself.
    let own = packed_as_in_the_program(&own);
    let mut others = (end / 2..end).step_by(2).map(with_other_weight);
    let mut other = others.find(|other| other.len() <= own.len()).unwrap();
    other.resize(own.len(), 0);
    let mut program = fs::read(env!("CARGO_BIN_EXE_gammond")).unwrap();
    let mut places = Vec::new();
    for at in 0..=program.len() - own.len() {
        if program[at..].starts_with(&own) {
            places.push(at);
        }
    }
    assert!(!places.is_empty(), "the net is not in the program");
    for at in places {
        program[at..at + own.len()].copy_from_slice(&other);
    }
    fs::write(field.path("gammond"), program).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(field.path("gammond"), executable).unwrap();
    let line = "bench x.bm --player gammond --format json";
    let alone = field.good(line);
    let job = field.good(&format!("farm submit --batch 1 --verify 0 {line}"));
    let job = job.trim();
    let mut worker = Command::new(field.path("gammond"));
    let usual = field.command(&field.url());
    for (name, value) in usual.get_envs() {
        if let Some(value) = value {
            worker.env(name, value);
        }
    }
    worker.current_dir(field.path("."));
    worker.args(["farm", "worker", "--threads", "1", "--name", "other"]);
    worker.stdin(Stdio::null()).stdout(Stdio::null());
    worker.stderr(fs::File::create(field.path("other.log")).unwrap());
    let mut other = Running(worker.spawn().unwrap());
    field.until("it refuses", || {
        field.log("other").contains("refused: its ")
    });
    field.until("all can see it", || {
        let workers = field.good("farm workers --format json");
        let workers: serde_json::Value = serde_json::from_str(&workers).unwrap();
        let refuses = &workers["machines"][0]["refuses"][job];
        refuses
            .as_str()
            .is_some_and(|why| why.contains("here it is"))
    });
    // It took nothing that it cannot compute.
    let delivered = block_on(async {
        let client = async_nats::connect(field.url()).await.unwrap();
        let parts = jetstream::new(client).get_stream("gammond-parts").await;
        let queue: jetstream::consumer::PullConsumer =
            parts.unwrap().get_consumer(job).await.unwrap();
        queue.cached_info().delivered.consumer_sequence
    });
    assert_eq!(delivered, 0);
    let _good = field.worker("good", "");
    assert_eq!(field.good(&format!("farm fetch --wait {job}")), alone);
    assert!(other.0.try_wait().unwrap().is_none(), "it lives");
}

/// Messages that are none of a farm's, a job of a newer format, a stage of other nets: one line each, and the machine
/// goes on with the job that it can do.
#[test]
fn foreign_messages_leave_a_worker_alive() {
    let Some(field) = Field::new("farm_faults::foreign_messages_leave_a_worker_alive") else {
        return;
    };
    let line = "bench x.bm --player gammond --format json";
    let alone = field.good(line);
    let other = "bench x.bm --player gammond:plies=1 --format json";
    let nets = field.good(&format!("farm submit --batch 5 --verify 0 {other}"));
    let nets = nets.trim();
    let job = field.good(&format!("farm submit --batch 1 --verify 0 {line}"));
    let job = job.trim();
    block_on(async {
        let client = async_nats::connect(field.url()).await.unwrap();
        let js = jetstream::new(client);
        let jobs = js.get_key_value("gammond-jobs").await.unwrap();
        let newer = "{\"format\":4,\"what\":\"nobody knows yet\"}";
        jobs.put("label-00000000000a.task", newer.into())
            .await
            .unwrap();
        jobs.put("label-00000000000b.task", "\u{0}nonsense".into())
            .await
            .unwrap();
        // As if it had been submitted by a program with other nets.
        let key = format!("{nets}.stage.0");
        let stage = String::from_utf8(jobs.get(&key).await.unwrap().unwrap().to_vec()).unwrap();
        let mut stage: serde_json::Value = serde_json::from_str(&stage).unwrap();
        let header = stage["header"].as_str().unwrap();
        let changed = header.replace("(gammond ", "(another ");
        assert_ne!(changed, header);
        stage["header"] = changed.into();
        jobs.put(&key, stage.to_string().into()).await.unwrap();
        for (subject, text) in [
            (format!("gammond.part.{job}.0.nonsense.0"), "{\"format\":3}"),
            (format!("gammond.part.{job}.0.999999.0"), "{\"format\":3}"),
            (format!("gammond.part.{job}.0.1.0"), "hello"),
            (format!("gammond.part.{job}.0.2.0"), "{\"format\":9}"),
            (
                format!("gammond.result.{job}.0.1.0"),
                "an answer without headers",
            ),
        ] {
            js.publish(subject, text.into())
                .await
                .unwrap()
                .await
                .unwrap();
        }
    });
    let mut one = field.worker("one", "");
    for why in [
        "label-00000000000a",
        "another version wrote it",
        "label-00000000000b",
        "is no message of a farm",
        "not of a farm",
        "here it is",
    ] {
        field.until(why, || field.log("one").contains(why));
    }
    let together = field.good(&format!("farm fetch --wait {job}"));
    assert_eq!(together, alone);
    assert!(one.0.try_wait().unwrap().is_none(), "it lives");
}

/// Another's stream of the farm's name is left alone, and named.
#[test]
fn anothers_stream_is_left_alone() {
    let Some(field) = Field::new("farm_faults::anothers_stream_is_left_alone") else {
        return;
    };
    block_on(async {
        let client = async_nats::connect(field.url()).await.unwrap();
        let config = jetstream::stream::Config {
            name: "club-parts".to_owned(),
            subjects: vec!["club.part.>".to_owned()],
            ..jetstream::stream::Config::default()
        };
        jetstream::new(client).create_stream(config).await.unwrap();
    });
    let foreign = field.run("farm status --farm club");
    let said = String::from_utf8_lossy(&foreign.stderr).into_owned();
    assert!(
        said.contains("club-parts is there with other settings"),
        "{said}"
    );
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    let mut waits = field.worker("waits", "--farm club");
    field.until("it says so", || {
        field.log("waits").contains("other settings")
    });
    assert!(waits.0.try_wait().unwrap().is_none(), "it lives");
}

/// A key for tests alone, and its public half.
const NKEY: [&str; 2] = [
    "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY",
    "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4",
];

/// An authority, a certificate of a server and one of a client, made now.
fn certificates(folder: &Path) -> bool {
    let script = "set -e
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.pem
        for who in server client; do
            openssl req -newkey rsa:2048 -nodes -subj /CN=$who -keyout $who.key -out $who.csr
            printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\\nbasicConstraints=CA:FALSE\\n' >$who.ext
            openssl x509 -req -in $who.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile $who.ext -out $who.pem
        done";
    let made = Command::new("sh")
        .current_dir(folder)
        .args(["-c", script])
        .output();
    made.is_ok_and(|out| out.status.success())
}

/// A user with a JWT, as `nsc` makes them, in a file of `--creds`.
#[test]
fn credentials_open_the_door() {
    let test = "farm_faults::credentials_open_the_door";
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/farm");
    let Some(field) = Field::with(test, |_| {
        vec!["--config".to_owned(), format!("{data}/operator.conf")]
    }) else {
        return;
    };
    let creds = fs::read_to_string(format!("{data}/anna.creds")).unwrap();
    field.secret("anna.creds", &creds);
    let said = field.good("farm workers --creds anna.creds");
    assert!(said.contains("no machines"), "{said}");
    let shut = field.run("farm workers");
    let said = String::from_utf8_lossy(&shut.stderr).into_owned();
    assert!(said.contains("refuses these credentials"), "{said}");
    field.secret("half", "-----BEGIN NATS USER JWT-----\nabc\n");
    let half = field.run("farm workers --creds half");
    assert_eq!(half.status.code(), Some(3));
    let said = String::from_utf8_lossy(&half.stderr).into_owned();
    assert!(said.contains("half: "), "{said}");
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
}

/// Passwords, tokens, keys and certificates open the door; without them it is shut, in one line, and no secret is told.
#[test]
fn every_way_in_is_tried() {
    let test = "farm_faults::every_way_in_is_tried";
    let ways = [
        (
            "authorization { user: anna, password: s3cretW0rd }",
            "--user anna --password-file secret",
            "--user anna --password-file wrong",
        ),
        (
            "authorization { token: s3cretW0rd }",
            "--token-file secret",
            "",
        ),
        (
            "authorization { users: [{ nkey: PUBLIC }] }",
            "--nkey-file seed",
            "--token-file secret",
        ),
        (
            "tls { cert_file: server.pem, key_file: server.key, ca_file: ca.pem, verify: true }",
            "--tls-ca ca.pem --tls-cert client.pem --tls-key client.key",
            "--tls-ca ca.pem",
        ),
        (
            "tls { cert_file: server.pem, key_file: server.key }",
            "--tls-ca ca.pem",
            "--tls-ca other.pem",
        ),
    ];
    let other = tempfile::tempdir().unwrap();
    assert!(certificates(other.path()), "openssl makes no certificates");
    for (config, good, bad) in ways {
        let made = |folder: &Path| {
            assert!(certificates(folder), "openssl makes no certificates");
            let absolute = |name: &str| folder.join(name).display().to_string();
            let mut config = config.replace("PUBLIC", NKEY[1]);
            for name in ["server.pem", "server.key", "ca.pem"] {
                config = config.replace(name, &format!("\"{}\"", absolute(name)));
            }
            fs::write(absolute("nats.conf"), config).unwrap();
            vec!["--config".to_owned(), absolute("nats.conf")]
        };
        let Some(field) = Field::with(test, made) else {
            return;
        };
        fs::copy(other.path().join("ca.pem"), field.path("other.pem")).unwrap();
        field.secret("secret", "s3cretW0rd\n");
        field.secret("wrong", "s3cretW0rd2\n");
        field.secret("seed", &format!("{}\n", NKEY[0]));
        let said = field.good(&format!("farm workers {good}"));
        assert!(said.contains("no machines"), "{good}: {said}");
        let shut = field.run(format!("farm workers {bad}").trim_end());
        let said = String::from_utf8_lossy(&shut.stderr).into_owned();
        assert!(!shut.status.success(), "{config} {bad}: {said}");
        assert!(
            said.contains("cannot connect to nats://127.0.0.1"),
            "{said}"
        );
        assert_eq!(said.trim_end().lines().count(), 1, "{said}");
        // A worker that is refused waits and lives.
        let mut refused = field.worker("refused", bad);
        field.until("it waits", || field.log("refused").contains("next try in"));
        assert!(refused.0.try_wait().unwrap().is_none());
        let all = said + &field.log("refused");
        assert!(
            !all.contains("s3cretW0rd") && !all.contains(NKEY[0]),
            "{all}"
        );
    }
}
