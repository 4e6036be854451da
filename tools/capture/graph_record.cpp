#include "graph_record.hpp"

namespace smemsim::capture {

bool GraphRecord::holds(const Node& node, const Record& record) const {
  return record.pc - node.pc < node.size && record.block < node.grid.count() &&
         record.warp * std::uint64_t{32} < node.block.count();
}

std::size_t GraphRecord::find(const Record& record) {
  taken_.resize(nodes_.size());
  std::vector<std::size_t>& seen = by_grid_[record.grid];
  std::size_t last = kNone;  // where code of a called function goes
  for (auto at = seen.rbegin(); at != seen.rend(); ++at) {
    const Node& node = nodes_[*at];
    if (last == kNone) last = *at;
    if (!holds(node, record)) continue;
    // A block that begins again belongs to the next launch of the same kernel.
    const bool again = record.kind == RecordKind::block_enter && node.launch != nullptr &&
                       node.launch->has_entered(record.block);
    if (!again) return *at;
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (taken_[i] || !holds(nodes_[i], record)) continue;
    taken_[i] = true;
    seen.push_back(i);
    return i;
  }
  return last;
}

void GraphRecord::add(const Record& record) {
  const std::size_t index = find(record);
  if (index == kNone || nodes_[index].launch == nullptr) return;
  LaunchRecord& launch = *nodes_[index].launch;
  if (launch.selects(record.block)) launch.add(record);
}

Selection GraphRecord::selection() const {
  const Selection* common = nullptr;
  for (const Node& node : nodes_) {
    if (node.launch == nullptr) continue;
    const Selection& own = node.launch->selection;
    if (common != nullptr && !same_device_choice(*common, own)) {
      Selection everything;
      everything.all = true;
      return everything;
    }
    common = &own;
  }
  return common == nullptr ? Selection{} : *common;
}

std::vector<std::shared_ptr<LaunchRecord>> GraphRecord::launches() const {
  std::vector<std::shared_ptr<LaunchRecord>> out;
  for (const Node& node : nodes_) {
    if (node.launch != nullptr) out.push_back(node.launch);
  }
  return out;
}

}  // namespace smemsim::capture
