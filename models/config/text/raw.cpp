// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: builds the raw tree from yaml-cpp's events, so that no alias is ever expanded.
#include "models/config/text/raw.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>

#include <unistd.h>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "models/common/file_io.h"
#include "models/common/types.h"

namespace tlmssd::config {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxDepth = 8;

/// Bytes of the UTF-8 sequence at text[i]; 0: not UTF-8 (RFC 3629).
std::size_t utf8_length(const std::string& text, std::size_t i)
{
    const auto byte = [&](std::size_t k) {
        return i + k < text.size() ? static_cast<u8>(text[i + k]) : u8{0};
    };
    const u8 b = byte(0);
    if (b < 0x80) {
        return 1;
    }
    const std::size_t n = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2;
    if (b < 0xc2 || b > 0xf4) {
        return 0;
    }
    for (std::size_t k = 1; k < n; ++k) {
        if ((byte(k) & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool overlong = (b == 0xe0 && byte(1) < 0xa0) || (b == 0xf0 && byte(1) < 0x90);
    const bool outside = (b == 0xed && byte(1) > 0x9f) || (b == 0xf4 && byte(1) > 0x8f);
    return overlong || outside ? 0 : n;
}

class Builder final : public YAML::EventHandler {
public:
    explicit Builder(std::string name) : name_(std::move(name)) {}

    RawNode take() { return std::move(root_); }
    bool seen() const { return seen_; }
    Origin at(const YAML::Mark& mark) const
    {
        return mark.line < 0 ? Origin{name_, 0, 0, ""}
                             : Origin{name_, mark.line + 1, mark.column + 1, ""};
    }

    void OnDocumentStart(const YAML::Mark& mark) override
    {
        if (seen_) {
            fail(at(mark), "", "a second YAML document; a configuration is one document");
        }
        seen_ = true;
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        add(node(RawNode::Kind::Null, mark, "", anchor));
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { no_anchor(mark); }
    void OnAnchor(const YAML::Mark& mark, const std::string&) override { no_anchor(mark); }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override
    {
        RawNode n = node(RawNode::Kind::Scalar, mark, tag, anchor);
        n.text = value;
        n.quoted = tag == "!";
        add(std::move(n));
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override
    {
        open(node(RawNode::Kind::Sequence, mark, tag, anchor));
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override
    {
        open(node(RawNode::Kind::Map, mark, tag, anchor));
    }
    void OnMapEnd() override { close(); }

private:
    /// A map or list that is still open, and for a map the key that waits for its value.
    struct Frame {
        RawNode node;
        RawNode key;
        bool has_key = false;
        std::set<std::string> keys;
    };

    [[noreturn]] void no_anchor(const YAML::Mark& mark) const
    {
        fail(at(mark), "", "YAML anchors and aliases are not used here; use include");
    }

    RawNode node(RawNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
                 YAML::anchor_t anchor) const
    {
        if (anchor != 0) {
            no_anchor(mark);
        }
        if (!tag.empty() && tag != "?" && tag != "!") {
            fail(at(mark), "", "YAML tag '" + shown(tag) + "' is not used here");
        }
        RawNode n;
        n.kind = kind;
        n.origin = at(mark);
        return n;
    }

    void open(RawNode n)
    {
        if (stack_.size() >= kMaxDepth) {
            fail(n.origin, "", "nested deeper than " + std::to_string(kMaxDepth));
        }
        Frame frame;
        frame.node = std::move(n);
        stack_.push_back(std::move(frame));
    }

    void close()
    {
        RawNode n = std::move(stack_.back().node);
        stack_.pop_back();
        add(std::move(n));
    }

    void add(RawNode n)
    {
        if (stack_.empty()) {
            root_ = std::move(n);
            return;
        }
        Frame& frame = stack_.back();
        if (frame.node.kind == RawNode::Kind::Sequence) {
            frame.node.items.push_back(std::move(n));
        } else if (!frame.has_key) {
            if (n.kind != RawNode::Kind::Scalar) {
                fail(n.origin, "", "a key must be a word, not " + n.what());
            }
            if (!frame.keys.insert(n.text).second) {
                fail(n.origin, shown(n.text), "given twice in the same map");
            }
            frame.key = std::move(n);
            frame.has_key = true;
        } else {
            frame.node.entries.emplace_back(std::move(frame.key), std::move(n));
            frame.has_key = false;
        }
    }

    std::string name_;
    RawNode root_;
    std::vector<Frame> stack_;
    bool seen_ = false;
};

} // namespace

void check_characters(const std::string& text, const std::string& name)
{
    Origin at{name, 1, 1, ""};
    for (std::size_t i = 0; i < text.size();) {
        const u8 b = static_cast<u8>(text[i]);
        const std::size_t n = utf8_length(text, i);
        if (n == 0) {
            fail(at, "", "the text is not UTF-8");
        }
        if ((b < 0x20 && b != '\t' && b != '\n' && b != '\r') || b == 0x7f) {
            fail(at, "", "control character " + std::to_string(b) + " in the text");
        }
        i += n;
        ++at.column;
        if (b == '\n') {
            ++at.line;
            at.column = 1;
        }
    }
}

std::string RawNode::what() const
{
    switch (kind) {
    case Kind::Null:
        return "nothing";
    case Kind::Map:
        return "a map";
    case Kind::Sequence:
        return "a list";
    case Kind::Scalar:
        break;
    }
    return "'" + shown(text) + "'";
}

RawNode parse_yaml(const std::string& text, const std::string& name)
{
    check_characters(text, name);
    Builder builder(name);
    try {
        std::istringstream in(text);
        YAML::Parser parser(in);
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const YAML::Exception& e) {
        fail(builder.at(e.mark), "", "YAML: " + e.msg);
    }
    return builder.take();
}

void check_readable(const std::string& path, const Origin& origin, const std::string& key)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        fail(origin, key, shown_path(path) + " is a folder, not a file");
    }
    // Not opened here: opening a pipe and closing it again would end its writer.
    if (::access(path.c_str(), R_OK) != 0) {
        fail(origin, key, "cannot read " + shown_path(path) + ": " + std::strerror(errno));
    }
}

std::string read_text(const std::string& path, const Origin& origin, const std::string& key)
{
    check_readable(path, origin, key);
    std::string text;
    if (const int error = read_file(path, text, kMaxBytes + 1); error != 0) {
        fail(origin, key, "cannot read " + shown_path(path) + ": " + std::strerror(error));
    }
    if (text.size() > kMaxBytes) {
        fail(origin, key, shown_path(path) + " is larger than 1 MiB, not a configuration");
    }
    return text;
}

} // namespace tlmssd::config
