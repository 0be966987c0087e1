//===- Bindings.h - Datasets in memory of the caller ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dataset may lie in an existing array of the program, so that nothing is
// copied in and out. These functions check such arrays: generated code assumes
// that elements are aligned and that datasets share no memory.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_BINDINGS_BINDINGS_H
#define SLUICE_RUNTIME_TASKS_BINDINGS_BINDINGS_H

#include "sluice-c/TaskProgram.h"
#include "sluice/Base/Status.h"

#include <span>

namespace sluice::tasks {

/// The location of a dataset's array. Null: in memory of the run.
struct Binding {
  char *memory = nullptr;
  bool isReadOnly = false;
};

/// The reason why dataset `index` cannot be there.
Status checkBinding(const SluiceTaskProgram &program, uint32_t index,
                    const Binding &binding);

/// Finds overlapping arrays of which one is written.
Status checkApart(const SluiceTaskProgram &program,
                  std::span<const Binding> bindings);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_BINDINGS_BINDINGS_H
