// Every kind of partition, of roots with one to three dimensions; each color
// is given its own domain, and its elements are counted and summed.
// REQUIRES: starpu
// RUN: %starpu %s %S/Inputs/partitions.cpp | FileCheck %s
// RUN: %starpu %s %S/Inputs/partitions.cpp -- --n=10 --pieces=3

// CHECK: cubeCrosses
// CHECK: starpu: the same as Sluice

rdir.parameter @n : i64 = 37
rdir.parameter @pieces : i64 = 4
rdir.root @line [@n] {piece : i32, to : i64, mark : i64}
rdir.root @square [@n, 9] {mark : i64}
rdir.root @cube [7, 6, 11] {mark : i64}

rdir.partition @lines of @line [@pieces] disjoint complete by blocks
rdir.partition @squares of @square [3, 2] disjoint complete by blocks
rdir.partition @cubes of @cube [2, 2, 2] disjoint complete by blocks
rdir.partition @inner of @squares[1, 1] [2, 2] disjoint complete by blocks
rdir.partition @wide of @line [@pieces] aliased complete by halo(@lines, [2])
rdir.partition @boxes of @square [3, 2] aliased complete by halo(@squares, [1, 2])
rdir.partition @crosses of @square [3, 2] aliased complete by halo(@squares, [1, 2], axes)
rdir.partition @cubeCrosses of @cube [2, 2, 2] aliased complete by halo(@cubes, [1, 1, 1], axes)
rdir.partition @owned of @line [@pieces] disjoint incomplete by coloring(@stripes)
rdir.partition @widest of @line [@pieces] aliased incomplete by halo(@owned, [1])
rdir.partition @byPiece of @line [@pieces] disjoint complete by field("piece")
rdir.partition @reached of @line [@pieces] aliased incomplete by image(@byPiece, "to")
rdir.partition @reaching of @line [@pieces] disjoint complete by preimage("to", @byPiece)
rdir.partition @ghost of @line [@pieces] aliased incomplete by difference(@reached, @byPiece)
rdir.partition @both of @line [@pieces] aliased incomplete by intersection(@reached, @byPiece)
rdir.partition @either of @line [@pieces] aliased complete by union(@reached, @byPiece)
rdir.root @lineTable [@pieces] {lines : i64, wide : i64, owned : i64, widest : i64, byPiece : i64, reached : i64, reaching : i64, ghost : i64, both : i64, either : i64}
rdir.partition @lineRows of @lineTable [@pieces] disjoint complete by blocks
rdir.root @squareTable [3, 2] {squares : i64, boxes : i64, crosses : i64, inner : i64}
rdir.partition @squareRows of @squareTable [3, 2] disjoint complete by blocks
rdir.root @cubeTable [2, 2, 2] {cubes : i64, cubeCrosses : i64}
rdir.partition @cubeRows of @cubeTable [2, 2, 2] disjoint complete by blocks

