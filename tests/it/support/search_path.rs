//! The programs of this machine without emulators: what a test starts plays what the test brings.

use std::{
    collections::BTreeSet, env, ffi::OsString, fs, os::unix::fs::symlink, path::Path,
    sync::OnceLock,
};

/// The tables of the repository that name programs of emulators.
const TABLES: [&str; 2] = ["definitions", "src/definitions"];

/// A folder of links to every program of the search path that no table names. It stays for later runs.
pub(crate) fn without_emulators() -> &'static OsString {
    static FOLDER: OnceLock<OsString> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let user = rustix::process::geteuid().as_raw();
        let folder = env::temp_dir().join(format!("launcher-programs-{user}"));
        fs::create_dir_all(&folder).expect("a folder for links");
        let emulators = emulators();
        let path = env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
        for entry in env::split_paths(&path).filter_map(|from| fs::read_dir(from).ok()).flatten() {
            let program = entry.expect("an entry").path();
            let name = program.file_name().expect("a name").to_string_lossy();
            if !emulators.contains(&*name) {
                // The first of a name counts, and those of an earlier run are as good.
                drop(symlink(&program, folder.join(&*name)));
            }
        }
        folder.into_os_string()
    })
}

/// The programs that the tables of the repository name.
fn emulators() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = TABLES.iter().flat_map(|table| fs::read_dir(root.join(table)).expect("a table"));
    let texts = entries.filter_map(|entry| fs::read_to_string(entry.ok()?.path()).ok());
    let texts: Vec<String> = texts.collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    let programs = lines.filter_map(|line| {
        line.strip_prefix("  programs: ").or_else(|| line.strip_prefix("native_exe: "))
    });
    programs.flat_map(|names| names.split(' ')).map(str::to_owned).collect()
}
