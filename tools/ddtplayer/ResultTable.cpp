//===- ResultTable.cpp - The player's table for readers -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats the table that is printed while the player runs, so that it fits into
// a terminal.
//
//===----------------------------------------------------------------------===//

#include "PlayerReport.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace sluice;
using namespace sluice::player;

static constexpr int numberWidth = 9, timeWidth = 9, ratioWidth = 9;

static std::string padded(std::string_view text, size_t width) {
  std::string out(text);
  if (out.size() < width)
    out.append(width - out.size(), ' ');
  return out;
}

static std::string aligned(std::string_view text, size_t width) {
  size_t missing = text.size() < width ? width - text.size() : 0;
  return std::string(missing, ' ') + std::string(text);
}

/// Three digits that count.
static std::string digits(double value) {
  const char *format = "%.0f";
  if (value < 9.995)
    format = "%.2f";
  else if (value < 99.95)
    format = "%.1f";
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string sluice::player::timeText(double seconds) {
  if (seconds < 999.5e-9)
    return digits(seconds * 1e9) + " ns";
  if (seconds < 999.5e-6)
    return digits(seconds * 1e6) + " us";
  if (seconds < 999.5e-3)
    return digits(seconds * 1e3) + " ms";
  return digits(seconds) + " s";
}

std::string sluice::player::ratioText(double ratio) { return digits(ratio); }

Table::Table(const PlayerOptions &options,
             const std::vector<std::string> &libraries,
             const std::vector<Subject> &subjects, size_t width)
    : options(options), libraries(libraries) {
  for (const std::string &library : libraries)
    libraryWidth = std::max(libraryWidth, library.size());
  size_t cells = quantities().size() * (2 + timeWidth + ratioWidth);
  size_t figuresWidth =
      2 * (2 + numberWidth) + 2 + libraryWidth + 2 + timeWidth + cells;
  if (hasCompile())
    figuresWidth += 2 + timeWidth;
  constexpr size_t fewest = 24;
  isNarrow = width < figuresWidth + fewest;
  size_t most = isNarrow ? std::max(width, fewest) : width - figuresWidth;
  for (const Subject &subject : subjects)
    nameWidth = std::max(nameWidth, std::min(subject.text().size(), most));
}

std::vector<Quantity> Table::quantities() const {
  std::vector<Quantity> shown;
  for (Quantity quantity : {Quantity::PackHot, Quantity::UnpackHot,
                            Quantity::PackCold, Quantity::UnpackCold})
    if (options.plays(isPack(quantity)))
      shown.push_back(quantity);
  return shown;
}

static std::string withoutBlanksAtEnd(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string Table::head() const {
  std::string explanation =
      concat("median time of ", countOf(options.count, "instance", "instances"),
             " over ", countOf(options.rounds, "round", "rounds"));
  if (libraries.size() > 1)
    explanation += "; ratio: MPI time / our time";
  return concat(explanation, "\n\n", isNarrow ? narrowHead() : wideHead());
}

std::string Table::wideHead() const {
  std::string line =
      concat(padded("type", nameWidth), aligned("size", 2 + numberWidth),
             aligned("extent", 2 + numberWidth), "  ",
             padded("library", libraryWidth), aligned("commit", 2 + timeWidth));
  if (hasCompile())
    line += aligned("compile", 2 + timeWidth);
  for (Quantity quantity : quantities())
    line += concat(aligned(quantityNames[size_t(quantity)], 2 + timeWidth),
                   padded(libraries.size() > 1 ? " (ratio)" : "", ratioWidth));
  return withoutBlanksAtEnd(line + "  kernel");
}

/// "pack (ratio)" for the operations that are measured.
std::string Table::narrowHead() const {
  std::string line = concat("  ", padded("library", libraryWidth), "  ",
                            padded("", 4), aligned("commit", 2 + timeWidth));
  for (Quantity quantity : {Quantity::PackHot, Quantity::UnpackHot})
    if (options.plays(isPack(quantity)))
      line +=
          concat(aligned(isPack(quantity) ? "pack" : "unpack", 2 + timeWidth),
                 padded(libraries.size() > 1 ? " (ratio)" : "", ratioWidth));
  return withoutBlanksAtEnd(line);
}

static std::string timeCell(const TypeResult &result, size_t library,
                            Quantity quantity) {
  std::optional<double> seconds = result.libraries[library][quantity];
  return aligned(seconds ? timeText(*seconds) : "", 2 + timeWidth);
}

static std::string ratioCell(const TypeResult &result, size_t library,
                             Quantity quantity) {
  std::optional<double> found = ratio(result, library, quantity);
  return padded(found ? concat(" (", ratioText(*found), ")") : "", ratioWidth);
}

std::string Table::figures(const TypeResult &result, size_t library) const {
  std::string line = concat("  ", padded(libraries[library], libraryWidth),
                            timeCell(result, library, Quantity::Commit));
  if (hasCompile())
    line += timeCell(result, library, Quantity::Compile);
  for (Quantity quantity : quantities())
    line += timeCell(result, library, quantity) +
            ratioCell(result, library, quantity);
  return library == 0 ? concat(line, "  ", result.kernel) : line;
}

/// One row for hot times, one for cold ones.
std::string Table::narrowFigures(const TypeResult &result,
                                 size_t library) const {
  std::string text;
  for (bool cold : {false, true}) {
    std::string line =
        concat("  ", padded(cold ? "" : libraries[library], libraryWidth), "  ",
               cold ? "cold" : "hot ",
               cold ? std::string(2 + timeWidth, ' ')
                    : timeCell(result, library, Quantity::Commit));
    for (Quantity quantity : quantities())
      if (isCold(quantity) == cold)
        line += timeCell(result, library, quantity) +
                ratioCell(result, library, quantity);
    text += withoutBlanksAtEnd(line);
  }
  return text;
}

std::string Table::narrowRows(const Subject &subject,
                              const TypeResult &result) const {
  std::string text =
      concat('\n', subject.shortText(nameWidth), "\n  ",
             countOf(uint64_t(result.shape.size), "byte", "bytes"), ", extent ",
             result.shape.extent, "; ", result.kernel);
  if (std::optional<double> seconds = result.libraries[0][Quantity::Compile])
    text += concat(", in ", timeText(*seconds));
  text += '\n';
  for (size_t i = 0; i < libraries.size(); ++i)
    text += narrowFigures(result, i);
  return text;
}

std::string Table::wideRows(const Subject &subject,
                            const TypeResult &result) const {
  std::string text =
      concat(padded(subject.shortText(nameWidth), nameWidth), "  ",
             aligned(concat(result.shape.size), numberWidth), "  ",
             aligned(concat(result.shape.extent), numberWidth));
  std::string blank(text.size(), ' ');
  for (size_t i = 0; i < libraries.size(); ++i) {
    text += withoutBlanksAtEnd(figures(result, i));
    if (i + 1 != libraries.size())
      text += blank;
  }
  return text;
}

std::string Table::rows(const Subject &subject,
                        const TypeResult &result) const {
  std::string text =
      isNarrow ? narrowRows(subject, result) : wideRows(subject, result);
  for (const std::string &note : result.notes)
    text += concat("  note: ", note, '\n');
  return text;
}

/// "8.12 (0.97 to 31.0)" of the ratios of one library.
std::string Table::meansOf(const std::vector<TypeResult> &results,
                           size_t library) const {
  std::string line =
      concat("  ", padded(libraries[library], isNarrow ? 0 : libraryWidth));
  for (Quantity quantity : quantities()) {
    double sum = 0, least = HUGE_VAL, most = 0;
    size_t count = 0;
    for (const TypeResult &result : results)
      if (std::optional<double> found = ratio(result, library, quantity)) {
        sum += std::log(*found);
        least = std::min(least, *found);
        most = std::max(most, *found);
        ++count;
      }
    if (count == 0)
      continue;
    line += concat(isNarrow ? "\n    " : "  ", quantityNames[size_t(quantity)],
                   ' ', ratioText(std::exp(sum / double(count))), " (",
                   ratioText(least), " to ", ratioText(most), ")");
  }
  return line + "\n";
}

std::string Table::summary(const std::vector<TypeResult> &results) const {
  std::string text = "\n";
  if (libraries.size() > 1)
    text += "geometric means of the ratios, and their ranges\n";
  for (size_t i = 1; i < libraries.size(); ++i)
    text += meansOf(results, i);
  size_t failed = size_t(
      std::count_if(results.begin(), results.end(), [](const TypeResult &one) {
        return !one.failures.empty();
      }));
  if (failed == 0)
    return concat(text, countOf(results.size(), "type", "types"),
                  ", all buffers equal\n");
  return concat(text, failed, " of ", countOf(results.size(), "type", "types"),
                " failed\n");
}
