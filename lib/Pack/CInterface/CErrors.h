//===- CErrors.h - From exceptions to codes -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No exception may leave a C function. Each function does its work inside
// `guarded`, which keeps the message for LPK_Last_error.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_CINTERFACE_CERRORS_H
#define SLUICE_LIB_PACK_CINTERFACE_CERRORS_H

#include "CHandles.h"

namespace farc {

/// Keeps the message of the current exception and returns its code.
int rememberException() noexcept;

/// LPK_SUCCESS, or the code of the exception that `work` throws.
template <typename Work> int guarded(Work work) noexcept {
  try {
    work();
    return LPK_SUCCESS;
  } catch (...) {
    return rememberException();
  }
}

/// Throws if the caller passed no address for a result.
template <typename Value> Value &resultAt(Value *place, const char *what) {
  if (!place)
    throw Error(Error::ARGUMENT,
                std::string("the address for ") + what + " is null");
  return *place;
}

/// `value` in the type of a result; `what` names it in the error if it does not
/// fit.
template <typename Number>
Number narrowed(int64_t value, const char *what, const char *wayOut) {
  if (int64_t(Number(value)) != value)
    throw Error(Error::OVERFLOW_64, std::string(what) + " " +
                                        std::to_string(value) +
                                        " does not fit; use " + wayOut);
  return Number(value);
}

} // namespace farc

#endif // SLUICE_LIB_PACK_CINTERFACE_CERRORS_H
