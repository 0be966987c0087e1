//===- RegionsAPI.cpp - The C entry points of programs over regions -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs cannot handle errors of the runtime: each error is printed and ends
// the process.
//
//===----------------------------------------------------------------------===//

#include "Files/FilesAPI.h"
#include "Operators.h"
#include "TableProgram.h"

#include "../Cluster/Failures.h"
#include "../Cluster/OpenCluster.h"
#include "../Execution/KernelCall.h"
#include "../Host/HostAPI.h"

#include "sluice/Base/TableHead.h"
#include "sluice/Base/Text.h"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>
#include <utility>

using namespace sluice;
using namespace sluice::regions;

struct SluiceProgram {
  RegionProgram program;
  /// Not destroyed: tasks may still write when one of them ends the process.
  SharedFiles *files;
};

/// The ranks of a table program while it runs.
static const SluiceCluster *theCluster = nullptr;

/// Converts out-of-memory exceptions to errors.
template <typename Function>
static auto guarded(const char *call, Function &&function) {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    endProcess(std::string(call) + ": no memory");
  }
}

template <typename Function>
static auto valueOf(const char *call, Function &&function) {
  return guarded(call, [&] {
    auto result = function();
    if (!result.ok())
      endProcess(result.status().message());
    return *result;
  });
}

template <typename Function>
static void check(const char *call, Function &&function) {
  guarded(call, [&] {
    Status status = function();
    if (!status.ok())
      endProcess(status.message());
  });
}

static Result<Compact> readCompact() {
  const char *text = std::getenv("SLUICE_COMPACT");
  const std::string_view wanted = text ? text : "";
  if (wanted.empty() || wanted == "auto")
    return Compact::WhereItPays;
  if (wanted == "never")
    return Compact::Never;
  if (wanted == "always")
    return Compact::Always;
  return Status::invalidArgument(
      concat("SLUICE_COMPACT is ", quoted(wanted),
             ", expected 'auto', 'never' or 'always'"));
}

static SluiceProgram *createProgram(const char *name,
                                    const SluiceRegionProgram *table) {
  Runtime *runtime = runtimeIfAny("sluiceProgramCreate");
  return guarded("sluiceProgramCreate", [&] {
    auto *made =
        new SluiceProgram{RegionProgram(name, runtime, wantsCheck(table),
                                        theCluster, checksElements(table)),
                          new SharedFiles(theCluster)};
    made->program.useFiles(made->files);
    made->program.chooseCompact(valueOf("sluiceProgramCreate", readCompact));
    CheckpointSettings checkpoints =
        valueOf("sluiceProgramCreate", CheckpointSettings::fromEnvironment);
    if (theCluster)
      check("sluiceProgramCreate",
            [&] { return checkpoints.compare(*theCluster); });
    if (!checkpoints.folder.empty())
      check("sluiceProgramCreate", [&] {
        return made->program.useCheckpoints(std::move(checkpoints));
      });
    return made;
  });
}

SluiceProgram *sluiceProgramCreate(const char *name) {
  return createProgram(name, nullptr);
}

void sluiceProgramDestroy(SluiceProgram *program) {
  if (!program)
    return;
  program->program.finish();
  delete program->files;
  delete program;
}

uint32_t sluiceAddRoot(SluiceProgram *program, const char *name, int32_t rank,
                       const int64_t *extents, uint32_t numFields,
                       const SluiceField *fields) {
  return valueOf("sluiceAddRoot", [&] {
    return program->program.addRoot(name, rank, extents, numFields, fields);
  });
}

void *sluiceRootField(SluiceProgram *program, uint32_t root, uint32_t field) {
  return valueOf("sluiceRootField",
                 [&] { return program->program.rootField(root, field); });
}

uint32_t sluiceAddBlocks(SluiceProgram *program, const char *name,
                         uint32_t root, uint32_t parent, int64_t parentColor,
                         int32_t rank, const int64_t *colors) {
  return valueOf("sluiceAddBlocks", [&] {
    return program->program.addBlocks(name, root, parent, parentColor, rank,
                                      colors);
  });
}

uint32_t sluiceAddHalos(SluiceProgram *program, const char *name,
                        uint32_t partition, const int64_t *width,
                        int32_t corners) {
  return valueOf("sluiceAddHalos", [&] {
    return program->program.addHalos(name, partition, width, corners != 0);
  });
}

uint32_t sluiceAddPeriodicHalos(SluiceProgram *program, const char *name,
                                uint32_t partition, const int64_t *width,
                                int32_t corners, uint32_t periodic) {
  return valueOf("sluiceAddPeriodicHalos", [&] {
    return program->program.addHalos(name, partition, width, corners != 0,
                                     periodic);
  });
}

