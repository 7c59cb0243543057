//! Which games have saves where emulators and storefronts keep them.
//!
//! The places are scanned when the program begins to serve, and again on a request when the last scan is
//! older than two seconds: in a thread, because a home folder may lie on a drive that does not answer. A caller waits
//! for at most 300 milliseconds after a scan began; until it ends the earlier result is used. Nothing is scanned
//! without a request. A change after which games may have other saves makes the last scan count no more.

use std::{
    collections::HashSet,
    fmt,
    path::Path,
    sync::{Arc, Mutex, OnceLock},
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use crate::{
    base::{Hold as _, text::fold, thread_named},
    platforms,
};

/// How old a look may be.
const AGE: Duration = Duration::from_secs(2);
/// How long after its begin a look is waited for.
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
    /// Stable ids of games of which a file of achievements says that all were earned. Looked for with the saves.
    pub mastered: HashSet<String>,
}

/// The names by which a game is searched.
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

/// Scans the places once.
pub type SaveScan = Box<dyn Fn() -> FoundSaves + Send + Sync>;

/// Returns the time.
type Clock = Arc<dyn Fn() -> Instant + Send + Sync>;

/// The last look, and how the next one is taken.
pub(super) struct SaveWatch {
    scan: OnceLock<Arc<SaveScan>>,
    clock: Clock,
    last: Mutex<Last>,
}

#[derive(Default)]
struct Last {
    found: Arc<FoundSaves>,
    looked: Option<Instant>,
    open: Option<Open>,
    /// Whether something happened after the last look began that it may not know.
    is_stale: bool,
}

/// A look that has not ended.
struct Open {
    begun: Instant,
    /// What it found, and when.
    end: Receiver<(FoundSaves, Instant)>,
}

impl Default for SaveWatch {
    fn default() -> Self {
        Self { scan: OnceLock::new(), clock: Arc::new(Instant::now), last: Mutex::default() }
    }
}

impl fmt::Debug for SaveWatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SaveWatch")
    }
}

impl SaveWatch {
    /// How looks are taken; a second call changes nothing.
    pub(super) fn take_looks_with(&self, scan: SaveScan) {
        // OK because the first one stays.
        drop(self.scan.set(Arc::new(scan)));
    }

    /// What was found last.
    pub(super) fn found(&self) -> Arc<FoundSaves> {
        Arc::clone(&self.last.hold().found)
    }

    /// Begins the first scan and returns at once.
    pub(super) fn begin(&self) {
        let mut last = self.last.hold();
        if last.looked.is_none() && last.open.is_none() {
            last.begin(self.start());
        }
    }

    /// Has the next refresh take a look however new the last one is.
    pub(super) fn forget(&self) {
        self.last.hold().is_stale = true;
    }

    /// Takes a look when the last one is too old, and returns whether one found something else.
    pub(super) fn refresh(&self) -> bool {
        let mut last = self.last.hold();
        // It may have ended long ago, and is as old as that.
        let mut was_new = last.take(Duration::ZERO, &self.clock);
        let now = (self.clock)();
        // A look that hangs is followed by no other one, so its end is waited for.
        if let Some(open) = last.open.as_ref().filter(|_| last.is_stale) {
            let patience = patience_left(open.begun, now);
            was_new |= last.take(patience, &self.clock);
        }
        if last.open.is_none() && (last.is_stale || is_due(last.looked, now)) {
            last.begin(self.start());
        }
        let Some(open) = &last.open else { return was_new };
        let patience = patience_left(open.begun, now);
        last.take(patience, &self.clock) || was_new
    }

    fn start(&self) -> Option<Open> {
        let (scan, clock) = (Arc::clone(self.scan.get()?), Arc::clone(&self.clock));
        let begun = clock();
        let (sender, end) = bounded(1);
        let run = move || {
            let found = scan();
            // OK because the watch may be gone by now.
            drop(sender.send((found, clock())));
        };
        match thread_named("saves").spawn(run) {
            Ok(_) => Some(Open { begun, end }),
            Err(error) => {
                log::warn!("saves are not searched: {error}");
                None
            }
        }
    }
}

impl Last {
    fn begin(&mut self, look: Option<Open>) {
        self.open = look;
        self.is_stale = false;
    }

    /// Takes what the open look found, when it ends in time; whether that is something else than before.
    fn take(&mut self, patience: Duration, clock: &Clock) -> bool {
        let Some(open) = &self.open else { return false };
        let (found, ended) = match open.end.recv_timeout(patience) {
            Ok((found, ended)) => (Some(found), ended),
            Err(RecvTimeoutError::Timeout) => return false,
            // It panicked; the next one is taken when it is time to.
            Err(RecvTimeoutError::Disconnected) => (None, clock()),
        };
        (self.open, self.looked) = (None, Some(ended));
        match found.filter(|found| *found != *self.found) {
            Some(found) => self.found = Arc::new(found),
            None => return false,
        }
        true
    }
}

/// Whether another look is taken.
fn is_due(looked: Option<Instant>, now: Instant) -> bool {
    looked.is_none_or(|looked| now.saturating_duration_since(looked) >= AGE)
}

