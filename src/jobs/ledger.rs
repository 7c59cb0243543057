//! The operations on disk: `operations.json`, and one file of items for each operation.
//!
//! Every write replaces a whole file, readable by the owner only. A file that cannot be read is
//! kept under another name and reported in the log; the list starts empty then.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{document::Operation, items::Items};
use crate::{
    base::Moment,
    files::{DiskError, Files},
};

/// The version of `operations.json`.
const VERSION: u64 = 1;

/// Name and title for a type.
pub(super) type Describe<'a> = dyn Fn(&str) -> (String, String) + 'a;

/// The files of the operations.
pub(super) struct Ledger {
    files: Files,
    path: PathBuf,
    items: PathBuf,
}

impl Ledger {
    /// The ledger at these paths.
    pub(super) fn new(files: Files, path: PathBuf, items: PathBuf) -> Self {
        Self { files, path, items }
    }

    /// Reads all operations in stored order. Never fails: what cannot be read is set aside.
    /// `describe` gives name and title of an operation that has neither, by its type.
    pub(super) fn load(&self, now: &Moment, describe: &Describe<'_>) -> Vec<Operation> {
        let bytes = match self.files.read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.is_missing() => return Vec::new(),
            Err(error) => {
                log::error!("the jobs of earlier runs are not shown: {error}");
                self.set_aside(now);
                return Vec::new();
            }
        };
        let Some(rows) = read_rows(&bytes) else {
            log::error!("{} cannot be read; the list of jobs starts empty", self.path.display());
            self.set_aside(now);
            return Vec::new();
        };
        let count = rows.len();
        let operations: Vec<_> =
            rows.into_iter().filter_map(|row| read_operation(row, describe)).collect();
        if operations.len() < count {
            log::error!("{} unreadable jobs are left out", count - operations.len());
            self.keep_copy(now);
        }
        operations
    }

    fn aside(&self, now: &Moment) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        self.path.with_file_name(format!("{name}.unreadable-{}", now.utc_compact()))
    }

    fn set_aside(&self, now: &Moment) {
        if let Err(error) = self.files.rename(&self.path, &self.aside(now)) {
            log::error!("the unreadable list of jobs stays where it is: {error}");
        }
    }

    fn keep_copy(&self, now: &Moment) {
        if let Err(error) = self.files.copy(&self.path, &self.aside(now)) {
            log::error!("the unreadable jobs are lost: {error}");
        }
    }

    /// The whole file for these operations.
    pub(super) fn render(operations: &[&Operation]) -> Vec<u8> {
        // OK because operations hold text, numbers and JSON values only.
        serde_json::to_vec(&json!({"version": VERSION, "operations": operations}))
            .unwrap_or_default()
    }

    /// Replaces the file.
    pub(super) fn save(&self, bytes: &[u8]) -> Result<(), DiskError> {
        self.files.replace(&self.path, bytes)
    }

    /// The stored items of an operation; none when it has no file or that cannot be read.
    pub(super) fn items(&self, job_id: &str) -> Items {
        let stored = self.files.read(&self.item_file(job_id));
        let parsed = stored.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        parsed.unwrap_or_else(|| Items::of(job_id))
    }

    /// Replaces the file of items of an operation.
    pub(super) fn save_items(&self, items: &Items) -> Result<(), DiskError> {
        self.files.private_dir(&self.items)?;
        let bytes = serde_json::to_vec(items).unwrap_or_default();
        self.files.replace(&self.item_file(&items.job_id), &bytes)
    }

    /// Removes the file of items of an operation.
    pub(super) fn remove_items(&self, job_id: &str) -> Result<(), DiskError> {
        self.files.remove(&self.item_file(job_id))
    }

    fn item_file(&self, job_id: &str) -> PathBuf {
        self.items.join(Path::new(job_id).with_extension("json"))
    }
}

fn read_rows(bytes: &[u8]) -> Option<Vec<Value>> {
    let Value::Object(mut root) = serde_json::from_slice(bytes).ok()? else { return None };
    if root.get("version")?.as_u64()? != VERSION {
        return None;
    }
    match root.remove("operations")? {
        Value::Array(rows) => Some(rows),
        _ => None,
    }
}

/// One operation, also when another program wrote it with fewer keys.
fn read_operation(row: Value, describe: &Describe<'_>) -> Option<Operation> {
    let Value::Object(mut row) = row else { return None };
    if let Some(id) = row.remove("operation_id") {
        row.entry("job_id").or_insert(id);
    }
    let id = row.get("job_id")?.as_str()?.to_owned();
    // The id names a file.
    if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    row.retain(|_, value| !value.is_null());
    row.entry("root_job_id").or_insert_with(|| id.into());
    if let Some(Value::String(message)) = row.get("error") {
        let fault = json!({"code": "INTERNAL_ERROR", "message": message});
        row.insert("error".to_owned(), fault);
    }
    let kind = row.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let (name, title) = describe(&kind);
    fill(&mut row, "name", name);
    fill(&mut row, "title", title);
    serde_json::from_value(Value::Object(row)).ok()
}

