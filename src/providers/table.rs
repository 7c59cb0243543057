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

/// How often a request is sent that fails for a reason that may pass.
#[derive(Clone, Copy, Debug)]
pub struct Tries {
    /// Requests in all.
    pub most: u32,
    /// The pause behind the first one.
    pub first: Duration,
    /// Whether each further pause is twice the one before; else it is longer by the first one.
    pub is_doubled: bool,
    /// The longest pause. A host that asks for more is given up.
    pub longest: Duration,
    /// Whether a host that says it was asked too often is asked again.
    pub insists: bool,
}

impl Tries {
    /// What is usual.
    const USUAL: Self = Self {
        most: 3,
        first: Duration::from_secs(1),
        is_doubled: true,
        longest: Duration::from_secs(30),
        insists: true,
    };

    /// The pause behind a request, counted from 1.
    pub fn pause(&self, request: u32) -> Duration {
        let times = if self.is_doubled { 1 << request.saturating_sub(1).min(16) } else { request };
        self.first.saturating_mul(times)
    }
}

/// An address of a provider, below which its files or routes lie.
#[derive(Clone, Copy, Debug)]
pub struct BaseUrl {
    /// The variable of the process environment that replaces it, for mirrors and tests. No `.env` file
    /// can.
    pub variable: &'static str,
    /// The address without a slash at its end.
    pub default: &'static str,
}

/// A provider.
#[derive(Clone, Copy, Debug)]
pub struct Provider {
    /// Its name in the API.
    pub id: &'static str,
    /// Its name for users.
    pub name: &'static str,
    /// Its own page.
    pub page: &'static str,
    /// The attribution to show with its data.
    pub credit: &'static str,
    /// Domains on which its answers may name files.
    pub hosts: &'static [&'static str],
    /// Its addresses, the one of its routes first.
    pub base_urls: &'static [BaseUrl],
    /// How often each of its hosts may be asked.
    pub pace: Pace,
    /// How often something is tried.
    pub tries: Tries,
}

/// The archive of the games database.
pub const METADB_ARCHIVE: BaseUrl =
    BaseUrl { variable: "SERVICE_METADB_BASE", default: "https://gamesdb.launchbox-app.com" };
/// Its pictures.
pub const METADB_IMAGES: BaseUrl =
    BaseUrl { variable: "SERVICE_METADB_IMAGE_BASE", default: "https://images.launchbox-app.com" };

/// The games database of LaunchBox.
pub static METADB: Provider = Provider {
    id: "metadb",
    name: "LaunchBox Games Database",
    page: "https://gamesdb.launchbox-app.com",
    credit: "Game data and pictures come from the LaunchBox Games Database.",
    hosts: &["launchbox-app.com"],
    base_urls: &[METADB_ARCHIVE, METADB_IMAGES],
    pace: Pace { at_once: 4, every: Duration::from_millis(50) },
    tries: Tries::USUAL,
};

/// The routes of the artwork provider.
pub const ARTGRID_API: BaseUrl =
    BaseUrl { variable: "SERVICE_ARTGRID_BASE", default: "https://www.steamgriddb.com/api/v2" };

/// Artwork of SteamGridDB.
pub static ARTGRID: Provider = Provider {
    id: "artgrid",
    name: "SteamGridDB",
    page: "https://www.steamgriddb.com",
    credit: "Artwork comes from SteamGridDB and is the work of the authors named there.",
    hosts: &["steamgriddb.com"],
    base_urls: &[ARTGRID_API],
    pace: Pace { at_once: 1, every: Duration::from_secs(1) },
    tries: Tries {
        most: 4,
        first: Duration::from_millis(1_500),
        longest: Duration::from_mins(1),
        ..Tries::USUAL
    },
};

/// The routes of the game database.
pub const GAMEDB_API: BaseUrl =
    BaseUrl { variable: "SERVICE_GAMEDB_BASE", default: "https://api.igdb.com/v4" };
