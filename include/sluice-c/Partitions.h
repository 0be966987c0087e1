//===- Partitions.h - Roots, their partitions, and operators --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data of programs over regions: memory that is divided into parts, exact
// to the element, and operators that reduce into it. Regions.h runs tasks on
// this data; programs generated for other runtimes use their own task
// interfaces.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_PARTITIONS_H
#define SLUICE_C_PARTITIONS_H

#include "sluice-c/Runtime.h"
#include "sluice-c/Tasks.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A program; owns its roots' memory. Only one thread at a time may use it.
typedef struct SluiceProgram SluiceProgram;

/// Types of fields.
typedef enum SluiceElementType {
  SLUICE_I8,
  SLUICE_I16,
  SLUICE_I32,
  SLUICE_I64,
  SLUICE_F32,
  SLUICE_F64
} SluiceElementType;

/// Reduction operators on element types; CUSTOM has its own functions.
typedef enum SluiceReductionKind {
  SLUICE_REDUCE_SUM,
  SLUICE_REDUCE_PRODUCT,
  SLUICE_REDUCE_MIN,
  SLUICE_REDUCE_MAX,
  SLUICE_REDUCE_AND,
  SLUICE_REDUCE_OR,
  SLUICE_REDUCE_XOR,
  SLUICE_REDUCE_CUSTOM
} SluiceReductionKind;

/// An operator.
typedef struct SluiceReduction {
  SluiceReductionKind kind; ///< the operator
  /// CUSTOM: one value, the identity of the operator.
  const void *identity;
  /// CUSTOM: `into = into (op) value` for one value of the field. Arrays in
  /// elements are reduced value by value.
  void (*fold)(void *into, const void *value);
} SluiceReduction;

/// One field of a root: `count` values of `type` per element (an array in each
/// element where count > 1).
typedef struct SluiceField {
  const char *name;       ///< for messages
  SluiceElementType type; ///< of its values
  uint32_t count;         ///< values per element
} SluiceField;

/// SLUICE_NO_PARTITION as a partition: the whole root; as a projection: the
/// identity.
#define SLUICE_NO_PARTITION UINT32_MAX

/// Creates a program; never returns null. Like all functions below, it ends the
/// process if memory is out or on misuse, with a message that names the root,
/// field and sizes. Graphs need an earlier sluiceInit.
SLUICE_EXPORT SluiceProgram *sluiceProgramCreate(const char *name);
/// Destroys a program and its memory.
SLUICE_EXPORT void sluiceProgramDestroy(SluiceProgram *program);

/// Adds a root with `rank` extents. Its memory is zero-initialized. Returns the
/// number of the root; roots count from 0.
SLUICE_EXPORT uint32_t sluiceAddRoot(SluiceProgram *program, const char *name,
                                     int32_t rank, const int64_t *extents,
                                     uint32_t numFields,
                                     const SluiceField *fields);
/// The memory of a field, row-major; valid as long as the program.
SLUICE_EXPORT void *sluiceRootField(SluiceProgram *program, uint32_t root,
                                    uint32_t field);

/// These functions add partitions of a root, or of a color of another partition
/// (`parent` may be SLUICE_NO_PARTITION). The colors have `rank` extents. The
/// functions return the number of the partition; partitions count from 0 over
/// the whole program.
///
/// Equal blocks: color c has the elements c*n/colors .. (c+1)*n/colors of each
/// dimension of the parent's box.
SLUICE_EXPORT uint32_t sluiceAddBlocks(SluiceProgram *program, const char *name,
                                       uint32_t root, uint32_t parent,
                                       int64_t parentColor, int32_t rank,
                                       const int64_t *colors);
/// Extends each color of `partition` by `width[d]` elements on both sides of
/// each dimension, within the root. With `corners` 0, only along the axes (a
/// cross), else to the box.
SLUICE_EXPORT uint32_t sluiceAddHalos(SluiceProgram *program, const char *name,
                                      uint32_t partition, const int64_t *width,
                                      int32_t corners);
/// The same if the first elements of dimension d follow its last ones wherever
/// bit d of `periodic` is set.
SLUICE_EXPORT uint32_t sluiceAddPeriodicHalos(
    SluiceProgram *program, const char *name, uint32_t partition,
    const int64_t *width, int32_t corners, uint32_t periodic);
