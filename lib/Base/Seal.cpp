//===- Seal.cpp - Cache entries that detect damage ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A seal is text: an empty line, then "sluice-seal 2", the size of the content
// and the hash, padded with blanks.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Seal.h"

#include "sluice/Base/Hash.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Base/Text.h"
#include "sluice/Base/WholeFiles.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace sluice;

std::string sluice::sealOf(std::string_view name, std::string_view content) {
  std::string seal = concat("\nsluice-seal 2 ", content.size(), " ",
                            ContentHash().add(name).add(content).text());
  seal.resize(sealSize - 1, ' ');
  return seal + '\n';
}

std::optional<std::string_view> sluice::unsealed(std::string_view name,
                                                 std::string_view entry) {
  if (entry.size() < sealSize)
    return std::nullopt;
  std::string_view content = entry.substr(0, entry.size() - sealSize);
  if (entry.substr(content.size()) != sealOf(name, content))
    return std::nullopt;
  return content;
}

static std::string_view nameOf(std::string_view path) {
  return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

Status sluice::writeSealed(const std::string &path, std::string_view content) {
  return writeFileAtomically(path,
                             concat(content, sealOf(nameOf(path), content)));
}

namespace {
/// The bytes of a file while it is checked. They are read, not mapped:
/// truncating the file meanwhile must not end the process.
class Bytes {
public:
  explicit Bytes(const std::string &path) {
    int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
      return;
    if (::fstat(file, &info) == 0 && S_ISREG(info.st_mode)) {
      text.resize(static_cast<size_t>(info.st_size));
      size_t done = 0;
      while (done < text.size()) {
        ssize_t got = ::read(file, text.data() + done, text.size() - done);
        if (got < 0 && errno == EINTR)
          continue;
        if (got <= 0)
          break;
        done += static_cast<size_t>(got);
      }
      text.resize(done);
      isRead = true;
    }
    ::close(file);
  }
  /// Removes the file, unless another file has taken its name meanwhile.
  void remove(const std::string &path) const {
    struct stat now;
    if (::lstat(path.c_str(), &now) == 0 && now.st_dev == info.st_dev &&
        now.st_ino == info.st_ino)
      ::unlink(path.c_str());
  }

  std::string text;
  struct stat info = {};
  bool isRead = false;
};
} // namespace

std::optional<std::string> sluice::readSealed(const std::string &path) {
  if (!checkPrivateFile(path).ok())
    return std::nullopt;
  Bytes bytes(path);
  if (!bytes.isRead)
    return std::nullopt;
  auto content = unsealed(nameOf(path), bytes.text);
  if (!content) {
    bytes.remove(path);
    return std::nullopt;
  }
  bytes.text.resize(content->size());
  return std::move(bytes.text);
}

bool sluice::isSealed(const std::string &path, uint64_t *size) {
  std::optional<std::string> content = readSealed(path);
  if (content && size)
    *size = content->size();
  return content.has_value();
}

Status sluice::sealInto(const std::string &from, const std::string &path,
                        bool isProgram) {
  Bytes bytes(from);
  if (!bytes.isRead)
    return Status::error(StatusCode::System,
                         concat("cannot read ", quoted(from)));
  Result<TemporaryFile> file =
      TemporaryFile::create(path, isProgram ? 0700 : 0600);
  if (!file.ok())
    return file.takeStatus();
  if (Status status = file->write(bytes.text); !status.ok())
    return status;
  if (Status status = file->write(sealOf(nameOf(path), bytes.text));
      !status.ok())
    return status;
  return file->keep();
}

Status sluice::ensureSealed(const std::string &path, bool isProgram) {
  Bytes bytes(path);
  if (bytes.isRead && unsealed(nameOf(path), bytes.text))
    return {};
  return sealInto(path, path, isProgram);
}
