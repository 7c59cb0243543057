//! Folders that are one game, entries of desktop menus and packed programs.

use std::path::Path;

use super::{
    apps::packed_title,
    candidates::{self, Candidates, Preferences},
};
use crate::scan::tree::memory::MemoryTree;

fn find(files: &[(&str, &[u8])]) -> Candidates {
    let mut tree = MemoryTree::default();
    for (path, content) in files {
        tree.put(path, content);
    }
    candidates::find(&tree, "/r", Path::new("/data"), &Preferences::default())
}

#[track_caller]
fn check(files: &[(&str, &[u8])], expected: &[(&str, &str, &str)], parts: usize) {
    let found = find(files);
    let games: Vec<(String, String, &str)> = found
        .games
        .iter()
        .map(|game| (game.best.path(), game.best.title().to_owned(), game.best.platform()))
        .collect();
    let games: Vec<(&str, &str, &str)> = games
        .iter()
        .map(|(path, title, platform)| (&path[3..], title.as_str(), *platform))
        .collect();
    assert_eq!(games, expected);
    let others: usize = found.games.iter().map(|game| game.others.len()).sum();
    let accounted = found.games.len() + others + found.parts + found.unknown.total();
    assert_eq!((accounted, found.parts), (files.len(), parts), "every file is accounted for");
}

/// A program with the header of Windows at its end, or for DOS.
fn program(for_windows: bool) -> Vec<u8> {
    let mut bytes = vec![0; 0x80];
    bytes[..2].copy_from_slice(b"MZ");
    bytes[0x3c] = 0x80;
    bytes.extend_from_slice(if for_windows { b"PE\0\0" } else { b"LE\0\0" });
    bytes
}

#[test]
fn an_installed_folder_is_one_game() {
    check(
        &[
            ("/r/Example Quest/start.sh", b"#!/bin/sh"),
            ("/r/Example Quest/gameinfo", b"Example Quest: Gold\ngog-3\n"),
            ("/r/Example Quest/game/bin/run.sh", b""),
            ("/r/Example Quest/game/data.zip", b""),
            ("/r/Example Quest/support/gog_com.shlib", b""),
            ("/r/other/start.sh", b""),
        ],
        &[
            ("Example Quest/start.sh", "Example Quest: Gold", "Linux"),
            ("other/start.sh", "start", "Imported"),
        ],
        2,
    );
}

#[test]
fn a_folder_with_programs_for_dos_is_one_game() {
    check(
        &[
            ("/r/dos/Space Quest 3 (1989)/INSTALL.EXE", b""),
            ("/r/dos/Space Quest 3 (1989)/SQ3.COM", b""),
            ("/r/dos/Space Quest 3 (1989)/sub/MORE.EXE", b""),
            ("/r/dos/Space Quest 3 (1989)/cd.iso", b""),
            ("/r/dos/loose.exe", b""),
            ("/r/dos/A-F/Keen.pc/KEEN4E.EXE", b""),
            ("/r/dos/A-F/Keen.pc/A.EXE", b""),
            ("/r/dos/zips/packed.zip", b""),
        ],
        &[
            ("dos/loose.exe", "loose", "DOS"),
            ("dos/A-F/Keen.pc/KEEN4E.EXE", "Keen", "DOS"),
            ("dos/Space Quest 3 (1989)/SQ3.COM", "Space Quest 3", "DOS"),
            ("dos/zips/packed.zip", "packed", "DOS"),
        ],
        4,
    );
    let (dos, windows) = (program(false), program(true));
    check(
        &[
            ("/r/Old/GAME.EXE", &dos),
            ("/r/Old/SETUP.EXE", &dos),
            ("/r/New/game.exe", &windows),
            ("/r/New/tool.exe", &dos),
            ("/r/pc/Newer/game.exe", &windows),
            ("/r/own.exe", &dos),
            ("/r/text/a.exe", b"no program"),
        ],
        &[
            ("own.exe", "own", "Imported"),
            ("New/game.exe", "New", "Imported"),
            ("New/tool.exe", "tool", "Imported"),
            ("Old/GAME.EXE", "Old", "DOS"),
            ("pc/Newer/game.exe", "Newer", "Windows"),
            ("text/a.exe", "a", "Imported"),
        ],
        1,
    );
}

#[test]
fn a_configuration_of_dosbox_starts_its_folder() {
    let files: [(&str, &[u8]); 8] = [
        ("/r/My Game/dosboxGAME_single.conf", b"[autoexec]\ngame.exe\n"),
        ("/r/My Game/dosboxGAME.conf", b"[cpu]\n"),
        ("/r/My Game/GAME.EXE", b""),
        ("/r/My Game/DOSBOX/dosbox.exe", b""),
        ("/r/.dosbox/dosbox-0.74.conf", b"[autoexec]\n# nothing\n"),
        ("/r/alone/dosbox.conf", b"[autoexec]\nmount c /x\n"),
        ("/r/mixed/dosbox.conf", b"[autoexec]\nmount c /x\n"),
        ("/r/mixed/a.nes", b""),
    ];
    let expected = [
        ("My Game/dosboxGAME.conf", "My Game", "DOS"),
        ("alone/dosbox.conf", "alone", "DOS"),
        ("mixed/a.nes", "a", "NES"),
    ];
    check(&files, &expected, 3);
    let found = find(&files);
    let launch = |at: usize| found.games[at].best.app().expect("an app").launch.clone();
    let (first, second) = (launch(0), launch(1));
    assert!(first.starts_with("env -C '/r/My Game/DOSBOX' dosbox"), "{first}");
    let tail = " -conf {path} -conf '/r/My Game/dosboxGAME_single.conf'";
    assert!(first.ends_with(tail), "{first}");
    assert!(second.ends_with(" -conf {path}") && !second.contains("env"), "{second}");
}

