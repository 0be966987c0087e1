# Writes the bytes of INPUT as a C++ source, OUTPUT: the array NAME and its
# size, NAMESize.
file(READ ${INPUT} text HEX)
string(REGEX REPLACE "(..)" "0x\\1," text "${text}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" text "${text}")
file(WRITE ${OUTPUT} "#include <cstddef>\nextern const unsigned char ${NAME}[];\nextern const std::size_t ${NAME}Size;\nalignas(16) const unsigned char ${NAME}[] = {\n${text}};\nconst std::size_t ${NAME}Size = sizeof(${NAME});\n")
