//! A cartridge that counts frames goes on from where it was left, in the real RetroArch.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{NESTOPIA, Player, RETROARCH, SCREEN, SEARCH_PATH, Screen, control, is_installed};
use crate::support::{
    client::Request,
    emulator::ended,
    server::{Server, Setup},
    wait::until,
};

/// What the Debian package of RetroArch configures; it names the folder of what RetroArch knows of cores.
const SETTINGS: &[&str] = &["/etc/retroarch.cfg"];
/// Without it RetroArch takes a core for one that has no states.
const CORE_INFO: &[&str] = &["/usr/share/libretro/info/nestopia_libretro.info"];
/// Frames that are counted before the first stop.
const FRAMES: u16 = 30;

/// A cartridge with a battery. Its memory holds how many frames were counted since the machine was
/// switched on (`$6000`, two bytes) and how often that was (`$6004`).
fn cartridge() -> Vec<u8> {
    let mut program = vec![0; 16 * 1024];
    let start = [
        // SEI, CLD, LDX #$FF, TXS; no interrupts of the picture while it warms up.
        [0x78, 0xD8, 0xA2, 0xFF, 0x9A, 0xA9, 0x00, 0x8D, 0x00, 0x20].as_slice(),
        // BIT $2002, BPL: two pictures pass.
        &[0x2C, 0x02, 0x20, 0x10, 0xFB, 0x2C, 0x02, 0x20, 0x10, 0xFB],
        // The count begins at zero, one more start is noted, and each picture interrupts from now on.
        &[0xA9, 0x00, 0x85, 0x00, 0x85, 0x01, 0xEE, 0x04, 0x60, 0xA9, 0x80, 0x8D, 0x00, 0x20],
        // $C022: waits for the count to change, then until the picture is being drawn.
        &[0xA5, 0x00, 0xC5, 0x00, 0xF0, 0xFC, 0xA2, 0x00, 0xCA, 0xD0, 0xFD],
        // Both bytes of the count are written far from the end of a frame, so nobody sees only one.
        &[0xA5, 0x00, 0x8D, 0x00, 0x60, 0xA5, 0x01, 0x8D, 0x01, 0x60, 0x4C, 0x22, 0xC0],
    ]
    .concat();
    program[..start.len()].copy_from_slice(&start);
    // $C100, once for each picture: INC $00, and its carry into $01; RTI.
    program[0x100..0x107].copy_from_slice(&[0xE6, 0x00, 0xD0, 0x02, 0xE6, 0x01, 0x40]);
    program[0x3FFA..].copy_from_slice(&[0x00, 0xC1, 0x00, 0xC0, 0x00, 0xC0]);
    let header = [b"NES\x1A\x01\x01\x02\0".as_slice(), &[0; 8]].concat();
    [header, program, vec![0; 8 * 1024]].concat()
}

/// What the cartridge holds in its memory.
#[derive(Clone, Copy, Debug)]
struct Memory {
    frames: u16,
    starts: u8,
}

impl Memory {
    /// As RetroArch wrote it last; `None` before.
    fn read(file: &Path) -> Option<Self> {
        let bytes = fs::read(file).ok()?;
        let frames = u16::from_le_bytes([*bytes.first()?, *bytes.get(1)?]);
        Some(Self { frames, starts: *bytes.get(4)? })
    }
}

/// A service with the game, and where RetroArch writes the memory of its cartridge.
struct Bench {
    server: Server,
    id: String,
    memory: PathBuf,
    _screen: Screen,
}

