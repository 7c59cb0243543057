//! How a game starts on this machine: the plan that a launch carries out and the doctor examines.
//!
//! A plan is made without side effects. What prevents the launch is part of it.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};

use super::{
    archives::{Packed, cache::ArchiveCache},
    cores,
    invocation::{self, Choice, Chosen, Players},
    machine::{FirstDisc, Kind, Machine},
    mame,
};
use crate::{
    config::settings::read,
    formats::{command_line, launch_env, m3u},
    model::Record,
    probe::packages::TOOL,
};

/// What plans are made from, besides the game.
pub struct PlanContext<'a> {
    /// Stored launch profiles.
    pub profiles: &'a Map<String, Value>,
    /// Stored settings.
    pub settings: &'a Map<String, Value>,
    /// The data directory, for commands that name it.
    pub data_dir: &'a Path,
    /// This machine.
    pub machine: &'a dyn Machine,
}

/// What prevents a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The game has no path, and its command needs one.
    Path,
    /// Nothing is at the path.
    File,
    /// The disc that the playlist names first is not there.
    Disc,
    /// The playlist names no disc.
    Discs,
    /// Nothing plays the file, and it does not start by itself.
    Player,
    /// The command has no words.
    Words,
    /// The program of the command is not installed.
    Program,
    /// The program has no core that plays the game, though cores are installed.
    Core,
}

/// How a game starts.
#[derive(Debug)]
pub struct Plan {
    /// The file that is played.
    pub path: PathBuf,
    /// What is at the path.
    pub kind: Kind,
    /// The state of the first disc of a playlist; of everything else, that it exists.
    pub first_disc: FirstDisc,
    /// The command, and where it came from.
    pub chosen: Chosen,
    /// The launch profile in force, the platform when none is named.
    pub profile: String,
    /// The member to extract first, blank for the largest one; `None` when nothing is extracted. The
    /// launch then plans again with the extracted file.
    pub member: Option<String>,
    /// The program as the command spells it, and its arguments.
    pub argv: Vec<OsString>,
    /// Where the program is, or the first thing that is missing.
    pub program: Result<PathBuf, Missing>,
    /// The working directory.
    pub cwd: PathBuf,
    /// The changes to the environment of this program; `None` removes a variable.
    pub env: Vec<(OsString, Option<OsString>)>,
}

impl Plan {
    /// Plans the start of a game whose file is at `path`.
    pub fn of(record: &Record, path: &Path, context: &PlanContext<'_>) -> Self {
        let machine = context.machine;
        let command_of = |definition: &_| machine.command_of(definition);
        let is_file = |path: &Path| machine.kind(path) == Kind::File;
        let instead = |core: &Path, platform: &str| machine.core_instead(core, platform);
        let find_core = |argv: &mut [OsString]| {
            cores::replace(argv, record, |name| machine.find_core(name));
            cores::heal(argv, record, machine.home(), is_file, instead);
        };
        let is_complete = |command: &str| {
            let words = command_line::split(command).into_iter();
            let mut argv: Vec<OsString> = words.map(OsString::from).collect();
            find_core(&mut argv);
            cores::of_command(&argv).is_none_or(is_file)
        };
        let players = Players {
            profiles: context.profiles,
            catalog: machine.catalog(),
            command_of: &command_of,
            is_complete: &is_complete,
        };
        let kind = machine.kind(path);
        let is_extracted = record.flag("extract_archive");
        let member = record.text("archive_member").trim();
        // One game of several in an archive cannot be started without its name.
        let is_one = !member.is_empty() && path == Path::new(record.text("path").trim());
        let is_packed = (is_extracted || is_one)
            && path.is_absolute()
            && kind != Kind::Nothing
            && ArchiveCache::takes(path);
        let member = is_packed.then_some(member);
        // The file that is played decides how the game starts, not its archive.
        let largest =
            member.filter(|member| member.is_empty()).and_then(|_| machine.packed(path, ""));
        let named = member.filter(|member| !member.is_empty());
        let played = largest.as_ref().map(|packed| packed.name.as_str()).or(named);
        let chosen = Chosen::of(record, played.map_or(path, Path::new), &players);
        let member = member.filter(|_| chosen.choice.needs_path()).map(str::to_owned);
        let packed = largest.or_else(|| {
            let is_program = chosen.choice.starts_file();
            member.as_deref().filter(|_| is_program).and_then(|member| machine.packed(path, member))
        });
        let profile = invocation::effective_profile(record, context.profiles).to_owned();
        // Paths of storefront entries are the name of a program; those have no folder to start in.
        let cwd = path.parent().filter(|_| path.is_absolute()).unwrap_or(machine.home());
        let (path, cwd) = (path.to_owned(), cwd.to_owned());
        let (argv, env) = (Vec::new(), environment(record, context.settings));
        let program = Err(Missing::Words);
        let is_list = kind == Kind::File && chosen.choice.needs_path() && m3u::is_list(&path);
        let first_disc = if is_list { machine.first_disc(&path) } else { FirstDisc::There };
        let mut plan =
            Self { path, kind, first_disc, chosen, profile, member, argv, program, cwd, env };
        let emulator = plan.chosen.choice.program(machine.home());
        let emulator = emulator.and_then(|program| plan.find(&program, machine));
        let emulator_dir = emulator.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let choice = &plan.chosen.choice;
        let (home, data_dir) = (machine.home(), context.data_dir);
        plan.argv = choice.argv(record, &plan.path, home, data_dir, emulator_dir);
        find_core(&mut plan.argv);
        let opens = |member: &str| cores::open_member(&mut plan.argv, &plan.path, member);
        if !is_extracted && plan.member.as_deref().is_some_and(opens) {
            plan.member = None;
        }
        if matches!(plan.chosen.choice, Choice::Player(_)) {
            mame::add_folder(&mut plan.argv, &plan.path, || machine.arcade_folders());
        }
        let packed = packed.filter(|_| plan.member.is_some());
        plan.program = plan.locate(machine, packed.as_ref());
        plan
    }

