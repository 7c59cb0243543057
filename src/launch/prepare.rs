//! From a stored game to what is spawned: command, working directory, environment.
//!
//! The only place of the room that looks at the disk before a launch.

use std::{
    collections::HashSet,
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    archives::cache::{ArchiveCache, Extracted},
    cores,
    detection::Detector,
    error::LaunchError,
    invocation::{self, Choice, Players},
    profiles,
};
use crate::{
    config::settings::{compositor, read},
    formats::{command_line::Tokens, launch_env},
    model::{game::Game, record::Record, state::State},
    process::{search, spawn::Spec},
};

/// The program that shows a game in a window of another size.
const COMPOSITOR: &str = "gamescope";

/// Where the service lives, as far as a launch may ask.
pub struct Surroundings {
    pub data_dir: PathBuf,
    pub home: PathBuf,
    pub detector: Arc<Detector>,
    pub archives: ArchiveCache,
    /// Whether this session runs inside the compositor already.
    pub is_guest: bool,
}

/// What is spawned for a game.
#[derive(Debug)]
pub struct Prepared {
    pub spec: Spec,
    /// The launch profile in force, the platform when none is named.
    pub profile: String,
    /// Folder of the archive cache that holds the game; empty when it was not extracted.
    pub archive_key: String,
}

/// Chooses the command of a game, has its archive extracted where that is wanted, fills the command
/// in and checks that it can start. `in_use` tells which extracted archives games run from.
pub fn prepare(
    game: &Game,
    state: &State,
    around: &Surroundings,
    in_use: impl Fn() -> HashSet<String>,
) -> Result<Prepared, LaunchError> {
    let record = game.record();
    let stored = Path::new(game.path().trim());
    let profiles = profiles::stored(state);
    let command_of = |definition: &_| around.detector.command_of(definition);
    let catalog = around.detector.catalog();
    let players = Players { profiles: &profiles, catalog: &catalog, command_of: &command_of };
    let choice = Choice::of(&record, stored, &players);
    check_path(game, stored, &choice)?;
    let extracted = extract(&record, stored, &choice, around, in_use)?;
    let choice = match &extracted {
        Some(extracted) => Choice::of(&record, &extracted.path, &players),
        None => choice,
    };
    let path = extracted.as_ref().map_or(stored, |extracted| &extracted.path);
    if choice == Choice::File && !(path.is_absolute() && search::is_executable(path)) {
        return Err(LaunchError::NotExecutable { name: game.name().to_owned() });
    }
    // Paths of storefront entries are the name of a program; those have no folder to start in.
    let cwd = path.parent().filter(|_| path.is_absolute()).unwrap_or(&around.home);
    let env = environment(&record, state);
    let search_path = env
        .iter()
        .find(|(name, _)| name == "PATH")
        .and_then(|(_, value)| value.clone())
        .or_else(|| env::var_os("PATH"))
        .unwrap_or_default();
    let tokens = Tokens {
        path,
        name: game.name(),
        platform: game.platform(),
        rom_name: record.text("rom_name"),
        app_id: &record.shown("store_a_app_id"),
        store_b_app_id: &record.shown("store_b_app_id"),
        store_c_id: &record.shown("store_c_id"),
        data_dir: &around.data_dir,
        emulator_dir: Path::new(""),
        definition: None,
    };
    let find = |program: &OsStr| search::find_program(program, &search_path, cwd);
    let mut argv = arguments(&choice, tokens, &find)?;
    cores::replace(&mut argv, &record, &around.home);
    let argv = if around.is_guest { argv } else { wrapped(argv, &record, state, &find) };
    let profile = invocation::effective_profile(&record, &profiles).to_owned();
    let archive_key = extracted.as_ref().map_or_else(String::new, |each| each.key.clone());
    Ok(Prepared { spec: Spec { argv, cwd: Some(cwd.to_owned()), env }, profile, archive_key })
}

/// The game out of its archive, when it is to be played so and the command takes a file at all.
fn extract(
    record: &Record,
    path: &Path,
    choice: &Choice,
    around: &Surroundings,
    in_use: impl Fn() -> HashSet<String>,
) -> Result<Option<Extracted>, LaunchError> {
    let wanted = record.flag("extract_archive") && choice.needs_path() && ArchiveCache::takes(path);
    if !wanted || !path.is_absolute() {
        return Ok(None);
    }
    let member = record.text("archive_member").trim();
    Ok(Some(around.archives.extract(path, member, in_use)?))
}

