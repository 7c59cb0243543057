//! One run of a hook: a process that reads one JSON object and writes one.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use serde_json::{Map, Value, value::RawValue};

use super::{
    error::HookError,
    manifest::Hook,
    sandbox::{self, Confined, Sandbox},
};
use crate::{
    base::embedded::{DATA, File},
    config::{data_dir::DataDir, environment::Environment},
    files::Files,
    process::{CaptureError, Limits, SpawnError, Spec, capture, search},
};

/// How long a hook may take.
pub(super) const TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of its input, and of its output.
pub(super) const BYTES: usize = 2 << 20;
/// Bytes of the end of its error output that are logged.
const TAIL: usize = 400;
/// The script that loads a plugin, in the executable and on disk.
const SCRIPT: &str = "plugin-runner.py";
const RUNNER: &str = "runner.py";

/// What runs hooks on this machine.
pub(super) struct Host {
    files: Files,
    environment: Environment,
    data_dir: DataDir,
    is_stopping: AtomicBool,
}

/// A hook to be run.
pub(super) struct Task<'a> {
    pub id: &'a str,
    pub package: &'a Path,
    pub entry: &'a str,
    pub hook: Hook,
    /// Whether the network was granted.
    pub network: bool,
    /// Whether the user trusts this very package; asked only where that matters.
    pub is_trusted: &'a dyn Fn() -> bool,
    /// Whether it is run although the program ends.
    pub is_last: bool,
}

impl Host {
    pub(super) fn new(files: Files, environment: Environment, data_dir: DataDir) -> Self {
        Self { files, environment, data_dir, is_stopping: AtomicBool::new(false) }
    }

    /// How plugins run here.
    pub(super) fn sandbox(&self) -> Sandbox {
        sandbox::of_machine(&self.environment)
    }

    /// Ends the hooks that run.
    pub(super) fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Whether [`Host::stop`] was called.
    pub(super) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Runs a hook and returns what it printed.
    pub(super) fn run(&self, task: &Task<'_>, input: &[u8]) -> Result<Vec<u8>, HookError> {
        if input.len() > BYTES {
            return Err(HookError::TooLarge);
        }
        let spec = self.spec(task)?;
        let limits = Limits { timeout: TIMEOUT, output_bytes: BYTES };
        let goes_on = || task.is_last || !self.is_stopping();
        let ended = capture::run_confined(&spec, &limits, input, &goes_on).map_err(failure)?;
        let tail = tail(&ended.stderr);
        if !tail.is_empty() {
            log::info!("plugin {}: {}: {tail}", task.id, task.hook.name());
        }
        if ended.code != 0 {
            return Err(HookError::Exited { status: ended.code, tail });
        }
        Ok(ended.stdout)
    }

    fn spec(&self, task: &Task<'_>) -> Result<Spec, HookError> {
        let not_started = |error: &dyn std::fmt::Display| HookError::NotStarted(error.to_string());
        let sandbox = self.sandbox();
        if sandbox == Sandbox::Unavailable && !(task.is_trusted)() {
            return Err(HookError::NoSandbox);
        }
        let interpreter = sandbox::interpreter(&self.environment).ok_or(HookError::NoPython)?;
        let runner = self.runner()?;
        let real = |path: &Path| path.canonicalize().map_err(|error| not_started(&error));
        let (package, runner) = (real(task.package)?, real(&runner)?);
        let names: Vec<_> = self.environment.process_names().collect();
        let mut env = sandbox::scrubbed(&names);
        if sandbox != Sandbox::Ready {
            let mut spec = Spec::new([interpreter.into_os_string(), "-B".into(), runner.into()]);
            spec.argv.push(package.join(task.entry).into_os_string());
            spec.argv.push(task.hook.name().into());
            return Ok(Spec { cwd: Some(package), env, ..spec });
        }
        let tool = search::on_path("bwrap").ok_or(HookError::NoSandbox)?;
        let data_dir = real(self.data_dir.root())?;
        let home = self.environment.home().and_then(|home| home.canonicalize().ok());
        let resolvers = task.network.then(sandbox::resolvers);
        let inside = Confined {
            package: &package,
            runner: &runner,
            entry: task.entry,
            hook: task.hook.name(),
            interpreter: &interpreter,
            data_dir: &data_dir,
            home: home.as_deref(),
            network: resolvers.as_deref(),
        };
        env.push(("PATH".into(), Some(sandbox::search_path(&self.environment))));
        let mut spec = Spec::new([tool]);
        spec.argv.extend(sandbox::arguments(&inside));
        Ok(Spec { cwd: Some("/".into()), env, ..spec })
    }

