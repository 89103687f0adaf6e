//! `gammond page`: rules WA-07 and WA-08 of `protocol-specs/javascript.md`. `tools/page_folder.py` uses the pages in a browser.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const ENGINE: [&str; 7] = [
    "client.js",
    "gammond.wasm",
    "index.js",
    "module.js",
    "serve.js",
    "strong.nets",
    "worker.js",
];

/// Writes files with the names of the engine's.
fn engine(folder: &Path) {
    for name in ENGINE {
        std::fs::write(folder.join(name), name).unwrap();
    }
}

/// Returns the exit code and all that the program says.
fn run(arguments: &[&str]) -> (i32, String) {
    let program = env!("CARGO_BIN_EXE_gammond");
    let output = Command::new(program).args(arguments).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.code().unwrap(),
        String::from_utf8(said).unwrap(),
    )
}

/// Writes the pages with an engine.
fn written(folder: &Path, engine: &Path) -> (i32, String) {
    let [folder, engine] = [folder, engine].map(|path| path.to_str().unwrap());
    run(&["page", folder, "--engine", engine])
}

/// Returns the texts of all files below a folder but the engine's.
fn texts(folder: &Path, below: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder.join(below)).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{below}{}", entry.file_name().to_str().unwrap());
        match entry.path().is_dir() {
            true if name == "page/engine" => {}
            true => found.extend(texts(folder, &format!("{name}/"))),
            false => drop(found.insert(name, std::fs::read_to_string(entry.path()).unwrap())),
        }
    }
    found
}

/// WA-07: no link begins at the root of the host, all files that are named are there, and the policy allows nothing from elsewhere.
#[test]
fn folder_stands_at_any_path() {
    let place = tempfile::tempdir().unwrap();
    let (source, folder) = (place.path().join("engine"), place.path().join("a/b"));
    std::fs::create_dir(&source).unwrap();
    engine(&source);
    let (code, said) = written(&folder, &source);
    assert_eq!(code, 0, "{said}");
    let files = texts(&folder, "");
    for page in [
        "index.html",
        "play/index.html",
        "matches/index.html",
        "quiz/index.html",
    ] {
        let text = &files[page];
        assert!(
            text.contains("script-src 'self' 'wasm-unsafe-eval'"),
            "{page}"
        );
        for before in ["href=\"", "src=\""] {
            for link in text
                .split(before)
                .skip(1)
                .filter_map(|part| part.split('"').next())
            {
                // Of a part that scripts fill.
                if link == "/matches" || link.starts_with('#') {
                    continue;
                }
                let at = folder.join(page).parent().unwrap().join(link);
                assert!(at.exists(), "{page}: {link}");
            }
        }
    }
    let service = &files["service.js"];
    let list = service
        .split_once("FILES = [")
        .unwrap()
        .1
        .split_once(']')
        .unwrap()
        .0;
    for path in list.split(", ").map(|path| path.trim_matches('"')) {
        assert!(folder.join(path).exists(), "{path}");
    }
    for name in files.keys().filter(|name| name.starts_with("page/")) {
        assert!(list.contains(&format!("\"./{name}\"")), "{name}");
    }
    for name in ENGINE {
        assert!(
            list.contains(&format!("\"./page/engine/{name}\"")),
            "{name}"
        );
    }
}

/// WA-08: the kept files have another name when any file is another one.
#[test]
fn name_of_the_kept_files_changes_with_them() {
    let place = tempfile::tempdir().unwrap();
    let (source, folder) = (place.path().join("engine"), place.path().join("site"));
    std::fs::create_dir(&source).unwrap();
    engine(&source);
    let service = || {
        assert_eq!(written(&folder, &source).0, 0);
        std::fs::read_to_string(folder.join("service.js")).unwrap()
    };
    let first = service();
    assert_eq!(service(), first);
    std::fs::write(source.join("strong.nets"), "others").unwrap();
    assert_ne!(service(), first);
    assert_eq!(
        std::fs::read(folder.join("page/engine/strong.nets")).unwrap(),
        b"others"
    );
}

/// WA-07: pages of other programs stay, and a missing engine is named.
#[test]
fn other_pages_are_kept() {
    let place = tempfile::tempdir().unwrap();
    let (source, folder) = (place.path().join("engine"), place.path().join("site"));
    std::fs::create_dir(&source).unwrap();
    let (code, said) = written(&folder, &source);
    assert!(code != 0 && said.contains("client.js"), "{code} {said}");
    engine(&source);
    std::fs::create_dir(&folder).unwrap();
    // In another encoding than ours.
    std::fs::write(folder.join("index.html"), b"mine \xe4").unwrap();
    let (code, said) = written(&folder, &source);
    assert!(
        code != 0 && said.contains("choose another folder"),
        "{code} {said}"
    );
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    let missing = run(&["page", folder.to_str().unwrap()]);
    assert!(
        missing.0 != 0 && missing.1.contains("--engine"),
        "{missing:?}"
    );
}
