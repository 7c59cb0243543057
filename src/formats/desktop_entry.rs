//! Entries of desktop menus (`.desktop`): what a program is called and how it is started.

use super::ini::{self, Section};

/// The group of an entry that describes the program.
const GROUP: &str = "Desktop Entry";
/// Categories of programs around games.
const TOOLS: [&str; 2] = ["Emulator", "PackageManager"];
/// Launchers of games, as programs and as sandboxed packages, whose entries say that they are games.
const LAUNCHERS: [&str; 10] = [
    "steam",
    "steam-runtime",
    "steam-native",
    "lutris",
    "heroic",
    "retroarch",
    "com.valvesoftware.steam",
    "net.lutris.lutris",
    "com.heroicgameslauncher.hgl",
    "org.libretro.retroarch",
];

/// One program of a desktop menu.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DesktopEntry {
    /// Its name.
    pub name: String,
    /// Its icon: a name or a path; blank without one.
    pub icon: String,
    /// The folder it starts in; blank for any.
    pub folder: String,
    /// The program that must be installed for the entry to count; blank for none.
    pub needs: String,
    /// Whether it runs in a terminal.
    pub in_terminal: bool,
    /// Whether menus do not show it.
    pub is_hidden: bool,
    /// Whether one of its categories is that of games.
    pub is_game: bool,
    /// Whether it is a program around games: an emulator, or one that installs them.
    pub is_tool: bool,
    command: String,
}

/// The program of an entry; `None` for a link, a folder, and for an entry without a name or command.
pub fn parse(bytes: &[u8]) -> Option<DesktopEntry> {
    let sections = ini::parse(bytes);
    let section = sections.iter().find(|section| section.name == GROUP)?;
    let text = |key: &str| unescaped(section.value(key));
    let flag = |key: &str| section.value(key).eq_ignore_ascii_case("true");
    let entry = DesktopEntry {
        name: text("name"),
        icon: text("icon"),
        folder: text("path"),
        needs: text("tryexec"),
        in_terminal: flag("terminal"),
        is_hidden: flag("hidden") || flag("nodisplay"),
        is_game: has_category(section, "Game"),
        is_tool: TOOLS.iter().any(|tool| has_category(section, tool)),
        command: text("exec"),
    };
    let is_program = ["", "Application"].contains(&section.value("type"));
    (is_program && !entry.name.is_empty() && !entry.command.is_empty()).then_some(entry)
}

fn has_category(section: &Section, wanted: &str) -> bool {
    section.value("categories").split(';').any(|category| category.trim() == wanted)
}

/// A value with its escapes (`\s`, `\n`, `\t`, `\r`, `\\`) replaced; others stay as they stand.
fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            text.push(letter);
            continue;
        }
        match letters.next() {
            Some('s') => text.push(' '),
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('\\') | None => text.push('\\'),
            Some(other) => text.extend(['\\', other]),
        }
    }
    text
}

impl DesktopEntry {
    /// The words that start it without a file, program first; `file` is the path of the entry. `None`
    /// when its quotes do not match, a field code is unknown or nothing is left.
    pub fn words(&self, file: &str) -> Option<Vec<String>> {
        let mut words = Vec::new();
        for word in shlex::split(&self.command)? {
            if word == "%i" {
                if !self.icon.is_empty() {
                    words.extend(["--icon".to_owned(), self.icon.clone()]);
                }
                continue;
            }
            let filled = self.fill(&word, file)?;
            // A word of nothing but codes without a value is not an argument.
            if !filled.is_empty() || !word.contains('%') {
                words.push(filled);
            }
        }
        (!words.is_empty()).then_some(words)
    }

    fn fill(&self, word: &str, file: &str) -> Option<String> {
        let mut filled = String::with_capacity(word.len());
        let mut letters = word.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                filled.push(letter);
                continue;
            }
            match letters.next()? {
                '%' => filled.push('%'),
                'c' => filled.push_str(&self.name),
                'k' => filled.push_str(file),
                // Codes for files and addresses, which are absent here, and obsolete codes.
                'f' | 'F' | 'u' | 'U' | 'd' | 'D' | 'n' | 'N' | 'v' | 'm' | 'i' => {}
                _ => return None,
            }
        }
        Some(filled)
    }
}

