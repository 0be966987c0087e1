//===- pack.c - A C program that packs with the installed library ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs every second column of a matrix and unpacks it again.
//
//===----------------------------------------------------------------------===//

#include <sluice-c/Pack.h>

#include <string.h>

int main(void) {
  double matrix[4][6], columns[4][3], copy[4][6];
  for (int i = 0; i != 24; ++i)
    matrix[i / 6][i % 6] = copy[i / 6][i % 6] = i;
  LPK_Datatype element, layout;
  LPK_Primitive(LPK_DOUBLE, &element);
  LPK_Vector(12, 1, 2, element, &layout);
  LPK_Commit(&layout);
  LPK_Pack(matrix, 1, layout, columns);
  for (int i = 0; i != 12; ++i)
    if (columns[i / 3][i % 3] != 2 * i)
      return 1;
  for (int i = 0; i != 24; i += 2)
    copy[i / 6][i % 6] = -1;
  LPK_Unpack(columns, copy, 1, layout);
  LPK_Free(&layout);
  LPK_Free(&element);
  return memcmp(matrix, copy, sizeof matrix) != 0;
}
