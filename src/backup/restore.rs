//! Restoring an archive: everything is checked and read once before the first byte is written.
//!
//! Trees come first, file by file, then the library in one commit of the store: what the library
//! points to is there before it. Files that the archive does not have stay.

use std::{
    io,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};

use super::{
    archive::{Archive, JOURNAL, LIBRARY, SETTINGS},
    error::{BackupError, Slip},
    folder::Backups,
    items::{Item, RestoreRequest},
    plugin_state, redact,
    watch::Watch,
};
use crate::{
    config::settings::{
        address,
        setting::{Access, Writer},
        table,
    },
    files::{
        DiskError,
        confine::{self, ConfineError},
    },
    history::archive as history_archive,
    model::{ActiveSession, Cause, Draft, Game, Row as _, State},
    store::{CommitError, exchange::read_state},
};

/// The sections that speak of this machine now, not of the library: a restore leaves them alone.
const PRESENT: [&str; 1] = ["active_sessions"];

/// What a restore will do, with the archive open.
struct Plan {
    archive: Archive,
    items: Vec<Item>,
}

/// The parts of an archive for the library.
#[derive(Default)]
struct Contents {
    library: Option<State>,
    settings: Option<Map<String, Value>>,
    journal: Option<Vec<u8>>,
}

impl Backups {
    /// Whether this restore may be started: everything that can be checked without unpacking.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn check_restore(&self, request: &RestoreRequest) -> Result<(), BackupError> {
        self.refuse_while_running(true)?;
        let path = self.locate(&request.path)?;
        self.plan(&path, request).map(drop)
    }

    /// Restores an archive and returns what was restored.
    ///
    /// # Errors
    /// A rule that is broken, with nothing written; or a disk that refuses. Then every file is its
    /// old or its new self, and the library is the old one.
    pub fn restore(
        &self,
        request: &RestoreRequest,
        watch: &dyn Watch,
    ) -> Result<Vec<Item>, BackupError> {
        let path = self.locate(&request.path)?;
        self.restore_from(&path, request, watch)
    }

    /// Restores the archive at `path`, wherever that is; the path of the request is ignored.
    pub(super) fn restore_from(
        &self,
        path: &Path,
        request: &RestoreRequest,
        watch: &dyn Watch,
    ) -> Result<Vec<Item>, BackupError> {
        let _work = self.work();
        let before = self.context.store.snapshot().ok();
        let mut plan = self.plan(path, request)?;
        let members = plan.members();
        watch.expect(members.len() as u64 * 2);
        let contents = plan.prove(&members, watch)?;
        members.iter().try_for_each(|(_, name)| self.examine(name))?;
        self.refuse_while_running(true)?;
        watch.promote()?;
        let mut wrote_media = false;
        for (number, (at, name)) in members.iter().enumerate() {
            let is_tree = name.contains('/');
            if is_tree && !name.ends_with('/') {
                wrote_media |= name.starts_with("media/");
                let written = self.write_member(&mut plan.archive, *at, name);
                if written.is_err() && wrote_media {
                    self.report_media();
                }
                written?;
            }
            watch.done((members.len() + number + 1) as u64);
        }
        if wrote_media {
            self.report_media();
        }
        self.write_library(contents, before.as_deref())?;
        Ok(plan.items)
    }

    /// Reports media files that were restored.
    fn report_media(&self) {
        self.context.store.report(Cause::MediaChanged(Vec::new()));
    }

    fn plan(&self, path: &Path, request: &RestoreRequest) -> Result<Plan, BackupError> {
        self.refuse_while_running(true)?;
        let mut archive = Archive::open(&self.context.files, path)?;
        let mut items = archive.manifest.items.clone();
        if let Some(wanted) = &request.items {
            items.retain(|item| wanted.contains(item));
        }
        if items.is_empty() {
            return Err(BackupError::NoItems);
        }
        if items.contains(&Item::Library) && !request.force && self.is_older(&mut archive)? {
            return Err(BackupError::Older);
        }
        Ok(Plan { archive, items })
    }

    /// The destination of a member; no part of its path may be a link.
    fn destination(&self, name: &str) -> Result<PathBuf, BackupError> {
        let joined = confine::join_inside(self.context.data_dir.root(), name.trim_end_matches('/'));
        joined.map_err(|error| match error {
            ConfineError::Link { .. } => BackupError::DestinationLink(name.to_owned()),
            ConfineError::Outside => BackupError::UnsafeName,
            ConfineError::Unreadable { path, source } => match source.kind() {
                // A part of the way is a file.
                io::ErrorKind::NotADirectory => BackupError::InTheWay(name.to_owned()),
                _ => DiskError { action: "examine", path, source }.into(),
            },
        })
    }

    /// Whether a member can take its place: no link on the way, folders above, and there a file or nothing.
    fn examine(&self, name: &str) -> Result<(), BackupError> {
        let path = self.destination(name)?;
        if name.ends_with('/') {
            return Ok(());
        }
        let stands = self.context.files.stat(&path)?;
        let is_free = stands.is_none_or(|stat| stat.is_file());
        if is_free { Ok(()) } else { Err(BackupError::InTheWay(name.to_owned())) }
    }

    fn write_member(
        &self,
        archive: &mut Archive,
        at: usize,
        name: &str,
    ) -> Result<(), BackupError> {
        let files = &self.context.files;
        let path = self.destination(name)?;
        files.private_dir(path.parent().unwrap_or(Path::new("/")))?;
        // Looked at again: the folders that were just made may have been waited for.
        self.destination(name)?;
        if name == plugin_state::NAME {
            let archived = archive.read_within(name, plugin_state::BYTES)?.unwrap_or_default();
            let local = if files.stat(&path)?.is_some() { files.read(&path)? } else { Vec::new() };
            return Ok(files.replace(&path, &plugin_state::merged(&archived, &local))?);
        }
        let mut slip = Slip::default();
        let written =
            files.replace_with(&path, |sink| slip.pass(archive.copy(at, sink, &|| Ok(()))));
        slip.settle(written)
    }

    /// `before` is the library at the beginning: a game that was started since would lose what was counted.
    fn write_library(&self, contents: Contents, before: Option<&State>) -> Result<(), BackupError> {
        let Contents { library, settings, journal } = contents;
        let store = &self.context.store;
        let now = store.snapshot().ok();
        if library.is_some() && has_played(before, now.as_deref()) {
            return Err(BackupError::Running { restoring: true });
        }
        if let Some(settings) = &settings {
            // OK because a map with text keys is always written.
            let text = serde_json::to_vec_pretty(settings).unwrap_or_default();
            self.context.files.replace(&self.context.data_dir.settings(), &text)?;
        }
        // Joined before the library is replaced, so that the journal records what that changed.
        if let Some((here, archived)) = self.context.journal.as_ref().zip(journal)
            && let Err(error) = here.absorb(&archived)
        {
            log::warn!("the journal of the archive was not restored: {error}");
        }
        match (library, settings) {
            (Some(library), settings) => {
                let keep = self.context.data_dir.library_before_restore();
                let replaced = store.replace(&keep, |local| {
                    if has_played(before, local) {
                        return Err(BackupError::Running { restoring: true });
                    }
                    Ok(restored(local, library, settings))
                });
                replaced.map_err(|error| match error {
                    CommitError::Unavailable(error) => BackupError::Unavailable(error),
                    CommitError::Refused(error) => error,
                    CommitError::Disk(error) => error.into(),
                })?;
            }
            (None, Some(settings)) => store.change(|draft| {
                let merged = merged_settings(draft.state().settings(), Some(settings));
                draft.set_section("settings", merged);
            })?,
            (None, None) => {}
        }
        Ok(())
    }
}

