//===- Inspection.h - Results of checking a file ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The results of one check of a file, in the terms of the language server
// protocol: problems, fixes, descriptions and links of words, and the outline
// of the file. Checks write them; the server reads them and passes them on.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_EDITOR_INSPECTION_H
#define SLUICE_LIB_DRIVER_EDITOR_INSPECTION_H

#include "sluice/Diagnostics/SourceTexts.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace sluice::driver {

/// The file to inspect, and the options for it.
struct InspectOptions {
  /// An absolute path.
  std::string file;
  /// The files of its program, including this file.
  std::vector<std::string> program;
  /// For clang.
  std::vector<std::string> flags;
  /// The folder where relative paths of flags start; empty for the server's
  /// folder.
  std::string folder;
  /// Clang's own messages, which clangd shows as well.
  bool showsClang = false;
  /// Also optimise programs, and show what became of their leaves.
  bool showsLeaves = false;
};

/// The kind of an outline entry; values of the protocol.
enum class SymbolKind {
  Module = 2,
  Class = 5,
  Function = 12,
  Variable = 13,
  Constant = 14,
  Object = 19,
  Struct = 23,
  Event = 24
};

struct OutlineEntry {
  std::string name, detail;
  SymbolKind kind = SymbolKind::Object;
  /// The entry's full range, and the range of its name.
  SourceRange whole = {}, selection = {};
  std::vector<OutlineEntry> children = {};
};

/// Not thread-safe.
class Inspection {
public:
  explicit Inspection(std::string file);

  /// The texts that places refer to.
  SourceTexts texts;

  /// Attaches a description in Markdown and link targets to the text in a
  /// range. Ranges in other files and empty ranges are ignored.
  void mark(const SourceRange &range, std::string text,
            std::vector<SourceRange> targets = {});
  /// Attaches a remark to a place, which may be in another file of the program.
  void addHint(const SourcePlace &place, std::string text);
  void add(OutlineEntry entry) { outline.push_back(std::move(entry)); }
  /// Declares that the outline and marks match the current text. Otherwise the
  /// results of the last check stay.
  void setComplete() { isComplete = true; }

  /// The range of a word in a line, used where only the line of a name is
  /// known; the whole line if the word is not there.
  SourceRange findWord(const SourcePlace &line, llvm::StringRef word);
  bool isInFile(const SourcePlace &place) const;

  /// Writes everything, with the messages, as one JSON object.
  void write(const std::vector<Diagnostic> &diagnostics, bool showsClang,
             llvm::raw_ostream &os);

private:
  struct Mark {
    SourceRange range;
    std::string text;
    std::vector<SourceRange> targets;
  };

  llvm::json::Value jsonOf(const SourcePlace &place);
  llvm::json::Value jsonOf(const SourceRange &range);
  llvm::json::Value locationOf(const SourceRange &range);
  llvm::json::Value jsonOf(const OutlineEntry &entry);
  llvm::json::Value jsonOf(const Diagnostic &diagnostic,
                           const SourceRange &range);
  llvm::json::Value actionOf(const Fix &fix, const llvm::json::Value &problem);

  struct Hint {
    SourcePlace place;
    std::string text;
    bool operator==(const Hint &) const = default;
  };

  std::string file;
  std::vector<Mark> marks;
  std::vector<Hint> hints;
  std::vector<OutlineEntry> outline;
  bool isComplete = false;
};

/// The absolute path of the file.
std::string absolutePath(llvm::StringRef path);

/// Checks a file and writes the results. Redirects all other messages of this
/// process from then on.
void inspect(const InspectOptions &options, llvm::raw_ostream &os);

/// Draws the graph of a file to a .html, .svg or .dot file. Returns the error,
/// or an empty text.
std::string drawInspected(const InspectOptions &options,
                          const std::string &picture);

// Inspects each kind of file; callers have redirected messages already.
void inspectProgram(const InspectOptions &options, Inspection &inspection);
void inspectModule(const InspectOptions &options, Inspection &inspection);
void inspectLayouts(const InspectOptions &options, Inspection &inspection);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_EDITOR_INSPECTION_H
