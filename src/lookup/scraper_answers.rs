//! Reads the answers of the scraper provider. All numbers come as texts, and every part may be
//! missing. Nothing that was sent is kept.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::plain::{DESCRIPTION, NAME, decimal, number, plain, rounded, year};
use crate::{base::schema::schema, platforms};

/// Rows of lists inside of an answer.
const ROWS: usize = 500;
/// Parameters of addresses that repeat what was sent.
const SENT: [&str; 5] = ["devid", "devpassword", "softname", "ssid", "sspassword"];
/// Regions of the program and their codes at the provider.
const REGIONS: [(&str, &str); 20] = [
    ("World", "wor"),
    ("North America", "us"),
    ("United States", "us"),
    ("USA", "us"),
    ("Europe", "eu"),
    ("Japan", "jp"),
    ("Korea", "kr"),
    ("Spain", "sp"),
    ("United Kingdom", "uk"),
    ("France", "fr"),
    ("Germany", "de"),
    ("Italy", "it"),
    ("Australia", "au"),
    ("Brazil", "br"),
    ("Canada", "ca"),
    ("China", "cn"),
    ("Netherlands", "nl"),
    ("The Netherlands", "nl"),
    ("Russia", "ru"),
    ("Sweden", "se"),
];
/// Regions that are taken when none of the preferred ones is there.
const USUAL_REGIONS: [&str; 5] = ["wor", "us", "eu", "ss", "jp"];

schema! {
    "ScraperHit"
    /// A game of the scraper provider, as a search finds it.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    pub struct Hit {
        /// Its number there.
        pub scraper_id: String,
        pub name: String,
        /// The platform by our name, else by the one of the provider.
        pub platform: String,
        /// The number of the platform there; blank when unknown.
        pub system_id: String,
        pub system_name: String,
        /// Blank when unknown.
        pub year: String,
    }

    "ScraperGame"
    /// A game of the scraper provider. A text is blank when it is unknown.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Shown {
        /// Its number there.
        pub id: String,
        pub name: String,
        pub description: String,
        pub year: String,
        pub developer: String,
        pub publisher: String,
        pub genre: String,
        pub players: String,
        /// 0 to 5.
        pub rating: Option<f64>,
        /// Whose name it is, by the code of the provider.
        pub region: String,
        /// The platform by our name, else by the one of the provider.
        pub platform: String,
        /// By kind, the best of each first.
        pub media: Vec<ShownMedia>,
    }

    "ScraperMedia"
    /// A media file of a game.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ShownMedia {
        /// What it shows, in the words of the provider.
        pub r#type: String,
        /// The media field it is for.
        pub kind: &'static str,
        pub url: String,
        /// Blank when it is of no region.
        pub region: String,
        /// Its place among those of its kind.
        pub order: usize,
    }
}

/// A text of one region or language.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Local {
    pub key: String,
    pub text: String,
}

/// A media file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Media {
    pub type_name: String,
    /// Without anything that was sent.
    pub url: String,
    pub region: String,
}

/// A game, before regions were chosen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Game {
    pub id: String,
    pub names: Vec<Local>,
    pub synopses: Vec<Local>,
    pub dates: Vec<Local>,
    pub genres: Vec<String>,
    pub developer: String,
    pub publisher: String,
    pub players: String,
    pub rating: Option<f64>,
    pub system_id: String,
    pub system_name: String,
    pub media: Vec<Media>,
}

/// The codes of regions, the preferred first.
pub(super) fn region_codes(preferred: &[String]) -> Vec<&'static str> {
    let known = preferred.iter().filter_map(|name| {
        let found = REGIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.trim()));
        found.map(|(_, code)| *code)
    });
    let mut codes: Vec<&'static str> = Vec::new();
    for code in known.chain(USUAL_REGIONS) {
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    codes
}

/// The games of a search; what is not a game is left out.
pub(super) fn games(answer: &Value, named: &dyn Fn(&str) -> Option<String>) -> Vec<Game> {
    let rows = answer["response"]["jeux"].as_array().into_iter().flatten().take(ROWS);
    rows.filter_map(|row| game(row, named)).collect()
}

