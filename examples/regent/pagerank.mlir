// The ranks of pages, until they change by less than a bound. A piece has the
// links into its pages, and reads the pages from which these links come.

rdir.parameter @pages : i64 = 4000
rdir.parameter @links : i64 = 20000
rdir.parameter @pieces : i64 = 8
rdir.parameter @bound : f64 = 1.0e-9
rdir.variable @going : i32 = 1
rdir.variable @change : f64 = 0.0
rdir.root @page [@pages] {rank : f64, next : f64, degree : i64}
rdir.root @link [@links] {from : i64, to : i64}
rdir.partition @owned of @page [@pieces] disjoint complete by blocks
rdir.partition @into of @link [@pieces] disjoint complete by preimage("to", @owned)
rdir.partition @sources of @page [@pieces] aliased incomplete by image(@into, "from")

rdir.graph @build {
  rdir.task @makeLinks writes(@link) with(@pages)
  rdir.task @makePages reads(@link) writes(@page)
}

rdir.graph @iterate {
  rdir.loop 200 while @going {
    rdir.task @gather over [@pieces] reads(@into, @sources {rank, degree}) writes(@owned {next}) with(@pages)
    rdir.fill 0.0 : f64 writes(@change)
    rdir.task @advance over [@pieces] reads(@owned {next}) writes(@owned {rank}) reduces<"max">(@change)
    rdir.task @decide reads(@change) writes(@going) with(@bound)
  }
  rdir.host @compare reads(@page {rank}, @link) with(@pages, @links, @bound)
}
