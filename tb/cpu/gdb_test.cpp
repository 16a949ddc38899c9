// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: gdb's remote serial protocol by hand: frames (checksums computed on paper) and packets.
#include <gmock/gmock.h>

#include <array>
#include <string>
#include <vector>

#include "models/cpu/iss/gdb_packet.h"
#include "models/cpu/iss/gdb_stub.h"

namespace tlmssd::cpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using Kind = GdbInput::Kind;

std::vector<std::pair<Kind, std::string>> inputs(GdbReader& reader)
{
    std::vector<std::pair<Kind, std::string>> all;
    for (GdbInput input; reader.next(input);) {
        all.emplace_back(input.kind, input.payload);
    }
    return all;
}

std::vector<std::pair<Kind, std::string>> inputs_of(const std::string& bytes)
{
    GdbReader reader;
    reader.feed(bytes.data(), bytes.size());
    return inputs(reader);
}

TEST(GdbFrame, HasTheSumOfItsBytes)
{
    EXPECT_EQ(gdb_frame("OK"), "$OK#9a"); // 0x4f + 0x4b
    EXPECT_EQ(gdb_frame(""), "$#00");
}

TEST(GdbFrame, EscapesWhatFramesUse)
{
    // '#' ^ 0x20 is 0x03, '}' is ']', '*' is 0x0a, '$' is 0x04; 7d + 03 + 7d + 5d + 7d + 0a + 7d + 04 = 262
    EXPECT_EQ(gdb_frame("#}*$"), "$}\x03}]}\n}\x04#62");
}

TEST(GdbFrame, ShortensRunsButNotToFrameCharacters)
{
    EXPECT_EQ(gdb_frame("000"), "$000#90");     // two further copies: no gain
    EXPECT_EQ(gdb_frame("0000"), "$0* #7a");    // three: 29 + 3 is a blank; 30 + 2a + 20
    EXPECT_EQ(gdb_frame("0000000"), "$0*\"0#ac"); // six would be '#': five and one; 30 + 2a + 22 + 30
    EXPECT_EQ(gdb_frame("00000000"), "$0*\"00#dc"); // seven would be '$'
    EXPECT_EQ(gdb_frame("000000000"), "$0*%#7f"); // eight: 29 + 8 = '%'; 30 + 2a + 25
    const std::string longest = gdb_frame(std::string(98, 'x'));
    EXPECT_EQ(longest, "$x*~#20"); // 97: 29 + 97 = '~'; 78 + 2a + 7e = 120
    EXPECT_THAT(inputs_of(gdb_frame(std::string(300, 'x'))),
                ElementsAre(std::pair(Kind::Packet, std::string(300, 'x'))));
}

TEST(GdbReader, TakesFramesInPiecesAndWhatIsBetweenThem)
{
    GdbReader reader;
    const std::string bytes = "+junk$m0,4#fd-\x03$g#67"; // 6d + 30 + 2c + 34 = fd
    for (const char c : bytes) {
        reader.feed(&c, 1);
    }
    EXPECT_THAT(inputs(reader), ElementsAre(std::pair(Kind::Ack, ""), std::pair(Kind::Packet, "m0,4"),
                                            std::pair(Kind::Nack, ""), std::pair(Kind::Interrupt, ""),
                                            std::pair(Kind::Packet, "g")));
}

TEST(GdbReader, UndoesEscapesAndRuns)
{
    EXPECT_THAT(inputs_of("$}\x03}]}\n}\x04#62"), ElementsAre(std::pair(Kind::Packet, "#}*$")));
    EXPECT_THAT(inputs_of("$0* 1#ab"), ElementsAre(std::pair(Kind::Packet, "00001")));
    EXPECT_THAT(inputs_of("$}\x03*\"#cc"), ElementsAre(std::pair(Kind::Packet, "######"))); // 7d+03+2a+22
    EXPECT_THAT(inputs_of("$OK#9A"), ElementsAre(std::pair(Kind::Packet, "OK")));
}

TEST(GdbReader, CallsBrokenWhatIs)
{
    const auto broken = ElementsAre(std::pair(Kind::Broken, ""));
    EXPECT_THAT(inputs_of("$OK#9b"), broken);   // wrong sum
    EXPECT_THAT(inputs_of("$OK#x9"), broken);   // no number
    EXPECT_THAT(inputs_of("$a}#de"), broken);   // nothing to unescape: 61 + 7d
    EXPECT_THAT(inputs_of("$a*#8b"), broken);   // no count: 61 + 2a
    EXPECT_THAT(inputs_of("$* #4a"), broken);   // nothing to repeat: 2a + 20
    EXPECT_THAT(inputs_of("$a*\x1f#aa"), broken); // two copies only: 61 + 2a + 1f
    EXPECT_THAT(inputs_of("$" + std::string(GdbReader::kMaxPayload + 1, '\x40') + "#40"), broken);
    EXPECT_THAT(inputs_of("$a*~a*~#" /* unfinished */), testing::IsEmpty());
    // A run that would grow past the limit: 170 runs of 98 are 16,660. 6 * 61 + ... is checked by the
    // frame function, which is right by the tests above.
    std::string bomb;
    for (int i = 0; i < 170; ++i) {
        bomb += "a*~";
    }
    u32 sum = 0;
    for (const char c : bomb) {
        sum += static_cast<u8>(c);
    }
    const std::string digits = gdb_hex(std::string(1, static_cast<char>(sum)));
    EXPECT_THAT(inputs_of("$" + bomb + "#" + digits), broken);
}

