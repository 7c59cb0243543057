//! Help, completions and manual page: generated from the table, and understood by the programs that read them.

use std::process::{Command, Stdio};

use super::{printed, refused};
use crate::support::server::Setup;

const COMMANDS: [&str; 12] = [
    "list",
    "show",
    "play",
    "stop",
    "import",
    "search",
    "jobs",
    "backup",
    "doctor",
    "completions",
    "man",
    "help",
];

#[test]
fn the_help_names_every_command_and_each_has_its_own() {
    let setup = Setup::new();
    let scratch = setup.scratch();
    let all = printed(scratch, &["--help"]);
    assert_eq!(all, printed(scratch, &["help"]));
    for name in COMMANDS {
        assert!(all.contains(&format!("\n  {name}")), "{name}: {all}");
        let own = printed(scratch, &[name, "--help"]);
        assert!(own.contains(&format!("Usage: service-launcher {name}")), "{own}");
        assert_eq!(own, printed(scratch, &["help", name]));
        assert!(own.contains("  3") && own.contains("No service runs"), "{own}");
    }
    assert!(refused(scratch, &["help", "fly"], 2).contains("no command \"fly\""));
}

/// Lets a program read a text; `None` where that program is not installed.
fn accepted(program: &str, arguments: &[&str], text: &str) -> Option<bool> {
    use std::io::Write as _;
    let mut command = Command::new(program);
    let command = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::piped()).spawn().ok()?;
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    Some(output.status.success() && output.stderr.is_empty())
}

#[test]
fn the_completions_are_valid_and_complete() {
    let setup = Setup::new();
    for shell in ["bash", "zsh", "fish"] {
        let text = printed(setup.scratch(), &["completions", shell]);
        for name in COMMANDS {
            assert!(text.contains(name), "{shell}: {name}");
        }
        assert_ne!(accepted(shell, &["-n"], &text), Some(false), "{shell}: {text}");
    }
    let text = printed(setup.scratch(), &["completions", "bash"]);
    let complete = |words: &str, at: usize| {
        let script = format!(
            "{text}\nCOMP_WORDS=({words})\nCOMP_CWORD={at}\n_service_launcher\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let mut command = Command::new("bash");
        let output = command.args(["--norc", "-c", &script]).output().expect("bash runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(complete("service-launcher se", 1), ["search"]);
    assert_eq!(complete("service-launcher completions z", 2), ["zsh"]);
    assert_eq!(complete("service-launcher list --fav", 2), ["--favorites"]);
    assert_eq!(complete("service-launcher --no-b", 1), ["--no-browser"]);
    assert_eq!(complete("service-launcher help pl", 2), ["play"]);
    assert_eq!(complete("service-launcher list --platform ''", 3), [""]);
}

#[test]
fn the_manual_page_is_read_without_a_warning() {
    let setup = Setup::new();
    let page = printed(setup.scratch(), &["man"]);
    assert!(page.starts_with(".TH SERVICE\\-LAUNCHER 1"), "{page}");
    for name in COMMANDS {
        assert!(page.contains(&format!(".SS \"{name}")), "{name}");
    }
    assert_ne!(accepted("groff", &["-man", "-Tutf8", "-ww", "-z"], &page), Some(false));
}
