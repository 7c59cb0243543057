//! Which games the rules of a preset take (facts of the library, section 3).
//!
//! A game is taken when every rule takes it. Rules that cost little come first, so most games are
//! decided without opening their record or asking the disk. Rules come in their stored form.

use serde_json::{Map, Value};

use crate::{
    base::text,
    model::{game::Game, record::Record},
};

/// States in which a game is finished.
const FINISHED: [&str; 3] = ["Beaten", "Completed", "Mastered"];
/// Platforms with high scores, folded.
const SCORED: [&str; 3] = ["arcade", "mame", "finalburn neo"];
/// Ids that say that a game was bought in a store.
const STORE_IDS: [&str; 4] = ["store_a_app_id", "store_b_app_id", "store_c_id", "libserver_id"];
/// Words a title may begin with that its initials leave out.
const ARTICLES: [&str; 3] = ["the", "a", "an"];

/// Answers what the library and the disk know about a game beside its record.
pub trait Surroundings {
    /// The category of a platform.
    fn category(&self, platform: &str) -> String;

    /// Whether something stands at the path of a game.
    fn path_exists(&self, path: &str) -> bool;

    /// Whether a media file exists and may be shown.
    fn has_media(&self, path: &str) -> bool;
}

/// Whether the rules take a game.
#[must_use]
pub fn takes(rules: &Map<String, Value>, game: &Game, around: &dyn Surroundings) -> bool {
    let text_of = |key: &str| rules.get(key).and_then(Value::as_str);
    let flag_of = |key: &str| rules.get(key).and_then(Value::as_bool);
    let is = |key: &str, value: &str| text_of(key).is_none_or(|wanted| wanted == value);
    let holds = |key: &str, value: &str| {
        text_of(key).is_none_or(|wanted| text::contains_folded(value, &text::fold(wanted)))
    };
    let same = |key: &str, value: bool| flag_of(key).is_none_or(|wanted| wanted == value);
    let progress = text_of("progress").map(|wanted| if wanted == "Unplayed" { "" } else { wanted });
    let cheap = is("platform", game.platform())
        && is("esrb", game.esrb())
        && progress.is_none_or(|wanted| wanted == game.progress())
        && holds("genre", game.genre())
        && holds("developer", game.developer())
        && holds("publisher", game.publisher())
        && same("favorite", game.favorite())
        && same("hidden", game.hidden())
        && text_of("platform_category")
            .is_none_or(|wanted| around.category(game.platform()) == wanted);
    if !cheap {
        return false;
    }
    let card = Card { game, record: game.record(), around };
    same("has_saves", card.has_saves())
        && same("has_achievements", card.has_achievements())
        && same("has_highscores", card.has_highscores())
        && text_of("query").is_none_or(|query| card.answers(query))
        && rules.get("installed").is_none_or(|wanted| card.is_installed_as(wanted))
        && text_of("view").is_none_or(|view| card.is_in(view))
        && flag_of("has_missing_media").is_none_or(|wanted| wanted == card.lacks_media())
}

/// A game with its record open.
struct Card<'a> {
    game: &'a Game,
    record: Record,
    around: &'a dyn Surroundings,
}

