# simulate.sh NETWORK RANKS PROGRAM ARGUMENT...: in the folder of this file, where
# platforms and programs are. Only what tasks say takes simulated time.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
network=$1-$2 ranks=$2 program=$3
shift 3
cd "$(dirname "$0")" || exit 1
GLIBC_TUNABLES=glibc.rtld.optional_static_tls=1000000 exec smpirun \
  -np "$ranks" -platform "$network.xml" -hostfile "$network.hosts" \
  --cfg=smpi/simulate-computation:no --log=root.thres:warning \
  "./$program" "$@"
