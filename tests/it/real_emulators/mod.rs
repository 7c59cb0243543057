//! Games of several systems, played by the emulators of this machine: tiny files that the tests build
//! are imported from a folder and started, paused, resumed and stopped.
//!
//! `tests/run` installs the emulators on Debian. A case without its emulator says so on a line of its
//! own, which `tests/run` counts as skipped.

mod resume;

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::{Value, json};

use crate::support::{
    server::{Server, Setup},
    wait::until,
};

/// What the user's search path usually is. `/usr/games`, where some emulators are, is not in it.
const SEARCH_PATH: &str = "/usr/bin:/bin";
/// Ticks of the processor that an emulator has used once it plays.
const TICKS: u64 = 15;

/// A system, the emulator that plays it, and a game that never ends.
struct Case {
    platform: &'static str,
    /// The file below the folder of games.
    file: &'static str,
    bytes: Vec<u8>,
    /// The programs and cores that must be installed; of several places one.
    needs: &'static [&'static [&'static str]],
    /// A file that the emulator has in its memory while it plays.
    loads: &'static str,
    /// The definition the game names; blank for what the program chooses.
    definition: &'static str,
    /// Its exit code when it is asked to end.
    exit_code: i64,
    /// A file that the game writes next to itself; blank for one that writes nothing.
    writes: &'static str,
}

const RETROARCH: &[&str] = &["/usr/bin/retroarch"];
const NESTOPIA: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu/libretro/nestopia_libretro.so",
    "/usr/lib/aarch64-linux-gnu/libretro/nestopia_libretro.so",
];
const GAMBATTE: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu/libretro/gambatte_libretro.so",
    "/usr/lib/aarch64-linux-gnu/libretro/gambatte_libretro.so",
];
const MGBA: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu/libretro/mgba_libretro.so",
    "/usr/lib/aarch64-linux-gnu/libretro/mgba_libretro.so",
];
const SCREEN: &[&str] = &["/usr/bin/Xvfb"];
const MAME: &[&str] = &["/usr/games/mame"];
const SCUMMVM: &[&str] = &["/usr/games/scummvm"];

/// Whether everything is installed; what is missing is reported on a line that `tests/run` counts.
pub(crate) fn is_installed(needs: &[&[&str]]) -> bool {
    let is_there = |places: &&&[&str]| places.iter().any(|place| Path::new(place).exists());
    let Some(missing) = needs.iter().find(|places| !is_there(places)) else { return true };
    // Not by a macro: what those print is only shown for tests that fail.
    let line = format!("\nskipped: {} is not installed\n", missing[0]);
    std::io::stdout().write_all(line.as_bytes()).expect("a line");
    false
}

/// A screen without a monitor.
struct Screen {
    process: Child,
    name: String,
}

impl Screen {
    fn new() -> Self {
        let mut command = Command::new(SCREEN[0]);
        command.args(["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"]);
        // Else it restarts when its only client closes its first connection, and refuses the next.
        command.arg("-noreset");
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().expect("a screen");
        let mut number = String::new();
        let told = process.stdout.take().expect("its output");
        BufReader::new(told).read_line(&mut number).expect("its number");
        Self { process, name: format!(":{}", number.trim()) }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Asked, it takes its socket away. OK because one that has ended is what is wanted.
        if let Some(pid) = Pid::from_raw(self.process.id().cast_signed()) {
            let _ = kill_process(pid, Signal::TERM);
        }
        drop(self.process.wait());
    }
}

/// An emulator that was started; it does not outlive its test.
struct Player(u64);

impl Drop for Player {
    fn drop(&mut self) {
        let pid = i32::try_from(self.0).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid.filter(|_| std::thread::panicking()) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

/// A column of the file `stat` of a process or thread, counted behind the name of the program.
fn stat(folder: &Path, column: usize) -> Option<String> {
    let text = fs::read_to_string(folder.join("stat")).ok()?;
    text.rsplit_once(") ")?.1.split(' ').nth(column).map(str::to_owned)
}

/// Whether a process is stopped. A thread that waits for the start of a stopped child counts too.
fn is_stopped(pid: u64) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let states: Vec<String> = threads.filter_map(|thread| stat(&thread.path(), 0)).collect();
    states.iter().any(|state| state == "T") && states.iter().all(|state| "TD".contains(&**state))
}

/// Whether a process handles the request to end. Emulators do so only some time after they loaded a game.
fn handles_the_end(pid: u64) -> Option<bool> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
    let caught = u64::from_str_radix(caught.trim(), 16).ok()?;
    Some(caught >> (Signal::TERM.as_raw() - 1) & 1 == 1)
}

/// How long a process has used the processor, in ticks.
fn ticks(pid: u64) -> Option<u64> {
    let folder = format!("/proc/{pid}");
    let column = |column| stat(Path::new(&folder), column)?.parse::<u64>().ok();
    Some(column(11)? + column(12)?)
}

#[track_caller]
fn control(server: &Server, launch: &Value, action: &str) {
    let body = json!({"launch_id": launch, "action": action});
    let reply = server.post("/api/session/control", &body);
    assert_eq!(reply, json!({"ok": true, "action": action}));
}

