//===- Diagnostics.h - Messages about a program ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One type for the messages of clang, MLIR, the rules of the languages, the
// race check and task graphs, and one printer for it. A front end reports all
// errors of a program in one run, so messages are collected and printed at the
// end, in source order. Messages that clang itself prints while it parses, with
// the macros and headers that lead to a place, have the same form and colours.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DIAGNOSTICS_DIAGNOSTICS_H
#define SLUICE_DIAGNOSTICS_DIAGNOSTICS_H

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class DebugLoc;
class Function;
class Instruction;
class Twine;
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

/// The place in debug information; unknown if there is none.
SourcePlace placeOf(const llvm::DebugLoc &location);
/// The instruction's place, or its function's.
SourcePlace placeOf(const llvm::Instruction &instruction);
SourcePlace placeOf(const llvm::Function &function);

enum class Severity { Error, Warning, Remark };

/// Another place that a diagnostic is about.
struct DiagnosticNote {
  SourcePlace place = {};
  std::string message = {};
};

/// Replaces the text between two places of one file with `text`.
struct Edit {
  SourcePlace begin, end;
  std::string text;
};

/// A change that fixes the problem, and its description: "bind input 0".
struct Fix {
  std::string title;
  std::vector<Edit> edits;
};

/// One message. `rule` is the label of a rule of the specification, or empty.
struct Diagnostic {
  Severity severity = Severity::Error;
  std::string rule = {};
  std::string message = {};
  SourcePlace place = {};
  /// The end (exclusive) of the marked range; unknown for a single place.
  SourcePlace end = {};
  std::vector<DiagnosticNote> notes = {};
  std::optional<Fix> fix = {};
  /// A message of clang about the language, not of Sluice about the program.
  bool isFromClang = false;

  Diagnostic &note(SourcePlace place, std::string message);
};

/// The messages of one run. Not thread-safe.
class Diagnostics {
public:
  /// Each function adds a message and returns it, so that the caller can add
  /// notes; the reference stays valid until clear().
  Diagnostic &error(SourcePlace place, std::string message,
                    std::string rule = {});
  Diagnostic &warning(SourcePlace place, std::string message,
                      std::string rule = {});
  Diagnostic &remark(SourcePlace place, std::string message,
                     std::string rule = {});

  /// Makes messages about this file use this spelling of its name, whatever
  /// spelling debug information has.
  void spellFile(std::string path) { spellings.push_back(std::move(path)); }

  bool hasErrors() const { return errorCount() != 0; }
  unsigned errorCount() const;
  const std::deque<Diagnostic> &all() const { return diagnostics; }
  void clear() { diagnostics.clear(); }

  /// Prints all messages like clang, `file:line:col: error: text [rule]`, with
  /// the source line and a caret if the file can be read; in source order,
  /// without duplicates.
  void print(llvm::raw_ostream &os) const;

private:
  Diagnostic &add(Severity severity, SourcePlace place, std::string message,
                  std::string rule);

  std::deque<Diagnostic> diagnostics;
  std::vector<std::string> spellings;
};

/// "file:line:col", without unknown parts.
std::string textOf(const SourcePlace &place);
/// The printed form, without source lines and colours.
std::string textOf(const Diagnostic &diagnostic);

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// When messages are in colour; Auto: on a terminal, unless NO_COLOR is set.
enum class ColorMode { Auto, Always, Never };
void setColorMode(ColorMode mode);
/// Whether output to `os` is in colour.
bool hasColors(llvm::raw_ostream &os);

/// Passes all messages that would be printed from now on to `receive`, whatever
/// their origin; null restores printing. Not thread-safe.
void redirectDiagnostics(std::function<void(const Diagnostic &)> receive);
bool areDiagnosticsRedirected();

/// Prints messages like clang, with the source line, a caret and the fix if the
/// file can be read. Reads every file once.
class DiagnosticPrinter {
public:
  explicit DiagnosticPrinter(llvm::raw_ostream &os);
  ~DiagnosticPrinter();

  /// Adds a text that is not in a file, so that its lines can be shown.
  void addText(const std::string &name, std::string text);
  void print(const Diagnostic &diagnostic);

private:
  class Impl;
  std::unique_ptr<Impl> impl;
};

/// Prints one message to stderr.
void printDiagnostic(const Diagnostic &diagnostic);
/// Prints an error without a source place: "sluice: error: MESSAGE".
void printError(const llvm::Twine &message);
void printWarning(const llvm::Twine &message);
/// Prints the output of another program unchanged; reports it as an error if
/// messages are redirected.
void printToolOutput(const std::string &text);

} // namespace sluice

#endif // SLUICE_DIAGNOSTICS_DIAGNOSTICS_H
