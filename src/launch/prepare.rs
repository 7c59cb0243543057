//! From a stored game to what is spawned: command, working directory, environment.
//!
//! The command comes from [`Plan`]; added here are the extraction of archives, what plugins change and the
//! compositor.

use std::{
    collections::HashSet,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    archives::cache::ArchiveCache,
    detection::Detector,
    error::LaunchError,
    machine::Local,
    plan::{Missing, Plan, PlanContext},
    profiles,
};
use crate::{
    config::settings::{compositor, read},
    model::{Game, Record, State},
    process::Spec,
};

/// The program that shows a game in a window of another size.
const COMPOSITOR: &str = "gamescope";

/// Changes the command of a launch and its folder, or cancels it.
pub type Rewrite = Box<
    dyn Fn(&State, &Game, Vec<OsString>, PathBuf) -> Result<(Vec<OsString>, PathBuf), LaunchError>
        + Send
        + Sync,
>;

/// What a launch needs from outside.
pub struct LaunchContext {
    pub data_dir: PathBuf,
    pub home: PathBuf,
    pub detector: Arc<Detector>,
    pub archives: ArchiveCache,
    /// Whether this session runs inside the compositor already.
    pub is_guest: bool,
    /// Called with every command before the compositor is put around it.
    pub rewrite: Option<Rewrite>,
}

/// What is spawned for a game, once [`Prepared::finish`] was called.
#[derive(Debug)]
pub struct Prepared {
    pub spec: Spec,
    /// The words of the compositor, in front of the command; none without one.
    compositor: Vec<OsString>,
    /// The launch profile in force, the platform when none is named.
    pub profile: String,
    /// Folder of the archive cache that holds the game; empty when it was not extracted.
    pub archive_key: String,
}

/// Plans the start of a game whose file is at `path`.
pub fn plan(record: &Record, path: &Path, state: &State, context: &LaunchContext) -> Plan {
    let plans = PlanContext {
        profiles: &profiles::stored(state),
        settings: state.settings(),
        data_dir: &context.data_dir,
        machine: &Local::new(&context.detector, &context.home),
    };
    Plan::of(record, path, &plans)
}

/// Plans the start of a game, has its archive extracted where that is wanted and checks that nothing
/// is missing. `in_use` returns the extracted archives that games run from; `more` returns further
/// words for the program of a plan, which stand in front of its own arguments: some emulators take
/// none behind the file.
pub fn prepare(
    game: &Game,
    state: &State,
    context: &LaunchContext,
    in_use: impl Fn() -> HashSet<String>,
    more: impl FnOnce(&Plan) -> Vec<OsString>,
) -> Result<Prepared, LaunchError> {
    let record = game.record();
    let machine = Local::new(&context.detector, &context.home);
    let plans = PlanContext {
        profiles: &profiles::stored(state),
        settings: state.settings(),
        data_dir: &context.data_dir,
        machine: &machine,
    };
    let mut plan = Plan::of(&record, Path::new(game.path().trim()), &plans);
    let mut archive_key = String::new();
    if let Some(member) = &plan.member {
        let extracted = context.archives.extract(&plan.path, member, in_use)?;
        plan = Plan::of(&record, &extracted.path, &plans);
        archive_key = extracted.key;
    }
    let program = plan.program.as_ref().map_err(|missing| refusal(*missing, game, &plan))?;
    let program = [program.clone().into_os_string()].into_iter();
    let mut argv: Vec<OsString> = program.chain(plan.argv.iter().skip(1).cloned()).collect();
    let at = plan.program_words().min(argv.len());
    argv.splice(at..at, more(&plan));
    let find = |program: &OsStr| plan.find(program, &machine);
    let compositor = if context.is_guest {
        Vec::new()
    } else {
        compositor_words(&record, state, &find).unwrap_or_default()
    };
    let spec = Spec { argv, cwd: Some(plan.cwd), env: plan.env };
    Ok(Prepared { spec, compositor, profile: plan.profile, archive_key })
}

