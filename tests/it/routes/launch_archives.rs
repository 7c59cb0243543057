//! `POST /api/launch` of games that lie in archives.

use std::{io::Write as _, path::Path};

use serde_json::{Value, json};
use zip::{ZipWriter, write::SimpleFileOptions};

use super::launching::{add, ended, launch, refused, told, with_programs};
use crate::support::server::{Server, Setup};

fn zip_of(path: &Path, members: &[(&str, &str)]) {
    let mut zip = ZipWriter::new(std::fs::File::create(path).expect("made"));
    let options = SimpleFileOptions::default().unix_permissions(0o755);
    for (name, text) in members {
        zip.start_file(*name, options).expect("started");
        zip.write_all(text.as_bytes()).expect("written");
    }
    zip.finish().expect("finished");
}

#[test]
fn a_zip_is_extracted_and_played() {
    let server = Server::start();
    let archive = server.scratch().folder("games").join("game.zip");
    let script = "#!/bin/sh\npwd > \"$HOME/where\"\n";
    zip_of(&archive, &[("disc/game", script), ("read me.txt", &"long ".repeat(99))]);
    let id = add(&server, "Zipped", &archive, &json!({"extract_archive": true}));
    ended(&server, &launch(&server, &id));
    let folder = String::from_utf8(server.scratch().read("home/where")).expect("text");
    let key = Path::new(folder.trim()).parent().expect("a folder");
    assert_eq!(key.parent(), Some(server.data("cache/archives").as_path()));
    assert!(folder.trim().ends_with("/disc") && key.join(".complete").is_file());
    ended(&server, &launch(&server, &id));
    let kept = std::fs::read_dir(server.data("cache/archives")).expect("listed").count();
    assert_eq!(kept, 1, "extracted once");
    let edit = |fields: Value| {
        let mut game = json!({"name": "Zipped", "path": archive, "extract_archive": true});
        game.as_object_mut().expect("object").extend(fields.as_object().expect("object").clone());
        server.post("/api/game", &json!({"game_id": id, "game": game}));
    };
    edit(json!({"archive_member": "gone"}));
    refused(&server, &id, "Archive member not found: gone");
    zip_of(&archive, &[("../game", script)]);
    edit(json!({"archive_member": ""}));
    refused(&server, &id, "The archive contains an unsafe path.");
    std::fs::write(&archive, "PK").expect("written");
    refused(&server, &id, "The archive could not be read.");
}

#[test]
fn an_old_windows_archive_with_backslashes_has_folders() {
    let server = Server::start();
    let archive = server.scratch().folder("games").join("game.zip");
    zip_of(&archive, &[("disc\\game", "#!/bin/sh\npwd > \"$HOME/where\"\n")]);
    // Such a program writes no Unix mode: the four bytes of it stand 38 bytes into the directory's entry.
    let mut bytes = std::fs::read(&archive).expect("read");
    let entry = bytes.windows(4).rposition(|mark| mark == b"PK\x01\x02").expect("an entry");
    bytes[entry + 38..entry + 42].fill(0);
    std::fs::write(&archive, bytes).expect("written");
    let id = add(&server, "Zipped", &archive, &json!({"extract_archive": true}));
    ended(&server, &launch(&server, &id));
    let folder = String::from_utf8(server.scratch().read("home/where")).expect("text");
    assert!(folder.trim().ends_with("/disc"), "{folder}");
}

#[test]
fn a_script_alone_in_a_zip_is_ready_and_starts() {
    let server = Server::start();
    let archive = server.scratch().folder("games").join("game.zip");
    zip_of(&archive, &[("run.sh", "printf x > \"$HOME/ran\"\n")]);
    let fields = json!({"extract_archive": true, "platform": "Homebrew"});
    let id = add(&server, "Zipped", &archive, &fields);
    let result = server.post("/api/v2/launch/preflight", &json!({"game_id": id}));
    assert_eq!(result["status"], "warning", "only a cover and the like are missing: {result}");
    ended(&server, &launch(&server, &id));
    assert_eq!(server.scratch().read("home/ran"), b"x");
}

