//! Environment, settings table and the layout of the data directory.
