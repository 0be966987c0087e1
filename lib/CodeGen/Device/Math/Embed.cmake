# Writes the bytes of INPUT as a C++ source, OUTPUT: the array
# sluiceDeviceMath and its size.
file(READ ${INPUT} text HEX)
string(REGEX REPLACE "(..)" "0x\\1," text "${text}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" text "${text}")
file(WRITE ${OUTPUT} "#include <cstddef>\nextern const unsigned char sluiceDeviceMath[];\nextern const std::size_t sluiceDeviceMathSize;\nalignas(16) const unsigned char sluiceDeviceMath[] = {\n${text}};\nconst std::size_t sluiceDeviceMathSize = sizeof(sluiceDeviceMath);\n")
