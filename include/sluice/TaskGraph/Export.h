//===- Export.h - Exported symbols of libSluiceTaskGraph.so ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library hides everything except the classes and functions marked here,
// also in programs that are compiled with -fvisibility=hidden.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TASKGRAPH_EXPORT_H
#define SLUICE_TASKGRAPH_EXPORT_H

/// Marks exported symbols.
#define SLUICE_API __attribute__((visibility("default")))

#endif // SLUICE_TASKGRAPH_EXPORT_H
