//! When two records are the same game: the identities of a record, and finding those it shares with
//! an earlier one.

use std::path::Path;

use hashbrown::HashMap;

use super::path_checks;
use crate::{
    base::{text, text_map::TextMap},
    model::{Games, Record},
    platforms::{self, Trait},
};

/// Store families with the key of their id.
const STORES: [(&str, &str); 5] = [
    ("store_a", "store_a_app_id"),
    ("store_b", "store_b_app_id"),
    ("store_c", "store_c_id"),
    ("libserver", "libserver_id"),
    ("wrapper", "wrapper_id"),
];
/// Store families with the names of their source, folded.
const SOURCES: [(&str, &[&str]); 6] = [
    ("store_a", &["store_a", "steam"]),
    ("store_b", &["store_b", "heroic", "epic", "epic games", "amazon", "amazon games"]),
    ("store_c", &["store_c", "lutris"]),
    ("store_d", &["store_d", "gog"]),
    ("libserver", &["libserver"]),
    ("wrapper", &["wrapper"]),
];

/// What a record can be recognised by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identities {
    /// Exact identities, such as `store_a:440` or `path:/games/a.nes`.
    pub exact: Vec<String>,
    /// Its title in its store: the same game only in another store.
    pub title: Option<StoreTitle>,
}

/// The title of a game of a PC store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreTitle {
    /// `pc-title:<title>`.
    pub identity: String,
    /// The families of stores it comes from, at least one.
    pub families: Vec<&'static str>,
    /// The year of its release; empty when it is not known. A remake of the same name is another
    /// game.
    pub year: String,
}

impl Identities {
    /// The identities that the ids of stores in a record give it.
    pub fn of_stores(record: &Record) -> Vec<String> {
        let families = STORES.iter().filter_map(|(family, key)| {
            let id = record.shown(key);
            Some(match (id.trim(), *family) {
                ("", _) => return None,
                (id, "store_b") => {
                    format!("store_b:{}:{id}", text::fold(record.text("store_b_source").trim()))
                }
                (id, family) => format!("{family}:{id}"),
            })
        });
        families.collect()
    }

    /// The identities in stores of all games of a library, with the positions of the games.
    pub fn in_stores(games: &Games) -> impl Iterator<Item = (String, usize)> {
        // A check of the text avoids parsing records without such an id.
        let has_id = |json: &str| STORES.iter().any(|(_, key)| json.contains(key));
        let games = games.iter().enumerate().filter(move |(_, game)| has_id(game.json()));
        games.flat_map(|(at, game)| {
            Self::of_stores(&game.record()).into_iter().map(move |id| (id, at))
        })
    }

    /// The identities of a record.
    pub fn of(record: &Record) -> Self {
        let mut exact: Vec<String> = record.texts("source_identities").map(str::to_owned).collect();
        exact.push(record.text("source_identity").trim().to_owned());
        exact.extend(Self::of_stores(record));
        exact.push(arcade_identity(record));
        // Several games of the adventure engine may share a folder.
        let engine_id = record.shown("engine_library_id");
        if !engine_id.trim().is_empty() {
            exact.push(format!("engine:{}", engine_id.trim()));
        }
        exact.retain(|identity| !identity.trim().is_empty());
        if exact.is_empty() && !record.text("path").trim().is_empty() {
            let path = record.text("path").trim();
            let normal = path_checks::absolute(path, Path::new("/"));
            let normal =
                normal.map_or_else(|| path.into(), |path| path.to_string_lossy().into_owned());
            exact.push(format!("path:{normal}"));
        }
        Self { exact, title: store_title(record) }
    }
}

fn arcade_identity(record: &Record) -> String {
    let rom = rom_set(record.text("rom_name"));
    if rom.is_empty() || !platforms::has_sets(record.text("platform")) {
        return String::new();
    }
    let source = text::fold(record.text("source").trim());
    // A file that was found in a folder is known by its path: its name may stand in several folders.
    let file_name = record.text("path").rsplit('/').next().unwrap_or_default();
    if source.is_empty() && record.text("rom_name") == file_name {
        return String::new();
    }
    format!("{}:{rom}", if source.is_empty() { "arcade" } else { &source })
}

/// The name of a ROM set: lower case, without its file extension and what stands in brackets.
fn rom_set(name: &str) -> String {
    let name = match name.rsplit_once('.') {
        Some((stem, end)) if (1..=4).contains(&end.len()) && end.is_ascii() => stem,
        _ => name,
    };
    let (mut kept, mut depth) = (String::with_capacity(name.len()), 0_usize);
    for letter in name.chars() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            letter if depth == 0 => kept.push(letter),
            _ => {}
        }
    }
    text::fold(&text::collapse(&kept))
}

