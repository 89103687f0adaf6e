//! `gammond serve --nats` with a real nats-server: the answers of a socket, shared by several servers, whoever ends.
#![cfg(unix)]

use crate::field::{Field, Running, free_port};
use crate::support::{HANG_LIMIT, wait_until};
use async_nats::{Client, Message};
use futures_util::StreamExt as _;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Short enough for a test, long enough to be killed in.
const LONG: &str = "4HPwATDgc/ABMA trials=360 truncate=3 vr=off";

/// Runs a test's async part.
fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(work)
}

/// A server of requests; it has said that it answers, not that it is connected.
fn serve(field: &Field, name: &str, more: &str) -> Running {
    let log = std::fs::File::create(field.path(&format!("{name}.log"))).unwrap();
    let mut command = field.command("nats://127.0.0.1:1");
    command
        .args(["serve", "--threads", "1", "--nats", &field.url()])
        .args(more.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(log);
    Running(command.spawn().unwrap())
}

/// The first address that a server says it listens on.
fn address(server: &mut Running) -> String {
    let mut line = String::new();
    let out = server.0.stdout.take().unwrap();
    BufReader::new(out).read_line(&mut line).unwrap();
    line.trim()
        .strip_prefix("listening on ")
        .unwrap()
        .to_owned()
}

async fn client(field: &Field) -> Client {
    let options = async_nats::ConnectOptions::new().request_timeout(Some(HANG_LIMIT));
    options.connect(field.url()).await.unwrap()
}

/// A request whose answer may take long.
fn patient(payload: &'static str) -> async_nats::Request {
    let mut headers = async_nats::HeaderMap::new();
    headers.insert("Gammond-Timeout", "3600");
    let request = async_nats::Request::new().payload(payload.into());
    request.headers(headers).timeout(Some(HANG_LIMIT))
}

/// Asks until somebody is there to answer.
async fn asked(client: &Client, verb: &str, payload: &[u8]) -> Message {
    let begun = Instant::now();
    loop {
        let subject = format!("gammond.{verb}");
        match client.request(subject, payload.to_vec().into()).await {
            Ok(message) => return message,
            Err(error) => assert!(begun.elapsed() < HANG_LIMIT, "{verb}: {error}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn text(message: &Message) -> String {
    String::from_utf8(message.payload.to_vec()).unwrap()
}

/// What a socket says to a line, without the line end.
fn socket_says(address: &str, line: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(HANG_LIMIT)).unwrap();
    stream.write_all(line).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    said.trim_end_matches('\n').to_owned()
}

/// An answer without how long it took.
fn alone(text: &str) -> String {
    let mut value: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    match value.as_object_mut() {
        Some(map) if map.contains_key("elapsed_ms") => {
            map.remove("elapsed_ms");
            value.to_string()
        }
        _ => text.to_owned(),
    }
}

/// The requests of the transcripts, and worse ones.
fn lines() -> Vec<Vec<u8>> {
    let transcript = include_str!("../data/transcripts/line.txt");
    let mut lines: Vec<Vec<u8>> = (transcript.lines())
        .filter_map(|line| line.strip_prefix("> "))
        .map(|line| line.as_bytes().to_vec())
        .collect();
    let mut long = b"eval ".to_vec();
    long.resize(100_000, b'x');
    let mut huge = b"analyse\n".to_vec();
    huge.resize(300_000, b'\n');
    lines.extend([
        long,
        huge,
        b"#7 move 4HPwATDgc/ABMA 31 top=2\r".to_vec(),
        b"eval \xff\xfe".to_vec(),
        b"ping\0".to_vec(),
        b"#id".to_vec(),
        b"rollout 4HPwATDgc/ABMA trials=36 truncate=3 vr=off seed=4 answer=text".to_vec(),
        b"analyse\n; [Site]\n 1 point match\n.".to_vec(),
        b"analyse\nthis is no match\n.".to_vec(),
        b"analyse\nwithout an end\n".to_vec(),
        b"version".to_vec(),
        b"help".to_vec(),
    ]);
    lines
}

/// NAT-01, NAT-02, NAT-03, NAT-04: every request of the transcripts, and worse: the same bytes as over TCP, on the
/// subject for lines and on that of the verb.
#[test]
fn requests_are_answered_as_on_a_socket() {
    let Some(field) = Field::new("nats::requests_are_answered_as_on_a_socket") else {
        return;
    };
    let mut server = serve(&field, "one", "--listen 127.0.0.1:0");
    let address = address(&mut server);
    let lines = lines();
    let mut on_verbs = 0;
    block_on(async {
        let client = client(&field).await;
        for mut line in lines {
            let shown = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
            let by_line = asked(&client, "line", &line).await;
            let verb_end = line.iter().position(|&byte| byte == b' ' || byte == b'\n');
            let verb =
                String::from_utf8_lossy(&line[..verb_end.unwrap_or(line.len())]).into_owned();
            let rest = line[verb.len().min(line.len())..].to_vec();
            line.push(b'\n');
            let want = alone(&socket_says(&address, &line));
            assert!(!want.is_empty(), "{shown}");
            let same = alone(&text(&by_line)) == want;
            assert!(same, "{shown}: {:.300} not {want:.300}", text(&by_line));
            let is_error = want.contains("\"type\":\"error\"");
            let told = by_line.headers.as_ref();
            let code = told.and_then(|headers| headers.get("Nats-Service-Error-Code"));
            assert_eq!(code.is_some(), is_error, "{shown}: {told:?}");
            if gammond_protocol::verbs().any(|one| one == verb) {
                on_verbs += 1;
                let by_verb = asked(&client, &verb, &rest).await;
                let same = alone(&text(&by_verb)) == want;
                assert!(same, "{shown}: {:.300} not {want:.300}", text(&by_verb));
            }
        }
        // An id stands before what the verb would have behind it.
        let moved = asked(&client, "move", b"#7 4HPwATDgc/ABMA 31 top=1").await;
        let line = b"#7 move 4HPwATDgc/ABMA 31 top=1\n";
        assert_eq!(text(&moved), socket_says(&address, line));
        // One request a message, and never none.
        for (payload, why) in [
            (
                &b"4HPwATDgc/ABMA\nrollout 4HPwATDgc/ABMA"[..],
                "more than one line",
            ),
            (b"", "position"),
        ] {
            let said = text(&asked(&client, "eval", payload).await);
            assert!(
                said.contains("\"type\":\"error\"") && said.contains(why),
                "{said}"
            );
        }
        let said = text(&asked(&client, "line", b" \n; nothing\n").await);
        assert!(said.contains("request is missing"), "{said}");
        // More than the NATS server takes: the client is told there, and others are answered.
        let huge = client
            .request("gammond.line", vec![b'x'; 2 << 20].into())
            .await;
        assert!(huge.is_err());
        // Nobody waits for the answer.
        client
            .publish("gammond.eval", "4HPwATDgc/ABMA".into())
            .await
            .unwrap();
        assert_eq!(
            text(&asked(&client, "ping", b"").await),
            "{\"type\":\"pong\"}"
        );
        // What there is not has nobody who answers.
        let unknown = client.request("gammond.quit", "".into()).await;
        assert_eq!(
            unknown.unwrap_err().kind(),
            async_nats::client::RequestErrorKind::NoResponders
        );
    });
    assert!(on_verbs > 12, "{on_verbs}");
}

/// The answers of all servers to a question about services.
async fn all_say(client: &Client, subject: &str, count: usize) -> Vec<Value> {
    let inbox = client.new_inbox();
    let begun = Instant::now();
    loop {
        let mut answers = client.subscribe(inbox.clone()).await.unwrap();
        let sent = client.publish_with_reply(subject.to_owned(), inbox.clone(), "".into());
        sent.await.unwrap();
        let mut all = Vec::new();
        // Answers that come later are those of the next round.
        while let Ok(Some(message)) =
            tokio::time::timeout(Duration::from_millis(500), answers.next()).await
        {
            all.extend(serde_json::from_slice::<Value>(&message.payload));
        }
        if all.len() == count {
            return all;
        }
        assert!(
            begun.elapsed() < HANG_LIMIT,
            "{subject}: {} say something",
            all.len()
        );
        answers.unsubscribe().await.unwrap();
    }
}

/// NAT-08, NAT-11: two servers share what is asked; one is killed while it answers, and who asks again is answered.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn servers_share_and_one_may_be_killed() {
    let Some(field) = Field::new("nats::servers_share_and_one_may_be_killed") else {
        return;
    };
    let mut one = serve(&field, "one", "--farm club");
    let _two = serve(&field, "two", "--farm club");
    block_on(async {
        let client = client(&field).await;
        let pings = all_say(&client, "$SRV.PING.club", 2).await;
        assert_ne!(pings[0]["id"], pings[1]["id"]);
        let info = all_say(&client, "$SRV.INFO.club", 2).await;
        let endpoints = info[0]["endpoints"].as_array().unwrap();
        assert!(endpoints.iter().any(|one| one["subject"] == "club.rollout"));
        let asks = (0..200).map(|_| client.request("club.eval", "4HPwATDgc/ABMA".into()));
        let said = futures_util::future::join_all(asks).await;
        let first = text(said[0].as_ref().unwrap());
        assert!(first.contains("\"type\":\"eval\""), "{first}");
        assert!(said.iter().all(|one| text(one.as_ref().unwrap()) == first));
        let stats = all_say(&client, "$SRV.STATS.club", 2).await;
        let counts = stats.iter().map(|one| {
            let endpoints = one["endpoints"].as_array().unwrap();
            let eval = endpoints.iter().find(|one| one["name"] == "eval");
            eval.unwrap()["num_requests"].as_u64().unwrap()
        });
        let counts: Vec<u64> = counts.collect();
        assert_eq!(counts.iter().sum::<u64>(), 200);
        assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
        // Killed with rollouts in its hands: they are asked again elsewhere.
        let asking = futures_util::future::join_all((0..8).map(|_| {
            // Seconds of work for an optimised build too.
            let payload = "4HPwATDgc/ABMA trials=51840 truncate=5 vr=off";
            let request = async_nats::Request::new().payload(payload.into());
            // Those of the killed server wait in vain for so long; so do late ones, which are asked again too.
            let request = request.timeout(Some(Duration::from_secs(20)));
            client.send_request("club.rollout", request)
        }));
        let killing = async {
            // The rollouts, seconds of work, are in its hands by then; any that are not are asked elsewhere anyway.
            tokio::time::sleep(Duration::from_millis(600)).await;
            one.kill();
        };
        let (said, ()) = tokio::join!(asking, killing);
        let mut lost = 0;
        for said in said {
            match said {
                Ok(said) => assert!(text(&said).contains("\"type\":\"rollout\"")),
                Err(_) => {
                    lost += 1;
                    let again = client.request("club.eval", "4HPwATDgc/ABMA".into()).await;
                    assert_eq!(text(&again.unwrap()), first);
                }
            }
        }
        assert!(
            lost > 0,
            "nothing was in the hands of the one that was killed"
        );
        assert_eq!(all_say(&client, "$SRV.PING.club", 1).await.len(), 1);
    });
}

/// NAT-05: with `progress=1` messages come before the answer, and say so; who does not listen to them any more is computed
/// nothing.
#[test]
fn progress_precedes_the_answer_and_detects_closed_clients() {
    let Some(field) = Field::new("nats::progress_precedes_the_answer_and_detects_closed_clients")
    else {
        return;
    };
    let mut server = serve(&field, "one", "--metrics 127.0.0.1:0");
    let mut line = String::new();
    let mut out = BufReader::new(server.0.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    let metrics = line.trim().strip_prefix("metrics on ").unwrap().to_owned();
    block_on(async {
        let client = client(&field).await;
        asked(&client, "ping", b"").await;
        let inbox = client.new_inbox();
        let mut answers = client.subscribe(inbox.clone()).await.unwrap();
        let ask = "#r 4HPwATDgc/ABMA trials=36000 truncate=7 vr=off time=1500 progress=1";
        let sent = client.publish_with_reply("gammond.rollout", inbox, ask.into());
        sent.await.unwrap();
        let mut before = 0;
        loop {
            let message = tokio::time::timeout(HANG_LIMIT, answers.next()).await;
            let message = message.unwrap().unwrap();
            let more =
                (message.headers.as_ref()).is_some_and(|one| one.get("Gammond-More").is_some());
            let said: Value = serde_json::from_slice(&message.payload).unwrap();
            assert_eq!(said["id"], "r");
            if !more {
                assert_eq!(said["type"], "rollout", "{said}");
                break;
            }
            assert_eq!(said["type"], "progress", "{said}");
            before += 1;
        }
        assert!(before > 0);
        // Nobody listens to this one: it does not keep the server for minutes.
        let ask = "4HPwATDgc/ABMA trials=10000000 vr=off progress=1";
        let sent = client.publish_with_reply("gammond.rollout", "nobody.listens", ask.into());
        sent.await.unwrap();
        client.flush().await.unwrap();
    });
    wait_until("the rollout ends", || {
        let said = socket_says(&metrics, b"GET /metrics HTTP/1.0\r\n\r\n");
        said.contains("gammond_hang_ups_total 1")
    });
}

/// A report that nobody listens to the progress of a query, as any client can publish one.
async fn forge_absence(field: &Field, subject: &str) {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", field.port))
        .await
        .unwrap();
    let header = "NATS/1.0 503\r\n\r\n";
    let length = header.len();
    let text = format!(
        "CONNECT {{\"verbose\":false,\"headers\":true,\"no_responders\":true}}\r\nHPUB {subject} {length} {length}\r\n{header}\r\nPING\r\n"
    );
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut said = Vec::new();
    while !said.ends_with(b"PONG\r\n") {
        assert!(stream.read_buf(&mut said).await.unwrap() > 0);
    }
}

/// NAT-05: whoever knows the progress subject of one query cannot stop another's.
#[test]
fn forged_absence_stops_no_query_of_another_client() {
    let Some(field) = Field::new("nats::forged_absence_stops_no_query_of_another_client") else {
        return;
    };
    let _server = serve(&field, "one", "");
    block_on(async {
        let client = client(&field).await;
        asked(&client, "ping", b"").await;
        let ask = async |trials: u32| {
            let inbox = client.new_inbox();
            let answers = client.subscribe(inbox.clone()).await.unwrap();
            let text = format!("4HPwATDgc/ABMA trials={trials} vr=off truncate=5 progress=1");
            let sent = client.publish_with_reply("gammond.rollout", inbox, text.into());
            sent.await.unwrap();
            answers
        };
        let next = async |answers: &mut async_nats::Subscriber| {
            let message = tokio::time::timeout(HANG_LIMIT, answers.next()).await;
            message.unwrap().unwrap()
        };
        let mut victim = ask(10_000_000).await;
        let first = next(&mut victim).await;
        // The victim's subject has a number that others can guess, and a secret that they cannot.
        let own = first.reply.unwrap().to_string();
        let (base, secret) = own.rsplit_once('.').unwrap();
        let (base, number) = base.rsplit_once('.').unwrap();
        let number: u64 = number.parse().unwrap();
        assert_eq!(secret.len(), 32);
        let guess = format!("{:032x}", u128::from_str_radix(secret, 16).unwrap() ^ 1);
        for number in number.saturating_sub(2)..number + 3 {
            forge_absence(&field, &format!("{base}.{number}")).await;
            for guess in [guess.as_str(), "0", &"0".repeat(32)] {
                forge_absence(&field, &format!("{base}.{number}.{guess}")).await;
            }
        }
        for _ in 0..2 {
            assert!(next(&mut victim).await.reply.is_some());
        }
        // Its own report ends it: the same bytes, with the secret.
        forge_absence(&field, &own).await;
        // Progress comes several times a second; its end is silence.
        let begun = Instant::now();
        while tokio::time::timeout(Duration::from_secs(4), victim.next())
            .await
            .is_ok()
        {
            assert!(begun.elapsed() < HANG_LIMIT);
        }
    });
}

/// NAT-12: work for clients that are gone ends: rollouts that nobody waits for do not keep others waiting for ever.
#[test]
fn abandoned_queries_end_in_their_time() {
    let Some(field) = Field::new("nats::abandoned_queries_end_in_their_time") else {
        return;
    };
    let _server = serve(&field, "one", "");
    block_on(async {
        let client = client(&field).await;
        asked(&client, "ping", b"").await;
        let mut headers = async_nats::HeaderMap::new();
        headers.insert("Gammond-Timeout", "1");
        for number in 0..4 {
            let reply = format!("gone.{number}.1");
            let sent = client.publish_with_reply_and_headers(
                "gammond.rollout",
                reply,
                headers.clone(),
                "4HPwATDgc/ABMA trials=10000000".into(),
            );
            sent.await.unwrap();
        }
        // A client that is there is told, with its id.
        let mut request = patient("#7 4HPwATDgc/ABMA trials=10000000");
        request = request.headers(headers);
        let said = client
            .send_request("gammond.rollout", request)
            .await
            .unwrap();
        let (told, code) = (text(&said), said.headers.unwrap());
        assert!(
            told.contains("\"code\":\"timeout\"") && told.contains("\"id\":\"7\""),
            "{told}"
        );
        assert_eq!(code.get("Nats-Service-Error-Code").unwrap().as_str(), "408");
        let small = patient("4HPwATDgc/ABMA trials=36 truncate=1 vr=off");
        let said = client.send_request("gammond.rollout", small).await.unwrap();
        assert!(
            text(&said).contains("\"type\":\"rollout\""),
            "{}",
            text(&said)
        );
        for wrong in ["0", "3601", "soon", "-1", "1e9"] {
            let mut headers = async_nats::HeaderMap::new();
            headers.insert("Gammond-Timeout", wrong);
            let request = async_nats::Request::new().payload("4HPwATDgc/ABMA".into());
            let said = client
                .send_request("gammond.eval", request.headers(headers))
                .await;
            let said = text(&said.unwrap());
            assert!(said.contains("expected whole seconds, 1 to 3600"), "{said}");
        }
    });
}

/// NAT-09: what is asked when the end is ordered is answered; then nobody is there.
#[test]
fn shutdown_waits_for_running_queries() {
    let Some(field) = Field::new("nats::shutdown_waits_for_running_queries") else {
        return;
    };
    let mut server = serve(&field, "one", "--grace 120");
    block_on(async {
        let client = client(&field).await;
        asked(&client, "ping", b"").await;
        let asks = (0..40).map(|number| match number % 8 {
            0 => client.send_request("gammond.rollout", patient(LONG)),
            _ => client.send_request("gammond.eval", patient("4HPwATDgc/ABMA plies=1")),
        });
        let asking = futures_util::future::join_all(asks);
        let ending = async {
            // Some requests have been taken by then, and the others must be refused or answered.
            tokio::time::sleep(Duration::from_millis(100)).await;
            let pid = server.0.id().to_string();
            assert!(
                std::process::Command::new("kill")
                    .arg(pid)
                    .status()
                    .unwrap()
                    .success()
            );
        };
        let (said, ()) = tokio::join!(asking, ending);
        for said in said {
            let said = text(&said.unwrap());
            assert!(!said.contains("\"type\":\"error\""), "{said}");
        }
    });
    assert_eq!(server.0.wait().unwrap().code(), Some(0));
}

/// NAT-04, NAT-06: more than may wait is answered `busy`, with the code that the micro protocol has for it, and nothing is lost.
#[test]
fn too_much_is_answered_busy() {
    let Some(field) = Field::new("nats::too_much_is_answered_busy") else {
        return;
    };
    let _server = serve(&field, "one", "--queue 4");
    block_on(async {
        let client = client(&field).await;
        asked(&client, "ping", b"").await;
        let asks =
            (0..300).map(|_| client.request("gammond.eval", "4HPwATDgc/ABMA plies=1".into()));
        let said = futures_util::future::join_all(asks).await;
        let (mut good, mut busy) = (0, 0);
        for said in said {
            let said = said.unwrap();
            let code =
                (said.headers.as_ref()).and_then(|headers| headers.get("Nats-Service-Error-Code"));
            match code.map(|code| code.as_str()) {
                None => good += 1,
                Some("503") => busy += 1,
                other => panic!("{other:?}: {}", text(&said)),
            }
            assert_eq!(code.is_some(), text(&said).contains("\"code\":\"busy\""));
        }
        assert!(good >= 4 && busy > 0 && good + busy == 300, "{good} {busy}");
    });
}

/// NAT-10: the NATS server comes later, goes and comes back: the service answers again by itself.
#[test]
fn a_server_that_comes_back_is_answered_again() {
    let Some(mut field) = Field::new("nats::a_server_that_comes_back_is_answered_again") else {
        return;
    };
    field.server.take();
    let _server = serve(&field, "one", "");
    field.until("it says that nobody is there", || {
        field.log("one").contains("next try in")
    });
    for _ in 0..2 {
        field.start();
        block_on(async {
            let client = client(&field).await;
            assert_eq!(
                text(&asked(&client, "ping", b"").await),
                "{\"type\":\"pong\"}"
            );
        });
        field.server.take();
    }
}

/// NAT-07: what is longer than the NATS server takes is an error, and what is short enough is answered.
#[test]
fn too_long_an_answer_is_an_error() {
    let test = "nats::too_long_an_answer_is_an_error";
    let small = |folder: &std::path::Path| {
        let path = folder.join("nats.conf");
        std::fs::write(&path, "max_payload: 2000\n").unwrap();
        vec!["--config".to_owned(), path.display().to_string()]
    };
    let Some(field) = Field::with(test, small) else {
        return;
    };
    let _server = serve(&field, "one", "");
    block_on(async {
        let client = client(&field).await;
        let all = asked(&client, "move", b"4HPwATDgc/ABMA 31").await;
        assert!(
            text(&all).contains("\"code\":\"answer-too-long\""),
            "{}",
            text(&all)
        );
        let headers = all.headers.as_ref().unwrap();
        assert_eq!(
            headers.get("Nats-Service-Error-Code").unwrap().as_str(),
            "400"
        );
        let first = text(&asked(&client, "move", b"4HPwATDgc/ABMA 31 top=1").await);
        assert!(first.contains("8/5 6/5"), "{first}");
    });
}

/// What no waiting mends is said in one line, at once.
#[test]
fn unusable_nats_options_are_one_line_errors() {
    let Some(field) = Field::new("nats::unusable_nats_options_are_one_line_errors") else {
        return;
    };
    for (line, code, why) in [
        ("serve --nats http://nowhere:1", 2, "that is not an address"),
        (
            "serve --nats nats://u:s3cretW0rd@127.0.0.1:1",
            2,
            "put it into a file",
        ),
        (
            "serve --nats nats://127.0.0.1:1 --farm a.b",
            2,
            "--farm a.b",
        ),
        (
            "serve --nats nats://127.0.0.1:1 --creds nothing",
            3,
            "nothing: ",
        ),
    ] {
        let out = field.run(line);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(code), "{line}: {said}");
        assert!(said.contains(why), "{line}: {said}");
        assert_eq!(said.trim_end().lines().count(), 1, "{line}: {said}");
        assert!(!said.contains("s3cretW0rd"), "{said}");
    }
    // Without a server it ends as soon as it is told to.
    let nowhere = free_port();
    let mut alone = field.command("nats://127.0.0.1:1");
    alone.args(["serve", "--nats", &format!("nats://127.0.0.1:{nowhere}")]);
    alone.args(["--grace", "86400"]);
    let mut alone = Running(
        alone
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let mut line = String::new();
    let out = alone.0.stdout.take().unwrap();
    BufReader::new(out).read_line(&mut line).unwrap();
    assert!(
        line.starts_with("answering over nats://127.0.0.1"),
        "{line}"
    );
    let pid = alone.0.id().to_string();
    assert!(
        std::process::Command::new("kill")
            .arg(pid)
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(alone.0.wait().unwrap().code(), Some(0));
}
