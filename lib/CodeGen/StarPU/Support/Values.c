//===- Values.c - Integers in fields --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partitions by data read fields of any integer type.
//
//===----------------------------------------------------------------------===//

/* Integer `i` of a field. */
static int64_t sluiceValueOf(const SluiceRoot *root, int field, int64_t i) {
  const char *memory = root->memory[field];
  switch (root->fields[field].valueSize) {
  case 1:
    return ((const int8_t *)memory)[i];
  case 2:
    return ((const int16_t *)memory)[i];
  case 4:
    return ((const int32_t *)memory)[i];
  default:
    return ((const int64_t *)memory)[i];
  }
}

static int64_t sluiceValuesPerElement(const SluiceRoot *root, int field) {
  return (int64_t)root->fields[field].size / root->fields[field].valueSize;
}
