//! The way to the server: address, credentials, TLS.

use super::FarmError;
use super::error::words;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long one try to connect, and one answer of the server, may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest wait between two tries to connect again.
const RETRY_MAX: Duration = Duration::from_secs(10);
/// The longest file with a password, a token or a seed.
const SECRET_BYTES_MAX: u64 = 64 << 10;

/// Where the server is and who we are.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// `nats://HOST:PORT` or `tls://HOST:PORT`, several with commas.
    pub url: String,
    /// A file with a user's JWT and seed.
    pub creds: Option<PathBuf>,
    /// A file with the seed of an NKey.
    pub nkey: Option<PathBuf>,
    /// A file with a token.
    pub token: Option<PathBuf>,
    /// A user, and a file with the password.
    pub user: Option<String>,
    /// See [`Access::user`].
    pub password: Option<PathBuf>,
    /// Certificates of those who sign the server's.
    pub tls_ca: Option<PathBuf>,
    /// Our certificate.
    pub tls_cert: Option<PathBuf>,
    /// Its key.
    pub tls_key: Option<PathBuf>,
}

impl Access {
    /// The address for messages: without what stands before an `@`.
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

    fn secret(&self, path: &Path) -> Result<String, FarmError> {
        let text = crate::files::read_text(path, SECRET_BYTES_MAX);
        let text = text.map_err(FarmError::file(path.display()))?;
        Ok(text.trim().to_owned())
    }

    async fn options(&self) -> Result<ConnectOptions, FarmError> {
        if self.url.split(',').any(|one| {
            one.split_once("://")
                .map_or(one, |(_, rest)| rest)
                .contains('@')
        }) {
            return Err(FarmError::Other(
                "a password does not belong into --nats: put it into a file and give --user and --password-file, or \
                 --token-file or --creds"
                    .to_owned(),
            ));
        }
        let mut options = ConnectOptions::new()
            .name("gammond")
            .connection_timeout(PATIENCE)
            .request_timeout(Some(PATIENCE))
            .reconnect_delay_callback(|tries| {
                let tries = u32::try_from(tries.min(16)).unwrap_or(16);
                // From a tenth of a second on, doubled each time.
                Duration::from_millis(50)
                    .saturating_mul(1 << tries)
                    .min(RETRY_MAX)
            })
            .event_callback(|event| async move {
                match event {
                    Event::Connected => tracing::info!("connected to the server"),
                    Event::Disconnected => {
                        tracing::warn!("the connection to the server is lost; trying again");
                    }
                    Event::Closed => tracing::debug!("the connection is closed"),
                    other => tracing::warn!("{other}"),
                }
            });
        if let Some(path) = &self.creds {
            let text = self.secret(path)?;
            let loaded = options.credentials(&text);
            options = loaded.map_err(FarmError::file(path.display()))?;
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
            options = options.add_client_certificate(cert.clone(), key.clone());
        }
        Ok(options)
    }

    /// Connects, or says in one line why not. Later breaks are mended without end.
    ///
    /// # Errors
    /// [`FarmError`].
    pub async fn connect(&self) -> Result<Client, FarmError> {
        let servers: Vec<&str> = self.url.split(',').map(str::trim).collect();
        let connected = self.options().await?.connect(servers).await;
        connected.map_err(|error| {
            let reason = match error.kind() {
                ConnectErrorKind::ServerParse => {
                    "that is no address; an example: nats://127.0.0.1:4222".to_owned()
                }
                ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                    "the server refuses these credentials".to_owned()
                }
                _ => words(&error),
            };
            FarmError::Connect {
                url: self.shown(),
                reason,
            }
        })
    }

    /// Connects as soon as the server is there, and says why it waits. Only what no waiting mends ends it.
    ///
    /// # Errors
    /// When files with credentials cannot be read, or the address is none.
    pub async fn connect_patiently(
        &self,
        tell: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Client, FarmError> {
        let mut wait = Duration::from_millis(250);
        loop {
            match self.connect().await {
                Ok(client) => return Ok(client),
                Err(error @ FarmError::Connect { .. })
                    if !error.to_string().contains("is no address") =>
                {
                    tell(&format!("{error}; next try in {:.1} s", wait.as_secs_f64()));
                }
                Err(error) => return Err(error),
            }
            tokio::time::sleep(wait).await;
            wait = (2 * wait).min(RETRY_MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
