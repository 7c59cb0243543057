//! `POST /api/import/arcade`: sets of a folder, named by a catalog or by the emulator.

use serde_json::{Value, json};

use crate::support::{
    server::Server,
    setup::{commit, scan},
};

use super::importers::{check_refused, check_twice, column, games, put_zip, with_tools};

const DAT: &str = r#"<datafile><machine name="pac"><description>Pac</description>
    <year>1980</year><manufacturer>Namco (Midway license)</manufacturer></machine>
    <machine name="inside" cloneof="pac"><rom name="a" merge="a"/></machine>
    <machine name="part" cloneof="pac"><rom name="a" merge="a"/></machine>
    <machine name="whole" cloneof="pac"><rom name="a" merge="a"/></machine>
    <machine name="bios" isbios="yes"/><machine name="gone"/></datafile>
"#;

#[test]
fn arcade_sets_are_named_by_a_catalog_or_by_the_emulator() {
    let list =
        "[ \"$1\" = -listxml ] || exit 3\nwhile read -r line; do echo \"$line\"; done < \"$LIST\"";
    let setup = with_tools(&[("mame", list)]);
    let dat = setup.scratch().file("sets.dat", DAT);
    let sets = setup.scratch().folder("roms");
    let server = setup.env("LIST", &dat).start();
    put_zip(&sets.join("pac.zip"), &["a"]);
    put_zip(&sets.join("part.zip"), &["b"]);
    put_zip(&sets.join("whole.zip"), &["b", "a"]);
    let expected = json!({"added": 4, "found": 4, "sets": {"parent": 1, "merged": 1, "split": 1, "non-merged": 1}});
    check_twice(&server, "/api/import/arcade", &json!({"folder": sets}), &expected);
    let rows = games(&server);
    assert_eq!(column(&rows, "set_type"), ["parent", "merged", "split", "non-merged"]);
    assert_eq!(column(&rows, "name"), ["Pac", "inside", "part", "whole"]);
    let made = ["year", "developer", "publisher"].map(|key| rows[0][key].as_str());
    assert_eq!(made, [Some("1980"), Some("Namco"), Some("Midway")]);
    let launch = rows[0]["launch"].as_str().expect("text");
    assert!(launch.contains(" -rompath ") && launch.ends_with(" {rom_name}"), "{launch}");
    let by_dat =
        json!({"folder": sets, "dat": dat, "command": "neo {path}", "source": "FinalBurn Neo"});
    assert_eq!(
        server.import("/api/v1/import/arcade", &by_dat),
        expected,
        "another family has its own sets"
    );
    assert_eq!(games(&server)[4]["source"], "FinalBurn Neo");
}

/// An emulator that prints only what it is asked for, and fails when it is asked for everything.
const PRINTS_SOME: &str = r#"case "$1" in
-listclones) echo "Name:            Clone of:"; echo "inside           pac"; echo "lost             gone";;
-listxml) shift
    [ $# -gt 0 ] || exit 9
    code=0
    echo '<?xml version="1.0"?><!DOCTYPE mame [<!ELEMENT mame (machine+)>]><mame build="0.251">'
    for name in "$@"; do case "$name" in
        pac) echo '<machine name="pac"><description>Pac &amp; Co</description></machine>'
            echo '<machine name="z80" isdevice="yes"/>';;
        inside) echo '<machine name="inside" cloneof="pac"><rom name="a" merge="a"/></machine>';;
        *) echo "No matching machines found for '$name'" >&2; code=5;;
    esac; done
    echo '</mame>'; exit $code;;
esac"#;

#[test]
fn the_emulator_is_asked_for_the_sets_of_the_folder_alone() {
    let server = with_tools(&[("mame", PRINTS_SOME)]).start();
    let roms = server.scratch().folder("roms");
    let sets =
        |parent, merged| json!({"parent": parent, "merged": merged, "split": 0, "non-merged": 0});
    let body = json!({"folder": roms});
    let none = json!({"added": 0, "found": 0, "sets": sets(0, 0)});
    assert_eq!(server.post("/api/import/arcade", &body), none);
    put_zip(&roms.join("Some Title (USA).zip"), &["a"]);
    put_zip(&roms.join("-listxml.zip"), &["a"]);
    put_zip(&roms.join("nothing.zip"), &["a"]);
    assert_eq!(server.post("/api/import/arcade", &body), none);
    put_zip(&roms.join("pac.zip"), &["b"]);
    let two = json!({"added": 2, "found": 2, "sets": sets(1, 1)});
    check_twice(&server, "/api/import/arcade", &body, &two);
    assert_eq!(column(&games(&server), "name"), ["inside", "Pac & Co"]);
}

