//! Libraries for tests and benchmarks, the same for the same size on every machine.
//!
//! A generated game is 0.8 to 1.5 KB of JSON with a title beyond ASCII, like a library that has
//! been scraped and played for years. Its files do not exist.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// A small generator of pseudo-random numbers (SplitMix64); never for anything secret.
pub(crate) struct Dice(u64);

impl Dice {
    /// Dice that always fall the same way for the same seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// One of these.
    pub(crate) fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        let at = usize::try_from(self.below(list.len() as u64)).unwrap_or(0);
        list[at]
    }
}

const WORDS: [&str; 24] = [
    "Étoile",
    "Drachen",
    "Größe",
    "Ñandú",
    "忍者",
    "Сказка",
    "Legend",
    "Quest",
    "Tactics",
    "Ωmega",
    "Señor",
    "Château",
    "Racing",
    "Puzzle",
    "Zażółć",
    "ドラゴン",
    "Battle",
    "Island",
    "Météo",
    "Crystal",
    "Überfall",
    "Mirage",
    "Kingdom",
    "Night",
];
const PLATFORMS: [(&str, &str); 8] = [
    ("NES", "nes"),
    ("SNES", "sfc"),
    ("Game Boy", "gb"),
    ("Game Boy Advance", "gba"),
    ("Nintendo 64", "z64"),
    ("PlayStation", "cue"),
    ("Arcade", "zip"),
    ("Linux", "sh"),
];
const GENRES: [&str; 8] =
    ["RPG", "Platform", "Puzzle", "Strategy", "Racing", "Shooter", "Adventure, RPG", "Fighting"];
const COMPANIES: [&str; 7] =
    ["Nébuleuse", "Kōbō", "Sunrise Works", "Löwenherz", "Tall Tree", "Ikki", "Norðurljós"];
const PROGRESS: [&str; 4] = ["", "Playing", "Beaten", "Completed"];
const SENTENCES: [&str; 5] = [
    "A wanderer crosses seven islands to find the bell that once told the tides when to turn.",
    "Build a line, keep the trains apart, and never let the last station go dark.",
    "Zwei Geschwister, ein Turm und hundert Türen, von denen nur eine zurückführt.",
    "Un duel d'ombres sous la pluie, cadre par cadre, sans jamais lever la voix.",
    "Sixteen racers, one frozen lake, and a thaw that moves the finish on every lap.",
];

/// The stable id of the game at this place of a generated library.
pub(crate) fn game_id(index: usize) -> String {
    format!("game-{index:024x}")
}

/// The stored record of the game at this place.
pub(crate) fn game(index: usize) -> Value {
    let mut dice = Dice::new(index as u64);
    let (platform, extension) = PLATFORMS[index % PLATFORMS.len()];
    let name = format!("{} {} {index}", dice.pick(&WORDS), dice.pick(&WORDS));
    let folder = format!("/srv/games/{}", platform.replace(' ', "-").to_lowercase());
    let media = format!("{folder}/media/{index:06}");
    let mut description = String::new();
    for _ in 0..2 + dice.below(4) {
        // OK because writing to a String never fails.
        let _ = write!(description, "{} ", dice.pick(&SENTENCES));
    }
    json!({
        "game_id": game_id(index),
        "name": name,
        "sort_title": name.to_lowercase(),
        "platform": platform,
        "path": format!("{folder}/{index:06} {}.{extension}", dice.pick(&WORDS)),
        "genre": dice.pick(&GENRES),
        "developer": dice.pick(&COMPANIES),
        "publisher": dice.pick(&COMPANIES),
        "year": (1983 + dice.below(40)).to_string(),
        "region": dice.pick(&["World", "Europe", "Japan", "North America"]),
        "description": description.trim_end(),
        "progress": dice.pick(&PROGRESS),
        "rating": f64::from(u8::try_from(dice.below(11)).unwrap_or(0)) / 2.0,
        "user_rating": dice.below(6),
        "favorite": dice.below(10) == 0,
        "hidden": false,
        "play_count": dice.below(30),
        "playtime_seconds": dice.below(200_000),
        "last_played": format!("20{:02}-0{}-1{}T20:15:00", 10 + dice.below(16), 1 + dice.below(9), dice.below(10)),
        "added_at": "2020-01-01T00:00:00",
        "cover": format!("{media}-cover.png"),
        "background": format!("{media}-background.jpg"),
        "screenshots": [format!("{media}-1.png"), format!("{media}-2.png")],
        "tags": [dice.pick(&["couch", "short", "long"]), dice.pick(&["gift", "classic"])],
        "source": "import",
    })
}

/// A whole library file of this many games, compact, as the program writes large ones.
pub(crate) fn library(games: usize) -> String {
    let mut text = String::with_capacity(games * 1_200 + 256);
    text.push_str("{\"schema_version\":6,\"games\":[");
    for index in 0..games {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&game(index).to_string());
    }
    text.push_str("],\"profiles\":{},\"history\":[],\"settings\":{},\"playlists\":[]}\n");
    text
}

/// The relative name of the file at this place of a generated ROM folder: nested, with region
/// tags, no two of one title.
pub(crate) fn rom(index: usize) -> String {
    let (platform, extension) = PLATFORMS[index % 5];
    let word = WORDS[index % WORDS.len()];
    format!("{platform}/{:03}/{word} {index:05} (Europe).{extension}", index / 200)
}