fn store_title(record: &Record) -> Option<StoreTitle> {
    let source = text::fold(record.text("source").trim());
    let has_id = |store: &&(&str, &str)| !record.shown(store.1).trim().is_empty();
    let is_named = |store: &&(&str, &[&str])| store.1.contains(&source.as_str());
    let mut families: Vec<&str> = STORES.iter().filter(has_id).map(|store| store.0).collect();
    if families.is_empty() {
        families = SOURCES.iter().filter(is_named).map(|store| store.0).collect();
    }
    if families.is_empty() {
        return None;
    }
    let title = text::fold(record.text("name")).replace('&', " and ");
    let plain = |letter: char| if letter.is_alphanumeric() { letter } else { ' ' };
    let title = text::collapse(&title.chars().map(plain).collect::<String>());
    // A game of a store without a platform is one for computers too.
    let platform = record.text("platform").trim();
    let known = platforms::by_any_name(platform);
    let is_desktop = known.is_some_and(|known| known.traits.contains(&Trait::Desktop));
    let is_pc = (platform.is_empty() || is_desktop) && !title.is_empty();
    let year = record.shown("year").trim().to_owned();
    is_pc.then(|| StoreTitle { identity: format!("pc-title:{title}"), families, year })
}

/// An earlier record that a later one duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Position of the earlier record.
    pub earlier: usize,
    /// The identity they share.
    pub identity: String,
    /// Whether they come from different stores and share only the title.
    pub is_cross_store: bool,
}

/// Every identity met so far, walking over the library in order.
#[derive(Debug, Default)]
pub struct Register {
    exact: TextMap,
    titles: HashMap<String, Vec<(StoreTitle, usize)>>,
    /// Records that a later one connected with an earlier record, and that record.
    joined: HashMap<usize, usize>,
}

impl Register {
    /// The earlier record that one with these identities duplicates.
    pub fn find(&self, identities: &Identities) -> Option<Match> {
        let known =
            |identity: &String| Some((self.owner(self.exact.get(identity)?), identity.clone()));
        let exact = identities.exact.iter().find_map(known);
        match (exact, &identities.title) {
            (Some((earlier, identity)), _) => {
                Some(Match { earlier, identity, is_cross_store: false })
            }
            (None, Some(title)) => self.other_store(title).map(|earlier| Match {
                earlier,
                identity: title.identity.clone(),
                is_cross_store: true,
            }),
            (None, None) => None,
        }
    }

    /// Enters the record at `position`. When it duplicates an earlier one, its identities count as
    /// those of that record from now on.
    fn enter(&mut self, position: usize, identities: Identities) -> Option<Match> {
        let found = self.find(&identities);
        let owner = found.as_ref().map_or(position, |found| found.earlier);
        self.own(owner, identities);
        found
    }

    /// Makes the earlier records that share something with one record duplicates of the first of them, and
    /// returns those that were not duplicates before.
    fn join(&mut self, exact: &[String]) -> Vec<(usize, Match)> {
        let known = exact
            .iter()
            .filter_map(|identity| Some((self.owner(self.exact.get(identity)?), identity)));
        let mut known: Vec<(usize, &String)> = known.collect();
        known.sort_unstable();
        known.dedup_by_key(|(owner, _)| *owner);
        let Some(((earlier, _), later)) = known.split_first() else { return Vec::new() };
        self.joined.extend(later.iter().map(|(owner, _)| (*owner, *earlier)));
        let found = later.iter().map(|(owner, identity)| {
            let identity = (*identity).clone();
            (*owner, Match { earlier: *earlier, identity, is_cross_store: false })
        });
        found.collect()
    }

    /// The record that stays for the one at `position`.
    fn owner(&self, mut position: usize) -> usize {
        while let Some(earlier) = self.joined.get(&position) {
            position = *earlier;
        }
        position
    }

    /// Enters a record that is one of its own whatever it shares with earlier ones.
    pub fn own(&mut self, position: usize, identities: Identities) {
        for identity in identities.exact {
            self.exact.enter(&identity, position);
        }
        if let Some(title) = identities.title {
            self.titles.entry(title.identity.clone()).or_default().push((title, position));
        }
    }

    /// The first record of this title, unless its own store has it too: two games of one store are
    /// two games, whatever they are called.
    fn other_store(&self, title: &StoreTitle) -> Option<usize> {
        let is_apart =
            |year: &str| !year.is_empty() && !title.year.is_empty() && year != title.year;
        let known = self.titles.get(&title.identity)?;
        let known: Vec<_> = known.iter().filter(|(other, _)| !is_apart(&other.year)).collect();
        let is_here = known
            .iter()
            .any(|(other, _)| other.families.iter().any(|family| title.families.contains(family)));
        known.first().filter(|_| !is_here).map(|(_, earlier)| self.owner(*earlier))
    }
}

/// The duplicates of a library. Records that are connected through others are one game, whose earliest record
/// stays.
#[derive(Debug, Default)]
pub struct Duplicates {
    register: Register,
    found: Vec<(usize, Match)>,
}

impl Duplicates {
    /// Enters the record at `position`; every record is entered, in order.
    pub fn enter(&mut self, position: usize, identities: Identities) {
        self.found.extend(self.register.join(&identities.exact));
        let found = self.register.enter(position, identities);
        self.found.extend(found.map(|found| (position, found)));
    }

