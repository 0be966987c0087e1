//===- PlayerReport.h - Tables and plots of the player's results ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same measurements are needed in several forms: a table to read, values
// for other programs, and a plot.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_PLAYERREPORT_H
#define DDTPLAYER_PLAYERREPORT_H

#include "Player.h"

namespace sluice::player {

/// The table for readers. Rows are printed as they become available.
class Table {
public:
  /// Names of types get as many characters as the longest one needs, but at
  /// most the space that a line of `width` has left besides the numbers. On
  /// narrow lines, names are printed above the numbers.
  Table(const PlayerOptions &options, const std::vector<std::string> &libraries,
        const std::vector<Subject> &subjects, size_t width);

  std::string head() const;
  std::string rows(const Subject &subject, const TypeResult &result) const;
  /// Means of the ratios, and whether all buffers were equal.
  std::string summary(const std::vector<TypeResult> &results) const;

private:
  std::vector<Quantity> quantities() const;
  bool hasCompile() const { return options.kernel == KernelChoice::Compiled; }
  std::string wideHead() const;
  std::string narrowHead() const;
  std::string wideRows(const Subject &subject, const TypeResult &result) const;
  std::string narrowRows(const Subject &subject,
                         const TypeResult &result) const;
  std::string figures(const TypeResult &result, size_t library) const;
  std::string narrowFigures(const TypeResult &result, size_t library) const;
  std::string meansOf(const std::vector<TypeResult> &results,
                      size_t library) const;

  const PlayerOptions &options;
  const std::vector<std::string> &libraries;
  size_t nameWidth = 4, libraryWidth = 7;
  /// A line has no room for all numbers of a library.
  bool isNarrow = false;
};

/// All results as comma-separated values, with a header line.
std::string csv(const PlayerOptions &options,
                const std::vector<TypeResult> &results);

/// The ratios as SVG: bars for few types, points over the size for many.
std::string plot(const PlayerOptions &options,
                 const std::vector<TypeResult> &results);

/// "1.23 us"
std::string timeText(double seconds);
/// "8.12"
std::string ratioText(double ratio);

} // namespace sluice::player

#endif // DDTPLAYER_PLAYERREPORT_H