    /// The script that loads a plugin, written when it is not there or another one.
    fn runner(&self) -> Result<PathBuf, HookError> {
        let folder = self.data_dir.plugin_runner();
        let path = folder.join(RUNNER);
        let script = File::find(&DATA, SCRIPT).map_or(&b""[..], File::bytes);
        if self.files.read(&path).is_ok_and(|there| there == script) {
            return Ok(path);
        }
        let written =
            self.files.private_dir(&folder).and_then(|()| self.files.replace(&path, script));
        written.map(|()| path).map_err(|error| HookError::NotStarted(error.reason()))
    }
}

fn failure(error: CaptureError) -> HookError {
    match error {
        CaptureError::Spawn(SpawnError::Refused { source, .. }) => {
            HookError::NotStarted(source.to_string())
        }
        CaptureError::TimedOut(_) => HookError::TimedOut(TIMEOUT.as_secs()),
        CaptureError::TooMuchOutput(_) => HookError::TooMuchOutput,
        CaptureError::Stopped => HookError::Stopped,
        other => HookError::NotStarted(other.to_string()),
    }
}

/// The end of an error output, on one line.
fn tail(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(&stderr[stderr.len().saturating_sub(TAIL)..]);
    let text: String = text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
    text.trim().to_owned()
}

/// The object that a hook printed; `None` when it printed nothing.
pub(super) fn object(output: &[u8]) -> Result<Option<Map<String, Value>>, HookError> {
    if output.trim_ascii().is_empty() {
        return Ok(None);
    }
    match serde_json::from_slice(output) {
        Ok(Value::Object(object)) => Ok(Some(object)),
        Ok(_) => Err(HookError::NoObject),
        Err(_) => Err(HookError::Nonsense),
    }
}

/// The list `games` of the object that a hook printed, without taking the games apart; `None` when
/// there is no such list of objects.
pub(super) fn games(output: &[u8]) -> Option<Vec<Box<RawValue>>> {
    #[derive(serde::Deserialize)]
    struct Output {
        games: Vec<Box<RawValue>>,
    }
    let output: Output = serde_json::from_slice(output).ok()?;
    output.games.iter().all(|game| game.get().starts_with('{')).then_some(output.games)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_nothing_or_one_object() {
        assert_eq!(object(b" \n"), Ok(None));
        assert_eq!(object(b"{} "), Ok(Some(Map::new())));
        assert_eq!(object(b"[1]"), Err(HookError::NoObject));
        for bad in [&b"{"[..], b"{}{}", b"NaN", b"\xff"] {
            assert_eq!(object(bad), Err(HookError::Nonsense));
        }
        let found = games(b"{\"games\": [{\"a\": 1}, {}], \"more\": 1}").expect("a list");
        assert_eq!(found.len(), 2);
        for bad in [&b"{}"[..], b"{\"games\": [1]}", b"[{}]", b""] {
            assert!(games(bad).is_none());
        }
    }

    #[test]
    fn the_end_of_an_error_output_is_one_line() {
        assert_eq!(tail(b"a\nb\x1b[31m\n"), "a b [31m");
        let long = [b"x".repeat(500), b"end".to_vec()].concat();
        assert!(tail(&long).len() == TAIL && tail(&long).ends_with("end"));
    }
}
