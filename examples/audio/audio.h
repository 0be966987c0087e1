//===- audio.h - What the parts of the audio example share ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The coder's numbers and tables, and the functions of the files: sound files
// (files.cpp), the graph that encodes (encode.cpp), the same steps as plain
// loops (plain.cpp), the decoder (decode.cpp), and the main program
// (audio.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_EXAMPLES_AUDIO_H
#define SLUICE_EXAMPLES_AUDIO_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

//===----------------------------------------------------------------------===//
// The coder
//===----------------------------------------------------------------------===//

/// Samples that each block adds, which is also its number of coefficients. It
/// looks at twice as many: half of them are the block's before it.
constexpr long Hop = 256;
constexpr long Span = 2 * Hop;
/// The low-pass filter's length. A block's input is that much longer.
constexpr long FilterTaps = 31;
constexpr long Reach = Span + FilterTaps - 1;
/// Points of the complex Fourier transform inside the cosine transform.
constexpr long Points = Hop / 2;
/// Coefficients are coded in bands of equal length, and with this many bits
/// each at most, a sign included.
constexpr long Bands = 16;
constexpr long BandWidth = Hop / Bands;
constexpr long MostBits = 12;
/// Bytes of a coded block at most: the step's exponent, four bits for each
/// band, and the coefficients.
constexpr long MostBytes = 1 + Bands / 2 + Hop * MostBits / 8;

/// Numbers that the encoder looks up.
struct Tables {
  Tables();
  std::vector<float> Filter;  ///< FilterTaps of a low-pass filter
  std::vector<float> Window;  ///< Span values of a sine window
  std::vector<float> Twiddle; ///< Points complex numbers around the transform
  std::vector<float> Roots;   ///< Points / 2 complex roots of unity
};

//===----------------------------------------------------------------------===//
// Sounds and coded sounds
//===----------------------------------------------------------------------===//

struct Sound {
  uint32_t Rate = 48000;
  std::vector<int16_t> Samples;
};

/// A coded sound: the blocks stand one after another.
struct Coded {
  uint32_t Rate = 0;
  uint32_t Count = 0; ///< of samples
  float Step = 0;     ///< between two values of a coefficient, at least
  std::vector<uint8_t> Bytes;
};

/// Blocks of a sound; the first half of the first one lies before the sound.
inline size_t blockCount(size_t Samples) {
  return (Samples + Hop - 1) / Hop + 1;
}

/// Print "audio: '<path>': <what>" and end with exit code 1.
[[noreturn]] void fail(const std::string &Path, const std::string &What);

/// A WAV file of 16-bit samples (several channels become one), or raw 16-bit
/// little-endian samples; "-" is standard input, and "sweep" a tone that rises
/// from 50 to 18,000 Hz in two seconds. What is wrong ends the program.
Sound readSound(const std::string &Path);
void writeWAV(const std::string &Path, const Sound &Written);

Coded readCoded(const std::string &Path);
void writeCoded(const std::string &Path, const Coded &Written);

/// The sound of a coded one; a message and exit code 1 for one that is cut off
/// or goes on too long.
Sound decode(const Coded &From, const std::string &Path);

/// Samples behind the encoder's low-pass filter, which is what it codes.
std::vector<float> filtered(const Sound &From);

/// By how many decibels \p Expected is louder than the difference to \p Got.
double signalToNoise(const std::vector<float> &Expected,
                     const std::vector<int16_t> &Got);

//===----------------------------------------------------------------------===//
// Encoding
//===----------------------------------------------------------------------===//

/// A stream of blocks through the graph. Each block in flight has its own
/// buffers, taken from a ring, so that blocks overlap.
class Encoder {
public:
  Encoder(float Step, size_t InFlight);
  ~Encoder();
  Encoder(const Encoder &) = delete;
  Encoder &operator=(const Encoder &) = delete;

  /// Encode the sound.
  Coded encode(const Sound &From);

private:
  struct Slot;

  void push(const Sound &From, size_t Block);
  void pop(std::vector<uint8_t> &Bytes);

  float Step;
  Tables Fixed;
  std::vector<std::unique_ptr<Slot>> Ring;
  size_t Oldest = 0, Flying = 0;
  void *Graph = nullptr;
};

/// The same bytes by plain loops.
Coded encodePlainly(const Sound &From, float Step);

#endif // SLUICE_EXAMPLES_AUDIO_H
