//! The server's side: a store that is full, a machine without room for files, a cluster that loses a server.
#![cfg(unix)]

use crate::field::{Field, RECORDS, Running, block_on, free_port};
use crate::support::{HANG_LIMIT, missing, wait_until};
use async_nats::jetstream::{self, consumer::PullConsumer};
use futures_util::StreamExt as _;
use std::fs;
use std::io::Write as _;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A small disk, in memory; gone with this.
struct Disk(PathBuf);

impl Disk {
    /// None where this may not be mounted.
    fn mount(at: &Path, size: &str) -> Option<Disk> {
        fs::create_dir(at).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", size, "tmpfs"]).arg(at);
        let mounted = mount.output();
        let mounted = mounted.is_ok_and(|out| out.status.success());
        mounted.then(|| Disk(at.to_owned()))
    }

    /// Fills it to the last byte.
    fn fill(&self) {
        let mut file = fs::File::create(self.0.join("filler")).unwrap();
        for piece in [&[7; 4096][..], &[7; 1]] {
            while file.write_all(piece).is_ok() {}
        }
    }

    fn make_room(&self) {
        fs::remove_file(self.0.join("filler")).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Whoever has files open there may be ending just now.
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

const NO_MOUNT: &str = "the right to mount a tmpfs (run as root)";

/// A queue that has given two messages to nobody, and gives them out again in an hour.
fn stand_still(field: &Field, job: &str) {
    block_on(async {
        let client = async_nats::connect(field.url()).await.unwrap();
        let js = jetstream::new(client);
        let parts = js.get_stream("gammond-parts").await.unwrap();
        let mut queue: PullConsumer = parts.get_consumer(job).await.unwrap();
        let mut config = queue.info().await.unwrap().config.clone();
        // Longer than the test.
        config.ack_wait = Duration::from_secs(3600);
        js.create_consumer_on_stream(config, "gammond-parts")
            .await
            .unwrap();
        let mut taken = queue.fetch().max_messages(2).messages().await.unwrap();
        for _ in 0..2 {
            taken.next().await.unwrap().unwrap();
        }
    });
}

/// Messages that are with nobody, in a queue that gives them out no more, hold up neither who waits nor, with nobody
/// waiting, the end of the job.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn stalled_queue_is_recreated() {
    let Some(field) = Field::new("farm_servers::stalled_queue_is_recreated") else {
        return;
    };
    let line = "duel random pubeval --games 200 --seed";
    let submit = |seed: u32| {
        let job = field.good(&format!(
            "farm submit --batch 20 --silence 1 --verify 0 {line} {seed}"
        ));
        stand_still(&field, job.trim());
        job.trim().to_owned()
    };
    let (waited, alone) = (submit(1), submit(2));
    let _worker = field.worker("one", "");
    assert_eq!(
        field.good(&format!("farm fetch --wait {waited}")),
        field.good(&format!("{line} 1"))
    );
    field.until("it ends with nobody waiting", || {
        field.status(&alone)["state"] == "complete"
    });
    assert!(
        field
            .log("one")
            .contains("2 delivered messages are held by no worker")
    );
}

/// The server's disk is full for longer than ten tries would take: workers keep what they have computed, say so, and
/// go on when there is room.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn a_full_store_costs_time_only() {
    let test = "farm_servers::a_full_store_costs_time_only";
    let mut disk = None;
    let field = Field::with(test, |folder| {
        disk = Disk::mount(&folder.join("store"), "size=8m");
        Vec::new()
    });
    let Some(mut field) = field else { return };
    let Some(disk) = disk else {
        return missing(test, NO_MOUNT);
    };
    let line = "duel random pubeval --games 2000 --journal made";
    let alone = field.good(line);
    let made = field.read("made");
    fs::remove_file(field.path("made")).unwrap();
    let submit = format!("farm submit --batch 5 --silence 1 --verify 0 {line}");
    let job = field.good(&submit);
    let job = job.trim();
    disk.fill();
    // Nothing can be submitted meanwhile, and that is said.
    let refused = field.run(&submit.replace("2000", "2002"));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success());
    assert!(said.contains("the server's disk is full"), "{said}");
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    let mut workers = ["one", "two"].map(|name| field.worker(name, ""));
    for name in ["one", "two"] {
        field.until("it says so", || {
            let log = field.log(name);
            log.contains("giving an answer") && log.contains("no space left")
        });
    }
    // More than ten times the silence.
    std::thread::sleep(Duration::from_secs(13));
    assert_eq!(field.status(job)["parts_done"], 0);
    for worker in &mut workers {
        assert!(worker.0.try_wait().unwrap().is_none(), "it lives");
    }
    disk.make_room();
    assert_eq!(field.good(&format!("farm fetch --wait {job}")), alone);
    assert!(field.read("made") == made);
    let status = field.status(job);
    assert_eq!(status["parts_done"], status["parts"], "{status}");
    assert_eq!(status["batches_done"], status["batches"], "{status}");
    assert_eq!(status["abandoned"], serde_json::json!([]), "{status}");
    // A full server lets a job go. Nothing writes meanwhile: at the moment at which its disk becomes full, nats-server
    // 2.9.10 can lock itself out (`msgBlock.writeMsgRecord` waits for a lock that its caller holds).
    drop(workers);
    let other = field.good(&submit.replace("2000", "2004"));
    disk.fill();
    let gone = field.good(&format!("farm cancel {}", other.trim()));
    assert!(gone.contains("is cancelled"), "{gone}");
    field.server.take();
}

