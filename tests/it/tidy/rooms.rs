//! The rooms and their one direction, and the doors to the world that only one room may open.

use std::collections::BTreeSet;

use super::{
    Findings, Source, assert_found, assert_tidy,
    lex::{code_only, tokens, without_tests},
    repository,
};

/// Rooms of one floor: they import each other only where [`NEIGHBOURS`] says so.
const FLOORS: [&[&str]; 2] =
    [&["files", "process"], &["imports", "launch", "sessions", "exports", "backup", "saves"]];

/// Who may import whom on one floor.
const NEIGHBOURS: [(&str, &str); 2] = [("sessions", "launch"), ("saves", "backup")];

/// Rooms that import nothing but these.
const CLOSED: [(&str, &[&str]); 6] = [
    ("base", &[]),
    ("model", &["base"]),
    ("net", &["base"]),
    ("events", &["base"]),
    ("jobs", &["base", "files", "events"]),
    ("http", &["base"]),
];

/// Upward imports that exist today, as `(file, room)`. This list only shrinks.
const UPWARD: [(&str, &str); 0] = [];

/// Words that open a door, and the files or folders that may say them outside of tests.
const DOORS: [(&str, &[&str]); 8] = [
    ("OpenOptions", &["src/files/"]),
    ("disallowed_methods", &["src/files/", "src/process/", "src/base/clock.rs"]),
    ("Command", &["src/process/"]),
    ("UdpSocket", &[]),
    ("TcpStream", &["src/net/", "src/http/"]),
    ("ureq", &["src/net/"]),
    ("rusqlite", &["src/query/search/"]),
    ("unsafe", &["src/base/memory.rs", "src/http/socket.rs", "src/process/spawn.rs"]),
];

/// The rooms in the order of `src/lib.rs`, lowest first.
pub(super) fn ranks(lib: &str) -> Vec<String> {
    let code = code_only(lib);
    let words = tokens(&code);
    words
        .windows(3)
        .filter(|three| three[0] == "mod" && three[2] == ";")
        .map(|three| three[1].to_owned())
        .collect()
}

/// The room a source file belongs to.
fn room_of(path: &str) -> Option<&str> {
    let (room, _) = path.strip_prefix("src/")?.split_once('/')?;
    Some(room)
}

/// Every room that the code names through a path from the root of the crate, whether it says
/// `crate::`, climbs there with `super::`, or groups its imports.
fn named_rooms(path: &str, text: &str) -> BTreeSet<String> {
    let code = code_only(text);
    let words = tokens(&code);
    let mut rooms = BTreeSet::new();
    let mut inline = Inline::default();
    for at in 0..words.len() {
        inline.step(&words, at);
        let after = match words[at] {
            "crate" | "service_launcher" => at + 1,
            "super" if at == 0 || words[at - 1] != "::" => {
                let climbs = words[at..].chunks(2).take_while(|two| **two == ["super", "::"]);
                let climbs = climbs.count();
                if climbs < depth(path) + inline.open.len() {
                    continue;
                }
                at + climbs * 2 - 1
            }
            _ => continue,
        };
        if words.get(after) == Some(&"::") {
            rooms.extend(first_names(&words[after + 1..]).into_iter().map(str::to_owned));
        }
    }
    rooms
}

/// The modules that are written inside the file and open at the current word.
#[derive(Default)]
struct Inline {
    open: Vec<usize>,
    braces: usize,
}

impl Inline {
    fn step(&mut self, words: &[&str], at: usize) {
        match words[at] {
            "{" => {
                self.braces += 1;
                if at >= 2 && words[at - 2] == "mod" {
                    self.open.push(self.braces);
                }
            }
            "}" => {
                if self.open.last() == Some(&self.braces) {
                    self.open.pop();
                }
                self.braces = self.braces.saturating_sub(1);
            }
            _ => {}
        }
    }
}

/// How many `super` lead from the module of a file to the root of the crate.
fn depth(path: &str) -> usize {
    let steps = path.split('/').count() - 1;
    if path.ends_with("/mod.rs") { steps - 1 } else { steps }
}

