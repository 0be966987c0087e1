//===- LayoutPicture.cpp - The bytes of a layout as a drawing -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory is drawn in rows. If a layout repeats, a row is as long as its inner
// stride, so that repeated parts line up in columns.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Svg.h"
#include "sluice/Base/Text.h"
#include "sluice/Driver/Layouts.h"
#include "sluice/Pack/Datatype.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace sluice;
using namespace sluice::driver;

/// Limits on the part of a layout that is drawn.
static constexpr int64_t maxRows = 64;
static constexpr double margin = 16, labelWidth = 64, rowHeight = 18,
                        rowGap = 3;

namespace {
/// Elements that are adjacent both in memory and in the packed stream.
struct DrawnRun {
  int64_t begin, end, packed, elementSize;
};

/// The part of the picture for one layout.
class LayoutPicture {
public:
  LayoutPicture(Svg &svg, const farc::Datatype &type, double top)
      : svg(svg), type(type), top(top) {}
  /// Returns the position where the next picture may begin, and widens `width`.
  double draw(double &width);

private:
  void chooseRows();
  void collectRuns();
  void drawHead();
  void drawGround();
  void drawRun(const DrawnRun &run);
  void drawPiece(const DrawnRun &run, int64_t begin, int64_t end);
  double x(int64_t place) const {
    return margin + labelWidth +
           double(place - rowOf(place) * bytesPerRow) * byteWidth;
  }
  double y(int64_t row) const {
    return top + 46 + double(row - rowOf(first)) * (rowHeight + rowGap);
  }
  int64_t rowOf(int64_t place) const {
    int64_t quotient = place / bytesPerRow;
    return quotient - (place % bytesPerRow < 0);
  }

  Svg &svg;
  const farc::Datatype &type;
  double top;
  /// The bytes drawn: [first, last).
  int64_t first = 0, last = 0;
  bool isCut = false;
  int64_t bytesPerRow = 64;
  double byteWidth = 12;
  std::vector<DrawnRun> runs;
};
} // namespace

/// The color goes from light to dark along the packed stream.
static std::string colour(double part) {
  const double from[] = {0x8f, 0xcf, 0xb3}, to[] = {0x0b, 0x4e, 0x3f};
  char text[16];
  auto mix = [&](int i) {
    return unsigned(std::lround(from[i] + (to[i] - from[i]) * part));
  };
  std::snprintf(text, sizeof text, "#%02x%02x%02x", mix(0), mix(1), mix(2));
  return text;
}

/// The distance at which the layout repeats; 0 if it does not.
static int64_t innerStride(const pack::Form &form) {
  if (form.kind == pack::FormKind::Strided)
    return std::abs(form.dimensions.back().stride);
  if (form.kind == pack::FormKind::Indexed)
    return innerStride(*form.children.front());
  return 0;
}

void LayoutPicture::chooseRows() {
  constexpr int64_t usual = 64, most = 128;
  bytesPerRow = usual;
  int64_t stride = innerStride(*type.normalForm().form);
  if (stride > 0 && stride <= most)
    bytesPerRow = stride * std::max<int64_t>(1, usual / stride);
  if (bytesPerRow > usual)
    byteWidth = 9;
  first = std::min(type.getLowerBound(), type.getTrueLowerBound());
  last = std::max(type.getUpperBound(), type.getTrueUpperBound());
  int64_t end = (rowOf(first) + maxRows) * bytesPerRow;
  isCut = last > end;
  last = std::min(last, end);
}

void LayoutPicture::collectRuns() {
  int64_t packed = 0;
  type.forEachElement(0, [&](int64_t offset,
                             const farc::PrimitiveDatatype &primitive,
                             int64_t count) {
    int64_t size = primitive.getSize(), end = offset + count * size;
    int64_t place = packed;
    packed += count * size;
    if (size == 0 || end <= first || offset >= last)
      return;
    if (!runs.empty() && runs.back().end == offset &&
        runs.back().elementSize == size &&
        runs.back().packed + runs.back().end - runs.back().begin == place)
      runs.back().end = end;
    else
      runs.push_back({offset, end, place, size});
  });
}

void LayoutPicture::drawHead() {
  std::string name = type.toString(true);
  if (name.size() > 110)
    name = name.substr(0, 107) + "...";
  svg.text(margin, top + 16, name, {.size = 14, .isBold = true});
  svg.text(margin, top + 34,
           concat(countOf(type.getSize(), "byte", "bytes"), " packed; extent ",
                  type.getExtent(), ", from ", type.getLowerBound(), " to ",
                  type.getUpperBound(),
                  isCut ? concat("; the first ", last - first, " bytes") : ""));
}

/// Draws rows, gray within the extent, labelled with the offset of their first
/// byte.
void LayoutPicture::drawGround() {
  for (int64_t row = rowOf(first); row * bytesPerRow < last; ++row) {
    int64_t begin = row * bytesPerRow, end = begin + bytesPerRow;
    svg.text(margin + labelWidth - 8, y(row) + rowHeight - 5, concat(begin),
             {.size = 10, .anchor = Svg::Anchor::End, .colour = "#666"});
    int64_t low = std::max({begin, first, type.getLowerBound()});
    int64_t high = std::min({end, last, type.getUpperBound()});
    if (low < high)
      svg.rectangle(x(low), y(row), double(high - low) * byteWidth, rowHeight,
                    "#e6e6e6");
  }
}

/// Draws part of a run, within one row.
void LayoutPicture::drawPiece(const DrawnRun &run, int64_t begin, int64_t end) {
  int64_t packed = run.packed + begin - run.begin;
  int64_t row = rowOf(begin);
  double width = double(end - begin) * byteWidth;
  double part = double(packed) / double(std::max<int64_t>(type.getSize(), 1));
  svg.rectangle(x(begin), y(row), width, rowHeight, colour(part),
                concat("bytes ", begin, " to ", end - 1,
                       " of memory are bytes ", packed, " to ",
                       packed + end - begin - 1, " of the packed stream"));
  for (int64_t place = begin; place < end; ++place)
    if ((place - run.begin) % run.elementSize == 0)
      svg.line(x(place), y(row), x(place), y(row) + rowHeight, "white");
  std::string label = concat(packed);
  if (width >= 7 * double(label.size()) + 4)
    svg.text(x(begin) + 4, y(row) + rowHeight - 5, label,
             {.size = 10, .colour = part < 0.45 ? "#222" : "white"});
}

void LayoutPicture::drawRun(const DrawnRun &run) {
  int64_t place = std::max(run.begin, first);
  int64_t end = std::min(run.end, last);
  while (place < end) {
    int64_t rowEnd = (rowOf(place) + 1) * bytesPerRow;
    drawPiece(run, place, std::min(end, rowEnd));
    place = rowEnd;
  }
}

double LayoutPicture::draw(double &width) {
  chooseRows();
  collectRuns();
  drawHead();
  drawGround();
  for (const DrawnRun &run : runs)
    drawRun(run);
  width = std::max(width, margin + labelWidth +
                              double(bytesPerRow) * byteWidth + margin);
  return first < last ? y(rowOf(last - 1)) + rowHeight + 28 : top + 60;
}

std::string
sluice::driver::drawLayouts(const std::vector<const farc::Datatype *> &types) {
  Svg svg;
  double top = margin, width = 760;
  for (const farc::Datatype *type : types)
    top = LayoutPicture(svg, *type, top).draw(width);
  svg.text(margin, top,
           "grey: within the extent; coloured: packed, with the place in the "
           "packed stream; white lines: elements",
           {.size = 11, .colour = "#666"});
  return svg.finish(width, top + margin);
}
