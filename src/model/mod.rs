//! The stored records and the state that holds them all.
