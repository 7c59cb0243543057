//! The arguments that make an emulator resume from a state at the start of a session and leave one at the end.

use std::{
    ffi::OsString,
    fmt::Write as _,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::{
    folder::{self, CONFIG, StoredState, shown},
    keep,
    session::{Session, Staged, has_token},
    states::States,
    subject::Adapter,
};
use crate::{
    files::{DiskError, Files},
    model::emulators::StateKind,
};

/// The name that a session without a state is given, which no state has.
const NEW_NAME: &str = "service-session";
/// The name, without its extension, of a copy that a session resumes from.
const COPY: &str = "moment-session";

/// What a session begins from.
#[derive(Clone, Copy, Debug)]
pub enum Origin<'a> {
    /// The game itself.
    Anew,
    /// The kept state of the game.
    Kept(&'a StoredState),
    /// A state that does not change: that of a moment. `name` is its name below the folder of the game.
    Copy { file: &'a Path, name: &'a str },
}

/// The words for the emulator, and the session.
#[derive(Debug)]
pub struct Begun {
    /// To stand behind the program.
    pub words: Vec<OsString>,
    pub session: Session,
}

/// The values of the tokens of a state block.
struct Tokens<'a> {
    path: &'a str,
    folder: &'a str,
    name: &'a str,
    config: &'a str,
}

impl States {
    /// Prepares the folder of a game for a session and returns the arguments of its emulator. `game` is the
    /// file that is played; of the archive at most `retention - 1` states stay, and those that were put
    /// there now.
    ///
    /// # Errors
    /// When the disk fails; every state is still there then.
    pub fn begin(
        &self,
        game_id: &str,
        adapter: &Adapter,
        game: &Path,
        origin: Origin<'_>,
        retention: usize,
    ) -> Result<Begun, DiskError> {
        let _held = self.hold();
        let files = self.files();
        let root = self.folder_of(game_id);
        files.private_dir(&root)?;
        let block = &adapter.block;
        let mut archived = Vec::new();
        let keeps_names =
            !has_token(&block.template, "state_path") && !has_token(&block.template, "state_name");
        if keeps_names {
            // The emulator writes to its states under their own names.
            for entry in folder::entries(files, &root)? {
                if folder::is_state(&entry.name, &block.glob) {
                    archived.extend(keep::archive(files, &root, &entry)?);
                }
            }
        }
        let is_retroarch = block.kind == StateKind::Retroarch;
        let automatic = root.join(format!("{}.state.auto", stem(game)));
        if is_retroarch {
            archived.extend(archive_if_there(files, &root, &automatic)?);
        }
        let source = match origin {
            Origin::Anew => None,
            Origin::Kept(state) => Some((root.join(&state.file), state.file.as_str(), true)),
            Origin::Copy { file, name } => Some((file.to_owned(), name, false)),
        };
        let mut state_file = None;
        let mut staged = None;
        if let Some((file, name, is_kept)) = source {
            let target = match (is_retroarch, is_kept) {
                (true, _) => automatic.clone(),
                (false, true) => file.clone(),
                (false, false) if keeps_names => root.join(name),
                (false, false) => beside(&root, name),
            };
            if target != file {
                if let Some(folder) = target.parent() {
                    files.private_dir(folder)?;
                }
                archived.extend(archive_if_there(files, &root, &target)?);
                files.copy(&file, &target)?;
                let name = target.strip_prefix(&root).map(shown).unwrap_or_default();
                let entry = folder::existing(files, &root, &name);
                staged = entry.map(|entry| Staged { entry, source: file });
            }
            state_file = Some(target);
        }
        keep::cut_archive(files, &root, retention, &archived)?;
        let config = root.join(CONFIG);
        files.replace(&config, settings(&root, state_file.is_some()).as_bytes())?;
        let since = files.stat(&config)?.and_then(|found| found.modified().ok());
        let since = since.unwrap_or(SystemTime::UNIX_EPOCH);
        let (root, config) = (shown(&root), shown(&config));
        let path = state_file.as_deref().map_or_else(|| format!("{root}/{NEW_NAME}"), shown);
        let name = state_file.as_deref().map_or(NEW_NAME.to_owned(), |file| {
            file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
        });
        let tokens = Tokens { path: &path, folder: &root, name: &name, config: &config };
        let words = match &state_file {
            Some(_) if is_retroarch => without_memory_path(&block.template),
            Some(_) => block.template.clone(),
            None => block.capture.clone(),
        };
        let words = words.iter().map(|word| fill(word, &tokens).into()).collect();
        let session = Session { adapter: adapter.clone(), since, staged };
        Ok(Begun { words, session })
    }

