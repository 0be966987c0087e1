# Writes the text of all files X.in below FOLDER as a C++ source, OUTPUT, that
# defines projectFiles() of tools/sluice/ProjectFiles.h.
file(GLOB_RECURSE files RELATIVE ${FOLDER} ${FOLDER}/*.in)
list(SORT files)
set(text "#include \"ProjectFiles.h\"\nstatic const ProjectFile files[] = {\n")
foreach(name ${files})
  file(READ ${FOLDER}/${name} content)
  string(REGEX REPLACE "\\.in$" "" name ${name})
  string(APPEND text "{\"${name}\", R\"file~(${content})file~\"},\n")
endforeach()
string(APPEND text
  "};\nllvm::ArrayRef<ProjectFile> projectFiles() { return files; }\n")
file(WRITE ${OUTPUT} "${text}")
