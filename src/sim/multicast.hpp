// Whether lanes of an access share words: the quick answer. PassDetail has the long one.
#pragma once

#include "sim/bank_model.hpp"
#include "sim/event.hpp"
#include "sim/machine.hpp"

namespace smemsim {

/// Lanes of one pass share a word, and one read or write serves them: the access uses multicast.
bool uses_multicast(const EventShape& shape, const Event& event, const SharedMemory& machine,
                    const AccessCost& cost);

}  // namespace smemsim
