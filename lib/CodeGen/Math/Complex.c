//===- Complex.c - Complex products ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product (a + ib) (c + id) by its definition, ac - bd and ad + bc, is
// wrong only if both parts are not numbers although a factor or a part of the
// product is infinite (C11, G.5.1).
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

#define isNan(x) __builtin_isnan(x)
#define isInf(x) __builtin_isinf(x)

// `shrink`: infinite parts count as one, and all others as zero. `fill`: parts
// that are not numbers count as zero. Both keep the sign.
#define COMPLEX_PRODUCT(TYPE, COPY_SIGN, SUFFIX)                               \
  INLINE TYPE shrink##SUFFIX(TYPE x) {                                         \
    return COPY_SIGN(isInf(x) ? 1 : 0, x);                                     \
  }                                                                            \
  INLINE TYPE fill##SUFFIX(TYPE x) { return isNan(x) ? COPY_SIGN(0, x) : x; }  \
  /* Part 0 is the real one. */                                                \
  INLINE TYPE infinitePart##SUFFIX(TYPE a, TYPE b, TYPE c, TYPE d, TYPE other, \
                                   TYPE near, int part) {                      \
    if (near == near || other == other)                                        \
      return near;                                                             \
    const int isLeft = isInf(a) || isInf(b), isRight = isInf(c) || isInf(d);   \
    if (!isLeft && !isRight && !isInf(a * c) && !isInf(b * d) &&               \
        !isInf(a * d) && !isInf(b * c))                                        \
      return near;                                                             \
    a = isLeft ? shrink##SUFFIX(a) : fill##SUFFIX(a);                          \
    b = isLeft ? shrink##SUFFIX(b) : fill##SUFFIX(b);                          \
    c = isRight ? shrink##SUFFIX(c) : fill##SUFFIX(c);                         \
    d = isRight ? shrink##SUFFIX(d) : fill##SUFFIX(d);                         \
    return (TYPE)INFINITE * (part ? a * d + b * c : a * c - b * d);            \
  }                                                                            \
  FAR TYPE sluice_far_productReal##SUFFIX(TYPE a, TYPE b, TYPE c, TYPE d,      \
                                          TYPE imag, TYPE near) {              \
    return infinitePart##SUFFIX(a, b, c, d, imag, near, 0);                    \
  }                                                                            \
  FAR TYPE sluice_far_productImag##SUFFIX(TYPE a, TYPE b, TYPE c, TYPE d,      \
                                          TYPE real, TYPE near) {              \
    return infinitePart##SUFFIX(a, b, c, d, real, near, 1);                    \
  }                                                                            \
  /* Given both parts by the definition. */                                    \
  TYPE sluice_lanes_productReal##SUFFIX(TYPE a, TYPE b, TYPE c, TYPE d,        \
                                        TYPE real, TYPE imag) {                \
    return sluice_far_productReal##SUFFIX(a, b, c, d, imag, real);             \
  }                                                                            \
  TYPE sluice_lanes_productImag##SUFFIX(TYPE a, TYPE b, TYPE c, TYPE d,        \
                                        TYPE real, TYPE imag) {                \
    return sluice_far_productImag##SUFFIX(a, b, c, d, real, imag);             \
  }

COMPLEX_PRODUCT(float, __builtin_copysignf, f)
COMPLEX_PRODUCT(double, __builtin_copysign, )
