# 16,000 I/Os of 4 KiB in a file of 256 MiB on ext4, 70 % reads, 32 at a time, at random.
before() (
    mkfs.ext4 -q -E nodiscard "$DISK" && mount "$DISK" /mnt &&
        fio --name=fill --filename=/mnt/big --rw=write --bs=128k --size=256m --direct=1 --clocksource=clock_gettime >/tmp/fill
)
command() (
    fio --name=mixed --filename=/mnt/big --rw=randrw --rwmixread=70 --bs=4k --size=256m --direct=1 --ioengine=io_uring \
        --iodepth=32 --number_ios=16000 --norandommap --clocksource=clock_gettime
)
