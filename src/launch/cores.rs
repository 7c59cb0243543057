//! Cores of the multi-system emulator: the installed ones, and the one that plays a game.
//!
//! A command names its core behind `-L`. The core the user chose for a game takes its place. A missing core is searched
//! in every folder that distributions and packages use; for commands of the definitions, another core that plays the
//! platform does as well. Stored commands stay as they are.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use crate::{
    base::schema::schema,
    files::source,
    model::{Cause, Draft, Record, needs},
    platforms,
    store::{Committed, Store},
};

/// The id of the emulator.
const APP: &str = "org.libretro.RetroArch";
/// Its program.
const PROGRAM: &str = "retroarch";
/// Extensions of archives that it opens by itself.
const ARCHIVES: [&str; 2] = ["zip", "7z"];
/// The key of a game's own core.
pub const FIELD: &str = "emulator_core";
/// The option in front of a core.
const OPTION: &str = "-L";
/// Suffixes of the file of a core.
const ENDINGS: [&str; 2] = ["_libretro.so", "_libretro.dll"];
/// The folder of cores that commands of the definitions name.
const SHIPPED: &str = "/usr/lib/libretro";
/// Where cores of the system are.
const SYSTEM: [&str; 5] = [
    SHIPPED,
    "/usr/lib64/libretro",
    "/usr/lib/x86_64-linux-gnu/libretro",
    "/usr/lib/aarch64-linux-gnu/libretro",
    "/usr/local/lib/libretro",
];
/// Where cores of the sandboxed package are, below the home folder. It sees no others.
const PACKAGED: &str = ".var/app/org.libretro.RetroArch/config/retroarch/cores";
/// Where other cores of the user are, below the home folder.
const OTHERS: [&str; 3] =
    [".config/retroarch/cores", PACKAGED, "snap/retroarch/current/.config/retroarch/cores"];
/// Where the emulator keeps cores, settings, descriptions of cores and firmware, below the folder of
/// configuration.
const OWN: &str = "retroarch/cores";
const SETTINGS: &str = "retroarch/retroarch.cfg";
const INFO: &str = "retroarch/info";
const FIRMWARE: &str = "retroarch/system";
/// Where descriptions of cores of the system are.
const SYSTEM_INFO: &str = "/usr/share/libretro/info";
/// Bytes of settings and descriptions that are read.
const TEXT_BYTES: u64 = 1 << 20;

/// Why a game did not get another core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CoreError {
    /// It is not a name of the file of a core.
    #[error("core must be the file name of a core.")]
    NotACore,
    #[error("Game not found")]
    UnknownGame,
}

/// Whether a text is the name of the file of a core.
pub fn is_core_name(name: &str) -> bool {
    let stem = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
    stem.is_some_and(|stem| !stem.is_empty()) && !name.contains(['/', '\\', '\0'])
}

schema! {
    "Core"
    /// A core that is installed.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Installed {
        /// The name of its file.
        pub core: String,
        /// Its name for people.
        pub name: String,
        /// Where it is, absolute.
        pub path: PathBuf,
    }
}

/// The folders of cores, as the settings of the emulator were when this was made.
#[derive(Debug)]
pub struct Folders {
    home: PathBuf,
    /// Where descriptions of cores are.
    info: [PathBuf; 2],
    /// That of the emulator's own settings first.
    all: Vec<PathBuf>,
    system: Vec<PathBuf>,
}

