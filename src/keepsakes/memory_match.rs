//! The game and the time of a picture, by its name and folder.

use std::{collections::HashMap, path::Path};

use super::memory_roots::Picture;
use crate::{
    base::{Moment, text},
    model::Games,
};

/// The games by everything a picture may name.
#[derive(Debug, Default)]
pub(super) struct Index {
    apps: HashMap<String, Vec<usize>>,
    titles: HashMap<String, Vec<usize>>,
    names: HashMap<String, Vec<usize>>,
}

/// The result of finding its game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Match {
    /// The position of the only game that fits.
    One(usize),
    /// Several fit; the name in the picture.
    Several(String),
    None,
}

impl Index {
    pub(super) fn of(games: &Games) -> Self {
        let mut index = Self::default();
        for (at, game) in games.iter().enumerate() {
            let record = game.record();
            let stem = stem(Path::new(game.path()));
            put(&mut index.apps, record.shown("store_a_app_id"), at);
            for title in [record.text("rom_name"), &stem] {
                put(&mut index.titles, text::fold(title), at);
            }
            let others = record.texts("alternate_names").map(str::to_owned);
            let own = ["name", "sort_title", "rom_name"].map(|key| record.text(key).to_owned());
            for name in own.into_iter().chain([stem]).chain(others) {
                put(&mut index.names, key(&name), at);
            }
        }
        index
    }

    pub(super) fn find(&self, picture: &Picture) -> Match {
        let name = stem(&picture.path);
        let (found, hint) = match picture.source {
            "store_a" => (self.apps.get(&picture.id), picture.id.clone()),
            "dolphin" if !picture.id.is_empty() => {
                (self.titles.get(&text::fold(&picture.id)), picture.id.clone())
            }
            _ => (self.names.get(&key(&name)), name),
        };
        match found.map(Vec::as_slice) {
            None | Some([]) => Match::None,
            Some([one]) => Match::One(*one),
            Some(_) => Match::Several(hint),
        }
    }
}

fn put(index: &mut HashMap<String, Vec<usize>>, key: String, at: usize) {
    if key.is_empty() {
        return;
    }
    let games = index.entry(key).or_default();
    if games.last() != Some(&at) {
        games.push(at);
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A name without tags, without the time or number that programs put at its end, and without all but
/// letters and digits.
pub(super) fn key(name: &str) -> String {
    let mut plain = String::new();
    let mut depth = 0_usize;
    for letter in name.chars() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            letter if depth == 0 => plain.push(letter),
            _ => {}
        }
    }
    let plain = plain.trim();
    let plain = plain.strip_suffix(stamp(plain)).unwrap_or(plain);
    text::fold(plain).chars().filter(char::is_ascii_alphanumeric).collect()
}

/// The end `-YYMMDD-HHMMSS`, else `-N`, of a name; empty without one.
fn stamp(name: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some(last) = name.rfind('-').filter(|at| is_number(&name[at + 1..])) else { return "" };
    let before = name[..last].rfind('-');
    match before {
        Some(first)
            if name.len() - last == 7 && last - first == 7 && is_number(&name[first + 1..last]) =>
        {
            &name[first..]
        }
        _ => &name[last..],
    }
}

/// When a picture was taken: by its name where the program writes that, else by the disk.
pub(super) fn taken_at(picture: &Picture) -> String {
    let name = stem(&picture.path);
    let named = match picture.source {
        "store_a" => name.get(..14).filter(|digits| is_digits(digits)).map(|digits| {
            let part = |from: usize, to: usize| &digits[from..to];
            format!(
                "{}-{}-{}T{}:{}:{}",
                part(0, 4),
                part(4, 6),
                part(6, 8),
                part(8, 10),
                part(10, 12),
                part(12, 14)
            )
        }),
        "retroarch" => {
            let stamp = stamp(&name);
            Some(stamp).filter(|stamp| stamp.len() == 14).map(|stamp| {
                let part = |from: usize, to: usize| &stamp[from..to];
                format!(
                    "20{}-{}-{}T{}:{}:{}",
                    part(1, 3),
                    part(3, 5),
                    part(5, 7),
                    part(8, 10),
                    part(10, 12),
                    part(12, 14)
                )
            })
        }
        _ => None,
    };
    let named = named.as_deref().and_then(Moment::parse);
    named.unwrap_or_else(|| Moment::from_system(picture.modified)).utc_iso()
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn names_of_pictures_lose_what_programs_add() {
        for (name, expected) in [
            ("Super Game (USA) [!]-240131-235959", "supergame"),
            ("Super Game-12", "supergame"),
            ("Super-Game", "supergame"),
            ("1942", "1942"),
            ("Game-99-240131-235959", "game99"),
            ("", ""),
        ] {
            assert_eq!(key(name), expected, "{name}");
        }
    }

    #[test]
    fn the_time_is_in_the_name_where_programs_write_it() {
        let at = |source, name: &str| {
            taken_at(&Picture {
                path: name.into(),
                source,
                id: String::new(),
                size: 1,
                modified: SystemTime::UNIX_EPOCH,
            })
        };
        let local = |text: &str| Moment::parse(text).expect("a time").utc_iso();
        assert_eq!(at("store_a", "20240131235958_1.jpg"), local("2024-01-31T23:59:58"));
        assert_eq!(at("retroarch", "Game-240131-235958.png"), local("2024-01-31T23:59:58"));
        let epoch = Moment::from_unix(0).utc_iso();
        for (source, name) in [
            ("store_a", "x.jpg"),
            ("retroarch", "Game.png"),
            ("retroarch", "Game-991399-999999.png"),
            ("custom", "20240131235958_1.jpg"),
        ] {
            assert_eq!(at(source, name), epoch, "{name}");
        }
    }
}