#[test]
fn an_emulator_that_prints_everything_or_nothing_is_asked_for_everything() {
    let list =
        "[ \"$*\" = -listxml ] || exit 2\nwhile read -r line; do echo \"$line\"; done < \"$LIST\"";
    let setup = with_tools(&[("mame", list)]);
    let dat = setup.scratch().file("sets.dat", DAT);
    let sets = setup.scratch().folder("roms");
    let server = setup.env("LIST", &dat).start();
    put_zip(&sets.join("pac.zip"), &["a"]);
    let reply = server.post("/api/import/arcade", &json!({"folder": sets}));
    let inside = json!({"parent": 1, "merged": 3, "split": 0, "non-merged": 0});
    assert_eq!(reply["sets"], inside, "all clones may lie in the archive of their parent: {reply}");
    assert_eq!(column(&games(&server), "name")[0], "Pac");
}

#[test]
fn text_and_software_lists_name_sets_and_other_collections_none() {
    let server = with_tools(&[]).start();
    let roms = server.scratch().folder("roms");
    put_zip(&roms.join("pac.zip"), &["a"]);
    let text = "clrmamepro (\n\tname X\n)\ngame (\n\tname pac\n\tdescription \"Pac (set 1)\"\n\trom ( name a size 1 )\n)\n";
    let dat = server.scratch().file("text.dat", text);
    let body = json!({"folder": roms, "dat": dat, "command": "x {path}"});
    let one = json!({"added": 1, "found": 1,
        "sets": {"parent": 1, "merged": 0, "split": 0, "non-merged": 0}});
    check_twice(&server, "/api/import/arcade", &body, &one);
    assert_eq!(column(&games(&server), "name"), ["Pac (set 1)"]);
    let other = "<datafile><header><name>Nintendo - SNES</name></header>\
        <game name=\"Mario (USA)\"><rom name=\"Mario (USA).sfc\"/></game></datafile>";
    let other = server.scratch().file("other.dat", other);
    let body = json!({"folder": roms, "dat": other, "command": "x {path}"});
    let error = "The arcade DAT/XML file lists no arcade sets.";
    check_refused(&server, "/api/import/arcade", &body, error);
}

#[test]
fn arcade_refusals() {
    let server = with_tools(&[("mame", "echo broken >&2\nexit 7")]).start();
    let roms = server.scratch().folder("roms");
    let bad = server.scratch().file("bad.dat", "<a><b");
    let cut = server.scratch().file("cut.dat", "<datafile><machine name=\"pac\"/>");
    let wrong = server.scratch().file("wrong.dat", "<html><body>404</body></html>");
    for (body, error) in [
        (json!({}), "The arcade ROM folder does not exist."),
        (json!({"folder": "/no/such"}), "The arcade ROM folder does not exist."),
        (json!({"folder": roms, "dat": "/no/such"}), "The arcade DAT/XML file does not exist."),
        (
            json!({"folder": roms, "dat": bad, "command": "x"}),
            "The arcade DAT/XML file is not valid XML.",
        ),
        (json!({"folder": roms, "dat": cut}), "The arcade DAT/XML file is not valid XML."),
        (json!({"folder": roms, "dat": 5}), "dat must be text."),
        (json!({"folder": roms, "source": ["MAME"]}), "source must be text."),
        (json!({"folder": roms, "dat": bad, "command": false}), "command must be text."),
        (json!({"folder": roms, "dat": wrong}), "The arcade DAT/XML file lists no arcade sets."),
        (
            json!({"folder": roms, "dat": bad, "command": " "}),
            "The arcade launch command is empty.",
        ),
        (json!({"folder": roms}), "MAME failed with code 7. broken"),
        (
            json!({"folder": roms, "source": "FinalBurn Neo"}),
            "FinalBurn Neo is not installed. Install it, or choose a DAT/XML file and a launch command.",
        ),
    ] {
        check_refused(&server, "/api/import/arcade", &body, error);
    }
    assert!(games(&server).is_empty());
}

