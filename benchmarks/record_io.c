/* Preloaded into a process: records what it does to files below RECORD_IO_BELOW, in order, into RECORD_IO_INTO.
   A record: kind (1 write, 2 truncate, 3 sync, 4 rename, 5 remove), length of the path, offset or size, length of what
   follows the path (data, or the new path), seconds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define NEXT(name) static __typeof__(&name) next; if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

enum { WRITE = 1, TRUNCATE, SYNC, RENAME, REMOVE };
struct record { uint32_t kind, path; uint64_t at, length; double seconds; } __attribute__((packed));

static int into = -1;
static char below[PATH_MAX];
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void start(void) {
    const char *file = getenv("RECORD_IO_INTO"), *folder = getenv("RECORD_IO_BELOW");
    if (!file || !folder || !realpath(folder, below)) return;
    into = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static ssize_t put(int fd, const struct iovec *parts, int count) {
    NEXT(writev);
    return next(fd, parts, count);
}

static void record(uint32_t kind, const char *path, uint64_t at, const void *data, uint64_t length) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct record head = {kind, strlen(path), at, length, now.tv_sec + now.tv_nsec / 1e9};
    struct iovec parts[] = {{&head, sizeof head}, {(void *)path, head.path}, {(void *)data, length}};
    if (put(into, parts, 3) < 0) abort();
}

static int path_of(int fd, char *path) {
    char link[64];
    if (into < 0 || fd == into) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strncmp(path, below, strlen(below)) == 0;
}

static int ours(const char *path) {
    return into >= 0 && strncmp(path, below, strlen(below)) == 0;
}

static ssize_t wrote(int fd, const void *data, ssize_t n, off64_t at) {
    char path[PATH_MAX];
    if (n > 0 && path_of(fd, path)) record(WRITE, path, at >= 0 ? at : lseek64(fd, 0, SEEK_CUR) - n, data, n);
    return n;
}

#define ORDERED(result, call, then) \
    pthread_mutex_lock(&order); result = call; then; pthread_mutex_unlock(&order); return result

ssize_t write(int fd, const void *b, size_t n) {
    NEXT(write);
    ssize_t done;
    ORDERED(done, next(fd, b, n), wrote(fd, b, done, -1));
}
ssize_t pwrite(int fd, const void *b, size_t n, off_t at) {
    NEXT(pwrite);
    ssize_t done;
    ORDERED(done, next(fd, b, n, at), wrote(fd, b, done, at));
}
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t at) {
    NEXT(pwrite64);
    ssize_t done;
    ORDERED(done, next(fd, b, n, at), wrote(fd, b, done, at));
}
static int cut(int fd, int done, uint64_t size) {
    char path[PATH_MAX];
    if (!done && path_of(fd, path)) record(TRUNCATE, path, size, "", 0);
    return done;
}
int ftruncate(int fd, off_t size) {
    NEXT(ftruncate);
    int done;
    ORDERED(done, next(fd, size), cut(fd, done, size));
}
int ftruncate64(int fd, off64_t size) {
    NEXT(ftruncate64);
    int done;
    ORDERED(done, next(fd, size), cut(fd, done, size));
}
static int synced(int fd, int done) {
    char path[PATH_MAX];
    if (!done && path_of(fd, path)) record(SYNC, path, 0, "", 0);
    return done;
}
int fsync(int fd) {
    NEXT(fsync);
    int done;
    ORDERED(done, next(fd), synced(fd, done));
}
int fdatasync(int fd) {
    NEXT(fdatasync);
    int done;
    ORDERED(done, next(fd), synced(fd, done));
}
int rename(const char *from, const char *to) {
    NEXT(rename);
    int done;
    ORDERED(done, next(from, to), if (!done && ours(from)) record(RENAME, from, 0, to, strlen(to)));
}
int unlink(const char *path) {
    NEXT(unlink);
    int done;
    ORDERED(done, next(path), if (!done && ours(path)) record(REMOVE, path, 0, "", 0));
}
static int opened(int fd, int flags) {
    char path[PATH_MAX];
    if (fd >= 0 && flags & O_TRUNC && path_of(fd, path)) record(TRUNCATE, path, 0, "", 0);
    return fd;
}
#define OPEN(name) \
int name(const char *path, int flags, ...) { \
    NEXT(name); \
    va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, mode_t); va_end(rest); \
    int fd; \
    ORDERED(fd, next(path, flags, mode), opened(fd, flags)); \
}
OPEN(open)
OPEN(open64)
#define OPENAT(name) \
int name(int folder, const char *path, int flags, ...) { \
    NEXT(name); \
    va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, mode_t); va_end(rest); \
    int fd; \
    ORDERED(fd, next(folder, path, flags, mode), opened(fd, flags)); \
}
OPENAT(openat)
OPENAT(openat64)