    /// Where a program is for this game, whose environment may have its own search path.
    pub fn find(&self, program: &OsStr, machine: &dyn Machine) -> Option<PathBuf> {
        let own = self.env.iter().find(|(name, _)| name == "PATH");
        let own = own.and_then(|(_, value)| value.clone());
        let search_path = own.or_else(|| env::var_os("PATH")).unwrap_or_default();
        machine.find_program(program, &search_path, &self.cwd)
    }

    /// Whether the program runs as a sandboxed package.
    pub fn is_packaged(&self) -> bool {
        let is_tool = |program: &PathBuf| program.file_name().is_some_and(|name| name == TOOL);
        self.program.as_ref().is_ok_and(is_tool)
            && self.argv.get(1).is_some_and(|word| word == "run")
    }

    /// How many words of the command name the program: those of a sandboxed package also say that it
    /// runs, and which.
    pub fn program_words(&self) -> usize {
        if self.is_packaged() { 3 } else { 1 }
    }

    /// Where the program is; `packed` is the file that is extracted first, where it is known.
    fn locate(&self, machine: &dyn Machine, packed: Option<&Packed>) -> Result<PathBuf, Missing> {
        let (path, choice) = (&self.path, &self.chosen.choice);
        if path.as_os_str().is_empty() && choice.needs_path() {
            return Err(Missing::Path);
        }
        if path.is_absolute() && self.kind == Kind::Nothing {
            return Err(Missing::File);
        }
        match self.first_disc {
            FirstDisc::There => {}
            FirstDisc::Gone(_) => return Err(Missing::Disc),
            FirstDisc::Unnamed => return Err(Missing::Discs),
        }
        let starts_itself = || match packed {
            Some(packed) => packed.starts_itself,
            None => path.is_absolute() && machine.starts_itself(path),
        };
        if *choice == Choice::File && !starts_itself() {
            return Err(Missing::Player);
        }
        let program = self.argv.first().ok_or(Missing::Words)?;
        if packed.is_some_and(|packed| packed.is_executable) && Path::new(program) == path {
            return Ok(path.clone());
        }
        let program = self.find(program, machine).ok_or(Missing::Program)?;
        // Where no core is found at all, the emulator may keep its cores in a folder that is not searched.
        let is_missing = |core: &Path| machine.kind(core) != Kind::File && machine.has_cores();
        match cores::of_command(&self.argv) {
            Some(core) if is_missing(core) => Err(Missing::Core),
            _ => Ok(program),
        }
    }
}

/// The changes to the environment of this program: the overlay, then the game's own pairs over it.
fn environment(
    record: &Record,
    settings: &Map<String, Value>,
) -> Vec<(OsString, Option<OsString>)> {
    let mut env: Vec<(OsString, Option<OsString>)> = Vec::new();
    let overlay = match record.text("overlay") {
        "on" => Some(true),
        "off" => Some(false),
        _ => read::flag(settings, "overlay_enabled").then_some(true),
    };
    let overlay_pairs = [("MANGOHUD", "1"), ("MANGOHUD_CONFIG", "font_size=24,no_display")];
    if let Some(on) = overlay {
        env.extend(overlay_pairs.map(|(name, value)| (name.into(), on.then(|| value.into()))));
    }
    let own = record.get("launch_env").map(launch_env::stored_pairs).unwrap_or_default();
    env.extend(own.into_iter().map(|(name, value)| (name.into(), Some(value.into()))));
    env
}
