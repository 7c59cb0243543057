//! Returning memory to the system.
//!
//! The allocator keeps freed memory. After work on the whole library that is a multiple of its size, which a running
//! game could use.

/// Bytes from which a piece of memory is the system's again as soon as it is freed.
#[cfg(target_env = "gnu")]
const LARGE: i32 = 1 << 20;

/// Pools of the allocator. Each reserves 64 MiB of addresses and keeps what is freed in it; without a
/// bound there are eight for each core.
#[cfg(target_env = "gnu")]
const POOLS: i32 = 2;

/// Returns large pieces of memory to the system when they are freed and makes threads share the pools of small ones,
/// for the life of the program.
///
/// The allocator would otherwise raise that bound with every large piece it frees, and keep those that
/// come later among the small ones. Called once, before there are threads.
#[expect(unsafe_code, reason = "the C library has the one call that does this")]
pub fn return_large_pieces() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it takes two numbers; one that it does not know changes nothing.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 2 * LARGE);
        libc::mallopt(libc::M_ARENA_MAX, POOLS);
    }
}

/// Returns the free pages of the allocator to the system. Takes a few milliseconds for each hundred
/// megabytes that are free: for the end of long work, not for a request.
#[expect(unsafe_code, reason = "the C library has the one call that does this")]
pub fn give_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it takes a number and may be called from any thread at any time.
    unsafe {
        libc::malloc_trim(0);
    }
}
