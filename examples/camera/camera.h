//===- camera.h - What the parts of the camera example share ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The raw picture, the camera's measured model and the developed picture, and
// the functions of the four files: reading and writing (files.cpp), the graph
// (develop.cpp), the same steps as plain loops (plain.cpp), and the main
// program (camera.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_EXAMPLES_CAMERA_H
#define SLUICE_EXAMPLES_CAMERA_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// A raw picture: three bytes per pixel, two of them zero, because each pixel
/// of the sensor sees one colour. Rows start green, red and blue, green. The
/// outermost pixels hold no picture.
struct RawPicture {
  size_t Columns = 0;
  size_t Rows = 0;
  std::vector<uint8_t> Mosaic;
};

/// How one camera turns raw values into its pictures' colours, after Lin, Kim,
/// Susstrunk and Brown, "A New In-Camera Imaging Model for Color Computer
/// Vision and its Application" (PAMI 2012).
struct CameraModel {
  /// White balance and change to the camera's colour space, 3 x 3, by rows.
  std::vector<float> Transform;
  /// Control points of the gamut map: every red, every green, every blue.
  std::vector<float> Points;
  /// Their weights, in the same order.
  std::vector<float> Weights;
  /// The gamut map's affine part: four rows (1, red, green, blue) of three.
  std::vector<float> Affine;
  /// The tone curve: 256 rows of three values for equally spaced intensities.
  std::vector<float> Curve;
};

/// A developed picture: red, green and blue bytes of each pixel.
using Developed = std::vector<uint8_t>;

/// The setting for pictures whose values are balanced already.
constexpr int Balanced = 0;

/// Read the files; a message and exit code 1 if they are not what they should
/// be. The model's README.txt lists the white-balance settings.
RawPicture readRaw(const std::string &Path);
CameraModel readModel(const std::string &Folder, int WhiteBalance);

/// Write \p Picture as PNG; a message and exit code 1 if that fails.
void writePNG(const std::string &Path, const Developed &Picture, size_t Columns,
              size_t Rows);

/// Develops one picture again and again by the graph, with the buffers between
/// the graph's stages allocated once.
class Darkroom {
public:
  Darkroom(RawPicture &Raw, CameraModel &Model);
  ~Darkroom();
  Darkroom(const Darkroom &) = delete;
  Darkroom &operator=(const Darkroom &) = delete;

  /// Launch the graph, wait for it, and return the milliseconds that took.
  double develop();

  /// The picture of the last develop().
  const Developed &picture() const { return Picture; }

private:
  RawPicture &Raw;
  CameraModel &Model;
  std::vector<float> Linear, Full, Clean, Colour, Mapped;
  Developed Picture;
};

/// The same picture by plain loops.
Developed developPlainly(const RawPicture &Raw, const CameraModel &Model);

#endif // SLUICE_EXAMPLES_CAMERA_H
