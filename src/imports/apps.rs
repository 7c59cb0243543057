//! Games that are more than one file of a known type: entries of desktop menus, and folders that are
//! one game as a whole.
//!
//! A folder is one game when a store installed it for this system (`start.sh` next to `gameinfo`), when
//! it holds the files of a disc of the PlayStation 3, a configuration of DOSBox, or programs for DOS. Everything below it belongs
//! to the game. Which program starts a game for DOS is a guess: the others are kept as versions.

use std::{collections::HashMap, path::Path, sync::Arc};

use crate::{
    base::text,
    formats::{desktop_entry, ini, sfo},
    names,
    process::search,
    scan::{
        extensions::UNKNOWN_PLATFORM,
        references::{App, GameFile},
        systems::FolderSystems,
        tree::Tree,
        walk::{FoundFile, join},
    },
};

use super::{installed::quoted, known::ids_of_address};

/// The platform of programs for DOS.
pub const DOS: &str = "DOS";
const WINDOWS: &str = "Windows";
/// The platform of programs for this system.
pub const LINUX: &str = "Linux";
/// The extension of an entry of a desktop menu.
pub const DESKTOP: &str = "desktop";
/// Bytes that are read of an entry, a configuration and the description of a game.
const TEXT_BYTES: u64 = 64 * 1024;
/// What starts a game that a store installed, and the file next to it with its title.
const STARTER: &str = "start.sh";
const DESCRIPTION: &str = "gameinfo";
/// The platform of discs whose files lie in a folder, where its program lies in that, its name, and where the title is.
const DISC_PLATFORM: &str = "PlayStation 3";
const DISC_FOLDER: &str = "/PS3_GAME";
const DISC_PROGRAMS: &str = "/USRDIR";
const DISC_PROGRAM: &str = "EBOOT.BIN";
const DISC_PARAMETERS: &str = "/PARAM.SFO";
/// The kind of a title that holds what the game of a disc installs.
const DISC_DATA: &str = "GD";
/// What programs of the PSP are called, which hold their parameters.
const PACKED_PROGRAM: &str = "EBOOT.PBP";
/// Programs of a folder whose headers are read to find whether they are for DOS.
const ASKED: usize = 4;
/// Other programs of a game that are kept.
const OTHERS: usize = 20;
/// Extensions of programs for DOS, those that are played rather first.
const PROGRAMS: [&str; 3] = ["exe", "com", "bat"];
/// Prefixes of names of programs that come with games and are not games.
const TOOLS: [&str; 20] = [
    "install", "setup", "uninst", "config", "setsound", "sndset", "soundset", "sound", "readme",
    "order", "dos4gw", "dos32a", "cwsdpmi", "pkunzip", "unzip", "patch", "update", "register",
    "help", "dosbox",
];
/// Names of batch files that start games.
const STARTERS: [&str; 5] = ["start", "go", "run", "play", "game"];
/// The players of configurations; the first that is installed counts.
const PLAYERS: [&str; 3] = ["dosbox", "dosbox-staging", "dosbox-x"];
/// Terminals as a command stands behind them; the first that is installed counts.
const TERMINALS: [&str; 7] = [
    "xdg-terminal-exec",
    "x-terminal-emulator -e",
    "konsole -e",
    "gnome-terminal --",
    "xfce4-terminal -x",
    "foot",
    "xterm -e",
];

/// The files of a walk with the folders that are one game set apart.
#[derive(Debug, Default)]
pub struct Gathered {
    /// Files that are on their own.
    pub files: Vec<FoundFile>,
    /// The games of folders.
    pub apps: Vec<GameFile>,
}

