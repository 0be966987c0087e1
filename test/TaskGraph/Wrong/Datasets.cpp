//===- Datasets.cpp - Datasets that cannot be -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents, widths and values of arrays.
//
// RUN: wrong-graphs too_few_extents | \
// RUN:   FileCheck %s --check-prefix=TOO_FEW_EXTENTS --implicit-check-not=error:
// RUN: wrong-graphs too_many_extents | \
// RUN:   FileCheck %s --check-prefix=TOO_MANY_EXTENTS --implicit-check-not=error:
// RUN: wrong-graphs no_dimensions | \
// RUN:   FileCheck %s --check-prefix=NO_DIMENSIONS --implicit-check-not=error:
// RUN: wrong-graphs negative_dimensions | \
// RUN:   FileCheck %s --check-prefix=NEGATIVE_DIMENSIONS --implicit-check-not=error:
// RUN: wrong-graphs extent_zero | \
// RUN:   FileCheck %s --check-prefix=EXTENT_ZERO --implicit-check-not=error:
// RUN: wrong-graphs extent_negative | \
// RUN:   FileCheck %s --check-prefix=EXTENT_NEGATIVE --implicit-check-not=error:
// RUN: wrong-graphs too_large | \
// RUN:   FileCheck %s --check-prefix=TOO_LARGE --implicit-check-not=error:
// RUN: wrong-graphs width_odd | \
// RUN:   FileCheck %s --check-prefix=WIDTH_ODD --implicit-check-not=error:
// RUN: wrong-graphs width_negative | \
// RUN:   FileCheck %s --check-prefix=WIDTH_NEGATIVE --implicit-check-not=error:
// RUN: wrong-graphs width_boolean | \
// RUN:   FileCheck %s --check-prefix=WIDTH_BOOLEAN --implicit-check-not=error:
// RUN: wrong-graphs value_too_large | \
// RUN:   FileCheck %s --check-prefix=VALUE_TOO_LARGE --implicit-check-not=error:
// RUN: wrong-graphs value_too_small | \
// RUN:   FileCheck %s --check-prefix=VALUE_TOO_SMALL --implicit-check-not=error:
// RUN: wrong-graphs value_unsigned | \
// RUN:   FileCheck %s --check-prefix=VALUE_UNSIGNED --implicit-check-not=error:
// RUN: wrong-graphs too_few_values | \
// RUN:   FileCheck %s --check-prefix=TOO_FEW_VALUES --implicit-check-not=error:
// RUN: wrong-graphs too_many_values | \
// RUN:   FileCheck %s --check-prefix=TOO_MANY_VALUES --implicit-check-not=error:
// RUN: wrong-graphs no_values | \
// RUN:   FileCheck %s --check-prefix=NO_VALUES --implicit-check-not=error:
// RUN: wrong-graphs dataset_without_name | \
// RUN:   FileCheck %s --check-prefix=DATASET_WITHOUT_NAME --implicit-check-not=error:
// RUN: wrong-graphs dataset_with_newline | \
// RUN:   FileCheck %s --check-prefix=DATASET_WITH_NEWLINE --implicit-check-not=error:
//
//===----------------------------------------------------------------------===//

#include "Wrong.h"

WRONG(too_few_extents) {
  // TOO_FEW_EXTENTS: Datasets.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a dataset of 2 dimensions needs 2 extents, but 1 is given
  graph.createDoubleDat(2, {3});
}

WRONG(too_many_extents) {
  // TOO_MANY_EXTENTS: Datasets.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a dataset of 1 dimension needs 1 extent, but 2 are given
  graph.createFloatDat(1, {3, 4});
}

WRONG(no_dimensions) {
  // NO_DIMENSIONS: Datasets.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a dataset has at least one dimension, not 0
  graph.createIntDat(32, 0, {});
}

WRONG(negative_dimensions) {
  // NEGATIVE_DIMENSIONS: Datasets.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a dataset has at least one dimension, not -1
  graph.createIntDat(32, -1, {4});
}

WRONG(extent_zero) {
  // EXTENT_ZERO: Datasets.cpp:[[@LINE+1]]:{{[0-9]+}}: error: dimension 1 has the extent 0, expected at least 1
  graph.createDat(3, 0);
}

WRONG(extent_negative) {
  // EXTENT_NEGATIVE: Datasets.cpp:[[@LINE+1]]:{{[0-9]+}}: error: dimension 0 has the extent -3, expected at least 1
  graph.createUIntDat(8, 2, {-3, 5});
}

WRONG(too_large) {
  // TOO_LARGE: Datasets.cpp:[[@LINE+2]]:{{[0-9]+}}: error: a dataset of 2147483647 x 2147483647 x 8 elements of 8 bytes is larger than 64 bits can address
  const int most = 2147483647;
  graph.createDoubleDat(3, {most, most, 8});
}

WRONG(width_odd) {
  // WIDTH_ODD: Datasets.cpp:[[@LINE+1]]:{{[0-9]+}}: error: integers have 8, 16, 32 or 64 bits, not 12
  graph.createIntDat(12, 1, {4});
}

WRONG(width_negative) {
  // WIDTH_NEGATIVE: Datasets.cpp:[[@LINE+1]]:{{[0-9]+}}: error: integers have 8, 16, 32 or 64 bits, not -8
  graph.createUIntDat(-8, 1, {4});
}

WRONG(width_boolean) {
  // WIDTH_BOOLEAN: Datasets.cpp:[[@LINE+1]]:{{[0-9]+}}: error: integers have 8, 16, 32 or 64 bits, not 1
  graph.createIntDat(1, 1, {4});
}

WRONG(value_too_large) {
  // VALUE_TOO_LARGE: Datasets.cpp:[[@LINE+1]]:{{[0-9]+}}: error: value 2 is 128, but si8 holds -128 to 127
  graph.createIntDat(8, 1, {3}, {-128, 127, 128});
}

WRONG(value_too_small) {
  // VALUE_TOO_SMALL: Datasets.cpp:[[@LINE+1]]:{{[0-9]+}}: error: value 0 is -32769, but si16 holds -32768 to 32767
  graph.createIntDat(16, 1, {2}, {-32769, 0});
}

WRONG(value_unsigned) {
  // VALUE_UNSIGNED: Datasets.cpp:[[@LINE+1]]:{{[0-9]+}}: error: value 1 is 4294967296, but ui32 holds 0 to 4294967295
  graph.createUIntDat(32, 1, {2}, {4294967295, 4294967296});
}

WRONG(too_few_values) {
  // TOO_FEW_VALUES: Datasets.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a dataset of 3 x 2 has 6 elements, but 5 values are given
  graph.createDat(3, 2, {1, 2, 3, 4, 5});
}

WRONG(too_many_values) {
  // TOO_MANY_VALUES: Datasets.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a dataset of 2 has 2 elements, but 3 values are given
  graph.createFloatDat(1, {2}, {1, 2, 3});
}

WRONG(no_values) {
  // NO_VALUES: Datasets.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a dataset of 1 has 1 element, but 0 values are given
  graph.createDoubleDat(1, {1}, std::vector<double>{});
}

WRONG(dataset_without_name) {
  // DATASET_WITHOUT_NAME: Datasets.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the name of this dataset is empty
  graph.createDat(1, 1).setName("");
}

WRONG(dataset_with_newline) {
  // DATASET_WITH_NEWLINE: Datasets.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the name of this dataset has control characters
  graph.createDat(1, 1).setName("a\nb");
}
