//! Launching, tracking and history.
