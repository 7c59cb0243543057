//! Games that count frames go on from where they were left, in the real RetroArch and the real MAME.

use std::{
    fs,
    io::{Cursor, Read as _, Write as _},
    path::Path,
};

use flate2::read::ZlibDecoder;
use serde_json::{Value, json};
use zip::{ZipWriter, write::SimpleFileOptions};

use super::{
    MAME, NESTOPIA, Player, RETROARCH, SCREEN, SEARCH_PATH, Screen, control, is_installed,
};
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
        // Both bytes of the count are written far from the end of a frame, so no reader sees only one.
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

/// A service with one game.
struct Bench {
    server: Server,
    id: String,
    _screen: Screen,
}

impl Bench {
    /// Starts the service and imports the folder of games by a route.
    fn new(setup: Setup, import: &str) -> Self {
        let screen = Screen::new();
        let folder = setup.scratch().folder("home/games");
        let server = setup
            .env("PATH", SEARCH_PATH)
            .env("DISPLAY", &screen.name)
            .env("SDL_AUDIODRIVER", "dummy")
            .start();
        assert_eq!(server.post(import, &json!({"folder": folder}))["added"], 1);
        let rows = server.get("/api/library")["games"].clone();
        let id = rows[0]["game_id"].as_str().expect("an id").to_owned();
        Self { server, id, _screen: screen }
    }

