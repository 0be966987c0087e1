//===- TaskGraph.h - Task graphs, from the compiler to the runtime --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled task graph is a plan (Plan.h), whose nodes are tasks, and the
// tables here, which say what memory the plan's arguments are. The compiler
// emits both as constant data; the runtime allocates the datasets, launches the
// plan, and frees each dataset when its last task has ended.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_TASKGRAPH_H
#define SLUICE_C_TASKGRAPH_H

#include "sluice-c/Check.h"
#include "sluice-c/Runtime.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The maximum number of workers, however many are asked for.
#define SLUICE_MAX_WORKERS 1024u

/// What elements are.
typedef enum SluiceElementKind {
  SLUICE_ELEMENT_INT,
  SLUICE_ELEMENT_UINT,
  SLUICE_ELEMENT_FLOAT
} SluiceElementKind;

/// What a dataset is.
typedef enum SluiceDataKind {
  SLUICE_DATA_DAT,    ///< an array
  SLUICE_DATA_SCALAR, ///< one number
  SLUICE_DATA_PYOBJ   ///< a Python dictionary: the memory holds its PyObject *
} SluiceDataKind;

/// More about a dataset.
enum SluiceDataFlags { // bits
  /// Printed when the run has ended.
  SLUICE_DATA_PRINT = 1
};

/// A dataset that owns memory; parts of one are no datasets of their own.
typedef struct SluiceTaskData {
  const char *name;     ///< for messages
  const char *location; ///< "meta.cpp:12:3", or ""
  uint32_t kind;        ///< SluiceDataKind
  uint32_t elementKind; ///< SluiceElementKind
  uint32_t elementBits; ///< 8, 16, 32, 64
  uint32_t rank;        ///< 0 for scalars
  const int64_t *shape; ///< `rank` extents
  uint64_t size;        ///< bytes
  const void *initial;  ///< `size` bytes, or null: zeros
  uint32_t numUses;     ///< tasks that name it
  uint32_t flags;       ///< SluiceDataFlags
} SluiceTaskData;

/// What is behind a task.
typedef enum SluiceTaskKind {
  SLUICE_TASK_C,
  SLUICE_TASK_HALIDE,
  SLUICE_TASK_PYTHON,
  SLUICE_TASK_FEM,
  SLUICE_TASK_HPVM
} SluiceTaskKind;

/// How a task uses a dataset. SLUICE_ACCESS_OUT alone: it writes every element
/// of the whole dataset before it reads any; what only writes a part has
/// SLUICE_ACCESS_IN as well.
typedef struct SluiceTaskUse {
  uint32_t data;   ///< number of the dataset
  uint32_t access; ///< SluiceAccess
} SluiceTaskUse;

/// Where a part of a dataset lies, in elements of its memory.
typedef struct SluiceTaskView {
  uint32_t rank;          ///< dimensions
  uint32_t elementSize;   ///< bytes
  int64_t offset;         ///< of the first element
  const int64_t *shape;   ///< `rank` extents
  const int64_t *strides; ///< `rank` of them
} SluiceTaskView;

/// What a task was given, and how its program says that it uses that. Checked
/// under SLUICE_CHECK=1.
typedef struct SluiceTaskArgument {
  uint32_t data;       ///< number of the dataset
  uint32_t access;     ///< SluiceAccess
  SluiceTaskView view; ///< which part
} SluiceTaskArgument;

/// More about a task.
enum SluiceTaskFlags { // bits
  /// Of several ranks, the first one runs it.
  SLUICE_TASK_ONLY_RANK_0 = 1
};

/// A task.
typedef struct SluiceTaskRecord {
  const char *name;          ///< for messages
  const char *kernel;        ///< "mat_add", "module.function"
  const char *location;      ///< "meta.cpp:12:3", or ""
  uint32_t kind;             ///< SluiceTaskKind
  uint32_t numUses;          ///< datasets, each once
  const SluiceTaskUse *uses; ///< `numUses` of them
  /// Files that the task writes; removed if it fails.
  const char *const *writtenFiles;
  uint32_t numWrittenFiles; ///< entries of `writtenFiles`
  /// Sets of parameters that the task was compiled for, at least 1.
  uint32_t numVariants;
  /// `numVariants` texts "p1=4 p2=8", or null.
  const char *const *variants;
  const SluiceTaskArgument *arguments; ///< `numArguments` of them
  /// Files that the task reads.
  const char *const *readFiles;
  uint32_t numArguments; ///< entries of `arguments`
  uint32_t numReadFiles; ///< entries of `readFiles`
  uint32_t flags;        ///< SluiceTaskFlags
  uint32_t reserved;     ///< 0
} SluiceTaskRecord;