impl Card<'_> {
    fn path_exists(&self) -> bool {
        !self.game.path().is_empty() && self.around.path_exists(self.game.path())
    }

    fn is_installed(&self) -> bool {
        let stored = self.record.get("store_installed").and_then(Value::as_bool);
        stored.unwrap_or_else(|| self.path_exists())
    }

    fn is_owned(&self) -> bool {
        let has_id = |key: &str| !self.record.shown(key).is_empty();
        self.record.flag("owned")
            || self.record.flag("store_catalog")
            || STORE_IDS.into_iter().any(has_id)
    }

    fn has_saves(&self) -> bool {
        !self.record.list("save_paths").is_empty()
    }

    fn has_achievements(&self) -> bool {
        !self.record.shown("ach_game_id").is_empty()
    }

    fn has_highscores(&self) -> bool {
        let platform = text::fold(self.game.platform().trim());
        !self.record.text("rom_name").is_empty() && SCORED.contains(&platform.as_str())
    }

    fn lacks_media(&self) -> bool {
        let has = |key: &str| {
            let path = self.record.text(key);
            !path.is_empty() && self.around.has_media(path)
        };
        !has("cover") || !has("background")
    }

    fn is_installed_as(&self, wanted: &Value) -> bool {
        match wanted {
            Value::Bool(wanted) => self.is_installed() == *wanted,
            Value::String(wanted) if wanted == "installed" => self.is_installed(),
            Value::String(wanted) if wanted == "uninstalled" => !self.is_installed(),
            _ => true,
        }
    }

    /// Every view but `hidden` leaves hidden games out.
    fn is_in(&self, view: &str) -> bool {
        let game = self.game;
        if game.hidden() || view == "hidden" {
            return game.hidden() && view == "hidden";
        }
        match view {
            "favorites" => game.favorite(),
            "recent" => !game.last_played().is_empty(),
            "never" => game.play_count() == 0,
            "playing" => ["Playing", "Paused"].contains(&game.progress()),
            "completed" => FINISHED.contains(&game.progress()),
            "installed" => self.is_installed(),
            "owned" => self.is_owned() && !self.is_installed(),
            "saves" => self.has_saves(),
            "missing" => !self.path_exists(),
            _ => true,
        }
    }

    fn answers(&self, query: &str) -> bool {
        let notes: Vec<&str> = if let Some(Value::String(text)) = self.record.get("notes") {
            vec![text]
        } else {
            let notes = self.record.list("notes").iter();
            notes.filter_map(|note| note.get("text")?.as_str()).collect()
        };
        let game = self.game;
        let mut words = vec![game.name(), self.record.text("sort_title"), game.platform()];
        words.extend([game.genre(), game.developer(), game.publisher(), game.series()]);
        words.extend(notes);
        let query = text::fold(query.trim());
        text::contains_folded(&words.join(" "), &query) || is_acronym(&query, game.name())
    }
}

