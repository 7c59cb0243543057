//! `/api/themes/*` and `/api/theme.css`: the themes of the program, importing and choosing others.

use std::{fs, os::unix::fs::symlink};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
    wait,
};

const LIST: &str = "/api/themes";
const IMPORT: &str = "/api/themes/import";
const SELECT: &str = "/api/themes/select";
const STOCK: [&str; 8] =
    ["contrast-light", "ember", "forest", "midnight", "paper", "sky", "synthwave", "terminal"];

#[track_caller]
fn refused(server: &Server, route: &str, body: &Value, error: &str) {
    let reply = server.send(&Request::post(route, body)).expect(400).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(error), &json!("BAD_REQUEST")), "{body}");
}

#[test]
fn the_themes_of_the_program_are_there_and_come_back() {
    let server = Server::start();
    let list = json!({"themes": STOCK, "selected": "", "global": "", "mappings": {}});
    assert_eq!(server.get(LIST), list);
    let present =
        fs::read_to_string(server.data("themes/ember.css")).expect("written at the start");
    fs::remove_file(server.data("themes/ember.css")).expect("removed");
    fs::write(server.data("themes/sky.css"), "a{}").expect("written");
    fs::write(server.data("themes/paper.css"), present.replace("version 1", "version 0"))
        .expect("written");
    assert_eq!(server.get(LIST), list);
    let read = |name: &str| fs::read_to_string(server.data("themes").join(name)).expect("there");
    assert_eq!(read("ember.css"), present);
    assert_eq!(read("sky.css"), "a{}", "without the comment it belongs to the user");
    assert!(read("paper.css").contains("version 1"), "an older one is renewed");
    assert_eq!(server.get("/api/v1/themes"), list);
}

#[test]
fn a_style_sheet_is_imported_after_checks() {
    let server = Server::start();
    let scratch = server.scratch();
    let import = |path: &Value| Request::post(IMPORT, &json!({"path": path}));
    let good = scratch.file("home/My Theme.css", ":root { --bg: #abc }\n@import \"ember.css\";");
    assert_eq!(server.post(IMPORT, &json!({"path": good})), json!({"theme": "My Theme"}));
    assert_eq!(
        server.post(IMPORT, &json!({"path": "~/My Theme.css"})),
        json!({"theme": "My Theme"})
    );
    let sheet = server.send(&Request::get("/api/theme.css?name=My%20Theme")).expect(200);
    assert_eq!(sheet.text(), ":root { --bg: #abc }\n@import \"ember.css\";");
    let edge = scratch.file("home/edge.CSS", vec![b' '; 256 * 1024]);
    assert_eq!(server.post(IMPORT, &json!({"path": edge})), json!({"theme": "edge"}));
    let no_css = "Theme path must point to a CSS file.";
    let text = scratch.file("home/a.txt", "a{}");
    let folder = scratch.folder("home/folder.css");
    let bad =
        [json!(text), json!(folder), json!(""), json!(7), json!("a.css"), json!("/no/such.css")];
    for path in bad {
        refused(&server, IMPORT, &json!({"path": path}), no_css);
    }
    refused(&server, IMPORT, &json!({}), no_css);
    let links = "Theme path may not contain symlinks.";
    symlink(&good, scratch.path("home/link.css")).expect("linked");
    symlink(scratch.path("home"), scratch.path("home-link")).expect("linked");
    refused(&server, IMPORT, &json!({"path": scratch.path("home/link.css")}), links);
    refused(&server, IMPORT, &json!({"path": scratch.path("home-link/My Theme.css")}), links);
    let large = scratch.file("home/large.css", vec![b' '; 256 * 1024 + 1]);
    refused(&server, IMPORT, &json!({"path": large}), "Theme file is larger than 256 KiB.");
    let bytes = scratch.file("home/bytes.css", [0xff, 0xfe]);
    refused(&server, IMPORT, &json!({"path": bytes}), "Theme file must be valid UTF-8.");
    for (at, css) in [
        "@import \"http://example.org/x.css\";",
        "@import url(https://example.org/x.css);",
        "@\\69mport '//example.org/x.css';",
    ]
    .into_iter()
    .enumerate()
    {
        let path = scratch.file(format!("home/remote{at}.css"), css);
        refused(
            &server,
            IMPORT,
            &json!({"path": path}),
            "Theme may not import remote style sheets.",
        );
    }
    let hidden = scratch.file("home/.hidden.css", "a{}");
    let name = "The name of a theme has at most 100 characters and does not begin with a dot.";
    refused(&server, IMPORT, &json!({"path": hidden}), name);
    server.send(&import(&json!(good)).without_token()).expect(403);
    let names = server.get(LIST)["themes"].clone();
    let own: Vec<&str> = names
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .filter(|name| !STOCK.contains(name))
        .collect();
    assert_eq!(own, ["My Theme", "edge"]);
}

