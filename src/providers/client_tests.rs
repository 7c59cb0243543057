//! Tests of the client: a small server on this machine, and a clock whose waits take no time.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{Ipv4Addr, TcpListener},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use super::{
    ARTGRID, GAMEDB, METADB, METADB_IMAGES, ProviderError, Providers, Request, SCRAPER,
    client::Picture, pace_tests::Virtual, stream::Wanted,
};
use crate::{base::Hold as _, config::environment::Environment, formats::thumbnail::Kind};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nthe rest";

/// What a server answers to one request.
#[derive(Clone)]
enum Says {
    /// Status line with headers, and the body.
    Text(&'static str, &'static [u8]),
    /// The connection ends.
    HangsUp,
    /// Nothing, for as long as the client waits.
    Waits,
}

/// Runs `work` with a client of a server that gives these answers in turn; returns the requests it got.
fn with_server<T>(
    answers: &[Says],
    work: impl FnOnce(&Providers, &Virtual) -> T,
) -> (T, Vec<String>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let base = format!("http://{}/up/", listener.local_addr().expect("its address"));
    let seen = Mutex::new(Vec::new());
    // Unanswered connections are closed when the client is gone.
    let kept = Mutex::new(Vec::new());
    let worked = std::thread::scope(|scope| {
        scope.spawn(|| {
            for answer in answers {
                let (stream, _) = listener.accept().expect("a connection");
                let mut reader = BufReader::new(stream);
                let mut head = String::new();
                while reader.read_line(&mut head).expect("a line") > 2 {}
                seen.hold().push(head);
                let mut stream = reader.into_inner();
                if let Says::Text(head, body) = answer {
                    let length = body.len();
                    let head = format!(
                        "HTTP/1.1 {head}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
                    );
                    // OK because a client that hangs up has its reasons.
                    drop(stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)));
                }
                if matches!(answer, Says::Waits) {
                    kept.hold().push(stream);
                }
            }
        });
        let environment = Environment::from_process([(METADB_IMAGES.variable, base)]);
        let clock = Arc::new(Virtual::default());
        let providers = Providers::by_clock(&environment, Arc::<Virtual>::clone(&clock));
        work(&providers, &clock)
    });
    (worked, seen.into_inner().expect("no panic"))
}

fn picture(providers: &Providers) -> Result<Picture, ProviderError> {
    providers.picture(&METADB, METADB_IMAGES, "/a.png", &|| false)
}

/// A request for `/a`.
fn request() -> Request<'static> {
    Request {
        provider: &METADB,
        base_url: METADB_IMAGES,
        path: "/a",
        headers: Vec::new(),
        timeout: Duration::from_secs(20),
    }
}

/// What a server answers for a path, as status and bytes.
fn answer(head: &'static str, body: &'static [u8]) -> Result<(u16, Vec<u8>), ProviderError> {
    let (got, _) = with_server(&[Says::Text(head, body)], |providers, _| {
        let got = providers.answer(&request(), None, &|| false);
        got.map(|answer| (answer.status, answer.bytes))
    });
    got
}

const GOOD: Says = Says::Text("200 OK\r\nContent-Type: image/jpeg", PNG);

#[test]
fn a_picture_is_what_its_bytes_say() {
    let (got, seen) = with_server(&[GOOD], |providers, _| picture(providers));
    assert_eq!(got.expect("a picture"), Picture { bytes: PNG.to_vec(), kind: Kind::Png });
    assert!(seen[0].starts_with("GET /up/a.png HTTP/1.1\r\n"), "{}", seen[0]);
    for (answer, expected) in [
        (
            Says::Text("200 OK\r\nContent-Type: text/html; charset=utf-8", b"<html>"),
            "the server sent a web page",
        ),
        (
            Says::Text("200 OK\r\nContent-Type: image/png", b"<html>"),
            "it is no PNG, JPEG or WebP picture",
        ),
        (
            Says::Text("200 OK\r\nContent-Type: image/png", b""),
            "it is no PNG, JPEG or WebP picture",
        ),
        (Says::Text("404 Not Found", b""), "the server answered 404 Not Found"),
        (Says::Text("403 Forbidden", b"<html>"), "the server answered 403 Forbidden"),
        (
            Says::Text("302 Found\r\nLocation: http://127.0.0.1:9/x.png", b""),
            "the server answered 302 Found",
        ),
    ] {
        let (got, seen) = with_server(&[answer], |providers, _| picture(providers));
        assert_eq!((got.expect_err(expected).to_string(), seen.len()), (expected.to_owned(), 1));
    }
}

