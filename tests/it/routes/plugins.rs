//! `/api/plugins*` and `/api/v2/plugins/*`: installing, deciding, the catalog. What hooks do is in
//! `plugin_hooks` and `plugin_attacks`.

use std::{fs, io::Write as _, path::Path};

use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

use crate::support::{
    client::Request,
    plugin::{Package, refused},
    provider::{Provider, Reply},
    receiver::Receiver,
    server::{Server, Setup},
};

const INSTALL: &str = "/api/plugins/install";

#[test]
fn a_plugin_is_installed_updated_switched_and_removed() {
    let server = Server::start();
    let source = Package::new("a.b").hooks(&["events"]).write(server.scratch(), "source");
    let installed = server.post(INSTALL, &json!({"path": source}));
    let manifest = json!({"id": "a.b", "name": "a.b", "version": "1", "api_version": 1,
        "entry": "plugin.py", "hooks": ["events"], "commands": [], "permissions": [],
        "description": "", "settings": null, "updated": false});
    assert_eq!(installed, json!({"plugin": manifest}));
    let listed = server.get("/api/plugins");
    let plugin = &listed["plugins"][0];
    assert_eq!((&plugin["valid"], &plugin["enabled"]), (&json!(true), &json!(true)));
    assert_eq!((&plugin["trusted"], &plugin["granted_permissions"]), (&json!(false), &json!([])));
    assert_eq!((&listed["api_version"], &listed["sandbox"]), (&json!(1), &plugin["sandbox"]));
    let toggle = |enabled: bool| {
        server.post("/api/plugins/toggle", &json!({"id": "a.b", "enabled": enabled}))
    };
    assert_eq!(toggle(false), json!({"enabled": false}));
    assert_eq!(server.get("/api/plugins")["plugins"][0]["enabled"], false);
    let state: Value =
        serde_json::from_slice(&server.scratch().read("data/plugins/plugins-state.json"))
            .expect("a state");
    assert_eq!(state["disabled"], json!(["a.b"]));
    assert_eq!(server.scratch().mode("data/plugins/plugins-state.json"), 0o600);
    let source = Package::new("a.b").version("2").write(server.scratch(), "outer/inner");
    let source = source.parent().expect("a folder");
    let updated = server.post(INSTALL, &json!({"path": source}));
    assert_eq!(
        (&updated["plugin"]["updated"], &updated["plugin"]["version"]),
        (&json!(true), &json!("2"))
    );
    assert_eq!(
        server.get("/api/plugins")["plugins"][0]["enabled"],
        false,
        "an update decides nothing"
    );
    assert_eq!(toggle(true), json!({"enabled": true}));
    let removed = server.post("/api/plugins/remove", &json!({"id": "a.b"}));
    assert_eq!(removed, json!({"removed": "a.b"}));
    assert_eq!(server.get("/api/plugins")["plugins"], json!([]));
    let kept: Vec<_> = fs::read_dir(server.data("plugins/.removed")).expect("a folder").collect();
    let kept = kept[0].as_ref().expect("an entry").path();
    assert!(kept.join("plugin.py").is_file() && kept.to_string_lossy().contains("/a.b-"));
    let names: Vec<_> = fs::read_dir(server.data("plugins")).expect("a folder").collect();
    assert_eq!(names.len(), 3, "the state, what was removed, and nothing half-done: {names:?}");
}

#[test]
fn a_removal_that_fails_switches_nothing_on_and_keeps_the_settings() {
    let server = Server::start();
    let settings = json!({"properties": {"count": {"type": "integer"}}});
    let package = Package::new("a.b").more(json!({"settings": settings}));
    server.post(INSTALL, &json!({"path": package.write(server.scratch(), "source")}));
    server.post("/api/v2/plugins/settings", &json!({"id": "a.b", "values": {"count": 2}}));
    server.post("/api/plugins/toggle", &json!({"id": "a.b", "enabled": false}));
    server.scratch().file("data/plugins/.removed", "in the way");
    let remove = Request::post("/api/plugins/remove", &json!({"id": "a.b"}));
    server.send(&remove).expect(400);
    assert_eq!(server.get("/api/plugins")["plugins"][0]["enabled"], false);
    let values = server.get("/api/v2/plugins/settings?id=a.b")["values"].clone();
    assert_eq!(values, json!({"count": 2}));
    fs::remove_file(server.data("plugins/.removed")).expect("removed");
    server.send(&remove).expect(200);
    let state: Value =
        serde_json::from_slice(&server.scratch().read("data/plugins/plugins-state.json"))
            .expect("a state");
    assert_eq!((&state["disabled"], &state["settings"]), (&json!([]), &json!({})));
}

