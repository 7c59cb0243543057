//! Starting a child in a session of its own.

use std::{
    ffi::OsString,
    io,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use rustix::process::{Resource, Rlimit};

use super::{child::Process, search::is_program};
use crate::config::credentials;

/// Open files a child may have before it asks for more: what programs that use `select` can take.
/// This program raises its own limit for connections; it must not be inherited.
const OPEN_FILES: u64 = 1_024;

/// What to start. Arguments go to the program exactly as they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spec {
    /// The program and its arguments; the first is an absolute path, or a name looked up on PATH.
    pub argv: Vec<OsString>,
    /// Working directory; `None` keeps that of this program.
    pub cwd: Option<PathBuf>,
    /// Changes to the inherited environment, which has no credentials for providers: a value sets,
    /// `None` removes.
    pub env: Vec<(OsString, Option<OsString>)>,
}

impl Spec {
    /// A program with arguments in the directory and environment of this program.
    pub fn new<S: Into<OsString>>(argv: impl IntoIterator<Item = S>) -> Self {
        Self { argv: argv.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// The command of this spec; `None` when there is no program.
    pub(super) fn command(&self) -> Option<Command> {
        let (program, arguments) = self.argv.split_first()?;
        #[expect(clippy::disallowed_methods, reason = "this room is the one that spawns")]
        let mut command = Command::new(program);
        command.args(arguments);
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        for name in credentials::variables() {
            command.env_remove(name);
        }
        for (name, value) in &self.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        detach(&mut command);
        Some(command)
    }
}

/// Why a child could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("there is no program to start")]
    Empty,
    #[error("failed to start {program:?}")]
    Refused {
        /// The program as it stands in the spec.
        program: OsString,
        /// The message of the operating system.
        source: io::Error,
    },
}

/// Starts a child that outlives this program: own session and process group, no input, output discarded.
///
/// Output is discarded rather than sent to a log: a pipe would break when this program exits and take the game with it,
/// and a file has no upper bound.
///
/// # Errors
/// [`SpawnError`] when the program or the working directory cannot be used; no child exists then.
pub fn spawn(spec: &Spec) -> Result<Process, SpawnError> {
    let mut command = spec.command().ok_or(SpawnError::Empty)?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let refused = |source| SpawnError::Refused { program: spec.argv[0].clone(), source };
    check_format(Path::new(&spec.argv[0])).map_err(refused)?;
    Ok(Process::of_child(command.spawn().map_err(refused)?))
}

/// Refuses a file that the kernel would not execute: the C library would hand it to a shell, which runs
/// whatever words a game happens to hold.
fn check_format(program: &Path) -> io::Result<()> {
    // A file that cannot be read may still be a program; starting it shows that.
    if program.is_absolute() && is_program(program).is_ok_and(|is_program| !is_program) {
        return Err(io::Error::from_raw_os_error(libc::ENOEXEC));
    }
    Ok(())
}

/// Makes the child the leader of a session, with the usual limit of open files.
///
/// A process group alone is not enough: when we die while a child is stopped, its group becomes
/// orphaned and the kernel sends it a hang-up, which would end a paused game.
#[expect(unsafe_code, reason = "the standard library offers no other way to call setsid")]
fn detach(command: &mut Command) {
    let Rlimit { current, maximum } = rustix::process::getrlimit(Resource::Nofile);
    let usual = Some(current.map_or(OPEN_FILES, |current| current.min(OPEN_FILES)));
    // SAFETY: the closure runs between fork and exec and makes two system calls; it allocates
    // nothing, takes no lock and touches no memory of the parent.
    unsafe {
        command.pre_exec(move || {
            rustix::process::setsid()?;
            // OK because a child with another limit still runs.
            let _ =
                rustix::process::setrlimit(Resource::Nofile, Rlimit { current: usual, maximum });
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{File, Permissions},
        io::Write as _,
        os::unix::fs::PermissionsExt as _,
    };

    use super::*;
    use crate::process::{capture, proc_files};

    #[test]
    fn arguments_arrive_exactly() {
        let hostile =
            ["a b", "it's", "\"q\"", "line\nbreak", "$(touch x)", "`x`", "-rf", "*", "", ";", "ü"];
        let argv = ["/bin/sh", "-c", "printf '%s\\0' \"$@\"", "sh"].iter().chain(&hostile);
        let captured =
            capture::run(&Spec::new(argv.copied()), &capture::Limits::default()).expect("runs");
        let seen: Vec<_> = captured.stdout.split(|byte| *byte == 0).collect();
        let expected: Vec<_> =
            hostile.iter().map(|part| part.as_bytes()).chain([&b""[..]]).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn bytes_that_are_no_text_arrive_too() {
        use std::os::unix::ffi::OsStringExt as _;
        let raw = OsString::from_vec(vec![b'/', 0xff, 0xfe]);
        let mut spec = Spec::new(["/bin/sh", "-c", "printf %s \"$1\"", "sh"]);
        spec.argv.push(raw.clone());
        let captured = capture::run(&spec, &capture::Limits::default()).expect("runs");
        assert_eq!(captured.stdout, raw.into_vec());
    }

    #[test]
    fn a_child_leads_its_own_session_and_inherits_nothing_to_read() {
        let child = spawn(&Spec::new(["/bin/sleep", "1000"])).expect("starts");
        let stat = proc_files::read_stat(child.pid()).expect("alive");
        assert_eq!((stat.group, stat.session), (child.pid(), child.pid()));
        let input = std::fs::read_link(format!("/proc/{}/fd/0", child.pid())).expect("a link");
        assert_eq!(input.as_os_str(), "/dev/null");
        child.signal_group(rustix::process::Signal::KILL).expect("signalled");
        assert_eq!(child.wait_blocking(), Some(-9));
    }

    #[test]
    fn a_child_has_the_usual_limit_of_open_files() {
        let captured =
            capture::run(&Spec::new(["/bin/sh", "-c", "ulimit -Sn"]), &capture::Limits::default());
        let limit = String::from_utf8(captured.expect("runs").stdout).expect("text");
        assert!(limit.trim().parse::<u64>().is_ok_and(|limit| limit <= OPEN_FILES), "{limit}");
    }

    #[test]
    fn what_cannot_start_is_an_error() {
        assert!(matches!(spawn(&Spec::default()), Err(SpawnError::Empty)));
        for argv in [["/nonexistent/program"], ["/etc/passwd"], ["nul\0inside"]] {
            assert!(matches!(spawn(&Spec::new(argv)), Err(SpawnError::Refused { .. })), "{argv:?}");
        }
        let mut spec = Spec::new(["/bin/true"]);
        spec.cwd = Some("/nonexistent/folder".into());
        assert!(matches!(spawn(&spec), Err(SpawnError::Refused { .. })));
    }

    #[test]
    fn what_is_no_program_reaches_no_shell() {
        let dir = tempfile::tempdir().expect("a folder");
        let (game, mark) = (dir.path().join("game.nes"), dir.path().join("mark"));
        let text = format!("NES\u{1a}\ntouch '{}'\n", mark.display());
        let file = File::create(&game).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.set_permissions(Permissions::from_mode(0o755))
        });
        file.expect("written");
        let Err(SpawnError::Refused { source, .. }) = spawn(&Spec::new([&game])) else {
            panic!("it started");
        };
        assert_eq!(source.raw_os_error(), Some(libc::ENOEXEC));
        assert!(!mark.exists());
    }

    #[test]
    fn the_environment_is_inherited_with_changes() {
        let mut spec = Spec::new(["/bin/sh", "-c", "printf %s \"$A|${HOME-unset}|${PATH:+set}\""]);
        spec.env = vec![("A".into(), Some("x y".into())), ("HOME".into(), None)];
        let captured = capture::run(&spec, &capture::Limits::default()).expect("runs");
        assert_eq!(captured.stdout, b"x y|unset|set");
    }
}
