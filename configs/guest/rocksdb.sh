# RocksDB's db_bench on ext4: 2,000 writes, each safe in flash when it ends, then as many random reads.
before() (
    type db_bench >/dev/null || { echo "no db_bench: scripts/setup --for linux installs it"; return 1; }
    mkfs.ext4 -q -E nodiscard "$DISK" && mount "$DISK" /mnt
)
command() (
    db_bench --db=/mnt/db --benchmarks=fillsync,readrandom --num=2000 --threads=1 --seed=1 --use_direct_reads=true \
        --compression_type=none && sync
)
