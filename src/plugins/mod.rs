//! Plugins: third-party programs that add games and commands, change launches and receive events.
//!
//! Owns `plugins/`: packages, trust, permissions and settings. A hook is a process of its own, sandboxed with
//! bubblewrap, which reads one JSON object and writes one within five seconds; what goes wrong in it is logged and
//! affects nothing else. The library never waits for a hook inside an edit.
//!
//! | file | what it does |
//! |---|---|
//! | `service` | what handlers and other modules call |
//! | `core` | the packages, the decisions about them, running their hooks |
//! | `view` | the hooks `library` and `library_source`, and their cached results |
//! | `launching` | the hook `before_launch` |
//! | `queue`, `events` | the hooks `events` and `after_session` |
//! | `run`, `sandbox` | one run: process, bounds, bubblewrap, environment |
//! | `installing`, `catalog` | packages come and go |
//! | `manifest`, `options`, `place`, `state` | the content of a package, and the decisions of the user |
//! | `shown`, `error` | replies and refusals |

pub mod error;
pub mod events;
pub mod manifest;
pub mod options;
pub mod place;
pub mod sandbox;
pub mod service;
pub mod shown;

mod catalog;
mod core;
mod identity;
mod installing;
mod launching;
mod queue;
mod run;
mod state;
mod view;

pub use self::service::Plugins;
