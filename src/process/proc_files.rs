//! Facts about processes in `/proc`. Reads only; a process may be gone between two reads.

use std::{fs, path::PathBuf};

use crate::base::text;

/// Characters of a command line that are kept to recognise a process.
pub const FINGERPRINT_CHARS: usize = 100;

/// The fields of `/proc/<pid>/stat` that are used here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Process number.
    pub pid: i32,
    /// Name of the program, at most 15 bytes.
    pub name: String,
    /// State letter; `T` is stopped, `Z` and `X` are ended.
    pub state: char,
    /// The process that started it, or that took it over.
    pub parent: i32,
    /// Process group.
    pub group: i32,
    /// Session.
    pub session: i32,
    /// Start in clock ticks after boot (field 22).
    pub start_ticks: u64,
}

impl Stat {
    /// Whether it runs or is stopped, that is, has not ended.
    pub fn is_alive(&self) -> bool {
        !matches!(self.state, 'Z' | 'X' | 'x')
    }
}

/// Reads a `stat` line. The name is whatever the program chose, so it is found by its last bracket.
pub fn parse_stat(line: &[u8]) -> Option<Stat> {
    let open = line.iter().position(|byte| *byte == b'(')?;
    let close = line.iter().rposition(|byte| *byte == b')').filter(|close| *close > open)?;
    let pid = std::str::from_utf8(&line[..open]).ok()?.trim().parse().ok()?;
    let rest = std::str::from_utf8(&line[close + 1..]).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // The first field behind the name is field 3 of the line.
    let field = |number: usize| fields.get(number - 3);
    Some(Stat {
        pid,
        name: String::from_utf8_lossy(&line[open + 1..close]).into_owned(),
        state: field(3)?.chars().next()?,
        parent: field(4)?.parse().ok()?,
        group: field(5)?.parse().ok()?,
        session: field(6)?.parse().ok()?,
        start_ticks: field(22)?.parse().ok()?,
    })
}

/// The `stat` of a process; `None` when there is none with this number.
pub fn read_stat(pid: i32) -> Option<Stat> {
    parse_stat(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Bytes of this process that are in memory; `None` when the system does not report it.
pub fn resident_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// The command line with blanks between the arguments; empty for kernel threads and zombies.
pub fn command_line(pid: i32) -> String {
    let mut bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    bytes.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = b' ');
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The first [`FINGERPRINT_CHARS`] characters of the command line.
pub fn fingerprint(pid: i32) -> String {
    text::cut(&command_line(pid), FINGERPRINT_CHARS).to_owned()
}

/// The working directory; `None` when the process is gone or may not be read.
pub fn working_directory(pid: i32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

/// Every process alive now.
pub fn processes() -> Vec<Stat> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(read_stat)
        .filter(Stat::is_alive)
        .collect()
}

/// The processes of a session that this process leads, of its group, and all that they started.
pub fn family(leader: i32) -> Vec<i32> {
    family_among(&processes(), leader)
}

fn family_among(all: &[Stat], leader: i32) -> Vec<i32> {
    let is_own = |stat: &&Stat| [stat.pid, stat.group, stat.session].contains(&leader);
    let mut family: Vec<i32> = all.iter().filter(is_own).map(|stat| stat.pid).collect();
    let mut next = 0;
    while let Some(parent) = family.get(next).copied() {
        next += 1;
        for stat in all.iter().filter(|stat| stat.parent == parent) {
            if !family.contains(&stat.pid) {
                family.push(stat.pid);
            }
        }
    }
    family
}

/// The process that leads its session and whose environment holds `name=value`; the oldest one when
/// there are several. Only processes of the same user show their environment.
pub fn find_marked(name: &str, value: &str) -> Option<Stat> {
    let mark = format!("{name}={value}").into_bytes();
    let leads = |stat: &Stat| stat.pid == stat.group && stat.pid == stat.session;
    let is_marked = |stat: &Stat| {
        let environment = fs::read(format!("/proc/{}/environ", stat.pid)).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|pair| pair == mark)
    };
    let marked = processes().into_iter().filter(leads).filter(is_marked);
    marked.min_by_key(|stat| stat.start_ticks)
}

/// The id of this boot of the machine; empty when the kernel does not report it.
pub fn boot_id() -> String {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &[u8], expected: Option<(&str, char, i32, i32, u64)>) {
        let stat = parse_stat(line);
        let seen = stat.as_ref().map(|stat| {
            (stat.name.as_str(), stat.state, stat.group, stat.session, stat.start_ticks)
        });
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_name_may_hold_anything() {
        let tail = " S 1 70 71 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 123456 8192 1";
        for name in ["sh", "a b", "a) R 9 9 9 (b", ")", "((", "new\nline"] {
            let line = format!("42 ({name}){tail}");
            check(line.as_bytes(), Some((name, 'S', 70, 71, 123_456)));
        }
        check(b"42 (\xff)", None);
        let raw = [b"42 (\xff)", tail.as_bytes()].concat();
        check(&raw, Some(("\u{fffd}", 'S', 70, 71, 123_456)));
    }

    #[test]
    fn a_family_is_a_session_a_group_and_what_they_started() {
        let stat = |(pid, parent, group, session): (i32, i32, i32, i32)| {
            let line = format!("{pid} (a) S {parent} {group} {session}{}", " 0".repeat(16));
            parse_stat(line.as_bytes()).expect("a line")
        };
        let all = [
            (1, 0, 1, 1),
            (10, 1, 10, 10),
            (11, 10, 11, 10),
            (12, 1, 10, 12),
            (13, 11, 13, 13),
            (14, 13, 13, 13),
            (20, 1, 20, 20),
        ]
        .map(stat);
        assert_eq!(family_among(&all, 10), [10, 11, 12, 13, 14]);
        assert_eq!(family_among(&all, 30), [0; 0]);
    }

    #[test]
    fn broken_lines_are_nothing() {
        for line in ["", "42", "42 (sh", "42 sh) S", ")42 (", "42 (sh) S 1 2", "x (sh) S 1 2 3"] {
            check(line.as_bytes(), None);
        }
    }

    #[test]
    fn we_see_ourselves() {
        let own = i32::try_from(std::process::id()).expect("fits");
        let stat = read_stat(own).expect("alive");
        assert!(stat.is_alive() && stat.start_ticks > 0);
        assert!(processes().iter().any(|process| process.pid == own));
        assert_eq!(working_directory(own), std::env::current_dir().ok());
        assert!(!command_line(own).contains('\0') && fingerprint(own).chars().count() <= 100);
        assert_eq!(boot_id().len(), 36);
        assert_eq!(read_stat(0), None);
    }
}
