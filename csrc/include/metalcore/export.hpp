#pragma once

/// Marks what libmetalcore exports; everything else is hidden.
#define METALCORE_API __attribute__((visibility("default")))
