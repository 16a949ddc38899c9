# As sqlite, half as many, beside 16 random reads of 4 KiB at a time from a file of 256 MiB.
before() (
    mkfs.ext4 -q -E nodiscard "$DISK" && mount "$DISK" /mnt &&
        fio --name=fill --filename=/mnt/big --rw=write --bs=128k --size=256m --direct=1 --clocksource=clock_gettime || exit 1
    fio --name=reads --filename=/mnt/big --rw=randread --bs=4k --size=256m --direct=1 --ioengine=io_uring --iodepth=16 \
        --time_based --runtime=600 --clocksource=clock_gettime >/tmp/reads 2>&1 &
    sleep 0.5 # until fio has calibrated its clock and reads
)
command() (
    {
        echo 'PRAGMA synchronous = FULL; CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT);'
        i=0
        while [ $i -lt 100 ]; do
            echo "INSERT INTO t VALUES ($i, 'row $i of the table');"
            i=$((i + 1))
        done
    } | sqlite3 /mnt/a.db
    status=$?
    pkill fio
    exit $status
)
