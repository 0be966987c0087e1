//===- Loader.h - Object code in memory -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links one object with LLVM's JITLink and keeps it loaded. There is no session
// and no symbol table, because objects do not refer to each other; so threads
// load and free code without locks.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACKJIT_LOADER_H
#define SLUICE_PACKJIT_LOADER_H

#include "Emitter.h"

#include "sluice/Base/Status.h"

#include <string_view>

namespace sluice::pack::jit {

/// The context of compiled functions. Its destructor frees the code.
class LoadedCode {
public:
  /// The data that the code receives and reads.
  CodeContext context;
  KernelFunction pack = nullptr;
  KernelFunction unpack = nullptr;
  /// The kernel that the code calls for large data.
  Kernel large;

  LoadedCode();
  ~LoadedCode();
  LoadedCode(const LoadedCode &) = delete;
  LoadedCode &operator=(const LoadedCode &) = delete;

private:
  friend Result<std::shared_ptr<LoadedCode>> loadObject(std::string_view,
                                                        Kernel);
  struct Memory;
  std::unique_ptr<Memory> memory;
};

/// Links `object`, which is not needed afterwards. `large` packs data larger
/// than the caches.
Result<std::shared_ptr<LoadedCode>> loadObject(std::string_view object,
                                               Kernel large);

} // namespace sluice::pack::jit

#endif // SLUICE_PACKJIT_LOADER_H
