//===- WholeFiles.cpp - Whole files, written atomically -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses POSIX calls instead of streams, to keep the error number of every error
// and to set the modes of files and directories explicitly.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/WholeFiles.h"

#include "sluice/Base/Temporary.h"
#include "sluice/Base/Text.h"

#include <cerrno>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

using namespace sluice;

static Status fileError(std::string_view what, const std::string &path,
                        int errorNumber) {
  return Status::error(StatusCode::System,
                       concat("cannot ", what, " ", quoted(path), ": ",
                              systemErrorText(errorNumber)));
}

Status sluice::writeFileAtomically(const std::string &path,
                                   std::string_view content) {
  Result<TemporaryFile> file = TemporaryFile::create(path, 0644);
  if (!file.ok())
    return file.takeStatus();
  if (Status status = file->write(content); !status.ok())
    return status;
  return file->keep();
}

static Status checkOwner(const struct stat &info, const std::string &path) {
  if (info.st_uid != ::geteuid() && info.st_uid != 0)
    return Status::error(StatusCode::System,
                         concat(quoted(path), " belongs to user ", info.st_uid,
                                ", but the program runs as user ",
                                ::geteuid()));
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return Status::error(StatusCode::System,
                         concat(quoted(path), " may be written by others"));
  return {};
}

Status sluice::checkPrivateFile(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return fileError("read", path, errno);
  if (!S_ISREG(info.st_mode))
    return Status::error(StatusCode::System,
                         concat(quoted(path), " is not a regular file"));
  return checkOwner(info, path);
}

Status sluice::preparePrivateDirectory(const std::string &path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    std::string parent = path.substr(0, slash);
    if (::mkdir(parent.c_str(), 0700) != 0 && errno != EEXIST)
      return fileError("create directory", parent, errno);
  }
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return fileError("create directory", path, errno);
  return checkPrivateDirectory(path);
}

Status sluice::checkPrivateDirectory(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return fileError("read", path, errno);
  if (!S_ISDIR(info.st_mode))
    return fileError("use", path, ENOTDIR);
  return checkOwner(info, path);
}

std::string sluice::cacheDirectory() {
  auto setting = [](const char *name) -> std::string {
    const char *value = std::getenv(name);
    return value ? value : "";
  };
  if (std::string own = setting("SLUICE_CACHE_DIR"); !own.empty())
    return own;
  if (std::string cache = setting("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/sluice";
  if (std::string home = setting("HOME"); !home.empty())
    return home + "/.cache/sluice";
  return {};
}
