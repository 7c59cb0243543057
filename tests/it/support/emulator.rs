//! Substitutes for emulators: shell scripts that write real files of states and count how often a game
//! went on.

use std::path::Path;

use serde_json::{Value, json};

use super::{
    server::{Server, Setup},
    wait::until,
};

/// Reads the words of the real program, continues counting where it is instructed to, and leaves a state.
pub(crate) const RETROARCH: &str = r#"
PATH=/usr/bin:/bin
echo "$*" >> "$STATE/calls"
while [ $# -gt 0 ]; do
  case "$1" in
    --appendconfig) cfg=$2; shift;;
    -L) shift;;
    *) rom=$1;;
  esac
  shift
done
[ -n "$cfg" ] || exit 0
value() { sed -n "s/^$1 = \"\(.*\)\"/\1/p" "$cfg"; }
dir=$(value savestate_directory)
name=${rom##*/}; file="$dir/${name%.*}.state.auto"
count=0
if [ "$(value savestate_auto_load)" = true ] && [ -f "$file" ]; then count=$(cat "$file"); fi
if [ -p "$STATE/hold" ]; then read -r _ < "$STATE/hold"; fi
[ -f "$STATE/crash" ] && exit 9
echo $((count + 1)) > "$file"
echo picture > "$file.png"
"#;

/// MAME: a state for each machine, found by its name.
pub(crate) const MAME: &str = r#"
PATH=/usr/bin:/bin
echo "$*" >> "$STATE/calls"
while [ $# -gt 0 ]; do
  case "$1" in
    -autosave) ;;
    -state_directory) dir=$2; shift;;
    -state) state=$2; shift;;
    -*) shift;;
    *) rom=$1;;
  esac
  shift
done
[ -n "$dir" ] || exit 0
name=${rom##*/}; folder="$dir/${name%.*}"
count=0
[ -f "$folder/$state.sta" ] && count=$(cat "$folder/$state.sta")
mkdir -p "$folder"
echo $((count + 1)) > "$folder/auto.sta"
"#;

/// ScummVM: takes no option behind the game, and keeps the names of its files.
pub(crate) const SCUMMVM: &str = r#"
PATH=/usr/bin:/bin
echo "$*" >> "$STATE/calls"
count=0
while [ $# -gt 1 ]; do
  case "$1" in
    --savepath=*) dir=${1#*=};;
    --save-slot=*) slot=${1#*=};;
    *) exit 1;;
  esac
  shift
done
case "$1" in -*) exit 1;; esac
[ -n "$dir" ] || exit 0
file="$dir/game.s00"
[ -n "$slot" ] && [ -f "$file" ] && count=$(cat "$file")
echo $((count + 1)) > "$file"
"#;

/// Dolphin: reads a state and writes none.
pub(crate) const DOLPHIN: &str = r#"
PATH=/usr/bin:/bin
echo "$*" >> "$STATE/calls"
for word; do case "$word" in --save_state=*) cat "${word#*=}" > "$STATE/loaded";; esac; done
"#;

/// A service whose search path holds only these programs.
pub(crate) fn with_programs(programs: &[(&str, &str)]) -> Setup {
    let setup = Setup::new();
    let bin = setup.scratch().folder("bin");
    let state = setup.scratch().folder("state");
    for (name, lines) in programs {
        setup.scratch().script(Path::new("bin").join(name), lines);
    }
    setup.env("PATH", bin).env("STATE", state)
}

/// Adds a game with a file of its own and returns its id.
#[track_caller]
pub(crate) fn add(server: &Server, file: &str, platform: &str, more: &Value) -> String {
    let path = server.scratch().file(format!("games/{file}"), "rom");
    let name = file.split('.').next().unwrap_or(file);
    let mut game = json!({"name": name, "path": path, "platform": platform});
    game.as_object_mut().expect("an object").extend(more.as_object().expect("one").clone());
    let saved = server.post("/api/game", &json!({"game": game}));
    saved["game_id"].as_str().expect("an id").to_owned()
}

/// Plays a game to its end and returns the id of the launch.
#[track_caller]
pub(crate) fn play(server: &Server, id: &str) -> String {
    let entry = server.post("/api/launch", &json!({"game_id": id}));
    let launch = entry["launch_id"].as_str().expect("an id").to_owned();
    ended(server, &launch);
    launch
}

/// Waits for the end of a session.
#[track_caller]
pub(crate) fn ended(server: &Server, launch: &str) -> Value {
    until("the session to end", || {
        let events = server.get("/api/running")["events"].as_array().expect("a list").clone();
        let stopped = |event: &Value| event["kind"] == "stopped" && event["launch_id"] == launch;
        events.into_iter().find(stopped)
    })
}
