//! `--uri` and `--launcher`: what a link or the choice in a menu asks for, done by the running service, which
//! is started first when there is none.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use crossbeam_channel::after;
use serde_json::{Value, json};

use super::{announce::Opening, arguments::LinkOptions, browser::View, deep_link::DeepLink};
use crate::{
    cli::service::running_instance,
    config::{
        data_dir::{DataDir, DataDirError},
        environment::Environment,
    },
    desktop::focus::Focus,
    files::Files,
    net::{client::Unanswered, local::Instance},
    process::{CaptureError, Limits, SpawnError, Spec, capture, search, spawn},
};

/// How long a service that was just started may take to answer.
const START: Duration = Duration::from_secs(15);
/// Between two attempts to reach it.
const PAUSE: Duration = Duration::from_millis(100);
/// How long the answer that it runs may take.
const ANSWER: Duration = Duration::from_secs(2);
/// How long a menu stays open.
const MENU: Duration = Duration::from_mins(10);
/// Programs that show a menu, each with its arguments.
const MENUS: [(&str, &[&str]); 3] = [
    ("rofi", &["-dmenu", "-i", "-p", "Service Launcher"]),
    ("wofi", &["--dmenu", "--insensitive", "--prompt", "Service Launcher"]),
    ("dmenu", &["-i", "-p", "Service Launcher"]),
];

/// Why a link was not followed.
#[derive(Debug, thiserror::Error)]
pub enum LinkCommandError {
    /// There is no data directory.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error("the service did not start: {0}")]
    Start(#[from] SpawnError),
    #[error("the service did not answer within {START:?}")]
    Silent,
    #[error("the running service does not answer: {0}")]
    Unanswered(#[from] Unanswered),
    /// The service refused, in its words.
    #[error("{0}")]
    Refused(String),
    #[error("rofi, wofi or dmenu is required for the menu")]
    NoMenu,
    #[error("the menu could not be shown: {0}")]
    Menu(#[from] CaptureError),
}

/// The service of a data directory.
struct Service {
    data_dir: DataDir,
    port: u16,
    token: String,
}

/// Does what a link asks for.
///
/// # Errors
/// [`LinkCommandError`]; its text is for the user at the terminal.
pub fn follow(options: &LinkOptions) -> Result<(), LinkCommandError> {
    Service::reach(options)?.act(&options.link, options)
}

/// Shows the menu and does what is chosen in it; nothing when it is closed.
///
/// # Errors
/// As [`follow`].
pub fn choose(options: &LinkOptions) -> Result<(), LinkCommandError> {
    let installed =
        |(name, words): (&str, &'static [&'static str])| Some((search::on_path(name)?, words));
    let (program, words) = MENUS.into_iter().find_map(installed).ok_or(LinkCommandError::NoMenu)?;
    let service = Service::reach(options)?;
    let reply = service.ask(|instance| instance.get("/api/launcher/menu"))?;
    let items = reply["items"].as_array().into_iter().flatten();
    let items: Vec<(&str, &str)> =
        items.filter_map(|item| Some((item["id"].as_str()?, item["label"].as_str()?))).collect();
    let lines: Vec<&str> = items.iter().map(|(_, label)| *label).collect();
    let argv = [program.into_os_string()].into_iter().chain(words.iter().map(OsString::from));
    let limits = Limits { timeout: MENU, ..Limits::default() };
    let input = format!("{}\n", lines.join("\n"));
    let captured = capture::run_with_input(&Spec::new(argv), &limits, input.as_bytes())?;
    let chosen = String::from_utf8_lossy(&captured.stdout);
    let chosen = items.iter().find(|(_, label)| *label == chosen.trim_end_matches('\n'));
    match chosen.and_then(|(id, _)| link_of(id)) {
        Some(link) => service.act(&link, options),
        None => Ok(()),
    }
}

/// What an entry of the menu stands for.
fn link_of(id: &str) -> Option<DeepLink> {
    match id.split_once(':') {
        Some(("launch", index)) => {
            Some(DeepLink::Ask("/api/launch", json!({"id": index.parse::<u32>().ok()?})))
        }
        _ => DeepLink::parse(&format!("service:{id}")).ok(),
    }
}

impl Service {
    /// The running service, which is started when there is none.
    fn reach(options: &LinkOptions) -> Result<Self, LinkCommandError> {
        let process = Environment::capture();
        let data_dir = DataDir::resolve(options.data_dir.as_deref(), &process)?;
        let environment = process.with_env_files(data_dir.root());
        let files = Files::system();
        let found = || {
            let (port, token) = running_instance(&files, &data_dir)?;
            Instance::new(port, token.clone()).is_there(ANSWER).then_some((port, token))
        };
        let mut instance = found();
        if instance.is_none() {
            start(&environment, data_dir.root())?;
            let begun = Instant::now();
            while instance.is_none() && begun.elapsed() < START {
                // There is no notification when a service is ready.
                let _ = after(PAUSE).recv();
                instance = found();
            }
        }
        let (port, token) = instance.ok_or(LinkCommandError::Silent)?;
        Ok(Self { data_dir, port, token })
    }

    fn act(&self, link: &DeepLink, options: &LinkOptions) -> Result<(), LinkCommandError> {
        let query = match link {
            DeepLink::Ask(route, body) => {
                return self.ask(|instance| instance.post(route, body)).map(drop);
            }
            DeepLink::Show(query) => query.as_str(),
            DeepLink::Start => "",
        };
        let LinkOptions { view, size, .. } = *options;
        let (port, token) = (self.port, self.token.as_str());
        if view != View::Nothing {
            let (data_dir, focus) = (&self.data_dir, &Focus::default());
            Opening { data_dir, port, token, view, size, focus }.open_or_print(query);
            focus.finish();
        }
        Ok(())
    }

    /// A good answer of the service.
    fn ask(
        &self,
        request: impl FnOnce(&Instance) -> Result<(u16, Value), Unanswered>,
    ) -> Result<Value, LinkCommandError> {
        let (status, reply) = request(&Instance::new(self.port, self.token.clone()))?;
        if (200..300).contains(&status) {
            return Ok(reply);
        }
        let said = reply["error"].as_str();
        let said = said.map_or_else(|| format!("the service answered {status}"), str::to_owned);
        Err(LinkCommandError::Refused(said))
    }
}

/// Starts a service of its own, which outlives this process.
fn start(environment: &Environment, data_dir: &Path) -> Result<(), SpawnError> {
    // A bundle is started through its file: what it holds is gone when this process ends.
    let own = || std::env::current_exe().unwrap_or_else(|_| PathBuf::from("service-launcher"));
    let program = environment.bundle().filter(|bundle| bundle.is_file()).unwrap_or_else(own);
    let words = ["--no-browser".into(), "--data-dir".into(), data_dir.as_os_str().to_owned()];
    let argv = [program.into_os_string()].into_iter().chain(words);
    spawn::spawn(&Spec::new(argv)).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_the_menu_stand_for_links() {
        assert_eq!(link_of("launch:7"), Some(DeepLink::Ask("/api/launch", json!({"id": 7}))));
        assert_eq!(link_of("search"), Some(DeepLink::Show("deeplink=search".to_owned())));
        assert_eq!(link_of("launch:x"), None);
        assert_eq!(link_of("format"), None);
    }
}
