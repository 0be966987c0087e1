//===- Parts.cpp - Parts that a dataset does not have ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges, ranks and owners of parts, and parts of parts.
//
// RUN: wrong-graphs part_rank | \
// RUN:   FileCheck %s --check-prefix=PART_RANK --implicit-check-not=error:
// RUN: wrong-graphs part_end | \
// RUN:   FileCheck %s --check-prefix=PART_END --implicit-check-not=error:
// RUN: wrong-graphs part_begin | \
// RUN:   FileCheck %s --check-prefix=PART_BEGIN --implicit-check-not=error:
// RUN: wrong-graphs part_empty | \
// RUN:   FileCheck %s --check-prefix=PART_EMPTY --implicit-check-not=error:
// RUN: wrong-graphs part_reversed | \
// RUN:   FileCheck %s --check-prefix=PART_REVERSED --implicit-check-not=error:
// RUN: wrong-graphs part_step_zero | \
// RUN:   FileCheck %s --check-prefix=PART_STEP_ZERO --implicit-check-not=error:
// RUN: wrong-graphs part_step_negative | \
// RUN:   FileCheck %s --check-prefix=PART_STEP_NEGATIVE --implicit-check-not=error:
// RUN: wrong-graphs part_of_part | \
// RUN:   FileCheck %s --check-prefix=PART_OF_PART --implicit-check-not=error:
// RUN: wrong-graphs part_foreign | \
// RUN:   FileCheck %s --check-prefix=PART_FOREIGN --implicit-check-not=error:
// RUN: wrong-graphs part_twice_wrong | \
// RUN:   FileCheck %s --check-prefix=PART_TWICE_WRONG --implicit-check-not=error:
//
//===----------------------------------------------------------------------===//

#include "Wrong.h"

WRONG(part_rank) {
  Dat &dat = graph.createDat(4, 4);
  // PART_RANK: Parts.cpp:[[@LINE+1]]:{{[0-9]+}}: error: a part of a dataset of 2 dimensions needs as many ranges, but 1 is given
  graph.createSubDat(dat, {{0, 2}});
  // PART_RANK: Parts.cpp:[[@LINE-3]]:{{[0-9]+}}: note: the dataset is created here
}

WRONG(part_end) {
  Dat &dat = graph.createDat(4, 6);
  // PART_END: Parts.cpp:[[@LINE+1]]:{{[0-9]+}}: error: range [2:7] of dimension 1 ends at 7, but the dimension has 6 elements
  graph.createSubDat(dat, {{0, 4}, {2, 7}});
}

WRONG(part_begin) {
  Dat &dat = graph.createDat(4, 6);
  // PART_BEGIN: Parts.cpp:[[@LINE+1]]:{{[0-9]+}}: error: range [-1:3] of dimension 0 begins at -1, before the first element
  graph.createSubDat(dat, {{-1, 3}, {}});
}

WRONG(part_empty) {
  Dat &dat = graph.createDat(4, 6);
  // PART_EMPTY: Parts.cpp:[[@LINE+1]]:{{[0-9]+}}: error: range [3:3] of dimension 0 has no elements: it begins at 3 and ends before 3
  graph.createSubDat(dat, {{3, 3}, {}});
}

WRONG(part_reversed) {
  Dat &dat = graph.createDat(4, 6);
  // PART_REVERSED: Parts.cpp:[[@LINE+1]]:{{[0-9]+}}: error: range [3:1] of dimension 0 has no elements: it begins at 3 and ends before 1
  graph.createSubDat(dat, {{3, 1}, {}});
}

WRONG(part_step_zero) {
  Dat &dat = graph.createDat(4, 6);
  // PART_STEP_ZERO: Parts.cpp:[[@LINE+1]]:{{[0-9]+}}: error: range [0:4:0] of dimension 0 has the step 0, expected at least 1
  graph.createSubDat(dat, {{0, 4, 0}, {}});
}

WRONG(part_step_negative) {
  Dat &dat = graph.createDat(4, 6);
  // PART_STEP_NEGATIVE: Parts.cpp:[[@LINE+1]]:{{[0-9]+}}: error: range [3::-1] of dimension 1 has the step -1, expected at least 1
  graph.createSubDat(dat, {{}, {3, Range().end, -1}});
}

WRONG(part_of_part) {
  Dat &dat = graph.createDat(8, 8);
  Dat &odd = graph.createSubDat(dat, {{1, 8, 2}, {}});
  // PART_OF_PART: Parts.cpp:[[@LINE+1]]:{{[0-9]+}}: error: range [0:5] of dimension 0 ends at 5, but the dimension has 4 elements
  graph.createSubDat(odd, {{0, 5}, {}});
}

WRONG(part_foreign) {
  TaskGraph other("other");
  Dat &dat = other.createDat(4, 4);
  // PART_FOREIGN: Parts.cpp:[[@LINE+1]]:{{[0-9]+}}: error: the dataset of this part belongs to graph 'other', not to 'wrong'
  graph.createSubDat(dat, {{}, {}});
}

WRONG(part_twice_wrong) {
  Dat &dat = graph.createDat(4, 6);
  // PART_TWICE_WRONG: Parts.cpp:[[@LINE+2]]:{{[0-9]+}}: error: range [0:5] of dimension 0 ends at 5, but the dimension has 4 elements
  // PART_TWICE_WRONG: Parts.cpp:[[@LINE+1]]:{{[0-9]+}}: error: range [7:] of dimension 1 has no elements: it begins at 7 and ends before 6
  graph.createSubDat(dat, {{0, 5}, {7}});
}
