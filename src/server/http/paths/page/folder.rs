//! The pages as a folder of files that any server shows: the engine is in the browser (HTTP-119).

use super::{FILES, Frame, PLACES, Site, filled, shortened};
use gammond_base::checksum::sha256;

/// Mark of the pages that this program has written.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"gammond\">";

const SITE: Site = Site {
    root: "../",
    end: "/",
    attributes: " data-engine=\"worker\"",
    head: concat!(
        "<meta name=\"generator\" content=\"gammond\">\n",
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self'; ",
        "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; img-src 'self' data: blob:; connect-src 'self'; ",
        "manifest-src 'self'; form-action 'self'; base-uri 'none'\">\n",
        "<link rel=\"icon\" href=\"{{root}}page/icon.svg\">\n",
        "<link rel=\"manifest\" href=\"{{root}}manifest.json\">",
    ),
    links: "",
};

/// Files of the folder that no server of ours shows.
const OWN: [(&str, &str); 3] = [
    ("page/ask_worker.js", include_str!("ask_worker.js")),
    ("page/icon.svg", include_str!("icon.svg")),
    ("manifest.json", include_str!("manifest.json")),
];

/// Returns the files of the folder: their paths below it, and their texts. `engine` are the names and contents of the files
/// of the engine, which are to lie in `page/engine`.
#[must_use]
pub fn folder(engine: &[(&str, &[u8])]) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    let mut kept = Vec::new();
    for page in PLACES {
        let frame = Frame {
            page,
            site: &SITE,
            has_archive: false,
            client: None,
        };
        let path = match page.0 {
            "" => String::new(),
            path => format!("{path}/"),
        };
        files.push((format!("{path}index.html"), frame.text()));
        kept.push(path);
    }
    let page = FILES.map(|(name, _, text)| (format!("page/{name}"), shortened(name, text)));
    let is_there =
        |(name, _): &(String, String)| !["page/status.js", "page/ask_http.js"].contains(&&name[..]);
    files.extend(page.into_iter().filter(is_there));
    files.extend(OWN.map(|(name, text)| (name.to_owned(), shortened(name, text))));
    let names = files.iter().map(|(name, _)| name.clone());
    kept.extend(names.filter(|name| !name.ends_with("index.html")));
    kept.extend(engine.iter().map(|(name, _)| format!("page/engine/{name}")));
    let list: Vec<String> = kept.iter().map(|path| format!("\"./{path}\"")).collect();
    let list = format!("[{}]", list.join(", "));
    let version = version(&files, engine);
    let service = filled(
        &shortened("service.js", include_str!("service.js")),
        |name| match name {
            "files" => list.clone(),
            _ => version.clone(),
        },
    );
    files.push(("service.js".to_owned(), service));
    files
}

/// Returns a name of these files, which is another one when any of them is.
fn version(files: &[(String, String)], engine: &[(&str, &[u8])]) -> String {
    let files = files
        .iter()
        .map(|(name, text)| (&name[..], text.as_bytes()));
    let all = files.chain(engine.iter().copied());
    let sums: String = all
        .map(|(name, bytes)| format!("{name} {}\n", sha256(bytes)))
        .collect();
    let sum = sha256(sums.as_bytes());
    format!("{} {:.12}", env!("CARGO_PKG_VERSION"), sum)
}
