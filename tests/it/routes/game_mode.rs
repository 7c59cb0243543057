//! The gaming mode of a handheld: the windows of games, and that of the program, are marked for the
//! compositor.

use std::{fs, os::unix::fs::symlink, path::Path};

use serde_json::json;

use super::launching::{ended, launch, told};
use crate::support::{
    server::{Server, Setup},
    toy::Toy,
    wait::until,
};

/// The number of the window of this program.
const OWN: &str = "413091001";

/// A setup whose search path holds the programs of a shell and these, each of which writes its name and
/// arguments into `told` and then does what its lines say.
fn with_tools(tools: &[(&str, &str)]) -> Setup {
    let setup = Setup::new();
    let told = setup.scratch().path("told");
    for (name, lines) in tools {
        let tell = format!("echo \"{name} $*\" >> '{}'", told.display());
        setup.scratch().script(format!("bin/{name}"), &format!("{tell}\n{lines}"));
    }
    for program in ["sh", "bash", "sleep", "wc"] {
        let path = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(program));
        let path = path.iter().find(|path| path.exists()).expect(program);
        symlink(path, setup.scratch().folder("bin").join(program)).expect("linked");
    }
    let path = setup.scratch().path("bin");
    setup.env("PATH", path)
}

fn in_game_mode(setup: Setup) -> Server {
    setup.env("GAMESCOPE_WAYLAND_DISPLAY", "gamescope-0").start()
}

/// A game of one process.
fn game(server: &Server) -> Toy {
    let script = "echo $$ > up; read -r code < gate; exit \"$code\"";
    Toy::with_script(server.scratch(), "games/one", "game.sh", script)
}

/// A finder whose second answer is the first with windows, and one of those is no number.
const FINDER: &str = "[ \"$(wc -l < \"${0%/*}/../told\")\" -gt 1 ] || exit 1\n\
    echo 4194307; echo -id; echo 0x40000a";

fn mark(window: &str, number: &str) -> String {
    format!("xprop -id {window} -f STEAM_GAME 32c -set STEAM_GAME {number}")
}

#[test]
fn the_windows_of_a_game_get_its_number() {
    let server = in_game_mode(with_tools(&[("xdotool", FINDER), ("xprop", "exit 0")]));
    let toy = game(&server);
    let id = toy.add(&server, "One", &json!({"store_a_app_id": "440", "source": "folder"}));
    let session = launch(&server, &id);
    let search = format!("xdotool search --pid {}", toy.pid());
    let lines = told(&server, 4);
    assert_eq!(lines, [search.clone(), search, mark("4194307", "440"), mark("0x40000a", "440")]);
    toy.end(0);
    ended(&server, &session);
    assert_eq!(told(&server, 4).len(), 4, "the tries end with the first window");
}

#[test]
fn a_game_without_a_number_gets_one_that_stays() {
    let finder = "echo '0x3 0 99999999 host other'\n\
        read -r pid < \"${0%/*}/../games/one/up\" && echo \"0x7 -1 $pid host it\"";
    let server = in_game_mode(with_tools(&[("wmctrl", finder), ("xprop", "exit 0")]));
    let toy = game(&server);
    let id = toy.add(&server, "One", &json!({}));
    let number = |server: &Server| {
        let session = launch(server, &id);
        let marks = until("the mark", || {
            let lines = told(server, 1);
            let marks: Vec<_> = lines.into_iter().filter(|it| it.starts_with("xprop")).collect();
            (!marks.is_empty()).then_some(marks)
        });
        assert_eq!(marks.len(), 1, "the window of another process is left alone: {marks:?}");
        toy.end(0);
        ended(server, &session);
        fs::remove_file(server.scratch().path("told")).expect("told");
        toy.forget();
        marks[0].rsplit(' ').next().expect("a number").parse::<u32>().expect("a number")
    };
    let first = number(&server);
    assert!((700_000_000..900_000_000).contains(&first), "{first}");
    assert_eq!(number(&server), first);
}

#[test]
fn only_where_the_compositor_wants_it_windows_are_looked_for() {
    let tools = [("xdotool", "echo 5"), ("xprop", "exit 0")];
    for (is_guest, source, has_marker) in
        [(false, "folder", true), (true, "Steam", true), (true, "folder", false)]
    {
        let setup = with_tools(if has_marker { &tools } else { &tools[..1] });
        let server = if is_guest { in_game_mode(setup) } else { setup.start() };
        let toy = game(&server);
        let id = toy.add(&server, "One", &json!({"source": source}));
        let session = launch(&server, &id);
        toy.end(0);
        ended(&server, &session);
        let told = server.scratch().path("told");
        assert!(!told.exists(), "{is_guest} {source} {:?}", fs::read_to_string(told));
    }
}

#[test]
fn tools_that_hang_keep_neither_a_launch_nor_a_stop_waiting() {
    let finder = "echo $$ > \"${0%/*}/../finder\"; kill -STOP $$";
    let mut server = in_game_mode(with_tools(&[("xdotool", finder), ("xprop", "exit 0")]));
    let toy = game(&server);
    let id = toy.add(&server, "One", &json!({}));
    launch(&server, &id);
    let finder = server.scratch().path("finder");
    let pid = until("the finder", || fs::read_to_string(&finder).ok()?.trim().parse().ok());
    server.stop();
    let state = Toy::state(pid);
    assert!(state.is_none_or(|state| state == 'Z'), "it ended with the program: {state:?}");
}

#[test]
fn the_window_of_the_program_gets_a_number_too() {
    // It ends with the folder of the test.
    let browser = "while [ -e \"$0\" ]; do sleep 0.1; done";
    let tools = [("chromium", browser), ("xdotool", "echo 4194307"), ("xprop", "exit 0")];
    let server = with_tools(&tools).arg("--game-mode").start();
    let marked =
        until("the mark", || told(&server, 1).into_iter().find(|line| line.starts_with("xprop")));
    assert_eq!(marked, mark("4194307", OWN));
    assert!(told(&server, 1).iter().any(|line| line.starts_with("xdotool search --pid ")));
}
