//! Finding programs.

use std::{
    ffi::OsStr,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, AtFlags, CWD};

/// Where a program is: a name without a slash is looked up in the folders of `path` (the value of
/// a `PATH` variable), anything else counts from `cwd`. `None` when no executable file is there.
pub fn find_program(name: &OsStr, path: &OsStr, cwd: &Path) -> Option<PathBuf> {
    if name.is_empty() {
        return None;
    }
    if name.as_bytes().contains(&b'/') {
        let program = cwd.join(name);
        return is_executable(&program).then_some(program);
    }
    // An empty element means the working directory to a shell; looking there would let a game's
    // folder replace a program.
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|program| is_executable(program))
}

/// Folders of games that are missing in the `PATH` of services and of some desktops.
const GAMES: &str = "/usr/games:/usr/local/games";
/// The folder of programs that every such `PATH` names. One that does not is meant to hold no others.
const PROGRAMS: &str = "/usr/bin";

/// Where a program is on our own `PATH`, else in the folders of games.
pub fn on_path(name: &str) -> Option<PathBuf> {
    find_installed(name, &std::env::var_os("PATH")?)
}

fn find_installed(name: &str, path: &OsStr) -> Option<PathBuf> {
    let find = |path: &OsStr| find_program(name.as_ref(), path, Path::new("/"));
    let is_usual = || std::env::split_paths(path).any(|folder| folder == Path::new(PROGRAMS));
    find(path).or_else(|| find(GAMES.as_ref()).filter(|_| is_usual()))
}

/// Whether it is a regular file, or a link to one, that we may execute.
pub fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_like_exec_does_but_never_into_the_working_directory() {
        let sh = find_program("sh".as_ref(), "/nonexistent:/bin".as_ref(), Path::new("/"));
        assert_eq!(sh, Some("/bin/sh".into()));
        for (name, path, cwd, found) in [
            ("sh", "", "/bin", false),
            ("sh", ":relative", "/bin", false),
            ("./sh", "", "/bin", true),
            ("/bin/sh", "", "/", true),
            ("", "/bin", "/bin", false),
            ("passwd", "/etc", "/", false),
            ("etc", "/", "/", false),
            ("/etc", "", "/", false),
            ("no-such-program", "/bin", "/", false),
        ] {
            let seen = find_program(name.as_ref(), path.as_ref(), Path::new(cwd));
            assert_eq!(seen.is_some(), found, "{name} {path} {cwd}");
        }
    }
}
