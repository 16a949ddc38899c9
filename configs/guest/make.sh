# 40 C files on ext4, compiled one after the other by make and gcc, linked, and run; all in flash at the end.
before() (
    mkfs.ext4 -q -E nodiscard "$DISK" && mount "$DISK" /mnt && python3 - <<'END'
import pathlib

tree = pathlib.Path("/mnt/tree")
tree.mkdir()
names = [f"part{i}" for i in range(40)]
(tree / "parts.h").write_text("".join(f"int {name}(int);\n" for name in names))
for i, name in enumerate(names):
    lines = "".join(f"    x = x * {j + 3} % 10007 + {i};\n" for j in range(200))
    (tree / f"{name}.c").write_text(f'#include <stdio.h>\n#include "parts.h"\nint {name}(int x)\n{{\n{lines}    return x;\n}}\n')
calls = "".join(f"    x = {name}(x);\n" for name in names)
(tree / "main.c").write_text(f'#include <stdio.h>\n#include "parts.h"\nint main(void)\n{{\n    int x = 1;\n{calls}'
                             '    return printf("%d\\n", x) < 0;\n}\n')
objects = " ".join(f"{name}.o" for name in [*names, "main"])
(tree / "Makefile").write_text(f"all: {objects}\n\tcc -o all {objects}\n{objects}: parts.h\n")
END
)
command() (
    cd /mnt/tree && make -s && ./all && sync
)
