//===- CompilerFlags.td - Flags of compilers -----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Build files pass flags of gcc and clang. The group of a flag says how it is
// handled; the help text of a refused flag names an alternative. The longest
// matching name wins.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_COMPILERFLAGS_TD
#define SLUICE_DRIVER_COMPILERFLAGS_TD

class Fate : OptionGroup<"fate"> { let Group = compiling_Group; }
def compile_Group : Fate;
def link_Group : Fate;
def both_Group : Fate;
def nothing_Group : Fate; // its request is always fulfilled
def level_Group : Fate;
def debug_Group : Fate;
def depend_Group : Fate;
def profile_Group : Fate;
def llvm_Group : Fate; // what shows or changes LLVM's passes
def refuse_Group : Fate;

/// A flag of the commands that compile, and of the kernels of task graphs.
class To<Fate fate> : Group<fate> {
  list<OptionVisibility> Visibility = [run, build, check, graph, kernels];
}
class Refused<string instead> : To<refuse_Group> {
  string HelpText = instead;
  list<OptionFlag> Flags = [HelpHidden];
}

class Word<string name> : Flag<["-"], name>;
class Prefix<string name> : Joined<["-"], name>;
class Value<string name, string metavar = "">
    : JoinedOrSeparate<["-"], name>, MetaVarName<metavar>;
/// Joins the separate value of an option to its word; the rest of the driver
/// expects this form.
class Letter<string name, string metavar = "">
    : Value<name, metavar>, Flags<[RenderJoined]>;

//===----------------------------------------------------------------------===//
// Preprocessing and languages
//===----------------------------------------------------------------------===//

def : Letter<"I", " DIR">, To<compile_Group>,
      HelpText<"look for headers in this folder">;
def : Letter<"D", " NAME[=VALUE]">, To<compile_Group>,
      HelpText<"define a macro">;
def : Letter<"U", " NAME">, To<compile_Group>,
      HelpText<"have a macro not defined">;
def : Value<"isystem", " DIR">, To<compile_Group>,
      HelpText<"the same as -I, without warnings">;
def : Value<"iquote", " DIR">, To<compile_Group>,
      HelpText<"look for headers in quotes in this folder">;
def : Value<"include", " FILE">, To<compile_Group>,
      HelpText<"read this header first">;
foreach name = ["idirafter", "imacros", "isysroot"] in
  def : Value<name>, To<compile_Group>;
def : Joined<["--"], "sysroot=">, To<both_Group>;
foreach name = ["nostdinc", "nostdinc++", "undef", "trigraphs"] in
  def : Word<name>, To<compile_Group>;
def : Prefix<"std=">, To<compile_Group>, MetaVarName<"STANDARD">,
      HelpText<"the language's standard, as for clang">;
def : Joined<["--"], "std=">, To<compile_Group>;
def : Word<"ansi">, To<compile_Group>;
def : Word<"stdlib=libstdc++">, To<nothing_Group>;
def : Prefix<"stdlib=">,
      Refused<"programs use the C++ library that Sluice was built with, "
              "libstdc++; leave it out">;
def : Value<"x">, Refused<"the ending of a file says its language: .c for C, "
                          ".cpp for C++">;
def : Word<"E">, Refused<"'clang -E' with the same -I and -D does">;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

def : Word<"w">, To<compile_Group>, HelpText<"no warnings">;
def : Prefix<"W">, To<compile_Group>, MetaVarName<"...">,
      HelpText<"warnings, as for clang">;
foreach name = ["pedantic", "pedantic-errors"] in
  def : Word<name>, To<compile_Group>;
def : Prefix<"Wa,">, Refused<"no assembler runs; 'sluice build --print=asm' "
                             "shows assembly">;
def : Prefix<"Wp,">, Refused<"the preprocessor's options are given without "
                             "-Wp, in front">;
def : Separate<["-"], "Xclang">,
      Refused<"options of clang's inner parts are not for build files; give "
              "the driver's">;
def mllvm : Separate<["-"], "mllvm">, To<llvm_Group>, MetaVarName<" OPTION">,
            HelpText<"an option of LLVM for code generation, such as "
                     "-opt-bisect-limit=N">;
class Remarks<string name, string help>
    : Prefix<name>, To<llvm_Group>, MetaVarName<"REGEX">, HelpText<help>;
def Rpass : Remarks<"Rpass=", "say what passes with such a name did, and "
                    "where: -Rpass=sluice for leaves (docs/passes.md)">;
def Rpass_missed : Remarks<"Rpass-missed=", "what they did not do, and why">;
def Rpass_analysis : Remarks<"Rpass-analysis=", "what stands in the way">;
// As gcc and clang spell --color.
class Color<list<string> words> : AliasArgs<words> {
  Option Alias = color;
  list<OptionVisibility> Visibility = [run, build, check, graph];
}
foreach name = ["fcolor-diagnostics", "fdiagnostics-color"] in
  def : Word<name>, Color<["always"]>;
