//! The program under test: started on a data directory of its own, killed when it goes out of scope.

use std::{
    ffi::{OsStr, OsString},
    fmt::Write as _,
    fs,
    io::{BufRead, BufReader, Read, Write as _},
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open},
};
use serde_json::Value;

use super::{
    client::{Client, Reply, Request, Wire},
    scratch::Scratch,
    search_path,
    wait::PATIENCE,
};

/// The line that the program prints on stdout once it answers requests, before the port.
const READY: &str = "Listening on http://127.0.0.1:";

/// The copy of the executable that another user starts.
const PROGRAM: &str = "service-launcher";

/// Users that programs were started as.
static USERS: AtomicU32 = AtomicU32::new(0);

/// Lines of the diagnostic log that are shown when a test fails.
const LOG_LINES: usize = 30;

/// How the program is to be started.
pub(crate) struct Setup {
    scratch: Scratch,
    args: Vec<OsString>,
    env: Vec<(String, OsString)>,
    data: PathBuf,
    through: Vec<OsString>,
    user: Option<u32>,
}

impl Setup {
    /// A fresh scratch directory; data directory `data`, home `home` below it.
    pub(crate) fn new() -> Self {
        let scratch = Scratch::new();
        scratch.folder("home");
        let data = scratch.folder("data");
        Self { scratch, args: Vec::new(), env: Vec::new(), data, through: Vec::new(), user: None }
    }

    /// The directory everything lies in, to put files there before the start.
    pub(crate) fn scratch(&self) -> &Scratch {
        &self.scratch
    }

    /// Puts a library file in the data directory.
    pub(crate) fn library(self, json: &str) -> Self {
        self.scratch.file_mode("data/library.json", json, 0o600);
        self
    }

    /// Adds a command line argument.
    pub(crate) fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds a variable to the environment, which otherwise holds only what the program needs.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name.to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Moves the data directory, which need not exist, to another name below the scratch directory.
    pub(crate) fn data_dir(mut self, name: &str) -> Self {
        self.data = self.scratch.path(name);
        self
    }

    /// Lowers limits of the process: options of `prlimit`, such as `--as=400000000`.
    pub(crate) fn limit(self, options: &str) -> Self {
        self.through(&["prlimit", options])
    }

    /// Runs it by another program, which is given it as its last arguments.
    pub(crate) fn through(mut self, words: &[&str]) -> Self {
        self.through = words.iter().map(OsString::from).collect();
        self
    }

    /// Runs it as a user that runs nothing else; `None` where this user may not do that. Root is
    /// exempt from some limits, and others share them with all their programs.
    pub(crate) fn for_nobody(mut self) -> Option<Self> {
        if !rustix::process::geteuid().is_root() || !has_setpriv() {
            return None;
        }
        let number = USERS.fetch_add(1, Ordering::Relaxed);
        let user = 2_000_000 + std::process::id() * 16 + number;
        // The folder of the build may be closed to others.
        fs::copy(program(), self.scratch.path(PROGRAM)).expect("a copy of the executable");
        self.scratch.give_to(user);
        self.user = Some(user);
        Some(self)
    }

    /// The words before a command that the user of the program is to run.
    fn user_words(&self) -> Vec<OsString> {
        let Some(user) = self.user else { return Vec::new() };
        let flags = [format!("--reuid={user}"), format!("--regid={user}")];
        let words = ["setpriv", "--clear-groups"].map(OsString::from).into_iter();
        words.chain(flags.map(OsString::from)).collect()
    }

    /// The program, started through what changes its limits and its rights.
    fn launcher(&self) -> Command {
        let mut words = self.user_words();
        words.extend(self.through.iter().cloned());
        words.push(match self.user {
            Some(_) => self.scratch.path(PROGRAM).into_os_string(),
            None => program(),
        });
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        command
    }

