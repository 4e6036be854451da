// The kernels of one launch of a CUDA graph while they are being recorded.
//
// The Sanitizer API hands the data of the last node that was set to the patches of every node, so
// the kernels of a graph share one control block and one tag. Which of them a record comes from is
// told by the launch's number on the device together with the function that the pc lies in.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "launch_record.hpp"
#include "record_target.hpp"

namespace smemsim::capture {

class GraphRecord final : public RecordTarget {
 public:
  /// A kernel node: its code and size, and the launch's record; null = not wanted.
  struct Node {
    std::uint64_t pc = 0, size = 0;
    Dim3 grid, block;
    std::shared_ptr<LaunchRecord> launch;
  };

  void add_node(Node node) { nodes_.push_back(std::move(node)); }
  void add(const Record& record) override;

  /// What the device has to record so that every launch gets its blocks.
  Selection selection() const;
  /// In the order of the nodes.
  std::vector<std::shared_ptr<LaunchRecord>> launches() const;

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  bool holds(const Node& node, const Record& record) const;
  std::size_t find(const Record& record);

  std::vector<Node> nodes_;
  std::vector<bool> taken_;
  /// Nodes that a number on the device stands for, in order of appearance.
  std::map<std::uint16_t, std::vector<std::size_t>> by_grid_;
};

}  // namespace smemsim::capture
