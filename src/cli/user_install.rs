//! `--install-user` and `--uninstall-user`: the program for one user, below `~/.local` and `~/.config`.
//!
//! Both may be repeated, and neither touches the data directory. What was installed is listed with its
//! checksums, so that a file which the user changed since is kept.

use std::{
    fmt::Write as _,
    io,
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

use super::{completions, error::CliError, man, output::Output};
use crate::{
    base::ids,
    config::environment::Environment,
    desktop::{APPLICATION, entry},
    files::{DiskError, Files},
};

/// The unit of the service; [`PROGRAM`] stands for its file.
const UNIT: &str = include_str!("../../packaging/service-launcher.service");
const METAINFO: &str = include_str!("../../packaging/service-launcher.metainfo.xml");
const PROGRAM: &str = "@PROGRAM@";
/// The list of what was installed, below the user's configuration.
const LIST: &str = "service-launcher/installed-files";
/// Permissions of a program and of a text.
const PROGRAM_MODE: u32 = 0o755;
const TEXT_MODE: u32 = 0o644;
/// Bytes of a program that are compared at once.
const PIECE: u64 = 1 << 20;

/// The files to install, and their content.
struct Plan {
    files: Files,
    /// The program that is installed.
    source: PathBuf,
    /// Its place.
    program: PathBuf,
    /// The other files, with their content and permissions.
    texts: Vec<(PathBuf, Vec<u8>, u32)>,
    list: PathBuf,
}

/// Installs this program for the user.
///
/// # Errors
/// [`CliError`].
pub fn install() -> Result<(), CliError> {
    let environment = Environment::capture();
    let plan = Plan::of(&environment)?;
    let mut output = Output::standard();
    plan.install(&mut output)?;
    let folder = plan.program.parent().unwrap_or(Path::new("/"));
    let path = environment.raw("PATH").unwrap_or_default();
    if !std::env::split_paths(path).any(|entry| entry == folder) {
        output.line(&format!("{} is not on your PATH; add it.", folder.display()))?;
    }
    let unit = format!("systemctl --user enable --now {APPLICATION}");
    output.line(&format!("To start the service with your session: {unit}"))?;
    Ok(output.finish()?)
}

/// Removes what [`install`] installed.
///
/// # Errors
/// [`CliError`].
pub fn uninstall() -> Result<(), CliError> {
    let plan = Plan::of(&Environment::capture())?;
    let mut output = Output::standard();
    plan.uninstall(&mut output)?;
    output.line("Your library and settings were not touched.")?;
    Ok(output.finish()?)
}

impl Plan {
    fn of(environment: &Environment) -> Result<Self, CliError> {
        let no_home = || CliError::Failed("there is no home folder to install into".to_owned());
        let home = environment.home().ok_or_else(no_home)?;
        let data = environment.data_home().ok_or_else(no_home)?;
        let config = environment.config_home().ok_or_else(no_home)?;
        let bundle = environment.bundle().filter(|bundle| bundle.is_file());
        let source = bundle.map_or_else(std::env::current_exe, Ok)?;
        Self::below(home, &data, &config, source)
    }

    fn below(home: &Path, data: &Path, config: &Path, source: PathBuf) -> Result<Self, CliError> {
        let program = home.join(".local/bin").join(APPLICATION);
        let entry = entry::text(&program).filter(|_| !program.to_string_lossy().contains('%'));
        let entry = entry.ok_or_else(|| {
            CliError::Failed(format!("{} cannot be written in a desktop entry", program.display()))
        })?;
        // systemd reads quotes and backslashes as a shell does.
        let quoted = program.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
        let unit = UNIT.replace(PROGRAM, &format!("\"{quoted}\""));
        let of_shell = |shell| completions::of(shell).unwrap_or_default().into_bytes();
        let texts = vec![
            (data.join("applications/service-launcher.desktop"), entry.into_bytes(), PROGRAM_MODE),
            (
                data.join("icons/hicolor/scalable/apps/service-launcher.svg"),
                entry::ICON.to_vec(),
                TEXT_MODE,
            ),
            (
                data.join("metainfo/service-launcher.metainfo.xml"),
                METAINFO.as_bytes().to_vec(),
                TEXT_MODE,
            ),
            (data.join("man/man1/service-launcher.1"), man::page().into_bytes(), TEXT_MODE),
            (
                data.join("bash-completion/completions/service-launcher"),
                of_shell("bash"),
                TEXT_MODE,
            ),
            (data.join("zsh/site-functions/_service-launcher"), of_shell("zsh"), TEXT_MODE),
            (config.join("fish/completions/service-launcher.fish"), of_shell("fish"), TEXT_MODE),
            (config.join("systemd/user/service-launcher.service"), unit.into_bytes(), TEXT_MODE),
        ];
        Ok(Self { files: Files::system(), source, program, texts, list: config.join(LIST) })
    }

    fn install(&self, output: &mut Output) -> Result<(), CliError> {
        let files = &self.files;
        let is_same = self.source.canonicalize().ok() == self.program.canonicalize().ok()
            || self.is_equal(&self.source, &self.program)?;
        if !is_same {
            self.make_folder(&self.program)?;
            let mut new = files.copy_beside(&self.source, &self.program)?;
            files.set_mode(new.path(), PROGRAM_MODE)?;
            new.persist(&self.program)?;
        }
        say(output, is_same, &self.program)?;
        let mut list = String::new();
        for (path, content, mode) in &self.texts {
            // OK because writing to a String never fails.
            let _ = writeln!(list, "{}  {}", digest(content), path.display());
            let is_same = files.read(path).is_ok_and(|present| present == *content);
            if !is_same {
                self.make_folder(path)?;
                files.replace(path, content)?;
                files.set_mode(path, *mode)?;
            }
            say(output, is_same, path)?;
        }
        self.make_folder(&self.list)?;
        Ok(files.replace(&self.list, list.as_bytes())?)
    }

    fn uninstall(&self, output: &mut Output) -> Result<(), CliError> {
        let files = &self.files;
        let list = files.read(&self.list).unwrap_or_default();
        let list = String::from_utf8_lossy(&list).into_owned();
        let previous = self.program.with_file_name(format!("{APPLICATION}.previous"));
        let mut removed = 0;
        for path in [&self.program, &previous] {
            if files.stat(path)?.is_some() {
                files.remove(path)?;
                removed += 1;
                output.line(&format!("removed    {}", path.display()))?;
            }
        }
        for (path, content, _) in &self.texts {
            let Ok(present) = files.read(path) else { continue };
            let known = format!("{}  {}", digest(&present), path.display());
            if present != *content && !list.lines().any(|line| line == known) {
                output.line(&format!("kept       {} (it was changed)", path.display()))?;
                continue;
            }
            files.remove(path)?;
            removed += 1;
            output.line(&format!("removed    {}", path.display()))?;
        }
        if files.stat(&self.list)?.is_some() {
            files.remove(&self.list)?;
        }
        if removed == 0 {
            output.line("Nothing was installed.")?;
        }
        Ok(())
    }

    fn make_folder(&self, path: &Path) -> Result<(), DiskError> {
        path.parent().map_or(Ok(()), |folder| self.files.private_dir(folder))
    }

    /// Whether two files have the same content.
    fn is_equal(&self, one: &Path, other: &Path) -> Result<bool, DiskError> {
        let length = |path: &Path| self.files.stat(path).map(|stat| stat.map(|stat| stat.len()));
        let (length, Some(other_length)) = (length(one)?.unwrap_or(0), length(other)?) else {
            return Ok(false);
        };
        let mut at = 0;
        while length == other_length && at < length {
            let next = length.min(at + PIECE);
            if self.files.read_range(one, at, next)? != self.files.read_range(other, at, next)? {
                return Ok(false);
            }
            at = next;
        }
        Ok(length == other_length)
    }
}

fn say(output: &mut Output, is_same: bool, path: &Path) -> io::Result<()> {
    let what = if is_same { "unchanged " } else { "installed " };
    output.line(&format!("{what} {}", path.display()))
}

fn digest(content: &[u8]) -> String {
    ids::hex(&Sha256::digest(content))
}