/// More about a program.
enum SluiceTaskProgramFlags { // bits
  /// Its kernels report every access to memory: it is checked while it runs,
  /// unless SLUICE_CHECK=0.
  SLUICE_TASK_PROGRAM_CHECKED = 1
};

/// A task graph, ready to run.
typedef struct SluiceTaskProgram {
  SluiceTableHead head; ///< of the kind SLUICE_TASK_PROGRAM_MAGIC
  const char *name;     ///< for messages
  /// Its arguments: for each dataset its address and size in bytes, then the
  /// run (SluiceTaskRun *) and 0, all 8 bytes. No results.
  const SluicePlan *plan;
  const SluiceTaskData *data;    ///< by number
  const SluiceTaskRecord *tasks; ///< in serial order
  uint32_t numData;              ///< entries of `data`
  uint32_t numTasks;             ///< entries of `tasks`
  /// Called once before the first run, or null: sets up Halide's runtime.
  void (*prepare)(void);
  /// Folders of Python modules, separated by ':'; "" without Python tasks.
  const char *pythonPath;
  uint32_t flags;    ///< SluiceTaskProgramFlags
  uint32_t reserved; ///< 0
} SluiceTaskProgram;

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// One run of a program, or several after each other.
typedef struct SluiceTaskRun SluiceTaskRun;

/// How a program runs.
typedef struct SluiceTaskRunOptions {
  uint32_t size; ///< sizeof(SluiceTaskRunOptions)
  /// Keep every dataset until the next run, to be read.
  uint32_t keepsData;
  /// One task after another, as they stand.
  uint32_t isSerial;
  /// At most SLUICE_MAX_WORKERS; 0: SLUICE_WORKERS, or all processors. Runs
  /// with equal numbers share their workers.
  uint32_t numWorkers;
} SluiceTaskRunOptions;

/// The main function of an executable: runs the program once; prints an error
/// and returns 1 if a task fails. SLUICE_TUNE=FILE: times every variant of
/// every task and writes the best to FILE.
SLUICE_EXPORT int sluiceTaskMain(const SluiceTaskProgram *program, int argc,
                                 char **argv);

/// Checks the tables. Null, and the reason in `error`, if they are not for this
/// runtime.
SLUICE_EXPORT SluiceTaskRun *
sluiceTaskRunCreate(const SluiceTaskProgram *program,
                    const SluiceTaskRunOptions *options, const char **error);
/// Runs the program from its initial values. Null, or what went wrong, naming
/// the task; valid until the next call for this run.
SLUICE_EXPORT const char *sluiceTaskRunExecute(SluiceTaskRun *run);
/// What dataset `data` starts from in later runs; copied. Null: its own.
SLUICE_EXPORT void sluiceTaskRunSetInitial(SluiceTaskRun *run, uint32_t data,
                                           const void *values);
/// Whether dataset `data` is kept until the next run, to be read, by later runs
/// that keep data; it is at first. Without, its memory is used from the first
/// task that touches it to the last one.
SLUICE_EXPORT void sluiceTaskRunKeep(SluiceTaskRun *run, uint32_t data,
                                     uint32_t isKept);
/// Has array `data` lie at `memory` in later runs, aligned to the size of an
/// element: they start from what is there, and leave there what tasks write.
/// The caller keeps the memory until something else is bound, or the run is
/// destroyed. With `isReadOnly` no task may write it. Null `memory`: memory of
/// the run again. Null, or why it is refused; valid until this thread's next
/// call that fails.
///
/// Arrays that are bound may overlap only if all tasks just read them: checked
/// when a run begins. If tasks are checked, they work on a copy, which is
/// written back when the run ends.
SLUICE_EXPORT const char *sluiceTaskRunBind(SluiceTaskRun *run, uint32_t data,
                                            void *memory, uint32_t isReadOnly);
