// The rows "circuit" of `./dev bench cluster`: that of `bench rdir`, whose host
// statement touches scalars only, so that nothing but borders crosses in a
// repetition. What it orders, tasks of all ranks do: 0 is the end, 1 simulates,
// 2 begins anew and compares.

rdir.parameter @nodes : i64 = 2048
rdir.parameter @wires : i64 = 4096
rdir.parameter @pieces : i64 = 2
rdir.parameter @steps : i64 = 20

rdir.variable @order : i32 = 1
rdir.variable @wrong : f64 = 0.0
rdir.root @node [@nodes] {voltage : f64, charge : f64, capacitance : f64, leakage : f64}
rdir.root @wire [@wires] {in : i64, out : i64, inBorder : i8, outBorder : i8, resistance : f64, inductance : f64, capacitance : f64, current : vector<4xf64>, inner : vector<3xf64>}
rdir.partition @owned of @node [@pieces] disjoint complete by blocks
rdir.partition @piece of @wire [@pieces] disjoint complete by blocks
rdir.partition @sharing of @node [2] disjoint complete by coloring(@sharingNodes)
rdir.partition @private of @sharing[0] [@pieces] disjoint complete by coloring(@privateNodes)
rdir.partition @shared of @sharing[1] [@pieces] disjoint complete by coloring(@sharedNodes)
rdir.partition @border of @sharing[1] [@pieces] aliased complete by coloring(@borderNodes)

