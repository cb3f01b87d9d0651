#include "hostmetal/api/submission_order.hpp"

#import "hostmetal/api/command_buffer.h"

using metalcore::objc::Retained;

namespace hostmetal::api {

void SubmissionOrder::State::enter_process() {
  const uint64_t present = metalcore::fork::generation();
  if (generation == present)
    return;
  // Never freed: these objects are in the middle of something that does not go on here.
  new std::deque(std::move(places));
  places = {};
  is_submitting = false;
  generation = present;
}

std::shared_ptr<SubmissionOrder::Place> SubmissionOrder::reserve() {
  return state_.with([](State &state) {
    state.enter_process();
    state.places.push_back(std::make_shared<Place>(state.generation));
    return state.places.back();
  });
}

void SubmissionOrder::decide(const std::shared_ptr<Place> &place, HMCommandBuffer *buffer) {
  const bool submits = state_.with([&](State &state) {
    state.enter_process();
    if (std::exchange(place->generation, state.generation) != state.generation)
      state.places.push_back(place); // enqueued before the fork, committed after it
    place->committed = Retained<HMCommandBuffer *>::retain(buffer);
    place->is_decided = true;
    // Whoever is submitting sees this place before it stops; two at once could swap the order.
    return !std::exchange(state.is_submitting, true);
  });
  if (!submits)
    return;
  while (const auto turn = next())
    [turn->get() hm_submit];
}

std::optional<Retained<HMCommandBuffer *>> SubmissionOrder::next() {
  using Turn = std::optional<Retained<HMCommandBuffer *>>;
  return state_.with([](State &state) -> Turn {
    if (state.places.empty() || !state.places.front()->is_decided) {
      state.is_submitting = false;
      return std::nullopt;
    }
    Turn turn = std::move(state.places.front()->committed);
    state.places.pop_front();
    return turn;
  });
}

} // namespace hostmetal::api
