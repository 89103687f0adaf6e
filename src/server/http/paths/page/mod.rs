//! The pages for people (HTTP-110 to HTTP-119). Scripts fill them: all answers are those of the paths below `/v1/`.

mod folder;
mod sign_in;

use crate::http::ask::jobs::Jobs;
use crate::http::ask::state::HttpState;
use crate::http::wire::headers::fresh;
use crate::http::wire::methods::only_get;
use crate::http::wire::peer::Peer;
use crate::http::wire::unread::fixed;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Extension, State};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    REFERRER_POLICY, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use flate2::Compression;
use flate2::write::GzEncoder;
pub use folder::{GENERATOR, folder};
use gammond_base::escape::Markup;
pub(in crate::http) use sign_in::{
    SIGN_IN, SIGN_OUT, form as sign_in_form, is_wanted as wants_sign_in,
};
use std::io::Write as _;
use std::sync::{Arc, OnceLock};

/// The parts that all pages share.
const FRAME: &str = include_str!("frame.html");
/// A page: its path, its name, the module that fills it, and its main part.
type Page<'a> = (&'a str, &'a str, &'a str, &'a str);
/// The pages that are places. The first one is at the root.
const PLACES: [Page<'_>; 4] = [
    ("", "Analyse", "analyse", include_str!("analyse.html")),
    ("play", "Play", "play", include_str!("play.html")),
    (
        "matches",
        "Matches",
        "matches",
        include_str!("matches.html"),
    ),
    ("quiz", "Quiz", "quiz", include_str!("quiz.html")),
];
/// The page that stands in the menu.
const STATUS: Page<'_> = ("status", "Status", "status", include_str!("status.html"));
/// Beginning of the paths of the files of the pages.
pub(in crate::http) const FILES_PATH: &str = "/page/";
/// Files of the pages.
const FILES: [(&str, &str, &str); 44] = [
    ("analyse.js", SCRIPT, include_str!("analyse.js")),
    ("anki.js", SCRIPT, include_str!("anki.js")),
    ("apkg.js", SCRIPT, include_str!("apkg.js")),
    ("archive.js", SCRIPT, include_str!("archive.js")),
    ("ask.js", SCRIPT, include_str!("ask.js")),
    ("ask_error.js", SCRIPT, include_str!("ask_error.js")),
    ("ask_http.js", SCRIPT, include_str!("ask_http.js")),
    ("board.js", SCRIPT, include_str!("board.js")),
    ("cards.js", SCRIPT, include_str!("cards.js")),
    ("clock.js", SCRIPT, include_str!("clock.js")),
    ("curve.js", SCRIPT, include_str!("curve.js")),
    ("draw.js", SCRIPT, include_str!("draw.js")),
    ("engine.js", SCRIPT, include_str!("engine.js")),
    ("frame.js", SCRIPT, include_str!("frame.js")),
    ("game.js", SCRIPT, include_str!("game.js")),
    ("html.js", SCRIPT, include_str!("html.js")),
    ("intake.js", SCRIPT, include_str!("intake.js")),
    ("kept.js", SCRIPT, include_str!("kept.js")),
    ("live.js", SCRIPT, include_str!("live.js")),
    ("match.js", SCRIPT, include_str!("match.js")),
    ("matches.js", SCRIPT, include_str!("matches.js")),
    ("panels.js", SCRIPT, include_str!("panels.js")),
    ("picture.js", SCRIPT, include_str!("picture.js")),
    ("places.js", SCRIPT, include_str!("places.js")),
    ("play.js", SCRIPT, include_str!("play.js")),
    ("position.js", SCRIPT, include_str!("position.js")),
    ("question.js", SCRIPT, include_str!("question.js")),
    ("quiz.js", SCRIPT, include_str!("quiz.js")),
    ("report.js", SCRIPT, include_str!("report.js")),
    ("setup.js", SCRIPT, include_str!("setup.js")),
    ("share.js", SCRIPT, include_str!("share.js")),
    ("sound.js", SCRIPT, include_str!("sound.js")),
    ("sqlite.js", SCRIPT, include_str!("sqlite.js")),
    ("state.js", SCRIPT, include_str!("state.js")),
    ("status.js", SCRIPT, include_str!("status.js")),
    ("store.js", SCRIPT, include_str!("store.js")),
    ("strings.js", SCRIPT, include_str!("strings.js")),
    ("theme.js", SCRIPT, include_str!("theme.js")),
    ("translations.js", SCRIPT, include_str!("translations.js")),
    ("turn.js", SCRIPT, include_str!("turn.js")),
    ("zip.js", SCRIPT, include_str!("zip.js")),
    ("style.css", "text/css", STYLE),
    (
        "questions.json",
        "application/json",
        include_str!("questions.json"),
    ),
    // A match for a first visit.
    ("example.mat", "text/plain", include_str!("example.mat")),
];
const SCRIPT: &str = "text/javascript";
const GZIP: &str = "gzip";
const STYLE: &str = include_str!("style.css");
/// Content policy: nothing from elsewhere, no script and no style inside the page.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data: blob:; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Returns the pages and their files.
pub(in crate::http) fn routes() -> Router<HttpState> {
    let mut routes = Router::new()
        .route(SIGN_IN, any(sign_in::sign_in))
        .route(SIGN_OUT, any(sign_in::sign_out));
    for page in PLACES.into_iter().chain([STATUS]) {
        let served = move |has_archive: bool, client: Option<&str>| {
            let site = &Site::SERVED;
            let frame = Frame {
                page,
                site,
                has_archive,
                client,
            };
            frame.text()
        };
        let texts = [false, true].map(|has_archive| Text::new(served(has_archive, None)));
        let show = async move |method: Method,
                               headers: HeaderMap,
                               State(jobs): State<Arc<Jobs>>,
                               Extension(peer): Extension<Peer>| {
            let has_archive = jobs.storage.archive.is_some();
            let client = peer.signed_in.as_deref();
            if client.is_some() {
                let text = Text::new(served(has_archive, client));
                return fresh(file(&method, &headers, "text/html", &text));
            }
            let [without, with] = &texts;
            let text = if has_archive { with } else { without };
            file(&method, &headers, "text/html", text)
        };
        routes = routes.route(&format!("/{}", page.0), any(show));
    }
    for (name, kind, text) in FILES {
        let text = Text::new(shortened(name, text));
        let show =
            async move |method: Method, headers: HeaderMap| file(&method, &headers, kind, &text);
        routes = routes.route(&format!("{FILES_PATH}{name}"), any(show));
    }
    routes
}