#[test]
fn sets_need_a_command_and_older_rows_without_one_get_it() {
    let server = with_tools(&[]).start();
    let sets = server.scratch().folder("roms");
    put_zip(&sets.join("pac.zip"), &["a"]);
    let dat = server.scratch().file("sets.dat", DAT);
    for (source, name) in [("", "MAME"), ("FinalBurn Neo", "FinalBurn Neo")] {
        let body = json!({"folder": sets, "dat": dat, "source": source});
        let error = "is not installed. Install it, or choose a DAT/XML file and a launch command.";
        check_refused(&server, "/api/import/arcade", &body, &format!("{name} {error}"));
    }
    // As an earlier version imported it.
    let old = json!({"name": "Pac", "platform": "Arcade", "source": "MAME", "rom_name": "pac",
        "path": sets.join("pac.zip"), "launch": ""});
    let library = json!({"schema_version": 6, "games": [old]});
    let server = with_tools(&[]).library(&library.to_string()).start();
    let mut body = json!({"folder": sets, "dat": dat, "command": "mame {rom_name}"});
    for command in ["mame {rom_name}", "other {path}"] {
        body["command"] = json!(command);
        server.post("/api/import/arcade", &body);
        let rows = games(&server);
        let pac = rows.iter().find(|row| row["rom_name"] == "pac").expect("the row");
        assert_eq!(pac["launch"], "mame {rom_name}", "the first command stays");
    }
}

/// The rows that `before` made of archives are their sets after an import of the sets.
#[track_caller]
fn check_sets_after(route: &str, body: impl Fn(&Server) -> Value) {
    let server = with_tools(&[]).start();
    let sets = server.scratch().folder("roms/arcade");
    put_zip(&sets.join("pac.zip"), &["a"]);
    put_zip(&sets.join("part.zip"), &["b"]);
    put_zip(&sets.join("1942.zip"), &["b"]);
    let dat = server.scratch().file("sets.dat", DAT);
    server.post(route, &body(&server));
    let rows = games(&server);
    let pac = json!(sets.join("pac.zip"));
    let id = &rows.iter().find(|row| row["path"] == pac).expect("the archive")["game_id"];
    server.post("/api/game", &json!({"game_id": id, "game": {"name": "My Pac"}}));
    let held = server.holdings();
    let arcade = json!({"folder": sets, "dat": dat, "command": "mame {rom_name}"});
    let reply = server.post("/api/import/arcade", &arcade);
    assert_eq!(reply["found"], 4, "{route}: {reply}");
    let after = games(&server);
    let set = |name: &str| after.iter().find(|row| row["rom_name"] == name).expect("a set");
    for (field, value) in [
        ("game_id", id),
        ("name", &json!("My Pac")),
        ("path", &pac),
        ("source", &json!("MAME")),
        ("platform", &json!("Arcade")),
        ("launch", &json!("mame {rom_name}")),
        ("set_type", &json!("parent")),
    ] {
        assert_eq!(&set("pac")[field], value, "{route}: {field}");
    }
    assert_eq!(set("inside")["path"], pac, "a clone in the archive of its parent");
    let paths: Vec<&Value> =
        after.iter().map(|row| &row["path"]).filter(|path| **path == pac).collect();
    assert_eq!(paths.len(), 3, "{route}");
    assert_eq!(server.post("/api/import/arcade", &arcade)["added"], 0);
    assert_eq!(games(&server), after, "{route}: once");
    server.undo_import();
    assert_eq!(server.holdings(), held, "{route}: undone");
}

#[test]
fn the_row_of_an_archive_becomes_its_set() {
    check_sets_after("/api/import", |server| json!({"folder": server.scratch().path("roms")}));
    check_sets_after(
        "/api/import/loose-arcade",
        |server| json!({"folder": server.scratch().path("roms/arcade")}),
    );
    check_sets_after("/api/v2/import/frontend/apply", |server| {
        let path = server.scratch().path("roms/arcade/pac.zip");
        let list = json!({"items": [{"path": path, "label": "Pac (Midway)"}]});
        json!({"xml_path": server.scratch().file("MAME.lpl", list.to_string())})
    });
}

#[test]
fn one_setup_brings_an_archive_of_a_folder_and_its_set_once() {
    let server = with_tools(&[]).start();
    let sets = server.scratch().folder("roms/arcade");
    put_zip(&sets.join("pac.zip"), &["a"]);
    put_zip(&sets.join("part.zip"), &["b"]);
    let dat = server.scratch().file("sets.dat", DAT);
    let folder = json!({"type": "folder", "path": server.scratch().path("roms")});
    let arcade = json!({"type": "arcade", "path": sets, "dat_path": dat});
    for sources in [json!([folder, arcade]), json!([arcade, folder])] {
        let preview = scan(&server, &sources);
        let id = preview["preview_id"].as_str().expect("an id");
        commit(&server, id);
        let rows = games(&server);
        let mut names = column(&rows, "rom_name");
        names.sort_unstable();
        assert_eq!(names, ["inside", "pac", "part", "whole"], "{sources}");
        assert_eq!(column(&rows, "source"), ["MAME"; 4], "{sources}");
        server.undo_import();
        assert!(games(&server).is_empty());
    }
}
