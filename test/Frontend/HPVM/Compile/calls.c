// Every function of HPVM-C becomes its intrinsic; types follow the intrinsic.
//
// RUN: sluice-translate %s --print=canonical | FileCheck %s

#include <hpvm.h>

// CHECK-LABEL: define {{.*}} @queries(
// CHECK: %[[NODE:.*]] = call ptr @llvm.hpvm.getNode()
// CHECK: %[[PARENT:.*]] = call ptr @llvm.hpvm.getParentNode(ptr %[[NODE]])
// CHECK: call i64 @llvm.hpvm.getNodeInstanceID.x(ptr %[[NODE]])
// CHECK: call i64 @llvm.hpvm.getNodeInstanceID.y(ptr %[[NODE]])
// CHECK: call i64 @llvm.hpvm.getNodeInstanceID.z(ptr %[[NODE]])
// CHECK: call i64 @llvm.hpvm.getNumNodeInstances.x(ptr %[[PARENT]])
// CHECK: call i64 @llvm.hpvm.getNumNodeInstances.y(ptr %[[PARENT]])
// CHECK: call i64 @llvm.hpvm.getNumNodeInstances.z(ptr %[[PARENT]])
// CHECK: call i32 @llvm.hpvm.getNumDims(ptr %[[NODE]])
void queries(long *out, size_t bytes) {
  __hpvm__hint(CPU_OR_GPU_TARGET);
  __hpvm__attributes(0, 1, out);
  void *node = __hpvm__getNode();
  void *parent = __hpvm__getParentNode(node);
  out[0] = __hpvm__getNodeInstanceID_x(node);
  out[1] = __hpvm__getNodeInstanceID_y(node);
  out[2] = __hpvm__getNodeInstanceID_z(node);
  out[3] = __hpvm__getNumNodeInstances_x(parent);
  out[4] = __hpvm__getNumNodeInstances_y(parent);
  out[5] = __hpvm__getNumNodeInstances_z(parent);
  out[6] = __hpvm__getNumDims(node);
}

// CHECK-LABEL: define {{.*}} @work(
// CHECK: call ptr @llvm.hpvm.malloc(i64 %{{.*}})
// CHECK: call i32 @llvm.hpvm.atomic.add(ptr %m, i32 1)
// CHECK: call i32 @llvm.hpvm.atomic.sub(ptr %m, i32 2)
// CHECK: call i32 @llvm.hpvm.atomic.xchg(ptr %m, i32 3)
// CHECK: call i32 @llvm.hpvm.atomic.min(ptr %m, i32 4)
// CHECK: call i32 @llvm.hpvm.atomic.max(ptr %m, i32 5)
// CHECK: call i32 @llvm.hpvm.atomic.umin(ptr %m, i32 6)
// CHECK: call i32 @llvm.hpvm.atomic.umax(ptr %m, i32 7)
// CHECK: call i32 @llvm.hpvm.atomic.and(ptr %m, i32 8)
// CHECK: call i32 @llvm.hpvm.atomic.or(ptr %m, i32 9)
// CHECK: call i32 @llvm.hpvm.atomic.xor(ptr %m, i32 10)
// CHECK: call i32 @llvm.hpvm.atomic.inc(ptr %m)
// CHECK: call i32 @llvm.hpvm.atomic.dec(ptr %m)
// CHECK: call i32 @llvm.hpvm.atomic.cmpxchg(ptr %m, i32 11, i32 12)
// CHECK: %[[SEEN:.*]] = call i32 @llvm.hpvm.atomic.load(ptr %m)
// CHECK: call void @llvm.hpvm.atomic.store(ptr %m, i32 %[[SEEN]])
// CHECK: call i64 @llvm.hpvm.atomic.load.i64(ptr %l)
// CHECK: call void @llvm.hpvm.atomic.store.i64(ptr %l, i64
// CHECK: call float @llvm.hpvm.atomic.load.f32(ptr %f)
// CHECK: call void @llvm.hpvm.atomic.store.f32(ptr %f, float
// CHECK: call double @llvm.hpvm.atomic.load.f64(ptr %d)
// CHECK: call void @llvm.hpvm.atomic.store.f64(ptr %d, double
// CHECK: call i64 @llvm.hpvm.atomic.add.i64(ptr %l, i64 13)
// CHECK: call i64 @llvm.hpvm.atomic.umax.i64(ptr %l, i64 14)
// CHECK: call float @llvm.hpvm.atomic.add.f32(ptr %f, float 1.5{{.*}})
// CHECK: call double @llvm.hpvm.atomic.add.f64(ptr %d, double 2.5{{.*}})
// CHECK: call void @llvm.hpvm.barrier() [[BARRIER:#[0-9]+]]
// CHECK: call float @llvm.floor.f32
// CHECK: call float @llvm.sqrt.f32
// CHECK: %[[ROOT:.*]] = call float @llvm.sqrt.f32
// CHECK: fdiv float 1.000000e+00, %[[ROOT]]
// CHECK: call float @llvm.sin.f32
// CHECK: call float @llvm.cos.f32
void work(int *m, size_t mBytes, long *l, size_t lBytes, float *f,
          size_t fBytes, double *d, size_t dBytes) {
  __hpvm__attributes(4, m, l, f, d, 4, m, l, f, d);
  __hpvm__hint(CPU_TARGET);
  char *shared = __hpvm__malloc(mBytes);
  __hpvm__atomic_add(m, 1);
  __hpvm__atomic_sub(m, 2);
  __hpvm__atomic_xchg(m, 3);
  __hpvm__atomic_min(m, 4);
  __hpvm__atomic_max(m, 5);
  __hpvm__atomic_umin(m, 6);
  __hpvm__atomic_umax(m, 7);
  __hpvm__atomic_and(m, 8);
  __hpvm__atomic_or(m, 9);
  __hpvm__atomic_xor(m, 10);
  __hpvm__atomic_inc(m);
  __hpvm__atomic_dec(m);
  __hpvm__atomic_cmpxchg(m, 11, 12);
  __hpvm__atomic_store(m, __hpvm__atomic_load(m));
  __hpvm__atomic_store_i64(l, __hpvm__atomic_load_i64(l));
  __hpvm__atomic_store_f32(f, __hpvm__atomic_load_f32(f));
  __hpvm__atomic_store_f64(d, __hpvm__atomic_load_f64(d));
  __hpvm__atomic_add_i64(l, 13);
  __hpvm__atomic_umax_i64(l, 14);
  __hpvm__atomic_add_f32(f, 1.5f);
  __hpvm__atomic_add_f64(d, 2.5);
  __hpvm__barrier();
  shared[0] = 0;
  f[1] = __hpvm__floor(f[0]);
  f[2] = __hpvm__sqrt(f[0]);
  f[3] = __hpvm__rsqrt(f[0]);
  f[4] = __hpvm__sin(f[0]);
  f[5] = __hpvm__cos(f[0]);
  __hpvm__return(1, mBytes);
}