impl Folders {
    /// Reads the settings of the emulator. `config` is the folder of configuration of the person with this home
    /// folder.
    pub fn of(home: &Path, config: &Path) -> Self {
        let settings = read_text(&config.join(SETTINGS));
        let chosen = |key: &str| {
            let spelled = setting(&settings, key)?;
            let below = spelled.strip_prefix("~/").map(|rest| home.join(rest));
            let folder = below.unwrap_or_else(|| PathBuf::from(spelled));
            folder.is_absolute().then_some(folder)
        };
        let own = [config.join(OWN)].into_iter();
        let own = own.chain(OTHERS.iter().map(|folder| home.join(folder)));
        let all = chosen("libretro_directory").into_iter().chain(own);
        let all = all.chain(SYSTEM.iter().map(PathBuf::from)).collect();
        let usual = needs::of_app(APP).map(|need| need.paths(home)).into_iter().flatten();
        let own = config.join(FIRMWARE);
        let usual = [own.clone()].into_iter().chain(usual.filter(|folder| *folder != own));
        let system = chosen("system_directory").into_iter().chain(usual).collect();
        let info = [config.join(INFO), PathBuf::from(SYSTEM_INFO)];
        Self { home: home.to_owned(), info, all, system }
    }

    /// The folders of firmware, that of the emulator's own settings first.
    pub fn system(&self) -> &[PathBuf] {
        &self.system
    }

    /// The cores that are installed, by file name; of two with one name that of the user.
    pub fn installed(&self) -> Vec<Installed> {
        installed_in(self.all.iter().cloned())
    }

    /// Where the core with this file name is.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        self.all.iter().map(|folder| folder.join(name)).find(|path| path.is_file())
    }

    /// The installed core that does what a missing one should: one of its name, else the first of the
    /// platform (blank for none), else one whose description names the platform.
    pub fn instead(&self, missing: &Path, platform: &str) -> Option<PathBuf> {
        let home = &self.home;
        let packaged = [home.join(PACKAGED)];
        let places = if is_packaged(missing, home) { &packaged[..] } else { &self.all };
        let find =
            |name: &Path| places.iter().map(|folder| folder.join(name)).find(|path| path.is_file());
        if let Some(same) = missing.file_name().and_then(|name| find(name.as_ref())) {
            return Some(same);
        }
        let platform = platforms::by_name(platform)?;
        let like = platforms::by_name(platform.like);
        let mut known = platform.cores.iter().chain(like.iter().flat_map(|like| &like.cores));
        known.find_map(|core| find(format!("{core}{}", ENDINGS[0]).as_ref())).or_else(|| {
            let described = installed_in(places.iter().cloned()).into_iter();
            let mut playing =
                described.filter(|core| self.names_database(&core.core, platform.libretro));
            playing.next().map(|core| core.path)
        })
    }
}

impl Folders {
    /// Whether the description of a core names a database of games.
    fn names_database(&self, core: &str, database: &str) -> bool {
        let stem = ENDINGS.iter().find_map(|ending| core.strip_suffix(ending)).unwrap_or(core);
        let name = format!("{stem}_libretro.info");
        self.info.iter().any(|folder| {
            let text = read_text(&folder.join(&name));
            let listed = setting(&text, "database").unwrap_or_default();
            !database.is_empty() && listed.split('|').any(|each| each.trim() == database)
        })
    }
}

/// The cores in these folders, by file name; of two with one name the first.
fn installed_in(folders: impl Iterator<Item = PathBuf>) -> Vec<Installed> {
    let mut found: BTreeMap<String, PathBuf> = BTreeMap::new();
    for folder in folders {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        for name in names.filter(|name| is_core_name(name)) {
            let path = folder.join(&name);
            if path.is_file() {
                found.entry(name).or_insert(path);
            }
        }
    }
    let row = |(core, path): (String, PathBuf)| {
        let name = spell(&core);
        Installed { core, name, path }
    };
    found.into_iter().map(row).collect()
}

/// Puts the game's own core into a command that names one: the file next to the named core, else
/// the installed one of that name, as `find` finds it.
pub fn replace(argv: &mut [OsString], game: &Record, find: impl Fn(&str) -> Option<PathBuf>) {
    let own = game.text(FIELD).trim();
    if !is_core_name(own) {
        return;
    }
    let Some(at) = named(argv) else { return };
    let beside = Path::new(&argv[at]).with_file_name(own);
    let path = if beside.is_file() { None } else { find(own) };
    argv[at] = path.unwrap_or(beside).into_os_string();
}

