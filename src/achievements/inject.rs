//! The account in the settings of emulators (`POST /api/ach/inject`).

use std::path::Path;

use super::{
    account::Account,
    config_edit::{set_in_section, set_plain},
};
use crate::{base::schema::schema, files::Files};

/// Bytes of the largest file that is edited.
const FILE_BYTES: u64 = 8 << 20;

schema! {
    "AchievementsInjected"
    /// `POST /api/ach/inject`.
    #[derive(Debug, Default, PartialEq, Eq)]
    pub struct Injected {
        /// The files that hold the account now.
        pub updated: Vec<String>,
        /// The other ones, each with the reason.
        pub skipped: Vec<String>,
    }
}

/// How the file of an emulator is written.
#[derive(Clone, Copy)]
enum Form {
    RetroArch,
    Dolphin,
    Pcsx2,
}

/// The file of an emulator below a folder of configurations, and the id of its sandboxed package.
const TARGETS: [(&str, &str, Form); 3] = [
    ("retroarch/retroarch.cfg", "org.libretro.RetroArch", Form::RetroArch),
    ("dolphin-emu/RetroAchievements.ini", "org.DolphinEmu.dolphin-emu", Form::Dolphin),
    ("PCSX2/inis/PCSX2.ini", "net.pcsx2.PCSX2", Form::Pcsx2),
];

/// Writes the account into the settings of every emulator that has a folder for them. Emulators want the
/// token of a login; without one the web key is written.
pub(super) fn inject(
    files: &Files,
    home: &Path,
    config: &Path,
    account: &Account,
    token: &str,
) -> Injected {
    let token = if token.is_empty() { account.api_key.as_str() } else { token };
    let mut injected = Injected::default();
    for (file, package, form) in TARGETS {
        let sandboxed = home.join(".var/app").join(package).join("config").join(file);
        let usual = home.join(".config").join(file);
        let named = config.join(file);
        let is_there = named.parent().is_some_and(Path::is_dir);
        for path in [if is_there { named } else { usual }, sandboxed] {
            let shown = path.display().to_string();
            match write(files, &path, form, &account.username, token) {
                Ok(()) => injected.updated.push(shown),
                Err(reason) => injected.skipped.push(format!("{shown}: {reason}")),
            }
        }
    }
    injected
}

fn write(
    files: &Files,
    path: &Path,
    form: Form,
    username: &str,
    token: &str,
) -> Result<(), String> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    if !folder.is_dir() {
        return Err("the folder of its settings is missing".to_owned());
    }
    let failed = |error: crate::files::DiskError| error.reason();
    let before = match files.stat(path).map_err(failed)? {
        None => Vec::new(),
        Some(found) if !found.is_file() => return Err("it is not a plain file".to_owned()),
        Some(found) if found.len() > FILE_BYTES => return Err("it is too large".to_owned()),
        Some(_) => files.read(path).map_err(failed)?,
    };
    let text = |text: &str| text.to_owned();
    let after = match form {
        Form::RetroArch => set_plain(
            &before,
            &[
                ("cheevos_enable", text("true")),
                ("cheevos_username", text(username)),
                ("cheevos_password", text(token)),
                ("cheevos_token", text(token)),
            ],
        ),
        Form::Dolphin => set_in_section(
            &before,
            "Achievements",
            &[("Enabled", text("True")), ("Username", text(username)), ("ApiToken", text(token))],
        ),
        Form::Pcsx2 => set_in_section(
            &before,
            "Achievements",
            &[("Enabled", text("true")), ("Username", text(username)), ("Token", text(token))],
        ),
    };
    // What a kill left holds the token too.
    files.clear_leftovers_of(path).map_err(failed)?;
    files.replace(path, &after).map_err(failed)
}
