# The classes of layouts, their textual form, and the C interface.
target_sources(SluicePackObjects PRIVATE
  CArrays.cpp
  CConstructors.cpp
  CErrors.cpp
  CExternal.cpp
  CHandles.cpp
  CPacking.cpp
  CQueries.cpp
  DarrayDatatype.cpp
  DatatypeBase.cpp
  DatatypeCommit.cpp
  IndexedDatatypes.cpp
  PrimitiveDatatype.cpp
  ResizedDatatype.cpp
  StridedDatatypes.cpp
  StructDatatype.cpp
  SubarrayDatatype.cpp
  TextArrays.cpp
  TextLexer.cpp
  TextParser.cpp)

set(SLUICE_PACK_DATATYPE_TESTS
  CInterfaceTest.cpp
  DatatypeBoundsTest.cpp
  DatatypeTest.cpp
  ReflectTest.cpp
  TextParserTest.cpp
  TypeMap.cpp)

add_subdirectory(Fortran)
