// get_global_id and its like are queries of the leaf and its parent. Below a
// parent that is not replicated, all instances are one work-group.
//
// RUN: split-file %s %t
// RUN: sluice-translate %t/good.c --print=canonical | FileCheck %s
// RUN: not sluice-translate %t/bad.c --print=canonical 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BAD

//--- good.c
#include <hpvm.h>

// CHECK-LABEL: define {{.*}} @inGroups(
// CHECK: call ptr @llvm.hpvm.getParentNode(
// CHECK: %[[GROUP:.*]] = call i64 @llvm.hpvm.getNodeInstanceID.x(
// CHECK: %[[SIZE:.*]] = call i64 @llvm.hpvm.getNumNodeInstances.x(
// CHECK: %[[PRODUCT:.*]] = mul i64 %[[GROUP]], %[[SIZE]]
// CHECK: %[[LOCAL:.*]] = call i64 @llvm.hpvm.getNodeInstanceID.x(
// CHECK: %[[GLOBAL:.*]] = add i64 %[[PRODUCT]], %[[LOCAL]]
// CHECK: store i64 %[[GLOBAL]], ptr
// CHECK: getParentNode
// CHECK: %[[Y:.*]] = call i64 @llvm.hpvm.getNodeInstanceID.y(
// CHECK: store i64 %[[Y]], ptr
// CHECK: store i64 0, ptr
// CHECK: store i64 1, ptr
void inGroups(long *out, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, out);
  out[0] = get_global_id(0);
  out[1] = get_group_id(1);
  out[2] = get_local_id(2);
  out[3] = get_local_size(2);
}

// CHECK-LABEL: define {{.*}} @alone(
// CHECK-NOT: getParentNode
// CHECK: %[[LOCAL:.*]] = call i64 @llvm.hpvm.getNodeInstanceID.x(
// CHECK: store i64 %[[LOCAL]], ptr
// CHECK: store i64 0, ptr
// CHECK: %[[SIZE:.*]] = call i64 @llvm.hpvm.getNumNodeInstances.x(
// CHECK: store i64 %[[SIZE]], ptr
// CHECK-LABEL: define
void alone(long *out, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, out);
  out[0] = get_global_id(0);
  out[1] = get_group_id(0);
  out[2] = get_local_size(0);
}

void group(long *out, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, out);
  __hpvm__createNodeND(2, inGroups, 4, 5);
}

void root(long *out, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, out);
  __hpvm__createNodeND(2, group, 2, 3);
  __hpvm__createNodeND(1, alone, 6);
}

//--- bad.c
#include <hpvm.h>

void leaf(long *out, size_t bytes, int d) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, out);
  // BAD: bad.c:7:12: error: 'get_global_id' needs a constant dimension from 0 to 2 [opencl-names]
  out[0] = get_global_id(d);
  // BAD: bad.c:9:12: error: 'get_local_id' has no one meaning here: the node is created with different numbers of dimensions [opencl-names]
  out[1] = get_local_id(0);
}

// BAD: bad.c:13: error: node function 'root' says nowhere what it runs on; call '__hpvm__hint' in it [hint]
void root(long *out, size_t bytes, int d) {
  __hpvm__attributes(0, 1, out);
  __hpvm__createNodeND(1, leaf, 2);
  __hpvm__createNodeND(2, leaf, 2, 3);
}

void *start(void *arguments) { return __hpvm__launch(0, root, arguments); }
