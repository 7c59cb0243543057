//! Notes of a game: a list of `{ts, text}`, and the plain text that older libraries kept.

use serde_json::{Value, json};

use crate::model::record::Record;

/// Turns a plain-text note into the list form, stamped with `now` (local ISO seconds).
///
/// Called by every edit of a game, so a library migrates as it is used and never at start.
pub fn migrate(record: &mut Record, now: &str) {
    let Some(Value::String(text)) = record.get("notes") else { return };
    let notes = entries_of(text, now);
    record.set("notes", notes);
}

/// The list form of a plain text; blank text is no note.
#[must_use]
pub fn entries_of(text: &str, now: &str) -> Value {
    if text.trim().is_empty() { json!([]) } else { json!([{"ts": now, "text": text.trim()}]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrates_text_once_and_leaves_lists_alone() {
        let mut record: Record = serde_json::from_value(json!({"notes": " old "})).expect("object");
        migrate(&mut record, "2026-01-01T00:00:00");
        assert_eq!(
            record.get("notes"),
            Some(&json!([{"ts": "2026-01-01T00:00:00", "text": "old"}]))
        );
        let before = record.clone();
        migrate(&mut record, "later");
        assert_eq!(record, before);
    }
}
