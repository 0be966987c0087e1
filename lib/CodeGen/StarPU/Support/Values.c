//===- Values.c - The values in elements ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of fields, and operators on their values.
//
//===----------------------------------------------------------------------===//

/* Bytes of one value. */
static size_t sluiceTypeSize(SluiceElementType type) {
  static const size_t sizes[] = {1, 2, 4, 8, 4, 8};
  return sizes[type];
}

static size_t sluiceValueSize(const SluiceField *field) {
  return sluiceTypeSize(field->type);
}

static size_t sluiceElementSize(const SluiceField *field) {
  return sluiceValueSize(field) * field->count;
}

/* An operator on values of a type. */
typedef struct SluiceOperator {
  SluiceReduction reduction;
  SluiceElementType type;
} SluiceOperator;

static void sluiceReset(const SluiceOperator *operation, void *values,
                        int64_t count) {
  sluiceResetValues(&operation->reduction, operation->type, values, count);
}

/* Makes `values` the identity. */
static void sluiceFold(const SluiceOperator *operation, void *into,
                       void *values, int64_t count) {
  sluiceFoldValues(&operation->reduction, operation->type, into, values, count);
}
