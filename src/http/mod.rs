//! tiny_http wrapped: guard, worker pool, requests and replies.