/// Where its tokens come from.
pub const GAMEDB_TOKEN: BaseUrl =
    BaseUrl { variable: "SERVICE_GAMEDB_TOKEN_BASE", default: "https://id.twitch.tv/oauth2" };
/// Its pictures, by size and name.
pub const GAMEDB_IMAGES: BaseUrl = BaseUrl {
    variable: "SERVICE_GAMEDB_IMAGE_BASE",
    default: "https://images.igdb.com/igdb/image/upload",
};

/// IGDB, the game database. Four requests a second, eight at once; with one more it wants a pause of two
/// seconds and says so in no header.
pub static GAMEDB: Provider = Provider {
    id: "gamedb",
    name: "IGDB",
    page: "https://www.igdb.com",
    credit: "Game data and pictures come from IGDB.com.",
    hosts: &["igdb.com"],
    base_urls: &[GAMEDB_API, GAMEDB_TOKEN, GAMEDB_IMAGES],
    pace: Pace { at_once: 4, every: Duration::from_millis(250) },
    tries: Tries { first: Duration::from_secs(2), ..Tries::USUAL },
};

/// The routes of the scraper provider.
pub const SCRAPER_API: BaseUrl =
    BaseUrl { variable: "SERVICE_SCRAPER_BASE", default: "https://api.screenscraper.fr/api2" };

/// ScreenScraper. A free account has one thread.
pub static SCRAPER: Provider = Provider {
    id: "scraper",
    name: "ScreenScraper",
    page: "https://www.screenscraper.fr",
    credit: "Game data and pictures come from ScreenScraper.fr.",
    hosts: &["screenscraper.fr"],
    base_urls: &[SCRAPER_API],
    pace: Pace { at_once: 1, every: Duration::from_secs(1) },
    tries: Tries { first: Duration::from_millis(1_500), is_doubled: false, ..Tries::USUAL },
};

/// The details of games of the Steam store.
pub const STORE_A_API: BaseUrl =
    BaseUrl { variable: "SERVICE_STORE_A_BASE", default: "https://store.steampowered.com/api" };
/// Its newer catalogue, which names the pictures of games.
pub const STORE_A_ITEMS: BaseUrl =
    BaseUrl { variable: "SERVICE_STORE_A_ITEMS_BASE", default: "https://api.steampowered.com" };
/// Pictures by the number of the game.
pub const STORE_A_IMAGES: BaseUrl = BaseUrl {
    variable: "SERVICE_STORE_A_IMAGE_BASE",
    default: "https://cdn.cloudflare.steamstatic.com/steam/apps",
};
/// Pictures that the newer catalogue names.
pub const STORE_A_ASSETS: BaseUrl = BaseUrl {
    variable: "SERVICE_STORE_A_ASSET_BASE",
    default: "https://shared.akamai.steamstatic.com/store_item_assets",
};
/// Trailers by their number.
pub const STORE_A_TRAILERS: BaseUrl = BaseUrl {
    variable: "SERVICE_STORE_A_TRAILER_BASE",
    default: "https://video.akamai.steamstatic.com/store_trailers",
};

/// The Steam store. About 200 requests in five minutes are answered.
pub static STORE_A: Provider = Provider {
    id: "store_a",
    name: "Steam",
    page: "https://store.steampowered.com",
    credit: "Game data and pictures come from Steam.",
    hosts: &["steamstatic.com", "steampowered.com"],
    base_urls: &[STORE_A_API, STORE_A_ITEMS, STORE_A_IMAGES, STORE_A_ASSETS, STORE_A_TRAILERS],
    pace: Pace { at_once: 2, every: Duration::from_millis(500) },
    // It counts the requests of five minutes, and another one too early restarts them.
    tries: Tries { insists: false, ..Tries::USUAL },
};

/// The products of GOG.
pub const STORE_D_API: BaseUrl =
    BaseUrl { variable: "SERVICE_STORE_D_BASE", default: "https://api.gog.com" };