/// Writes the timeline of this process's runs so far to `path`, where
/// SLUICE_TRACE named a file before the first one; no graph runs. Null, or what
/// went wrong; valid until this thread's next call that fails.
SLUICE_EXPORT const char *sluiceTaskWriteTrace(const char *path);
/// Ends the runs of the process that are going on: tasks that run go on to
/// their ends, no other one begins, and the runs fail; if none is going on, the
/// next one. `signal`: why; 0: none shall. Handlers of signals may call it.
SLUICE_EXPORT void sluiceTaskStop(int signal);
/// Memory of a dataset that was kept; null before the first successful run.
SLUICE_EXPORT const void *sluiceTaskRunData(SluiceTaskRun *run, uint32_t data);
/// Ends it, with its datasets; no call for it may be in progress.
SLUICE_EXPORT void sluiceTaskRunDestroy(SluiceTaskRun *run);
/// Times each variant of each task on the data that it finds, compares what
/// they write with what variant 0 writes, and writes the fastest that agrees
/// to `file`. Null, or what went wrong.
SLUICE_EXPORT const char *sluiceTaskRunTune(SluiceTaskRun *run,
                                            const char *file);

//===----------------------------------------------------------------------===//
// Support for generated code: the leaf of task t is
//   for (v = sluiceTaskBegin(run, t); v >= 0; v = sluiceTaskEnd(run, t,
//   status))
//     status = <call variant v>;
//===----------------------------------------------------------------------===//

/// Begins a task on this thread: fills its datasets at their first use. Returns
/// the number of the variant to call.
SLUICE_EXPORT int32_t sluiceTaskBegin(SluiceTaskRun *run, uint32_t task);
/// Ends a call; `status` other than 0 fails the run (throws). Returns -1, or
/// another variant to call (only while tuning). Frees datasets without further
/// uses.
SLUICE_EXPORT int32_t sluiceTaskEnd(SluiceTaskRun *run, uint32_t task,
                                    int32_t status);
/// The same for a graph as a task, which has a node before it and one after.
///@{
SLUICE_EXPORT void sluiceTaskEnter(SluiceTaskRun *run, uint32_t task);
SLUICE_EXPORT void sluiceTaskLeave(SluiceTaskRun *run, uint32_t task);
///@}
/// Fails the task that runs on this thread with a message of its own: the next
/// sluiceTaskEnd reports it. For Halide's error handler and Python.
SLUICE_EXPORT void sluiceTaskError(const char *message);
/// The task that runs accesses `size` bytes at `address` next, at a place of
/// its code; only programs that are checked call this. What the task did not
/// say fails it when it ends.
SLUICE_EXPORT void sluiceTaskAccess(const SluiceCheckSite *site,
                                    const void *address, uint64_t size);
/// How many ranks run tasks of this process's graph; 1: it runs alone.
SLUICE_EXPORT uint32_t sluiceTaskNumRanks(void);

/// The name of the task that runs on this thread, or null.
SLUICE_EXPORT const char *sluiceTaskCurrent(void);

/// A copy of a part without gaps (its values only if `isRead`), made by Pack;
/// and back (only if `isWritten`), which frees it.
///@{
SLUICE_EXPORT void *sluiceTaskPack(const void *data, const SluiceTaskView *view,
                                   int isRead);
SLUICE_EXPORT void sluiceTaskUnpack(void *packed, void *data,
                                    const SluiceTaskView *view, int isWritten);
///@}

/// Calls body(context, i) for begin <= i < begin + count, on all workers; may
/// be called inside a kernel, also from within `body`. Returns the first result
/// of a call that is not 0; calls that have not begun by then are left out.
SLUICE_EXPORT int32_t sluiceParallelFor(int32_t (*body)(void *context,
                                                        int64_t index),
                                        void *context, int64_t begin,
                                        int64_t count);

