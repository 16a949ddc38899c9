// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ELF32 reader (System V ABI, chapters 4 and 5; machine 243 = RISC-V, 62 = x86-64).
#include "models/cpu/iss/iss_elf.h"

#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "models/common/error.h"
#include "models/common/file_io.h"

namespace tlmssd::cpu {

namespace {

class File {
public:
    File(const std::string& path, const char* kind) : path_(path), kind_(kind)
    {
        if (const int error = read_file(path, bytes_); error != 0) {
            throw InputError(path + ": cannot open the firmware image: " + std::strerror(error));
        }
    }

    [[noreturn]] void fail(const std::string& reason) const
    {
        throw InputError(path_ + ": not a complete " + kind_ + " executable: " + reason);
    }

    template <class T>
    T at(u64 offset, const char* what) const
    {
        T value;
        std::memcpy(&value, range(offset, sizeof value, what), sizeof value);
        return value;
    }

    const char* range(u64 offset, u64 bytes, const char* what) const
    {
        if (offset > bytes_.size() || bytes > bytes_.size() - offset) {
            fail(std::string(what) + " lies after the end of the file");
        }
        return bytes_.data() + offset;
    }

private:
    std::string path_;
    const char* kind_;
    std::string bytes_;
};

void read_symbols(const File& file, const Elf32_Ehdr& header, std::vector<ElfSymbol>& symbols)
{
    for (u32 i = 0; i < header.e_shnum; ++i) {
        const auto section =
            file.at<Elf32_Shdr>(header.e_shoff + u64{i} * sizeof(Elf32_Shdr), "a section header");
        if (section.sh_type != SHT_SYMTAB) {
            continue;
        }
        if (section.sh_link >= header.e_shnum) {
            file.fail("the symbol table names no string table");
        }
        const auto strings = file.at<Elf32_Shdr>(
            header.e_shoff + u64{section.sh_link} * sizeof(Elf32_Shdr), "a section header");
        const char* names = file.range(strings.sh_offset, strings.sh_size, "the string table");
        for (u32 at = 0; at + sizeof(Elf32_Sym) <= section.sh_size; at += sizeof(Elf32_Sym)) {
            const auto symbol = file.at<Elf32_Sym>(u64{section.sh_offset} + at, "a symbol");
            const unsigned type = ELF32_ST_TYPE(symbol.st_info);
            if (type > STT_FUNC || symbol.st_name == 0 || symbol.st_name >= strings.sh_size ||
                symbol.st_shndx == SHN_UNDEF) {
                continue;
            }
            const char* name = names + symbol.st_name;
            const std::string full(name, strnlen(name, strings.sh_size - symbol.st_name));
            /* `name.constprop.0` and the like are a compiler's versions of `name`. */
            symbols.push_back({full.substr(0, full.find('.')), symbol.st_value, symbol.st_size,
                               type == STT_FUNC, type == STT_OBJECT});
        }
    }
    std::stable_sort(symbols.begin(), symbols.end(),
                     [](const ElfSymbol& a, const ElfSymbol& b) { return a.address < b.address; });
}

} // namespace

ElfImage read_elf(const std::string& path, ElfMachine machine)
{
    const bool rv32 = machine == ElfMachine::Rv32;
    const File file(path, rv32 ? "RV32" : "x32");
    const auto header = file.at<Elf32_Ehdr>(0, "the header");
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        file.fail("no ELF magic");
    }
    if (header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_machine != (rv32 ? EM_RISCV : EM_X86_64) || header.e_type != ET_EXEC) {
        file.fail(std::string("not a 32-bit little-endian ") + (rv32 ? "RISC-V" : "x86-64") + " executable");
    }
    if ((header.e_phnum != 0 && header.e_phentsize != sizeof(Elf32_Phdr)) ||
        (header.e_shnum != 0 && header.e_shentsize != sizeof(Elf32_Shdr))) {
        file.fail("header entries of another size");
    }
    ElfImage image;
    image.path = path;
    image.entry = header.e_entry;
    for (u32 i = 0; i < header.e_phnum; ++i) {
        const auto program =
            file.at<Elf32_Phdr>(header.e_phoff + u64{i} * sizeof(Elf32_Phdr), "a program header");
        if (program.p_type != PT_LOAD || program.p_memsz == 0) {
            continue;
        }
        if (program.p_filesz > program.p_memsz) {
            file.fail("a segment is larger in the file than in memory");
        }
        const char* data = file.range(program.p_offset, program.p_filesz, "a segment");
        image.segments.push_back(
            {program.p_vaddr, program.p_memsz, std::vector<u8>(data, data + program.p_filesz),
             (program.p_flags & PF_X) != 0});
    }
    if (image.segments.empty()) {
        file.fail("nothing to load");
    }
    read_symbols(file, header, image.symbols);
    return image;
}

const ElfSymbol* ElfImage::find(const std::string& name) const
{
    for (const ElfSymbol& symbol : symbols) {
        if (symbol.name == name) {
            return &symbol;
        }
    }
    return nullptr;
}

const ElfSymbol* ElfImage::find_object(const std::string& name) const
{
    const auto found = std::find_if(symbols.begin(), symbols.end(), [&name](const ElfSymbol& symbol) {
        return symbol.object && symbol.name == name;
    });
    return found != symbols.end() ? &*found : nullptr;
}

std::string ElfImage::describe(u32 address) const
{
    char text[32];
    for (const ElfSymbol& symbol : symbols) {
        if (symbol.function && address >= symbol.address && address - symbol.address < symbol.bytes) {
            std::snprintf(text, sizeof text, "+0x%x", address - symbol.address);
            return symbol.name + text;
        }
    }
    std::snprintf(text, sizeof text, "0x%08x", address);
    return text;
}

void ElfImage::load_into(IssIf& iss) const
{
    for (const ElfSegment& segment : segments) {
        u8* to = iss.memory(segment.address, segment.memory_bytes);
        if (to == nullptr) {
            throw ModelError(path + ": a segment at " + std::to_string(segment.address) +
                             " lies outside the CPU's memories");
        }
        std::fill(std::copy(segment.data.begin(), segment.data.end(), to), to + segment.memory_bytes,
                  u8{0});
    }
    iss.set_pc(entry);
}

} // namespace tlmssd::cpu
