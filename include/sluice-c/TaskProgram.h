//===- TaskProgram.h - Task graphs, from the compiler to the runtime ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled task graph is a plan (Plan.h) with tasks as nodes, and the tables
// in this file, which describe the memory that the plan's arguments point to.
// The compiler emits both as constant data. The runtime allocates the datasets,
// launches the plan, and frees each dataset when its last task has ended.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_TASKPROGRAM_H
#define SLUICE_C_TASKPROGRAM_H

#include "sluice-c/Check.h"
#include "sluice-c/Runtime.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The maximum number of workers; larger requests are reduced to it.
#define SLUICE_MAX_WORKERS 1024u

/// Kinds of elements.
typedef enum SluiceElementKind {
  SLUICE_ELEMENT_INT,
  SLUICE_ELEMENT_UINT,
  SLUICE_ELEMENT_FLOAT
} SluiceElementKind;

/// Kinds of datasets.
typedef enum SluiceDataKind {
  SLUICE_DATA_DAT,    ///< an array
  SLUICE_DATA_SCALAR, ///< one number
  SLUICE_DATA_PYOBJ   ///< a Python dictionary: the memory holds its PyObject *
} SluiceDataKind;

/// Flags of a dataset.
enum SluiceDataFlags { // bits
  /// Print the dataset when the run has ended.
  SLUICE_DATA_PRINT = 1
};

/// A dataset that owns memory; its parts are not datasets.
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
  uint32_t numUses;     ///< tasks that use it
  uint32_t flags;       ///< SluiceDataFlags
} SluiceTaskData;

/// Kinds of tasks.
typedef enum SluiceTaskKind {
  SLUICE_TASK_C,
  SLUICE_TASK_HALIDE,
  SLUICE_TASK_PYTHON,
  SLUICE_TASK_FEM,
  SLUICE_TASK_HPVM
} SluiceTaskKind;

/// How a task uses a dataset. With SLUICE_ACCESS_OUT alone, the task writes
/// every element of the whole dataset before it reads any. A task that only
/// writes a part has SLUICE_ACCESS_IN as well.
typedef struct SluiceTaskUse {
  uint32_t data;   ///< number of the dataset
  uint32_t access; ///< SluiceAccess
} SluiceTaskUse;

/// The position of a part of a dataset, in elements of its memory.
typedef struct SluiceTaskView {
  uint32_t rank;          ///< dimensions
  uint32_t elementSize;   ///< bytes
  int64_t offset;         ///< of the first element
  const int64_t *shape;   ///< `rank` extents
  const int64_t *strides; ///< `rank` of them
} SluiceTaskView;

/// An argument of a task, and its declared use; checked under SLUICE_CHECK=1.
typedef struct SluiceTaskArgument {
  uint32_t data;       ///< number of the dataset
  uint32_t access;     ///< SluiceAccess
  SluiceTaskView view; ///< the part
} SluiceTaskArgument;

