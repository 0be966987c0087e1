//===- Temporary.cpp - Temporary files ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files that a signal handler removes are listed in a table. Its parts
// never move or disappear, because a handler may neither allocate nor lock. The
// handler reads folders with the raw system call.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Temporary.h"

#include "sluice/Base/Hash.h"
#include "sluice/Base/Text.h"
#include "sluice/Base/WholeFiles.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <new>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace sluice;
namespace fs = std::filesystem;

//===----------------------------------------------------------------------===//
// Files that a signal removes
//===----------------------------------------------------------------------===//

namespace {
struct FileSlot {
  enum State { Free, Taken, File, Folder };
  std::atomic<int> state{Free};
  char path[PATH_MAX];
};
} // namespace

/// The table grows by chunks, which never move.
static constexpr int slotsInChunk = 32, maxChunks = 128;
static FileSlot firstSlots[slotsInChunk];
static std::atomic<FileSlot *> chunks[maxChunks] = {firstSlots};
static std::atomic<pid_t> slotOwner{0};

/// Returns the number of the slot, or -1 if the table is full; then no signal
/// removes the file.
static int remember(const std::string &path, FileSlot::State kind) {
  if (path.size() >= PATH_MAX)
    return -1;
  for (int chunk = 0; chunk != maxChunks; ++chunk) {
    FileSlot *slots = chunks[chunk].load();
    if (!slots) {
      FileSlot *made = new (std::nothrow) FileSlot[slotsInChunk];
      if (!made)
        return -1;
      if (chunks[chunk].compare_exchange_strong(slots, made))
        slots = made;
      else
        delete[] made;
    }
    for (int i = 0; i != slotsInChunk; ++i) {
      int expected = FileSlot::Free;
      if (!slots[i].state.compare_exchange_strong(expected, FileSlot::Taken))
        continue;
      std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
      slots[i].state.store(kind);
      return chunk * slotsInChunk + i;
    }
  }
  return -1;
}

static void forget(int slot) {
  if (slot >= 0)
    chunks[slot / slotsInChunk].load()[slot % slotsInChunk].state.store(
        FileSlot::Free);
}

/// In a handler: how often what cannot be removed yet is tried again, and the
/// time between two tries. Other threads and child processes write until they
/// end as well.
static constexpr int maxTries = 200;
static constexpr timespec timeOfTry = {0, 5'000'000};

static std::atomic<int> numNaming{0};
/// The process that removes its files, because it ends.
static std::atomic<pid_t> removingProcess{0};

namespace {
/// Makes a file or folder appear in the table and on the disk as one step: no
/// handler runs on this thread meanwhile, and those of other threads wait.
class Naming {
public:
  Naming() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    ++numNaming;
    if (removingProcess.load() != ::getpid())
      return;
    // The process is likely to end before this thread can go on.
    --numNaming;
    for (int i = 0; i != maxTries; ++i)
      ::nanosleep(&timeOfTry, nullptr);
    ++numNaming;
  }
  ~Naming() {
    --numNaming;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  Naming(const Naming &) = delete;
  Naming &operator=(const Naming &) = delete;

private:
  sigset_t before;
};
} // namespace

