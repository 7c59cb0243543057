//! The command line: its table, the texts generated from it, and the commands that ask the running service.
//!
//! | file | what |
//! |---|---|
//! | `table` | every option and command, once: parsing, help, completions and manual page follow from it |
//! | `invocation` | the words after a command |
//! | `help`, `completions`, `man` | the texts that are generated from the table |
//! | `service` | finding the running service and asking it |
//! | `output` | tables and JSON for people, scripts and pipes |
//! | `games`, `work`, `doctor` | the commands |
//! | `user_install` | `--install-user` and `--uninstall-user` |

pub mod completions;
pub mod doctor;
pub mod error;
pub mod games;
pub mod help;
pub mod invocation;
pub mod man;
pub mod output;
pub mod run;
pub mod service;
pub mod table;
pub mod user_install;
pub mod work;
