//! The paths that a source file names, from the root of the crate.

use super::lex::{code_only, tokens};

/// The module of a source file of the program, such as `store::commit`; empty for the root.
pub(super) fn module_of(path: &str) -> Option<String> {
    let path = path.strip_prefix("src/")?.strip_suffix(".rs")?;
    let path = path.strip_suffix("/mod").unwrap_or(path);
    Some(if path == "lib" || path == "main" { String::new() } else { path.replace('/', "::") })
}

/// Every path in the code of a module that begins with `crate`, `service_launcher`, `super`, `self` or
/// one of its children, with its groups resolved.
pub(super) fn named_paths(
    module: &str,
    text: &str,
    is_child: impl Fn(&str) -> bool,
) -> Vec<String> {
    let code = code_only(text);
    let words = tokens(&code);
    let mut paths = Vec::new();
    // The module and those written inside the file that are open, each with its depth of braces.
    let mut open: Vec<(&str, usize)> =
        module.split("::").filter(|name| !name.is_empty()).map(|name| (name, 0)).collect();
    let mut braces = 0;
    let mut at = 0;
    while at < words.len() {
        match words[at] {
            "{" => {
                braces += 1;
                if at >= 2 && words[at - 2] == "mod" {
                    open.push((words[at - 1], braces));
                }
            }
            "}" => {
                open.pop_if(|(_, depth)| *depth == braces && braces > 0);
                braces = braces.saturating_sub(1);
            }
            word if words.get(at + 1) == Some(&"::") && (at == 0 || words[at - 1] != "::") => {
                let here = || open.iter().map(|(name, _)| *name).collect();
                let start = match word {
                    "crate" | "service_launcher" => Some(Vec::new()),
                    "self" | "super" => Some(here()),
                    word => is_child(word).then(here),
                };
                if let Some(start) = start {
                    at = tree(&words, at, &start, &mut paths);
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    paths
}

/// Reads a path with its groups at a word, below `start`, and returns the place behind it.
fn tree<'a>(words: &[&'a str], at: usize, start: &[&'a str], paths: &mut Vec<String>) -> usize {
    let mut path = start.to_vec();
    let mut at = at;
    while let Some(word) = words.get(at) {
        match *word {
            "{" => {
                at += 1;
                while words.get(at).is_some_and(|word| *word != "}") {
                    at = if words[at] == "," { at + 1 } else { tree(words, at, &path, paths) };
                }
                return at + 1;
            }
            "super" => drop(path.pop()),
            "crate" | "service_launcher" | "self" => {}
            word => path.push(word),
        }
        at += 1;
        if words.get(at) != Some(&"::") {
            break;
        }
        at += 1;
    }
    paths.push(path.join("::"));
    if words.get(at) == Some(&"as") { at + 2 } else { at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(named_paths("store::load", text, |word| word == "child"), expected, "{text}");
    }

    #[test]
    fn paths_are_resolved_from_the_root() {
        check("use crate::{base::ids, api::{self, b as c}};", &["base::ids", "api", "api::b"]);
        check("use super::line; fn f() { self::g::h() }", &["store::line", "store::load::g::h"]);
        check("mod t { use super::super::line; } use super::x;", &["store::line", "store::x"]);
        check("use child::A; use std::child::B; f(other::C)", &["store::load::child::A"]);
        check("use service_launcher::app; // use crate::x;", &["app"]);
    }

    #[test]
    fn a_file_is_a_module() {
        for (path, module) in [
            ("src/store/load.rs", Some("store::load")),
            ("src/store/mod.rs", Some("store")),
            ("src/lib.rs", Some("")),
            ("tests/it/main.rs", None),
        ] {
            assert_eq!(module_of(path).as_deref(), module);
        }
    }
}
