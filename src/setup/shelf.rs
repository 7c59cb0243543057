//! The files of all previews in one private folder: made, found, changed, bounded and expired.
//!
//! | file | holds |
//! |---|---|
//! | `<id>.json` | the document; a preview is there when this file is |
//! | `<id>.found` | candidates in the order of reading, while the scan runs |
//! | `<id>.items`, `<id>.index` | candidates that are sorted, and where each one stands |
//! | `<id>.folders` | folders that decide the platform of what lies in them, a line each |
//! | `<id>.decisions` | pages of decisions in the order of their arrival, a line each |
//!
//! A line that a crash tore is not a page of decisions. An expired preview loses its candidates at once and its
//! document a day later, so that a client learns that it expired.

use std::{
    collections::{BTreeSet, HashMap},
    io::{BufRead as _, BufReader},
    path::PathBuf,
    sync::Mutex,
};

use crate::{
    base::{Hold as _, Moment},
    files::{DiskError, Files, source::Source},
};

use super::{
    classify::Item,
    decision::Decision,
    error::SetupError,
    items::{Index, IndexEntry},
    preview::Preview,
    systems::FolderRow,
};

/// Previews at one time.
pub const PREVIEWS: usize = 10;
/// Bytes of decisions after which only the newest of each candidate are kept.
const DECISION_BYTES: u64 = 8 * 1024 * 1024;
/// Characters of an id.
const ID_CHARS: usize = 32;
/// Hours after its making for which the document of a preview stays.
const GRACE_HOURS: i64 = 48;
/// The extensions of all files but the document.
const BESIDE: [&str; 5] = ["found", "items", "index", "folders", "decisions"];

/// Decisions by candidate.
pub type Decisions = HashMap<String, Decision>;

/// The folder.
pub struct Shelf {
    files: Files,
    folder: PathBuf,
    /// Held while documents or decisions change.
    order: Mutex<()>,
}

impl Shelf {
    /// The previews in a folder, which is made with the first of them.
    pub fn new(files: Files, folder: PathBuf) -> Self {
        Self { files, folder, order: Mutex::new(()) }
    }

    /// Disk access.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// The file of a preview with an extension.
    pub fn path(&self, id: &str, ending: &str) -> PathBuf {
        self.folder.join(format!("{id}.{ending}"))
    }

    /// Puts a new preview there. Where there are too many, an abandoned one is discarded: the oldest
    /// without a job that runs, among those without decisions if there are such. Those that are
    /// committed or over do not count.
    ///
    /// # Errors
    /// [`SetupError::TooMany`] when the jobs of all of them run; [`SetupError::Disk`].
    pub fn add(
        &self,
        preview: &Preview,
        now: &Moment,
        is_active: impl Fn(&Preview) -> bool,
    ) -> Result<(), SetupError> {
        let _order = self.order.hold();
        let mut all = self.all()?;
        all.retain(|other| !other.is_committed && !other.is_over(now));
        if all.len() >= PREVIEWS {
            let has_decisions = |id: &str| self.decisions(id).is_ok_and(|all| !all.is_empty());
            let abandoned = all.iter().filter(|other| !is_active(other)).min_by_key(|other| {
                (has_decisions(&other.preview_id), &other.created_at, &other.preview_id)
            });
            let id = &abandoned.ok_or(SetupError::TooMany)?.preview_id;
            self.files.remove(&self.path(id, "json"))?;
            self.clear(id)?;
        }
        self.files.private_dir(&self.folder)?;
        self.save(preview)
    }