// Extents are i64 by their own signedness. An output bind names the child's
// output first.
// CHECK-LABEL: define {{.*}}{ {}, i64 } @graph(
// CHECK: %[[A:.*]] = call ptr @llvm.hpvm.createNode(ptr @work)
// CHECK: %[[WIDE:.*]] = sext i32 %n to i64
// CHECK: call ptr @llvm.hpvm.createNode1D(ptr @queries, i64 %[[WIDE]])
// CHECK: %[[ZERO:.*]] = zext i32 %u to i64
// CHECK: call ptr @llvm.hpvm.createNode2D(ptr @queries, i64 %[[ZERO]], i64 7)
// CHECK: %[[D:.*]] = call ptr @llvm.hpvm.createNode3D(ptr @queries, i64 1, i64 2, i64 %{{.*}})
// CHECK: call ptr @llvm.hpvm.createEdge(ptr %[[A]], ptr %[[D]], i1 true, i32 0, i32 1, i1 false)
// CHECK: call void @llvm.hpvm.bind.input(ptr %[[D]], i32 2, i32 0, i1 true)
// CHECK: call void @llvm.hpvm.bind.output(ptr %[[A]], i32 0, i32 1, i1 false)
// CHECK: ret { {}, i64 } undef
void graph(int n, unsigned u, long *out, size_t bytes, short small) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, out);
  void *a = __hpvm__createNodeND(0, work);
  __hpvm__createNodeND(1, queries, n);
  __hpvm__createNodeND(2, &queries, u, 7);
  void *d = __hpvm__createNodeND(3, (void *)queries, 1u, 2L, small);
  __hpvm__edge(a, d, HPVM_ALL_TO_ALL, 0, 1, HPVM_NONSTREAMING);
  __hpvm__bindIn(d, 2, 0, 2);
  __hpvm__bindOut(a, 0, 1, 0);
}

// CHECK-LABEL: define {{.*}} @main(
// CHECK: call void @llvm.hpvm.init()
// CHECK: call void @llvm_hpvm_track_mem(
// CHECK: call void @llvm.hpvm.trackMemory(ptr %{{.*}}, i64 8)
// CHECK: %[[GRAPH:.*]] = call ptr @llvm.hpvm.launch(ptr @graph, ptr %{{.*}}, i1 true)
// CHECK: call void @llvm.hpvm.push(ptr %[[GRAPH]], ptr %{{.*}})
// CHECK: call ptr @llvm.hpvm.pop(ptr %[[GRAPH]])
// CHECK: call void @llvm.hpvm.wait(ptr %[[GRAPH]])
// CHECK: call void @llvm.hpvm.requestMemory(ptr %{{.*}}, i64 8)
// CHECK: call void @llvm.hpvm.untrackMemory(ptr %{{.*}})
// CHECK: call ptr @llvm.hpvm.launch(ptr @graph, ptr null, i1 false)
// CHECK: call void @llvm.hpvm.cleanup()
int main(void) {
  long memory, arguments[9] = {0};
  __hpvm__init();
  llvm_hpvm_track_mem(&memory, sizeof memory);
  __hpvm__trackMemory(&memory, sizeof memory);
  void *handle = __hpvm__launch(1, graph, (void *)arguments);
  __hpvm__push(handle, arguments);
  __hpvm__pop(handle);
  __hpvm__wait(handle);
  __hpvm__requestMemory(&memory, sizeof memory);
  __hpvm__untrackMemory(&memory);
  __hpvm__wait(__hpvm__launch(0, graph, NULL));
  __hpvm__cleanup();
  return 0;
}

// CHECK-NOT: __hpvm__
// CHECK: attributes [[BARRIER]] = { convergent noduplicate }
// CHECK: !hpvm_hint_cpu_gpu = !{![[QUERIES:[0-9]+]]}
// CHECK: ![[QUERIES]] = !{ptr @queries}
