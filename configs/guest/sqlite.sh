# 200 inserts into an SQLite database on ext4, each safe in flash when it ends.
before() (
    mkfs.ext4 -q -E nodiscard "$DISK" && mount "$DISK" /mnt
)
command() (
    {
        echo 'PRAGMA synchronous = FULL; CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT);'
        i=0
        while [ $i -lt 200 ]; do
            echo "INSERT INTO t VALUES ($i, 'row $i of the table');"
            i=$((i + 1))
        done
    } | sqlite3 /mnt/a.db
)
