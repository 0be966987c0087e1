//===- avx512.cpp - Loops with AVX-512's permutations ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the layouts whose blocks are smaller than a register: load what lies
// together, move the wanted bytes side by side, store; for unpacking, spread
// them and store under a mask. With ordinary stores and with those that pass
// the caches by.
//
//===----------------------------------------------------------------------===//

#include "hand_loops.h"
#include "places.h"
#include "sizes.h"

#include <array>
#include <cstring>

using namespace bench;

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VBMI__)

#include <immintrin.h>

namespace {

using Bytes = const std::byte *__restrict;
using OutBytes = std::byte *__restrict;

enum Stores { Cached, Streaming };

template <Stores S> void store(void *to, __m512i value) {
  if constexpr (S == Streaming)
    _mm512_stream_si512(static_cast<__m512i *>(to), value);
  else
    _mm512_storeu_si512(to, value);
}

template <Stores S> void finish() {
  if constexpr (S == Streaming)
    _mm_sfence();
}

__m512i load(const void *from) { return _mm512_loadu_si512(from); }

/// Where the packed double `i` lies in blocks of `Block`, twice that apart.
constexpr long long placeOf(int i, int block) {
  return i / block * 2 * block + i % block;
}

template <int Block, long long Modulus> __m512i vectorIndices() {
  constexpr auto at = [](int i) { return placeOf(i, Block) % Modulus; };
  return _mm512_setr_epi64(at(0), at(1), at(2), at(3), at(4), at(5), at(6),
                           at(7));
}

template <int Block> void packRest(Bytes in, OutBytes out, int64_t doubles) {
  for (int64_t i = 0; i < doubles; ++i)
    std::memcpy(out + i * 8, in + placeOf(static_cast<int>(i), Block) * 8, 8);
}

template <int Block> void unpackRest(Bytes in, OutBytes out, int64_t doubles) {
  for (int64_t i = 0; i < doubles; ++i)
    std::memcpy(out + placeOf(static_cast<int>(i), Block) * 8, in + i * 8, 8);
}

/// Blocks of less than a register: eight doubles of sixteen at a time. The
/// last register's second load would leave the buffer.
template <Stores S, int Block>
void packVector(Bytes in, OutBytes out, int64_t count) {
  const int64_t doubles = count * Block;
  const __m512i indices = vectorIndices<Block, 16>();
  int64_t i = 0;
  for (; i + 16 <= doubles; i += 8)
    store<S>(out + i * 8, _mm512_permutex2var_epi64(load(in + i * 16), indices,
                                                    load(in + i * 16 + 64)));
  packRest<Block>(in + i * 16, out + i * 8, doubles - i);
  finish<S>();
}

template <int Block> void unpackVector(Bytes in, OutBytes out, int64_t count) {
  constexpr __mmask8 wanted = Block == 1 ? 0x55 : Block == 2 ? 0x33 : 0x0f;
  const int64_t doubles = count * Block;
  int64_t i = 0;
  for (; i + 8 <= doubles; i += 8) {
    const __m512i values = load(in + i * 8);
    const __m512i upper = _mm512_shuffle_i64x2(values, values, 0xee);
    _mm512_mask_storeu_epi64(out + i * 16, wanted,
                             _mm512_maskz_expand_epi64(wanted, values));
    _mm512_mask_storeu_epi64(out + i * 16 + 64, wanted,
                             _mm512_maskz_expand_epi64(wanted, upper));
  }
  unpackRest<Block>(in + i * 8, out + i * 16, doubles - i);
}

/// Blocks of whole registers.
template <Stores S, int Block, bool IsPack>
void copyVector(Bytes in, OutBytes out, int64_t count) {
  constexpr int64_t bytes = Block * 8;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t at = 0; at < bytes; at += 64)
      store<S>(out + i * bytes * (IsPack ? 1 : 2) + at,
               load(in + i * bytes * (IsPack ? 2 : 1) + at));
  finish<S>();
}

/// 28 of 32 bytes: each store's last 4 bytes are overwritten by the next.
void packParticles(Bytes in, OutBytes out, int64_t count) {
  for (int64_t i = 0; i + 1 < count; ++i)
    _mm256_storeu_si256(
        reinterpret_cast<__m256i *>(out + i * 28),
        _mm256_loadu_si256(reinterpret_cast<const __m256i *>(in + i * 32)));
  std::memcpy(out + (count - 1) * 28, in + (count - 1) * 32, 28);
}

void unpackParticles(Bytes in, OutBytes out, int64_t count) {
  for (int64_t i = 0; i + 1 < count; ++i)
    _mm256_mask_storeu_epi32(
        out + i * 32, 0x7f,
        _mm256_loadu_si256(reinterpret_cast<const __m256i *>(in + i * 28)));
  std::memcpy(out + (count - 1) * 32, in + (count - 1) * 28, 28);
}