/// Puts an installed core in the place of one that is missing. A core that the user chose or put
/// elsewhere is only replaced by one of its name. `is_file` asks for a file, `instead` is
/// [`Folders::instead`].
pub fn heal(
    argv: &mut [OsString],
    game: &Record,
    home: &Path,
    is_file: impl Fn(&Path) -> bool,
    instead: impl Fn(&Path, &str) -> Option<PathBuf>,
) {
    let Some(at) = named(argv) else { return };
    let missing = Path::new(&argv[at]);
    if is_file(missing) {
        return;
    }
    let is_chosen = is_core_name(game.text(FIELD).trim());
    let is_shipped = missing.starts_with(SHIPPED) || is_packaged(missing, home);
    let platform = if is_shipped && !is_chosen { game.text("platform") } else { "" };
    if let Some(core) = instead(missing, platform) {
        argv[at] = core.into_os_string();
    }
}

/// Whether the sandboxed package loads a core from here.
fn is_packaged(core: &Path, home: &Path) -> bool {
    core.starts_with(home.join(PACKAGED))
}

/// The value of a key in settings or a description: `key = "value"`.
fn setting<'a>(text: &'a str, wanted: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == wanted).then(|| value.trim().trim_matches('"'))
    })
}

/// The text of a file; empty when it cannot be read or is not text.
fn read_text(path: &Path) -> String {
    let mut text = String::new();
    let read =
        source::open_regular(path).and_then(|file| file.take(TEXT_BYTES).read_to_string(&mut text));
    if read.is_ok() { text } else { String::new() }
}

/// The core a command names by its path.
pub fn of_command(argv: &[OsString]) -> Option<&Path> {
    named(argv).map(|at| Path::new(&argv[at]))
}

/// Lets the emulator of a command open the game in an archive by itself, where it is the one with cores: it accepts
/// `archive#member` for a file. Whether it does.
pub fn open_member(argv: &mut [OsString], archive: &Path, member: &str) -> bool {
    let is_known = ARCHIVES
        .iter()
        .any(|ending| archive.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending)));
    let program = argv.first().map(Path::new).and_then(Path::file_name);
    let is_named =
        program.is_some_and(|name| name == PROGRAM) || argv.iter().any(|word| word == APP);
    if !is_known || !(is_named || of_command(argv).is_some()) {
        return false;
    }
    let mut is_there = false;
    for word in argv.iter_mut().filter(|word| *word == archive) {
        word.push("#");
        word.push(member);
        is_there = true;
    }
    is_there
}

/// As [`choose`], in one commit.
pub fn choose_core(
    store: &Store,
    game_id: &str,
    core: &str,
) -> Committed<(String, String), CoreError> {
    store.commit(|draft| choose(draft, game_id, core))
}

/// Sets the core of a game; a blank one goes back to the default of its emulator. Returns the stable id
/// and the name of the game.
///
/// # Errors
/// [`CoreError`].
fn choose(draft: &mut Draft, game_id: &str, core: &str) -> Result<(String, String), CoreError> {
    if !core.is_empty() && !is_core_name(core) {
        return Err(CoreError::NotACore);
    }
    let (_, game) = draft.state().games.find(game_id).ok_or(CoreError::UnknownGame)?;
    let (id, name) = (game.id().to_owned(), game.name().to_owned());
    let edited = draft.edit_game(&id, |record| {
        if core.is_empty() {
            record.remove(FIELD);
        } else {
            record.set(FIELD, core);
        }
    });
    edited.map_err(|_| CoreError::UnknownGame)?;
    draft.set_cause(Cause::Updated(id.clone()));
    Ok((id, name))
}

/// The place of the core in a command.
fn named(argv: &[OsString]) -> Option<usize> {
    let at = argv.iter().position(|word| word == OPTION)? + 1;
    let path = Path::new(argv.get(at)?);
    let is_core = path.file_name().and_then(|name| name.to_str()).is_some_and(is_core_name);
    (path.is_absolute() && is_core).then_some(at)
}