uint32_t sluiceAddBlocksOfEach(SluiceProgram *program, const char *name,
                               uint32_t partition, int32_t rank,
                               const int64_t *colors) {
  return valueOf("sluiceAddBlocksOfEach", [&] {
    return program->program.addBlocksOfEach(name, partition, rank, colors);
  });
}

uint32_t sluiceAddCross(SluiceProgram *program, const char *name, uint32_t left,
                        uint32_t right) {
  return valueOf("sluiceAddCross",
                 [&] { return program->program.addCross(name, left, right); });
}

uint32_t sluiceAddByMap(SluiceProgram *program, const char *name, uint32_t root,
                        const SluiceElementCoordinate *map, int32_t rank,
                        const int64_t *colors) {
  return valueOf("sluiceAddByMap", [&] {
    return program->program.addByMap(name, root, map, rank, colors);
  });
}

uint32_t sluiceAddMappedImage(SluiceProgram *program, const char *name,
                              uint32_t root, uint32_t source,
                              const SluiceElementCoordinate *map) {
  return valueOf("sluiceAddMappedImage", [&] {
    return program->program.addMappedImage(name, root, source, map);
  });
}

uint32_t sluiceAddMappedPreimage(SluiceProgram *program, const char *name,
                                 uint32_t root,
                                 const SluiceElementCoordinate *map,
                                 uint32_t target) {
  return valueOf("sluiceAddMappedPreimage", [&] {
    return program->program.addMappedPreimage(name, root, map, target);
  });
}

uint32_t sluiceAddImageOfRanges(SluiceProgram *program, const char *name,
                                uint32_t root, uint32_t source, uint32_t first,
                                uint32_t last) {
  return valueOf("sluiceAddImageOfRanges", [&] {
    return program->program.addImageOfRanges(name, root, source, first, last);
  });
}

uint32_t sluiceAddPreimageOfRanges(SluiceProgram *program, const char *name,
                                   uint32_t root, uint32_t first, uint32_t last,
                                   uint32_t target) {
  return valueOf("sluiceAddPreimageOfRanges", [&] {
    return program->program.addPreimageOfRanges(name, root, first, last,
                                                target);
  });
}

uint32_t sluiceAddCombinedWith(SluiceProgram *program, const char *name,
                               SluiceSetOperation operation, uint32_t left,
                               SluiceRegionPart right) {
  return valueOf("sluiceAddCombinedWith", [&] {
    return program->program.addCombinedWith(name, operation, left, right);
  });
}

uint32_t sluiceAddColoring(SluiceProgram *program, const char *name,
                           uint32_t root, uint32_t parent, int64_t parentColor,
                           int32_t rank, const int64_t *colors,
                           void (*coloring)(const int64_t *color,
                                            SluiceColoring *elements)) {
  return valueOf("sluiceAddColoring", [&] {
    return program->program.addColoring(name, root, parent, parentColor, rank,
                                        colors, coloring);
  });
}

uint32_t sluiceAddByField(SluiceProgram *program, const char *name,
                          uint32_t root, uint32_t field, int32_t rank,
                          const int64_t *colors) {
  return valueOf("sluiceAddByField", [&] {
    return program->program.addByField(name, root, field, rank, colors);
  });
}

uint32_t sluiceAddImage(SluiceProgram *program, const char *name, uint32_t root,
                        uint32_t source, uint32_t field) {
  return valueOf("sluiceAddImage", [&] {
    return program->program.addImage(name, root, source, field);
  });
}

uint32_t sluiceAddPreimage(SluiceProgram *program, const char *name,
                           uint32_t root, uint32_t field, uint32_t target) {
  return valueOf("sluiceAddPreimage", [&] {
    return program->program.addPreimage(name, root, field, target);
  });
}

uint32_t sluiceAddCombined(SluiceProgram *program, const char *name,
                           SluiceSetOperation operation, uint32_t left,
                           uint32_t right) {
  return valueOf("sluiceAddCombined", [&] {
    return program->program.addCombined(name, operation, left, right);
  });
}

void sluicePromise(SluiceProgram *program, uint32_t partition,
                   int32_t isDisjoint, int32_t isComplete) {
  check("sluicePromise", [&] {
    return program->program.promise(partition, isDisjoint != 0,
                                    isComplete != 0);
  });
}

void sluiceConstrain(SluiceProgram *program, int32_t isDisjoint,
                     SluiceRegionPart first, SluiceRegionPart second) {
  check("sluiceConstrain", [&] {
    return program->program.constrain(isDisjoint != 0, first, second);
  });
}

int64_t sluiceColorsOf(SluiceProgram *program, uint32_t partition,
                       int32_t *rank, int64_t *extents) {
  const RootPartition *found = valueOf("sluiceColorsOf", [&] {
    return program->program.findPartition(partition, "sluiceColorsOf");
  });
  *rank = found->colors.rank;
  std::copy_n(found->colors.extent, SLUICE_MAX_RANK, extents);
  return found->numColors();
}

