//===- EditorInput.cpp - Messages of an editor ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages arrive in pieces of any size. A damaged message must not block the
// messages after it.
//
//===----------------------------------------------------------------------===//

#include "EditorInput.h"

#include "llvm/ADT/StringRef.h"

#include <cerrno>
#include <unistd.h>

using namespace sluice::driver;

/// No text of an editor is this long; a header with a larger length is damaged.
static constexpr uint64_t maxLength = uint64_t(1) << 30;

bool EditorInput::fill() {
  if (isAtEnd)
    return false;
  loop.waitFor(file);
  char part[65536];
  ssize_t count = ::read(file, part, sizeof part);
  if (count < 0 && (errno == EINTR || errno == EAGAIN))
    return true;
  if (count <= 0) {
    isAtEnd = true;
    return false;
  }
  buffer.append(part, size_t(count));
  return true;
}

std::optional<std::string> EditorInput::readLine() {
  size_t end;
  while ((end = buffer.find('\n')) == std::string::npos)
    if (!fill())
      return std::nullopt;
  std::string line = buffer.substr(0, end);
  buffer.erase(0, end + 1);
  if (!line.empty() && line.back() == '\r')
    line.pop_back();
  return line;
}

llvm::LogicalResult EditorInput::readStandardMessage(std::string &json) {
  uint64_t length = 0;
  while (true) {
    std::optional<std::string> line = readLine();
    if (!line)
      return llvm::failure();
    if (line->empty())
      break;
    llvm::StringRef field = *line;
    if (field.consume_front_insensitive("content-length:") &&
        field.trim().getAsInteger(10, length))
      length = 0;
  }
  // Without a length, the following text is examined line by line.
  if (length == 0 || length > maxLength)
    return llvm::failure();
  while (buffer.size() < length)
    if (!fill())
      return llvm::failure();
  json = buffer.substr(0, length);
  buffer.erase(0, length);
  return llvm::success();
}