/// Where the 30 bytes of two records lie within their 48.
constexpr std::array<unsigned char, 64> recordBytes() {
  constexpr unsigned char one[15] = {0,  8,  9,  10, 11, 12, 13, 14,
                                     15, 16, 17, 20, 21, 22, 23};
  std::array<unsigned char, 64> places = {};
  for (unsigned i = 0; i < 30; ++i)
    places[i] = static_cast<unsigned char>(one[i % 15] + (i / 15) * 24);
  return places;
}

/// The inverse: which packed byte goes where.
constexpr std::array<unsigned char, 64> recordSources() {
  std::array<unsigned char, 64> sources = {};
  for (unsigned i = 0; i < 30; ++i)
    sources[recordBytes()[i]] = static_cast<unsigned char>(i);
  return sources;
}

constexpr __mmask64 recordMask() {
  __mmask64 mask = 0;
  for (unsigned i = 0; i < 30; ++i)
    mask |= __mmask64(1) << recordBytes()[i];
  return mask;
}

/// Two records to a register; the last ones masked, to stay in the buffer.
void packRecords(Bytes in, OutBytes out, int64_t count) {
  static constexpr auto places = recordBytes();
  const __m512i indices = load(places.data());
  constexpr __mmask64 first48 = (__mmask64(1) << 48) - 1;
  constexpr __mmask64 first30 = (__mmask64(1) << 30) - 1;
  int64_t i = 0;
  for (; i + 4 <= count; i += 2) {
    const __m512i values = load(in + i * 24);
    _mm256_storeu_si256(
        reinterpret_cast<__m256i *>(out + i * 15),
        _mm512_castsi512_si256(_mm512_permutexvar_epi8(indices, values)));
  }
  for (; i < count; i += 2) {
    const bool isOne = i + 1 == count;
    const __m512i values =
        _mm512_maskz_loadu_epi8(isOne ? first48 >> 24 : first48, in + i * 24);
    _mm512_mask_storeu_epi8(out + i * 15, isOne ? first30 >> 15 : first30,
                            _mm512_permutexvar_epi8(indices, values));
  }
}

void unpackRecords(Bytes in, OutBytes out, int64_t count) {
  static constexpr auto sources = recordSources();
  const __m512i indices = load(sources.data());
  constexpr __mmask64 wanted = recordMask();
  constexpr __mmask64 first30 = (__mmask64(1) << 30) - 1;
  int64_t i = 0;
  for (; i + 6 <= count; i += 2)
    _mm512_mask_storeu_epi8(
        out + i * 24, wanted,
        _mm512_permutexvar_epi8(indices, load(in + i * 15)));
  for (; i < count; i += 2) {
    const bool isOne = i + 1 == count;
    const __m512i values =
        _mm512_maskz_loadu_epi8(isOne ? first30 >> 15 : first30, in + i * 15);
    _mm512_mask_storeu_epi8(
        out + i * 24, isOne ? wanted & ((__mmask64(1) << 24) - 1) : wanted,
        _mm512_permutexvar_epi8(indices, values));
  }
}

/// 64 bytes of 256: two permutations of two registers, joined.
template <Stores S> void packEveryFourth(Bytes in, OutBytes out, int64_t) {
  static constexpr auto places = [] {
    std::array<unsigned char, 64> at = {};
    for (unsigned i = 0; i < 64; ++i)
      at[i] = static_cast<unsigned char>(4 * i % 128);
    return at;
  }();
  const __m512i indices = load(places.data());
  int i = 0;
  for (; i + 64 < sparseBytes; i += 64) {
    const std::byte *from = in + 4 * i;
    const __m512i low =
        _mm512_permutex2var_epi8(load(from), indices, load(from + 64));
    const __m512i high =
        _mm512_permutex2var_epi8(load(from + 128), indices, load(from + 192));
    store<S>(out + i, _mm512_shuffle_i64x2(low, high, 0x44));
  }
  for (; i < sparseBytes; ++i)
    out[i] = in[4 * i];
  finish<S>();
}

void unpackEveryFourth(Bytes in, OutBytes out, int64_t) {
  constexpr __mmask64 wanted = 0x1111111111111111;
  int i = 0;
  for (; i + 16 < sparseBytes; i += 16)
    _mm512_mask_storeu_epi8(out + 4 * i, wanted,
                            _mm512_cvtepu8_epi32(_mm_loadu_si128(
                                reinterpret_cast<const __m128i *>(in + i))));
  for (; i < sparseBytes; ++i)
    out[4 * i] = in[i];
}

/// Twelve floats of sixteen.
void packTriples(Bytes in, OutBytes out, int64_t) {
  int64_t i = 0;
  for (; i + 8 <= floatTriples; i += 4)
    _mm512_storeu_si512(out + i * 12,
                        _mm512_maskz_compress_epi32(0x7777, load(in + i * 16)));
  for (; i < floatTriples; ++i)
    std::memcpy(out + i * 12, in + i * 16, 12);
}

