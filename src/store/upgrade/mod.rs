//! Upgrades the sections of older library files to the version of this build.
//!
//! A pure function from sections to sections; the repairs of games stand in `repair`. Version 1 is
//! a bare list of games. Versions 2 to 5 only lack sections of later ones, so the one thing to do
//! for all of them is to fill what is missing. No key is ever dropped.

use serde_json::{Map, Value, json};

use crate::base::limits;

/// Updates sections: missing ones are filled, long lists are cut where their oldest
/// entries stand. Returns how many sections changed.
pub(super) fn upgrade(sections: &mut Map<String, Value>) -> usize {
    let mut changed = 0;
    for (key, empty) in [
        ("profiles", json!({})),
        ("history", json!([])),
        ("settings", json!({})),
        ("playlists", json!([])),
        ("queue", json!([])),
        ("notifications", json!([])),
        ("ui_state", json!({})),
        ("active_sessions", json!([])),
        ("trash", json!([])),
    ] {
        if sections.get(key).is_none_or(Value::is_null) {
            sections.insert(key.to_owned(), empty);
            changed += 1;
        }
    }
    // The notifications are kept newest first, the queue in play order. Long histories are archived.
    changed += usize::from(cut(sections, "notifications", limits::NOTIFICATIONS));
    changed += usize::from(cut(sections, "queue", limits::QUEUE_ENTRIES));
    changed
}

fn cut(sections: &mut Map<String, Value>, key: &str, limit: usize) -> bool {
    let Some(Value::Array(list)) = sections.get_mut(key) else { return false };
    if list.len() <= limit {
        return false;
    }
    list.truncate(limit);
    true
}
