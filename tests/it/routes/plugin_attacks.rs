//! Hostile plugins: each is contained, and each has its named outcome.

use std::{fs, time::Instant};

use serde_json::{Value, json};

use crate::support::{
    plugin::{Package, TIMED_OUT, go, has_python, has_sandbox, logged, open_server, open_setup},
    server::{Server, Setup},
    toy::Toy,
    wait::until,
};

/// What the command of a plugin returns.
#[track_caller]
fn result(server: &Server, id: &str, body: &str) -> Value {
    Package::command(id, body).install(server);
    go(server, id).expect("it runs")["result"].clone()
}

/// The sentence that the command of a plugin ends in.
#[track_caller]
fn failure(server: &Server, id: &str, body: &str) -> String {
    Package::command(id, body).install(server);
    go(server, id).expect_err("it fails")
}

#[test]
fn what_a_plugin_prints_has_its_named_outcome() {
    let Some(server) = open_server() else { return };
    for (id, body, expected) in [
        (
            "a.flood",
            "sys.stdout.write('x' * 3_000_000)",
            "Plugin output exceeded the payload limit.",
        ),
        (
            "b.endless",
            "while True:\n    print('x' * 65536)",
            "Plugin output exceeded the payload limit.",
        ),
        ("c.large", "return {'x': 'x' * (2 << 20)}", "Plugin output exceeded the payload limit."),
        (
            "d.nonsense",
            "print('no'); sys.stdout.flush(); os._exit(0)",
            "Plugin returned invalid JSON.",
        ),
        (
            "e.list",
            "print('[1]'); sys.stdout.flush(); os._exit(0)",
            "Plugin output must be a JSON object.",
        ),
        ("f.nan", "return {'x': float('nan')}", "Plugin returned invalid JSON."),
        (
            "g.exit",
            "sys.stderr.write('why\\n'); sys.stderr.flush(); os._exit(7)",
            "Plugin exited with status 7: why",
        ),
        (
            "g.raises",
            "raise ValueError('the game has no year')",
            "Plugin exited with status 1: plugin.py:3 in command: ValueError: the game has no year",
        ),
        ("h.kill", "os.kill(os.getpid(), signal.SIGKILL)", "Plugin exited with status -9: "),
    ] {
        assert_eq!(failure(&server, id, body), expected, "{id}");
    }
    let long = failure(&server, "i.noise", "sys.stderr.write('x' * 900_000 + 'end'); sys.exit(1)");
    let tail = long.strip_prefix("Plugin exited with status 1: ").expect("its status");
    assert!(tail.len() == 400 && tail.ends_with("end"), "{}", tail.len());
    let fits = result(&server, "j.fits", "return {'x': 'x' * ((2 << 20) - 9)}");
    assert_eq!(fits["x"].as_str().map(str::len), Some((2 << 20) - 9));
    Package::command("k.silent", "os._exit(0)").install(&server);
    let silent = go(&server, "k.silent").expect("nothing is no error");
    assert_eq!((&silent["result"], &silent["notification"]), (&json!(null), &json!(null)));
    let echoed = result(&server, "l.text", "return 'text'");
    assert_eq!(echoed, json!({"command": "go", "library": []}), "no object leaves the payload");
    Package::new("m.no-hook")
        .more(json!({"commands": [{"id": "go", "label": "x"}]}))
        .install(&server);
    let undeclared = "Plugin does not declare the command hook.".to_owned();
    assert_eq!(go(&server, "m.no-hook"), Err(undeclared));
}

#[test]
fn a_plugin_that_hangs_is_killed_with_everything_it_started() {
    let Some(server) = open_server() else { return };
    let pid_file = server.scratch().path("pid");
    let body = format!(
        "child = subprocess.Popen(['/bin/sleep', '1000'])\nopen({:?}, 'w').write(str(child.pid))\nwhile True:\n    time.sleep(1000)",
        pid_file.display().to_string()
    );
    Package::command("a.hangs", &body).install(&server);
    let begun = Instant::now();
    assert_eq!(go(&server, "a.hangs"), Err(TIMED_OUT.to_owned()));
    assert!(begun.elapsed().as_secs() >= 5);
    let pid: i32 = fs::read_to_string(&pid_file).expect("written").parse().expect("a number");
    until("the end of what it started", || {
        matches!(Toy::state(pid), None | Some('Z')).then_some(())
    });
}

