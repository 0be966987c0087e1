//===- RecordFile.cpp - The file of a record ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of contents is limited by the setting; the rest of the record takes
// at most the same again.
//
//===----------------------------------------------------------------------===//

#include "RecordFile.h"

#include "sluice/Base/Text.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

using namespace sluice;

static Status systemError(const std::string &what) {
  return Status::error(StatusCode::System,
                       concat(what, ": ", systemErrorText(errno)));
}

/// Accepts an empty file, or a record that may be replaced.
static Status checkReplaceable(const std::string &path, int file) {
  struct stat info;
  if (::fstat(file, &info) != 0)
    return systemError(concat("cannot look at ", quoted(path)));
  if (!S_ISREG(info.st_mode))
    return Status::invalidArgument(concat(quoted(path), " is no regular file"));
  if (info.st_size == 0)
    return {};
  char mark[14];
  const bool isRecord =
      ::pread(file, mark, sizeof mark, 0) == ssize_t(sizeof mark) &&
      recordMark.starts_with(std::string_view(mark, sizeof mark));
  return isRecord ? Status()
                  : Status::invalidArgument(
                        concat(quoted(path), " is no record, and is kept"));
}

Result<std::unique_ptr<RecordFile>>
RecordFile::open(const std::string &directory, uint64_t limit) {
  if (::mkdir(directory.c_str(), 0777) != 0 && errno != EEXIST)
    return systemError(concat("cannot make folder ", quoted(directory)));
  std::string path = concat(directory, "/", recordFileName);
  const int file =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0)
    return systemError(concat("cannot write ", quoted(path)));
  std::unique_ptr<RecordFile> record(
      new RecordFile(std::move(path), file, limit));
  if (::flock(file, LOCK_EX | LOCK_NB) != 0)
    return Status::misuse(
        concat("another process writes to ", quoted(record->path)));
  if (Status status = checkReplaceable(record->path, file); !status.ok())
    return status;
  if (::ftruncate(file, 0) != 0 ||
      ::write(file, recordMark.data(), recordMark.size()) !=
          ssize_t(recordMark.size()))
    return systemError(concat("cannot write ", quoted(record->path)));
  record->size = recordMark.size();
  return record;
}

RecordFile::~RecordFile() { close(); }

void RecordFile::close() {
  if (descriptor >= 0)
    ::close(std::exchange(descriptor, -1));
}

/// Returns false if none of it was written.
bool RecordFile::write(RecordEvent event, std::string_view content) {
  RecordHead head = RecordHead::of(event, content);
  iovec parts[] = {{&head, sizeof head},
                   {const_cast<char *>(content.data()), content.size()}};
  iovec *next = parts, *end = parts + 2;
  while (next != end) {
    const ssize_t written =
        ::pwritev(descriptor, next, int(end - next), off_t(size));
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    size += uint64_t(written);
    auto left = size_t(written);
    for (; next != end && left >= next->iov_len; ++next)
      left -= next->iov_len;
    if (next == end)
      break;
    next->iov_base = static_cast<char *>(next->iov_base) + left;
    next->iov_len -= left;
  }
  return true;
}

void RecordFile::append(RecordEvent event, std::string_view content) {
  if (hasEnded())
    return;
  const uint64_t before = size;
  if (before > numKept && before - numKept > limit + (uint64_t(1) << 20))
    return end(concat("SLUICE_RECORD_BYTES=", limit, " was reached"));
  if (write(event, content))
    return;
  const int error = errno;
  // Removes what did not fit and keeps the rest.
  const bool isWhole = ::ftruncate(descriptor, off_t(before)) == 0;
  std::fprintf(stderr,
               "sluice: warning: the record ends early: cannot write %s: %s\n",
               quoted(path).c_str(), systemErrorText(error).c_str());
  size = before;
  if (isWhole) {
    RecordEncoder why;
    why.text(concat("the disk had no more room: ", systemErrorText(error)));
    if (!write(RecordEvent::End, why.bytes))
      (void)!::ftruncate(descriptor, off_t(before));
  }
  close();
}

bool RecordFile::takeRoom(uint64_t bytes) {
  if (bytes > limit || numKept > limit - bytes)
    return false;
  numKept += bytes;
  return true;
}

void RecordFile::end(const std::string &why) {
  if (hasEnded())
    return;
  if (!why.empty())
    std::fprintf(stderr, "sluice: warning: the record ends early: %s\n",
                 why.c_str());
  RecordEncoder text;
  text.text(why);
  if (!write(RecordEvent::End, text.bytes))
    (void)!::ftruncate(descriptor, off_t(size));
  close();
}