    /// Lets a game that was started play until it has counted as wanted, and has it end.
    #[track_caller]
    fn play<T>(&self, entry: &Value, counted: impl FnMut() -> Option<T>, end: impl FnOnce()) -> T {
        let _player = Player(entry["pid"].as_u64().expect("a process"));
        let found = until("the game to count", counted);
        end();
        let event = ended(&self.server, entry["launch_id"].as_str().expect("an id"));
        assert_eq!(event["exit_code"], 0, "{event}");
        found
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
    let setup = Setup::new();
    let saves = setup.scratch().folder("saves");
    setup.scratch().file("home/games/nes/Count (World).nes", cartridge());
    // The memory of the cartridge is written every second while it changes.
    let settings = format!(
        "{}\nautosave_interval = \"1\"\nsavefile_directory = \"{}\"\n",
        fs::read_to_string(SETTINGS[0]).expect("settings"),
        saves.display()
    );
    setup.scratch().file("home/config/retroarch/retroarch.cfg", settings);
    let bench = Bench::new(setup, "/api/import");
    let memory = saves.join("Count (World).srm");
    let play = |entry: &Value, is_wanted: &dyn Fn(Memory) -> bool| {
        let counted = || Memory::read(&memory).filter(|memory| is_wanted(*memory));
        // As the page does.
        bench.play(entry, counted, || control(&bench.server, &entry["launch_id"], "stop"));
        Memory::read(&memory).expect("the memory of the cartridge")
    };
    let before = bench.status();
    assert_eq!((&before["capable"], &before["available"]), (&json!(true), &json!(false)));
    let first = play(&bench.start(), &|now| now.frames >= FRAMES);
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
    let second = play(&running, &|now| now.frames > first.frames);
    assert_eq!(second.starts, 1, "{first:?} {second:?}");
    assert!(second.frames > first.frames, "{first:?} {second:?}");
    assert_ne!(bench.status()["state"]["capture_id"], state["capture_id"], "a later state");

    // Started over, the machine is switched on once more.
    let third = play(&bench.start(), &|now| now.starts == 2 && now.frames > 0);
    assert_eq!(third.starts, 2, "{third:?}");

    // The moment leads back to the first session.
    let body = json!({"game_id": bench.id, "moment_id": moment["moment_id"]});
    let running = bench.resume("/api/v2/moments/resume", &body);
    let fourth = play(&running, &|now| now.starts == 1 && now.frames > first.frames);
    assert_eq!(fourth.starts, 1, "{fourth:?}");
}

/// The files of the set `pacman` with their sizes; the first one is the program.
const SET: &[(&str, usize)] = &[
    ("pacman.6e", 4096),
    ("pacman.6f", 4096),
    ("pacman.6h", 4096),
    ("pacman.6j", 4096),
    ("pacman.5e", 4096),
    ("pacman.5f", 4096),
    ("82s123.7f", 32),
    ("82s126.4a", 256),
    ("82s126.1m", 256),
    ("82s126.3m", 256),
];

/// What lies behind the count in the memory of the board.
const MARK: &[u8; 17] = b"count of pictures";

/// A program for the board of that set, in the files of the set. Its memory holds how many pictures were
/// drawn since the machine was switched on (`$4C00`, two bytes).
fn board() -> Vec<u8> {
    let mut program = vec![0; SET[0].1];
    let start = [
        // DI; LD SP, $4FF0; IM 1; the mark is copied (LDIR) behind the count, which is zero.
        [0xF3, 0x31, 0xF0, 0x4F, 0xED, 0x56, 0x21, 0x00, 0x00, 0x22, 0x00, 0x4C].as_slice(),
        &[0x21, 0x80, 0x00, 0x11, 0x02, 0x4C, 0x01, 0x11, 0x00, 0xED, 0xB0],
        // Each picture interrupts from now on. Then the watchdog is fed for ever.
        &[0x3E, 0x01, 0x32, 0x00, 0x50, 0xFB, 0x32, 0xC0, 0x50, 0x18, 0xFB],
    ]
    .concat();
    program[..start.len()].copy_from_slice(&start);
    let picture = [
        // PUSH AF, PUSH HL; the count grows by one.
        [0xF5, 0xE5, 0x2A, 0x00, 0x4C, 0x23, 0x22, 0x00, 0x4C].as_slice(),
        // The interrupt is cleared and enabled again; POP HL, POP AF; EI; RETI.
        &[0xAF, 0x32, 0x00, 0x50, 0x3C, 0x32, 0x00, 0x50, 0xE1, 0xF1, 0xFB, 0xED, 0x4D],
    ]
    .concat();
    program[0x38..][..picture.len()].copy_from_slice(&picture);
    program[0x80..][..MARK.len()].copy_from_slice(MARK);
    let mut set = ZipWriter::new(Cursor::new(Vec::new()));
    for (at, (name, size)) in SET.iter().enumerate() {
        set.start_file(*name, SimpleFileOptions::default()).expect("a file of the set");
        let bytes = if at == 0 { program.clone() } else { vec![0; *size] };
        set.write_all(&bytes).expect("its bytes");
    }
    set.finish().expect("a set").into_inner()
}

/// The count in a kept state of MAME: a header of 32 bytes, then the packed memory of the machine.
fn pictures(bench: &Bench) -> u16 {
    let kept = bench.status()["state"].clone();
    let file = kept["file"].as_str().expect("a file");
    let state = fs::read(bench.server.data("resume_states").join(&bench.id).join(file));
    let state = state.expect("a state");
    assert!(state.starts_with(b"MAMESAVE"), "{kept}");
    let mut memory = Vec::new();
    ZlibDecoder::new(&state[32..]).read_to_end(&mut memory).expect("packed memory");
    let mark =
        memory.windows(MARK.len()).position(|bytes| bytes == MARK.as_slice()).expect("the mark");
    u16::from_le_bytes([memory[mark - 2], memory[mark - 1]])
}

#[test]
fn a_count_of_pictures_goes_on_in_mame() {
    if !is_installed(&[MAME, SCREEN]) {
        return;
    }
    let setup = Setup::new();
    setup.scratch().file("home/games/arcade/pacman.zip", board());
    let bench = Bench::new(setup, "/api/import");
    // This version of MAME does not end by a signal, and it waits at a warning about files that it does not know
    // unless it is to end by itself soon: when the machine has run for so many seconds since it was switched on.
    let play = |seconds: u16, start: &dyn Fn() -> Value| {
        let settings =
            format!("seconds_to_run {seconds}\nskip_gameinfo 1\nsound none\nvideo soft\n");
        bench.server.scratch().file("home/.mame/mame.ini", settings);
        bench.play(&start(), || Some(()), || ());
        pictures(&bench)
    };
    let before = bench.status();
    assert_eq!(
        (&before["capable"], &before["available"]),
        (&json!(true), &json!(false)),
        "{before}"
    );
    let anew = || bench.start();
    let first = play(2, &anew);
    assert!((90..=150).contains(&first), "{first}");
    let kept = bench.status();
    assert_eq!((&kept["available"], &kept["stale"]), (&json!(true), &json!(false)), "{kept}");
    assert_eq!(kept["state"]["file"], "pacman/service-resume.sta");

    // It goes on from there. The machine has run for longer than a second already, so it ends after a picture or two.
    let resumed = || bench.resume("/api/v2/resume", &json!({"game_id": bench.id}));
    let second = play(1, &resumed);
    assert!(second > first && second < first + 30, "{first} {second}");
    let third = play(3, &resumed);
    assert!(third > second + 30, "{second} {third}");

    // Started over, it counts from the beginning.
    let fourth = play(1, &anew);
    assert!(fourth < first, "{first} {fourth}");
}
