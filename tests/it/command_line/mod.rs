//! The commands of the executable against a running service: what they print, their exit codes, and what is
//! generated from the table of the command line.

mod commands;
mod generated;
mod installed;

use std::{
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;

use crate::support::{scratch::Scratch, server::program};

/// The program with a command, on the data directory of a scratch directory.
pub(super) fn command(scratch: &Scratch, words: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.env_clear().env("HOME", scratch.path("home")).env("PATH", "/usr/bin:/bin");
    command.env("SERVICE_DATA_DIR", scratch.path("data")).args(words).stdin(Stdio::null());
    command
}

#[track_caller]
pub(super) fn run(scratch: &Scratch, words: &[&str]) -> Output {
    command(scratch, words).output().expect("it runs")
}

/// What a command prints when it ends well.
#[track_caller]
pub(super) fn printed(scratch: &Scratch, words: &[&str]) -> String {
    let output = run(scratch, words);
    assert_eq!(output.status.code(), Some(0), "{words:?}: {output:?}");
    assert!(output.stderr.is_empty(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The JSON that a command prints.
#[track_caller]
pub(super) fn json_of(scratch: &Scratch, words: &[&str]) -> Value {
    let words = [words, &["--json"]].concat();
    serde_json::from_str(&printed(scratch, &words)).expect("JSON")
}

/// What a command says on stderr when it ends with a code.
#[track_caller]
pub(super) fn refused(scratch: &Scratch, words: &[&str], code: i32) -> String {
    let output = run(scratch, words);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {output:?}");
    assert!(output.stdout.is_empty(), "{words:?}: {output:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

/// Every file below a folder, relative to it, sorted.
pub(super) fn files_below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below it");
                found.push(name.to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    found
}