TEST(GdbReader, AFrameThatBreaksOffIsLostWithTheNext)
{
    EXPECT_THAT(inputs_of("$m0,$OK#9a"), ElementsAre(std::pair(Kind::Packet, "OK")));
}

TEST(GdbHex, IsStrict)
{
    std::string bytes;
    EXPECT_EQ(gdb_hex(std::string("\x00\xfe", 2)), "00fe");
    EXPECT_TRUE(gdb_unhex("00Fe", bytes));
    EXPECT_EQ(bytes, std::string("\x00\xfe", 2));
    EXPECT_FALSE(gdb_unhex("0", bytes));
    EXPECT_FALSE(gdb_unhex("0g", bytes));
}

/// 33 registers, and 16 bytes of memory at 0x1000.
class Target final : public GdbTargetIf {
public:
    u32 gdb_register(u32 n) override { return registers.at(n); }
    void gdb_set_register(u32 n, u32 value) override { registers.at(n) = value; }
    std::string gdb_read(u32 address, u32 bytes) override
    {
        return address < 0x1000 || address >= 0x1010 ? "" : memory.substr(address - 0x1000, bytes);
    }
    bool gdb_write(u32 address, const std::string& bytes) override
    {
        if (address < 0x1000 || address + bytes.size() > 0x1010) {
            return false;
        }
        memory.replace(address - 0x1000, bytes.size(), bytes);
        return true;
    }
    std::array<u32, kRegisters> registers{};
    std::string memory = "0123456789abcdef";
};

class Stub : public testing::Test {
protected:
    std::string ask(const std::string& packet)
    {
        const GdbStub::Answer answer = stub.packet(packet);
        return answer.now ? answer.text : "(later)";
    }
    Target target;
    GdbStub stub{target};
};

TEST_F(Stub, SaysWhatItCan)
{
    EXPECT_THAT(ask("qSupported:swbreak+;xmlRegisters=i386"),
                testing::AllOf(HasSubstr("PacketSize="), HasSubstr("qXfer:features:read+"),
                               HasSubstr("vContSupported+"), HasSubstr("QStartNoAckMode+")));
    EXPECT_EQ(ask("vCont?"), "vCont;c;C;s;S");
    EXPECT_EQ(ask("?"), "T05thread:1;");
    EXPECT_EQ(ask("qAttached"), "1");
    EXPECT_EQ(ask("Hg0"), "OK");
    EXPECT_EQ(ask("qC"), "QC1");
    EXPECT_EQ(ask("qfThreadInfo"), "m1");
    EXPECT_EQ(ask("qsThreadInfo"), "l");
    for (const char* unknown : {"qOffsets", "vMustReplyEmpty", "Z2,1000,4", "_", ""}) {
        EXPECT_EQ(ask(unknown), "") << unknown;
    }
    EXPECT_TRUE(stub.acknowledges());
    EXPECT_EQ(ask("QStartNoAckMode"), "OK");
    EXPECT_FALSE(stub.acknowledges());
}

TEST_F(Stub, DescribesTheTargetInParts)
{
    std::string xml;
    for (u32 offset = 0;; offset += 0x100) {
        char packet[64];
        std::snprintf(packet, sizeof packet, "qXfer:features:read:target.xml:%x,100", offset);
        const std::string answer = ask(packet);
        ASSERT_THAT(answer, testing::AnyOf(StartsWith("m"), StartsWith("l")));
        xml += answer.substr(1);
        if (answer[0] == 'l') {
            break;
        }
        ASSERT_EQ(answer.size(), 0x101u);
    }
    EXPECT_THAT(xml, HasSubstr("<architecture>riscv:rv32</architecture>"));
    EXPECT_THAT(xml, HasSubstr("<feature name=\"org.gnu.gdb.riscv.cpu\">"));
    EXPECT_THAT(xml, HasSubstr("<reg name=\"zero\" bitsize=\"32\" type=\"int\" regnum=\"0\"/>"));
    EXPECT_THAT(xml, HasSubstr("<reg name=\"sp\" bitsize=\"32\" type=\"data_ptr\" regnum=\"2\"/>"));
    EXPECT_THAT(xml, HasSubstr("<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\" regnum=\"32\"/>"));
    EXPECT_THAT(xml, testing::EndsWith("</feature></target>"));
    EXPECT_EQ(ask("qXfer:features:read:other.xml:0,100"), "E00");
    EXPECT_EQ(ask("qXfer:features:read:target.xml:0"), "E01");
}

