//! The kiosk: a launcher that visitors may use for viewing and playing only (`/api/v2/arcade/kiosk/...`).
//!
//! While the kiosk is on and a PIN is set, a client session is locked until it entered the PIN. A client
//! session is the name that a client sends in the header `X-Service-Session`; all clients that send none
//! share one. Which sessions are unlocked is kept in memory, so every start locks them. The permissions of a locked
//! session are decided next to the routes. This keeps visitors from changing things; it does not keep out a client that
//! has the token and chooses names.
//!
//! With the family view, a locked client session does not see the whole library either.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Map, Value};

use crate::{
    base::{Hold as _, schema::schema},
    model::State,
    store::{Committed, Store},
};

use family::FamilyView;

mod family;
pub mod pin;

const ENABLED: &str = "museum_kiosk_enabled";
const HASH: &str = "museum_kiosk_pin_hash";
/// Longest name of a client session; a longer one counts as none.
const NAME_CHARS: usize = 64;
/// Client sessions that are unlocked at once; the oldest one is locked beyond this.
const UNLOCKED: usize = 64;
/// Wrong PINs in a row before the next one has to wait.
const FREE_FAILURES: u32 = 5;
/// The longest wait.
const LONGEST: Duration = Duration::from_mins(1);

schema! {
    /// `GET /api/v2/arcade/kiosk/status`, and the answer to a change of the PIN.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct KioskStatus {
        /// Whether the kiosk is on.
        pub enabled: bool,
        /// Whether a PIN is set.
        pub pin_set: bool,
    }

    /// `POST /api/v2/arcade/kiosk/verify`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct KioskVerified {
        /// Whether the PIN is the one that is set.
        pub ok: bool,
    }
}

/// Why a request about the kiosk was refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum KioskError {
    #[error("Send either a PIN or clear, not both.")]
    Both,
    #[error("The PIN must have 4 to 12 digits.")]
    Pin,
    #[error("Too many wrong PINs. Try again later.")]
    Throttled {
        /// Seconds to wait.
        retry_after: u64,
    },
}

/// A change of the kiosk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KioskChange {
    /// The PIN from now on; unchanged when `None`.
    pub pin: Option<String>,
    /// Whether the PIN is removed.
    pub clear: bool,
    /// Whether the kiosk is on from now on; unchanged when `None`.
    pub enabled: Option<bool>,
    /// Whether the client session that asks is locked afterwards instead of unlocked.
    pub lock: bool,
}

impl KioskChange {
    fn check(&self) -> Result<(), KioskError> {
        match &self.pin {
            Some(_) if self.clear => Err(KioskError::Both),
            Some(pin) if !pin::is_pin(pin) => Err(KioskError::Pin),
            _ => Ok(()),
        }
    }
}

/// Which client sessions are unlocked, how often a wrong PIN was entered, and what the locked ones see.
#[derive(Default)]
pub struct Kiosk {
    /// Taken by every request while the kiosk is on, so never held during a commit or the check of a PIN.
    unlocked: Mutex<Unlocked>,
    /// Held while a PIN is compared, so that several are not tried at once.
    throttle: Mutex<Throttle>,
    /// Held during a change, so that each sees the outcome of the one before.
    turn: Mutex<()>,
    family: FamilyView,
}

/// What a client session may do.
#[derive(Clone)]
pub enum Access {
    /// Everything.
    Full,
    /// What visitors may.
    Locked,
    /// What visitors may with the games of this state, which the family view shows.
    Family(Arc<State>),
}

#[derive(Debug, Default)]
struct Unlocked {
    /// Names of client sessions, the oldest first.
    sessions: VecDeque<String>,
    /// How many PINs were set or removed by this process.
    pins: u64,
}

impl Unlocked {
    /// Unlocks a session; whether it was locked.
    fn add(&mut self, session: &str) -> bool {
        let was_locked = !self.remove(session);
        if self.sessions.len() == UNLOCKED {
            self.sessions.pop_front();
        }
        self.sessions.push_back(session.to_owned());
        was_locked
    }

    /// Locks a session; whether it was unlocked.
    fn remove(&mut self, session: &str) -> bool {
        let before = self.sessions.len();
        self.sessions.retain(|known| known != session);
        self.sessions.len() < before
    }
}

/// Slows down a client that tries PINs.
#[derive(Debug, Default)]
struct Throttle {
    /// Wrong PINs in a row.
    failures: u32,
    /// Until when the next one has to wait.
    until: Duration,
}

impl Throttle {
    /// Whole seconds to wait at this moment, at least one; `None` when nothing is to wait for.
    fn wait(&self, now: Duration) -> Option<u64> {
        let left = self.until.checked_sub(now).filter(|left| !left.is_zero())?;
        Some(left.as_secs() + u64::from(left.subsec_nanos() > 0))
    }

