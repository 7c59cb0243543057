//! A data directory on a real file system of a few MiB: it runs full, it turns read-only.
//!
//! Mounting one takes the rights of root. Without them the same is proved call by call in
//! `src/store/tests/faults.rs`, and these tests say so and end.

use std::{
    fs::{self, File},
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    library::{Dice, game_id, library},
    metadb::Metadb,
    server::{Server, Setup},
    stream::{Stream, started},
    wait::until,
};

const GAMES: usize = 100;

/// A mounted file system; unmounted when it goes out of scope.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts one at this folder; `None` where that is not permitted.
    fn mount(path: &Path, size: &str) -> Option<Self> {
        let options = format!("size={size},mode=700");
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(path).stderr(Stdio::null());
        let mounted = command.status().is_ok_and(|status| status.success());
        if !mounted {
            eprintln!("no file system can be mounted here; see src/store/tests/faults.rs");
        }
        mounted.then(|| Self(path.to_owned()))
    }

    fn remount(&self, mode: &str) {
        let options = format!("remount,{mode}");
        let status = Command::new("mount").args(["-o", &options]).arg(&self.0).status();
        assert!(status.is_ok_and(|status| status.success()), "not remounted {mode}");
    }

    /// Fills the disk until so many bytes are left.
    fn fill(&self, left: u64) {
        let path = self.0.join("filler");
        let mut file = File::create(&path).expect("a file");
        let block = [0; 4_096];
        loop {
            match file.write_all(&block) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => break,
                Err(error) => panic!("{error}"),
            }
        }
        let full = file.metadata().expect("its size").len();
        file.set_len(full.saturating_sub(left)).expect("cut");
    }

    fn clear(&self) {
        fs::remove_file(self.0.join("filler")).expect("removed");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // OK because a busy one goes with the last process that uses it.
        drop(Command::new("umount").arg("--lazy").arg(&self.0).status());
    }
}

/// The program on a disk of 3 MiB; `None` where none can be mounted. The disk must go last.
fn cramped() -> Option<(Server, SmallDisk)> {
    let setup = Setup::new();
    let disk = SmallDisk::mount(&setup.scratch().path("data"), "3m")?;
    Some((setup.library(&library(GAMES)).start(), disk))
}

fn favorites(server: &Server) -> Vec<bool> {
    let library = server.get("/api/library");
    library["games"]
        .as_array()
        .expect("games")
        .iter()
        .map(|game| game["favorite"] == true)
        .collect()
}

/// Toggles one game after the other until one is refused; at most so many.
fn toggle_until_full(server: &Server, flags: &mut [bool], most: usize) -> Option<Value> {
    let mut client = server.client();
    for turn in 0..most {
        let at = turn % GAMES;
        let body = json!({"game_id": game_id(at)});
        let reply = client.send(&Request::post("/api/favorite", &body));
        if reply.status != 200 {
            return Some(reply.json());
        }
        flags[at] = !flags[at];
    }
    None
}

#[test]
fn a_full_disk_loses_nothing_that_was_answered() {
    let Some((mut server, disk)) = cramped() else { return };
    let mut refusals = 0;
    for left in [0, 4_096, 12_288, 65_536, 200_000, 400_000] {
        let mut flags = favorites(&server);
        disk.fill(left);
        if let Some(refusal) = toggle_until_full(&server, &mut flags, 400) {
            let told = refusal["error"].as_str().expect("a sentence");
            assert_eq!(told, "The library could not be saved: No space left on device");
            refusals += 1;
        }
        assert_eq!(favorites(&server), flags, "{left} left: what was refused did not happen");
        server.kill();
        disk.clear();
        server.restart();
        assert_eq!(favorites(&server), flags, "{left} left: what was answered is there");
        assert_eq!(toggle_until_full(&server, &mut flags, 3), None, "there is room again");
    }
    assert!(refusals > 0, "the disk was never full");
}

#[test]
fn what_to_play_next_is_shown_on_a_full_disk() {
    let Some((server, disk)) = cramped() else { return };
    disk.fill(0);
    let mut flags = favorites(&server);
    let refusal = toggle_until_full(&server, &mut flags, 400);
    assert!(refusal.is_some(), "the disk is full");
    let radio = server.get("/api/v2/insights/radio")["playlist"].clone();
    assert_eq!((&radio["name"], &radio["stale"]), (&json!("Backlog Radio"), &json!(false)));
    let refresh = Request::post("/api/v2/insights/radio/refresh", &json!({}));
    let refused = server.send(&refresh).expect(400).json();
    assert_eq!(refused["code"], "BAD_REQUEST");
    disk.clear();
    assert_eq!(server.get("/api/v2/insights/radio")["playlist"]["stale"], false);
}

#[test]
fn a_metadata_database_without_room_is_refused_before_it_is_loaded() {
    let overview = Dice::new(7);
    let noise: String = std::iter::repeat_with({
        let mut dice = overview;
        move || char::from(b'a' + u8::try_from(dice.below(26)).expect("small"))
    })
    .take(1 << 20)
    .collect();
    let metadb = Metadb::new(&[("Metadata.xml", &noise)]);
    let setup = metadb.setup();
    let Some(_disk) = SmallDisk::mount(&setup.scratch().path("data"), "3m") else { return };
    let server = setup.library(&library(GAMES)).start();
    server.send(&Request::post("/api/metadata/sync", &json!({}))).expect(202);
    let job = until("the sync to end", || {
        let job = server.get("/api/metadata/status")["job"].clone();
        (job["state"] != "downloading").then_some(job)
    });
    let error = job["error"].as_str().expect("a sentence");
    assert!(error.starts_with("There is not enough room for the metadata database: "), "{error}");
    assert!(error.ends_with(" MiB are free."), "{error}");
}

#[test]
fn a_backup_on_a_full_disk_leaves_the_old_one_and_nothing_else() {
    let Some((server, disk)) = cramped() else { return };
    let mut stream = Stream::open(&server);
    let body = json!({"items": ["library", "media"], "keep": 1});
    let id = started(&server, "/api/backup/create", &body);
    assert_eq!(stream.job_end(&server, &id)["state"], "done");
    let old = server.get("/api/backups")["backups"].clone();
    // What does not shrink: the archive of it does not fit any more.
    let mut dice = Dice::new(1);
    let noise: Vec<u8> = (0..100_000).flat_map(|_| dice.next().to_le_bytes()).collect();
    server.scratch().file("data/media/noise.png", &noise);
    disk.fill(300_000);
    let id = started(&server, "/api/backup/create", &body);
    let job = stream.job_end(&server, &id);
    assert_eq!(job["state"], "error", "{job}");
    assert_eq!(server.get("/api/backups")["backups"], old);
    let names = fs::read_dir(server.data("backups")).expect("a folder").count();
    assert_eq!(names, 1, "no piece is left");
    disk.clear();
    let id = started(&server, "/api/backup/create", &body);
    assert_eq!(stream.job_end(&server, &id)["state"], "done");
}

#[test]
fn a_read_only_data_directory_is_an_error_in_words_and_stays_as_it_is() {
    let setup = Setup::new();
    let Some(disk) = SmallDisk::mount(&setup.scratch().path("data"), "3m") else { return };
    let setup = setup.library(&library(GAMES));
    let before = setup.scratch().read("data/library.json");
    disk.remount("ro");
    let output = setup.command().output().expect("it runs");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(said.contains("Read-only file system"), "{said}");
    disk.remount("rw");
    assert_eq!(setup.scratch().read("data/library.json"), before);
    let server = setup.start();
    assert_eq!(favorites(&server).len(), GAMES);
}
