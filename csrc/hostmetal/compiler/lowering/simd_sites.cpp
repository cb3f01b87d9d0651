#include "hostmetal/compiler/lowering/simd_sites.hpp"

#include "hostmetal/compiler/lowering/kernel_error.hpp"
#include "hostmetal/compiler/lowering/recursive_functions.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <algorithm>
#include <tuple>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

constexpr unsigned site_bits = 64;
constexpr unsigned max_counter_bits = 32;

/// A loop, or the kernel itself, with the places of synchronisation in it in their order: calls,
/// and inner loops that hold calls.
struct Region {
  Loop *loop = nullptr;
  struct Place {
    CallInst *call = nullptr;
    std::unique_ptr<Region> inner;
    uint64_t order = 0;  ///< of its block, or its loop's header
    size_t sequence = 0; ///< within one block
  };
  std::vector<Place> places;

  unsigned place_bits() const { return Log2_64_Ceil(std::max<size_t>(places.size(), 2)); }
};

/// Bits for places, and nested counters, on the deepest way inwards.
struct Need {
  unsigned place_bits, depth;
};

Need need_of(const Region &region) {
  Need need{0, 0};
  for (const Region::Place &place : region.places)
    if (place.inner) {
      Need inner = need_of(*place.inner);
      need.place_bits = std::max(need.place_bits, inner.place_bits);
      need.depth = std::max(need.depth, inner.depth);
    }
  return {need.place_bits + region.place_bits(), need.depth + (region.loop ? 1 : 0)};
}

class Numbering {
public:
  explicit Numbering(Function &function)
      : function_(function), dominators_(function), loops_(dominators_) {}

  void run(Function &exchange, FunctionCallee exchange_at) {
    // A preheader and one latch: where a counter starts, and where it counts.
    for (Loop *loop : SmallVector<Loop *>(loops_.begin(), loops_.end()))
      simplifyLoop(loop, &dominators_, &loops_, nullptr, nullptr, nullptr, false);
    exchange_at_ = exchange_at;
    std::unique_ptr<Region> root = collect(exchange);
    IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
    assign(*root, builder.getInt64(0), site_bits);
  }

private:
  std::unique_ptr<Region> collect(Function &exchange) {
    DenseMap<const BasicBlock *, uint64_t> order;
    for (const BasicBlock *block : ReversePostOrderTraversal<Function *>(&function_))
      order[block] = order.size();
    size_t sequence = 0;
    auto root = std::make_unique<Region>();
    DenseMap<Loop *, Region *> regions{{nullptr, root.get()}};
    auto region_of = [&](auto &self, Loop *loop) -> Region * {
      if (Region *known = regions.lookup(loop))
        return known;
      Region *outer = self(self, loop->getParentLoop());
      auto inner = std::make_unique<Region>();
      inner->loop = loop;
      Region *region = regions[loop] = inner.get();
      outer->places.push_back(
          {nullptr, std::move(inner), order.lookup(loop->getHeader()), sequence++});
      return region;
    };
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function_))
      for (Instruction &instruction : *block)
        if (auto *call = dyn_cast<CallInst>(&instruction);
            call && call->getCalledFunction() == &exchange)
          region_of(region_of, loops_.getLoopFor(block))
              ->places.push_back({call, nullptr, order.lookup(block), sequence++});
    // A loop's header comes before all that follows the loop, so its order stands for the loop's.
    // Calls of one block keep theirs.
    for (auto &[loop, region] : regions)
      llvm::sort(region->places, [](const Region::Place &a, const Region::Place &b) {
        return std::tie(a.order, a.sequence) < std::tie(b.order, b.sequence);
      });
    return root;
  }

  /// Numbers the places of a region. `prefix` is the site's value so far; `bits` are left below it.
  void assign(const Region &region, Value *prefix, unsigned bits) {
    unsigned place_bits = std::min(region.place_bits(), bits);
    bits -= place_bits;
    uint64_t number = 0;
    for (const Region::Place &place : region.places) {
      // With more places than fit, the last share a number, which costs order and nothing else;
      // a kernel would need 2^32 of them.
      uint64_t bounded = std::min<uint64_t>(number++, maxUIntN(place_bits));
      if (place.call)
        emit(*place.call, prefix, bounded << bits);
      else
        enter(*place.inner, prefix, bounded << bits, bits);
    }
  }

  void enter(const Region &inner, Value *prefix, uint64_t place, unsigned bits) {
    Need need = need_of(inner);
    unsigned spare = bits > need.place_bits ? bits - need.place_bits : 0;
    unsigned counter_bits = std::min(spare / std::max(need.depth, 1u), max_counter_bits);
    BasicBlock *preheader = inner.loop->getLoopPreheader(), *latch = inner.loop->getLoopLatch();
    BasicBlock *header = inner.loop->getHeader();
    IRBuilder<> builder(header, header->getFirstInsertionPt());
    Value *base = builder.CreateAdd(prefix, builder.getInt64(place));
    // Without these two the loop has an entry by an indirect jump, which MSL has no form for.
    if (preheader && latch && counter_bits > 0) {
      PHINode *count = PHINode::Create(builder.getInt64Ty(), 2, "iteration", header->begin());
      count->addIncoming(builder.getInt64(0), preheader);
      IRBuilder<> at_latch(latch->getTerminator());
      count->addIncoming(at_latch.CreateAdd(count, builder.getInt64(1)), latch);
      Value *bounded = builder.CreateAnd(count, builder.getInt64(maxUIntN(counter_bits)));
      base = builder.CreateAdd(base, builder.CreateShl(bounded, uint64_t{bits - counter_bits}));
      bits -= counter_bits;
    }
    assign(inner, base, bits);
  }

  void emit(CallInst &call, Value *prefix, uint64_t place) {
    IRBuilder<> builder(&call);
    Value *site = builder.CreateAdd(prefix, builder.getInt64(place));
    CallInst *numbered =
        builder.CreateCall(exchange_at_, {site, call.getArgOperand(0), call.getArgOperand(1)});
    numbered->setConvergent();
    call.replaceAllUsesWith(numbered);
    call.eraseFromParent();
  }

  Function &function_;
  DominatorTree dominators_;
  LoopInfo loops_;
  FunctionCallee exchange_at_;
};

} // namespace

Error number_simd_sites(AirKernel &kernel) {
  Module &module = *kernel.module;
  Function *exchange = module.getFunction(intrinsic::simd_exchange);
  if (!exchange)
    return Error::success();
  for (const User *user : exchange->users())
    if (const Function *function = cast<CallInst>(user)->getFunction(); is_recursive(*function))
      return kernel_error("The kernel \"" + kernel.reflection.name + "\" calls \"" +
                          demangle(function->getName()) +
                          "\", which calls itself and has simdgroup operations in it, and this "
                          "device has these outside of recursion only.");
  Type *pointer = PointerType::get(module.getContext(), 0);
  FunctionCallee exchange_at = module.getOrInsertFunction(
      intrinsic::simd_exchange_at, pointer, Type::getInt64Ty(module.getContext()), pointer,
      Type::getInt32Ty(module.getContext()));
  auto *function = cast<Function>(exchange_at.getCallee());
  function->setConvergent();
  function->setDoesNotThrow();
  Numbering(*kernel.function).run(*exchange, exchange_at);
  return Error::success();
}

} // namespace hostmetal::lowering