void unpackTriples(Bytes in, OutBytes out, int64_t) {
  int64_t i = 0;
  for (; i + 8 <= floatTriples; i += 4)
    _mm512_mask_storeu_epi32(
        out + i * 16, 0x7777,
        _mm512_maskz_expand_epi32(0x7777, load(in + i * 12)));
  for (; i < floatTriples; ++i)
    std::memcpy(out + i * 16, in + i * 12, 12);
}

template <int N, int64_t Extent>
void packListed(Bytes in, OutBytes out, int64_t count) {
  static constexpr auto places = ascendingPlaces<N>();
  static_assert(N % 8 == 0);
  for (int64_t instance = 0; instance < count; ++instance, out += N * 8)
    for (int i = 0; i < N; i += 8)
      _mm512_storeu_si512(
          out + i * 8,
          _mm512_i32gather_epi64(
              _mm256_loadu_si256(reinterpret_cast<const __m256i *>(&places[i])),
              in + instance * Extent, 8));
}

template <int N, int64_t Extent>
void unpackListed(Bytes in, OutBytes out, int64_t count) {
  static constexpr auto places = ascendingPlaces<N>();
  for (int64_t instance = 0; instance < count; ++instance, in += N * 8)
    for (int i = 0; i < N; i += 8)
      _mm512_i32scatter_epi64(
          out + instance * Extent,
          _mm256_loadu_si256(reinterpret_cast<const __m256i *>(&places[i])),
          load(in + i * 8), 8);
}

__m128i load128(const std::byte *from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
}

/// Four rows of one column make a line of the packed side.
template <Stores S, int Rows, int Columns, int Pitch>
void packColumns(Bytes in, OutBytes out, int64_t) {
  for (int64_t row = 0; row < Rows; row += 4)
    for (int64_t column = 0; column < Columns; ++column) {
      const std::byte *from = in + (row * Pitch + column) * 16;
      __m512i line = _mm512_castsi128_si512(load128(from));
      line = _mm512_inserti32x4(line, load128(from + Pitch * 16), 1);
      line = _mm512_inserti32x4(line, load128(from + Pitch * 32), 2);
      line = _mm512_inserti32x4(line, load128(from + Pitch * 48), 3);
      store<S>(out + (column * Rows + row) * 16, line);
    }
  finish<S>();
}

/// Four columns of one row make a line of the matrix.
template <Stores S, int Rows, int Columns, int Pitch>
void unpackColumns(Bytes in, OutBytes out, int64_t) {
  for (int64_t column = 0; column < Columns; column += 4)
    for (int64_t row = 0; row < Rows; ++row) {
      const std::byte *from = in + (column * Rows + row) * 16;
      __m512i line = _mm512_castsi128_si512(load128(from));
      line = _mm512_inserti32x4(line, load128(from + Rows * 16), 1);
      line = _mm512_inserti32x4(line, load128(from + Rows * 32), 2);
      line = _mm512_inserti32x4(line, load128(from + Rows * 48), 3);
      store<S>(out + (row * Pitch + column) * 16, line);
    }
  finish<S>();
}

template <Stores S, int Side> constexpr Hand square(const char *name) {
  return {name, packColumns<S, Side, Side, Side>,
          unpackColumns<S, Side, Side, Side>};
}

const Hand loops[] = {
    {"vector:1", packVector<Cached, 1>, unpackVector<1>},
    {"vector:2", packVector<Cached, 2>, unpackVector<2>},
    {"vector:4", packVector<Cached, 4>, unpackVector<4>},
    {"vector:8", copyVector<Cached, 8, true>, copyVector<Cached, 8, false>},
    {"vector:16", copyVector<Cached, 16, true>, copyVector<Cached, 16, false>},
    {"struct-di", packParticles, unpackParticles},
    {"struct-cdsi", packRecords, unpackRecords},
    {"bytes", packEveryFourth<Cached>, unpackEveryFourth},
    {"floats", packTriples, unpackTriples},
    {"indexed-short", packListed<shortList, shortListExtent>,
     unpackListed<shortList, shortListExtent>},
    {"indexed-long", packListed<longList, 0>, unpackListed<longList, 0>},
    square<Cached, matrixSide>("transpose"),
};

const Hand streaming[] = {
    {"vector:1", packVector<Streaming, 1>, nullptr},
    {"vector:2", packVector<Streaming, 2>, nullptr},
    {"vector:4", packVector<Streaming, 4>, nullptr},
    {"vector:8", copyVector<Streaming, 8, true>,
     copyVector<Streaming, 8, false>},
    {"vector:16", copyVector<Streaming, 16, true>,
     copyVector<Streaming, 16, false>},
    square<Streaming, matrixSide>("transpose"),
};

} // namespace

std::span<const Hand> bench::avx512Loops() { return loops; }
std::span<const Hand> bench::streamingLoops() { return streaming; }

#else

std::span<const Hand> bench::avx512Loops() { return {}; }
std::span<const Hand> bench::streamingLoops() { return {}; }

#endif
