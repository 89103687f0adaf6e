//! MCP on standard input and output: one message a line (MCP-10).

use crate::core::Handle;
use crate::core::fair_queue::Origin;
use crate::core::shutdown::{ShutdownPhase, reached};
use crate::http::paths::mcp::message::{INVALID_REQUEST, Id, Message, Outgoing, RpcError};
use crate::http::paths::mcp::{Context, MESSAGE_BYTES_MAX, respond};
use crate::io::{Opening, TransportError};
use crate::platform::hung_up;
use crate::transport::{Transport, TransportFuture};
use gammond_protocol::{FramedLine, LineCodec};
use std::collections::HashMap;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::AbortHandle;
use tokio::time::sleep;

/// Requests in work at a time.
const CALLS_MAX: usize = 64;
/// Time between two checks for the reader of standard output, after the end of the input.
const READER_CHECK: Duration = Duration::from_millis(500);
/// Size of one read in bytes.
const READ_BYTES: usize = 64 << 10;

/// MCP on standard input and output. The server ends with the input.
#[derive(Clone, Copy, Debug, Default)]
pub struct McpStdio;

impl Transport for McpStdio {
    fn open(&mut self, _: Opening) -> TransportFuture<'_, Result<(), TransportError>> {
        Box::pin(async { Ok(()) })
    }

    fn shown(&self) -> Vec<String> {
        vec!["MCP on standard input and output".to_owned()]
    }

    fn serve(self: Box<Self>, server: Handle) -> TransportFuture<'static, ()> {
        Box::pin(async move {
            let mut phase = server.0.phase.subscribe();
            tokio::select! {
                () = converse(&server) => {}
                () = reached(&mut phase, ShutdownPhase::Drain) => {}
            }
            server.drain();
        })
    }
}

/// Writes messages to standard output, each with its line end.
fn write(message: &Outgoing) -> bool {
    let mut out = std::io::stdout().lock();
    let written = writeln!(out, "{}", message.text).and_then(|()| out.flush());
    written.is_ok()
}

/// Waits until the reader of standard output has gone.
async fn reader_gone() {
    while !hung_up(&std::io::stdout()) {
        sleep(READER_CHECK).await;
    }
}

/// The requests in work, by their ids.
type Calls = HashMap<Id, AbortHandle>;

async fn converse(server: &Handle) {
    let context = Context {
        shared: Arc::clone(&server.0),
        origin: Origin::Here,
        unread: None,
    };
    let (sender, mut messages) = unbounded_channel::<Outgoing>();
    let mut calls = Calls::new();
    let mut codec = LineCodec::new(MESSAGE_BYTES_MAX);
    let mut input = tokio::io::stdin();
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let count = tokio::select! {
            Some(message) = messages.recv() => {
                if !write(&message) {
                    break;
                }
                continue;
            }
            read = input.read(&mut buffer) => read.unwrap_or(0),
        };
        match buffer.get(..count) {
            Some(bytes) if count > 0 => codec.feed(bytes),
            _ => {
                codec.finish();
            }
        }
        while let Some(cut) = codec.peek() {
            match cut {
                FramedLine::Line(line) if line.trim_ascii().is_empty() => {}
                FramedLine::Line(line) => take(&context, line, &mut calls, &sender),
                FramedLine::TooLong => {
                    let error = format!("a message has at most {MESSAGE_BYTES_MAX} bytes");
                    let error = RpcError::new(INVALID_REQUEST, error);
                    let _ = sender.send(error.response(&Id::null()));
                }
            }
            codec.consume();
        }
        if count == 0 {
            break;
        }
    }
    // The tasks hold the other senders: the channel ends when all have answered.
    drop(sender);
    let answers = async {
        while let Some(message) = messages.recv().await {
            if !write(&message) {
                break;
            }
        }
    };
    tokio::select! {
        () = answers => {}
        () = reader_gone() => {}
    }
    calls.values().for_each(AbortHandle::abort);
}

/// Starts the work of a message, or cancels another's.
fn take(context: &Context, line: &[u8], calls: &mut Calls, sender: &UnboundedSender<Outgoing>) {
    calls.retain(|_, call| !call.is_finished());
    let message = match Message::read(line) {
        Ok(Some(message)) => message,
        Ok(None) => return,
        Err(response) => {
            let _ = sender.send(response);
            return;
        }
    };
    let Some(id) = &message.id else {
        if message.method == "notifications/cancelled"
            && let Some(id) = &message.request_id
            && let Some(call) = calls.remove(id)
        {
            call.abort();
        }
        return;
    };
    let name = id.clone();
    let refused = if calls.contains_key(id) {
        Some("this id is in use by a request in work")
    } else if calls.len() >= CALLS_MAX {
        Some("too many requests are in work")
    } else {
        None
    };
    if let Some(reason) = refused {
        let _ = sender.send(RpcError::new(INVALID_REQUEST, reason).response(id));
        return;
    }
    let (context, sender) = (context.clone(), sender.clone());
    let task = tokio::spawn(async move {
        let response = respond(&context, &message, sender.clone()).await;
        let _ = sender.send(response);
    });
    calls.insert(name, task.abort_handle());
}
