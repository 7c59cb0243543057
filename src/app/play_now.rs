//! `--play`: the game of a shortcut is started, by the instance that runs already or by this one.

use std::{
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use serde_json::json;

use crate::{
    game::GameRef,
    net::{
        client::{self, Post},
        location::Location,
    },
    sessions::Sessions,
};

/// How long the other instance may take to start a game.
const PATIENCE: Duration = Duration::from_mins(1);

/// Why the other instance did not start the game.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    #[error("the running instance refused to start the game (HTTP {0})")]
    Refused(u16),
    #[error("the running instance did not answer: {0}")]
    Silent(String),
}

/// Has the instance that runs already start a game.
///
/// # Errors
/// [`AskError`].
pub fn ask(port: u16, token: &str, game_id: &str) -> Result<(), AskError> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let location = Location::parse(&format!("http://{address}/api/launch"));
    let location = location.map_err(|error| AskError::Silent(error.to_string()))?;
    let body = json!({"game_id": game_id}).to_string();
    let answered = client::post(&Post {
        location: &location,
        addresses: &[address],
        headers: &[("X-Service-Token", token), ("Content-Type", "application/json")],
        body: body.as_bytes(),
        timeout: PATIENCE,
    });
    match answered {
        Ok(answered) if answered.status == 200 => Ok(()),
        Ok(answered) => Err(AskError::Refused(answered.status)),
        Err(error) => Err(AskError::Silent(error.0)),
    }
}

/// Starts a game in this instance; a failure is logged, and the service goes on.
pub fn start(sessions: &Sessions, game_id: &str) {
    if let Err(error) = sessions.launch(&GameRef::Id(game_id.to_owned())) {
        log::error!("the game {game_id:?} was not started: {error}");
    }
}