/// A game of an answer. `named` lets only addresses pass that lie with the provider.
pub(super) fn game(row: &Value, named: &dyn Fn(&str) -> Option<String>) -> Option<Game> {
    let id = number(&row["id"]).filter(|id| *id > 0)?.to_string();
    let list = |key: &str| row[key].as_array().into_iter().flatten().take(ROWS);
    let local = |row: &Value, key: &str, letters: usize| {
        let text = plain(&row["text"], letters);
        (!text.is_empty()).then(|| Local { key: plain(&row[key], 10), text })
    };
    // Older answers have one name only.
    let mut titles: Vec<Local> =
        list("noms").filter_map(|row| local(row, "region", NAME)).collect();
    let single = plain(&row["nom"], NAME);
    if titles.is_empty() && !single.is_empty() {
        titles.push(Local { key: String::new(), text: single });
    }
    let is_no_game = plain(&row["notgame"], 10) == "true" || row["notgame"] == Value::Bool(true);
    if titles.is_empty()
        || is_no_game
        || titles.iter().any(|it| it.text.starts_with("ZZZ(NOTGAME)"))
    {
        return None;
    }
    let mut genres: Vec<(bool, String)> = list("genres").filter_map(genre).collect();
    genres.sort_by_key(|(is_main, _)| !is_main);
    let mut media = Vec::new();
    for row in list("medias") {
        let parent = row["parent"].as_str().unwrap_or("jeu");
        let url = named(&without_sent(row["url"].as_str().unwrap_or_default()));
        let type_name = plain(&row["type"], 60);
        if let (Some(url), "jeu", false) = (url, parent, type_name.is_empty()) {
            media.push(Media { type_name, url, region: plain(&row["region"], 10) });
        }
    }
    Some(Game {
        id,
        names: titles,
        synopses: list("synopsis").filter_map(|row| local(row, "langue", DESCRIPTION)).collect(),
        dates: list("dates").filter_map(|row| local(row, "region", 40)).collect(),
        genres: genres.into_iter().map(|(_, name)| name).collect(),
        developer: plain(&row["developpeur"]["text"], NAME),
        publisher: plain(&row["editeur"]["text"], NAME),
        players: plain(&row["joueurs"]["text"], 40),
        rating: decimal(&row["note"]["text"])
            .filter(|note| *note <= 20.0)
            .map(|note| rounded(note / 4.0)),
        system_id: number(&row["systeme"]["id"]).map(|id| id.to_string()).unwrap_or_default(),
        system_name: plain(&row["systeme"]["text"], NAME),
        media,
    })
}

/// The English name of a genre, and whether it is the main one.
fn genre(row: &Value) -> Option<(bool, String)> {
    let names = row["noms"].as_array()?;
    let english = names.iter().find(|name| name["langue"] == "en").or_else(|| names.first())?;
    let name = plain(&english["text"], NAME);
    (!name.is_empty()).then(|| (plain(&row["principale"], 10) == "1", name))
}

/// An address without the parameters that repeat what was sent.
pub(super) fn without_sent(url: &str) -> String {
    let Some((base, query)) = url.split_once('?') else { return url.to_owned() };
    let is_sent = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or_default();
        SENT.iter().any(|sent| sent.eq_ignore_ascii_case(name))
    };
    let kept: Vec<&str> = query.split('&').filter(|pair| !is_sent(pair)).collect();
    if kept.is_empty() { base.to_owned() } else { format!("{base}?{}", kept.join("&")) }
}

/// The text of the first of these keys, else the first one.
fn chosen<'a>(texts: &'a [Local], keys: &[&str]) -> Option<&'a Local> {
    let of_key = |key: &&str| texts.iter().find(|text| text.key == **key);
    keys.iter().find_map(of_key).or_else(|| texts.first())
}

impl Game {
    /// The name for people who prefer these regions.
    pub fn name(&self, regions: &[&str]) -> &str {
        chosen(&self.names, regions).map_or("", |name| &name.text)
    }

    /// The year of its release.
    pub fn year(&self, regions: &[&str]) -> String {
        chosen(&self.dates, regions).map(|date| year(&date.text)).unwrap_or_default()
    }

    /// Our platform, when it is of one.
    pub fn own_platform(&self) -> Option<&'static platforms::Platform> {
        let id = self.system_id.parse().ok()?;
        platforms::all().iter().find(|platform| platform.scraper == Some(id))
    }

    fn platform(&self) -> String {
        let own = self.own_platform().map(|platform| platform.name.to_owned());
        own.unwrap_or_else(|| self.system_name.clone())
    }

    /// As a search shows it.
    pub fn hit(&self, regions: &[&str]) -> Hit {
        Hit {
            scraper_id: self.id.clone(),
            name: self.name(regions).to_owned(),
            platform: self.platform(),
            system_id: self.system_id.clone(),
            system_name: self.system_name.clone(),
            year: self.year(regions),
        }
    }

    /// As it is shown whole; `media` are its files in their order.
    pub fn shown(&self, regions: &[&str], media: Vec<ShownMedia>) -> Shown {
        let name = chosen(&self.names, regions);
        Shown {
            id: self.id.clone(),
            name: self.name(regions).to_owned(),
            description: self.description(),
            year: self.year(regions),
            developer: self.developer.clone(),
            publisher: self.publisher.clone(),
            genre: self.genres.join(", "),
            players: self.players.clone(),
            rating: self.rating,
            region: name.map(|name| name.key.clone()).unwrap_or_default(),
            platform: self.platform(),
            media,
        }
    }

    fn description(&self) -> String {
        chosen(&self.synopses, &["en"]).map(|it| it.text.clone()).unwrap_or_default()
    }
}

