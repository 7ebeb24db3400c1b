# Debian's cross compiler and a folder with its arm64 packages, NC_ROOT (tools/cross_aarch64.sh fills one).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(NC_ROOT "" CACHE PATH "Folder into which arm64 packages were unpacked")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NC_ROOT)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH ${NC_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# What the packages' libraries need in their turn. The Z3 of its wheel is made for a newer C library than the cross
# compiler's: what it needs of that is looked for when it is loaded.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${NC_ROOT}/usr/lib/aarch64-linux-gnu -Wl,-rpath-link,${NC_ROOT}/lib/aarch64-linux-gnu")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "${CMAKE_EXE_LINKER_FLAGS_INIT} -Wl,--allow-shlib-undefined")
