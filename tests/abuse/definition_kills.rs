//! The program is killed, again and again, while it installs a definition pack: afterwards the old
//! pack is there or the new one, never some of each, and a file of the user as it was.

use std::{fs, thread};

use serde_json::json;

use crate::{
    abuse::kills::rounds,
    support::{
        client::Request,
        library::Dice,
        publisher::{Publisher, definition, pack},
        server::Setup,
    },
};

const UPDATE: &str = "/api/v2/emulators/defs/update";

#[test]
fn a_pack_that_is_installed_during_a_kill_is_old_or_new() {
    let ids: Vec<String> = (0..20).map(|at| format!("adapter{at:02}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let publisher = Publisher::new();
    let setup = Setup::new();
    let key = setup.scratch().file("release.pub", Publisher::key());
    let setup =
        setup.env("SERVICE_RELEASE_KEY_FILE", key).env("SERVICE_RELEASE_BASE", publisher.base());
    let mut server = setup.start();
    let own = definition("own", 5);
    server.scratch().file("data/emulator_defs/own.yaml", &own);
    publisher.publish("0", &pack(&ids, 0));
    server.post(UPDATE, &json!({}));
    let folder = server.data("emulator_defs");
    let mut dice = Dice::new(11);
    let (mut current, mut old, mut new) = (0, 0, 0);
    for round in 1..=rounds() {
        publisher.publish(&round.to_string(), &pack(&ids, round));
        let content = |id: &str, round: u64| definition(id, round).into_bytes();
        let is = |path: String, round: u64, id: &str| {
            fs::read(folder.join(path)).is_ok_and(|found| found == content(id, round))
        };
        let mut client = server.client();
        let asked =
            thread::spawn(move || client.try_send(&Request::post(UPDATE, &json!({}))).is_ok());
        // From a kill before the first file was put aside to one after the last was moved.
        let wanted = usize::try_from(dice.below(44)).expect("small");
        let done = || {
            let moved = ids.iter().filter(|id| is(format!("{id}.yaml"), round, id)).count();
            let aside =
                ids.iter().filter(|id| is(format!(".pack-change/new/{id}.yaml"), round, id));
            if moved > 0 { 20 + moved } else { aside.count() }
        };
        while wanted > 0 && done() < wanted.min(40) && !asked.is_finished() {
            thread::yield_now();
        }
        server.kill();
        let answered = asked.join().expect("no panic");
        server.restart();
        let status = server.get("/api/v2/emulators/defs/status");
        let version = status["version"].as_str().expect("a version").parse().expect("a number");
        assert!(version == round || version == current, "round {round}: {status}");
        assert!(!answered || version == round, "round {round}: answered, so it is done");
        for id in &ids {
            assert!(is(format!("{id}.yaml"), version, id), "round {round}: {id} is of {version}");
        }
        assert_eq!(status["locally_modified"], json!([]), "round {round}");
        assert_eq!(fs::read_to_string(folder.join("own.yaml")).expect("there"), own);
        let names =
            fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("one").file_name());
        let hidden = names.filter(|name| name.as_encoded_bytes().starts_with(b"."));
        assert_eq!(hidden.count(), 0, "round {round}: nothing is left");
        if version == round {
            new += 1;
        } else {
            old += 1;
        }
        current = version;
    }
    assert!(old > 0 && new > 0, "{old} old, {new} new");
}
