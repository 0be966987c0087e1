// The rows "pagerank" of `./dev bench rdir`: examples/regent/pagerank.mlir, from
// equal ranks in each repetition, in pieces with equal numbers of links, as the
// other programs have them. The host statement @serve speaks with the driver.

rdir.parameter @pages : i64 = 4096
rdir.parameter @links : i64 = 32768
rdir.parameter @pieces : i64 = 8
rdir.parameter @steps : i64 = 50
rdir.parameter @bound : f64 = 1.0e-9

rdir.variable @more : i32 = 1
rdir.variable @going : i32 = 1
rdir.variable @change : f64 = 0.0
rdir.root @page [@pages] {rank : f64, next : f64, degree : i64, piece : i32}
rdir.root @link [@links] {from : i64, to : i64}
rdir.partition @even of @page [@pieces] disjoint complete by blocks
rdir.partition @owned of @page [@pieces] disjoint complete by field("piece")
rdir.partition @into of @link [@pieces] disjoint complete by preimage("to", @owned)
rdir.partition @sources of @page [@pieces] aliased incomplete by image(@into, "from")

rdir.graph @build {
  rdir.task @makeLinks writes(@link) with(@pages)
  rdir.task @makePages reads(@link) writes(@page) with(@pieces)
}

rdir.graph @iterate {
  rdir.loop while @more {
    rdir.host @serve reads(@link) writes(@page {rank, next, degree}, @more) with(@steps, @bound)
    rdir.task @restart over [@pieces] writes(@even {rank}) with(@pages)
    rdir.fill 1 : i32 writes(@going)
    rdir.loop @steps while @going {
      rdir.task @gather over [@pieces] reads(@into, @sources {rank, degree}) writes(@owned {next}) with(@pages)
      rdir.fill 0.0 : f64 writes(@change)
      rdir.task @advance over [@pieces] reads(@even {next}) writes(@even {rank}) reduces<"max">(@change)
      rdir.task @decide reads(@change) writes(@going) with(@bound)
    }
  }
}