    /// The command line with the environment of the test; the streams are the caller's.
    pub(crate) fn command(&self) -> Command {
        let mut command = self.launcher();
        let home = self.scratch.path("home");
        command.env_clear().env("HOME", &home).env("TZ", "UTC").env("LANG", "C.UTF-8");
        command.env("PATH", search_path::without_emulators());
        for (name, folder) in [
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_DATA_HOME", "share"),
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_STATE_HOME", "state"),
        ] {
            command.env(name, home.join(folder));
        }
        command.arg("--no-browser").arg("--data-dir").arg(&self.data);
        command.args(&self.args).envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null());
        command
    }

    /// Starts the program and waits until it answers.
    #[track_caller]
    pub(crate) fn start(self) -> Server {
        let mut server = Server {
            setup: self,
            child: None,
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            token: String::new(),
            log: Arc::default(),
        };
        server.spawn();
        server
    }
}

/// Whether the tool that changes the user is installed.
fn has_setpriv() -> bool {
    let mut command = Command::new("setpriv");
    command.arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// The executable that is tested: the one of this build, or the one that `SERVICE_BIN` names, which
/// may have been built for another processor.
pub(crate) fn program() -> OsString {
    std::env::var_os("SERVICE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_service-launcher").into())
}

/// The running program. Dropping it kills it, and shows what it printed when the test is failing.
pub(crate) struct Server {
    setup: Setup,
    child: Option<Child>,
    address: SocketAddr,
    token: String,
    log: Arc<Mutex<String>>,
}

impl Server {
    /// Starts the program on an empty data directory.
    #[track_caller]
    pub(crate) fn start() -> Self {
        Setup::new().start()
    }

    /// The directory everything lies in.
    pub(crate) fn scratch(&self) -> &Scratch {
        &self.setup.scratch
    }

    /// A path in the data directory.
    pub(crate) fn data(&self, name: impl AsRef<Path>) -> PathBuf {
        self.setup.data.join(name)
    }

    /// Where the program listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The session token.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// A client with a connection of its own.
    pub(crate) fn client(&self) -> Client {
        Client::new(self.address, &self.token)
    }

    /// A bare connection.
    #[track_caller]
    pub(crate) fn wire(&self) -> Wire {
        Wire::connect(self.address).expect("a connection to the program")
    }

    /// Sends one request on a connection of its own.
    #[track_caller]
    pub(crate) fn send(&self, request: &Request) -> Reply {
        self.client().send(request)
    }

    /// GET, 200, JSON, on a connection of its own.
    #[track_caller]
    pub(crate) fn get(&self, target: &str) -> Value {
        self.client().get(target)
    }

    /// POST, 200, JSON, on a connection of its own.
    #[track_caller]
    pub(crate) fn post(&self, target: &str, body: &Value) -> Value {
        self.client().post(target, body)
    }

    /// Everything an import may change, for a comparison: games, playlists, history, waiting media.
    pub(crate) fn holdings(&self) -> Value {
        let library = self.get("/api/library");
        let rest = ["/api/history", "/api/media/queue"].map(|path| self.get(path));
        serde_json::json!([
            library["games"],
            library["playlists"],
            library["smart_collections"],
            rest
        ])
    }

    /// Posts an import; its answer names the newest import where that added or changed anything, and is
    /// given without that name.
    #[track_caller]
    pub(crate) fn import(&self, route: &str, body: &Value) -> Value {
        let mut reply = self.post(route, body);
        let named = reply.as_object_mut().and_then(|reply| reply.remove("import_batch_id"));
        if let Some(id) = named {
            let batches = self.get("/api/v2/import/batches");
            assert_eq!(batches["imports"][0]["import_batch_id"], id, "{route}");
        } else {
            assert_eq!(reply["added"], 0, "{route} names no import");
        }
        reply
    }

    /// Takes the newest import back.
    #[track_caller]
    pub(crate) fn undo_import(&self) -> Value {
        let batches = self.get("/api/v2/import/batches");
        let id = &batches["imports"][0]["import_batch_id"];
        self.post("/api/v2/import/undo", &serde_json::json!({"import_batch_id": id}))
    }

    /// The process id.
    #[track_caller]
    pub(crate) fn pid(&self) -> u32 {
        self.child.as_ref().expect("the program runs").id()
    }

