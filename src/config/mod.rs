//! The configuration of the process at its start: environment, `.env` files, the layout of the data
//! directory and the table of settings.
//!
//! Owns every name that configures the program and the rule behind each value. It reads the environment and files; it
//! writes nothing. A stored setting is changed by committing the normalised values that [`settings::validate`] returns.
//!
//! At start the order is: [`environment::Environment::capture`], [`data_dir::DataDir::resolve`], and
//! only then [`environment::Environment::with_env_files`], for the data directory is one of the
//! places where `.env` files are searched and therefore never named by one.

pub mod catalogues;
pub mod credentials;
pub mod data_dir;
pub mod dotenv;
pub mod environment;
pub mod machine;
pub mod native;
pub mod release;
pub mod settings;
pub mod switches;
