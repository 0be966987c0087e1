//===- Plot.cpp - A plot of the ratios ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One panel for each kind of time. The axis of ratios is logarithmic, since
// half as fast and twice as fast should be equally far from equal. A few types
// get a row of bars each; many types are points over the packed size.
//
//===----------------------------------------------------------------------===//

#include "PlayerReport.h"
#include "sluice/Base/Svg.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace sluice;
using namespace sluice::player;

namespace {
/// One value and its position in the plot.
struct Dot {
  const TypeResult *result;
  size_t row;
  size_t library;
  double ratio;
};

struct Panel {
  Quantity quantity;
  std::vector<Dot> dots;
};

/// Maps [low, high], both powers of `base`, to pixels.
struct PlotAxis {
  double base, low, high, from, to;
  double at(double value) const {
    double part = std::log(value / low) / std::log(high / low);
    return from + (to - from) * std::clamp(part, 0.0, 1.0);
  }
};

class Chart {
public:
  Chart(const PlayerOptions &options, const std::vector<TypeResult> &results);
  std::string draw();

private:
  void drawHead(double width);
  void drawBars();
  void drawBarPanel(const Panel &panel, double x, double width);
  void drawRowNames();
  void drawPoints();
  void drawPointPanel(const Panel &panel, double x, double y);
  PlotAxis ratioAxis(double from, double to) const;
  std::string tip(const Dot &dot) const;

  const std::vector<TypeResult> &results;
  std::vector<Panel> panels;
  size_t numLibraries = 0;
  double least = 1, most = 1, smallest = 1, largest = 1;
  Svg svg;
  double width = 0, height = 0;
};
} // namespace

static constexpr size_t maxBars = 40;
static constexpr double margin = 16, headHeight = 76, barHeight = 11,
                        rowGap = 7;
static const char *const colours[] = {"#222", "#0b6e4f", "#4c6a92", "#a5662f"};
static const char *const gridColour = "#ddd", *const equalColour = "#c0392b";

Chart::Chart(const PlayerOptions &options,
             const std::vector<TypeResult> &results)
    : results(results) {
  for (Quantity quantity : {Quantity::PackHot, Quantity::UnpackHot,
                            Quantity::PackCold, Quantity::UnpackCold})
    if (options.plays(isPack(quantity)))
      panels.push_back({quantity, {}});
  for (size_t row = 0; row < results.size(); ++row) {
    const TypeResult &result = results[row];
    numLibraries = result.libraries.size() - 1;
    double size = double(std::max<int64_t>(result.shape.size, 1));
    smallest = row ? std::min(smallest, size) : size;
    largest = std::max(largest, size);
    for (Panel &panel : panels)
      for (size_t i = 1; i <= numLibraries; ++i)
        if (std::optional<double> found = ratio(result, i, panel.quantity)) {
          panel.dots.push_back({&result, row, i, *found});
          least = std::min(least, *found);
          most = std::max(most, *found);
        }
  }
}

static double powerBelow(double value, double base) {
  return std::pow(base, std::floor(std::log(value) / std::log(base) + 1e-9));
}
static double powerAbove(double value, double base) {
  return std::pow(base, std::ceil(std::log(value) / std::log(base) - 1e-9));
}

PlotAxis Chart::ratioAxis(double from, double to) const {
  double high = std::max(powerAbove(most, 2), 2.0);
  double low = std::min(powerBelow(least, 2), 0.5);
  return {2, low, high, from, to};
}

std::string Chart::tip(const Dot &dot) const {
  return concat(dot.result->text.substr(0, 200), ", ", dot.result->shape.size,
                " bytes: ", dot.result->libraries[dot.library].name, ' ',
                ratioText(dot.ratio));
}

void Chart::drawHead(double width) {
  svg.text(margin, 26, "MPI time / our time, above 1 ours is faster",
           {.size = 16});
  double x = margin;
  for (size_t i = 1; i <= numLibraries; ++i) {
    svg.rectangle(x, 38, 12, 12, colours[i % std::size(colours)]);
    const std::string &name = results.front().libraries[i].name;
    svg.text(x + 18, 48, name);
    x += 40 + 7 * double(name.size());
  }
  if (numLibraries == 0)
    svg.text(margin, 48, "no MPI was played, so there are no ratios");
}

//===----------------------------------------------------------------------===//
// Bars
//===----------------------------------------------------------------------===//

static constexpr double nameWidth = 260;

static double rowHeight(size_t numLibraries) {
  return barHeight * double(std::max<size_t>(numLibraries, 1)) + rowGap;
}

void Chart::drawRowNames() {
  double y = headHeight;
  for (const TypeResult &result : results) {
    std::string name = result.text;
    if (name.size() > 40)
      name = name.substr(0, 37) + "...";
    svg.text(margin + nameWidth - 8, y + rowHeight(numLibraries) / 2 + 2, name,
             {.size = 11, .anchor = Svg::Anchor::End});
    y += rowHeight(numLibraries);
  }
}

/// A power of two, without trailing zero digits.
static std::string axisText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