#[test]
fn an_entry_of_a_menu_is_a_game_when_it_says_so() {
    let game = b"[Desktop Entry]\nType=Application\nName=Maze 3D\nExec=maze '--a b' %f\n\
        Categories=Game;\nPath=/opt/maze dir\n";
    let tool = b"[Desktop Entry]\nType=Application\nName=Notes\nExec=notes\n";
    let gone = b"[Desktop Entry]\nName=Gone\nExec=x\nCategories=Game;\nTryExec=/no/such\n";
    let hidden = b"[Desktop Entry]\nName=H\nExec=x\nCategories=Game;\nNoDisplay=true\n";
    let files: [(&str, &[u8]); 6] = [
        ("/r/maze.desktop", game),
        ("/r/tool.desktop", tool),
        ("/r/gone.desktop", gone),
        ("/r/hidden.desktop", hidden),
        ("/r/ports/tool.desktop", tool),
        ("/r/broken.desktop", b"\xff"),
    ];
    let expected = [("maze.desktop", "Maze 3D", "Linux"), ("ports/tool.desktop", "Notes", "Ports")];
    check(&files, &expected, 0);
    let found = find(&files);
    let app = found.games[0].best.app().expect("an app");
    assert_eq!(app.launch, "env -C '/opt/maze dir' maze '--a b'");
    let shell = b"[Desktop Entry]\nName=S\nExec=s\nCategories=Game;\nTerminal=true\n";
    let found = find(&[("/r/s.desktop", shell)]);
    let launch = &found.games[0].best.app().expect("an app").launch;
    assert!(launch.ends_with(" s") && launch.len() > 2, "{launch}");
}

#[test]
fn titles_of_packed_programs_have_no_version() {
    for (stem, expected) in [
        ("Mindustry-v146-x86_64", "Mindustry"),
        ("SuperTuxKart-1.4-x86_64", "SuperTuxKart"),
        ("OpenRA-Red-Alert-x86_64", "OpenRA Red Alert"),
        ("Cemu-2.0-86-x86_64", "Cemu"),
        ("My_Game_2-x86-64", "My Game 2"),
        ("Game 2", "Game 2"),
        ("Half-Life Two-amd64", "Half-Life Two"),
        ("veloren.linux.x64", "veloren"),
        ("x86_64", "x86 64"),
        ("Zero-K", "Zero K"),
    ] {
        assert_eq!(packed_title(stem), expected, "{stem}");
    }
}

/// A parameter file with one text.
fn parameters(title: &str) -> Vec<u8> {
    let length = u32::try_from(title.len() + 1).expect("short").to_le_bytes();
    let mut file = b"\0PSF\x01\x01\0\0".to_vec();
    for number in [36_u32, 44, 1] {
        file.extend(number.to_le_bytes());
    }
    file.extend([0, 0, 4, 2]);
    file.extend(length);
    file.extend(length);
    file.extend(0_u32.to_le_bytes());
    file.extend(b"TITLE\0\0\0");
    file.extend(title.as_bytes());
    file.push(0);
    file
}

#[test]
fn programs_of_the_psp_have_the_title_that_they_hold() {
    let named = parameters("Patapon\n2");
    let mut packed = b"\0PBP\0\0\x01\0".to_vec();
    packed.extend(16_u32.to_le_bytes());
    packed.extend(u32::try_from(16 + named.len()).expect("short").to_le_bytes());
    packed.extend(&named);
    check(
        &[
            ("/r/psp/PSP/GAME/ULUS10041/EBOOT.PBP", &packed),
            ("/r/psp/PSP/GAME/Home Brew/EBOOT.PBP", b"\0PBP"),
        ],
        &[
            ("psp/PSP/GAME/Home Brew/EBOOT.PBP", "Home Brew", "PSP"),
            ("psp/PSP/GAME/ULUS10041/EBOOT.PBP", "Patapon 2", "PSP"),
        ],
        0,
    );
}

#[test]
fn the_files_of_a_disc_are_one_game() {
    let named = parameters("Comet  Rangers\nHD");
    let sky = parameters("Sky");
    check(
        &[
            ("/r/ps3/BLES00001-[Comet]/PS3_GAME/PARAM.SFO", &named),
            ("/r/ps3/BLES00001-[Comet]/PS3_GAME/USRDIR/EBOOT.BIN", b"SCE"),
            ("/r/ps3/BLES00001-[Comet]/PS3_GAME/USRDIR/data/more.zip", b""),
            ("/r/ps3/BLES00001-[Comet]/PS3_UPDATE/setup.iso", b""),
            ("/r/ps3/Stone Puzzle (Europe).ps3/PS3_GAME/USRDIR/eboot.bin", b"SCE"),
            ("/r/ps3/Plain.iso", b""),
            ("/r/else/USRDIR/EBOOT.BIN", b""),
            ("/r/ps3/game/NPUB30001/PARAM.SFO", &sky),
            ("/r/ps3/game/NPUB30001/USRDIR/EBOOT.BIN", b"SCE"),
            ("/r/ps3/game/NPUB30002/USRDIR/EBOOT.BIN", b"SCE"),
        ],
        &[
            ("ps3/Plain.iso", "Plain", "PlayStation 3"),
            (
                "ps3/BLES00001-[Comet]/PS3_GAME/USRDIR/EBOOT.BIN",
                "Comet Rangers HD",
                "PlayStation 3",
            ),
            (
                "ps3/Stone Puzzle (Europe).ps3/PS3_GAME/USRDIR/eboot.bin",
                "Stone Puzzle",
                "PlayStation 3",
            ),
            ("ps3/game/NPUB30001/USRDIR/EBOOT.BIN", "Sky", "PlayStation 3"),
        ],
        2,
    );
}
