//! Which games of which dimension are to be repaired.

use std::collections::HashSet;

use serde_json::Value;

use super::rules::{Dimension, Finding};
use crate::{game::GameRef, model::State};

/// Why nothing is repaired or undone.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum FixError {
    #[error("Unknown dimension: {0}.")]
    UnknownDimension(String),
    #[error("issue_ids must be a list of game ids or \"all\".")]
    BadIds,
    #[error("No fixable issues match this selection.")]
    NothingToFix,
    #[error("Refusing to fix without a dry-run preview: pass base_token from a preview.")]
    NoPreview,
    #[error("Fix preview is stale: the library changed after the preview. Re-run the preview.")]
    Stale,
    #[error("fix_id is required.")]
    NoFixId,
    #[error("Fix not found in the journal.")]
    UnknownFix,
    #[error("Fix was already undone.")]
    AlreadyUndone,
    /// The folder, or a merge, is refused.
    #[error(transparent)]
    Input(#[from] crate::game::InputError),
}

/// The games that are to be repaired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All of them.
    All,
    /// Those that are named.
    Games(Vec<GameRef>),
}

/// The dimension with this name.
///
/// # Errors
/// [`FixError::UnknownDimension`].
pub fn read_dimension(name: &str) -> Result<Dimension, FixError> {
    Dimension::named(name).ok_or_else(|| FixError::UnknownDimension(name.to_owned()))
}

impl Selection {
    /// Reads the `issue_ids` of a request: `all`, which is also the default, or a list of positions and
    /// stable ids.
    ///
    /// # Errors
    /// [`FixError::BadIds`].
    pub fn read(ids: Option<&Value>) -> Result<Self, FixError> {
        let read = |id: &Value| GameRef::from_value(id).ok_or(FixError::BadIds);
        match ids {
            None | Some(Value::Null) => Ok(Self::All),
            Some(Value::String(all)) if all.trim() == "all" => Ok(Self::All),
            Some(Value::Array(ids)) => {
                ids.iter().map(read).collect::<Result<_, _>>().map(Self::Games)
            }
            _ => Err(FixError::BadIds),
        }
    }

    /// The findings of a dimension that are selected.
    ///
    /// # Errors
    /// [`FixError::NothingToFix`] when there is none.
    pub(super) fn of<'a>(
        &self,
        dimension: Dimension,
        findings: &'a [Finding],
        state: &State,
    ) -> Result<Vec<&'a Finding>, FixError> {
        let named: Option<HashSet<usize>> = match self {
            Self::All => None,
            Self::Games(games) => {
                Some(games.iter().filter_map(|game| Some(game.find(&state.games)?.0)).collect())
            }
        };
        let is_meant = |finding: &&Finding| {
            finding.code.dimension() == dimension
                && named.as_ref().is_none_or(|named| named.contains(&(finding.position as usize)))
        };
        let selected: Vec<&Finding> = findings.iter().filter(is_meant).collect();
        if selected.is_empty() { Err(FixError::NothingToFix) } else { Ok(selected) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_are_all_or_a_list() {
        let read = |ids: Value| Selection::read(Some(&ids));
        assert_eq!(read(json!("all")), Ok(Selection::All));
        let games = vec![GameRef::Position(1), GameRef::Id("g".to_owned())];
        assert_eq!(read(json!([1, "g"])), Ok(Selection::Games(games)));
        assert_eq!(read(json!([])), Ok(Selection::Games(Vec::new())));
        for ids in [
            json!("some"),
            json!(1),
            json!({}),
            json!([1.5]),
            json!([-1]),
            json!([true]),
            json!([""]),
        ] {
            assert_eq!(read(ids), Err(FixError::BadIds));
        }
        assert_eq!(Selection::read(None), Ok(Selection::All));
    }
}
