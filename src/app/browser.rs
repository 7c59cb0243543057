//! Opening the page: in the default browser, in a window of its own, or filling the screen.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    desktop::{
        APPLICATION, Find,
        focus::{self, Focus, Target},
    },
    process::{Limits, Process, Spec, capture, proc_files, search, spawn},
};

/// Browsers that have windows without an address bar, as programs and as packages.
const PROGRAMS: [&str; 7] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "brave-browser",
    "microsoft-edge",
    "microsoft-edge-stable",
];
const PACKAGES: [&str; 4] =
    ["org.chromium.Chromium", "com.google.Chrome", "com.brave.Browser", "com.microsoft.Edge"];
const FIREFOX: &str = "firefox";
const OPENER: &str = "xdg-open";

/// How the page is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Not at all.
    Nothing,
    /// In the default browser.
    #[default]
    Browser,
    /// In a window without an address bar.
    Window,
    /// On the whole screen, as the big screen.
    Kiosk,
}

/// Width and height of the window, where they were given.
pub type Size = (Option<u32>, Option<u32>);

/// What the machine has.
struct Machine<'a> {
    find: Find<'a>,
    /// Whether a package is installed.
    has_package: &'a dyn Fn(&str) -> bool,
    /// The folder for what a browser keeps for the window.
    profile: &'a Path,
}

/// The command that opens an address; `None` when nothing here can.
fn command(view: View, size: Size, address: &str, machine: &Machine<'_>) -> Option<Vec<OsString>> {
    let opener = || {
        let opener = (machine.find)(OPENER)?;
        Some(vec![opener.into_os_string(), address.into()])
    };
    if matches!(view, View::Nothing | View::Browser) {
        return if view == View::Nothing { None } else { opener() };
    }
    if let Some(path) = PROGRAMS.iter().find_map(|name| (machine.find)(name)) {
        let mut profile = OsString::from("--user-data-dir=");
        profile.push(machine.profile);
        let class = format!("--class={APPLICATION}");
        let mut argv = vec![path.into_os_string(), profile, class.into()];
        argv.push("--no-first-run".into());
        argv.extend(window(view, size, address));
        return Some(argv);
    }
    if let Some(flatpak) = (machine.find)("flatpak")
        && let Some(package) = PACKAGES.iter().find(|package| (machine.has_package)(package))
    {
        let mut argv = vec![flatpak.into_os_string(), "run".into(), (*package).into()];
        argv.extend(window(view, size, address));
        return Some(argv);
    }
    match (machine.find)(FIREFOX) {
        Some(path) => {
            let flag = if view == View::Kiosk { "--kiosk" } else { "--new-window" };
            Some(vec![path.into_os_string(), flag.into(), address.into()])
        }
        None => opener(),
    }
}

fn window(view: View, (width, height): Size, address: &str) -> Vec<OsString> {
    let mut words = vec![format!("--app={address}"), "--new-window".to_owned()];
    if view == View::Kiosk {
        words.push("--kiosk".to_owned());
    }
    if width.is_some() || height.is_some() {
        let (width, height) = (width.unwrap_or(1280), height.unwrap_or(800));
        words.push(format!("--window-size={width},{height}"));
    }
    words.into_iter().map(OsString::from).collect()
}

/// Opens the page; whether anything was started for it. A missing browser is logged, and the address
/// remains the way in. `focus` marks a window that fills the screen.
pub fn open(profile: &Path, view: View, size: Size, address: &str, focus: &Focus) -> bool {
    if view == View::Nothing {
        return false;
    }
    let machine = Machine { find: &find, has_package: &has_package, profile };
    let Some(argv) = command(view, size, address, &machine) else {
        log::info!("no browser is installed, the page stays closed");
        return false;
    };
    match spawn::spawn(&Spec::new(argv)) {
        Ok(process) => {
            if view == View::Kiosk {
                focus.follow(own_window(process));
            }
            true
        }
        Err(error) => {
            log::warn!("{error}");
            false
        }
    }
}

/// The window of the browser that this process is.
fn own_window(process: Process) -> Target {
    let pid = process.pid();
    Target {
        number: focus::OWN,
        processes: Box::new(move || proc_files::family(pid)),
        is_there: Box::new(move || !process.has_ended()),
    }
}

fn find(name: &str) -> Option<PathBuf> {
    search::on_path(name)
}

fn has_package(id: &str) -> bool {
    let limits = Limits { timeout: Duration::from_secs(5), ..Limits::default() };
    capture::run(&Spec::new(["flatpak", "info", id]), &limits).is_ok_and(|info| info.code == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(view: View, size: Size, installed: &[&str], packages: &[&str]) -> Vec<String> {
        let find = |name: &str| installed.contains(&name).then(|| PathBuf::from(name));
        let has_package = |id: &str| packages.contains(&id);
        let machine =
            Machine { find: &find, has_package: &has_package, profile: Path::new("/d/p") };
        let argv = command(view, size, "http://a/", &machine).unwrap_or_default();
        argv.into_iter().map(|word| word.into_string().expect("text")).collect()
    }

    #[test]
    fn the_page_is_opened_with_what_is_installed() {
        let all = ["firefox", "brave-browser", "chromium", "xdg-open", "flatpak"];
        assert_eq!(words(View::Browser, (None, None), &all, &[]), ["xdg-open", "http://a/"]);
        assert_eq!(words(View::Nothing, (None, None), &all, &[]), [""; 0]);
        assert_eq!(
            words(View::Window, (Some(1024), None), &all, &[]),
            [
                "chromium",
                "--user-data-dir=/d/p",
                "--class=service-launcher",
                "--no-first-run",
                "--app=http://a/",
                "--new-window",
                "--window-size=1024,800"
            ]
        );
        let packaged = ["flatpak", "firefox"];
        let chrome = ["com.google.Chrome"];
        assert_eq!(
            words(View::Kiosk, (None, None), &packaged, &chrome),
            ["flatpak", "run", "com.google.Chrome", "--app=http://a/", "--new-window", "--kiosk"]
        );
        assert_eq!(
            words(View::Kiosk, (None, None), &packaged, &[]),
            ["firefox", "--kiosk", "http://a/"]
        );
        assert_eq!(
            words(View::Window, (None, None), &["xdg-open"], &[]),
            ["xdg-open", "http://a/"]
        );
        assert_eq!(words(View::Window, (None, None), &[], &[]), [""; 0]);
    }
}