    fn fail(&mut self, now: Duration) {
        self.failures = self.failures.saturating_add(1);
        if let Some(doublings) = self.failures.checked_sub(FREE_FAILURES) {
            let wait = 1_u64.checked_shl(doublings).map_or(LONGEST, Duration::from_secs);
            self.until = now + wait.min(LONGEST);
        }
    }
}

/// The name of the client session that a header gives; empty when it gives none that can be used.
pub fn session_name(header: Option<&str>) -> &str {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_name = |name: &&str| name.len() <= NAME_CHARS && name.bytes().all(is_letter);
    header.filter(is_name).unwrap_or("")
}

fn stored_hash(state: &State) -> &str {
    state.settings().get(HASH).and_then(Value::as_str).unwrap_or("")
}

/// The settings of the kiosk.
pub fn status(state: &State) -> KioskStatus {
    let enabled = state.settings().get(ENABLED) == Some(&Value::Bool(true));
    KioskStatus { enabled, pin_set: !stored_hash(state).is_empty() }
}

impl Kiosk {
    /// Whether a client session may only do what visitors may.
    fn is_locked(&self, state: &State, session: impl FnOnce() -> String) -> bool {
        let KioskStatus { enabled, pin_set } = status(state);
        enabled && pin_set && {
            let session = session();
            !self.unlocked.hold().sessions.contains(&session)
        }
    }

    /// What a client session may do. `session` returns its name, and is called only while the kiosk is on.
    pub fn access(&self, state: &Arc<State>, session: impl FnOnce() -> String) -> Access {
        if !self.is_locked(state, session) {
            return Access::Full;
        }
        self.family.of(state).map_or(Access::Locked, Access::Family)
    }

    /// Unlocks a client session without a PIN: the one that switched the kiosk on.
    pub fn unlock(&self, session: &str) {
        self.unlocked.hold().add(session);
    }

    /// `POST /api/v2/arcade/kiosk/pin`. A new PIN locks every client session but the one that set it.
    ///
    /// # Errors
    /// [`KioskError`]; nothing is changed then. Or when the library cannot be written.
    pub fn change(
        &self,
        store: &Store,
        change: &KioskChange,
        session: &str,
    ) -> Committed<KioskStatus, KioskError> {
        change.check().map_err(crate::store::CommitError::Refused)?;
        let hash = change.pin.as_deref().map(pin::hash);
        let _turn = self.turn.hold();
        // Before the commit: its own PIN never locks out the session that sets it.
        let is_new = !change.lock && self.unlocked.hold().add(session);
        let committed = store.commit(|draft| {
            let mut settings = Map::new();
            if let Some(hash) = hash.clone() {
                settings.insert(HASH.to_owned(), hash.into());
            }
            if let Some(enabled) = change.enabled {
                settings.insert(ENABLED.to_owned(), enabled.into());
            }
            let unset: &[&str] = if change.clear { &[HASH] } else { &[] };
            draft.merge_section("settings", settings, unset);
            Ok(status(draft.state()))
        });
        if committed.is_err() {
            if is_new {
                self.unlocked.hold().remove(session);
            }
            return committed;
        }
        let is_other_pin = hash.is_some() || change.clear;
        {
            let mut unlocked = self.unlocked.hold();
            if is_other_pin {
                unlocked.sessions.retain(|known| known == session);
                unlocked.pins += 1;
            }
            if change.lock {
                unlocked.remove(session);
            }
        }
        if is_other_pin {
            *self.throttle.hold() = Throttle::default();
        }
        committed
    }

    /// `POST /api/v2/arcade/kiosk/verify`: the right PIN unlocks the client session. `now` is a time
    /// that only grows.
    ///
    /// # Errors
    /// [`KioskError::Pin`] for a text that is longer than any PIN, [`KioskError::Throttled`] after
    /// several wrong ones.
    pub fn verify(
        &self,
        state: &State,
        entered: &str,
        session: &str,
        now: Duration,
    ) -> Result<KioskVerified, KioskError> {
        if entered.chars().count() > pin::DIGITS.1 {
            return Err(KioskError::Pin);
        }
        let pins = self.unlocked.hold().pins;
        let mut throttle = self.throttle.hold();
        if let Some(retry_after) = throttle.wait(now) {
            return Err(KioskError::Throttled { retry_after });
        }
        let stored = stored_hash(state);
        if stored.is_empty() || !pin::is_pin(entered) {
            return Ok(KioskVerified { ok: false });
        }
        if !pin::matches(stored, entered) {
            throttle.fail(now);
            return Ok(KioskVerified { ok: false });
        }
        *throttle = Throttle::default();
        let mut unlocked = self.unlocked.hold();
        // A PIN that was changed meanwhile unlocks nothing.
        let ok = unlocked.pins == pins;
        if ok {
            unlocked.add(session);
        }
        Ok(KioskVerified { ok })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        model::Draft,
        store::{Options, watch::Change},
    };

    fn state(settings: Value) -> State {
        let mut draft = Draft::new(State::default());
        draft.set_section("settings", settings);
        draft.finish().0
    }

