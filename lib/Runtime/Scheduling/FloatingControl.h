//===- FloatingControl.h - How a thread rounds ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of a launch rounds, and treats tiny numbers, as the thread does that
// has launched it, whichever thread runs it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_SCHEDULING_FLOATINGCONTROL_H
#define SLUICE_RUNTIME_SCHEDULING_FLOATINGCONTROL_H

#include <cfenv>
#include <cstdint>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace sluice {

/// A thread's rounding and, where the processor has it, what it does with
/// numbers that are too small to be normal.
class FloatingControl {
public:
  bool operator==(const FloatingControl &) const = default;
#ifdef __x86_64__
  static FloatingControl current() {
    FloatingControl control;
    control.vectors = _mm_getcsr() & ~exceptions;
    asm volatile("fnstcw %0" : "=m"(control.extended));
    return control;
  }
  void use() const {
    _mm_setcsr((_mm_getcsr() & exceptions) | vectors);
    // Exceptions that have occurred elsewhere must not be caught here.
    if ((extended & exceptions) != exceptions)
      asm volatile("fnclex");
    asm volatile("fldcw %0" : : "m"(extended));
  }

private:
  /// Those that have occurred; of 'extended', those that are not caught.
  static constexpr uint32_t exceptions = 0x3f;
  uint32_t vectors = 0;
  uint16_t extended = 0;
#else
  static FloatingControl current() {
    FloatingControl control;
    control.rounding = std::fegetround();
    return control;
  }
  void use() const { std::fesetround(rounding); }

private:
  int rounding = FE_TONEAREST;
#endif
};

/// Has this thread compute in some way until the end of the scope.
class FloatingScope {
public:
  explicit FloatingScope(const FloatingControl &wanted)
      : before(FloatingControl::current()), isOther(wanted != before) {
    if (isOther) [[unlikely]]
      wanted.use();
  }
  ~FloatingScope() {
    if (isOther) [[unlikely]]
      before.use();
  }
  FloatingScope(const FloatingScope &) = delete;
  FloatingScope &operator=(const FloatingScope &) = delete;

private:
  const FloatingControl before;
  const bool isOther;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_SCHEDULING_FLOATINGCONTROL_H