/// Equal blocks of each color of `partition`. `colors`: its extents, then the
/// numbers of blocks in the first dimensions of the root.
SLUICE_EXPORT uint32_t sluiceAddBlocksOfEach(SluiceProgram *program,
                                             const char *name,
                                             uint32_t partition, int32_t rank,
                                             const int64_t *colors);
/// The elements that a color of `left` and one of `right` have in common; the
/// colors are those of `left`, then those of `right`.
SLUICE_EXPORT uint32_t sluiceAddCross(SluiceProgram *program, const char *name,
                                      uint32_t left, uint32_t right);
/// A coordinate that follows from those of an element: the sum of `offset` and
/// each coordinate times its factor, divided by `divisor` (at least 1) and
/// rounded down, and then, if `modulus` is not 0, its remainder, which is not
/// negative. All numbers are smaller than 2^60.
typedef struct SluiceElementCoordinate {
  int64_t factors[SLUICE_MAX_RANK]; ///< of the coordinates
  int64_t offset;                   ///< what is added to their sum
  int64_t divisor;                  ///< at least 1
  int64_t modulus;                  ///< at least 1, or 0 for none
} SluiceElementCoordinate;
/// Element e has the color with the computed coordinates, one for each
/// dimension of colors; an element without such a color has none.
SLUICE_EXPORT uint32_t sluiceAddByMap(SluiceProgram *program, const char *name,
                                      uint32_t root,
                                      const SluiceElementCoordinate *map,
                                      int32_t rank, const int64_t *colors);
/// Color c: the elements of `root` with the coordinates that are computed from
/// the elements in color c of `source`.
SLUICE_EXPORT uint32_t sluiceAddMappedImage(SluiceProgram *program,
                                            const char *name, uint32_t root,
                                            uint32_t source,
                                            const SluiceElementCoordinate *map);
/// Color c: the elements of `root` from which the coordinates of an element in
/// color c of `target` are computed.
SLUICE_EXPORT uint32_t
sluiceAddMappedPreimage(SluiceProgram *program, const char *name, uint32_t root,
                        const SluiceElementCoordinate *map, uint32_t target);
/// Color c has the elements that `coloring` adds. `coloring` is called for each
/// color, in any order, possibly more than once.
SLUICE_EXPORT uint32_t sluiceAddColoring(
    SluiceProgram *program, const char *name, uint32_t root, uint32_t parent,
    int64_t parentColor, int32_t rank, const int64_t *colors,
    void (*coloring)(const int64_t *color, SluiceColoring *elements));
/// Element e has color field[e], an integer; other values mean no color.
SLUICE_EXPORT uint32_t sluiceAddByField(SluiceProgram *program,
                                        const char *name, uint32_t root,
                                        uint32_t field, int32_t rank,
                                        const int64_t *colors);
/// Color c: the elements of `root` whose linear positions are the values of
/// `field` in the elements of color c of `source`; -1 names no element.
SLUICE_EXPORT uint32_t sluiceAddImage(SluiceProgram *program, const char *name,
                                      uint32_t root, uint32_t source,
                                      uint32_t field);
/// Color c: the elements of `root` whose `field` names an element in color c
/// of `target`.
SLUICE_EXPORT uint32_t sluiceAddPreimage(SluiceProgram *program,
                                         const char *name, uint32_t root,
                                         uint32_t field, uint32_t target);
/// As the end of ranges: the value of the first field in the next element. The
/// last element of a root has no range then.
#define SLUICE_NEXT_ELEMENT UINT32_MAX
/// The same as images and preimages if an element names all elements from the
/// value of `first` up to that of `last`; a range that begins at -1, or ends
/// where it begins or before, is empty.
///@{
SLUICE_EXPORT uint32_t sluiceAddImageOfRanges(SluiceProgram *program,
                                              const char *name, uint32_t root,
                                              uint32_t source, uint32_t first,
                                              uint32_t last);
SLUICE_EXPORT uint32_t sluiceAddPreimageOfRanges(SluiceProgram *program,
                                                 const char *name,
                                                 uint32_t root, uint32_t first,
                                                 uint32_t last,
                                                 uint32_t target);