fn check_path(game: &Game, path: &Path, choice: &Choice) -> Result<(), LaunchError> {
    let name = || game.name().to_owned();
    if path.as_os_str().is_empty() && choice.needs_path() {
        return Err(LaunchError::NoPath { name: name() });
    }
    if path.is_absolute() && !path.exists() {
        return Err(LaunchError::PathGone { path: path.to_owned() });
    }
    Ok(())
}

/// The filled-in command with the program as an absolute path.
fn arguments(
    choice: &Choice,
    tokens: Tokens<'_>,
    find: &dyn Fn(&OsStr) -> Option<PathBuf>,
) -> Result<Vec<OsString>, LaunchError> {
    let emulator = choice.program().and_then(|program| find(program.as_ref()));
    let emulator_dir = emulator.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let mut argv = choice.argv(&Tokens { emulator_dir, ..tokens });
    let Some(program) = argv.first_mut() else {
        return Err(LaunchError::NotExecutable { name: tokens.name.to_owned() });
    };
    let missing = || LaunchError::ProgramMissing { program: program.clone() };
    let found = find(program).ok_or_else(missing)?;
    *program = found.into_os_string();
    Ok(argv)
}

/// The command inside the compositor, when a preset is chosen and the compositor is there. The
/// game's own preset wins; one that does not exist, such as `none`, means without.
fn wrapped(
    argv: Vec<OsString>,
    record: &Record,
    state: &State,
    find: &dyn Fn(&OsStr) -> Option<PathBuf>,
) -> Vec<OsString> {
    let own = record.text("compositor_preset").trim();
    let general = read::text(state.settings(), "compositor_preset");
    let name = if own.is_empty() { general.trim() } else { own };
    if name.is_empty() {
        return argv;
    }
    let customs = read::value(state.settings(), "compositor_custom_presets");
    let arguments = compositor::arguments_of(name, &customs);
    let (Some(arguments), Some(program)) = (arguments, find(COMPOSITOR.as_ref())) else {
        log::info!("the compositor preset {name:?} is passed over");
        return argv;
    };
    let arguments = arguments.into_iter().map(Into::into);
    let before = [program.into_os_string()].into_iter().chain(arguments);
    before.chain(["--".into()]).chain(argv).collect()
}

