//===- encode.cpp - Encoding sound with a streaming graph -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph of the audio example codes one block of samples:
//
//   filter ──> window ══> transform ══> measure ═┬═> quantise ═╗
//                             ╚══════════════════│════^        v
//                                                ╚══════════> pack
//
//   transform   prepare ══> butterflies ══> finish
//
// filter, window, quantise and the parts of transform are replicated, over
// samples, coefficients or points. The one edge from instance to instance (──>)
// leads to window, which needs no other sample than its own. transform is a
// modified discrete cosine transform by way of a Fourier transform, whose 64
// lanes meet at a barrier after each round of butterflies.
//
// Along the edges go sizes of buffers, which only order stages, and values: a
// block's scale is a structure, and the bits of its bands are a vector. The
// tables and the step are no streams: they are read at launch.
//
//===----------------------------------------------------------------------===//

#include "audio.h"

#include "hpvm.h"
#include "sluice-c/Runtime.h"

#include <algorithm>

/// How one block's coefficients become codes.
struct Scale {
  float Inverse; ///< of the distance of two neighbouring values
  int Exponent;  ///< that distance is the step times two to this power
};

/// Bits of each coefficient, by bands.
typedef uint8_t BandBits __attribute__((vector_size(Bands)));

/// What the host learns about a block.
struct Packed {
  int Bytes;
  int Exponent;
};

//===----------------------------------------------------------------------===//
// filter and window
//===----------------------------------------------------------------------===//

/// A low-pass filter of finite impulse response.
void filter(int16_t *Samples, size_t SamplesBytes, float *Filter,
            size_t FilterBytes, float *Filtered, size_t FilteredBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Samples, Filter, 1, Filtered);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  float Sum = 0.0f;
  for (long Tap = 0; Tap < FilterTaps; ++Tap)
    Sum += Filter[Tap] * float(Samples[I + Tap]);
  Filtered[I] = Sum;
  __hpvm__return(1, FilteredBytes);
}

void window(float *Filtered, size_t FilteredBytes, float *Window,
            size_t WindowBytes, float *Windowed, size_t WindowedBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Filtered, Window, 1, Windowed);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  Windowed[I] = Filtered[I] * Window[I];
  __hpvm__return(1, WindowedBytes);
}

//===----------------------------------------------------------------------===//
// transform
//===----------------------------------------------------------------------===//

/// What the windowed samples are folded to, half as many: aliasing that the
/// neighbouring blocks take back.
static float folded(const float *Windowed, long I) {
  constexpr long Half = Hop / 2;
  return I < Half ? -Windowed[3 * Half - 1 - I] - Windowed[3 * Half + I]
                  : Windowed[I - Half] - Windowed[3 * Half - 1 - I];
}

/// Where a point goes before the butterflies: its bits in reverse order.
static long reversed(long Point) {
  long Result = 0;
  for (long Bit = 1; Bit < Points; Bit *= 2)
    Result = 2 * Result + (Point & Bit ? 1 : 0);
  return Result;
}

/// Folded samples to complex numbers, turned, and in the butterflies' order.
void prepare(float *Windowed, size_t WindowedBytes, float *Twiddle,
             size_t TwiddleBytes, float *Complex, size_t ComplexBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Windowed, Twiddle, 1, Complex);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  float Real = folded(Windowed, 2 * I);
  float Imaginary = folded(Windowed, Hop - 1 - 2 * I);
  float Cosine = Twiddle[2 * I], Sine = Twiddle[2 * I + 1];
  long To = reversed(I);
  Complex[2 * To] = Real * Cosine - Imaginary * Sine;
  Complex[2 * To + 1] = Real * Sine + Imaginary * Cosine;
  __hpvm__return(1, ComplexBytes);
}

/// The Fourier transform in place: one butterfly of each round for each lane.
void butterflies(float *Complex, size_t ComplexBytes, float *Roots,
                 size_t RootsBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Complex, Roots, 1, Complex);
  long Lane = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  for (long Half = 1; Half < Points; Half *= 2) {
    long Position = Lane % Half;
    float *Upper = Complex + 2 * (2 * (Lane - Position) + Position);
    float *Lower = Upper + 2 * Half;
    float *Root = Roots + 2 * (Position * (Points / 2 / Half));
    float Real = Lower[0] * Root[0] - Lower[1] * Root[1];
    float Imaginary = Lower[0] * Root[1] + Lower[1] * Root[0];
    Lower[0] = Upper[0] - Real;
    Lower[1] = Upper[1] - Imaginary;
    Upper[0] = Upper[0] + Real;
    Upper[1] = Upper[1] + Imaginary;
    __hpvm__barrier();
  }
  __hpvm__return(1, ComplexBytes);
}