TEST_F(Stub, ReadsAndWritesRegistersInLittleEndian)
{
    target.registers[1] = 0x12345678;
    target.registers[32] = 0x100;
    EXPECT_EQ(ask("p1"), "78563412");
    EXPECT_EQ(ask("p20"), "00010000");
    EXPECT_EQ(ask("g"), "00000000" "78563412" + std::string(30 * 8, '0') + "00010000");
    EXPECT_EQ(ask("P5=efbeadde"), "OK");
    EXPECT_EQ(target.registers[5], 0xdeadbeefu);
    EXPECT_EQ(ask("G" + std::string(32 * 8, 'a') + "04030201"), "OK");
    EXPECT_EQ(target.registers[0], 0u) << "x0 stays 0";
    EXPECT_EQ(target.registers[31], 0xaaaaaaaau);
    EXPECT_EQ(target.registers[32], 0x01020304u);
    for (const char* wrong :
         {"p21", "p", "pz", "p1x", "P5", "P5=1", "P5=0011223g", "P21=00000000", "G00", "gg"}) {
        EXPECT_EQ(ask(wrong), "E01") << wrong;
    }
}

TEST_F(Stub, ReadsAndWritesMemory)
{
    EXPECT_EQ(ask("m1000,4"), "30313233");
    EXPECT_EQ(ask("m100e,10"), "6566") << "as far as there is memory";
    EXPECT_EQ(ask("m2000,4"), "E0e");
    EXPECT_EQ(ask("M1001,2:4142"), "OK");
    EXPECT_EQ(ask("X1003,2:}#"), "OK"); // bytes as they are, unescaped by the reader
    EXPECT_EQ(target.memory, "0AB}#56789abcdef");
    EXPECT_EQ(ask("X1000,0:"), "OK"); // gdb asks so whether X is known
    EXPECT_EQ(ask("M100f,2:4142"), "E0e");
    for (const char* wrong : {"m", "m1000", "m1000,", "m1000,4,", "m123456789,1", "M1000,2:41",
                              "M1000,1:4g", "M1000,1", "X1000,2:a"}) {
        EXPECT_EQ(ask(wrong), "E01") << wrong;
    }
    EXPECT_EQ(target.memory, "0AB}#56789abcdef");
}

TEST_F(Stub, StopsAtBreakpointsAndSteps)
{
    EXPECT_EQ(ask("Z0,100,4"), "OK");
    EXPECT_EQ(ask("Z1,102,2"), "OK");
    EXPECT_FALSE(stub.stops_at(0x100)) << "it is halted";
    EXPECT_EQ(ask("c"), "(later)");
    EXPECT_EQ(stub.mode(), GdbStub::Mode::Continue);
    EXPECT_TRUE(stub.stops_at(0x100));
    EXPECT_TRUE(stub.stops_at(0x102));
    EXPECT_FALSE(stub.stops_at(0x104));
    EXPECT_EQ(stub.halt(kGdbTrap), "T05thread:1;");
    EXPECT_EQ(ask("z0,100,4"), "OK");
    EXPECT_EQ(ask("vCont;s:1;c"), "(later)");
    EXPECT_EQ(stub.mode(), GdbStub::Mode::Step);
    EXPECT_TRUE(stub.stops_at(0x104));
    EXPECT_EQ(stub.halt(kGdbInterrupt), "T02thread:1;");
    EXPECT_EQ(ask("?"), "T02thread:1;");
    EXPECT_EQ(ask("vCont;C05:-1"), "(later)");
    EXPECT_FALSE(stub.stops_at(0x100));
    stub.halt(kGdbTrap);
    EXPECT_EQ(ask("s200"), "(later)");
    EXPECT_EQ(target.registers[32], 0x200u);
    stub.halt(kGdbTrap);
    EXPECT_EQ(ask("S05;300"), "(later)");
    EXPECT_EQ(target.registers[32], 0x300u);
    stub.halt(kGdbTrap);
    for (const char* wrong : {"Z0,101,4", "Z0,100", "Z0", "cx", "C", "vCont;", "vCont;t"}) {
        EXPECT_EQ(ask(wrong), "E01") << wrong;
        EXPECT_EQ(stub.mode(), GdbStub::Mode::Halted);
    }
}

TEST_F(Stub, DetachesAndKills)
{
    ask("Z0,100,4");
    EXPECT_EQ(ask("D;1"), "OK");
    EXPECT_EQ(stub.mode(), GdbStub::Mode::Detached);
    EXPECT_FALSE(stub.stops_at(0x100));
    GdbStub other(target);
    EXPECT_FALSE(other.packet("k").now);
    EXPECT_EQ(other.mode(), GdbStub::Mode::Killed);
    GdbStub third(target);
    EXPECT_EQ(third.packet("vKill;1").text, "OK");
    EXPECT_EQ(third.mode(), GdbStub::Mode::Killed);
}

} // namespace
} // namespace tlmssd::cpu
