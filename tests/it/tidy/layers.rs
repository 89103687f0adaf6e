//! Which file uses which: no circles of files in a crate, and the layers of the server.

use super::{Module, holds, product, sources};
use std::collections::{BTreeMap, BTreeSet};

/// Modules of the server, lower ones first; those of one row do not use each other.
const SERVER: [&[&str]; 5] = [
    &["platform"],
    &["core"],
    &["io"],
    &["transport"],
    &["batch", "console", "http", "lines", "ubgi"],
];

/// Layers of HTTP, lower ones first. What is in none of them is above all.
const HTTP: [&str; 4] = ["wire", "access", "ask", "paths"];

/// The modules that each module uses, by their names from the crate on.
type Uses = BTreeMap<Module, BTreeSet<Module>>;

/// Returns the paths of a `use`, each without its braces: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expanded(prefix: &str, tree: &str, found: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((before, inside)) = tree.split_once('{').filter(|_| tree.ends_with('}')) else {
        let path = tree.split(" as ").next().unwrap_or_default();
        found.push(format!("{prefix}{path}"));
        return;
    };
    let (mut depth, mut start) = (0_usize, 0);
    let inside = &inside[..inside.len() - 1];
    let prefix = format!("{prefix}{before}");
    for (at, sign) in inside.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                expanded(&prefix, &inside[start..at], found);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !inside[start..].trim().is_empty() {
        expanded(&prefix, &inside[start..], found);
    }
}

/// Returns the paths that a file names: those of its `use`, and those in its code that begin with `crate` or `super`.
fn named(text: &str) -> Vec<String> {
    let code: String = product(text)
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
    let (mut found, mut rest) = (Vec::new(), String::new());
    for (number, piece) in code.split("use ").enumerate() {
        match piece.split_once(';') {
            Some((tree, after)) if number > 0 => {
                expanded("", &tree.replace('\n', " "), &mut found);
                rest.push_str(after);
            }
            _ => rest.push_str(piece),
        }
    }
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let words = rest.split(|c: char| !is_path(c));
    found.extend(
        words
            .filter(|word| word.starts_with("crate::") || word.starts_with("super::"))
            .map(str::to_owned),
    );
    found
}

/// Returns the uses of all modules. The first name of a module is its crate's.
fn uses() -> Uses {
    let mut texts: BTreeMap<Module, String> = BTreeMap::new();
    for (_, mut module, text) in sources() {
        module.pop_if(|last| last == "lib" || last == "main");
        texts.insert(module, text);
    }
    let mut all = Uses::new();
    for (module, text) in &texts {
        let used = all.entry(module.clone()).or_default();
        for path in named(text) {
            let mut names: Vec<&str> = path.split("::").collect();
            let mut target: Module = match names[0] {
                "crate" => vec![module[0].clone()],
                "super" => {
                    let ups = names.iter().take_while(|name| **name == "super").count();
                    names.drain(..ups - 1);
                    module[..module.len().saturating_sub(ups)].to_vec()
                }
                _ => {
                    names.insert(0, "self");
                    module.clone()
                }
            };
            for name in &names[1..] {
                target.push((*name).to_owned());
                if !texts.contains_key(&target) {
                    target.pop();
                    break;
                }
            }
            if target != *module && texts.contains_key(&target) {
                used.insert(target);
            }
        }
    }
    all
}

/// Returns true if one of these modules is above the other in the tree of modules: a `mod.rs` and its children use each other.
fn is_family(one: &Module, other: &Module) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// Returns the modules that this one reaches.
fn reached(all: &Uses, from: &Module) -> BTreeSet<Module> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from.clone()]);
    while let Some(module) = open.pop() {
        let used = all[&module].iter();
        for next in used.filter(|next| !is_family(next, &module)) {
            if found.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    found
}

#[test]
fn files_use_each_other_in_no_circle() {
    let all = uses();
    assert!(
        all.values().map(BTreeSet::len).sum::<usize>() > 1000,
        "the uses were not found"
    );
    let mut wrong = Vec::new();
    for module in all.keys() {
        let circle = reached(&all, module).into_iter();
        let circle = circle.filter(|other| reached(&all, other).contains(module));
        let names: Vec<String> = circle.map(|module| module.join("::")).collect();
        if !names.is_empty() {
            wrong.push(names.join(", "));
        }
    }
    wrong.sort();
    wrong.dedup();
    holds(&wrong);
}

#[test]
fn layers_of_the_server_use_lower_ones() {
    let row = |name: &str| SERVER.iter().position(|row| row.contains(&name));
    let layer = |module: &Module| {
        let name = module.get(2)?;
        Some(
            HTTP.iter()
                .position(|one| one == name)
                .unwrap_or(HTTP.len()),
        )
    };
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for (module, used) in uses()
        .into_iter()
        .filter(|(module, _)| module[0] == "server")
    {
        for other in used
            .iter()
            .filter(|other| other.len() > 1 && module.len() > 1)
        {
            seen += 1;
            let (own, theirs) = (row(&module[1]), row(&other[1]));
            let is_up = own < theirs || (own == theirs && module[1] != other[1]);
            let is_up_in_http =
                module[1] == "http" && other[1] == "http" && layer(&module) < layer(other);
            if (is_up && own.is_some()) || (is_up_in_http && layer(&module).is_some()) {
                wrong.push(format!("{} uses {}", module.join("::"), other.join("::")));
            }
        }
    }
    assert!(seen > 100, "the uses were not found");
    holds(&wrong);
}
