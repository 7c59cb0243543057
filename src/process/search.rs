//! Finding programs.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{self, Read as _},
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, AtFlags, CWD};

use crate::base::ids;

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

/// Where a program is on the `PATH` of this program, else in the folders of games.
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

/// Whether a file starts by itself: we may execute it, and the kernel takes it for a program.
pub fn starts_itself(path: &Path) -> bool {
    is_executable(path) && is_program(path).unwrap_or_default()
}

/// Where the kernel lists the handlers of other formats, for example of programs for Windows.
const HANDLERS: &str = "/proc/sys/fs/binfmt_misc";
/// Bytes of a file by which the kernel recognises its format.
pub const HEAD: usize = 256;

/// Whether the kernel takes a file for a program: a script that names its interpreter, a program of
/// this machine, or a format with a handler. Drives without Unix modes mark every file as executable, so
/// the mode does not identify a game.
///
/// # Errors
/// When the file cannot be read.
pub fn is_program(path: &Path) -> io::Result<bool> {
    let mut head = Vec::with_capacity(HEAD);
    File::open(path)?.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(is_head_of_program(&head, path))
}

/// As [`is_program`], for a file of which the first [`HEAD`] bytes are known, and of its path the extension.
pub fn is_head_of_program(head: &[u8], path: &Path) -> bool {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or("");
    let has_handler = || {
        let entries = fs::read_dir(HANDLERS).into_iter().flatten().flatten();
        let mut texts = entries.filter_map(|entry| fs::read_to_string(entry.path()).ok());
        texts.any(|handler| handles(&handler, head, ending))
    };
    head.starts_with(b"#!") || is_of_machine(head, machines()) || has_handler()
}

/// Whether a handler, as the kernel describes it, is for files of this extension or with this head.
fn handles(handler: &str, head: &[u8], ending: &str) -> bool {
    let value = |key: &str| {
        let mut lines = handler.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(name, _)| *name == key).map(|(_, value)| value.trim())
    };
    if handler.lines().next() != Some("enabled") {
        return false;
    }
    if let Some(own) = value("extension") {
        return own.strip_prefix('.') == Some(ending);
    }
    let bytes = |key: &str| value(key).and_then(ids::bytes_from_hex);
    let Some(magic) = bytes("magic").filter(|magic| !magic.is_empty()) else { return false };
    let mask = bytes("mask").unwrap_or_else(|| vec![0xff; magic.len()]);
    let offset = value("offset").and_then(|text| text.parse().ok()).unwrap_or(0);
    let Some(found) = head.get(offset..offset + magic.len()) else { return false };
    found.iter().zip(&magic).zip(&mask).all(|((found, magic), mask)| found & mask == magic & mask)
}

/// The machines whose programs run here, as the header of a program numbers them.
fn machines() -> &'static [u16] {
    match std::env::consts::ARCH {
        "x86_64" => &[62, 3],
        "aarch64" => &[183, 40],
        _ => &[],
    }
}

/// Whether the header of a program names one of these machines; any machine when none is known.
fn is_of_machine(head: &[u8], machines: &[u16]) -> bool {
    let Some([low, high]) = head.get(18..20) else { return false };
    // The byte before is the word size of the machine, this one its byte order.
    let machine = match head[5] {
        1 => u16::from_le_bytes([*low, *high]),
        _ => u16::from_be_bytes([*low, *high]),
    };
    head.starts_with(b"\x7fELF") && (machines.is_empty() || machines.contains(&machine))
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

    #[test]
    fn the_head_of_a_file_tells_whether_it_starts() {
        let elf = |class: u8, order: u8, machine: [u8; 2]| {
            let mut head = b"\x7fELF".to_vec();
            head.extend([class, order]);
            head.resize(18, 0);
            head.extend(machine);
            head
        };
        for (head, machines, expected) in [
            (elf(2, 1, [62, 0]), &[62, 3][..], true),
            (elf(1, 1, [3, 0]), &[62, 3], true),
            (elf(2, 1, [183, 0]), &[62, 3], false),
            (elf(2, 2, [0, 22]), &[22], true),
            (elf(2, 2, [0, 22]), &[], true),
            (elf(2, 1, [62, 0])[..10].to_vec(), &[62], false),
            (b"MZ\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0>\0".to_vec(), &[62], false),
        ] {
            assert_eq!(is_of_machine(&head, machines), expected, "{head:?} {machines:?}");
        }
        assert!(is_program(Path::new("/bin/sh")).expect("read"));
        assert!(starts_itself(Path::new("/bin/sh")) && !starts_itself(Path::new("/etc/passwd")));
    }

    #[test]
    fn handlers_are_for_an_ending_or_a_head() {
        let magic = "enabled\ninterpreter /usr/bin/wine\nflags: \noffset 0\nmagic 4d5a\n";
        let masked = "enabled\ninterpreter /q\nflags: OCF\noffset 2\nmagic 00b7\nmask 00ff\n";
        let ending = "enabled\ninterpreter /java\nflags: \nextension .jar\n";
        for (handler, head, name, expected) in [
            (magic, &b"MZ\x90"[..], "exe", true),
            (magic, b"NES", "exe", false),
            (magic, b"M", "", false),
            (masked, b"xx\x42\xb7", "", true),
            (masked, b"xx\x42\xb6", "", false),
            (ending, b"PK", "jar", true),
            (ending, b"PK", "zip", false),
            ("enabled\n", b"", "", false),
            ("disabled\nmagic 4d5a\n", b"MZ", "", false),
        ] {
            assert_eq!(handles(handler, head, name), expected, "{handler} {head:?}");
        }
    }
}
