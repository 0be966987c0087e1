//===- Operators.cpp - Reduction operators on arrays ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One loop per operator and type, which compilers vectorise.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

#include <limits>
#include <type_traits>

using namespace sluice::regions;

namespace {
/// Integers wrap around.
template <typename Value, typename Wide, typename Function>
Value wrapping(Value a, Value b, Function function) {
  if constexpr (std::is_integral_v<Value>)
    return static_cast<Value>(
        function(static_cast<Wide>(a), static_cast<Wide>(b)));
  else
    return function(a, b);
}

struct SumOperator {
  template <typename Value> static constexpr Value identity = 0;
  template <typename Value> static Value apply(Value a, Value b) {
    return wrapping<Value, uint64_t>(a, b,
                                     [](auto x, auto y) { return x + y; });
  }
};
struct Product {
  template <typename Value> static constexpr Value identity = 1;
  template <typename Value> static Value apply(Value a, Value b) {
    return wrapping<Value, uint64_t>(a, b,
                                     [](auto x, auto y) { return x * y; });
  }
};
struct Min {
  template <typename Value>
  static constexpr Value identity = std::numeric_limits<Value>::has_infinity
                                        ? std::numeric_limits<Value>::infinity()
                                        : std::numeric_limits<Value>::max();
  template <typename Value> static Value apply(Value a, Value b) {
    return b < a ? b : a;
  }
};
struct Max {
  template <typename Value>
  static constexpr Value
      identity = std::numeric_limits<Value>::has_infinity
                     ? -std::numeric_limits<Value>::infinity()
                     : std::numeric_limits<Value>::lowest();
  template <typename Value> static Value apply(Value a, Value b) {
    return a < b ? b : a;
  }
};
struct And {
  template <typename Value>
  static constexpr Value identity = static_cast<Value>(-1);
  template <typename Value> static Value apply(Value a, Value b) {
    return a & b;
  }
};
struct Or {
  template <typename Value> static constexpr Value identity = 0;
  template <typename Value> static Value apply(Value a, Value b) {
    return a | b;
  }
};
struct Xor {
  template <typename Value> static constexpr Value identity = 0;
  template <typename Value> static Value apply(Value a, Value b) {
    return a ^ b;
  }
};

using Kernel = void (*)(void *, void *, int64_t);
struct ChoiceOperator {
  Kernel kernel;
  std::vector<char> identity;
};
} // namespace

template <typename Op, typename Value>
static void fold(void *into, void *from, int64_t count) {
  auto *a = static_cast<Value *__restrict>(into);
  auto *b = static_cast<Value *__restrict>(from);
  for (int64_t i = 0; i < count; ++i) {
    a[i] = Op::apply(a[i], b[i]);
    b[i] = Op::template identity<Value>;
  }
}

template <typename Op, typename Value> static ChoiceOperator choiceOf() {
  Value identity = Op::template identity<Value>;
  ChoiceOperator choice = {fold<Op, Value>, std::vector<char>(sizeof(Value))};
  std::memcpy(choice.identity.data(), &identity, sizeof(Value));
  return choice;
}

/// Only integers have bitwise operators; this has been checked.
template <typename Op>
static ChoiceOperator chooseInteger(SluiceElementType type) {
  switch (type) {
  case SLUICE_I8:
    return choiceOf<Op, int8_t>();
  case SLUICE_I16:
    return choiceOf<Op, int16_t>();
  case SLUICE_I32:
    return choiceOf<Op, int32_t>();
  default:
    return choiceOf<Op, int64_t>();
  }
}

template <typename Op>
static ChoiceOperator chooseNumber(SluiceElementType type) {
  if (type == SLUICE_F32)
    return choiceOf<Op, float>();
  if (type == SLUICE_F64)
    return choiceOf<Op, double>();
  return chooseInteger<Op>(type);
}

static ChoiceOperator choose(SluiceReductionKind kind, SluiceElementType type) {
  switch (kind) {
  case SLUICE_REDUCE_SUM:
    return chooseNumber<SumOperator>(type);
  case SLUICE_REDUCE_PRODUCT:
    return chooseNumber<Product>(type);
  case SLUICE_REDUCE_MIN:
    return chooseNumber<Min>(type);
  case SLUICE_REDUCE_MAX:
    return chooseNumber<Max>(type);
  case SLUICE_REDUCE_AND:
    return chooseInteger<And>(type);
  case SLUICE_REDUCE_OR:
    return chooseInteger<Or>(type);
  default:
    return chooseInteger<Xor>(type);
  }
}

Operator::Operator(const SluiceReduction &reduction, SluiceElementType type,
                   uint32_t valuesPerElement)
    : custom(reduction.fold), elementBytes(sizeOf(type) * valuesPerElement),
      valuesPerElement(valuesPerElement) {
  std::vector<char> value(sizeOf(type));
  if (reduction.kind == SLUICE_REDUCE_CUSTOM) {
    std::memcpy(value.data(), reduction.identity, value.size());
  } else {
    ChoiceOperator choice = choose(reduction.kind, type);
    kernel = choice.kernel;
    value = std::move(choice.identity);
  }
  for (uint32_t i = 0; i < valuesPerElement; ++i)
    identity.insert(identity.end(), value.begin(), value.end());
  hasZeroIdentity = std::all_of(identity.begin(), identity.end(),
                                [](char byte) { return byte == 0; });
}

void Operator::reset(void *elements, int64_t count) const {
  auto *to = static_cast<char *>(elements);
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * elementBytes, identity.data(), elementBytes);
}

void Operator::foldAndReset(void *into, void *from, int64_t count) const {
  if (kernel)
    return kernel(into, from, count * valuesPerElement);
  auto *a = static_cast<char *>(into), *b = static_cast<char *>(from);
  int64_t valueBytes = int64_t(elementBytes / valuesPerElement);
  for (int64_t i = 0; i < count * int64_t(valuesPerElement); ++i) {
    custom(a + i * valueBytes, b + i * valueBytes);
    std::memcpy(b + i * valueBytes, identity.data(), valueBytes);
  }
}
