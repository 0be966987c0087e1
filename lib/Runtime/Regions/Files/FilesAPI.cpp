//===- FilesAPI.cpp - The C entry points of files in parts ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks call these functions; an error is an error of the calling task.
//
//===----------------------------------------------------------------------===//

#include "FilesAPI.h"

#include "../../Host/HostAPI.h"
#include "../Builtins.h"
#include "../Checks/ElementCheck.h"

#include "sluice-c/Files.h"
#include "sluice/Base/Text.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace sluice;
using namespace sluice::regions;

/// The files of the running program; null: there is none.
static constinit std::atomic<SharedFiles *> theFiles{nullptr};

SharedFiles *sluice::regions::setSharedFiles(SharedFiles *files) {
  return theFiles.exchange(files);
}

static void endTaskOn(const Status &status) {
  if (status.ok())
    return;
  if (!isInNode())
    endProcess(status.message());
  sluiceFail(nullptr, status.message().c_str());
}

/// The end of these bytes in a file; an error if it exceeds the limit of files.
static Status checkEnd(const std::string &path, uint64_t offset,
                       uint64_t position, uint64_t elementBytes) {
  uint64_t end;
  if (!__builtin_mul_overflow(position, elementBytes, &end) &&
      !__builtin_add_overflow(end, offset, &end) && end <= INT64_MAX)
    return {};
  return Status::invalidArgument(concat(quoted(path), ": there is no byte ",
                                        offset, " + ", position, " * ",
                                        elementBytes, " in a file"));
}

/// Calls `function(address, bytes, offset in the file)` for contiguous
/// elements, until it fails.
template <typename Byte, typename Function>
static Status forEachPiece(const std::string &path, uint64_t offset,
                           const SluiceDomain &domain, Byte *field,
                           uint64_t elementBytes, Function &&function) {
  Status status;
  forEachSpan(domain, [&](int64_t begin, int64_t end) {
    if (!status.ok() || begin >= end)
      return;
    status = checkEnd(path, offset, static_cast<uint64_t>(end), elementBytes);
    if (status.ok())
      status = function(field + indexOf(domain, begin) *
                                    static_cast<int64_t>(elementBytes),
                        static_cast<uint64_t>(end - begin) * elementBytes,
                        offset + static_cast<uint64_t>(begin) * elementBytes);
  });
  return status;
}

/// The runtime accesses a field in the name of the task that calls it.
static void reportAccess(const char *location, SluiceCheckKind kind,
                         const void *address, uint64_t bytes) {
  const SluiceCheckSite site = {location, "", kind, SLUICE_CHECK_UNKNOWN, 0, 0};
  ElementCheck::accessed(site, address, bytes);
}

static Status readElements(const std::string &path, uint64_t offset,
                           const SluiceDomain &domain, char *field,
                           uint64_t elementBytes) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return Status::error(
        StatusCode::System,
        concat("cannot read ", quoted(path), ": ", systemErrorText(errno)));
  Status status = forEachPiece(
      path, offset, domain, field, elementBytes,
      [&](char *to, uint64_t bytes, uint64_t at) {
        reportAccess("in 'sluiceReadElements'", SLUICE_CHECK_WRITE, to, bytes);
        return readFully(descriptor, path, to, bytes, at);
      });
  ::close(descriptor);
  return status;
}

static Result<int> openToWrite(const char *call, const std::string &path) {
  SharedFiles *files = theFiles.load();
  if (!files)
    return Status::misuse(
        concat(call, ": files are written in parts by the tasks of programs "
                     "over regions only"));
  return files->open(path);
}

static Status writeElements(const std::string &path, uint64_t offset,
                            const SluiceDomain &domain, const char *field,
                            uint64_t elementBytes) {
  Result<int> descriptor = openToWrite("sluiceWriteElements", path);
  if (!descriptor.ok())
    return descriptor.takeStatus();
  return forEachPiece(path, offset, domain, field, elementBytes,
                      [&](const char *from, uint64_t bytes, uint64_t at) {
                        reportAccess("in 'sluiceWriteElements'",
                                     SLUICE_CHECK_READ, from, bytes);
                        return writeFully(*descriptor, path, from, bytes, at);
                      });
}

static Status writeBytes(const std::string &path, uint64_t offset,
                         const char *data, uint64_t bytes) {
  Result<int> descriptor = openToWrite("sluiceWriteBytes", path);
  if (!descriptor.ok())
    return descriptor.takeStatus();
  if (Status status = checkEnd(path, offset, bytes, 1); !status.ok())
    return status;
  return writeFully(*descriptor, path, data, bytes, offset);
}

void sluiceReadElements(const char *file, uint64_t offset,
                        const SluiceDomain *domain, void *field,
                        uint64_t elementBytes) {
  endTaskOn(readElements(file, offset, *domain, static_cast<char *>(field),
                         elementBytes));
}

void sluiceWriteElements(const char *file, uint64_t offset,
                         const SluiceDomain *domain, const void *field,
                         uint64_t elementBytes) {
  endTaskOn(writeElements(file, offset, *domain,
                          static_cast<const char *>(field), elementBytes));
}

void sluiceWriteBytes(const char *file, uint64_t offset, const void *data,
                      uint64_t bytes) {
  endTaskOn(writeBytes(file, offset, static_cast<const char *>(data), bytes));
}
