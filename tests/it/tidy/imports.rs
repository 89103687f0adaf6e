//! Which source file uses which other: paths in `use` and in code, read from the tokens and followed
//! through re-exports to the file that defines what is named.
//!
//! Enough of Rust for this project's sources, not all of it: no `#[path]`, no names made by macros.

use std::collections::{BTreeMap, BTreeSet};

/// A module's path from the root of the crate.
pub(super) type Module = Vec<String>;

/// Re-exports of re-exports that are followed.
const REEXPORTS_MAX: usize = 8;

/// What one file says about other modules.
#[derive(Debug, Default)]
struct File {
    /// Child modules that it declares.
    children: BTreeSet<String>,
    /// Names that it defines itself.
    defined: BTreeSet<String>,
    /// Names that it imports or re-exports, and the path behind each.
    imported: BTreeMap<String, Module>,
    /// Modules of which it imports everything.
    globs: Vec<Module>,
    /// Every path that its code uses. A re-export alone uses nothing.
    used: BTreeSet<Module>,
    /// Every path that it only passes on.
    passed_on: BTreeSet<Module>,
}

/// The sources as a graph: for each module the modules that its code uses.
pub(super) fn uses(sources: &[(Module, String)]) -> BTreeMap<Module, BTreeSet<Module>> {
    graph(sources, |file| file.used.iter().collect())
}

/// The same with what is only passed on by `pub use`.
pub(super) fn uses_and_reexports(
    sources: &[(Module, String)],
) -> BTreeMap<Module, BTreeSet<Module>> {
    graph(sources, |file| file.used.union(&file.passed_on).collect())
}

fn graph(
    sources: &[(Module, String)],
    paths: impl Fn(&File) -> Vec<&Module>,
) -> BTreeMap<Module, BTreeSet<Module>> {
    let files: BTreeMap<&Module, File> = sources
        .iter()
        .map(|(module, text)| (module, read(module, text)))
        .collect();
    files
        .iter()
        .map(|(&module, file)| {
            let targets = paths(file).into_iter();
            let targets = targets.filter_map(|path| definer(&files, path, 0));
            let others = targets.filter(|target| target != module).collect();
            (module.clone(), others)
        })
        .collect()
}