/// Halide's parallel loops on our workers, and its errors to sluiceTaskError;
/// the signatures are those of halide_do_par_for, halide_error and so on. The
/// first seven belong together: `prepare` hands them, in this order, to
/// halide_set_custom_parallel_runtime.
///@{
SLUICE_EXPORT int sluiceHalideParFor(void *context,
                                     int (*task)(void *, int, uint8_t *),
                                     int min, int size, uint8_t *closure);
SLUICE_EXPORT int sluiceHalideDoTask(void *context,
                                     int (*task)(void *, int, uint8_t *),
                                     int index, uint8_t *closure);
SLUICE_EXPORT int
sluiceHalideDoLoopTask(void *context,
                       int (*task)(void *, int, int, uint8_t *, void *),
                       int min, int extent, uint8_t *closure, void *parent);
SLUICE_EXPORT int sluiceHalideParallelTasks(void *context, int count,
                                            void *tasks, void *parent);
SLUICE_EXPORT int sluiceHalideSemaphoreInit(void *semaphore, int value);
SLUICE_EXPORT bool sluiceHalideSemaphoreTryAcquire(void *semaphore, int count);
SLUICE_EXPORT int sluiceHalideSemaphoreRelease(void *semaphore, int count);
SLUICE_EXPORT void sluiceHalideError(void *context, const char *message);
///@}

//===----------------------------------------------------------------------===//
// Python, in libSluicePython: only programs with Python tasks link it
//===----------------------------------------------------------------------===//

/// How Python gets an argument.
typedef enum SluicePythonArgumentKind {
  SLUICE_PYTHON_OBJECT, ///< `memory` points to the dictionary's cell
  SLUICE_PYTHON_ARRAY,  ///< also a scalar by reference: of rank 0
  SLUICE_PYTHON_SCALAR  ///< by value: `memory` points to it
} SluicePythonArgumentKind;

/// An argument of a Python function.
typedef struct SluicePythonArgument {
  uint32_t kind;        ///< SluicePythonArgumentKind
  uint32_t elementKind; ///< SluiceElementKind
  uint32_t elementBits; ///< 8, 16, 32, 64
  uint32_t isReadOnly;  ///< 1: only to be read
  void *memory;         ///< of the dataset
  SluiceTaskView view;  ///< which part
} SluicePythonArgument;

/// The module of functions that exist in this process only.
#define SLUICE_PYTHON_HERE "."

/// What task `task`, whose module is SLUICE_PYTHON_HERE, calls: a PyObject *,
/// which the caller keeps.
SLUICE_EXPORT void sluiceTaskRunSetFunction(SluiceTaskRun *run, uint32_t task,
                                            void *function);
/// That of the task which runs on this thread; null if it has none.
SLUICE_EXPORT void *sluiceTaskCurrentFunction(void);

/// Calls a function of a module; 0, or 1 after sluiceTaskError.
SLUICE_EXPORT int32_t sluicePythonCall(SluiceTaskRun *run, const char *module,
                                       const char *function,
                                       const SluicePythonArgument *arguments,
                                       uint32_t count);
/// Assembles form `kernel` of `module`, generated by `generator`, into the
/// dictionary that is the first argument.
SLUICE_EXPORT int32_t sluicePythonAssemble(
    SluiceTaskRun *run, const char *module, const char *generator,
    const char *kernel, const SluicePythonArgument *arguments, uint32_t count);

/// What libSluicePython gives the runtime when it is loaded.
typedef struct SluicePythonHooks {
  /// Releases the dictionary of a dataset (a PyObject *), under the GIL.
  void (*release)(void *object);
  /// Called by sluiceTaskRunExecute on its thread before the first task starts:
  /// lets go of the GIL if this thread holds it.
  void *(*begin)(SluiceTaskRun *run);
  /// Called when all tasks have ended, however they ended, with what `begin`
  /// returned: takes the GIL back, and forgets what the run generated.
  void (*end)(SluiceTaskRun *run, void *state);
} SluicePythonHooks;
/// Called by libSluicePython when it is loaded.
SLUICE_EXPORT void sluiceSetPythonHooks(const SluicePythonHooks *hooks);
/// The program of a run, for libSluicePython.
SLUICE_EXPORT const SluiceTaskProgram *sluiceTaskRunProgram(SluiceTaskRun *run);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_C_TASKGRAPH_H */
