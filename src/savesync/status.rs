//! The status of the shared saves of a game for clients.

use std::sync::Arc;

use super::{
    decide::{Step, heads},
    error::SyncError,
    gate,
    memory::{self, Shared},
    service::{SaveSync, next_step},
    version::Version,
};
use crate::{
    backup::watch::Watch,
    base::schema::schema,
    model::{Game, State},
    mounted::graph,
    saves::subject::Subject,
};

/// Versions that are shown.
const SHOWN: usize = 20;

schema! {
    "SaveSync"
    /// The shared saves of a game.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Status {
        /// Stable id of the game.
        pub game_id: String,
        /// Whether its saves are shared.
        pub on: bool,
        /// `off`, `same`, `behind` (a newer version waits), `ahead` (the saves here are newer),
        /// `conflict` (a version has to be chosen) or `failed`.
        pub state: String,
        /// Why it failed; empty otherwise.
        pub problem: String,
        /// Whether the saves here are not a version yet.
        pub unsent: bool,
        /// The saves here; `null` without any.
        pub local: Option<Local>,
        /// The newest versions first; at most 20.
        pub versions: Vec<Shown>,
    }

    "SaveSyncLocal"
    /// The saves of a game on this device.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Local {
        /// When the last of them was written, ISO 8601.
        pub changed_at: String,
        /// Bytes.
        pub size: u64,
        /// How many files.
        pub files: usize,
    }

    "SaveSyncVersion"
    /// One version in the mounted folder.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Shown {
        /// Its id.
        pub id: String,
        /// The name of the device that made it.
        pub device: String,
        /// Whether that is this device.
        pub own: bool,
        /// When, ISO 8601.
        pub at: String,
        /// Seconds that the game had been played there.
        pub playtime_seconds: u64,
        /// Bytes of its archive.
        pub size: u64,
        /// How many files.
        pub files: u64,
        /// Whether no other version follows it.
        pub newest: bool,
        /// Whether the saves here come from it.
        pub here: bool,
        /// Whether its archive is there with all its bytes.
        pub complete: bool,
        /// Whether it has a picture of the game where it was left.
        pub picture: bool,
    }
}

impl SaveSync {
    /// The shared saves of a game. Waits for the folder as long as a launch does.
    pub fn status(self: &Arc<Self>, state: &State, game: &Game) -> Status {
        let shared = Shared::of(state, game, &self.saves.context().data_dir);
        let mut status = Status {
            game_id: game.id().to_owned(),
            on: memory::is_on(state, game),
            ..Status::default()
        };
        let looked = match shared {
            Err(error) => Some(Err(error)),
            Ok(shared) => {
                let (own, mut found) = (Arc::clone(self), status.clone());
                gate::within(self.patience, &self.waiting, move |gate| {
                    own.look(&shared, &mut found, gate).map(|()| found)
                })
            }
        };
        match looked.unwrap_or(Err(SyncError::NoAnswer)) {
            Ok(found) => return found,
            Err(SyncError::Off) => "off".clone_into(&mut status.state),
            Err(error) => {
                "failed".clone_into(&mut status.state);
                status.problem = error.to_string();
            }
        }
        status
    }

    /// The picture of a version: the game where it was left. Waits for the folder as long as a launch
    /// does.
    ///
    /// # Errors
    /// [`SyncError`]: a folder that cannot be read, or an archive that has not arrived.
    pub fn picture(
        self: &Arc<Self>,
        state: &State,
        game: &Game,
        id: &str,
    ) -> Result<Option<Vec<u8>>, SyncError> {
        let shared = Shared::of(state, game, &self.saves.context().data_dir)?;
        let (own, id) = (Arc::clone(self), id.to_owned());
        let read = gate::within(self.patience, &self.waiting, move |gate| {
            let exchange = own.exchange(&shared)?;
            let version = exchange.read(gate)?.remove(&id);
            version.map_or(Ok(None), |version| exchange.picture(&version))
        });
        read.unwrap_or(Err(SyncError::NoAnswer))
    }

    fn look(&self, game: &Shared, status: &mut Status, watch: &dyn Watch) -> Result<(), SyncError> {
        let exchange = self.exchange(game)?;
        let versions = exchange.read(watch)?;
        let now = self.saves.content(&game.subject, watch)?;
        let newest: Vec<&str> = heads(&versions).iter().map(|head| head.id.as_str()).collect();
        let step = next_step(game, &exchange, &versions, now.as_deref())?;
        status.unsent = matches!(step, Step::Push { .. });
        let shown = match step {
            Step::Push { diverged: true, .. } | Step::Choose => "conflict",
            Step::Adopt(_) if newest.len() > 1 => "conflict",
            Step::Push { .. } => "ahead",
            Step::Pull(_) => "behind",
            Step::Nothing | Step::Adopt(_) => "same",
        };
        shown.clone_into(&mut status.state);
        status.local = self.local(&game.subject)?;
        let state = self.state()?;
        let device = memory::device_of(&state);
        let mut order = graph::in_order(&versions);
        order.reverse();
        order.sort_by_key(|id| !newest.contains(&id.as_str()));
        for id in order.into_iter().take(SHOWN) {
            let version: &Version = &versions[id];
            status.versions.push(Shown {
                id: version.id.clone(),
                device: version.device_name.clone(),
                own: version.device == device,
                at: version.at.clone(),
                playtime_seconds: version.playtime,
                size: version.size,
                files: version.files,
                newest: newest.contains(&id.as_str()),
                here: version.id == game.here.base,
                complete: exchange.has_archive(version)?,
                picture: !version.picture.is_empty(),
            });
        }
        Ok(())
    }

    fn local(&self, game: &Subject) -> Result<Option<Local>, SyncError> {
        Ok(self.saves.extent(game)?.map(|extent| Local {
            changed_at: extent.changed.utc_iso(),
            size: extent.size,
            files: extent.files,
        }))
    }
}