///@}
/// Operations on sets of elements.
typedef enum SluiceSetOperation {
  SLUICE_UNION,
  SLUICE_INTERSECTION,
  SLUICE_DIFFERENCE
} SluiceSetOperation;
/// Applies the operation color by color.
SLUICE_EXPORT uint32_t sluiceAddCombined(SluiceProgram *program,
                                         const char *name,
                                         SluiceSetOperation operation,
                                         uint32_t left, uint32_t right);
/// Checks the promises about a partition on its elements. On a violation, ends
/// the process and reports two colors and an element that violate a promise.
SLUICE_EXPORT void sluicePromise(SluiceProgram *program, uint32_t partition,
                                 int32_t isDisjoint, int32_t isComplete);

/// A root, a partition as a whole (color -1), or a color.
typedef struct SluiceRegionPart {
  uint32_t root;      ///< number of the root
  uint32_t partition; ///< or SLUICE_NO_PARTITION
  int64_t color;      ///< linear, or -1
} SluiceRegionPart;
/// Applies the operation to each color of `left` and the same part.
SLUICE_EXPORT uint32_t sluiceAddCombinedWith(SluiceProgram *program,
                                             const char *name,
                                             SluiceSetOperation operation,
                                             uint32_t left,
                                             SluiceRegionPart right);
/// Checks that two parts of one root share no element or, with `isDisjoint` 0,
/// that all elements of the first are in the second. On a violation, ends the
/// process and reports an element.
SLUICE_EXPORT void sluiceConstrain(SluiceProgram *program, int32_t isDisjoint,
                                   SluiceRegionPart first,
                                   SluiceRegionPart second);

/// Returns the number of a partition's colors, and sets the rank of the color
/// space and its extent in each dimension.
SLUICE_EXPORT int64_t sluiceColorsOf(SluiceProgram *program, uint32_t partition,
                                     int32_t *rank, int64_t *extents);
/// The elements of a part; valid as long as the program.
SLUICE_EXPORT const SluiceDomain *sluiceElementsOf(SluiceProgram *program,
                                                   SluiceRegionPart part);

/// Sets `count` values to the identity of an operator.
SLUICE_EXPORT void sluiceResetValues(const SluiceReduction *reduction,
                                     SluiceElementType type, void *values,
                                     int64_t count);
/// into[i] = into[i] (op) values[i] for `count` values, which are then set to
/// the identity.
SLUICE_EXPORT void sluiceFoldValues(const SluiceReduction *reduction,
                                    SluiceElementType type, void *into,
                                    void *values, int64_t count);

/// For programs that share their data among several processes by other means
/// and should behave as Sluice's runtime does on several ranks.
///
/// Sets ranks[c] to the rank, below `numRanks`, that owns color c. Neighbouring
/// colors go to the same rank as far as the ranks' shares stay equal.
SLUICE_EXPORT void sluiceDealColors(SluiceProgram *program, uint32_t partition,
                                    uint32_t numRanks, uint32_t *ranks);

/// An argument through which the points of a launch reduce to a field.
typedef struct SluiceReducer {
  uint32_t partition;    ///< or SLUICE_NO_PARTITION: the whole root
  const int64_t *colors; ///< linear color of each point; null: all colors
} SluiceReducer;
/// If there are more tiny copies than this, groups of this many consecutive
/// copies are first folded into the first copy of the group, repeatedly.
#define SLUICE_FOLD_WIDTH 64
/// Plans the folding on the elements of the colors, so that the result is
/// bitwise equal to that of Sluice's runtime. Returns the number of groups.
/// Point p folds into a copy of group p * groups / numPoints, which is
/// initially the identity, in the order of points; then the copies are folded
/// into the root in the order of groups. isShared[r * numPoints + p] is set to
/// 0 if point p folds in place through reducer r; with 0 groups, all points do.
/// `isTiny` is set to 1 if each copy has all elements that points share.
SLUICE_EXPORT int64_t sluicePlanReduction(
    SluiceProgram *program, uint32_t root, uint32_t field,
    const SluiceReduction *reduction, int64_t numPoints, uint32_t numReducers,
    const SluiceReducer *reducers, uint8_t *isShared, int32_t *isTiny);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_C_PARTITIONS_H */
