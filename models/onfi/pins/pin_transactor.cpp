// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: signals to pins, announced levels to signals.
#include "models/onfi/pins/pin_transactor.h"

namespace tlmssd::onfi {

namespace {

Picoseconds kernel_now() { return Picoseconds(sc_core::sc_time_stamp().value()); }

} // namespace

PinTransactor::PinTransactor(sc_core::sc_module_name module_name, u32 channel,
                             const Geometry& geometry, const BusTiming& timing,
                             config::DataKind data, ViolationSink& violations)
    : sc_module(module_name), ce_n("ce_n", geometry.ces_per_channel()),
      rb_n("rb_n", geometry.ces_per_channel()), socket_("socket"),
      reader_(channel, geometry, timing, data, violations, *this)
{
    socket_.bind(*this);
    SC_HAS_PROCESS(PinTransactor);
    SC_METHOD(on_inputs);
    for (sc_core::sc_in<bool>& line : ce_n) {
        sensitive << line;
    }
    sensitive << cle << ale << we_n << re_n << wp_n << dq_i << dq_oe_i << dqs_i << dqs_oe_i;
    SC_METHOD(on_due);
    sensitive << due_;
    dont_initialize();
    for (sc_core::sc_out<bool>& line : rb_n) {
        line.initialize(true);
    }
}

void PinTransactor::attach(Channel& channel)
{
    socket_.bind(channel.socket);
    channel.bind_observer(*this);
}

void PinTransactor::start_of_simulation() { wake(); }

void PinTransactor::on_inputs()
{
    Pins pins;
    pins.dq = dq_i.read();
    pins.dq_driven = dq_oe_i.read();
    for (u32 ce = 0; ce < ce_n.size(); ++ce) {
        pins.ce_n &= ~(u32{!ce_n[ce].read()} << ce);
    }
    pins.cle = cle.read();
    pins.ale = ale.read();
    pins.we_n = we_n.read();
    pins.re_n = re_n.read();
    pins.dqs = dqs_i.read();
    pins.dqs_driven = dqs_oe_i.read();
    pins.wp_n = wp_n.read();
    reader_.on_pins(kernel_now(), pins);
}

void PinTransactor::on_drive(const DieDrive& drive)
{
    while (!drives_.empty() && drives_.back().at >= drive.at) {
        drives_.pop_back();
    }
    drives_.push_back(drive);
    wake();
}

void PinTransactor::on_ready_edge(u32 channel, u32 ce, u32 lun, bool ready, Picoseconds when)
{
    const bool before = reader_.ready(ce);
    reader_.on_ready_edge(channel, ce, lun, ready, when);
    if (reader_.ready(ce) != before) {
        lines_.push_back({when, ce, !before});
        wake();
    }
}

void PinTransactor::wake()
{
    Picoseconds first = kTimeNever;
    if (!drives_.empty()) {
        first = drives_.front().at;
    }
    if (!lines_.empty()) {
        first = min(first, lines_.front().at);
    }
    if (first == kTimeNever) {
        return;
    }
    due_.cancel();
    const Picoseconds now = kernel_now();
    due_.notify(sc_core::sc_time::from_value(first > now ? (first - now).value() : 0));
}

void PinTransactor::on_due()
{
    const Picoseconds now = kernel_now();
    while (!drives_.empty() && drives_.front().at <= now) {
        const DieDrive& drive = drives_.front();
        dq_o.write(drive.dq);
        dq_oe_o.write(drive.dq_driven);
        dqs_o.write(drive.dqs);
        dqs_oe_o.write(drive.dqs_driven);
        drives_.pop_front();
    }
    while (!lines_.empty() && lines_.front().at <= now) {
        rb_n[lines_.front().ce].write(lines_.front().high);
        lines_.pop_front();
    }
    wake();
}

} // namespace tlmssd::onfi
