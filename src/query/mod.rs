//! Which games: phrases, filters, collections, playlists, facets, discovery, search and bulk changes.

pub mod bulk;
pub mod card;
pub mod collections;
pub mod discovery;
pub mod facets;
pub mod filter_match;
pub mod filter_rules;
pub mod phrase;
pub mod playlists;
pub mod presets;
pub mod queue;
pub mod related;
pub mod search;
