//===- Inspection.h - What an editor shows of a file ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one check of a file found, in the words of the language server protocol:
// problems, changes that put them right, what to say of a word that is pointed
// at and where it leads, and the outline of the file. Checks write it, and the
// server reads it and hands it on.
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

/// What to look at, and how.
struct InspectOptions {
  /// An absolute path.
  std::string file;
  /// The files of its program, itself among them.
  std::vector<std::string> program;
  /// For clang.
  std::vector<std::string> flags;
  /// Where relative paths of flags start; empty: where the server does.
  std::string folder;
  /// Clang's own messages, which clangd shows as well.
  bool showsClang = false;
};

/// An entry of the outline; numbers of the protocol.
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
  /// Everything that belongs to it, and its name.
  SourceRange whole = {}, selection = {};
  std::vector<OutlineEntry> children = {};
};

/// Not thread-safe.
class Inspection {
public:
  explicit Inspection(std::string file);

  /// The texts that places refer to.
  SourceTexts texts;

  /// What is said of the text in a range, in Markdown, and where it leads.
  /// Ranges in other files are left out, and so are empty ones.
  void mark(const SourceRange &range, std::string text,
            std::vector<SourceRange> targets = {});
  void add(OutlineEntry entry) { outline.push_back(std::move(entry)); }
  /// The outline and the marks are those of the text as it is; else what the
  /// last check found of them stays.
  void setComplete() { isComplete = true; }

  /// A word in a line, such as a function's name where only its line is known;
  /// the line if the word is not there.
  SourceRange findWord(const SourcePlace &line, llvm::StringRef word);
  bool isInFile(const SourcePlace &place) const;

  /// Everything, and the messages, as one object of JSON.
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

  std::string file;
  std::vector<Mark> marks;
  std::vector<OutlineEntry> outline;
  bool isComplete = false;
};

/// The path that leads to the file from everywhere.
std::string absolutePath(llvm::StringRef path);

/// Checks a file and writes what was found. Messages of this process go
/// nowhere else from then on.
void inspect(const InspectOptions &options, llvm::raw_ostream &os);

/// Draws the graph of a file to a .html, .svg or .dot file. The error if that
/// is not possible, else an empty text.
std::string drawInspected(const InspectOptions &options,
                          const std::string &picture);

// The kinds of files; messages are redirected when they are called.
void inspectProgram(const InspectOptions &options, Inspection &inspection);
void inspectModule(const InspectOptions &options, Inspection &inspection);
void inspectLayouts(const InspectOptions &options, Inspection &inspection);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_EDITOR_INSPECTION_H
