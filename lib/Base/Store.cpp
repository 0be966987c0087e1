//===- Store.cpp - The cache on disk --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Store.h"

#include "sluice/Base/Seal.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace sluice;
namespace fs = std::filesystem;
using Time = std::chrono::system_clock::time_point;

static constexpr std::array<std::pair<StoreKind, std::string_view>, 9> kinds{{
    {StoreKind::Programs, "programs"},
    {StoreKind::Variants, "variants"},
    {StoreKind::Kernels, "kernels"},
    {StoreKind::Halide, "halide"},
    {StoreKind::Generators, "generators"},
    {StoreKind::Forms, "forms"},
    {StoreKind::Python, "python"},
    {StoreKind::Pack, "pack"},
    {StoreKind::Times, "times"},
}};

std::span<const StoreKind> sluice::storeKinds() {
  static constexpr auto all = [] {
    std::array<StoreKind, kinds.size()> all{};
    for (size_t i = 0; i != all.size(); ++i)
      all[i] = kinds[i].first;
    return all;
  }();
  return all;
}

std::string_view sluice::nameOf(StoreKind kind) {
  return kinds[size_t(kind)].second;
}

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

static Status storeError(std::string message) {
  return Status::error(StatusCode::System, std::move(message));
}

Store::Store(StoreKind kind, std::string givenRoot)
    : kind(kind), root(std::move(givenRoot)) {
  if (!root.empty())
    folder = concat(root, '/', nameOf(kind));
}

Result<Store> Store::open(StoreKind kind) {
  Store store(kind);
  if (Status status = store.prepare(); !status.ok())
    return status;
  return store;
}

Result<Store> Store::openOrTemporary(StoreKind kind) {
  Result<Store> store = open(kind);
  if (store.ok())
    return store;
  Result<std::string> work = workFolder();
  if (!work.ok())
    return store;
  Store temporary(kind, *work);
  temporary.isTemporary = true;
  if (Status status = temporary.prepare(); !status.ok())
    return status;
  return temporary;
}

Status Store::prepare() const {
  if (folder.empty())
    return storeError(
        "there is no folder for the cache: set HOME or SLUICE_CACHE_DIR");
  Status status = preparePrivateDirectory(folder);
  if (isTemporary)
    return status;
  const char *wayOut = "; SLUICE_CACHE_DIR names another folder for the cache";
  if (!status.ok())
    return storeError(concat(status.message(), wayOut));
  if (::access(folder.c_str(), W_OK) != 0)
    return storeError(concat("cannot write to the cache folder ",
                             sluice::quoted(folder), wayOut));
  // A linker that runs into a full disk ends with a signal, so a disk with
  // little space is not used at all.
  if (!hasSpaceToWork(folder))
    return storeError(concat("the disk of the cache folder ",
                             sluice::quoted(folder), " is full", wayOut));
  return {};
}

