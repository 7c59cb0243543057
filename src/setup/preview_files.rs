//! The files of a setup preview besides its document and its decisions, and how many previews there may be.
//!
//! | file | holds |
//! |---|---|
//! | `<id>.found` | candidates in the order of reading, while the scan runs |
//! | `<id>.items`, `<id>.index` | candidates that are sorted, and where each one stands |
//! | `<id>.folders` | folders that decide the platform of what lies in them, a line each |
//!
//! An expired preview loses its candidates at once and its document a day later, so that a client learns that it
//! expired.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader},
    sync::MutexGuard,
};

use crate::{
    base::Moment,
    files::{DiskError, source::Source},
    previews::{Document, PreviewFolder},
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
/// Hours after its making for which the document of a preview stays.
const GRACE_HOURS: i64 = 48;

/// Decisions by candidate.
pub type Decisions = HashMap<String, Decision>;

/// The setup previews.
pub type PreviewFiles = PreviewFolder<Preview>;

impl Document for Preview {
    type Decision = Decision;
    type Error = SetupError;
    const EXTENSIONS: &'static [&'static str] = &["found", "items", "index", "folders"];

    fn not_found() -> SetupError {
        SetupError::NotFound
    }

    fn id(&self) -> &str {
        &self.preview_id
    }

    fn has_expired(&self, now: &Moment) -> bool {
        self.is_over(now)
    }

    fn is_forgotten(&self, now: &Moment) -> bool {
        !self.is_younger_than(GRACE_HOURS, now)
    }
}