impl Prepared {
    /// Lets `context` change or cancel the launch and puts the compositor around the command. It comes after
    /// the power limit was set, which a plugin may rely on.
    ///
    /// # Errors
    /// What cancels the launch.
    pub fn finish(
        &mut self,
        game: &Game,
        state: &State,
        context: &LaunchContext,
    ) -> Result<(), LaunchError> {
        if let Some(rewrite) = &context.rewrite {
            let (argv, cwd) = (self.spec.argv.clone(), self.spec.cwd.clone().unwrap_or_default());
            let (argv, cwd) = rewrite(state, game, argv, cwd)?;
            (self.spec.argv, self.spec.cwd) = (argv, Some(cwd));
        }
        self.spec.argv.splice(0..0, self.compositor.drain(..));
        Ok(())
    }
}

fn refusal(missing: Missing, game: &Game, plan: &Plan) -> LaunchError {
    let name = game.name().to_owned();
    match missing {
        Missing::Path => LaunchError::NoPath { name },
        Missing::File => LaunchError::PathGone { path: plan.path.clone() },
        Missing::Disc => LaunchError::DiscGone { disc: plan.first_disc.name() },
        Missing::Discs => LaunchError::NoDiscs { name },
        Missing::Core => LaunchError::CoreMissing,
        Missing::Player | Missing::Words => LaunchError::NotExecutable { name },
        Missing::Program => {
            LaunchError::ProgramMissing { program: plan.argv.first().cloned().unwrap_or_default() }
        }
    }
}