fn game(server: &Server, id: &Value) -> Value {
    let id = id.as_str().expect("an id");
    server.get(&format!("/api/library/delta?ids={id}"))["games"][0].clone()
}

/// Imports the game and plays it to the end.
#[track_caller]
fn check(case: &Case) {
    if !is_installed(&[case.needs, &[SCREEN]].concat()) {
        return;
    }
    let screen = Screen::new();
    let setup = Setup::new();
    let folder = setup.scratch().folder("home/games");
    let file = setup.scratch().file(Path::new("home/games").join(case.file), &case.bytes);
    let server = setup
        .env("PATH", SEARCH_PATH)
        .env("DISPLAY", &screen.name)
        .env("SDL_AUDIODRIVER", "dummy")
        .start();
    let imported = server.post("/api/import", &json!({"folder": folder}));
    assert_eq!(imported["added"], 1, "{imported}");
    let rows = server.get("/api/library")["games"].clone();
    let id = &rows[0]["game_id"];
    assert_eq!(rows[0]["platform"], case.platform);
    if !case.definition.is_empty() {
        let choice = json!({"game_ids": [id], "adapter_id": case.definition});
        assert_eq!(server.post("/api/v2/launch/adapter", &choice)["updated"], 1);
    }
    let entry = server.post("/api/launch", &json!({"game_id": id}));
    let (launch, pid) = (&entry["launch_id"], entry["pid"].as_u64().expect("a process"));
    let _player = Player(pid);
    until("the emulator to play", || {
        let maps = fs::read_to_string(format!("/proc/{pid}/maps")).ok()?;
        let is_loaded = maps.contains(case.loads) && ticks(pid)? >= TICKS;
        let has_written = case.writes.is_empty() || file.with_file_name(case.writes).exists();
        let is_ready = case.exit_code != 0 || handles_the_end(pid)?;
        (is_loaded && has_written && is_ready).then_some(())
    });
    control(&server, launch, "pause");
    until("the emulator to stand still", || is_stopped(pid).then_some(()));
    let before = ticks(pid).expect("it lives");
    assert_eq!(server.get("/api/running")["running"][0]["paused"], true);
    control(&server, launch, "resume");
    until("the emulator to go on", || (ticks(pid)? > before).then_some(()));
    control(&server, launch, "stop");
    let event = until("the session to end", || {
        let events = server.get("/api/running")["events"].as_array().expect("a list").clone();
        events.into_iter().find(|event| event["kind"] == "stopped")
    });
    assert_eq!(
        (&event["launch_id"], &event["exit_code"]),
        (launch, &json!(case.exit_code)),
        "{event}"
    );
    let row = server.get("/api/history")["history"][0].clone();
    assert_eq!((&row["game_id"], &row["exit_code"]), (id, &json!(case.exit_code)), "{row}");
    let played = game(&server, id);
    assert_eq!((&played["playtime_seconds"], &played["play_count"]), (&row["seconds"], &json!(1)));
    assert_eq!(played["last_played"], entry["started"]);
    assert_eq!(played["path"], json!(file));
    assert_eq!(server.get("/api/running")["running"], json!([]));
}

/// A cartridge of one bank whose program jumps to itself.
fn nes() -> Vec<u8> {
    let mut program = vec![0; 16 * 1024];
    // SEI, then JMP $C001; all three vectors lead to $C000.
    program[..4].copy_from_slice(&[0x78, 0x4C, 0x01, 0xC0]);
    program[0x3FFA..].copy_from_slice(&[0x00, 0xC0, 0x00, 0xC0, 0x00, 0xC0]);
    let header = [b"NES\x1A\x01\x01\0\0".as_slice(), &[0; 8]].concat();
    [header, program, vec![0; 8 * 1024]].concat()
}

/// A cartridge whose program jumps to itself, for one machine or for both.
fn game_boy(is_color: bool) -> Vec<u8> {
    let mut rom = vec![0_u8; 32 * 1024];
    // NOP, then JP $0150, where JR -2 is.
    rom[0x100..0x104].copy_from_slice(&[0x00, 0xC3, 0x50, 0x01]);
    rom[0x150..0x152].copy_from_slice(&[0x18, 0xFE]);
    rom[0x134..0x138].copy_from_slice(b"LOOP");
    rom[0x143] = if is_color { 0x80 } else { 0 };
    let header = &rom[0x134..0x14D];
    rom[0x14D] = header.iter().fold(0_u8, |sum, byte| sum.wrapping_sub(*byte).wrapping_sub(1));
    let sum = rom.iter().fold(0_u16, |sum, byte| sum.wrapping_add(u16::from(*byte)));
    rom[0x14E..0x150].copy_from_slice(&sum.to_be_bytes());
    rom
}

/// A cartridge whose program branches to itself.
fn game_boy_advance() -> Vec<u8> {
    let mut rom = vec![0_u8; 1024];
    // B $C0, where B -2 is.
    rom[..4].copy_from_slice(&0xEA00_002E_u32.to_le_bytes());
    rom[0xC0..0xC4].copy_from_slice(&0xEAFF_FFFE_u32.to_le_bytes());
    rom[0xA0..0xA4].copy_from_slice(b"LOOP");
    rom[0xB2] = 0x96;
    let sum = rom[0xA0..0xBD].iter().fold(0_u8, |sum, byte| sum.wrapping_sub(*byte));
    rom[0xBD] = sum.wrapping_sub(0x19);
    rom
}

