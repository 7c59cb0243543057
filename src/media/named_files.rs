//! Which files the library names: its games, their earlier values, the trash and every other section.
//!
//! Reading all records for every file would make a pass over many games take the square of their number. The names in a
//! chunk of games or a section are read once and kept for as long as that chunk or section is part of the library, so a
//! commit costs the chunks that it replaced.

use std::{
    hash::{BuildHasher as _, RandomState},
    os::unix::ffi::OsStrExt as _,
    path::Path,
    ptr,
    sync::{Arc, Mutex, Weak},
};

use memchr::{memchr, memchr2};
use serde_json::Value;

use crate::{
    base::Hold as _,
    model::{Chunk, State},
};

/// Hashes of the paths that a part of the library names, sorted. Two paths of one hash cost a file its usual name.
type Paths = Box<[u64]>;

/// The files that the library names, as far as they were read.
#[derive(Default)]
pub struct NamedFiles(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    hasher: RandomState,
    chunks: Vec<(Weak<Chunk>, Paths)>,
    sections: Vec<(Weak<Value>, Paths)>,
}

impl NamedFiles {
    /// Whether a game or a section of the library has this absolute path as a text.
    pub fn has(&self, state: &State, path: &Path) -> bool {
        let Ok(path) = std::str::from_utf8(path.as_os_str().as_bytes()) else { return false };
        let mut kept = self.0.hold();
        kept.follow(state);
        kept.has(path)
    }
}

impl Kept {
    /// Reads what is new in a state and forgets what is not part of it; how many games were read.
    fn follow(&mut self, state: &State) -> usize {
        let mut read = 0;
        let hasher = &self.hasher;
        let mut before = std::mem::take(&mut self.chunks).into_iter();
        for chunk in state.games.chunks() {
            // A weak pointer keeps the address from being given to another chunk.
            let same =
                |(weak, _): &(Weak<Chunk>, Paths)| ptr::eq(weak.as_ptr(), Arc::as_ptr(chunk));
            let of_chunk = || {
                read += chunk.len();
                let mut paths = Vec::new();
                for game in chunk.iter() {
                    each_path(game.json(), &mut |path| paths.push(hasher.hash_one(path)));
                }
                (Arc::downgrade(chunk), sorted(paths))
            };
            self.chunks.push(before.next().filter(same).unwrap_or_else(of_chunk));
        }
        let mut before = std::mem::take(&mut self.sections);
        for (_, section) in state.sections() {
            let same =
                |(weak, _): &(Weak<Value>, Paths)| ptr::eq(weak.as_ptr(), Arc::as_ptr(section));
            self.sections.push(before.iter().position(same).map_or_else(
                || {
                    let mut paths = Vec::new();
                    each_path_of(section, &mut |path| paths.push(hasher.hash_one(path)));
                    (Arc::downgrade(section), sorted(paths))
                },
                |at| before.swap_remove(at),
            ));
        }
        read
    }

    fn has(&self, path: &str) -> bool {
        let hash = self.hasher.hash_one(path);
        let chunks = self.chunks.iter().map(|(_, paths)| paths);
        let sections = self.sections.iter().map(|(_, paths)| paths);
        chunks.chain(sections).any(|paths| paths.binary_search(&hash).is_ok())
    }
}

fn sorted(mut paths: Vec<u64>) -> Paths {
    paths.sort_unstable();
    paths.dedup();
    paths.into_boxed_slice()
}

/// Hands over every text of a value that may be an absolute path.
fn each_path_of(value: &Value, take: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) if text.starts_with('/') => take(text),
        Value::Array(list) => list.iter().for_each(|value| each_path_of(value, take)),
        Value::Object(map) => map.values().for_each(|value| each_path_of(value, take)),
        _ => {}
    }
}

