//! Every option and every command of the program, once. Parsing, `--help`, the completions of shells and the
//! manual page are made from these rows.

/// What an option or an operand is completed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completes {
    /// Nothing is offered.
    Nothing,
    /// Names of files.
    Files,
    /// Names of folders.
    Folders,
    /// One of these words.
    Words(&'static [&'static str]),
}

/// Which option a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    NoBrowser,
    Browser,
    Window,
    GameMode,
    Width,
    Height,
    Resolution,
    DataDir,
    Play,
    Uri,
    Launcher,
    StaticDir,
    Backup,
    Items,
    Keep,
    RestoreBackup,
    Force,
    InstallUser,
    UninstallUser,
    Version,
    Help,
    Json,
    Platform,
    Favorites,
    Limit,
    All,
    Watched,
    Active,
    Cancel,
    Retry,
}

/// An option.
#[derive(Debug)]
pub struct Opt {
    /// Which one it is.
    pub flag: Flag,
    /// Its names without the dashes; the first is the one that is shown.
    pub names: &'static [&'static str],
    /// Its letter.
    pub letter: Option<char>,
    /// What its value is called; `None` for a switch.
    pub value: Option<&'static str>,
    /// What its value is completed with.
    pub completes: Completes,
    /// What it does: a sentence without its full stop.
    pub about: &'static str,
}

/// What follows a command.
#[derive(Debug)]
pub struct Operands {
    /// How they are shown; empty when there are none.
    pub shown: &'static str,
    /// The fewest and the most of them.
    pub count: (usize, usize),
    /// What they are completed with.
    pub completes: Completes,
}

/// A command of the program.
#[derive(Debug)]
pub struct CommandRow {
    /// Its word.
    pub name: &'static str,
    /// What follows it.
    pub operands: Operands,
    /// What it does: a sentence without its full stop.
    pub about: &'static str,
    /// More for its own help: whole sentences.
    pub details: &'static str,
    /// Its options besides those of [`COMMON`].
    pub options: &'static [Opt],
}

/// How the program ends, for people and scripts.
pub const EXIT_CODES: [(u8, &str); 4] = [
    (0, "Done"),
    (1, "It failed, or a name fits no game or several"),
    (2, "The command line is wrong"),
    (3, "No service runs for this data directory"),
];

const fn switch(flag: Flag, names: &'static [&'static str], about: &'static str) -> Opt {
    Opt { flag, names, letter: None, value: None, completes: Completes::Nothing, about }
}

const fn valued(
    flag: Flag,
    names: &'static [&'static str],
    value: &'static str,
    about: &'static str,
) -> Opt {
    Opt { value: Some(value), ..switch(flag, names, about) }
}

impl Opt {
    const fn letter(self, letter: char) -> Self {
        Self { letter: Some(letter), ..self }
    }

    const fn completed_with(self, completes: Completes) -> Self {
        Self { completes, ..self }
    }
}

const ITEMS: &[&str] = &["settings", "library", "media", "plugins", "themes", "extension_data"];

const DATA_DIR: Opt = valued(
    Flag::DataDir,
    &["data-dir"],
    "DIR",
    "Use the library in DIR instead of the per-user data folder",
)
.completed_with(Completes::Folders);
const KEEP: Opt =
    valued(Flag::Keep, &["keep"], "N", "Remove older archives until N are left; 0 keeps all");
const ITEM_LIST: Opt = valued(
    Flag::Items,
    &["items"],
    "LIST",
    "What an archive holds, separated by commas: settings, library, media, plugins, themes, \
     extension_data; library,settings by default",
)
.completed_with(Completes::Words(ITEMS));
const HELP: Opt = switch(Flag::Help, &["help"], "Print this text").letter('h');
const LIMIT: Opt = valued(Flag::Limit, &["limit"], "N", "Show at most N rows");
const PLATFORM: Opt =
    valued(Flag::Platform, &["platform"], "NAME", "Only games of this platform, whatever the case");