#[test]
fn what_may_pass_is_tried_again_and_pauses_are_kept() {
    let busy = Says::Text("503 Service Unavailable", b"");
    let limited = Says::Text("429 Too Many Requests\r\nRetry-After: 7", b"");
    let answers = [busy.clone(), limited, GOOD];
    let (millis, seen) = with_server(&answers, |providers, clock| {
        picture(providers).expect("a picture");
        clock.millis()
    });
    assert_eq!((millis, seen.len()), (1_000 + 7_000, 3));
    let (got, seen) =
        with_server(&[Says::HangsUp, busy.clone(), busy], |providers, _| picture(providers));
    let expected = ProviderError::Status { status: 503, reason: "Service Unavailable" };
    assert_eq!((got, seen.len()), (Err(expected), 3));
    let long = Says::Text("429 Too Many Requests\r\nRetry-After: 3600", b"");
    let (millis, seen) = with_server(&[long], |providers, clock| {
        assert!(picture(providers).is_err());
        clock.millis()
    });
    assert_eq!((millis, seen.len()), (0, 1), "no client waits for an hour");
}

#[test]
fn a_provider_is_tried_as_often_as_it_may_be() {
    let busy = || Says::Text("503 Service Unavailable", b"");
    for (provider, expected) in [
        (&METADB, (3, 1_000 + 2_000)),
        (&GAMEDB, (3, 2_000 + 4_000)),
        (&SCRAPER, (3, 1_500 + 3_000)),
        (&ARTGRID, (4, 1_500 + 3_000 + 6_000)),
    ] {
        let answers = vec![busy(); expected.0];
        let (millis, seen) = with_server(&answers, |providers, clock| {
            let got = providers.picture(provider, METADB_IMAGES, "/a.png", &|| false);
            assert!(got.is_err());
            clock.millis()
        });
        assert_eq!((seen.len(), millis), expected, "{}", provider.id);
    }
    let limited = Says::Text("429 Too Many Requests\r\nRetry-After: 60", b"");
    let (millis, _) = with_server(&[limited, GOOD], |providers, clock| {
        let got = providers.picture(&ARTGRID, METADB_IMAGES, "/a.png", &|| false);
        assert!(got.is_ok());
        clock.millis()
    });
    assert_eq!(millis, 60_000, "as long as it is asked for");
}

#[test]
fn what_is_packed_although_nobody_asked_is_unpacked() {
    let packed: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x8b\x36\
        \x8c\x05\x00\xb8\x32\x2f\x4c\x03\x00\x00\x00";
    let head = "200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip";
    let ask = |body: &'static [u8]| {
        let (got, seen) = with_server(&[Says::Text(head, body)], |providers, _| {
            providers.json(&request(), &|| false)
        });
        assert!(seen[0].to_lowercase().contains("\r\naccept-encoding: identity\r\n"));
        got
    };
    assert_eq!(ask(packed), Ok(serde_json::json!([1])));
}

#[test]
fn what_is_packed_in_a_way_that_nobody_can_read_is_no_text() {
    let ask = |head| answer(head, b"\x0b\x02\x80bytes\x03");
    assert_eq!(ask("200 OK\r\nContent-Encoding: br"), Err(ProviderError::Nonsense));
    assert_eq!(ask("400 Bad\r\nContent-Encoding: deflate"), Ok((400, Vec::new())));
    let plain = ask("200 OK\r\nContent-Encoding: identity");
    assert_eq!(plain, Ok((200, b"\x0b\x02\x80bytes\x03".to_vec())));
}

#[test]
fn an_answer_is_a_page_when_it_is_marked_up() {
    let html = "200 OK\r\nContent-Type: text/html; charset=UTF-8";
    let refused = "403 Forbidden\r\nContent-Type: text/html";
    assert_eq!(answer(html, b"\xef\xbb\xbf{}"), Ok((200, b"{}".to_vec())));
    assert_eq!(answer(refused, b"Erreur de login"), Ok((403, b"Erreur de login".to_vec())));
    assert_eq!(answer(html, b"  <!doctype html>"), Err(ProviderError::Page));
    assert_eq!(answer(html, b""), Err(ProviderError::Page));
    assert_eq!(answer(refused, b"<html>"), Err(ProviderError::Barred));
}

#[test]
fn a_server_that_says_nothing_holds_nobody() {
    let (took, _) = with_server(&[Says::Waits], |providers, _| {
        let begun = Instant::now();
        let cancel = || begun.elapsed() > Duration::from_millis(150);
        let got = providers.picture(&METADB, METADB_IMAGES, "/a.png", &cancel);
        assert_eq!(got, Err(ProviderError::Stopped));
        begun.elapsed()
    });
    assert!(took < Duration::from_secs(20), "{took:?}");
}