/// Why a folder is one game.
enum Kind {
    /// A store installed it; its title.
    Installed(String),
    /// It holds the files of a disc of the PlayStation 3, or those of an installed title: the folder below it
    /// that holds them.
    Disc(&'static str),
    /// It is for DOS.
    Dos,
}

/// Sets the folders apart that are one game, the outermost of each. `files` are in the order of the
/// walk, `root` is the folder it began with.
pub fn gather(
    tree: &dyn Tree,
    root: &str,
    systems: &FolderSystems,
    files: Vec<FoundFile>,
) -> Gathered {
    let mut homes: HashMap<Arc<str>, Kind> = HashMap::new();
    for group in files.chunk_by(|a, b| a.folder == b.folder) {
        let folder = &group[0].folder;
        if home_of(&homes, folder).is_some() {
            continue;
        }
        if let Some((home, inner)) = disc_around(root, group) {
            homes.insert(Arc::from(home), Kind::Disc(inner));
        } else if let Some(kind) = kind_of(tree, root, systems, group) {
            homes.insert(Arc::clone(folder), kind);
        }
    }
    if homes.is_empty() {
        return Gathered { files, apps: Vec::new() };
    }
    let mut members: HashMap<Arc<str>, Vec<&FoundFile>> = HashMap::new();
    for file in &files {
        if let Some(home) = home_of(&homes, &file.folder) {
            members.entry(home).or_default().push(file);
        }
    }
    let mut apps = Vec::new();
    for (home, files) in members {
        let found = match &homes[&home] {
            Kind::Installed(title) => installed(&home, title, &files),
            Kind::Disc(inner) => disc(tree, &home, inner, &files),
            Kind::Dos => for_dos(tree, &home, &files),
        };
        match found {
            Some(game_file) => apps.push(game_file),
            None => drop(homes.remove(&home)),
        }
    }
    let files = files.into_iter().filter(|file| home_of(&homes, &file.folder).is_none()).collect();
    Gathered { files, apps }
}

/// The folder among `homes` that is this one or above it.
fn home_of(homes: &HashMap<Arc<str>, Kind>, folder: &str) -> Option<Arc<str>> {
    if homes.is_empty() {
        return None;
    }
    let mut folder = folder;
    loop {
        if let Some((home, _)) = homes.get_key_value(folder) {
            return Some(Arc::clone(home));
        }
        folder = folder.rsplit_once('/')?.0;
    }
}

/// Why the folder of these files may be one game.
fn kind_of(
    tree: &dyn Tree,
    root: &str,
    systems: &FolderSystems,
    files: &[FoundFile],
) -> Option<Kind> {
    let folder = &*files[0].folder;
    if files.iter().any(|file| &*file.name == STARTER)
        && let Some(title) = described_title(tree, folder)
    {
        return Some(Kind::Installed(title));
    }
    // The folder of a platform holds many games.
    if systems.own(folder).is_some() {
        return None;
    }
    let is_told =
        files.iter().any(|file| is_configuration(file) || file.platform == DOS && is_program(file));
    let is_asked = || folder != root && holds_programs_for_dos(tree, files);
    (is_told || is_asked()).then_some(Kind::Dos)
}

/// The title in the first line of the description of a game that a store installed.
fn described_title(tree: &dyn Tree, folder: &str) -> Option<String> {
    let bytes = tree.read_start(Path::new(&join(folder, DESCRIPTION)), TEXT_BYTES).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let title = text.lines().next()?.trim_start_matches('\u{feff}').trim().to_owned();
    (!title.is_empty()).then_some(title)
}

/// Whether the platform of the programs follows only from their content, and they are for DOS.
fn holds_programs_for_dos(tree: &dyn Tree, files: &[FoundFile]) -> bool {
    let programs =
        files.iter().filter(|file| file.platform == UNKNOWN_PLATFORM && is_program(file));
    let answers: Vec<bool> =
        programs.take(ASKED).filter_map(|file| is_for_windows(tree, file)).collect();
    !answers.is_empty() && !answers.contains(&true)
}

/// Whether a program is for Windows; `None` for a file that is not a program by its header.
fn is_for_windows(tree: &dyn Tree, file: &FoundFile) -> Option<bool> {
    const HEADER: u64 = 64;
    /// Bytes of the shortest header that a program has.
    const SHORTEST: usize = 28;
    let path = file.path();
    let path = Path::new(&path);
    let header = tree.read_start(path, HEADER).ok()?;
    if !header.starts_with(b"MZ") || header.len() < SHORTEST {
        return None;
    }
    // The place of the header for Windows; those for DOS have anything there.
    let place = header
        .get(0x3c..0x40)
        .map_or(0, |bytes| bytes.iter().rev().fold(0, |place, byte| place << 8 | u64::from(*byte)));
    let mark = tree.read_part(path, place, 2).unwrap_or_default();
    Some(place >= HEADER / 2 && (mark == b"PE" || mark == b"NE"))
}

/// The folder with the files of a disc or of an installed title of the PlayStation 3, when these are those of
/// its program, and the folder below it that holds them.
fn disc_around<'a>(root: &str, files: &'a [FoundFile]) -> Option<(&'a str, &'static str)> {
    let around = files[0].folder.strip_suffix(DISC_PROGRAMS)?;
    let is_program = |file: &FoundFile| file.name.eq_ignore_ascii_case(DISC_PROGRAM);
    let (home, inner) = match around.strip_suffix(DISC_FOLDER) {
        Some(home) => (home, DISC_FOLDER),
        None if names::id::is_serial(name_of(around)) => (around, ""),
        None => return None,
    };
    (home.len() >= root.len() && files.iter().any(is_program)).then_some((home, inner))
}

