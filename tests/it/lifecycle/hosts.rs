//! Loopback is no wall: host, origin and the browser's own word keep other sites out.

use super::{PROTECTED, assert_error};
use crate::support::{client::Request, server::Server};

const REFUSED: &str = "Request host is not allowed.";

fn own(server: &Server) -> String {
    server.address().to_string()
}

#[test]
fn a_foreign_host_is_refused_on_every_kind_of_route() {
    let server = Server::start();
    let port = server.address().port();
    let hosts = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1:{}", port ^ 1),
        format!("192.168.0.1:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        String::new(),
    ];
    for host in hosts {
        for target in ["/", PROTECTED, "/api/no-such-route"] {
            let reply = server.send(&Request::get(target).header("Host", &host));
            assert_error(reply, 403, REFUSED, "BAD_HOST");
        }
    }
    let nameless = server.send(&Request::get(PROTECTED).without("Host"));
    assert!(matches!(nameless.status, 400 | 403), "without a host: {}", nameless.status);
}

#[test]
fn both_names_of_the_own_host_are_served() {
    let server = Server::start();
    for host in [own(&server), format!("localhost:{}", server.address().port())] {
        server.send(&Request::get(PROTECTED).header("Host", &host)).expect(200);
    }
}

#[test]
fn a_target_in_absolute_form_is_served_by_its_host() {
    let server = Server::start();
    let target = |host: &str| format!("http://{host}{PROTECTED}");
    let expected = server.get(PROTECTED);
    let own = target(&own(&server));
    assert_eq!(server.send(&Request::get(&own)).expect(200).json(), expected);
    server.send(&Request::get(&own).without_token()).expect(403);
    server.send(&Request::get(&own).header("Host", "evil.example")).expect(200);
    let reply = server.send(&Request::get(&target("evil.example")));
    assert_error(reply, 403, REFUSED, "BAD_HOST");
}

#[test]
fn a_foreign_origin_is_refused_and_the_own_one_served() {
    let server = Server::start();
    for origin in ["http://evil.example", "null", "https://127.0.0.1", "file://"] {
        let reply = server.send(&Request::get(PROTECTED).header("Origin", origin));
        reply.expect(403);
    }
    let origin = format!("http://{}", own(&server));
    server.send(&Request::get(PROTECTED).header("Origin", &origin)).expect(200);
}

#[test]
fn what_the_browser_calls_cross_site_is_refused() {
    let server = Server::start();
    let ask =
        |value: &str| server.send(&Request::get(PROTECTED).header("Sec-Fetch-Site", value)).status;
    assert_eq!(ask("cross-site"), 403);
    assert_eq!(ask("same-origin"), 200);
    assert_eq!(ask("none"), 200);
}
