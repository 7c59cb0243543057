//! How a program is installed on this machine, and the command that starts it.
//!
//! A program on the search path comes before its sandboxed package. Commands are written into rows, so
//! this also lists the commands of installations that are missing: a row with one of them gets the new
//! command when its source is read again. A command of the user is never replaced.

use std::{path::PathBuf, time::Duration};

use crate::process::{Limits, Spec, capture, search};

/// The tool that runs sandboxed packages.
const TOOL: &str = "flatpak";
/// How long it may take to look a package up.
const PATIENCE: Duration = Duration::from_secs(10);

/// The package tool, when it has this package.
pub fn package(id: &str) -> Option<PathBuf> {
    let tool = search::on_path(TOOL)?;
    let question = Spec::new([tool.as_os_str(), "info".as_ref(), id.as_ref()]);
    let limits = Limits { timeout: PATIENCE, ..Limits::default() };
    let is_there = capture::run(&question, &limits).is_ok_and(|answer| answer.code == 0);
    is_there.then_some(tool)
}

/// Whether the package tool is installed; without it no package is.
pub fn has_packages() -> bool {
    search::on_path(TOOL).is_some()
}

/// How a program is installed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The name of the program.
    program: &'static str,
    /// The id of its package.
    package: &'static str,
    is_native: bool,
    is_package: bool,
}

impl Program {
    /// Searches for a program and its package. May run the package tool, for up to ten seconds.
    pub fn detect(program: &'static str, id: &'static str) -> Self {
        let is_native = search::on_path(program).is_some();
        Self { program, package: id, is_native, is_package: package(id).is_some() }
    }

    /// A program that is not installed.
    #[cfg(test)]
    pub(super) fn none(program: &'static str) -> Self {
        Self { program, ..Self::default() }
    }

    /// The command with these arguments, and the commands of installations that are missing. A program
    /// that is not installed at all gets its plain name as command and replaces no other command.
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
        let program =
            Program { program: "player", package: "org.example.Player", is_native, is_package };
        let gone = gone.iter().map(|each| (*each).to_owned()).collect();
        assert_eq!(program.commands("a b"), (command.to_owned(), gone));
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
