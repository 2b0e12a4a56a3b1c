#!/usr/bin/env python3
"""Runs jobs by HyperQueue: JOBS WORKERS COMMAND...

docs/engines.md says what the list of jobs holds. The workers are threads of this process, or, with
HQ_SERVER_DIR, whatever has joined the server that is known there.
"""

import os
import sys
from contextlib import ExitStack
from pathlib import Path

# This file has the name of the package that it uses.
sys.path.pop(0)
if not sys.stderr.isatty():
    os.environ.setdefault("TQDM_DISABLE", "1")

from hyperqueue import Client, Job, LocalCluster
from hyperqueue.cluster import WorkerConfig


def main(jobs, workers, *command):
    folder = Path(jobs).parent / "hyperqueue"
    folder.mkdir(exist_ok=True)
    # One job that fails stops no other, but those that read what it should have made.
    job = Job(default_workdir=folder, max_fails=None)
    tasks = []
    for line in Path(jobs).read_text().splitlines():
        _, _, _, after, keys = line.split("\t")
        after = [] if after == "-" else [tasks[int(number)] for number in after.split()]
        tasks.append(job.program([*command, *keys.split()], deps=after))
    with ExitStack() as stack:
        server = os.environ.get("HQ_SERVER_DIR")
        if server:
            client = Client(server)
        else:
            cluster = stack.enter_context(LocalCluster())
            for _ in range(int(workers)):
                cluster.start_worker(WorkerConfig(cores=1))
            client = cluster.client()
        submitted = client.submit(job)
        if client.wait_for_jobs([submitted], raise_on_error=False):
            return 0
        for number, task in client.get_failed_tasks(submitted).items():
            print(f"job {number}: {task.error}", file=sys.stderr)
            if task.stderr and Path(task.stderr).exists():
                print(Path(task.stderr).read_text(), end="", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