/// A machine without room for a job's files says so, and takes the job when there is room.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn a_full_cache_is_tried_again() {
    let test = "farm_servers::a_full_cache_is_tried_again";
    let Some(field) = Field::new(test) else {
        return;
    };
    let Some(disk) = Disk::mount(&field.path("one.cache"), "size=1m") else {
        return missing(test, NO_MOUNT);
    };
    field.write("long.bm", &RECORDS.repeat(300));
    let line = "bench long.bm --player pubeval --format json";
    let alone = field.good(line);
    disk.fill();
    let job = field.good(&format!("farm submit --batch 5 --verify 0 {line}"));
    let mut one = field.worker("one", "");
    field.until("it says so", || {
        let log = field.log("one");
        log.contains("refused: ") && log.contains("No space left")
    });
    field.until("all can see it", || {
        field.good("farm workers").contains("No space left")
    });
    disk.make_room();
    let together = field.good(&format!("farm fetch --wait {}", job.trim()));
    assert_eq!(together, alone);
    assert!(one.0.try_wait().unwrap().is_none(), "it lives");
}

/// One copy is all that a single server can keep.
#[test]
fn copies_want_a_cluster() {
    let Some(field) = Field::new("farm_servers::copies_want_a_cluster") else {
        return;
    };
    let refused = |line: &str| {
        let out = field.run(line);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(!out.status.success(), "{line}");
        assert_eq!(said.trim_end().lines().count(), 1, "{line}: {said}");
        said
    };
    let want = "--replicas 3: expected a cluster of at least 3 servers";
    let new = refused("farm status --farm new --replicas 3");
    assert!(new.contains(want), "{new}");
    field.good("farm status");
    let old = refused("farm status --replicas 3");
    assert!(old.contains(want), "{old}");
    let none = field.run("farm status --replicas 0");
    assert!(String::from_utf8_lossy(&none.stderr).contains("expected 1 to 5"));
    assert!(field.good("farm status --replicas 1").contains("no jobs"));
}

/// A server of three.
fn member(folder: &Path, number: usize, ports: &[u16; 3], routes: &[u16; 3]) -> Running {
    let config = folder.join(format!("server-{number}.conf"));
    let all: Vec<String> = (routes.iter())
        .map(|port| format!("nats://127.0.0.1:{port}"))
        .collect();
    let text = format!(
        "server_name: server-{number}\nhost: 127.0.0.1\nport: {}\n\
         jetstream {{ store_dir: \"{}\" }}\n\
         cluster {{ name: three, host: 127.0.0.1, port: {}, routes: [{}] }}\n",
        ports[number],
        folder.join(format!("store-{number}")).display(),
        routes[number],
        all.join(", ")
    );
    fs::write(&config, text).unwrap();
    let log = fs::File::create(folder.join(format!("server-{number}.log"))).unwrap();
    let mut server = Command::new("nats-server");
    server.arg("--config").arg(config).stdin(Stdio::null());
    let server = server.stdout(Stdio::null()).stderr(log).spawn();
    Running(server.unwrap())
}

/// How many of three servers are killed, one after the other: one, or `GAMMOND_FARM_SERVERS`.
fn killed() -> usize {
    let asked = std::env::var("GAMMOND_FARM_SERVERS").ok();
    let asked = asked.and_then(|text| text.parse().ok());
    asked.unwrap_or(1_usize).min(3)
}

/// What a command prints that fails while the servers choose who leads.
fn patiently(run: &dyn Fn(&str) -> std::process::Output, line: &str) -> Vec<u8> {
    let begun = Instant::now();
    loop {
        let out = run(line);
        if out.status.success() {
            return out.stdout;
        }
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(begun.elapsed() < HANG_LIMIT, "{line}: {said}");
    }
}

/// What a program printed that ends within some minutes; else how things stand.
fn ended(mut program: Child, status: impl Fn() -> Output) -> Output {
    let begun = Instant::now();
    while program.try_wait().unwrap().is_none() {
        let late = begun.elapsed() > HANG_LIMIT;
        assert!(!late, "it waits for ever: {:?}", status());
        std::thread::sleep(Duration::from_millis(100));
    }
    program.wait_with_output().unwrap()
}

