//===- Bindings.h - Datasets in memory of the caller --------------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dataset may lie in an array that the program has already, so that nothing
// is copied in and out. Such arrays are checked here: generated code takes it
// for granted that elements are aligned, and that datasets share no memory.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_BINDINGS_BINDINGS_H
#define SLUICE_RUNTIME_TASKS_BINDINGS_BINDINGS_H

#include "sluice-c/TaskGraph.h"
#include "sluice/Base/Status.h"

#include <span>

namespace sluice::tasks {

/// Where the array of a dataset lies. Null: in memory of the run.
struct Binding {
  char *memory = nullptr;
  bool isReadOnly = false;
};

/// Why dataset `index` cannot lie there.
Status checkBinding(const SluiceTaskProgram &program, uint32_t index,
                    const Binding &binding);

/// Finds arrays that overlap, one of them being written.
Status checkApart(const SluiceTaskProgram &program,
                  std::span<const Binding> bindings);

} // namespace sluice::tasks

#endif // SLUICE_RUNTIME_TASKS_BINDINGS_BINDINGS_H
