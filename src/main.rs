//! The executable: arguments in, exit code out.

fn main() {}