/// The game of a disc, with the title that the disc has, else that of its folder; of an installed title only
/// one that has a title and can be started.
fn disc(tree: &dyn Tree, home: &str, inner: &str, files: &[&FoundFile]) -> Option<GameFile> {
    let folder = format!("{home}{inner}{DISC_PROGRAMS}");
    let is_program = |file: &&&FoundFile| {
        *file.folder == *folder && file.name.eq_ignore_ascii_case(DISC_PROGRAM)
    };
    let program = files.iter().find(is_program)?;
    let parameters = format!("{home}{inner}{DISC_PARAMETERS}");
    let parameters = tree.read_start(Path::new(&parameters), TEXT_BYTES).unwrap_or_default();
    let title = text::collapse(&sfo::text(&parameters, "TITLE").unwrap_or_default());
    let is_data = sfo::text(&parameters, "CATEGORY").is_some_and(|kind| kind == DISC_DATA);
    if inner.is_empty() && (title.is_empty() || is_data) {
        return None;
    }
    let parsed = names::parse(names::folder::without_system(name_of(home)));
    let title = if title.is_empty() { parsed.title } else { title };
    let app = App { title, tags: parsed.tags, ..App::default() };
    Some(game_file(program, DISC_PLATFORM, app))
}

fn installed(home: &str, title: &str, files: &[&FoundFile]) -> Option<GameFile> {
    let starter = files.iter().find(|file| &*file.folder == home && &*file.name == STARTER)?;
    let app = App { title: title.to_owned(), ..App::default() };
    Some(game_file(starter, LINUX, app))
}

/// The game of a folder for DOS; `None` when something in it is for another platform, or when nothing
/// starts it.
fn for_dos(tree: &dyn Tree, home: &str, files: &[&FoundFile]) -> Option<GameFile> {
    if files.iter().any(|file| file.is_certain && file.platform != DOS) {
        return None;
    }
    let parsed = names::parse(names::folder::without_system(name_of(home)));
    let mut programs: Vec<&FoundFile> =
        files.iter().copied().filter(|file| is_program(file)).collect();
    programs.sort_by_cached_key(|file| rank(file, home, &parsed.title));
    let own: Vec<&FoundFile> = files.iter().copied().filter(|file| &*file.folder == home).collect();
    let configurations: Vec<&FoundFile> =
        own.into_iter().filter(|file| is_configuration(file)).collect();
    let starts = |file: &&&FoundFile| !programs.is_empty() || has_commands(tree, file);
    let main = configurations.iter().filter(|file| !is_addition(file)).find(starts);
    let (main, platform, launch) = match (main, programs.first()) {
        (Some(main), _) => (*main, DOS, command(main, home, &configurations, files)),
        (None, Some(program)) => {
            let is_for_windows = is_for_windows(tree, program) == Some(true);
            (*program, if is_for_windows { WINDOWS } else { DOS }, String::new())
        }
        (None, None) => return None,
    };
    let others = programs.iter().filter(|file| **file != main).take(OTHERS);
    let others = others.map(|file| file.path()).collect();
    let app = App { title: parsed.title, tags: parsed.tags, launch, others, ids: Vec::new() };
    Some(game_file(main, platform, app))
}

fn game_file(file: &FoundFile, platform: &'static str, app: App) -> GameFile {
    let file = FoundFile { platform, is_certain: true, ..file.clone() };
    GameFile { app: Some(Box::new(app)), ..GameFile::of(file) }
}

