//===- DrawTimeline.cpp - A trace as a picture ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a row for each worker and queue: its activity in the colours of nodes,
// its waits below and its part of the critical path above. However many parts a
// run has, a row has no more boxes than its width in pixels.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Svg.h"
#include "sluice/Base/Text.h"
#include "sluice/Driver/TraceReport.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

static constexpr double left = 190, width = 1000, top = 40, rowHeight = 34;
static constexpr std::string_view nodeColours[] = {
    "#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#edc948",
    "#76b7b2", "#ff9da7", "#9c755f", "#86bcb6", "#d4a6c8"};
static constexpr std::string_view otherColour = "#bab0ac";
static constexpr std::string_view pathColour = "#c00000";

StringRef driver::waitColour(WaitKind kind) {
  static constexpr StringLiteral colours[numWaitKinds] = {
      "#e15759", "#8c2d04", "#2b8cbe", "#54278f",
      "#fdae6b", "#d9d9d9", "#f5f5f5"};
  return colours[unsigned(kind)];
}

namespace {
class Drawing {
public:
  Drawing(const Timeline &timeline, const TraceReport &report)
      : timeline(timeline), report(report),
        scale(width / std::max(1.0, double(timeline.end - timeline.begin))),
        bottom(top + rowHeight * double(timeline.rows.size())) {}
  std::string draw();

private:
  double across(int64_t time) const {
    return left + double(time - timeline.begin) * scale;
  }
  static double down(uint32_t row) { return top + rowHeight * row; }
  std::string_view colourOf(uint32_t name) const {
    for (size_t i = 0; i != std::size(nodeColours) && i != report.nodes.size();
         ++i)
      if (report.nodes[i].name == name)
        return nodeColours[i];
    return otherColour;
  }
  /// Draws a box, unless an earlier box of the row already covers its pixel.
  void box(std::vector<double> &drawn, uint32_t row, int64_t start, int64_t end,
           double y, double height, std::string_view colour,
           std::string_view title);
  void drawAxis();
  void drawRows();
  void drawLegend();

  const Timeline &timeline;
  const TraceReport &report;
  const double scale, bottom;
  double legendEnd = 0;
  Svg svg;
};
} // namespace

void Drawing::box(std::vector<double> &drawn, uint32_t row, int64_t start,
                  int64_t end, double y, double height, std::string_view colour,
                  std::string_view title) {
  const double x = across(start), right = across(end);
  // A box is at least half a pixel wide; a box within a drawn one is left out.
  if (right - x < 0.5 && x < drawn[row])
    return;
  const double boxWidth = std::max(0.5, right - x);
  svg.rectangle(x, y, boxWidth, height, colour, title);
  drawn[row] = x + boxWidth;
}

/// A round number of nanoseconds that fits about ten times.
static double tickOf(double whole) {
  double tick = std::pow(10, std::floor(std::log10(std::max(1.0, whole / 10))));
  while (whole / tick > 12)
    tick *= whole / tick > 30 ? 5 : 2;
  return tick;
}

void Drawing::drawAxis() {
  const double whole = double(timeline.end - timeline.begin);
  const double tick = tickOf(whole);
  for (unsigned i = 0; i * tick <= whole; ++i) {
    const double x = left + i * tick * scale;
    svg.line(x, top - 6, x, bottom, "#e4e4e4");
    svg.text(x, top - 10, spellTime(i * tick),
             {.size = 10, .anchor = Svg::Anchor::Middle});
  }
}

void Drawing::drawRows() {
  std::vector<double> parts(timeline.rows.size()), waits(parts), paths(parts);
  for (const TraceReport::RowUse &use : report.rows) {
    const double y = down(use.row);
    const double share = 100 * double(use.busy) /
                         std::max(1.0, double(timeline.end - timeline.begin));
    svg.text(8, y + 14, shortName(timeline.rows[use.row].name), {.size = 11});
    svg.text(left - 8, y + 14, concat(std::lround(share), " %"),
             {.size = 11, .anchor = Svg::Anchor::End, .colour = "#666"});
  }
  for (const Timeline::Span &span : timeline.spans) {
    const std::string name = shortName(timeline.names[span.name]);
    std::string title =
        concat(name, ": ", spellTime(double(span.end - span.start)));
    if (span.launch != Timeline::none)
      title += concat(", launch ", span.launch + 1);
    box(parts, span.row, span.start, span.end, down(span.row) + 3, 18,
        colourOf(span.name), title);
  }
  for (const TraceReport::Wait &wait : report.waits) {
    if (wait.kind == WaitKind::Nothing)
      continue;
    std::string title = concat(waitName(wait.kind).str(), ": ",
                               spellTime(double(wait.end - wait.start)));
    if (wait.waitedFor != Timeline::none)
      title += ", for " + shortName(timeline.names[wait.waitedFor]);
    box(waits, wait.row, wait.start, wait.end, down(wait.row) + 22, 5,
        waitColour(wait.kind), title);
  }
  for (const TraceReport::Step &step : report.path)
    box(paths, timeline.spans[step.span].row, step.start, step.end,
        down(timeline.spans[step.span].row), 2, pathColour, "critical path");
}

void Drawing::drawLegend() {
  double x = left, y = bottom + 14;
  auto entry = [&](std::string_view colour, const std::string &text) {
    const double needed = 24 + 6.2 * double(text.size());
    if (x > left && x + needed > left + width) {
      x = left;
      y += 18;
    }
    svg.rectangle(x, y, 12, 12, colour);
    svg.text(x + 16, y + 10, text, {.size = 11});
    x += needed;
  };
  auto newLine = [&](const char *what) {
    x = left;
    svg.text(8, y + 10, what, {.size = 11, .isBold = true});
  };
  newLine("nodes");
  for (size_t i = 0; i != std::size(nodeColours) && i != report.nodes.size();
       ++i)
    entry(nodeColours[i], shortName(timeline.names[report.nodes[i].name]));
  y += 20;
  newLine("waits for");
  for (unsigned kind = 0; kind + 1 != numWaitKinds; ++kind)
    if (report.waitTimes[kind] > 0)
      entry(waitColour(WaitKind(kind)), waitName(WaitKind(kind)).str());
  entry(pathColour, "critical path");
  legendEnd = y + 24;
}

std::string Drawing::draw() {
  svg.text(8, 18,
           concat(spellTime(double(timeline.end - timeline.begin)), ", ",
                  countOf(timeline.launches.size(), "launch", "launches")),
           {.size = 13, .isBold = true});
  drawAxis();
  drawRows();
  drawLegend();
  return svg.finish(left + width + 20, legendEnd);
}

std::string driver::drawTimeline(const Timeline &timeline,
                                 const TraceReport &report) {
  return Drawing(timeline, report).draw();
}