#[test]
fn an_archive_that_holds_no_game_is_refused_in_words() {
    let server = Server::start();
    let archive = server.scratch().folder("games").join("game.zip");
    let id = {
        zip_of(
            &archive,
            &[("read.me.TXT", "text"), ("cover.png", "picture"), ("folder/a.pdf", "x")],
        );
        add(&server, "Zipped", &archive, &json!({"extract_archive": true}))
    };
    let nothing = "No launchable file was found in the archive.";
    refused(&server, &id, nothing);
    zip_of(&archive, &[]);
    refused(&server, &id, nothing);
    for name in ["/game", "a/../../game", "a//game", "../game"] {
        zip_of(&archive, &[(name, "#!/bin/sh\n")]);
        refused(&server, &id, "The archive contains an unsafe path.");
    }
    std::fs::remove_file(&archive).expect("there");
    refused(&server, &id, "The configured path no longer exists:");
    let left = std::fs::read_dir(server.data("cache/archives")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "nothing is left of what was refused");
}

#[test]
fn what_the_program_says_of_an_archive_is_checked_before_it_extracts() {
    let server = with_programs(&[("7z", "exit 9")]);
    let block = |more: &str| format!("Path = game\\nSize = 4\\n{more}");
    for (at, (listing, message)) in [
        (block("Encrypted = +"), "The archive is encrypted."),
        (block("Symbolic Link = /etc/passwd"), "The archive contains links or special files."),
        (block("Attributes = A_ prw-r--r--"), "The archive contains links or special files."),
        (format!("{}\\n{}", block(""), block("")), "The archive contains duplicate entries."),
        ("Path = ../game\\nSize = 4".to_owned(), "The archive contains an unsafe path."),
        ("Path = /game\\nSize = 4".to_owned(), "The archive contains an unsafe path."),
        ("Path = game\\nSize = much".to_owned(), "The archive could not be read."),
        (
            "Path = game\\nSize = 2147483649".to_owned(),
            "The archive expands beyond the allowed size.",
        ),
        ("Path = a.txt\\nSize = 4".to_owned(), "No launchable file was found in the archive."),
    ]
    .into_iter()
    .enumerate()
    {
        let print = format!("printf -- '----------\\n{listing}\\n'");
        server.scratch().script("bin/7z", &format!("[ \"$1\" = l ] || exit 9\n{print}"));
        let archive = server.scratch().file(format!("games/{at}.7z"), "7z");
        let id = add(&server, &at.to_string(), &archive, &json!({"extract_archive": true}));
        refused(&server, &id, message);
    }
    server.scratch().script("bin/7z", "exit 2");
    let archive = server.scratch().file("games/damaged.7z", "7z");
    let id = add(&server, "Damaged", &archive, &json!({"extract_archive": true}));
    refused(&server, &id, "7z could not extract the archive.");
}

#[test]
fn other_archives_are_extracted_by_a_program() {
    let listing = "printf -- '----------\\nPath = game\\nSize = 4\\nAttributes = A_ -rwxr-xr-x\\n'";
    let extract = "for word; do case \"$word\" in -o*) into=${word#-o};; esac; done\n\
        printf '#!/bin/sh\\n' > \"$into/game\"; chmod 755 \"$into/game\"";
    let lines = format!("if [ \"$1\" = l ]; then {listing}; exit; fi\n{extract}");
    let server = with_programs(&[("7z", &lines)]);
    let archive = server.scratch().file("games/game.7z", "7z");
    let id = add(&server, "Packed", &archive, &json!({"extract_archive": true}));
    ended(&server, &launch(&server, &id));
    let said = told(&server, 2);
    assert_eq!(said[0], format!("7z l -slt -- {}", archive.display()));
    assert!(said[1].starts_with("7z x -y -bd -snl- -snh- -o"), "{}", said[1]);
    // A program that leaves a link is not believed.
    let link = "for word; do case \"$word\" in -o*) into=${word#-o};; esac; done\n\
        ln -s /etc/passwd \"$into/game\"";
    server
        .scratch()
        .script("bin/7z", &format!("if [ \"$1\" = l ]; then {listing}; exit; fi\n{link}"));
    let other = server.scratch().file("games/other.7z", "7z");
    let other = add(&server, "Linked", &other, &json!({"extract_archive": true}));
    refused(&server, &other, "The archive contains links or special files.");
    assert_eq!(std::fs::read_dir(server.data("cache/archives")).expect("listed").count(), 1);
}

#[test]
fn an_archive_without_its_program_is_refused_in_words() {
    let setup = Setup::new();
    let nothing = setup.scratch().folder("bin").display().to_string();
    let server = setup.env("PATH", nothing).start();
    let archive = server.scratch().file("games/game.7z", "7z");
    let id = add(&server, "Packed", &archive, &json!({"extract_archive": true}));
    refused(&server, &id, "7z or 7zz is required to extract this archive.");
}
