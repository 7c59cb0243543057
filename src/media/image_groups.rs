//! Which image represents a game in the library view: for all games, a platform or a playlist
//! (`POST /api/image-group`). The choices are settings.

use serde_json::{Map, Value};

use crate::{
    game::{InputError, clean::refuse},
    model::{Draft, media::GROUPS},
    store::{Committed, Store},
};

/// The group that is shown where nothing was chosen.
const USUAL: &str = GROUPS[0];
/// Removes a choice.
const DEFAULT: &str = "default";
/// Characters of the name of a platform or playlist.
const NAME_CHARS: usize = 200;

/// A checked choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The group of the whole library.
    Global(&'static str),
    /// The group of one platform or playlist; none removes the choice.
    Scoped {
        /// The setting that holds the choices of this kind.
        setting: &'static str,
        /// The platform or playlist.
        name: String,
        /// The group.
        group: Option<&'static str>,
    },
}

impl Choice {
    /// Reads a choice.
    ///
    /// # Errors
    /// `Unknown image group.`, `Unknown image group scope.` or
    /// `A platform or playlist is required.`
    pub fn read(group: &str, scope: &str, name: &str) -> Result<Self, InputError> {
        let known = GROUPS.into_iter().find(|known| *known == group);
        if known.is_none() && group != DEFAULT {
            return refuse("Unknown image group.");
        }
        let setting = match scope {
            "" | "global" => return Ok(Self::Global(known.unwrap_or(USUAL))),
            "platform" => "image_group_by_platform",
            "playlist" => "image_group_by_playlist",
            _ => return refuse("Unknown image group scope."),
        };
        if name.is_empty() || name.chars().count() > NAME_CHARS {
            return refuse("A platform or playlist is required.");
        }
        Ok(Self::Scoped { setting, name: name.to_owned(), group: known })
    }

    /// Stores the choice, in one commit.
    pub fn save(self, store: &Store) -> Committed<()> {
        store.change(|draft| self.apply(draft))
    }

    fn apply(self, draft: &mut Draft) {
        let mut set = Map::new();
        match self {
            Self::Global(group) => {
                set.insert("image_group".to_owned(), group.into());
            }
            Self::Scoped { setting, name, group } => {
                let stored = draft.state().settings().get(setting).and_then(Value::as_object);
                let mut choices = stored.cloned().unwrap_or_default();
                match group {
                    Some(group) => choices.insert(name, group.into()),
                    None => choices.remove(&name),
                };
                set.insert(setting.to_owned(), choices.into());
            }
        }
        draft.merge_section("settings", set, &[]);
    }
}
