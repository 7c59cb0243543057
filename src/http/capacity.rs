//! How many connections may exist, by what the process may take of the machine.
//!
//! A connection costs two descriptors, a thread of tiny_http, and at worst a worker that waits for
//! its client. The limits are measured once, at the start, and a reserve is left to the rest of the
//! program: to jobs, to their files, and to the games that are started.

use std::{fs, path::Path};

use rustix::process::{Resource, getrlimit, getuid};

use crate::base::limits;

/// Descriptors left to everything that is not a connection.
const SPARE_DESCRIPTORS: u64 = 64;
/// Threads and processes left to everything that is not a connection.
const SPARE_THREADS: u64 = 16;
/// Addresses left to everything that is not a connection.
const SPARE_ADDRESSES: u64 = 96 << 20;
/// Addresses of one connection: two stacks, of two MiB and one, and a quarter for what is kept.
const CONNECTION_ADDRESSES: u64 = 13 << 18;
/// Threads that a server has without a connection, besides its quick workers: the guard, the accept
/// thread, four idle threads of tiny_http, the workers of the slow lane, and the few of the program
/// that start later.
const STANDING_THREADS: u64 = 1 + 1 + 4 + 8 + 4;
/// Fewest connections: what one browser opens. Where there is not even room for these, the server is
/// opened again whenever it fails.
const FEWEST: u64 = 8;
/// A limit of threads from which the threads in use are not counted.
const PLENTY: u64 = 8_192;
/// Capabilities that lift the limit of threads: of the administrator, and of resources.
const EXEMPT: u64 = 1 << 21 | 1 << 24;

/// What the process may still take, each nothing where there is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Room {
    /// Descriptors altogether.
    pub(super) descriptors: Option<u64>,
    /// Threads that can still be made.
    pub(super) threads: Option<u64>,
    /// Bytes of addresses that can still be reserved.
    pub(super) addresses: Option<u64>,
}

/// Bounds of the number of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Capacity {
    /// Connections that are kept.
    pub(super) kept: usize,
    /// Connections that may exist until those beyond the ones kept are closed.
    pub(super) existing: usize,
}

impl Capacity {
    /// The bounds in this room, for a server with `quick_workers` quick workers.
    pub(super) fn of(room: Room, quick_workers: usize) -> Self {
        let standing = STANDING_THREADS + u64::try_from(quick_workers).unwrap_or(u64::MAX);
        let stacks = standing.saturating_mul(crate::base::workers::STACK_BYTES as u64);
        let affordable = [
            room.descriptors.map(|all| all.saturating_sub(SPARE_DESCRIPTORS) / 2),
            room.threads.map(|free| free.saturating_sub(standing + SPARE_THREADS) / 2),
            room.addresses
                .map(|free| free.saturating_sub(stacks + SPARE_ADDRESSES) / CONNECTION_ADDRESSES),
        ];
        let affordable = affordable.into_iter().flatten().min().unwrap_or(u64::MAX);
        let kept = (affordable / 5).saturating_mul(4).max(FEWEST);
        let kept = usize::try_from(kept).unwrap_or(usize::MAX).min(limits::CONNECTIONS);
        Self { kept, existing: kept + kept / 4 }
    }
}

impl Room {
    /// Measures it. What cannot be read counts as no limit.
    pub(super) fn measure(descriptors: u64) -> Self {
        let processes = getrlimit(Resource::Nproc).current.filter(|limit| *limit < PLENTY);
        let processes = processes.filter(|_| !is_exempt()).map(|limit| {
            let used = threads_of(getuid().as_raw(), Path::new("/proc"));
            limit.saturating_sub(used)
        });
        let group = group_room(Path::new("/sys/fs/cgroup"), &read(Path::new("/proc/self/cgroup")));
        let threads = processes.into_iter().chain(group).min();
        let addresses = getrlimit(Resource::As).current;
        let addresses = addresses.map(|limit| limit.saturating_sub(addresses_in_use()));
        Self { descriptors: Some(descriptors), threads, addresses }
    }
}

/// Whether the limit of threads does not hold for this process.
fn is_exempt() -> bool {
    let status = read(Path::new("/proc/self/status"));
    let effective = field(&status, "CapEff").and_then(|set| u64::from_str_radix(set, 16).ok());
    getuid().is_root() || effective.is_some_and(|set| set & EXEMPT != 0)
}

