//! The ways in which a program may be installed on this machine, and the command each gives.
//!
//! A program on the search path comes before its sandboxed package. Commands are written into rows, so
//! this also tells which ones it would have written at other times: a row that still holds one whose
//! program is gone takes the new one when its source is read again. What a person wrote is none of them.

use std::{path::PathBuf, time::Duration};

use crate::process::{
    capture::{self, Limits},
    search,
    spawn::Spec,
};

/// The tool that runs sandboxed packages.
const TOOL: &str = "flatpak";
/// How long it may take to say whether a package is there.
const PATIENCE: Duration = Duration::from_secs(10);

/// The package tool, when it has this package.
#[must_use]
pub fn package(id: &str) -> Option<PathBuf> {
    let tool = search::on_path(TOOL)?;
    let question = Spec::new([tool.as_os_str(), "info".as_ref(), id.as_ref()]);
    let limits = Limits { timeout: PATIENCE, ..Limits::default() };
    let is_there = capture::run(&question, &limits).is_ok_and(|answer| answer.code == 0);
    is_there.then_some(tool)
}

/// Whether there is a package tool at all; without it every package is gone.
#[must_use]
pub fn has_packages() -> bool {
    search::on_path(TOOL).is_some()
}

/// How a program is installed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ways {
    /// The name of the program.
    program: &'static str,
    /// The id of its package.
    package: &'static str,
    is_native: bool,
    is_package: bool,
}

impl Ways {
    /// Looks for a program and for its package. May ask the package tool, up to ten seconds.
    #[must_use]
    pub fn look(program: &'static str, id: &'static str) -> Self {
        let is_native = search::on_path(program).is_some();
        Self { program, package: id, is_native, is_package: package(id).is_some() }
    }

    /// A program that is nowhere.
    #[cfg(test)]
    pub(super) fn none(program: &'static str) -> Self {
        Self { program, ..Self::default() }
    }

    /// The command with these arguments, and the commands of the ways that are gone. A program that is
    /// not here at all has its plain name for a command, and takes no other one's place.
    #[must_use]
    pub fn commands(&self, arguments: &str) -> (String, Vec<String>) {
        let native = format!("{} {arguments}", self.program);
        let packaged = format!("{TOOL} run {} {arguments}", self.package);
        match (self.is_native, self.is_package) {
            (true, false) => (native, vec![packaged]),
            (false, true) => (packaged, vec![native]),
            (true, true) | (false, false) => (native, Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(is_native: bool, is_package: bool, command: &str, gone: &[&str]) {
        let ways = Ways { program: "player", package: "org.example.Player", is_native, is_package };
        let gone = gone.iter().map(|each| (*each).to_owned()).collect();
        assert_eq!(ways.commands("a b"), (command.to_owned(), gone));
    }

    #[test]
    fn the_program_comes_before_its_package() {
        let (native, packaged) = ("player a b", "flatpak run org.example.Player a b");
        check(true, true, native, &[]);
        check(true, false, native, &[packaged]);
        check(false, true, packaged, &[native]);
        check(false, false, native, &[]);
    }
}
