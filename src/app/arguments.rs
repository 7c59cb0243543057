//! The command line: parsed into one value, refused with one sentence.

use std::{ffi::OsString, path::PathBuf};

use lexopt::{Arg, Parser, ValueExt};

use super::{
    browser::{Size, View},
    deep_link::{DeepLink, is_link},
};
use crate::cli::{
    invocation::Invocation,
    table::{self, Flag},
};

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Serve.
    Serve(Options),
    /// Make or restore an archive and end.
    Archive(ArchiveOptions),
    /// Do what a link asks for and end.
    Link(LinkOptions),
    /// Show the menu and do what is chosen in it.
    Launcher(LinkOptions),
    /// Ask the running service for something and end.
    Act(Invocation),
    /// Install this program for the user and end.
    InstallUser,
    /// Remove what that installed and end.
    UninstallUser,
    /// Print the version and end.
    Version,
    /// Print the help and end.
    Help,
}

/// How to serve.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How to open the UI.
    pub view: View,
    /// The size of its window.
    pub size: Size,
    /// Data directory instead of the default one.
    pub data_dir: Option<PathBuf>,
    /// Folder with the web UI instead of the embedded one.
    pub static_dir: Option<PathBuf>,
    /// The game to start, by its stable id; the UI stays closed then.
    pub play: Option<String>,
}

/// What to do with the service of a data directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkOptions {
    /// Data directory instead of the default one.
    pub data_dir: Option<PathBuf>,
    /// The link; the start for a menu.
    pub link: DeepLink,
    /// How to open the UI where that is asked for.
    pub view: View,
    /// The size of its window.
    pub size: Size,
}

/// How to make or restore an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveOptions {
    /// Data directory instead of the default one.
    pub data_dir: Option<PathBuf>,
    /// What to do.
    pub work: ArchiveWork,
}

/// What to do with an archive. Lists and numbers are as they were given; the rules for archives
/// judge them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchiveWork {
    /// Make one.
    Create {
        /// What it holds, separated by commas.
        items: Option<String>,
        /// How many archives remain.
        keep: Option<String>,
    },
    /// Restore one.
    Restore {
        /// The archive.
        file: PathBuf,
        /// What is restored, separated by commas; everything by default.
        items: Option<String>,
        /// Also when it is older than the library.
        force: bool,
    },
}

/// The options for archives, while the command line is parsed.
#[derive(Default)]
struct ArchiveFlags {
    create: bool,
    restore: Option<PathBuf>,
    items: Option<String>,
    keep: Option<String>,
    force: bool,
}

impl ArchiveFlags {
    /// What is asked for; `None` when archives are not mentioned.
    fn settle(self) -> Result<Option<ArchiveWork>, lexopt::Error> {
        let Self { create, restore, items, keep, force } = self;
        match (create, restore) {
            (true, Some(_)) => Err("--backup and --restore-backup exclude each other".into()),
            (true, None) if force => Err("--force goes with --restore-backup".into()),
            (true, None) => Ok(Some(ArchiveWork::Create { items, keep })),
            (false, Some(_)) if keep.is_some() => Err("--keep goes with --backup".into()),
            (false, Some(file)) => Ok(Some(ArchiveWork::Restore { file, items, force })),
            (false, None) if force || items.is_some() || keep.is_some() => {
                Err("--items, --keep and --force go with --backup or --restore-backup".into())
            }
            (false, None) => Ok(None),
        }
    }
}

/// The error for a word that is not a command.
fn unknown_word(word: OsString) -> lexopt::Error {
    let near = word.to_str().and_then(table::nearest_command);
    let error = Arg::Value(word).unexpected();
    near.map_or_else(
        || error.to_string().into(),
        |near| format!("{error}; did you mean {}?", near.name).into(),
    )
}

