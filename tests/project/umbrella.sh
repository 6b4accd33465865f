#!/usr/bin/env bash
# umbrella.sh SOURCE_DIR: <transom/transom.h> includes every public header, except those in detail folders.
set -euo pipefail
cd "$1/include"
diff <(find transom/*/ -name '*.h' -not -path '*/detail/*' | sort | sed 's/.*/#include <&>/') \
  <(grep '^#include <transom/.*/' transom/transom.h | sort) >&2 ||
  { echo "transom/transom.h does not include exactly the public headers (<: missing, >: unknown)" >&2; exit 1; }
