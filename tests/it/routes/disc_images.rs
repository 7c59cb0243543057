//! Discs in containers: CHD, CSO, RVZ and their like, imported from a folder, and known to the achievement
//! provider by their content.

use serde_json::json;

use crate::support::{
    ach::{library, listed, provider, refused, says, with_account},
    disc::image,
    provider::Reply,
    server::Setup,
};

const GAME: &str = "/api/ach/game";

/// Images by their platform, with what the provider knows their game by.
const IMAGES: [(&str, &str, &str); 13] = [
    ("sega.chd", "Sega CD", "575f1061ed33e7a8ae3aa970c398f192"),
    ("sega-cdzl.chd", "Sega CD", "575f1061ed33e7a8ae3aa970c398f192"),
    ("pce.chd", "PC Engine CD", "32f90ebb1d0dceaed699c769c363a33a"),
    ("psx.chd", "PlayStation", "0a79d6af3e22701ac1579839ef4fda09"),
    ("ps2-zlib.chd", "PlayStation 2", "0816f17da8afae06b3fc3ed3c2df7fad"),
    ("ps2-lzma.chd", "PlayStation 2", "0816f17da8afae06b3fc3ed3c2df7fad"),
    ("ps2-huff.chd", "PlayStation 2", "0816f17da8afae06b3fc3ed3c2df7fad"),
    ("ps2-flac.chd", "PlayStation 2", "0816f17da8afae06b3fc3ed3c2df7fad"),
    ("gd.chd", "Dreamcast", "8fea363f5be8564fe216deb60c76cdd4"),
    ("psp.cso", "PSP", "90febfe9d114adff0db86067d144ac3b"),
    ("gc-zstd.rvz", "GameCube", "3c51cbf7b521295a8ed0021a3c846368"),
    ("gc-lzma.wia", "GameCube", "3c51cbf7b521295a8ed0021a3c846368"),
    ("gc.gcz", "GameCube", "3c51cbf7b521295a8ed0021a3c846368"),
];

#[test]
fn a_folder_of_images_is_imported_with_the_platform_of_each_disc() {
    let server = Setup::new().start();
    for (at, (name, ..)) in IMAGES.iter().enumerate() {
        // No name or folder gives the platform away.
        server.scratch().file(format!("shelf/{at} {name}"), image(name));
    }
    server.scratch().file("shelf/98 cut.chd", &image("sega.chd")[..900]);
    server.scratch().file("shelf/99 noise.chd", "MComprHD and nothing else");
    let folder = server.scratch().path("shelf");
    let done = server.post("/api/import", &json!({"folder": folder}));
    assert_eq!(done["added"], 15, "{done}");
    let games = server.get("/api/library")["games"].clone();
    let platform_of = |at: usize| {
        let games = games.as_array().expect("a list");
        let start = format!("{}/{at} ", folder.display());
        let game = games
            .iter()
            .find(|game| game["path"].as_str().is_some_and(|path| path.starts_with(&start)));
        game.unwrap_or_else(|| panic!("{at}: {games:?}"))["platform"].clone()
    };
    for (at, (name, platform, _)) in IMAGES.iter().enumerate() {
        assert_eq!(platform_of(at), *platform, "{name}");
    }
    assert_eq!([platform_of(98), platform_of(99)], ["Disc image", "Disc image"]);
    let again = server.post("/api/import", &json!({"folder": folder}));
    assert_eq!(again["added"], 0, "{again}");
}

#[test]
fn games_are_known_by_the_content_of_their_images() {
    let provider = provider();
    provider.says(|path, _| {
        if path.contains("API_GetGameList") {
            let hashes: Vec<&str> = IMAGES.iter().map(|(.., hash)| *hash).collect();
            return Reply::json(&json!([listed(90001, &hashes)]));
        }
        says(path)
    });
    let setup = with_account(&provider);
    let mut rows = Vec::new();
    for (at, (name, platform, _)) in IMAGES.iter().enumerate() {
        setup.scratch().file(format!("games/{name}"), image(name));
        rows.push(
            json!({"name": format!("{at}"), "platform": platform, "path": format!("PATH/{name}")}),
        );
    }
    setup.scratch().file("games/l.m3u", "psx.chd\n");
    rows.push(json!({"name": "list", "platform": "PlayStation", "path": "PATH/l.m3u"}));
    let server = library(setup, &json!(rows)).start();
    for (at, row) in rows.iter().enumerate() {
        assert_eq!(server.post(GAME, &json!({"id": at}))["game_id"], 90001, "{row}");
    }
    let games = server.get("/api/library")["games"].clone();
    for (at, (name, _, hash)) in IMAGES.iter().enumerate() {
        assert_eq!(games[at]["ach_hash"], *hash, "{name}");
    }
    assert_eq!(games[IMAGES.len()]["ach_hash"], IMAGES[3].2, "the first disc of a list");
}