/// Servers of a cluster have to find each other and choose.
fn until_chosen(run: &impl Fn(&str) -> Output) {
    wait_until("there is a cluster", || {
        run("farm status --replicas 3").status.success()
    });
}

/// Of a cluster of three a server is killed and comes back while a job runs, and then the next.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn a_cluster_loses_a_server_and_nothing_else() {
    let Some(field) = Field::new("farm_servers::a_cluster_loses_a_server_and_nothing_else") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (ports, routes) = ([(); 3].map(|()| free_port()), [(); 3].map(|()| free_port()));
    let mut servers = [0, 1, 2].map(|number| member(folder.path(), number, &ports, &routes));
    let url = ports
        .map(|port| format!("nats://127.0.0.1:{port}"))
        .join(",");
    let begun = Instant::now();
    let run = |line: &str| {
        let mut command = field.command(&url);
        command.args(line.split(' ')).output().unwrap()
    };
    until_chosen(&run);
    let good = |line: &str| {
        let out = run(line);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "{line}: {said}");
        String::from_utf8(out.stdout).unwrap()
    };
    // So many that it is not over before the last is killed.
    let games = 6000 + 8000 * killed().saturating_sub(1);
    let line = format!("duel random pubeval --games {games} --journal made");
    let alone = good(&line);
    let made = field.read("made");
    fs::remove_file(field.path("made")).unwrap();
    let job = good(&format!(
        "farm submit --batch 2 --silence 2 --verify 0.02 {line}"
    ));
    let job = job.trim();
    let _workers = ["one", "two"].map(|name| field.worker_at(&url, name, "--fault drops=30"));
    let fetch = field
        .command(&url)
        .args(["farm", "fetch", "--wait", job])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let done = || {
        let status = patiently(&run, &format!("farm status {job} --format json"));
        let status: serde_json::Value = serde_json::from_slice(&status).unwrap();
        let done = |name: &str| status["jobs"][0][name].as_u64().unwrap();
        (done("parts_done"), done("parts"))
    };
    for number in 0..killed() {
        while done().0 < 600 * (1 + number as u64) {
            assert!(begun.elapsed() < HANG_LIMIT, "nobody computes");
        }
        let (now, all) = done();
        eprintln!("server {number} is killed: {now} of {all} parts");
        assert!(now < all, "it was over before server {number} was killed");
        servers[number].kill();
        // The others elect a leader without it, which takes seconds.
        std::thread::sleep(Duration::from_secs(4));
        servers[number] = member(folder.path(), number, &ports, &routes);
        wait_until("the server listens again", || {
            TcpStream::connect(("127.0.0.1", ports[number])).is_ok()
        });
        // Before the next one goes this one has to have caught up.
        std::thread::sleep(Duration::from_secs(4));
    }
    let ended = ended(fetch.unwrap(), || {
        run(&format!("farm status {job} --format json"))
    });
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success(), "{said}");
    assert_eq!(String::from_utf8(ended.stdout).unwrap(), alone);
    assert!(field.read("made") == made);
}

/// A server that comes back with nothing of what it stored: a machine that had nothing to do takes new jobs all the same.
#[test]
fn a_server_that_has_lost_its_store_is_served_again() {
    let test = "farm_servers::a_server_that_has_lost_its_store_is_served_again";
    let Some(mut field) = Field::new(test) else {
        return;
    };
    let mut worker = field.worker("one", "");
    field.until("it is there", || field.good("farm workers").contains("one"));
    field.server = None;
    fs::remove_dir_all(field.path("store")).unwrap();
    field.start();
    let line = "duel random pubeval --games 200 --seed 5";
    let job = field.good(&format!("farm submit --verify 0 {line}"));
    let done = || field.status(job.trim())["state"] == "complete";
    field.until("it takes the job", done);
    assert_eq!(
        field.good(&format!("farm fetch {}", job.trim())),
        field.good(line)
    );
    assert!(worker.0.try_wait().unwrap().is_none(), "it lives");
}

/// Programs that make the farm's streams at once: whoever comes second finds what the first has made.
#[test]
fn concurrent_opening_of_a_new_farm_succeeds() {
    let test = "farm_servers::concurrent_opening_of_a_new_farm_succeeds";
    let Some(field) = Field::new(test) else {
        return;
    };
    // About one new farm in thirty met the fault.
    for farm in 0..12 {
        let line = format!("farm status --farm new{farm}");
        std::thread::scope(|scope| {
            let asked: Vec<_> = (0..12).map(|_| scope.spawn(|| field.good(&line))).collect();
            for one in asked {
                assert!(one.join().is_ok());
            }
        });
    }
}
