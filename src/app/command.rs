//! The commands of [`crate::cli`] as the executable runs them.

use crate::cli::{
    self, error::CliError, help, invocation::Invocation, output::Style, user_install,
};

/// How the program ends after an error.
#[derive(Debug)]
pub struct Ended {
    /// The exit code.
    pub code: u8,
    /// For the user at the terminal; empty when everything was said.
    pub message: String,
}

impl Ended {
    /// The end with this code and the text of an error.
    pub fn failed(code: u8, error: &dyn std::error::Error) -> Self {
        Self { code, message: error.to_string() }
    }
}

impl From<CliError> for Ended {
    fn from(error: CliError) -> Self {
        // Names of games stand in it.
        let text = error.to_string();
        let lines: Vec<String> = text.lines().map(|line| Style::PLAIN.clean(line)).collect();
        Self { code: error.code(), message: lines.join("\n") }
    }
}

/// The help of the program.
pub fn help() -> String {
    help::program()
}

/// Does what a command asks for.
///
/// # Errors
/// [`Ended`].
pub fn run(asked: &Invocation) -> Result<(), Ended> {
    Ok(cli::run::run(asked)?)
}

/// Installs the program for the user.
///
/// # Errors
/// [`Ended`].
pub fn install_user() -> Result<(), Ended> {
    Ok(user_install::install()?)
}

/// Removes what that installed.
///
/// # Errors
/// [`Ended`].
pub fn uninstall_user() -> Result<(), Ended> {
    Ok(user_install::uninstall()?)
}
