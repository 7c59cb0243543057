//! One pass over every source that is imported automatically (`GET /api/import/watch`).

use std::{
    path::PathBuf,
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    time::Duration,
};

use serde_json::{Map, Value};

use crate::{
    base::{Moment, schema::schema, workers::thread_named},
    config::{data_dir::DataDir, environment::Environment, settings::read},
    definitions::loader::Definitions,
    emulators::scan::{self, ScanConfig},
    files::Files,
    imports::{
        Incoming,
        folder::{self, FolderImport, FolderRequest},
        merge,
        rows::TitleStyle,
    },
    libserver,
    model::{Cause, Import, State},
    scan::tree::Disk,
    store::Store,
    storefronts::{
        catalog::{self, Selection, Source},
        title::Title,
    },
};

/// How often a wait for the library server looks for a stop of the program.
const CHECK: Duration = Duration::from_millis(200);

/// Imports from every source that is scanned automatically.
#[derive(Clone)]
pub struct ImportContext {
    /// The library.
    pub store: Store,
    /// Disk access.
    pub files: Files,
    /// The program's own folder.
    pub data: DataDir,
    /// The emulator definitions.
    pub definitions: Arc<Definitions>,
    /// The home of the user.
    pub home: PathBuf,
    /// May name the library server and its account.
    pub environment: Environment,
}

schema! {
    /// What an import of several sources brought.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct ImportSummary {
        /// New rows.
        pub added: usize,
        /// Sources that could not be read, as sentences for the client.
        pub errors: Vec<String>,
        /// Games in the sources, known ones included.
        pub found: usize,
    }
}

impl ImportSummary {
    /// Reports it as one import of this source.
    pub(super) fn report(&self, source: &str, store: &Store) {
        let source = source.to_owned();
        let (found, added) = (self.found as u64, self.added as u64);
        store.report(Cause::Imported(Import { source, found, added, ..Import::default() }));
    }

    fn add(&mut self, found: usize, added: usize) {
        self.found += found;
        self.added += added;
    }
}

/// The watch folders of a library.
pub fn watch_folders(state: &State) -> Vec<String> {
    read::texts(state.settings(), "watch_folders")
}

/// The stores on this machine whose automatic import is on.
pub fn stores(state: &State) -> Vec<Source> {
    let all = [Source::StoreA, Source::StoreB, Source::StoreC];
    all.into_iter().filter(|source| is_automatic(state, *source)).collect()
}

/// Whether the automatic import of a store is on.
pub fn is_automatic(state: &State, source: Source) -> bool {
    read::value(state.settings(), "storefront_auto_import")[source.name()] == Value::Bool(true)
}

impl ImportContext {
    /// Imports the watch folders of a library because a client asks for it.
    pub fn import_watched(&self, state: &State) -> ImportSummary {
        let mut summary = ImportSummary::default();
        self.import_folders(&watch_folders(state), &mut summary);
        summary.report("watch", &self.store);
        summary
    }

    /// Imports watch folders. A folder that fails adds an error and does not stop the others.
    pub fn import_folders(&self, folders: &[String], found: &mut ImportSummary) {
        let catalog = self.definitions.current();
        let import = FolderImport {
            store: &self.store,
            files: &self.files,
            data: &self.data,
            catalog: &catalog,
            home: Some(&self.home),
        };
        for folder in folders {
            let body = Map::from_iter([("folder".to_owned(), folder.as_str().into())]);
            let outcome =
                FolderRequest::read(&body).and_then(|request| import.run(&request, &Moment::now()));
            match outcome {
                Ok(outcome) => found.add(outcome.found, outcome.added),
                Err(error) => found.errors.push(format!("{folder}: {error}")),
            }
        }
    }

    /// Imports the installed games of stores. A store that fails adds an error and does not stop the
    /// others.
    pub fn import_stores(&self, stores: &[Source], found: &mut ImportSummary) {
        for source in stores {
            match catalog::installed(*source, &self.home) {
                Ok((titles, _)) => {
                    let games: Vec<Incoming> = titles.iter().map(Title::installed).collect();
                    self.merge(&games, source.name(), found);
                }
                Err(error) => found.errors.push(error.to_string()),
            }
        }
    }

    /// Imports the whole catalog of the library server. It is read by a thread of its own, so that a server that does
    /// not answer delays no stop of the program; `goes_on` is asked several times a second.
    pub fn import_library_server(
        &self,
        state: &Arc<State>,
        goes_on: &dyn Fn() -> bool,
        found: &mut ImportSummary,
    ) {
        let (sender, answers) = mpsc::channel();
        let asked = self.library_server(state);
        let (state, environment) = (Arc::clone(state), self.environment.clone());
        let reader = thread_named("library-server").spawn(move || {
            let all = Selection::default();
            let games =
                libserver::catalog::select(Source::LibraryServer, &all, &state, &environment);
            // OK because nobody waits any more once the program stops.
            drop(sender.send(games));
        });
        if let Err(error) = reader {
            return found.errors.push(format!("failed to start a thread: {error}"));
        }
        loop {
            match answers.recv_timeout(CHECK) {
                Ok(Ok(games)) => {
                    // The answer may come minutes after the settings that it was asked for.
                    let is_wanted = self.store.snapshot().is_ok_and(|state| {
                        is_automatic(&state, Source::LibraryServer)
                            && self.library_server(&state) == asked
                    });
                    if is_wanted {
                        self.merge(&games, Source::LibraryServer.name(), found);
                    }
                    return;
                }
                Ok(Err(error)) => return found.errors.push(error.to_string()),
                Err(RecvTimeoutError::Timeout) if goes_on() => {}
                Err(_) => return,
            }
        }
    }

