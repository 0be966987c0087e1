//===- AddressSum.cpp - Sums of products in addresses ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products that are written in different orders become one, so that what two
// addresses have in common cancels.
//
//===----------------------------------------------------------------------===//

#include "AddressSum.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

/// Addresses have few; more are not worth the time.
static constexpr size_t maxProducts = 256, maxParts = 1024;

AddressSum::AddressSum(const SCEV *value) {
  // Parts count wherever they are used, as they are visited here.
  if (value->getExpressionSize() > maxParts) {
    add({value}, 1);
  } else if (auto *number = dyn_cast<SCEVConstant>(value);
             number && number->getAPInt().getActiveBits() <= 64) {
    add({}, number->getAPInt().getZExtValue());
  } else if (auto *sum = dyn_cast<SCEVAddExpr>(value)) {
    for (const SCEV *part : sum->operands())
      addTimes(1, AddressSum(part));
  } else if (auto *product = dyn_cast<SCEVMulExpr>(value)) {
    add({}, 1);
    for (const SCEV *part : product->operands()) {
      const AddressSum other(part);
      if (factors.size() * other.factors.size() > maxProducts) {
        factors = {{{value}, 1}};
        return;
      }
      *this = *this * other;
    }
  } else {
    add({value}, 1);
  }
}

void AddressSum::add(const Product &product, uint64_t factor) {
  if ((factors[product] += factor) == 0)
    factors.erase(product);
}

void AddressSum::addTimes(uint64_t factor, const AddressSum &other) {
  for (const auto &[product, each] : other.factors)
    add(product, each * factor);
}

AddressSum AddressSum::operator*(const AddressSum &other) const {
  AddressSum result;
  for (const auto &[product, factor] : factors)
    for (const auto &[by, times] : other.factors) {
      Product both = product;
      append_range(both, by);
      sort(both);
      result.add(both, factor * times);
    }
  return result;
}

std::optional<int64_t>
AddressSum::valueWith(const DenseMap<const SCEV *, int64_t> &values) const {
  uint64_t sum = 0;
  for (const auto &[product, factor] : factors) {
    uint64_t value = factor;
    for (const SCEV *each : product) {
      auto known = values.find(each);
      if (known == values.end())
        return std::nullopt;
      value *= known->second;
    }
    sum += value;
  }
  return static_cast<int64_t>(sum);
}