/// Complex numbers, turned again, to coefficients from both ends.
void finish(float *Complex, size_t ComplexBytes, float *Twiddle,
            size_t TwiddleBytes, float *Spectrum, size_t SpectrumBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(2, Complex, Twiddle, 1, Spectrum);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  float Real = Complex[2 * I], Imaginary = Complex[2 * I + 1];
  float Cosine = Twiddle[2 * I], Sine = Twiddle[2 * I + 1];
  Spectrum[2 * I] = Real * Cosine - Imaginary * Sine;
  Spectrum[Hop - 1 - 2 * I] = -(Real * Sine + Imaginary * Cosine);
  __hpvm__return(2, SpectrumBytes, SpectrumBytes);
}

void transform(float *Windowed, size_t WindowedBytes, float *Twiddle,
               size_t TwiddleBytes, float *Roots, size_t RootsBytes,
               float *Complex, size_t ComplexBytes, float *Spectrum,
               size_t SpectrumBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(4, Windowed, Twiddle, Roots, Complex, 2, Complex,
                     Spectrum);
  void *Prepare = __hpvm__createNodeND(1, prepare, Points);
  void *Butterflies = __hpvm__createNodeND(1, butterflies, Points / 2);
  void *Finish = __hpvm__createNodeND(1, finish, Points);
  __hpvm__edge(Prepare, Butterflies, 1, 0, 1, 1);
  __hpvm__edge(Butterflies, Finish, 1, 0, 1, 1);

  __hpvm__bindIn(Prepare, 0, 0, 1);
  __hpvm__bindIn(Prepare, 1, 1, 1);
  __hpvm__bindIn(Prepare, 2, 2, 0);
  __hpvm__bindIn(Prepare, 3, 3, 0);
  __hpvm__bindIn(Prepare, 6, 4, 1);
  __hpvm__bindIn(Prepare, 7, 5, 1);

  __hpvm__bindIn(Butterflies, 6, 0, 1);
  __hpvm__bindIn(Butterflies, 4, 2, 0);
  __hpvm__bindIn(Butterflies, 5, 3, 0);

  __hpvm__bindIn(Finish, 6, 0, 1);
  __hpvm__bindIn(Finish, 2, 2, 0);
  __hpvm__bindIn(Finish, 3, 3, 0);
  __hpvm__bindIn(Finish, 8, 4, 1);
  __hpvm__bindIn(Finish, 9, 5, 1);

  __hpvm__bindOut(Finish, 0, 0, 1);
  __hpvm__bindOut(Finish, 1, 1, 1);
}

//===----------------------------------------------------------------------===//
// measure, quantise and pack
//===----------------------------------------------------------------------===//

/// The nearest whole number, halves away from zero.
static int nearest(float Value) {
  return int(Value < 0.0f ? Value - 0.5f : Value + 0.5f);
}

/// Chooses a block's scale, so that its codes have no more than MostBits, and
/// the bits that each band needs.
void measure(float *Spectrum, size_t SpectrumBytes, float Step) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Spectrum, 0);
  float Peaks[Bands], Peak = 0.0f;
  for (long Band = 0; Band < Bands; ++Band) {
    Peaks[Band] = 0.0f;
    for (long I = Band * BandWidth; I < (Band + 1) * BandWidth; ++I) {
      float Amount = Spectrum[I] < 0.0f ? -Spectrum[I] : Spectrum[I];
      Peaks[Band] = Amount > Peaks[Band] ? Amount : Peaks[Band];
    }
    Peak = Peaks[Band] > Peak ? Peaks[Band] : Peak;
  }

  Scale Block = {1.0f / Step, 0};
  while (nearest(Peak * Block.Inverse) >= 1 << (MostBits - 1)) {
    Block.Inverse = Block.Inverse * 0.5f;
    ++Block.Exponent;
  }
  BandBits Bits = {};
  for (long Band = 0; Band < Bands; ++Band)
    for (int Rest = nearest(Peaks[Band] * Block.Inverse); Rest; Rest /= 2)
      Bits[Band] += Bits[Band] ? 1 : 2; // the first one brings the sign
  __hpvm__return(3, Block, Block, Bits);
}

/// Coefficients to codes.
void quantise(float *Spectrum, size_t SpectrumBytes, Scale Block,
              int16_t *Codes, size_t CodesBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Spectrum, 1, Codes);
  long I = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  Codes[I] = int16_t(nearest(Spectrum[I] * Block.Inverse));
  __hpvm__return(1, CodesBytes);
}

