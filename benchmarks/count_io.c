/* Preloaded into a process: counts what it writes and syncs below COUNT_IO_BELOW, into the file COUNT_IO_INTO. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static struct { uint64_t bytes, writes, syncs; } *count;
static char below[PATH_MAX];

__attribute__((constructor)) static void start(void) {
    const char *into = getenv("COUNT_IO_INTO"), *folder = getenv("COUNT_IO_BELOW");
    if (!into || !folder || !realpath(folder, below)) return;
    int fd = open(into, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, sizeof *count) < 0) return;
    void *shared = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    count = shared == MAP_FAILED ? NULL : shared;
    close(fd);
}

static int ours(int fd) {
    char link[64], path[PATH_MAX];
    if (!count) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strncmp(path, below, strlen(below)) == 0;
}

static ssize_t wrote(int fd, ssize_t n) {
    if (n > 0 && ours(fd)) {
        __atomic_add_fetch(&count->bytes, n, __ATOMIC_RELAXED);
        __atomic_add_fetch(&count->writes, 1, __ATOMIC_RELAXED);
    }
    return n;
}

static void synced(int fd) {
    if (ours(fd)) __atomic_add_fetch(&count->syncs, 1, __ATOMIC_RELAXED);
}

#define NEXT(name) static __typeof__(&name) next; if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *b, size_t n) {
    NEXT(write);
    return wrote(fd, next(fd, b, n));
}
ssize_t pwrite(int fd, const void *b, size_t n, off_t at) {
    NEXT(pwrite);
    return wrote(fd, next(fd, b, n, at));
}
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t at) {
    NEXT(pwrite64);
    return wrote(fd, next(fd, b, n, at));
}
ssize_t writev(int fd, const struct iovec *v, int n) {
    NEXT(writev);
    return wrote(fd, next(fd, v, n));
}
int fsync(int fd) {
    NEXT(fsync);
    synced(fd);
    return next(fd);
}
int fdatasync(int fd) {
    NEXT(fdatasync);
    synced(fd);
    return next(fd);
}
