//! Wiring, start and stop.