/// What a program of a game for DOS is compared by; the least is played.
fn rank(file: &FoundFile, home: &str, title: &str) -> (bool, usize, bool, usize, String) {
    let stem = text::fold(file.stem());
    let is_tool = TOOLS.iter().any(|tool| stem.starts_with(tool)) || stem.contains("setup");
    let depth = file.folder[home.len()..].matches('/').count();
    let is_starter = file.extension.suffix == "bat" && STARTERS.contains(&stem.as_str());
    let ending = PROGRAMS.iter().position(|known| *known == file.extension.suffix);
    let is_named = is_starter || is_named_after(&stem, title);
    (is_tool, depth, !is_named, ending.unwrap_or(PROGRAMS.len()), stem)
}

/// Whether the folded name of a program is that of the game: a word of its title, or its initials.
fn is_named_after(stem: &str, title: &str) -> bool {
    const LETTERS: usize = 3;
    let title = text::fold(title);
    let words = || title.split(|letter: char| !letter.is_alphanumeric()).filter(|w| !w.is_empty());
    let initials: String = words().filter_map(|word| word.chars().next()).collect();
    let is_word = |word: &str| {
        stem == word
            || word.len() >= LETTERS && stem.starts_with(word)
            || stem.len() >= LETTERS && word.starts_with(stem)
    };
    stem == initials || words().any(is_word)
}

fn is_program(file: &FoundFile) -> bool {
    PROGRAMS.contains(&file.extension.suffix)
}

fn is_configuration(file: &FoundFile) -> bool {
    file.extension.suffix == "conf" && text::fold(file.stem()).contains("dosbox")
}

/// Whether a configuration is read behind another one.
fn is_addition(file: &FoundFile) -> bool {
    ["_single", "_settings", "_server", "_client"].iter().any(|end| file.stem().ends_with(end))
}

