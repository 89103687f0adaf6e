//! Connection to a NATS server: address, credentials, TLS, error texts. Jobs and requests share it.

use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, ServerAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Timeout of one attempt to connect, and of one response of the server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum backoff between two attempts to reconnect.
const RETRY_BACKOFF_MAX: Duration = Duration::from_secs(10);
/// Maximum size of a file with a password, a token or a seed.
const SECRET_BYTES_MAX: u64 = 64 << 10;

/// An error while connecting to the server. Each message is one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The address is invalid; a retry cannot fix it.
    #[error("cannot connect to {0} (that is not an address, example: nats://127.0.0.1:4222)")]
    Address(String),
    /// The address contains a password, which other users could read in the process list.
    #[error(
        "a password does not belong into --nats: put it into a file and give --user and --password-file, or \
         --token-file or --creds"
    )]
    Password,
    /// A file with credentials cannot be read.
    #[error("{file}: {reason}")]
    File {
        /// Path of the file.
        file: String,
        /// Reason of the failure.
        reason: String,
    },
    /// There is no server at the address, or it refuses the connection.
    #[error("cannot connect to {url} ({reason})")]
    Refused {
        /// Address without a password.
        url: String,
        /// Reason of the failure.
        reason: String,
    },
}

/// Returns a converter from I/O errors to errors that name a file with credentials.
fn file(path: &Path) -> impl Fn(std::io::Error) -> ConnectError {
    move |error| ConnectError::File {
        file: path.display().to_string(),
        reason: error.to_string(),
    }
}

/// Address of the server, and credentials.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Address `nats://HOST:PORT` or `tls://HOST:PORT`; several are separated by commas.
    pub url: String,
    /// File with a user's JWT and seed.
    pub creds: Option<PathBuf>,
    /// File with the seed of an NKey.
    pub nkey: Option<PathBuf>,
    /// File with a token.
    pub token: Option<PathBuf>,
    /// User name; the password is in the file [`Access::password`].
    pub user: Option<String>,
    /// File with the password of [`Access::user`].
    pub password: Option<PathBuf>,
    /// Certificates of the authorities that sign the server's certificate.
    pub tls_ca: Option<PathBuf>,
    /// Client certificate.
    pub tls_cert: Option<PathBuf>,
    /// Private key of the client certificate.
    pub tls_key: Option<PathBuf>,
}

impl Access {
    /// Returns the address for messages, without the part before `@`.
    #[must_use]
    pub fn shown(&self) -> String {
        let shown = |one: &str| match one.split_once("://") {
            Some((scheme, rest)) => {
                let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
                format!("{scheme}://{host}")
            }
            None => one
                .rsplit_once('@')
                .map_or(one, |(_, host)| host)
                .to_owned(),
        };
        self.url.split(',').map(shown).collect::<Vec<_>>().join(",")
    }

    /// Reads a file with a secret; only its owner may have rights on it.
    fn secret(&self, path: &Path) -> Result<String, ConnectError> {
        gammond_base::files::check_private(path).map_err(file(path))?;
        let text = gammond_base::files::read_text(path, SECRET_BYTES_MAX);
        let text = text.map_err(file(path))?;
        Ok(text.trim().to_owned())
    }

    async fn options(&self) -> Result<ConnectOptions, ConnectError> {
        if self.url.split(',').any(|one| {
            one.split_once("://")
                .map_or(one, |(_, rest)| rest)
                .contains('@')
        }) {
            return Err(ConnectError::Password);
        }
        let mut options = ConnectOptions::new()
            .name("gammond")
            .connection_timeout(CONNECT_TIMEOUT)
            .request_timeout(Some(CONNECT_TIMEOUT))
            .reconnect_delay_callback(|tries| {
                let tries = u32::try_from(tries.min(16)).unwrap_or(16);
                // From a tenth of a second on, doubled each time.
                Duration::from_millis(50)
                    .saturating_mul(1 << tries)
                    .min(RETRY_BACKOFF_MAX)
            })
            .event_callback(|event| async move {
                match event {
                    Event::Connected => tracing::info!("connected to the server"),
                    Event::Disconnected => {
                        tracing::warn!("lost the connection to the server; reconnecting");
                    }
                    Event::Closed => tracing::debug!("the connection is closed"),
                    other => tracing::warn!("{other}"),
                }
            });
        if let Some(path) = &self.creds {
            // The client needs the line end behind the last line.
            let text = self.secret(path)? + "\n";
            let loaded = options.credentials(&text);
            options = loaded.map_err(file(path))?;
        }
        if let Some(path) = &self.nkey {
            options = options.nkey(self.secret(path)?);
        }
        if let Some(path) = &self.token {
            options = options.token(self.secret(path)?);
        }
        if let Some(user) = &self.user {
            let password = self.password.as_ref().map(|path| self.secret(path));
            options =
                options.user_and_password(user.clone(), password.transpose()?.unwrap_or_default());
        }
        if let Some(path) = &self.tls_ca {
            options = options
                .add_root_certificates(path.clone())
                .require_tls(true);
        }
        if let (Some(cert), Some(key)) = (&self.tls_cert, &self.tls_key) {
            gammond_base::files::check_private(key).map_err(file(key))?;
            options = options.add_client_certificate(cert.clone(), key.clone());
        }
        Ok(options)
    }

