# 2,000 files of up to 16 KiB on ext4: made, made safe every 50 files, renamed; every third removed.
before() (
    mkfs.ext4 -q -E nodiscard "$DISK" && mount "$DISK" /mnt && mkdir /mnt/d
)
command() (
    python3 - <<'EOF'
import os

for i in range(2000):
    with open(f"/mnt/a{i}", "w") as file:
        file.write("line of a file\n" * (i * 37 % 1090))
        file.flush()
        if i % 50 == 49:
            os.fsync(file.fileno())
    os.rename(f"/mnt/a{i}", f"/mnt/d/b{i}")
    if i % 3 == 0:
        os.remove(f"/mnt/d/b{i}")
os.sync()
EOF
)
