# find_package(gammond) gives the targets gammond::gammond, shared, and gammond::static.
get_filename_component(_gammond "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET gammond::gammond)
  add_library(gammond::gammond SHARED IMPORTED)
  set_target_properties(gammond::gammond PROPERTIES
    IMPORTED_LOCATION "${_gammond}/lib/libgammond.so.0"
    IMPORTED_SONAME "libgammond.so.0"
    INTERFACE_INCLUDE_DIRECTORIES "${_gammond}/include")
  add_library(gammond::static STATIC IMPORTED)
  set_target_properties(gammond::static PROPERTIES
    IMPORTED_LOCATION "${_gammond}/lib/libgammond.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_gammond}/include"
    INTERFACE_LINK_LIBRARIES "pthread;dl;m")
endif()
