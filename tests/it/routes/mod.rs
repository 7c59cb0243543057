//! Tests of the routes, in a tree that mirrors their addresses.
