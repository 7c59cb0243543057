//! `POST /api/v2/library/query/parse`: what every phrase of the grammar means, as rules and clauses.

use serde_json::{Value, json};

use crate::support::server::Setup;

/// Phrases that mean the same, the rules they become, and the clauses besides them.
const TABLE: &str = r#"
    not played / never started / haven't played / unplayed / untouched / unstarted / unopened / unplayed:yes => {} [{"kind":"unplayed"}]
    not played in 2 years => {} [{"kind":"idle_days","value":730}]
    haven't played in over a year => {} [{"kind":"idle_days","value":365}]
    never played in months => {"query":"months"} [{"kind":"unplayed"}]
    not played in over 3 weeks => {} [{"kind":"idle_days","value":21}]
    hasn't played in a week => {} [{"kind":"idle_days","value":7}]
    not played in two days => {} [{"kind":"idle_days","value":2}]
    not played since 2015 => {} [{"kind":"idle_before","value":2015}]
    played => {} [{"kind":"played"}]
    recently played / played recently / played lately => {} [{"kind":"played_within","value":31}]
    recently added / newly added / just added / added recently / new to library / new to the library => {} [{"kind":"added_days","value":31}]
    unbeaten / unfinished / not finished / never beaten / ain't completed => {} [{"kind":"not_finished"}]
    backlog / pile of shame => {} [{"kind":"backlog"}]
    playing / still playing / currently playing / in progress => {} [{"kind":"progress_any","values":["Playing","Paused"]}]
    finished => {} [{"kind":"progress_any","values":["Beaten","Completed","Mastered"]}]
    100% / hundred percent => {} [{"kind":"progress_any","values":["Completed","Mastered"]}]
    beat / beaten => {"progress":"Beaten"} []
    complete / completed => {"progress":"Completed"} []
    mastered => {"progress":"Mastered"} []
    abandoned / dropped / gave up / gave up on / progress:dropped => {"progress":"Abandoned"} []
    paused / on hold / parked => {"progress":"Paused"} []
    short / quick / tiny / bite-sized / under 5 h / under 5 hours / less than 5 hours / 5 hours or less / 5h or shorter / 5 hours or shorter / no more than 5 h => {} [{"kind":"ttb_max","value":5}]
    long / epic / lengthy / over 20 hours / more than 20h / at least 20 hours / 20+ h / 20+ hours => {} [{"kind":"ttb_min","value":20}]
    no more than eight hours => {} [{"kind":"ttb_max","value":8}]
    rated 4 / rated 4 or higher / rated 4 or better / rated 4 or more / rated 4 or up / 4 stars / highly rated => {} [{"kind":"rating_min","value":4.0}]
    rated at least 3 / rating:3 => {} [{"kind":"rating_min","value":3.0}]
    top rated / best rated => {} [{"kind":"rating_min","value":4.5}]
    unrated / no rating / not rated => {} [{"kind":"unrated"}]
    my 4 stars / myrating:4 => {} [{"kind":"user_rating_min","value":4}]
    my rating at least 3 => {} [{"kind":"user_rating_min","value":3}]
    unrated by me / not rated by me => {} [{"kind":"user_rating_unrated"}]
    rated e / rated everyone => {"esrb":"E"} []
    rated e10+ => {"esrb":"E10+"} []
    esrb t / rated teen / esrb:t => {"esrb":"T"} []
    rated m / esrb mature => {"esrb":"M"} []
    rated adults / adults only / esrb ao => {"esrb":"AO"} []
    mature / adult => {} [{"kind":"esrb_any","values":["M","AO"]}]
    kids / for kids / for the kids / kid-friendly / family / family friendly => {} [{"kind":"esrb_any","values":["E","E10+","EC"]}]
    1990s / 90s / from the 1990s => {} [{"kind":"year_range","max":1999,"min":1990}]
    20s => {} [{"kind":"year_range","max":2029,"min":2020}]
    released 1995 / made 1995 / from 1995 / in 1995 / on 1995 / year:1995 => {} [{"kind":"year_range","max":1995,"min":1995}]
    before 1990 / prior to 1990 / pre 1990 => {} [{"kind":"year_range","max":1989}]
    after 1990 => {} [{"kind":"year_range","min":1991}]
    since 1990 => {} [{"kind":"year_range","min":1990}]
    retro / classic / vintage / old school => {} [{"kind":"year_range","max":2000}]
    solo / single player / single-player / one player => {} [{"kind":"players_max","value":1}]
    4 players / for 4 / 4-player / players:4 / up to 4 players => {} [{"kind":"players_min","value":4}]
    3 people => {} [{"kind":"players_min","value":3}]
    2 friends => {} [{"kind":"players_min","value":2}]
    up to 4 => {"query":"up 4"} []
    co-op / coop / couch co-op => {} [{"kind":"coop"}]
    multiplayer / split screen / party / party games / split-screen => {} [{"kind":"multiplayer"}]
    favorite / favorites / faves / favourite => {"favorite":true} []
    not favorite / not favorites / unfavorited / favorite:no / fav:0 => {"favorite":false} []
    hidden => {"hidden":true} []
    not hidden / unhidden / hide:false => {"hidden":false} []
    installed => {"installed":"installed"} []
    uninstalled / not installed / installed:no => {"installed":"uninstalled"} []
    owned / own => {} [{"kind":"owned"}]
    with saves / has saves / saves / save files => {"has_saves":true} []
    no saves / without saves / saves:no => {"has_saves":false} []
    with achievements => {"has_achievements":true} []
    no achievements / achievements:0 => {"has_achievements":false} []
    missing media / missing covers / missing cover / missing art / no covers / without cover => {"has_missing_media":true} []
    with cover / has cover => {"has_missing_media":false} []
    high scores / leaderboards => {"has_highscores":true} []
    shelf entries / manual entry / physical => {} [{"field":"manual_entry","kind":"flag","value":true}]
    broken / not working => {} [{"field":"broken","kind":"flag","value":true}]
    working => {} [{"field":"broken","kind":"flag","value":false}]
    portable => {} [{"field":"portable","kind":"flag","value":true}]
    controller / controller support / gamepad / gamepad support => {} [{"field":"controller_support","kind":"flag","value":true}]
    with notes / noted / notes:yes => {} [{"field":"notes","kind":"flag","value":true}]
    no notes => {} [{"field":"notes","kind":"flag","value":false}]
    on steam / from steam / steam games / source:steam => {} [{"kind":"source","value":"steam"}]
    from epic => {} [{"kind":"source","value":"epic"}]
    on nes / for nes => {} [{"kind":"platform_any","values":["nes"]}]
    from nintendo / by nintendo / made by nintendo => {} [{"kind":"credit","value":"nintendo"}]
    developed by konami / published by konami => {} [{"kind":"credit","value":"konami"}]
    tag cozy / tagged cozy / tagged with cozy / #cozy / tag:cozy / tags:cozy => {} [{"kind":"tag","value":"cozy"}]
    not rpg => {} [{"kind":"not_query","value":"rpg"}]
    no mario / never mario / without mario / -mario => {} [{"kind":"not_query","value":"mario"}]
    gog library / store:gog / storefront:gog => {} [{"kind":"source","value":"gog"}]
    rpg => {} [{"kind":"genre_any","values":["rpg","role-playing","role playing"]}]
    platformer => {"genre":"platform"} []
    shooter => {"genre":"shoot"} []
    fps => {} [{"kind":"genre_any","values":["fps","first-person shooter","shooter"]}]
    puzzle => {"genre":"puzzl"} []
    racing => {"genre":"rac"} []
    driving => {} [{"kind":"genre_any","values":["rac","driv"]}]
    roguelike => {"genre":"rogue"} []
    educational => {"genre":"educat"} []
    soulslike => {"genre":"souls"} []
    simulators => {"genre":"sim"} []
    rogue-like => {"genre":"rogue"} []
    souls-likes => {"genre":"souls"} []
    jrpg => {"genre":"jrpg"} []
    visual novel => {"genre":"visual novel"} []
    point and click => {"genre":"point and click"} []
    beat em up / brawler => {} [{"kind":"genre_any","values":["beat em up","beat 'em up","brawler"]}]
    tower defense => {"genre":"tower defense"} []
    walking sim => {"genre":"walking sim"} []
    genre:rpg => {"genre":"rpg"} []
    platform:nes => {"platform":"NES"} []
    plat:snes => {"platform":"SNES"} []
    dev:x => {"developer":"x"} []
    pub:y => {"publisher":"y"} []
    progress:foo => {} [{"kind":"progress_any","values":["foo"]}]
    series:zelda => {} [{"kind":"series","value":"zelda"}]
    region:europe => {} [{"kind":"region","value":"europe"}]
    bogus:value => {"query":"bogus:value"} []
    on sale / for sale => {"query":"sale"} []
    from free => {"query":"free"} []
    by good => {"query":"good"} []
    rpgs on nes rated 4 or higher under 10 hours => {} [{"kind":"genre_any","values":["rpg","role-playing","role playing"]},{"kind":"platform_any","values":["nes"]},{"kind":"rating_min","value":4.0},{"kind":"ttb_max","value":10}]
    "the legend" rpg => {"query":"the legend"} [{"kind":"genre_any","values":["rpg","role-playing","role playing"]}]
    not "final fantasy" => {} [{"kind":"not_query","value":"final fantasy"}]
    over 5 hours under 3 hours => {} [{"kind":"ttb_min","value":5},{"kind":"ttb_max","value":3}]
    before 1990 after 1980 => {} [{"kind":"year_range","max":1989,"min":1981}]
    beaten or completed => {} [{"kind":"progress_any","values":["Beaten","Completed"]}]
    rpg puzzle => {} [{"kind":"genre_any","values":["rpg","role-playing","role playing","puzzl"]}]
    never played in an year => {"query":"year"} [{"kind":"unplayed"}]
    not played in a day => {} [{"kind":"idle_days","value":1}]
    not played in 3 months => {} [{"kind":"idle_days","value":90}]
    esrb e10 => {"query":"esrb e10"} []
    rated ec => {"esrb":"EC"} []
    rated rp => {"esrb":"RP"} []
    not played since 1969 => {"query":"since 1969"} [{"kind":"unplayed"}]
    rated 6 => {"query":"rated 6"} []
    nine players => {"query":"nine players"} []
    from 2100 => {} [{"kind":"credit","value":"2100"}]
    online multiplayer => {"query":"online"} [{"kind":"multiplayer"}]
    local co-op => {"query":"local"} [{"kind":"coop"}]
    "co-op" racing => {"genre":"rac","query":"co-op"} []
    without "dark souls" => {} [{"kind":"not_query","value":"dark souls"}]
    noted -zelda => {} [{"field":"notes","kind":"flag","value":true},{"kind":"not_query","value":"zelda"}]
    family games for 4 on "super nintendo" from the 90s => {} [{"kind":"esrb_any","values":["E","E10+","EC"]},{"kind":"players_min","value":4},{"kind":"platform_any","values":["super nintendo"]},{"kind":"year_range","max":1999,"min":1990}]
