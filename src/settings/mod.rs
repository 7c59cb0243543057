//! The settings of the user: their view for clients, and saving them.
//!
//! The table, the rules and the projection are in `config::settings`, which knows neither the store
//! nor the filter presets.

mod folders;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

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
    files::Files,
    model::State,
    query::presets,
    store::{CommitError, Committed, Store},
};

use self::folders::MadeFolders;

/// Shows and saves the settings.
pub struct UserSettings {
    files: Files,
    environment: Environment,
    /// What the projection shows besides the stored settings; read once at the start.
    derived: Derived,
    /// Whether there are credentials of the media service, which may come while the program runs.
    has_media_service: Arc<AtomicBool>,
}

impl UserSettings {
    /// The settings of this process; `is_installed` tests whether a program is.
    pub fn new(
        files: &Files,
        environment: &Environment,
        has_media_service: Arc<AtomicBool>,
        is_installed: impl Fn(&str) -> bool,
    ) -> Self {
        let derived = Derived::from_environment(environment, is_installed);
        let (files, environment) = (files.clone(), environment.clone());
        Self { files, environment, derived, has_media_service }
    }

    /// Whether there are credentials of the media service.
    pub fn has_media_service(&self) -> bool {
        self.has_media_service.load(Ordering::SeqCst)
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
            mediasvc_configured: self.has_media_service(),
            ..self.derived.clone()
        };
        project(stored, &derived)
    }

    /// Lays posted settings over the stored ones, in one commit, and returns the keys that were
    /// dropped because they may not be posted. Paths are looked up, and folders made, before the commit.
    ///
    /// # Errors
    /// The first value that is refused; nothing is saved and no folder is made then.
    pub fn save(
        &self,
        store: &Store,
        posted: &Map<String, Value>,
    ) -> Committed<Vec<String>, FieldError> {
        let state = store.snapshot().map_err(CommitError::Unavailable)?;
        let save = validate_posted(posted, state.settings(), &self.environment)
            .map_err(CommitError::Refused)?;
        let made = MadeFolders::make(&self.files, &save.changes, state.settings())
            .map_err(CommitError::Refused)?;
        let saved = store.commit(|draft| {
            draft.merge_section("settings", save.changes, &[]);
            Ok(save.dropped)
        });
        if saved.is_err() {
            made.take_back();
        }
        saved
    }
}
