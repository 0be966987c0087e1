// Only partitions whose colors statements name are listed element by element, by
// themselves or as one. Others are made, as halos need them, and as promises are
// checked.
// RUN: sluice build %s --emit=starpu | FileCheck %s
// RUN: sluice build %s --emit=starpu-mpi | FileCheck %s

// CHECK-LABEL: static void create_partition_cut(void) {
// CHECK:         partition_cut.number = number;
// CHECK-NEXT:  }
// CHECK-LABEL: static void create_partition_wide(void) {
// CHECK:         sluiceTakePartition(&partition_wide, &root_g, number);
// CHECK-LABEL: static void create_partition_united(void) {
// CHECK:         partition_united.number = number;
// CHECK-NEXT:    sluiceTakeAll(&partition_united_all, &root_g, number);
// CHECK-LABEL: static void create_partition_own(void) {
// CHECK:         partition_own.number = number;
// CHECK-NEXT:    sluicePromise(
// CHECK-LABEL: int main(
// CHECK-NOT:     sluiceDestroyPartition(&partition_cut);
// CHECK:         sluiceDestroyPartition(&partition_wide);
// CHECK-NEXT:    sluiceDestroyPartition(&partition_united_all);
// CHECK-NOT:     sluiceDestroyPartition(&partition_own);

rdir.root @g [40, 40] {u : i8}
rdir.partition @cut of @g [4, 4] disjoint complete by blocks
rdir.partition @wide of @g [4, 4] aliased complete by halo(@cut, [1, 1])
rdir.partition @united of @g [2, 2] disjoint complete by blocks
rdir.partition @own of @g [2] disjoint incomplete by coloring(@halves)
rdir.graph @main {
  %0 = rdir.region @wide initial
  rdir.task @look over [4, 4] reads(%0)
}
rdir.graph @last {
  %1 = rdir.region @united initial
  rdir.task @all reads(%1)
}
