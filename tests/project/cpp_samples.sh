#!/usr/bin/env bash
# cpp_samples.sh DOCUMENT COMPILER OPTION...: the C++ samples of a document compile. Statements go into a function, classes and
# what a sample needs of the outside to the top.
set -euo pipefail
document=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

awk -v dir="$scratch" '
  /^```cpp$/ { inside = 1; file = dir "/sample" ++n ".cc"; body = ""; top = ""; next }
  /^```$/ && inside {
    inside = 0
    print "#include <iostream>\n#include <transom/transom.h>" > file
    if (top !~ /namespace ffi/) print "namespace ffi = transom;" > file
    print top > file
    if (body ~ /(^|\n)(class|inline) /) {
      print "class PrimExprNode : public ffi::Object { public: TRANSOM_DECLARE_OBJECT_INFO(\"sample.PrimExpr\", PrimExprNode, ffi::Object); };" > file
      print body > file
    } else {
      print "void Sample();\nvoid Sample() {\n" body "\n}" > file
    }
    close(file)
  }
  inside && /^(#include|namespace [a-z]+ = )/ { top = top "\n" $0; next }
  inside { body = body "\n" $0 }
' "$document"

samples=("$scratch"/sample*.cc)
[[ -e ${samples[0]} ]] || { echo "$document has no C++ sample" >&2; exit 1; }
for sample in "${samples[@]}"; do
  "$@" -fsyntax-only "$sample" || { cat -n "$sample" >&2; exit 1; }
done
