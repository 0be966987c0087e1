//===- RegionPython.h - Tasks over regions in Python ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function of a task, host statement, coloring or projection may be written
// in Python. Its caller passes descriptions of the arguments to
// libSluicePython, which only programs with such functions link. The function
// of a task is called with the task, and with one argument for each argument of
// the statement: arrays of a part's elements, or a number.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_REGIONPYTHON_H
#define SLUICE_C_REGIONPYTHON_H

#include "sluice-c/Regions.h"

#ifdef __cplusplus
extern "C" {
#endif

/// As the type of a result: the function returns None.
#define SLUICE_PYTHON_NO_RESULT UINT32_MAX

/// What is known of an argument when the program is compiled.
typedef struct SluicePythonPort {
  const char *name; ///< of the region
  /// In the order of the view's pointers; null for a number.
  const SluiceField *fields;
  uint32_t numFields;  ///< entries of `fields`
  uint32_t type;       ///< of a number: SluiceElementType
  uint32_t isReadOnly; ///< 1: the elements are only to be read
  uint32_t reserved;   ///< 0
} SluicePythonPort;

/// A function and its arguments.
typedef struct SluicePythonKernel {
  const char *path;              ///< the folder of the module
  const char *module;            ///< without folders
  const char *function;          ///< in the module
  const SluicePythonPort *ports; ///< `numPorts` of them
  uint32_t numPorts;             ///< entries of `ports`
  uint32_t resultType; ///< SluiceElementType or SLUICE_PYTHON_NO_RESULT
} SluicePythonKernel;

/// Calls the function on Python's thread. `values` has, for each port, a
/// SluiceView or the address of a number; `result` receives the function's
/// result. If the function fails, the task does (sluiceFail).
SLUICE_EXPORT void sluicePythonTask(const SluicePythonKernel *kernel,
                                    const SluiceTask *task,
                                    const void *const *values, void *result);

/// What the runtime passes to each coloring; those in C know only the first
/// member.
typedef struct SluiceShapedColoring {
  SluiceColoring elements;         ///< receives the color's elements
  int32_t rank;                    ///< of the root
  int32_t colorRank;               ///< of the partition's colors
  int64_t extent[SLUICE_MAX_RANK]; ///< of the root; unused dimensions: 1
  int64_t colors[SLUICE_MAX_RANK]; ///< numbers of colors; unused: 1
} SluiceShapedColoring;

/// Calls a coloring on Python's thread, which adds the elements of `color` to
/// `elements`, a SluiceShapedColoring. Its kernel has no ports.
SLUICE_EXPORT void sluicePythonColoring(const SluicePythonKernel *kernel,
                                        const int64_t *color,
                                        SluiceColoring *elements);
/// Calls a projection on Python's thread, and returns the number of the color
/// of the task's point. Its kernel has no ports.
SLUICE_EXPORT int64_t sluicePythonProjection(const SluicePythonKernel *kernel,
                                             const SluiceTask *task);

/// Of the runtime: the signal that ends runs now (sluiceTaskStop); 0: none.
SLUICE_EXPORT int sluiceTaskStopping(void);

#ifdef __cplusplus
}
#endif

#endif // SLUICE_C_REGIONPYTHON_H
