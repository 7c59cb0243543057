//! `--play`: the game of a shortcut is started, by the instance that runs already or by this one.

use std::time::Duration;

use super::deep_link;
use crate::{
    base::Moment,
    game::GameRef,
    net::local::Instance,
    notices::{
        list,
        notice::{Level, Notice},
    },
    sessions::Sessions,
    store::Store,
};

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

/// Has the instance that runs already start a game: digits are its position, anything else is its stable id.
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
