//===- SharedFiles.cpp - Files that ranks write together ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every rank keeps its files open until they have their final names: its lock
// shows other processes that a temporary file is in use.
//
//===----------------------------------------------------------------------===//

#include "SharedFiles.h"

#include "sluice/Base/Hash.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <string_view>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace sluice;
using namespace sluice::regions;

static Status partsError(std::string_view what, const std::string &path,
                         std::string_view why) {
  return Status::error(
      StatusCode::System,
      concat("cannot ", what, " ", sluice::quoted(path), ": ", why));
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

Status sluice::regions::readFully(int descriptor, const std::string &path,
                                  char *to, uint64_t bytes, uint64_t offset) {
  while (bytes) {
    const ssize_t done =
        ::pread(descriptor, to, bytes, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return partsError("read", path, systemErrorText(errno));
    if (done == 0)
      return partsError("read", path,
                        concat("it ends at byte ", offset, ", and ", bytes,
                               " more are expected"));
    to += done;
    bytes -= static_cast<uint64_t>(done);
    offset += static_cast<uint64_t>(done);
  }
  return {};
}

Status sluice::regions::writeFully(int descriptor, const std::string &path,
                                   const char *from, uint64_t bytes,
                                   uint64_t offset) {
  while (bytes) {
    const ssize_t done =
        ::pwrite(descriptor, from, bytes, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return partsError("write", path, systemErrorText(errno));
    from += done;
    bytes -= static_cast<uint64_t>(done);
    offset += static_cast<uint64_t>(done);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Temporary files
//===----------------------------------------------------------------------===//

/// A file to which this rank writes. It is removed with the object, unless it
/// was renamed.
struct SharedFiles::File {
  /// Code that cleans up knows the file before it exists.
  File(std::string path, std::string temporary)
      : path(std::move(path)), temporary(std::move(temporary)),
        listed(this->temporary) {
    static std::atomic<unsigned> number = 0;
    // The launching tool finds the link if this process was killed.
    if (const char *folder = std::getenv("SLUICE_TASK_RECORDS")) {
      link = concat(folder, "/part", ::getpid(), "-", ++number);
      if (::symlink(this->temporary.c_str(), link.c_str()) != 0)
        link.clear();
    }
  }
  ~File() {
    if (descriptor >= 0) {
      if (!isDone)
        ::unlink(temporary.c_str());
      ::close(descriptor);
    }
    if (!link.empty())
      ::unlink(link.c_str());
  }
  File(const File &) = delete;

  /// Returns whether this rank has created the file.
  bool open() {
    const int flags = O_RDWR | O_CLOEXEC;
    descriptor = ::open(temporary.c_str(), flags | O_CREAT | O_EXCL, 0666);
    const bool isFirst = descriptor >= 0;
    if (!isFirst && errno == EEXIST)
      descriptor = ::open(temporary.c_str(), flags);
    // Processes that remove old files check the lock.
    if (descriptor >= 0)
      (void)::flock(descriptor, LOCK_SH | LOCK_NB);
    return isFirst;
  }

  const std::string path; ///< as it was given, for messages
  const std::string temporary;
  const TemporaryPath listed;
  std::string link;
  int descriptor = -1;
  bool isDone = false;
};

SharedFiles::SharedFiles(const SluiceCluster *cluster) : cluster(cluster) {
  if (::getrandom(&job, sizeof job, 0) != sizeof job)
    job = uint64_t(::getpid()) << 32 ^ uint64_t(::time(nullptr));
  if (!cluster)
    return;
  std::vector<uint64_t> all(cluster->numRanks);
  cluster->gather(cluster->context, &job, sizeof job, all.data());
  job = all[0];
}

SharedFiles::~SharedFiles() = default;

std::string SharedFiles::temporaryOf(const std::string &place) const {
  return concat(
      std::string_view(place).substr(0, place.rfind('/') + 1), temporaryPrefix,
      ContentHash().add(job).add(place).text().substr(0, 16), temporarySuffix);
}

/// For a link, the file to which it leads.
static std::string sharedPlaceOf(const std::string &path) {
  constexpr int maxLinks = 40;
  std::error_code failed, none;
  std::filesystem::path real = std::filesystem::weakly_canonical(path, failed);
  // A link to a missing file is left unchanged.
  for (int links = 0;
       !failed && links < maxLinks && std::filesystem::is_symlink(real, none);
       ++links) {
    real = real.parent_path() / std::filesystem::read_symlink(real, failed);
    if (!failed)
      real = std::filesystem::weakly_canonical(real, failed);
  }
  std::string place = real;
  if (failed || !place.starts_with('/'))
    place = std::filesystem::absolute(path, failed).lexically_normal();
  return place;
}

Result<std::unique_ptr<SharedFiles::File>>
SharedFiles::create(const std::string &path) const {
  const std::string place = sharedPlaceOf(path);
  struct stat old;
  const bool isThere = ::stat(place.c_str(), &old) == 0;
  if (isThere && !S_ISREG(old.st_mode))
    return partsError("write", path,
                      S_ISDIR(old.st_mode)
                          ? "it is a folder"
                          : "it is no regular file, and is written in parts");
  auto file = std::make_unique<File>(path, temporaryOf(place));
  const bool isFirst = file->open();
  if (file->descriptor < 0)
    return partsError("write", path, systemErrorText(errno));
  if (isFirst) {
    // Other ranks must be able to open it; at the end it gets the mode of the
    // old file.
    if (isThere)
      (void)::fchmod(file->descriptor, (old.st_mode & 0777) | 0600);
    removeUnfinished(std::filesystem::path(place).parent_path());
  }
  return file;
}

Result<int> SharedFiles::open(const std::string &path) {
  std::lock_guard lock(mutex);
  // Most calls name an open file with the same path.
  for (const auto &[place, file] : files)
    if (file->path == path)
      return file->descriptor;
  const std::string place = sharedPlaceOf(path);
  if (auto known = files.find(place); known != files.end())
    return known->second->descriptor;
  if (files.empty()) {
    static const bool isWatching = [] {
      removeTemporariesOnSignals();
      removeTemporariesOnCrashes();
      return std::atexit(removeTemporaries) == 0;
    }();
    (void)isWatching;
  }
  Result<std::unique_ptr<File>> made = create(path);
  if (!made.ok())
    return made.takeStatus();
  return (files[place] = std::move(*made))->descriptor;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Some file systems only report here that a disk is full.
Status SharedFiles::flush() const {
  for (const auto &[place, file] : files)
    if (::fsync(file->descriptor) != 0 && errno != EINVAL)
      return partsError("write", file->path, systemErrorText(errno));
  return {};
}

bool SharedFiles::areBegun() const {
  const char own = !files.empty();
  if (!cluster)
    return own;
  std::string all(cluster->numRanks, 0);
  cluster->gather(cluster->context, &own, sizeof own, all.data());
  return all.find('\1') != std::string::npos;
}

/// Returns on all ranks the error of the first rank that has one.
Status SharedFiles::firstProblem(Status mine) const {
  if (!cluster)
    return mine;
  struct Text {
    char text[512];
  };
  Text own = {};
  std::strncpy(own.text, mine.message().c_str(), sizeof own.text - 1);
  std::vector<Text> all(cluster->numRanks);
  cluster->gather(cluster->context, &own, sizeof own, all.data());
  for (const Text &each : all)
    if (each.text[0])
      return Status::error(StatusCode::System, each.text);
  return {};
}

/// The places of all ranks.
Result<std::vector<std::string>> SharedFiles::gatherPlaces() const {
  std::string mine;
  for (const auto &[place, file] : files)
    mine.append(place).push_back('\0');
  // The size of each rank's text; all bits set: the rank could not write its
  // files.
  constexpr uint32_t failed = UINT32_MAX;
  Status flushed = flush();
  const uint32_t size =
      flushed.ok() ? static_cast<uint32_t>(mine.size()) : failed;
  std::vector<uint32_t> sizes(cluster->numRanks);
  cluster->gather(cluster->context, &size, sizeof size, sizes.data());
  if (std::ranges::find(sizes, failed) != sizes.end())
    return firstProblem(std::move(flushed));
  const uint32_t most = *std::ranges::max_element(sizes);
  std::set<std::string> places;
  if (most) {
    mine.resize(most);
    std::string all(uint64_t(most) * cluster->numRanks, '\0');
    cluster->gather(cluster->context, mine.data(), most, all.data());
    for (uint32_t rank = 0; rank < cluster->numRanks; ++rank) {
      const char *at = all.data() + uint64_t(rank) * most;
      for (const char *end = at + sizes[rank]; at < end;)
        at += places.emplace(at).first->size() + 1;
    }
  }
  return std::vector<std::string>(places.begin(), places.end());
}

Status SharedFiles::giveNames(const std::vector<std::string> &places) const {
  for (const std::string &place : places) {
    struct stat old;
    if (::stat(place.c_str(), &old) == 0)
      (void)::chmod(temporaryOf(place).c_str(), old.st_mode & 0777);
    if (::rename(temporaryOf(place).c_str(), place.c_str()) != 0)
      return partsError("write", place, systemErrorText(errno));
  }
  return {};
}

Status SharedFiles::finish() {
  Status status;
  if (!cluster) {
    std::vector<std::string> places;
    for (const auto &[place, file] : files)
      places.push_back(place);
    status = flush();
    if (status.ok())
      status = giveNames(places);
  } else if (Result<std::vector<std::string>> places = gatherPlaces();
             !places.ok()) {
    status = places.takeStatus();
  } else if (!places->empty()) {
    // No rank continues before the files exist.
    status = firstProblem(cluster->rank == 0 ? giveNames(*places) : Status());
  }
  for (const auto &[place, file] : files)
    file->isDone = status.ok();
  files.clear();
  return status;
}