    /// The preview with an id.
    ///
    /// # Errors
    /// [`SetupError::NotFound`], [`SetupError::Disk`].
    pub fn find(&self, id: &str) -> Result<Preview, SetupError> {
        if id.len() != ID_CHARS || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(SetupError::NotFound);
        }
        let path = self.path(id, "json");
        let bytes = match self.files.read(&path) {
            Err(error) if error.is_missing() => return Err(SetupError::NotFound),
            other => other?,
        };
        let preview = serde_json::from_slice::<Preview>(&bytes);
        let preview = preview.inspect_err(|error| log::warn!("{}: {error}", path.display()));
        preview.ok().filter(|preview| preview.preview_id == id).ok_or(SetupError::NotFound)
    }

    /// Changes the document of a preview and returns it.
    ///
    /// # Errors
    /// As [`Shelf::find`]; nothing has changed then.
    pub fn update(
        &self,
        id: &str,
        change: impl FnOnce(&mut Preview),
    ) -> Result<Preview, SetupError> {
        let _order = self.order.hold();
        let mut preview = self.find(id)?;
        change(&mut preview);
        self.save(&preview)?;
        Ok(preview)
    }

    /// Removes a preview with everything it has.
    ///
    /// # Errors
    /// [`SetupError::Disk`]; without its document it is gone all the same.
    pub fn discard(&self, id: &str) -> Result<(), SetupError> {
        let _order = self.order.hold();
        self.files.remove(&self.path(id, "json"))?;
        Ok(self.clear(id)?)
    }

    /// Removes expired previews and leftovers of removed ones. `is_active` returns whether the job of a preview runs.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn prune(
        &self,
        now: &Moment,
        is_active: impl Fn(&Preview) -> bool,
    ) -> Result<(), DiskError> {
        let _order = self.order.hold();
        let names = self.files.list(&self.folder)?;
        let id = |name: &String| name.trim_start_matches('.').get(..ID_CHARS).map(str::to_owned);
        let ids: BTreeSet<String> = names.iter().filter_map(id).collect();
        for id in ids {
            let found = self.find(&id);
            if found.as_ref().is_ok_and(|preview| !preview.is_over(now) || is_active(preview)) {
                continue;
            }
            if found.is_ok_and(|preview| preview.is_younger_than(GRACE_HOURS, now)) {
                self.clear(&id)?;
            } else {
                self.clear(&id)?;
                self.files.remove(&self.path(&id, "json"))?;
            }
        }
        Ok(())
    }

    /// Appends a page of decisions; it counts as a whole or not at all.
    ///
    /// # Errors
    /// [`SetupError::Disk`].
    pub fn decide(&self, id: &str, page: &[Decision]) -> Result<(), SetupError> {
        let _order = self.order.hold();
        let path = self.path(id, "decisions");
        let mut file = self.files.append_or_create(&path)?;
        let len = file.len()?;
        let whole = whole_lines(&self.read_decisions(id)?, len);
        if whole < len {
            file.truncate(whole)?;
        }
        // OK because decisions are plain structs with text keys.
        let mut line = serde_json::to_vec(page).unwrap_or_default();
        line.push(b'\n');
        file.append(&line)?;
        file.sync()?;
        if file.len()? > DECISION_BYTES {
            self.compact(id)?;
        }
        Ok(())
    }

    /// The newest decision of each candidate.
    ///
    /// # Errors
    /// [`SetupError::Disk`].
    pub fn decisions(&self, id: &str) -> Result<Decisions, SetupError> {
        let bytes = self.read_decisions(id)?;
        let whole = whole_lines(&bytes, bytes.len() as u64);
        // OK because the length came from the bytes themselves.
        let whole = &bytes[..usize::try_from(whole).unwrap_or(0)];
        let mut decisions = Decisions::new();
        for line in whole.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let page: Vec<Decision> = match serde_json::from_slice(line) {
                Ok(page) => page,
                Err(error) => {
                    log::warn!("a page of decisions is damaged and left out: {error}");
                    continue;
                }
            };
            decisions.extend(page.into_iter().map(|each| (each.candidate_id.clone(), each)));
        }
        Ok(decisions)
    }

    /// The index of a preview that was scanned; empty for any other.
    ///
    /// # Errors
    /// [`SetupError::Disk`]; [`SetupError::NotFound`] when it is damaged.
    pub fn index(&self, preview: &Preview) -> Result<Index, SetupError> {
        if !preview.is_scanned {
            return Ok(Index::default());
        }
        let bytes = self.files.read(&self.path(&preview.preview_id, "index"))?;
        Index::parse(&bytes, preview.items_bytes).ok_or(SetupError::NotFound)
    }

    /// One candidate.
    ///
    /// # Errors
    /// [`SetupError::Disk`]; [`SetupError::NotFound`] when it is damaged.
    pub fn item(&self, preview: &Preview, entry: &IndexEntry) -> Result<Item, SetupError> {
        let path = self.path(&preview.preview_id, "items");
        let bytes = self.files.read_range(&path, entry.from, entry.end())?;
        serde_json::from_slice(&bytes).map_err(|_| SetupError::NotFound)
    }

    /// Writes the folders of a preview; returns how many bytes they take.
    ///
    /// # Errors
    /// [`SetupError::Disk`].
    pub fn write_folders(&self, id: &str, folders: &[FolderRow]) -> Result<u64, SetupError> {
        let mut text = Vec::new();
        for folder in folders {
            // OK because folders are plain structs with text keys.
            serde_json::to_writer(&mut text, folder).unwrap_or_default();
            text.push(b'\n');
        }
        self.files.replace(&self.path(id, "folders"), &text)?;
        Ok(text.len() as u64)
    }

    /// Some folders of a preview, from the one at `offset`.
    ///
    /// # Errors
    /// [`SetupError::Disk`]; [`SetupError::NotFound`] when they are damaged.
    pub fn folders(
        &self,
        preview: &Preview,
        offset: usize,
        limit: usize,
    ) -> Result<Vec<FolderRow>, SetupError> {
        let (mut folders, mut at) = (Vec::new(), 0);
        self.each_line(&preview.preview_id, "folders", preview.folders_bytes, |line| {
            if (offset..offset + limit).contains(&at) {
                folders.push(serde_json::from_slice(line).map_err(|_| SetupError::NotFound)?);
            }
            at += 1;
            Ok::<_, SetupError>(())
        })?;
        Ok(folders)
    }

    /// Reads the lines of a file of a preview one by one, at most `bytes` of it.
    ///
    /// # Errors
    /// Those of `take`, and [`SetupError::Disk`] as a failure of its own.
    pub fn each_line<E: From<SetupError>>(
        &self,
        id: &str,
        ending: &str,
        bytes: u64,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let path = self.path(id, ending);
        let source: Source = self.files.open(&path).map_err(SetupError::Disk)?;
        let mut reader = BufReader::with_capacity(256 * 1024, source);
        let (mut line, mut read) = (Vec::new(), 0_u64);
        while read < bytes {
            line.clear();
            let taken = reader.read_until(b'\n', &mut line);
            let taken =
                taken.map_err(|error| SetupError::Disk(DiskError::at("read", &path)(error)))?;
            if taken == 0 {
                break;
            }
            read += taken as u64;
            take(line.strip_suffix(b"\n").unwrap_or(&line))?;
        }
        Ok(())
    }

    fn all(&self) -> Result<Vec<Preview>, SetupError> {
        let names = self.files.list(&self.folder)?;
        let ids = names.iter().filter_map(|name| name.strip_suffix(".json"));
        Ok(ids.filter_map(|id| self.find(id).ok()).collect())
    }

    fn save(&self, preview: &Preview) -> Result<(), SetupError> {
        // OK because a plain struct with text keys is always written.
        let text = serde_json::to_vec(preview).unwrap_or_default();
        Ok(self.files.replace(&self.path(&preview.preview_id, "json"), &text)?)
    }

    fn clear(&self, id: &str) -> Result<(), DiskError> {
        for ending in BESIDE {
            self.files.remove(&self.path(id, ending))?;
        }
        self.files.clear_leftovers(&self.folder, id)
    }

    fn read_decisions(&self, id: &str) -> Result<Vec<u8>, DiskError> {
        match self.files.read(&self.path(id, "decisions")) {
            Err(error) if error.is_missing() => Ok(Vec::new()),
            other => other,
        }
    }

    fn compact(&self, id: &str) -> Result<(), SetupError> {
        let newest: Vec<Decision> = self.decisions(id)?.into_values().collect();
        let mut text = serde_json::to_vec(&newest).unwrap_or_default();
        text.push(b'\n');
        Ok(self.files.replace(&self.path(id, "decisions"), &text)?)
    }
}