/// What stands in front of a command inside the compositor, when a preset is chosen and the compositor
/// is there. The game's own preset wins; one that does not exist, such as `none`, means without.
fn compositor_words(
    record: &Record,
    state: &State,
    find: &dyn Fn(&OsStr) -> Option<PathBuf>,
) -> Option<Vec<OsString>> {
    let own = record.text("compositor_preset").trim();
    let general = read::text(state.settings(), "compositor_preset");
    let name = if own.is_empty() { general.trim() } else { own };
    if name.is_empty() {
        return None;
    }
    let customs = read::value(state.settings(), "compositor_custom_presets");
    let arguments = compositor::arguments_of(name, &customs);
    let (Some(arguments), Some(program)) = (arguments, find(COMPOSITOR.as_ref())) else {
        log::info!("the compositor preset {name:?} is skipped");
        return None;
    };
    let arguments = arguments.into_iter().map(Into::into);
    let before = [program.into_os_string()].into_iter().chain(arguments);
    Some(before.chain(["--".into()]).collect())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use serde_json::{Value, json};

    use super::*;
    use crate::{
        definitions::loader::Definitions,
        files::Files,
        launch::doctor::examine::{Scene, examine},
        model::Draft,
    };

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

        /// Prepares a launch, and checks that the doctor reports what the launch refuses.
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
            let context = LaunchContext {
                data_dir: "/data".into(),
                home: self.folder.path().to_owned(),
                detector: Arc::new(Detector::new(
                    self.folder.path(),
                    &self.folder.path().join(".config"),
                    definitions,
                )),
                archives: ArchiveCache::new(Files::system(), self.folder.path().join("cache")),
                is_guest: self.is_guest,
                rewrite: None,
            };
            let prepared = prepare(&game, &state, &context, HashSet::new, |_| Vec::new());
            let prepared = prepared.and_then(|mut prepared| {
                prepared.finish(&game, &state, &context)?;
                Ok(prepared)
            });
            let plans = PlanContext {
                profiles: &profiles::stored(&state),
                settings: state.settings(),
                data_dir: &context.data_dir,
                machine: &Local::new(&context.detector, &context.home),
            };
            let verdict = examine(&game.record(), &Scene { plans, deep: true });
            assert_eq!(verdict.status() == "blocked", prepared.is_err(), "{verdict:?}");
            if let Some(prepared) =
                prepared.as_ref().ok().filter(|each| each.archive_key.is_empty())
            {
                let arguments = verdict.resolved.argv[1..].iter().map(OsString::from);
                assert!(prepared.spec.argv.ends_with(&arguments.collect::<Vec<_>>()));
                assert_eq!(verdict.resolved.cwd.map(PathBuf::from), prepared.spec.cwd);
            }
            prepared
        }

        #[track_caller]
        fn refused(&self, game: Value, expected: &str) {
            let error = self.prepare(game, &[]).expect_err("refused");
            assert_eq!(error.to_string(), expected);
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
    fn a_playlist_without_its_first_disc_is_refused() {
        let fixture = Fixture::new();
        let list = fixture.file("Saga.m3u", 0o644);
        let game = json!({"name": "Saga", "path": list, "launch": "/bin/echo {path}"});
        fs::write(&list, "a (Disc 1).cue\na (Disc 2).cue\n").expect("written");
        let message = "The first disc of the playlist no longer exists: a (Disc 1).cue";
        fixture.refused(game.clone(), message);
        fixture.file("a (Disc 1).cue", 0o644);
        fixture.prepare(game.clone(), &[]).expect("the first one starts the game");
        fs::write(&list, "#EXTM3U\n").expect("written");
        fixture.refused(game, "The playlist of Saga names no disc.");
    }

    #[test]
    fn the_doctor_reports_what_a_launch_refuses() {
        let fixture = Fixture::new();
        let rom = fixture.file("a.rom", 0o644);
        let script = fixture.file("a.sh", 0o644);
        let program = fixture.file("a.bin", 0o755);
        let archive = fixture.file("a.zip", 0o644);
        for (path, launch, search_path, is_ready) in [
            ("", "sh -c true", "/bin", true),
            ("", "sh {path}", "/bin", false),
            ("/nonexistent/a", "sh {path}", "/bin", false),
            (&rom, "", "/bin", false),
            (&rom, "sh", "/bin", true),
            (&rom, "sh", "/nonexistent", false),
            (&rom, "''", "/bin", false),
            (&rom, "{path}", "/bin", false),
            (&program, "{path} -x", "/bin", true),
            (&program, "", "/nonexistent", true),
            (&script, "", "/bin", true),
            (&script, "", "/nonexistent", false),
            (&archive, "", "/bin", false),
            ("xdg-open", "sh", "/bin", true),
            ("xdg-open", "", "/bin", false),
        ] {
            let game = json!({"name": "A", "path": path, "launch": launch,
                "launch_env": {"PATH": search_path}});
            let is_prepared = fixture.prepare(game.clone(), &[]).is_ok();
            assert_eq!(is_prepared, is_ready, "{game}");
        }
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
    fn a_command_may_name_a_program_below_the_home_folder() {
        let fixture = Fixture::new();
        let rom = fixture.file("a.rom", 0o644);
        let player = fixture.file("player", 0o755);
        let profiles = [("profiles", json!({"NES": "~/player"}))];
        let folder = fixture.folder.path().to_str().expect("text");
        for (launch, expected) in [
            ("~/player {EmulatorDir} ~/x", [&*player, folder, "~/x"].as_slice()),
            ("'~/player' {path}", &[&player, &rom]),
            ("", &[&player, &rom]),
        ] {
            let game = json!({"name": "A", "path": rom, "platform": "NES", "launch": launch});
            let prepared = fixture.prepare(game, &profiles).expect("starts");
            assert_eq!(prepared.spec.argv, expected, "{launch}");
        }
        let gone = json!({"name": "A", "path": rom, "launch": "~/gone {path}"});
        let message = format!("The launch command was not found: {folder}/gone");
        fixture.refused(gone, &message);
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
        let context = |arguments: &[&str]| {
            let words = [&[compositor.as_str()], arguments, &["--", program.as_str()]].concat();
            words.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let plain = vec![program.clone()];
        for (own, general, path, expected) in [
            ("", "", &folder, plain.clone()),
            ("", "integer", &folder, context(&["-F", "integer"])),
            ("Stretch", "integer", &folder, context(&["-F", "stretch"])),
            ("mine", "", &folder, context(&["-W", "640", "-H", "480", "-b"])),
            ("none", "integer", &folder, plain.clone()),
            ("", "integer", &"/nonexistent".to_owned(), plain.clone()),
        ] {
            assert_eq!(argv(&fixture, own, general, path), expected, "{own:?} {general:?}");
        }
        fixture.is_guest = true;
        assert_eq!(argv(&fixture, "", "integer", &folder), plain);
    }

    fn zip_of(path: &Path, mode: u32, members: &[(&str, &[u8])]) {
        use std::io::Write as _;

        let mut zip = zip::ZipWriter::new(fs::File::create(path).expect("made"));
        let options = zip::write::SimpleFileOptions::default().unix_permissions(mode);
        for (name, bytes) in members {
            zip.start_file(*name, options).expect("started");
            zip.write_all(bytes).expect("written");
        }
        zip.finish().expect("finished");
    }

    #[test]
    fn the_only_file_of_an_archive_needs_no_name() {
        let fixture = Fixture::new();
        for (name, mode, bytes, is_ready) in [
            ("run.sh", 0o644, &b"echo\n"[..], true),
            ("run", 0o755, b"#!/bin/sh\n", true),
            ("run", 0o644, b"#!/bin/sh\n", false),
            ("run", 0o755, b"echo\n", false),
        ] {
            let path = fixture.folder.path().join(format!("{name}-{mode}-{}.zip", bytes.len()));
            zip_of(&path, mode, &[(name, bytes), ("read me.txt", b"a longer text")]);
            for launch in ["", "{path} -x"].iter().take(if name == "run" { 2 } else { 1 }) {
                let game = json!({"name": "A", "path": path, "platform": "X", "launch": launch,
                    "extract_archive": true});
                let prepared = fixture.prepare(game, &[]);
                // What a command names is only asked whether it may be executed.
                let is_ready = is_ready || (!launch.is_empty() && mode == 0o755);
                assert_eq!(prepared.is_ok(), is_ready, "{name} {mode:o} {launch}");
            }
        }
    }

    #[test]
    fn a_game_is_played_out_of_its_archive() {
        let fixture = Fixture::new();
        let path = fixture.folder.path().join("game.zip");
        zip_of(
            &path,
            0o644,
            &[("in/a game.nes", b"a rom that is larger"), ("start.sh", b"#!/bin/sh")],
        );
        let game = |more: Value| {
            let mut game = json!({"name": "A", "path": path, "platform": "NES"});
            game.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
            game
        };
        let profiles = [("profiles", json!({"NES": "echo {path} {stem}"}))];
        let run = |more: Value| fixture.prepare(game(more), &profiles).expect("starts");
        let kept = run(json!({}));
        assert_eq!((kept.spec.argv[1].as_os_str(), &*kept.archive_key), (path.as_os_str(), ""));
        let core = fixture.file("x_libretro.so", 0o644);
        let launch = format!("echo -L {core} {{path}}");
        let cored = json!({"archive_member": "in/a game.nes", "launch": launch});
        let opened = run(cored);
        let inside = format!("{}#in/a game.nes", path.display());
        assert_eq!((opened.spec.argv[3].to_str(), &*opened.archive_key), (Some(&*inside), ""));
        let named = run(json!({"archive_member": "in/a game.nes"}));
        let played = run(json!({"extract_archive": true, "archive_member": "in/a game.nes"}));
        assert_eq!(named.spec.argv, played.spec.argv, "one game of an archive");
        let rom =
            fixture.folder.path().join("cache").join(&played.archive_key).join("in/a game.nes");
        assert_eq!(played.spec.argv[1..], [rom.as_os_str(), OsStr::new("a game")]);
        assert_eq!(played.spec.cwd.as_deref(), rom.parent());
        let own = json!({"extract_archive": true, "launch": "echo {name}"});
        assert_eq!(run(own).archive_key, "", "a command without the file needs none");
        let script =
            json!({"extract_archive": true, "archive_member": "start.sh", "platform": "X"});
        let script = fixture.prepare(game(script), &[]).expect("starts");
        assert!(Path::new(&script.spec.argv[0]).ends_with("bash"));
        // Without a name it is the largest file.
        let largest = json!({"extract_archive": true, "platform": "X"});
        fixture.prepare(game(largest), &[]).expect_err("nothing plays it");
        let gone = json!({"extract_archive": true, "archive_member": "gone"});
        fixture.refused(game(gone), "Archive member not found: gone");
    }
}
