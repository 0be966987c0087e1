// An electric circuit as an unstructured graph: nodes hold charge, wires join
// any two of them. Each piece of the circuit owns some nodes, and the wires
// that begin there; some of these end in nodes of other pieces.
//
//   calc_new_currents   the currents of a piece's wires, from the voltages at
//                       their ends
//   distribute_charge   what flowed in a step, added to the charge of the ends
//   update_voltages     the voltages of nodes, from their charge
//
// Nodes that only wires of their own piece touch are private, the others are
// shared. The border of a piece has its shared nodes and, as its ghosts, those
// of other pieces that its wires end in: borders overlap, and several pieces
// add charge to one node.

rdir.parameter @num_nodes : i64 = 2048
rdir.parameter @num_wires : i64 = 4096
rdir.parameter @pieces : i64 = 8
rdir.parameter @steps : i64 = 50

// A wire has 4 segments in a row and 3 capacitors between them. Its ends are
// numbers of nodes; the places of the ends say whether the piece finds them
// among its private nodes or on its border.
rdir.root @nodes [@num_nodes] {voltage : f64, charge : f64, capacitance : f64, leakage : f64}
rdir.root @wires [@num_wires] {in : i64, out : i64, in_place : i32, out_place : i32, resistance : f64, inductance : f64, capacitance : f64, current : vector<4xf64>, inner : vector<3xf64>}

rdir.partition @owned of @nodes [@pieces] disjoint complete by blocks
rdir.partition @piece of @wires [@pieces] disjoint complete by preimage("in", @owned)
rdir.partition @sharing of @nodes [2] disjoint complete by coloring(@sharing_nodes)
rdir.partition @private of @sharing[0] [@pieces] disjoint complete by coloring(@private_nodes)
rdir.partition @shared of @sharing[1] [@pieces] disjoint complete by coloring(@shared_nodes)
rdir.partition @border of @sharing[1] [@pieces] aliased complete by coloring(@border_nodes)

rdir.graph @build {
  %nodes0 = rdir.region @nodes
  %nodes1 = rdir.region @nodes
  rdir.task @build_nodes discards(%nodes0) writes(%nodes1)
  %wires0 = rdir.region @wires
  %wires1 = rdir.region @wires
  rdir.task @build_wires discards(%wires0) writes(%wires1)
}

rdir.graph @simulate {
  %ends = rdir.region @piece {in, out, in_place, out_place} initial
  %parts = rdir.region @piece {resistance, inductance, capacitance} initial
  %flow0 = rdir.region @piece {current, inner} initial
  %private_v0 = rdir.region @private {voltage} initial
  %private_c0 = rdir.region @private {charge} initial
  %private_k = rdir.region @private {capacitance, leakage} initial
  %sharing_v0 = rdir.region @sharing[1] {voltage} initial
  %sharing_c0 = rdir.region @sharing[1] {charge} initial
  %shared_k = rdir.region @shared {capacitance, leakage} initial

  %flow1 = rdir.region @piece {current, inner}
  %private_v1 = rdir.region @private {voltage}
  %private_c1 = rdir.region @private {charge}
  %sharing_v1 = rdir.region @sharing[1] {voltage}
  %sharing_c1 = rdir.region @sharing[1] {charge}
  rdir.loop @steps
    reads(%ends, %parts, %flow0, %private_v0, %private_c0, %private_k, %sharing_v0, %sharing_c0, %shared_k)
    writes(%flow1, %private_v1, %private_c1, %sharing_v1, %sharing_c1) {
    %e = rdir.region @piece {in, out, in_place, out_place}
    %p = rdir.region @piece {resistance, inductance, capacitance}
    %f0 = rdir.region @piece {current, inner}
    %pv0 = rdir.region @private {voltage}
    %sv0 = rdir.region @sharing[1] {voltage}

    %bv = rdir.region @border {voltage}
    rdir.open reads(%sv0) writes(%bv)
    %f1 = rdir.region @piece {current, inner}
    rdir.task @calc_new_currents over [@pieces] reads(%e, %p, %f0, %pv0, %bv) writes(%f1)

    // Both ends of a wire may be on the border, so the sums of several pieces
    // meet there.
    %pc0 = rdir.region @private {charge}
    %sc0 = rdir.region @sharing[1] {charge}
    %bc0 = rdir.region @border {charge}
    rdir.open reads(%sc0) writes(%bc0)
    %pc1 = rdir.region @private {charge}
    %bc1 = rdir.region @border {charge}
    rdir.task @distribute_charge over [@pieces] reads(%e, %f1) continues(%pc0, %bc0) reduces<"+">(%pc1, %bc1)

    %pk = rdir.region @private {capacitance, leakage}
    %pv1 = rdir.region @private {voltage}
    %pc2 = rdir.region @private {charge}
    rdir.task @update_voltages over [@pieces] reads(%pv0, %pc1, %pk) writes(%pv1, %pc2)

    %sv1 = rdir.region @sharing[1] {voltage}
    rdir.close reads(%bv) writes(%sv1)
    %sc1 = rdir.region @sharing[1] {charge}
    rdir.close reads(%bc1) writes(%sc1)
    %hv1 = rdir.region @shared {voltage}
    rdir.open reads(%sv1) writes(%hv1)
    %hc1 = rdir.region @shared {charge}
    rdir.open reads(%sc1) writes(%hc1)
    %hk = rdir.region @shared {capacitance, leakage}
    %hv2 = rdir.region @shared {voltage}
    %hc2 = rdir.region @shared {charge}
    rdir.task @update_voltages over [@pieces] reads(%hv1, %hc1, %hk) writes(%hv2, %hc2)
    %sv2 = rdir.region @sharing[1] {voltage}
    rdir.close reads(%hv2) writes(%sv2)
    %sc2 = rdir.region @sharing[1] {charge}
    rdir.close reads(%hc2) writes(%sc2)
  }

  %voltages0 = rdir.region @sharing[0] {voltage}
  rdir.close reads(%private_v1) writes(%voltages0)
  %voltages = rdir.region @nodes {voltage}
  rdir.close reads(%voltages0, %sharing_v1) writes(%voltages)
  %flows = rdir.region @wires {current, inner}
  rdir.close reads(%flow1) writes(%flows)
  rdir.host @compare reads(%voltages, %flows)
}
