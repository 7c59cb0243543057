//! The state of record: snapshots, commits, log, folds and recovery.
