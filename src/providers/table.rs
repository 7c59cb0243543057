//! The providers.

use std::time::Duration;

/// How often a host of a provider may be asked.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Requests under way at once.
    pub at_once: usize,
    /// The shortest time between the starts of two.
    pub every: Duration,
}

/// An address of a provider, below which its files or routes lie.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The variable of the process environment that replaces it, for mirrors and tests. No `.env` file
    /// can.
    pub variable: &'static str,
    /// The address without a slash at its end.
    pub default: &'static str,
}

/// A provider.
#[derive(Clone, Copy, Debug)]
pub struct Provider {
    /// What it is called in the API.
    pub id: &'static str,
    /// What it is called for people.
    pub name: &'static str,
    /// Its own page.
    pub page: &'static str,
    /// What has to be shown beside what it gives.
    pub credit: &'static str,
    /// Domains on which its answers may name files.
    pub hosts: &'static [&'static str],
    /// How often each of its hosts may be asked.
    pub pace: Pace,
}

/// The archive of the games database.
pub const METADB_ARCHIVE: Place =
    Place { variable: "SERVICE_METADB_BASE", default: "https://gamesdb.launchbox-app.com" };
/// Its pictures.
pub const METADB_IMAGES: Place =
    Place { variable: "SERVICE_METADB_IMAGE_BASE", default: "https://images.launchbox-app.com" };

/// The games database of LaunchBox.
pub static METADB: Provider = Provider {
    id: "metadb",
    name: "LaunchBox Games Database",
    page: "https://gamesdb.launchbox-app.com",
    credit: "Game data and pictures come from the LaunchBox Games Database.",
    hosts: &["launchbox-app.com"],
    pace: Pace { at_once: 4, every: Duration::from_millis(50) },
};

/// The routes of the artwork provider.
pub const ARTGRID_API: Place =
    Place { variable: "SERVICE_ARTGRID_BASE", default: "https://www.steamgriddb.com/api/v2" };

/// Artwork of SteamGridDB.
pub static ARTGRID: Provider = Provider {
    id: "artgrid",
    name: "SteamGridDB",
    page: "https://www.steamgriddb.com",
    credit: "Artwork comes from SteamGridDB and is the work of the authors named there.",
    hosts: &["steamgriddb.com"],
    pace: Pace { at_once: 1, every: Duration::from_secs(1) },
};
