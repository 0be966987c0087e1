# small_disk.sh FOLDER KIB COMMAND...: runs it where FOLDER is a disk of so many
# KiB; in a mount namespace.
set -eu
folder=$1 size=$2
shift 2
rm -rf "$folder"
mkdir -p "$folder"
mount -t tmpfs -o size="${size}k" none "$folder"
exec "$@"