/// Whether the words of an entry start a launcher of games and name no game for it.
pub fn is_launcher(words: &[String]) -> bool {
    let mut names =
        words.iter().map(|word| word.rsplit('/').next().unwrap_or_default().to_lowercase());
    let is_known = |name: &String| LAUNCHERS.contains(&name.as_str());
    let is_run = |word: &String| word.rsplit('/').next() == Some("flatpak");
    let first = if words.first().is_some_and(is_run) {
        names.position(|name| is_known(&name))
    } else {
        names.next().filter(|name| is_known(name)).map(|_| 0)
    };
    // What stands behind it names a game, but for options and the marks around files of packages.
    let is_plain = |word: &String| word.starts_with('-') || word.starts_with("@@");
    first.is_some_and(|at| words[at + 1..].iter().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(exec: &str, expected: Option<&[&str]>) {
        let text = format!("[Desktop Entry]\nType=Application\nName=A B\nIcon=x\nExec={exec}\n");
        let entry = parse(text.as_bytes()).expect("an entry");
        let words = entry.words("/m/a.desktop");
        let expected = expected.map(|words| words.iter().map(|word| (*word).to_owned()).collect());
        assert_eq!(words, expected, "{exec}");
    }

    #[test]
    fn commands_are_split_by_their_quotes_and_filled() {
        check("game --full %U", Some(&["game", "--full"]));
        check("\"/opt/My Game/run\" -a \"\"", Some(&["/opt/My Game/run", "-a", ""]));
        check(r#"sh -c "echo \\$HOME \\"x\\" \\\\""#, Some(&["sh", "-c", "echo $HOME \"x\" \\"]));
        check(
            "a %i --name=%c %k 50%%",
            Some(&["a", "--icon", "x", "--name=A B", "/m/a.desktop", "50%"]),
        );
        check("a\\sb", Some(&["a", "b"]));
        check("a --file=%f %d", Some(&["a", "--file="]));
        check("a %x", None);
        check("a %", None);
        check("\"a", None);
        check("%f", None);
    }

    #[test]
    fn launchers_without_a_game_are_told() {
        for (command, expected) in [
            ("/usr/bin/steam", true),
            ("steam -silent", true),
            ("steam steam://rungameid/440", false),
            ("steam -applaunch 440", false),
            ("lutris lutris:rungameid/3", false),
            ("/usr/bin/flatpak run --command=heroic-run com.heroicgameslauncher.hgl @@u @@", true),
            ("flatpak run net.lutris.Lutris lutris:rungameid/3", false),
            ("flatpak run org.libretro.RetroArch -L core game.zip", false),
            ("flatpak run org.example.Game", false),
            ("maze steam", false),
            ("", false),
        ] {
            let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
            assert_eq!(is_launcher(&words), expected, "{command}");
        }
        let tool = "[Desktop Entry]\nName=A\nExec=a\nCategories=Game;Emulator;\n";
        let tool = parse(tool.as_bytes()).expect("an entry");
        assert!(tool.is_tool && tool.is_game);
    }

    #[test]
    fn an_entry_says_what_it_is() {
        let text = "# x\n[Desktop Entry]\nName=A\nName[de]=B\nExec=a\nCategories=Qt;Game;\n\
            Terminal=true\nPath=/o\\sp\nTryExec=/a\n[Desktop Action b]\nExec=b\nNoDisplay=true\n";
        let entry = parse(text.as_bytes()).expect("an entry");
        assert_eq!((&*entry.name, &*entry.folder, &*entry.needs), ("A", "/o p", "/a"));
        assert!(entry.is_game && entry.in_terminal && !entry.is_hidden);
        let game =
            |more: &str| parse(format!("[Desktop Entry]\nName=A\nExec=a\n{more}").as_bytes());
        assert!(game("NoDisplay=true").expect("one").is_hidden);
        assert!(game("Hidden=true").expect("one").is_hidden);
        assert!(!game("Categories=GameTool;Games").expect("one").is_game);
        assert_eq!(game("Type=Link"), None);
        for none in ["", "[Desktop Entry]\nName=A", "[Desktop Entry]\nExec=a", "Name=A\nExec=a"] {
            assert_eq!(parse(none.as_bytes()), None, "{none}");
        }
    }
}
