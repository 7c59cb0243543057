/*
 * A slow disk below the program, as a library to preload: each sync waits until the disk has taken
 * what was written to the file since the last one. The disk does one thing at a time, in the order
 * asked, and a long write in pieces, so that a short one need not wait for its end.
 *
 * SLOW_DISK_SYNC_US     microseconds of one sync
 * SLOW_DISK_BYTES_PER_S bytes a second
 *
 * Refuses to be exact: what the system would have written behind the program's back meanwhile is
 * waited for, too.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define DESCRIPTORS 65536
#define PIECE (256L * 1024)

/* Bytes written to each descriptor since its last sync. */
static atomic_long unsynced[DESCRIPTORS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static unsigned long next_ticket, now_served;

static long setting(const char *name) {
    const char *value = getenv(name);
    return value ? atol(value) : 0;
}

/* Has the disk to itself for some microseconds, when its turn has come. */
static void occupy(long micros) {
    pthread_mutex_lock(&lock);
    unsigned long ticket = next_ticket++;
    while (ticket != now_served) pthread_cond_wait(&moved, &lock);
    pthread_mutex_unlock(&lock);
    struct timespec rest = {micros / 1000000, micros % 1000000 * 1000};
    while (nanosleep(&rest, &rest) != 0) {}
    pthread_mutex_lock(&lock);
    now_served++;
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&lock);
}

static void note(int fd, ssize_t written) {
    if (written > 0 && fd >= 0 && fd < DESCRIPTORS) atomic_fetch_add(&unsynced[fd], written);
}

static int sync_slowly(long call, int fd) {
    long left = fd >= 0 && fd < DESCRIPTORS ? atomic_exchange(&unsynced[fd], 0) : 0;
    long rate = setting("SLOW_DISK_BYTES_PER_S");
    for (; rate > 0 && left > PIECE; left -= PIECE) occupy(PIECE * 1000000 / rate);
    occupy(setting("SLOW_DISK_SYNC_US") + (rate > 0 ? left * 1000000 / rate : 0));
    return syscall(call, fd);
}

int fsync(int fd) { return sync_slowly(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_slowly(SYS_fdatasync, fd); }

int close(int fd) {
    if (fd >= 0 && fd < DESCRIPTORS) atomic_store(&unsynced[fd], 0);
    return syscall(SYS_close, fd);
}

ssize_t write(int fd, const void *bytes, size_t count) {
    ssize_t written = syscall(SYS_write, fd, bytes, count);
    note(fd, written);
    return written;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    ssize_t written = syscall(SYS_writev, fd, parts, count);
    note(fd, written);
    return written;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t offset) {
    ssize_t written = syscall(SYS_pwrite64, fd, bytes, count, offset);
    note(fd, written);
    return written;
}