impl Shown {
    /// The values of its fields; what is unknown is left out.
    pub fn values(&self) -> Vec<(&'static str, Value)> {
        let texts = [
            ("name", &self.name),
            ("description", &self.description),
            ("year", &self.year),
            ("genre", &self.genre),
            ("developer", &self.developer),
            ("publisher", &self.publisher),
            ("max_players", &self.players),
        ];
        let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
        let texts = texts.map(|(field, text)| (field, Value::from(text.as_str())));
        texts.chain(self.rating.map(|rating| ("rating", rating.into()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row() -> Value {
        json!({"id": "900", "notgame": "false", "noms": [{"region": "jp", "text": "Suisei"},
            {"region": "us", "text": "Comet &amp; Co"}], "systeme": {"id": "4", "text": "Super Nintendo"},
            "editeur": {"id": "7", "text": "Aster"}, "joueurs": {"text": "1-2"}, "note": {"text": "14"},
            "synopsis": [{"langue": "fr", "text": "Deux"}, {"langue": "en", "text": "Two &quot;pilots&quot;."}],
            "dates": [{"region": "us", "text": "1994-03-18"}, {"region": "jp", "text": "1993"}],
            "genres": [{"principale": "0", "noms": [{"langue": "en", "text": "Action"}]},
                {"principale": "1", "noms": [{"langue": "fr", "text": "Tir"}, {"langue": "en", "text": "Shooter"}]}],
            "medias": [{"type": "box-2D", "parent": "jeu", "region": "us",
                "url": "https://own/m.php?devid=D&devpassword=P&softname=s&ssid=U&sspassword=W&jeuid=900&media=box-2D(us)"},
                {"type": "logo", "parent": "editeur", "url": "https://own/x"},
                {"type": "ss", "parent": "jeu", "url": "https://evil/x"}]})
    }

    fn named(url: &str) -> Option<String> {
        url.starts_with("https://own/").then(|| url.to_owned())
    }

    #[test]
    fn a_game_is_translated_by_preferred_regions() {
        let found = game(&row(), &named).expect("a game");
        let media = [Media {
            type_name: "box-2D".to_owned(),
            url: "https://own/m.php?jeuid=900&media=box-2D(us)".to_owned(),
            region: "us".to_owned(),
        }];
        assert_eq!(found.media, media);
        let shown = found.shown(&region_codes(&["Japan".to_owned()]), Vec::new());
        assert_eq!(
            (shown.name.as_str(), shown.year.as_str(), shown.region.as_str()),
            ("Suisei", "1993", "jp")
        );
        let regions = region_codes(&["North America".to_owned(), "Atlantis".to_owned()]);
        assert_eq!(regions, ["us", "wor", "eu", "ss", "jp"]);
        let shown = found.shown(&regions, Vec::new());
        let values = [
            ("name", json!("Comet & Co")),
            ("description", json!("Two \"pilots\".")),
            ("year", json!("1994")),
            ("genre", json!("Shooter, Action")),
            ("publisher", json!("Aster")),
            ("max_players", json!("1-2")),
            ("rating", json!(3.5)),
        ];
        assert_eq!(shown.values(), values);
        assert_eq!(
            (shown.platform.as_str(), found.hit(&regions).system_id.as_str()),
            ("SNES", "4")
        );
    }

    #[test]
    fn what_is_no_game_is_left_out() {
        assert_eq!(games(&json!({"response": {"jeux": [{}]}}), &named), []);
        assert_eq!(games(&json!({"response": []}), &named), []);
        for (key, value) in [
            ("notgame", json!("true")),
            ("noms", json!([{"region": "us", "text": "ZZZ(NOTGAME) BIOS"}])),
            ("id", json!(null)),
            ("id", json!("0")),
            ("noms", json!("x")),
        ] {
            let mut row = row();
            row[key] = value;
            assert_eq!(game(&row, &named), None, "{key}");
        }
        let mut odd = row();
        for key in ["systeme", "medias", "genres", "dates", "note", "synopsis"] {
            odd[key] = json!(null);
        }
        assert!(game(&odd, &named).is_some(), "only name and number are needed");
    }

    #[test]
    fn addresses_lose_what_was_sent_wherever_it_stands() {
        for (url, expected) in [
            ("http://x/y", "http://x/y"),
            ("http://x/y?ssid=U", "http://x/y"),
            ("http://x/y?a=1&SSPASSWORD=W&b=2&devid", "http://x/y?a=1&b=2"),
        ] {
            assert_eq!(without_sent(url), expected);
        }
    }
}
