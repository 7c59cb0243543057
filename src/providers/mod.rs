//! Requests to providers on the web: databases of games and of pictures.
//!
//! Owns their addresses, the pace at which they are asked, how often something is tried again, and what
//! counts as an answer. A provider is a row of `table` and a translator in the module that uses it; none
//! has a loop of its own. A request goes to the hosts of its provider only, by https and into the public
//! internet, follows no redirect and ends within a second of a cancellation.
//!
//! | file | what it does |
//! |---|---|
//! | `table` | the providers |
//! | `pace` | when the next request may go to a host |
//! | `stream` | one request and its answer, piece by piece |
//! | `client` | asking a provider: address, pace, retries, checks |
//! | `download` | a large archive, loaded in as many attempts as it takes |
//! | `cache` | answers that are kept on disk for a time |
//! | `accounts` | accounts of the user at providers |
//! | `saved` | files that are written while they come |
//! | `error` | why there is no answer |

pub mod accounts;
pub mod cache;
pub mod client;
pub mod download;
pub mod error;
pub mod saved;
pub mod stream;
pub mod table;

mod pace;

pub use self::client::{Providers, Request};
pub use self::error::ProviderError;
pub use self::table::{
    ACH, ACH_API, ACH_BADGES, ACH_MEDIA, ARTGRID, ARTGRID_API, BEZELS, BEZELS_ARCHIVES, GAMEDB,
    GAMEDB_API, GAMEDB_IMAGES, GAMEDB_TOKEN, MEDIASVC, MEDIASVC_API, METADB, METADB_ARCHIVE,
    METADB_IMAGES, OPENDB, OPENDB_ARCHIVE, OPENDB_IMAGES, SCRAPER, SCRAPER_API, STORE_A,
    STORE_A_API, STORE_A_ASSETS, STORE_A_IMAGES, STORE_A_ITEMS, STORE_A_TRAILERS, STORE_D,
    STORE_D_API, STORE_D_SEARCH,
};

#[cfg(test)]
mod client_tests;
#[cfg(test)]
mod pace_tests;
