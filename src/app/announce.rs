//! Telling the world where the service is: `server.port`, `server.token`, the printed address and
//! the browser.

use std::{
    io::{self, IsTerminal as _, Write as _},
    path::Path,
};

use crate::{
    config::{data_dir::DataDir, environment::Environment},
    files::{DiskError, Files},
    process::{Spec, search, spawn},
};

/// The two files that say where the service is, owner-only; removed when this is dropped.
pub struct Address {
    files: Files,
    data_dir: DataDir,
}

impl Address {
    /// Writes token and port; the port comes last, so whoever sees it finds the token too.
    ///
    /// # Errors
    /// When one of the files cannot be written.
    pub fn publish(
        files: &Files,
        data_dir: &DataDir,
        port: u16,
        token: &str,
    ) -> Result<Self, DiskError> {
        let address = Self { files: files.clone(), data_dir: data_dir.clone() };
        files.replace(&data_dir.server_token(), token.as_bytes())?;
        files.replace(&data_dir.server_port(), port.to_string().as_bytes())?;
        Ok(address)
    }
}

impl Drop for Address {
    fn drop(&mut self) {
        for path in [self.data_dir.server_port(), self.data_dir.server_token()] {
            if let Err(error) = self.files.remove(&path) {
                log::warn!("{error}");
            }
        }
    }
}

/// Prints the address and, unless told otherwise, opens the UI.
pub fn show(environment: &Environment, port: u16, token: &str, no_browser: bool) {
    print_address(port, token);
    if !no_browser {
        open_browser(environment, &link(port, token));
    }
}

/// Prints the address. The token is only shown to a person at a terminal: it never lands in the
/// log of whatever started the program.
fn print_address(port: u16, token: &str) {
    let mut out = io::stdout().lock();
    let mut text = format!("Listening on http://127.0.0.1:{port}\n");
    if out.is_terminal() {
        text = format!("{text}Open {}\n", link(port, token));
    }
    // Serving goes on when nobody reads the output.
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        log::info!("the address was not printed: {error}");
    }
}

/// The address of the UI. The token travels in the fragment, which no server and no proxy sees.
fn link(port: u16, token: &str) -> String {
    format!("http://127.0.0.1:{port}/#token={token}")
}

/// Opens the UI in the default browser when there is a display to open it on. A missing opener is
/// logged, and the printed address remains the way in.
fn open_browser(environment: &Environment, link: &str) {
    let display = ["DISPLAY", "WAYLAND_DISPLAY"];
    if !display.iter().any(|name| environment.text(name).is_some_and(|value| !value.is_empty())) {
        return;
    }
    let Some(opener) = search::on_path("xdg-open") else {
        log::info!("xdg-open is not installed, the browser stays closed");
        return;
    };
    if let Err(error) = spawn::spawn(&Spec::new([opener.as_os_str(), link.as_ref()])) {
        log::warn!("{error}");
    }
}

/// Reads where a running instance is. `None` when the files are missing or make no sense.
pub fn running_instance(files: &Files, data_dir: &DataDir) -> Option<(u16, String)> {
    let text = |path: &Path| String::from_utf8(files.read(path).ok()?).ok();
    let port = text(&data_dir.server_port())?.trim().parse().ok()?;
    let token = text(&data_dir.server_token())?.trim().to_owned();
    (!token.is_empty()).then_some((port, token))
}
