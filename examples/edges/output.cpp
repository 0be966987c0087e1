//===- output.cpp - Writing pictures, and messages about files ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the edges example writes, and the names of numbered files.
//
//===----------------------------------------------------------------------===//

#include "edges.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <png.h>

void fail(const std::string &Path, const std::string &What) {
  std::fprintf(stderr, "edges: '%s': %s\n", Path.c_str(), What.c_str());
  std::exit(1);
}

//===----------------------------------------------------------------------===//
// Numbered files
//===----------------------------------------------------------------------===//

/// The place of the only %d or %0Nd in a name, and its length.
static std::pair<size_t, size_t> numberPlace(const std::string &Path) {
  size_t Start = Path.find('%');
  if (Start == std::string::npos)
    return {Start, 0};
  size_t End = Start + 1;
  while (End < Path.size() && std::isdigit(Path[End]))
    ++End;
  bool IsPlace = End < Path.size() && Path[End] == 'd' && End - Start <= 3 &&
                 Path.find('%', End) == std::string::npos;
  return IsPlace ? std::pair(Start, End + 1 - Start)
                 : std::pair(std::string::npos, size_t(0));
}

bool isNumbered(const std::string &Path) {
  return numberPlace(Path).first != std::string::npos;
}

std::string numbered(const std::string &Path, size_t Number) {
  auto [Start, Length] = numberPlace(Path);
  std::string Digits = std::to_string(Number);
  size_t Width = std::atoi(Path.c_str() + Start + 1);
  Digits.insert(0, Width - std::min(Width, Digits.size()), '0');
  return Path.substr(0, Start) + Digits + Path.substr(Start + Length);
}

//===----------------------------------------------------------------------===//
// Pictures
//===----------------------------------------------------------------------===//

static void writePNG(const std::string &Path, const uint8_t *Pixels,
                     size_t Columns, size_t Rows) {
  png_image Image = {};
  Image.version = PNG_IMAGE_VERSION;
  Image.width = Columns;
  Image.height = Rows;
  Image.format = PNG_FORMAT_GRAY;
  if (!png_image_write_to_file(&Image, Path.c_str(), 0, Pixels, 0, nullptr))
    fail(Path, Image.message);
}

static void writePGM(const std::string &Path, const uint8_t *Pixels,
                     size_t Columns, size_t Rows) {
  std::FILE *File = std::fopen(Path.c_str(), "wb");
  if (!File)
    fail(Path, std::string("cannot be opened: ") + std::strerror(errno));
  std::fprintf(File, "P5\n%zu %zu\n255\n", Columns, Rows);
  std::fwrite(Pixels, 1, Columns * Rows, File);
  bool Failed = std::ferror(File);
  if (std::fclose(File) != 0 || Failed)
    fail(Path, std::string("cannot be written: ") + std::strerror(errno));
}

static bool endsWith(const std::string &Path, const std::string &Ending) {
  return Path.size() > Ending.size() &&
         Path.compare(Path.size() - Ending.size(), Ending.size(), Ending) == 0;
}

void writePicture(const std::string &Path, const uint8_t *Pixels,
                  size_t Columns, size_t Rows) {
  if (endsWith(Path, ".png"))
    return writePNG(Path, Pixels, Columns, Rows);
  if (endsWith(Path, ".pgm"))
    return writePGM(Path, Pixels, Columns, Rows);
  fail(Path, "expected a name that ends with .png or .pgm");
}