/// The groups of modules that use each other in a circle.
pub(super) fn circles(graph: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<BTreeSet<Module>> {
    let reach = |from: &Module| {
        let mut found = BTreeSet::new();
        let mut open: Vec<&Module> = graph[from].iter().collect();
        while let Some(module) = open.pop() {
            if found.insert(module.clone()) {
                open.extend(graph.get(module).into_iter().flatten());
            }
        }
        found
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        graph.keys().map(|module| (module, reach(module))).collect();
    let mut found: Vec<BTreeSet<Module>> = Vec::new();
    for (module, targets) in &reached {
        if targets.contains(*module) && !found.iter().any(|circle| circle.contains(*module)) {
            let back = targets.iter().filter(|target| {
                reached
                    .get(target)
                    .is_some_and(|theirs| theirs.contains(*module))
            });
            found.push(back.cloned().collect());
        }
    }
    found
}

/// The module whose file defines what `path` names; `None` for a module as such and for what is not ours.
fn definer(files: &BTreeMap<&Module, File>, path: &[String], depth: usize) -> Option<Module> {
    let length = (1..=path.len())
        .rev()
        .find(|&length| files.contains_key(&path[..length].to_vec()))?;
    let module = path[..length].to_vec();
    let Some(name) = path.get(length) else {
        // A function may have its module's name: then the module above has it from there.
        let (name, above) = path.split_last().filter(|_| depth < REEXPORTS_MAX)?;
        let behind = files.get(&above.to_vec())?.imported.get(name)?;
        return (behind != path).then(|| definer(files, behind, depth + 1))?;
    };
    let file = &files[&module];
    if depth < REEXPORTS_MAX && !file.defined.contains(name) {
        if let Some(behind) = file.imported.get(name) {
            let mut whole = behind.clone();
            whole.extend_from_slice(&path[length + 1..]);
            return definer(files, &whole, depth + 1);
        }
        for glob in &file.globs {
            if files
                .get(glob)
                .is_some_and(|other| other.defined.contains(name))
            {
                return Some(glob.clone());
            }
        }
    }
    Some(module)
}

fn read(module: &Module, text: &str) -> File {
    let tokens = tokens(text);
    let mut reader = Reader {
        tokens: &tokens,
        at: 0,
        module,
        braces: Vec::new(),
        file: File::default(),
    };
    while reader.at < tokens.len() {
        reader.step();
    }
    reader.file
}

struct Reader<'a> {
    tokens: &'a [String],
    at: usize,
    module: &'a Module,
    /// The names of the inline modules around this token; `None` for any other brace.
    braces: Vec<Option<String>>,
    file: File,
}

impl Reader<'_> {
    fn token(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", String::as_str)
    }

    fn step(&mut self) {
        let (word, next) = (self.token(0).to_owned(), self.token(1).to_owned());
        match word.as_str() {
            "#" if (1..7)
                .map(|ahead| self.token(ahead))
                .eq(["[", "cfg", "(", "test", ")", "]"]) =>
            {
                self.at = skip_item(self.tokens, self.at + 7);
                return;
            }
            "mod" if is_name(&next) => return self.module_begins(next),
            // `impl Trait + use<>` is no import.
            "use" if next != "<" => return self.import(),
            "struct" | "enum" | "trait" | "fn" | "const" | "static" | "type" | "union"
                if is_name(&next) =>
            {
                self.file.defined.insert(next.clone());
            }
            "{" => self.braces.push(None),
            "}" => drop(self.braces.pop()),
            _ => {}
        }
        let inside_path = self.at > 0 && self.tokens[self.at - 1] == "::";
        if next == "::" && is_name(&word) && !inside_path {
            self.path(word);
        } else {
            self.at += 1;
        }
    }

    fn module_begins(&mut self, name: String) {
        match self.token(2) {
            "{" => self.braces.push(Some(name)),
            _ => drop(self.file.children.insert(name)),
        }
        self.at += 3;
    }

    fn import(&mut self) {
        let public = self.at > 0 && matches!(self.tokens[self.at - 1].as_str(), "pub" | ")");
        let mut tree = UseTree {
            tokens: self.tokens,
            at: self.at + 1,
            found: Vec::new(),
        };
        tree.read(&[]);
        self.at = tree.at;
        let nested = self.braces.iter().any(Option::is_some);
        for (path, alias) in tree.found {
            let Some(mut path) = self.absolute(&path) else {
                continue;
            };
            if alias == "*" {
                self.file.globs.push(path.clone());
                path.push(alias);
                self.file.used.insert(path);
                continue;
            }
            let uses = if public {
                &mut self.file.passed_on
            } else {
                &mut self.file.used
            };
            uses.insert(path.clone());
            if !nested {
                self.file.imported.insert(alias, path);
            }
        }
    }

    fn path(&mut self, first: String) {
        let mut path = vec![first];
        self.at += 1;
        while self.token(0) == "::" && is_name(self.token(1)) {
            path.push(self.token(1).to_owned());
            self.at += 2;
        }
        self.file.used.extend(self.absolute(&path));
    }

    /// A path as written, from the root of the crate; `None` when it leads to another crate.
    fn absolute(&self, path: &[String]) -> Option<Module> {
        let inline = self.braces.iter().flatten();
        let mut base: Module = self.module.iter().chain(inline).cloned().collect();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => {
                base.clear();
                rest = &path[1..];
            }
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|word| word == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            first if self.file.children.contains(first) => {}
            first => {
                base.clone_from(self.file.imported.get(first)?);
                rest = &path[1..];
            }
        }
        base.extend_from_slice(rest);
        Some(base)
    }
}

struct UseTree<'a> {
    tokens: &'a [String],
    at: usize,
    found: Vec<(Module, String)>,
}

impl UseTree<'_> {
    fn read(&mut self, prefix: &[String]) {
        let mut path = prefix.to_vec();
        loop {
            let Some(token) = self.tokens.get(self.at).map(String::as_str) else {
                return;
            };
            match token {
                "{" => {
                    self.at += 1;
                    while self.tokens.get(self.at).is_some_and(|token| token != "}") {
                        self.read(&path);
                        if self.tokens.get(self.at).is_some_and(|token| token == ",") {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    return;
                }
                ";" | "," | "}" => {
                    if path.last().is_some_and(|word| word == "self") {
                        path.pop();
                    }
                    if let Some(alias) = path.last().cloned() {
                        self.found.push((path, alias));
                    }
                    return;
                }
                "*" => {
                    self.found.push((path, "*".into()));
                    self.at += 1;
                    return;
                }
                "as" => {
                    let alias = self.tokens.get(self.at + 1).cloned().unwrap_or_default();
                    self.found.push((path, alias));
                    self.at += 2;
                    return;
                }
                "::" => {}
                word => path.push(word.to_owned()),
            }
            self.at += 1;
        }
    }
}

fn is_name(token: &str) -> bool {
    token
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
}

/// The token after the item that begins at `at`.
fn skip_item(tokens: &[String], mut at: usize) -> usize {
    let mut depth = 0usize;
    while at < tokens.len() {
        match tokens[at].as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => {
                depth = depth.saturating_sub(1);
                if depth == 0 && tokens[at] == "}" {
                    // `use a::{b};` ends with the semicolon.
                    let semicolon = tokens.get(at + 1).is_some_and(|token| token == ";");
                    return at + 1 + usize::from(semicolon);
                }
            }
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

/// Words, `::` and single characters; comments, texts and lifetimes left out.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        at += match rest {
            [b'/', b'/', ..] => line_length(rest),
            [b'/', b'*', ..] => text[at..].find("*/").map_or(rest.len(), |end| end + 2),
            [b'"', ..] => quoted(rest),
            [b'r', b'"' | b'#', ..] if raw(rest).is_some() => raw(rest).unwrap_or(1),
            [b'\'', b'\\', ..] => {
                3 + rest[3..].iter().take_while(|&&byte| byte != b'\'').count() + 1
            }
            [b'\'', ..] => {
                let length = text[at + 1..].chars().next().map_or(0, char::len_utf8);
                if rest.get(1 + length) == Some(&b'\'') {
                    length + 2
                } else {
                    1
                }
            }
            [b':', b':', ..] => {
                found.push("::".into());
                2
            }
            [byte, ..] if byte.is_ascii_alphanumeric() || *byte == b'_' => {
                let word = rest
                    .iter()
                    .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
                let length = word.count();
                found.push(text[at..at + length].to_owned());
                length
            }
            [byte, ..] => {
                if byte.is_ascii_punctuation() {
                    found.push(char::from(*byte).to_string());
                }
                1
            }
            [] => 1,
        };
    }
    found
}

