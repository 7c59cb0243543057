//! `--play`: starts the game of a shortcut, in the running instance or in this one.

use std::{io, sync::Arc, time::Duration};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use super::deep_link;
use crate::{
    api::services::{Services, Shared},
    base::{Moment, thread_named},
    game::GameRef,
    net::local::Instance,
    notices::{
        list,
        notice::{Level, Notice},
    },
    sessions::{Sessions, events::Kind},
    store::Store,
};

/// How long the program rests after the game of a shortcut before it ends too.
const REST: Duration = Duration::from_secs(5);
/// How long the other instance may take to start a game.
const PATIENCE: Duration = Duration::from_mins(1);

/// Why the other instance did not start the game.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// In its words.
    #[error("the running instance did not start the game: {0}")]
    Refused(String),
    #[error("the running instance did not answer: {0}")]
    Silent(String),
}

/// Sends the start of a game to the running instance: digits are its position, anything else is its stable id.
///
/// # Errors
/// [`AskError`].
pub fn ask(port: u16, token: &str, game: &str) -> Result<(), AskError> {
    let instance = Instance::patient(port, token.to_owned(), PATIENCE);
    let answered = instance.post("/api/launch", &deep_link::game(game));
    let (status, answer) = answered.map_err(|error| AskError::Silent(error.0))?;
    if status == 200 {
        return Ok(());
    }
    let reason = answer["error"].as_str().map_or_else(|| format!("HTTP {status}"), str::to_owned);
    Err(AskError::Refused(reason))
}

/// Calls `stop` some seconds after the games that shortcuts started have ended, once no job runs:
/// the client of a store shows a game as running until the program of its shortcut ends. A program that a client with
/// the token has used stays. Called before the game starts.
///
/// # Errors
/// When there is no thread to wait on.
pub fn end_with_game(
    services: &Arc<Services>,
    is_used: impl Fn() -> bool + Send + 'static,
    stop: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    let (sender, ends) = bounded(1);
    services.shared.sessions.on_event(Box::new(move |event| {
        if event.kind == Kind::Stopped {
            // OK because a waiting message means the same.
            let _ = sender.try_send(());
        }
    }));
    let services = Arc::clone(services);
    let wait = move || {
        let Shared { sessions, jobs, .. } = &services.shared;
        let is_busy = || sessions.count() > 0 || jobs.are_active();
        if is_over(&ends, REST, &is_used, &is_busy) {
            log::info!("the game of the shortcut has ended");
            stop();
        } else {
            log::info!("the program stays after the game of the shortcut, because it is used");
        }
    };
    thread_named("shortcut").spawn(wait).map(drop)
}

/// Waits until a session has ended and nothing was busy for a while; false when the program was used.
fn is_over(
    ends: &Receiver<()>,
    rest: Duration,
    is_used: &dyn Fn() -> bool,
    is_busy: &dyn Fn() -> bool,
) -> bool {
    if ends.recv().is_err() {
        return false;
    }
    loop {
        match ends.recv_timeout(rest) {
            Ok(()) => {}
            Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) if is_used() => return false,
            Err(RecvTimeoutError::Timeout) if is_busy() => {}
            Err(RecvTimeoutError::Timeout) => return true,
        }
    }
}

/// Starts a game in this instance, and returns whether it did. A failure is logged and becomes a notice, and
/// the service goes on.
pub fn start(sessions: &Sessions, store: &Store, game: &str) -> bool {
    let named = deep_link::game(game);
    let Some(named) = named.as_object().and_then(GameRef::from_body) else { return false };
    let Err(error) = sessions.launch(&named) else { return true };
    log::error!("the game {game:?} was not started: {error}");
    let (now, body) = (Moment::now(), error.to_string());
    let notice = Notice::new("system", Level::Error, "The game was not started", &body, &now);
    let noted = store.change(|draft| list::add(draft, notice.source("play"), &now));
    if let Err(error) = noted {
        log::error!("the notice was not saved: {error}");
    }
    false
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn the_program_ends_with_its_game_unless_it_is_used_or_busy() {
        let rest = Duration::from_millis(1);
        let (sender, ends) = bounded(1);
        sender.send(()).expect("room");
        let looks = Cell::new(0);
        let is_busy = || {
            looks.set(looks.get() + 1);
            looks.get() < 3
        };
        assert!(is_over(&ends, rest, &|| false, &is_busy));
        assert_eq!(looks.get(), 3, "it waits for what is busy");
        sender.send(()).expect("room");
        assert!(!is_over(&ends, rest, &|| true, &|| false), "it is used");
        drop(sender);
        assert!(!is_over(&ends, rest, &|| false, &|| false), "no game has ended");
    }
}
