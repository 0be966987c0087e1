//===- input.cpp - Frames from pictures and raw video ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the frames of the edges example come from: PNG through libpng, binary
// PGM and PPM (one picture after another in a file or a pipe), files that are
// numbered, and raw video. Colours become brightness here.
//
//===----------------------------------------------------------------------===//

#include "edges.h"

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <png.h>

/// More is no frame but a mistake in a header.
static constexpr size_t MostPixels = size_t(1) << 28;

static std::string text(size_t Number) { return std::to_string(Number); }

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

namespace {

/// A file, or standard input for the name "-".
class Bytes {
public:
  explicit Bytes(const std::string &Path)
      : Path(Path),
        Stream(Path == "-" ? stdin : std::fopen(Path.c_str(), "rb")) {
    if (!Stream)
      fail(Path, std::string("cannot be opened: ") + std::strerror(errno));
  }
  ~Bytes() {
    if (Stream != stdin)
      std::fclose(Stream);
  }
  Bytes(const Bytes &) = delete;
  Bytes &operator=(const Bytes &) = delete;

  /// The next byte, or EOF.
  int get() { return std::getc(Stream); }
  int peek() {
    int Next = std::getc(Stream);
    std::ungetc(Next, Stream);
    return Next;
  }

  /// The \p Count bytes of frame \p Number, which must be there.
  std::vector<uint8_t> take(size_t Count, size_t Number) {
    std::vector<uint8_t> Result(Count);
    size_t Found = std::fread(Result.data(), 1, Count, Stream);
    if (std::ferror(Stream))
      fail(Path, std::string("cannot be read: ") + std::strerror(errno));
    if (Found != Count)
      fail(Path, "frame " + text(Number) + " is cut off: expected " +
                     text(Count) + " bytes of pixels, but found " +
                     text(Found));
    return Result;
  }

  const std::string Path;

private:
  std::FILE *Stream;
};

} // namespace

