//! Black-box tests: the real executable on a temporary data directory, spoken to over HTTP.