/// Parses the arguments after the program name.
///
/// # Errors
/// One sentence: an unknown option, a missing value, or a stray word.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, lexopt::Error> {
    let mut parser = Parser::from_args(arguments);
    let mut options = Options::default();
    let mut flags = ArchiveFlags::default();
    let mut link = None;
    let mut is_menu = false;
    let mut given = Vec::new();
    while let Some(argument) = parser.next()? {
        let option = match &argument {
            Arg::Long(name) => table::by_name(table::OPTIONS, name),
            Arg::Short(letter) => table::by_letter(table::OPTIONS, *letter),
            Arg::Value(_) => None,
        };
        let read = match (argument, option) {
            (_, Some(option)) => Ok(option.flag),
            (Arg::Value(word), None) => Err(word),
            (other, None) => return Err(other.unexpected()),
        };
        let flag = match read {
            Ok(flag) => flag,
            Err(word) if word.to_str().is_some_and(is_link) => {
                link = Some(word.to_string_lossy().into_owned());
                continue;
            }
            Err(word) => {
                let command = word.to_str().and_then(table::command);
                let command = command.ok_or_else(|| unknown_word(word))?;
                if link.is_some() || given.iter().any(|flag| *flag != Flag::DataDir) {
                    return Err(format!("options of {} follow its name", command.name).into());
                }
                let parsed = Invocation::parse(command, &mut parser, options.data_dir)?;
                return Ok(Request::Act(parsed));
            }
        };
        given.push(flag);
        match flag {
            Flag::NoBrowser => options.view = View::Nothing,
            Flag::Browser => options.view = View::Browser,
            Flag::Window => options.view = View::Window,
            Flag::GameMode => options.view = View::Kiosk,
            Flag::Width => options.size.0 = Some(pixels(&parser.value()?.parse::<String>()?)?),
            Flag::Height => options.size.1 = Some(pixels(&parser.value()?.parse::<String>()?)?),
            Flag::Resolution => {
                let text = parser.value()?.parse::<String>()?.to_ascii_lowercase();
                let (width, height) = text.split_once('x').ok_or("a resolution is WxH")?;
                options.size = (Some(pixels(width)?), Some(pixels(height)?));
            }
            Flag::Launcher => is_menu = true,
            Flag::Uri => link = Some(parser.value()?.parse::<String>()?),
            Flag::DataDir => options.data_dir = Some(parser.value()?.parse()?),
            Flag::Play => options.play = Some(parser.value()?.parse()?),
            Flag::StaticDir => options.static_dir = Some(parser.value()?.parse()?),
            Flag::Backup => flags.create = true,
            Flag::RestoreBackup => flags.restore = Some(parser.value()?.parse()?),
            Flag::Items => flags.items = Some(parser.value()?.parse()?),
            Flag::Keep => flags.keep = Some(parser.value()?.parse()?),
            Flag::Force => flags.force = true,
            Flag::InstallUser => return alone(Request::InstallUser, &given, &mut parser),
            Flag::UninstallUser => return alone(Request::UninstallUser, &given, &mut parser),
            Flag::Version => return Ok(Request::Version),
            Flag::Help => return Ok(Request::Help),
            // Options of commands, which no row of the program names.
            Flag::Json
            | Flag::Platform
            | Flag::Favorites
            | Flag::Limit
            | Flag::All
            | Flag::Watched
            | Flag::Active
            | Flag::Cancel
            | Flag::Retry => {}
        }
    }
    Ok(match flags.settle()? {
        Some(work) => Request::Archive(ArchiveOptions { data_dir: options.data_dir, work }),
        None => settle(options, link.as_deref(), is_menu)?,
    })
}

/// A request that takes no other words.
fn alone(request: Request, given: &[Flag], parser: &mut Parser) -> Result<Request, lexopt::Error> {
    if given.len() > 1 || parser.next()?.is_some() {
        return Err("--install-user and --uninstall-user stand alone".into());
    }
    Ok(request)
}

/// What to serve or do. A link that asks for a start is one.
fn settle(options: Options, link: Option<&str>, is_menu: bool) -> Result<Request, lexopt::Error> {
    let link = link.map(DeepLink::parse).transpose().map_err(|error| error.to_string())?;
    let Options { view, size, ref data_dir, .. } = options;
    let data_dir = data_dir.clone();
    Ok(match link {
        _ if is_menu => {
            Request::Launcher(LinkOptions { data_dir, link: DeepLink::Start, view, size })
        }
        None | Some(DeepLink::Start) => Request::Serve(options),
        Some(link) => Request::Link(LinkOptions { data_dir, link, view, size }),
    })
}