/// The options of the program itself, without a command.
pub const OPTIONS: &[Opt] = &[
    switch(Flag::NoBrowser, &["no-browser"], "Serve without opening the web UI"),
    switch(
        Flag::Browser,
        &["web", "no-app-window"],
        "Open the web UI in the default browser (the default)",
    ),
    switch(Flag::Window, &["app-window"], "Open it in a window without an address bar"),
    switch(
        Flag::GameMode,
        &["game-mode", "kiosk", "fullscreen"],
        "Open it as the big screen on the whole screen",
    ),
    valued(Flag::Width, &["width", "fullscreen-width"], "W", "The width of that window in pixels"),
    valued(
        Flag::Height,
        &["height", "fullscreen-height"],
        "H",
        "The height of that window in pixels",
    ),
    valued(Flag::Resolution, &["resolution"], "WxH", "Both at once"),
    DATA_DIR,
    valued(
        Flag::Play,
        &["play"],
        "ID",
        "Start the game with this id, in the running instance if there is one",
    ),
    valued(
        Flag::Uri,
        &["uri"],
        "LINK",
        "Do what a link asks for: service:launch/ID, service:resume/ID, service:game/ID, \
         service:search/WORDS, service:settings, service:bigscreen",
    ),
    switch(
        Flag::Launcher,
        &["launcher"],
        "Choose a game or a screen in the menu of rofi, wofi or dmenu",
    ),
    valued(Flag::StaticDir, &["static-dir"], "DIR", "Serve the web UI from DIR, for working on it")
        .completed_with(Completes::Folders),
    switch(
        Flag::Backup,
        &["backup"],
        "Make an archive of the library, print its path and end; needs no running service",
    ),
    ITEM_LIST,
    KEEP,
    valued(
        Flag::RestoreBackup,
        &["restore-backup"],
        "FILE",
        "Restore an archive of the data directory, print what was restored and end",
    )
    .completed_with(Completes::Files),
    switch(Flag::Force, &["force"], "Restore an archive that is older than the library"),
    switch(
        Flag::InstallUser,
        &["install-user"],
        "Install this program for you below ~/.local, with its menu entry, completions, manual \
         page and user service",
    ),
    switch(
        Flag::UninstallUser,
        &["uninstall-user"],
        "Remove what --install-user installed; the library stays",
    ),
    switch(Flag::Version, &["version"], "Print the version").letter('V'),
    HELP,
];

/// The options of every command.
pub const COMMON: &[Opt] =
    &[switch(Flag::Json, &["json"], "Print JSON instead of text for people"), DATA_DIR, HELP];

/// The options of a command that prints a generated text.
pub const PLAIN: &[Opt] = &[HELP];

const GAME: Operands = Operands { shown: "GAME", count: (1, 1), completes: Completes::Nothing };
const NONE: Operands = Operands { shown: "", count: (0, 0), completes: Completes::Nothing };
/// The longest list of operands.
const MANY: usize = 64;

const NAMES_A_GAME: &str = "GAME is the id of a game, its name, or a part of its name that fits no \
    other game. When several games fit, they are listed and nothing is done.";

/// The commands in the order in which they are shown.
pub const COMMANDS: &[CommandRow] = &[
    CommandRow {
        name: "list",
        operands: NONE,
        about: "List the games of the library",
        details: "Hidden games are left out of the table, not of the JSON.",
        options: &[PLATFORM, switch(Flag::Favorites, &["favorites"], "Only favorites"), LIMIT],
    },
    CommandRow {
        name: "show",
        operands: GAME,
        about: "Show what is known of a game",
        details: NAMES_A_GAME,
        options: &[PLATFORM],
    },
    CommandRow {
        name: "play",
        operands: GAME,
        about: "Start a game",
        details: NAMES_A_GAME,
        options: &[PLATFORM],
    },
    CommandRow {
        name: "stop",
        operands: Operands { shown: "[GAME]", count: (0, 1), completes: Completes::Nothing },
        about: "Ask a running game to end",
        details: "Without GAME it is the game that runs; when several run, they are listed and \
            nothing is done.",
        options: &[
            switch(Flag::All, &["all"], "Every running game"),
            switch(Flag::Force, &["force"], "Kill it instead of asking it"),
        ],
    },
    CommandRow {
        name: "import",
        operands: Operands {
            shown: "[FOLDER...]",
            count: (0, MANY),
            completes: Completes::Folders,
        },
        about: "Add the games of folders to the library",
        details: "A game that the library has already is not added again.",
        options: &[switch(Flag::Watched, &["watched"], "The watch folders of the settings")],
    },
    CommandRow {
        name: "search",
        operands: Operands { shown: "WORDS...", count: (1, MANY), completes: Completes::Nothing },
        about: "Find games by words of their title",
        details: "The best match comes first.",
        options: &[LIMIT],
    },
    CommandRow {
        name: "jobs",
        operands: NONE,
        about: "List background jobs, the newest first",
        details: "An id may be shortened as long as it fits one job only.",
        options: &[
            switch(Flag::Active, &["active"], "Only jobs that have not ended"),
            valued(Flag::Cancel, &["cancel"], "ID", "Ask a job to stop"),
            valued(Flag::Retry, &["retry"], "ID", "Do a failed job again"),
            LIMIT,
        ],
    },
    CommandRow {
        name: "backup",
        operands: NONE,
        about: "Have the running service make an archive of the library and print its path",
        details: "--backup does the same and needs no running service.",
        options: &[ITEM_LIST, KEEP],
    },
    CommandRow {
        name: "doctor",
        operands: NONE,
        about: "Check the data directory, the service and the tools of this machine",
        details: "It changes nothing and needs no running service. Each line says what was found; \
            a line that is not fine says what to do. It ends with 1 when something is broken.",
        options: &[],
    },
    CommandRow {
        name: "completions",
        operands: Operands {
            shown: "SHELL",
            count: (1, 1),
            completes: Completes::Words(&["bash", "zsh", "fish"]),
        },
        about: "Print the completions for bash, zsh or fish",
        details: "For bash: service-launcher completions bash > \
            ~/.local/share/bash-completion/completions/service-launcher",
        options: PLAIN,
    },
    CommandRow {
        name: "man",
        operands: NONE,
        about: "Print the manual page",
        details: "To read it: service-launcher man | man -l -",
        options: PLAIN,
    },
    CommandRow {
        name: "help",
        operands: Operands { shown: "[COMMAND]", count: (0, 1), completes: Completes::Nothing },
        about: "Print the help of the program or of a command",
        details: "",
        options: PLAIN,
    },
];

