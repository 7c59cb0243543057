//! Launching games and following them: sessions, playtime, history, launch profiles.
//!
//! Owns the rules (which command, what a session writes, when it is over) and the service around
//! them. Refuses to speak HTTP and to spawn or signal anything itself. Invariants: a session is in
//! the state before its launch is answered; its playtime goes to the game with its stable id or to
//! none; games outlive the service.

pub mod capture;
pub mod archives;
pub mod choices;
pub mod clients;
pub mod commands;
pub mod cores;
pub mod detection;
pub mod doctor;
pub mod error;
pub mod events;
pub mod extras;
pub mod history;
pub mod invocation;
pub mod ledger;
pub mod performance;
pub mod power;
pub mod profiles;
pub mod recap;
pub mod sessions;
pub mod stopwatch;
pub mod tracking;

mod prepare;
