//===- FakeCompiler.h - Requests of tests to the fake compiler ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test can only control a compiler through the layout that it compiles: these
// extents have special meanings.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_TESTING_FAKECOMPILER_H
#define SLUICE_LIB_PACK_TESTING_FAKECOMPILER_H

#include <cstdint>

namespace sluice::pack {

/// Compiling a layout with this extent fails, throws, or takes 200 ms.
inline constexpr int64_t fakeFailureExtent = 1001;
inline constexpr int64_t fakeThrowExtent = 1002;
inline constexpr int64_t fakeSlowExtent = 1003;
/// Calls `fakeHook`, like generated code calls the user's.
inline constexpr int64_t fakeHookExtent = 1004;

/// With this environment variable, opening the library takes 200 ms.
inline constexpr const char *fakeSlowOpening = "SLUICE_FAKE_SLOW_OPENING";

} // namespace sluice::pack

#endif // SLUICE_LIB_PACK_TESTING_FAKECOMPILER_H
