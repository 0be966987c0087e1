//===- decode.cpp - Tables, the decoder, and how well it does -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decoder is slow and plain on purpose: its transform is the sum of cosines
// that defines the inverse, in double precision, so that it checks the
// encoder's fast one.
//
//===----------------------------------------------------------------------===//

#include "audio.h"

#include <algorithm>
#include <cmath>

static const double Pi = std::acos(-1.0);

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static void addRoot(std::vector<float> &Table, double Angle) {
  Table.push_back(float(std::cos(Angle)));
  Table.push_back(float(-std::sin(Angle)));
}

Tables::Tables() {
  // An ideal low-pass at 0.85 of half the rate, faded out by Hamming's window.
  double Sum = 0;
  for (long Tap = 0; Tap != FilterTaps; ++Tap) {
    double X = Pi * double(Tap - FilterTaps / 2);
    double Ideal = X == 0 ? 0.85 : std::sin(0.85 * X) / X;
    double Fade = 0.54 - 0.46 * std::cos(2 * Pi * Tap / (FilterTaps - 1));
    Filter.push_back(float(Ideal * Fade));
    Sum += Ideal * Fade;
  }
  for (float &Value : Filter)
    Value = float(Value / Sum);
  for (long I = 0; I != Span; ++I)
    Window.push_back(float(std::sin(Pi * (I + 0.5) / Span)));
  for (long I = 0; I != Points; ++I)
    addRoot(Twiddle, Pi * (I + 0.25) / Hop);
  for (long I = 0; I != Points / 2; ++I)
    addRoot(Roots, 2 * Pi * I / Points);
}

std::vector<float> filtered(const Sound &From) {
  const std::vector<float> Filter = Tables().Filter;
  long Count = From.Samples.size();
  std::vector<float> Result;
  for (long At = -Hop; At < long(blockCount(Count)) * Hop; ++At) {
    float Sum = 0;
    for (long Tap = 0; Tap != FilterTaps; ++Tap) {
      long Sample = At + Tap - FilterTaps / 2;
      bool IsInside = Sample >= 0 && Sample < Count;
      Sum += Filter[Tap] * float(IsInside ? From.Samples[Sample] : 0);
    }
    Result.push_back(Sum);
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// The decoder
//===----------------------------------------------------------------------===//

namespace {

/// Reads numbers of any width, the lowest bit first.
class BitReader {
public:
  BitReader(const Coded &From, const std::string &Path)
      : From(From), Path(Path) {}

  /// Go on with a whole byte, the first of \p Block.
  void startBlock(size_t Block) {
    Number = Block;
    Next = (Next + 7) / 8 * 8;
  }
  bool atEnd() const { return (Next + 7) / 8 == From.Bytes.size(); }

  int read(int Width) {
    int Result = 0;
    for (int Bit = 0; Bit != Width; ++Bit, ++Next) {
      if (Next / 8 == From.Bytes.size())
        fail(Path, "block " + std::to_string(Number) + " is cut off");
      Result |= (From.Bytes[Next / 8] >> Next % 8 & 1) << Bit;
    }
    return Result;
  }

  int readSigned(int Width) {
    int Value = read(Width);
    bool IsNegative = Width && Value >> (Width - 1);
    return IsNegative ? Value - (1 << Width) : Value;
  }

private:
  const Coded &From;
  const std::string &Path;
  size_t Next = 0, Number = 0;
};

} // namespace

/// A block's coefficients.
static std::vector<double> readBlock(BitReader &Reader, float Step) {
  double Distance = std::ldexp(double(Step), Reader.read(8));
  int Widths[Bands];
  for (int &Width : Widths)
    Width = Reader.read(4);
  std::vector<double> Spectrum;
  for (long I = 0; I != Hop; ++I)
    Spectrum.push_back(Distance * Reader.readSigned(Widths[I / BandWidth]));
  return Spectrum;
}

Sound decode(const Coded &From, const std::string &Path) {
  // Cosines of multiples of Pi / (4 * Hop), which are all that occur.
  std::vector<double> Cosines;
  for (long I = 0; I != 8 * Hop; ++I)
    Cosines.push_back(std::cos(Pi * I / (4 * Hop)));
  Tables Fixed;
  BitReader Reader(From, Path);
  size_t Count = blockCount(From.Count);
  std::vector<double> Sum((Count + 1) * Hop);
  for (size_t Block = 0; Block != Count; ++Block) {
    Reader.startBlock(Block);
    std::vector<double> Spectrum = readBlock(Reader, From.Step);
    for (long I = 0; I != Span; ++I) {
      // Pi / Hop * (I + 1/2 + Hop/2) * (K + 1/2), in units of Pi / (4 * Hop).
      double Value = 0;
      for (long K = 0; K != Hop; ++K)
        Value +=
            Spectrum[K] * Cosines[(2 * I + 1 + Hop) * (2 * K + 1) % (8 * Hop)];
      Sum[Block * Hop + I] += Value * Fixed.Window[I] * 2 / Hop;
    }
  }
  if (!Reader.atEnd())
    fail(Path, "there are bytes behind the last of " + std::to_string(Count) +
                   " blocks");

  Sound Result = {From.Rate, {}};
  for (size_t I = 0; I != From.Count; ++I)
    Result.Samples.push_back(
        int16_t(std::lrint(std::clamp(Sum[Hop + I], -32768.0, 32767.0))));
  return Result;
}

double signalToNoise(const std::vector<float> &Expected,
                     const std::vector<int16_t> &Got) {
  double Signal = 0, Noise = 0;
  for (size_t I = 0; I != Got.size(); ++I) {
    double Value = Expected[Hop + I], Difference = Value - Got[I];
    Signal += Value * Value;
    Noise += Difference * Difference;
  }
  return 10 * std::log10(Signal / Noise);
}
