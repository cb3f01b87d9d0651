#pragma once

#include <string>

/// The instructions of an object's code for this machine's architecture, one a line.
std::string disassemble(const std::string &object);
