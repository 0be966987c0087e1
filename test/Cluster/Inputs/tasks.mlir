dfg.dataset @A : si64 [20] printed
dfg.dataset @B : si64 [20]
dfg.dataset @C : si64 [20] printed
dfg.scalar @one : si64 = 1
dfg.scalar @seven : si64 = 7
dfg.scalar @zero : si64 = 0
dfg.scalar @total : si64 = 0
dfg.task_graph @tasks {
  %0 = dfg.task c "fill"(out @A[0:10], value @one) named("left")
  %1 = dfg.task c "fill"(out @A[10:20], value @seven) named("right")
  %2 = dfg.task c "fill"(out @B, value @one)
  %3 = dfg.task c "add"(@B[0:20:2], in @A[0:10])
  %4 = dfg.task c "twice" over [20](@B)
  %5 = dfg.task hpvm "squares"(@A) source("tasks.c")
  %6 = dfg.task c "add"(@C, in @A) named("join")
  %7 = dfg.task c "add"(@C[0:7], in @B[13:20]) named("mix")
  %8 = dfg.task c "sum"(in @C, @total)
  %9 = dfg.task c "sum"(in @A, @total) named("again")
  %10 = dfg.task c "show"(in @C, value @total)
  %11 = dfg.task c "save"(in @A, value @zero) writes(["saved"])
}
