// A graph in the dialect dfg: y = factor x, with its leaf in scale.ll.
dfg.kernel @scale(%factor: f32, %x: !llvm.ptr in, %bytes: i64, %y: !llvm.ptr out, %size: i64)
  symbol("scale.leaf")
dfg.graph @scaled(%factor: f32, %x: !llvm.ptr in, %bytes: i64, %y: !llvm.ptr out, %size: i64, %n: i64) {
  dfg.node @scale[%n](%factor, %x, %bytes, %y, %size) : (f32, !llvm.ptr, i64, !llvm.ptr, i64) -> ()
  dfg.output
}
