//===- SourceTexts.h - The text that messages are about ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages name a line and a column. What is marked there, what a fix replaces
// and how far a place is in units of other programs follows from the text of
// the file: that of an editor, if it has not been saved, or that on the disk.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DIAGNOSTICS_SOURCETEXTS_H
#define SLUICE_DIAGNOSTICS_SOURCETEXTS_H

#include "sluice/Diagnostics/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>

namespace sluice {

//===----------------------------------------------------------------------===//
// Unsaved files
//===----------------------------------------------------------------------===//

/// Makes all readers of this process see `text` instead of what the disk has
/// under an absolute path. Not thread-safe.
void setUnsavedText(const std::string &path, std::string text);
/// By path.
const std::map<std::string, std::string> &unsavedTexts();
/// The content of a file, unsaved or from the disk; standard input is "-".
/// Null, and why in `problem`, if it cannot be read.
std::unique_ptr<llvm::MemoryBuffer> readSourceFile(const std::string &path,
                                                   std::string &problem);

//===----------------------------------------------------------------------===//
// Places in texts
//===----------------------------------------------------------------------===//

/// From a place up to the first one behind it; both are unknown where a message
/// is about a whole file.
struct SourceRange {
  SourcePlace begin, end;
};

/// The texts of files, each read once. Not thread-safe.
class SourceTexts {
public:
  /// A text that is in no file, such as a word of the command line.
  void add(const std::string &name, std::string text);

  /// The text of a file; none if it cannot be read.
  std::optional<llvm::StringRef> find(const std::string &file);
  /// A line, without what ends it; none if there is no such line.
  std::optional<llvm::StringRef> lineAt(const SourcePlace &place);
  /// How many bytes stand before a place; none if the text has no such place.
  std::optional<size_t> offsetOf(const SourcePlace &place);
  /// The place behind so many bytes.
  SourcePlace placeAt(const std::string &file, size_t offset);

  /// What a message at `place` is about: up to `end` if that is known, else the
  /// word or the call there, or the line where no column is known.
  SourceRange rangeOf(const SourcePlace &place, const SourcePlace &end = {});
  /// The column in units of UTF-16, from 1; columns of places count bytes.
  unsigned utf16Column(const SourcePlace &place);

private:
  struct File {
    std::unique_ptr<llvm::MemoryBuffer> buffer;
    /// Where each line begins.
    std::vector<size_t> lines;
  };
  /// Null if the file cannot be read.
  const File *open(const std::string &file);
  static void findLines(File &file);

  llvm::StringMap<File> files;
};

/// "FILE:LINE:COLUMN: error: TEXT", about `file`, as a message.
Diagnostic readMessage(llvm::StringRef text, const std::string &file);

/// The offset behind the parenthesis that closes the one at `open`, in C or
/// C++; strings, characters and comments do not count. None if nothing closes
/// it.
std::optional<size_t> endOfParentheses(llvm::StringRef text, size_t open);

} // namespace sluice

#endif // SLUICE_DIAGNOSTICS_SOURCETEXTS_H
