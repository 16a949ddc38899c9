// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: FstWriter on the library fstcpp.
#include <bitset>
#include <cerrno>
#include <fstcpp/fstcpp_writer.h>
#include <fstream>

#include "models/observe/fst/fst_writer.h"

namespace tlmssd::observe {

namespace {

fst::Writer& library(void* writer) { return *static_cast<fst::Writer*>(writer); }

/// The header is written last, and through a stream that writes nothing after its first failure. Its number e
/// stands behind the block's type and length and two times.
bool has_header(const std::string& path)
{
    double e = 0;
    std::ifstream file(path, std::ios::binary);
    file.seekg(fst::kSharedBlockHeaderSize + fst::HeaderInfo::Offset::real_endianness);
    file.read(reinterpret_cast<char*>(&e), sizeof e);
    return file.good() && e == fst::HeaderInfo::kEndianessMagicIdentifier;
}

} // namespace

void* FstWriter::create()
{
    auto* const writer = new fst::Writer(path_);
    writer->setTimecale(-12);
    return writer;
}

void FstWriter::destroy() { delete static_cast<fst::Writer*>(writer_); }

void FstWriter::begin_errors() { error_ = 0; }
void FstWriter::end_errors()
{
    const int error = errno;
    if (!has_header(path_)) {
        error_ = error != 0 ? error : EIO;
    }
}
int FstWriter::error() const { return error_; }

void FstWriter::begin_scope(const std::string& name)
{
    library(writer_).setScope(fst::Hierarchy::ScopeType::VCD_MODULE, name, "");
}

void FstWriter::end_scope() { library(writer_).upscope(); }

u32 FstWriter::add_enum(const std::string& name, u32 bits, const std::vector<std::pair<u64, std::string>>& values)
{
    std::vector<std::pair<std::string, std::string>> table; // name, value
    for (const auto& value : values) {
        table.emplace_back(value.second, std::bitset<64>(value.first).to_string().substr(64 - bits));
    }
    std::vector<std::pair<const char*, const char*>> table_p;
    for (const auto& entry : table) {
        table_p.emplace_back(entry.first.c_str(), entry.second.c_str());
    }
    return library(writer_).createEnumTable(name.c_str(), bits, table_p);
}

u32 FstWriter::add(const std::string& name, u32 bits, u32 enum_id)
{
    if (enum_id != kNoEnum) {
        library(writer_).emitEnumTableRef(enum_id);
    }
    return library(writer_).createVar(fst::Hierarchy::VarType::SV_LOGIC, fst::Hierarchy::VarDirection::IMPLICIT, bits,
                                      name, 0);
}

// VerilatedFstC::dump() puts the time off until a value comes; the same time twice is one.
void FstWriter::library_step(u64 time) { library(writer_).emitTimeChange(time); }

void FstWriter::put(u32 handle, u32, u64 value) { library(writer_).emitValueChange(handle, value); }

} // namespace tlmssd::observe