/// The changes to our own environment: the overlay, then the game's own pairs over it.
fn environment(record: &Record, state: &State) -> Vec<(OsString, Option<OsString>)> {
    let mut env: Vec<(OsString, Option<OsString>)> = Vec::new();
    let overlay = match record.text("overlay") {
        "on" => Some(true),
        "off" => Some(false),
        _ => read::flag(state.settings(), "overlay_enabled").then_some(true),
    };
    let overlay_pairs = [("MANGOHUD", "1"), ("MANGOHUD_CONFIG", "font_size=24,no_display")];
    if let Some(on) = overlay {
        env.extend(overlay_pairs.map(|(name, value)| (name.into(), on.then(|| value.into()))));
    }
    let own = record.get("launch_env").map(launch_env::stored_pairs).unwrap_or_default();
    env.extend(own.into_iter().map(|(name, value)| (name.into(), Some(value.into()))));
    env
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use serde_json::{Value, json};

    use super::*;
    use crate::{definitions::keeper::Definitions, files::writer::Files, model::draft::Draft};

    struct Fixture {
        folder: tempfile::TempDir,
        is_guest: bool,
    }

    impl Fixture {
        fn new() -> Self {
            Self { folder: tempfile::tempdir().expect("a folder"), is_guest: false }
        }

        fn file(&self, name: &str, mode: u32) -> String {
            let path = self.folder.path().join(name);
            fs::write(&path, "#!/bin/sh\n").expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
            path.to_str().expect("text").to_owned()
        }

        fn prepare(
            &self,
            game: Value,
            sections: &[(&str, Value)],
        ) -> Result<Prepared, LaunchError> {
            let mut draft = Draft::new(State::default());
            let game: Record = serde_json::from_value(game).expect("an object");
            let id = draft.add_game(game).expect("added");
            for (key, value) in sections {
                draft.set_section(key, value.clone());
            }
            let state = draft.finish().0;
            let game = Arc::clone(state.games.find(&id).expect("there").1);
            let definitions = self.folder.path().join("definitions");
            let definitions = Arc::new(Definitions::new(Files::system(), definitions));
            let around = Surroundings {
                data_dir: "/data".into(),
                home: self.folder.path().to_owned(),
                detector: Arc::new(Detector::new(self.folder.path(), definitions)),
                archives: ArchiveCache::new(Files::system(), self.folder.path().join("cache")),
                is_guest: self.is_guest,
            };
            prepare(&game, &state, &around, HashSet::new)
        }

        #[track_caller]
        fn refused(&self, game: Value, expected: &str) {
            let error = self.prepare(game, &[]).expect_err("refused");
            assert_eq!(error.client_text(), expected);
        }
    }

    #[test]
    fn refusals_say_what_is_missing() {
        let fixture = Fixture::new();
        let plain = fixture.file("plain", 0o644);
        fixture.refused(json!({"name": "A"}), "A has no launch path.");
        fixture
            .refused(json!({"name": "A", "launch": "/bin/true {file}"}), "A has no launch path.");
        fixture.refused(
            json!({"name": "A", "path": "/nonexistent/a", "launch": "/bin/true"}),
            "The configured path no longer exists:\n/nonexistent/a",
        );
        for path in [plain.as_str(), "relative", "/etc"] {
            fixture.refused(
                json!({"name": "A", "path": path}),
                "A has no launch command and its file is not executable. Set a launch command for \
                 the platform in Emulator profiles, or per-game in Edit game.",
            );
        }
        fixture.refused(
            json!({"name": "A", "path": plain, "launch": "no-such-player {path}"}),
            "The launch command was not found: no-such-player",
        );
    }

    #[test]
    fn hostile_names_stay_one_argument() {
        let fixture = Fixture::new();
        for name in [
            "a b.rom",
            "it's.rom",
            "\"q\".rom",
            "line\nbreak.rom",
            "$(touch x).rom",
            "-rf {path}.rom",
        ] {
            let path = fixture.file(name, 0o644);
            let profiles = json!({"NES": "/bin/echo -x"});
            let game = json!({"name": "A", "path": path, "platform": "NES"});
            let prepared = fixture.prepare(game, &[("profiles", profiles)]).expect("starts");
            assert_eq!(prepared.spec.argv, ["/bin/echo", "-x", &path]);
            assert_eq!(prepared.profile, "NES");
            assert_eq!(prepared.spec.cwd.as_deref(), Some(fixture.folder.path()));
        }
    }

    #[test]
    fn scripts_programs_and_store_commands_start() {
        let fixture = Fixture::new();
        let script = fixture.file("game.sh", 0o644);
        let prepared = fixture.prepare(json!({"name": "A", "path": script}), &[]).expect("starts");
        assert_eq!(prepared.spec.argv[1], *script);
        assert!(Path::new(&prepared.spec.argv[0]).ends_with("bash"));
        let program = fixture.file("program", 0o755);
        let prepared = fixture.prepare(json!({"name": "A", "path": program}), &[]).expect("starts");
        assert_eq!(prepared.spec.argv, [program.as_str()]);
        let store = json!({"name": "A", "path": "xdg-open", "launch": "sh store://{app_id}",
            "store_a_app_id": 440, "launch_env": {"PATH": "/bin", "A": "b c"}});
        let settings = json!({"overlay_enabled": true});
        let prepared = fixture.prepare(store, &[("settings", settings)]).expect("starts");
        assert_eq!(prepared.spec.argv, ["/bin/sh", "store://440"]);
        assert_eq!(prepared.spec.cwd.as_deref(), Some(fixture.folder.path()));
        let env: Vec<_> = prepared.spec.env.iter().map(|(name, _)| name.to_str()).collect();
        assert_eq!(env, [Some("MANGOHUD"), Some("MANGOHUD_CONFIG"), Some("A"), Some("PATH")]);
        let off = json!({"name": "A", "path": program, "overlay": "off"});
        let prepared = fixture.prepare(off, &[]).expect("starts");
        assert_eq!(prepared.spec.env[0], ("MANGOHUD".into(), None));
    }

    #[test]
    fn the_emulator_folder_is_that_of_the_program() {
        let fixture = Fixture::new();
        let rom = fixture.file("a.rom", 0o644);
        let player = fixture.file("player", 0o755);
        let game = json!({"name": "A", "path": rom, "launch": format!("{player} {{EmulatorDir}} {{DataDir}}")});
        let prepared = fixture.prepare(game, &[]).expect("starts");
        let folder = fixture.folder.path().to_str().expect("text");
        assert_eq!(prepared.spec.argv, [player.as_str(), folder, "/data"]);
    }

    #[test]
    fn the_compositor_stands_before_the_game() {
        let mut fixture = Fixture::new();
        let program = fixture.file("program", 0o755);
        let compositor = fixture.file("gamescope", 0o755);
        let folder = fixture.folder.path().to_str().expect("text").to_owned();
        let settings = |preset: &str| {
            json!({"compositor_preset": preset, "compositor_custom_presets":
                [{"name": "Mine", "width": 640, "height": 480, "borderless": true}]})
        };
        let argv = |fixture: &Fixture, own: &str, general: &str, path: &str| {
            let game = json!({"name": "A", "path": program, "compositor_preset": own,
                "launch_env": {"PATH": path}});
            let prepared = fixture.prepare(game, &[("settings", settings(general))]);
            let argv = prepared.expect("starts").spec.argv;
            argv.into_iter().map(|word| word.into_string().expect("text")).collect::<Vec<_>>()
        };
        let around = |arguments: &[&str]| {
            let words = [&[compositor.as_str()], arguments, &["--", program.as_str()]].concat();
            words.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let plain = vec![program.clone()];
        for (own, general, path, expected) in [
            ("", "", &folder, plain.clone()),
            ("", "integer", &folder, around(&["-F", "integer"])),
            ("Stretch", "integer", &folder, around(&["-F", "stretch"])),
            ("mine", "", &folder, around(&["-W", "640", "-H", "480", "-b"])),
            ("none", "integer", &folder, plain.clone()),
            ("", "integer", &"/nonexistent".to_owned(), plain.clone()),
        ] {
            assert_eq!(argv(&fixture, own, general, path), expected, "{own:?} {general:?}");
        }
        fixture.is_guest = true;
        assert_eq!(argv(&fixture, "", "integer", &folder), plain);
    }

    #[test]
    fn a_game_is_played_out_of_its_archive() {
        use std::io::Write as _;

        let fixture = Fixture::new();
        let path = fixture.folder.path().join("game.zip");
        let mut zip = zip::ZipWriter::new(fs::File::create(&path).expect("made"));
        let options = zip::write::SimpleFileOptions::default().unix_permissions(0o644);
        for (name, bytes) in [("in/a game.nes", &b"rom"[..]), ("start.sh", b"#!/bin/sh\n")] {
            zip.start_file(name, options).expect("started");
            zip.write_all(bytes).expect("written");
        }
        zip.finish().expect("finished");
        let game = |more: Value| {
            let mut game = json!({"name": "A", "path": path, "platform": "NES"});
            game.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
            game
        };
        let profiles = [("profiles", json!({"NES": "echo {path} {stem}"}))];
        let run = |more: Value| fixture.prepare(game(more), &profiles).expect("starts");
        let kept = run(json!({}));
        assert_eq!((kept.spec.argv[1].as_os_str(), &*kept.archive_key), (path.as_os_str(), ""));
        let played = run(json!({"extract_archive": true, "archive_member": "in/a game.nes"}));
        let rom =
            fixture.folder.path().join("cache").join(&played.archive_key).join("in/a game.nes");
        assert_eq!(played.spec.argv[1..], [rom.as_os_str(), OsStr::new("a game")]);
        assert_eq!(played.spec.cwd.as_deref(), rom.parent());
        let own = json!({"extract_archive": true, "launch": "echo {name}"});
        assert_eq!(run(own).archive_key, "", "a command without the file needs none");
        let script = json!({"extract_archive": true, "archive_member": "start.sh"});
        let script = fixture.prepare(game(script), &[]).expect("starts");
        assert!(Path::new(&script.spec.argv[0]).ends_with("bash"));
        let gone = json!({"extract_archive": true, "archive_member": "gone"});
        fixture.refused(game(gone), "Archive member not found: gone");
    }
}
