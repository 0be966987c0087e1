// A program may declare HPVM-C functions itself, without noexcept: inside a
// try block they are invoked then.
//
// RUN: sluice-translate %s --print=canonical | FileCheck %s

extern "C" {
void __hpvm__hint(int);
void __hpvm__return(unsigned, ...);
void *__hpvm__getNode();
void __hpvm__wait(void *);
}

// CHECK: define {{.*}}{ i32 } @_Z4leafi(i32 %a)
// CHECK: call ptr @llvm.hpvm.getNode()
// CHECK: ret { i32 }
void leaf(int a) {
  __hpvm__hint(1);
  try {
    a += __hpvm__getNode() != nullptr;
    __hpvm__return(1, a);
  } catch (int) {
    throw;
  }
}

// CHECK: define {{.*}} @_Z4hostPv(
// CHECK: call void @llvm.hpvm.wait(
// CHECK-NOT: invoke {{void|ptr}}
void host(void *graph) {
  try {
    __hpvm__wait(graph);
  } catch (int) {
  }
}