/// Flags of a task.
enum SluiceTaskFlags { // bits
  /// If there are several ranks, rank 0 runs the task.
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

/// Flags of a program.
enum SluiceTaskProgramFlags { // bits
  /// The program's kernels report every memory access: the program is checked
  /// while it runs, unless SLUICE_CHECK=0.
  SLUICE_TASK_PROGRAM_CHECKED = 1
};

/// A task graph, ready to run.
typedef struct SluiceTaskProgram {
  SluiceTableHead head; ///< of the kind SLUICE_TASK_PROGRAM_MAGIC
  const char *name;     ///< for messages
  /// The plan has no results, and arguments of 8 bytes each: for each dataset
  /// its address and its size in bytes, then the run (SluiceTaskRun *) and 0.
  const SluicePlan *plan;
  const SluiceTaskData *data;    ///< by number
  const SluiceTaskRecord *tasks; ///< in serial order
  uint32_t numData;              ///< entries of `data`
  uint32_t numTasks;             ///< entries of `tasks`
  /// Called once before the first run to set up Halide's runtime; may be null.
  void (*prepare)(void);
  /// Folders of Python modules, separated by ':'; "" without Python tasks.
  const char *pythonPath;
  uint32_t flags;    ///< SluiceTaskProgramFlags
  uint32_t reserved; ///< 0
} SluiceTaskProgram;

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// One or several successive runs of a program.
typedef struct SluiceTaskRun SluiceTaskRun;

/// How a program runs.
typedef struct SluiceTaskRunOptions {
  uint32_t size; ///< sizeof(SluiceTaskRunOptions)
  /// Keep every dataset until the next run so that the caller can read it.
  uint32_t keepsData;
  /// Run one task after another, in serial order.
  uint32_t isSerial;
  /// At most SLUICE_MAX_WORKERS; 0 means SLUICE_WORKERS, or all processors.
  /// Runs with equal numbers share their workers.
  uint32_t numWorkers;
} SluiceTaskRunOptions;

/// The main function of an executable: runs the program once. If a task fails,
/// prints an error and returns 1. With SLUICE_TUNE=FILE, times every variant of
/// every task and writes the best variants to FILE.
SLUICE_EXPORT int sluiceTaskMain(const SluiceTaskProgram *program, int argc,
                                 char **argv);

/// Checks the tables and creates a run. Returns null and the reason in `error`
/// if the tables do not fit this runtime.
SLUICE_EXPORT SluiceTaskRun *
sluiceTaskRunCreate(const SluiceTaskProgram *program,
                    const SluiceTaskRunOptions *options, const char **error);
/// Runs the program from its initial values. Returns null, or an error that
/// names the task; valid until the next call for this run.
SLUICE_EXPORT const char *sluiceTaskRunExecute(SluiceTaskRun *run);
/// Sets the initial values of dataset `data` for later runs; they are copied.
/// Null: the program's initial values.
SLUICE_EXPORT void sluiceTaskRunSetInitial(SluiceTaskRun *run, uint32_t data,
                                           const void *values);
/// Sets whether later runs that keep data also keep dataset `data`, so that it
/// can be read until the next run; initially true. The memory of a dataset that
/// is not kept is used only from its first task to its last.
SLUICE_EXPORT void sluiceTaskRunKeep(SluiceTaskRun *run, uint32_t data,
                                     uint32_t isKept);
/// Binds array `data` to `memory`, which must be aligned to the size of an
/// element. Later runs start from the contents of the memory and leave there
/// what tasks write. The memory must stay valid until other memory is bound or
/// the run is destroyed. With `isReadOnly` no task may write it. Null `memory`
/// returns to memory of the run. Returns null, or why the call is refused;
/// valid until this thread's next failed call.
///
/// Bound arrays may overlap only if all tasks just read them; each run checks
/// this when it begins. If tasks are checked, they work on a copy, which is
/// written back when the run ends.
SLUICE_EXPORT const char *sluiceTaskRunBind(SluiceTaskRun *run, uint32_t data,
                                            void *memory, uint32_t isReadOnly);
/// Writes the timeline of this process's runs so far to `path`. SLUICE_TRACE
/// must have named a file before the first run, and no graph may be running.
/// Returns null, or an error; valid until this thread's next failed call.
SLUICE_EXPORT const char *sluiceTaskWriteTrace(const char *path);
/// Ends the runs in progress of this process, or the next run if none is in
/// progress: running tasks finish, no other task begins, and the runs fail.
/// `signal` is the reason; 0 withdraws an earlier call. May be called by signal
/// handlers.
SLUICE_EXPORT void sluiceTaskStop(int signal);
/// Withdraws an earlier call for this `signal`, unless a run is in progress.
/// Not for signal handlers.
SLUICE_EXPORT void sluiceTaskWithdrawStop(int signal);
/// The memory of a dataset that was kept; null before the first successful run.
SLUICE_EXPORT const void *sluiceTaskRunData(SluiceTaskRun *run, uint32_t data);
/// Destroys a run and its datasets; no call for it may be in progress.
SLUICE_EXPORT void sluiceTaskRunDestroy(SluiceTaskRun *run);
/// Times each variant of each task on its current data and compares its output
/// with that of variant 0. Writes the fastest variants with equal output to
/// `file`. Returns null, or an error.
SLUICE_EXPORT const char *sluiceTaskRunTune(SluiceTaskRun *run,
                                            const char *file);

//===----------------------------------------------------------------------===//
// Support for generated code: the leaf of task t is
//   for (v = sluiceTaskBegin(run, t); v >= 0; v = sluiceTaskEnd(run, t,
//   status))
//     status = <call variant v>;
//===----------------------------------------------------------------------===//

/// Begins a task on this thread; fills its datasets at their first use. Returns
/// the number of the variant to call.
SLUICE_EXPORT int32_t sluiceTaskBegin(SluiceTaskRun *run, uint32_t task);
/// Ends a call. A `status` other than 0 fails the run (throws). Returns -1, or
/// another variant to call (only while tuning). Frees datasets that have no
/// further uses.
SLUICE_EXPORT int32_t sluiceTaskEnd(SluiceTaskRun *run, uint32_t task,
                                    int32_t status);
/// The same for a task that is a graph, which has a node before it and one
/// after.
///@{
SLUICE_EXPORT void sluiceTaskEnter(SluiceTaskRun *run, uint32_t task);
SLUICE_EXPORT void sluiceTaskLeave(SluiceTaskRun *run, uint32_t task);
///@}
/// Fails the task that runs on this thread with `message`, which the next
/// sluiceTaskEnd reports. For Halide's error handler and Python.
SLUICE_EXPORT void sluiceTaskError(const char *message);
/// Reports that the running task will next access `size` bytes at `address`, at
/// the given place in its code. Only checked programs call this. An undeclared
/// access fails the task when it ends.
SLUICE_EXPORT void sluiceTaskAccess(const SluiceCheckSite *site,
                                    const void *address, uint64_t size);
/// The number of ranks that run tasks of this process's graph; 1 if it runs
/// alone.
SLUICE_EXPORT uint32_t sluiceTaskNumRanks(void);

/// The name of the task that runs on this thread, or null.
SLUICE_EXPORT const char *sluiceTaskCurrent(void);

/// Packs a part into a copy without gaps (copies its values only if `isRead`),
/// and unpacks it again (only if `isWritten`) and frees the copy.
///@{
SLUICE_EXPORT void *sluiceTaskPack(const void *data, const SluiceTaskView *view,
                                   int isRead);
SLUICE_EXPORT void sluiceTaskUnpack(void *packed, void *data,
                                    const SluiceTaskView *view, int isWritten);
///@}

/// Calls body(context, i) for begin <= i < begin + count, on all workers. May
/// be called inside a kernel, also from within `body`. Returns the first
/// nonzero result; calls that have not begun by then are skipped.
SLUICE_EXPORT int32_t sluiceParallelFor(int32_t (*body)(void *context,
                                                        int64_t index),
                                        void *context, int64_t begin,
                                        int64_t count);

/// Run Halide's parallel loops on Sluice's workers, and pass its errors to
/// sluiceTaskError. The signatures are those of halide_do_par_for, halide_error
/// and so on. The first seven belong together: `prepare` passes them, in this
/// order, to halide_set_custom_parallel_runtime.
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
/// Fails the task over regions that has called a function of Halide, if that
/// returned another value than 0.
SLUICE_EXPORT void sluiceHalideEnd(int32_t status);
///@}

//===----------------------------------------------------------------------===//
// Python support, in libSluicePython: only programs with Python tasks link it
//===----------------------------------------------------------------------===//

/// How an argument is passed to Python.
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
  SluiceTaskView view;  ///< the part
} SluicePythonArgument;

