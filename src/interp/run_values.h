// Values and their bindings: reading, binding, snapshots.
#pragma once
#include "src/interp/run_machine.h"

namespace noclobber {

Tensor tensor_of(const Array& array);
Snapshot snapshot_of(Machine& m, const Array& array);
std::optional<std::int64_t> stale_element(Machine& m, const Snapshot& snapshot, const Array& live);
Datum read_value(Machine& m, Frame& frame, ValueId id);
Datum resolve(Machine& m, Frame& frame, const Arg& arg, bool reading);
void bind_value(Machine& m, Frame& frame, ValueId id, const Datum& datum, const Datum* viewed_from = nullptr,
                ValueId base = {});

}  // namespace noclobber