#[test]
fn what_a_plugin_leaves_running_is_killed() {
    let Some(server) = open_server() else { return };
    let body = "child = subprocess.Popen(['/bin/sleep', '1000'], stdout=subprocess.DEVNULL)\nreturn {'pid': child.pid}";
    let left = result(&server, "a.leaves", body);
    let pid = left["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok()).expect("a number");
    until("the end of what it left", || matches!(Toy::state(pid), None | Some('Z')).then_some(()));
}

#[test]
fn secrets_of_the_environment_do_not_reach_a_plugin() {
    if !has_python() {
        return;
    }
    let server = open_setup()
        .env("GITHUB_TOKEN", "s1")
        .env("My_Password", "s2")
        .env("ACH_USERNAME", "s3")
        .env("PYTHONPATH", "/nowhere")
        .env("PLAIN", "seen")
        .start();
    let seen = result(&server, "a.env", "return {'env': dict(os.environ)}");
    let seen = seen["env"].as_object().expect("an object").clone();
    assert_eq!((&seen["PLAIN"], &seen["PYTHONNOUSERSITE"]), (&json!("seen"), &json!("1")));
    for name in seen.keys() {
        assert!(!name.starts_with("SERVICE_"), "{name}");
    }
    for name in ["GITHUB_TOKEN", "My_Password", "ACH_USERNAME", "PYTHONPATH"] {
        assert!(!seen.contains_key(name), "{name}");
    }
}

#[test]
fn a_sandboxed_plugin_sees_its_package_and_nothing_private() {
    if !has_sandbox() {
        return;
    }
    let setup = Setup::new();
    setup.scratch().file("home/secret", "private");
    let server = setup.start();
    assert_eq!(server.get("/api/plugins")["sandbox"], "ready");
    let home = server.scratch().path("home/secret").display().to_string();
    let data = server.data("library.json").display().to_string();
    let body = format!(
        "return {{'home': os.path.exists({home:?}), 'data': os.path.exists({data:?}),\n    \
         'areas': [name for area in ('/home', '/run', '/mnt', '/media') for name in os.listdir(area)],\n    \
         'tmp': sorted(os.listdir('/tmp')), 'package': sorted(os.listdir(os.path.dirname(__file__))),\n    \
         'cwd': os.getcwd(), 'pids': len([it for it in os.listdir('/proc') if it.isdigit()]) < 10}}"
    );
    let seen = result(&server, "a.looks", &body);
    assert_eq!((&seen["home"], &seen["data"]), (&json!(false), &json!(false)));
    assert_eq!(seen["package"], json!(["plugin.json", "plugin.py"]));
    assert_eq!((&seen["cwd"], &seen["pids"]), (&json!("/tmp"), &json!(true)));
    let tmp = seen["tmp"].as_array().expect("a list");
    assert!(tmp.contains(&json!("service")) && tmp.len() <= 2, "{tmp:?}");
}

#[test]
fn a_sandboxed_plugin_writes_nothing_outside() {
    if !has_sandbox() {
        return;
    }
    let server = Server::start();
    let outside = server.scratch().path("outside").display().to_string();
    let body = format!(
        "denied = []\nfor path in ('/etc/evil', '/usr/evil', __file__, os.path.dirname(__file__) + '/evil'):\n    \
         try:\n        open(path, 'w').write('x')\n    except OSError:\n        denied.append(path)\n\
         os.makedirs(os.path.dirname({outside:?}), exist_ok=True)\nopen({outside:?}, 'w').write('x')\n\
         return {{'denied': len(denied)}}"
    );
    let seen = result(&server, "a.writes", &body);
    assert_eq!(seen["denied"], 4);
    assert!(!server.scratch().path("outside").exists(), "what it wrote is gone with it");
}

#[test]
fn a_sandboxed_plugin_has_no_network_unless_it_was_granted() {
    if !has_sandbox() {
        return;
    }
    let server = Server::start();
    let address = server.address();
    let body = format!(
        "try:\n    socket.create_connection(('127.0.0.1', {}), 3).close()\n    return {{'online': True}}\n\
         except OSError:\n    return {{'online': False}}",
        address.port()
    );
    let package = || Package::command("a.net", &body).more(json!({"permissions": ["network"]}));
    package().install(&server);
    assert_eq!(go(&server, "a.net").expect("it runs")["result"]["online"], false);
    let grant = json!({"id": "a.net", "permissions": ["network"]});
    server.post("/api/v2/plugins/permissions", &grant);
    assert_eq!(go(&server, "a.net").expect("it runs")["result"]["online"], true);
    Package::command("a.net", &body).version("2").install(&server);
    let after = go(&server, "a.net").expect("it runs")["result"]["online"].clone();
    assert_eq!(after, false, "a version that does not declare it does not get it");
}

#[test]
fn a_sandboxed_plugin_that_forks_and_escapes_its_group_leaves_nothing() {
    if !has_sandbox() {
        return;
    }
    let server = Server::start();
    // It has the number of its process in its command line, which is how it would be found outside.
    let mark = format!("1000.{}", server.pid());
    let body = format!(
        "for _ in range(20):\n    subprocess.Popen(['/bin/sleep', '{mark}'], start_new_session=True,\n        \
         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\nreturn {{'started': 20}}"
    );
    assert_eq!(result(&server, "a.forks", &body)["started"], 20);
    let runs = || {
        let entries = fs::read_dir("/proc").expect("a listing").flatten();
        let lines =
            entries.filter_map(|entry| fs::read_to_string(entry.path().join("cmdline")).ok());
        lines.filter(|line| line.contains(&mark)).count()
    };
    until("the end of all of them", || (runs() == 0).then_some(()));
}

#[test]
fn without_a_sandbox_only_what_is_trusted_runs() {
    if !has_python() {
        return;
    }
    let setup = Setup::new();
    // A tool of that name that cannot make a sandbox.
    let tools = setup.scratch().script("bin/bwrap", "exit 1");
    let tools = tools.parent().expect("a folder").to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(tools).chain(std::env::split_paths(&path));
    let server = setup.env("PATH", std::env::join_paths(folders).expect("a path")).start();
    assert_eq!(server.get("/api/plugins")["sandbox"], "unavailable");
    let refused = failure(&server, "a.b", "return {'ran': True}");
    assert!(refused.contains("bubblewrap") && refused.contains("trust"), "{refused}");
    server.post("/api/v2/plugins/trust", &json!({"id": "a.b", "trusted": true}));
    assert_eq!(go(&server, "a.b").expect("it runs")["result"]["ran"], true);
    let code = "def command(payload):\n    return {'ran': 'changed'}\n";
    fs::write(server.data("plugins/a.b/plugin.py"), code).expect("changed");
    assert!(go(&server, "a.b").is_err_and(|error| error.contains("trust")));
}

#[test]
fn a_plugin_that_hangs_delays_neither_answers_nor_edits_nor_the_end() {
    let Some(mut server) = open_server() else { return };
    let code = "import time\ndef forever(payload):\n    while True:\n        time.sleep(1000)\n\
        library = library_source = events = after_session = forever\n";
    let hooks = ["library", "library_source", "events", "after_session"];
    Package::new("a.hangs").hooks(&hooks).code(code).install(&server);
    server.get("/api/library");
    let begun = Instant::now();
    for number in 0..20 {
        let game = json!({"game": {"name": format!("Game {number}")}});
        server.post("/api/v2/library/manual-entry", &game);
    }
    let games = server.get("/api/library")["games"].clone();
    assert_eq!(games.as_array().map(Vec::len), Some(20));
    // Each of these may wait five seconds for the plugin, were it to wait at all.
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
    until("the log", || (logged(&server, "did not end within 5 seconds") > 0).then_some(()));
    server.stop();
}