static void drawGrid(Svg &svg, const PlotAxis &axis, double top,
                     double bottom) {
  int powers = int(std::lround(std::log2(axis.high / axis.low)));
  int stride = std::max(1, (powers + 5) / 6);
  for (int i = 0; i <= powers; i += stride) {
    double value = axis.low * std::exp2(i), x = axis.at(value);
    svg.line(x, top, x, bottom, gridColour);
    svg.text(x, top - 4, axisText(value),
             {.size = 10, .anchor = Svg::Anchor::Middle});
  }
  svg.line(axis.at(1), top, axis.at(1), bottom, equalColour);
}

void Chart::drawBarPanel(const Panel &panel, double x, double width) {
  PlotAxis axis = ratioAxis(x, x + width);
  double bottom = headHeight + rowHeight(numLibraries) * double(results.size());
  svg.text(x, headHeight - 18, quantityNames[size_t(panel.quantity)],
           {.isBold = true});
  drawGrid(svg, axis, headHeight, bottom);
  for (const Dot &dot : panel.dots) {
    double y = headHeight + rowHeight(numLibraries) * double(dot.row) +
               rowGap / 2 + barHeight * double(dot.library - 1);
    double end = axis.at(dot.ratio), begin = axis.at(1);
    svg.rectangle(std::min(begin, end), y, std::max(std::abs(end - begin), 1.0),
                  barHeight - 1, colours[dot.library % std::size(colours)],
                  tip(dot));
    svg.text(std::max(begin, end) + 3, y + barHeight - 2, ratioText(dot.ratio),
             {.size = 9});
  }
}

void Chart::drawBars() {
  constexpr double panelWidth = 190, gap = 46;
  drawRowNames();
  double x = margin + nameWidth;
  for (const Panel &panel : panels) {
    drawBarPanel(panel, x, panelWidth);
    x += panelWidth + gap;
  }
  width = x + margin;
  height =
      headHeight + rowHeight(numLibraries) * double(results.size()) + margin;
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

static constexpr double pointWidth = 420, pointHeight = 260;

static std::string sizeText(double bytes) {
  if (bytes >= 1 << 20)
    return concat(int64_t(bytes / (1 << 20)), " MiB");
  if (bytes >= 1 << 10)
    return concat(int64_t(bytes / (1 << 10)), " KiB");
  return concat(int64_t(bytes), " B");
}

static void drawPointGrid(Svg &svg, const PlotAxis &sizes,
                          const PlotAxis &ratios) {
  for (double size = sizes.low; size <= sizes.high * 1.01; size *= sizes.base) {
    svg.line(sizes.at(size), ratios.from, sizes.at(size), ratios.to,
             gridColour);
    svg.text(sizes.at(size), ratios.from + 14, sizeText(size),
             {.size = 10, .anchor = Svg::Anchor::Middle});
  }
  int powers = int(std::lround(std::log2(ratios.high / ratios.low)));
  int stride = std::max(1, (powers + 9) / 10);
  for (int i = 0; i <= powers; i += stride) {
    double value = ratios.low * std::exp2(i), y = ratios.at(value);
    svg.line(sizes.from, y, sizes.to, y, gridColour);
    svg.text(sizes.from - 6, y + 4, axisText(value),
             {.size = 10, .anchor = Svg::Anchor::End});
  }
  svg.line(sizes.from, ratios.at(1), sizes.to, ratios.at(1), equalColour);
}

void Chart::drawPointPanel(const Panel &panel, double x, double y) {
  double bottom = y + pointHeight;
  PlotAxis ratios = ratioAxis(bottom, y);
  PlotAxis sizes = {16, powerBelow(smallest, 16),
                    powerAbove(largest * 1.01, 16), x, x + pointWidth};
  svg.text(
      x, y - 10,
      concat(quantityNames[size_t(panel.quantity)], ", over the packed size"),
      {.isBold = true});
  drawPointGrid(svg, sizes, ratios);
  for (const Dot &dot : panel.dots) {
    double size = double(std::max<int64_t>(dot.result->shape.size, 1));
    svg.circle(sizes.at(size), ratios.at(dot.ratio), 3.5,
               colours[dot.library % std::size(colours)], tip(dot));
  }
}

void Chart::drawPoints() {
  constexpr double left = 60, gapX = 70, gapY = 70;
  double y = headHeight + 20;
  for (size_t i = 0; i < panels.size(); ++i) {
    double x = left + double(i % 2) * (pointWidth + gapX);
    drawPointPanel(panels[i], x, y);
    if (i % 2 || i + 1 == panels.size())
      y += pointHeight + gapY;
  }
  width = left + 2 * pointWidth + gapX + 40;
  height = y - 20;
}

std::string Chart::draw() {
  drawHead(width);
  if (results.size() * std::max<size_t>(numLibraries, 1) <= maxBars)
    drawBars();
  else
    drawPoints();
  return svg.finish(width, height);
}

std::string sluice::player::plot(const PlayerOptions &options,
                                 const std::vector<TypeResult> &results) {
  return Chart(options, results).draw();
}
