#pragma once

#include "metalcore/array.hpp"
#include "metalcore/buffer.hpp"
#include "metalcore/device.hpp"
#include "metalcore/dtype.hpp"
#include "metalcore/error.hpp"
#include "metalcore/event.hpp"
#include "metalcore/library.hpp"
#include "metalcore/pipeline.hpp"
#include "metalcore/preferences.hpp"
#include "metalcore/queue.hpp"
#include "metalcore/version.hpp"
#include "metalcore/warmup.hpp"