#[test]
fn only_the_process_replaces_an_address_and_only_by_safe_ones() {
    let refused = |variables: &[(&str, &str)], path: &str| {
        let environment = Environment::from_process(variables.iter().copied());
        let providers = Providers::by_clock(&environment, Arc::new(Virtual::default()));
        let request = Request {
            provider: &METADB,
            base_url: METADB_IMAGES,
            path,
            headers: Vec::new(),
            timeout: Duration::from_secs(1),
        };
        providers.locate(&request).map(|(_, wanted)| wanted)
    };
    let variable = METADB_IMAGES.variable;
    assert_eq!(refused(&[], "/a.png"), Ok(Wanted::Public));
    assert_eq!(refused(&[], ".evil.example/a.png"), Err(ProviderError::NotAllowed));
    assert_eq!(refused(&[], "@evil.example/a.png"), Err(ProviderError::NotAllowed));
    assert_eq!(refused(&[(variable, "http://127.0.0.1:9")], "/a.png"), Ok(Wanted::Loopback));
    assert_eq!(refused(&[(variable, "https://mirror.example/x")], "/a.png"), Ok(Wanted::Any));
    for base in ["http://mirror.example", "http://192.168.1.2", "ftp://127.0.0.1", "file:///x", "x"]
    {
        assert_eq!(
            refused(&[(variable, base)], "/a.png"),
            Err(ProviderError::NotAllowed),
            "{base}"
        );
    }
    let folder = tempfile::tempdir().expect("a folder");
    let env = folder.path().join(".env");
    crate::files::Files::system()
        .replace(&env, format!("{variable}=http://127.0.0.1:9\n").as_bytes())
        .expect("written");
    let environment = Environment::from_process([("A", "b")]).with_env_files(folder.path());
    assert_eq!(
        Providers::new(&environment).address(METADB_IMAGES, "/a"),
        "https://images.launchbox-app.com/a"
    );
    let mirrored = Environment::from_process([(variable, "http://127.0.0.1:9/x/")]);
    assert_eq!(Providers::new(&mirrored).address(METADB_IMAGES, "/a"), "http://127.0.0.1:9/x/a");
}

#[test]
fn json_is_what_parses() {
    let ask = |answer: Says| {
        let (got, _) = with_server(&[answer], |providers, _| providers.json(&request(), &|| false));
        got
    };
    let plain = "200 OK\r\nContent-Type: text/plain";
    assert_eq!(ask(Says::Text(plain, b"\xef\xbb\xbf[1]")), Ok(serde_json::json!([1])));
    for (head, body, error) in [
        (plain, &b""[..], ProviderError::Nonsense),
        ("200 OK\r\nContent-Type: application/json", b"Erreur", ProviderError::Nonsense),
        ("200 OK\r\nContent-Type: text/html", b"[1]", ProviderError::Page),
        ("403 Forbidden\r\nContent-Type: text/html", b"<html>", ProviderError::Barred),
    ] {
        assert_eq!(ask(Says::Text(head, body)), Err(error), "{head}");
    }
}

#[test]
fn an_answer_names_files_of_its_provider_only() {
    let variable = METADB_IMAGES.variable;
    let named = |variables: &[(&str, &str)], text: &str| {
        let environment = Environment::from_process(variables.iter().copied());
        Providers::new(&environment).named(&METADB, METADB_IMAGES, text)
    };
    let own = "https://a.launchbox-app.com/x?y";
    assert_eq!(named(&[], own).as_deref(), Some(own));
    assert_eq!(named(&[], "//launchbox-app.com/x").as_deref(), Some("https://launchbox-app.com/x"));
    for text in [
        "http://launchbox-app.com/x",
        "https://launchbox-app.com:444/x",
        "https://launchbox-app.com@evil.example/x",
        "https://evillaunchbox-app.com/x",
        "https://launchbox-app.com.evil.example/x",
        "/x",
        "",
    ] {
        assert_eq!(named(&[], text), None, "{text}");
    }
    let here = [(variable, "http://127.0.0.1:9/x")];
    assert_eq!(named(&here, own).as_deref(), Some(own));
    assert_eq!(named(&here, "//127.0.0.1:9/y").as_deref(), Some("http://127.0.0.1:9/y"));
    assert_eq!(named(&here, "http://127.0.0.1:8/y"), None);
}