/// Removes a folder with its files and some levels of subfolders; returns
/// whether it is gone.
static bool removeFolderInHandler(int parent, const char *path, int depth) {
  struct Entry {
    ino64_t number;
    off64_t offset;
    unsigned short size;
    unsigned char type;
    char name[1];
  };
  int folder =
      ::openat(parent, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (folder < 0)
    return errno == ENOENT;
  alignas(8) char buffer[4096];
  long size;
  // Removing entries while reading skips none of the others.
  while ((size = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0)
    for (long at = 0; at < size;) {
      auto *entry = reinterpret_cast<Entry *>(buffer + at);
      at += entry->size;
      if (!std::strcmp(entry->name, ".") || !std::strcmp(entry->name, ".."))
        continue;
      if (::unlinkat(folder, entry->name, 0) != 0 && depth > 0)
        removeFolderInHandler(folder, entry->name, depth - 1);
    }
  ::close(folder);
  return ::unlinkat(parent, path, AT_REMOVEDIR) == 0 || errno != ENOTEMPTY;
}

void sluice::removeTemporaries() {
  int error = errno;
  if (::getpid() == slotOwner.load()) {
    removingProcess.store(slotOwner.load());
    for (int i = 0; numNaming.load() && i != maxTries; ++i)
      ::nanosleep(&timeOfTry, nullptr);
    for (std::atomic<FileSlot *> &chunk : chunks) {
      FileSlot *slots = chunk.load();
      for (int i = 0; slots && i != slotsInChunk; ++i) {
        int state = slots[i].state.load();
        if (state == FileSlot::File)
          ::unlink(slots[i].path);
        else if (state == FileSlot::Folder)
          for (int tries = 0;
               !removeFolderInHandler(AT_FDCWD, slots[i].path, 4) &&
               tries != maxTries;
               ++tries)
            ::nanosleep(&timeOfTry, nullptr);
      }
    }
  }
  errno = error;
}

static void removeAndEnd(int signal) {
  removeTemporaries();
  // SA_RESETHAND has restored the default action: this ends the process.
  ::raise(signal);
}

bool sluice::isTemporariesHandler(void (*handler)(int)) {
  return handler == removeAndEnd;
}

void sluice::removeTemporariesOnSignals() {
  slotOwner.store(::getpid());
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU}) {
    struct sigaction before;
    if (::sigaction(signal, nullptr, &before) != 0 ||
        before.sa_handler != SIG_DFL)
      continue;
    struct sigaction action = {};
    action.sa_handler = removeAndEnd;
    action.sa_flags = int(SA_RESETHAND | SA_NODEFER);
    ::sigaction(signal, &action, nullptr);
  }
}

static constexpr int crashSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL,
                                       SIGABRT};
static struct sigaction crashHandlers[std::size(crashSignals)];

static void removeAndCrash(int signal, siginfo_t *info, void *) {
  removeTemporaries();
  for (size_t i = 0; i != std::size(crashSignals); ++i)
    if (crashSignals[i] == signal)
      ::sigaction(signal, &crashHandlers[i], nullptr);
  // A fault recurs after returning; a signal that a call has sent does not.
  if (info->si_code <= 0)
    ::raise(signal);
}

void sluice::removeTemporariesOnCrashes() {
  slotOwner.store(::getpid());
  struct sigaction action = {};
  action.sa_sigaction = removeAndCrash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (size_t i = 0; i != std::size(crashSignals); ++i) {
    struct sigaction known;
    if (::sigaction(crashSignals[i], nullptr, &known) != 0 ||
        ((known.sa_flags & SA_SIGINFO) && known.sa_sigaction == removeAndCrash))
      continue;
    crashHandlers[i] = known;
    ::sigaction(crashSignals[i], &action, nullptr);
  }
}

TemporaryPath::TemporaryPath(const std::string &path)
    : slot(remember(path, FileSlot::File)) {}

TemporaryPath::~TemporaryPath() { forget(slot); }

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static std::string randomName() {
  uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number)
    number = uint64_t(::getpid()) << 32 ^ uint64_t(::clock());
  return ContentHash().add(number).text().substr(0, 16);
}

static Status systemError(std::string_view what, const std::string &path,
                          int errorNumber) {
  return Status::error(StatusCode::System,
                       concat("cannot ", what, " ", sluice::quoted(path), ": ",
                              systemErrorText(errorNumber)));
}

TemporaryFile::TemporaryFile(std::string place, std::string path,
                             int descriptor, int slot)
    : place(std::move(place)), path(std::move(path)), descriptor(descriptor),
      slot(slot) {
  // A process that removes old files checks the lock.
  (void)::flock(descriptor, LOCK_EX | LOCK_NB);
}

TemporaryFile::TemporaryFile(TemporaryFile &&other) noexcept
    : place(std::move(other.place)), path(std::move(other.path)),
      descriptor(std::exchange(other.descriptor, -1)),
      slot(std::exchange(other.slot, -1)) {
  other.path.clear();
}

