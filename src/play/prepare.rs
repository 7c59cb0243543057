//! From a stored game to what is spawned: command, working directory, environment.
//!
//! The only place of the room that looks at the disk before a launch.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use super::{
    detection::Detector,
    error::LaunchError,
    invocation::{self, Choice, Players},
    profiles,
};
use crate::{
    config::settings::read,
    formats::{command_line::Tokens, launch_env},
    model::{game::Game, record::Record, state::State},
    process::{search, spawn::Spec},
};

/// Where the service lives, as far as a command may ask.
#[derive(Debug)]
pub(super) struct Surroundings {
    pub(super) data_dir: PathBuf,
    pub(super) home: PathBuf,
    pub(super) detector: Detector,
}

/// What is spawned for a game.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) spec: Spec,
    /// The launch profile in force, the platform when none is named.
    pub(super) profile: String,
}

/// Chooses the command of a game, fills it in and checks that it can start.
pub(super) fn prepare(
    game: &Game,
    state: &State,
    around: &Surroundings,
) -> Result<Prepared, LaunchError> {
    let record = game.record();
    let path = Path::new(game.path().trim());
    let profiles = profiles::stored(state);
    let command_of = |definition: &_| around.detector.command_of(definition);
    let choice = Choice::of(&record, &Players { profiles: &profiles, command_of: &command_of });
    check_path(game, path, &choice)?;
    // Paths of storefront entries are the name of a program; those have no folder to start in.
    let cwd = path.parent().filter(|_| path.is_absolute()).unwrap_or(&around.home);
    let env = environment(&record, state);
    let search_path = env
        .iter()
        .find(|(name, _)| name == "PATH")
        .and_then(|(_, value)| value.clone())
        .or_else(|| env::var_os("PATH"))
        .unwrap_or_default();
    let argv = arguments(game, &record, &choice, around, &search_path, cwd)?;
    let profile = invocation::effective_profile(&record, &profiles).to_owned();
    Ok(Prepared { spec: Spec { argv, cwd: Some(cwd.to_owned()), env }, profile })
}

fn check_path(game: &Game, path: &Path, choice: &Choice) -> Result<(), LaunchError> {
    let name = || game.name().to_owned();
    if path.as_os_str().is_empty() && choice.needs_path() {
        return Err(LaunchError::NoPath { name: name() });
    }
    if path.is_absolute() && !path.exists() {
        return Err(LaunchError::PathGone { path: path.to_owned() });
    }
    if *choice == Choice::File && !(path.is_absolute() && search::is_executable(path)) {
        return Err(LaunchError::NotExecutable { name: name() });
    }
    Ok(())
}

/// The filled-in command with the program as an absolute path.
fn arguments(
    game: &Game,
    record: &Record,
    choice: &Choice,
    around: &Surroundings,
    search_path: &OsStr,
    cwd: &Path,
) -> Result<Vec<OsString>, LaunchError> {
    let find = |program: &OsStr| search::find_program(program, search_path, cwd);
    let emulator = choice.program().and_then(|program| find(program.as_ref()));
    let tokens = Tokens {
        path: Path::new(game.path().trim()),
        name: game.name(),
        platform: game.platform(),
        rom_name: record.text("rom_name"),
        app_id: &record.shown("store_a_app_id"),
        store_b_app_id: &record.shown("store_b_app_id"),
        store_c_id: &record.shown("store_c_id"),
        data_dir: &around.data_dir,
        emulator_dir: emulator.as_deref().and_then(Path::parent).unwrap_or(Path::new("")),
        definition: None,
    };
    let mut argv = choice.argv(&tokens);
    let Some(program) = argv.first_mut() else {
        return Err(LaunchError::NotExecutable { name: game.name().to_owned() });
    };
    let missing = || LaunchError::ProgramMissing { program: program.clone() };
    let found = find(program).ok_or_else(missing)?;
    *program = found.into_os_string();
    Ok(argv)
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
    use std::{fs, os::unix::fs::PermissionsExt as _, sync::Arc};

    use serde_json::{Value, json};

    use super::*;
    use crate::model::draft::Draft;

    struct Fixture {
        folder: tempfile::TempDir,
    }

    impl Fixture {
        fn new() -> Self {
            Self { folder: tempfile::tempdir().expect("a folder") }
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
            let around = Surroundings {
                data_dir: "/data".into(),
                home: self.folder.path().to_owned(),
                detector: Detector::new(self.folder.path()),
            };
            prepare(&game, &state, &around)
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
}