rdir.graph @setup {
  %l0 = rdir.region @lines
  %l1 = rdir.region @lines
  rdir.task @startLine over [@pieces] discards(%l0) writes(%l1) with(@n, @pieces)
  %s0 = rdir.region @squares
  %s1 = rdir.region @squares
  rdir.task @startSquare over [3, 2] discards(%s0) writes(%s1)
  %c0 = rdir.region @cubes
  %c1 = rdir.region @cubes
  rdir.task @startCube over [2, 2, 2] discards(%c0) writes(%c1)
}
rdir.graph @main {
  %line0 = rdir.region @line {mark} initial
  %lines = rdir.region @lines {mark}
  rdir.open reads(%line0) writes(%lines)
  %lines0 = rdir.region @lineRows {lines}
  %lines1 = rdir.region @lineRows {lines}
  rdir.task @describe1 over [@pieces] reads(%lines) discards(%lines0) writes(%lines1)
  %line1 = rdir.region @line {mark}
  rdir.close reads(%lines) writes(%line1)
  %wide = rdir.region @wide {mark}
  rdir.open reads(%line1) writes(%wide)
  %wide0 = rdir.region @lineRows {wide}
  %wide1 = rdir.region @lineRows {wide}
  rdir.task @describe1 over [@pieces] reads(%wide) discards(%wide0) writes(%wide1)
  %line2 = rdir.region @line {mark}
  rdir.close reads(%wide) writes(%line2)
  %owned = rdir.region @owned {mark}
  rdir.open reads(%line2) writes(%owned)
  %owned0 = rdir.region @lineRows {owned}
  %owned1 = rdir.region @lineRows {owned}
  rdir.task @describe1 over [@pieces] reads(%owned) discards(%owned0) writes(%owned1)
  %line3 = rdir.region @line {mark}
  rdir.close reads(%line2, %owned) writes(%line3)
  %widest = rdir.region @widest {mark}
  rdir.open reads(%line3) writes(%widest)
  %widest0 = rdir.region @lineRows {widest}
  %widest1 = rdir.region @lineRows {widest}
  rdir.task @describe1 over [@pieces] reads(%widest) discards(%widest0) writes(%widest1)
  %line4 = rdir.region @line {mark}
  rdir.close reads(%line3, %widest) writes(%line4)
  %byPiece = rdir.region @byPiece {mark}
  rdir.open reads(%line4) writes(%byPiece)
  %byPiece0 = rdir.region @lineRows {byPiece}
  %byPiece1 = rdir.region @lineRows {byPiece}
  rdir.task @describe1 over [@pieces] reads(%byPiece) discards(%byPiece0) writes(%byPiece1)
  %line5 = rdir.region @line {mark}
  rdir.close reads(%byPiece) writes(%line5)
  %reached = rdir.region @reached {mark}
  rdir.open reads(%line5) writes(%reached)
  %reached0 = rdir.region @lineRows {reached}
  %reached1 = rdir.region @lineRows {reached}
  rdir.task @describe1 over [@pieces] reads(%reached) discards(%reached0) writes(%reached1)
  %line6 = rdir.region @line {mark}
  rdir.close reads(%line5, %reached) writes(%line6)
  %reaching = rdir.region @reaching {mark}
  rdir.open reads(%line6) writes(%reaching)
  %reaching0 = rdir.region @lineRows {reaching}
  %reaching1 = rdir.region @lineRows {reaching}
  rdir.task @describe1 over [@pieces] reads(%reaching) discards(%reaching0) writes(%reaching1)
  %line7 = rdir.region @line {mark}
  rdir.close reads(%reaching) writes(%line7)
  %ghost = rdir.region @ghost {mark}
  rdir.open reads(%line7) writes(%ghost)
  %ghost0 = rdir.region @lineRows {ghost}
  %ghost1 = rdir.region @lineRows {ghost}
  rdir.task @describe1 over [@pieces] reads(%ghost) discards(%ghost0) writes(%ghost1)
  %line8 = rdir.region @line {mark}
  rdir.close reads(%line7, %ghost) writes(%line8)
  %both = rdir.region @both {mark}
  rdir.open reads(%line8) writes(%both)
  %both0 = rdir.region @lineRows {both}
  %both1 = rdir.region @lineRows {both}
  rdir.task @describe1 over [@pieces] reads(%both) discards(%both0) writes(%both1)
  %line9 = rdir.region @line {mark}
  rdir.close reads(%line8, %both) writes(%line9)
  %either = rdir.region @either {mark}
  rdir.open reads(%line9) writes(%either)
  %either0 = rdir.region @lineRows {either}
  %either1 = rdir.region @lineRows {either}
  rdir.task @describe1 over [@pieces] reads(%either) discards(%either0) writes(%either1)
  %line10 = rdir.region @line {mark}
  rdir.close reads(%either) writes(%line10)
  %square0 = rdir.region @square {mark} initial
  %squares = rdir.region @squares {mark}
  rdir.open reads(%square0) writes(%squares)
  %squares0 = rdir.region @squareRows {squares}
  %squares1 = rdir.region @squareRows {squares}
  rdir.task @describe2 over [3, 2] reads(%squares) discards(%squares0) writes(%squares1)
  %square1 = rdir.region @square {mark}
  rdir.close reads(%squares) writes(%square1)
  %boxes = rdir.region @boxes {mark}
  rdir.open reads(%square1) writes(%boxes)
  %boxes0 = rdir.region @squareRows {boxes}
  %boxes1 = rdir.region @squareRows {boxes}
  rdir.task @describe2 over [3, 2] reads(%boxes) discards(%boxes0) writes(%boxes1)
  %square2 = rdir.region @square {mark}
  rdir.close reads(%boxes) writes(%square2)
  %crosses = rdir.region @crosses {mark}
  rdir.open reads(%square2) writes(%crosses)
  %crosses0 = rdir.region @squareRows {crosses}
  %crosses1 = rdir.region @squareRows {crosses}
  rdir.task @describe2 over [3, 2] reads(%crosses) discards(%crosses0) writes(%crosses1)
  %square3 = rdir.region @square {mark}
  rdir.close reads(%crosses) writes(%square3)
  %middle = rdir.region @squares[1, 1] {mark}
  rdir.open reads(%square3) writes(%middle)
  %inner = rdir.region @inner {mark}
  rdir.open reads(%middle) writes(%inner)
  %inner0 = rdir.region @squareRows {inner} initial
  %inner1 = rdir.region @squareRows {inner}
  rdir.task @describe2 over [2, 2] reads(%inner) discards(%inner0) writes(%inner1)
  %middle1 = rdir.region @squares[1, 1] {mark}
  rdir.close reads(%inner) writes(%middle1)
  %square4 = rdir.region @square {mark}
  rdir.close reads(%square3, %middle1) writes(%square4)
  %cube0 = rdir.region @cube {mark} initial
  %cubes = rdir.region @cubes {mark}
  rdir.open reads(%cube0) writes(%cubes)
  %cubes0 = rdir.region @cubeRows {cubes}
  %cubes1 = rdir.region @cubeRows {cubes}
  rdir.task @describe3 over [2, 2, 2] reads(%cubes) discards(%cubes0) writes(%cubes1)
  %cube1 = rdir.region @cube {mark}
  rdir.close reads(%cubes) writes(%cube1)
  %cubeCrosses = rdir.region @cubeCrosses {mark}
  rdir.open reads(%cube1) writes(%cubeCrosses)
  %cubeCrosses0 = rdir.region @cubeRows {cubeCrosses}
  %cubeCrosses1 = rdir.region @cubeRows {cubeCrosses}
  rdir.task @describe3 over [2, 2, 2] reads(%cubeCrosses) discards(%cubeCrosses0) writes(%cubeCrosses1)
  %cube2 = rdir.region @cube {mark}
  rdir.close reads(%cubeCrosses) writes(%cube2)
  rdir.host @print_lines reads(%lines1)
  rdir.host @print_wide reads(%wide1)
  rdir.host @print_owned reads(%owned1)
  rdir.host @print_widest reads(%widest1)
  rdir.host @print_byPiece reads(%byPiece1)
  rdir.host @print_reached reads(%reached1)
  rdir.host @print_reaching reads(%reaching1)
  rdir.host @print_ghost reads(%ghost1)
  rdir.host @print_both reads(%both1)
  rdir.host @print_either reads(%either1)
  rdir.host @print_squares reads(%squares1)
  rdir.host @print_boxes reads(%boxes1)
  rdir.host @print_crosses reads(%crosses1)
  rdir.host @print_inner reads(%inner1)
  rdir.host @print_cubes reads(%cubes1)
  rdir.host @print_cubeCrosses reads(%cubeCrosses1)
}
