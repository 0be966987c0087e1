//===- main.cpp - A radar's picture by fourteen Halide tasks --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A meta-program: from points of a scene to the signals that a radar gets from
// them along its flight, and from these to a picture in which the points must
// be where they were.
//
//   radar [PICTURE.bmp] [options]
//
// It runs the graph and compares the picture with that of plain loops, or
// compiles it to an executable (-o NAME).
//
//===----------------------------------------------------------------------===//

#include "graph.h"

#include <cmath>
#include <cstdio>
#include <exception>

using namespace sluice;
using radar::Point;

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

/// The brightest pixel around each point must be the point's own.
static bool hasPeaks(const std::vector<Point> &points,
                     const std::vector<double> &decibels) {
  for (const Point &point : points) {
    int center = point.row * radar::width + point.column;
    for (int row = -4; row <= 4; ++row)
      for (int column = -4; column <= 4; ++column) {
        int pixel = center + row * radar::width + column;
        if (decibels[pixel] <= decibels[center])
          continue;
        std::fprintf(stderr,
                     "radar: expected the point in column %d of row %d, but "
                     "it is in column %d of row %d\n",
                     point.column, point.row, point.column + column,
                     point.row + row);
        return false;
      }
  }
  return true;
}

static bool check(const std::vector<Point> &points,
                  const std::vector<double> &decibels) {
  std::vector<double> expected = radar::decibelsPlainly(points);
  double largest = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    largest = std::fmax(largest, std::fabs(decibels[i] - expected[i]));
  std::printf("%zu points in %dx%d pixels: differs by %.1g dB\n", points.size(),
              radar::width, radar::height, largest);
  if (!(largest < 1e-6)) {
    std::fprintf(stderr, "radar: expected less than 1e-6 dB\n");
    return false;
  }
  return hasPeaks(points, decibels);
}

int main(int argc, char **argv) {
  std::string path = "radar.bmp";
  if (argc > 1 && argv[1][0] != '-') {
    path = argv[1];
    argv[1] = argv[0];
    ++argv, --argc;
  }
  Options options;
  options.parseOrExit(argc, argv);
  std::vector<Point> points = radar::scene();
  try {
    radar::RadarGraph program(points);
    program.save(path);
    if (!options.output.empty() || !options.print.empty()) {
      compile(program.graph, options);
      return 0;
    }
    program.graph.run(options);
    if (!check(points, program.graph.readDat(*program.decibels)))
      return 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "radar: %s\n", error.what());
    return 1;
  }
  std::printf("radar: ok\n");
  return 0;
}
