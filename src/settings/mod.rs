//! The settings of the user: what a client sees of them, and saving them.
//!
//! The table, the rules and the projection are in `config::settings`, which knows neither the store
//! nor the filter presets.

use serde_json::{Map, Value};

use crate::{
    config::{
        catalogues,
        environment::Environment,
        settings::{
            field_error::FieldError,
            project::{Derived, project},
            read,
            validate::validate_posted,
        },
    },
    model::State,
    query::presets,
    store::{CommitError, Committed, Store},
};

/// Shows and saves the settings.
pub struct UserSettings {
    environment: Environment,
    /// What the projection shows besides the stored settings; read once at the start.
    derived: Derived,
}

impl UserSettings {
    /// The settings of this process; `is_installed` tests whether a program is.
    pub fn new(environment: &Environment, is_installed: impl Fn(&str) -> bool) -> Self {
        let derived = Derived::from_environment(environment, is_installed);
        Self { environment: environment.clone(), derived }
    }

    /// The settings that a client may see (`GET /api/settings`).
    pub fn public(&self, state: &State) -> Map<String, Value> {
        let stored = state.settings();
        let presets = presets::list(state);
        let derived = Derived {
            strings: catalogues::strings(&read::text(stored, "locale")),
            media_packs: catalogues::media_packs(&read::texts(stored, "active_media_packs")),
            bigscreen_quick: presets::quick(&presets),
            filter_presets: presets,
            ..self.derived.clone()
        };
        project(stored, &derived)
    }

    /// Lays posted settings over the stored ones, in one commit, and returns the keys that were
    /// dropped because nobody may post them. Paths are looked up before the commit.
    ///
    /// # Errors
    /// The first value that is refused; nothing is saved then.
    pub fn save(
        &self,
        store: &Store,
        posted: &Map<String, Value>,
    ) -> Committed<Vec<String>, FieldError> {
        let state = store.snapshot().map_err(CommitError::Unavailable)?;
        let save = validate_posted(posted, state.settings(), &self.environment)
            .map_err(CommitError::Refused)?;
        store.commit(|draft| {
            draft.merge_section("settings", save.changes, &[]);
            Ok(save.dropped)
        })
    }
}