TemporaryFile::~TemporaryFile() {
  if (!path.empty())
    ::unlink(path.c_str());
  forget(slot);
  if (descriptor >= 0)
    ::close(descriptor);
}

static std::string nameBeside(const std::string &place) {
  return concat(std::string_view(place).substr(0, place.rfind('/') + 1),
                temporaryPrefix, randomName(), temporarySuffix);
}

/// The maximum number of random names that are tried.
static constexpr int maxNames = 100;

/// The path below /proc by which linkat finds an open file; needs no privilege.
static std::string linkOf(int descriptor) {
  return concat("/proc/self/fd/", descriptor);
}

/// Opens a file without a name in the folder of `place`; -1 if this is not
/// supported, or if the file could not be given a name later.
static int openNameless(const std::string &place, mode_t mode) {
  std::string folder = place.substr(0, place.rfind('/') + 1);
  int descriptor = ::open(folder.empty() ? "." : folder.c_str(),
                          O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (descriptor >= 0 && ::access(linkOf(descriptor).c_str(), F_OK) != 0) {
    ::close(descriptor);
    return -1;
  }
  return descriptor;
}

Result<TemporaryFile> TemporaryFile::create(const std::string &place,
                                            mode_t mode, bool mayBeNameless) {
  if (mayBeNameless)
    if (int descriptor = openNameless(place, mode); descriptor >= 0)
      return TemporaryFile(place, "", descriptor, -1);
  int error = EEXIST;
  for (int i = 0; i != maxNames && error == EEXIST; ++i) {
    std::string path = nameBeside(place);
    Naming naming;
    int descriptor =
        ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0) {
      int slot = remember(path, FileSlot::File);
      return TemporaryFile(place, std::move(path), descriptor, slot);
    }
    error = errno;
  }
  return systemError("write", place, error);
}

Status TemporaryFile::write(std::string_view content) {
  while (!content.empty()) {
    ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return systemError("write", place, errno);
    content.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Status TemporaryFile::name() {
  int error = EEXIST;
  for (int i = 0; i != maxNames && error == EEXIST; ++i) {
    std::string wanted = nameBeside(place), open = linkOf(descriptor);
    Naming naming;
    if (::linkat(AT_FDCWD, open.c_str(), AT_FDCWD, wanted.c_str(),
                 AT_SYMLINK_FOLLOW) == 0) {
      slot = remember(wanted, FileSlot::File);
      path = std::move(wanted);
      return {};
    }
    error = errno;
  }
  return systemError("write", place, error);
}

Status TemporaryFile::keep() {
  // linkat cannot replace a file, and a program that is open for writing cannot
  // be executed. So the file gets a temporary name, is closed and then moved.
  if (path.empty())
    if (Status status = name(); !status.ok())
      return status;
  // Some file systems report a full disk only here.
  if (::close(std::exchange(descriptor, -1)) != 0)
    return systemError("write", place, errno);
  if (::rename(path.c_str(), place.c_str()) != 0)
    return systemError("write", place, errno);
  path.clear();
  return {};
}

//===----------------------------------------------------------------------===//
// The work folder
//===----------------------------------------------------------------------===//

/// The minimum free disk space for the work folder.
static constexpr uint64_t minSpace = UINT64_C(32) << 20;

static constexpr std::string_view folderPrefix = "sluice-";
static constexpr std::string_view lockName = "lock";

bool sluice::hasSpaceToWork(const std::string &folder) {
  struct statvfs info;
  return ::statvfs(folder.c_str(), &info) != 0 ||
         uint64_t(info.f_bavail) * info.f_frsize >= minSpace;
}

/// True if the file belongs to this user and no process holds its lock.
static bool isOrphan(const std::string &path) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0)
    return false;
  struct stat info;
  bool isFree = ::fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
                info.st_uid == ::geteuid() &&
                ::flock(file, LOCK_EX | LOCK_NB) == 0;
  ::close(file);
  return isFree;
}

/// True for a folder to which no other user can have written.
static bool isOwnFolder(const std::string &path) {
  struct stat info;
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
         info.st_uid == ::geteuid() && !(info.st_mode & (S_IWGRP | S_IWOTH));
}