/// A cartridge of 4 KiB whose program jumps to itself.
fn atari_2600() -> Vec<u8> {
    let mut rom = vec![0; 4096];
    rom[..4].copy_from_slice(&[0x78, 0x4C, 0x01, 0xF0]);
    rom[0xFFC..].copy_from_slice(&[0x00, 0xF0, 0x00, 0xF0]);
    rom
}

/// A program that makes the file `UP` and jumps to itself. The emulator does not hear a request to end
/// before it runs programs.
fn dos() -> Vec<u8> {
    // MOV AH, 3Ch; XOR CX, CX; MOV DX, 010Bh; INT 21h; JMP -2; the name.
    let code = [0xB4, 0x3C, 0x31, 0xC9, 0xBA, 0x0B, 0x01, 0xCD, 0x21, 0xEB, 0xFE];
    [code.as_slice(), b"UP\0"].concat()
}

#[test]
fn a_nes_game_is_played_by_the_core_that_is_installed() {
    check(&Case {
        platform: "NES",
        file: "nes/Loop (World).nes",
        bytes: nes(),
        needs: &[RETROARCH, NESTOPIA],
        loads: "nestopia_libretro.so",
        definition: "",
        exit_code: 0,
        writes: "",
    });
}

#[test]
fn a_game_boy_game_is_played() {
    check(&Case {
        platform: "Game Boy",
        file: "gb/Loop (World).gb",
        bytes: game_boy(false),
        needs: &[RETROARCH, GAMBATTE],
        loads: "gambatte_libretro.so",
        definition: "",
        exit_code: 0,
        writes: "",
    });
}

#[test]
fn a_game_boy_color_game_is_played() {
    check(&Case {
        platform: "Game Boy Color",
        file: "Nintendo - Game Boy Color/Loop (World).gbc",
        bytes: game_boy(true),
        needs: &[RETROARCH, GAMBATTE],
        loads: "gambatte_libretro.so",
        definition: "",
        exit_code: 0,
        writes: "",
    });
}

#[test]
fn a_game_boy_advance_game_is_played() {
    check(&Case {
        platform: "Game Boy Advance",
        file: "gba/Loop (World).gba",
        bytes: game_boy_advance(),
        needs: &[RETROARCH, MGBA],
        loads: "mgba_libretro.so",
        definition: "",
        exit_code: 0,
        writes: "",
    });
}

#[test]
fn a_game_boy_advance_game_is_played_by_the_emulator_that_is_chosen() {
    check(&Case {
        platform: "Game Boy Advance",
        file: "gba/Loop (World).gba",
        bytes: game_boy_advance(),
        needs: &[&["/usr/games/mgba-qt"]],
        loads: "/mgba-qt",
        definition: "mgba-game-boy-advance",
        // A signal ends it, which it does not handle.
        exit_code: -15,
        writes: "",
    });
}

#[test]
fn an_atari_game_is_played_where_no_core_is_installed_for_it() {
    check(&Case {
        platform: "Atari 2600",
        file: "atari2600/Loop (World).a26",
        bytes: atari_2600(),
        needs: &[&["/usr/bin/stella"]],
        loads: "/stella",
        definition: "",
        exit_code: 0,
        writes: "",
    });
}

#[test]
fn a_dos_program_is_played() {
    check(&Case {
        platform: "DOS",
        file: "dos/LOOP.COM",
        bytes: dos(),
        needs: &[&["/usr/bin/dosbox"]],
        loads: "/dosbox",
        definition: "",
        exit_code: 0,
        writes: "UP",
    });
}

#[test]
fn mame_names_sets_and_other_emulators_are_found() {
    if !is_installed(&[MAME, SCUMMVM]) {
        return;
    }
    let setup = Setup::new();
    let folder = setup.scratch().folder("home/sets");
    for set in ["pacman", "no_such_set"] {
        setup.scratch().file(
            format!("home/sets/{set}.zip"),
            b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        );
    }
    let server = setup.env("PATH", SEARCH_PATH).start();
    let added = server.post("/api/import/arcade", &json!({"folder": folder}));
    assert_eq!(added["added"], 1, "{added}");
    let rows = server.get("/api/library")["games"].clone();
    assert_eq!((&rows[0]["rom_name"], &rows[0]["platform"]), (&json!("pacman"), &json!("Arcade")));
    assert!(rows[0]["name"].as_str().is_some_and(|name| name.starts_with("Pac-Man")), "{rows}");
    let emulators = server.get("/api/emulators")["emulators"].clone();
    for name in ["MAME", "ScummVM"] {
        let all = emulators.as_array().expect("a list");
        let emulator = all.iter().find(|each| each["name"] == name).expect(name);
        assert_eq!((&emulator["installed"], &emulator["mode"]), (&json!(true), &json!("native")));
    }
}