std::string Store::pathOf(std::string_view name) const {
  return concat(folder, '/', name);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::optional<std::string> Store::read(std::string_view name) const {
  // No other user may be able to change a file that is about to be used.
  if (folder.empty() || !checkPrivateDirectory(folder).ok())
    return std::nullopt;
  std::optional<std::string> content = readSealed(pathOf(name));
  if (content)
    touch(name);
  return content;
}

bool Store::contains(std::string_view name, uint64_t *size) const {
  std::optional<std::string> content = read(name);
  if (content && size)
    *size = content->size();
  return content.has_value();
}

void Store::touch(std::string_view name) const {
  const timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  (void)::utimensat(AT_FDCWD, pathOf(name).c_str(), times, AT_SYMLINK_NOFOLLOW);
}

Result<std::string> Store::pin(std::string_view name) const {
  Result<std::string> early = workPath("");
  if (!early.ok())
    return early;
  std::string path = pathOf(name);
  std::string pinned = concat(early->substr(0, early->rfind('/') + 1), name);
  std::error_code error;
  fs::create_hard_link(path, *early, error);
  if (error) // another file system, or one without such links
    fs::copy_file(path, *early, error);
  if (!error)
    fs::rename(*early, pinned, error);
  if (error)
    return storeError(
        concat("cannot use ", sluice::quoted(path), ": ", error.message()));
  // rename() does nothing if both names refer to the same file.
  fs::remove(*early, error);
  return pinned;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Files in current use are not removed to make room.
static constexpr std::chrono::seconds spareWhenFull{60};
/// A process makes room when it adds its first file, and after this many more.
static constexpr unsigned filesPerTrim = 64;

Status Store::added(Status status) const {
  static std::atomic<unsigned> count{0};
  if (status.ok() && !isTemporary && count++ % filesPerTrim == 0)
    trimCache(root, cacheLimit(root), spareWhenFull);
  return status;
}

Status Store::write(std::string_view name, std::string_view content) const {
  if (Status status = prepare(); !status.ok())
    return status;
  return added(writeSealed(pathOf(name), content));
}

Status Store::adopt(const std::string &from, std::string_view name,
                    bool isProgram) const {
  if (Status status = prepare(); !status.ok())
    return status;
  return added(sealInto(from, pathOf(name), isProgram));
}

Status Store::seal(std::string_view name, bool isProgram) const {
  return added(ensureSealed(pathOf(name), isProgram));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// The hash at the start of a file's name; FFCx chooses the names of forms.
/// Empty if the file does not belong to the cache.
static std::string_view keyOf(StoreKind kind, std::string_view name) {
  std::string_view key = name.substr(0, name.find_first_of(".-"));
  bool isHash = key.size() == 32 && key.find_first_not_of("0123456789abcdef") ==
                                        std::string_view::npos;
  bool isForm = kind == StoreKind::Forms && key.starts_with("libffcx_");
  return isHash || isForm ? key : std::string_view();
}

static Time timeOf(const timespec &time) {
  using namespace std::chrono;
  return Time(duration_cast<Time::duration>(seconds(time.tv_sec) +
                                            nanoseconds(time.tv_nsec)));
}

/// Not every file system records when a file is read.
static Time lastUseOf(const struct stat &info) {
  return std::max(timeOf(info.st_atim), timeOf(info.st_mtim));
}

std::vector<StoreEntry> Store::entries() const {
  std::map<std::string, StoreEntry, std::less<>> found;
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    std::string name = file->path().filename();
    std::string key(keyOf(kind, name));
    struct stat info;
    // Files may disappear during the scan.
    if (key.empty() || ::lstat(file->path().c_str(), &info) != 0 ||
        !S_ISREG(info.st_mode))
      continue;
    StoreEntry &entry = found[key];
    entry.key = key;
    entry.size += uint64_t(info.st_size);
    entry.lastUse = std::max(entry.lastUse, lastUseOf(info));
    entry.files.push_back(std::move(name));
  }
  std::vector<StoreEntry> all;
  for (auto &[key, entry] : found) {
    std::sort(entry.files.begin(), entry.files.end());
    all.push_back(std::move(entry));
  }
  return all;
}

namespace {
/// Locks out other processes that work on all files of a folder: Python, while
/// it compiles forms.
class FolderLock {
public:
  FolderLock(const std::string &folder, bool waits)
      : file(::open((folder + "/.lock").c_str(),
                    O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {
    int how = waits ? LOCK_EX : LOCK_EX | LOCK_NB;
    int result = 0;
    while (file >= 0 && (result = ::flock(file, how)) != 0 && errno == EINTR) {
    }
    isTaken = result != 0;
  }
  FolderLock(FolderLock &&other) noexcept
      : file(std::exchange(other.file, -1)), isTaken(other.isTaken) {}
  FolderLock &operator=(FolderLock &&) = delete;
  ~FolderLock() {
    if (file >= 0)
      ::close(file);
  }
  /// Another process has the lock.
  bool isBusy() const { return isTaken; }

private:
  int file;
  bool isTaken;
};
} // namespace

void Store::remove(const StoreEntry &entry) const {
  for (const std::string &name : entry.files) {
    struct stat info;
    if (::lstat(pathOf(name).c_str(), &info) == 0 &&
        lastUseOf(info) > entry.lastUse)
      return;
  }
  for (const std::string &name : entry.files)
    ::unlink(pathOf(name).c_str());
}

size_t Store::clear() const {
  FolderLock lock(folder, /*waits=*/true);
  std::vector<StoreEntry> all = entries();
  for (const StoreEntry &entry : all)
    remove(entry);
  if (!folder.empty())
    removeUnfinished(folder);
  return all.size();
}

//===----------------------------------------------------------------------===//
// The limit
//===----------------------------------------------------------------------===//

static constexpr uint64_t usualLimit = UINT64_C(2) << 30;

static std::string limitFile(const std::string &root) {
  return root + "/limit";
}

uint64_t sluice::cacheLimit(const std::string &root) {
  char text[32];
  int file =
      root.empty() ? -1 : ::open(limitFile(root).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return usualLimit;
  ssize_t size = ::read(file, text, sizeof text);
  ::close(file);
  uint64_t limit = usualLimit;
  if (size > 0)
    std::from_chars(text, text + size, limit);
  return limit;
}

Status sluice::setCacheLimit(const std::string &root, uint64_t bytes) {
  if (Status status = preparePrivateDirectory(root); !status.ok())
    return status;
  return writeFileAtomically(limitFile(root), concat(bytes, '\n'));
}

void sluice::trimCache(const std::string &root, uint64_t limit,
                       std::chrono::seconds spared) {
  struct Candidate {
    Store store;
    StoreEntry entry;
  };
  std::vector<Candidate> candidates;
  std::vector<FolderLock> locks;
  uint64_t size = 0;
  for (StoreKind kind : storeKinds()) {
    Store store(kind, root);
    removeUnfinished(store.getFolder());
    FolderLock lock(store.getFolder(), /*waits=*/false);
    for (StoreEntry &entry : store.entries()) {
      size += entry.size;
      if (!lock.isBusy())
        candidates.push_back({store, std::move(entry)});
    }
    locks.push_back(std::move(lock));
  }
  if (size <= limit)
    return;
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate &a, const Candidate &b) {
              return a.entry.lastUse < b.entry.lastUse;
            });
  // Removes somewhat more, so that not every new entry evicts an old one.
  const uint64_t goal = limit - limit / 8;
  const Time now = std::chrono::system_clock::now();
  for (const Candidate &candidate : candidates) {
    if (size <= goal || candidate.entry.lastUse > now - spared)
      return;
    candidate.store.remove(candidate.entry);
    size -= candidate.entry.size;
  }
}