fn fill(row: &mut Map<String, Value>, key: &str, value: String) {
    let blank = row.get(key).and_then(Value::as_str).is_none_or(str::is_empty);
    if blank {
        row.insert(key.to_owned(), value.into());
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use proptest::prelude::*;

    use super::*;
    use crate::jobs::{items::Item, machine::State};

    fn ledger(folder: &Path) -> Ledger {
        Ledger::new(Files::system(), folder.join("operations.json"), folder.join("items"))
    }

    fn damage(folder: &Path, content: &[u8]) -> Result<(), DiskError> {
        Files::system().replace(&folder.join("operations.json"), content)
    }

    fn now() -> Moment {
        Moment::from_unix(1_700_000_000)
    }

    fn described(kind: &str) -> (String, String) {
        (format!("{kind}-name"), format!("{kind}-title"))
    }

    fn operation(id: &str) -> Operation {
        Operation::new(id.into(), "saves-scan".into(), "saves.scan", "Scan".into(), &now())
    }

    #[test]
    fn operations_are_stored_for_the_owner_alone_and_read_back() {
        let dir = tempfile::tempdir().expect("a folder");
        let ledger = ledger(dir.path());
        assert!(ledger.load(&now(), &described).is_empty());
        let operations = [operation("a"), operation("b")];
        ledger.save(&Ledger::render(&operations.each_ref())).expect("saved");
        assert_eq!(ledger.load(&now(), &described), operations);
        let stat = std::fs::metadata(dir.path().join("operations.json")).expect("stat");
        assert_eq!(stat.permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_damaged_file_is_kept_and_the_list_starts_empty() {
        for content in ["", "{", "[]", "{\"version\":2,\"operations\":[]}", "{\"version\":1}"] {
            let dir = tempfile::tempdir().expect("a folder");
            damage(dir.path(), content.as_ref()).expect("written");
            assert!(ledger(dir.path()).load(&now(), &described).is_empty());
            let aside = dir.path().join("operations.json.unreadable-20231114T221320Z");
            assert_eq!(std::fs::read_to_string(aside).expect("kept"), content);
            assert!(!dir.path().join("operations.json").exists());
        }
    }

    #[test]
    fn one_unreadable_operation_does_not_hide_the_others() {
        let dir = tempfile::tempdir().expect("a folder");
        let rows = json!([
            {"job_id": "a", "type": "library.export", "state": "running", "error": "why", "total": null},
            {"job_id": "../../x", "type": "t", "state": "done"},
            {"job_id": "c", "type": "t", "state": "dreaming"},
            {"operation_id": "d", "job_id": "d", "type": "odd.kind", "state": "done"},
            7,
        ]);
        let text = json!({"version": 1, "operations": rows}).to_string();
        damage(dir.path(), text.as_ref()).expect("written");
        let loaded = ledger(dir.path()).load(&now(), &described);
        let [a, d] = &loaded[..] else { panic!("{loaded:?}") };
        assert_eq!((a.name.as_str(), a.root_job_id.as_str()), ("library.export-name", "a"));
        assert_eq!((a.state, a.unit.as_str()), (State::Running, "items"));
        assert_eq!(a.error.as_ref().map(|fault| fault.message.as_str()), Some("why"));
        assert_eq!((d.name.as_str(), d.title.as_str()), ("odd.kind-name", "odd.kind-title"));
        let copy = dir.path().join("operations.json.unreadable-20231114T221320Z");
        assert_eq!(std::fs::read_to_string(copy).expect("kept"), text);
    }

    #[test]
    fn items_live_and_die_with_their_operation() {
        let dir = tempfile::tempdir().expect("a folder");
        let ledger = ledger(dir.path());
        let mut items = Items::of("a");
        assert_eq!(ledger.items("a"), items);
        let state = "failed".to_owned();
        items.put(Item { item_id: "game-1".into(), label: "One".into(), state, error: None });
        ledger.save_items(&items).expect("saved");
        assert_eq!(ledger.items("a"), items);
        ledger.remove_items("a").expect("removed");
        assert_eq!(ledger.items("a"), Items::of("a"));
    }

    #[test]
    fn a_damaged_bit_or_a_cut_hides_no_job_without_a_copy() {
        let operations = [operation("a"), operation("b"), operation("c")];
        let whole = Ledger::render(&operations.each_ref());
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            for bytes in [&flipped[..], &whole[..at]] {
                let dir = tempfile::tempdir().expect("a folder");
                damage(dir.path(), bytes).expect("written");
                let loaded = ledger(dir.path()).load(&now(), &described);
                let copy = dir.path().join("operations.json.unreadable-20231114T221320Z");
                let copy = std::fs::read(copy).ok();
                assert!(loaded.len() == operations.len() || copy.as_deref() == Some(bytes), "{at}");
            }
        }
    }

    proptest! {
        #[test]
        fn whatever_the_file_holds_loading_ends_well(content in prop::collection::vec(any::<u8>(), 0..200)) {
            let dir = tempfile::tempdir().expect("a folder");
            damage(dir.path(), content.as_ref()).expect("written");
            prop_assert!(ledger(dir.path()).load(&now(), &described).is_empty());
        }
    }
}