/// Returns a file as browsers get it: scripts without indentation and lines of comments, every line with its number.
fn shortened(name: &str, text: &str) -> String {
    if !name.ends_with(".js") {
        return text.to_owned();
    }
    let is_code = |line: &&str| !line.starts_with("//");
    let lines = text
        .split('\n')
        .map(|line| Some(line.trim_start()).filter(is_code));
    lines
        .map(Option::unwrap_or_default)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns true for the path of a page, to which pages of other sites may link.
pub(in crate::http) fn is_page(path: &str) -> bool {
    let path = path.strip_prefix('/');
    (PLACES.iter().chain([&STATUS])).any(|(known, ..)| Some(*known) == path)
}

/// A page or a file, as it is and packed.
#[derive(Clone)]
struct Text {
    plain: Bytes,
    /// By gzip, when a client first takes it.
    packed: Arc<OnceLock<Bytes>>,
}

impl Text {
    fn new(text: impl Into<Bytes>) -> Text {
        Text {
            plain: text.into(),
            packed: Arc::default(),
        }
    }

    fn packed(&self) -> &Bytes {
        self.packed.get_or_init(|| {
            let mut packed = GzEncoder::new(Vec::new(), Compression::best());
            // Writing to memory does not fail.
            let _ = packed.write_all(&self.plain);
            packed.finish().unwrap_or_default().into()
        })
    }
}

/// Returns a page or a file, packed for clients that take that.
fn file(method: &Method, headers: &HeaderMap, kind: &str, text: &Text) -> Response {
    if let Err(refused) = only_get(method) {
        return refused.into_response();
    }
    let is_packed = takes_gzip(headers);
    let bytes = if is_packed {
        text.packed()
    } else {
        &text.plain
    };
    let mut response = with_headers(fixed(bytes), kind);
    let headers = response.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if is_packed {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(GZIP));
    }
    response
}

/// Returns true if `Accept-Encoding` names gzip, and not with the quality 0 (RFC 9110, 12.5.3).
fn takes_gzip(headers: &HeaderMap) -> bool {
    let is_gzip = |coding: &str| {
        let (name, quality) = coding.split_once(';').unwrap_or((coding, ""));
        let quality = quality.trim().trim_start_matches(['q', 'Q']).trim_start();
        let is_refused = quality
            .strip_prefix('=')
            .is_some_and(|value| value.trim().parse::<f32>().is_ok_and(|value| value == 0.0));
        name.trim().eq_ignore_ascii_case(GZIP) && !is_refused
    };
    let values = headers.get_all(ACCEPT_ENCODING).iter();
    let mut texts = values.filter_map(|value| value.to_str().ok());
    texts.any(|text| text.split(',').any(is_gzip))
}

/// Adds the headers of pages and their files.
fn with_headers(mut response: Response, kind: &str) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        // Other sites get no referrer, and the browser still names the page that has sent a form.
        (REFERRER_POLICY, "same-origin"),
        // Another version of the program may have another file.
        (CACHE_CONTROL, "no-cache"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(kind) = HeaderValue::from_str(&format!("{kind}; charset=utf-8")) {
        headers.insert(CONTENT_TYPE, kind);
    }
    response
}

/// Where pages are, and what is in their frames but for that.
struct Site {
    /// The path of the first place, from any page but that.
    root: &'static str,
    /// What stands behind the path of another place.
    end: &'static str,
    /// Attributes of the whole page.
    attributes: &'static str,
    /// More elements of the head.
    head: &'static str,
    /// Links in the menu.
    links: &'static str,
}

