//===- SourceTexts.cpp - The text that messages are about -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Diagnostics/SourceTexts.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace sluice;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Unsaved files
//===----------------------------------------------------------------------===//

static std::map<std::string, std::string> &unsaved() {
  static std::map<std::string, std::string> texts;
  return texts;
}

void sluice::setUnsavedText(const std::string &path, std::string text) {
  unsaved()[path] = std::move(text);
}

const std::map<std::string, std::string> &sluice::unsavedTexts() {
  return unsaved();
}

std::unique_ptr<llvm::MemoryBuffer>
sluice::readSourceFile(const std::string &path, std::string &problem) {
  if (!unsaved().empty()) {
    llvm::SmallString<128> absolute(path);
    llvm::sys::fs::make_absolute(absolute);
    llvm::sys::path::remove_dots(absolute, /*remove_dot_dot=*/true);
    if (auto it = unsaved().find(absolute.str().str()); it != unsaved().end())
      return llvm::MemoryBuffer::getMemBufferCopy(it->second, path);
  }
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (buffer)
    return std::move(*buffer);
  problem =
      "cannot open input file '" + path + "': " + buffer.getError().message();
  return nullptr;
}

Diagnostic sluice::readMessage(StringRef text, const std::string &file) {
  Diagnostic read;
  StringRef rest = text;
  SourcePlace place = {file};
  if (rest.consume_front(file) && rest.consume_front(":") &&
      !rest.consumeInteger(10, place.line) && rest.consume_front(":") &&
      !rest.consumeInteger(10, place.column) &&
      rest.consume_front(": error: ")) {
    read.place = std::move(place);
    text = rest;
  }
  read.message = text.str();
  return read;
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

void SourceTexts::findLines(File &file) {
  StringRef text = file.buffer->getBuffer();
  file.lines = {0};
  for (size_t end = text.find('\n'); end != StringRef::npos;
       end = text.find('\n', end + 1))
    file.lines.push_back(end + 1);
}

void SourceTexts::add(const std::string &name, std::string text) {
  File &file = files[name];
  file.buffer = llvm::MemoryBuffer::getMemBufferCopy(text, name);
  findLines(file);
}

const SourceTexts::File *SourceTexts::open(const std::string &name) {
  if (name.empty() || name == "-")
    return nullptr;
  auto [it, isNew] = files.try_emplace(name);
  File &file = it->second;
  if (isNew) {
    std::string problem;
    file.buffer = readSourceFile(name, problem);
    if (file.buffer)
      findLines(file);
  }
  return file.buffer ? &file : nullptr;
}

std::optional<StringRef> SourceTexts::find(const std::string &name) {
  const File *file = open(name);
  if (!file)
    return std::nullopt;
  return file->buffer->getBuffer();
}

std::optional<StringRef> SourceTexts::lineAt(const SourcePlace &place) {
  const File *file = open(place.file);
  if (!file || !place.line || place.line > file->lines.size())
    return std::nullopt;
  return file->buffer->getBuffer()
      .drop_front(file->lines[place.line - 1])
      .take_until([](char c) { return c == '\n' || c == '\r'; });
}

std::optional<size_t> SourceTexts::offsetOf(const SourcePlace &place) {
  std::optional<StringRef> line = lineAt(place);
  if (!line || !place.column || place.column > line->size() + 1)
    return std::nullopt;
  return open(place.file)->lines[place.line - 1] + place.column - 1;
}

SourcePlace SourceTexts::placeAt(const std::string &name, size_t offset) {
  const File *file = open(name);
  if (!file)
    return {name};
  offset = std::min(offset, file->buffer->getBufferSize());
  auto next = std::upper_bound(file->lines.begin(), file->lines.end(), offset);
  return {name, unsigned(next - file->lines.begin()),
          unsigned(offset - *std::prev(next) + 1)};
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// The offset after the string or character literal that begins at `start`.
static size_t endOfLiteral(StringRef text, size_t start) {
  for (size_t i = start + 1; i < text.size(); ++i)
    if (text[i] == '\\')
      ++i;
    else if (text[i] == text[start] || text[i] == '\n')
      return i + 1;
  return text.size();
}

std::optional<size_t> sluice::endOfParentheses(StringRef text, size_t open) {
  unsigned depth = 0;
  for (size_t i = open; i < text.size();) {
    StringRef rest = text.drop_front(i);
    if (rest.front() == '"' || rest.front() == '\'') {
      i = endOfLiteral(text, i);
    } else if (rest.starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (rest.starts_with("/*")) {
      size_t end = text.find("*/", i + 2);
      i = end == StringRef::npos ? text.size() : end + 2;
    } else {
      depth += rest.front() == '(';
      ++i;
      if (rest.front() == ')' && --depth == 0)
        return i;
    }
  }
  return std::nullopt;
}

static bool isOneOf(char c, StringRef others) {
  return llvm::isAlnum(c) || c == '_' || others.contains(c) ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// The offset after the word, or the call in C, that begins at `start`.
static size_t endOfWord(StringRef text, size_t start, bool isMLIR) {
  size_t end = start;
  if (isMLIR && end < text.size() && StringRef("%@#!^").contains(text[end]))
    ++end;
  while (end < text.size() && isOneOf(text[end], isMLIR ? ".$-" : ""))
    ++end;
  if (end == start)
    return start + (start < text.size() && text[start] != '\n');
  if (!isMLIR && end < text.size() && text[end] == '(')
    return endOfParentheses(text, end).value_or(end);
  return end;
}

SourceRange SourceTexts::rangeOf(const SourcePlace &place,
                                 const SourcePlace &end) {
  if (!place.line)
    return {place, place};
  if (end.isKnown() && end.file == place.file && end > place)
    return {place, end};
  std::optional<StringRef> line = lineAt(place);
  SourcePlace begin = place;
  if (!place.column) {
    StringRef content = line.value_or("").trim();
    begin.column =
        content.empty() ? 1 : unsigned(content.data() - line->data()) + 1;
    return {begin,
            {place.file, place.line, begin.column + unsigned(content.size())}};
  }
  std::optional<size_t> offset = offsetOf(place);
  if (!offset)
    return {place, place};
  bool isMLIR = StringRef(place.file).ends_with(".mlir");
  return {place,
          placeAt(place.file, endOfWord(*find(place.file), *offset, isMLIR))};
}

unsigned SourceTexts::utf16Column(const SourcePlace &place) {
  StringRef line = lineAt(place).value_or("");
  if (!place.column)
    return 1;
  unsigned units = 0;
  const StringRef before = line.take_front(place.column - 1);
  for (size_t i = 0; i < before.size(); ++units) {
    // Invalid UTF-8 bytes count as one character each, and four-byte characters
    // count as two units.
    auto *at = reinterpret_cast<const llvm::UTF8 *>(before.data()) + i;
    size_t size = llvm::getNumBytesForUTF8(*at);
    if (size > before.size() - i || !llvm::isLegalUTF8Sequence(at, at + size))
      size = 1;
    units += size == 4;
    i += size;
  }
  // Columns after the end of the line that was read stay as given.
  if (place.column - 1 > line.size())
    units += unsigned(place.column - 1 - line.size());
  return units + 1;
}
