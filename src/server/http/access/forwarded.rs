//! The address of a client behind a proxy, from `X-Forwarded-For` and `Forwarded` (HTTP-132), and whether the client came
//! over TLS (HTTP-134): only what trusted proxies have written counts.

use crate::core::fair_queue::Origin;
use crate::http::wire::problem::Problem;
use axum::http::header::FORWARDED;
use axum::http::{HeaderMap, HeaderName};
use gammond_protocol::ErrorCode;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Addresses whose word about clients is trusted, such as `10.0.0.0/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustedProxy {
    address: IpAddr,
    bits: u8,
}

/// A text is no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected an address or a network, such as 127.0.0.1, 10.0.0.0/8 or fd00::/8")]
pub struct TrustedProxyError;

impl FromStr for TrustedProxy {
    type Err = TrustedProxyError;

    fn from_str(text: &str) -> Result<TrustedProxy, TrustedProxyError> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| TrustedProxyError)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let is_number = |bits: &&str| bits.bytes().all(|byte| byte.is_ascii_digit());
        let bits = match bits {
            None => most,
            Some(bits) => Some(bits)
                .filter(is_number)
                .and_then(|bits| bits.parse().ok())
                .filter(|bits| *bits <= most)
                .ok_or(TrustedProxyError)?,
        };
        Ok(TrustedProxy { address, bits })
    }
}

impl fmt::Display for TrustedProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

impl TrustedProxy {
    fn contains(&self, address: IpAddr) -> bool {
        // A shift by all bits would be none.
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let differ = own.to_bits() ^ other.to_bits();
                differ.leading_zeros() >= u32::from(self.bits)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let differ = own.to_bits() ^ other.to_bits();
                differ.leading_zeros() >= u32::from(self.bits)
            }
            _ => false,
        }
    }
}

/// Returns true if the peer is a trusted proxy.
pub(in crate::http) fn is_trusted(proxies: &[TrustedProxy], peer: Origin) -> bool {
    match peer {
        Origin::Address(address) => is_proxy(proxies, address),
        _ => false,
    }
}

fn is_proxy(proxies: &[TrustedProxy], address: IpAddr) -> bool {
    proxies.iter().any(|proxy| proxy.contains(address))
}

/// Returns the client that a trusted proxy names; `None` if the peer is no trusted proxy.
///
/// # Errors
/// `bad-request` if a header names no address, or both name different ones: then one of them is not the proxy's.
pub(in crate::http) fn client(
    proxies: &[TrustedProxy],
    peer: Origin,
    headers: &HeaderMap,
) -> Result<Option<Origin>, Problem> {
    if !is_trusted(proxies, peer) {
        return Ok(None);
    }
    let mut found = None;
    for name in [X_FORWARDED_FOR, FORWARDED] {
        let Some(address) = last_untrusted(proxies, &name, headers)? else {
            continue;
        };
        if found.replace(address).is_some_and(|other| other != address) {
            let message = "X-Forwarded-For and Forwarded name different clients: let the proxy remove the one that it does \
                           not write";
            return Err(Problem::new(ErrorCode::BadRequest, message));
        }
    }
    Ok(Some(found.map_or(peer, Origin::Address)))
}

/// Returns true if a trusted proxy reports that the client came over TLS. A client's own false report only makes its
/// own cookie narrower.
pub(in crate::http) fn is_https(
    proxies: &[TrustedProxy],
    peer: Origin,
    headers: &HeaderMap,
) -> bool {
    let all = |name: &HeaderName| {
        let values = headers.get_all(name).iter();
        values
            .filter_map(|value| value.to_str().ok())
            .collect::<Vec<_>>()
            .join(",")
    };
    let is_https = |text: &str| text.trim().trim_matches('"').eq_ignore_ascii_case("https");
    let forwarded = || {
        let text = all(&FORWARDED);
        let elements = split_unquoted(&text, ',').into_iter();
        let mut pairs = elements.flat_map(|element| split_unquoted(element, ';'));
        pairs.any(|pair| {
            let (name, value) = pair.trim().split_once('=').unwrap_or_default();
            name.eq_ignore_ascii_case("proto") && is_https(value)
        })
    };
    is_trusted(proxies, peer) && (all(&X_FORWARDED_PROTO).split(',').any(is_https) || forwarded())
}

/// Returns the last hop that is no trusted proxy, else the first one; `None` without this header.
fn last_untrusted(
    proxies: &[TrustedProxy],
    name: &HeaderName,
    headers: &HeaderMap,
) -> Result<Option<IpAddr>, Problem> {
    let wrong = |hop: &str| {
        let example = match *name == FORWARDED {
            true => "Forwarded: for=203.0.113.9",
            false => "X-Forwarded-For: 203.0.113.9",
        };
        let message = format!("{name} has {hop:.64?}, expected addresses such as {example}");
        Problem::new(ErrorCode::BadRequest, message)
    };
    let mut last = None;
    for value in headers.get_all(name).iter().rev() {
        let value = value
            .to_str()
            .map_err(|_| wrong("a value that is not ASCII"))?;
        for hop in split_unquoted(value, ',').into_iter().rev() {
            let address = match *name == FORWARDED {
                true => forwarded_for(hop),
                false => address(hop.trim()),
            };
            // Addresses before the first hop that is not trusted may be forged, and are ignored.
            let address = address.ok_or_else(|| wrong(hop))?;
            last = Some(address);
            if !is_proxy(proxies, address) {
                return Ok(last);
            }
        }
    }
    Ok(last)
}

/// Parses an address with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = || {
        let inside = text
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        inside.unwrap_or(text).parse::<IpAddr>().ok()
    };
    let address = bare().or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()))?;
    Some(address.to_canonical())
}

/// Returns the address of an element of `Forwarded` (RFC 7239).
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let mut pairs = split_unquoted(element, ';').into_iter();
    pairs.find_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        if !name.eq_ignore_ascii_case("for") {
            return None;
        }
        let inside = value
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        address(inside.unwrap_or(value))
    })
}

/// Splits a text at a sign that is not between quotation marks.
fn split_unquoted(text: &str, sign: char) -> Vec<&str> {
    let mut quoted = false;
    text.split(move |c: char| {
        quoted ^= c == '"';
        c == sign && !quoted
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn proxies(texts: &[&str]) -> Vec<TrustedProxy> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    /// HTTP-134.
    #[test]
    fn https_is_what_a_trusted_proxy_says() {
        let found = |peer: &str, pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(*name, HeaderValue::from_static(value));
            }
            let peer = Origin::Address(peer.parse().unwrap());
            is_https(&proxies(&["10.0.0.0/8"]), peer, &headers)
        };
        let proto = "x-forwarded-proto";
        for pairs in [
            &[(proto, "https")][..],
            &[(proto, "http, HTTPS")],
            &[(proto, "http"), (proto, "https")],
            &[("forwarded", "for=192.0.2.1;proto=https;by=10.0.0.1")],
            &[("forwarded", "for=192.0.2.1, for=10.0.0.2; Proto=\"https\"")],
        ] {
            assert!(found("10.0.0.1", pairs), "{pairs:?}");
            assert!(!found("192.0.2.1", pairs), "{pairs:?}");
        }
        for pairs in [
            &[][..],
            &[(proto, "http")],
            &[(proto, "xhttps")],
            &[("forwarded", "for=\"proto=https\"")],
            &[("forwarded", "proto")],
        ] {
            assert!(!found("10.0.0.1", pairs), "{pairs:?}");
        }
    }

    fn from(peer: &str, pairs: &[(&'static str, &str)]) -> Result<Option<String>, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let proxies = proxies(&["10.0.0.0/8", "192.0.2.7", "fd00::/8"]);
        let found = client(&proxies, Origin::Address(peer.parse().unwrap()), &headers);
        let found = found.map_err(|problem| String::from(problem.message))?;
        Ok(found.map(|origin| match origin {
            Origin::Address(address) => address.to_string(),
            other => format!("{other:?}"),
        }))
    }

    /// HTTP-132: the last hop that is no proxy is the client; addresses before it are ignored.
    #[test]
    fn last_untrusted_hop_is_the_client() {
        let xff = "x-forwarded-for";
        for (peer, headers, want) in [
            ("203.0.113.1", vec![(xff, "198.51.100.1")], None),
            ("203.0.113.1", vec![(xff, "garbage")], None),
            ("10.1.2.3", vec![], Some("10.1.2.3")),
            (
                "10.1.2.3",
                vec![(xff, "198.51.100.1")],
                Some("198.51.100.1"),
            ),
            (
                "10.1.2.3",
                vec![(xff, "1.1.1.1, 198.51.100.1")],
                Some("198.51.100.1"),
            ),
            (
                "10.1.2.3",
                vec![(xff, "garbage, 198.51.100.1, 10.0.0.9")],
                Some("198.51.100.1"),
            ),
            (
                "10.1.2.3",
                vec![(xff, "1.1.1.1"), (xff, "198.51.100.1")],
                Some("198.51.100.1"),
            ),
            (
                "10.1.2.3",
                vec![(xff, "10.0.0.8,192.0.2.7")],
                Some("10.0.0.8"),
            ),
            (
                "192.0.2.7",
                vec![(xff, "198.51.100.1:4711")],
                Some("198.51.100.1"),
            ),
            ("192.0.2.8", vec![(xff, "198.51.100.1")], None),
            ("fd00::1", vec![(xff, "2001:db8::1")], Some("2001:db8::1")),
            (
                "fd00::1",
                vec![(xff, "[2001:db8::1]:80")],
                Some("2001:db8::1"),
            ),
            (
                "fd00::1",
                vec![(xff, "::ffff:198.51.100.1")],
                Some("198.51.100.1"),
            ),
            ("fe80::1", vec![(xff, "2001:db8::1")], None),
            (
                "10.1.2.3",
                vec![(
                    "forwarded",
                    "for=1.1.1.1, for=\"[2001:db8::2]:4711\";proto=http, By=x;For=10.0.0.2",
                )],
                Some("2001:db8::2"),
            ),
            (
                "10.1.2.3",
                vec![("forwarded", "for=198.51.100.1"), (xff, "198.51.100.1")],
                Some("198.51.100.1"),
            ),
        ] {
            let found = from(peer, &headers).unwrap();
            assert_eq!(found.as_deref(), want, "{peer} {headers:?}");
        }
    }

    /// HTTP-132: a hop that is no address, and two headers with different clients, are errors.
    #[test]
    fn header_without_an_address_is_refused() {
        let xff = "x-forwarded-for";
        for (headers, name) in [
            (vec![(xff, "garbage")], xff),
            (vec![(xff, "")], xff),
            (vec![(xff, "198.51.100.1,")], xff),
            (vec![(xff, "unknown, 10.0.0.1")], xff),
            (vec![(xff, "1.2.3")], xff),
            (vec![(xff, "ä")], xff),
            (vec![("forwarded", "proto=http")], "forwarded"),
            (vec![("forwarded", "for=_hidden")], "forwarded"),
            (vec![("forwarded", "for=\"1.1.1.1")], "forwarded"),
            (
                vec![("forwarded", "for=1.1.1.1"), (xff, "1.1.1.2")],
                "Forwarded name different",
            ),
        ] {
            let message = from("10.1.2.3", &headers).unwrap_err();
            assert!(message.contains(name), "{headers:?}: {message}");
        }
    }

    #[test]
    fn networks_have_at_most_all_bits() {
        for (text, good) in [
            ("127.0.0.1", true),
            ("0.0.0.0/0", true),
            ("::/0", true),
            ("::1/128", true),
            ("10.0.0.0/33", false),
            ("10.0.0.0/+8", false),
            ("10.0.0.0/", false),
            ("10.0.0/8", false),
            ("proxy.example", false),
            ("", false),
        ] {
            assert_eq!(text.parse::<TrustedProxy>().is_ok(), good, "{text}");
        }
        let everything: TrustedProxy = "0.0.0.0/0".parse().unwrap();
        assert!(everything.contains("255.1.2.3".parse().unwrap()));
        assert!(!everything.contains("::1".parse().unwrap()));
    }
}
