# Target settings shared by every folder: language level, warnings, visibility, sanitizers, where run-time files go.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_OBJCXX_STANDARD 20)
set(CMAKE_OBJCXX_STANDARD_REQUIRED ON)
set(CMAKE_OBJCXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_OBJCXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# Everything that is loaded or run lands in one folder, which is installed as the Python package folder:
# libraries find their siblings beside themselves.
set(METALCORE_RUNTIME_DIR ${CMAKE_BINARY_DIR}/metalcore)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${METALCORE_RUNTIME_DIR})
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
if(APPLE)
  set(CMAKE_INSTALL_RPATH "@loader_path")
else()
  set(CMAKE_INSTALL_RPATH "$ORIGIN")
endif()

add_library(metalcore_options INTERFACE)
target_compile_options(metalcore_options INTERFACE -Wall -Wextra -Werror=return-type -fno-semantic-interposition)
if(METALCORE_SANITIZE)
  target_compile_options(metalcore_options INTERFACE
    -fsanitize=${METALCORE_SANITIZE} -fno-omit-frame-pointer -gline-tables-only -shared-libsan)
  target_link_options(metalcore_options INTERFACE -fsanitize=${METALCORE_SANITIZE} -shared-libsan)
  # Executables of the build run before anything is installed: they must find the shared run-time library.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-resource-dir
    OUTPUT_VARIABLE clang_resource_dir OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(METALCORE_SANITIZER_DIR ${clang_resource_dir}/lib/linux)
  list(APPEND CMAKE_INSTALL_RPATH ${METALCORE_SANITIZER_DIR})
endif()

# metalcore_coverage: linked by the targets whose lines are counted. The counters lie in the file itself, mapped, so
# that processes which are killed, or leave by _exit, count too.
add_library(metalcore_coverage INTERFACE)
if(METALCORE_COVERAGE)
  target_compile_options(metalcore_coverage INTERFACE
    -fprofile-instr-generate -fcoverage-mapping "SHELL:-mllvm -runtime-counter-relocation")
  target_link_options(metalcore_coverage INTERFACE -fprofile-instr-generate)
endif()

find_package(Threads REQUIRED)

# A folder joins the build when it has a CMakeLists.txt.
function(metalcore_add_subdirectory folder)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endfunction()

# Every C++ test; ctest runs them after this target is built.
if(METALCORE_BUILD_TESTS)
  add_custom_target(metalcore_tests)
endif()

# metalcore_add_test_program(<name> SOURCES <file>... [LIBRARIES <target>...]): a program that runs from the build tree.
function(metalcore_add_test_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  if(METALCORE_SANITIZE)
    list(APPEND arg_SOURCES ${PROJECT_SOURCE_DIR}/tests/cpp/support/sanitizer_options.cpp)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE metalcore_options metalcore_coverage ${arg_LIBRARIES})
  set_target_properties(${name} PROPERTIES BUILD_RPATH "${METALCORE_RUNTIME_DIR};${METALCORE_SANITIZER_DIR}"
    BUILD_WITH_INSTALL_RPATH OFF)
endfunction()

# metalcore_add_test(<name> SOURCES <file>... [LIBRARIES <target>...]): one GoogleTest executable, run by ctest.
function(metalcore_add_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  metalcore_add_test_program(${name} SOURCES ${arg_SOURCES} LIBRARIES ${arg_LIBRARIES} GTest::gtest_main)
  add_dependencies(metalcore_tests ${name})
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300
    # What a test finds on disk must not depend on what ran before it.
    ENVIRONMENT METALCORE_CACHE=false
    ENVIRONMENT_MODIFICATION METALCORE_WARMUP_PROFILE=set:false)
endfunction()

# metalcore_objc_language: how Objective-C++ is compiled and linked on this platform.
include(ObjectiveCxx)