foreach name = ["fno-color-diagnostics", "fno-diagnostics-color"] in
  def : Word<name>, Color<["never"]>;
def : Prefix<"fdiagnostics-color=">, Color<[]>;
defvar stages =
    "'sluice build --print=STAGE' shows the stages of compilation";
def : Word<"###">, Refused<stages>;
def : Prefix<"save-temps">, Refused<stages>;

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

def : Prefix<"O">, To<level_Group>, MetaVarName<"LEVEL">,
      HelpText<"how much to optimise: 0, 1, 2, 3, s, z, g or fast (default "
               "-O3)">;
def : Prefix<"f">, To<compile_Group>, MetaVarName<"...">,
      HelpText<"as for clang; what cannot be taken is refused with what to do "
               "instead">;
foreach name = ["fPIC", "fpic", "fPIE", "fpie", "fno-pic", "fno-PIC",
                "fno-pie", "fno-PIE", "fno-lto", "ffat-lto-objects", "pipe",
                "m64", "mcmodel=small"] in
  def : Word<name>, To<nothing_Group>;
foreach name = ["flto", "fno-sanitize", "fno-profile"] in
  def : Prefix<name>, To<nothing_Group>;
def : Prefix<"fopenmp">, To<both_Group>;
def : Word<"fopenmp-simd">, To<compile_Group>;
def : Word<"pthread">, To<both_Group>, HelpText<"with threads, as for clang">;
def : Prefix<"m">, To<compile_Group>, MetaVarName<"...">,
      HelpText<"features of the CPU, as -mavx2, as for clang">;
def : Prefix<"mcpu=">, Refused<"on x86 it is -march=CPU">;
foreach name = ["m32", "m16", "mx32"] in
  def : Word<name>, Refused<"Sluice makes programs of 64 bits; leave it out">;
def : Prefix<"mcmodel=">, Refused<"programs have the small code model; large "
                                  "data belongs on the heap">;
def : Word<"msoft-float">, Refused<"programs use the processor's "
                                   "floating-point unit; leave it out">;
defvar wholeModule =
    "the code of a program is one module already, so this has nothing to add; "
    "leave it out";
foreach name = ["fwhole-program-vtables",
                "fvirtual-function-elimination"] in
  def : Word<name>, Refused<wholeModule>;
def : Prefix<"fembed-bitcode">, Refused<wholeModule>;
def : Prefix<"fopenmp-targets">,
      Refused<"Sluice's own nodes run on devices: give them a GPU hint, see "
              "'sluice build --help'">;
def : Prefix<"fsanitize">,
      Refused<"programs are not built with sanitizers; SLUICE_CHECK=1 finds "
              "wrong accesses and races of leaves while the program runs, and "
              "files without graphs may be compiled by clang with sanitizers "
              "that need no library (-fsanitize=undefined "
              "-fsanitize-trap=undefined -c) and given as .o">;
def : Word<"fsplit-stack">,
      Refused<"stacks are not split; set their size with 'ulimit -s'">;
def : Word<"fsyntax-only">, Refused<"'sluice check' does">;

defvar wholePrograms =
    "Sluice makes whole programs; give all sources to one 'sluice build', and "
    "compile files without graphs by 'clang -c', to be given as .o";
foreach name = ["c", "shared", "r"] in
  def : Word<name>, Refused<wholePrograms>;
def : Word<"S">, Refused<"'sluice build --print=asm' shows assembly, "
                         "--print=llvm LLVM IR">;
def : Word<"emit-llvm">, Refused<"'sluice build --print=llvm' shows LLVM IR">;

//===----------------------------------------------------------------------===//
// Debug information: programs have lines, and host code its variables, anyway
//===----------------------------------------------------------------------===//

def : Word<"g">, To<debug_Group>,
      HelpText<"have debuggers see the variables of leaves; with -O0 all of "
               "them, at any time">;
foreach name = ["g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9"] in
  def : Word<name>, To<debug_Group>;
foreach name = ["ggdb", "gdwarf"] in
  def : Prefix<name>, To<debug_Group>;
foreach name = ["g1", "gno-column-info", "gstrict-dwarf", "gno-strict-dwarf"] in
  def : Word<name>, To<nothing_Group>;
foreach name = ["gline", "gcolumn"] in
  def : Prefix<name>, To<nothing_Group>;
def no_debug : Word<"g0">, To<link_Group>;
foreach name = ["gsplit-dwarf", "gz"] in
  def : Prefix<name>,
        Refused<"debug information is part of the program; leave it out">;