#[test]
fn what_is_no_plugin_is_refused_and_leaves_nothing() {
    let server = Server::start();
    let scratch = server.scratch();
    let source = "Plugin path must be a directory or ZIP package.";
    scratch.file("x.txt", "");
    for path in ["", "no/such", "x.txt"] {
        let path =
            if path.is_empty() { String::new() } else { scratch.path(path).display().to_string() };
        refused(&server, &Request::post(INSTALL, &json!({"path": path})), source);
    }
    refused(&server, &Request::post(INSTALL, &json!({})), source);
    for (more, expected) in [
        (json!({"id": "A"}), "Plugin id, name, and version are required."),
        (json!({"id": "a/../b"}), "Plugin id, name, and version are required."),
        (json!({"api_version": 0}), "Plugin api_version must be a positive integer."),
        (json!({"api_version": 2}), "Plugin requires API v2; this build supports v1."),
        (json!({"entry": "../x.py"}), "Plugin entry must be a Python file inside the package."),
        (json!({"entry": "plugin.json"}), "Plugin entry must be a Python file inside the package."),
        (json!({"hooks": ["x"]}), "Plugin declares an unsupported hook."),
        (json!({"permissions": ["disk"]}), "Plugin requests unknown permissions: disk."),
        (
            json!({"commands": [{"id": "A", "label": "x"}]}),
            "Plugin command ids must be valid and unique.",
        ),
        (
            json!({"settings": {"required": ["a"]}}),
            "Plugin settings require an unknown property: a.",
        ),
    ] {
        let path = Package::new("a.b").more(more).write(scratch, "bad");
        refused(&server, &Request::post(INSTALL, &json!({"path": path})), expected);
    }
    let broken = scratch.file("broken/plugin.json", "{");
    let broken = json!({"path": broken.parent()});
    refused(&server, &Request::post(INSTALL, &broken), "Plugin package needs a valid plugin.json.");
    assert_eq!(server.get("/api/plugins")["plugins"], json!([]));
    assert_eq!(left_in(&server), Vec::<String>::new());
}