impl Bench {
    fn new() -> Self {
        let screen = Screen::new();
        let setup = Setup::new();
        let folder = setup.scratch().folder("home/games");
        let saves = setup.scratch().folder("saves");
        setup.scratch().file("home/games/nes/Count (World).nes", cartridge());
        // The memory of the cartridge is written every second while it changes.
        let settings = format!(
            "{}\nautosave_interval = \"1\"\nsavefile_directory = \"{}\"\n",
            fs::read_to_string(SETTINGS[0]).expect("settings"),
            saves.display()
        );
        setup.scratch().file("home/config/retroarch/retroarch.cfg", settings);
        let server = setup
            .env("PATH", SEARCH_PATH)
            .env("DISPLAY", &screen.name)
            .env("SDL_AUDIODRIVER", "dummy")
            .start();
        assert_eq!(server.post("/api/import", &json!({"folder": folder}))["added"], 1);
        let rows = server.get("/api/library")["games"].clone();
        let id = rows[0]["game_id"].as_str().expect("an id").to_owned();
        Self { server, id, memory: saves.join("Count (World).srm"), _screen: screen }
    }

    /// Lets a game that was started count until the memory is as wanted, stops it as the page does, and
    /// returns what the cartridge holds then.
    #[track_caller]
    fn play(&self, entry: &Value, is_wanted: impl Fn(Memory) -> bool) -> Memory {
        let _player = Player(entry["pid"].as_u64().expect("a process"));
        until("the cartridge to count", || {
            Memory::read(&self.memory).filter(|memory| is_wanted(*memory))
        });
        control(&self.server, &entry["launch_id"], "stop");
        let event = ended(&self.server, entry["launch_id"].as_str().expect("an id"));
        assert_eq!(event["exit_code"], 0, "{event}");
        Memory::read(&self.memory).expect("the memory of the cartridge")
    }

    fn start(&self) -> Value {
        self.server.post("/api/launch", &json!({"game_id": self.id}))
    }

    fn resume(&self, path: &str, body: &Value) -> Value {
        let reply = self.server.post(path, body);
        assert_eq!(reply["resumed_from_state"], true, "{reply}");
        self.server.get("/api/running")["running"][0].clone()
    }

    fn status(&self) -> Value {
        self.server.get(&format!("/api/v2/resume/status?game_id={}", self.id))
    }
}

#[test]
fn a_count_of_frames_goes_on_in_retroarch() {
    if !is_installed(&[RETROARCH, NESTOPIA, SCREEN, SETTINGS, CORE_INFO]) {
        return;
    }
    let bench = Bench::new();
    let before = bench.status();
    assert_eq!((&before["capable"], &before["available"]), (&json!(true), &json!(false)));
    let first = bench.play(&bench.start(), |now| now.frames >= FRAMES);
    assert_eq!(first.starts, 1);
    let kept = bench.status();
    assert_eq!((&kept["available"], &kept["stale"]), (&json!(true), &json!(false)), "{kept}");
    let state = &kept["state"];
    assert_eq!(
        (&state["file"], &state["thumbnail"]),
        (&json!("resume.state"), &json!("thumb.png"))
    );
    let thumbnail = bench.server.data("resume_states").join(&bench.id).join("thumb.png");
    assert!(fs::read(thumbnail).expect("a picture").starts_with(b"\x89PNG"));
    let moment = json!({"game_id": bench.id, "capture": false});
    let moment = bench.server.send(&Request::post("/api/v2/moments", &moment)).expect(201).json();
    let moment = &moment["item"];
    assert_eq!(moment["resume_state"]["immutable"], true, "{moment}");

    // It goes on from there: the count grows, and the machine was not switched on again.
    let running = bench.resume("/api/v2/resume", &json!({"game_id": bench.id}));
    let second = bench.play(&running, |now| now.frames > first.frames);
    assert_eq!(second.starts, 1, "{first:?} {second:?}");
    assert!(second.frames > first.frames, "{first:?} {second:?}");
    assert_ne!(bench.status()["state"]["capture_id"], state["capture_id"], "a later state");

    // Started anew, the machine is switched on once more.
    let third = bench.play(&bench.start(), |now| now.starts == 2 && now.frames > 0);
    assert_eq!(third.starts, 2, "{third:?}");

    // The moment leads back to the first session.
    let body = json!({"game_id": bench.id, "moment_id": moment["moment_id"]});
    let running = bench.resume("/api/v2/moments/resume", &body);
    let fourth = bench.play(&running, |now| now.starts == 1 && now.frames > first.frames);
    assert_eq!(fourth.starts, 1, "{fourth:?}");
}
