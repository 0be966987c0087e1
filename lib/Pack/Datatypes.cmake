# The classes of layouts, their textual form, and the C interface.
target_sources(SluicePackObjects PRIVATE
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
  DatatypeTest.cpp
  TextParserTest.cpp)
