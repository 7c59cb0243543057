//! Which command starts a game.
//!
//! The first existing one wins: the game's own command, its chosen emulator definition, the profile
//! it names or else that of its platform, the best installed emulator of the platform, `bash` for a
//! shell script, the file itself. What an import chose for a platform that the game no longer has does
//! not count. Works on values without reading the disk.

use std::{ffi::OsString, path::Path, sync::Arc};

use serde_json::{Map, Value};

use crate::{
    formats::command_line::{self, MissingPath, Tokens},
    model::{
        Record,
        emulators::{Catalog, Definition},
    },
    platforms,
};

/// How a game is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A command of the game itself; it may do without the path.
    Own(String),
    /// A command that plays any file of a kind; the path is put at its end when it names none.
    Player(String),
    /// The file is a shell script.
    Shell,
    /// The file starts by itself.
    File,
}

/// What there is to start games with, besides the record.
pub struct Players<'a> {
    /// Stored profiles, platform or profile name to command.
    pub profiles: &'a Map<String, Value>,
    /// The emulator definitions.
    pub catalog: &'a Catalog,
    /// The command of an emulator definition; `None` when it is not installed. May take long.
    pub command_of: &'a dyn Fn(&Definition) -> Option<String>,
    /// Whether what such a command loads is there: a core may be missing although its emulator is
    /// installed.
    pub is_complete: &'a dyn Fn(&str) -> bool,
}

/// A choice and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The choice.
    pub choice: Choice,
    /// 1 the game's own command, 2 its emulator definition, 3 a profile, 4 the best installed
    /// definition, 5 the file itself.
    pub precedence: u8,
    /// The definition, where one decided.
    pub definition: Option<Arc<Definition>>,
}

impl Chosen {
    /// The choice for a stored game whose file is at `path`, with its origin.
    pub fn of(game: &Record, path: &Path, players: &Players<'_>) -> Self {
        let from = |choice, precedence, definition| Self { choice, precedence, definition };
        let own = game.text("launch").trim();
        if !own.is_empty() && !is_of_another_platform(game, own, players.catalog) {
            return from(Choice::Own(own.to_owned()), 1, None);
        }
        if let Some(named) = named_definition(game, players.catalog)
            && let Some(command) = (players.command_of)(named)
        {
            return from(Choice::Player(command), 2, Some(Arc::clone(named)));
        }
        if let Some(command) = profile(players.profiles, effective_profile(game, players.profiles))
        {
            return from(Choice::Player(command.to_owned()), 3, None);
        }
        if let Some((best, command)) = best_of(game, path, players) {
            return from(Choice::Player(command), 4, Some(Arc::clone(best)));
        }
        from(Choice::of_file(path), 5, None)
    }
}

