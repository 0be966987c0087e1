//===- CErrors.cpp - From exceptions to codes -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One code per kind of error, with a sentence for each; the message of the last
// failure is kept per thread.
//
//===----------------------------------------------------------------------===//

#include "CErrors.h"

#include <new>

using namespace farc;

static std::string &lastMessage() {
  static thread_local std::string message;
  return message;
}

static int codeOf(Error::Kind kind) {
  switch (kind) {
  case Error::ARGUMENT:
    return LPK_ERR_ARGUMENT;
  case Error::OVERFLOW_64:
    return LPK_ERR_OVERFLOW;
  case Error::NOT_COMMITTED:
    return LPK_ERR_NOT_COMMITTED;
  case Error::NO_COMPILER:
    return LPK_ERR_NO_COMPILER;
  case Error::TRUNCATED:
    return LPK_ERR_TRUNCATED;
  case Error::UNSUPPORTED:
    return LPK_ERR_UNSUPPORTED;
  }
  return LPK_ERR_INTERNAL;
}

/// Without memory for the message, keeps only the code.
static int remember(int code, const char *message) noexcept {
  try {
    lastMessage() = message;
  } catch (...) {
    lastMessage().clear();
  }
  return code;
}

int farc::rememberException() noexcept {
  try {
    throw;
  } catch (const Error &error) {
    return remember(codeOf(error.getKind()), error.what());
  } catch (const HandleError &error) {
    return remember(LPK_ERR_HANDLE, error.what());
  } catch (const std::bad_alloc &) {
    return remember(LPK_ERR_MEMORY, "no memory is left");
  } catch (const std::length_error &) {
    return remember(LPK_ERR_MEMORY, "no memory is left for so many entries");
  } catch (const std::exception &error) {
    return remember(LPK_ERR_INTERNAL, error.what());
  } catch (...) {
    return remember(LPK_ERR_INTERNAL, "an exception of an unknown type");
  }
}

const char *LPK_Last_error(void) { return lastMessage().c_str(); }

const char *LPK_Error_string(int code) {
  static const char *const sentences[] = {
      "no error",
      "an argument can never be right",
      "the handle is no layout",
      "a number does not fit",
      "the layout is not committed",
      "the layout needs a compiler, and there is none",
      "a buffer is too small, or a part lies beyond the data",
      "the layout cannot do this",
      "no memory is left",
      "an error of the library",
  };
  if (code < 0 || code > LPK_ERR_INTERNAL)
    return "there is no such error code";
  return sentences[code];
}