/// As [`each_path_of`], for an object that is written as JSON, which is faster to read than its values are to make.
fn each_path(json: &str, take: &mut dyn FnMut(&str)) {
    let bytes = json.as_bytes();
    let find = |at: usize| memchr(b'"', bytes.get(at..)?).map(|found| at + found);
    let mut at = 0;
    while let Some(start) = find(at) {
        let Some(end) = end_of_text(bytes, start + 1) else { return };
        let text = json.get(start + 1..end).unwrap_or("");
        if text.starts_with('/') && !text.contains('\\') {
            take(text);
        } else if text.starts_with(['/', '\\'])
            && let Some(Ok(text)) = json.get(start..=end).map(serde_json::from_str::<String>)
            && text.starts_with('/')
        {
            // Other programs may spell a path in other ways.
            take(&text);
        }
        at = end + 1;
    }
}

/// Where the text ends that begins at a place: at the first quotation mark that is not escaped.
fn end_of_text(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        let found = at + memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes.get(found) == Some(&b'"') {
            return Some(found);
        }
        at = found + 2;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::model::{CHUNK, Draft, Game, Games, Record};

    fn state_of(games: Vec<Arc<Game>>) -> State {
        State::new(Games::from_games(games), BTreeMap::new(), 1)
    }

    #[test]
    fn paths_are_found_however_their_json_is_spelled() {
        let named = NamedFiles::default();
        for (json, expected) in [
            (r#"{"game_id":"g","cover":"/m/é.png"}"#, true),
            (r#"{"game_id":"g","cover":"\/m\/\u00e9.png"}"#, true),
            (r#"{"game_id":"g","cover":"/m/\u00e9.png"}"#, true),
            (r#"{"game_id":"g","name":"a\\","cover":"/m/é.png"}"#, true),
            (r#"{"game_id":"g","name":"\"","screenshots":["/m/é.png"]}"#, true),
            (r#"{"game_id":"g","field_origins":{"a":[{"value":"/m/é.png"}]}}"#, true),
            (r#"{"game_id":"g","cover":"/m/é.png.bak"}"#, false),
            (r#"{"game_id":"g","name":"see /m/é.png"}"#, false),
            (r#"{"game_id":"g","name":"\"/m/é.png"}"#, false),
        ] {
            let state = state_of(vec![Arc::new(Game::from_json(json).expect("a game"))]);
            assert_eq!(named.has(&state, Path::new("/m/é.png")), expected, "{json}");
        }
    }

    #[test]
    fn sections_count_for_as_long_as_they_name_a_file() {
        let named = NamedFiles::default();
        let mut draft = Draft::new(State::default());
        draft.set_section("trash", json!([{"game": {"cover": "/m/a.png"}}]));
        let with = draft.state().clone();
        draft.set_section("other", json!({"x": 1}));
        let beside = draft.state().clone();
        draft.set_section("trash", json!([]));
        let has = |state: &State| named.has(state, Path::new("/m/a.png"));
        assert!(has(&with) && has(&beside));
        assert!(!has(draft.state()) && has(&with));
    }

    #[test]
    fn a_pass_reads_every_game_once_and_then_what_it_changes() {
        const GAMES: usize = 10_000;
        let game = |number: usize| {
            let record =
                json!({"game_id": format!("g{number}"), "cover": format!("/m/{number}.png")});
            Game::seal(&Record::from(record.as_object().expect("an object").clone()))
        };
        let mut state = state_of((0..GAMES).map(game).collect());
        let mut kept = Kept::default();
        assert_eq!(kept.follow(&state), GAMES);
        let mut most = 0;
        for number in (0..GAMES).step_by(7) {
            let path = format!("/m/{number}.png");
            assert!(kept.has(&path));
            assert_eq!(kept.follow(&state), 0, "nothing has changed");
            let mut draft = Draft::new(state);
            let edited = draft.edit_game(&format!("g{number}"), |record| {
                record.set("cover", format!("{path}.new"));
            });
            assert!(edited.is_ok());
            state = draft.state().clone();
            most = most.max(kept.follow(&state));
            assert!(!kept.has(&path) && kept.has(&format!("{path}.new")));
        }
        assert_eq!(most, CHUNK, "a commit costs the chunk that it replaces");
    }
}
