// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: lines of a text file, plain or compressed (gz, xz, zst, bz2), in constant memory.
#include "models/workload/formats/line_reader.h"

#include <cerrno>
#include <cstring>
#include <new>
#include <vector>

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "models/common/error.h"

namespace tlmssd::workload {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

} // namespace

/// The bytes of a file for libarchive. A regular file is read by position, since the position of a descriptor belongs to all
/// copies of a process together.
struct LineReader::File {
    explicit File(int descriptor, bool is_regular) : fd(descriptor), regular(is_regular), block(kBlockBytes) {}
    ~File() { ::close(fd); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    static la_ssize_t read(archive* a, void* self, const void** bytes)
    {
        File& file = *static_cast<File*>(self);
        *bytes = file.block.data();
        ssize_t count = -1;
        do {
            count = file.regular ? ::pread(file.fd, file.block.data(), file.block.size(), file.at)
                                 : ::read(file.fd, file.block.data(), file.block.size());
        } while (count < 0 && errno == EINTR);
        if (count < 0) {
            archive_set_error(a, errno, "%s", std::strerror(errno));
            return ARCHIVE_FATAL;
        }
        file.at += count;
        return count;
    }

    int fd;
    bool regular;
    off_t at = 0; ///< bytes read so far
    std::vector<char> block;
};

LineReader::LineReader(std::string path, const char* what) : path_(std::move(path)), what_(what)
{
    struct stat status {};
    if (stat(path_.c_str(), &status) != 0) {
        throw InputError(path_ + ":1: cannot open " + what_ + ": " + std::strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) {
        throw InputError(path_ + ":1: cannot open " + what_ + ": it is a directory");
    }
    if (S_ISREG(status.st_mode)) {
        file_bytes_ = status.st_size;
    }
    archive_.reset(archive_read_new());
    if (archive_ == nullptr) {
        throw std::bad_alloc();
    }
    // Only these four: "all" would start external programs for some file contents.
    archive_read_support_filter_gzip(archive_.get());
    archive_read_support_filter_xz(archive_.get());
    archive_read_support_filter_zstd(archive_.get());
    archive_read_support_filter_bzip2(archive_.get());
    archive_read_support_format_raw(archive_.get());
    archive_read_support_format_empty(archive_.get());
    archive_entry* entry = nullptr;
    const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        throw InputError(path_ + ":1: cannot open " + what_ + ": " + std::strerror(errno));
    }
    file_ = std::make_unique<File>(fd, S_ISREG(status.st_mode));
    int result = archive_read_open(archive_.get(), file_.get(), nullptr, File::read, nullptr);
    if (result == ARCHIVE_OK) {
        result = archive_read_next_header(archive_.get(), &entry);
    }
    if (result == ARCHIVE_EOF) {
        ended_ = true;
    } else if (result != ARCHIVE_OK) {
        fail();
    }
    carry_.reserve(kMaxLine + 1);
}

void LineReader::Free::operator()(archive* a) const { archive_read_free(a); }

LineReader::~LineReader() = default;

void LineReader::fail() const
{
    if (archive_errno(archive_.get()) == ENOMEM) {
        throw std::bad_alloc();
    }
    const char* why = archive_error_string(archive_.get());
    throw InputError(path_ + ":" + std::to_string(number_ + 1) + ": cannot read " + what_ + ": " +
                     (why != nullptr ? why : "unknown error"));
}

bool LineReader::refill()
{
    while (!ended_) {
        const void* data = nullptr;
        std::size_t size = 0;
        la_int64_t offset = 0;
        const int result = archive_read_data_block(archive_.get(), &data, &size, &offset);
        if (result == ARCHIVE_EOF) {
            ended_ = true;
        } else if (result != ARCHIVE_OK) {
            fail();
        } else if (size > 0) {
            block_ = static_cast<const char*>(data);
            block_end_ = block_ + size;
            return true;
        }
    }
    return false;
}

bool LineReader::give(std::string_view text, std::string_view& line)
{
    ++number_;
    if (!text.empty() && text.back() == '\r') {
        text.remove_suffix(1);
    }
    too_long_ = too_long_ || text.size() > kMaxLine;
    line = text.substr(0, kMaxLine);
    return true;
}

bool LineReader::next(std::string_view& line)
{
    carry_.clear();
    carrying_ = false;
    too_long_ = false;
    for (;;) {
        if (block_ == block_end_ && !refill()) {
            return carrying_ ? give(carry_, line) : false;
        }
        const auto left = static_cast<std::size_t>(block_end_ - block_);
        const auto* end = static_cast<const char*>(std::memchr(block_, '\n', left));
        const std::string_view piece(block_, end != nullptr ? static_cast<std::size_t>(end - block_)
                                                            : left);
        block_ = end != nullptr ? end + 1 : block_end_;
        if (end != nullptr && !carrying_) {
            return give(piece, line);
        }
        // One byte more than a line may have, for a CR; what goes beyond is not kept.
        const std::size_t room = kMaxLine + 1 - carry_.size();
        too_long_ = too_long_ || piece.size() > room;
        carry_.append(piece.substr(0, room));
        carrying_ = true;
        if (end != nullptr) {
            return give(carry_, line);
        }
    }
}

double LineReader::progress() const
{
    if (file_bytes_ < 0) {
        return -1;
    }
    if (ended_ || file_bytes_ == 0) {
        return 1;
    }
    const double fraction = static_cast<double>(archive_filter_bytes(archive_.get(), -1)) /
                            static_cast<double>(file_bytes_);
    return fraction < 1 ? fraction : 1;
}

} // namespace tlmssd::workload