impl Site {
    const SERVED: Site = Site {
        root: "/",
        end: "",
        attributes: "",
        head: "<link rel=\"icon\" href=\"data:,\">",
        links: "<a href=\"/status\">Status</a> · <a href=\"/docs\">HTTP paths</a> · ",
    };
}

/// A page with all that its frame needs.
struct Frame<'a> {
    page: Page<'a>,
    site: &'a Site,
    /// True if the server shows an archive (HTTP-120).
    has_archive: bool,
    /// The client that is signed in (HTTP-133).
    client: Option<&'a str>,
}

impl Frame<'_> {
    /// Writes the page around its main part.
    fn text(&self) -> String {
        let Frame {
            page: (_, title, script, main),
            site,
            ..
        } = self;
        let client = self.client.map(Markup::new);
        filled(FRAME, |name| {
            match name {
            "client" => client.as_ref().map_or_else(String::new, |client| {
                format!(" data-client=\"{client}\"")
            }),
            "session" => client.as_ref().map_or_else(String::new, |client| {
                format!(
                    "<form class=\"session\" method=\"post\" action=\"{SIGN_OUT}\"><span>{client}</span>\
                     <button>Sign out</button></form>"
                )
            }),
            "archive" if self.has_archive => " data-archive".to_owned(),
            "archive" => String::new(),
            "title" => (*title).to_owned(),
            "script" => (*script).to_owned(),
            "main" => (*main).to_owned(),
            "nav" => self.nav(),
            "engine" => site.attributes.to_owned(),
            "head" => site.head.replace("{{root}}", self.root()),
            "links" => site.links.to_owned(),
            "root" => self.root().to_owned(),
            _ => env!("CARGO_PKG_VERSION").to_owned(),
        }
        })
    }

    /// Returns the way from this page to the root.
    fn root(&self) -> &'static str {
        match self.page.0.is_empty() && self.site.root != "/" {
            true => "./",
            false => self.site.root,
        }
    }

    /// Returns the list of places.
    fn nav(&self) -> String {
        let Site { end, .. } = self.site;
        let link = |(path, name, script, _): &Page<'_>| {
            let (here, end) = (
                *path == self.page.0,
                if path.is_empty() { "" } else { *end },
            );
            let here = if here { " aria-current=\"page\"" } else { "" };
            format!(
                "<a data-place=\"{script}\" href=\"{}{path}{end}\"{here}>{name}</a> ",
                self.root()
            )
        };
        PLACES.iter().map(link).collect()
    }
}

/// Fills the holes `{{name}}` of a template. The inserted text is not parsed again.
fn filled(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut pieces = template.split("{{");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").unwrap_or((piece, ""));
        text.push_str(&value(name));
        text.push_str(rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HTTP-114.
    #[test]
    fn gzip_is_for_those_who_take_it() {
        let takes = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(value));
            takes_gzip(&headers)
        };
        for value in ["gzip", "br, GZIP", "deflate, gzip;q=0.5", "gzip ; q=1"] {
            assert!(takes(value), "{value}");
        }
        for value in ["", "br", "gzip;q=0", "gzip; q=0.000", "x-gzip", "identity"] {
            assert!(!takes(value), "{value}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }

    #[test]
    fn holes_are_filled_once() {
        let value = |name: &str| format!("<{name}{{{{b}}}}>");
        assert_eq!(filled("x{{a}}y{{b}}", value), "x<a{{b}}>y<b{{b}}>");
    }

    #[test]
    fn scripts_lose_comments_and_indentation_alone() {
        assert_eq!(
            shortened("a.js", "// a\n  b(); // c\n\n"),
            "\nb(); // c\n\n"
        );
        assert_eq!(shortened("a.css", "  // a"), "  // a");
        for (name, _, text) in FILES {
            // Neither is inside a text of several lines.
            let mut is_text = false;
            for line in text.split('\n').filter(|_| name.ends_with(".js")) {
                let bare = line.trim_start();
                assert!(
                    !is_text || bare == line && !bare.starts_with("//"),
                    "{name}: {line}"
                );
                is_text ^= !bare.starts_with("//") && bare.matches('`').count() % 2 == 1;
            }
        }
    }

    /// HTTP-111.
    #[test]
    fn page_names_no_other_host() {
        let mains = PLACES.map(|(_, _, _, main)| main);
        let files = FILES.map(|(_, _, text)| text);
        let rest = [FRAME, sign_in::FORM, STATUS.3];
        let folder = folder(&[]);
        let folder: Vec<&str> = folder.iter().map(|(_, text)| &text[..]).collect();
        for text in rest.iter().chain(&mains).chain(&files).chain(&folder) {
            let text = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("://") && !text.contains("//cdn"), "{text}");
            for inline in [
                "<style>",
                "style=",
                " onclick",
                " onload",
                "javascript:",
                "innerHTML",
            ] {
                assert!(!text.contains(inline), "{inline}");
            }
        }
    }
}