    /// Whether a game was ever started with the settings of a session.
    pub fn has_session(&self, game_id: &str) -> bool {
        folder::existing(self.files(), &self.folder_of(game_id), CONFIG).is_some()
    }

    /// What a session of an earlier run is remembered by: when its settings were written. `None` when the
    /// game has never been started with them.
    pub fn taken_up(&self, game_id: &str, adapter: &Adapter) -> Option<Session> {
        let entry = folder::existing(self.files(), &self.folder_of(game_id), CONFIG)?;
        Some(Session { adapter: adapter.clone(), since: entry.modified, staged: None })
    }
}

/// Archives a file of the folder that is about to be replaced. Returns its name in the archive.
fn archive_if_there(files: &Files, root: &Path, path: &Path) -> Result<Option<String>, DiskError> {
    let name = path.strip_prefix(root).map(shown).unwrap_or_default();
    match folder::find(files, root, &name)? {
        Some(entry) => keep::archive(files, root, &entry),
        None => Ok(None),
    }
}

/// Where a copy of a state with this name is laid out: in the same folder, where the emulator looks.
fn beside(root: &Path, name: &str) -> PathBuf {
    let end = folder::ending(name);
    let copy = if end.is_empty() { COPY.to_owned() } else { format!("{COPY}.{end}") };
    root.join(name).with_file_name(copy)
}

fn stem(game: &Path) -> String {
    game.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The template of RetroArch without `-s`: its value is the path of the memory of a cartridge, not that
/// of a state. The state is laid out where RetroArch loads it by itself.
fn without_memory_path(template: &[String]) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = template.iter().peekable();
    while let Some(word) = rest.next() {
        if word == "-s" && rest.peek().is_some_and(|next| next.contains("{state_path}")) {
            rest.next();
        } else {
            words.push(word.clone());
        }
    }
    words
}

fn fill(word: &str, tokens: &Tokens<'_>) -> String {
    let values = [
        ("{state_path}", tokens.path),
        ("{state_dir}", tokens.folder),
        ("{state_name}", tokens.name),
        ("{state_config}", tokens.config),
    ];
    let mut filled = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = values.iter().find(|(name, _)| rest.starts_with(name));
        let (name, value) = known.map_or(("{", "{"), |(name, value)| (name, value));
        filled.push_str(value);
        rest = &rest[name.len()..];
    }
    filled.push_str(rest);
    filled
}

/// The settings of RetroArch for one session.
fn settings(root: &Path, resumes: bool) -> String {
    let root = shown(root).replace(['"', '\n'], "");
    let load = if resumes { "true" } else { "false" };
    let mut text = String::new();
    for (key, value) in [
        ("savestate_auto_save", "true"),
        ("savestate_auto_load", load),
        ("savestate_directory", root.as_str()),
        ("savestate_thumbnail_enable", "true"),
        ("sort_savestates_enable", "false"),
        ("sort_savestates_by_content_enable", "false"),
        ("savestates_in_content_dir", "false"),
        ("state_slot", "0"),
        ("network_cmd_enable", "true"),
    ] {
        // OK because writing to a text never fails.
        let _ = writeln!(text, "{key} = \"{value}\"");
    }
    text
}
