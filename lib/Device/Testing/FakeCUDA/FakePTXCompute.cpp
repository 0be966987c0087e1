//===- FakePTXCompute.cpp - Arithmetic of PTX -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers contain bits; each instruction determines how to interpret them.
//
//===----------------------------------------------------------------------===//

#include "FakePTX.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

using namespace fake;

using Word = uint64_t;
using Wide = unsigned __int128;
using SignedWide = __int128;

uint64_t fake::truncated(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

static int64_t asSigned(Word value, unsigned bits) {
  if (bits >= 64)
    return int64_t(value);
  unsigned shift = 64 - bits;
  return int64_t(value << shift) >> shift;
}

template <typename Float> static Float asFloat(Word value) {
  Float result;
  memcpy(&result, &value, sizeof result);
  return result;
}

template <typename Float> static Word bitsOf(Float value) {
  Word result = 0;
  memcpy(&result, &value, sizeof value);
  return result;
}

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

template <typename Float>
static bool computeFloat(const PTXInstruction &i, const Word *v, Word &result) {
  Float a = asFloat<Float>(v[0]), b = asFloat<Float>(v[1]),
        c = asFloat<Float>(v[2]);
  PTXName op = i.op;
  Float value;
  if (op == "add")
    value = a + b;
  else if (op == "sub")
    value = a - b;
  else if (op == "mul")
    value = a * b;
  else if (op == "fma" || op == "mad")
    value = std::fma(a, b, c);
  else if (op == "div")
    value = a / b;
  else if (op == "neg")
    value = asFloat<Float>(v[0] ^ (Word(1) << (sizeof(Float) * 8 - 1)));
  else if (op == "abs")
    value = std::fabs(a);
  else if (op == "min")
    value = std::fmin(a, b);
  else if (op == "max")
    value = std::fmax(a, b);
  else if (op == "sqrt")
    value = std::sqrt(a);
  else if (op == "rsqrt")
    value = 1 / std::sqrt(a);
  else if (op == "rcp")
    value = 1 / a;
  else if (op == "sin")
    value = std::sin(a);
  else if (op == "cos")
    value = std::cos(a);
  else if (op == "ex2")
    value = std::exp2(a);
  else if (op == "lg2")
    value = std::log2(a);
  else if (op == "tanh")
    value = std::tanh(a);
  else if (op == "copysign")
    value = std::copysign(b, a);
  else
    return false;
  result = bitsOf(value);
  return true;
}

template <typename Float>
static bool compareFloat(PTXName how, Float a, Float b) {
  bool isUnordered = std::isnan(a) || std::isnan(b);
  if (how == "num")
    return !isUnordered;
  if (how == "nan")
    return isUnordered;
  // The third letter: "ltu".
  bool takesUnordered = how.letters >> 16 == 'u';
  if (isUnordered)
    return takesUnordered;
  PTXName plain;
  plain.letters = how.letters & 0xffff;
  return plain == "eq"   ? a == b
         : plain == "ne" ? a != b
         : plain == "lt" ? a < b
         : plain == "le" ? a <= b
         : plain == "gt" ? a > b
                         : a >= b;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static bool compareInteger(PTXName how, Word a, Word b, PTXType type) {
  a = truncated(a, type.bits);
  b = truncated(b, type.bits);
  int64_t sa = asSigned(a, type.bits), sb = asSigned(b, type.bits);
  bool isSigned = type.kind == 's';
  bool less = isSigned ? sa < sb : a < b;
  if (how == "eq" || how == "ne")
    return (a == b) == (how == "eq");
  if (how == "lt" || how == "lo")
    return less;
  if (how == "le" || how == "ls")
    return less || a == b;
  if (how == "gt" || how == "hi")
    return !less && a != b;
  return !less; // ge, hs
}

static Word multiply(const PTXInstruction &i, Word a, Word b, PTXType type) {
  bool isSigned = type.kind == 's';
  SignedWide product =
      isSigned
          ? SignedWide(asSigned(a, type.bits)) * asSigned(b, type.bits)
          : SignedWide(Wide(truncated(a, type.bits)) * truncated(b, type.bits));
  if (i.has("hi"))
    return Word(Wide(product) >> type.bits);
  return Word(product);
}

static bool divide(PTXName op, Word a, Word b, PTXType type, Word &result) {
  a = truncated(a, type.bits);
  b = truncated(b, type.bits);
  // The result of a division by zero on a device is unspecified.
  if (b == 0)
    result = ~Word(0);
  else if (type.kind == 's') {
    SignedWide sa = asSigned(a, type.bits), sb = asSigned(b, type.bits);
    result = Word(op == "div" ? sa / sb : sa % sb);
  } else
    result = op == "div" ? a / b : a % b;
  return true;
}

/// Shifts by at least the width result in 0, or the sign.
static Word shift(PTXName op, Word a, Word amount, PTXType type) {
  amount = truncated(amount, 32);
  if (op == "shl")
    return amount >= type.bits ? 0 : a << amount;
  if (type.kind == 's')
    return Word(asSigned(a, type.bits) >>
                std::min<Word>(amount, type.bits - 1));
  return amount >= type.bits ? 0 : truncated(a, type.bits) >> amount;
}

static bool computeBits(const PTXInstruction &i, const Word *v, Word &result) {
  PTXName op = i.op;
  PTXType type = i.type();
  if (op == "and")
    result = v[0] & v[1];
  else if (op == "or")
    result = v[0] | v[1];
  else if (op == "xor")
    result = v[0] ^ v[1];
  else if (op == "not")
    result = type.kind == 'p' ? !v[0] : ~v[0];
  else if (op == "shl" || op == "shr")
    result = shift(op, v[0], v[1], type);
  else if (op == "popc")
    result = Word(std::popcount(truncated(v[0], type.bits)));
  else if (op == "clz")
    result =
        Word(std::countl_zero(truncated(v[0], type.bits))) - (64 - type.bits);
  else if (op == "brev") {
    result = 0;
    for (unsigned bit = 0; bit < type.bits; ++bit)
      result |= (v[0] >> bit & 1) << (type.bits - 1 - bit);
  } else if (op == "bfe") {
    unsigned start = v[1] & 255, length = v[2] & 255;
    Word field = start >= type.bits ? 0 : truncated(v[0], type.bits) >> start;
    field = truncated(field, length);
    result = type.kind == 's' && length ? Word(asSigned(field, length)) : field;
  } else if (op == "bfi") {
    unsigned start = v[2] & 255, length = v[3] & 255;
    Word mask = start >= 64 ? 0 : truncated(~Word(0), length) << start;
    result = (v[1] & ~mask) | (start >= 64 ? 0 : (v[0] << start & mask));
  } else if (op == "prmt") {
    Word bytes = truncated(v[0], 32) | v[1] << 32;
    result = 0;
    for (unsigned n = 0; n < 4; ++n) {
      unsigned selector = unsigned(v[2] >> (4 * n));
      Word byte = bytes >> (8 * (selector & 7)) & 255;
      if (selector & 8)
        byte = byte & 128 ? 255 : 0;
      result |= byte << (8 * n);
    }
  } else if (op == "shf") {
    Word pair = truncated(v[0], 32) | v[1] << 32;
    unsigned amount = unsigned(v[2]) & 63;
    amount = i.has("wrap") ? amount & 31 : std::min(amount, 32u);
    result = i.has("l") ? (amount == 32 ? pair : pair << amount >> 32)
                        : pair >> amount;
  } else
    return false;
  return true;
}

static bool computeInteger(const PTXInstruction &i, const Word *v,
                           Word &result) {
  PTXName op = i.op;
  PTXType type = i.type();
  if (op == "add")
    result = v[0] + v[1];
  else if (op == "sub")
    result = v[0] - v[1];
  else if (op == "mul")
    result = multiply(i, v[0], v[1], type);
  else if (op == "mad")
    result = multiply(i, v[0], v[1], type) + v[2];
  else if (op == "div" || op == "rem")
    return divide(op, v[0], v[1], type, result);
  else if (op == "neg")
    result = -v[0];
  else if (op == "abs")
    result = asSigned(v[0], type.bits) < 0 ? -v[0] : v[0];
  else if (op == "min" || op == "max")
    result = compareInteger(op == "min" ? PTXName("lt") : PTXName("gt"), v[0],
                            v[1], type)
                 ? v[0]
                 : v[1];
  else
    return computeBits(i, v, result);
  return true;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static double readNumber(Word value, PTXType type) {
  if (type.kind == 'f')
    return type.bits == 64 ? asFloat<double>(value) : asFloat<float>(value);
  return 0;
}

static double roundToInteger(const PTXInstruction &i, double value) {
  return i.has("rzi")   ? std::trunc(value)
         : i.has("rmi") ? std::floor(value)
         : i.has("rpi") ? std::ceil(value)
                        : std::nearbyint(value);
}

static Word floatToInteger(double value, PTXType to) {
  if (std::isnan(value))
    return 0;
  bool isSigned = to.kind == 's';
  double low = isSigned ? -std::ldexp(1.0, int(to.bits) - 1) : 0;
  double high = std::ldexp(1.0, int(to.bits) - (isSigned ? 1 : 0));
  if (value < low)
    value = low;
  if (value >= high)
    return truncated(~Word(0), to.bits - (isSigned ? 1 : 0));
  return isSigned ? Word(int64_t(value)) : Word(value);
}

static bool convert(const PTXInstruction &i, Word value, Word &result) {
  if (i.types.size() != 2)
    return false;
  PTXType to = i.types[0], from = i.types[1];
  if ((to.kind == 'f' && to.bits < 32) || (from.kind == 'f' && from.bits < 32))
    return false;
  if (from.kind == 'f') {
    double number = readNumber(value, from);
    bool isRounded =
        i.has("rzi") || i.has("rni") || i.has("rmi") || i.has("rpi");
    if (to.kind != 'f' || isRounded)
      number = roundToInteger(i, number);
    if (to.kind != 'f')
      result = floatToInteger(number, to);
    else
      result = to.bits == 64 ? bitsOf(number) : bitsOf(float(number));
    return true;
  }
  bool isSigned = from.kind == 's';
  Word wide =
      isSigned ? Word(asSigned(value, from.bits)) : truncated(value, from.bits);
  if (to.kind != 'f')
    result = wide;
  else if (to.bits == 64)
    result = isSigned ? bitsOf(double(int64_t(wide))) : bitsOf(double(wide));
  else
    result = isSigned ? bitsOf(float(int64_t(wide))) : bitsOf(float(wide));
  return true;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static bool compare(const PTXInstruction &i, const Word *v) {
  PTXType type = i.type();
  PTXName how = i.modifiers[0];
  if (type.kind == 'f' && type.bits == 64)
    return compareFloat(how, asFloat<double>(v[0]), asFloat<double>(v[1]));
  if (type.kind == 'f')
    return compareFloat(how, asFloat<float>(v[0]), asFloat<float>(v[1]));
  return compareInteger(how, v[0], v[1], type);
}

static bool compareAndCombine(const PTXInstruction &i, const Word *v,
                              Word &result) {
  bool value = compare(i, v);
  bool other = v[2] & 1;
  if (i.has("and"))
    value = value && other;
  else if (i.has("or"))
    value = value || other;
  else if (i.has("xor"))
    value = value != other;
  result = value;
  return true;
}

static bool testFloat(const PTXInstruction &i, Word value, Word &result) {
  double number = readNumber(value, i.type());
  result = i.has("infinite")     ? std::isinf(number)
           : i.has("finite")     ? std::isfinite(number)
           : i.has("notanumber") ? std::isnan(number)
                                 : !std::isnan(number);
  return i.has("infinite") || i.has("finite") || i.has("notanumber") ||
         i.has("number");
}

/// `values` are the sources, followed by the same number of zeros.
bool fake::computePTX(const PTXInstruction &i, const uint64_t *values,
                      size_t numValues, uint64_t &result) {
  PTXType type = i.type();
  // The stand-in refuses carries, saturation, and rules for NaNs.
  if (i.has("cc") || i.has("sat") || i.has("NaN"))
    return false;
  if (i.op == "setp" && !i.modifiers.empty())
    return compareAndCombine(i, values, result);
  if (i.op == "testp")
    return testFloat(i, values[0], result);
  if (i.op == "selp") {
    result = values[2] & 1 ? values[0] : values[1];
    return true;
  }
  if (i.op == "cvt")
    return convert(i, values[0], result);
  if (type.kind == 'f' && type.bits == 64)
    return computeFloat<double>(i, values, result);
  if (type.kind == 'f' && type.bits == 32)
    return computeFloat<float>(i, values, result);
  if (type.kind == 'f')
    return false;
  return computeInteger(i, values, result);
}
