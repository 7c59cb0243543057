//! `POST /api/shutdown` stops games, never the program.

use serde_json::json;

use crate::support::server::Server;

#[test]
fn without_games_nothing_is_stopped_and_the_program_stays() {
    let server = Server::start();
    for force in [false, true] {
        let answer = server.post("/api/shutdown", &json!({"force": force}));
        assert_eq!(answer, json!({"stopped": 0, "forced": force}));
    }
    server.get("/api/running");
}
