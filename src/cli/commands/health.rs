//! `gammond health`: whether a server over HTTP is ready, for containers and supervisors without another client.

use crate::{Common, Failure, print};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::process::ExitCode;
use std::time::Duration;

/// Seconds to connect, and between two parts of the answer.
const WAIT: Duration = Duration::from_secs(3);
/// Bytes of an answer that are read at most.
const LINE_BYTES_MAX: u64 = 256;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Address of the server's HTTP.
    #[arg(value_name = "HOST:PORT", default_value = "127.0.0.1:8080")]
    address: String,
}

pub(crate) fn run(_common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let Args { address } = args;
    let addresses: Vec<SocketAddr> = address
        .to_socket_addrs()
        .map_err(|error| {
            Failure::usage(format!(
                "address '{address}': {error}, expected HOST:PORT such as 127.0.0.1:8080"
            ))
        })?
        .collect();
    let line = status_line(&addresses)
        .map_err(|error| Failure::work(format!("{address} is not ready: {error}")))?;
    if !line.starts_with("HTTP/1.1 200 ") {
        let line: String = line.chars().filter(|one| !one.is_control()).collect();
        let reason = format!("{address} is not ready: it answers '{line}'");
        return Err(Failure::work(reason));
    }
    print(format!("{address} is ready\n").as_bytes())
}

/// Returns the first line of the answer to a request for `/readyz`, from the first open address.
fn status_line(addresses: &[SocketAddr]) -> std::io::Result<String> {
    let mut result = Err(std::io::ErrorKind::AddrNotAvailable.into());
    for address in addresses {
        result = TcpStream::connect_timeout(address, WAIT);
        if result.is_ok() {
            break;
        }
    }
    let mut stream = result?;
    stream.set_read_timeout(Some(WAIT))?;
    stream.set_write_timeout(Some(WAIT))?;
    let host = stream.peer_addr()?;
    stream.write_all(
        format!("GET /readyz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes(),
    )?;
    let mut line = Vec::new();
    BufReader::new(stream.take(LINE_BYTES_MAX)).read_until(b'\n', &mut line)?;
    Ok(String::from_utf8_lossy(&line).trim_end().to_string())
}
