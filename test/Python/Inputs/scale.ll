declare ptr @llvm.hpvm.getNode()
declare i64 @llvm.hpvm.getNodeInstanceID.x(ptr)

define {} @scale.leaf(float %factor, ptr %x, i64 %bytes, ptr %y, i64 %size) {
  %node = call ptr @llvm.hpvm.getNode()
  %i = call i64 @llvm.hpvm.getNodeInstanceID.x(ptr %node)
  %from = getelementptr float, ptr %x, i64 %i
  %value = load float, ptr %from
  %product = fmul float %value, %factor
  %to = getelementptr float, ptr %y, i64 %i
  store float %product, ptr %to
  ret {} undef
}
