//! The data directory: where it is, and the name of everything that lives in it.
//!
//! Names are fixed here and nowhere else. The folder itself is created by the first write into it; resolving never
//! touches the disk.

use std::path::{Path, PathBuf};

use sha1::{Digest as _, Sha1};

use super::environment::Environment;
use crate::base::ids;

/// Characters of an id that is the name of a file.
const NAME: usize = 120;
/// The folder below the per-user data location.
const APPLICATION: &str = "service-launcher";

/// The data directory, an absolute path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataDir(PathBuf);

/// Why no data directory could be named.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    #[error("no data directory: set SERVICE_DATA_DIR, or HOME to an absolute path")]
    NoHome,
    #[error("failed to resolve the data directory {path:?}")]
    Unresolved {
        /// The path as it was given.
        path: PathBuf,
        /// The message of the operating system.
        source: std::io::Error,
    },
}

/// One method per entry of the directory: its documentation, its name and its relative path; and one that
/// names them all.
macro_rules! entries {
    ($(#[$all_doc:meta])* $all:ident: $($(#[$doc:meta])* $name:ident => $path:literal;)*) => {
        impl DataDir {
            $($(#[$doc])* pub fn $name(&self) -> PathBuf { self.0.join($path) })*

            $(#[$all_doc])*
            pub fn $all(&self) -> Vec<PathBuf> { vec![$(self.$name()),*] }
        }
    };
}

entries! {
    /// Every entry that is a file.
    files:
    /// The state of record.
    library => "library.json";
    /// Changes since the last fold.
    library_log => "library.log";
    /// Sessions that are too old for the library file.
    history_archive => "history.archive";
    /// What changed and when, event by event.
    library_journal => "library.journal";
    /// Events of library sync, own ones and those of others.
    library_sync_events => "library-sync.events";
    /// Copy of the library taken before an archive is restored over it.
    library_before_restore => "library.before-restore.json";
    /// Settings as an archive member; written by restores only.
    settings => "settings.json";
    /// The access token of the running service, owner-only.
    server_token => "server.token";
    /// The port of the running service, owner-only.
    server_port => "server.port";
    /// The diagnostic log; `.1` to `.4` are older.
    log => "service.log";
    /// The indexed read model, derived.
    read_model => "library.sqlite3";
    /// The index of what games are like, derived.
    dna_index => "dna_index.json";
    /// Durable operations.
    operations => "operations.json";
    /// Media downloads that wait.
    media_queue => "media-queue.json";
    /// Whose achievements can be asked for, owner-only.
    achievements => "achievements.json";
    /// Credentials of the media service, owner-only.
    mediasvc => "mediasvc.json";
    /// Accounts at providers that were entered in the page, owner-only.
    accounts => "accounts.json";
    /// The metadata database, downloaded.
    metadata_database => "metadata/metadb.db";
    /// The database of libretro, downloaded.
    open_database => "metadata/opendb.db";
    /// The colour of the page, for the window of a desktop host.
    native_background => "native-background";
    /// What the window of a desktop host does in the tray: two digits, 0 or 1.
    native_host_flags => "native-host-flags";
    /// The last launch audit.
    launch_audit => "cache/launch_audit.json";
}

entries! {
    /// Every entry that is a folder.
    folders:
    /// Artwork, captures and other media of games.
    media => "media";
    /// Everything that can be rebuilt or downloaded again.
    cache => "cache";
    /// The metadata database and its unfinished download.
    metadata => "metadata";
    /// What a browser keeps for a window of the program.
    app_window => "cache/app-window";
    /// Smaller copies of the pictures of games.
    thumbnails => "cache/thumbnails";
    /// Achievements of games as they were last fetched, one file for each game.
    game_achievements => "cache/achievements";
    /// Answers of the artwork provider.
    artgrid_cache => "cache/artgrid";
    /// Answers of the scraper provider.
    scraper_cache => "cache/scraper";
    /// Answers of the game database.
    gamedb_cache => "cache/gamedb";
    /// Which pictures the database of libretro has.
    opendb_cache => "cache/opendb";
    /// Checksums of the files of games.
    content_sums => "cache/content-sums";
    /// Answers of stores about their games.
    store_cache => "cache/stores";
    /// What fixes of artwork replaced.
    artwork_hygiene => "cache/artwork-hygiene";
    /// The script that loads plugins.
    plugin_runner => "cache/plugin-runner";
    /// Extracted game archives.
    archive_cache => "cache/archives";
    /// Files made for games, such as disc lists.
    generated => "generated";
    /// Setup previews.
    previews => "previews";
    /// Reviews of matches with the metadata database.
    match_previews => "match_previews";
    /// Plans for applying pictures of other programs.
    local_media => "local_media";
    /// Library archives.
    backups => "backups";
    /// Archives of saved games.
    save_backups => "save-backups";
    /// Copies of the shortcut file of a store, made before it was changed.
    shortcut_backups => "shortcut-backups";
    /// Exported game lists.
    exports => "exports";
    /// Exported high scores.
    highscores => "highscores";
    /// Items of durable operations, one file each.
    operation_items => "operations_items";
    /// Frames around the picture of a game, by platform.
    bezels => "bezels";
    /// Style sheets of the user.
    themes => "themes";
    /// The states that quick resume keeps.
    resume_states => "resume_states";
    /// Films and galleries of what was kept of games.
    reels => "reels";
    /// Installed plugins.
    plugins => "plugins";
    /// Emulator definitions of the user and of the definition channel.
    emulator_definitions => "emulator_defs";
}

impl DataDir {
    /// The directory named on the command line, else by `SERVICE_DATA_DIR` in the process
    /// environment, else `service-launcher` below the per-user data location. A relative path
    /// counts from the working directory.
    pub fn resolve(
        argument: Option<&Path>,
        environment: &Environment,
    ) -> Result<Self, DataDirError> {
        let named = argument
            .filter(|path| !path.as_os_str().is_empty())
            .map(Path::to_owned)
            .or_else(|| environment.path("SERVICE_DATA_DIR"));
        let path = match named {
            Some(path) => path,
            None => environment.data_home().ok_or(DataDirError::NoHome)?.join(APPLICATION),
        };
        match std::path::absolute(&path) {
            Ok(absolute) => Ok(Self(absolute)),
            Err(source) => Err(DataDirError::Unresolved { path, source }),
        }
    }

    /// The data directory at `path`, which must be absolute.
    pub fn at(path: PathBuf) -> Self {
        debug_assert!(path.is_absolute(), "the data directory is absolute");
        Self(path)
    }

    /// The file with the achievements of a game. An id that is no plain name, or the name of one of the lists next to
    /// it, stands there as its digest.
    pub fn achievements_of(&self, game_id: &str) -> PathBuf {
        let is_plain = !game_id.is_empty()
            && game_id.len() <= NAME
            && !game_id.starts_with(['.', '-'])
            && !game_id.starts_with("system")
            && game_id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        let digest = || ids::hex(&Sha1::digest(game_id));
        let stem = if is_plain { game_id.to_owned() } else { digest() };
        self.game_achievements().join(format!("{stem}.json"))
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(argument: Option<&str>, variables: &[(&str, &str)]) -> String {
        let environment = Environment::from_process(variables.iter().copied());
        match DataDir::resolve(argument.map(Path::new), &environment) {
            Ok(found) => found.root().display().to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_argument_beats_the_variable_beats_the_default() {
        let variables =
            [("SERVICE_DATA_DIR", "/var"), ("XDG_DATA_HOME", "/xdg"), ("HOME", "/home/me")];
        assert_eq!(resolve(Some("/arg"), &variables), "/arg");
        assert_eq!(resolve(None, &variables), "/var");
        assert_eq!(resolve(Some(""), &variables), "/var");
        assert_eq!(resolve(None, &variables[1..]), "/xdg/service-launcher");
        assert_eq!(resolve(None, &variables[2..]), "/home/me/.local/share/service-launcher");
        assert_eq!(
            resolve(None, &[("SERVICE_DATA_DIR", ""), ("HOME", "/h")]),
            "/h/.local/share/service-launcher"
        );
        assert!(resolve(None, &[]).starts_with("no data directory"));
    }

    #[test]
    fn a_relative_path_becomes_absolute() {
        let here = std::env::current_dir().expect("working directory");
        assert_eq!(resolve(Some("data"), &[]), here.join("data").display().to_string());
    }

    #[test]
    fn names_of_files_are_plain() {
        let data = DataDir::at(PathBuf::from("/data"));
        let named = |id: &str| {
            let path = data.achievements_of(id);
            assert_eq!(path.parent(), Some(data.game_achievements().as_path()), "{id}");
            path.file_name().and_then(|name| name.to_str()).expect("text").to_owned()
        };
        assert_eq!(named("game-1a.b_c"), "game-1a.b_c.json");
        for odd in ["", "../x", "a/b", ".a", "systems", "system-7", "é", &"a".repeat(121)] {
            assert_eq!(named(odd).len(), 45, "{odd}");
        }
    }

    #[test]
    fn every_entry_has_its_own_place_inside() {
        let data = DataDir::at(PathBuf::from("/data"));
        let mut paths = [data.files(), data.folders()].concat();
        paths.sort_unstable();
        let count = paths.len();
        paths.dedup();
        assert_eq!(paths.len(), count);
        let is_inside = |path: &PathBuf| {
            path.starts_with("/data") && path.components().all(|part| part.as_os_str() != "..")
        };
        assert!(paths.iter().all(is_inside));
        assert_eq!(data.library(), Path::new("/data/library.json"));
        assert_eq!(data.thumbnails(), data.root().join("cache/thumbnails"));
    }
}
