# full_disk.sh SLUICE FOLDER: a program on two ranks whose timeline has no room;
# in a mount namespace.
set -eu
sluice=$1 folder=$2 inputs=$(dirname "$0")
rm -rf "$folder"
mkdir -p "$folder/full"
mount -t tmpfs -o size=64k none "$folder/full"
run() {
  SLUICE_TRACE=$folder/full/t.json "$sluice" run --ranks=2 \
    "$inputs/line.mlir" "$inputs/line.c" 2>&1
  echo "status $?"
}
fill() { dd if=/dev/zero of="$folder/full/x" bs=1k count="$1" 2> /dev/null || true; }
echo "full from the start"
fill 64
run
ls "$folder/full"
echo "room for an empty timeline only"
rm "$folder/full/x"
fill 60
run
# One page is free, so one of the ranks may have no file at all.
cat "$folder/full/t.json" "$folder/full/t.json.rank1" 2> /dev/null |
  grep -c '"ph":"X"' || true
