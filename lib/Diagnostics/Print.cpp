//===- Print.cpp - Messages as text ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints messages in clang's format, so that editors find the locations, and in
// clang's colours.
//
//===----------------------------------------------------------------------===//

#include "Words.h"
#include "sluice/Base/Progress.h"
#include "sluice/Diagnostics/SourceTexts.h"
#include "sluice/Diagnostics/ToolOutput.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>

using namespace sluice;
using Colors = llvm::raw_ostream::Colors;

static ColorMode colorMode = ColorMode::Auto;

void sluice::setColorMode(ColorMode mode) { colorMode = mode; }

bool sluice::hasColors(llvm::raw_ostream &os) {
  if (colorMode != ColorMode::Auto)
    return colorMode == ColorMode::Always;
  const char *forbidden = std::getenv("NO_COLOR");
  return (!forbidden || !*forbidden) && os.has_colors();
}

static std::function<void(const Diagnostic &)> &receiver() {
  static std::function<void(const Diagnostic &)> receive;
  return receive;
}

void sluice::redirectDiagnostics(
    std::function<void(const Diagnostic &)> receive) {
  receiver() = std::move(receive);
}

bool sluice::areDiagnosticsRedirected() { return bool(receiver()); }

llvm::StringRef sluice::nameOf(Severity severity) {
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

static Colors colorOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return Colors::RED;
  case Severity::Warning:
    return Colors::MAGENTA;
  case Severity::Remark:
    return Colors::BLUE;
  }
  return Colors::RED;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string sluice::textOf(const SourcePlace &place) {
  std::string text = place.file;
  if (place.line)
    text += ':' + std::to_string(place.line);
  if (place.line && place.column)
    text += ':' + std::to_string(place.column);
  return text;
}

static std::string headOf(const Diagnostic &diagnostic) {
  return diagnostic.rule.empty()
             ? diagnostic.message
             : diagnostic.message + " [" + diagnostic.rule + "]";
}

static std::string lineOf(const SourcePlace &place, llvm::StringRef kind,
                          const std::string &message) {
  std::string where = textOf(place);
  return (where + (where.empty() ? "" : ": ") + kind + ": " + message + "\n")
      .str();
}

std::string sluice::textOf(const Diagnostic &diagnostic) {
  std::string text =
      lineOf(diagnostic.place, nameOf(diagnostic.severity), headOf(diagnostic));
  for (const DiagnosticNote &note : diagnostic.notes)
    text += lineOf(note.place, "note", note.message);
  return text;
}

//===----------------------------------------------------------------------===//
// The printer
//===----------------------------------------------------------------------===//

class DiagnosticPrinter::Impl {
public:
  SourceTexts texts;

  explicit Impl(llvm::raw_ostream &os) : os(os), isColored(hasColors(os)) {
    if (isColored)
      os.enable_colors(true);
  }

  void printMessage(const SourcePlace &place, llvm::StringRef kind,
                    Colors color, const std::string &message) {
    paint(Colors::SAVEDCOLOR,
          [&] { os << (place.isKnown() ? textOf(place) : "sluice") << ": "; });
    paint(color, [&] { os << kind << ": "; });
    paint(Colors::SAVEDCOLOR, [&] { os << message; });
    os << '\n';
  }

  /// Prints the line of `place` with a mark there or up to `end`, and the
  /// replacement.
  void printLine(const SourcePlace &place, const SourcePlace &end,
                 const std::optional<Fix> &fix) {
    std::optional<llvm::StringRef> line = texts.lineAt(place);
    if (!line)
      return;
    std::string number = std::to_string(place.line);
    size_t width = std::max<size_t>(4, number.size());
    os.indent(width - number.size()) << ' ' << number << " | " << *line << '\n';
    if (!place.column || place.column > line->size() + 1)
      return;
    printMargin(width, *line, place.column);
    paint(Colors::GREEN, [&] {
      os << '^';
      if (end.file == place.file && end.line == place.line)
        for (unsigned i = place.column + 1; i < end.column && i <= line->size();
             ++i)
          os << '~';
    });
    os << '\n';
    if (fix && !fix->edits.empty())
      printEdit(fix->edits.front(), place, *line, width);
  }

private:
  template <typename PrintFn> void paint(Colors color, PrintFn print) {
    if (isColored)
      os.changeColor(color, /*Bold=*/true);
    print();
    if (isColored)
      os.resetColor();
  }

