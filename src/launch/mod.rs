//! From a stored game to a command: profiles, emulator detection, archives and the Launch Doctor.
//!
//! Decides what is started and reports what prevents it; starts no game itself.

pub mod archives;
pub mod choices;
pub mod cores;
pub mod detection;
pub mod doctor;
pub mod error;
pub mod extras;
pub mod invocation;
pub mod machine;
pub mod mame;
pub mod plan;
pub mod prepare;
pub mod profiles;
