; Calls the node functions of ports.c and compares every field.

%Pair = type { i64, i64 }
%Big = type { [5 x double], i8 }
%Floats = type { float, float, float }
%Three = type { [3 x i8] }
%Inner = type { i16, i8 }
%Nested = type { [2 x %Floats], %Inner }

declare { float, i16, %Pair, i8, %Big, double } @passSix(float, i16, %Pair, i8, %Big, double)
declare { %Floats, %Three, i8, <4 x float>, i128, x86_fp80, %Nested, i32, { float, float } } @passMore(%Floats, %Three, i8, <4 x float>, i128, x86_fp80, %Nested, i32, { float, float })
declare { [2 x i64], i32 } @passUnion([2 x i64], i32)
declare { i8, i16, float, i32, i8 } @narrow(i8, i16, float, i8)

define i1 @checkSix() {
  %r = call { float, i16, %Pair, i8, %Big, double } @passSix(float 1.5, i16 -2, %Pair { i64 3, i64 4 }, i8 5, %Big { [5 x double] [double 6.0, double 7.0, double 8.0, double 9.0, double 10.0], i8 11 }, double 12.0)
  %f = extractvalue { float, i16, %Pair, i8, %Big, double } %r, 0
  %s = extractvalue { float, i16, %Pair, i8, %Big, double } %r, 1
  %p1 = extractvalue { float, i16, %Pair, i8, %Big, double } %r, 2, 1
  %c = extractvalue { float, i16, %Pair, i8, %Big, double } %r, 3
  %b3 = extractvalue { float, i16, %Pair, i8, %Big, double } %r, 4, 0, 3
  %b4 = extractvalue { float, i16, %Pair, i8, %Big, double } %r, 4, 0, 4
  %tag = extractvalue { float, i16, %Pair, i8, %Big, double } %r, 4, 1
  %d = extractvalue { float, i16, %Pair, i8, %Big, double } %r, 5
  %ok0 = fcmp oeq float %f, 1.5
  %ok1 = icmp eq i16 %s, -2
  %ok2 = icmp eq i64 %p1, 4
  %ok3 = icmp eq i8 %c, 5
  %ok4 = fcmp oeq double %b3, 9.0
  %ok5 = fcmp oeq double %b4, 11.0
  %ok6 = icmp eq i8 %tag, 11
  %ok7 = fcmp oeq double %d, 12.0
  %a0 = and i1 %ok0, %ok1
  %a1 = and i1 %ok2, %ok3
  %a2 = and i1 %ok4, %ok5
  %a3 = and i1 %ok6, %ok7
  %a4 = and i1 %a0, %a1
  %a5 = and i1 %a2, %a3
  %a6 = and i1 %a4, %a5
  ret i1 %a6
}

define i1 @checkMore() {
  %r = call { %Floats, %Three, i8, <4 x float>, i128, x86_fp80, %Nested, i32, { float, float } } @passMore(%Floats { float 1.0, float 2.0, float 3.0 }, %Three { [3 x i8] [i8 4, i8 5, i8 6] }, i8 1, <4 x float> <float 7.0, float 8.0, float 9.0, float 10.0>, i128 -18446744073709551617, x86_fp80 0xK3FFF8000000000000000, %Nested { [2 x %Floats] [%Floats { float 11.0, float 12.0, float 13.0 }, %Floats { float 14.0, float 15.0, float 16.0 }], %Inner { i16 17, i8 18 } }, i32 1, { float, float } { float 19.0, float 20.0 })
  %z = extractvalue { %Floats, %Three, i8, <4 x float>, i128, x86_fp80, %Nested, i32, { float, float } } %r, 0, 2
  %t = extractvalue { %Floats, %Three, i8, <4 x float>, i128, x86_fp80, %Nested, i32, { float, float } } %r, 1, 0, 2
  %yes = extractvalue { %Floats, %Three, i8, <4 x float>, i128, x86_fp80, %Nested, i32, { float, float } } %r, 2
  %v = extractvalue { %Floats, %Three, i8, <4 x float>, i128, x86_fp80, %Nested, i32, { float, float } } %r, 3
  %v3 = extractelement <4 x float> %v, i32 3
  %w = extractvalue { %Floats, %Three, i8, <4 x float>, i128, x86_fp80, %Nested, i32, { float, float } } %r, 4
  %l = extractvalue { %Floats, %Three, i8, <4 x float>, i128, x86_fp80, %Nested, i32, { float, float } } %r, 5
  %n = extractvalue { %Floats, %Three, i8, <4 x float>, i128, x86_fp80, %Nested, i32, { float, float } } %r, 6, 0, 1, 2
  %n1 = extractvalue { %Floats, %Three, i8, <4 x float>, i128, x86_fp80, %Nested, i32, { float, float } } %r, 6, 1, 1
  %imaginary = extractvalue { %Floats, %Three, i8, <4 x float>, i128, x86_fp80, %Nested, i32, { float, float } } %r, 8, 1
  %ok0 = fcmp oeq float %z, 3.0
  %ok1 = icmp eq i8 %t, 6
  %ok2 = icmp eq i8 %yes, 1
  %ok3 = fcmp oeq float %v3, 10.0
  %ok4 = icmp eq i128 %w, -18446744073709551617
  %ok5 = fcmp oeq x86_fp80 %l, 0xK3FFF8000000000000000
  %ok6 = fcmp oeq float %n, 25.0
  %ok7 = icmp eq i8 %n1, 18
  %ok8 = fcmp oeq float %imaginary, 20.0
  %a0 = and i1 %ok0, %ok1
  %a1 = and i1 %ok2, %ok3
  %a2 = and i1 %ok4, %ok5
  %a3 = and i1 %ok6, %ok7
  %a4 = and i1 %a0, %a1
  %a5 = and i1 %a2, %a3
  %a6 = and i1 %a4, %a5
  %a7 = and i1 %a6, %ok8
  ret i1 %a7
}

define i1 @checkRest() {
  %u = call { [2 x i64], i32 } @passUnion([2 x i64] [i64 72623859790382856, i64 -1], i32 9)
  %u0 = extractvalue { [2 x i64], i32 } %u, 0, 0
  %u1 = extractvalue { [2 x i64], i32 } %u, 0, 1
  %n = call { i8, i16, float, i32, i8 } @narrow(i8 -3, i16 -1, float 2.5, i8 1)
  %n1 = extractvalue { i8, i16, float, i32, i8 } %n, 1
  %n2 = extractvalue { i8, i16, float, i32, i8 } %n, 2
  %n3 = extractvalue { i8, i16, float, i32, i8 } %n, 3
  %n4 = extractvalue { i8, i16, float, i32, i8 } %n, 4
  %ok0 = icmp eq i64 %u0, 72623859790382856
  %ok1 = icmp eq i64 %u1, -1
  %ok2 = icmp eq i16 %n1, 0
  %ok3 = fcmp oeq float %n2, 5.0
  %ok4 = icmp eq i32 %n3, 65532
  %ok5 = icmp eq i8 %n4, 1
  %a0 = and i1 %ok0, %ok1
  %a1 = and i1 %ok2, %ok3
  %a2 = and i1 %ok4, %ok5
  %a3 = and i1 %a0, %a1
  %a4 = and i1 %a2, %a3
  ret i1 %a4
}

define i32 @main() {
  %six = call i1 @checkSix()
  %more = call i1 @checkMore()
  %rest = call i1 @checkRest()
  %some = and i1 %six, %more
  %all = and i1 %some, %rest
  %code = select i1 %all, i32 0, i32 1
  ret i32 %code
}
