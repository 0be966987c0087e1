//===- FakeCompiler.h - What tests tell the fake compiler -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test has no other way to speak to a compiler than the layout that it asks
// for: these extents have a meaning.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_TESTING_FAKECOMPILER_H
#define SLUICE_LIB_PACK_TESTING_FAKECOMPILER_H

#include <cstdint>

namespace sluice::pack {

/// Compiling a layout of this extent fails, throws, takes 200 ms.
inline constexpr int64_t fakeFailureExtent = 1001;
inline constexpr int64_t fakeThrowExtent = 1002;
inline constexpr int64_t fakeSlowExtent = 1003;
/// Calls `fakeHook`, as generated code calls the user's.
inline constexpr int64_t fakeHookExtent = 1004;

/// With this environment variable, opening the library takes 200 ms.
inline constexpr const char *fakeSlowOpening = "SLUICE_FAKE_SLOW_OPENING";

} // namespace sluice::pack

#endif // SLUICE_LIB_PACK_TESTING_FAKECOMPILER_H
