//! Keeping media tidy: missing files, identical files, removing duplicates.
//!
//! A file is removed only when it is in the data directory, is reached without links, has the same
//! bytes as the one that stays, and every game that named it, also one in the trash, names that one
//! instead; the library changes first, the disk after it. Serves `/api/media/duplicates` and
//! `/api/media/cleanup`.

use std::{
    collections::{BTreeMap, HashMap},
    fs::{self, File},
    io::{self, Read},
    os::unix::fs::MetadataExt as _,
    path::Path,
};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    base::schema::schema,
    extensions::sources::MetadataCoverage,
    files::Files,
    game::{delete, trash::TrashEntry},
    model::{
        Cause, Draft, DraftError, Game, Record, Row, State,
        media::{ARTWORK, FIELDS, SPECIAL_VIDEOS},
    },
    probe::media_roots,
    store::{CommitError, Store},
};

schema! {
    "MediaGroup"
    /// Files with the same bytes.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Group {
        /// The others in the order of the library.
        pub duplicates: Vec<String>,
        /// The file that stays.
        pub keep: String,
    }

    /// What media games lack.
    #[derive(Debug, Default, PartialEq)]
    pub struct MediaAudit {
        games: u64,
        /// Games that the metadata database knows.
        matched: u64,
        /// `missing_` and a media field, with the number of games that lack it.
        #[serde(flatten)]
        missing: BTreeMap<String, u64>,
    }
}

impl MediaAudit {
    /// The same counts from the other side.
    pub fn coverage(&self) -> MetadataCoverage {
        let with = self.missing.iter().map(|(kind, missing)| {
            let kind = kind.trim_start_matches("missing_");
            (format!("with_{kind}"), self.games - missing)
        });
        #[expect(clippy::cast_precision_loss, reason = "games are few enough for a ratio")]
        let ratio = self.matched as f64 / self.games.max(1) as f64;
        MetadataCoverage {
            games: self.games,
            matched_games: self.matched,
            matched_ratio: (ratio * 10_000.0).round() / 10_000.0,
            with: with.collect(),
        }
    }
}

/// What media the games of a platform lack.
pub fn audit(state: &State, platform: &str) -> MediaAudit {
    let mut audit = MediaAudit::default();
    let mut missing = ARTWORK.map(|kind| (kind, 0_u64));
    let mut without_screenshots = 0_u64;
    for game in of_platform(state, platform) {
        let record = game.record();
        audit.games += 1;
        audit.matched += u64::from(!record.shown("metadb_id").trim().is_empty());
        for (kind, count) in &mut missing {
            *count += u64::from(!is_file(record.text(kind)));
        }
        without_screenshots += u64::from(!record.texts("screenshots").any(is_file));
    }
    let counts = missing.into_iter().chain([("screenshots", without_screenshots)]);
    audit.missing = counts.map(|(kind, count)| (format!("missing_{kind}"), count)).collect();
    audit
}

/// The games of a platform; blank and `all` mean every game.
fn of_platform<'a>(state: &'a State, platform: &'a str) -> impl Iterator<Item = &'a Game> {
    let platform = platform.trim();
    let is_all = platform.is_empty() || platform.eq_ignore_ascii_case("all");
    let games = state.games.iter().map(|game| &**game);
    games.filter(move |game| is_all || game.platform() == platform)
}

fn is_file(path: &str) -> bool {
    !path.is_empty() && fs::metadata(path).is_ok_and(|found| found.is_file())
}

/// The groups of equal files among the media of a platform. In each the first file inside the data
/// directory stays, else the first.
pub fn duplicates(state: &State, platform: &str, data_dir: &Path) -> Vec<Group> {
    let mut sizes: HashMap<u64, Vec<String>> = HashMap::new();
    let mut seen = std::collections::HashSet::new();
    for game in of_platform(state, platform) {
        for path in paths(&game.record()) {
            if !seen.insert(path.clone()) {
                continue;
            }
            if let Ok(stat) = fs::symlink_metadata(&path)
                && stat.is_file()
                && stat.len() > 0
            {
                sizes.entry(stat.len()).or_default().push(path);
            }
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    for same_size in sizes.into_values().filter(|files| files.len() > 1) {
        let mut equal: Vec<([u8; 32], Vec<String>)> = Vec::new();
        for path in same_size {
            let Ok(hash) = hash(&path) else { continue };
            match equal.iter_mut().find(|(known, _)| *known == hash) {
                Some((_, paths)) => paths.push(path),
                None => equal.push((hash, vec![path])),
            }
        }
        groups.extend(equal.into_iter().filter_map(|(_, paths)| group(paths, data_dir)));
    }
    groups.sort_by(|a, b| a.keep.cmp(&b.keep));
    groups
}

fn group(mut paths: Vec<String>, data_dir: &Path) -> Option<Group> {
    if paths.len() < 2 {
        return None;
    }
    let keep = paths.iter().position(|path| Path::new(path).starts_with(data_dir)).unwrap_or(0);
    let keep = paths.remove(keep);
    Some(Group { keep, duplicates: paths })
}

fn hash(path: &str) -> io::Result<[u8; 32]> {
    let mut file: File = media_roots::open_without_links(path)
        .map_err(|error| io::Error::other(error.to_string()))?;
    let mut hasher = Sha256::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hasher.finalize().into()),
            count => hasher.update(&piece[..count]),
        }
    }
}

