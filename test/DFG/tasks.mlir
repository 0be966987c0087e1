// RUN: sluice-opt %s | FileCheck %s
// RUN: sluice-opt %s | sluice-opt | FileCheck %s
// RUN: sluice-opt %s --mlir-print-op-generic | sluice-opt | FileCheck %s
// RUN: sluice-opt %s --emit-bytecode | sluice-opt | FileCheck %s

// CHECK: dfg.dataset @A : f64 [3, 2] initial(dense<{{.*}}> : tensor<3x2xf64>) printed
dfg.dataset @A : f64 [3, 2]
  initial(dense<[[1.0, -2.0], [3.0, 4.0], [5.0, -6.0]]> : tensor<3x2xf64>)
  printed
// CHECK: dfg.dataset @B : si32 [4, 4] initial(dense<-7> : tensor<4x4xsi32>)
dfg.dataset @B : si32 [4, 4] initial(dense<-7> : tensor<4x4xsi32>)
// CHECK: dfg.dataset @C : ui8 [3, 2]
dfg.dataset @C : ui8 [3, 2]
// CHECK: dfg.dataset @nothing : f32 [0, 7]
dfg.dataset @nothing : f32 [0, 7]
// CHECK: dfg.dataset @point : f32 []
dfg.dataset @point : f32 []

// The limits of scalars.
// CHECK: dfg.scalar @low : si8 = -128
dfg.scalar @low : si8 = -128
// CHECK: dfg.scalar @high : ui8 = 255
dfg.scalar @high : ui8 = 255
// CHECK: dfg.scalar @all : ui64 = -1
dfg.scalar @all : ui64 = -1
// CHECK: dfg.scalar @half : f32 = 5.000000e-01
dfg.scalar @half : f32 = 5.000000e-01
// CHECK: dfg.scalar @infinite : f32 = 0x7FF0000000000000
dfg.scalar @infinite : f32 = 0x7FF0000000000000 : f64
// CHECK: dfg.scalar @found : f64
dfg.scalar @found : f64
// CHECK: dfg.object @state
dfg.object @state

// CHECK: dfg.kernel_source "kern.c" flags(["-O2", "-DN=4"])
dfg.kernel_source "kern.c" flags(["-O2", "-DN=4"])
// CHECK: dfg.kernel_source "libkern.a"
dfg.kernel_source "libkern.a"

// CHECK: dfg.halide_kernel @blur_0 generator("halide_blur") parameters({p1 = "4"}) symbol("halide_blur_4f2a") file("g.mlir.objects/blur.o") hash("{{[0-9a-f]+}}") arguments([
dfg.halide_kernel @blur_0 generator("halide_blur") parameters({p1 = "4"})
  symbol("halide_blur_4f2a") file("g.mlir.objects/blur.o")
  hash("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
  arguments([
    {name = "input", kind = "input", type = f64, dimensions = 2, stride = 1},
    {name = "gain", kind = "scalar", type = f32},
    {name = "blurred", kind = "output", type = f64, dimensions = 2, stride = 0}])

// CHECK-LABEL: dfg.task_graph @matrix python_path("a:b")
dfg.task_graph @matrix python_path("a:b") {
  // CHECK: %mat_invert = dfg.task c "mat_invert"(@A)
  %negate = dfg.task c "mat_invert"(@A)
  // Ranges end behind their last element; clauses come in one order.
  // CHECK: %adding = dfg.task c "mat_add"(@A[0:3:2, 0:2], in @B, out @C[1:1, 0:2]) after(%mat_invert) named("adding") flags(["-O1"]) contiguous returns_status takes_large_sizes takes_any_sign
  %add = dfg.task c "mat_add"(@A[0:3:2, 0:2], in @B, out @C[1:1, 0:2:1])
    after(%negate) takes_any_sign takes_large_sizes flags(["-O1"]) contiguous named("adding")
    returns_status
  // CHECK: dfg.task c "mat_add"(@B[1:4:2, 0:3:2])
  dfg.task c "mat_add"(@B[1:5:2, 0:4:2])
  // CHECK: dfg.task halide "halide_bright"(value @high, in @A, out @C, @found) variants([{p1 = "1"}, {p1 = "4", p2 = "8"}, {}]) writes(["a.bmp"]) reads(["b.bmp", "c.bmp"])
  dfg.task halide "halide_bright"(value @high, in @A, out @C, @found)
    reads(["b.bmp", "c.bmp"]) writes(["a.bmp"])
    variants([{p1 = "1"}, {p1 = "4", p2 = "8"}, {}])
  // CHECK: dfg.task python "solve" of "kern"(@state, in @A, value @low) only_rank0
  dfg.task python "solve" of "kern"(@state, in @A, value @low) only_rank0
  // CHECK: dfg.task fem "a" of "forms"(@state) generator("make")
  dfg.task fem "a" of "forms"(@state) generator("make")
  // CHECK: dfg.task hpvm "root"(@A) source("root.cpp") flags(["-DX"])
  dfg.task hpvm "root"(@A) source("root.cpp") flags(["-DX"])
  // CHECK: dfg.task c "scale" over [64, 64, 2](@point, @nothing) source("s.c")
  dfg.task c "scale" over [64, 64, 2](@point, @nothing) source("s.c")
  // CHECK: dfg.task c "nothing"() after(%mat_invert, %adding) {note = "kept"}
  dfg.task c "nothing"() after(%negate, %add) {note = "kept"}
}

// CHECK-LABEL: dfg.task_graph @empty serial
dfg.task_graph @empty serial {
}
