//! Every script of `tools/` checks what it needs before it begins: it calls `tools/needs`.

use super::{base, holds};
use std::fs;
use std::path::Path;

/// Scripts that need nothing but a shell and the files of the repository.
const NEED_NOTHING: [&str; 2] = ["tools/needs", "tools/package/version"];

/// Adds the scripts of a folder that do not call `needs`; returns the number of scripts.
fn check(folder: &Path, wrong: &mut Vec<String>) -> usize {
    let mut scripts = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !["corpus", "target"].iter().any(|name| path.ends_with(name)) {
                scripts += check(&path, wrong);
            }
        } else if let Ok(text) = fs::read_to_string(&path)
            && text.starts_with("#!/")
        {
            scripts += 1;
            let name = path.strip_prefix(base()).unwrap().display().to_string();
            let calls = ["/needs\"", "\"needs\"", "'needs'", "/needs "];
            let checks = calls.iter().any(|call| text.contains(call));
            if !checks && !NEED_NOTHING.contains(&name.as_str()) {
                wrong.push(format!("{name} does not call tools/needs"));
            }
        }
    }
    scripts
}

#[test]
fn scripts_check_what_they_need() {
    let mut wrong = Vec::new();
    let scripts = check(&base().join("tools"), &mut wrong);
    assert!(scripts > 30, "{scripts} scripts were found");
    holds(&wrong);
}

/// A program that is missing is named with its package, before anything else happens.
#[test]
#[cfg(unix)]
fn missing_program_is_named_with_its_package() {
    let ask = |needs: &[&str]| {
        let mut command = std::process::Command::new(base().join("tools/needs"));
        let output = command
            .arg("tools/some/script")
            .args(needs)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), said)
    };
    assert_eq!(ask(&["bash", "/"]), (Some(0), String::new()));
    let (code, said) = ask(&[
        "bash",
        "no-such-program",
        "python:no_such_module",
        "no/gammond",
    ]);
    assert_eq!(code, Some(3));
    assert_eq!(
        said,
        "some/script: not found: no-such-program, no_such_module (PyPI: no_such_module), \
         no/gammond (cargo build --release, or cargo install --path .)\n"
    );
}
