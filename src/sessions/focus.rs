//! The windows of a game in the gaming mode of a handheld: the number that they are marked with, so that the
//! compositor gives them focus.

use std::sync::Arc;

use sha1::{Digest as _, Sha1};

use super::{clients::is_of_store_a, shared::Core};
use crate::{
    desktop::focus::Target,
    model::{Game, Record},
    process::proc_files,
    sessions::tracking::Follow,
};

/// Where the numbers of games without one of their own begin, and how many there are: no game of a store
/// has one of them.
const FIRST: u32 = 700_000_000;
const COUNT: u32 = 200_000_000;
/// The ids of stores, in the order in which they make a number.
const IDS: [&str; 3] = ["store_a_app_id", "store_b_app_id", "store_c_id"];

/// The number of a game: its own in the first storefront, else one that stays the same for it. `None` for
/// games that the client of that storefront starts, which marks them itself.
fn number_of(record: &Record) -> Option<u32> {
    if is_of_store_a(record.text("source")) {
        return None;
    }
    let own = record.shown(IDS[0]).trim().parse().ok().filter(|number| *number > 0);
    Some(own.unwrap_or_else(|| made_up(record)))
}

fn made_up(record: &Record) -> u32 {
    let ids: Vec<String> = IDS.iter().map(|key| record.shown(key).trim().to_owned()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).filter(|id| !id.is_empty()).collect();
    let (source, path, name) = (record.text("source"), record.text("path"), record.shown("name"));
    let text = format!("{source}|{}|{path}|{name}", ids.join(","));
    let digest = Sha1::digest(text.as_bytes());
    let first = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
    FIRST + first % COUNT
}

impl Core {
    /// Marks the windows of a game that was just started, where that is needed.
    pub(super) fn mark_windows(self: &Arc<Self>, launch_id: &str, game: &Game) {
        if !self.context.is_guest {
            return;
        }
        let Some(number) = number_of(&game.record()) else { return };
        let there = (Arc::clone(self), launch_id.to_owned());
        let of = (Arc::clone(self), launch_id.to_owned());
        self.focus.follow(Target {
            number,
            processes: Box::new(move || of.0.processes_of(&of.1)),
            is_there: Box::new(move || there.0.table().find(&there.1).is_some()),
        });
    }

    /// The processes of a running game: those that its own one started, and those that are followed.
    fn processes_of(&self, launch_id: &str) -> Vec<i32> {
        let mut table = self.table();
        let Some(live) = table.find(launch_id) else { return Vec::new() };
        let mut processes = proc_files::family(live.pid);
        if live.tracking.follow != Follow::Child {
            processes.extend(live.members().map(|seen| seen.pid));
        }
        processes
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn number(game: Value) -> Option<u32> {
        number_of(&serde_json::from_value(game).expect("an object"))
    }

    #[test]
    fn a_number_is_that_of_the_store_or_made_of_what_names_the_game() {
        for source in ["steam", " Steam ", "store_a"] {
            assert_eq!(number(json!({"source": source, "store_a_app_id": 440})), None);
        }
        for id in [json!(440), json!("440"), json!(" 440 ")] {
            assert_eq!(number(json!({"source": "folder", "store_a_app_id": id})), Some(440));
        }
        for id in [json!(""), json!(0), json!(-5), json!("99999999999")] {
            let number = number(json!({"name": "A", "store_a_app_id": id}));
            assert!(number.is_some_and(|number| (FIRST..FIRST + COUNT).contains(&number)), "{id}");
        }
    }

    #[test]
    fn a_made_up_number_stays_the_same() {
        for (game, digits) in [
            (json!({"source": "folder", "path": "/g/a.nes", "name": "A"}), 0x04C9_BDAB),
            (
                json!({"source": "gog", "path": "", "name": "B", "store_b_app_id": "b", "store_c_id": 5}),
                0x0B9F_606A,
            ),
            (json!({}), 0x98C4_B7D3),
        ] {
            assert_eq!(number(game.clone()), Some(700_000_000 + digits % 200_000_000), "{game}");
        }
    }
}
