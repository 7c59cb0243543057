//! Which games have saves where emulators and storefronts keep them.
//!
//! The places are looked at again when somebody asks and the last look is older than two seconds: in a
//! thread, because a home folder may lie on a drive that does not answer. A look that takes long is waited
//! for briefly, and what was found before counts until it ends.

use std::{
    collections::HashSet,
    fmt,
    path::Path,
    sync::{Arc, Mutex, OnceLock},
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, TryRecvError, bounded};

use crate::{
    base::{Hold as _, text::fold, thread_named},
    platforms,
};

/// How old a look may be.
const AGE: Duration = Duration::from_secs(2);
/// How long a look is waited for.
const PATIENCE: Duration = Duration::from_millis(300);

/// What a look found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundSaves {
    /// Keys of files that are named like their game, see [`key_of`].
    pub titles: HashSet<String>,
    /// Names of platforms whose emulators keep the saves of all games in a folder that exists.
    pub platforms: HashSet<String>,
    /// Ids of games of the first store that keep saves in its cloud folder.
    pub store_ids: HashSet<String>,
}

/// What a game is looked for by.
#[derive(Clone, Copy, Debug, Default)]
pub struct SaveKeys<'a> {
    /// Its title.
    pub name: &'a str,
    /// The file that is played.
    pub path: &'a str,
    /// Its platform.
    pub platform: &'a str,
    /// Its id at the first store; empty without one.
    pub store_id: &'a str,
}

impl FoundSaves {
    /// Whether a game has saves.
    pub fn covers(&self, game: SaveKeys<'_>) -> bool {
        let has_store = || self.store_ids.contains(game.store_id.trim());
        let has_platform = || {
            let platform = platforms::by_name(game.platform);
            platform.is_some_and(|platform| self.platforms.contains(platform.name))
        };
        let has_title = || {
            let stem = Path::new(game.path).file_stem().and_then(|stem| stem.to_str());
            [game.name, stem.unwrap_or("")]
                .into_iter()
                .any(|name| self.titles.contains(&key_of(name)))
        };
        (!self.store_ids.is_empty() && has_store())
            || (!self.platforms.is_empty() && has_platform())
            || (!self.titles.is_empty() && has_title())
    }
}

/// A title or a file stem as it is compared: letters and digits alone, folded.
pub fn key_of(text: &str) -> String {
    fold(text).chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// Looks at the places once.
pub type Look = Box<dyn Fn() -> FoundSaves + Send + Sync>;

/// The last look, and how the next one is taken.
#[derive(Default)]
pub(super) struct SaveWatch {
    look: OnceLock<Arc<Look>>,
    last: Mutex<Last>,
}

#[derive(Default)]
struct Last {
    found: Arc<FoundSaves>,
    looked: Option<Instant>,
    /// A look that has not ended.
    open: Option<Receiver<FoundSaves>>,
}

impl fmt::Debug for SaveWatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SaveWatch")
    }
}

impl SaveWatch {
    /// How looks are taken; a second call changes nothing.
    pub(super) fn take_looks_with(&self, look: Look) {
        // OK because the first one stays.
        drop(self.look.set(Arc::new(look)));
    }

    /// What was found last.
    pub(super) fn found(&self) -> Arc<FoundSaves> {
        Arc::clone(&self.last.hold().found)
    }

    /// Takes a look when the last one is too old, and returns whether it found something else.
    pub(super) fn refresh(&self) -> bool {
        let Some(look) = self.look.get() else { return false };
        let mut last = self.last.hold();
        let patience = match last.open {
            None if last.looked.is_some_and(|looked| looked.elapsed() < AGE) => return false,
            None => {
                last.open = start(Arc::clone(look));
                PATIENCE
            }
            // Whoever started it has waited for it.
            Some(_) => Duration::ZERO,
        };
        let Some(open) = &last.open else { return false };
        let found = match open.try_recv() {
            Err(TryRecvError::Empty) => open.recv_timeout(patience).ok(),
            found => found.ok(),
        };
        let Some(found) = found else { return false };
        last.open = None;
        last.looked = Some(Instant::now());
        let is_new = *last.found != found;
        if is_new {
            last.found = Arc::new(found);
        }
        is_new
    }
}

fn start(look: Arc<Look>) -> Option<Receiver<FoundSaves>> {
    let (sender, receiver) = bounded(1);
    let run = move || {
        // OK because the watch may be gone by now.
        drop(sender.send(look()));
    };
    match thread_named("saves").spawn(run) {
        Ok(_) => Some(receiver),
        Err(error) => {
            log::warn!("saves are not looked for: {error}");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use crossbeam_channel::Select;

    use super::*;

    fn found(titles: &[&str], platforms: &[&str], store_ids: &[&str]) -> FoundSaves {
        let set = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        FoundSaves { titles: set(titles), platforms: set(platforms), store_ids: set(store_ids) }
    }

    #[test]
    fn a_game_is_found_by_title_file_platform_or_store() {
        let game = SaveKeys {
            name: "Chrono Trigger",
            path: "/r/Chrono Trigger (USA).sfc",
            platform: " snes ",
            store_id: "620",
        };
        for (found, expected) in [
            (found(&[], &[], &[]), false),
            (found(&["chronotrigger"], &[], &[]), true),
            (found(&["chronotriggerusa"], &[], &[]), true),
            (found(&["chrono"], &["PSP"], &["62"]), false),
            (found(&[], &["SNES"], &[]), true),
            (found(&[], &[], &["620"]), true),
        ] {
            assert_eq!(found.covers(game), expected, "{found:?}");
        }
        assert!(!found(&["a"], &["PSP"], &["1"]).covers(SaveKeys::default()));
    }

    #[test]
    fn a_look_that_hangs_is_not_waited_for_twice() {
        let (release, released) = bounded::<()>(0);
        let watch = SaveWatch::default();
        assert!(!watch.refresh(), "nothing to look with");
        watch.take_looks_with(Box::new(move || {
            // OK because an error is the release: the sender is gone.
            let _ = released.recv();
            FoundSaves { titles: HashSet::from(["a".to_owned()]), ..FoundSaves::default() }
        }));
        assert!(!watch.refresh() && !watch.refresh());
        assert!(watch.found().titles.is_empty());
        drop(release);
        let open = watch.last.hold().open.clone().expect("a look that has not ended");
        let mut end = Select::new();
        end.recv(&open);
        end.ready();
        assert!(watch.refresh());
        assert_eq!(watch.found().titles.len(), 1);
        assert!(!watch.refresh(), "it is fresh");
    }
}
