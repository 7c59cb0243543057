//! Which paths lie on a file system that another machine or another process answers for.
//!
//! Only such a file system can leave a reader hanging for minutes. The table of mounts comes from the
//! kernel's memory, so reading it never hangs. Does not access the paths in question.

/// File systems behind a network or a user process; a `fuse.` or `nfs` name counts by its start.
const REMOTE: [&str; 10] =
    ["nfs", "cifs", "smb", "fuse", "9p", "ceph", "afs", "coda", "autofs", "virtiofs"];

/// The mount point of the remote file system a path lies on; `None` for a local one. `table` is the
/// text of `/proc/self/mountinfo`.
pub fn remote_mount(table: &str, path: &str) -> Option<String> {
    let holds = |point: &str| {
        let rest = path.strip_prefix(point.trim_end_matches('/'));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    // Of mounts one above the other the last line is the one that answers.
    let mounts = table.lines().filter_map(parse_line).filter(|(point, _)| holds(point));
    let (point, kind) = mounts.max_by_key(|(point, _)| point.trim_end_matches('/').len())?;
    REMOTE.iter().any(|name| kind.starts_with(name)).then_some(point)
}

/// Mount point and file system type of one line: the fifth field, and the first after ` - `.
fn parse_line(line: &str) -> Option<(String, &str)> {
    let (front, back) = line.split_once(" - ")?;
    let point = front.split(' ').nth(4)?;
    Some((unescape(point), back.split(' ').next()?))
}

/// The kernel writes blanks and backslashes as three octal digits.
fn unescape(text: &str) -> String {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match code {
            Some(code) if *first == b'\\' => {
                plain.push(code);
                rest = &tail[3..];
            }
            _ => {
                plain.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw
30 22 0:40 / /mnt/nas rw shared:2 master:3 - nfs4 host:/roms rw
31 22 0:41 / /mnt/my\\040disk rw - fuse.sshfs me@host: rw
32 30 8:2 / /mnt/nas/card rw - vfat /dev/sda1 rw
33 22 0:42 / /over rw - ext4 /dev/sdb rw
34 22 0:43 / /over rw - cifs //host/x rw
broken line
";

    #[track_caller]
    fn check(path: &str, expected: Option<&str>) {
        assert_eq!(remote_mount(TABLE, path).as_deref(), expected, "{path}");
    }

    #[test]
    fn the_longest_mount_point_decides() {
        check("/home/me/roms", None);
        check("/mnt/nas", Some("/mnt/nas"));
        check("/mnt/nas/snes", Some("/mnt/nas"));
        check("/mnt/nas/card/x", None);
        check("/mnt/nasty", None);
        check("/mnt/my disk/x", Some("/mnt/my disk"));
        check("/over/x", Some("/over"));
        assert_eq!(remote_mount("", "/x"), None);
    }
}
