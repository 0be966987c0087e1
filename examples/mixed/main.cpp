//===- main.cpp - Four kinds of kernels in one task graph -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A meta-program: a membrane that is fixed at its edges sinks under a load.
//
//   stiffness (finite elements)   load (finite elements)
//                      v            v
//                     solve (Python), into an array
//                            v
//             peak (C) --> colour (Halide) --> save (C)
//
//   mixed [PICTURE.bmp] [options]
//
// It runs the graph and compares heights and picture with those of plain loops,
// or compiles it to an executable (-o NAME).
//
//===----------------------------------------------------------------------===//

#include "mixed.h"

#include <sluice/TaskGraph.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

using namespace sluice;

//===----------------------------------------------------------------------===//
// The same by plain loops
//===----------------------------------------------------------------------===//

/// Linear elements on a mesh of rectangles, each cut in two, are the stencil
/// of five points. Relaxed row by row until nothing changes any more.
static std::vector<double> heightsPlainly() {
  using mixed::columns, mixed::rows;
  const double h = 1.0 / mixed::cellsY, overRelaxation = 1.85;
  std::vector<double> heights(rows * columns);
  for (double change = 1; change > 1e-15;) {
    change = 0;
    for (int y = 1; y < rows - 1; ++y)
      for (int x = 1; x < columns - 1; ++x) {
        double *here = &heights[y * columns + x];
        double sum = here[-1] + here[1] + here[-columns] + here[columns];
        double step = overRelaxation * ((sum + h * h) / 4 - *here);
        *here += step;
        change = std::max(change, std::fabs(step));
      }
  }
  return heights;
}

static double heightAt(const std::vector<double> &heights, int x, int y) {
  int column = std::min(x / mixed::zoom, mixed::columns - 2);
  int row = std::min(y / mixed::zoom, mixed::rows - 2);
  double right = double(x) / mixed::zoom - column;
  double down = double(y) / mixed::zoom - row;
  const double *here = &heights[row * mixed::columns + column];
  const double *below = here + mixed::columns;
  return (here[0] * (1 - right) + here[1] * right) * (1 - down) +
         (below[0] * (1 - right) + below[1] * right) * down;
}

static double colourOf(double level, int channel) {
  double place = std::clamp(level, 0.0, 1.0) * 2;
  int below = place < 1 ? 0 : 1;
  double share = place - below;
  double colour = mixed::colours[below][channel] * (1 - share) +
                  mixed::colours[below + 1][channel] * share;
  double line = place / 2 * mixed::lines + 0.5;
  double away = (line - std::floor(line + 0.5)) / mixed::lineWidth;
  return colour * (1 - mixed::lineDarkness * std::exp(-away * away));
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

struct MixedGraph {
  TaskGraph graph{"mixed"};
  Dat &heights = graph.createDat(mixed::rows, mixed::columns);
  Dat &picture = graph.createUIntDat(8, 3, {3, mixed::height, mixed::width});

  explicit MixedGraph(const std::string &path);
  Dat &createPath(const std::string &path);
};

Dat &MixedGraph::createPath(const std::string &path) {
  std::vector<uint64_t> bytes;
  for (unsigned char byte : path)
    bytes.push_back(byte);
  bytes.push_back(0);
  return graph.createUIntDat(8, 1, {int(bytes.size())}, bytes);
}

MixedGraph::MixedGraph(const std::string &path) {
  heights.setName("heights");
  picture.setName("picture");
  PyObj &membrane = graph.createPyObj();
  membrane.setName("membrane");
  DoubleScalar &peak = graph.createDoubleScalar(0);
  peak.setName("peak");

  graph.createTask(FEMAKernel("membrane", "stiffness"), {&membrane});
  graph.createTask(FEMAKernel("membrane", "load"), {&membrane});
  graph.createTask(PyKernel("membrane", "solve"), {&membrane, out(heights)});
  graph.createTask(CKernel("mixed_peak", "kernels.c"),
                   {in(heights), &graph.createPtrScalar(&peak)});
  graph.createTask(HalideKernel("mixed_colour"),
                   {&peak, in(heights), out(picture)});
  graph
      .createTask(CKernel("mixed_save", "kernels.c"),
                  {in(createPath(path)), in(picture)})
      .writesFile(path);
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

static bool checkHeights(const std::vector<double> &found,
                         const std::vector<double> &expected) {
  double largest = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    largest = std::max(largest, std::fabs(found[i] - expected[i]));
  std::printf("%d nodes: differ by %.1g\n", mixed::rows * mixed::columns,
              largest);
  if (largest < 1e-10)
    return true;
  std::fprintf(stderr, "mixed: expected heights that differ by less than "
                       "1e-10\n");
  return false;
}

/// Where a colour lies between two bytes, either of them will do.
static bool checkPicture(const uint8_t *found,
                         const std::vector<double> &heights) {
  double peak = *std::max_element(heights.begin(), heights.end());
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < mixed::height; ++y)
      for (int x = 0; x < mixed::width; ++x, ++found) {
        double expected = colourOf(heightAt(heights, x, y) / peak, c);
        if (std::fabs(*found - expected) < 0.501)
          continue;
        std::fprintf(stderr,
                     "mixed: expected %.2f, but found %d in channel %d of "
                     "column %d, row %d\n",
                     expected, *found, c, x, y);
        return false;
      }
  return true;
}

int main(int argc, char **argv) {
  std::string path = "mixed.bmp";
  if (argc > 1 && argv[1][0] != '-') {
    path = argv[1];
    argv[1] = argv[0];
    ++argv, --argc;
  }
  Options options;
  options.parseOrExit(argc, argv);
  MixedGraph mixed(path);
  try {
    if (!options.output.empty() || !options.print.empty()) {
      compile(mixed.graph, options);
      return 0;
    }
    mixed.graph.run(options);
    std::vector<double> expected = heightsPlainly();
    const void *picture = mixed.graph.datMemory(mixed.picture);
    if (!checkHeights(mixed.graph.readDat(mixed.heights), expected) ||
        !checkPicture(static_cast<const uint8_t *>(picture), expected))
      return 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "mixed: %s\n", error.what());
    return 1;
  }
  std::printf("mixed: ok\n");
  return 0;
}