"#;

#[test]
fn every_phrase_of_the_grammar_means_what_the_table_says() {
    let platforms = ["NES", "SNES", "Super Nintendo", "PlayStation 2", "PC"];
    let game = |(at, platform): (usize, &&str)| {
        json!({"game_id": format!("game-{at:024}"), "name": format!("G{at}"),
            "platform": platform, "path": format!("/{at}")})
    };
    let games: Vec<Value> = platforms.iter().enumerate().map(game).collect();
    let library = json!({"schema_version": 6, "games": games});
    let server = Setup::new().library(&library.to_string()).start();
    let mut client = server.client();
    let mut count = 0;
    for row in TABLE.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let (phrases, meaning) = row.split_once(" => ").expect("phrases and their meaning");
        let (rules, clauses) = meaning.split_once("} [").expect("rules and clauses");
        let [rules, clauses]: [Value; 2] = [format!("{rules}}}"), format!("[{clauses}")]
            .map(|text| serde_json::from_str(&text).expect("JSON"));
        for phrase in phrases.split(" / ") {
            let answer = client.post("/api/v2/library/query/parse", &json!({"query": phrase}));
            let meant = (&answer["rules"], &answer["clauses"]);
            assert_eq!(meant, (&rules, &clauses), "{phrase}");
            assert_eq!(answer["complete"], clauses == json!([]), "{phrase}");
            let left = answer["unparsed"].as_array().expect("a list").is_empty();
            assert_eq!(left, rules.get("query").is_none(), "{phrase}");
            assert_eq!(left, answer["hint"] == "", "{phrase}");
            // The spelling of the program means the same.
            let again =
                client.post("/api/v2/library/query/parse", &json!({"query": answer["canonical"]}));
            assert_eq!((&again["rules"], &again["clauses"]), meant, "{}", answer["canonical"]);
            count += 1;
        }
    }
    assert!(count > 200, "{count} phrases");
    let year = {
        let answer = client.post("/api/v2/library/query/parse", &json!({"query": "this year"}));
        answer["clauses"][0]["min"].as_i64().expect("a year")
    };
    let added = client.post("/api/v2/library/query/parse", &json!({"query": "added this year"}));
    assert_eq!(added["clauses"], json!([{"kind": "added_year", "value": year}]));
}