/// Brightness of red, green and blue bytes, by the weights of BT.601.
static std::vector<uint8_t> brightness(const std::vector<uint8_t> &Colours) {
  std::vector<uint8_t> Result(Colours.size() / 3);
  for (size_t Pixel = 0; Pixel != Result.size(); ++Pixel) {
    const uint8_t *Colour = &Colours[3 * Pixel];
    Result[Pixel] =
        (77 * Colour[0] + 150 * Colour[1] + 29 * Colour[2] + 128) >> 8;
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Raw video
//===----------------------------------------------------------------------===//

namespace {

class RawVideo final : public Source {
public:
  RawVideo(const std::string &Path, size_t Columns, size_t Rows,
           PixelFormat Format)
      : File(Path), Columns(Columns), Rows(Rows), Format(Format) {}

  bool next(Frame &Result) override {
    if (File.peek() == EOF)
      return false;
    size_t Depth = Format == PixelFormat::Gray ? 1 : 3;
    Result.Columns = Columns;
    Result.Rows = Rows;
    Result.Pixels = File.take(Columns * Rows * Depth, Number++);
    if (Format == PixelFormat::RGB24)
      Result.Pixels = brightness(Result.Pixels);
    return true;
  }

private:
  Bytes File;
  size_t Columns, Rows;
  PixelFormat Format;
  size_t Number = 0;
};

} // namespace

std::unique_ptr<Source> openRawVideo(const std::string &Path, size_t Columns,
                                     size_t Rows, PixelFormat Format) {
  return std::make_unique<RawVideo>(Path, Columns, Rows, Format);
}

//===----------------------------------------------------------------------===//
// PGM, PPM and PNG
//===----------------------------------------------------------------------===//

/// A number of a PNM header; comments reach from # to the end of the line.
static std::optional<size_t> headerNumber(Bytes &File) {
  int Next = File.get();
  while (std::isspace(Next) || Next == '#') {
    if (Next == '#')
      while (Next != '\n' && Next != EOF)
        Next = File.get();
    Next = File.get();
  }
  if (!std::isdigit(Next))
    return std::nullopt;
  size_t Number = 0;
  for (; std::isdigit(Next) && Number <= MostPixels; Next = File.get())
    Number = 10 * Number + (Next - '0');
  // One white space ends the header's last number, and any other.
  return std::isspace(Next) ? std::optional(Number) : std::nullopt;
}

/// The next PGM or PPM picture, the \p Number th of \p File.
static Frame readPNM(Bytes &File, size_t Number) {
  int Kind = File.get() == 'P' ? File.get() : 0;
  if (Kind != '5' && Kind != '6')
    fail(File.Path, "frame " + text(Number) +
                        " is neither PNG nor binary PGM (P5) or PPM (P6)");
  std::optional<size_t> Columns = headerNumber(File);
  std::optional<size_t> Rows = headerNumber(File);
  std::optional<size_t> White = headerNumber(File);
  if (!Columns || !Rows || !White)
    fail(File.Path, "frame " + text(Number) + " has no complete header");
  if (*Columns == 0 || *Rows == 0 || *Columns > MostPixels / *Rows)
    fail(File.Path, "frame " + text(Number) + " says it has " + text(*Columns) +
                        "x" + text(*Rows) +
                        " pixels; expected 1x1 or more, and at most " +
                        text(MostPixels) + " in all");
  if (*White != 255)
    fail(File.Path, "frame " + text(Number) + " has a white of " +
                        text(*White) + ", but only 255 is supported");

  Frame Result = {*Columns, *Rows, {}};
  bool IsGrey = Kind == '5';
  Result.Pixels = File.take(*Columns * *Rows * (IsGrey ? 1 : 3), Number);
  if (!IsGrey)
    Result.Pixels = brightness(Result.Pixels);
  return Result;
}

static Frame readPNG(const std::string &Path) {
  png_image Image = {};
  Image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&Image, Path.c_str()))
    fail(Path, Image.message);
  Image.format = PNG_FORMAT_RGB;
  std::vector<uint8_t> Colours(PNG_IMAGE_SIZE(Image));
  png_color Black = {0, 0, 0};
  if (!png_image_finish_read(&Image, &Black, Colours.data(), 0, nullptr))
    fail(Path, Image.message);
  return {Image.width, Image.height, brightness(Colours)};
}

static bool isPNG(Bytes &File) { return File.peek() == 0x89; }

Frame readPicture(const std::string &Path) {
  Bytes File(Path);
  return isPNG(File) ? readPNG(Path) : readPNM(File, 0);
}

namespace {

/// All pictures of one file or pipe.
class OneFile final : public Source {
public:
  explicit OneFile(const std::string &Path) : File(Path) {}

  bool next(Frame &Result) override {
    if (Number && (WasPNG || File.peek() == EOF))
      return false;
    WasPNG = File.Path != "-" && isPNG(File);
    Result = WasPNG ? readPNG(File.Path) : readPNM(File, Number);
    ++Number;
    return true;
  }

private:
  Bytes File;
  size_t Number = 0;
  bool WasPNG = false;
};

/// Files numbered from 0 or 1, until one is not there.
class NumberedFiles final : public Source {
public:
  explicit NumberedFiles(const std::string &Path) : Path(Path) {
    if (exists(0))
      return;
    if (!exists(++Number))
      fail(Path, "there is neither '" + numbered(Path, 0) + "' nor '" +
                     numbered(Path, 1) + "'");
  }

  bool next(Frame &Result) override {
    if (!exists(Number))
      return false;
    Result = readPicture(numbered(Path, Number++));
    return true;
  }

private:
  bool exists(size_t At) const {
    std::FILE *File = std::fopen(numbered(Path, At).c_str(), "rb");
    if (File)
      std::fclose(File);
    return File;
  }

  std::string Path;
  size_t Number = 0;
};

} // namespace

std::unique_ptr<Source> openPictures(const std::string &Path) {
  if (isNumbered(Path))
    return std::make_unique<NumberedFiles>(Path);
  return std::make_unique<OneFile>(Path);
}