/// `mupen64plus_next_libretro.so` as the user reads it.
fn spell(file: &str) -> String {
    let stem = ENDINGS.iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(file);
    stem.replace(['_', '-'], " ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::files::testing;
    use crate::model::State;

    #[test]
    fn a_pipe_in_the_place_of_settings_is_not_read() {
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(read_text(&testing::pipe(dir.path(), "retroarch.cfg")), "");
    }

    #[test]
    fn only_the_emulator_with_cores_opens_a_game_in_an_archive() {
        let core = "-L /c/mgba_libretro.so";
        for (command, archive, expected) in [
            (format!("/usr/bin/retroarch {core} /a b.zip"), "/a.zip", None),
            (format!("retroarch {core} /a.zip"), "/a.zip", Some("/a.zip#in/b.gba")),
            (format!("my-start {core} /a.7z"), "/a.7z", Some("/a.7z#in/b.gba")),
            (format!("flatpak run {APP} /a.ZIP"), "/a.ZIP", Some("/a.ZIP#in/b.gba")),
            (format!("retroarch {core} /a.rar"), "/a.rar", None),
            ("mgba /a.zip".to_owned(), "/a.zip", None),
        ] {
            let mut argv: Vec<OsString> = command.split(' ').map(OsString::from).collect();
            let is_opened = open_member(&mut argv, Path::new(archive), "in/b.gba");
            assert_eq!(is_opened, expected.is_some(), "{command}");
            let last = argv.pop().expect("a word");
            assert_eq!(last, *expected.unwrap_or(command.rsplit(' ').next().expect("a word")));
        }
    }

    fn folders_of(home: &Path) -> Folders {
        Folders::of(home, &home.join(".config"))
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
    fn a_folder_of_configuration_may_lie_elsewhere() {
        let home = tempfile::tempdir().expect("a folder");
        let config = home.path().join("my config");
        let core = config.join(OWN).join("zz_own_libretro.so");
        fs::create_dir_all(config.join(OWN)).expect("made");
        fs::write(&core, "").expect("written");
        fs::write(config.join(SETTINGS), "system_directory = \"~/bios\"\n").expect("written");
        let folders = Folders::of(home.path(), &config);
        assert_eq!(folders.find("zz_own_libretro.so"), Some(core));
        let system = [home.path().join("bios"), config.join(FIRMWARE)];
        assert_eq!(folders.system()[..2], system);
    }

    #[test]
    fn only_file_names_of_cores_are_cores() {
        for (name, is_core) in [
            ("snes9x_libretro.so", true),
            ("snes9x_libretro.dll", true),
            ("_libretro.so", false),
            ("snes9x.so", false),
            ("../snes9x_libretro.so", false),
            ("a\\b_libretro.so", false),
            ("", false),
        ] {
            assert_eq!(is_core_name(name), is_core, "{name}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
    fn the_core_of_the_game_takes_the_place() {
        let home = tempfile::tempdir().expect("a folder");
        let own = home.path().join(".config").join(OWN);
        fs::create_dir_all(&own).expect("made");
        fs::write(own.join("mesen_libretro.so"), "").expect("written");
        fs::write(own.join("notes.txt"), "").expect("written");
        let folders = folders_of(home.path());
        let listed = folders.installed();
        let mesen = own.join("mesen_libretro.so");
        assert!(json!(listed).as_array().is_some_and(|listed| {
            listed.contains(&json!({"core": "mesen_libretro.so", "name": "mesen", "path": mesen}))
        }));
        let replaced = |core: &str, words: &[&str]| {
            let game = serde_json::from_value(json!({FIELD: core})).expect("an object");
            let mut argv: Vec<OsString> = words.iter().map(OsString::from).collect();
            replace(&mut argv, &game, |name| folders.find(name));
            argv[argv.len() - 2].clone()
        };
        let nes = ["retroarch", "-L", "/nowhere/fceumm_libretro.so", "/a.nes"];
        assert_eq!(replaced("mesen_libretro.so", &nes), mesen);
        assert_eq!(replaced("gone_libretro.so", &nes), "/nowhere/gone_libretro.so");
        assert_eq!(replaced("", &nes), nes[2]);
        assert_eq!(replaced("../x_libretro.so", &nes), nes[2]);
        let other = ["player", "-L", "/etc/list.txt", "/a.nes"];
        assert_eq!(replaced("mesen_libretro.so", &other), other[2]);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
    fn a_missing_core_is_found_elsewhere() {
        let home = tempfile::tempdir().expect("a folder");
        let file = |name: &str, content: &str| {
            let path = home.path().join(name);
            testing::put(&path, content);
            path
        };
        let found = |core: &str, platform: &str| {
            folders_of(home.path()).instead(&Path::new(SHIPPED).join(core), platform)
        };
        let settings = format!(".config/{SETTINGS}");
        assert_eq!(found("zz_fceumm_libretro.so", "Nothing of the table"), None);
        let chosen = home.path().join("my cores");
        file(&settings, &format!("a = \"b\"\nlibretro_directory = \"{}\"\n", chosen.display()));
        let same = file("my cores/zz_fceumm_libretro.so", "");
        assert_eq!(found("zz_fceumm_libretro.so", ""), Some(same.clone()));
        // The settings are read once, however many cores are looked for.
        let folders = folders_of(home.path());
        fs::remove_file(home.path().join(&settings)).expect("removed");
        assert_eq!(folders.find("zz_fceumm_libretro.so"), Some(same));
        assert_eq!(folders_of(home.path()).find("zz_fceumm_libretro.so"), None);
        file(&settings, "system_directory = \"~/bios\"\n");
        let folders = folders_of(home.path());
        assert_eq!(folders.system()[0], home.path().join("bios"));
        assert_eq!(folders.system().len(), 3);
        file(&settings, &format!("libretro_directory = \"{}\"\n", chosen.display()));
        // The sandboxed package loads no core from outside.
        let packaged = home.path().join(PACKAGED).join("zz_fceumm_libretro.so");
        assert_eq!(folders_of(home.path()).instead(&packaged, ""), None);
        // No core of the table is installed for this platform: the description decides.
        let described = file(&format!(".config/{OWN}/zz_uzem_libretro.so"), "");
        let platform = platforms::by_name("Uzebox").expect("in the table");
        file(
            ".config/retroarch/info/zz_uzem_libretro.info",
            &format!("display_name = \"x\"\ndatabase = \"Other|{}\"\n", platform.libretro),
        );
        assert_eq!(found("zz_gone_libretro.so", "Uzebox"), Some(described));
        let core = platform.cores.first().expect("a core");
        let listed = file(&format!("my cores/{core}_libretro.so"), "");
        assert_eq!(found("zz_gone_libretro.so", "Uzebox"), Some(listed));
        assert_eq!(found("zz_gone_libretro.so", ""), None);
    }

    #[test]
    fn a_core_is_chosen_and_taken_back() {
        let mut draft = Draft::new(State::default());
        let game = serde_json::from_value(json!({"name": "A"})).expect("an object");
        let id = draft.add_game(game).expect("added");
        let stored = |draft: &Draft| {
            draft.state().games.find(&id).expect("there").1.record().text(FIELD).to_owned()
        };
        let core = "mesen_libretro.so";
        assert_eq!(choose(&mut draft, &id, core), Ok((id.clone(), "A".to_owned())));
        assert_eq!(stored(&draft), core);
        assert_eq!(choose(&mut draft, &id, "x"), Err(CoreError::NotACore));
        assert_eq!(choose(&mut draft, "game-gone", core), Err(CoreError::UnknownGame));
        assert!(choose(&mut draft, &id, "").is_ok());
        assert_eq!(stored(&draft), "");
    }
}
