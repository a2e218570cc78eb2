"""PyTorch training row K of Table 2 by whole epochs, validation included: the peer of `trainFusion`.

    pytorch_fuse_peer.py plain    the model of pytorch_plain_peer.py: as the paper's equations read
    pytorch_fuse_peer.py tuned    the model of pytorch_peer.py: tuned as far as we could

Same line protocol: {"job": "epoch-icdf-example", "repeat": 3, "params": {"threads": 2}} → {"ms": [..], "cpuMs": [..]}
Random numbers of METR-LA's size: the time does not depend on them.
"""
import importlib
import json
import sys
import time

OWNERS, WIDTH, CLASSES, BATCH = 207, 16, 2, 100
TRAINING, VALIDATION, GRAPHS = 1999, 285, 10


def load(name):
    """The module of a model. The tuned one sets up the process before it imports torch, so torch comes after it."""
    try:
        return importlib.import_module({"plain": "pytorch_plain_peer", "tuned": "pytorch_peer"}[name])
    except SystemExit:
        sys.exit(3)  # it has said why


variant = sys.argv[1] if sys.argv[1:] in (["plain"], ["tuned"]) else sys.exit("usage: pytorch_fuse_peer.py plain|tuned")
peer = load(variant)
torch, functional = peer.torch, peer.functional


class Plain:
    """Embeddings: [sample, owner, d]"""

    def __init__(self, per_example):
        self.model = peer.Fusion(OWNERS, "icdf", per_example)
        self.parameters = list(self.model.parameters())
        self.optimizer = torch.optim.Adam(self.parameters, lr=0.01)
        self.train = torch.randn(TRAINING, OWNERS, WIDTH)
        self.validation = torch.randn(VALIDATION, OWNERS, WIDTH)

    def step(self, rows, labels):
        self.optimizer.zero_grad(set_to_none=True)
        functional.cross_entropy(self.model(self.train[rows]), labels).backward()
        self.optimizer.step()

    def logits(self):
        return self.model(self.validation)


class Tuned:
    """Embeddings: [owner, sample, d]"""

    def __init__(self, per_example):
        self.model = peer.Fusion("icdf", per_example, {**peer.DEFAULTS, "n": OWNERS, "d": WIDTH, "classes": CLASSES})
        self.parameters = self.model.optimizer.param_groups[0]["params"]
        self.train = torch.randn(OWNERS, TRAINING, WIDTH)
        self.validation = torch.randn(OWNERS, VALIDATION, WIDTH)

    def step(self, rows, labels):
        self.model.step(self.train.index_select(1, rows), labels)

    def logits(self):
        return self.model.logits(self.validation)


class Training:
    def __init__(self, per_example):
        self.fusion = {"plain": Plain, "tuned": Tuned}[variant](per_example)
        self.per_example = per_example
        self.labels = torch.randint(CLASSES, (TRAINING,))
        self.validation_labels = torch.randint(CLASSES, (VALIDATION,))
        self.best, self.best_parameters = float("inf"), []

    def epoch(self):
        for rows in torch.randperm(TRAINING).split(BATCH):
            self.fusion.step(rows, self.labels[rows])
        loss = self.validation_loss()
        if loss < self.best:
            self.best = loss
            self.best_parameters = [values.detach().clone() for values in self.fusion.parameters]

    @torch.no_grad()
    def validation_loss(self):
        """Logits averaged over graphs that all samples share."""
        self.fusion.model.per_example = False
        logits = sum(self.fusion.logits() for _ in range(GRAPHS)) / GRAPHS
        self.fusion.model.per_example = self.per_example
        return functional.cross_entropy(logits, self.validation_labels).item()


JOBS = {"epoch-icdf-example": True, "epoch-icdf-batch": False}


def set_threads(threads):
    if variant == "tuned":
        peer.set_threads(threads)
    else:
        torch.set_num_threads(threads)


def timed(run):
    """Milliseconds on the clock, and of all cores together."""
    start, cpu = time.perf_counter(), time.process_time()
    run()
    return (time.perf_counter() - start) * 1000, (time.process_time() - cpu) * 1000


def main():
    print(json.dumps({"peer": f"pytorch {variant}", "version": torch.__version__}), flush=True)
    ready = {}
    for line in sys.stdin:
        request = json.loads(line)
        job, params = request["job"], request.get("params") or {}
        if job not in JOBS:
            print(json.dumps({"error": f"job must be one of {', '.join(JOBS)}, got {job}"}), flush=True)
            continue
        set_threads(params.get("threads", 2))
        if job not in ready:
            torch.manual_seed(1)
            ready[job] = Training(JOBS[job])
        ms, cpu_ms = zip(*(timed(ready[job].epoch) for _ in range(request.get("repeat", 1))))
        print(json.dumps({"ms": ms, "cpuMs": cpu_ms}), flush=True)


main()
