//===- files.cpp - Reading raw pictures and models, writing PNG -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything the camera example does with files. The model's text files hold
// numbers separated by blanks; how many and in which order is said at each
// reader.
//
//===----------------------------------------------------------------------===//

#include "camera.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <png.h>

[[noreturn]] static void fail(const std::string &Path,
                              const std::string &What) {
  std::fprintf(stderr, "camera: '%s': %s\n", Path.c_str(), What.c_str());
  std::exit(1);
}

static int32_t readInt32(std::ifstream &File) {
  unsigned char Bytes[4] = {};
  File.read(reinterpret_cast<char *>(Bytes), 4);
  return static_cast<int32_t>(Bytes[0] | Bytes[1] << 8 | Bytes[2] << 16 |
                              static_cast<uint32_t>(Bytes[3]) << 24);
}

/// The channel that the sensor's pixel sees.
static size_t filterAt(size_t Row, size_t Column) {
  if (Row % 2 == Column % 2)
    return 1;
  return Row % 2 == 0 ? 0 : 2;
}

/// A byte of each pixel, put where its channel is.
static std::vector<uint8_t> spread(const std::vector<uint8_t> &Bytes,
                                   size_t Columns) {
  std::vector<uint8_t> Mosaic(3 * Bytes.size());
  for (size_t At = 0; At != Bytes.size(); ++At)
    Mosaic[3 * At + filterAt(At / Columns, At % Columns)] = Bytes[At];
  return Mosaic;
}

// Three little-endian integers (rows, columns, channels), then the bytes. With
// one channel, the zeros of what the pixels do not see are left out.
RawPicture readRaw(const std::string &Path) {
  std::ifstream File(Path, std::ios::binary);
  if (!File)
    fail(Path, "cannot be opened");
  int32_t Rows = readInt32(File);
  int32_t Columns = readInt32(File);
  int32_t Channels = readInt32(File);
  if (!File || Rows < 4 || Columns < 4 || (Channels != 1 && Channels != 3))
    fail(Path,
         "expected 4 rows and columns or more and 1 or 3 channels, but found " +
             std::to_string(Rows) + ", " + std::to_string(Columns) + " and " +
             std::to_string(Channels));

  RawPicture Raw;
  Raw.Rows = Rows;
  Raw.Columns = Columns;
  Raw.Mosaic.assign(std::istreambuf_iterator<char>(File), {});
  size_t Expected = Raw.Rows * Raw.Columns * Channels;
  if (Raw.Mosaic.size() != Expected)
    fail(Path, "expected " + std::to_string(Expected) +
                   " bytes of pixels, but found " +
                   std::to_string(Raw.Mosaic.size()));
  if (Channels == 1)
    Raw.Mosaic = spread(Raw.Mosaic, Raw.Columns);
  return Raw;
}

static std::vector<float> readNumbers(const std::string &Path) {
  std::ifstream File(Path);
  if (!File)
    fail(Path, "cannot be opened");
  std::vector<float> Numbers{std::istream_iterator<float>(File), {}};
  if (!File.eof())
    fail(Path, "holds something that is not a number after " +
                   std::to_string(Numbers.size()) + " numbers");
  return Numbers;
}

// The number of settings, the colour transform without white balance, then for
// every setting its code, the transform with white balance, and the balance.
static std::vector<float> readTransform(const std::string &Path, int Setting) {
  constexpr size_t Head = 1 + 9, Block = 1 + 9 + 3;
  std::vector<float> Numbers = readNumbers(Path);
  if (Numbers.empty() || Numbers.size() != Head + Block * size_t(Numbers[0]))
    fail(Path, "does not hold as many settings as it says");
  if (Setting == Balanced)
    return {Numbers.begin() + 1, Numbers.begin() + Head};
  for (auto At = Numbers.begin() + Head; At != Numbers.end(); At += Block)
    if (*At == float(Setting))
      return {At + 1, At + 10};
  fail(Path, "has no white-balance setting " + std::to_string(Setting));
}

// A count, then as many rows of red, green and blue. Between them may stand
// what all are divided by: whole numbers are shorter.
static std::vector<float> readRows(const std::string &Path) {
  std::vector<float> Numbers = readNumbers(Path);
  size_t Expected = Numbers.empty() ? 0 : 3 * size_t(Numbers[0]);
  if (Numbers.size() != Expected + 1 && Numbers.size() != Expected + 2)
    fail(Path, "does not hold as many rows as it says");
  std::vector<float> Rows(Numbers.end() - Expected, Numbers.end());
  if (Numbers.size() == Expected + 2)
    for (float &Number : Rows)
      Number /= Numbers[1];
  return Rows;
}

// Red of every row, then green of every row, then blue of every row.
static std::vector<float> byColour(const std::vector<float> &Rows,
                                   size_t Count) {
  std::vector<float> Planes(3 * Count);
  for (size_t Row = 0; Row != Count; ++Row)
    for (size_t Channel = 0; Channel != 3; ++Channel)
      Planes[Channel * Count + Row] = Rows[Row * 3 + Channel];
  return Planes;
}

CameraModel readModel(const std::string &Folder, int WhiteBalance) {
  CameraModel Model;
  Model.Transform =
      readTransform(Folder + "/raw2jpg_transform.txt", WhiteBalance);

  std::vector<float> Points = readRows(Folder + "/raw2jpg_ctrlPoints.txt");
  size_t Count = Points.size() / 3;
  Model.Points = byColour(Points, Count);

  std::string Path = Folder + "/raw2jpg_coefs.txt";
  std::vector<float> Weights = readRows(Path);
  if (Weights.size() != 3 * (Count + 4))
    fail(Path, "expected " + std::to_string(Count + 4) + " rows for " +
                   std::to_string(Count) + " control points, but found " +
                   std::to_string(Weights.size() / 3));
  Model.Weights = byColour(Weights, Count);
  Model.Affine.assign(Weights.end() - 12, Weights.end());

  Path = Folder + "/raw2jpg_respFcns.txt";
  std::vector<float> Curve = readNumbers(Path);
  if (Curve.size() != 4 + 3 * 256)
    fail(Path, "expected 4 + 256 x 3 numbers, but found " +
                   std::to_string(Curve.size()));
  Model.Curve.assign(Curve.begin() + 4, Curve.end());
  return Model;
}

void writePNG(const std::string &Path, const Developed &Picture, size_t Columns,
              size_t Rows) {
  png_image Image = {};
  Image.version = PNG_IMAGE_VERSION;
  Image.width = Columns;
  Image.height = Rows;
  Image.format = PNG_FORMAT_RGB;
  if (!png_image_write_to_file(&Image, Path.c_str(), 0, Picture.data(), 0,
                               nullptr))
    fail(Path, Image.message);
}