const SluiceDomain *sluiceElementsOf(SluiceProgram *program,
                                     SluiceRegionPart part) {
  return valueOf("sluiceElementsOf",
                 [&] { return program->program.elementsOf(part); });
}

void sluiceDealColors(SluiceProgram *program, uint32_t partition,
                      uint32_t numRanks, uint32_t *ranks) {
  check("sluiceDealColors", [&] {
    return program->program.dealColors(partition, numRanks, ranks);
  });
}

int64_t sluicePlanReduction(SluiceProgram *program, uint32_t root,
                            uint32_t field, const SluiceReduction *reduction,
                            int64_t numPoints, uint32_t numReducers,
                            const SluiceReducer *reducers, uint8_t *isShared,
                            int32_t *isTiny) {
  return valueOf("sluicePlanReduction", [&] {
    return program->program.planReduction(root, field, *reduction, numPoints,
                                          {reducers, numReducers}, isShared,
                                          isTiny);
  });
}

void sluiceResetValues(const SluiceReduction *reduction, SluiceElementType type,
                       void *values, int64_t count) {
  Operator(*reduction, type, 1).reset(values, count);
}

void sluiceFoldValues(const SluiceReduction *reduction, SluiceElementType type,
                      void *into, void *values, int64_t count) {
  Operator(*reduction, type, 1).foldAndReset(into, values, count);
}

void sluiceBeginGraph(SluiceProgram *program, const char *name) {
  check("sluiceBeginGraph", [&] { return program->program.beginGraph(name); });
}

void sluiceAddStatement(SluiceProgram *program,
                        const SluiceStatement *statement) {
  check("sluiceAddStatement",
        [&] { return program->program.addStatement(*statement); });
}

void sluiceAddCopy(SluiceProgram *program, const SluiceArgument *from,
                   const SluiceArgument *to, int32_t rank,
                   const int64_t *extents) {
  check("sluiceAddCopy",
        [&] { return program->program.addCopy(*from, *to, rank, extents); });
}

void sluiceAddFill(SluiceProgram *program, const SluiceArgument *to,
                   const void *value, int32_t rank, const int64_t *extents) {
  check("sluiceAddFill",
        [&] { return program->program.addFill(*to, value, rank, extents); });
}

void sluiceBeginLoop(SluiceProgram *program, int64_t count,
                     uint32_t whileRoot) {
  check("sluiceBeginLoop",
        [&] { return program->program.beginLoop(count, whileRoot); });
}

void sluiceBeginUnless(SluiceProgram *program, uint32_t root) {
  check("sluiceBeginUnless",
        [&] { return program->program.beginUnless(root); });
}

void sluiceEndLoop(SluiceProgram *program) {
  check("sluiceEndLoop", [&] { return program->program.endLoop(); });
}

void sluiceEndGraph(SluiceProgram *program) {
  check("sluiceEndGraph", [&] { return program->program.endGraph(); });
}

SluiceProgram *sluiceCreateRegions(const SluiceRegionProgram *table) {
  check("sluiceCreateRegions", [&] { return checkTable(*table); });
  SluiceProgram *program = createProgram(table->name, table);
  if (!theCluster || theCluster->rank == 0)
    sayWhatIsNotDone(*table);
  check("sluiceCreateRegions",
        [&] { return TableProgram(*table, program->program).addRoots(); });
  return program;
}

void sluiceRunSteps(SluiceProgram *program, const SluiceRegionProgram *table) {
  TableProgram reader(*table, program->program);
  check("sluiceRunSteps", [&] { return reader.runAll(); });
}

/// A rank that ends early ends the other ranks, which would wait for it. Ranks
/// of a simulation are in this process.
static void endOtherRanks(int status, void *) {
  if (theCluster && !theCluster->wait)
    endAllRanks(*theCluster, status, endsByError());
}

int sluiceRunRegions(const SluiceRegionProgram *table, int argc, char **argv) {
  check("sluiceRunRegions", [&] { return checkTable(*table); });
  setParameters(*table, argc, argv);
  theCluster = valueOf("sluiceRunRegions", openCluster);
  if (theCluster) {
    on_exit(endOtherRanks, nullptr);
    initRank(theCluster->rank, theCluster->numProcessors);
    joinTraces(*theCluster);
  } else {
    sluiceInit();
  }
  sayWhatCrashes(theCluster != nullptr);
  SluiceProgram *program = sluiceCreateRegions(table);
  sluiceRunSteps(program, table);
  sluiceProgramDestroy(program);
  sluiceCleanup();
  if (const SluiceCluster *cluster = std::exchange(theCluster, nullptr))
    closeCluster(*cluster);
  return 0;
}