/// The media files of a record. Videos with a purpose are left out: several of them may name one file.
fn paths(record: &Record) -> Vec<String> {
    let fields = FIELDS.into_iter().filter(|field| !SPECIAL_VIDEOS.contains(field));
    let single = fields.map(|field| record.text(field).to_owned());
    let all = single.chain(record.texts("screenshots").map(str::to_owned));
    all.filter(|path| !path.is_empty()).collect()
}

/// The duplicates that may be removed: inside the data directory, reached without links, and not the
/// same file on the disk as the one that stays.
fn removable(groups: &[Group], data_dir: &Path) -> Vec<(String, String)> {
    let inode = |path: &str| fs::metadata(path).map(|stat| (stat.dev(), stat.ino())).ok();
    let pairs = groups
        .iter()
        .flat_map(|group| group.duplicates.iter().map(|path| (path.clone(), group.keep.clone())));
    pairs
        .filter(|(path, keep)| delete::is_expendable(path, data_dir) && inode(path) != inode(keep))
        .collect()
}

/// The outcome of a clean-up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleanup {
    /// Groups of equal files.
    pub groups: usize,
    /// The paths that were removed, or that would be.
    pub paths: Vec<String>,
}

/// Removes the duplicate media files of a platform, `all` for every platform; without `apply` only
/// lists them: `POST /api/media/cleanup`.
///
/// # Errors
/// When the library cannot be read or changed; no file is removed then.
pub fn clean_up(
    store: &Store,
    files: &Files,
    data_dir: &Path,
    platform: &str,
    apply: bool,
) -> Result<Cleanup, CommitError<DraftError>> {
    let state = store.snapshot().map_err(CommitError::Unavailable)?;
    let groups = duplicates(&state, platform, data_dir);
    let pairs = removable(&groups, data_dir);
    let paths = if apply {
        remove(store, files, &pairs)?
    } else {
        pairs.into_iter().map(|(path, _)| path).collect()
    };
    Ok(Cleanup { groups: groups.len(), paths })
}

/// Points games to the files that stay and removes the others; the paths that were removed.
fn remove(
    store: &Store,
    files: &Files,
    pairs: &[(String, String)],
) -> Result<Vec<String>, CommitError<DraftError>> {
    let keep: HashMap<&str, &str> =
        pairs.iter().map(|(path, keep)| (path.as_str(), keep.as_str())).collect();
    store.commit(|draft| repoint(draft, &keep))?;
    let mut removed = Vec::new();
    for (path, keep) in pairs {
        // Compared once more: minutes may pass between the comparison and the removal.
        let is_same = matches!((hash(path), hash(keep)), (Ok(a), Ok(b)) if a == b);
        if !is_same {
            log::warn!("a media file stays because it has changed");
            continue;
        }
        match files.remove(Path::new(path)) {
            Ok(()) => removed.push(path.clone()),
            Err(error) => log::warn!("a media file stays: {error}"),
        }
    }
    if !removed.is_empty() {
        store.report(Cause::MediaChanged(removed.clone()));
    }
    Ok(removed)
}

fn repoint(draft: &mut Draft, keep: &HashMap<&str, &str>) -> Result<(), DraftError> {
    let names_one = |game: &&std::sync::Arc<Game>| names_any(&game.record(), keep);
    let ids: Vec<String> =
        draft.state().games.iter().filter(names_one).map(|game| game.id().to_owned()).collect();
    for id in ids {
        draft.edit_game(&id, |record| repoint_record(record, keep))?;
    }
    repoint_trash(draft, keep);
    Ok(())
}

/// A game is restored from the trash with its pictures. Rows that cannot be read stay as they are.
fn repoint_trash(draft: &mut Draft, keep: &HashMap<&str, &str>) {
    let mut rows = draft.state().section(TrashEntry::SECTION).clone();
    for row in rows.as_array_mut().into_iter().flatten() {
        let Some(Value::Object(game)) = row.get_mut("game") else { continue };
        let mut record = Record(std::mem::take(game));
        if names_any(&record, keep) {
            repoint_record(&mut record, keep);
        }
        *game = record.0;
    }
    draft.set_section(TrashEntry::SECTION, rows);
}

fn names_any(record: &Record, keep: &HashMap<&str, &str>) -> bool {
    paths(record).iter().any(|path| keep.contains_key(path.as_str()))
}

fn repoint_record(record: &mut Record, keep: &HashMap<&str, &str>) {
    for field in FIELDS {
        if let Some(kept) = keep.get(record.text(field)) {
            record.set(field, *kept);
        }
    }
    let mut shots: Vec<String> = Vec::new();
    for shot in record.texts("screenshots") {
        let shot = keep.get(shot).copied().unwrap_or(shot);
        if shots.iter().all(|known| known != shot) {
            shots.push(shot.to_owned());
        }
    }
    if !shots.is_empty() {
        record.set("screenshots", json!(shots));
    }
}
