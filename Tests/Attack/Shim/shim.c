// Interposed between a program and the C library (LD_PRELOAD): counts the calls by which it changes
// files, maps them or creates threads, fails the chosen one, and records the changes of the disk.
// `Shim.swift` has the other end of `struct control` and of the trace.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { WRITE = 1, SYNC = 2, SIZE = 4, NAME = 8, OPEN = 16, MAP = 32, THREAD = 64 };
enum manner { NEVER, REFUSED, SHORT, LATE, KILLED };

// Shared by all processes of a run.
struct control {
  uint32_t kinds;         // which calls count
  uint32_t at;            // the first call that fails; 0 for none
  uint32_t on;            // whether all after it fail as well
  uint32_t error;         // how
  uint32_t manner;        // REFUSED: nothing is done; SHORT: half; LATE: all, and then it fails
  _Atomic uint32_t count; // calls so far
  _Atomic uint32_t failed;
  uint32_t last_kind;     // of the first call that failed
  int64_t shift;          // milliseconds that the clock jumps by
  uint32_t shift_at;      // at which look at it
  _Atomic uint32_t looks;
};

// One change of the disk. The paths and the bytes follow.
struct event {
  uint32_t what;
  uint32_t failed; // whether the call reported a failure
  uint64_t inode;
  int64_t offset;
  uint32_t lengths[3]; // of the two paths and the bytes
};
enum what { E_WRITE = 1, E_SYNC, E_SIZE, E_MADE, E_LINK, E_RENAME, E_UNLINK };

static struct control *control;
static int trace = -1;
static char folder[PATH_MAX];
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

#define REAL(result, name, ...) \
  static result (*real)(__VA_ARGS__); \
  if (!real) real = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("ATTACK_CONTROL"), *to = getenv("ATTACK_TRACE"),
             *watched = getenv("ATTACK_FOLDER");
  if (!path || !watched || !realpath(watched, folder)) return;
  int file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  if (file < 0) return;
  void *map = (void *)syscall(
    SYS_mmap, NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, (long)file, 0L);
  syscall(SYS_close, file);
  if (map == MAP_FAILED) return;
  if (to) {
    // Use a high number, for programs that are limited to few descriptors.
    int low = syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
    trace = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 100);
    if (low >= 0) syscall(SYS_close, low);
  }
  control = map;
}

static int is_inside(const char *path) {
  size_t length = strlen(folder);
  return !strncmp(path, folder, length) && path[length] == '/';
}

// Resolves the folder of a path; the file itself need not exist.
static int resolve(int at, const char *path, char *found) {
  char joined[PATH_MAX], link[64];
  if (path[0] != '/' && at != AT_FDCWD) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    ssize_t length = readlink(link, joined, sizeof joined - 1);
    if (length < 0 || length + strlen(path) + 2 > sizeof joined) return 0;
    joined[length] = '/';
    strcpy(joined + length + 1, path);
  } else {
    if (strlen(path) >= sizeof joined) return 0;
    strcpy(joined, path);
  }
  char *slash = strrchr(joined, '/');
  const char *name = slash ? slash + 1 : joined;
  char directory[PATH_MAX];
  if (slash) *slash = 0;
  if (!realpath(slash ? (slash == joined ? "/" : joined) : ".", directory)) return 0;
  if (strlen(directory) + strlen(name) + 2 > PATH_MAX) return 0;
  strcpy(found, directory);
  if (*name) {
    strcat(found, "/");
    strcat(found, name);
  }
  return 1;
}

// Whether a descriptor refers to a file in the folder, or to the folder itself; returns its path.
static int is_watched(int file, struct stat *status, char *path) {
  char link[64];
  if (!control || fstat(file, status) != 0) return 0;
  if (!S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode)) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_inside(path) || !strcmp(path, folder);
}

static void note(
  enum what what, int failed, uint64_t inode, int64_t offset, const char *one, const char *other,
  const struct iovec *parts, int count, size_t bytes) {
  if (trace < 0) return;
  struct event event = {what, failed, inode, offset, {0, 0, (uint32_t)bytes}};
  event.lengths[0] = one ? strlen(one) : 0;
  event.lengths[1] = other ? strlen(other) : 0;
  size_t total = sizeof event + event.lengths[0] + event.lengths[1] + bytes;
  char *all = malloc(total), *end = all;
  if (!all) abort();
  end = mempcpy(end, &event, sizeof event);
  end = mempcpy(end, one ? one : "", event.lengths[0]);
  end = mempcpy(end, other ? other : "", event.lengths[1]);
  for (int part = 0; part < count && bytes > 0; part++) {
    size_t length = parts[part].iov_len < bytes ? parts[part].iov_len : bytes;
    end = mempcpy(end, parts[part].iov_base, length);
    bytes -= length;
  }
  if (syscall(SYS_write, trace, all, total) != (ssize_t)total) abort();
  free(all);
}

