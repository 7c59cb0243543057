//! Announcing the address of the service: `server.port`, `server.token`, the printed address and
//! the browser.

use std::io::{self, IsTerminal as _, Write as _};

use super::browser::{self, Size, View};
use crate::{
    config::data_dir::DataDir,
    desktop::focus::Focus,
    files::{DiskError, Files},
};

/// The two files with the address of the service, owner-only; removed when this is dropped.
pub struct Address {
    files: Files,
    data_dir: DataDir,
}

impl Address {
    /// Writes token and port; the port comes last, so a reader of the port finds the token too. Neither outlives the
    /// process, so a start does not wait until they are durable. On a full disk there is neither: the page
    /// is opened all the same, because room is made there.
    ///
    /// # Errors
    /// When one of the files cannot be written for another reason.
    pub fn publish(
        files: &Files,
        data_dir: &DataDir,
        port: u16,
        token: &str,
    ) -> Result<Self, DiskError> {
        let address = Self { files: files.clone(), data_dir: data_dir.clone() };
        let written = address.write(port, token);
        if let Err(error) = written {
            if error.source.kind() != io::ErrorKind::StorageFull {
                return Err(error);
            }
            log::error!("other programs do not find this one: {error}");
            // Those of a process that was killed name a port that another program may have by now.
            address.remove();
        }
        Ok(address)
    }

    fn write(&self, port: u16, token: &str) -> Result<(), DiskError> {
        let Self { files, data_dir } = self;
        files.replace_unsynced(&data_dir.server_token(), token.as_bytes())?;
        files.replace_unsynced(&data_dir.server_port(), port.to_string().as_bytes())
    }

    fn remove(&self) {
        for path in [self.data_dir.server_port(), self.data_dir.server_token()] {
            if let Err(error) = self.files.remove(&path) {
                log::warn!("{error}");
            }
        }
    }
}

impl Drop for Address {
    fn drop(&mut self) {
        self.remove();
    }
}

/// How and where to open the page.
#[derive(Clone, Copy)]
pub struct Opening<'a> {
    /// For what a browser keeps of a window of its own.
    pub data_dir: &'a DataDir,
    /// Where the service listens.
    pub port: u16,
    /// What opens it.
    pub token: &'a str,
    /// How the page is opened.
    pub view: View,
    /// The size of its window.
    pub size: Size,
    /// What marks its window.
    pub focus: &'a Focus,
}

impl Opening<'_> {
    /// Prints the address and, unless it is switched off, opens the UI.
    pub fn show(&self) {
        print_address(self.port, self.token);
        let query = if self.view == View::Kiosk { "deeplink=bigscreen" } else { "" };
        self.open(query);
    }

    /// Opens the UI with a query in its address; whether anything was started for that.
    pub fn open(&self, query: &str) -> bool {
        let address = link(self.port, self.token, query);
        browser::open(&self.data_dir.app_window(), self.view, self.size, &address, self.focus)
    }

    /// Opens the UI with a query in its address. Where nothing here can, its address is printed.
    pub fn open_or_print(&self, query: &str) {
        if !self.open(query) {
            print_address(self.port, self.token);
        }
    }
}

/// Prints the address. The token is only shown to the user at a terminal: it never lands in the
/// log of the program that started this one.
fn print_address(port: u16, token: &str) {
    let mut out = io::stdout().lock();
    let mut text = format!("Listening on http://127.0.0.1:{port}\n");
    if out.is_terminal() {
        text = format!("{text}Open {}\n", link(port, token, ""));
    }
    // Serving continues when the output has no reader.
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        log::info!("the address was not printed: {error}");
    }
}

/// The address of the UI. The token travels in the fragment, which no server and no proxy sees.
fn link(port: u16, token: &str, query: &str) -> String {
    let query = if query.is_empty() { String::new() } else { format!("?{query}") };
    format!("http://127.0.0.1:{port}/{query}#token={token}")
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::Arc};

    use super::*;
    use crate::files::failing::{FailingDisk, Fault};

    #[test]
    fn a_full_disk_keeps_nobody_out_and_another_failure_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let data_dir = DataDir::at(folder.path().to_owned());
        for (fault, expected) in [(Fault::ForEver, true), (Fault::Once, false)] {
            let files = Files::over(Arc::new(FailingDisk::new(1, fault)));
            let published = Address::publish(&files, &data_dir, 4_567, "secret");
            assert_eq!(published.is_ok(), expected, "{fault:?}");
        }
    }

    #[test]
    fn a_disk_that_fills_up_leaves_both_files_or_neither() {
        let mut left = Vec::new();
        for fail_at in 1..8 {
            let folder = tempfile::tempdir().expect("a folder");
            let data_dir = DataDir::at(folder.path().to_owned());
            let paths = [data_dir.server_token(), data_dir.server_port()];
            for path in &paths {
                let old = b"of a process that was killed";
                Files::system().replace_unsynced(path, old).expect("written");
            }
            let disk = Arc::new(FailingDisk::new(fail_at, Fault::ForEver));
            let full = Arc::downgrade(&disk);
            // A full disk still lets files go.
            disk.stop_at("remove", move || {
                if let Some(full) = full.upgrade() {
                    full.arm(false);
                }
            });
            let address = Address::publish(&Files::over(disk), &data_dir, 4_567, "secret");
            left.push(paths.map(|path| fs::read_to_string(path).ok()));
            drop(address.expect("nobody is kept out"));
        }
        let both = ["secret", "4567"].map(|text| Some(text.to_owned()));
        let whole = left.iter().filter(|left| **left == both).count();
        let gone = left.iter().filter(|left| **left == [None, None]).count();
        assert!(whole > 0 && gone > 0 && whole + gone == left.len(), "{left:?}");
    }

    #[test]
    fn the_address_is_there_without_waiting_for_the_disk_and_goes_with_the_process() {
        let folder = tempfile::tempdir().expect("a folder");
        let disk = Arc::new(FailingDisk::new(0, Fault::Once));
        let files = Files::over(Arc::<FailingDisk>::clone(&disk));
        let data_dir = DataDir::at(folder.path().to_owned());
        let address = Address::publish(&files, &data_dir, 4_567, "secret").expect("written");
        let text = |path| fs::read_to_string(path).ok();
        assert_eq!(text(data_dir.server_port()).as_deref(), Some("4567"));
        assert_eq!(text(data_dir.server_token()).as_deref(), Some("secret"));
        let syncs = ["sync_all", "sync_data", "sync_dir"].map(|call| disk.count(call));
        assert_eq!(syncs, [0; 3]);
        drop(address);
        assert_eq!(text(data_dir.server_port()).or(text(data_dir.server_token())), None);
    }
}