/// Removes the work folders of killed processes in `base`.
static void removeOldWorkFolders(const std::string &base) {
  std::error_code error;
  for (fs::directory_iterator entry(base, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    std::string path = entry->path();
    if (entry->path().filename().string().starts_with(folderPrefix) &&
        isOwnFolder(path) && isOrphan(concat(path, "/", lockName)))
      fs::remove_all(path, gone);
  }
}

/// Removes files that were never completed, in the folder and its subfolders.
static void removeOldFiles(const std::string &folder, int depth) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    std::string name = entry->path().filename();
    if (entry->is_symlink(gone))
      continue;
    if (entry->is_directory(gone)) {
      if (depth > 0)
        removeOldFiles(entry->path(), depth - 1);
      continue;
    }
    if (!name.starts_with(temporaryPrefix) || !name.ends_with(temporarySuffix))
      continue;
    // A writer creates its file shortly before it takes the lock.
    auto age = fs::file_time_type::clock::now() - entry->last_write_time(gone);
    if (!gone && age > std::chrono::seconds(10) && isOrphan(entry->path()))
      fs::remove(entry->path(), gone);
  }
}

void sluice::removeUnfinished(const std::string &folder) {
  removeOldFiles(folder, 0);
}

namespace {
class WorkFolder {
public:
  ~WorkFolder() { remove(); }
  Result<std::string> get();
  void remove();

private:
  /// Makes the folder below `base`.
  Status create(const std::string &base);

  std::mutex mutex;
  std::string path;
  int lock = -1;
  int slot = -1;
  pid_t process = 0;
};
} // namespace

Status WorkFolder::create(const std::string &base) {
  removeOldWorkFolders(base);
  std::string made = concat(base, "/", folderPrefix, randomName());
  {
    Naming naming;
    if (::mkdir(made.c_str(), 0700) == 0)
      slot = remember(made, FileSlot::Folder);
    else
      return systemError("create directory", made, errno);
  }
  // The lock file gets its final name after the lock has been taken.
  std::string lockPath = concat(made, "/", lockName), early = lockPath + ".new";
  lock = ::open(early.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) != 0 ||
      ::rename(early.c_str(), lockPath.c_str()) != 0) {
    Status status = systemError("write", lockPath, errno);
    std::error_code error;
    fs::remove_all(made, error);
    forget(std::exchange(slot, -1));
    return status;
  }
  path = made;
  process = ::getpid();
  return {};
}

Result<std::string> WorkFolder::get() {
  std::lock_guard guard(mutex);
  if (!path.empty() && process == ::getpid()) {
    if (::access(path.c_str(), F_OK) == 0)
      return path;
    // The folder no longer exists: the cache was cleared.
    ::close(std::exchange(lock, -1));
    forget(std::exchange(slot, -1));
  }
  // A forked child makes its own folder and does not remove its parent's.
  path.clear();
  std::string cache = cacheDirectory();
  if (!cache.empty()) {
    std::string base = cache + "/tmp";
    if (preparePrivateDirectory(base).ok() && hasSpaceToWork(base) &&
        create(base).ok()) {
      removeOldFiles(cache, 3);
      return path;
    }
  }
  const char *setting = std::getenv("TMPDIR");
  Status status = create(setting && *setting ? setting : "/tmp");
  if (!status.ok())
    return status;
  return path;
}

void WorkFolder::remove() {
  std::lock_guard guard(mutex);
  if (path.empty() || process != ::getpid())
    return;
  std::error_code error;
  fs::remove_all(path, error);
  path.clear();
  ::close(std::exchange(lock, -1));
  forget(std::exchange(slot, -1));
}

static WorkFolder &theWorkFolder() {
  static WorkFolder folder;
  return folder;
}

Result<std::string> sluice::workFolder() { return theWorkFolder().get(); }

Result<std::string> sluice::workPath(std::string_view ending) {
  Result<std::string> folder = workFolder();
  if (!folder.ok())
    return folder;
  return concat(*folder, "/", randomName(), ending);
}

void sluice::removeWorkFolder() { theWorkFolder().remove(); }
