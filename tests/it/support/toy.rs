//! Games for the tests: shell scripts that say when they run and wait at a gate for their exit code.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use rustix::{
    fs::{CWD, FileType, Mode, OFlags, mknodat},
    process::{Pid, Signal, kill_process, kill_process_group},
};
use serde_json::{Value, json};

use super::{scratch::Scratch, server::Server, wait::until};

/// A game on disk. Dropping it kills what still runs of it.
pub(crate) struct Toy {
    /// The folder of the game, which is also where it runs.
    pub(crate) folder: PathBuf,
    /// The script.
    pub(crate) path: PathBuf,
}

impl Toy {
    /// A game in a folder of its own; `file` is the name of its script, which may hold anything.
    pub(crate) fn new(scratch: &Scratch, folder: &str, file: &str) -> Self {
        Self::with_script(
            scratch,
            folder,
            file,
            "echo $$ > up.new; mv up.new up; read -r code < gate; exit \"$code\"",
        )
    }

    /// A game with a script of its own, which is to write its process number into `up`.
    pub(crate) fn with_script(scratch: &Scratch, folder: &str, file: &str, lines: &str) -> Self {
        let path = scratch.script(Path::new(folder).join(file), lines);
        let folder = scratch.path(folder);
        mknodat(CWD, folder.join("gate"), FileType::Fifo, Mode::RWXU, 0).expect("a FIFO");
        Self { folder, path }
    }

    /// Puts the game in the library and returns its id.
    #[track_caller]
    pub(crate) fn add(&self, server: &Server, name: &str, more: &Value) -> String {
        let mut game = json!({"name": name, "path": self.path});
        let fields = more.as_object().expect("an object").clone();
        game.as_object_mut().expect("an object").extend(fields);
        let saved = server.post("/api/game", &json!({"game": game}));
        saved["game_id"].as_str().expect("an id").to_owned()
    }

    /// Waits until the script runs and returns its process number.
    #[track_caller]
    pub(crate) fn pid(&self) -> i32 {
        until("the game to run", || {
            fs::read_to_string(self.folder.join("up")).ok()?.trim().parse().ok()
        })
    }

    /// Forgets that it ran, before it is started once more.
    pub(crate) fn forget(&self) {
        fs::remove_file(self.folder.join("up")).expect("it ran");
    }

    /// Makes the script end with this exit code.
    #[track_caller]
    pub(crate) fn end(&self, code: i32) {
        let mut gate = until("the game to wait at its gate", || {
            let mut options = fs::OpenOptions::new();
            let flags = OFlags::NONBLOCK.bits().cast_signed();
            options.write(true).custom_flags(flags).open(self.folder.join("gate")).ok()
        });
        writeln!(gate, "{code}").expect("the game reads");
    }

    /// The state letter of a process; `None` when there is none with this number.
    pub(crate) fn state(pid: i32) -> Option<char> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(") ")?.1.chars().next()
    }
}

impl Drop for Toy {
    fn drop(&mut self) {
        let pid = fs::read_to_string(self.folder.join("up"))
            .ok()
            .and_then(|text| text.trim().parse().ok());
        if let Some(pid) = pid.filter(|pid| *pid > 1).and_then(Pid::from_raw) {
            let cwd = fs::read_link(format!("/proc/{}/cwd", pid.as_raw_nonzero()));
            // OK because a game that has ended is what is wanted.
            let _ = kill_process_group(pid, Signal::KILL);
            // One that was handed over leads a group only when it has come that far.
            if cwd.is_ok_and(|cwd| cwd == self.folder) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}
