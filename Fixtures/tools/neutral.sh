#!/bin/bash
# Refuses files that carry a path of the building machine. Usage: neutral.sh PATH...
set -euo pipefail

swift_root=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")")
package=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
patterns=("$HOME/" "$package" "$(dirname "$package")/" "${TMPDIR:-/tmp}/" /home/ /Volumes/)
[ "$swift_root" = / ] || patterns+=("$swift_root")

found=0
while IFS= read -r -d '' file; do
    for pattern in "${patterns[@]}"; do
        [ "$pattern" != // ] || continue
        if grep -q -a -F -e "$pattern" "$file"; then
            echo "fixtures: $file: names '$pattern': expected no path of the building machine" >&2
            found=1
        fi
    done
done < <(find "$@" -type f -print0)
exit $found