    /// The positions of the duplicates, in order, each with the record that stays for it.
    pub fn finish(self) -> Vec<(usize, Match)> {
        let Self { register, mut found } = self;
        for (_, matched) in &mut found {
            matched.earlier = register.owner(matched.earlier);
        }
        found.sort_by_key(|(position, _)| *position);
        found
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn check(record: Value, exact: &[&str], title: Option<(&str, &str)>) {
        let found = Identities::of(&serde_json::from_value(record).expect("an object"));
        assert_eq!(found.exact, exact);
        let shown = found.title.as_ref().map(|title| (title.identity.as_str(), title.families[0]));
        assert_eq!(shown, title);
    }

    #[test]
    fn a_record_is_known_by_its_ids_or_else_by_its_path() {
        check(json!({"path": "/a/../b/c.nes"}), &["path:/b/c.nes"], None);
        check(json!({"name": "x"}), &[], None);
        check(
            json!({"name": "Me & You: II", "store_a_app_id": 440, "path": "/x"}),
            &["store_a:440"],
            Some(("pc-title:me and you ii", "store_a")),
        );
        check(
            json!({"name": "X", "store_b_app_id": "q", "store_b_source": "Epic", "platform": "NES"}),
            &["store_b:epic:q"],
            None,
        );
        check(
            json!({"name": "X", "source": "Lutris", "path": "/x"}),
            &["path:/x"],
            Some(("pc-title:x", "store_c")),
        );
        for (source, family) in [
            ("Epic", "store_b"),
            ("Epic Games", "store_b"),
            ("Amazon Games", "store_b"),
            ("GOG", "store_d"),
        ] {
            check(
                json!({"name": "X", "source": source, "platform": "PC", "path": "/x"}),
                &["path:/x"],
                Some(("pc-title:x", family)),
            );
        }
        check(
            json!({"rom_name": "PacMan (Midway) [b1].zip", "platform": "MAME", "path": "/x"}),
            &["arcade:pacman"],
            None,
        );
        check(
            json!({"rom_name": "pacman.zip", "platform": "Arcade", "path": "/a/pacman.zip"}),
            &["path:/a/pacman.zip"],
            None,
        );
        check(
            json!({"rom_name": "pacman", "platform": "Arcade", "source": "FBNeo"}),
            &["fbneo:pacman"],
            None,
        );
        check(json!({"rom_name": "pacman", "platform": "NES", "path": "/x"}), &["path:/x"], None);
        check(
            json!({"source_identities": ["a:1"], "source_identity": "b:2"}),
            &["a:1", "b:2"],
            None,
        );
    }

    #[test]
    fn matches_reach_over_records_that_were_matched() {
        let mut register = Register::default();
        let exact = |names: &[&str]| Identities {
            exact: names.iter().map(|name| (*name).to_owned()).collect(),
            title: None,
        };
        assert_eq!(register.enter(0, exact(&["a"])), None);
        assert_eq!(register.enter(1, exact(&["a", "b"])).map(|found| found.earlier), Some(0));
        assert_eq!(register.enter(2, exact(&["b"])).map(|found| found.earlier), Some(0));
        assert_eq!(register.enter(3, exact(&["c"])), None);
    }

    #[test]
    fn records_that_are_connected_through_others_are_one_game() {
        let groups = |records: &[&[&str]]| {
            let mut duplicates = Duplicates::default();
            for (position, names) in records.iter().enumerate() {
                let exact = names.iter().map(|name| (*name).to_owned()).collect();
                duplicates.enter(position, Identities { exact, title: None });
            }
            let found = duplicates.finish().into_iter();
            found.map(|(at, found)| (at, found.earlier, found.identity)).collect::<Vec<_>>()
        };
        let row = |at, earlier, identity: &str| (at, earlier, identity.to_owned());
        assert_eq!(groups(&[&["a"], &["b"], &["c"]]), []);
        assert_eq!(groups(&[&["a"], &["b"], &["a", "b"]]), [row(1, 0, "b"), row(2, 0, "a")]);
        assert_eq!(groups(&[&["a"], &["b"], &["b", "a"]]), [row(1, 0, "b"), row(2, 0, "b")]);
        assert_eq!(
            groups(&[&["a"], &["b"], &["b", "c"], &["d"], &["c", "d"], &["a", "d"]]),
            [row(1, 0, "d"), row(2, 0, "b"), row(3, 0, "d"), row(4, 0, "c"), row(5, 0, "a")],
        );
    }

    #[test]
    fn titles_match_only_between_stores() {
        let mut register = Register::default();
        let title = |family, year: &str| Identities {
            exact: Vec::new(),
            title: Some(StoreTitle {
                identity: "pc-title:x".to_owned(),
                families: vec![family],
                year: year.to_owned(),
            }),
        };
        assert_eq!(register.enter(0, title("store_a", "1993")), None);
        assert_eq!(register.enter(1, title("store_a", "1993")), None);
        assert_eq!(register.enter(2, title("store_b", "2016")), None, "a remake");
        let found = register.enter(3, title("store_b", "1993")).expect("a match");
        assert_eq!((found.earlier, found.is_cross_store), (0, true));
        assert_eq!(register.enter(4, title("store_b", "1993")), None);
        assert_eq!(register.enter(5, title("store_c", "")).map(|found| found.earlier), Some(0));
    }
}
