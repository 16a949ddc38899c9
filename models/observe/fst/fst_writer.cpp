// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the FST file that Verilated models and the model share.
#include "models/observe/fst/fst_writer.h"

#include <cerrno>
#include <verilated_fst_c.h>

namespace tlmssd::observe {

namespace {

/// The library's writer under a VerilatedFstC. A file can have one writer only, and VerilatedFstC does not hand it
/// out: this member is the one private name of Verilator that the model uses. (An explicit instantiation may name a
/// private member.)
void* writer_of(VerilatedFst& trace);
template <auto Member> struct Reach {
    friend void* writer_of(VerilatedFst& trace) { return trace.*Member; }
};
template struct Reach<&VerilatedFst::m_fst>;

} // namespace

FstWriter::FstWriter() = default;
FstWriter::~FstWriter() { close(); }

bool FstWriter::open(const std::string& path, const std::vector<Attach>& models)
{
    path_ = path;
    begin_errors();
    if (models.empty()) {
        writer_ = create();
        return writer_ != nullptr;
    }
    rtl_ = std::make_unique<VerilatedFstC>();
    for (const Attach& attach : models) {
        attach(*rtl_);
    }
    rtl_->set_time_unit("1ps");
    rtl_->set_time_resolution("1ps");
    rtl_->open(path.c_str());
    writer_ = rtl_->isOpen() ? writer_of(*rtl_->spTrace()) : nullptr;
    return writer_ != nullptr;
}

void FstWriter::step(u64 time)
{
    if (rtl_ != nullptr) {
        rtl_->dump(time);
    }
    library_step(time);
}

void FstWriter::close()
{
    if (writer_ == nullptr) {
        return;
    }
    errno = 0;
    if (rtl_ != nullptr) {
        rtl_->close();
        rtl_ = nullptr;
    } else {
        destroy();
    }
    writer_ = nullptr;
    end_errors();
}

} // namespace tlmssd::observe