// A recorder writes its acknowledgements of durable records to this file, and these writes never
// fail.
static int is_acknowledgement(const char *path) {
  const char *name = strrchr(path, '/');
  return name && !strcmp(name, "/acks");
}

// Counts a call and returns how it must fail.
static enum manner counted(enum kind kind, const char *path) {
  if (path && is_acknowledgement(path)) return NEVER;
  if (!control || !(control->kinds & kind)) return NEVER;
  uint32_t number = atomic_fetch_add(&control->count, 1) + 1;
  if (!control->at || number < control->at || (number > control->at && !control->on)) return NEVER;
  if (control->manner == KILLED) kill(getpid(), SIGKILL);
  if (atomic_fetch_add(&control->failed, 1) == 0) control->last_kind = kind;
  return control->manner;
}

// ---- Writes

static ssize_t written(
  int file, const struct iovec *parts, int count, off_t offset, int is_placed) {
  struct stat status;
  char path[PATH_MAX];
  if (!is_watched(file, &status, path)) {
    return is_placed ? syscall(SYS_pwritev, file, parts, count, offset, 0L)
                     : syscall(SYS_writev, file, parts, count);
  }
  pthread_mutex_lock(&order);
  int flags = fcntl(file, F_GETFL);
  off_t place = is_placed             ? offset
                : (flags & O_APPEND) ? status.st_size
                                      : lseek(file, 0, SEEK_CUR);
  enum manner manner = counted(WRITE, path);
  ssize_t done = -1;
  if (manner == NEVER || manner == LATE) {
    done = is_placed ? syscall(SYS_pwritev, file, parts, count, offset, 0L)
                     : syscall(SYS_writev, file, parts, count);
  } else if (manner == SHORT && count > 0) {
    // A part of the first piece is written.
    struct iovec half = {parts[0].iov_base, parts[0].iov_len / 2};
    done = is_placed ? syscall(SYS_pwritev, file, &half, 1, offset, 0)
                     : syscall(SYS_writev, file, &half, 1);
  }
  if (done > 0) note(E_WRITE, 0, status.st_ino, place, path, NULL, parts, count, done);
  // Such writes are on the disk before the call returns.
  if (done > 0 && (flags & O_DSYNC)) {
    note(E_SYNC, manner != NEVER, status.st_ino, 0, path, NULL, NULL, 0, 0);
  }
  pthread_mutex_unlock(&order);
  if (manner == REFUSED || manner == LATE) {
    errno = control->error;
    return -1;
  }
  return done;
}

ssize_t write(int file, const void *bytes, size_t length) {
  struct iovec part = {(void *)bytes, length};
  return written(file, &part, 1, 0, 0);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  return written(file, parts, count, 0, 0);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
  struct iovec part = {(void *)bytes, length};
  return written(file, &part, 1, offset, 1);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
  return written(file, parts, count, offset, 1);
}

// ---- Syncs

static int synced(int file, int (*real)(int)) {
  struct stat status;
  char path[PATH_MAX];
  if (!is_watched(file, &status, path)) return real(file);
  pthread_mutex_lock(&order);
  enum manner manner = counted(SYNC, path);
  int result = manner == NEVER || manner == LATE ? real(file) : -1;
  note(E_SYNC, manner != NEVER, status.st_ino, 0, path, NULL, NULL, 0, 0);
  pthread_mutex_unlock(&order);
  if (manner == NEVER) return result;
  errno = control->error;
  return -1;
}

int fsync(int file) {
  REAL(int, fsync, int);
  return synced(file, real);
}

int fdatasync(int file) {
  REAL(int, fdatasync, int);
  return synced(file, real);
}

int msync(void *start, size_t length, int flags) {
  REAL(int, msync, void *, size_t, int);
  if (counted(SYNC, NULL) != NEVER) {
    errno = control->error;
    return -1;
  }
  return real(start, length, flags);
}

// ---- Sizes

int ftruncate(int file, off_t length) {
  REAL(int, ftruncate, int, off_t);
  struct stat status;
  char path[PATH_MAX];
  if (!is_watched(file, &status, path)) return real(file, length);
  pthread_mutex_lock(&order);
  enum manner manner = counted(SIZE, path);
  int result = manner == NEVER || manner == LATE ? real(file, length) : -1;
  if (result == 0) note(E_SIZE, 0, status.st_ino, length, path, NULL, NULL, 0, 0);
  pthread_mutex_unlock(&order);
  if (manner == NEVER) return result;
  errno = control->error;
  return -1;
}

// ---- Names