    /// How a library reaches its server; `None` where it names none that can be used.
    fn library_server(&self, state: &State) -> Option<libserver::config::Config> {
        libserver::config::Config::read(state.settings(), &Map::new(), &self.environment).ok()
    }

    /// Scans the folder of an emulator.
    pub fn scan_emulator(&self, config: &ScanConfig, found: &mut ImportSummary) {
        let path = folder::expand_home(&config.folder, Some(&self.home));
        let root =
            folder::real_folder(&path).and_then(|root| root.into_os_string().into_string().ok());
        match root {
            Some(root) => {
                let style = match self.store.snapshot() {
                    Ok(state) => TitleStyle::of(state.settings()),
                    Err(error) => return found.errors.push(error.to_string()),
                };
                let catalog = self.definitions.current();
                let games = scan::games(&Disk, &root, &catalog, &config.emulator_id, style);
                self.merge(&games, &config.folder, found);
            }
            None => found.errors.push(format!("{}: Folder does not exist.", config.folder)),
        }
    }

    fn merge(&self, games: &[Incoming], source: &str, found: &mut ImportSummary) {
        match merge::import("watch", &self.store, games, &Moment::now()) {
            Ok(merged) => found.add(merged.found, merged.added.len()),
            Err(error) => {
                log::warn!("{error}");
                found.errors.push(format!("{source}: The library could not be saved."));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use serde_json::json;

    use super::*;
    use crate::store::Options;

    /// A library whose only source is the library server at an address.
    struct Home {
        folder: tempfile::TempDir,
        store: Store,
    }

    impl Home {
        fn with_server(address: &str) -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let store = Store::open(Options::at(&folder.path().join("data"))).expect("opens");
            let home = Self { folder, store };
            home.set(address, true);
            home
        }

        fn set(&self, address: &str, is_automatic: bool) {
            let settings = json!({"libserver_url": address,
                "storefront_auto_import": {"libserver": is_automatic}});
            let stored = self.store.commit(|draft| {
                draft.set_section("settings", settings);
                Ok::<_, ()>(())
            });
            stored.expect("committed");
        }

        /// The names of the library after an import, and what the import says.
        fn import(&self, goes_on: bool) -> (Vec<String>, ImportSummary) {
            let data = DataDir::at(self.folder.path().join("data"));
            let definitions = Definitions::new(Files::system(), data.emulator_definitions());
            let context = ImportContext {
                store: self.store.clone(),
                files: Files::system(),
                definitions: Arc::new(definitions),
                data,
                home: self.folder.path().to_owned(),
                environment: Environment::default(),
            };
            let mut found = ImportSummary::default();
            let state = self.store.snapshot().expect("readable");
            context.import_library_server(&state, &|| goes_on, &mut found);
            let state = self.store.snapshot().expect("readable");
            let names = state.games.iter().map(|game| game.record().text("name").to_owned());
            (names.collect(), found)
        }
    }

    #[test]
    fn an_answer_that_is_no_longer_wanted_is_not_imported() {
        let http = Arc::new(tiny_http::Server::http("127.0.0.1:0").expect("a port"));
        let address = format!("http://{}", http.server_addr().to_ip().expect("an address"));
        let home = Home::with_server(&address);
        let (store, serving) = (home.store.clone(), Arc::clone(&http));
        let answering = thread_named("answering").spawn(move || {
            let mut before_the_answer = vec![
                json!({"libserver_url": address}),
                json!({"libserver_url": "http://127.0.0.1:1",
                    "storefront_auto_import": {"libserver": true}}),
            ];
            for request in serving.incoming_requests() {
                if let Some(settings) = before_the_answer.pop() {
                    let changed = store.commit(|draft| {
                        draft.set_section("settings", settings);
                        Ok::<_, ()>(())
                    });
                    changed.expect("committed");
                }
                let games = json!([{"id": 1, "title": "Alpha"}]).to_string();
                request.respond(tiny_http::Response::from_string(games)).expect("answered");
            }
        });
        let answering = answering.expect("a thread");
        let address = format!("http://{}", http.server_addr().to_ip().expect("an address"));
        for change in ["another address", "the switch"] {
            home.set(&address, true);
            assert_eq!(home.import(true), (Vec::new(), ImportSummary::default()), "{change}");
        }
        home.set(&address, true);
        assert_eq!(home.import(true).0, ["Alpha"]);
        http.unblock();
        answering.join().expect("answered");
    }

    #[test]
    fn a_server_that_does_not_answer_delays_no_stop() {
        let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", silent.local_addr().expect("an address"));
        let home = Home::with_server(&address);
        assert_eq!(home.import(false), (Vec::new(), ImportSummary::default()));
    }
}
