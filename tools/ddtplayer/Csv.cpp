//===- Csv.cpp - The player's results for other programs ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row for each type and library. Times are in nanoseconds; values that were
// not measured are empty.
//
//===----------------------------------------------------------------------===//

#include "PlayerReport.h"
#include "sluice/Base/Text.h"

#include <cstdio>

using namespace sluice;
using namespace sluice::player;

/// Quoted if it contains a comma, a quote or a line end (RFC 4180).
static std::string field(std::string_view text) {
  if (text.find_first_of(",\"\n") == text.npos)
    return std::string(text);
  std::string out = "\"";
  for (char character : text)
    out += character == '"' ? "\"\"" : std::string(1, character);
  return out + "\"";
}

static std::string number(std::optional<double> value, const char *format) {
  if (!value)
    return "";
  char text[64];
  std::snprintf(text, sizeof text, format, *value);
  return text;
}

static constexpr Quantity repeated[] = {Quantity::PackHot, Quantity::UnpackHot,
                                        Quantity::PackCold,
                                        Quantity::UnpackCold};

static std::string columnName(Quantity quantity) {
  std::string name = quantityNames[size_t(quantity)];
  if (size_t blank = name.find(' '); blank != name.npos)
    name[blank] = '_';
  return name;
}

static std::string head() {
  std::string line = "type,size,extent,count,library,kernel,commit_ns,"
                     "compile_ns";
  for (Quantity quantity : repeated)
    line += concat(',', columnName(quantity), "_ns");
  for (Quantity quantity : repeated)
    line += concat(',', columnName(quantity), "_ratio");
  return line + ",problem\n";
}

static std::string row(const TypeResult &result, size_t library,
                       int64_t count) {
  const LibraryResult &figures = result.libraries[library];
  auto time = [&](Quantity quantity) {
    std::optional<double> seconds = figures[quantity];
    if (seconds)
      *seconds *= 1e9;
    return concat(',', number(seconds, "%.2f"));
  };
  std::string line =
      concat(field(result.text), ',', result.shape.size, ',',
             result.shape.extent, ',', count, ',', field(figures.name), ',',
             field(library == 0 ? result.kernel : ""), time(Quantity::Commit),
             time(Quantity::Compile));
  for (Quantity quantity : repeated)
    line += time(quantity);
  for (Quantity quantity : repeated)
    line += concat(',', number(ratio(result, library, quantity), "%.4f"));
  return concat(line, ',', field(figures.problem), '\n');
}

std::string sluice::player::csv(const PlayerOptions &options,
                                const std::vector<TypeResult> &results) {
  std::string text = head();
  for (const TypeResult &result : results)
    for (size_t i = 0; i < result.libraries.size(); ++i)
      text += row(result, i, options.count);
  return text;
}
