# A file system with the documentation of this machine's packages, checked.
command() (
    mkfs.ext4 -q "$DISK" && mount "$DISK" /mnt && cp -r /usr/share/doc/fio /mnt && df /mnt && umount /mnt &&
        fsck.ext4 -fn "$DISK"
)
