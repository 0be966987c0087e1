//===- files.cpp - Sound files --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything the audio example does with files. All numbers are little-endian.
//
// A coded sound begins with a header of 16 bytes: "SLQ1", the samples per
// second, the number of samples, and the step as a 32-bit floating-point
// number; the blocks follow.
//
//===----------------------------------------------------------------------===//

#include "audio.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using Bytes = std::vector<uint8_t>;

/// More is no number of samples but a mistake in a header.
static constexpr uint32_t MostSamples = 1u << 28;

void fail(const std::string &Path, const std::string &What) {
  std::fprintf(stderr, "audio: '%s': %s\n", Path.c_str(), What.c_str());
  std::exit(1);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static Bytes readAll(const std::string &Path) {
  std::FILE *File = Path == "-" ? stdin : std::fopen(Path.c_str(), "rb");
  if (!File)
    fail(Path, std::string("cannot be opened: ") + std::strerror(errno));
  Bytes Result;
  uint8_t Part[65536];
  while (size_t Count = std::fread(Part, 1, sizeof(Part), File))
    Result.insert(Result.end(), Part, Part + Count);
  if (std::ferror(File))
    fail(Path, std::string("cannot be read: ") + std::strerror(errno));
  if (File != stdin)
    std::fclose(File);
  return Result;
}

static void writeAll(const std::string &Path, const Bytes &Written) {
  std::FILE *File = Path == "-" ? stdout : std::fopen(Path.c_str(), "wb");
  if (!File)
    fail(Path, std::string("cannot be opened: ") + std::strerror(errno));
  bool Failed =
      std::fwrite(Written.data(), 1, Written.size(), File) != Written.size();
  if (std::fflush(File) != 0 || Failed)
    fail(Path, std::string("cannot be written: ") + std::strerror(errno));
  if (File != stdout)
    std::fclose(File);
}

static uint32_t numberAt(const Bytes &From, size_t At, size_t Width = 4) {
  uint32_t Result = 0;
  for (size_t Byte = 0; Byte != Width; ++Byte)
    Result |= uint32_t(From[At + Byte]) << 8 * Byte;
  return Result;
}

static void append(Bytes &To, uint32_t Number, size_t Width = 4) {
  for (size_t Byte = 0; Byte != Width; ++Byte)
    To.push_back(Number >> 8 * Byte & 0xff);
}

static void append(Bytes &To, const char *Name) {
  To.insert(To.end(), Name, Name + 4);
}

static bool isNamed(const Bytes &From, size_t At, const char *Name) {
  return From.size() >= At + 4 && std::memcmp(&From[At], Name, 4) == 0;
}

//===----------------------------------------------------------------------===//
// Sounds
//===----------------------------------------------------------------------===//

/// A tone that rises from 50 to 18,000 Hz in two seconds, each octave as long
/// as the others.
static Sound sweep() {
  Sound Result;
  const double Seconds = 2, Growth = std::log(18000.0 / 50.0);
  const double Turns = 2 * std::acos(-1.0) * 50 * Seconds / Growth;
  for (size_t I = 0; I != size_t(Seconds * Result.Rate); ++I) {
    double Time = double(I) / Result.Rate;
    double Phase = Turns * std::expm1(Growth * Time / Seconds);
    Result.Samples.push_back(int16_t(std::lrint(24000 * std::sin(Phase))));
  }
  return Result;
}

/// The mean of the channels.
static std::vector<int16_t> mixed(const Bytes &From, size_t Start, size_t Size,
                                  uint32_t Channels) {
  std::vector<int16_t> Result;
  for (size_t At = Start; At + 2 * Channels <= Start + Size;
       At += 2 * Channels) {
    int Sum = 0;
    for (uint32_t Channel = 0; Channel != Channels; ++Channel)
      Sum += int16_t(numberAt(From, At + 2 * Channel, 2));
    Result.push_back(int16_t(Sum / int(Channels)));
  }
  return Result;
}

/// The chunk \p Name of a WAV file: where its bytes start, and how many.
static std::pair<size_t, size_t> findChunk(const Bytes &From, const char *Name,
                                           const std::string &Path) {
  for (size_t At = 12; At + 8 <= From.size();) {
    size_t Size = numberAt(From, At + 4);
    if (isNamed(From, At, Name)) {
      if (Size > From.size() - At - 8)
        fail(Path, std::string("chunk '") + Name + "' is cut off: expected " +
                       std::to_string(Size) + " bytes, but found " +
                       std::to_string(From.size() - At - 8));
      return {At + 8, Size};
    }
    At += 8 + Size + Size % 2;
  }
  fail(Path, std::string("has no chunk '") + Name + "'");
}

static Sound readWAV(const Bytes &From, const std::string &Path) {
  auto [Format, FormatSize] = findChunk(From, "fmt ", Path);
  if (FormatSize < 16)
    fail(Path, "chunk 'fmt ' has " + std::to_string(FormatSize) +
                   " bytes, but needs 16");
  uint32_t Kind = numberAt(From, Format, 2);
  uint32_t Channels = numberAt(From, Format + 2, 2);
  uint32_t Bits = numberAt(From, Format + 14, 2);
  if (Kind != 1 || Bits != 16 || Channels == 0)
    fail(Path, "expected samples of 16 bits, format 1, but found " +
                   std::to_string(Bits) + " bits, format " +
                   std::to_string(Kind) + ", in " + std::to_string(Channels) +
                   " channels");
  auto [Data, DataSize] = findChunk(From, "data", Path);
  return {numberAt(From, Format + 4), mixed(From, Data, DataSize, Channels)};
}

Sound readSound(const std::string &Path) {
  if (Path == "sweep")
    return sweep();
  Bytes From = readAll(Path);
  Sound Result;
  if (isNamed(From, 0, "RIFF") && isNamed(From, 8, "WAVE"))
    Result = readWAV(From, Path);
  else if (From.size() % 2 == 0)
    Result.Samples = mixed(From, 0, From.size(), 1);
  else
    fail(Path, "is no WAV file, and raw samples have 2 bytes each, but there "
               "are " +
                   std::to_string(From.size()) + " bytes");
  if (Result.Samples.empty() || Result.Samples.size() > MostSamples)
    fail(Path, "expected 1 to " + std::to_string(MostSamples) +
                   " samples, but found " +
                   std::to_string(Result.Samples.size()));
  return Result;
}

void writeWAV(const std::string &Path, const Sound &Written) {
  Bytes To;
  uint32_t Size = 2 * Written.Samples.size();
  append(To, "RIFF");
  append(To, 36 + Size);
  append(To, "WAVE");
  append(To, "fmt ");
  append(To, 16);
  append(To, 1, 2);
  append(To, 1, 2);
  append(To, Written.Rate);
  append(To, 2 * Written.Rate);
  append(To, 2, 2);
  append(To, 16, 2);
  append(To, "data");
  append(To, Size);
  for (int16_t Sample : Written.Samples)
    append(To, uint16_t(Sample), 2);
  writeAll(Path, To);
}

//===----------------------------------------------------------------------===//
// Coded sounds
//===----------------------------------------------------------------------===//

Coded readCoded(const std::string &Path) {
  Bytes From = readAll(Path);
  if (!isNamed(From, 0, "SLQ1") || From.size() < 16)
    fail(Path, "is no coded sound: it does not begin with a header 'SLQ1'");
  Coded Result = {numberAt(From, 4), numberAt(From, 8), 0,
                  Bytes(From.begin() + 16, From.end())};
  uint32_t Step = numberAt(From, 12);
  std::memcpy(&Result.Step, &Step, sizeof(float));
  bool IsStep = Result.Step >= 1 && Result.Step <= 1e6f;
  if (!IsStep || Result.Count == 0 || Result.Count > MostSamples)
    fail(Path, "its header makes no sense: " + std::to_string(Result.Count) +
                   " samples, and a step of " + std::to_string(Result.Step));
  return Result;
}

void writeCoded(const std::string &Path, const Coded &Written) {
  Bytes To;
  uint32_t Step;
  std::memcpy(&Step, &Written.Step, sizeof(float));
  append(To, "SLQ1");
  append(To, Written.Rate);
  append(To, Written.Count);
  append(To, Step);
  To.insert(To.end(), Written.Bytes.begin(), Written.Bytes.end());
  writeAll(Path, To);
}
