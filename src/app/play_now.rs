//! `--play`: the game of a shortcut is started, by the instance that runs already or by this one.

use std::time::Duration;

use super::deep_link;
use crate::{game::GameRef, net::local::Instance, sessions::Sessions};

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

/// Starts a game in this instance; a failure is logged, and the service goes on.
pub fn start(sessions: &Sessions, game: &str) {
    let named = deep_link::game(game);
    let named = named.as_object().and_then(GameRef::from_body);
    let started = named.map(|named| sessions.launch(&named));
    if let Some(Err(error)) = started {
        log::error!("the game {game:?} was not started: {error}");
    }
}
