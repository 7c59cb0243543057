//! What the library answers: projection, queries, media, edits.
