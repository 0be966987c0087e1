dfg.dataset @A : si64 [20]
dfg.dataset @B : si64 [20]
dfg.scalar @one : si64 = 1
dfg.scalar @long : si64 = 30
dfg.scalar @how : si64 = 3
dfg.task_graph @ends {
  %0 = dfg.task c "fill"(out @A, value @one)
  %1 = dfg.task c "fill"(out @B, value @one) named("other")
  %2 = dfg.task c "save"(in @A, value @long) writes(["saved"])
  %3 = dfg.task c "end"(@B, value @how)
  %4 = dfg.task c "add"(@A, in @B)
}
