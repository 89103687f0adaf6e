//! The pages for people (HTTP-110 to HTTP-119). Explore at `/` is a form, and the answer to it as HTML; its script
//! requests this page again and replaces the old answer. The other pages are filled by their scripts. All answers are
//! those of the paths below `/v1/`.

mod form;
mod page_parts;
mod sign_in;

use crate::core::Core;
use crate::http::ask::jobs::Jobs;
use crate::http::ask::state::HttpState;
use crate::http::wire::headers::fresh;
use crate::http::wire::methods::only_get;
use crate::http::wire::peer::Peer;
use crate::http::wire::problem::{ErrorLocation, Problem};
use crate::http::wire::unread::fixed;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use axum::http::{HeaderValue, Method, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use form::PageForm;
use gammond_base::escape::Markup;
use gammond_report::render::board_style;
use page_parts::PageParts;
pub(in crate::http) use sign_in::{
    SIGN_IN, SIGN_OUT, form as sign_in_form, is_wanted as wants_sign_in,
};
use std::sync::Arc;

/// The parts that all pages share.
const FRAME: &str = include_str!("frame.html");
const EXPLORE: &str = include_str!("explore.html");
/// Pages besides Explore: path, name in the list of pages, module that fills it, and its main part.
const PAGES: [(&str, &str, &str, &str); 4] = [
    ("/play", "Play", "play", include_str!("play.html")),
    (
        "/matches",
        "Matches",
        "matches",
        include_str!("matches.html"),
    ),
    ("/quiz", "Quiz", "quiz", include_str!("quiz.html")),
    ("/status", "Status", "status", include_str!("status.html")),
];
/// Beginning of the paths of the files of the pages.
pub(in crate::http) const FILES_PATH: &str = "/page/";
/// Files of the pages.
const FILES: [(&str, &str); 24] = [
    ("api.js", include_str!("api.js")),
    ("archive.js", include_str!("archive.js")),
    ("board.js", include_str!("board.js")),
    ("curve.js", include_str!("curve.js")),
    ("engine.js", include_str!("engine.js")),
    ("explore.js", include_str!("explore.js")),
    ("game.js", include_str!("game.js")),
    ("html.js", include_str!("html.js")),
    ("kept.js", include_str!("kept.js")),
    ("live.js", include_str!("live.js")),
    ("match.js", include_str!("match.js")),
    ("matches.js", include_str!("matches.js")),
    ("play.js", include_str!("play.js")),
    ("position.js", include_str!("position.js")),
    ("quiz.js", include_str!("quiz.js")),
    ("report.js", include_str!("report.js")),
    ("setup.js", include_str!("setup.js")),
    ("state.js", include_str!("state.js")),
    ("status.js", include_str!("status.js")),
    ("store.js", include_str!("store.js")),
    ("strings.js", include_str!("strings.js")),
    ("tables.js", include_str!("tables.js")),
    ("translations.js", include_str!("translations.js")),
    ("turn.js", include_str!("turn.js")),
];
const STYLE: &str = include_str!("style.css");
/// Content policy: nothing from elsewhere, no script and no style inside the page.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Returns the pages and their files.
pub(in crate::http) fn routes() -> Router<HttpState> {
    let mut routes = Router::new()
        .route("/", any(explore))
        .route(SIGN_IN, any(sign_in::sign_in))
        .route(SIGN_OUT, any(sign_in::sign_out));
    for (path, name, script, main) in PAGES {
        let texts = [false, true]
            .map(|has_archive| Bytes::from(framed(path, name, script, main, has_archive, None)));
        let show = async move |method: Method,
                               State(jobs): State<Arc<Jobs>>,
                               Extension(peer): Extension<Peer>| {
            let has_archive = jobs.storage.archive.is_some();
            let client = peer.signed_in.as_deref();
            if client.is_some() {
                let text = framed(path, name, script, main, has_archive, client).into();
                return fresh(file(&method, "text/html", &text));
            }
            let [without, with] = &texts;
            file(
                &method,
                "text/html",
                if has_archive { with } else { without },
            )
        };
        routes = routes.route(path, any(show));
    }
    let style = [
        ("style.css", Bytes::from_static(STYLE.as_bytes())),
        ("board.css", Bytes::from(board_css())),
    ];
    let scripts = FILES.map(|(name, text)| (name, Bytes::from_static(text.as_bytes())));
    let scripts = scripts
        .into_iter()
        .map(|(name, text)| (name, "text/javascript", text));
    let styles = style
        .into_iter()
        .map(|(name, text)| (name, "text/css", text));
    for (name, kind, text) in scripts.chain(styles) {
        let show = async move |method| file(&method, kind, &text);
        routes = routes.route(&format!("{FILES_PATH}{name}"), any(show));
    }
    routes
}

/// Returns true for the path of a page, to which pages of other sites may link.
pub(in crate::http) fn is_page(path: &str) -> bool {
    path == "/" || PAGES.iter().any(|(known, ..)| *known == path)
}

/// Returns the style of boards inside a page, whose own variables have some of the same names.
fn board_css() -> String {
    board_style().replace(":root", ".b")
}

/// Returns a page or a file that is the same for all clients.
fn file(method: &Method, kind: &str, text: &Bytes) -> Response {
    if let Err(refused) = only_get(method) {
        return refused.into_response();
    }
    with_headers(fixed(text), kind)
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

/// Writes a page around its main part. All are markup. `has_archive` is true if the server shows an archive
/// (HTTP-120), `client` is the name of the client that is signed in (HTTP-133).
fn framed(
    path: &str,
    title: &str,
    script: &str,
    main: &str,
    has_archive: bool,
    client: Option<&str>,
) -> String {
    let client = client.map(Markup::new);
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
        "archive" if has_archive => " data-archive".to_owned(),
        "archive" => String::new(),
        "title" => title.to_owned(),
        "script" => script.to_owned(),
        "main" => main.to_owned(),
        "nav" => nav(path),
        _ => env!("CARGO_PKG_VERSION").to_owned(),
    }
    })
}

