# Stands in for csrc/hostmetal/compiler and shaders: their results, from the run-time folder of another build. What links
# LLVM takes minutes to build and is the same there.
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19)
set_property(GLOBAL PROPERTY METALCORE_LLVM_VERSION ${LLVM_PACKAGE_VERSION})

set(copies)
foreach(file libhostmetal-compiler.so hostmetal-metal builtin.metallib)
  add_custom_command(OUTPUT ${METALCORE_RUNTIME_DIR}/${file}
    COMMAND ${CMAKE_COMMAND} -E copy ${METALCORE_BUILT_COMPILER}/${file} ${METALCORE_RUNTIME_DIR}/${file}
    DEPENDS ${METALCORE_BUILT_COMPILER}/${file} VERBATIM)
  list(APPEND copies ${METALCORE_RUNTIME_DIR}/${file})
endforeach()
add_custom_target(metalcore_shaders ALL DEPENDS ${copies})

add_library(hostmetal_compiler SHARED IMPORTED GLOBAL)
set_target_properties(hostmetal_compiler PROPERTIES
  IMPORTED_LOCATION ${METALCORE_RUNTIME_DIR}/libhostmetal-compiler.so)
add_dependencies(hostmetal_compiler metalcore_shaders)
