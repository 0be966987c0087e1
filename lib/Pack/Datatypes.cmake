# The classes of layouts, their textual form, and the C interface.
target_sources(SluicePackObjects PRIVATE
  CInterface/CArrays.cpp
  CInterface/CConstructors.cpp
  CInterface/CErrors.cpp
  CInterface/CExternal.cpp
  CInterface/CHandles.cpp
  CInterface/CPacking.cpp
  CInterface/CQueries.cpp
  Layouts/DarrayDatatype.cpp
  Layouts/DatatypeBase.cpp
  Layouts/DatatypeCommit.cpp
  Layouts/IndexedDatatypes.cpp
  Layouts/PrimitiveDatatype.cpp
  Layouts/ResizedDatatype.cpp
  Layouts/StridedDatatypes.cpp
  Layouts/StructDatatype.cpp
  Layouts/SubarrayDatatype.cpp
  Layouts/TextArrays.cpp
  Layouts/TextLexer.cpp
  Layouts/TextParser.cpp)

set(SLUICE_PACK_DATATYPE_TESTS
  CInterface/CInterfaceTest.cpp
  Layouts/DatatypeBoundsTest.cpp
  Layouts/DatatypeTest.cpp
  Layouts/ReflectTest.cpp
  Layouts/TextParserTest.cpp
  Testing/TypeMap.cpp)

add_subdirectory(Fortran)
