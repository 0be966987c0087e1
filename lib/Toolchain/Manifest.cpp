//===- Manifest.cpp - Dependencies of a cached program --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line for each path: its state, a blank and the path. The state of a file is
// the hash of its content, since an edit may preserve both size and time. The
// hundreds of system files are compared by their stamps, which include the
// change time that no tool can set. The state of anything else is only its
// kind: a header that appears on an include path, or disappears, changes the
// program.
//
//===----------------------------------------------------------------------===//

#include "sluice/Toolchain/Manifest.h"
#include "sluice/Base/WholeFiles.h"
#include "sluice/Toolchain/CachedFile.h"
#include "sluice/Toolchain/FileHash.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <ctime>
#include <sys/stat.h>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

static int64_t nanoseconds(const timespec &time) {
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

int64_t driver::fileTime() {
  timespec time;
  ::clock_gettime(CLOCK_REALTIME_COARSE, &time);
  return nanoseconds(time);
}

static std::string stampOf(const struct stat &info) {
  std::string text;
  for (int64_t number :
       {int64_t(info.st_dev), int64_t(info.st_ino), int64_t(info.st_size),
        nanoseconds(info.st_mtim), nanoseconds(info.st_ctim)})
    text += (text.empty() ? "" : "-") + std::to_string(number);
  return text;
}

std::string driver::exactStamp(StringRef path) {
  struct stat info;
  return ::stat(path.str().c_str(), &info) == 0 ? stampOf(info) : "";
}

static bool isOfSystem(StringRef path) {
  return (path.starts_with("/usr/") && !path.starts_with("/usr/local/") &&
          !path.starts_with("/usr/src/")) ||
         path.starts_with("/lib/") || path.starts_with("/lib64/");
}

static std::string today() {
  std::time_t now = std::time(nullptr);
  char text[32];
  std::tm parts;
  if (!::localtime_r(&now, &parts))
    return "";
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

/// "env:NAME" (see hashInput).
static bool isVariable(StringRef path) { return path.starts_with("env:"); }

/// The current state of `path`, without blanks.
static std::string stateOf(const std::string &path) {
  if (path == dependsOnDay)
    return today();
  if (isVariable(path)) {
    std::string hash = hashInput(path);
    return hash.empty() ? "unset" : hash;
  }
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return "none";
  if (S_ISDIR(info.st_mode))
    return "folder";
  if (!S_ISREG(info.st_mode))
    return "other";
  if (isOfSystem(path))
    return stampOf(info);
  std::string hash = hashInput(path);
  return hash.empty() ? "unreadable" : hash;
}

/// Entries of the cache are made during a build and named by content. Other
/// files of the user may be in the cache's folder as well.
static bool isInCache(StringRef path) {
  std::string cache = cacheDirectory();
  return !cache.empty() && path.consume_front(cache) &&
         any_of(ArrayRef{"/forms/", "/halide/", "/tmp/"},
                [&](StringRef kind) { return path.starts_with(kind); });
}

/// Whether the file, or a link to it, changed at `start` or later.
static bool hasChangedSince(const std::string &path, int64_t start) {
  struct stat info;
  if (isInCache(path))
    return false;
  if (::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
      nanoseconds(info.st_ctim) >= start)
    return true;
  return ::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode) &&
         nanoseconds(info.st_ctim) >= start;
}

bool driver::haveChangedSince(ArrayRef<std::string> paths, int64_t start) {
  return any_of(paths, [&](const std::string &path) {
    return hasChangedSince(path, start);
  });
}

std::vector<std::string> driver::pathsOfUser(ArrayRef<std::string> paths) {
  std::vector<std::string> users;
  for (const std::string &path : paths)
    if (!path.empty() && path != dependsOnDay && path != dependsOnMore &&
        !isOfSystem(path) && !isInCache(path))
      users.push_back(path);
  llvm::sort(users);
  users.erase(llvm::unique(users), users.end());
  return users;
}

std::vector<std::string> driver::filesOfUser(ArrayRef<std::string> paths) {
  std::vector<std::string> files = pathsOfUser(paths);
  llvm::erase_if(files, [](const std::string &path) {
    return !sys::fs::is_regular_file(path);
  });
  return files;
}

std::string driver::watchedState(const std::vector<std::string> &paths) {
  std::string text;
  for (const std::string &path : paths)
    text += (isVariable(path) ? hashInput(path) : exactStamp(path)) + "\n";
  return text;
}

std::optional<Manifest> Manifest::of(ArrayRef<std::string> paths,
                                     int64_t start) {
  std::vector<std::string> sorted(paths.begin(), paths.end());
  llvm::sort(sorted);
  sorted.erase(llvm::unique(sorted), sorted.end());
  Manifest manifest;
  for (std::string &path : sorted) {
    if (path.empty())
      continue;
    if (path == dependsOnMore || hasChangedSince(path, start))
      return std::nullopt;
    std::string state = stateOf(path);
    manifest.entries.push_back({std::move(path), std::move(state)});
  }
  return manifest;
}

/// Paths may contain any byte except zero.
static std::string escape(StringRef path) {
  std::string text;
  for (char c : path) {
    if (c == '%' || c == '\n')
      text += c == '%' ? "%25" : "%0A";
    else
      text += c;
  }
  return text;
}

static std::string unescape(StringRef text) {
  std::string path;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned value;
    if (text[i] == '%' && !text.substr(i + 1, 2).getAsInteger(16, value)) {
      path += char(value);
      i += 2;
    } else {
      path += text[i];
    }
  }
  return path;
}

std::string Manifest::text() const {
  std::string text;
  for (const Entry &entry : entries)
    text += entry.state + " " + escape(entry.path) + "\n";
  return text;
}

std::optional<Manifest> Manifest::parse(StringRef text) {
  Manifest manifest;
  SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    auto [state, path] = line.split(' ');
    if (path.empty())
      return std::nullopt;
    manifest.entries.push_back({unescape(path), state.str()});
  }
  return manifest;
}

bool Manifest::holds() const {
  return all_of(entries, [](const Entry &entry) {
    return stateOf(entry.path) == entry.state;
  });
}

std::vector<std::string> Manifest::paths() const {
  std::vector<std::string> paths;
  for (const Entry &entry : entries)
    paths.push_back(entry.path);
  return paths;
}
