#!/usr/bin/env bash
# Runs jobs by Slurm, an array of jobs a stage: JOBS WORKERS COMMAND…
# docs/engines.md says what the list of jobs holds. SBATCH_PARTITION and the like are heeded.
set -euo pipefail

if [[ -n ${SLURM_ARRAY_TASK_ID:-} ]]; then
    # On a node: this task's share of the jobs of a stage.
    jobs=$1 stage=$2
    shift 2
    status=0
    while read -r -a keys; do
        "$@" "${keys[@]}" </dev/null || status=1
    done < <(awk -F '\t' -v stage="$stage" -v first="$SLURM_ARRAY_TASK_ID" -v step="$SLURM_ARRAY_TASK_COUNT" \
        '$1 == stage && n++ % step == first { print $5 }' "$jobs")
    exit "$status"
fi

workers=$2
folder=$(dirname "$1")/slurm
mkdir -p "$folder"
# Another list may be written while these jobs wait.
jobs=$(mktemp "$folder/jobs.XXXXXX")
cp "$1" "$jobs"
shift 2
after=() status=0
last=$(tail -n 1 "$jobs" | cut -f 1)
for ((stage = 0; stage <= last; stage++)); do
    read -r n mebibytes < <(awk -F '\t' -v stage="$stage" \
        '$1 == stage { n++; if ($3 > most) most = $3 } END { print n + 0, most + 0 }' "$jobs")
    # Slurm's own limit is 1,001 tasks an array; what is left goes round.
    array=0-$((n < 1000 ? n - 1 : 999))%$workers
    memory=()
    if ((mebibytes > 0)); then memory=(--mem="$((mebibytes * 3 / 2 + 256))"); fi
    wait=()
    if ((stage == last)); then wait=(--wait); fi
    # A job whose inputs failed refuses its runs by itself; the others go on.
    id=$(sbatch --parsable --job-name=kibitz --array="$array" --output="$folder/%A_%a.out" \
        "${memory[@]}" "${after[@]}" "${wait[@]}" "$0" "$jobs" "$stage" "$@") || status=1
    after=(--dependency="afterany:${id%%;*}")
done
rm "$jobs"
exit "$status"
