//===- ChildProcess.cpp - Running another program with limits -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChildProcess.h"
#include "sluice/Base/Process.h"
#include "sluice/Base/Temporary.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

/// A back end that needs more memory than this is considered broken.
static constexpr uint64_t memoryLimit = uint64_t(8) << 30;

/// The line that names the failure: LLVM prints the reason before its stack
/// traces, and errors begin with a known word.
static std::string lastWords(const std::string &log) {
  Expected<std::string> text = readFile(log);
  if (!text) {
    consumeError(text.takeError());
    return "";
  }
  SmallVector<StringRef> lines;
  StringRef(*text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  StringRef found;
  for (StringRef line : lines) {
    line = line.trim();
    bool isTrace = line.starts_with("PLEASE submit") ||
                   line.starts_with("Stack dump") || line.starts_with("#") ||
                   (!line.empty() && isDigit(line[0]));
    if (isTrace)
      break;
    found = line;
  }
  return found.substr(0, 400).str();
}

ChildResult codegen::runChild(const std::string &program,
                              ArrayRef<std::string> arguments,
                              const std::string &log, double secondsAtMost) {
  std::string name = sys::path::filename(program).str();
  sluice::Result<ProcessEnd> end =
      runProgram({.program = program,
                  .arguments = arguments.vec(),
                  .input = Redirect::nowhere(),
                  .output = Redirect::file(log),
                  .errors = Redirect::descriptor(1),
                  .bytesAtMost = memoryLimit,
                  .secondsAtMost = secondsAtMost});
  if (!end.ok())
    return {false, end.status().message()};
  if (end->wasStopped)
    return {false, "'" + name + "' was stopped after " +
                       std::to_string(int(secondsAtMost)) + " seconds"};
  if (end->succeeded())
    return {true, ""};
  std::string words = lastWords(log);
  if (words.empty())
    words = "it ended with " + end->text();
  return {false, "'" + name + "' failed: " + words};
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

Expected<TemporaryFolder> TemporaryFolder::create() {
  sluice::Result<std::string> path = workPath(".device");
  if (!path.ok())
    return createStringError(path.status().message());
  if (std::error_code error = sys::fs::create_directory(*path))
    return createStringError("cannot make a folder for temporary files: " +
                             error.message());
  return TemporaryFolder(*path);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder &&other) noexcept
    : path(std::move(other.path)) {
  other.path.clear();
}

TemporaryFolder::~TemporaryFolder() {
  if (!path.empty())
    (void)sys::fs::remove_directories(path);
}

std::string TemporaryFolder::file(StringRef name) const {
  SmallString<128> whole(path);
  sys::path::append(whole, name);
  return whole.str().str();
}

Expected<std::string> codegen::readFile(const std::string &path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

Error codegen::writeFile(const std::string &path, StringRef text) {
  std::error_code error;
  raw_fd_ostream os(path, error);
  if (!error) {
    os << text;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return createStringError("cannot write '" + path + "': " + error.message());
  return Error::success();
}