impl Choice {
    /// The choice for a file that nothing plays.
    pub fn of_file(path: &Path) -> Self {
        let is_script = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("sh"));
        if is_script { Self::Shell } else { Self::File }
    }

    /// Whether the game cannot be started without its file.
    pub fn needs_path(&self) -> bool {
        match self {
            Self::Own(command) => {
                let parts =
                    ["{dir}", "{Dir}", "{file}", "{File}", "{stem}", "{FileNameWithoutExtension}"];
                command_line::names_path(command) || parts.iter().any(|part| command.contains(part))
            }
            Self::Player(_) | Self::Shell | Self::File => true,
        }
    }

    /// Whether the file of the game is itself the program.
    pub fn starts_file(&self) -> bool {
        match self {
            Self::Own(command) => unquoted(command).starts_with('{'),
            Self::File => true,
            Self::Player(_) | Self::Shell => false,
        }
    }

    /// The program and its arguments for a game whose file is at `path`; empty when a command has no
    /// words. A program that a command names from `~/` on is below the home folder.
    pub fn argv(
        &self,
        game: &Record,
        path: &Path,
        home: &Path,
        data_dir: &Path,
        emulator_dir: &Path,
    ) -> Vec<OsString> {
        let tokens = &Tokens {
            path,
            name: &game.shown("name"),
            platform: &game.shown("platform"),
            rom_name: game.text("rom_name"),
            app_id: &game.shown("store_a_app_id"),
            store_b_app_id: &game.shown("store_b_app_id"),
            store_c_id: &game.shown("store_c_id"),
            data_dir,
            emulator_dir,
            definition: None,
        };
        let of_command = |command: &str, missing| {
            let mut argv = command_line::build(command, tokens, missing);
            // A value of a token is never read again.
            let is_at_home = unquoted(command).starts_with("~/");
            if let Some(program) = argv.first_mut().filter(|_| is_at_home) {
                *program = command_line::at_home(program, home);
            }
            argv
        };
        match self {
            Self::Own(command) => of_command(command, MissingPath::Omit),
            Self::Player(command) => of_command(command, MissingPath::Append),
            Self::Shell => vec!["bash".into(), path.into()],
            Self::File => vec![path.into()],
        }
    }

    /// The program of the command with its tokens, to find the folder of the emulator.
    pub fn program(&self, home: &Path) -> Option<OsString> {
        match self {
            Self::Own(command) | Self::Player(command) => {
                let program = command_line::split(command).into_iter().next()?;
                Some(command_line::at_home(program.as_ref(), home))
            }
            Self::Shell | Self::File => None,
        }
    }
}

/// A command from the first character of its program on.
fn unquoted(command: &str) -> &str {
    command.trim_start().trim_start_matches(['\'', '"'])
}

/// The name of the profile a game is played with: its own where there is such a profile, else its
/// platform, by the name that this program has for it where only that one has a profile. Also the key of
/// its performance profile.
pub fn effective_profile<'a>(game: &'a Record, profiles: &Map<String, Value>) -> &'a str {
    let (own, platform) = (game.text("launch_profile").trim(), game.text("platform"));
    let known = platforms::by_listed_name(platform).map_or("", |known| known.name);
    let names = [own, platform, known].into_iter();
    names.into_iter().find(|name| profile(profiles, name).is_some()).unwrap_or(platform)
}

/// The best installed definition. The emulator picked for the game at its import comes first, and
/// definitions that list the file's extension before others. One without its core only counts when no
/// other is installed.
fn best_of<'a>(
    game: &Record,
    path: &Path,
    players: &Players<'a>,
) -> Option<(&'a Arc<Definition>, String)> {
    let picked = game.text("recommended_emulator");
    let extension = path.extension().map(|end| end.to_string_lossy().to_lowercase());
    let extension = extension.unwrap_or_default();
    let mut definitions = players.catalog.ranked(game.text("platform"));
    // The sort is stable: behind these the rank decides.
    definitions.sort_by_key(|definition| {
        (definition.app.id != picked, !definition.extensions.contains(&extension))
    });
    let commands =
        definitions.into_iter().filter_map(|each| Some((each, (players.command_of)(each)?)));
    let mut first = None;
    for (definition, command) in commands {
        if (players.is_complete)(&command) {
            return Some((definition, command));
        }
        first.get_or_insert((definition, command));
    }
    first
}

/// Whether an import wrote this command for another platform than the game has now, and an emulator
/// plays that one. A command that was edited since counts always.
fn is_of_another_platform(game: &Record, command: &str, catalog: &Catalog) -> bool {
    let Some(written) = game.get("import_command") else { return false };
    let platform = game.text("platform");
    written["launch"].as_str().map(str::trim) == Some(command)
        && written["platform"].as_str() != Some(platform)
        && catalog.of_platform(platform).next().is_some()
}

