//! Searching the library by plain words: the library itself, or an index next to it when it is large
//! (`GET /api/v2/library/search`). See `docs/design/query.md`.
//!
//! Owns `library.sqlite3`, which can be deleted at any time: the library decides, and when anything is wrong with the
//! index, the search answers from the library instead. Holds no data that exists nowhere else.
//!
//! | file | what it does |
//! |---|---|
//! | `words` | what of a game is searched, and how a query is put to the index |
//! | `plain` | the search in the library itself |
//! | `index` | the file: opened, updated, queried |
//! | `service` | keeps it up to date, decides when it is used, and what happens when it breaks |

pub mod service;
pub mod plain;

mod index;
mod words;

#[cfg(test)]
mod tests;