#[test]
fn images_that_cannot_be_read_are_refused_with_the_reason() {
    let provider = provider();
    let setup = with_account(&provider);
    let scratch = setup.scratch();
    let whole = image("psx.chd");
    let with = |at: usize, bytes: &[u8]| {
        let mut image = whole.clone();
        image[at..at + bytes.len()].copy_from_slice(bytes);
        image
    };
    scratch.file("games/a.chd", &whole[..whole.len() / 2]);
    scratch.file("games/b.chd", with(104, &[1; 20]));
    scratch.file("games/c.chd", with(56, &[255; 4]));
    scratch.file("games/d.chd", with(12, &[0, 0, 0, 1]));
    scratch.file("games/e.chd", "no image");
    scratch.file("games/f.chd", &whole);
    scratch.file("games/g.chd", "");
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let rows: Vec<_> = names
        .iter()
        .map(|name| {
            let platform = if *name == "f" { "Sega Saturn" } else { "PlayStation" };
            json!({"name": name, "platform": platform, "path": format!("PATH/{name}.chd")})
        })
        .collect();
    let server = library(setup, &json!(rows)).start();
    let by_hand = "Enter the RetroAchievements id of the game (ach_game_id).";
    for (at, error) in [
        format!("The disc image is damaged. {by_hand}"),
        format!("The disc image needs its parent image and cannot be read alone. {by_hand}"),
        format!("The disc image is damaged. {by_hand}"),
        format!(
            "The disc image is packed with an old version of CHD, which is not read. {by_hand}"
        ),
        format!("Files with the extension .chd cannot be identified. {by_hand}"),
        "The file of the game is not one of its platform.".to_owned(),
        format!("Files with the extension .chd cannot be identified. {by_hand}"),
    ]
    .iter()
    .enumerate()
    {
        refused(&server, GAME, &json!({"id": at}), error);
    }
}

/// A CHD that asks for the most there may be: 4,194,304 hunks of 1 MiB, in a map of 24 KB.
fn greedy() -> Vec<u8> {
    let (hunk, count) = (1_u32 << 20, 4_u64 << 20);
    let mut file = b"MComprHD\0\0\0\x7c\0\0\0\x05zlib".to_vec();
    file.resize(32, 0);
    file.extend((count * u64::from(hunk)).to_be_bytes());
    file.extend(124_u64.to_be_bytes());
    file.resize(56, 0);
    file.extend(hunk.to_be_bytes());
    file.resize(124, 0);
    // Sixteen codes of four bits; then kind 4 (stored), and rows of 274 more of it.
    let rows = b"\x8f\xf8\xff".repeat(usize::try_from(count / 274 / 2 + 1).expect("small"));
    let map = [&[0x44; 8][..], b"\x48\xff", &rows, &[0; 64]].concat();
    file.extend(u32::try_from(map.len()).expect("small").to_be_bytes());
    file.extend([0; 12]);
    file.extend(map);
    file.resize(2 << 20, 0);
    file
}

#[test]
fn images_that_ask_for_much_get_little() {
    let provider = provider();
    let setup = with_account(&provider);
    let mut rows = Vec::new();
    for at in 0..8 {
        setup.scratch().file(format!("games/{at}.chd"), greedy());
        rows.push(json!({"name": at.to_string(), "platform": "PlayStation", "path": format!("PATH/{at}.chd")}));
    }
    let server = library(setup, &json!(rows)).start();
    let folder = server.scratch().path("games");
    server.post("/api/import", &json!({"folder": folder}));
    let before = server.status("VmHWM");
    server.scratch().file("games/more/9.chd", greedy());
    assert_eq!(server.post("/api/import", &json!({"folder": folder}))["added"], 1);
    for at in 0..8 {
        refused(
            &server,
            GAME,
            &json!({"id": at}),
            "The file of the game is not one of its platform.",
        );
    }
    let grown = (server.status("VmHWM") - before) / 1_024;
    assert!(grown < 16, "{grown} MiB");
}
