#!/usr/bin/env bash
# Runs jobs on this machine, stage by stage: JOBS WORKERS COMMAND…
# docs/engines.md says what the list of jobs holds.
set -euo pipefail
jobs=$1 workers=$2
shift 2
status=0
last=$(tail -n 1 "$jobs" | cut -f 1)
for ((stage = 0; stage <= last; stage++)); do
    # Through a shell of its own: xargs itself would stop where a command is killed.
    awk -F '\t' -v stage="$stage" '$1 == stage { print $5 }' "$jobs" |
        xargs -P "$workers" -L 1 bash -c '"$@" || exit 1' job "$@" || status=1
done
exit "$status"
