/* Preloaded: fails reads, writes or syncs below FAIL_IO_BELOW, as the first byte of the file FAIL_IO_BY says:
   r: reads fail (EIO), w: writes (EIO), s: syncs (EIO), o: the file system has become read-only (EROFS). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *how;
static char below[PATH_MAX];

__attribute__((constructor)) static void start(void) {
    const char *by = getenv("FAIL_IO_BY"), *folder = getenv("FAIL_IO_BELOW");
    if (!by || !folder || !realpath(folder, below)) return;
    int fd = open(by, O_RDONLY);
    void *shared = fd < 0 ? MAP_FAILED : mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
    if (shared != MAP_FAILED) how = shared;
    if (fd >= 0) close(fd);
}

static int is_below(const char *path) { return strncmp(path, below, strlen(below)) == 0; }

static int fails(int fd, const char *ways) {
    char link[64], path[PATH_MAX];
    if (!how || !*how || !strchr(ways, *how)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (!is_below(path)) return 0;
    errno = *how == 'o' ? EROFS : EIO;
    return 1;
}

static int refuses(const char *path) {
    if (!how || *how != 'o' || !is_below(path)) return 0;
    errno = EROFS;
    return 1;
}

#define NEXT(name) static __typeof__(&name) next; if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t read(int fd, void *b, size_t n) { NEXT(read); return fails(fd, "r") ? -1 : next(fd, b, n); }
ssize_t pread(int fd, void *b, size_t n, off_t at) { NEXT(pread); return fails(fd, "r") ? -1 : next(fd, b, n, at); }
ssize_t pread64(int fd, void *b, size_t n, off64_t at) { NEXT(pread64); return fails(fd, "r") ? -1 : next(fd, b, n, at); }
ssize_t write(int fd, const void *b, size_t n) { NEXT(write); return fails(fd, "wo") ? -1 : next(fd, b, n); }
ssize_t pwrite(int fd, const void *b, size_t n, off_t at) { NEXT(pwrite); return fails(fd, "wo") ? -1 : next(fd, b, n, at); }
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t at) { NEXT(pwrite64); return fails(fd, "wo") ? -1 : next(fd, b, n, at); }
int ftruncate(int fd, off_t n) { NEXT(ftruncate); return fails(fd, "wo") ? -1 : next(fd, n); }
int ftruncate64(int fd, off64_t n) { NEXT(ftruncate64); return fails(fd, "wo") ? -1 : next(fd, n); }
int fsync(int fd) { NEXT(fsync); return fails(fd, "s") ? -1 : next(fd); }
int fdatasync(int fd) { NEXT(fdatasync); return fails(fd, "s") ? -1 : next(fd); }
int rename(const char *a, const char *b) { NEXT(rename); return refuses(a) ? -1 : next(a, b); }
int unlink(const char *path) { NEXT(unlink); return refuses(path) ? -1 : next(path); }
int mkdir(const char *path, mode_t mode) { NEXT(mkdir); return refuses(path) ? -1 : next(path, mode); }

#define OPEN(name)                                                                   \
    int name(const char *path, int flags, ...) {                                     \
        NEXT(name);                                                                  \
        va_list more;                                                                \
        va_start(more, flags);                                                       \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;    \
        va_end(more);                                                                \
        int writes = (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT;             \
        return writes && refuses(path) ? -1 : next(path, flags, mode);               \
    }
OPEN(open)
OPEN(open64)
