//! `GET` and `POST /api/tags`.

use serde_json::Value;

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{Handler, Holds, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::schema::schema,
    game::{
        GameRef,
        tags::{self, TagChange},
    },
    model::State,
};

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/tags", Handler::Read(list_tags))
        .about("tags", "Every tag with the number of its games.")
        .returns::<TagList>()
        .v1(),
    Route::post("/api/tags", Handler::Write(change_tags))
        .about("tags", "Replaces or adjusts the tags of the named games in one commit.")
        .body(&[
            required("ids", Holds::List, "Stable ids or positions of the games."),
            optional("tags", Holds::List, "The new tags, replacing all others."),
            optional("tags_add", Holds::List, "Tags to add."),
            optional("tags_remove", Holds::List, "Tags to remove."),
        ])
        .returns::<TagsChanged>()
        .v1(),
];

fn list_tags(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&TagList { tags: counted(&reader.state) })
}

schema! {
    /// A tag.
    struct TagCount {
        /// How many games carry it.
        count: usize,
        tag: String,
    }

    /// `GET /api/tags`.
    struct TagList {
        tags: Vec<TagCount>,
    }

    /// The tags of games were changed.
    struct TagsChanged {
        /// Every tag.
        tags: Vec<TagCount>,
        /// How many games were changed.
        updated: usize,
    }
}

fn counted(state: &State) -> Vec<TagCount> {
    tags::counts(state).into_iter().map(|(tag, count)| TagCount { count, tag }).collect()
}

fn change_tags(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let change = TagChange::read(&call.body)?;
    let change = change.ok_or_else(|| ApiError::bad("No tag changes were supplied."))?;
    let games = chosen_games(call.key("ids"))?;
    let ids = tags::change_games(writer.store, &games, &change)?;
    ok(&TagsChanged { tags: counted(&*writer.store.snapshot()?), updated: ids.len() })
}

/// The games of an `ids` list: positions, digits, stable ids or aliases.
///
/// # Errors
/// 400 `Select at least one game.` when there is none.
pub(super) fn chosen_games(ids: Option<&Value>) -> Result<Vec<GameRef>, ApiError> {
    let list = ids.and_then(Value::as_array).filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| ApiError::bad("Select at least one game."))?;
    Ok(list
        .iter()
        .map(|id| match id {
            Value::String(id) => GameRef::from_text(id),
            other => GameRef::from_text(&other.to_string()),
        })
        .collect())
}
