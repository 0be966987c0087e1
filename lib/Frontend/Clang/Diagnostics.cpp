//===- Diagnostics.cpp - Collect, sort and print messages -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints messages the way clang does, so that editors find the places.
//
//===----------------------------------------------------------------------===//

#include "sluice/Frontend/Clang/Diagnostics.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

using namespace sluice;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The path as the user wrote it where that still leads to the file.
static std::string pathOf(const llvm::DIScope &scope) {
  llvm::StringRef name = scope.getFilename();
  if (llvm::sys::path::is_absolute(name) || scope.getDirectory().empty())
    return name.str();
  llvm::SmallString<128> path(scope.getDirectory());
  llvm::sys::path::append(path, name);
  return llvm::sys::fs::exists(name) ? name.str() : path.str().str();
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

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

namespace {
/// Prints source lines; reads every file once.
class LinePrinter {
public:
  explicit LinePrinter(llvm::raw_ostream &os) : os(os) {}

  void printPlace(const SourcePlace &place) {
    if (!place.isKnown()) {
      os << "sluice: ";
      return;
    }
    os << place.file << ':';
    if (place.line)
      os << place.line << ':';
    if (place.line && place.column)
      os << place.column << ':';
    os << ' ';
  }

  void printLine(const SourcePlace &place) {
    if (!place.isKnown() || !place.line)
      return;
    std::optional<llvm::StringRef> line = lineAt(place);
    if (!line)
      return;
    std::string number = std::to_string(place.line);
    os.indent(4 - std::min<size_t>(4, number.size()))
        << ' ' << number << " | " << *line << '\n';
    if (!place.column || place.column > line->size() + 1)
      return;
    os.indent(std::max<size_t>(4, number.size()) + 1) << " | ";
    for (char c : line->take_front(place.column - 1))
      os << (c == '\t' ? '\t' : ' ');
    os << "^\n";
  }

private:
  std::optional<llvm::StringRef> lineAt(const SourcePlace &place) {
    auto [it, isNew] = files.try_emplace(place.file);
    if (isNew)
      if (auto buffer = llvm::MemoryBuffer::getFile(place.file))
        it->second = std::move(*buffer);
    if (!it->second)
      return std::nullopt;
    llvm::StringRef rest = it->second->getBuffer();
    for (unsigned line = 1; line < place.line; ++line) {
      size_t end = rest.find('\n');
      if (end == llvm::StringRef::npos)
        return std::nullopt;
      rest = rest.drop_front(end + 1);
    }
    return rest.take_until([](char c) { return c == '\n' || c == '\r'; });
  }

  llvm::raw_ostream &os;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> files;
};
} // namespace

static llvm::StringRef nameOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  }
  return "error";
}

static void printOne(const Diagnostic &diagnostic, LinePrinter &lines,
                     llvm::raw_ostream &os) {
  lines.printPlace(diagnostic.place);
  os << nameOf(diagnostic.severity) << ": " << diagnostic.message;
  if (!diagnostic.rule.empty())
    os << " [" << diagnostic.rule << ']';
  os << '\n';
  lines.printLine(diagnostic.place);
  for (const DiagnosticNote &note : diagnostic.notes) {
    lines.printPlace(note.place);
    os << "note: " << note.message << '\n';
    lines.printLine(note.place);
  }
}

/// The path that leads to the same file from everywhere.
static std::string absolutePath(llvm::StringRef path) {
  llvm::SmallString<128> absolute(path);
  llvm::sys::fs::make_absolute(absolute);
  llvm::sys::path::remove_dots(absolute, /*remove_dot_dot=*/true);
  return absolute.str().str();
}

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
  // One of several equal messages is printed, the first that was added.
  std::map<std::pair<SourcePlace, std::string>, Diagnostic> sorted;
  for (Diagnostic diagnostic : diagnostics) {
    respell(diagnostic.place);
    for (DiagnosticNote &note : diagnostic.notes)
      respell(note.place);
    auto key = std::pair(diagnostic.place, diagnostic.message);
    sorted.try_emplace(std::move(key), std::move(diagnostic));
  }
  LinePrinter lines(os);
  for (const auto &[key, diagnostic] : sorted)
    printOne(diagnostic, lines, os);
}
