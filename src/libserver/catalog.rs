//! The catalogs of all stores, the library server included: reading them and selecting titles for an import.

use std::{path::Path, time::Duration};

use crossbeam_channel::{RecvTimeoutError, bounded};

use serde_json::Map;

use crate::{
    base::{Moment, text, thread_named},
    config::environment::Environment,
    imports::{Incoming, exclusions, merge},
    model::State,
    storefronts::{
        catalog::{self, Selection, Source},
        error::StorefrontError,
        title::{CatalogEntry, Title},
    },
};

use super::{config::Config, error::LibserverError, server::Server, titles};

/// How often a job that waits for the server checks whether it is stopped.
const CHECK: Duration = Duration::from_millis(200);

/// A catalog that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// The store on this machine failed.
    #[error(transparent)]
    Store(#[from] StorefrontError),
    /// The library server failed.
    #[error(transparent)]
    Server(#[from] LibserverError),
}

/// Every title of a store, installed or not. Runs the store's programs or calls the library server,
/// whose address is in the settings of `state`.
///
/// # Errors
/// [`CatalogError`].
pub fn read(
    source: Source,
    state: &State,
    environment: &Environment,
) -> Result<Vec<Title>, CatalogError> {
    let home = environment.home().unwrap_or(Path::new("/"));
    if let Some(titles) = catalog::local(source, home) {
        return Ok(titles?);
    }
    let config = Config::read(state.settings(), &Map::new(), environment)?;
    Ok(offered(&config)?)
}

/// As [`read`], for a job: while the library server is waited for, `is_stopped` tells whether to give up. The request
/// then ends by itself, in a thread of its own.
///
/// # Errors
/// [`CatalogError`]; [`LibserverError::Stopped`] when it was given up.
pub fn read_unless(
    is_stopped: &dyn Fn() -> bool,
    source: Source,
    state: &State,
    environment: &Environment,
) -> Result<Vec<Title>, CatalogError> {
    if source != Source::LibraryServer {
        return read(source, state, environment);
    }
    let config = Config::read(state.settings(), &Map::new(), environment)?;
    let (sender, answer) = bounded(1);
    // OK because the receiver may have given up by then.
    let ask = move || drop(sender.send(offered(&config)));
    let asked = thread_named("library-server").spawn(ask);
    asked.map_err(|error| LibserverError::Unreachable(text::reason(&error)))?;
    loop {
        match answer.recv_timeout(CHECK) {
            Ok(titles) => return Ok(titles?),
            Err(RecvTimeoutError::Timeout) if !is_stopped() => {}
            Err(RecvTimeoutError::Timeout) => return Err(LibserverError::Stopped.into()),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(LibserverError::Nonsense("games").into());
            }
        }
    }
}

/// Every title that the library server offers.
fn offered(config: &Config) -> Result<Vec<Title>, LibserverError> {
    let games = Server::open(config)?.games()?;
    let title = |game| titles::title(game, &config.root, &config.provider);
    Ok(games.iter().filter_map(title).collect())
}

/// The entries of `GET /api/storefront/catalog`.
///
/// # Errors
/// [`CatalogError`].
pub fn entries(
    source: Source,
    state: &State,
    environment: &Environment,
) -> Result<Vec<CatalogEntry>, CatalogError> {
    let titles = read(source, state, environment)?;
    let now = Moment::now();
    let games: Vec<Incoming> = titles.iter().map(|title| title.owned(&now)).collect();
    let excluded = exclusions::list(state);
    let ids = merge::known_ids(state, &games);
    let entry = |((title, game), id): ((Title, &Incoming), Option<String>)| {
        let is_excluded = exclusions::is_excluded(&excluded, &game.record);
        title.into_entry(id.unwrap_or_default(), is_excluded)
    };
    Ok(titles.into_iter().zip(&games).zip(ids).map(entry).collect())
}

/// The titles of a store that a selection takes, as rows for the library.
///
/// # Errors
/// [`CatalogError`].
pub fn select(
    source: Source,
    selection: &Selection,
    state: &State,
    environment: &Environment,
) -> Result<Vec<Incoming>, CatalogError> {
    let now = Moment::now();
    let titles = read(source, state, environment)?;
    let taken = titles.iter().filter(|title| selection.takes(title));
    Ok(taken.map(|title| title.owned(&now)).collect())
}