#[test]
fn a_theme_is_chosen_for_all_platforms_or_for_one() {
    let mut server = Server::start();
    let select = |server: &Server, body: &Value| server.post(SELECT, body);
    let page =
        |server: &Server| fs::read_to_string(server.data("native-background")).expect("there");
    assert_eq!(
        select(&server, &json!({"name": "ember"})),
        json!({"selected": "ember", "platform": ""})
    );
    assert_eq!(page(&server), "#1c110c");
    let nes = json!({"name": "paper", "platform": "NES"});
    assert_eq!(select(&server, &nes), json!({"selected": "paper", "platform": "NES"}));
    assert_eq!(page(&server), "#1c110c", "only the one of all platforms counts");
    for name in [json!(5), json!(["forest"]), json!(true)] {
        refused(&server, SELECT, &json!({"name": name}), "name must be text.");
    }
    refused(&server, SELECT, &json!({"name": "none"}), "Theme not found.");
    refused(&server, SELECT, &json!({"name": "../library"}), "Theme not found.");
    let long = json!({"name": "ember", "platform": "p".repeat(201)});
    refused(&server, SELECT, &long, "The name of a platform has at most 200 characters.");
    server.stop();
    server.restart();
    let list = server.get(&format!("{LIST}?platform=NES"));
    assert_eq!(
        (&list["selected"], &list["global"], &list["mappings"]),
        (&json!("paper"), &json!("ember"), &json!({"NES": "paper"}))
    );
    assert_eq!(server.get(&format!("{LIST}?platform=Wii"))["selected"], "ember");
    let settings = server.get("/api/settings");
    assert_eq!(settings["theme"], "ember");
    assert_eq!(settings["theme_by_platform"], json!({"NES": "paper"}));
    select(&server, &json!({"name": "", "platform": "NES"}));
    assert_eq!(select(&server, &json!({})), json!({"selected": "", "platform": ""}));
    assert_eq!(page(&server), "#111318");
    let list = server.get(LIST);
    assert_eq!((&list["global"], &list["mappings"]), (&json!(""), &json!({})));
}

#[test]
fn a_style_sheet_is_sent_again_only_when_it_changed() {
    let server = Server::start();
    let get = |tag: &str| {
        let request = Request::get("/api/theme.css?name=ember");
        server.send(&if tag.is_empty() { request } else { request.header("If-None-Match", tag) })
    };
    let reply = get("").expect(200);
    assert_eq!(reply.header("Cache-Control"), Some("public, max-age=0, must-revalidate"));
    assert_eq!(reply.header("Content-Type"), Some("text/css; charset=utf-8"));
    let tag = reply.header("ETag").expect("a tag").to_owned();
    let (time, size) = tag.trim_matches('"').split_once('-').expect("two numbers");
    assert_eq!(u64::from_str_radix(size, 16).expect("a number"), reply.body().len() as u64);
    assert!(u128::from_str_radix(time, 16).expect("a number") > 1 << 60, "nanoseconds");
    assert_eq!(get(&tag).expect(304).text(), "");
    fs::write(server.data("themes/ember.css"), "a{}").expect("written");
    assert_eq!(get(&tag).expect(200).text(), "a{}");
}

#[test]
fn the_folder_is_shown_where_there_is_a_file_manager() {
    let setup = Setup::new();
    let bin = setup.scratch().folder("bin");
    let seen = setup.scratch().path("seen");
    let server = setup.env("PATH", &bin).start();
    let folder = server.data("themes");
    for path in ["/api/themes/open-folder", "/api/v1/themes/open-folder"] {
        assert_eq!(server.post(path, &json!({})), json!({"path": folder, "opened": false}));
    }
    let line = format!("printf '%s' \"$1\" > '{0}.new'; /bin/mv '{0}.new' '{0}'", seen.display());
    server.scratch().script("bin/xdg-open", &line);
    let opened = server.post("/api/themes/open-folder", &json!({}));
    assert_eq!(opened, json!({"path": folder, "opened": true}));
    let shown = wait::until("the file manager", || fs::read_to_string(&seen).ok());
    assert_eq!(shown, folder.to_str().expect("text"));
}
