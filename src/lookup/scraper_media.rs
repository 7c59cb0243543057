//! Which media of the scraper provider a game gets.

use super::scraper_answers::{Game, Media, Shown, ShownMedia};
use crate::platforms::{self, Kind};

/// Screenshots of one game.
const SCREENSHOTS: usize = 20;
/// Files that are tried for one kind, when those before cannot be loaded.
const TRIED: usize = 3;

/// A media field and its names there, the best first.
#[derive(Clone, Copy, Debug)]
struct Row {
    kind: &'static str,
    types: &'static [&'static str],
}

/// The kinds.
const ROWS: [Row; 15] = [
    Row { kind: "cover", types: &["box-2D"] },
    Row { kind: "box_back", types: &["box-2D-back"] },
    Row { kind: "box_spine", types: &["box-2D-side"] },
    Row { kind: "box_3d", types: &["box-3D"] },
    Row { kind: "clear_logo", types: &["wheel-hd", "wheel"] },
    Row { kind: "fanart", types: &["fanart"] },
    Row { kind: "background", types: &["fanart"] },
    Row { kind: "screenshots", types: &["ss"] },
    Row { kind: "title_screen", types: &["sstitle"] },
    Row { kind: "banner", types: &["screenmarquee", "screenmarqueesmall"] },
    Row { kind: "cart_front", types: &["support-2D"] },
    Row { kind: "disc", types: &["support-2D"] },
    Row { kind: "advertisement", types: &["flyer"] },
    Row { kind: "manual", types: &["manuel"] },
    Row { kind: "video_snap", types: &["video-normalized", "video"] },
];

/// The media field of this name, when the provider has it.
pub(super) fn kind_named(name: &str) -> Option<&'static str> {
    ROWS.iter().map(|row| row.kind).find(|kind| *kind == name)
}

/// The media of a game by kind, the best first: by type, region and the order of the provider.
pub(super) fn shown(game: &Game, platform: &str, regions: &[&str]) -> Vec<ShownMedia> {
    let own = platforms::by_any_name(platform).or_else(|| game.own_platform());
    let is_disc = own.is_some_and(|platform| platform.kind == Kind::Disc);
    let left_out = if is_disc { "cart_front" } else { "disc" };
    let mut all = Vec::new();
    for row in ROWS.iter().filter(|row| row.kind != left_out) {
        let rank = |media: &Media| {
            let at = row.types.iter().position(|name| *name == media.type_name)?;
            let region = regions.iter().position(|code| *code == media.region);
            Some((at, region.unwrap_or(regions.len())))
        };
        let ranked = game.media.iter().filter_map(|media| Some((rank(media)?, media)));
        let mut ranked: Vec<_> = ranked.collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        all.extend(ranked.into_iter().enumerate().map(|(order, (_, media))| ShownMedia {
            r#type: media.type_name.clone(),
            kind: row.kind,
            url: media.url.clone(),
            region: media.region.clone(),
            order,
        }));
    }
    all
}

/// A place of a game for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub kind: &'static str,
    /// The name of the file without its extension, below the folder of the game.
    pub stem: String,
    /// Addresses of files for it, the best first.
    pub urls: Vec<String>,
}

/// The places of a game for these kinds; `chosen` are addresses that the user picked, by kind.
pub(super) fn slots(
    game: &Shown,
    kinds: &[&str],
    chosen: &serde_json::Map<String, serde_json::Value>,
) -> Vec<Slot> {
    let mut places = Vec::new();
    for row in ROWS.iter().filter(|row| kinds.contains(&row.kind)) {
        let of_kind = game.media.iter().filter(|media| media.kind == row.kind);
        let mut urls: Vec<String> = of_kind.map(|media| media.url.clone()).collect();
        let picked = chosen.get(row.kind).and_then(serde_json::Value::as_str);
        // Only what the provider itself lists can be picked.
        if let Some(picked) = picked.filter(|picked| urls.iter().any(|url| url == picked)) {
            urls = vec![picked.to_owned()];
        }
        if row.kind == "screenshots" {
            let shots = urls.into_iter().take(SCREENSHOTS).enumerate();
            places.extend(shots.map(|(at, url)| Slot {
                kind: row.kind,
                stem: format!("screenshots/ss-{}", at + 1),
                urls: vec![url],
            }));
        } else if !urls.is_empty() {
            urls.truncate(TRIED);
            places.push(Slot { kind: row.kind, stem: row.kind.to_owned(), urls });
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    fn game() -> Game {
        let media = |type_name: &str, region: &str, url: &str| Media {
            type_name: type_name.to_owned(),
            url: url.to_owned(),
            region: region.to_owned(),
        };
        Game {
            system_id: "4".to_owned(),
            media: vec![
                media("wheel", "us", "w"),
                media("box-2D", "jp", "jp"),
                media("box-2D", "", "none"),
                media("box-2D", "us", "us"),
                media("wheel-hd", "", "hd"),
                media("ss", "", "s1"),
                media("ss", "", "s2"),
                media("support-2D", "us", "cart"),
                media("fanart", "", "f"),
            ],
            ..Game::default()
        }
    }

    #[test]
    fn types_and_then_regions_decide() {
        let all = shown(&game(), "", &["us", "jp"]);
        let of = |kind: &str| -> Vec<&str> {
            all.iter().filter(|media| media.kind == kind).map(|media| &*media.url).collect()
        };
        assert_eq!(of("cover"), ["us", "jp", "none"]);
        assert_eq!(of("clear_logo"), ["hd", "w"]);
        assert_eq!((of("fanart"), of("background")), (vec!["f"], vec!["f"]));
        assert_eq!((of("cart_front"), of("disc")), (vec!["cart"], Vec::new()));
        let of_disc = shown(&game(), "PlayStation", &[]);
        assert!(of_disc.iter().any(|media| media.kind == "disc"));
    }

    #[test]
    fn places_hold_what_is_listed_and_nothing_else() {
        let shown = Shown { media: shown(&game(), "", &["us"]), ..Shown::default() };
        let chosen = |url: &str| Map::from_iter([("cover".to_owned(), json!(url))]);
        let urls = |chosen: &Map<String, serde_json::Value>| {
            slots(&shown, &["cover"], chosen)[0].urls.clone()
        };
        assert_eq!(urls(&chosen("jp")), ["jp"]);
        assert_eq!(urls(&chosen("https://elsewhere")), ["us", "jp", "none"]);
        let shots = slots(&shown, &["screenshots", "manual"], &Map::new());
        let stems: Vec<_> = shots.iter().map(|slot| slot.stem.as_str()).collect();
        assert_eq!(stems, ["screenshots/ss-1", "screenshots/ss-2"]);
        assert_eq!((kind_named("cover"), kind_named("icon")), (Some("cover"), None));
    }
}