/// The codes as bits, the lowest first: the exponent, the bands' bits, and of
/// each code as many bits as its band has.
void pack(int16_t *Codes, size_t CodesBytes, Scale Block, BandBits Bits,
          uint8_t *Out, size_t OutBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Codes, 1, Out);
  int Size = 0;
  Out[Size++] = uint8_t(Block.Exponent);
  for (long Band = 0; Band < Bands; Band += 2)
    Out[Size++] = uint8_t(Bits[Band] | Bits[Band + 1] << 4);

  uint32_t Waiting = 0;
  int Count = 0;
  for (long I = 0; I < Hop; ++I) {
    int Width = Bits[I / BandWidth];
    Waiting |= (uint32_t(Codes[I]) & ((1u << Width) - 1)) << Count;
    for (Count += Width; Count >= 8; Count -= 8) {
      Out[Size++] = uint8_t(Waiting);
      Waiting >>= 8;
    }
  }
  if (Count)
    Out[Size++] = uint8_t(Waiting);
  Packed Result = {Size, Block.Exponent};
  __hpvm__return(1, Result);
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// The root's inputs by number; those from InFilter on do not stream.
enum Input : unsigned {
  InSamples,
  InFiltered = 2,
  InWindowed = 4,
  InComplex = 6,
  InSpectrum = 8,
  InCodes = 10,
  InOut = 12,
  InFilter = 14,
  InWindow = 16,
  InTwiddle = 18,
  InRoots = 20,
  InStep = 22,
};

/// Binds a pointer of the root and its size.
#define BIND_BUFFER(Child, From, To, IsStream)                                 \
  __hpvm__bindIn(Child, From, To, IsStream);                                   \
  __hpvm__bindIn(Child, (From) + 1, (To) + 1, IsStream)

void encodeRoot(int16_t *Samples, size_t SamplesBytes, float *Filtered,
                size_t FilteredBytes, float *Windowed, size_t WindowedBytes,
                float *Complex, size_t ComplexBytes, float *Spectrum,
                size_t SpectrumBytes, int16_t *Codes, size_t CodesBytes,
                uint8_t *Out, size_t OutBytes, float *Filter,
                size_t FilterBytes, float *Window, size_t WindowBytes,
                float *Twiddle, size_t TwiddleBytes, float *Roots,
                size_t RootsBytes, float Step) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(10, Samples, Filtered, Windowed, Complex, Spectrum, Codes,
                     Filter, Window, Twiddle, Roots, 6, Filtered, Windowed,
                     Complex, Spectrum, Codes, Out);
  void *Filtering = __hpvm__createNodeND(1, filter, Span);
  void *Windowing = __hpvm__createNodeND(1, window, Span);
  void *Transform = __hpvm__createNodeND(0, transform);
  void *Measure = __hpvm__createNodeND(0, measure);
  void *Quantise = __hpvm__createNodeND(1, quantise, Hop);
  void *Pack = __hpvm__createNodeND(0, pack);

  __hpvm__edge(Filtering, Windowing, 0, 0, 1, 1); // one to one
  __hpvm__edge(Windowing, Transform, 1, 0, 1, 1);
  __hpvm__edge(Transform, Measure, 1, 0, 1, 1);
  __hpvm__edge(Transform, Quantise, 1, 1, 1, 1);
  __hpvm__edge(Measure, Quantise, 1, 0, 2, 1); // the scale
  __hpvm__edge(Measure, Pack, 1, 1, 2, 1);
  __hpvm__edge(Measure, Pack, 1, 2, 3, 1); // the bits
  __hpvm__edge(Quantise, Pack, 1, 0, 1, 1);

  BIND_BUFFER(Filtering, InSamples, 0, 1);
  BIND_BUFFER(Filtering, InFilter, 2, 0);
  BIND_BUFFER(Filtering, InFiltered, 4, 1);

  __hpvm__bindIn(Windowing, InFiltered, 0, 1);
  BIND_BUFFER(Windowing, InWindow, 2, 0);
  BIND_BUFFER(Windowing, InWindowed, 4, 1);

  __hpvm__bindIn(Transform, InWindowed, 0, 1);
  BIND_BUFFER(Transform, InTwiddle, 2, 0);
  BIND_BUFFER(Transform, InRoots, 4, 0);
  BIND_BUFFER(Transform, InComplex, 6, 1);
  BIND_BUFFER(Transform, InSpectrum, 8, 1);

  __hpvm__bindIn(Measure, InSpectrum, 0, 1);
  __hpvm__bindIn(Measure, InStep, 2, 0);

  __hpvm__bindIn(Quantise, InSpectrum, 0, 1);
  BIND_BUFFER(Quantise, InCodes, 3, 1);

  __hpvm__bindIn(Pack, InCodes, 0, 1);
  BIND_BUFFER(Pack, InOut, 4, 1);

  __hpvm__bindOut(Pack, 0, 0, 1);
}