fn line_length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&byte| byte != b'\n').count()
}

fn quoted(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += 1 + usize::from(bytes[at] == b'\\');
    }
    at + 1
}

/// The length of a raw text that begins here.
fn raw(bytes: &[u8]) -> Option<usize> {
    let hashes = bytes[1..].iter().take_while(|&&byte| byte == b'#').count();
    if bytes.get(1 + hashes) != Some(&b'"') {
        return None;
    }
    let mut end = vec![b'"'];
    end.resize(1 + hashes, b'#');
    let start = 2 + hashes;
    let length = bytes[start..]
        .windows(end.len())
        .position(|window| window == end)?;
    Some(start + length + end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(path: &str) -> Module {
        path.split("::").map(str::to_owned).collect()
    }

    fn check(sources: &[(&str, &str)], want: &[&[&str]]) {
        let sources: Vec<_> = sources
            .iter()
            .map(|(path, text)| (module(path), (*text).to_owned()))
            .collect();
        let found = circles(&uses(&sources));
        let want: Vec<BTreeSet<Module>> = want
            .iter()
            .map(|circle| circle.iter().map(|path| module(path)).collect())
            .collect();
        assert_eq!(found, want);
    }

    #[test]
    fn circles_are_found_through_reexports_and_aliases() {
        check(
            &[
                ("a", "mod b; mod c;"),
                ("a::b", "use super::c::C; struct B;"),
                ("a::c", "fn f(b: super::b::B) {} struct C;"),
            ],
            &[&["a::b", "a::c"]],
        );
        // Through a facade, in a group, with an alias of the module.
        check(
            &[
                ("a", "mod b; mod c; pub use b::B;"),
                ("a::b", "use super::{c, X}; fn f() { c::g() } struct B;"),
                ("a::c", "use super::B as D; fn g() {}"),
            ],
            &[&["a::b", "a::c"]],
        );
        check(
            &[
                ("a", "mod b; pub use b::{B}; struct X; "),
                ("a::b", "use super::X; struct B;"),
            ],
            &[],
        );
        check(
            &[
                ("a", "mod b; use b::B; struct X; "),
                ("a::b", "use super::X; struct B;"),
            ],
            &[&["a", "a::b"]],
        );
        check(
            &[
                ("a", "mod b; mod c;"),
                ("a::b", "use super::c::*;"),
                ("a::c", "fn f() { crate::a::b::g(); }"),
            ],
            &[&["a::b", "a::c"]],
        );
    }

    #[test]
    fn comments_texts_and_tests_are_no_use() {
        let there = ("a::c", "use super::b::B; struct C;");
        for text in [
            "struct B; // super::c::C",
            "struct B; /* super::c::C */",
            "struct B; const T: &str = \"super::c::C\"; const R: &str = r#\"\" super::c::C\"#;",
            "struct B; #[cfg(test)] use super::c::{C}; #[cfg(test)] mod tests { use super::super::c::C; }",
            "struct B; const Q: char = '\"'; fn f<'a>(x: &'a u8) {} // \" super::c::C",
        ] {
            check(&[("a", "mod b; mod c;"), ("a::b", text), there], &[]);
        }
        let inline = "struct B; mod inner { use super::B; use super::super::c::C; }";
        check(
            &[("a", "mod b; mod c;"), ("a::b", inline), there],
            &[&["a::b", "a::c"]],
        );
    }
}
