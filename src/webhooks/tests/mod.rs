//! Tests of the module beyond one file: configurations, and the dispatcher with a network of its own.

mod config;
mod dispatcher;
