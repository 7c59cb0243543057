//! Notes of a game: a list of `{ts, text}`, which older versions kept as one plain text.

use serde_json::{Value, json};

use super::record::Record;
use crate::base::Moment;

/// Turns plain-text notes of a record into the list form, with `now` as their time. Blank text is no
/// note.
pub fn migrate(record: &mut Record, now: &Moment) {
    let Some(Value::String(text)) = record.get("notes") else { return };
    let notes = match text.trim() {
        "" => json!([]),
        text => json!([{"ts": now.local_iso(), "text": text}]),
    };
    record.set("notes", notes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrates_text_once_and_leaves_lists_alone() {
        let mut record: Record = serde_json::from_value(json!({"notes": " old "})).expect("object");
        let now = Moment::from_unix(0);
        migrate(&mut record, &now);
        assert_eq!(record.get("notes"), Some(&json!([{"ts": now.local_iso(), "text": "old"}])));
        let before = record.clone();
        migrate(&mut record, &Moment::from_unix(60));
        assert_eq!(record, before);
    }

    #[test]
    fn blank_text_is_no_note() {
        let mut record: Record = serde_json::from_value(json!({"notes": " \n"})).expect("object");
        migrate(&mut record, &Moment::from_unix(0));
        assert_eq!(record.get("notes"), Some(&json!([])));
    }
}
