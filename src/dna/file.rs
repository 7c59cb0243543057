//! The index as a file next to the library. It can be deleted at any time: it is rebuilt from the
//! library, and one that cannot be read counts as missing.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    os::unix::fs::MetadataExt as _,
    path::Path,
};

use serde::Deserialize;
use serde_json::Value;

use super::{index::Index, lexicon};
use crate::{base::ids, files::Files};

/// The shape of the file.
const FORMAT: u64 = 1;
/// The largest file that is read.
const BYTES: u64 = 1 << 30;

#[derive(Deserialize)]
struct Stored {
    format: u64,
    #[serde(default)]
    build_ms: u64,
    games: BTreeMap<String, StoredGame>,
}

#[derive(Deserialize)]
struct StoredGame {
    v: BTreeMap<String, f32>,
    h: String,
}

/// The stored index and how many milliseconds it took to make; `None` when there is none that can be
/// used.
pub(super) fn read(files: &Files, path: &Path) -> Option<(Index, u64)> {
    let size = files.stat(path).ok()??.len();
    if size > BYTES {
        return None;
    }
    let bytes = files.read(path).inspect_err(|error| log::warn!("{error}")).ok()?;
    let index = parse(&bytes);
    if index.is_none() {
        log::warn!("the stored index of games cannot be used and is rebuilt");
    }
    index
}

fn parse(bytes: &[u8]) -> Option<(Index, u64)> {
    let stored: Stored = serde_json::from_slice(bytes).ok()?;
    if stored.format != FORMAT {
        return None;
    }
    let mut index = Index::default();
    for (id, game) in stored.games {
        if game.v.values().any(|weight| !(0.0..1e6).contains(weight)) {
            return None;
        }
        index.put_stored(&id, ids::from_hex(&game.h)?, game.v.into_iter().collect());
    }
    Some((index, stored.build_ms))
}

/// Replaces the file. `library` is the library file, whose signature is noted.
pub(super) fn write(files: &Files, path: &Path, library: &Path, index: &Index, build_ms: u64) {
    let signature = files.stat(library).ok().flatten().map(|file| {
        let nanoseconds = i128::from(file.mtime()) * 1_000_000_000 + i128::from(file.mtime_nsec());
        (i64::try_from(nanoseconds).unwrap_or(0), file.len(), file.ino())
    });
    let mut bytes = Vec::new();
    let written = render(&mut bytes, index, signature.unwrap_or_default(), build_ms);
    // OK because writing to memory never fails.
    let outcome = written.map(|()| files.replace_unsynced(path, &bytes));
    if let Ok(Err(error)) = outcome {
        log::warn!("the index of games was not saved: {error}");
    }
}

fn render(
    out: &mut Vec<u8>,
    index: &Index,
    (modified, size, inode): (i64, u64, u64),
    build_ms: u64,
) -> io::Result<()> {
    let mean = index.mean_length();
    write!(
        out,
        "{{\"format\":{FORMAT},\"lexicon_version\":{},\"state_signature\":[{modified},{size},{inode}],\
         \"build_ms\":{build_ms},\"doc_count\":{},\"avg_len\":{mean},\"df\":{{",
        lexicon::VERSION,
        index.len(),
    )?;
    let mut frequencies: Vec<(&str, usize)> = index.frequencies().collect();
    frequencies.sort_unstable();
    for (at, (word, games)) in frequencies.into_iter().enumerate() {
        comma(out, at)?;
        write!(out, "{}:{games}", Value::from(word))?;
    }
    out.write_all(b"},\"games\":{")?;
    let mut entries: Vec<_> = index.entries().collect();
    entries.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    for (at, entry) in entries.into_iter().enumerate() {
        comma(out, at)?;
        write!(out, "{}:{{\"v\":{{", Value::from(&*entry.id))?;
        for (at, (word, weight)) in index.words_of(entry).enumerate() {
            comma(out, at)?;
            write!(out, "{}:{weight}", Value::from(word))?;
        }
        write!(out, "}},\"h\":\"{}\",\"l\":{}}}", ids::hex(&entry.hash), entry.length)?;
    }
    out.write_all(b"}}")
}

fn comma(out: &mut Vec<u8>, at: usize) -> io::Result<()> {
    if at > 0 { out.write_all(b",") } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{
        super::index::tests::{game, shown},
        *,
    };

    #[test]
    fn an_index_is_read_back_as_it_was() {
        let mut index = Index::default();
        index.put(&game(json!({"game_id": "g\"1", "name": "Größe", "description": "x1 x2 x1"})));
        index.put(&game(json!({"game_id": "g2", "name": "Second größe", "genre": "RPG"})));
        let mut bytes = Vec::new();
        render(&mut bytes, &index, (1, 2, 3), 40).expect("written");
        let text: Value = serde_json::from_slice(&bytes).expect("JSON");
        assert_eq!(text["state_signature"], json!([1, 2, 3]));
        assert_eq!((&text["format"], &text["lexicon_version"]), (&json!(1), &json!(3)));
        assert_eq!((&text["doc_count"], &text["df"]["grösse"]), (&json!(2), &json!(2)));
        let stored = &text["games"]["g2"];
        assert_eq!(stored["v"]["rpg"], 2);
        assert_eq!((stored["h"].as_str().map(str::len), &stored["l"]), (Some(24), &json!(8)));
        let (read, build_ms) = parse(&bytes).expect("an index");
        assert_eq!(build_ms, 40);
        for key in ["words", "mean"] {
            assert_eq!(shown(&read)[key], shown(&index)[key]);
        }
    }

    #[test]
    fn what_is_no_index_is_none() {
        let game = |weight: &str, hash: &str| {
            format!(
                "{{\"format\":1,\"games\":{{\"g\":{{\"v\":{{\"a\":{weight}}},\"h\":\"{hash}\",\"l\":1}}}}}}"
            )
        };
        let hash = "0".repeat(24);
        assert!(parse(game("1", &hash).as_bytes()).is_some());
        for text in [
            "",
            "[]",
            "{\"format\":2,\"games\":{}}",
            "{\"format\":1}",
            &game("-1", &hash),
            &game("1e9", &hash),
            &game("1", "00"),
            &game("1", &"ä".repeat(12)),
            &game("1", &"x".repeat(24)),
        ] {
            assert!(parse(text.as_bytes()).is_none(), "{text}");
        }
    }
}