    /// A number of `/proc/<pid>/status`, such as `VmRSS` (KiB) or `Threads`.
    #[track_caller]
    pub(crate) fn status(&self, key: &str) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/status", self.pid())).expect("its status");
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        number.expect("a number of that name")
    }

    /// Changes limits of the running program: options of `prlimit`, such as `--nproc=100:`.
    #[track_caller]
    pub(crate) fn limit(&self, options: &str) {
        let mut words = self.setup.user_words();
        words.push("prlimit".into());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(format!("--pid={}", self.pid())).arg(options);
        assert!(command.status().is_ok_and(|status| status.success()), "no limit {options}");
    }

    /// Everything the program printed so far, stdout and stderr in the order of arrival.
    pub(crate) fn log(&self) -> String {
        self.log.lock().expect("no reader panicked").clone()
    }

    /// Sends a signal.
    #[track_caller]
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.process(), signal).expect("a signal to the program");
    }

    /// Cuts the power: SIGKILL. The data directory stays for [`Server::restart`].
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // OK because a child that is gone already is what is wanted.
            drop(child.kill());
            drop(child.wait());
        }
    }

    /// Asks it to stop (SIGTERM), waits, and checks what a clean stop promises.
    #[track_caller]
    pub(crate) fn stop(&mut self) {
        self.signal(Signal::TERM);
        let status = self.wait();
        assert!(status.success(), "the program stopped with {status}");
        for name in ["server.token", "server.port"] {
            assert!(!self.data(name).exists(), "{name} is still there after a clean stop");
        }
    }

    /// Waits for the process to end by itself.
    #[track_caller]
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let process = pidfd_open(self.process(), PidfdFlags::empty()).expect("a pidfd");
        let mut fds = [PollFd::new(&process, PollFlags::IN)];
        let patience = Timespec::try_from(PATIENCE).expect("a short time");
        let ended = poll(&mut fds, Some(&patience)).expect("a poll");
        assert_eq!(ended, 1, "the program did not end within {PATIENCE:?}");
        self.child.take().expect("the program runs").wait().expect("its exit status")
    }

    /// Starts the program again on the same directory, after [`Server::kill`] or [`Server::stop`].
    #[track_caller]
    pub(crate) fn restart(&mut self) {
        assert!(self.child.is_none(), "the program still runs");
        self.spawn();
    }

    fn process(&self) -> Pid {
        let pid = self.child.as_ref().and_then(|child| Pid::from_raw(child.id().cast_signed()));
        pid.expect("the program runs")
    }

    #[track_caller]
    fn spawn(&mut self) {
        let mut command = self.setup.command();
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the executable starts");
        let (ports, port) = channel();
        follow(child.stdout.take().expect("piped"), &self.log, Some(ports));
        follow(child.stderr.take().expect("piped"), &self.log, None);
        self.child = Some(child);
        let port = listening(&port);
        self.address.set_port(port.expect("the program prints that it listens"));
        let written = fs::read_to_string(self.data("server.port")).expect("server.port");
        assert_eq!(written.trim(), self.address.port().to_string(), "server.port");
        let token = fs::read_to_string(self.data("server.token")).expect("server.token");
        token.trim().clone_into(&mut self.token);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        if thread::panicking() {
            let log = fs::read_to_string(self.data("service.log")).unwrap_or_default();
            let last: Vec<_> = log.lines().rev().take(LOG_LINES).collect();
            let last = last.into_iter().rev().collect::<Vec<_>>().join("\n");
            let printed = self.log();
            let shown = format!("---- printed ----\n{printed}---- logged ----\n{last}\n----\n");
            // OK because a broken stderr cannot be reported.
            drop(std::io::stderr().write_all(shown.as_bytes()));
        }
    }
}

/// Waits for the port of the ready line.
fn listening(port: &Receiver<u16>) -> Result<u16, String> {
    port.recv_timeout(PATIENCE).map_err(|error| format!("the program did not get ready: {error}"))
}

/// Copies lines into the log; the first ready line also gives its port away.
fn follow(
    stream: impl Read + Send + 'static,
    log: &Arc<Mutex<String>>,
    ports: Option<Sender<u16>>,
) {
    let log = Arc::clone(log);
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let port = line.strip_prefix(READY).and_then(|port| port.parse().ok());
            // OK because writing to a String never fails, and a test that left needs no port.
            let _ = writeln!(log.lock().expect("no reader panicked"), "{line}");
            if let (Some(ports), Some(port)) = (&ports, port) {
                let _ = ports.send(port);
            }
        }
    });
}