/// Threads of all processes of a user, as far as they can be seen.
fn threads_of(user: u32, processes: &Path) -> u64 {
    let entries = fs::read_dir(processes).into_iter().flatten().flatten();
    let numbers = entries.filter(|entry| {
        entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
    });
    let threads = numbers.filter_map(|entry| {
        let status = read(&entry.path().join("status"));
        let owner: u32 = field(&status, "Uid")?.parse().ok()?;
        (owner == user).then(|| field(&status, "Threads")?.parse::<u64>().ok()).flatten()
    });
    threads.sum()
}

/// Tasks that can still be made in the control group named in `membership` and in those above it.
fn group_room(root: &Path, membership: &str) -> Option<u64> {
    let group = membership.lines().find_map(|line| {
        let (_, line) = line.split_once(':')?;
        let (controllers, path) = line.split_once(':')?;
        let folder = match controllers {
            "" => root.to_owned(),
            _ if controllers.split(',').any(|name| name == "pids") => root.join("pids"),
            _ => return None,
        };
        let group = folder.join(path.trim_start_matches('/'));
        group.join("pids.max").exists().then_some(group)
    })?;
    let groups = group.ancestors().take_while(|group| group.starts_with(root));
    let number = |group: &Path, name: &str| read(&group.join(name)).trim().parse::<u64>().ok();
    let rooms = groups.filter_map(|group| {
        Some(number(group, "pids.max")?.saturating_sub(number(group, "pids.current")?))
    });
    rooms.min()
}

/// Bytes of addresses that the process has reserved.
fn addresses_in_use() -> u64 {
    let status = read(Path::new("/proc/self/status"));
    let kibibytes = field(&status, "VmSize").and_then(|size| size.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}

/// The first word of a line `name: words` of a status file.
fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()
}

/// The text of a file of the kernel; empty when it is not there.
fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "a test builds its own files")]

    use super::*;

    const NONE: Room = Room { descriptors: None, threads: None, addresses: None };

    #[track_caller]
    fn check(room: Room, kept: usize, existing: usize) {
        assert_eq!(Capacity::of(room, 12), Capacity { kept, existing });
    }

    #[test]
    fn the_scarcest_limit_counts() {
        check(NONE, 512, 640);
        check(Room { descriptors: Some(20_000), ..NONE }, 512, 640);
        check(Room { descriptors: Some(1_024), ..NONE }, 384, 480);
        check(Room { threads: Some(10_000), ..NONE }, 512, 640);
        check(Room { threads: Some(146), ..NONE }, 40, 50);
        check(Room { addresses: Some(1 << 40), ..NONE }, 512, 640);
        check(Room { addresses: Some(289 << 20), ..NONE }, 40, 50);
        let all = Room { descriptors: Some(1_024), threads: Some(146), addresses: Some(1 << 40) };
        check(all, 40, 50);
    }

    #[test]
    fn a_browser_is_served_however_little_there_is() {
        check(Room { descriptors: Some(0), threads: Some(0), addresses: Some(0) }, 8, 10);
    }

    #[test]
    fn two_threads_for_each_connection_leave_the_reserve() {
        for threads in 70..2_000 {
            let capacity = Capacity::of(Room { threads: Some(threads), ..NONE }, 12);
            let most = u64::try_from(capacity.existing).unwrap() * 2 + STANDING_THREADS + 12;
            assert!(most + SPARE_THREADS <= threads, "{threads}: {capacity:?}");
        }
    }

    #[test]
    fn the_room_of_a_group_is_that_of_the_narrowest_above_it() {
        let root = tempfile::tempdir().expect("a folder");
        let put = |group: &str, most: &str, current: &str| {
            let folder = root.path().join(group);
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join("pids.max"), most).expect("written");
            fs::write(folder.join("pids.current"), current).expect("written");
        };
        put("user.slice", "100\n", "90\n");
        put("user.slice/app", "max\n", "20\n");
        put("pids/docker", "64\n", "70\n");
        let free = |membership: &str| group_room(root.path(), membership);
        assert_eq!(free("0::/user.slice/app\n"), Some(10));
        assert_eq!(free("4:memory:/docker\n3:pids:/docker\n0::/\n"), Some(0));
        assert_eq!(free("0::/elsewhere\n"), None);
        assert_eq!(free(""), None);
    }

    #[test]
    fn this_process_is_counted() {
        let own = threads_of(getuid().as_raw(), Path::new("/proc"));
        assert!(own >= 1);
        assert!(addresses_in_use() > 1 << 20);
        let status = "Name:\tx\nUid:\t1000\t1001\nThreads:\t7\n";
        assert_eq!((field(status, "Uid"), field(status, "Threads")), (Some("1000"), Some("7")));
        assert_eq!(field(status, "Thread"), None);
    }
}