/// The first name after `crate::`, or the first of each member of a group.
fn first_names<'a>(words: &[&'a str]) -> Vec<&'a str> {
    if words.first() != Some(&"{") {
        return words.first().copied().into_iter().collect();
    }
    let mut names = Vec::new();
    let mut nesting = 0;
    for pair in words.windows(2) {
        match pair[0] {
            "{" => nesting += 1,
            "}" => nesting -= 1,
            _ => {}
        }
        if nesting == 0 {
            break;
        }
        if nesting == 1 && matches!(pair[0], "{" | ",") && pair[1] != "}" {
            names.push(pair[1]);
        }
    }
    names
}

/// Imports against the direction of the rooms.
fn wrong_imports(sources: &[Source], upward: &[(&str, &str)]) -> Findings {
    let lib = sources.iter().find(|source| source.path == "src/lib.rs");
    let ranks = ranks(lib.map_or("", |source| source.text.as_str()));
    let rank = |room: &str| ranks.iter().position(|other| other == room);
    let mut findings = Findings::new();
    let mut excused = BTreeSet::new();
    for source in sources.iter().filter(|source| source.is_rust()) {
        let Some(room) = room_of(&source.path) else { continue };
        let Some(own) = rank(room) else {
            findings.push(format!("{}: the room {room} is not listed in src/lib.rs", source.path));
            continue;
        };
        for other in named_rooms(&source.path, &source.text) {
            let Some(theirs) = rank(&other).filter(|_| other != room) else { continue };
            if theirs > own && upward.contains(&(source.path.as_str(), other.as_str())) {
                excused.insert((source.path.clone(), other));
            } else if let Some(why) = refusal(room, own, &other, theirs) {
                findings.push(format!("{}: {room} imports {other}, {why}", source.path));
            }
        }
    }
    for (path, room) in upward {
        if !excused.contains(&((*path).to_owned(), (*room).to_owned())) {
            findings.push(format!("the exception {path} -> {room} is not needed any more"));
        }
    }
    findings
}

fn refusal(room: &str, own: usize, other: &str, theirs: usize) -> Option<&'static str> {
    let floor = FLOORS.iter().any(|floor| floor.contains(&room) && floor.contains(&other));
    let closed = CLOSED.iter().find(|(closed, _)| *closed == room);
    if theirs > own {
        Some("which is a higher room")
    } else if floor && !NEIGHBOURS.contains(&(room, other)) {
        Some("its neighbour, which no list allows")
    } else if closed.is_some_and(|(_, allowed)| !allowed.contains(&other)) {
        Some("which this room keeps out")
    } else {
        None
    }
}

/// Anything in the root of the library but the list of modules. Only `app` is public, so that the
/// compiler reports items nobody uses.
fn root_items(lib: &str) -> Findings {
    let code = code_only(lib);
    let lines = code.lines().enumerate().filter(|(_, line)| {
        let line = line.trim();
        let is_room = (line.starts_with("mod ") || line == "pub mod app;") && line.ends_with(';');
        !line.is_empty() && !is_room
    });
    lines.map(|(at, line)| format!("src/lib.rs:{}: only rooms here: {line}", at + 1)).collect()
}

/// Words of [`DOORS`] outside of the rooms that own them; tests may use every door.
fn open_doors(sources: &[Source]) -> Findings {
    let mut findings = Findings::new();
    for source in sources.iter().filter(|source| source.path.starts_with("src/")) {
        let code = code_only(without_tests(&source.text));
        let words: BTreeSet<&str> = tokens(&code).into_iter().collect();
        let is_test = source.path.ends_with("tests.rs") || source.path.contains("/tests/");
        for (word, owners) in DOORS {
            let owned = owners.iter().any(|owner| source.path.starts_with(owner));
            if words.contains(word) && !owned && !is_test {
                findings.push(format!("{}: `{word}` belongs to {owners:?}", source.path));
            }
        }
    }
    findings
}

#[test]
fn a_room_imports_only_lower_rooms() {
    assert_tidy(wrong_imports(&repository(), &UPWARD));
}