/// How long a look that began at a moment is still waited for: all who ask wait for it together.
fn patience_left(begun: Instant, now: Instant) -> Duration {
    PATIENCE.saturating_sub(now.saturating_duration_since(begun))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use crossbeam_channel::{Select, Sender};

    use super::*;

    /// Waits until the open look has ended, and leaves what it found.
    fn wait_for_end(watch: &SaveWatch) {
        let end = watch.last.hold().open.as_ref().expect("an open look").end.clone();
        let mut select = Select::new();
        select.recv(&end);
        select.ready();
    }

    /// Refreshes, and waits for as long as the look takes.
    fn refresh_to_the_end(watch: &SaveWatch) -> bool {
        let is_new = watch.refresh();
        if watch.last.hold().open.is_none() {
            return is_new;
        }
        wait_for_end(watch);
        watch.refresh() || is_new
    }

    /// A watch whose time passes when the test says so. Every look waits for a message and finds a title with the
    /// number of the look.
    struct Bench {
        watch: SaveWatch,
        now: Arc<Mutex<Instant>>,
        gate: Sender<()>,
    }

    impl Bench {
        fn new() -> Self {
            let now = Arc::new(Mutex::new(Instant::now()));
            let shown = Arc::clone(&now);
            let clock: Clock = Arc::new(move || *shown.hold());
            let watch = SaveWatch { clock, ..SaveWatch::default() };
            let (gate, opened) = bounded(8);
            let looks = AtomicUsize::new(0);
            watch.take_looks_with(Box::new(move || {
                // OK because an error is the end of the test.
                let _ = opened.recv();
                let number = looks.fetch_add(1, Ordering::Relaxed) + 1;
                found(&[&number.to_string()], &[], &[])
            }));
            Self { watch, now, gate }
        }

        fn pass(&self, time: Duration) {
            *self.now.hold() += time;
        }

        fn let_look(&self) {
            self.gate.send(()).expect("room");
        }

        /// Completes a scan if one is due; returns whether the result changed.
        fn look(&self) -> bool {
            self.let_look();
            refresh_to_the_end(&self.watch)
        }

        fn finds(&self) -> Vec<String> {
            self.watch.found().titles.iter().cloned().collect()
        }
    }

    const MOMENT: Duration = Duration::from_nanos(1);

    #[test]
    fn a_look_counts_until_it_is_as_old_as_it_may_be() {
        let bench = Bench::new();
        assert!(bench.look());
        assert_eq!(bench.finds(), ["1"]);
        bench.pass(AGE.checked_sub(MOMENT).expect("longer"));
        assert!(!bench.watch.refresh() && bench.watch.last.hold().open.is_none());
        bench.pass(MOMENT);
        assert!(bench.look());
        assert_eq!(bench.finds(), ["2"]);
    }

    #[test]
    fn after_a_change_a_look_is_taken_however_new_the_last_one_is() {
        let bench = Bench::new();
        assert!(bench.look());
        bench.watch.forget();
        assert!(bench.look());
        assert_eq!(bench.finds(), ["2"]);
        assert!(!bench.watch.refresh() && bench.watch.last.hold().open.is_none());
        // One that began before the change does not know what it brought.
        bench.pass(AGE);
        bench.watch.last.hold().begin(bench.watch.start());
        bench.watch.forget();
        bench.let_look();
        wait_for_end(&bench.watch);
        assert!(bench.look());
        assert_eq!(bench.finds(), ["4"]);
    }

    #[test]
    fn a_look_is_waited_for_until_its_patience_is_over() {
        let begun = Instant::now();
        for (passed, left) in [
            (Duration::ZERO, PATIENCE),
            (PATIENCE.checked_sub(MOMENT).expect("longer"), MOMENT),
            (PATIENCE, Duration::ZERO),
            (PATIENCE + MOMENT, Duration::ZERO),
        ] {
            assert_eq!(patience_left(begun, begun + passed), left);
        }
        let bench = Bench::new();
        bench.watch.begin();
        bench.pass(PATIENCE);
        assert!(!bench.watch.refresh(), "the look hangs, and no caller waits");
        bench.let_look();
        wait_for_end(&bench.watch);
        assert!(bench.watch.refresh());
        assert_eq!(bench.finds(), ["1"]);
    }

    #[test]
    fn the_first_look_begins_once_and_is_there_for_the_first_answer() {
        let bench = Bench::new();
        bench.watch.begin();
        bench.watch.begin();
        bench.let_look();
        wait_for_end(&bench.watch);
        assert!(bench.watch.refresh());
        bench.watch.begin();
        assert!(bench.watch.last.hold().open.is_none());
        assert_eq!(bench.finds(), ["1"]);
    }

    #[test]
    fn a_look_that_nobody_asked_for_in_time_is_followed_by_another() {
        let bench = Bench::new();
        bench.watch.begin();
        bench.let_look();
        wait_for_end(&bench.watch);
        bench.pass(AGE);
        assert!(bench.look());
        assert_eq!(bench.finds(), ["2"]);
    }

    #[test]
    fn a_look_that_panics_is_taken_again_when_it_is_time() {
        let now = Arc::new(Mutex::new(Instant::now()));
        let shown = Arc::clone(&now);
        let watch = SaveWatch { clock: Arc::new(move || *shown.hold()), ..SaveWatch::default() };
        let looks = AtomicUsize::new(0);
        watch.take_looks_with(Box::new(move || {
            if looks.fetch_add(1, Ordering::Relaxed) == 0 {
                std::panic::resume_unwind(Box::new("planned"));
            }
            found(&["a"], &[], &[])
        }));
        assert!(!refresh_to_the_end(&watch) && !watch.refresh());
        *now.hold() += AGE;
        assert!(refresh_to_the_end(&watch));
    }

    fn found(titles: &[&str], platforms: &[&str], store_ids: &[&str]) -> FoundSaves {
        let set = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let (titles, platforms, store_ids) = (set(titles), set(platforms), set(store_ids));
        FoundSaves { titles, platforms, store_ids, ..FoundSaves::default() }
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
        wait_for_end(&watch);
        assert!(watch.refresh());
        assert_eq!(watch.found().titles.len(), 1);
        assert!(!watch.refresh(), "it is fresh");
    }
}
