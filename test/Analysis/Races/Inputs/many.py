# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a graph of LAYERS x WIDTH nodes over two buffers: each node reads three
elements of one and writes one of the other, after the three nodes of the layer
before that touch them. With a third argument, node NUMBER does not wait for the
first of the three."""
import sys

layers, width = int(sys.argv[1]), int(sys.argv[2])
missing = int(sys.argv[3]) if len(sys.argv) > 3 else -1

print("dfg.graph @root(%a: !llvm.ptr inout, %n: i64, "
      "%b: !llvm.ptr inout, %m: i64) {")
for layer in range(layers):
    buffers = "%a, %n, %b, %m" if layer % 2 == 0 else "%b, %m, %a, %n"
    for i in range(width):
        number = layer * width + i
        before = [f"%t{layer - 1}_{j}" for j in (i - 1, i, i + 1)
                  if layer and 0 <= j < width
                  and (number != missing or j != i - 1)]
        after = f" after({', '.join(before)})" if before else ""
        print(f"  %t{layer}_{i} = dfg.node @relax{i}({buffers}){after} "
              f"{{node_name = \"relax{layer}_{i}\"}} : "
              "(!llvm.ptr, i64, !llvm.ptr, i64) -> !dfg.token")
print("  dfg.output\n}")
for i in range(width):
    print(f"""
dfg.kernel @relax{i}(%from: !llvm.ptr in, %n: i64, %to: !llvm.ptr out, %m: i64)
  symbol("relax{i}.leaf")
llvm.func @relax{i}.leaf(%from: !llvm.ptr, %n: i64, %to: !llvm.ptr, %m: i64)
    -> !llvm.struct<()> {{
  %p = llvm.getelementptr %from[{max(i - 1, 0)}] : (!llvm.ptr) -> !llvm.ptr, i64
  %q = llvm.getelementptr %from[{i}] : (!llvm.ptr) -> !llvm.ptr, i64
  %r = llvm.getelementptr %from[{min(i + 1, width - 1)}] : (!llvm.ptr) -> !llvm.ptr, i64
  %x = llvm.load %p : !llvm.ptr -> i64
  %y = llvm.load %q : !llvm.ptr -> i64
  %z = llvm.load %r : !llvm.ptr -> i64
  %s = llvm.add %x, %y : i64
  %t = llvm.add %s, %z : i64
  %w = llvm.getelementptr %to[{i}] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %t, %w : i64, !llvm.ptr
  %none = llvm.mlir.undef : !llvm.struct<()>
  llvm.return %none : !llvm.struct<()>
}}""")
