# Files inside of a C++ source, by #embed. What compiles it needs -Wno-c23-extensions, and depends on the files.

# Appends to the variable `text` an array of that name with the file's bytes, and a zero behind them.
function(append_embedded_file text name file)
  set(${text} "${${text}}alignas(16) constexpr char ${name}[] = {\n#embed \"${file}\" suffix(, )\n0};\n" PARENT_SCOPE)
endfunction()