impl PreviewFiles {
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
        self.insert(|mut all| {
            all.retain(|other| !other.is_committed && !other.is_over(now));
            if all.len() < PREVIEWS {
                return Ok((preview.clone(), None));
            }
            let has_decisions = |id: &str| self.decided(id).is_ok_and(|all| !all.is_empty());
            let abandoned = all.into_iter().filter(|other| !is_active(other));
            let abandoned = abandoned.min_by_key(|other| {
                let id = other.preview_id.clone();
                (has_decisions(&id), other.created_at.clone(), id)
            });
            let id = abandoned.ok_or(SetupError::TooMany)?.preview_id;
            Ok((preview.clone(), Some(id)))
        })
    }

    /// Appends a page of decisions; it counts as a whole or not at all.
    ///
    /// # Errors
    /// [`SetupError::Disk`].
    pub fn decide(&self, id: &str, page: &[Decision]) -> Result<(), SetupError> {
        let changing = self.hold();
        if self.append(&changing, id, page)? > DECISION_BYTES {
            self.compact(&changing, id)?;
        }
        Ok(())
    }

    /// The newest decision of each candidate.
    ///
    /// # Errors
    /// [`SetupError::Disk`].
    pub fn decisions(&self, id: &str) -> Result<Decisions, SetupError> {
        let all = self.decided(id)?;
        Ok(all.into_iter().map(|each| (each.candidate_id.clone(), each)).collect())
    }

    /// The index of a preview that was scanned; empty for any other.
    ///
    /// # Errors
    /// [`SetupError::Disk`]; [`SetupError::NotFound`] when it is damaged.
    pub fn index(&self, preview: &Preview) -> Result<Index, SetupError> {
        if !preview.is_scanned {
            return Ok(Index::default());
        }
        let bytes = self.files().read(&self.path(&preview.preview_id, "index"))?;
        Index::parse(&bytes, preview.items_bytes).ok_or(SetupError::NotFound)
    }

    /// One candidate.
    ///
    /// # Errors
    /// [`SetupError::Disk`]; [`SetupError::NotFound`] when it is damaged.
    pub fn item(&self, preview: &Preview, entry: &IndexEntry) -> Result<Item, SetupError> {
        let path = self.path(&preview.preview_id, "items");
        let bytes = self.files().read_range(&path, entry.from, entry.end())?;
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
        self.files().replace(&self.path(id, "folders"), &text)?;
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
        let source: Source = self.files().open(&path).map_err(SetupError::Disk)?;
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

    fn compact(&self, changing: &MutexGuard<'_, ()>, id: &str) -> Result<(), SetupError> {
        let newest: Vec<Decision> = self.decisions(id)?.into_values().collect();
        Ok(self.replace_decisions(changing, id, &newest)?)
    }
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
        files::Files,
        scan::systems::FolderChoices,
        setup::decision::{Action, Choice},
    };

    struct Room {
        _folder: tempfile::TempDir,
        files: PreviewFiles,
        now: Moment,
        /// Whether the job of every preview runs.
        is_busy: Cell<bool>,
    }

    impl Room {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let files = PreviewFiles::new(Files::system(), folder.path().join("previews"));
            Self {
                _folder: folder,
                files,
                now: Moment::from_unix(1_795_280_400),
                is_busy: Cell::new(false),
            }
        }

        fn add(&self, number: usize) -> Result<Preview, SetupError> {
            let id = format!("{number:032x}");
            let preview =
                Preview::new(id, "b".repeat(32), &[], &Map::new(), FolderChoices::new(), &self.now);
            self.files.add(&preview, &self.now, |_| self.is_busy.get()).map(|()| preview)
        }

        fn is_there(&self, preview: &Preview) -> bool {
            self.files.find(&preview.preview_id).is_ok()
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
        room.files.update(&all[0].preview_id, |one| one.is_committed = true).expect("changed");
        room.add(99).expect("a committed one does not count");
        assert!(matches!(room.add(100), Err(SetupError::TooMany)));
        room.files.discard(&all[1].preview_id).expect("discarded");
        room.add(100).expect("there is room");
        let past = |one: &mut Preview| "2001-01-01T00:00:00Z".clone_into(&mut one.expires_at);
        room.files.update(&all[2].preview_id, past).expect("changed");
        room.add(101).expect("one that is over does not count");
    }

    #[test]
    fn the_oldest_abandoned_one_makes_room() {
        let room = Room::new();
        let all: Vec<_> = (0..PREVIEWS).map(|at| room.add(at).expect("added")).collect();
        room.files.decide(&all[0].preview_id, &[skip("a")]).expect("decided");
        let early = |one: &mut Preview| "2001-01-01T00:00:00Z".clone_into(&mut one.created_at);
        room.files.update(&all[7].preview_id, early).expect("changed");
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
        assert_eq!(room.files.find(&preview.preview_id).expect("found"), preview);
        for id in ["", "7", "../x", &"g".repeat(32), &"0".repeat(32), &"\u{e9}".repeat(16)] {
            assert!(matches!(room.files.find(id), Err(SetupError::NotFound)), "{id}");
        }
        fs::write(room.files.path(&preview.preview_id, "json"), b"{}").expect("written");
        assert!(matches!(room.files.find(&preview.preview_id), Err(SetupError::NotFound)));
    }

    #[test]
    fn what_is_over_goes_in_two_steps() {
        let room = Room::new();
        let preview = room.add(7).expect("added");
        let id = preview.preview_id.as_str();
        room.files.decide(id, &[skip("a")]).expect("decided");
        let orphan = room.files.path(&"e".repeat(32), "items");
        fs::write(&orphan, b"x").expect("written");
        let at = |hours: i64| Moment::from_unix(room.now.unix_seconds() + hours * 3_600);
        let prune = |hours, active| room.files.prune(&at(hours), |_| active).expect("pruned");
        prune(23, false);
        assert!(!orphan.exists(), "what belongs to nothing is removed");
        assert_eq!(room.files.decisions(id).expect("read").len(), 1);
        prune(25, true);
        assert_eq!(room.files.decisions(id).expect("read").len(), 1, "a job runs");
        prune(25, false);
        assert_eq!(room.files.decisions(id).expect("read").len(), 0);
        assert!(room.files.find(id).expect("still told").is_over(&at(25)));
        prune(49, false);
        assert!(matches!(room.files.find(id), Err(SetupError::NotFound)));
    }

    #[test]
    fn the_newest_decision_counts() {
        let room = Room::new();
        let id = room.add(7).expect("added").preview_id;
        room.files.decide(&id, &[skip("a"), skip("b")]).expect("decided");
        let import = Decision { action: Action::Import, ..skip("a") };
        room.files.decide(&id, std::slice::from_ref(&import)).expect("decided");
        let found = room.files.decisions(&id).expect("read");
        assert_eq!((&found["a"], &found["b"]), (&import, &skip("b")));
        room.files.compact(&room.files.hold(), &id).expect("rewritten");
        assert_eq!(room.files.decisions(&id).expect("read"), found);
    }

    proptest! {
        /// A crash in the middle of a page leaves the pages before it, whole, and none of its own.
        #[test]
        fn a_torn_page_is_none(pages in 1_usize..6, cut in 0.0_f64..1.0) {
            let room = Room::new();
            let id = room.add(7).expect("added").preview_id;
            for page in 0..pages {
                let all: Vec<_> = (0..5).map(|at| skip(&format!("{page}-{at}"))).collect();
                room.files.decide(&id, &all).expect("decided");
            }
            let path = room.files.path(&id, "decisions");
            let len = fs::metadata(&path).expect("there").len();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a small file")]
            let at = (len as f64 * cut) as u64;
            fs::File::options().write(true).open(&path).expect("open").set_len(at).expect("cut");
            let left = room.files.decisions(&id).expect("read").len();
            prop_assert_eq!(left % 5, 0);
            room.files.decide(&id, &[skip("new")]).expect("decided");
            prop_assert_eq!(room.files.decisions(&id).expect("read").len(), left + 1);
            let mut file = fs::File::options().append(true).open(&path).expect("open");
            file.write_all(b"[{\"cand").expect("torn");
            prop_assert_eq!(room.files.decisions(&id).expect("read").len(), left + 1);
        }
    }
}