/// Whether a folded term of two to eight letters or digits stands in the initials of a title.
#[must_use]
pub fn is_acronym(term: &str, title: &str) -> bool {
    if !(2..=8).contains(&term.len()) || !term.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return false;
    }
    let words = title.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<String> = words.filter(|word| !word.is_empty()).map(text::fold).collect();
    let initials = |words: &[String]| -> String {
        words.iter().filter_map(|word| word.chars().next()).collect()
    };
    let titled = words.first().is_some_and(|first| ARTICLES.contains(&first.as_str()));
    initials(&words).contains(term) || (titled && initials(&words[1..]).contains(term))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Here;

    impl Surroundings for Here {
        fn category(&self, platform: &str) -> String {
            if platform == "NES" { "Nintendo".to_owned() } else { "Other".to_owned() }
        }

        fn path_exists(&self, path: &str) -> bool {
            path.starts_with("/here")
        }

        fn has_media(&self, path: &str) -> bool {
            path.starts_with("/here")
        }
    }

    /// The rules take the first record and not the second.
    #[track_caller]
    fn check(rules: Value, taken: Value, left: Value) {
        let decides_for = |record: &Value| {
            let game = Game::seal(&serde_json::from_value(record.clone()).expect("an object"));
            takes(rules.as_object().expect("an object"), &game, &Here)
        };
        assert!(decides_for(&taken), "{rules} ought to take {taken}");
        assert!(!decides_for(&left), "{rules} ought to leave {left}");
    }

    #[test]
    fn every_rule_takes_and_leaves() {
        check(json!({"platform": "NES"}), json!({"platform": "NES"}), json!({"platform": "nes"}));
        check(json!({"esrb": "T"}), json!({"esrb": "T"}), json!({}));
        check(json!({"progress": "Unplayed"}), json!({}), json!({"progress": "Playing"}));
        check(json!({"progress": "Playing"}), json!({"progress": "Playing"}), json!({}));
        for key in ["genre", "developer", "publisher"] {
            check(json!({key: "pü"}), json!({key: "xPÜy"}), json!({key: "pu"}));
        }
        check(json!({"platform_category": "Nintendo"}), json!({"platform": "NES"}), json!({}));
        for key in ["favorite", "hidden"] {
            check(json!({key: true}), json!({key: true}), json!({}));
            check(json!({key: false}), json!({}), json!({key: true}));
        }
        let saved = json!({"save_paths": ["/s"]});
        check(json!({"has_saves": true}), saved.clone(), json!({}));
        check(json!({"has_saves": false}), json!({}), saved);
        check(json!({"has_achievements": true}), json!({"ach_game_id": "1"}), json!({}));
        let scored = json!({"rom_name": "x", "platform": "MAME"});
        check(json!({"has_highscores": true}), scored.clone(), json!({"rom_name": "x"}));
        check(json!({"has_highscores": false}), json!({"platform": "MAME"}), scored);
        let whole = json!({"cover": "/here/c", "background": "/here/b"});
        check(json!({"has_missing_media": false}), whole.clone(), json!({"cover": "/here/c"}));
        check(
            json!({"has_missing_media": true}),
            json!({"cover": "/gone", "background": "/here/b"}),
            whole,
        );
        let (here, gone) = (json!({"path": "/here/a"}), json!({"path": "/gone"}));
        for wanted in [json!("installed"), json!(true)] {
            check(json!({"installed": wanted}), here.clone(), gone.clone());
        }
        for wanted in [json!("uninstalled"), json!(false)] {
            check(json!({"installed": wanted}), gone.clone(), here.clone());
        }
        let removed = json!({"path": "/here/a", "store_installed": false});
        check(
            json!({"installed": true}),
            json!({"path": "/gone", "store_installed": true}),
            removed,
        );
        check(json!({"installed": "all", "genre": "x"}), json!({"genre": "x"}), json!({}));
    }

    #[test]
    fn every_view_leaves_hidden_games_out_but_one() {
        let cases = [
            ("all", json!({}), json!({"hidden": true})),
            ("favorites", json!({"favorite": true}), json!({})),
            ("recent", json!({"last_played": "2026-01-01"}), json!({})),
            ("never", json!({}), json!({"play_count": 1})),
            ("playing", json!({"progress": "Paused"}), json!({"progress": "Beaten"})),
            ("completed", json!({"progress": "Mastered"}), json!({"progress": "Abandoned"})),
            ("installed", json!({"path": "/here/a"}), json!({"path": "/gone"})),
            (
                "owned",
                json!({"store_a_app_id": "1"}),
                json!({"store_a_app_id": "1", "path": "/here/a"}),
            ),
            ("saves", json!({"save_paths": ["/s"]}), json!({})),
            ("missing", json!({"path": "/gone"}), json!({"path": "/here/a"})),
            ("hidden", json!({"hidden": true}), json!({})),
        ];
        for (view, taken, left) in cases {
            check(json!({"view": view}), taken.clone(), left);
            if view != "hidden" {
                let mut hidden = taken.clone();
                hidden["hidden"] = json!(true);
                check(json!({"view": view}), taken, hidden);
            }
        }
    }

    #[test]
    fn a_query_looks_at_the_words_and_the_initials() {
        for record in [
            json!({"name": "Größe"}),
            json!({"sort_title": "GRÖSSE"}),
            json!({"platform": "xgrößex"}),
            json!({"genre": "größe"}),
            json!({"developer": "größe"}),
            json!({"publisher": "größe"}),
            json!({"series": "größe"}),
            json!({"notes": "große größe"}),
            json!({"notes": [{"text": "größe"}]}),
        ] {
            check(json!({"query": "Grösse"}), record, json!({"description": "größe"}));
        }
        for (term, title, expected) in [
            ("gta", "Grand Theft Auto", true),
            ("ta", "Grand Theft Auto", true),
            ("loz", "The Legend of Zelda", true),
            ("tloz", "The Legend of Zelda", true),
            ("g", "Grand Theft Auto", false),
            ("gtavxyzab", "Grand Theft Auto", false),
            ("g-t", "Grand Theft", false),
            ("ff7", "Final Fantasy 7", true),
        ] {
            assert_eq!(is_acronym(term, title), expected, "{term} {title}");
        }
    }
}
