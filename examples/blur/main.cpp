//===- main.cpp - A task graph that blurs a picture -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A meta-program: load (C) -> invert (C, in place) -> blur (Halide) -> save
// (C). No task names another one: the order follows from the data, in the order
// in which the tasks are created.
//
//   blur [PICTURE.bmp [BLURRED.bmp]] [options]
//
// It runs the graph and compares the blurred picture with that of plain loops,
// or compiles it to an executable for this picture (-o NAME).
//
//===----------------------------------------------------------------------===//

#include "bmp.h"

#include <sluice/TaskGraph.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

using namespace sluice;

//===----------------------------------------------------------------------===//
// The same by plain loops
//===----------------------------------------------------------------------===//

/// A picture as the graph has it: planes, rows, columns.
struct Picture {
  Bmp bmp = {};
  std::vector<double> values;

  double at(int64_t plane, int64_t y, int64_t x) const {
    y = std::clamp<int64_t>(y, 0, bmp.height - 1);
    x = std::clamp<int64_t>(x, 0, bmp.width - 1);
    return values[(plane * bmp.height + y) * bmp.width + x];
  }
};

static Picture read(const std::string &path, bool hasPixels) {
  Picture picture;
  const char *problem = "it cannot be opened";
  std::vector<uint8_t> bytes;
  if (std::FILE *file = std::fopen(path.c_str(), "rb")) {
    problem = bmpReadHeader(file, &picture.bmp);
    if (!problem && hasPixels) {
      bytes.resize(picture.bmp.channels * picture.bmp.height *
                   picture.bmp.width);
      problem = bmpReadPixels(file, &picture.bmp, bytes.data());
    }
    std::fclose(file);
  }
  if (problem)
    throw std::runtime_error("'" + path + "': " + problem);
  picture.values.assign(bytes.begin(), bytes.end());
  return picture;
}

static Picture blurPlainly(Picture picture) {
  for (double &value : picture.values)
    value = 255 - value;
  static const double alongX[] = {1, 4, 6, 4, 1}, alongY[] = {1, 2, 1};
  Picture blurred = picture;
  size_t i = 0;
  for (int64_t p = 0; p < picture.bmp.channels; ++p)
    for (int64_t y = 0; y < picture.bmp.height; ++y)
      for (int64_t x = 0; x < picture.bmp.width; ++x) {
        double sum = 0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -2; dx <= 2; ++dx)
            sum +=
                alongY[dy + 1] * alongX[dx + 2] * picture.at(p, y + dy, x + dx);
        blurred.values[i++] = sum / 64;
      }
  return blurred;
}

/// The largest difference between values in the same places.
static double difference(const std::vector<double> &a,
                         const std::vector<double> &b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::fabs(a[i] - b[i]));
  return a.size() == b.size() ? largest : INFINITY;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

struct BlurGraph {
  TaskGraph graph{"blur"};
  Dat *blurred = nullptr;

  BlurGraph(const std::string &in, const std::string &out, const Bmp &bmp);

  /// A path as kernels in C take it.
  Dat &createPath(const std::string &path) {
    std::vector<uint64_t> bytes;
    for (unsigned char byte : path)
      bytes.push_back(byte);
    bytes.push_back(0);
    return graph.createUIntDat(8, 1, {int(bytes.size())}, bytes);
  }
};

BlurGraph::BlurGraph(const std::string &in, const std::string &out,
                     const Bmp &bmp) {
  std::vector<int> size = {bmp.channels, int(bmp.height), int(bmp.width)};
  Dat &picture = graph.createDoubleDat(3, size);
  blurred = &graph.createDoubleDat(3, size);
  picture.setName("picture");
  blurred->setName("blurred");
  Dat &inPath = createPath(in), &outPath = createPath(out);
  graph.addKernelSource("kernels.c", {"-O2"});
  graph.createTask(CKernel("load_bmp"), {sluice::in(inPath), &picture})
      .readsFile(in);
  graph.createTask(CKernel("invert"), {&picture});
  graph.createTask(HalideKernel("halide_blur"),
                   {sluice::in(picture), sluice::out(blurred)});
  graph
      .createTask(CKernel("save_bmp"),
                  {sluice::in(outPath), sluice::in(blurred)})
      .writesFile(out);
}

/// The graph's picture and the file it has written.
static bool check(const std::string &in, const std::string &out,
                  const std::vector<double> &found) {
  Picture expected = blurPlainly(read(in, true));
  double inMemory = difference(found, expected.values);
  for (double &value : expected.values)
    value = std::round(value);
  double inFile = difference(read(out, true).values, expected.values);
  std::printf("blurred %lldx%lld, %d channels: differs by %.1g\n",
              (long long)expected.bmp.width, (long long)expected.bmp.height,
              expected.bmp.channels, inMemory);
  // Where a value lies between two bytes, either of them will do.
  if (inMemory < 1e-9 && inFile <= 1)
    return true;
  std::fprintf(stderr,
               "blur: expected less than 1e-9, and 1 in the file; but "
               "it differs by %g, and by %g in the file\n",
               inMemory, inFile);
  return false;
}

int main(int argc, char **argv) {
  std::string here = std::filesystem::path(__FILE__).parent_path();
  std::string paths[] = {here + "/tulip.bmp", "blurred.bmp"};
  for (std::string &path : paths)
    if (argc > 1 && argv[1][0] != '-') {
      path = argv[1];
      argv[1] = argv[0];
      ++argv, --argc;
    }
  Options options;
  options.parseOrExit(argc, argv);
  try {
    BlurGraph blur(paths[0], paths[1], read(paths[0], false).bmp);
    if (!options.output.empty() || !options.print.empty()) {
      compile(blur.graph, options);
      return 0;
    }
    blur.graph.run(options);
    if (!check(paths[0], paths[1], blur.graph.readDat(*blur.blurred)))
      return 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "blur: %s\n", error.what());
    return 1;
  }
  std::printf("blur: ok\n");
  return 0;
}
