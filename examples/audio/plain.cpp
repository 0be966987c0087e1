//===- plain.cpp - Encoding sound with plain loops ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle of the audio example: the steps of encode.cpp one after another in
// sequential C++, sharing no code with the graph. The arithmetic is the same,
// operation by operation, so the bytes must agree. The decoder, whose transform
// is a plain sum of cosines, shows that they mean what they should.
//
//===----------------------------------------------------------------------===//

#include "audio.h"

#include <algorithm>
#include <cmath>

namespace {

struct Complex {
  float Real, Imaginary;
};

/// Writes numbers of any width, the lowest bit first.
class BitWriter {
public:
  explicit BitWriter(std::vector<uint8_t> &Bytes) : Bytes(Bytes) {}

  void write(int Number, int Width) {
    for (int Bit = 0; Bit != Width; ++Bit) {
      if (Used % 8 == 0)
        Bytes.push_back(0);
      Bytes.back() |= (Number >> Bit & 1) << Used++ % 8;
    }
  }

private:
  std::vector<uint8_t> &Bytes;
  size_t Used = 0;
};

} // namespace

static Complex product(Complex A, Complex B) {
  return {A.Real * B.Real - A.Imaginary * B.Imaginary,
          A.Real * B.Imaginary + A.Imaginary * B.Real};
}

static Complex entry(const std::vector<float> &Table, size_t Index) {
  return {Table[2 * Index], Table[2 * Index + 1]};
}

/// The Fourier transform by halves: of the even and of the odd points.
static std::vector<Complex> fourier(const std::vector<Complex> &From,
                                    const std::vector<float> &Roots) {
  size_t Size = From.size();
  if (Size == 1)
    return From;
  std::vector<Complex> Even, Odd, Result(Size);
  for (size_t I = 0; I != Size; I += 2) {
    Even.push_back(From[I]);
    Odd.push_back(From[I + 1]);
  }
  Even = fourier(Even, Roots);
  Odd = fourier(Odd, Roots);
  for (size_t I = 0; I != Size / 2; ++I) {
    Complex Turned = product(Odd[I], entry(Roots, I * (Points / Size)));
    Result[I] = {Even[I].Real + Turned.Real,
                 Even[I].Imaginary + Turned.Imaginary};
    Result[I + Size / 2] = {Even[I].Real - Turned.Real,
                            Even[I].Imaginary - Turned.Imaginary};
  }
  return Result;
}

/// The modified discrete cosine transform of windowed samples.
static std::vector<float> cosines(const std::vector<float> &Windowed,
                                  const Tables &Fixed) {
  std::vector<float> Folded(Hop);
  for (long I = 0; I != Hop / 2; ++I) {
    Folded[I] =
        -Windowed[Span - Hop / 2 - 1 - I] - Windowed[Span - Hop / 2 + I];
    Folded[Hop / 2 + I] = Windowed[I] - Windowed[Hop - 1 - I];
  }
  std::vector<Complex> Turned;
  for (long I = 0; I != Points; ++I)
    Turned.push_back(product({Folded[2 * I], Folded[Hop - 1 - 2 * I]},
                             entry(Fixed.Twiddle, I)));
  Turned = fourier(Turned, Fixed.Roots);
  std::vector<float> Spectrum(Hop);
  for (long I = 0; I != Points; ++I) {
    Complex Last = product(Turned[I], entry(Fixed.Twiddle, I));
    Spectrum[2 * I] = Last.Real;
    Spectrum[Hop - 1 - 2 * I] = -Last.Imaginary;
  }
  return Spectrum;
}

static int nearestInteger(float Value) {
  return static_cast<int>(Value + std::copysign(0.5f, Value));
}

/// The bits of a number, zero for zero.
static int bitWidth(int Number) {
  int Width = 0;
  for (; Number; Number >>= 1)
    ++Width;
  return Width;
}

static void packPlainly(const std::vector<float> &Spectrum, float Step,
                        std::vector<uint8_t> &Bytes) {
  float Peak = 0;
  for (float Value : Spectrum)
    Peak = std::max(Peak, std::fabs(Value));
  float Inverse = 1.0f / Step;
  int Exponent = 0;
  for (; bitWidth(nearestInteger(Peak * Inverse)) >= MostBits; ++Exponent)
    Inverse /= 2;

  BitWriter Writer(Bytes);
  Writer.write(Exponent, 8);
  std::vector<int> Codes, Widths;
  for (float Value : Spectrum)
    Codes.push_back(nearestInteger(Value * Inverse));
  for (long Band = 0; Band != Bands; ++Band) {
    int Most = 0;
    for (long I = 0; I != BandWidth; ++I)
      Most = std::max(Most, std::abs(Codes[Band * BandWidth + I]));
    Widths.push_back(Most ? bitWidth(Most) + 1 : 0);
    Writer.write(Widths.back(), 4);
  }
  for (long I = 0; I != Hop; ++I)
    Writer.write(Codes[I], Widths[I / BandWidth]);
}

Coded encodePlainly(const Sound &From, float Step) {
  Tables Fixed;
  Coded Result = {From.Rate, uint32_t(From.Samples.size()), Step, {}};
  std::vector<float> Smooth = filtered(From);
  size_t Count = blockCount(From.Samples.size());
  for (size_t Block = 0; Block != Count; ++Block) {
    std::vector<float> Windowed;
    for (long I = 0; I != Span; ++I) {
      // filtered() begins and ends a block beyond the sound.
      size_t At = Block * Hop + I;
      Windowed.push_back(Smooth[At] * Fixed.Window[I]);
    }
    packPlainly(cosines(Windowed, Fixed), Step, Result.Bytes);
  }
  return Result;
}
