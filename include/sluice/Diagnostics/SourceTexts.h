//===- SourceTexts.h - The source text of messages ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages give a line and a column. The marked range, the replaced text of a
// fix, and positions in other programs' units depend on the text of the file:
// unsaved text in an editor, or the text on disk.
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

/// Makes all readers of this process see `text` as the content of the file with
/// an absolute path. Not thread-safe.
void setUnsavedText(const std::string &path, std::string text);
/// All unsaved texts by path.
const std::map<std::string, std::string> &unsavedTexts();
/// The content of a file, unsaved or from disk; "-" is standard input. Returns
/// null and sets `problem` if it cannot be read.
std::unique_ptr<llvm::MemoryBuffer> readSourceFile(const std::string &path,
                                                   std::string &problem);

//===----------------------------------------------------------------------===//
// Places in texts
//===----------------------------------------------------------------------===//

/// A range with an exclusive end; both places are unknown if a message is about
/// a whole file.
struct SourceRange {
  SourcePlace begin, end;
};

/// The texts of files, each read once. Not thread-safe.
class SourceTexts {
public:
  /// Adds a text that is not in a file, such as a word of the command line.
  void add(const std::string &name, std::string text);

  /// The text of a file; none if it cannot be read.
  std::optional<llvm::StringRef> find(const std::string &file);
  /// A line without its line terminator; none if there is no such line.
  std::optional<llvm::StringRef> lineAt(const SourcePlace &place);
  /// The byte offset of a place; none if the text has no such place.
  std::optional<size_t> offsetOf(const SourcePlace &place);
  /// The place at a byte offset.
  SourcePlace placeAt(const std::string &file, size_t offset);

  /// The range of a message at `place`: up to `end` if that is known, else the
  /// word or the call there, or the line if no column is known.
  SourceRange rangeOf(const SourcePlace &place, const SourcePlace &end = {});
  /// The column in UTF-16 code units, from 1; columns of places count bytes.
  unsigned utf16Column(const SourcePlace &place);

private:
  struct File {
    std::unique_ptr<llvm::MemoryBuffer> buffer;
    /// The offset of each line.
    std::vector<size_t> lines;
  };
  /// Null if the file cannot be read.
  const File *open(const std::string &file);
  static void findLines(File &file);

  llvm::StringMap<File> files;
};

/// Parses "FILE:LINE:COLUMN: error: TEXT", about `file`, into a message.
Diagnostic readMessage(llvm::StringRef text, const std::string &file);

/// The offset after the parenthesis that closes the one at `open`, in C or C++;
/// ignores strings, characters and comments. None if nothing closes it.
std::optional<size_t> endOfParentheses(llvm::StringRef text, size_t open);

} // namespace sluice

#endif // SLUICE_DIAGNOSTICS_SOURCETEXTS_H
