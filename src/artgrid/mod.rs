//! The artwork provider: finding a game there, and what pictures it has (`/api/v2/artgrid/*`).
//!
//! Owns the translation of its answers, what of them is shown, and whether it may be asked. Knows no
//! game of the library.
//!
//! | file | what it does |
//! |---|---|
//! | `answers` | what its answers mean: hits, games, pictures |
//! | `client` | asking it, with kept answers |
//! | `error` | why there is no answer |

pub mod answers;
pub mod client;
pub mod error;

pub use self::client::Artgrid;
pub use self::error::ArtgridError;
