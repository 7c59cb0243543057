//! The command line: parsed into one value, refused with one sentence.

use std::{ffi::OsString, path::PathBuf};

use lexopt::{Arg, Parser, ValueExt};

/// Shown by `--help`.
pub const HELP: &str = "\
Service Launcher: your games, one library, no account.

Usage: service-launcher [OPTIONS]

Options:
  --no-browser        Serve without opening the web UI
  --web               Open the web UI in the default browser (the default)
  --data-dir DIR      Keep the library in DIR instead of the per-user data folder
  --static-dir DIR    Serve the web UI from DIR, for working on it
  --version           Print the version
  -h, --help          Print this text
";

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Serve.
    Serve(Options),
    /// Print the version and end.
    Version,
    /// Print [`HELP`] and end.
    Help,
}

/// How to serve.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Do not open the UI.
    pub no_browser: bool,
    /// Data directory instead of the default one.
    pub data_dir: Option<PathBuf>,
    /// Folder with the web UI instead of the embedded one.
    pub static_dir: Option<PathBuf>,
}

/// Parses the arguments after the program name.
///
/// # Errors
/// One sentence: an unknown option, a missing value, or a stray word.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, lexopt::Error> {
    let mut parser = Parser::from_args(arguments);
    let mut options = Options::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("no-browser") => options.no_browser = true,
            Arg::Long("web") => options.no_browser = false,
            Arg::Long("data-dir") => options.data_dir = Some(parser.value()?.parse()?),
            Arg::Long("static-dir") => options.static_dir = Some(parser.value()?.parse()?),
            Arg::Long("version") | Arg::Short('V') => return Ok(Request::Version),
            Arg::Long("help") | Arg::Short('h') => return Ok(Request::Help),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Request::Serve(options))
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
            no_browser: true,
            data_dir: Some("/a b".into()),
            static_dir: Some("static".into()),
        };
        let line = ["--no-browser", "--data-dir", "/a b", "--static-dir=static"];
        check(&line, Some(&Request::Serve(options)));
        check(&["--data-dir"], None);
        check(&["--nonsense"], None);
        check(&["stray"], None);
    }
}
