//===- Shuffle.cpp - Dense layouts as shuffles of bytes -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the programs of ShuffleOp.h. Compiled twice: for AVX-512 without VBMI,
// with units of four bytes, and with VBMI, with single bytes.
//
//===----------------------------------------------------------------------===//

#include "ShuffleOp.h"

#include <immintrin.h>

using namespace sluice::pack::kernels;

namespace {

#if defined(__AVX512VBMI__)
struct Unit {
  static constexpr int64_t bytes = 1;
  static inline __m512i index(const uint8_t *index) {
    return _mm512_loadu_si512(index);
  }
  static inline __m512i shuffle(__m512i a, __m512i index, __m512i b) {
    return _mm512_permutex2var_epi8(a, index, b);
  }
  static inline __m512i shuffle(__m512i a, __m512i index) {
    return _mm512_permutexvar_epi8(index, a);
  }
};
#else
struct Unit {
  static constexpr int64_t bytes = 4;
  static inline __m512i index(const uint8_t *index) {
    return _mm512_cvtepu8_epi32(
        _mm_loadu_si128(reinterpret_cast<const __m128i *>(index)));
  }
  static inline __m512i shuffle(__m512i a, __m512i index, __m512i b) {
    return _mm512_permutex2var_epi32(a, index, b);
  }
  static inline __m512i shuffle(__m512i a, __m512i index) {
    return _mm512_permutexvar_epi32(index, a);
  }
};
#endif

enum class ShuffleStore {
  /// 64 bytes; surplus bytes are overwritten later.
  Whole,
  /// Only the bytes of the step.
  Masked,
  /// An aligned cache line, written around the caches.
  Line
};

/// One step, held in registers.
template <int loads> struct RegisterStep {
  explicit inline RegisterStep(const ShuffleStep &step)
      : nearIndex(Unit::index(step.nearIndex)),
        farIndex(Unit::index(step.farIndex)), farMask(step.farMask),
        storeMask(step.storeMask), storeOffset(step.storeOffset), step(step) {
    for (int i = 0; i < loads; ++i)
      loadOffset[i] = step.loadOffset[i];
  }

  template <bool masked> inline __m512i load(const Byte *in, int number) const {
    const Byte *from = in + loadOffset[number];
    return masked ? _mm512_maskz_loadu_epi8(step.loadMask[number], from)
                  : _mm512_loadu_si512(from);
  }

  template <bool masked> inline __m512i value(const Byte *in) const {
    if constexpr (loads == 1)
      return Unit::shuffle(load<masked>(in, 0), nearIndex);
    __m512i near =
        Unit::shuffle(load<masked>(in, 0), nearIndex, load<masked>(in, 1));
    if constexpr (loads <= 2)
      return near;
    __m512i far = loads == 3 ? Unit::shuffle(load<masked>(in, 2), farIndex)
                             : Unit::shuffle(load<masked>(in, 2), farIndex,
                                             load<masked>(in, 3));
    return _mm512_mask_mov_epi8(near, farMask, far);
  }

  template <bool maskedLoads, ShuffleStore store>
  inline void run(const Byte *in, Byte *out) const {
    __m512i result = value<maskedLoads>(in);
    if constexpr (store == ShuffleStore::Masked)
      _mm512_mask_storeu_epi8(out + storeOffset, storeMask, result);
    else if constexpr (store == ShuffleStore::Line)
      _mm512_stream_si512(reinterpret_cast<__m512i *>(out + storeOffset),
                          result);
    else
      _mm512_storeu_si512(out + storeOffset, result);
  }

  __m512i nearIndex, farIndex;
  __mmask64 farMask, storeMask;
  int64_t storeOffset;
  int64_t loadOffset[loads];
  const ShuffleStep &step;
};

/// A program with this number of steps and this maximum number of loads per
/// step.
template <int steps, int loads> struct Held {
  explicit inline Held(const ShuffleProgram &program)
      : Held(program, __make_integer_seq<Numbers, int, steps>()) {}
  template <bool maskedLoads, ShuffleStore store>
  inline void run(const Byte *in, Byte *out) const {
#pragma clang loop unroll(full)
    for (int i = 0; i < steps; ++i)
      list[i].template run<maskedLoads, store>(in, out);
  }

private:
  template <class, int...> struct Numbers {};
  template <int... numbers>
  inline Held(const ShuffleProgram &program, Numbers<int, numbers...>)
      : list{RegisterStep<loads>(program.steps[numbers])...} {}
  RegisterStep<loads> list[steps];
};

/// A program with any number of steps; loads indices again each time.
struct Many {
  explicit inline Many(const ShuffleProgram &program) : program(program) {}
  template <bool maskedLoads, ShuffleStore store>
  inline void run(const Byte *in, Byte *out) const {
    for (int64_t i = 0; i < program.stepCount; ++i) {
      const ShuffleStep &step = program.steps[i];
      if (step.loads == 1)
        RegisterStep<1>(step).run<maskedLoads, store>(in, out);
      else if (step.loads == 2)
        RegisterStep<2>(step).run<maskedLoads, store>(in, out);
      else
        RegisterStep<4>(step).run<maskedLoads, store>(in, out);
    }
  }
  const ShuffleProgram &program;
};

struct ShuffleSteps {
  int64_t in;
  int64_t out;
};

/// Runs the program for all groups whose loads and stores stay within both
/// limits; these ascend, so they are the first groups. Returns their number.
template <class Program, ShuffleStore store>
inline int64_t copyInside(const Program &program, const Byte *in, Byte *out,
                          int64_t groups, ShuffleSteps group,
                          const Byte *lastIn, const Byte *lastOut) {
  int64_t done = 0;
  for (; done < groups && in <= lastIn &&
         (store != ShuffleStore::Whole || out <= lastOut);
       ++done) {
    program.template run<false, store>(in, out);
    in += group.in;
    out += group.out;
    // Keeps the compiler from precomputing every address of several groups, for
    // which there are not enough registers.
    asm("" : "+r"(in), "+r"(out));
  }
  return done;
}

/// Runs all whole groups, and then the last group's number of instances again
/// to cover the rest. Storing the same bytes twice does no harm.
template <class Program, ShuffleStore store>
inline void copyGroups(const ShuffleProgram &program, const Byte *in,
                       int64_t count, Byte *out, ShuffleSteps steps,
                       const Byte *inLimit, const Byte *outLimit) {
  constexpr ShuffleStore exact =
      store == ShuffleStore::Line ? store : ShuffleStore::Masked;
  const Program prepared(program);
  int64_t groups = count / program.group;
  int64_t rest = count - groups * program.group;
  ShuffleSteps group = {steps.in * program.group, steps.out * program.group};
  int64_t done = copyInside<Program, store>(
      prepared, in, out, groups, group, inLimit - program.loadReach,
      outLimit ? outLimit - program.storeReach : nullptr);
  in += done * group.in;
  out += done * group.out;
  for (; done < groups; ++done) {
    prepared.template run<true, exact>(in, out);
    in += group.in;
    out += group.out;
  }
  if (rest != 0)
    prepared.template run<true, exact>(in + steps.in * rest - group.in,
                                       out + steps.out * rest - group.out);
}

/// The end of loads for packing `count` instances: the end of the page of their
/// last byte, since the next used byte may be far away.
inline const Byte *loadLimit(const ShuffleOp &op, const Byte *in, int64_t count,
                             const Limits &limits) {
  const Byte *last = in + (count - 1) * op.stride + op.high - 1;
  const Byte *pageEnd =
      last + (pageSize -
              int64_t(reinterpret_cast<uintptr_t>(last) % uintptr_t(pageSize)));
  return pageEnd < limits.inEnd ? pageEnd : limits.inEnd;
}

template <class Program>
void packBy(const Op &op, const Byte *in, int64_t count, Byte *out,
            const Limits &limits) {
  auto &shuffle = static_cast<const ShuffleOp &>(op);
  if (count < shuffle.packProgram.group) [[unlikely]]
    return shuffle.few->functions.pack(*shuffle.few, in, count, out, limits);
  copyGroups<Program, ShuffleStore::Whole>(
      shuffle.packProgram, in, count, out, {op.stride, op.size},
      loadLimit(shuffle, in, count, limits), limits.outEnd);
}

template <class Program>
void unpackBy(const Op &op, const Byte *in, int64_t count, Byte *out,
              const Limits &limits) {
  auto &shuffle = static_cast<const ShuffleOp &>(op);
  if (count < shuffle.unpackProgram.group) [[unlikely]]
    return shuffle.few->functions.unpack(*shuffle.few, in, count, out, limits);
  copyGroups<Program, ShuffleStore::Masked>(shuffle.unpackProgram, in, count,
                                            out, {op.size, op.stride},
                                            limits.inEnd, nullptr);
}

template <class Program>
void packLinesBy(const Op &op, const Byte *in, int64_t count, Byte *out,
                 const Limits &limits) {
  auto &shuffle = static_cast<const ShuffleOp &>(op);
  copyGroups<Program, ShuffleStore::Line>(
      shuffle.packProgram, in, count, out, {op.stride, op.size},
      loadLimit(shuffle, in, count, limits), nullptr);
}

template <class Program>
constexpr ShuffleFunctions by = {{packBy<Program>, unpackBy<Program>},
                                 packLinesBy<Program>};

} // namespace

namespace sluice::pack::kernels {

#if defined(__AVX512VBMI__)
const ShuffleTable vbmiShuffles
#else
const ShuffleTable wordShuffles
#endif
    = {.unit = Unit::bytes,
       .any = by<Many>,
       .oneStep = {by<Held<1, 3>>, by<Held<1, 4>>},
       .held = {{by<Held<1, 1>>, by<Held<1, 2>>},
                {by<Held<2, 1>>, by<Held<2, 2>>},
                {by<Held<3, 1>>, by<Held<3, 2>>},
                {by<Held<4, 1>>, by<Held<4, 2>>}}};

} // namespace sluice::pack::kernels
