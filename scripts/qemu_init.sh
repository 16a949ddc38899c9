#!/bin/busybox sh
# tlmssd: what a guest of QEMU runs first. Words of the kernel's command line: SHARE=9p starts RUN from the host's
# files, which are the root, read-only; SHARE=none starts RUN by this file system's shell.
export PATH=/bin
/bin/busybox mkdir -p /bin /tmp
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in nvme ahci sd_mod virtio_pci crc32c_generic ext4; do
    modprobe -q $module
done
if [ "$SHARE" = 9p ]; then
    modprobe -q 9pnet_virtio
    modprobe -q 9p
    mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=512000 host /host ||
        { echo "tlmssd: the files of the host cannot be seen"; echo o >/proc/sysrq-trigger; sleep 100; }
    umount /dev /sys /proc
    exec chroot /host /bin/bash "$RUN"
fi
exec sh -c "$RUN"