impl Plan {
    /// The members that will be written, with their places in the archive.
    fn members(&self) -> Vec<(usize, String)> {
        let all = self.archive.members().iter().enumerate();
        let wanted = all.filter(|(_, member)| {
            self.items.iter().any(|item| match item {
                Item::Settings => member.name == SETTINGS,
                Item::Library => [LIBRARY, JOURNAL].contains(&member.name.as_str()),
                tree => tree.owns(&member.name),
            })
        });
        wanted.map(|(at, member)| (at, member.name.clone())).collect()
    }

    /// Reads everything that will be written to its end, and parses what goes into the library.
    fn prove(
        &mut self,
        members: &[(usize, String)],
        watch: &dyn Watch,
    ) -> Result<Contents, BackupError> {
        let mut contents = Contents::default();
        for (number, (at, name)) in members.iter().enumerate() {
            let bytes = match name.as_str() {
                LIBRARY | SETTINGS | JOURNAL => self.archive.read(name)?.unwrap_or_default(),
                plugin_state::NAME => {
                    // Larger than any state it could not be merged later.
                    self.archive.read_within(name, plugin_state::BYTES)?;
                    Vec::new()
                }
                _ => {
                    self.archive.prove(*at, &|| watch.go_on())?;
                    Vec::new()
                }
            };
            match name.as_str() {
                LIBRARY => {
                    let state = read_state(&bytes).map_err(|_| BackupError::Invalid)?;
                    contents.library = Some(state);
                }
                JOURNAL => contents.journal = Some(bytes),
                SETTINGS => {
                    let map = serde_json::from_slice(&bytes).map_err(|_| BackupError::Invalid)?;
                    contents.settings = Some(map);
                }
                _ => {}
            }
            watch.done(number as u64 + 1);
        }
        let promised = |item| self.items.contains(&item);
        let lacks_library = promised(Item::Library) && contents.library.is_none();
        let lacks_settings = promised(Item::Settings) && contents.settings.is_none();
        if lacks_library || lacks_settings { Err(BackupError::Invalid) } else { Ok(contents) }
    }
}