/// The root's arguments, its inputs in order.
struct __attribute__((packed)) Arguments {
  int16_t *Samples;
  size_t SamplesBytes;
  float *Filtered;
  size_t FilteredBytes;
  float *Windowed;
  size_t WindowedBytes;
  float *Complex;
  size_t ComplexBytes;
  float *Spectrum;
  size_t SpectrumBytes;
  int16_t *Codes;
  size_t CodesBytes;
  uint8_t *Out;
  size_t OutBytes;
  float *Filter;
  size_t FilterBytes;
  float *Window;
  size_t WindowBytes;
  float *Twiddle;
  size_t TwiddleBytes;
  float *Roots;
  size_t RootsBytes;
  float Step;
};

/// The outputs of the root.
struct __attribute__((packed)) Results {
  Packed Block;
};

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

/// The buffers of one block in flight.
struct Encoder::Slot {
  int16_t Samples[Reach];
  float Filtered[Span], Windowed[Span];
  float Complex[2 * Points];
  float Spectrum[Hop];
  int16_t Codes[Hop];
  uint8_t Out[MostBytes];
};

static void track(std::vector<float> &Table) {
  llvm_hpvm_track_mem(Table.data(), Table.size() * sizeof(float));
}

Encoder::Encoder(float Step, size_t InFlight) : Step(Step) {
  for (auto *Table :
       {&Fixed.Filter, &Fixed.Window, &Fixed.Twiddle, &Fixed.Roots})
    track(*Table);
  for (size_t Count = 0; Count != InFlight; ++Count) {
    Ring.push_back(std::make_unique<Slot>());
    llvm_hpvm_track_mem(Ring.back().get(), sizeof(Slot));
  }
  Arguments Args = {};
  Args.Filter = Fixed.Filter.data();
  Args.FilterBytes = FilterTaps * sizeof(float);
  Args.Window = Fixed.Window.data();
  Args.WindowBytes = Span * sizeof(float);
  Args.Twiddle = Fixed.Twiddle.data();
  Args.TwiddleBytes = 2 * Points * sizeof(float);
  Args.Roots = Fixed.Roots.data();
  Args.RootsBytes = Points * sizeof(float);
  Args.Step = Step;
  Graph = __hpvm__launch(1, encodeRoot, &Args);
  sluiceSetStreamBound(Graph, InFlight);
}

Encoder::~Encoder() {
  __hpvm__wait(Graph);
  for (auto &Buffers : Ring)
    llvm_hpvm_untrack_mem(Buffers.get());
  for (auto *Table :
       {&Fixed.Filter, &Fixed.Window, &Fixed.Twiddle, &Fixed.Roots})
    llvm_hpvm_untrack_mem(Table->data());
}

void Encoder::push(const Sound &From, size_t Block) {
  Slot &Free = *Ring[(Oldest + Flying++) % Ring.size()];
  // The host is about to write them: devices get them anew.
  llvm_hpvm_request_mem(Free.Samples, sizeof(Free.Samples));
  // Beyond the sound there is silence.
  long First = (long(Block) - 1) * Hop - FilterTaps / 2;
  for (long I = 0; I < Reach; ++I) {
    bool IsInside = First + I >= 0 && First + I < long(From.Samples.size());
    Free.Samples[I] = IsInside ? From.Samples[First + I] : 0;
  }

  Arguments Item = {};
  Item.Samples = Free.Samples;
  Item.SamplesBytes = sizeof(Free.Samples);
  Item.Filtered = Free.Filtered;
  Item.FilteredBytes = sizeof(Free.Filtered);
  Item.Windowed = Free.Windowed;
  Item.WindowedBytes = sizeof(Free.Windowed);
  Item.Complex = Free.Complex;
  Item.ComplexBytes = sizeof(Free.Complex);
  Item.Spectrum = Free.Spectrum;
  Item.SpectrumBytes = sizeof(Free.Spectrum);
  Item.Codes = Free.Codes;
  Item.CodesBytes = sizeof(Free.Codes);
  Item.Out = Free.Out;
  Item.OutBytes = sizeof(Free.Out);
  __hpvm__push(Graph, &Item);
}

void Encoder::pop(std::vector<uint8_t> &Bytes) {
  Slot &Done = *Ring[Oldest];
  auto *Result = static_cast<Results *>(__hpvm__pop(Graph));
  llvm_hpvm_request_mem(Done.Out, sizeof(Done.Out));
  Bytes.insert(Bytes.end(), Done.Out, Done.Out + Result->Block.Bytes);
  Oldest = (Oldest + 1) % Ring.size();
  --Flying;
}

Coded Encoder::encode(const Sound &From) {
  Coded Result = {From.Rate, uint32_t(From.Samples.size()), Step, {}};
  size_t Count = blockCount(From.Samples.size());
  for (size_t Block = 0; Block != Count; ++Block) {
    if (Flying == Ring.size())
      pop(Result.Bytes);
    push(From, Block);
  }
  while (Flying)
    pop(Result.Bytes);
  return Result;
}
