//! The one door to child processes.
