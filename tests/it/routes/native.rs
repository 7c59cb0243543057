//! `/api/native/capabilities`.

use serde_json::{Value, json};

use crate::support::server::Setup;

#[test]
fn the_program_has_no_window_and_leaves_the_rest_to_the_browser() {
    // The second library cannot be read; the answer does not depend on it.
    for library in ["{}", "{ this is no library"] {
        let server = Setup::new().library(library).start();
        let report = server.get("/api/diagnostic");
        let report: Value =
            serde_json::from_str(report["report"].as_str().expect("text")).expect("JSON in a text");
        let data_dir = server.scratch().path("data");
        assert!(data_dir.is_absolute());
        assert_eq!(
            server.get("/api/native/capabilities"),
            json!({
                "webview": false,
                "dialogs": false,
                "tray": false,
                "single_instance": true,
                "gamepad": "webkit",
                "fullscreen": true,
                "clipboard": true,
                "version": env!("CARGO_PKG_VERSION"),
                "platform": report["platform"],
                "data_dir": data_dir,
            })
        );
    }
}
