//===- Report.h - Tables and drawings of the player's figures -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One measurement is wanted in several forms: a table to read, values for other
// programs, and a picture.
//
//===----------------------------------------------------------------------===//

#ifndef DDTPLAYER_REPORT_H
#define DDTPLAYER_REPORT_H

#include "Player.h"

namespace sluice::player {

/// The table for readers, whose rows are printed as they come.
class Table {
public:
  /// Names of types get as many characters as the longest of them needs, and at
  /// most what a line of `width` has left beside the figures. On narrow lines
  /// they stand above the figures.
  Table(const Options &options, const std::vector<std::string> &libraries,
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

  const Options &options;
  const std::vector<std::string> &libraries;
  size_t nameWidth = 4, libraryWidth = 7;
  /// A line has no room for all figures of a library.
  bool isNarrow = false;
};

/// All figures as comma-separated values, with a line of names.
std::string csv(const Options &options, const std::vector<TypeResult> &results);

/// The ratios as SVG: bars for few types, points over the size for many.
std::string plot(const Options &options,
                 const std::vector<TypeResult> &results);

/// "1.23 us"
std::string timeText(double seconds);
/// "8.12"
std::string ratioText(double ratio);

} // namespace sluice::player

#endif // DDTPLAYER_REPORT_H