/// Whether a game was started between two states, also one that has ended since.
fn has_played(before: Option<&State>, now: Option<&State>) -> bool {
    let Some((before, now)) = before.zip(now) else { return false };
    let rows = |state: &State| state.list(ActiveSession::SECTION);
    let known = rows(before);
    let is_more = |game: &Game| {
        let known = before.games.find(game.id());
        known.is_some_and(|(_, known)| known.play_count() < game.play_count())
    };
    rows(now).iter().any(|row| !known.contains(row)) || now.games.iter().any(|game| is_more(game))
}

/// The state after a restore: the games and sections of the archive; settings only when they are
/// restored too; credentials, and sections the archive does not know, as they are here.
fn restored(local: Option<&State>, library: State, settings: Option<Map<String, Value>>) -> State {
    let mut draft = Draft::new(library);
    if let Some(local) = local {
        for (key, value) in local.sections() {
            let archived = draft.state().section(key);
            if archived.is_null() && key == history_archive::SECTION {
                // The history of the backup takes the place of the one that is here.
                history_archive::forget(&mut draft);
            } else if archived.is_null() || PRESENT.contains(&key) {
                draft.set_section(key, Value::clone(value));
            } else if key != "settings" {
                let mut value = archived.clone();
                redact::keep_secrets(local.section(key), &mut value);
                draft.set_section(key, value);
            }
        }
        draft.set_section("settings", merged_settings(local.settings(), settings));
    } else if let Some(settings) = settings {
        let mut settings = Value::Object(settings);
        redact::keep_secrets(&Value::Null, &mut settings);
        draft.set_section("settings", settings);
    }
    draft.finish().0
}

/// The settings that are here with those of an archive laid over them. One that the user chose
/// here and that the archive lacks stood at its default then, so it goes back to it. Credentials,
/// and what other routes, the program itself or later programs wrote, stay.
fn merged_settings(local: &Map<String, Value>, archived: Option<Map<String, Value>>) -> Value {
    let mut local = local.clone();
    address::bind(&mut local);
    let mut merged = local.clone();
    if let Some(archived) = archived {
        merged.retain(|key, _| !is_choice(key));
        merged.extend(archived);
    }
    let mut merged = Value::Object(merged);
    redact::keep_secrets(&Value::Object(local), &mut merged);
    merged
}

/// Whether a key is a setting that the user chooses on the settings screen and may see again.
fn is_choice(key: &str) -> bool {
    table::find(key).is_some_and(|setting| {
        setting.access == Access::Public && setting.writer == Writer::Settings
    })
}