impl CommandRow {
    /// Whether it prints a generated text and takes none of the common options.
    pub fn is_plain(&self) -> bool {
        self.options.iter().any(|option| option.flag == Flag::Help)
    }

    /// All of its options.
    pub fn all_options(&self) -> impl Iterator<Item = &'static Opt> + Clone {
        let common = if self.is_plain() { &[][..] } else { COMMON };
        self.options.iter().chain(common)
    }
}

/// The command with this word.
pub fn command(name: &str) -> Option<&'static CommandRow> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// The command that a word was meant to be: at most two characters differ, and no more than half of them.
pub fn nearest_command(word: &str) -> Option<&'static CommandRow> {
    let edits = |row: &CommandRow| edits(row.name, word);
    let nearest = COMMANDS.iter().min_by_key(|row| edits(row))?;
    let most = (word.chars().count() / 2).min(2);
    Some(nearest).filter(|row| edits(row) <= most)
}

/// The number of characters to add, remove or replace to turn one word into another.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for letter in from.chars() {
        let mut above = row[0];
        row[0] += 1;
        for (at, other) in to.iter().enumerate() {
            let exchanged = above + usize::from(letter != *other);
            above = row[at + 1];
            row[at + 1] = exchanged.min(above + 1).min(row[at] + 1);
        }
    }
    row[to.len()]
}

/// The option with this name among these.
pub fn by_name<'a>(options: impl IntoIterator<Item = &'a Opt>, name: &str) -> Option<&'a Opt> {
    options.into_iter().find(|option| option.names.contains(&name))
}

/// The option with this letter among these.
pub fn by_letter<'a>(options: impl IntoIterator<Item = &'a Opt>, letter: char) -> Option<&'a Opt> {
    options.into_iter().find(|option| option.letter == Some(letter))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_mistyped_command_is_recognised() {
        for (word, expected) in [
            ("lsit", Some("list")),
            ("lis", Some("list")),
            ("imprt", Some("import")),
            ("backups", Some("backup")),
            ("fly", None),
            ("x", None),
            ("", None),
            ("nonsense", None),
        ] {
            assert_eq!(nearest_command(word).map(|row| row.name), expected, "{word}");
        }
    }

    #[test]
    fn no_name_stands_for_two_options_and_every_row_has_its_words() {
        let of_commands = COMMANDS.iter().map(|command| command.all_options().collect::<Vec<_>>());
        for options in of_commands.chain([OPTIONS.iter().collect()]) {
            let names: Vec<_> = options.iter().flat_map(|option| option.names).collect();
            let unique: BTreeSet<_> = names.iter().collect();
            assert_eq!(unique.len(), names.len(), "{names:?}");
            for option in options {
                assert!(!option.about.is_empty() && !option.about.ends_with('.'), "{option:?}");
            }
        }
        let names: BTreeSet<_> = COMMANDS.iter().map(|command| command.name).collect();
        assert_eq!(names.len(), COMMANDS.len());
        for command in COMMANDS {
            assert!(!command.about.ends_with('.'), "{}", command.name);
            assert_eq!(command.operands.shown.is_empty(), command.operands.count.1 == 0);
        }
    }
}