    /// Returns the addresses, or an error if one is invalid.
    fn servers(&self) -> Result<Vec<ServerAddr>, ConnectError> {
        let server_address = |text: &str| text.trim().parse();
        let all: Result<Vec<ServerAddr>, _> = self.url.split(',').map(server_address).collect();
        all.map_err(|_| ConnectError::Address(self.shown()))
    }

    /// Checks the addresses and the files needed to connect, without a server.
    ///
    /// # Errors
    /// [`ConnectError`], but never [`ConnectError::Refused`].
    pub async fn check(&self) -> Result<(), ConnectError> {
        self.options().await?;
        self.servers().map(drop)
    }

    /// Connects once, or returns the reason in one line. A connection that breaks later is retried without end.
    ///
    /// # Errors
    /// [`ConnectError`].
    pub async fn connect(&self) -> Result<Client, ConnectError> {
        let options = self.options().await?;
        let connected = options.connect(self.servers()?).await;
        connected.map_err(|error| {
            let reason = match error.kind() {
                ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                    "the server refuses these credentials".to_owned()
                }
                _ => words(&error),
            };
            ConnectError::Refused {
                url: self.shown(),
                reason,
            }
        })
    }

    /// Connects, retries until the server is reachable, and reports why it waits. Returns only errors that a retry cannot fix.
    ///
    /// # Errors
    /// If files with credentials cannot be read, or an address is invalid.
    pub async fn connect_with_retry(
        &self,
        on_failure: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Client, ConnectError> {
        let mut wait = Duration::from_millis(250);
        loop {
            match self.connect().await {
                Err(error @ ConnectError::Refused { .. }) => {
                    on_failure(&format!("{error}; next try in {:.1} s", wait.as_secs_f64()));
                }
                ended => return ended,
            }
            tokio::time::sleep(wait).await;
            wait = (2 * wait).min(RETRY_BACKOFF_MAX);
        }
    }
}

/// Returns true if the text is a valid name of a machine, farm or service: letters, digits, `-` and `_`, at most 40.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let good = |one: char| one.is_ascii_alphanumeric() || one == '-' || one == '_';
    !text.is_empty() && text.len() <= 40 && text.chars().all(good)
}

/// Formats an error and its causes in one line.
pub(crate) fn words(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text.replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn secret_that_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        std::fs::write(&path, "s3cretW0rd\n").unwrap();
        let of = |access: Access| {
            let runtime = tokio::runtime::Builder::new_current_thread().build();
            let checked = runtime.unwrap().block_on(access.check());
            checked.map_err(|error| error.to_string())
        };
        let url = "nats://127.0.0.1:4222".to_owned();
        let all = || {
            let (url, some) = (url.clone(), Some(path.clone()));
            let plain = Access {
                url,
                ..Access::default()
            };
            [
                Access {
                    token: some.clone(),
                    ..plain.clone()
                },
                Access {
                    creds: some.clone(),
                    ..plain.clone()
                },
                Access {
                    nkey: some.clone(),
                    ..plain.clone()
                },
                Access {
                    user: Some("u".to_owned()),
                    password: some.clone(),
                    ..plain.clone()
                },
                Access {
                    tls_cert: some.clone(),
                    tls_key: some,
                    ..plain
                },
            ]
        };
        for mode in [0o644, 0o640, 0o604, 0o660] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            for access in all() {
                let said = of(access).unwrap_err();
                assert!(
                    said.contains(&format!("mode {mode:o}); run chmod 600")),
                    "{said}"
                );
                assert!(!said.contains("s3cret"), "{said}");
            }
        }
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        let [token, ..] = all();
        assert_eq!(of(token), Ok(()));
    }

    #[test]
    fn passwords_are_never_shown() {
        for (url, shown) in [
            ("nats://a:secret@host:4222", "nats://host:4222"),
            ("a:secret@host", "host"),
            ("nats://one:1,tls://t0ken@two:2", "nats://one:1,tls://two:2"),
        ] {
            let access = Access {
                url: url.to_owned(),
                ..Access::default()
            };
            assert_eq!(access.shown(), shown);
        }
    }
}