/// How many bytes of a file of lines are whole lines.
fn whole_lines(bytes: &[u8], len: u64) -> u64 {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at as u64 + 1);
    end.min(len)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test damages files on purpose")]
mod tests {
    use std::cell::Cell;

    use std::{fs, io::Write as _};

    use proptest::prelude::*;
    use serde_json::Map;

    use super::*;
    use crate::{
        scan::systems::FolderChoices,
        setup::decision::{Action, Choice},
    };

    struct Room {
        _folder: tempfile::TempDir,
        shelf: Shelf,
        now: Moment,
        /// Whether the job of every preview runs.
        is_busy: Cell<bool>,
    }

    impl Room {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let shelf = Shelf::new(Files::system(), folder.path().join("previews"));
            Self {
                _folder: folder,
                shelf,
                now: Moment::from_unix(1_795_280_400),
                is_busy: Cell::new(false),
            }
        }

        fn add(&self, number: usize) -> Result<Preview, SetupError> {
            let id = format!("{number:032x}");
            let preview =
                Preview::new(id, "b".repeat(32), &[], &Map::new(), FolderChoices::new(), &self.now);
            self.shelf.add(&preview, &self.now, |_| self.is_busy.get()).map(|()| preview)
        }

        fn is_there(&self, preview: &Preview) -> bool {
            self.shelf.find(&preview.preview_id).is_ok()
        }
    }

    fn skip(id: &str) -> Decision {
        Decision {
            candidate_id: id.to_owned(),
            action: Action::Skip,
            merge_target: String::new(),
            platform: String::new(),
            choice: Choice::default(),
        }
    }

    #[test]
    fn there_are_ten_at_a_time() {
        let room = Room::new();
        room.is_busy.set(true);
        let all: Vec<_> = (0..PREVIEWS).map(|at| room.add(at).expect("added")).collect();
        assert!(matches!(room.add(99), Err(SetupError::TooMany)));
        room.shelf.update(&all[0].preview_id, |one| one.is_committed = true).expect("changed");
        room.add(99).expect("a committed one does not count");
        assert!(matches!(room.add(100), Err(SetupError::TooMany)));
        room.shelf.discard(&all[1].preview_id).expect("discarded");
        room.add(100).expect("there is room");
        let past = |one: &mut Preview| "2001-01-01T00:00:00Z".clone_into(&mut one.expires_at);
        room.shelf.update(&all[2].preview_id, past).expect("changed");
        room.add(101).expect("one that is over does not count");
    }

    #[test]
    fn the_oldest_abandoned_one_makes_room() {
        let room = Room::new();
        let all: Vec<_> = (0..PREVIEWS).map(|at| room.add(at).expect("added")).collect();
        room.shelf.decide(&all[0].preview_id, &[skip("a")]).expect("decided");
        let early = |one: &mut Preview| "2001-01-01T00:00:00Z".clone_into(&mut one.created_at);
        room.shelf.update(&all[7].preview_id, early).expect("changed");
        room.add(99).expect("there is room");
        room.add(100).expect("there is room");
        let gone = all.iter().filter(|one| !room.is_there(one));
        let gone: Vec<_> = gone.map(|one| &one.preview_id).collect();
        assert_eq!(gone, [&all[1].preview_id, &all[7].preview_id]);
    }

    #[test]
    fn only_ids_name_previews() {
        let room = Room::new();
        let preview = room.add(7).expect("added");
        assert_eq!(room.shelf.find(&preview.preview_id).expect("found"), preview);
        for id in ["", "7", "../x", &"g".repeat(32), &"0".repeat(32), &"\u{e9}".repeat(16)] {
            assert!(matches!(room.shelf.find(id), Err(SetupError::NotFound)), "{id}");
        }
        fs::write(room.shelf.path(&preview.preview_id, "json"), b"{}").expect("written");
        assert!(matches!(room.shelf.find(&preview.preview_id), Err(SetupError::NotFound)));
    }

    #[test]
    fn what_is_over_goes_in_two_steps() {
        let room = Room::new();
        let preview = room.add(7).expect("added");
        let id = preview.preview_id.as_str();
        room.shelf.decide(id, &[skip("a")]).expect("decided");
        let orphan = room.shelf.path(&"e".repeat(32), "items");
        fs::write(&orphan, b"x").expect("written");
        let at = |hours: i64| Moment::from_unix(room.now.unix_seconds() + hours * 3_600);
        let prune = |hours, active| room.shelf.prune(&at(hours), |_| active).expect("pruned");
        prune(23, false);
        assert!(!orphan.exists(), "what belongs to nothing is removed");
        assert_eq!(room.shelf.decisions(id).expect("read").len(), 1);
        prune(25, true);
        assert_eq!(room.shelf.decisions(id).expect("read").len(), 1, "a job runs");
        prune(25, false);
        assert_eq!(room.shelf.decisions(id).expect("read").len(), 0);
        assert!(room.shelf.find(id).expect("still told").is_over(&at(25)));
        prune(49, false);
        assert!(matches!(room.shelf.find(id), Err(SetupError::NotFound)));
    }

    #[test]
    fn the_newest_decision_counts() {
        let room = Room::new();
        let id = room.add(7).expect("added").preview_id;
        room.shelf.decide(&id, &[skip("a"), skip("b")]).expect("decided");
        let import = Decision { action: Action::Import, ..skip("a") };
        room.shelf.decide(&id, std::slice::from_ref(&import)).expect("decided");
        let found = room.shelf.decisions(&id).expect("read");
        assert_eq!((&found["a"], &found["b"]), (&import, &skip("b")));
        room.shelf.compact(&id).expect("rewritten");
        assert_eq!(room.shelf.decisions(&id).expect("read"), found);
    }

    proptest! {
        /// A crash in the middle of a page leaves the pages before it, whole, and none of its own.
        #[test]
        fn a_torn_page_is_none(pages in 1_usize..6, cut in 0.0_f64..1.0) {
            let room = Room::new();
            let id = room.add(7).expect("added").preview_id;
            for page in 0..pages {
                let all: Vec<_> = (0..5).map(|at| skip(&format!("{page}-{at}"))).collect();
                room.shelf.decide(&id, &all).expect("decided");
            }
            let path = room.shelf.path(&id, "decisions");
            let len = fs::metadata(&path).expect("there").len();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a small file")]
            let at = (len as f64 * cut) as u64;
            fs::File::options().write(true).open(&path).expect("open").set_len(at).expect("cut");
            let left = room.shelf.decisions(&id).expect("read").len();
            prop_assert_eq!(left % 5, 0);
            room.shelf.decide(&id, &[skip("new")]).expect("decided");
            prop_assert_eq!(room.shelf.decisions(&id).expect("read").len(), left + 1);
            let mut file = fs::File::options().append(true).open(&path).expect("open");
            file.write_all(b"[{\"cand").expect("torn");
            prop_assert_eq!(room.shelf.decisions(&id).expect("read").len(), left + 1);
        }
    }
}
