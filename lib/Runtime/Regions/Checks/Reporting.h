//===- Reporting.h - Threads that are inside a check ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked code may be what a check itself needs: an operator new of the
// program, or a handler of a signal. What it accesses for a check is not
// checked, and it must not wait for the check that waits for it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_CHECKS_REPORTING_H
#define SLUICE_RUNTIME_REGIONS_CHECKS_REPORTING_H

#include <utility>

namespace sluice {

inline constinit thread_local bool isReporting = false;

/// For as long as it lives, accesses of this thread are not reported. Made
/// before any lock of a check is taken.
class Reporting {
public:
  Reporting() : before(std::exchange(isReporting, true)) {}
  ~Reporting() { isReporting = before; }
  Reporting(const Reporting &) = delete;
  Reporting &operator=(const Reporting &) = delete;

private:
  const bool before;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_REGIONS_CHECKS_REPORTING_H