/// What lies in the folder of plugins besides packages.
fn left_in(server: &Server) -> Vec<String> {
    let entries = fs::read_dir(server.data("plugins")).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Writes a ZIP file with these members: name, content, Unix mode.
fn zip(path: &Path, members: &[(&str, &[u8], u32)]) {
    let mut zip = zip::ZipWriter::new(fs::File::create(path).expect("a file"));
    for (name, content, mode) in members {
        let options = SimpleFileOptions::default().unix_permissions(*mode);
        zip.start_file(*name, options).expect("a member");
        zip.write_all(content).expect("written");
    }
    zip.finish().expect("whole");
}

#[test]
fn hostile_packages_are_refused_and_leave_nothing() {
    let server = Server::start();
    let scratch = server.scratch();
    let manifest = json!({"id": "a.b", "name": "A", "version": "1"}).to_string();
    let good: [(&str, &[u8], u32); 2] =
        [("a/plugin.json", manifest.as_bytes(), 0o644), ("a/plugin.py", b"", 0o644)];
    for (member, expected) in [
        (("../../evil.py", &b"x"[..], 0o644), "The archive contains an unsafe path."),
        (("/tmp/evil.py", b"x", 0o644), "The archive contains an unsafe path."),
        (("a/..\\evil.py", b"x", 0o644), "The archive contains an unsafe path."),
    ] {
        let path = scratch.path("evil.zip");
        zip(&path, &[&good[..], &[member]].concat());
        refused(&server, &Request::post(INSTALL, &json!({"path": path})), expected);
    }
    let path = scratch.path("link.zip");
    let mut file = zip::ZipWriter::new(fs::File::create(&path).expect("a file"));
    file.add_symlink("link", "/etc/passwd", SimpleFileOptions::default()).expect("a member");
    file.finish().expect("whole");
    let links = "The archive contains links or special files.";
    refused(&server, &Request::post(INSTALL, &json!({"path": path})), links);
    let damaged = scratch.file("damaged.zip", "PK");
    let request = Request::post(INSTALL, &json!({"path": damaged}));
    refused(&server, &request, "The archive could not be read.");
    let source = Package::new("a.b").write(scratch, "linked");
    std::os::unix::fs::symlink("/etc/passwd", source.join("passwd")).expect("a link");
    let request = Request::post(INSTALL, &json!({"path": source}));
    refused(&server, &request, "Plugin directories may not contain symlinks.");
    assert_eq!(left_in(&server), Vec::<String>::new());
    assert!(!scratch.path("evil.py").exists() && !Path::new("/tmp/evil.py").exists());
    let path = scratch.path("GOOD.ZIP");
    zip(&path, &good);
    assert_eq!(server.post(INSTALL, &json!({"path": path}))["plugin"]["id"], "a.b");
}

#[test]
fn unknown_plugins_and_missing_keys_are_refused() {
    let server = Server::start();
    for (path, body) in [
        ("/api/plugins/toggle", json!({"id": "no.such", "enabled": true})),
        ("/api/plugins/toggle", json!({"id": "..", "enabled": true})),
        ("/api/plugins/remove", json!({"id": "no.such"})),
        ("/api/plugins/remove", json!({"id": ".removed"})),
        ("/api/v2/plugins/trust", json!({"id": "no.such", "trusted": true})),
        ("/api/v2/plugins/permissions", json!({"id": "no.such", "permissions": []})),
        ("/api/v2/plugins/settings", json!({"id": "no.such", "values": {}})),
        ("/api/v2/plugins/command", json!({"plugin_id": "no.such", "command": "x"})),
    ] {
        refused(&server, &Request::post(path, &body), "Plugin not found.");
    }
    for path in ["/api/v2/plugins/trust?id=no.such", "/api/v2/plugins/settings?id=no.such"] {
        refused(&server, &Request::get(path), "Plugin not found.");
    }
    for path in ["/api/v2/plugins/trust", "/api/v2/plugins/settings"] {
        refused(&server, &Request::get(path), "id is required.");
    }
    for (path, body, expected) in [
        ("/api/plugins/toggle", json!({"enabled": true}), "id is required."),
        ("/api/plugins/toggle", json!({"id": "a.b"}), "enabled is required."),
        (
            "/api/plugins/toggle",
            json!({"id": "a.b", "enabled": 1}),
            "enabled must be true or false.",
        ),
        ("/api/plugins/remove", json!({}), "id is required."),
        ("/api/v2/plugins/trust", json!({"id": "a.b"}), "trusted is required."),
        (
            "/api/v2/plugins/permissions",
            json!({"id": "a.b"}),
            "permissions must be a list of texts.",
        ),
        (
            "/api/v2/plugins/command",
            json!({"plugin_id": "a.b"}),
            "plugin_id and command are required.",
        ),
        ("/api/v2/plugins/command", json!({"command": "x"}), "plugin_id and command are required."),
    ] {
        refused(&server, &Request::post(path, &body), expected);
    }
}

#[test]
fn trust_is_bound_to_the_package() {
    let server = Server::start();
    let install = |version: &str| {
        let source = Package::new("a.b").version(version).write(server.scratch(), version);
        server.post(INSTALL, &json!({"path": source}));
    };
    install("1");
    let trust = || server.get("/api/v2/plugins/trust?id=a.b");
    let none = trust();
    assert_eq!(
        (&none["granted"], &none["match"], &none["retrust"]),
        (&json!(false), &json!(false), &json!(false))
    );
    let set = |trusted: bool| {
        server.post("/api/v2/plugins/trust", &json!({"id": "a.b", "trusted": trusted}))
    };
    assert_eq!(set(true), json!({"id": "a.b", "trusted": true}));
    let given = trust();
    let at = given["granted_at"].as_str().expect("a time");
    assert!(at.len() == 25 && at.ends_with("+00:00"), "whole seconds of UTC: {at}");
    assert_eq!(
        (&given["granted"], &given["match"], &given["trusted"]),
        (&json!(true), &json!(true), &json!(true))
    );
    assert_eq!(given["checksum"], server.get("/api/plugins")["plugins"][0]["checksum"]);
    install("2");
    let after = trust();
    assert_eq!(
        (&after["granted"], &after["match"], &after["retrust"]),
        (&json!(false), &json!(false), &json!(true))
    );
    assert_eq!(server.get("/api/plugins")["plugins"][0]["retrust"], true);
    set(true);
    server.post("/api/plugins/remove", &json!({"id": "a.b"}));
    install("2");
    assert_eq!(trust()["granted"], false, "trust goes with the package");
    assert_eq!(set(false), json!({"id": "a.b", "trusted": false}));
}

#[test]
fn a_grant_never_exceeds_what_is_declared() {
    let server = Server::start();
    let path = "/api/v2/plugins/permissions";
    let grant = |id: &str, permissions: Value| {
        Request::post(path, &json!({"id": id, "permissions": permissions}))
    };
    for (id, permissions) in [("on.line", json!(["network"])), ("off.line", json!([]))] {
        let package = Package::new(id).more(json!({"permissions": permissions}));
        let source = package.write(server.scratch(), id);
        server.post(INSTALL, &json!({"path": source}));
    }
    refused(&server, &grant("on.line", json!(["disk", "x"])), "Unknown permissions: disk, x.");
    let undeclared = "Plugin does not declare permissions: network.";
    refused(&server, &grant("off.line", json!(["network"])), undeclared);
    let granted = server.send(&grant("on.line", json!(["network", "network"]))).expect(200).json();
    assert_eq!(granted, json!({"id": "on.line", "permissions": ["network"]}));
    assert_eq!(server.get("/api/plugins")["plugins"][1]["granted_permissions"], json!(["network"]));
    let taken = server.send(&grant("on.line", json!([]))).expect(200).json();
    assert_eq!(taken, json!({"id": "on.line", "permissions": []}));
}

#[test]
fn settings_are_checked_and_merged_over_the_defaults() {
    let server = Server::start();
    let settings = json!({"properties": {"mode": {"enum": ["a", "b"], "default": "a"},
        "count": {"type": "integer", "minimum": 1}}});
    let package = Package::new("a.b").more(json!({"settings": settings}));
    let source = package.write(server.scratch(), "source");
    server.post(INSTALL, &json!({"path": source}));
    let shown = server.get("/api/v2/plugins/settings?id=a.b");
    let schema = json!({"type": "object", "required": [], "properties": {
        "mode": {"enum": ["a", "b"], "default": "a", "type": "string"},
        "count": {"type": "integer", "minimum": 1}}});
    assert_eq!(shown, json!({"id": "a.b", "schema": schema, "values": {"mode": "a"}}));
    let path = "/api/v2/plugins/settings";
    let saved = server.post(path, &json!({"id": "a.b", "values": {"count": 2}}));
    assert_eq!(saved, json!({"id": "a.b", "values": {"mode": "a", "count": 2}}));
    for (values, expected) in [
        (json!({"x": 1, "y": 1}), "Unknown plugin settings: x, y."),
        (json!({"mode": "c"}), "Setting 'mode' must be one of: a, b."),
        (json!({"count": "1"}), "Setting 'count' must be a whole number."),
        (json!({"count": 0}), "Setting 'count' is below the minimum."),
        (json!([]), "Plugin settings must be an object."),
    ] {
        refused(&server, &Request::post(path, &json!({"id": "a.b", "values": values})), expected);
    }
    let values = server.get("/api/v2/plugins/settings?id=a.b")["values"].clone();
    assert_eq!(values, json!({"mode": "a", "count": 2}));
    let plain = Package::new("plain").write(server.scratch(), "plain");
    server.post(INSTALL, &json!({"path": plain}));
    let empty = json!({"type": "object", "properties": {}, "required": []});
    let shown = server.get("/api/v2/plugins/settings?id=plain");
    assert_eq!(shown, json!({"id": "plain", "schema": empty, "values": {}}));
}

#[test]
fn changes_are_announced() {
    let receiver = Receiver::new();
    let server = Setup::new().env("SERVICE_ALLOW_HTTP_WEBHOOKS", "1").start();
    let hook =
        json!({"url": receiver.url(), "events": ["plugin.changed"], "secret": "eight or more"});
    server.post("/api/webhooks", &json!({"webhooks": [hook]}));
    let told = |action: &str| {
        let delivery = receiver.next();
        let data = delivery.json()["data"].clone();
        delivery.answer(200, "");
        assert_eq!(data, json!({"action": action, "plugin": "a.b"}));
    };
    let source = Package::new("a.b").write(server.scratch(), "source");
    for action in ["installed", "updated"] {
        server.post(INSTALL, &json!({"path": source}));
        told(action);
    }
    for (action, enabled) in [("disabled", false), ("enabled", true)] {
        server.post("/api/plugins/toggle", &json!({"id": "a.b", "enabled": enabled}));
        told(action);
    }
    server.post("/api/plugins/remove", &json!({"id": "a.b"}));
    told("removed");
}

#[test]
fn the_embedded_catalog_is_documentation() {
    let server = Server::start();
    let catalog = server.get("/api/plugins/catalog");
    let ids: Vec<_> =
        catalog["catalog"].as_array().expect("a list").iter().map(|it| &it["id"]).collect();
    assert_eq!(ids, ["service.hello-palette", "service.library-stats"]);
    let install = |id: &str| Request::post("/api/plugins/catalog/install", &json!({"id": id}));
    refused(&server, &install("no.such"), "Unknown catalog plugin.");
    refused(&server, &install(""), "Unknown catalog plugin.");
    let local = "This catalog entry is documentation-only. Install local plugin packages manually.";
    refused(&server, &install("service.hello-palette"), local);
    let status = server.get("/api/v2/plugins/catalog");
    let first = &status["catalog"][0];
    assert_eq!((&first["installed"], &first["update_available"]), (&json!(false), &json!(false)));
    assert!(
        ["ready", "unavailable", "disabled"].contains(&status["sandbox"].as_str().expect("text"))
    );
    let source = Package::new("service.hello-palette").version("0.9").write(server.scratch(), "s");
    server.post(INSTALL, &json!({"path": source}));
    let first = server.get("/api/v2/plugins/catalog")["catalog"][0].clone();
    assert_eq!(
        (&first["installed"], &first["installed_version"], &first["update_available"]),
        (&json!(true), &json!("0.9"), &json!(true))
    );
}

#[test]
fn a_catalog_of_a_server_is_checked_before_anything_of_it_is_installed() {
    let setup = Setup::new();
    let scratch = setup.scratch();
    let package = scratch.path("package.zip");
    let manifest = json!({"id": "far.away", "name": "Far", "version": "2"}).to_string();
    zip(&package, &[("plugin.json", manifest.as_bytes(), 0o644), ("plugin.py", b"", 0o644)]);
    let bytes = fs::read(&package).expect("the package");
    let provider = Provider::new(|_, _| Reply::new("404 Not Found", "text/plain", ""));
    let base = provider.base();
    let entry = |id: &str, sha256: &str| {
        json!({"id": id, "name": "Far", "version": "2", "hooks": [], "sha256": sha256,
            "url": format!("{base}/p.zip")})
    };
    let (right, wrong) = (sha256(&bytes), "0".repeat(64));
    let list =
        json!([entry("far.away", &right), entry("other.id", &right), entry("bad.sum", &wrong)]);
    let serve = move |list: Value| {
        let bytes = bytes.clone();
        move |path: &str, _: &str| match path {
            "/catalog.json" => Reply::json(&list),
            "/p.zip" => Reply::new("200 OK", "application/zip", bytes.clone()),
            _ => Reply::new("404 Not Found", "text/plain", ""),
        }
    };
    provider.says(serve(list));
    let server = setup.env("SERVICE_PLUGIN_CATALOG_BASE", &base).start();
    let install = |id: &str| Request::post("/api/plugins/catalog/install", &json!({"id": id}));
    let status = server.get("/api/v2/plugins/catalog");
    assert_eq!(status["catalog"].as_array().map(Vec::len), Some(3));
    let checksum = "The plugin package does not have the checksum of the catalog.";
    refused(&server, &install("bad.sum"), checksum);
    let other = "The plugin package is not the plugin of the catalog.";
    refused(&server, &install("other.id"), other);
    assert_eq!(left_in(&server), Vec::<String>::new());
    let installed = server.send(&install("far.away")).expect(200).json();
    assert_eq!(
        (&installed["plugin"]["id"], &installed["plugin"]["updated"]),
        (&json!("far.away"), &json!(false))
    );
    provider.says(serve(json!([{"id": "far.away"}])));
    let fallen = server.get("/api/plugins/catalog");
    assert_eq!(
        fallen["catalog"][0]["id"], "service.hello-palette",
        "one bad entry rejects the list"
    );
}

fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write as _;

    use sha2::{Digest as _, Sha256};

    let digest = Sha256::digest(bytes);
    let mut text = String::new();
    for byte in digest {
        // OK because writing to a String never fails.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[test]
fn a_catalog_without_its_checksum_is_not_used() {
    let provider = Provider::new(|_, _| Reply::json(&json!([])));
    let start = |sum: &str| {
        Setup::new()
            .env("SERVICE_PLUGIN_CATALOG_BASE", provider.base())
            .env("SERVICE_PLUGIN_CATALOG_SHA256", sum)
            .start()
    };
    let server = start(&sha256(b"[]"));
    assert_eq!(server.get("/api/plugins/catalog"), json!({"catalog": []}));
    let server = start(&sha256(b"{}"));
    let catalog = server.get("/api/plugins/catalog")["catalog"].clone();
    assert_eq!(catalog.as_array().map(Vec::len), Some(2));
}