/// Whether a configuration has commands for the start.
fn has_commands(tree: &dyn Tree, file: &FoundFile) -> bool {
    let bytes = tree.read_start(Path::new(&file.path()), TEXT_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let lines = text.lines().map(str::trim).skip_while(|line| !is_autoexec(line)).skip(1);
    let mut lines = lines.take_while(|line| !line.starts_with('['));
    lines.any(|line| !line.is_empty() && !line.starts_with(['#', ';']))
}

fn is_autoexec(line: &str) -> bool {
    ini::parse(line.as_bytes()).iter().any(|section| section.name.eq_ignore_ascii_case("autoexec"))
}

/// The command of a configuration, with the one that belongs behind it.
fn command(
    main: &FoundFile,
    home: &str,
    configurations: &[&FoundFile],
    files: &[&FoundFile],
) -> String {
    let is_here = |player: &&&str| search::on_path(player).is_some();
    let player = PLAYERS.iter().find(is_here).unwrap_or(&PLAYERS[0]);
    let single = format!("{}_single", main.stem());
    let single = configurations.iter().find(|file| file.stem() == single);
    let single = single.map(|file| format!(" -conf {}", quoted(&file.path()))).unwrap_or_default();
    // Configurations of a store count their paths from the folder of the player next to them.
    let player_folder = files.iter().map(|file| &*file.folder).find(|folder| {
        folder.strip_prefix(home).is_some_and(|inner| inner.eq_ignore_ascii_case("/dosbox"))
    });
    let start = player_folder.map(in_folder).unwrap_or_default();
    format!("{start}{player} -conf {{path}}{single}")
}

/// The beginning of a command that runs in a folder.
fn in_folder(folder: &str) -> String {
    format!("env -C {} ", quoted(folder))
}

/// Completes a file whose content says what it is: an entry of a desktop menu is a game when it is
/// said to be one, or when it lies in the folder of a platform; a configuration of DOSBox when it
/// starts something. Any other has no platform afterwards. A program of the PSP has the title that it holds.
pub fn describe(tree: &dyn Tree, game_file: &mut GameFile) {
    if game_file.app.is_some() {
        return;
    }
    if is_packed_program(&game_file.file) {
        game_file.app = packed_program(tree, &game_file.file).map(Box::new);
        return;
    }
    if is_configuration(&game_file.file) && !has_commands(tree, &game_file.file) {
        game_file.file.platform = "";
    }
    if game_file.file.extension.suffix != DESKTOP {
        return;
    }
    let path = game_file.file.path();
    let app = entry(tree, &path, !game_file.file.platform.is_empty());
    if app.is_none() {
        game_file.file.platform = "";
    } else if game_file.file.platform.is_empty() {
        game_file.file.platform = LINUX;
    }
    game_file.app = app.map(Box::new);
}

fn is_packed_program(file: &FoundFile) -> bool {
    file.name.eq_ignore_ascii_case(PACKED_PROGRAM)
}

/// The game of a program that holds its own parameters; `None` where these have no title.
fn packed_program(tree: &dyn Tree, file: &FoundFile) -> Option<App> {
    let bytes = tree.read_start(Path::new(&file.path()), TEXT_BYTES).ok()?;
    let title = text::collapse(&sfo::text(sfo::in_pbp(&bytes)?, "TITLE")?);
    let tags = names::parse(names::folder::without_system(name_of(&file.folder))).tags;
    (!title.is_empty()).then(|| App { title, tags, ..App::default() })
}

/// The game of an entry of a desktop menu; `None` when it is no game, hidden, or not installed.
/// `is_told` says that its folder makes it a game.
pub fn entry(tree: &dyn Tree, path: &str, is_told: bool) -> Option<App> {
    let bytes = tree.read_start(Path::new(path), TEXT_BYTES).ok()?;
    let entry = desktop_entry::parse(&bytes)?;
    let is_there = entry.needs.is_empty() || is_program_here(&entry.needs);
    let words = entry.words(path)?;
    let is_there = is_there && (!words[0].starts_with('/') || is_program_here(&words[0]));
    let is_wanted = (entry.is_game || is_told) && !entry.is_tool;
    if entry.is_hidden || !is_there || !is_wanted || desktop_entry::is_launcher(&words) {
        return None;
    }
    let ids = words.iter().flat_map(|word| ids_of_address(word)).collect();
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let terminal = if entry.in_terminal { terminal() } else { String::new() };
    let folder =
        if entry.folder.starts_with('/') { in_folder(&entry.folder) } else { String::new() };
    let launch = format!("{folder}{terminal}{}", words.join(" "));
    Some(App { title: entry.name, launch, ids, ..App::default() })
}

fn is_program_here(name: &str) -> bool {
    if name.starts_with('/') {
        search::is_executable(Path::new(name))
    } else {
        search::on_path(name).is_some()
    }
}

/// The beginning of a command that runs in a terminal.
fn terminal() -> String {
    let is_here = |start: &&&str| start.split(' ').next().is_some_and(is_program_here);
    let start = TERMINALS.iter().find(is_here).unwrap_or(&TERMINALS[0]);
    format!("{start} ")
}

/// The title of a packed program (AppImage) by the stem of its name: what stands before its version,
/// its system and its processor.
pub fn packed_title(stem: &str) -> String {
    const SIGNS: [char; 4] = ['-', '_', ' ', '.'];
    let mut ends: Vec<usize> = stem.match_indices(SIGNS).map(|(at, _)| at).collect();
    ends.push(stem.len());
    // The version of `Name-1.2` ends at a dot of its own, so what follows a separator counts to the end.
    let cut =
        ends.into_iter().find(|at| *at > 0 && is_suffix(stem[*at..].trim_start_matches(SIGNS)));
    let title = &stem[..cut.unwrap_or(stem.len())];
    let is_spaced = title.contains(' ');
    let spaced = title.replace('_', " ");
    let spaced = if is_spaced { spaced } else { spaced.replace('-', " ") };
    let title = text::collapse(&spaced);
    if title.is_empty() { stem.to_owned() } else { title }
}

/// Whether a name continues with a version, a system or a processor.
fn is_suffix(rest: &str) -> bool {
    const WORDS: [&str; 15] = [
        "x86_64", "x86-64", "x86", "amd64", "i386", "i686", "x64", "aarch64", "arm64", "armhf",
        "armv7", "linux64", "linux32", "linux", "glibc",
    ];
    let folded = rest.to_ascii_lowercase();
    let ends = |after: &str| after.chars().next().is_none_or(|next| !next.is_alphanumeric());
    let is_word = WORDS.iter().any(|word| folded.strip_prefix(word).is_some_and(ends));
    let number = folded.strip_prefix('v').unwrap_or(&folded);
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    // `v1` and `1.2` are versions; the number of `Game 2` is not.
    let is_version = digits > 0
        && (number.len() < folded.len() || {
            let after = number[digits..].strip_prefix('.').unwrap_or_default();
            after.starts_with(|next: char| next.is_ascii_digit())
        });
    is_word || is_version
}

fn name_of(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or_default()
}
