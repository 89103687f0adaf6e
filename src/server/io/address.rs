//! Addresses to listen on, as the command line gives them.

use std::path::PathBuf;

/// An address to listen on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Address {
    /// TCP address `HOST:PORT`; port 0 takes any free port.
    Tcp(String),
    /// Unix socket `unix:PATH`.
    Unix(PathBuf),
}

/// An error while parsing an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// The path of a Unix socket is missing.
    #[error("unix: needs a path")]
    Path,
    /// The text has neither of the two forms.
    #[error("expected HOST:PORT or unix:PATH")]
    Form,
}

impl std::str::FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Address, AddressError> {
        if let Some(path) = text.strip_prefix("unix:") {
            if path.is_empty() {
                return Err(AddressError::Path);
            }
            return Ok(Address::Unix(path.into()));
        }
        match text.rsplit_once(':') {
            Some((host, port))
                if !host.is_empty() && !host.contains('/') && port.parse::<u16>().is_ok() =>
            {
                Ok(Address::Tcp(text.to_owned()))
            }
            _ => Err(AddressError::Form),
        }
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Address::Tcp(address) => f.write_str(address),
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}
