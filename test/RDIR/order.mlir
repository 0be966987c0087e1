// The orders of a serial program are added where they are missing, and nodes
// are put into the serial order.
// RUN: sluice-opt %s -rdir-add-happens-before | FileCheck %s
// RUN: sluice-opt %s -rdir-add-happens-before -rdir-add-happens-before | FileCheck %s
// RUN: sluice-opt %s -rdir-serialize | FileCheck --check-prefix=SERIAL %s
// RUN: sluice-opt %s -rdir-serialize -rdir-check

// CHECK-LABEL: rdir.graph @readers
// CHECK: %w = rdir.task @write {{.*}} after(%r1, %r2)
// CHECK-LABEL: rdir.graph @body
// CHECK: rdir.loop 2
// CHECK: %w = rdir.task @write {{.*}} after(%r)

// SERIAL-LABEL: rdir.graph @readers
// SERIAL: rdir.region @a initial
// SERIAL: @read1
// SERIAL: @write
// SERIAL: rdir.region @a
// SERIAL: rdir.task @last
// SERIAL-LABEL: rdir.graph @body
// SERIAL: rdir.loop 2
// SERIAL: @read
// SERIAL: @write

rdir.root @a [8] {x : f64}
rdir.graph @readers {
  %l = rdir.task @last reads(%a1)
  %a1 = rdir.region @a
  %w = rdir.task @write reads(%a0) writes(%a1)
  %r1 = rdir.task @read1 reads(%a0)
  %r2 = rdir.task @read2 reads(%a0)
  %a0 = rdir.region @a initial
}
rdir.graph @body {
  %a0 = rdir.region @a initial
  %l = rdir.loop 2 reads(%a0) writes(%a1) {
    %a0 = rdir.region @a
    %w = rdir.task @write reads(%a0) writes(%a1)
    %r = rdir.task @read reads(%a0)
    %a1 = rdir.region @a
  }
  %a1 = rdir.region @a
}
