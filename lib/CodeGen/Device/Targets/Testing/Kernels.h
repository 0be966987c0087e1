//===- Kernels.h - Texts of kernels for tests ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels and values that several tests use.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TARGETS_TESTING_KERNELS_H
#define SLUICE_LIB_CODEGEN_DEVICE_TARGETS_TESTING_KERNELS_H

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace sluice::testing {

/// A kernel in which each item has its number %id, the address %p of its array
/// element, and the element's value %x, and then runs `body`.
inline std::string kernelOfItems(const std::string &type,
                                 const std::string &body) {
  return R"(
define void @k(ptr addrspace(1) %a) #0 {
  %g = call i64 @sluice.device.group(i32 0)
  %i = call i64 @sluice.device.item(i32 0)
  %s = call i64 @sluice.device.items(i32 0)
  %m = mul i64 %g, %s
  %id = add i64 %m, %i
  %p = getelementptr )" +
         type + R"(, ptr addrspace(1) %a, i64 %id
  %x = load )" +
         type + ", ptr addrspace(1) %p\n" + body + "  ret void\n}";
}

/// A kernel in which each item calls @f on its array element and stores the
/// result in the element.
inline std::string perItem(const std::string &type, const std::string &body) {
  return body + kernelOfItems(type, "  %y = call " + type + " @f(" + type +
                                        " %x)\n  store " + type +
                                        " %y, ptr addrspace(1) %p\n");
}

/// Values at the limits of an integer type, and some between.
template <typename Number> std::vector<Number> edges() {
  std::vector<Number> values;
  constexpr unsigned bits = sizeof(Number) * 8;
  for (unsigned shift = 0; shift < bits; shift += 3)
    for (int64_t near : {-2, -1, 0, 1, 2})
      values.push_back(Number((uint64_t(1) << shift) + uint64_t(near)));
  for (uint64_t i = 0; i < 32; ++i)
    values.push_back(Number(i * 0x9E3779B97F4A7C15u >> (64 - bits)));
  while (values.size() % 8)
    values.push_back(0);
  return values;
}

/// Special values of a real type, bits of all magnitudes, and plain numbers.
template <typename Real, typename Bits> std::vector<Real> reals() {
  std::vector<Real> values = {Real(0.0),  Real(-0.0), Real(1),    Real(-1),
                              Real(0.5),  Real(-0.5), Real(1.5),  Real(2.5),
                              Real(-2.5), Real(3e9),  Real(-3e9), Real(255.5)};
  constexpr unsigned width = sizeof(Real) * 8;
  for (Bits bits : edges<Bits>()) {
    Real value;
    memcpy(&value, &bits, sizeof(value));
    values.push_back(value);
  }
  for (unsigned i = 1; i < 64; ++i)
    values.push_back(Real(int(i) - 32) * Real(0.37));
  Real infinity = Real(1e30) * Real(1e30);
  infinity *= infinity * infinity * infinity * infinity * infinity;
  values.push_back(infinity * infinity);
  values.push_back(-infinity * infinity);
  while (values.size() % 8)
    values.push_back(Real(width));
  return values;
}

} // namespace sluice::testing

#endif // SLUICE_LIB_CODEGEN_DEVICE_TARGETS_TESTING_KERNELS_H
