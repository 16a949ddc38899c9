# 20 small files on ext4, each written and brought to flash by fsync.
before() (
    mkfs.ext4 -q -E nodiscard "$DISK" && mount "$DISK" /mnt
)
command() (
    i=0
    while [ $i -lt 20 ]; do
        dd if=/dev/zero of=/mnt/file$i bs=16k count=1 conv=fsync status=none || exit
        i=$((i + 1))
    done
)
