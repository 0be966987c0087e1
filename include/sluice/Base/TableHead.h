//===- TableHead.h - Kinds of tables and checks of their heads ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler writes the heads of tables and the runtime checks them from the
// same list (sluice-c/Table.h).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BASE_TABLEHEAD_H
#define SLUICE_BASE_TABLEHEAD_H

#include "sluice-c/Cluster.h"
#include "sluice-c/Plan.h"
#include "sluice-c/RegionProgram.h"
#include "sluice-c/TaskProgram.h"
#include "sluice/Base/Status.h"

#include <cstdint>
#include <iterator>
#include <string_view>

namespace sluice {

/// The contents of the heads of tables of one type.
template <typename Table> struct TableKind;

#define SLUICE_STRUCTURE_NAME(STRUCTURE) #STRUCTURE,
#define SLUICE_STRUCTURE_SIZE(STRUCTURE) sizeof(STRUCTURE),
#define SLUICE_TABLE_KIND(TABLE, KIND, NAME)                                   \
  template <> struct TableKind<TABLE> {                                        \
    static constexpr std::string_view name = NAME;                             \
    static constexpr uint64_t magic = SLUICE_##KIND##_MAGIC;                   \
    static constexpr const char *structures[] = {                              \
        SLUICE_##KIND##_STRUCTURES(SLUICE_STRUCTURE_NAME)};                    \
    static constexpr uint32_t sizes[] = {                                      \
        SLUICE_##KIND##_STRUCTURES(SLUICE_STRUCTURE_SIZE)};                    \
  };
SLUICE_TABLE_KIND(SluicePlan, PLAN, "plan")
SLUICE_TABLE_KIND(SluiceLayout, LAYOUT, "layout of a launch")
SLUICE_TABLE_KIND(SluiceDeviceModule, DEVICE_MODULE, "device module")
SLUICE_TABLE_KIND(SluiceTaskProgram, TASK_PROGRAM, "task graph")
SLUICE_TABLE_KIND(SluiceRegionProgram, REGION_PROGRAM, "program over regions")
SLUICE_TABLE_KIND(SluiceCluster, CLUSTER, "library of a cluster")
#undef SLUICE_TABLE_KIND
#undef SLUICE_STRUCTURE_SIZE
#undef SLUICE_STRUCTURE_NAME

/// The head of a table for this version of Sluice.
template <typename Table>
inline constexpr SluiceTableHead tableHead = {
    TableKind<Table>::magic, SLUICE_TABLE_VERSION,
    std::size(TableKind<Table>::sizes), TableKind<Table>::sizes};

/// An error that names the difference, if `found` differs from `expected`.
Status checkTableHead(std::string_view kind, const SluiceTableHead &found,
                      const SluiceTableHead &expected,
                      const char *const *structures);

/// An error if the table is not of this version of Sluice. Check this before
/// reading anything else in the table.
template <typename Table> Status checkTable(const Table &table) {
  using Kind = TableKind<Table>;
  return checkTableHead(Kind::name, table.head, tableHead<Table>,
                        Kind::structures);
}

} // namespace sluice

#endif // SLUICE_BASE_TABLEHEAD_H
