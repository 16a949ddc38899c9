// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: FstWriter on GTKWave's fstapi.h.
#include <bitset>
#include <gtkwave/fstapi.h>

#include "models/observe/fst/fst_stdio.h"
#include "models/observe/fst/fst_writer.h"

namespace tlmssd::observe {

void* FstWriter::create()
{
    void* const writer = fstWriterCreate(path_.c_str(), 1);
    if (writer != nullptr) {
        fstWriterSetPackType(writer, FST_WR_PT_LZ4);
        fstWriterSetTimescale(writer, -12);
    }
    return writer;
}

void FstWriter::destroy() { fstWriterClose(writer_); }

void FstWriter::begin_errors() { fst_forget_error(); }
void FstWriter::end_errors() { error_ = fst_error(); }
int FstWriter::error() const { return is_open() ? fst_error() : error_; }

void FstWriter::begin_scope(const std::string& name)
{
    fstWriterSetScope(writer_, FST_ST_VCD_MODULE, name.c_str(), nullptr);
}

void FstWriter::end_scope() { fstWriterSetUpscope(writer_); }

u32 FstWriter::add_enum(const std::string& name, u32 bits, const std::vector<std::pair<u64, std::string>>& values)
{
    std::vector<std::string> texts;
    for (const auto& value : values) {
        texts.push_back(std::bitset<64>(value.first).to_string().substr(64 - bits));
    }
    std::vector<const char*> names_p;
    std::vector<const char*> values_p;
    for (std::size_t i = 0; i < values.size(); ++i) {
        names_p.push_back(values[i].second.c_str());
        values_p.push_back(texts[i].c_str());
    }
    return fstWriterCreateEnumTable(writer_, name.c_str(), static_cast<u32>(values.size()), bits, names_p.data(),
                                    values_p.data());
}

u32 FstWriter::add(const std::string& name, u32 bits, u32 enum_id)
{
    if (enum_id != kNoEnum) {
        fstWriterEmitEnumTableRef(writer_, enum_id);
    }
    return fstWriterCreateVar(writer_, FST_VT_SV_LOGIC, FST_VD_IMPLICIT, bits, name.c_str(), 0);
}

void FstWriter::library_step(u64 time)
{
    if (rtl_ == nullptr) { // else done by dump()
        fstWriterEmitTimeChange(writer_, time);
    }
}

void FstWriter::put(u32 handle, u32 bits, u64 value) { fstWriterEmitValueChange64(writer_, handle, bits, value); }

} // namespace tlmssd::observe
