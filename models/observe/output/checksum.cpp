// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: checksums of the files that are written and read back.
#include "models/observe/output/checksum.h"

#include <bitset>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include <sys/stat.h>

#include "models/common/crc32.h"
#include "models/common/error.h"

namespace tlmssd::observe {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 18;
constexpr std::size_t kCrcBytes = 4;
/// A seal with as few wrong bits is a damaged one; bytes of another program differ in about half of theirs.
constexpr u32 kMostWrongBits = 8;

/// The bytes before and after the CRC-32 (lowest byte first).
struct Seal {
    std::string_view magic; ///< of the file
    std::string_view before;
    std::string_view after;
    std::size_t size() const { return before.size() + kCrcBytes + after.size(); }
};

using namespace std::string_view_literals;

constexpr Seal kSeals[] = {
    // RFC 8878, 3.1.2: a skippable frame of 8 bytes.
    {"\x28\xb5\x2f\xfd"sv, "\x50\x2a\x4d\x18\x08\0\0\0tlms"sv, ""sv},
    // RFC 1952, 2.3.1.1: an extra field of 8 bytes ("TS"), then an empty block, its CRC-32 and length.
    {"\x1f\x8b\x08"sv, "\x1f\x8b\x08\x04\0\0\0\0\0\xff\x0c\0TS\x08\0tlms"sv, "\x03\0\0\0\0\0\0\0\0\0"sv},
};

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

const Seal* seal_of(std::FILE* file)
{
    char magic[4] = {};
    const std::size_t got = std::fread(magic, 1, sizeof magic, file);
    std::rewind(file);
    for (const Seal& seal : kSeals) {
        if (std::string_view(magic, got).substr(0, seal.magic.size()) == seal.magic) {
            return &seal;
        }
    }
    return nullptr;
}

/// Of the first `count` bytes; false: not all could be read.
bool add_bytes(std::FILE* file, u64 count, Crc32& crc)
{
    std::vector<char> block(kBlockBytes);
    while (count != 0) {
        const auto most = static_cast<std::size_t>(count < kBlockBytes ? count : kBlockBytes);
        const std::size_t got = std::fread(block.data(), 1, most, file);
        if (got == 0) {
            return false;
        }
        crc.add(block.data(), got);
        count -= got;
    }
    return true;
}

std::string bytes_of(u32 crc)
{
    std::string bytes;
    for (u32 i = 0; i < kCrcBytes; ++i) {
        bytes += static_cast<char>(crc >> (8 * i) & 0xff);
    }
    return bytes;
}

std::size_t wrong_bits(std::string_view a, std::string_view b)
{
    std::size_t bits = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        bits += std::bitset<8>(static_cast<u8>(a[i] ^ b[i])).count();
    }
    return bits;
}

/// Of a regular file; 0: not one.
u64 size_of(const std::string& path)
{
    struct stat facts {};
    return stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) ? static_cast<u64>(facts.st_size) : 0;
}

void check(std::FILE* file, u64 size, const Seal& seal, const std::string& path)
{
    std::string end(seal.size(), '\0');
    if (std::fseek(file, -static_cast<long>(end.size()), SEEK_END) != 0 ||
        std::fread(end.data(), 1, end.size(), file) != end.size()) {
        return;
    }
    const std::string_view found(end);
    const std::size_t wrong =
        wrong_bits(seal.before, found.substr(0, seal.before.size())) +
        wrong_bits(seal.after, found.substr(seal.before.size() + kCrcBytes));
    if (wrong > kMostWrongBits) {
        return;
    }
    std::rewind(file);
    Crc32 crc;
    const bool read = add_bytes(file, size - seal.size(), crc);
    if (wrong != 0 || !read || found.substr(seal.before.size(), kCrcBytes) != bytes_of(crc.value())) {
        throw InputError(path + ": damaged: its bytes do not give the checksum at its end");
    }
}

} // namespace

int seal_file(const std::string& path)
{
    const File file(std::fopen(path.c_str(), "r+b"));
    if (file == nullptr) {
        return errno;
    }
    const Seal* const seal = seal_of(file.get());
    if (seal == nullptr) {
        return 0;
    }
    Crc32 crc;
    if (!add_bytes(file.get(), size_of(path), crc) || std::fseek(file.get(), 0, SEEK_END) != 0) {
        return errno != 0 ? errno : EIO;
    }
    const std::string bytes = std::string(seal->before) + bytes_of(crc.value()) + std::string(seal->after);
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() &&
                         std::fflush(file.get()) == 0;
    return written ? 0 : errno;
}

void check_seal(const std::string& path)
{
    const u64 size = size_of(path);
    const File file(size == 0 ? nullptr : std::fopen(path.c_str(), "rb"));
    if (file == nullptr) {
        return;
    }
    // A flip in the magic leaves a text that its reader refuses.
    const Seal* const seal = seal_of(file.get());
    if (seal != nullptr && size > seal->size()) {
        check(file.get(), size, *seal, path);
    }
}

} // namespace tlmssd::observe
