//! What the library answers: projection, queries, media, edits.

pub mod answers;
pub mod base_token;
pub mod blocks;
pub mod bulk;
pub mod card;
pub mod checkup;
pub mod clean;
pub mod collections;
pub mod dedupe;
pub mod deflate;
pub mod delete;
pub mod discovery;
pub mod documents;
pub mod duplicates;
pub mod edit;
pub mod facets;
pub mod filter_match;
pub mod filter_rules;
pub mod found_files;
pub mod image_groups;
pub mod listing;
pub mod media;
pub mod media_care;
pub mod media_roots;
pub mod mounts;
pub mod notes;
pub mod own_pictures;
pub mod packs;
pub mod path_checks;
pub mod phrase;
pub mod picture_identity;
pub mod playlists;
pub mod playtime;
pub mod presets;
pub mod probes;
pub mod progress;
pub mod projection;
pub mod queue;
pub mod reference;
pub mod related;
pub mod relink;
pub mod revert;
pub mod shelf;
pub mod slots;
pub mod survey;
pub mod tags;
pub mod thumbnails;
pub mod trash;
pub mod twins;

mod readers;

#[cfg(test)]
mod answers_tests;
#[cfg(test)]
mod clean_tests;
#[cfg(test)]
mod projection_tests;
#[cfg(test)]
mod revert_tests;
