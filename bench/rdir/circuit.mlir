// The rows "circuit" of `./dev bench rdir`: an electric circuit in pieces.
// Nodes that wires of one piece touch are private, the others shared; a piece's
// border has its shared nodes and those of others that its wires end in, so
// several pieces add charge to one node. The host statement @serve speaks with
// the driver: it answers for the steps before it and waits for the next order.

rdir.parameter @nodes : i64 = 2048
rdir.parameter @wires : i64 = 4096
rdir.parameter @pieces : i64 = 8
rdir.parameter @steps : i64 = 20

rdir.variable @more : i32 = 1
rdir.root @node [@nodes] {voltage : f64, charge : f64, capacitance : f64, leakage : f64}
rdir.root @wire [@wires] {in : i64, out : i64, inBorder : i8, outBorder : i8, resistance : f64, inductance : f64, capacitance : f64, current : vector<4xf64>, inner : vector<3xf64>}
rdir.partition @owned of @node [@pieces] disjoint complete by blocks
rdir.partition @piece of @wire [@pieces] disjoint complete by blocks
rdir.partition @sharing of @node [2] disjoint complete by coloring(@sharingNodes)
rdir.partition @private of @sharing[0] [@pieces] disjoint complete by coloring(@privateNodes)
rdir.partition @shared of @sharing[1] [@pieces] disjoint complete by coloring(@sharedNodes)
rdir.partition @border of @sharing[1] [@pieces] aliased complete by coloring(@borderNodes)

rdir.graph @main {
  %nodes0 = rdir.region @node initial
  %wires0 = rdir.region @wire initial
  %more0 = rdir.scalar @more initial
  %nodes1 = rdir.region @node
  %wires1 = rdir.region @wire
  %more1 = rdir.scalar @more
  rdir.loop while @more reads(%nodes0, %wires0, %more0) writes(%nodes1, %wires1, %more1) {
    %n0 = rdir.region @node
    %w0 = rdir.region @wire
    %m0 = rdir.scalar @more
    %n1 = rdir.region @node
    %w1 = rdir.region @wire
    %m1 = rdir.scalar @more
    rdir.host @serve reads(%n0, %w0, %m0) writes(%n1, %w1, %m1) with(@steps)

    %n2 = rdir.region @node
    %w2 = rdir.region @wire
    rdir.loop @steps reads(%n1, %w1) writes(%n2, %w2) {
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
  }
}
