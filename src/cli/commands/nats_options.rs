//! Options of all that uses a NATS server: names, address, credentials.

use crate::Failure;
use gammond_farm::nats::{Access, is_name};
use std::path::PathBuf;

/// Name of the farm, and credentials.
#[derive(clap::Args, Debug, Clone)]
pub(super) struct NatsOptions {
    /// Name of the farm, where one server has several.
    #[arg(
        long,
        env = "GAMMOND_FARM",
        default_value = "gammond",
        value_name = "NAME"
    )]
    pub(super) farm: String,
    /// File with a user's JWT and seed, as NATS makes it.
    #[arg(long, value_name = "FILE")]
    creds: Option<PathBuf>,
    /// File with the seed of an NKey.
    #[arg(long, value_name = "FILE")]
    nkey_file: Option<PathBuf>,
    /// File with a token.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// User; the password is in a file.
    #[arg(long, value_name = "NAME", requires = "password_file")]
    user: Option<String>,
    /// File with the user's password.
    #[arg(long, value_name = "FILE", requires = "user")]
    password_file: Option<PathBuf>,
    /// CA certificates (PEM) for the server's certificate; TLS is required then.
    #[arg(long, value_name = "FILE")]
    tls_ca: Option<PathBuf>,
    /// Our certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its key (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
}

impl NatsOptions {
    /// Returns the way to the server at `url`.
    pub(super) fn access(&self, url: &str) -> Result<Access, Failure> {
        if !is_name(&self.farm) {
            return Err(Failure::usage(format!(
                "--farm {}: expected letters, digits, - and _, at most 40",
                self.farm
            )));
        }
        Ok(Access {
            url: url.to_owned(),
            creds: self.creds.clone(),
            nkey: self.nkey_file.clone(),
            token: self.token_file.clone(),
            user: self.user.clone(),
            password: self.password_file.clone(),
            tls_ca: self.tls_ca.clone(),
            tls_cert: self.tls_cert.clone(),
            tls_key: self.tls_key.clone(),
        })
    }
}
