//===- Output.cpp - Files that users name ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides how an output is written: to a new file that replaces the old one, or
// directly if the path is not a regular file.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Output.h"

#include "sluice/Base/Temporary.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <functional>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <vector>

using namespace sluice;

static Status cannotWrite(const std::string &path, std::string_view why) {
  return Status::error(StatusCode::System,
                       concat("cannot write ", quoted(path), ": ", why));
}

static Status alsoInput(const std::string &path) {
  return Status::error(StatusCode::InvalidArgument,
                       concat("the output ", quoted(path),
                              " is also an input; name another output"));
}

Status sluice::checkOutput(const std::string &path,
                           std::span<const std::string> inputs) {
  struct stat output, input;
  // `-` is the standard output; as an input it is the standard input.
  if (path.empty() || path == "-")
    return {};
  if (::stat(path.c_str(), &output) != 0)
    // A file that does not exist can only be compared by its name.
    return std::ranges::find(inputs, path) == inputs.end() ? Status()
                                                           : alsoInput(path);
  if (S_ISDIR(output.st_mode))
    return cannotWrite(path, "it is a folder");
  // A terminal may be both input and output.
  if (!S_ISREG(output.st_mode))
    return {};
  for (const std::string &name : inputs) {
    if (name.empty() || ::stat(name.c_str(), &input) != 0 ||
        input.st_dev != output.st_dev || input.st_ino != output.st_ino)
      continue;
    if (path == name)
      return alsoInput(path);
    return Status::error(StatusCode::InvalidArgument,
                         concat("the output ", quoted(path), " is the input ",
                                quoted(name),
                                " under another name; name another output"));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {
/// The destination of an output.
struct OutputPlace {
  /// The path to replace, after following links.
  std::string path;
  /// Write directly: it is not a regular file, or it is a file without a name.
  bool isDirect = false;
  /// The permissions of the existing file.
  mode_t mode = 0;
};
} // namespace

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// /dev/stdout and similar paths lead to a path that may belong to another file
/// by now.
static bool isOfProcess(const std::string &path) {
  struct statfs info;
  return ::statfs(folderOf(path).c_str(), &info) == 0 &&
         info.f_type == PROC_SUPER_MAGIC;
}

static Status findPlace(const std::string &path, OutputPlace &place) {
  place.path = path;
  struct stat info;
  bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return cannotWrite(path, "it is a folder");
  if (exists && !S_ISREG(info.st_mode)) {
    place.isDirect = true;
    return {};
  }
  if (exists)
    place.mode = info.st_mode & 0777;
  struct stat link;
  for (int i = 0;
       ::lstat(place.path.c_str(), &link) == 0 && S_ISLNK(link.st_mode); ++i) {
    if (isOfProcess(place.path)) {
      place.isDirect = true;
      return {};
    }
    if (link.st_uid != ::geteuid() && link.st_uid != 0)
      return cannotWrite(path, concat("the symbolic link ", quoted(place.path),
                                      " belongs to user ", link.st_uid));
    char target[PATH_MAX];
    ssize_t size = ::readlink(place.path.c_str(), target, sizeof target);
    if (size <= 0 || size == ssize_t(sizeof target) || i == 40)
      return cannotWrite(path, systemErrorText(ELOOP));
    std::string name(target, size_t(size));
    place.path =
        name[0] == '/' ? name : concat(folderOf(place.path), "/", name);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

using Writer = std::function<int(int)>;

/// Returns an error number, or 0.
static int writeAll(int file, std::string_view content) {
  while (!content.empty()) {
    ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return errno;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

static Status writeDirectly(const OutputPlace &place, const std::string &path,
                            const Writer &writer) {
  int file = ::open(place.path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (file < 0)
    return cannotWrite(path, systemErrorText(errno));
  int error = writer(file);
  if (::close(file) != 0 && !error)
    error = errno;
  return error ? cannotWrite(path, systemErrorText(error)) : Status();
}

static Status writeTo(const std::string &path, mode_t mode, bool keepsMode,
                      const Writer &writer) {
  OutputPlace place;
  if (Status status = findPlace(path, place); !status.ok())
    return status;
  if (place.isDirect)
    return writeDirectly(place, path, writer);
  Result<TemporaryFile> file = TemporaryFile::create(place.path, mode);
  if (!file.ok())
    return file.takeStatus();
  // If the process is killed here, the file remains.
  if (!file->getPath().empty())
    removeUnfinished(folderOf(place.path));
  int error = writer(file->getDescriptor());
  if (error)
    return cannotWrite(path, systemErrorText(error));
  if (keepsMode && place.mode)
    (void)::fchmod(file->getDescriptor(), place.mode);
  return file->keep();
}

Status sluice::writeOutput(const std::string &path, std::string_view content) {
  return writeTo(path, 0666, /*keepsMode=*/true,
                 [&](int file) { return writeAll(file, content); });
}

static int copyBytes(int from, int to, uint64_t size) {
  std::vector<char> buffer(1 << 18);
  while (size) {
    ssize_t got =
        ::read(from, buffer.data(), std::min<uint64_t>(buffer.size(), size));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return got < 0 ? errno : EIO;
    if (int error = writeAll(to, {buffer.data(), size_t(got)}))
      return error;
    size -= uint64_t(got);
  }
  return 0;
}

Status sluice::copyToOutput(const std::string &from, uint64_t size,
                            const std::string &path, bool isProgram) {
  int source = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (source < 0)
    return Status::error(
        StatusCode::System,
        concat("cannot read ", quoted(from), ": ", systemErrorText(errno)));
  Status status =
      writeTo(path, isProgram ? 0777 : 0666, /*keepsMode=*/!isProgram,
              [&](int file) { return copyBytes(source, file, size); });
  ::close(source);
  return status;
}

Status sluice::copyToOutput(const std::string &from, const std::string &path,
                            bool isProgram) {
  struct stat info;
  if (::stat(from.c_str(), &info) != 0)
    return Status::error(
        StatusCode::System,
        concat("cannot read ", quoted(from), ": ", systemErrorText(errno)));
  return copyToOutput(from, uint64_t(info.st_size), path, isProgram);
}
