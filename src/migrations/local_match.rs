//! Which game each found file belongs to, and which of them fill an empty field.
//!
//! Only games of the platform that the file is for are asked: first by the name of the game's file, then by
//! its title as the program spells it, then by its title without tags. Several games with one name all get
//! the file.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Deserialize;

use super::{
    local_layouts::{self, Program, Told},
    local_scan::{Scan, Step},
    paths,
};
use crate::{
    base::{limits, schema::schema},
    jobs::kind::Failure,
    metadb::normal::normalise,
    model::{
        Game, Games, Record,
        media::MEDIA,
        origins::{self, Origins, Right},
    },
};

schema! {
    "LocalMediaItem"
    /// A file that fills an empty field of a game.
    #[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
    pub struct Row {
        pub game_id: String,
        /// Its name.
        pub name: String,
        pub platform: String,
        /// The media field.
        pub field: String,
        /// The file.
        pub path: String,
        /// Whose file it is.
        pub program: Program,
        /// Its size.
        pub bytes: u64,
    }
}

/// Names that are looked up between two steps.
const MANY: usize = 1_000;

/// What the found files mean for the library.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// What is filled, in the order of the library.
    pub rows: Vec<Row>,
    /// Fields with a value or a lock for which there was a file.
    pub held: usize,
    /// Files of no game.
    pub unclaimed: Vec<String>,
    /// Files that are empty or too large.
    pub unusable: usize,
}

/// How a name was recognised; the lowest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Tier {
    File,
    Title,
    Plain,
}

/// A file for a field of a game. The lowest is taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    tier: Tier,
    program: usize,
    rank: usize,
    path: String,
}

/// The names of the games.
struct Index<'a> {
    games: &'a Games,
    keys: HashMap<(Tier, String, String), Vec<usize>>,
}

impl<'a> Index<'a> {
    fn of(games: &'a Games) -> Self {
        let mut keys: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, game) in games.iter().enumerate() {
            let platform = local_layouts::platform_of_game(game.platform());
            let mut enter = |tier: Tier, key: String| {
                let owners = keys.entry((tier, platform.clone(), key)).or_default();
                if !owners.contains(&at) {
                    owners.push(at);
                }
            };
            for name in names_of_file(game) {
                enter(Tier::File, local_layouts::spelled(name));
            }
            enter(Tier::Title, local_layouts::spelled(game.name()));
            enter(Tier::Plain, normalise(game.name()));
        }
        Self { games, keys }
    }

    /// The games that a name means.
    fn find(&self, told: &Told) -> Option<(Tier, Vec<usize>)> {
        let (folders, name) = told.name.rsplit_once('/').unwrap_or(("", &told.name));
        let spelled = local_layouts::spelled(name);
        let keys =
            [(Tier::File, spelled.clone()), (Tier::Title, spelled), (Tier::Plain, normalise(name))];
        keys.into_iter().filter(|(_, key)| !key.is_empty()).find_map(|(tier, key)| {
            let owners = self.keys.get(&(tier, told.platform.clone(), key))?.clone();
            let is_there = |at: &usize| {
                let path = self.games.get(*at).map_or("", |game| game.path());
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                folder == folders || folder.ends_with(&format!("/{folders}"))
            };
            // Of files with one name in several folders, those of the folder that the program names.
            let there: Vec<usize> = owners.iter().copied().filter(is_there).collect();
            let is_told = tier == Tier::File && !folders.is_empty() && !there.is_empty();
            Some((tier, if is_told { there } else { owners }))
        })
    }
}

/// The name of a game's file with and without its extension: a folder has none.
fn names_of_file(game: &Game) -> impl Iterator<Item = &str> {
    let path = game.path().trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    [paths::stem(path), name].into_iter().filter(|name| !name.is_empty())
}

/// Whether a pass may fill a field.
pub fn is_open(record: &Record, field: &str) -> bool {
    record.get(field).is_none_or(origins::is_unset)
        && !Origins::of(record).holds(field, Right::Pass)
}

/// Whether a field holds a list of paths.
pub fn is_list(field: &str) -> bool {
    MEDIA.iter().any(|kind| kind.field == field && kind.list)
}

/// Returns the bytes of a file that can be used for a field.
type Size<'a> = dyn Fn(&str, &str) -> Option<u64> + 'a;

