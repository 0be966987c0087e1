//===- Diagnostics.h - What is wrong with an HPVM program -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front end reports every mistake of a program in one run, so messages are
// collected and printed at the end, in source order. Clang's own messages do
// not pass through here: clang prints them while it parses.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_CLANG_DIAGNOSTICS_H
#define SLUICE_FRONTEND_CLANG_DIAGNOSTICS_H

#include <deque>
#include <string>
#include <vector>

namespace llvm {
class DebugLoc;
class Function;
class Instruction;
class raw_ostream;
} // namespace llvm

namespace sluice {

/// A place in a file; lines and columns count from 1, 0 means unknown.
struct SourcePlace {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;

  bool isKnown() const { return !file.empty(); }
  friend bool operator==(const SourcePlace &, const SourcePlace &) = default;
  friend auto operator<=>(const SourcePlace &, const SourcePlace &) = default;
};

/// The place debug information gives; unknown where there is none.
SourcePlace placeOf(const llvm::DebugLoc &location);
/// The instruction's place, or its function's.
SourcePlace placeOf(const llvm::Instruction &instruction);
SourcePlace placeOf(const llvm::Function &function);

enum class Severity { Error, Warning, Remark };

/// Another place that a diagnostic is about.
struct DiagnosticNote {
  SourcePlace place;
  std::string message;
};

/// One message. `rule` is the label of a rule of the specification, or empty.
struct Diagnostic {
  Severity severity = Severity::Error;
  std::string rule;
  std::string message;
  SourcePlace place;
  std::vector<DiagnosticNote> notes;

  Diagnostic &note(SourcePlace place, std::string message);
};

/// The messages of one run. Not thread-safe.
class Diagnostics {
public:
  /// Each adds a message and returns it, so that notes can be added; the
  /// reference stays valid until clear().
  Diagnostic &error(SourcePlace place, std::string message,
                    std::string rule = {});
  Diagnostic &warning(SourcePlace place, std::string message,
                      std::string rule = {});
  Diagnostic &remark(SourcePlace place, std::string message,
                     std::string rule = {});

  /// Makes messages about this file name it as it is spelled here, however
  /// debug information does.
  void spellFile(std::string path) { spellings.push_back(std::move(path)); }

  bool hasErrors() const { return errorCount() != 0; }
  unsigned errorCount() const;
  const std::deque<Diagnostic> &all() const { return diagnostics; }
  void clear() { diagnostics.clear(); }

  /// Prints all messages as clang does, `file:line:col: error: text [rule]`,
  /// with the source line and a caret where the file can be read; in source
  /// order, and each message once.
  void print(llvm::raw_ostream &os) const;

private:
  Diagnostic &add(Severity severity, SourcePlace place, std::string message,
                  std::string rule);

  std::deque<Diagnostic> diagnostics;
  std::vector<std::string> spellings;
};

} // namespace sluice

#endif // SLUICE_FRONTEND_CLANG_DIAGNOSTICS_H