#[test]
fn the_root_lists_rooms_and_nothing_else() {
    let lib = repository().into_iter().find(|source| source.path == "src/lib.rs").unwrap();
    assert_tidy(root_items(&lib.text));
}

#[test]
fn each_door_is_opened_by_its_room() {
    assert_tidy(open_doors(&repository()));
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIB: &str = "mod base;\nmod model;\nmod files;\nmod process;\nmod library;\n\
        mod imports;\nmod launch;\nmod http;\nmod api;\npub mod app;\n";

    fn with(path: &str, text: &str) -> Vec<Source> {
        vec![Source::new("src/lib.rs", LIB), Source::new(path, text)]
    }

    #[track_caller]
    fn refused(path: &str, text: &str, parts: &[&str]) {
        assert_found(wrong_imports(&with(path, text), &[]), parts);
    }

    #[track_caller]
    fn accepted(path: &str, text: &str) {
        assert_tidy(wrong_imports(&with(path, text), &[]));
    }

    #[test]
    fn an_upward_import_fails_however_it_is_written() {
        let parts = ["model imports api", "higher"];
        refused("src/model/game.rs", "use crate::api::route;", &parts);
        refused("src/model/game.rs", "use crate::{base::ids, api::{a, b}};", &parts);
        refused("src/model/game.rs", "fn f() { crate::api::serve() }", &parts);
        refused("src/model/game.rs", "use super::super::api::x;", &parts);
        refused("src/model/mod.rs", "use super::api::x;", &parts);
        refused("src/model/mod.rs", "mod t { use super::super::api::x; }", &parts);
        refused("src/model/mod.rs", "use service_launcher::api::x;", &parts);
    }

    #[test]
    fn downward_and_inner_imports_pass() {
        accepted("src/api/mod.rs", "use crate::{base::ids, http::reply}; use super::model::x;");
        accepted("src/model/game.rs", "use super::record; mod t { use super::super::rows; }");
        accepted("src/model/game.rs", "// crate::api\nconst A: &str = \"crate::api::x\";");
        accepted("src/model/game.rs", "mod a { fn f() {} }\nuse super::rows;");
    }

    #[test]
    fn neighbours_need_leave() {
        refused(
            "src/launch/a.rs",
            "use crate::imports::x;",
            &["launch imports imports", "neighbour"],
        );
        refused("src/process/a.rs", "use crate::files::x;", &["process imports files"]);
        accepted("src/imports/a.rs", "use crate::library::x;");
    }

    #[test]
    fn closed_rooms_take_only_what_they_list() {
        refused("src/http/a.rs", "use crate::model::x;", &["http imports model", "keeps out"]);
        accepted("src/http/a.rs", "use crate::base::x;");
    }

    #[test]
    fn a_room_must_be_listed() {
        refused("src/attic/a.rs", "", &["attic", "not listed"]);
    }

    #[test]
    fn exceptions_excuse_and_must_be_needed() {
        let upward = [("src/model/a.rs", "api")];
        assert_tidy(wrong_imports(&with("src/model/a.rs", "use crate::api::x;"), &upward));
        let findings = wrong_imports(&with("src/model/a.rs", "use crate::base::x;"), &upward);
        assert_found(findings, &["src/model/a.rs -> api", "not needed"]);
    }

    #[test]
    fn the_root_exports_the_application_alone() {
        assert_tidy(root_items(LIB));
        let findings = root_items("//! Doc.\nmod base;\npub use base::ids;\n");
        assert_found(findings, &["src/lib.rs:3", "pub use"]);
        assert_found(root_items("pub mod base;\n"), &["src/lib.rs:1", "pub mod base"]);
    }

    #[test]
    fn a_door_opened_elsewhere_fails() {
        let source = with("src/library/a.rs", "use std::fs::OpenOptions;");
        assert_found(open_doors(&source), &["src/library/a.rs", "OpenOptions"]);
        assert_tidy(open_doors(&with("src/files/a.rs", "use std::fs::OpenOptions;")));
        let test = "//! Doc.\n\n#[cfg(test)]\nmod tests { use std::fs::OpenOptions; }";
        assert_tidy(open_doors(&with("src/library/a.rs", test)));
    }
}