/// Returns the list of pages.
fn nav(current: &str) -> String {
    let pages = PAGES.iter().map(|(path, name, ..)| (*path, *name));
    let all = std::iter::once(("/", "Explore"))
        .chain(pages)
        .chain([("/docs", "HTTP paths")]);
    let link = |(path, name): (&str, &str)| {
        let here = if path == current {
            " aria-current=\"page\""
        } else {
            ""
        };
        format!("<a href=\"{path}\"{here}>{name}</a> ")
    };
    all.map(link).collect()
}

async fn explore(
    method: Method,
    State(shared): State<Arc<Core>>,
    Extension(peer): Extension<Peer>,
    uri: Uri,
) -> Response {
    if let Err(refused) = only_get(&method) {
        return refused.into_response();
    }
    let (form, explored) = match PageForm::read(uri.query().unwrap_or_default()) {
        Ok(form) => {
            let explored = page_parts::explore(&shared, peer.origin, &form).await;
            (form, explored)
        }
        Err(problem) => (PageForm::default(), Err(problem)),
    };
    peer.unread.room().await;
    let title = explored
        .as_ref()
        .map_or("Explore", |found| found.title.as_str());
    let text = framed(
        "/",
        title,
        "explore",
        &written(&form, explored.as_ref()),
        false,
        peer.signed_in.as_deref(),
    );
    // A problem gives its status, and when to come again.
    let mut response = match explored {
        Ok(_) => Response::new(Body::empty()),
        Err(problem) => problem.into_response(),
    };
    *response.body_mut() = Body::from(text);
    let response = with_headers(response, "text/html");
    match peer.signed_in {
        Some(_) => fresh(response),
        None => response,
    }
}

/// Writes the main part of Explore.
fn written(form: &PageForm, explored: Result<&PageParts, &Problem>) -> String {
    let found = explored.ok();
    let fault = explored.err().map(|problem| (field(problem), problem));
    filled(EXPLORE, |name| {
        if let Some(field) = name.strip_suffix("_error") {
            let message = fault.filter(|(wrong, _)| *wrong == field);
            return message.map_or_else(String::new, |(_, problem)| {
                Markup::new(&problem.message).to_string()
            });
        }
        if let Some(field) = name.strip_suffix("_invalid") {
            return fault.is_some_and(|(wrong, _)| wrong == field).to_string();
        }
        match name {
            "summary" => found.map_or("", |found| found.summary.as_str()).to_owned(),
            "answer" => found.map_or("", |found| found.html.as_str()).to_owned(),
            "roll_options" => form.roll_options(found.and_then(|found| found.roll)),
            "plies_options" => form.plies_options(),
            "match_open" if form.has_match() => " open".to_owned(),
            "match_open" => String::new(),
            "others" => form.others(),
            field => Markup::new(form.value(field)).to_string(),
        }
    })
}

/// Returns the field beside which a problem is shown; `form` for none of them.
fn field(problem: &Problem) -> &str {
    match &problem.place {
        ErrorLocation::Parameter(name) if form::FIELDS.contains(&name.as_str()) => name,
        _ => "form",
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

    #[test]
    fn holes_are_filled_once() {
        let value = |name: &str| format!("<{name}{{{{b}}}}>");
        assert_eq!(filled("x{{a}}y{{b}}", value), "x<a{{b}}>y<b{{b}}>");
    }

    /// HTTP-111.
    #[test]
    fn page_names_no_other_host() {
        let mains = PAGES.map(|(_, _, _, main)| main);
        let scripts = FILES.map(|(_, text)| text);
        for text in [FRAME, EXPLORE, sign_in::FORM, STYLE]
            .iter()
            .chain(&mains)
            .chain(&scripts)
        {
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