//===----------------------------------------------------------------------===//
// Profiles and other instrumentation
//===----------------------------------------------------------------------===//

class Profile<string name> : Prefix<name>, To<profile_Group>;
def : Profile<"fprofile-generate">, MetaVarName<"[=FOLDER]">,
      HelpText<"have the program write a profile when it ends">;
def : Profile<"fprofile-use">, MetaVarName<"[=FILE]">,
      HelpText<"compile by a profile">;
foreach name = ["instr-generate", "instr-use", "update="] in
  def : Profile<"fprofile-" # name>;
foreach name = ["generate", "use", "instr-generate", "instr-use"] in
  def : Profile<"fno-profile-" # name>;
foreach name = ["fprofile", "fcs-profile-generate", "fauto-profile"] in
  def : Prefix<name>,
        Refused<"profiles are made with -fprofile-generate and used with "
                "-fprofile-use; files without graphs may be compiled by clang "
                "with others and -c, and given as .o">;
defvar coverage =
    "code is not instrumented for coverage; files without graphs may be "
    "compiled by 'clang --coverage -c' and given as .o";
foreach name = ["fprofile-arcs", "ftest-coverage", "fcoverage-mapping"] in
  def : Word<name>, Refused<coverage>;
def : Flag<["--", "-"], "coverage">, Refused<coverage>;
defvar instrumentation =
    "code is not instrumented in this way; SLUICE_TRACE=FILE writes a timeline "
    "of the nodes, and perf works on the program as it is";
foreach name = ["finstrument-functions", "fxray", "ftime-trace",
                "fmemory-profile"] in
  def : Prefix<name>, Refused<instrumentation>;
foreach name = ["fplugin", "fpass-plugin"] in
  def : Prefix<name>,
        Refused<"'sluice build' contains LLVM and loads no plugins; 'sluice "
                "cc -c' has clang compile with them, and its objects may be "
                "given">;
def : Prefix<"fsave-optimization-record">,
      Refused<"-Rpass=, -Rpass-missed= and -Rpass-analysis= print the same "
              "remarks">;
foreach name = ["pg", "p"] in
  def : Word<name>, Refused<instrumentation>;

//===----------------------------------------------------------------------===//
// Dependency files
//===----------------------------------------------------------------------===//

def MD : Word<"MD">, To<depend_Group>,
         HelpText<"'sluice build': write a dependency file">;
def MMD : Word<"MMD">, To<depend_Group>, HelpText<"the same">;
def MP : Word<"MP">, To<depend_Group>,
         HelpText<"with a rule for each header">;
def MF : Value<"MF", " FILE">, To<depend_Group>,
         HelpText<"the dependency file">;
def MT : Value<"MT", " TARGET">, To<depend_Group>,
         HelpText<"the target in it">;
def MQ : Value<"MQ", " TARGET">, To<depend_Group>,
         HelpText<"the same, quoted for make">;
foreach name = ["M", "MM", "MG"] in
  def : Word<name>, Refused<"'sluice build -MD -MF FILE' writes a dependency "
                            "file beside the program">;

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

def : Letter<"l", " LIB">, To<link_Group>, HelpText<"link a library">;
def : Letter<"L", " DIR">, To<link_Group>,
      HelpText<"look for libraries in this folder">;
foreach name = ["T", "u"] in
  def : Letter<name>, To<link_Group>;
def : Prefix<"Wl,">, To<link_Group>, MetaVarName<"OPTION">,
      HelpText<"an option of the linker">;
foreach name = ["z", "Xlinker"] in
  def : Separate<["-"], name>, To<link_Group>;
def rpath : Separate<["-"], "rpath">, To<link_Group>, MetaVarName<" DIR">,
            HelpText<"where the program finds libraries">;
def : Prefix<"fuse-ld=">, To<link_Group>;
def : Word<"rdynamic">, To<link_Group>,
      HelpText<"let libraries find the program's symbols">;
def : Word<"s">, To<link_Group>, HelpText<"no symbols and debug information">;
foreach name = ["pie", "no-pie", "nopie", "static-libgcc",
                "static-libstdc++"] in
  def : Word<name>, To<link_Group>;
defvar dynamic =
    "the runtime opens devices and compiled variants while the program runs, "
    "which needs the dynamic linker; ";
def : Word<"static">,
      Refused<dynamic # "--static-runtime with -static-libstdc++ "
              "-static-libgcc leaves the C library alone">;
def : Word<"static-pie">, Refused<dynamic # "use --static-runtime">;
foreach name = ["nostdlib", "nostdlib++", "nodefaultlibs", "nostartfiles"] in
  def : Word<name>,
        Refused<"programs need the C library and the runtime, which are linked "
                "by shared objects or --static-runtime; leave it out">;

#endif // SLUICE_DRIVER_COMPILERFLAGS_TD
