//! The commands a user wants to run when the service starts and stops.

use std::path::{Path, PathBuf};

use crate::{
    formats::command_line,
    process::{Process, Spec, search, spawn},
};

/// Starts every command, detached: split like a shell splits, `~` at the start of the program means
/// the home folder, nothing else is expanded. One that cannot start is logged and skipped.
pub fn start_all(commands: &[String], home: &Path) -> Vec<Process> {
    commands.iter().filter_map(|command| start(command, home)).collect()
}

fn start(command: &str, home: &Path) -> Option<Process> {
    let mut words = command_line::split(command).into_iter();
    let program = words.next()?;
    let program = command_line::at_home(program.as_ref(), home);
    // The working directory is the home folder, like at a login; where there is none, that of this program.
    let cwd = home.is_dir().then(|| home.to_owned());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = search::find_program(&program, &path, home);
    let argv = [found.map_or(program, PathBuf::into_os_string)];
    let argv = argv.into_iter().chain(words.map(Into::into)).collect();
    match spawn::spawn(&Spec { argv, cwd, env: Vec::new() }) {
        Ok(process) => Some(process),
        Err(error) => {
            log::warn!("failed to run the command {command:?}: {error:?}");
            None
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;

    #[test]
    fn commands_run_in_order_and_failures_do_not_stop_the_rest() {
        let home = tempfile::tempdir().expect("a folder");
        let script = home.path().join("my script");
        fs::write(&script, "#!/bin/sh\nprintf '%s|' \"$@\" > out\n").expect("written");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("set");
        let commands =
            ["/nonexistent", "", "  ", "'~/my script' 'a b' $HOME ~ ;"].map(str::to_owned);
        let started = start_all(&commands, home.path());
        assert_eq!(started.len(), 1);
        while !started[0].has_ended() {
            std::thread::yield_now();
        }
        assert_eq!(fs::read_to_string(home.path().join("out")).expect("written"), "a b|$HOME|~|;|");
    }
}