/// A length on the screen.
fn pixels(text: &str) -> Result<u32, lexopt::Error> {
    let number = text.trim().parse::<u32>().ok().filter(|number| (200..=16_384).contains(number));
    number.ok_or_else(|| "a width or height is a number from 200 to 16384".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: &[&str], expected: Option<&Request>) {
        let parsed = parse(arguments.iter().map(OsString::from));
        assert_eq!(parsed.ok().as_ref(), expected);
    }

    #[test]
    fn reads_options_and_refuses_the_rest() {
        check(&[], Some(&Request::Serve(Options::default())));
        check(&["--version", "--nonsense"], Some(&Request::Version));
        check(&["-h"], Some(&Request::Help));
        let options = Options {
            view: View::Nothing,
            size: (None, None),
            data_dir: Some("/a b".into()),
            static_dir: Some("static".into()),
            play: Some("game-1".to_owned()),
        };
        let line =
            ["--no-browser", "--data-dir", "/a b", "--static-dir=static", "--play", "game-1"];
        check(&line, Some(&Request::Serve(options)));
        check(&["--data-dir"], None);
        check(&["--nonsense"], None);
        check(&["stray"], None);
    }

    #[test]
    fn commands_follow_the_data_directory_only() {
        let parsed = |line: &[&str]| parse(line.iter().map(OsString::from));
        let Ok(Request::Act(list)) = parsed(&["--data-dir", "/d", "list", "--json"]) else {
            unreachable!("a command");
        };
        assert_eq!((list.command.name, list.data_dir), ("list", Some(PathBuf::from("/d"))));
        for bad in [
            &["--no-browser", "list"][..],
            &["service:start", "list"],
            &["list", "--no-browser"],
            &["list", "play"],
            &["--json"],
            &["--install-user", "x"],
            &["--data-dir", "/d", "--install-user"],
        ] {
            check(bad, None);
        }
        check(&["--install-user"], Some(&Request::InstallUser));
        check(&["--uninstall-user"], Some(&Request::UninstallUser));
    }

    #[test]
    fn windows_and_their_sizes() {
        let serve = |view, size| Request::Serve(Options { view, size, ..Options::default() });
        check(&["--app-window"], Some(&serve(View::Window, (None, None))));
        check(&["--app-window", "--no-app-window"], Some(&serve(View::Browser, (None, None))));
        for name in ["--game-mode", "--kiosk", "--fullscreen"] {
            check(
                &[name, "--resolution", "1280x800"],
                Some(&serve(View::Kiosk, (Some(1280), Some(800)))),
            );
        }
        let line = ["--fullscreen-width", "640", "--height=480"];
        check(&line, Some(&serve(View::Browser, (Some(640), Some(480)))));
        for bad in [
            &["--width"][..],
            &["--width", "0"],
            &["--width", "99999"],
            &["--resolution", "1280"],
            &["--resolution", "1280x"],
            &["--fullscreen-height", "tall"],
        ] {
            check(bad, None);
        }
    }

    #[test]
    fn links_are_done_instead_of_served() {
        let of = |link| LinkOptions {
            data_dir: Some("/d".into()),
            link,
            view: View::Window,
            size: (None, None),
        };
        let big = || of(DeepLink::Show("deeplink=bigscreen".to_owned()));
        let line = ["--data-dir", "/d", "--app-window", "--uri", "service://bigscreen"];
        check(&line, Some(&Request::Link(big())));
        check(
            &["--data-dir", "/d", "service:fullscreen", "--app-window"],
            Some(&Request::Link(big())),
        );
        let line = ["--launcher", "--data-dir", "/d", "--app-window"];
        check(&line, Some(&Request::Launcher(of(DeepLink::Start))));
        check(&["service:start"], Some(&Request::Serve(Options::default())));
        check(&["--uri"], None);
        check(&["--uri", "http://example.org"], None);
        check(&["service://example.org/launch/1"], None);
    }

    #[test]
    fn archives_are_made_or_restored() {
        let archive = |data_dir: Option<&str>, work| {
            Request::Archive(ArchiveOptions { data_dir: data_dir.map(PathBuf::from), work })
        };
        let plain = archive(None, ArchiveWork::Create { items: None, keep: None });
        check(&["--backup"], Some(&plain));
        let (items, keep) = (Some("media,themes".to_owned()), Some("-1".to_owned()));
        let full = archive(Some("/d"), ArchiveWork::Create { items, keep });
        let line = ["--backup", "--items", "media,themes", "--keep=-1", "--data-dir", "/d"];
        check(&line, Some(&full));
        let work = ArchiveWork::Restore { file: "a.zip".into(), items: None, force: true };
        check(&["--restore-backup", "a.zip", "--force"], Some(&archive(None, work)));
        for bad in [
            &["--restore-backup"][..],
            &["--backup", "--items"],
            &["--backup", "--force"],
            &["--backup", "--restore-backup", "a.zip"],
            &["--restore-backup", "a.zip", "--keep", "2"],
            &["--items", "media"],
            &["--keep", "2"],
            &["--backup", "stray"],
        ] {
            check(bad, None);
        }
    }
}
