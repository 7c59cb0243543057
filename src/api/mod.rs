//! The route table and its thin handlers.