/// The definition a game was imported with: named by itself, or by an emulator that plays the
/// game's platform in one way only. A scan chose `emulator_def` for the platform that the game had
/// then: once the platform is another one that an emulator plays, it does not count.
pub fn named_definition<'a>(game: &Record, catalog: &'a Catalog) -> Option<&'a Arc<Definition>> {
    let named = |key| catalog.definition(game.text(key));
    let is_of_platform = |definition: &&Arc<Definition>| {
        let mut players = catalog.of_platform(game.text("platform")).peekable();
        players.peek().is_none() || players.any(|player| player.id == definition.id)
    };
    named("emulator_adapter_id").or_else(|| named("emulator_def").filter(is_of_platform)).or_else(
        || {
            let app = game.text("emulator_id");
            let mut of_app =
                catalog.of_platform(game.text("platform")).filter(|each| each.app.id == app);
            of_app.next().filter(|_| of_app.next().is_none())
        },
    )
}

fn profile<'a>(profiles: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    profiles.get(name)?.as_str().map(str::trim).filter(|command| !command.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::definitions::bundled;

    fn choice(game: Value, installed: &[&str]) -> Choice {
        let profiles = json!({"NES": "nes-player {path}", "Mine": "mine", "Blank": " "});
        let command_of = |definition: &Definition| {
            installed.contains(&definition.id.as_str()).then(|| definition.id.clone())
        };
        let catalog = bundled::catalog();
        let players = Players {
            profiles: profiles.as_object().expect("an object"),
            catalog: &catalog,
            command_of: &command_of,
            is_complete: &|command| command != "retroarch-atari-2600",
        };
        let game: Record = serde_json::from_value(game).expect("an object");
        Chosen::of(&game, Path::new(game.text("path")), &players).choice
    }

    fn player(command: &str) -> Choice {
        Choice::Player(command.to_owned())
    }

    #[test]
    fn the_first_there_is_wins() {
        let all = ["retroarch-nes", "mame-arcade", "retroarch-arcade", "dolphin-wii"];
        let nes = |more: Value| {
            let mut game = json!({"platform": "NES", "path": "/r/a.sh"});
            game.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
            game
        };
        let own = nes(json!({"launch": " run ", "emulator_def": "retroarch-nes"}));
        assert_eq!(choice(own, &all), Choice::Own("run".to_owned()));
        let imported = |platform: &str, launch: &str| {
            let written = json!({"launch": "arcade {path}", "platform": "Arcade"});
            json!({"launch": launch, "import_command": written, "platform": platform, "path": "/r/a"})
        };
        let by_import = Choice::Own("arcade {path}".to_owned());
        assert_eq!(choice(imported("Arcade", "arcade {path}"), &all), by_import);
        assert_eq!(choice(imported("No such machine", "arcade {path}"), &all), by_import);
        assert_eq!(choice(imported("Wii", "arcade {path}"), &all), player("dolphin-wii"));
        let edited = choice(imported("Wii", "mine {path}"), &all);
        assert_eq!(edited, Choice::Own("mine {path}".to_owned()), "the user wrote it");
        let by_scan = |platform: &str| json!({"emulator_def": "retroarch-arcade", "platform": platform, "path": "/r/a"});
        assert_eq!(choice(by_scan("Arcade"), &all), player("retroarch-arcade"));
        assert_eq!(choice(by_scan("No such machine"), &all), player("retroarch-arcade"));
        assert_eq!(choice(by_scan("Wii"), &all), player("dolphin-wii"), "another platform now");
        let by_person = nes(json!({"emulator_adapter_id": "mame-arcade"}));
        assert_eq!(choice(by_person, &all), player("mame-arcade"), "the user chose it");
        assert_eq!(
            choice(nes(json!({"emulator_def": "retroarch-nes"})), &[]),
            player("nes-player {path}")
        );
        let by_app = nes(json!({"emulator_id": "org.libretro.RetroArch"}));
        assert_eq!(choice(by_app, &all), player("retroarch-nes"));
        let arcade = |picked: &str| json!({"platform": "Arcade", "path": "/r/a.zip", "recommended_emulator": picked});
        assert_eq!(choice(arcade(""), &all), player("mame-arcade"));
        assert_eq!(choice(arcade("org.libretro.RetroArch"), &all), player("retroarch-arcade"));
        let gone = choice(arcade("org.libretro.RetroArch"), &["mame-arcade"]);
        assert_eq!(gone, player("mame-arcade"));
        let two_ways = json!({"platform": "GameCube", "emulator_id": "org.DolphinEmu.dolphin-emu", "path": "/g"});
        assert_eq!(choice(two_ways, &["dolphin-iso"]), player("dolphin-iso"));
        assert_eq!(choice(nes(json!({"launch_profile": "Mine"})), &all), player("mine"));
        assert_eq!(
            choice(nes(json!({"launch_profile": "Gone"})), &all),
            player("nes-player {path}")
        );
        let arcade = json!({"platform": "Arcade", "path": "/r/a.zip"});
        assert_eq!(choice(arcade.clone(), &all), player("mame-arcade"));
        assert_eq!(choice(arcade.clone(), &["retroarch-arcade"]), player("retroarch-arcade"));
        assert_eq!(choice(arcade, &[]), Choice::File);
        let dos = |path: &str| {
            choice(json!({"platform": "DOS", "path": path}), &["dosbox-dos", "dosbox-dos-conf"])
        };
        assert_eq!(dos("/r/a.exe"), player("dosbox-dos"));
        assert_eq!(dos("/r/a.CONF"), player("dosbox-dos-conf"));
        let atari = |installed: &[&str]| {
            choice(json!({"platform": "Atari 2600", "path": "/r/a.a26"}), installed)
        };
        let core = "retroarch-atari-2600";
        assert_eq!(atari(&[core]), player(core), "its core is missing, but nothing else is there");
        assert_eq!(atari(&[core, "stella-atari-2600"]), player("stella-atari-2600"));
        assert_eq!(choice(json!({"path": "/r/a.SH", "platform": "Blank"}), &all), Choice::Shell);
        assert_eq!(choice(json!({"path": "/r/sh"}), &all), Choice::File);
    }

    #[test]
    fn the_profile_is_named_by_the_game_only_where_it_exists() {
        let profiles = json!({"Mine": "x"});
        let profiles = profiles.as_object().expect("an object");
        for (own, expected) in [("Mine", "Mine"), ("Gone", "NES"), ("", "NES"), (" Mine ", "Mine")]
        {
            let game = json!({"platform": "NES", "launch_profile": own});
            let game: Record = serde_json::from_value(game).expect("an object");
            assert_eq!(effective_profile(&game, profiles), expected);
        }
    }

    #[test]
    fn a_platform_with_the_name_of_another_program_has_the_profile_of_ours() {
        let profiles = json!({"SNES": "x", "Sony Playstation": "y", "PlayStation": "z"});
        let profiles = profiles.as_object().expect("an object");
        for (platform, expected) in [
            ("Super Nintendo Entertainment System", "SNES"),
            ("Sony Playstation", "Sony Playstation"),
            ("Sega Genesis", "Sega Genesis"),
            ("Odd", "Odd"),
        ] {
            let game = json!({ "platform": platform });
            let game: Record = serde_json::from_value(game).expect("an object");
            assert_eq!(effective_profile(&game, profiles), expected);
        }
    }

    #[test]
    fn only_a_command_of_the_game_may_do_without_the_path() {
        for (command, needs) in [
            ("steam -applaunch 4", false),
            ("x {path}", true),
            ("x {dir}/y", true),
            ("x {name}", false),
        ] {
            assert_eq!(Choice::Own(command.to_owned()).needs_path(), needs, "{command}");
            assert!(Choice::Player(command.to_owned()).needs_path());
        }
        assert!(Choice::File.needs_path() && Choice::Shell.needs_path());
    }
}