/// Matches what was found with the games. `step` is called before each file is looked at.
///
/// # Errors
/// The failure of a step.
pub fn find(
    games: &Games,
    scan: &Scan,
    size: &Size<'_>,
    step: &Step<'_>,
) -> Result<Matched, Failure> {
    let index = Index::of(games);
    let mut matched = Matched::default();
    let mut slots: BTreeMap<(usize, &'static str), Vec<Candidate>> = BTreeMap::new();
    let order = |program: Program| Program::ALL.iter().position(|each| *each == program);
    for (at, (path, told)) in scan.told.iter().enumerate() {
        if at.is_multiple_of(MANY) {
            step(scan.entries, &told.name)?;
        }
        let Some((tier, owners)) = index.find(told) else {
            matched.unclaimed.push(path.clone());
            continue;
        };
        let program = order(told.program).unwrap_or_default();
        for at in owners {
            let candidate = Candidate { tier, program, rank: told.rank, path: path.clone() };
            slots.entry((at, told.field)).or_default().push(candidate);
        }
    }
    for claim in &scan.beside {
        let path = claim.path.clone();
        let candidate = Candidate { tier: Tier::File, program: 0, rank: claim.rank, path };
        slots.entry((claim.game, claim.field)).or_default().push(candidate);
    }
    // Files next to a game need no known layout.
    let beside: HashSet<&str> = scan.beside.iter().map(|claim| claim.path.as_str()).collect();
    matched.unclaimed.retain(|path| !beside.contains(path.as_str()));
    matched.unclaimed.extend(scan.others.iter().cloned());
    matched.unclaimed.sort_unstable();
    let mut known: Option<(usize, Record)> = None;
    for ((at, field), mut candidates) in slots {
        let Some(game) = games.get(at) else { continue };
        if known.as_ref().is_none_or(|(known, _)| *known != at) {
            known = Some((at, game.record()));
        }
        if !known.as_ref().is_some_and(|(_, record)| is_open(record, field)) {
            matched.held += 1;
            continue;
        }
        candidates.sort_unstable();
        let step = || step(scan.entries, game.name());
        let rows = taken(&candidates, field, size, &step, &mut matched.unusable)?;
        matched.rows.extend(rows.into_iter().map(|(candidate, bytes)| Row {
            game_id: game.id().to_owned(),
            name: game.name().to_owned(),
            platform: game.platform().to_owned(),
            field: field.to_owned(),
            path: candidate.path.clone(),
            program: Program::ALL[candidate.program],
            bytes,
        }));
    }
    Ok(matched)
}

/// The first usable file of a field; of a list every one that was recognised as well as the first.
fn taken<'a>(
    candidates: &'a [Candidate],
    field: &str,
    size: &Size<'_>,
    step: &dyn Fn() -> Result<(), Failure>,
    unusable: &mut usize,
) -> Result<Vec<(&'a Candidate, u64)>, Failure> {
    let most = if is_list(field) { limits::SCREENSHOTS } else { 1 };
    let mut rows: Vec<(&Candidate, u64)> = Vec::new();
    for candidate in candidates {
        let is_next = rows.first().is_none_or(|(first, _)| {
            (first.tier, first.program) == (candidate.tier, candidate.program)
        });
        if rows.len() == most || !is_next {
            break;
        }
        step()?;
        match size(&candidate.path, field) {
            Some(bytes) => rows.push((candidate, bytes)),
            None => *unusable += 1,
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use serde_json::{Value, json};

    use super::*;

    fn games(rows: Value) -> Games {
        let rows: Vec<Record> = serde_json::from_value(rows).expect("records");
        Games::from_games(rows.iter().map(Game::seal))
    }

    fn scan(paths: &[&str]) -> Scan {
        let mut scan = Scan::default();
        for path in paths {
            match local_layouts::tell(path) {
                Some(told) => drop(scan.told.insert((*path).to_owned(), told)),
                None => drop(scan.others.insert((*path).to_owned())),
            }
        }
        scan
    }

    fn rows(games: &Games, paths: &[&str]) -> (Vec<(String, String, String)>, Matched) {
        let size = |path: &str, _: &str| (!path.contains("huge")).then_some(1);
        let matched = find(games, &scan(paths), &size, &|_, _| Ok(())).expect("to the end");
        let row = |row: &Row| (row.game_id.clone(), row.field.clone(), row.path.clone());
        (matched.rows.iter().map(row).collect(), matched)
    }

    /// The game that one file is for.
    #[track_caller]
    fn check(path: &str, expected: &[&str]) {
        let games = games(json!([
            {"game_id": "alpha", "name": "Alpha: Quest", "platform": "SNES", "path": "/r/snes/Alpha Quest (USA).sfc"},
            {"game_id": "beta", "name": "Beta's & Co", "platform": "SNES", "path": "/r/snes/sub/beta.zip"},
            {"game_id": "beta2", "name": "Other", "platform": "SNES", "path": "/r/snes/two/beta.zip"},
            {"game_id": "genesis", "name": "Alpha: Quest", "platform": "Sega Genesis",
                "path": "/r/md/Alpha Quest (USA).md"},
            {"game_id": "twin1", "name": "Twin", "platform": "NES", "path": "/r/nes/t1.nes"},
            {"game_id": "twin2", "name": "Twin", "platform": "NES", "path": "/r/nes/t2.nes"},
            {"game_id": "folder", "name": "Vol. 2", "platform": "PC", "path": "/g/Vol. 2"},
        ]));
        let (rows, _) = rows(&games, &[path]);
        let ids: Vec<&str> = rows.iter().map(|(id, ..)| id.as_str()).collect();
        assert_eq!(ids, expected, "{path}");
    }

    #[test]
    fn names_mean_games_of_their_platform() {
        for (path, expected) in [
            ("/m/snes/covers/Alpha Quest (USA).png", &["alpha"][..]),
            ("/m/snes/covers/alpha quest (usa).png", &["alpha"]),
            ("/m/megadrive/covers/Alpha Quest (USA).png", &["genesis"]),
            ("/m/nes/covers/Alpha Quest (USA).png", &[]),
            ("/m/snes/covers/beta.png", &["beta", "beta2"]),
            ("/m/snes/covers/two/beta.png", &["beta2"]),
            ("/m/windows/covers/Vol. 2.png", &["folder"]),
            (
                "/l/Images/Super Nintendo Entertainment System/Box - Front/Alpha_ Quest-01.png",
                &["alpha"],
            ),
            (
                "/l/Images/Super Nintendo Entertainment System/Box - Front/Beta_s & Co-02.png",
                &["beta"],
            ),
            ("/l/Images/Sega Genesis/Box - Front/Alpha_ Quest-01.png", &["genesis"]),
            (
                "/t/Nintendo - Super Nintendo Entertainment System/Named_Boxarts/Beta's _ Co.png",
                &["beta"],
            ),
            (
                "/t/Nintendo - Super Nintendo Entertainment System/Named_Boxarts/Alpha_ Quest (Europe).png",
                &["alpha"],
            ),
            (
                "/t/Nintendo - Nintendo Entertainment System/Named_Snaps/Twin (USA).png",
                &["twin1", "twin2"],
            ),
            ("/t/Nintendo - Nintendo Entertainment System/Named_Snaps/(USA).png", &[]),
        ] {
            check(path, expected);
        }
    }

    #[test]
    fn only_open_fields_are_filled_and_the_best_file_counts() {
        let games = games(json!([
            {"game_id": "a", "name": "A", "platform": "SNES", "path": "/r/snes/a.sfc"},
            {"game_id": "b", "name": "B", "platform": "SNES", "path": "/r/snes/b.sfc", "cover": "/mine.png"},
        ]));
        let snes = "/l/Images/Super Nintendo Entertainment System";
        let front = format!("{snes}/Box - Front");
        let paths = [
            "/m/snes/covers/b.png".to_owned(),
            "/m/snes/covers/none.png".to_owned(),
            "/m/loose.png".to_owned(),
            format!("{snes}/Box - Front - Reconstructed/A-01.png"),
            format!("{front}/A-01 huge.png"),
            format!("{front}/A-02.png"),
            format!("{front}/A-03.png"),
            format!("{snes}/Screenshot - Gameplay/A-02.png"),
            format!("{snes}/Screenshot - Gameplay/A-01.png"),
        ];
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let (found, matched) = rows(&games, &paths);
        let shown: Vec<&str> = found.iter().map(|(_, _, path)| &path[snes.len()..]).collect();
        let shots = ["/Screenshot - Gameplay/A-01.png", "/Screenshot - Gameplay/A-02.png"];
        assert_eq!(shown, ["/Box - Front/A-02.png", shots[0], shots[1]]);
        let rest: Vec<&str> = matched.unclaimed.iter().map(String::as_str).collect();
        let odd = format!("{front}/A-01 huge.png");
        assert_eq!(
            (matched.held, rest),
            (1, vec![odd.as_str(), "/m/loose.png", "/m/snes/covers/none.png"])
        );
    }

    #[test]
    fn a_step_that_fails_ends_the_search_before_the_next_file() {
        let games = games(json!([
            {"game_id": "a", "name": "A", "platform": "SNES", "path": "/r/snes/a.sfc"},
            {"game_id": "b", "name": "B", "platform": "SNES", "path": "/r/snes/b.sfc"},
        ]));
        let scan = scan(&["/m/snes/covers/a.png", "/m/snes/fanart/a.png", "/m/snes/covers/b.png"]);
        // One step is for the names, one for each file.
        for at in 0..4 {
            let (steps, sizes) = (Cell::new(0), Cell::new(0));
            let step = |_: usize, _: &str| {
                steps.set(steps.get() + 1);
                if steps.get() > at { Err(Failure::Stopped) } else { Ok(()) }
            };
            let size = |_: &str, _: &str| {
                sizes.set(sizes.get() + 1);
                Some(1)
            };
            assert_eq!(find(&games, &scan, &size, &step), Err(Failure::Stopped));
            assert_eq!(sizes.get(), usize::saturating_sub(at, 1), "stopped at step {at}");
        }
    }

    #[test]
    fn a_locked_field_stays_empty_and_a_file_that_is_too_large_is_passed_over() {
        let mut row: Record = serde_json::from_value(
            json!({"game_id": "a", "name": "A", "platform": "SNES", "path": "/r/snes/a.sfc"}),
        )
        .expect("a record");
        origins::set_lock(&mut row, "cover", true);
        let games = Games::from_games([Game::seal(&row)]);
        let (found, matched) = rows(&games, &["/m/snes/covers/a.png", "/huge/snes/fanart/a.png"]);
        assert_eq!((found.len(), matched.held, matched.unusable), (0, 1, 1));
    }
}
