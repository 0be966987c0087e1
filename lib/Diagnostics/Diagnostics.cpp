//===- Diagnostics.cpp - Collect and sort messages ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locations come from debug information, and one location may have several
// spellings of its file. Messages are sorted after the spellings are unified.
//
//===----------------------------------------------------------------------===//

#include "sluice/Diagnostics/Diagnostics.h"

#include "sluice/Base/SourcePath.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <map>
#include <utility>

using namespace sluice;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static std::string pathOf(const llvm::DIScope &scope) {
  return sourcePath(scope.getDirectory(), scope.getFilename());
}

SourcePlace sluice::placeOf(const llvm::DebugLoc &location) {
  if (!location)
    return {};
  return {pathOf(*llvm::cast<llvm::DIScope>(location.getScope())),
          location.getLine(), location.getCol()};
}

SourcePlace sluice::placeOf(const llvm::Function &function) {
  const llvm::DISubprogram *subprogram = function.getSubprogram();
  if (!subprogram)
    return {};
  return {pathOf(*subprogram), subprogram->getLine(), 0};
}

SourcePlace sluice::placeOf(const llvm::Instruction &instruction) {
  if (instruction.getDebugLoc() && instruction.getDebugLoc().getLine())
    return placeOf(instruction.getDebugLoc());
  return placeOf(*instruction.getFunction());
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

Diagnostic &Diagnostic::note(SourcePlace place, std::string message) {
  notes.push_back({std::move(place), std::move(message)});
  return *this;
}

Diagnostic &Diagnostics::add(Severity severity, SourcePlace place,
                             std::string message, std::string rule) {
  Diagnostic &diagnostic = diagnostics.emplace_back();
  diagnostic.severity = severity;
  diagnostic.place = std::move(place);
  diagnostic.message = std::move(message);
  diagnostic.rule = std::move(rule);
  return diagnostic;
}

Diagnostic &Diagnostics::error(SourcePlace place, std::string message,
                               std::string rule) {
  return add(Severity::Error, std::move(place), std::move(message),
             std::move(rule));
}

Diagnostic &Diagnostics::warning(SourcePlace place, std::string message,
                                 std::string rule) {
  return add(Severity::Warning, std::move(place), std::move(message),
             std::move(rule));
}

Diagnostic &Diagnostics::remark(SourcePlace place, std::string message,
                                std::string rule) {
  return add(Severity::Remark, std::move(place), std::move(message),
             std::move(rule));
}

unsigned Diagnostics::errorCount() const {
  return std::count_if(diagnostics.begin(), diagnostics.end(),
                       [](const Diagnostic &diagnostic) {
                         return diagnostic.severity == Severity::Error;
                       });
}

/// The absolute path of the file.
static std::string absolutePath(llvm::StringRef path) {
  llvm::SmallString<128> absolute(path);
  llvm::sys::fs::make_absolute(absolute);
  llvm::sys::path::remove_dots(absolute, /*remove_dot_dot=*/true);
  return absolute.str().str();
}

/// The general form of a message, without quoted names and numbers.
static std::string kindOf(const Diagnostic &diagnostic) {
  std::string kind = diagnostic.rule + ":";
  bool isQuoted = false;
  for (char c : diagnostic.message) {
    isQuoted ^= c == '\'';
    if (!isQuoted && !llvm::isDigit(c))
      kind += c;
  }
  return kind;
}

namespace {
/// Remarks that say the same about many locations fill screens. Of each kind,
/// only the first few are printed, followed by the number of the others.
class RepeatedRemarks {
public:
  /// False for a remark beyond the limit, which is only counted.
  bool admit(const Diagnostic &diagnostic) {
    if (diagnostic.severity != Severity::Remark || areDiagnosticsRedirected())
      return true;
    Kind &kind = kinds[kindOf(diagnostic)];
    if (++kind.count < maxShown)
      return true;
    // Notes that follow belong to the last one.
    if (kind.count == maxShown)
      kind.last = diagnostic;
    return false;
  }

  void printRest(DiagnosticPrinter &printer) {
    for (auto &[key, kind] : kinds) {
      if (kind.count < maxShown)
        continue;
      if (kind.count > maxShown)
        kind.last.notes.push_back(
            {{},
             "the same is said of " + std::to_string(kind.count - maxShown) +
                 " more places; '--diagnostics=json' names them"});
      printer.print(kind.last);
    }
  }

private:
  static constexpr unsigned maxShown = 8;
  struct Kind {
    unsigned count = 0;
    Diagnostic last;
  };
  std::map<std::string, Kind> kinds;
};
} // namespace

void Diagnostics::print(llvm::raw_ostream &os) const {
  llvm::StringMap<std::string> spellingOf;
  for (const std::string &spelling : spellings)
    spellingOf.try_emplace(absolutePath(spelling), spelling);
  auto respell = [&](SourcePlace &place) {
    if (place.isKnown())
      if (auto it = spellingOf.find(absolutePath(place.file));
          it != spellingOf.end())
        place.file = it->second;
  };
  // Prints only the first one of several equal messages.
  std::map<std::pair<SourcePlace, std::string>, Diagnostic> sorted;
  for (Diagnostic diagnostic : diagnostics) {
    respell(diagnostic.place);
    for (DiagnosticNote &note : diagnostic.notes)
      respell(note.place);
    auto key = std::pair(diagnostic.place, diagnostic.message);
    sorted.try_emplace(std::move(key), std::move(diagnostic));
  }
  DiagnosticPrinter printer(os);
  RepeatedRemarks remarks;
  for (const auto &[key, diagnostic] : sorted)
    if (remarks.admit(diagnostic))
      printer.print(diagnostic);
  remarks.printRest(printer);
}
