//! Reads the name of a game's file: its title, and the tags that collections write after it.
//!
//! Pure rules. The tags are those of the preservation sets (`Title, The (USA, Europe) (En,Fr) (Rev 1)
//! (Beta 2) [b]`, `Title v1.2 (1987-05-01)(Publisher)(US)(en)[cr]`) and of the older ones with letters
//! (`Title (U) (V1.1) [!]`). Arcade sets have short names; `arcade` knows their titles.

pub mod addition;
pub mod arcade;
pub mod folder;
pub mod id;
pub mod marker;
pub mod regions;

mod tags;
mod title;
mod version;

#[cfg(test)]
mod tests;

pub use self::tags::{DumpStatus, ReleaseStatus, Tags};
pub use self::title::turn_articles;

/// Extensions of files that come with games and are never the game, in lower case.
pub const SIDECAR_EXTENSIONS: [&str; 8] = ["txt", "nfo", "diz", "jpg", "jpeg", "png", "gif", "pdf"];

/// The content of the stem of a file's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedName {
    /// The title without tags, with its article in front. Never blank unless the stem is.
    pub title: String,
    /// The tags.
    pub tags: Tags,
}

/// Reads the stem of a name: no folder, no extension.
pub fn parse(stem: &str) -> ParsedName {
    let stem = id::without(stem);
    let plain = version::of_installer(stem).map(|(title, version)| format!("{title} {version}"));
    let stem = plain.as_deref().unwrap_or(stem);
    let (tags, version) = tags::read(stem);
    let title = title::clean(stem);
    let tags = Tags { revision: tags.revision.or(version), ..tags };
    ParsedName { title, tags }
}