/// Its search.
pub const STORE_D_SEARCH: BaseUrl =
    BaseUrl { variable: "SERVICE_STORE_D_SEARCH_BASE", default: "https://www.gog.com" };

/// The GOG store.
pub static STORE_D: Provider = Provider {
    id: "store_d",
    name: "GOG",
    page: "https://www.gog.com",
    credit: "Pictures come from GOG.com.",
    hosts: &["gog.com", "gog-statics.com"],
    base_urls: &[STORE_D_API, STORE_D_SEARCH],
    pace: Pace { at_once: 2, every: Duration::from_millis(500) },
    tries: Tries::USUAL,
};
/// The routes of the media service.
pub const MEDIASVC_API: BaseUrl =
    BaseUrl { variable: "SERVICE_MEDIASVC_BASE", default: "https://api.emumovies.com/v1" };

/// Media of EmuMovies.
pub static MEDIASVC: Provider = Provider {
    id: "mediasvc",
    name: "EmuMovies",
    page: "https://emumovies.com",
    credit: "Media come from EmuMovies.",
    hosts: &["emumovies.com"],
    base_urls: &[MEDIASVC_API],
    pace: Pace { at_once: 1, every: Duration::from_millis(500) },
    tries: Tries::USUAL,
};

/// The archives of bezels.
pub const BEZELS_ARCHIVES: BaseUrl = BaseUrl {
    variable: "SERVICE_BEZELS_BASE",
    default: "https://codeload.github.com/thebezelproject",
};

/// Bezels of The Bezel Project.
pub static BEZELS: Provider = Provider {
    id: "bezels",
    name: "The Bezel Project",
    page: "https://github.com/thebezelproject",
    credit: "Bezels come from The Bezel Project.",
    hosts: &["codeload.github.com"],
    base_urls: &[BEZELS_ARCHIVES],
    pace: Pace { at_once: 1, every: Duration::from_secs(1) },
    tries: Tries::USUAL,
};

/// The routes of the achievement provider.
pub const ACH_API: BaseUrl =
    BaseUrl { variable: "SERVICE_ACH_BASE", default: "https://retroachievements.org/API" };
/// Its pictures.
pub const ACH_MEDIA: BaseUrl =
    BaseUrl { variable: "SERVICE_ACH_MEDIA_BASE", default: "https://media.retroachievements.org" };

/// Badges of RetroAchievements: files of a wall of pictures, not computed answers.
pub static ACH_BADGES: Provider =
    Provider { pace: Pace { at_once: 4, every: Duration::from_millis(50) }, ..ACH };

/// Achievements of RetroAchievements.
pub static ACH: Provider = Provider {
    id: "ach",
    name: "RetroAchievements",
    page: "https://retroachievements.org",
    credit: "Achievements come from RetroAchievements.",
    hosts: &["retroachievements.org"],
    base_urls: &[ACH_API, ACH_MEDIA],
    pace: Pace { at_once: 1, every: Duration::from_secs(1) },
    tries: Tries::USUAL,
};

/// The archive of the database of libretro.
pub const OPENDB_ARCHIVE: BaseUrl = BaseUrl {
    variable: "SERVICE_OPENDB_BASE",
    default: "https://codeload.github.com/libretro/libretro-database",
};
/// Its pictures.
pub const OPENDB_IMAGES: BaseUrl =
    BaseUrl { variable: "SERVICE_OPENDB_IMAGE_BASE", default: "https://thumbnails.libretro.com" };

/// The database and thumbnails of libretro, which need no account.
pub static OPENDB: Provider = Provider {
    id: "opendb",
    name: "libretro database",
    page: "https://github.com/libretro/libretro-database",
    credit: "Game data come from the libretro database (CC BY-SA 4.0), pictures from its thumbnails.",
    hosts: &["codeload.github.com", "thumbnails.libretro.com"],
    base_urls: &[OPENDB_ARCHIVE, OPENDB_IMAGES],
    pace: Pace { at_once: 1, every: Duration::from_millis(200) },
    tries: Tries::USUAL,
};