    fn is_locked(kiosk: &Kiosk, state: &State, session: &str) -> bool {
        kiosk.is_locked(state, || session.to_owned())
    }

    fn locked() -> State {
        state(json!({ENABLED: true, HASH: pin::hash("4711")}))
    }

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_session_is_locked_only_while_the_kiosk_is_on_and_has_a_pin() {
        let kiosk = Kiosk::default();
        for (settings, expected) in [
            (json!({}), false),
            (json!({ENABLED: true}), false),
            (json!({ENABLED: true, HASH: ""}), false),
            (json!({ENABLED: false, HASH: "x"}), false),
            (json!({ENABLED: true, HASH: "x"}), true),
        ] {
            assert_eq!(is_locked(&kiosk, &state(settings.clone()), ""), expected, "{settings}");
        }
    }

    #[test]
    fn the_pin_unlocks_the_session_that_entered_it() {
        let (kiosk, state) = (Kiosk::default(), locked());
        let verify = |pin| kiosk.verify(&state, pin, "one", at(0));
        assert_eq!(verify("4712"), Ok(KioskVerified { ok: false }));
        assert!(is_locked(&kiosk, &state, "one"));
        assert_eq!(verify("4711"), Ok(KioskVerified { ok: true }));
        assert!(!is_locked(&kiosk, &state, "one") && is_locked(&kiosk, &state, ""));
    }

    #[test]
    fn of_several_wrong_pins_at_once_only_the_free_ones_are_compared() {
        let (kiosk, state) = (Kiosk::default(), locked());
        let compared = std::thread::scope(|scope| {
            let attempt = || kiosk.verify(&state, "4712", "one", at(0)).is_ok();
            let attempts: Vec<_> = (0..12).map(|_| scope.spawn(attempt)).collect();
            let ended = attempts.into_iter().map(|attempt| attempt.join().expect("no panic"));
            ended.filter(|is_compared| *is_compared).count()
        });
        assert_eq!(compared, FREE_FAILURES as usize);
    }

    #[test]
    fn requests_are_answered_during_a_change_and_the_check_of_a_pin() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(Options::at(folder.path())).expect("opens");
        let kiosk = Arc::new(Kiosk::default());
        kiosk.unlock("other");
        let asked = Arc::clone(&kiosk);
        let (tell, told) = std::sync::mpsc::channel();
        store.watch(Box::new(move |change: &Change| {
            let _checked = asked.throttle.hold();
            let locked = |session| is_locked(&asked, &change.after, session);
            tell.send((locked("mine"), locked("new"))).expect("somebody listens");
        }));
        let pin = Some("4711".to_owned());
        let change = KioskChange { pin, enabled: Some(true), ..KioskChange::default() };
        kiosk.change(&store, &change, "mine").expect("changed");
        assert_eq!(told.recv(), Ok((false, true)));
        let state = store.snapshot().expect("readable");
        assert!(is_locked(&kiosk, &state, "other") && !is_locked(&kiosk, &state, "mine"));
        store.close();
        kiosk.change(&store, &change, "new").expect_err("closed");
        assert!(is_locked(&kiosk, &state, "new"), "what failed unlocks nothing");
    }

    #[test]
    fn malformed_pins_are_wrong_and_long_ones_refused() {
        let (kiosk, state) = (Kiosk::default(), locked());
        for _ in 0..9 {
            assert_eq!(kiosk.verify(&state, "12a", "", at(0)), Ok(KioskVerified { ok: false }));
        }
        let long = kiosk.verify(&state, "1234567890123", "", at(0));
        assert_eq!(long, Err(KioskError::Pin));
    }

    #[test]
    fn wrong_pins_wait_longer_and_longer() {
        let mut throttle = Throttle::default();
        let mut waits = Vec::new();
        for _ in 0..13 {
            throttle.fail(at(500));
            waits.push(throttle.wait(at(500)).unwrap_or(0));
        }
        assert_eq!(waits, [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
        assert_eq!((throttle.wait(at(60_499)), throttle.wait(at(60_500))), (Some(1), None));
        throttle.failures = u32::MAX;
        throttle.fail(at(0));
        assert_eq!(throttle.wait(at(0)), Some(60));
    }

    #[test]
    fn only_a_bounded_number_of_sessions_is_unlocked() {
        let (kiosk, state) = (Kiosk::default(), locked());
        (0..=UNLOCKED).for_each(|number| kiosk.unlock(&number.to_string()));
        assert!(is_locked(&kiosk, &state, "0") && !is_locked(&kiosk, &state, "1"));
    }

    #[test]
    fn names_of_sessions_are_short_and_plain() {
        let long = "x".repeat(NAME_CHARS + 1);
        for (header, name) in [
            (None, ""),
            (Some("a-B_9"), "a-B_9"),
            (Some("a b"), ""),
            (Some(&*long), ""),
            (Some(&long[1..]), &long[1..]),
        ] {
            assert_eq!(session_name(header), name);
        }
    }
}