rdir.graph @main {
  %a0 = rdir.region @owned {voltage, charge}
  %a1 = rdir.region @owned {voltage, charge}
  %b0 = rdir.region @owned {capacitance, leakage}
  %b1 = rdir.region @owned {capacitance, leakage}
  rdir.task @startNodes over [@pieces] discards(%a0, %b0) writes(%a1, %b1)
  %nodes0 = rdir.region @node {voltage, charge}
  rdir.close reads(%a1) writes(%nodes0)
  %nodesFixed = rdir.region @node {capacitance, leakage}
  rdir.close reads(%b1) writes(%nodesFixed)
  %c0 = rdir.region @piece {in, out, inBorder, outBorder, resistance, inductance, capacitance}
  %c1 = rdir.region @piece {in, out, inBorder, outBorder, resistance, inductance, capacitance}
  %d0 = rdir.region @piece {current, inner}
  %d1 = rdir.region @piece {current, inner}
  rdir.task @startWires over [@pieces] discards(%c0, %d0) writes(%c1, %d1)
  %wiresFixed = rdir.region @wire {in, out, inBorder, outBorder, resistance, inductance, capacitance}
  rdir.close reads(%c1) writes(%wiresFixed)
  %wires0 = rdir.region @wire {current, inner}
  rdir.close reads(%d1) writes(%wires0)

  %order0 = rdir.scalar @order initial
  %wrong0 = rdir.scalar @wrong initial
  %nodes1 = rdir.region @node {voltage, charge}
  %wires1 = rdir.region @wire {current, inner}
  %order1 = rdir.scalar @order
  %wrong1 = rdir.scalar @wrong
  rdir.loop while @order reads(%nodes0, %nodesFixed, %wires0, %wiresFixed, %order0, %wrong0) writes(%nodes1, %wires1, %order1, %wrong1) {
    %o0 = rdir.scalar @order
    %o1 = rdir.scalar @order
    %e0 = rdir.scalar @wrong
    rdir.host @serve reads(%o0, %e0) writes(%o1)

    %v0 = rdir.region @node {voltage, charge}
    %owned0 = rdir.region @owned {voltage, charge}
    rdir.open reads(%v0) writes(%owned0)
    %owned1 = rdir.region @owned {voltage, charge}
    rdir.task @resetNodes over [@pieces] reads(%owned0, %o1) writes(%owned1)
    %v1 = rdir.region @node {voltage, charge}
    rdir.close reads(%owned1) writes(%v1)
    %g0 = rdir.region @wire {current, inner}
    %pieces0 = rdir.region @piece {current, inner}
    rdir.open reads(%g0) writes(%pieces0)
    %pieces1 = rdir.region @piece {current, inner}
    rdir.task @resetWires over [@pieces] reads(%pieces0, %o1) writes(%pieces1)
    %g1 = rdir.region @wire {current, inner}
    rdir.close reads(%pieces1) writes(%g1)

    %k0 = rdir.region @node {capacitance, leakage}
    %f0 = rdir.region @wire {in, out, inBorder, outBorder, resistance, inductance, capacitance}
    %v2 = rdir.region @node {voltage, charge}
    %g2 = rdir.region @wire {current, inner}
    rdir.loop @steps reads(%k0, %v1, %f0, %g1) writes(%v2, %g2) {
      %fixed0 = rdir.region @wire {in, out, inBorder, outBorder, resistance, inductance, capacitance}
      %fixed = rdir.region @piece {in, out, inBorder, outBorder, resistance, inductance, capacitance}
      rdir.open reads(%fixed0) writes(%fixed)
      %flow = rdir.region @wire {current, inner}
      %flow0 = rdir.region @piece {current, inner}
      rdir.open reads(%flow) writes(%flow0)
      %k = rdir.region @node {capacitance, leakage}
      %k0 = rdir.region @sharing[0] {capacitance, leakage}
      %k1 = rdir.region @sharing[1] {capacitance, leakage}
      rdir.open reads(%k) writes(%k0, %k1)
      %privateK = rdir.region @private {capacitance, leakage}
      rdir.open reads(%k0) writes(%privateK)
      %sharedK = rdir.region @shared {capacitance, leakage}
      rdir.open reads(%k1) writes(%sharedK)
      %v = rdir.region @node {voltage}
      %v0 = rdir.region @sharing[0] {voltage}
      %v1 = rdir.region @sharing[1] {voltage}
      rdir.open reads(%v) writes(%v0, %v1)
      %c = rdir.region @node {charge}
      %c0 = rdir.region @sharing[0] {charge}
      %c1 = rdir.region @sharing[1] {charge}
      rdir.open reads(%c) writes(%c0, %c1)

      %privateV0 = rdir.region @private {voltage}
      rdir.open reads(%v0) writes(%privateV0)
      %borderV = rdir.region @border {voltage}
      rdir.open reads(%v1) writes(%borderV)
      %flow1 = rdir.region @piece {current, inner}
      rdir.task @flows over [@pieces] reads(%fixed, %privateV0, %borderV, %flow0) writes(%flow1)

      %privateC0 = rdir.region @private {charge}
      rdir.open reads(%c0) writes(%privateC0)
      %borderC0 = rdir.region @border {charge}
      rdir.open reads(%c1) writes(%borderC0)
      %privateC1 = rdir.region @private {charge}
      %borderC1 = rdir.region @border {charge}
      rdir.task @charges over [@pieces] reads(%fixed, %flow1) continues(%privateC0, %borderC0) reduces<"+">(%privateC1, %borderC1)

      %privateV1 = rdir.region @private {voltage}
      %privateC2 = rdir.region @private {charge}
      rdir.task @voltages over [@pieces] reads(%privateK, %privateV0, %privateC1) writes(%privateV1, %privateC2)
      %v2 = rdir.region @sharing[1] {voltage}
      rdir.close reads(%borderV) writes(%v2)
      %sharedV0 = rdir.region @shared {voltage}
      rdir.open reads(%v2) writes(%sharedV0)
      %c2 = rdir.region @sharing[1] {charge}
      rdir.close reads(%borderC1) writes(%c2)
      %sharedC0 = rdir.region @shared {charge}
      rdir.open reads(%c2) writes(%sharedC0)
      %sharedV1 = rdir.region @shared {voltage}
      %sharedC1 = rdir.region @shared {charge}
      rdir.task @voltages over [@pieces] reads(%sharedK, %sharedV0, %sharedC0) writes(%sharedV1, %sharedC1)
    }
    %owned2 = rdir.region @owned {voltage}
    rdir.open reads(%v2) writes(%owned2)
    %e1 = rdir.scalar @wrong
    rdir.fill 0.0 : f64 discards(%e0) writes(%e1)
    %e2 = rdir.scalar @wrong
    rdir.task @compare over [@pieces] reads(%owned2, %o1) continues(%e1) reduces<"max">(%e2) with(@steps)
  }
}
