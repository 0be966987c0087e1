//===- edges.h - What the parts of the edges example share ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frames, and the functions of the files: reading (input.cpp, pan.cpp), the
// graph (graph.cpp) and its host (detect.cpp), the same steps as plain loops
// (plain.cpp), writing (output.cpp), and the main program (edges.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_EXAMPLES_EDGES_H
#define SLUICE_EXAMPLES_EDGES_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// One frame: a byte of brightness per pixel, by rows.
struct Frame {
  size_t Columns = 0;
  size_t Rows = 0;
  std::vector<uint8_t> Pixels;
};

/// What is found in a frame: 255 on edges and 0 elsewhere, and the largest
/// gradient, which the threshold refers to.
struct Edges {
  std::vector<uint8_t> Pixels;
  int Maximum = 0;
};

//===----------------------------------------------------------------------===//
// Reading and writing
//===----------------------------------------------------------------------===//

/// Print "edges: '<path>': <what>" and end with exit code 1.
[[noreturn]] void fail(const std::string &Path, const std::string &What);

/// Frames one after another. What is wrong with them ends the program with a
/// message and exit code 1.
class Source {
public:
  virtual ~Source() = default;
  /// The next frame; false after the last one.
  virtual bool next(Frame &Result) = 0;
};

/// The bytes of a pixel of raw video, named as ffmpeg does.
enum class PixelFormat { Gray, RGB24 };

/// Raw video, `ffmpeg -f rawvideo -pix_fmt gray` or `rgb24`, from a file or, if
/// \p Path is "-", from standard input.
std::unique_ptr<Source> openRawVideo(const std::string &Path, size_t Columns,
                                     size_t Rows, PixelFormat Format);

/// Pictures: a PNG file; a file or, if \p Path is "-", a pipe of one or more
/// binary PGM or PPM pictures; or, if \p Path holds a number's place like %03d,
/// files of either kind, numbered from 0 or 1.
std::unique_ptr<Source> openPictures(const std::string &Path);

/// \p Count frames of 640x480 pixels that a camera sees that moves over
/// \p Picture, which is enlarged first.
std::unique_ptr<Source> panOver(const Frame &Picture, size_t Count);

/// Read the one picture in \p Path.
Frame readPicture(const std::string &Path);

/// Write a frame as PNG or PGM, as its name ends.
void writePicture(const std::string &Path, const uint8_t *Pixels,
                  size_t Columns, size_t Rows);

/// Whether \p Path holds a number's place like %d or %03d, and the name with
/// \p Number there.
bool isNumbered(const std::string &Path);
std::string numbered(const std::string &Path, size_t Number);

//===----------------------------------------------------------------------===//
// Detecting edges
//===----------------------------------------------------------------------===//

/// Taps of the Gaussian filter in each direction, and what they add up to.
constexpr long Taps = 7;
constexpr uint16_t Gaussian[Taps] = {1, 6, 15, 20, 15, 6, 1};

/// How edges are found.
struct Settings {
  /// The part of the largest gradient that an edge has at least.
  float Threshold = 0.2f;
  /// How many frames may be in flight at once.
  size_t InFlight = 8;
};

/// A stream of frames through the graph. Each frame in flight has its own
/// buffers, taken from a ring, so that frames overlap.
class Detector {
public:
  Detector(size_t Columns, size_t Rows, const Settings &Given);
  ~Detector();
  Detector(const Detector &) = delete;
  Detector &operator=(const Detector &) = delete;

  /// Whether as many frames are in flight as may be, or none.
  bool isFull() const { return Flying == Ring.size(); }
  bool isEmpty() const { return Flying == 0; }

  /// Give the graph a frame; not when full.
  void push(const Frame &Picture);
  /// Wait for the oldest frame; not when empty. The edges are valid until the
  /// next push.
  const Edges &pop();

  size_t mostInFlight() const { return MostFlying; }

private:
  struct Slot;

  size_t Columns, Rows;
  float Threshold;
  std::vector<uint16_t> Filter;
  std::vector<std::unique_ptr<Slot>> Ring;
  size_t Oldest = 0, Flying = 0, MostFlying = 0;
  void *Graph = nullptr;
};

/// The same edges by plain loops.
Edges detectPlainly(const Frame &Picture, float Threshold);

#endif // SLUICE_EXAMPLES_EDGES_H
