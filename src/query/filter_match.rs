//! Which games match the rules of a filter preset.
//!
//! A game matches when every rule matches. Rules that cost little come first, so most games are
//! decided without opening their record or asking the disk. Rules come in their stored form.

use serde_json::{Map, Value};

use super::{
    card::{Card, MatchContext, select},
    filter_rules,
};
use crate::{base::text, model::Games};

/// States in which a game is finished.
const FINISHED: [&str; 3] = ["Beaten", "Completed", "Mastered"];

/// The positions of the games that the rules take, in library order.
pub fn taken(rules: &Map<String, Value>, games: &Games, context: &dyn MatchContext) -> Vec<usize> {
    let test = Rules::of(rules);
    select(games, context, &|card| test.take(card))
}

/// Rules made ready for many games.
#[derive(Default)]
pub struct Rules<'a> {
    /// Texts that a typed field must be: platform, age rating, progress.
    exact: [Option<&'a str>; 3],
    /// Folded texts that genre, developer and publisher must contain.
    parts: [Option<String>; 3],
    favorite: Option<bool>,
    hidden: Option<bool>,
    category: Option<&'a str>,
    has_saves: Option<bool>,
    has_achievements: Option<bool>,
    has_highscores: Option<bool>,
    view: Option<&'a str>,
    /// Folded.
    query: Option<String>,
    installed: Option<&'a Value>,
    has_missing_media: Option<bool>,
}

impl<'a> Rules<'a> {
    /// Makes stored rules ready.
    pub fn of(rules: &'a Map<String, Value>) -> Self {
        let text = |key: &str| rules.get(key).and_then(Value::as_str);
        let choice = |key: &str| text(key).filter(|text| !text.eq_ignore_ascii_case("all"));
        let flag = |key: &str| rules.get(key).and_then(filter_rules::flag);
        let progress =
            choice("progress").map(|wanted| if wanted == "Unplayed" { "" } else { wanted });
        Self {
            exact: [choice("platform"), choice("esrb"), progress],
            parts: ["genre", "developer", "publisher"].map(|key| text(key).map(text::fold)),
            favorite: flag("favorite"),
            hidden: flag("hidden"),
            category: choice("platform_category"),
            has_saves: flag("has_saves"),
            has_achievements: flag("has_achievements"),
            has_highscores: flag("has_highscores"),
            view: text("view"),
            query: text("query").map(|query| text::fold(query.trim())),
            installed: rules.get("installed"),
            has_missing_media: flag("has_missing_media"),
        }
    }

    /// Whether every rule takes a game. What depends on the disk counts as matched while the disk was not asked.
    pub fn take(&self, card: &Card<'_>) -> bool {
        let game = card.game;
        let same = |wanted: Option<bool>, value: &dyn Fn() -> bool| {
            wanted.is_none_or(|wanted| wanted == value())
        };
        let values = [game.platform(), game.esrb(), game.progress()];
        let mut exact = self.exact.iter().zip(values);
        let values = [game.genre(), game.developer(), game.publisher()];
        let mut parts = self.parts.iter().zip(values);
        exact.all(|(wanted, value)| wanted.is_none_or(|wanted| wanted == value))
            && same(self.favorite, &|| game.favorite())
            && same(self.hidden, &|| game.hidden())
            && parts.all(|(part, value)| {
                part.as_ref().is_none_or(|part| text::contains_folded(value, part))
            })
            && self.category.is_none_or(|wanted| card.context.category(game.platform()) == wanted)
            && same(self.has_saves, &|| card.has_saves())
            && same(self.has_achievements, &|| card.has_achievements())
            && same(self.has_highscores, &|| card.has_highscores())
            && self.view.is_none_or(|view| is_in(card, view))
            && self.query.as_ref().is_none_or(|query| card.answers(query))
            && self.installed.is_none_or(|wanted| is_installed_as(card, wanted))
            && self
                .has_missing_media
                .is_none_or(|wanted| card.lacks_media().is_none_or(|lacks| lacks == wanted))
    }
}

fn is_installed_as(card: &Card<'_>, wanted: &Value) -> bool {
    let wanted = match wanted.as_str() {
        Some("installed") => true,
        Some("uninstalled") => false,
        _ => match filter_rules::flag(wanted) {
            Some(wanted) => wanted,
            None => return true,
        },
    };
    card.is_installed().is_none_or(|installed| installed == wanted)
}

/// Every view but `hidden` leaves hidden games out.
fn is_in(card: &Card<'_>, view: &str) -> bool {
    let game = card.game;
    if game.hidden() || view == "hidden" {
        return game.hidden() && view == "hidden";
    }
    match view {
        "favorites" => game.favorite(),
        "recent" => !game.last_played().is_empty(),
        "never" => game.play_count() == 0,
        "playing" => ["Playing", "Paused"].contains(&game.progress()),
        "completed" => FINISHED.contains(&game.progress()),
        "installed" => card.is_installed().unwrap_or(true),
        "owned" => card.is_owned() && card.is_installed().is_none_or(|installed| !installed),
        "saves" => card.has_saves(),
        "missing" => card.path_exists().is_none_or(|exists| !exists),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;

    use super::*;
    use crate::{model::Game, probe::disk::Disk};

    struct Here;

    impl MatchContext for Here {
        fn category(&self, platform: &str) -> String {
            if platform == "NES" { "Nintendo".to_owned() } else { "Other".to_owned() }
        }
    }

    impl Disk for Here {
        fn existing(&self, paths: &[&str]) -> HashSet<String> {
            let here = paths.iter().filter(|path| path.starts_with("/here"));
            here.map(|path| (*path).to_owned()).collect()
        }

        fn is_media(&self, path: &str) -> bool {
            !path.contains("/link")
        }
    }

    /// The rules take the first record and not the second.
    #[track_caller]
    fn check(rules: Value, taken: Value, left: Value) {
        let decides_for = |record: &Value| {
            let game = Game::seal(&serde_json::from_value(record.clone()).expect("an object"));
            let rules = rules.as_object().expect("an object");
            !super::taken(rules, &Games::from_games([game]), &Here).is_empty()
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
            for (set, unset) in [(json!(true), json!(false)), (json!("true"), json!("false"))] {
                check(json!({key: set}), json!({key: true}), json!({}));
                check(json!({key: unset}), json!({}), json!({key: true}));
            }
        }
        let all = json!({"platform": "all", "esrb": "All", "progress": "all", "platform_category": "all"});
        let mut favorites = all.clone();
        favorites["favorite"] = json!(true);
        check(favorites, json!({"favorite": true, "platform": "NES"}), json!({}));
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
            json!({"cover": "/here/link", "background": "/here/b"}),
            whole.clone(),
        );
        check(
            json!({"has_missing_media": true}),
            json!({"cover": "/gone", "background": "/here/b"}),
            whole,
        );
        let (here, gone) = (json!({"path": "/here/a"}), json!({"path": "/gone"}));
        for wanted in [json!("installed"), json!(true), json!("true")] {
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
        check(json!({"query": "gta"}), json!({"name": "Grand Theft Auto"}), json!({"name": "G"}));
        check(
            json!({"query": "auto nes"}),
            json!({"name": "Auto", "platform": "NES"}),
            json!({"name": "Auto"}),
        );
    }
}
