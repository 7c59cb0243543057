//! The public assets: the page, the texts, the icon, and nothing else.

use std::{collections::BTreeSet, fs, path::Path};

use crate::support::{
    client::Request,
    server::{Server, Setup},
};

fn public(target: &str) -> Request {
    Request::get(target).without_token()
}

/// The size in the header of a PNG, as a manifest writes it.
fn png_size(bytes: &[u8]) -> String {
    let number =
        |at: usize| bytes[at..at + 4].iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
    format!("{}x{}", number(16), number(20))
}

#[test]
fn the_page_the_texts_and_the_icon_need_no_token() {
    let server = Server::start();
    let page = server.send(&public("/")).expect(200);
    assert!(page.header("Content-Type").unwrap_or_default().starts_with("text/html"));
    assert_eq!(server.send(&public("/index.html")).expect(200).text(), page.text());
    let icon = server.send(&public("/favicon.ico")).expect(200);
    assert!(icon.header("Content-Type").unwrap_or_default().starts_with("image/"));
    let manifest = server.send(&public("/app.webmanifest")).expect(200);
    let kind = manifest.header("Content-Type").unwrap_or_default();
    assert!(kind.starts_with("application/manifest+json"), "{kind}");
    let icons = manifest.json()["icons"].as_array().expect("a list").clone();
    assert!(icons.iter().any(|icon| icon["purpose"] == "maskable"), "{icons:?}");
    for icon in icons.iter().filter(|icon| icon["type"] == "image/png") {
        let source = icon["src"].as_str().expect("a path");
        let picture = server.send(&public(source)).expect(200);
        assert_eq!(picture.header("Content-Type"), Some("image/png"), "{source}");
        assert_eq!(icon["sizes"], png_size(&picture.wire), "{source}");
    }
    for locale in ["en", "es", "de", "fr", "pt"] {
        let texts = server.send(&public(&format!("/locales/{locale}.json"))).expect(200).json();
        assert!(texts.as_object().is_some_and(|texts| texts.len() > 20), "{locale}");
    }
    server.send(&public("/locales/xx.json")).expect(404);
}

#[test]
fn every_file_the_page_names_is_served() {
    let server = Server::start();
    let page = server.send(&public("/")).expect(200).text();
    let named: BTreeSet<_> = ["src=\"", "href=\""]
        .into_iter()
        .flat_map(|attribute| page.split(attribute).skip(1))
        .filter_map(|rest| rest.split('"').next())
        .filter(|name| !name.starts_with(['#', 'd']))
        .collect();
    assert!(named.iter().any(|name| name.contains(".js")), "{named:?}");
    for name in named {
        let target = format!("/{}", name.trim_start_matches(['.', '/']));
        let reply = server.send(&public(&target)).expect(200);
        assert_eq!(reply.header("X-Content-Type-Options"), Some("nosniff"), "{name}");
    }
}

#[test]
fn the_page_may_run_only_our_scripts_and_sit_in_no_frame() {
    let server = Server::start();
    let page = server.send(&public("/")).expect(200);
    let policy = page.header("Content-Security-Policy").unwrap_or_default();
    for part in ["default-src 'self'", "script-src 'self'", "object-src 'none'", "base-uri 'none'"]
    {
        assert!(policy.contains(part), "{part} in {policy}");
    }
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
}

/// Names below a folder of the sources, with `/` between their parts.
fn names_below(folder: &Path, prefix: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .flat_map(|entry| {
            let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            match entry.path() {
                path if path.is_dir() => names_below(&path, &format!("{name}/")),
                _ => vec![name],
            }
        })
        .collect()
}

#[test]
fn every_file_is_the_one_of_the_sources_packed_and_unpacked() {
    let server = Server::start();
    let (mut client, mut packed) = (server.client(), 0);
    for (folder, prefix) in [("static", "/"), ("locales", "/locales/")] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for name in names_below(&root, "") {
            let bytes = fs::read(root.join(&name)).unwrap();
            let target = format!("{prefix}{name}");
            let as_it_is = client.send(&public(&target)).expect(200);
            assert_eq!(as_it_is.header("Content-Encoding"), None, "{name}");
            assert_eq!(as_it_is.wire, bytes, "{name}");
            let small = public(&target).header("Accept-Encoding", "gzip");
            let small = client.send(&small).expect(200);
            assert_eq!(small.body(), bytes, "{name}");
            assert_eq!(small.header("ETag"), as_it_is.header("ETag"), "{name}");
            assert_eq!(small.header("Vary"), as_it_is.header("Vary"), "{name}");
            let is_packed = small.header("Content-Encoding") == Some("gzip");
            assert!(!is_packed || small.wire.len() < bytes.len(), "{name}");
            packed += usize::from(is_packed);
        }
    }
    assert!(packed > 50, "{packed}");
}

#[test]
fn an_unchanged_asset_is_not_sent_again() {
    let server = Server::start();
    let page = server.send(&public("/index.html")).expect(200);
    let tag = page.header("ETag").expect("an ETag").to_owned();
    let again = server.send(&public("/index.html").header("If-None-Match", &tag));
    assert_eq!((again.status, again.wire.len()), (304, 0));
}

#[test]
fn nothing_outside_the_assets_is_reached() {
    let server = Server::start();
    for target in [
        "/../Cargo.toml",
        "/..%2fCargo.toml",
        "/%2e%2e/Cargo.toml",
        "/locales/../index.html",
        "/locales/..%2f..%2fetc%2fpasswd",
        "//etc/passwd",
        "/etc/passwd",
        "/server.token",
        "/library.json",
        "/.env",
        "/index.html%00.js",
    ] {
        let status = server.send(&public(target)).status;
        assert!(matches!(status, 400 | 404), "{target}: {status}");
    }
}

#[test]
fn assets_come_from_a_folder_when_one_is_named() {
    let setup = Setup::new();
    let folder = setup.scratch().folder("ui");
    setup.scratch().file("ui/index.html", "<!doctype html><title>mine</title>");
    setup.scratch().file("secret.txt", "secret");
    let server = setup.arg("--static-dir").arg(&folder).start();
    assert!(server.send(&public("/")).expect(200).text().contains("mine"));
    server.scratch().file("ui/index.html", "<!doctype html><title>edited</title>");
    assert!(server.send(&public("/")).expect(200).text().contains("edited"));
    for target in ["/../secret.txt", "/%2e%2e/secret.txt"] {
        assert!(matches!(server.send(&public(target)).status, 400 | 404), "{target}");
    }
}