/// Name of the module of functions that exist only in this process.
#define SLUICE_PYTHON_HERE "."

/// Sets the function that task `task` calls; the module of the task is
/// SLUICE_PYTHON_HERE. `function` is a PyObject *, which the caller keeps
/// alive.
SLUICE_EXPORT void sluiceTaskRunSetFunction(SluiceTaskRun *run, uint32_t task,
                                            void *function);
/// The function of the task that runs on this thread; null if it has none.
SLUICE_EXPORT void *sluiceTaskCurrentFunction(void);

/// Calls a function of a module. Returns 0, or 1 after a call of
/// sluiceTaskError.
SLUICE_EXPORT int32_t sluicePythonCall(SluiceTaskRun *run, const char *module,
                                       const char *function,
                                       const SluicePythonArgument *arguments,
                                       uint32_t count);
/// Assembles form `kernel` of `module`, generated by `generator`, into the
/// dictionary that is the first argument.
SLUICE_EXPORT int32_t sluicePythonAssemble(
    SluiceTaskRun *run, const char *module, const char *generator,
    const char *kernel, const SluicePythonArgument *arguments, uint32_t count);

/// The functions that libSluicePython registers with the runtime when it is
/// loaded.
typedef struct SluicePythonHooks {
  /// Releases the dictionary of a dataset (a PyObject *), under the GIL.
  void (*release)(void *object);
  /// Called by sluiceTaskRunExecute on its thread before the first task starts:
  /// releases the GIL if this thread holds it.
  void *(*begin)(SluiceTaskRun *run);
  /// Called with the result of `begin` when all tasks have ended, successfully
  /// or not: reacquires the GIL, and drops what the run generated.
  void (*end)(SluiceTaskRun *run, void *state);
} SluicePythonHooks;
/// Called by libSluicePython when it is loaded.
SLUICE_EXPORT void sluiceSetPythonHooks(const SluicePythonHooks *hooks);
/// The program of a run, for libSluicePython.
SLUICE_EXPORT const SluiceTaskProgram *sluiceTaskRunProgram(SluiceTaskRun *run);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_C_TASKPROGRAM_H */
