// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: made by scripts/gen/gen_o3_regs.py from rtl/o3/o3_regs.rdl; do not edit.
#pragma once

#include "models/common/types.h"

namespace tlmssd::flash::o3_regs {

inline constexpr u32 kId = 0x000;
inline constexpr u32 kIdMinorLsb = 0;
inline constexpr u32 kIdMinorMask = 0x000000ff;
inline constexpr u32 kIdMinorReset = 0x1;
inline constexpr u32 kIdMajorLsb = 8;
inline constexpr u32 kIdMajorMask = 0x0000ff00;
inline constexpr u32 kIdMajorReset = 0x1;
inline constexpr u32 kIdMagicLsb = 16;
inline constexpr u32 kIdMagicMask = 0xffff0000;
inline constexpr u32 kIdMagicReset = 0x4f33;

inline constexpr u32 kShape0 = 0x004;
inline constexpr u32 kShape0ChannelsLsb = 0;
inline constexpr u32 kShape0ChannelsMask = 0x000000ff;
inline constexpr u32 kShape0LunsLsb = 8;
inline constexpr u32 kShape0LunsMask = 0x0000ff00;
inline constexpr u32 kShape0StationsLsb = 16;
inline constexpr u32 kShape0StationsMask = 0x00ff0000;
inline constexpr u32 kShape0PlanesLsb = 24;
inline constexpr u32 kShape0PlanesMask = 0xff000000;

inline constexpr u32 kShape1 = 0x008;
inline constexpr u32 kShape1TagsLsb = 0;
inline constexpr u32 kShape1TagsMask = 0x0000ffff;
inline constexpr u32 kShape1CqDepthLsb = 16;
inline constexpr u32 kShape1CqDepthMask = 0x00ff0000;
inline constexpr u32 kShape1StreamsLsb = 24;
inline constexpr u32 kShape1StreamsMask = 0xff000000;

inline constexpr u32 kCtrl = 0x010;
inline constexpr u32 kCtrlHoldLsb = 0;
inline constexpr u32 kCtrlHoldMask = 0x00000001;
inline constexpr u32 kCtrlHoldReset = 0x0;
inline constexpr u32 kCtrlSoftResetLsb = 1;
inline constexpr u32 kCtrlSoftResetMask = 0x00000002;
inline constexpr u32 kCtrlSoftResetReset = 0x0;

inline constexpr u32 kStatus = 0x014;
inline constexpr u32 kStatusBusyLsb = 0;
inline constexpr u32 kStatusBusyMask = 0x00000001;
inline constexpr u32 kStatusWindowFullLsb = 1;
inline constexpr u32 kStatusWindowFullMask = 0x00000002;
inline constexpr u32 kStatusCqAnyLsb = 2;
inline constexpr u32 kStatusCqAnyMask = 0x00000004;
inline constexpr u32 kStatusCqFullLsb = 3;
inline constexpr u32 kStatusCqFullMask = 0x00000008;

inline constexpr u32 kMode = 0x018;
inline constexpr u32 kModeModeLsb = 0;
inline constexpr u32 kModeModeMask = 0x00000003;
inline constexpr u32 kModeModeReset = 0x2;

inline constexpr u32 kStations = 0x01c;
inline constexpr u32 kStationsStationsLsb = 0;
inline constexpr u32 kStationsStationsMask = 0x0000001f;
inline constexpr u32 kStationsStationsReset = 0x10;

inline constexpr u32 kAgeLimit = 0x020;
inline constexpr u32 kAgeLimitStampsLsb = 0;
inline constexpr u32 kAgeLimitStampsMask = 0x007fffff;
inline constexpr u32 kAgeLimitStampsReset = 0x3b9;

inline constexpr u32 kTimeout = 0x024;
inline constexpr u32 kTimeoutStampsLsb = 0;
inline constexpr u32 kTimeoutStampsMask = 0xffffffff;
inline constexpr u32 kTimeoutStampsReset = 0x0;

inline constexpr u32 kGeometry = 0x028;
inline constexpr u32 kGeometryChannelsLsb = 0;
inline constexpr u32 kGeometryChannelsMask = 0x000000ff;
inline constexpr u32 kGeometryChannelsReset = 0x0;
inline constexpr u32 kGeometryCesLsb = 8;
inline constexpr u32 kGeometryCesMask = 0x0000ff00;
inline constexpr u32 kGeometryCesReset = 0x0;
inline constexpr u32 kGeometryLunsLsb = 16;
inline constexpr u32 kGeometryLunsMask = 0x00ff0000;
inline constexpr u32 kGeometryLunsReset = 0x0;
inline constexpr u32 kGeometryLunShiftLsb = 24;
inline constexpr u32 kGeometryLunShiftMask = 0x07000000;
inline constexpr u32 kGeometryLunShiftReset = 0x0;

inline constexpr u32 kRow = 0x02c;
inline constexpr u32 kRowPageBitsLsb = 0;
inline constexpr u32 kRowPageBitsMask = 0x0000001f;
inline constexpr u32 kRowPageBitsReset = 0x0;
inline constexpr u32 kRowLunLsbLsb = 8;
inline constexpr u32 kRowLunLsbMask = 0x00001f00;
inline constexpr u32 kRowLunLsbReset = 0x0;

inline constexpr u32 kIntrStatus = 0x030;
inline constexpr u32 kIntrStatusCqAnyLsb = 0;
inline constexpr u32 kIntrStatusCqAnyMask = 0x00000001;
inline constexpr u32 kIntrStatusTakenLsb = 1;
inline constexpr u32 kIntrStatusTakenMask = 0x00000002;
inline constexpr u32 kIntrStatusTakenReset = 0x0;
inline constexpr u32 kIntrStatusCqFullLsb = 2;
inline constexpr u32 kIntrStatusCqFullMask = 0x00000004;
inline constexpr u32 kIntrStatusCqFullReset = 0x0;
inline constexpr u32 kIntrStatusRefusedLsb = 3;
inline constexpr u32 kIntrStatusRefusedMask = 0x00000008;
inline constexpr u32 kIntrStatusRefusedReset = 0x0;

inline constexpr u32 kIntrEnable = 0x034;
inline constexpr u32 kIntrEnableMaskLsb = 0;
inline constexpr u32 kIntrEnableMaskMask = 0x0000000f;
inline constexpr u32 kIntrEnableMaskReset = 0x0;

inline constexpr u32 kIntrTest = 0x038;
inline constexpr u32 kIntrTestForceLsb = 0;
inline constexpr u32 kIntrTestForceMask = 0x0000000f;
inline constexpr u32 kIntrTestForceReset = 0x0;

inline constexpr u32 kWindow = 0x040; ///< of 16 words
inline constexpr u32 kWindowWordLsb = 0;
inline constexpr u32 kWindowWordMask = 0xffffffff;
inline constexpr u32 kWindowWordReset = 0x0;

inline constexpr u32 kDoorbell = 0x080;
inline constexpr u32 kDoorbellPushLsb = 0;
inline constexpr u32 kDoorbellPushMask = 0x00000001;

inline constexpr u32 kPushed = 0x084;
inline constexpr u32 kPushedCountLsb = 0;
inline constexpr u32 kPushedCountMask = 0xffffffff;

inline constexpr u32 kCqLevel = 0x090;
inline constexpr u32 kCqLevelWaitingLsb = 0;
inline constexpr u32 kCqLevelWaitingMask = 0x000000ff;

inline constexpr u32 kCqHead = 0x094;
inline constexpr u32 kCqHeadTagLsb = 0;
inline constexpr u32 kCqHeadTagMask = 0x0000ffff;
inline constexpr u32 kCqHeadStatusLsb = 16;
inline constexpr u32 kCqHeadStatusMask = 0x00ff0000;
inline constexpr u32 kCqHeadFailedPlanesLsb = 24;
inline constexpr u32 kCqHeadFailedPlanesMask = 0xff000000;

inline constexpr u32 kCqCookie = 0x098;
inline constexpr u32 kCqCookieCookieLsb = 0;
inline constexpr u32 kCqCookieCookieMask = 0xffffffff;

inline constexpr u32 kCqPop = 0x09c;
inline constexpr u32 kCqPopPopLsb = 0;
inline constexpr u32 kCqPopPopMask = 0x00000001;

inline constexpr u32 kSuspend = 0x0a0;
inline constexpr u32 kSuspendErasesLsb = 0;
inline constexpr u32 kSuspendErasesMask = 0x00000001;
inline constexpr u32 kSuspendErasesReset = 0x0;
inline constexpr u32 kSuspendProgramsLsb = 1;
inline constexpr u32 kSuspendProgramsMask = 0x00000002;
inline constexpr u32 kSuspendProgramsReset = 0x0;
inline constexpr u32 kSuspendTimesLsb = 4;
inline constexpr u32 kSuspendTimesMask = 0x000000f0;
inline constexpr u32 kSuspendTimesReset = 0x4;
inline constexpr u32 kSuspendLeastPriorityLsb = 8;
inline constexpr u32 kSuspendLeastPriorityMask = 0x00000300;
inline constexpr u32 kSuspendLeastPriorityReset = 0x0;

inline constexpr u32 kSuspendProgress = 0x0a4;
inline constexpr u32 kSuspendProgressTicksLsb = 0;
inline constexpr u32 kSuspendProgressTicksMask = 0x007fffff;
inline constexpr u32 kSuspendProgressTicksReset = 0x5f7;

inline constexpr u32 kPoll = 0x0a8;
inline constexpr u32 kPollEnableLsb = 0;
inline constexpr u32 kPollEnableMask = 0x00000001;
inline constexpr u32 kPollEnableReset = 0x0;

inline constexpr u32 kReady = 0x0ac;
inline constexpr u32 kReadyMaskTicksLsb = 0;
inline constexpr u32 kReadyMaskTicksMask = 0x0000003f;
inline constexpr u32 kReadyMaskTicksReset = 0x5;
inline constexpr u32 kReadySynchronousLsb = 8;
inline constexpr u32 kReadySynchronousMask = 0x00000100;
inline constexpr u32 kReadySynchronousReset = 0x0;

inline constexpr u32 kAbort = 0x0b0;
inline constexpr u32 kAbortChannelsLsb = 0;
inline constexpr u32 kAbortChannelsMask = 0x0000ffff;
inline constexpr u32 kAbortChannelsReset = 0x0;

inline constexpr u32 kAbortOp = 0x0b4;
inline constexpr u32 kAbortOpTagLsb = 0;
inline constexpr u32 kAbortOpTagMask = 0x0000ffff;
inline constexpr u32 kAbortOpTagReset = 0x0;
inline constexpr u32 kAbortOpGoLsb = 16;
inline constexpr u32 kAbortOpGoMask = 0x00010000;
inline constexpr u32 kAbortOpFoundLsb = 17;
inline constexpr u32 kAbortOpFoundMask = 0x00020000;
inline constexpr u32 kAbortOpBusyLsb = 18;
inline constexpr u32 kAbortOpBusyMask = 0x00040000;

inline constexpr u32 kReadRetries = 0x0b8;
inline constexpr u32 kReadRetriesLevelsLsb = 0;
inline constexpr u32 kReadRetriesLevelsMask = 0x0000003f;
inline constexpr u32 kReadRetriesLevelsReset = 0x0;

inline constexpr u32 kPollFeature = 0x0bc;
inline constexpr u32 kPollFeatureTicksLsb = 0;
inline constexpr u32 kPollFeatureTicksMask = 0x007fffff;
inline constexpr u32 kPollFeatureTicksReset = 0x0;

inline constexpr u32 kPerfCtrl = 0x0c0;
inline constexpr u32 kPerfCtrlEnableLsb = 0;
inline constexpr u32 kPerfCtrlEnableMask = 0x00000001;
inline constexpr u32 kPerfCtrlEnableReset = 0x0;
inline constexpr u32 kPerfCtrlClearLsb = 1;
inline constexpr u32 kPerfCtrlClearMask = 0x00000002;

inline constexpr u32 kPollRead = 0x0e0;
inline constexpr u32 kPollReadTicksLsb = 0;
inline constexpr u32 kPollReadTicksMask = 0x007fffff;
inline constexpr u32 kPollReadTicksReset = 0x0;

inline constexpr u32 kPollProgram = 0x0e4;
inline constexpr u32 kPollProgramTicksLsb = 0;
inline constexpr u32 kPollProgramTicksMask = 0x007fffff;
inline constexpr u32 kPollProgramTicksReset = 0x0;

inline constexpr u32 kPollErase = 0x0e8;
inline constexpr u32 kPollEraseTicksLsb = 0;
inline constexpr u32 kPollEraseTicksMask = 0x007fffff;
inline constexpr u32 kPollEraseTicksReset = 0x0;

inline constexpr u32 kPollPlaneQueue = 0x0ec;
inline constexpr u32 kPollPlaneQueueTicksLsb = 0;
inline constexpr u32 kPollPlaneQueueTicksMask = 0x007fffff;
inline constexpr u32 kPollPlaneQueueTicksReset = 0x0;

inline constexpr u32 kPollReset = 0x0f0;
inline constexpr u32 kPollResetTicksLsb = 0;
inline constexpr u32 kPollResetTicksMask = 0x007fffff;
inline constexpr u32 kPollResetTicksReset = 0x0;

inline constexpr u32 kPollSuspendProgram = 0x0f4;
inline constexpr u32 kPollSuspendProgramTicksLsb = 0;
inline constexpr u32 kPollSuspendProgramTicksMask = 0x007fffff;
inline constexpr u32 kPollSuspendProgramTicksReset = 0x0;

inline constexpr u32 kPollSuspendErase = 0x0f8;
inline constexpr u32 kPollSuspendEraseTicksLsb = 0;
inline constexpr u32 kPollSuspendEraseTicksMask = 0x007fffff;
inline constexpr u32 kPollSuspendEraseTicksReset = 0x0;

inline constexpr u32 kPollAgain = 0x0fc;
inline constexpr u32 kPollAgainTicksLsb = 0;
inline constexpr u32 kPollAgainTicksMask = 0x007fffff;
inline constexpr u32 kPollAgainTicksReset = 0x0;

inline constexpr u32 kPerf = 0x100;
// Offsets in it:
inline constexpr u32 kPerfCyclesLo = 0x000;
inline constexpr u32 kPerfCyclesHi = 0x004;
inline constexpr u32 kPerfEndedLo = 0x008;
inline constexpr u32 kPerfEndedHi = 0x00c;
inline constexpr u32 kPerfHeldLo = 0x010;
inline constexpr u32 kPerfHeldHi = 0x014;
inline constexpr u32 kPerfOutstandingMaxLo = 0x018;
inline constexpr u32 kPerfOutstandingMaxHi = 0x01c;

inline constexpr u32 kPerfChannel = 0x800;
inline constexpr u32 kPerfChannelCount = 16;
inline constexpr u32 kPerfChannelStride = 0x80;
// Offsets in it:
inline constexpr u32 kPerfChannelReadsLo = 0x000;
inline constexpr u32 kPerfChannelReadsHi = 0x004;
inline constexpr u32 kPerfChannelProgramsLo = 0x008;
inline constexpr u32 kPerfChannelProgramsHi = 0x00c;
inline constexpr u32 kPerfChannelErasesLo = 0x010;
inline constexpr u32 kPerfChannelErasesHi = 0x014;
inline constexpr u32 kPerfChannelResetsLo = 0x018;
inline constexpr u32 kPerfChannelResetsHi = 0x01c;
inline constexpr u32 kPerfChannelDependentLo = 0x020;
inline constexpr u32 kPerfChannelDependentHi = 0x024;
inline constexpr u32 kPerfChannelFencedLo = 0x028;
inline constexpr u32 kPerfChannelFencedHi = 0x02c;
inline constexpr u32 kPerfChannelBusBusyLo = 0x030;
inline constexpr u32 kPerfChannelBusBusyHi = 0x034;
inline constexpr u32 kPerfChannelBusStarvedLo = 0x038;
inline constexpr u32 kPerfChannelBusStarvedHi = 0x03c;
inline constexpr u32 kPerfChannelBlockedLo = 0x040;
inline constexpr u32 kPerfChannelBlockedHi = 0x044;
inline constexpr u32 kPerfChannelLunBusyLo = 0x048;
inline constexpr u32 kPerfChannelLunBusyHi = 0x04c;

} // namespace tlmssd::flash::o3_regs
