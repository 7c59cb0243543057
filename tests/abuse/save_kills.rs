//! The program is killed, again and again, in the middle of a restore of saves: every save is whole,
//! old or new, and what was there before can be had back.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    thread,
};

use serde_json::{Value, json};

use crate::{
    abuse::kills::rounds,
    support::{
        client::Request,
        library::Dice,
        server::{Server, Setup},
    },
};

const FILES: usize = 12;
const RESTORE: &str = "/api/saves/restore";

/// The content of a save in a generation: long enough to be written in pieces.
fn content(file: usize, generation: u64) -> Vec<u8> {
    format!("{file} of {generation};").repeat(3_000).into_bytes()
}

struct Player {
    folder: PathBuf,
}

impl Player {
    fn path(&self, file: usize) -> PathBuf {
        self.folder.join(format!("{}/{file:02}.sav", file % 3))
    }

    fn save(&self, generation: u64) {
        for file in 0..FILES {
            fs::write(self.path(file), content(file, generation)).expect("written");
        }
    }

    /// Which of two generations each save is of; fails on anything else.
    #[track_caller]
    fn generations(&self, allowed: [u64; 2]) -> BTreeSet<u64> {
        let of = |file: usize| {
            let bytes = fs::read(self.path(file)).expect("there");
            let found = allowed.into_iter().find(|generation| bytes == content(file, *generation));
            found
                .unwrap_or_else(|| panic!("save {file} is of no generation: {} bytes", bytes.len()))
        };
        (0..FILES).map(of).collect()
    }

    /// Names that no game wrote.
    fn strangers(&self) -> usize {
        let folders = (0..3).map(|number| self.folder.join(number.to_string()));
        let names = folders.flat_map(|folder| fs::read_dir(folder).expect("a folder"));
        names.count() - FILES
    }
}

fn backups(server: &Server) -> Vec<String> {
    let listed = server.get("/api/saves?id=0")["backups"].clone();
    let names = listed.as_array().expect("a list").iter();
    names.map(|row| row["name"].as_str().expect("a name").to_owned()).collect()
}

fn restore_body(name: &str) -> Value {
    json!({"id": 0, "backup": name})
}

fn is(path: &Path, bytes: &[u8]) -> bool {
    fs::read(path).is_ok_and(|found| found == bytes)
}

#[test]
fn a_restore_that_is_killed_leaves_whole_saves_and_the_old_ones() {
    let setup = Setup::new();
    let player = Player { folder: setup.scratch().folder("saves") };
    for number in 0..3 {
        setup.scratch().folder(format!("saves/{number}"));
    }
    let library = json!({"schema_version": 6, "settings": {"save_backup_limit": 3},
        "games": [{"game_id": "g", "name": "G", "save_paths": [player.folder]}]});
    let mut server = setup.library(&library.to_string()).start();
    let mut dice = Dice::new(7);
    let (mut cut, mut whole) = (0, 0);
    let rounds = rounds();
    for round in 0..rounds {
        let (old, new) = (round * 2, round * 2 + 1);
        player.save(new);
        let archive = server.post("/api/saves/backup", &json!({"id": 0}))["backup"].clone();
        let archive = archive.as_str().expect("a name").to_owned();
        player.save(old);
        let mut client = server.client();
        let request = Request::post(RESTORE, &restore_body(&archive));
        let asked = thread::spawn(move || client.try_send(&request).is_ok());
        // From a kill before the first write to one after the last.
        let wanted = usize::try_from(dice.below(FILES as u64 + 2)).expect("small");
        let done =
            || (0..FILES).filter(|file| is(&player.path(*file), &content(*file, new))).count();
        while wanted > 0 && done() < wanted.min(FILES) && !asked.is_finished() {
            thread::yield_now();
        }
        server.kill();
        let answered = asked.join().expect("no panic");
        server.restart();
        let found = player.generations([old, new]);
        if answered {
            assert_eq!(found, BTreeSet::from([new]), "round {round}: answered, so it is done");
        }
        cut += u64::from(found.len() == 2);
        whole += u64::from(found.len() == 1);
        let kept = backups(&server);
        assert!(kept.contains(&archive), "round {round}: the archive stays");
        if found.contains(&new) {
            let before = kept.iter().find(|name| name.ends_with("-before-restore.zip"));
            let before = before.unwrap_or_else(|| panic!("round {round}: nothing was kept"));
            server.post(RESTORE, &restore_body(before));
            assert_eq!(player.generations([old, new]), BTreeSet::from([old]), "round {round}");
        }
        server.post(RESTORE, &restore_body(&archive));
        assert_eq!(player.generations([old, new]), BTreeSet::from([new]), "round {round}");
        assert_eq!(player.strangers(), 0, "round {round}: nothing half written is left");
    }
    assert!(cut >= rounds / 4 && whole > 0, "{cut} cut in the middle, {whole} whole");
}

#[test]
fn a_large_save_is_streamed() {
    const BYTES: u64 = 192 << 20;
    let setup = Setup::new();
    let save = setup.scratch().file("saves/large.sav", "");
    let file = fs::OpenOptions::new().write(true).open(&save).expect("there");
    file.set_len(BYTES).expect("a long file");
    let library = json!({"schema_version": 6, "games": [
        {"game_id": "g", "name": "G", "save_paths": [save.parent()]}]});
    let server = setup.library(&library.to_string()).start();
    server.get("/api/library");
    let before = server.status("VmHWM");
    let made = server.post("/api/saves/backup", &json!({"id": 0}))["backup"].clone();
    server.post(RESTORE, &json!({"id": 0, "backup": made}));
    let grown = server.status("VmHWM") - before;
    assert!(grown < 16 << 10, "{grown} KiB more");
    assert_eq!(fs::metadata(&save).expect("there").len(), BYTES);
}
