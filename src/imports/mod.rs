//! Sources of games: folders and files become records.