  /// Prints the replacement below the line, if it belongs to this line.
  void printEdit(const Edit &edit, const SourcePlace &place,
                 llvm::StringRef line, size_t width) {
    if (edit.begin.line != place.line || edit.text.empty() ||
        llvm::StringRef(edit.text).contains('\n') ||
        edit.begin.column > line.size() + 1)
      return;
    printMargin(width, line, edit.begin.column);
    paint(Colors::GREEN, [&] { os << edit.text; });
    os << '\n';
  }

  /// Prints spaces up to a column of the line above.
  void printMargin(size_t width, llvm::StringRef line, unsigned column) {
    os.indent(width + 1) << " | ";
    for (char c : line.take_front(column - 1))
      os << (c == '\t' ? '\t' : ' ');
  }

  llvm::raw_ostream &os;
  bool isColored;
};

DiagnosticPrinter::DiagnosticPrinter(llvm::raw_ostream &os)
    : impl(std::make_unique<Impl>(os)) {}
DiagnosticPrinter::~DiagnosticPrinter() = default;

void DiagnosticPrinter::addText(const std::string &name, std::string text) {
  impl->texts.add(name, std::move(text));
}

void DiagnosticPrinter::print(const Diagnostic &diagnostic) {
  if (receiver())
    return receiver()(diagnostic);
  if (diagnostic.severity != Severity::Error && verbosity() == Verbosity::Quiet)
    return;
  hideProgress();
  impl->printMessage(diagnostic.place, nameOf(diagnostic.severity),
                     colorOf(diagnostic.severity), headOf(diagnostic));
  impl->printLine(diagnostic.place, diagnostic.end, diagnostic.fix);
  for (const DiagnosticNote &note : diagnostic.notes) {
    impl->printMessage(note.place, "note", Colors::CYAN, note.message);
    impl->printLine(note.place, {}, std::nullopt);
  }
}

void sluice::printDiagnostic(const Diagnostic &diagnostic) {
  DiagnosticPrinter(llvm::errs()).print(diagnostic);
}

static void printPlain(Severity severity, const llvm::Twine &message) {
  printDiagnostic({.severity = severity, .message = message.str()});
}

void sluice::printError(const llvm::Twine &message) {
  printPlain(Severity::Error, message);
}

void sluice::printWarning(const llvm::Twine &message) {
  printPlain(Severity::Warning, message);
}

/// The severity of a line of a tool: "ld.lld: warning: ...", "a.c:1:2: error:
/// ...".
static std::optional<Severity> severityOf(llvm::StringRef line) {
  if (line.starts_with(" ") || line.starts_with(">"))
    return std::nullopt;
  size_t first = llvm::StringRef::npos;
  std::optional<Severity> severity;
  for (auto [word, meaning] : {std::pair(": error: ", Severity::Error),
                               std::pair(": fatal error: ", Severity::Error),
                               std::pair(": warning: ", Severity::Warning),
                               std::pair(": remark: ", Severity::Remark)})
    if (size_t place = line.find(word); place < first) {
      first = place;
      severity = meaning;
    }
  return severity;
}

void sluice::printToolOutput(const std::string &text, Severity otherwise) {
  if (!areDiagnosticsRedirected()) {
    if (otherwise != Severity::Error && verbosity() == Verbosity::Quiet)
      return;
    hideProgress();
    llvm::errs() << text;
    return;
  }
  Diagnostic message;
  auto finish = [&] {
    message.message = llvm::StringRef(message.message).trim().str();
    if (!message.message.empty())
      printDiagnostic(message);
    message = {.severity = otherwise};
  };
  message.severity = otherwise;
  llvm::StringRef rest = text;
  while (!rest.empty()) {
    auto [line, behind] = rest.split('\n');
    rest = behind;
    if (std::optional<Severity> severity = severityOf(line)) {
      finish();
      message.severity = *severity;
    }
    message.message += (line + "\n").str();
  }
  finish();
}
