//! Packages of plugins for the tests, and whether this machine can shut them in.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use super::{
    client::Request,
    scratch::Scratch,
    server::{Server, Setup},
};

/// A package to be written.
pub(crate) struct Package {
    manifest: Value,
    code: String,
}

impl Package {
    /// A package of this id and name without hooks.
    pub(crate) fn new(id: &str) -> Self {
        let manifest = json!({"id": id, "name": id, "version": "1"});
        Self { manifest, code: String::new() }
    }

    /// Its version.
    pub(crate) fn version(self, version: &str) -> Self {
        self.more(json!({"version": version}))
    }

    /// Its hooks.
    pub(crate) fn hooks(self, hooks: &[&str]) -> Self {
        self.more(json!({"hooks": hooks}))
    }

    /// Other keys of its manifest.
    pub(crate) fn more(mut self, more: Value) -> Self {
        let keys = more.as_object().expect("an object").clone();
        self.manifest.as_object_mut().expect("an object").extend(keys);
        self
    }

    /// Its program.
    pub(crate) fn code(mut self, code: &str) -> Self {
        code.clone_into(&mut self.code);
        self
    }

    /// A package whose command `go` runs this body; `payload` is there.
    pub(crate) fn command(id: &str, body: &str) -> Self {
        let lines = format!("    {}\n", body.replace('\n', "\n    "));
        let package = Self::new(id).hooks(&["command"]);
        let command = json!({"commands": [{"id": "go", "label": "Go"}]});
        let imports = "import json, os, signal, socket, subprocess, sys, time";
        package.more(command).code(&format!("{imports}\ndef command(payload):\n{lines}"))
    }

    /// Writes it below the scratch directory.
    pub(crate) fn write(&self, scratch: &Scratch, name: &str) -> PathBuf {
        let manifest = scratch.file(format!("{name}/plugin.json"), self.manifest.to_string());
        scratch.file(format!("{name}/plugin.py"), &self.code);
        manifest.parent().expect("a folder").to_owned()
    }

    /// Writes and installs it.
    #[track_caller]
    pub(crate) fn install(&self, server: &Server) {
        let id = self.manifest["id"].as_str().expect("text");
        let path = self.write(server.scratch(), &format!("packages/{id}"));
        server.post("/api/plugins/install", &json!({"path": path}));
    }
}

/// Installs one of the examples.
#[track_caller]
pub(crate) fn install_example(server: &Server, id: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/plugins").join(id);
    server.post("/api/plugins/install", &json!({"path": path}));
}

/// A request that is refused with this sentence.
#[track_caller]
pub(crate) fn refused(server: &Server, request: &Request, expected: &str) {
    let reply = server.send(request).expect(400).json();
    assert_eq!((&reply["code"], &reply["error"]), (&json!("BAD_REQUEST"), &json!(expected)));
}

/// Runs the command `go` of a plugin: its reply, or the sentence that refuses. A hook that a busy machine
/// did not give its time is run again.
#[track_caller]
pub(crate) fn go(server: &Server, id: &str) -> Result<Value, String> {
    let request =
        Request::post("/api/v2/plugins/command", &json!({"plugin_id": id, "command": "go"}));
    let mut last = String::new();
    for _ in 0..5 {
        let reply = server.send(&request);
        if reply.status == 200 {
            return Ok(reply.json());
        }
        reply.json()["error"].as_str().expect("a sentence").clone_into(&mut last);
        if last != TIMED_OUT {
            break;
        }
    }
    Err(last)
}

/// What is said of a hook that takes too long.
pub(crate) const TIMED_OUT: &str = "Plugin did not end within 5 seconds.";

/// A server whose plugins run without a sandbox, so that it is tested on any machine with Python.
pub(crate) fn open_server() -> Option<Server> {
    has_python().then(|| open_setup().start())
}

/// As [`open_server`], before its start.
pub(crate) fn open_setup() -> Setup {
    Setup::new().env("SERVICE_ALLOW_UNSANDBOXED_PLUGINS", "1")
}

/// Whether Python is here; when it is not, that is reported on a line that `tests/run` counts.
pub(crate) fn has_python() -> bool {
    runs("python3", &["-c", "0"], "python3 is not installed")
}

/// Whether plugins can be sandboxed here, found out by trying; when not, that is reported on such a line.
pub(crate) fn has_sandbox() -> bool {
    let arguments = "--die-with-parent --new-session --unshare-all --ro-bind / / /usr/bin/true";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    has_python() && runs("bwrap", &arguments, "bubblewrap does not work")
}

fn runs(program: &str, arguments: &[&str], otherwise: &str) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    let works = command.status().is_ok_and(|status| status.success());
    if !works {
        // Not by a macro: what those print is only shown for tests that fail.
        let line = format!("\nskipped: {otherwise}\n");
        std::io::stdout().write_all(line.as_bytes()).expect("a line");
    }
    works
}

/// The lines of the log with this text.
pub(crate) fn logged(server: &Server, text: &str) -> usize {
    let log = fs::read_to_string(server.data("service.log")).unwrap_or_default();
    log.lines().filter(|line| line.contains(text)).count()
}