static int named(
  enum what what, int at, const char *from, int to_at, const char *to, int flags, int number) {
  char one[PATH_MAX] = "", other[PATH_MAX] = "";
  int isOurs = control && resolve(at, from, one) && is_inside(one);
  if (to && control) isOurs = (resolve(to_at, to, other) && is_inside(other)) || isOurs;
  if (isOurs) pthread_mutex_lock(&order);
  enum manner manner = isOurs ? counted(NAME, one) : NEVER;
  int result = -1, code = 0;
  struct stat status = {0};
  if (isOurs) syscall(SYS_newfstatat, at, from, &status, AT_SYMLINK_NOFOLLOW);
  if (manner == NEVER || manner == LATE) {
    result = to ? (number == SYS_linkat ? syscall(number, at, from, to_at, to, flags)
                                        : syscall(SYS_renameat2, at, from, to_at, to, flags))
                : syscall(SYS_unlinkat, at, from, flags);
    code = errno;
    if (isOurs && result == 0) {
      note(what, manner != NEVER, status.st_ino, 0, one, other, NULL, 0, 0);
    }
  }
  if (isOurs) pthread_mutex_unlock(&order);
  if (manner != NEVER) {
    errno = control->error;
    return -1;
  }
  errno = code;
  return result;
}

int link(const char *from, const char *to) {
  return named(E_LINK, AT_FDCWD, from, AT_FDCWD, to, 0, SYS_linkat);
}
int linkat(int at, const char *from, int to_at, const char *to, int flags) {
  return named(E_LINK, at, from, to_at, to, flags, SYS_linkat);
}
int rename(const char *from, const char *to) {
  return named(E_RENAME, AT_FDCWD, from, AT_FDCWD, to, 0, SYS_renameat2);
}
int renameat(int at, const char *from, int to_at, const char *to) {
  return named(E_RENAME, at, from, to_at, to, 0, SYS_renameat2);
}
int renameat2(int at, const char *from, int to_at, const char *to, unsigned flags) {
  return named(E_RENAME, at, from, to_at, to, flags, SYS_renameat2);
}
int unlink(const char *path) { return named(E_UNLINK, AT_FDCWD, path, 0, NULL, 0, 0); }
int unlinkat(int at, const char *path, int flags) {
  return named(E_UNLINK, at, path, 0, NULL, flags, 0);
}

// ---- Opening

static int opened(int at, const char *path, int flags, mode_t mode) {
  char found[PATH_MAX];
  int isOurs = control && (flags & (O_WRONLY | O_RDWR | O_CREAT)) && resolve(at, path, found)
    && is_inside(found);
  if (!isOurs) return syscall(SYS_openat, at, path, flags, mode);
  pthread_mutex_lock(&order);
  enum manner manner = counted(OPEN, found);
  int file = -1, code = 0;
  if (manner == NEVER) {
    struct stat status;
    int exists = syscall(SYS_newfstatat, at, path, &status, 0) == 0;
    file = syscall(SYS_openat, at, path, flags, mode);
    code = errno;
    if (file >= 0 && !exists && fstat(file, &status) == 0) {
      note(E_MADE, 0, status.st_ino, 0, found, NULL, NULL, 0, 0);
    }
    if (file >= 0 && exists && (flags & O_TRUNC)) {
      note(E_SIZE, 0, status.st_ino, 0, found, NULL, NULL, 0, 0);
    }
  }
  pthread_mutex_unlock(&order);
  errno = manner == NEVER ? code : (int)control->error;
  return file;
}

#define OPENED(...) \
  { \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
      va_list rest; \
      va_start(rest, flags); \
      mode = va_arg(rest, mode_t); \
      va_end(rest); \
    } \
    return opened(__VA_ARGS__, flags, mode); \
  }
int open(const char *path, int flags, ...) OPENED(AT_FDCWD, path)
int open64(const char *path, int flags, ...) OPENED(AT_FDCWD, path)
int openat(int at, const char *path, int flags, ...) OPENED(at, path)
int openat64(int at, const char *path, int flags, ...) OPENED(at, path)

// ---- Maps, threads, clocks

void *mmap(void *start, size_t length, int rights, int flags, int file, off_t offset) {
  struct stat status;
  char path[PATH_MAX];
  if (file >= 0 && is_watched(file, &status, path) && counted(MAP, path) != NEVER) {
    errno = control->error;
    return MAP_FAILED;
  }
  return (void *)syscall(SYS_mmap, start, length, rights, flags, (long)file, offset);
}

int pthread_create(
  pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *context) {
  REAL(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (counted(THREAD, NULL) != NEVER) return EAGAIN;
  return real(thread, attributes, work, context);
}

static int64_t shift(void) {
  if (!control || !control->shift_at) return 0;
  return atomic_fetch_add(&control->looks, 1) + 1 >= control->shift_at ? control->shift : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += shift() / 1000;
  return result;
}

time_t time(time_t *now) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (now) *now = exact.tv_sec;
  return exact.tv_sec;
}

// The names of these calls for 64-bit offsets, from the time when offsets had 32 bits.
#define SAME(name) __attribute__((alias(name)))
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset) SAME("pwrite");
ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t offset) SAME("pwritev");
int ftruncate64(int file, off64_t length) SAME("ftruncate");
void *mmap64(void *start, size_t length, int rights, int flags, int file, off64_t offset)
  SAME("mmap");
