//===- layout-of.cpp - What layoutOf refuses, with a way out --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One message per mistake, and no other error beside it. The header is compiled
// once for all of them.
//
//===----------------------------------------------------------------------===//

// DEFINE: %{with-headers} = %clang++ -std=c++20 -fsyntax-only -I %include -include-pch %t.pch
// RUN: %clang++ -std=c++20 -fsyntax-only -I %include %s -DTYPE=Right
// RUN: %clang++ -std=c++20 -I %include -x c++-header %include/sluice/Pack/Reflect.h -o %t.pch
// RUN: c++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I %include %s -DTYPE=Right
// RUN: not %{with-headers} %s -DTYPE=Pointer 2>&1 | FileCheck %s --check-prefixes=CHECK,POINTER
// RUN: not c++ -std=c++20 -fsyntax-only -I %include %s -DTYPE=Pointer 2>&1 | FileCheck %s --check-prefixes=CHECK,POINTER
// RUN: not %{with-headers} %s -DTYPE=Reference 2>&1 | FileCheck %s --check-prefixes=CHECK,FIELD
// RUN: not %{with-headers} %s -DTYPE=HasClass 2>&1 | FileCheck %s --check-prefixes=CHECK,FIELD
// RUN: not %{with-headers} %s -DTYPE=BitField 2>&1 | FileCheck %s --check-prefixes=CHECK,BITS
// RUN: not c++ -std=c++20 -fsyntax-only -I %include %s -DTYPE=BitField 2>&1 | FileCheck %s --check-prefixes=CHECK,BITS
// RUN: not %{with-headers} %s -DTYPE=Union 2>&1 | FileCheck %s --check-prefixes=CHECK,UNION
// RUN: not %{with-headers} %s -DTYPE=Derived 2>&1 | FileCheck %s --check-prefixes=CHECK,BASE
// RUN: not %{with-headers} %s -DTYPE=Class 2>&1 | FileCheck %s --check-prefixes=CHECK,CLASS
// RUN: not %{with-headers} %s -DTYPE=HasText 2>&1 | FileCheck %s --check-prefixes=CHECK,CLASS
// RUN: not %{with-headers} %s -DTYPE=Long 2>&1 | FileCheck %s --check-prefixes=CHECK,LONG
// RUN: not %{with-headers} %s -DTYPE=__int128 2>&1 | FileCheck %s --check-prefixes=CHECK,BASIC
// RUN: not %{with-headers} %s "-DTYPE=int&" 2>&1 | FileCheck %s --check-prefixes=CHECK,REFERENCE
// RUN: not %{with-headers} %s "-DTYPE=int[]" 2>&1 | FileCheck %s --check-prefixes=CHECK,ARRAY
// RUN: not %{with-headers} %s -DTYPE=void 2>&1 | FileCheck %s --check-prefixes=CHECK,VOID
// RUN: not %{with-headers} %s -DTYPE=Packed 2>&1 | FileCheck %s --check-prefixes=CHECK,PACKED

// RUN: not c++ -std=c++20 -fsyntax-only -I %include %s -DTYPE=Packed 2>&1 | FileCheck %s --check-prefixes=CHECK,PACKED
// RUN: not c++ -std=c++20 -fsyntax-only -I %include %s -DTYPE=PackedArray 2>&1 | FileCheck %s --check-prefixes=CHECK,PACKED
// RUN: not c++ -std=c++20 -fsyntax-only -I %include %s -DTYPE=BitFieldAndArray 2>&1 | FileCheck %s --check-prefixes=CHECK,BITS

// POINTER: layoutOf: a pointer means nothing in another process; list the other members with SLUICE_LAYOUT(Type, member, ...)
// FIELD: layoutOf: a field is a reference or has no default constructor; list the members to be packed with SLUICE_LAYOUT(Type, member, ...)
// BITS: layoutOf: a field is a bit-field, which has no address; pack it as a whole integer, or list the other members with SLUICE_LAYOUT(Type, member, ...)
// UNION: layoutOf: which member of a union is in use is not known; specialise sluice::LayoutTrait for it
// BASE: layoutOf: the aggregate has a base class; list the members to be packed with SLUICE_LAYOUT(Type, member, ...)
// CLASS: layoutOf: the class is no aggregate; list the members to be packed with SLUICE_LAYOUT(Type, member, ...) or specialise sluice::LayoutTrait for it
// LONG: layoutOf: the aggregate has more than 64 fields; list its members with SLUICE_LAYOUT(Type, member, ...), or group them in structs
// BASIC: layoutOf: this type is not one of MPI's basic types; specialise sluice::LayoutTrait for it
// REFERENCE: layoutOf: a reference has no layout; name the type it refers to
// ARRAY: layoutOf: the array has no size
// PACKED: layoutOf: a field of a packed struct may not be aligned, and has no reference; specialise sluice::LayoutTrait with offsetof
// VOID: layoutOf: this type has no objects
// CHECK-NOT: error:

#include "sluice/Pack/Reflect.h"

#include <string>

struct Right {
  int values[100];
  struct {
    bool isSet;
  } inner;
};
struct Pointer {
  int count;
  double *values;
};
struct Reference {
  int count;
  double &value;
  int more;
};
class Class {
public:
  explicit Class(int value) : value(value) {}

private:
  [[maybe_unused]] int value;
};
struct HasClass {
  int count;
  Class value;
};
struct HasText {
  int count;
  std::string text;
};
struct BitField {
  int count;
  unsigned flag : 1;
  int more;
};
union Union {
  int number;
  float real;
};
struct Base {
  int count;
};
struct Derived : Base {
  int more;
};
struct __attribute__((packed)) Packed {
  char kind;
  double value;
};
struct __attribute__((packed)) PackedArray {
  char kind;
  double values[3];
};
struct BitFieldAndArray {
  unsigned flag : 1;
  char text[3];
};
struct Long {
  char a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7,
      b8, b9, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, d0, d1, d2, d3, d4, d5,
      d6, d7, d8, d9, e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, f0, f1, f2, f3,
      f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4;
};

auto layout() { return sluice::layoutOf<TYPE>(); }
