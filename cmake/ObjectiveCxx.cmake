# Interface target `metalcore_objc_language`: the flags and libraries of Objective-C++ without ARC.
# On Linux: GCC's libobjc and GNUstep base (docs/decisions/0001 says why).

add_library(metalcore_objc_language INTERFACE)

if(APPLE)
  target_compile_options(metalcore_objc_language INTERFACE -fno-objc-arc -fblocks)
  target_link_libraries(metalcore_objc_language INTERFACE "-framework Foundation")
  return()
endif()

# CMake 3.25 takes these from Objective-C, which is not enabled: without them a library that is linked as
# Objective-C++ has neither soname nor run path.
foreach(flag SHARED_LIBRARY_SONAME_@_FLAG SHARED_LIBRARY_RUNTIME_@_FLAG SHARED_LIBRARY_RUNTIME_@_FLAG_SEP
    SHARED_LIBRARY_RPATH_LINK_@_FLAG EXECUTABLE_RUNTIME_@_FLAG EXECUTABLE_RUNTIME_@_FLAG_SEP
    EXECUTABLE_RPATH_LINK_@_FLAG)
  string(REPLACE "@" CXX of_cxx CMAKE_${flag})
  string(REPLACE "@" OBJCXX of_objcxx CMAKE_${flag})
  set(${of_objcxx} ${${of_cxx}})
endforeach()

# libobjc's headers and link library live in gcc's own folder, whose version varies between Debian releases.
find_program(METALCORE_GCC NAMES gcc REQUIRED)
execute_process(COMMAND ${METALCORE_GCC} -print-file-name=libobjc.so
  OUTPUT_VARIABLE objc_library OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${METALCORE_GCC} -print-file-name=include
  OUTPUT_VARIABLE gcc_include OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT EXISTS ${objc_library} OR NOT EXISTS ${gcc_include}/objc/objc.h)
  message(FATAL_ERROR "libobjc was not found beside gcc; install the packages in debian-packages.txt.")
endif()
find_path(GNUSTEP_INCLUDE_DIR Foundation/Foundation.h PATH_SUFFIXES GNUstep REQUIRED)
find_library(GNUSTEP_BASE_LIBRARY gnustep-base REQUIRED)
find_library(BLOCKS_RUNTIME_LIBRARY BlocksRuntime REQUIRED)

# GNUstep's headers warn about themselves under -Wall; they are system headers here.
target_include_directories(metalcore_objc_language SYSTEM INTERFACE ${GNUSTEP_INCLUDE_DIR})
target_include_directories(metalcore_objc_language INTERFACE
  ${PROJECT_SOURCE_DIR}/csrc/objc/linux/include)
target_compile_options(metalcore_objc_language INTERFACE
  $<$<COMPILE_LANGUAGE:OBJCXX>:-fobjc-runtime=gcc;-fblocks;-fexceptions;-fobjc-exceptions;-fconstant-string-class=NSConstantString>
  # After clang's own headers: only objc/ is wanted from gcc's folder.
  $<$<COMPILE_LANGUAGE:OBJCXX>:-idirafter;${gcc_include}>)
target_compile_definitions(metalcore_objc_language INTERFACE
  _NATIVE_OBJC_EXCEPTIONS GNUSTEP GNUSTEP_BASE_LIBRARY=1 GNU_RUNTIME=1)
# Order matters: GNUstep base exports a _Block_copy that skips C++ copy helpers.
target_link_libraries(metalcore_objc_language INTERFACE
  ${BLOCKS_RUNTIME_LIBRARY} ${GNUSTEP_BASE_LIBRARY} ${objc_library})
