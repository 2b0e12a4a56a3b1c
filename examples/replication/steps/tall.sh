# Writes tall.csv: the share of seedlings of at least KIBITZ_PARAM_HEIGHT mm, by light.
set -eu
echo row,share > tall.csv
tail -n +2 data/seedlings.csv | awk -F, -v height="$KIBITZ_PARAM_HEIGHT" '
    { n[$2]++; if ($3 >= height) tall[$2]++ }
    END { for (light in n) printf "%s,%s\n", light, 100 * tall[light] / n[light] }
' | sort >> tall.csv
