"""PyTorch peer of the benches: runs timed jobs asked for as JSON lines on stdin, answers as JSON lines on stdout.

    out  {"peer": "pytorch", "version": "1.13.0a0", "threads": 2, "blas": "OpenBLAS 0.3.21 ..."}
    in   {"job": "step-icdf-example", "repeat": 7, "params": {"n": 207, "threads": 2}}
    out  {"ms": [..]}   or   {"error": ".."}
    in   {"quit": true}

`--once JOB [PARAMS_JSON]` runs one job once, without warm-up, in this fresh process and prints its time and peak
memory. Exit code 3: no torch. The model is the one of the paper (soft alignment, learned graph, two GCN layers).

What was tried is noted where it was decided; each choice is the fastest of its alternatives on 2 cores at n = 207.
"""

import ctypes
import importlib.util
import json
import os
import resource
import sys
import time

OPENMP_BLAS = "/usr/lib/x86_64-linux-gnu/openblas-openmp"  # Debian's libopenblas0-openmp


def tune_process():
    """What a careful user sets in the environment before torch starts. Each was measured and helps, or is left out."""
    try:
        # glibc hands freed 17 MB tensors back to the kernel and faults them in again at every operation. Once it keeps
        # them, a per-example step takes 40 ms of one core instead of 69, at the same peak. (The tuning guide's way is
        # jemalloc.)
        libc = ctypes.CDLL(None)
        libc.mallopt(-3, 32 << 20)  # M_MMAP_THRESHOLD, its largest legal value
        libc.mallopt(-1, (1 << 31) - 1)  # M_TRIM_THRESHOLD
    except (OSError, AttributeError):
        pass  # not glibc
    found = importlib.util.find_spec("torch")
    if found is None or not (found.origin or "").startswith("/usr/lib/python3"):
        return
    # Debian's torch shares the cores between its OpenMP threads, which spin while they wait, and OpenBLAS's own pool:
    # with less spinning a per-example step takes 50 ms on 2 threads instead of 71. The OpenMP build of OpenBLAS, where
    # installed, ends that contest; loaded first, it is the one torch finds.
    os.environ.setdefault("GOMP_SPINCOUNT", "10000")
    for name in ("libopenblas.so.0", "libblas.so.3", "liblapack.so.3"):
        if os.path.exists(f"{OPENMP_BLAS}/{name}"):
            ctypes.CDLL(f"{OPENMP_BLAS}/{name}")


tune_process()
try:
    import torch
    from torch.nn import functional
except ImportError as missing:
    print(json.dumps({"peer": "pytorch", "error": f"torch is absent: {missing}"}), flush=True)
    sys.exit(3)

TEMPERATURE = 0.1
THETA_LOW, THETA_HIGH = 1e-4, 1 - 1e-4
TRAIN_SAMPLES = 1999  # 70 % of METR-LA's 2856 windows
EPOCHS = 5
DEFAULTS = {"n": 207, "batch": 100, "d": 16, "h": 8, "classes": 2, "steps": 12, "hidden": 16, "seed": 0}


# --- where the products come from -----------------------------------------------------------------------------------


def mapped_library(part):
    """Path of the first library mapped into this process whose file name starts with `part`, or None."""
    try:
        with open("/proc/self/maps", encoding="utf8") as maps:
            paths = [line.split()[-1] for line in maps]
    except OSError:
        return None
    return next((path for path in paths if os.path.basename(path).startswith(part)), None)


def blas_name():
    if torch.backends.mkl.is_available():
        return "MKL"
    path = mapped_library("libblas.so")
    if path is None:
        return "unknown"
    if "openblas" in path:
        library = openblas()
        library.openblas_get_config.restype = ctypes.c_char_p
        return library.openblas_get_config().decode()
    return "reference (slow)" if "/blas/" in path else path


def openblas():
    """The OpenBLAS torch itself is linked to: MKL builds of torch may map numpy's, which must be left alone."""
    path = None if torch.backends.mkl.is_available() else mapped_library("libopenblas")
    return ctypes.CDLL(path) if path else None


def set_threads(threads):
    torch.set_num_threads(threads)
    library = openblas()
    if library is not None:  # a pthread OpenBLAS does not follow torch.set_num_threads
        library.openblas_set_num_threads(threads)


# --- F3's global model ----------------------------------------------------------------------------------------------


def uniform(bound, *shape):
    return torch.nn.Parameter(torch.empty(shape).uniform_(-bound, bound))


def adam(parameters, lr):
    """Fused where this torch has it for the CPU (2.4 and later), else foreach; a loop over tensors is no faster."""
    parameters = list(parameters)
    try:
        return torch.optim.Adam(parameters, lr=lr, fused=True)
    except (TypeError, RuntimeError):
        return torch.optim.Adam(parameters, lr=lr, foreach=True)


def mirror_index(n):
    """[n * n]: for each cell of a symmetric matrix its edge among the n (n - 1) / 2 above the diagonal."""
    row, column = torch.triu_indices(n, n, 1)
    index = torch.zeros(n, n, dtype=torch.long)
    index[row, column] = index[column, row] = torch.arange(len(row))
    return index.flatten()


class Fusion:
    """F3 with soft alignment and a learned graph. Embeddings are cached owner-major, [owner, sample, d]."""

    def __init__(self, sampler, per_example, p):
        n, d, h, classes = p["n"], p["d"], p["h"], p["classes"]
        self.sampler, self.per_example, self.n, self.h = sampler, per_example, n, h
        self.mirror, self.diagonal = mirror_index(n), torch.eye(n, dtype=torch.bool)
        self.alignment = uniform((6 / (d * d + n * d)) ** 0.5, n, d, d)
        self.w0, self.b0 = uniform(h**-0.5, d, h), uniform(h**-0.5, h)
        self.w1, self.b1 = uniform(classes**-0.5, h, classes), uniform(classes**-0.5, classes)
        self.theta = torch.nn.Parameter(torch.rand(n, n))
        self.optimizer = adam([self.alignment, self.w0, self.b0, self.w1, self.b1, self.theta], lr=0.01)

    def noise(self, batch):
        """Symmetric noise to add to the edges' location: [batch, n, n] or [n, n]. One draw an edge, then mirrored."""
        edges = self.n * (self.n - 1) // 2
        shape = (batch, edges) if self.per_example else (edges,)
        if self.sampler == "icdf":
            draw = torch.randn(shape)  # its sign does not matter
        else:
            # Softmax over two classes is the sigmoid of their difference, and with Gumbel draws g = -log(-log u) the
            # noise g1 - g2 is log(log u2 / log u1): two draws, three logarithms. Tensor.exponential_, as in
            # gumbel_softmax, takes four times as long as rand.
            draw = torch.rand(shape).log_().div_(torch.rand(shape).log_()).log_()
        return draw.index_select(-1, self.mirror).unflatten(-1, (self.n, self.n))

    def graph(self, batch):
        """Soft samples of A + I: [batch, n, n] or [n, n].

        Location and noise are both symmetric, so the samples are, and the gradient meets no mirror of the batch. The
        sigmoid of a huge location makes the self loops. Slower: sampling n x n and triu(1) plus its transpose (twice
        the noise), mirroring the samples by index_select with a gradient of our own, by index_copy or by index_put.
        """
        theta = self.theta.triu(1)
        theta = (theta + theta.t()).clamp(THETA_LOW, THETA_HIGH)
        location = torch.special.ndtri(theta) if self.sampler == "icdf" else theta.logit()
        location = (location / TEMPERATURE).masked_fill(self.diagonal, 1e4)
        return torch.add(location, self.noise(batch), alpha=1 / TEMPERATURE).sigmoid_()

    def logits(self, embeddings):
        """embeddings: [owner, sample, d] -> [sample, class]"""
        n, h, batch = self.n, self.h, embeddings.shape[1]
        a = self.graph(batch)
        scale = a.sum(-1, keepdim=True).rsqrt()
        # (H_i P_i) W0 = H_i (P_i W0), the bracket on the right being smaller; bmm over owners (einsum ends in it too).
        x = torch.bmm(embeddings, self.alignment @ self.w0)
        if not self.per_example:
            # One n x n by n x (batch h) product with the normalised matrix written out, and the pooling identity of
            # the notes for layer two; a real second layer is slower.
            a = scale * a * scale.t() + self.diagonal
            hidden = ((a @ x.view(n, -1)).view(n, batch, h) + self.b0).relu()
            pooled = (a.sum(0) @ hidden.view(n, -1)).view(batch, h)
            return pooled / n @ self.w1 + self.b1
        # Per example, scaling n x h features is cheaper than scaling n x n matrices, and a column of ones beside them
        # yields the pooling weights from the same bmm. Slower: an own product for the weights, a real second layer.
        x = x.transpose(0, 1)
        scaled = torch.cat([x, x.new_ones(batch, n, 1)], 2) * scale
        mixed = torch.bmm(a, scaled) * scale
        hidden = (mixed[..., :h] + x + self.b0).relu()
        pooled = torch.bmm((mixed[..., h:] + 1).transpose(1, 2), hidden).squeeze(1)
        return pooled / n @ self.w1 + self.b1

    def step(self, embeddings, labels):
        self.optimizer.zero_grad(set_to_none=True)
        functional.cross_entropy(self.logits(embeddings), labels).backward()
        self.optimizer.step()


def step_job(sampler, per_example):
    def prepare(p):
        model = Fusion(sampler, per_example, p)
        embeddings = torch.randn(p["n"], p["batch"], p["d"])
        labels = torch.randint(p["classes"], (p["batch"],))
        return lambda: model.step(embeddings, labels)

    return prepare


def epochs_job(sampler, per_example):
    def prepare(p):
        model = Fusion(sampler, per_example, p)
        embeddings = torch.randn(p["n"], TRAIN_SAMPLES, p["d"])
        labels = torch.randint(p["classes"], (TRAIN_SAMPLES,))

        def run():
            for _ in range(EPOCHS):
                for chosen in torch.randperm(TRAIN_SAMPLES).split(p["batch"]):
                    model.step(embeddings.index_select(1, chosen), labels[chosen])

        return run

    return prepare


# --- pre-training of one owner, and the bare product ----------------------------------------------------------------


class Local(torch.nn.Module):
    """LSTM, learned weighted sum over time, linear head. Time-major: [step, sample, variate]."""

    def __init__(self, p):
        super().__init__()
        self.recurrent = torch.nn.LSTM(1, p["hidden"])
        self.weight = uniform(p["steps"] ** -0.5, p["steps"])
        self.bias = uniform(p["steps"] ** -0.5, 1)
        self.head = torch.nn.Linear(p["hidden"], p["classes"])

    def forward(self, windows):
        states, _ = self.recurrent(windows)  # a written-out cell, scripted or not, is slower
        embedding = (self.weight @ states.flatten(1)).view(states.shape[1:]) + self.bias
        return self.head(embedding)


def lstm_epoch(p):
    model = Local(p)
    optimizer = adam(model.parameters(), lr=1e-3)
    windows = torch.rand(p["steps"], TRAIN_SAMPLES, 1) * 70
    labels = torch.randint(p["classes"], (TRAIN_SAMPLES,))

    def run():
        order = torch.randperm(TRAIN_SAMPLES)  # one shuffle an epoch, then views: no DataLoader in the way
        batches = zip(windows.index_select(1, order).split(p["batch"], 1), labels[order].split(p["batch"]))
        for window, label in batches:
            optimizer.zero_grad(set_to_none=True)
            functional.cross_entropy(model(window), label).backward()
            optimizer.step()

    return run


def matmul(p):
    n, columns = p["n"], p["batch"] * p["h"]
    left, right, out = torch.randn(n, n), torch.randn(n, columns), torch.empty(n, columns)
    return lambda: torch.mm(left, right, out=out)


# job -> (prepare, threads unless params say otherwise); prepare(params) returns what is timed
JOBS = {
    "step-icdf-batch": (step_job("icdf", False), 2),
    "step-icdf-example": (step_job("icdf", True), 2),
    "step-gumbel-batch": (step_job("gumbel", False), 2),
    "step-gumbel-example": (step_job("gumbel", True), 2),
    "epochs-icdf-example": (epochs_job("icdf", True), 2),
    "epochs-gumbel-example": (epochs_job("gumbel", True), 2),
    "lstm-epoch": (lstm_epoch, 1),
    "matmul": (matmul, 1),
}


# --- protocol -------------------------------------------------------------------------------------------------------


def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(run):
    start = time.perf_counter()
    run()
    return (time.perf_counter() - start) * 1e3


class Runner:
    def __init__(self):
        self.ready = {}

    def run(self, job, repeat, params, warm_up=3):
        if job not in JOBS:
            raise ValueError(f"job must be one of {', '.join(JOBS)}, got {job}")
        prepare, threads = JOBS[job]
        set_threads(params.get("threads", threads))
        key = json.dumps([job, params], sort_keys=True)
        if key not in self.ready:
            settings = {**DEFAULTS, **params}
            torch.manual_seed(settings["seed"])
            self.ready[key] = prepare(settings)
            for _ in range(1 if job.startswith("epochs") and warm_up else warm_up):
                self.ready[key]()
        answer = {"ms": [timed(self.ready[key]) for _ in range(repeat)]}
        if job.startswith("epochs"):
            answer["peakMb"] = peak_mb()
        return answer


def serve():
    def say(message):
        print(json.dumps(message), flush=True)

    threads = int(os.environ.get("PEER_THREADS", "2"))
    set_threads(threads)
    say({"peer": "pytorch", "version": torch.__version__, "threads": threads, "blas": blas_name()})
    runner = Runner()
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            request = json.loads(line)
            if request.get("quit"):
                return
            say(runner.run(request["job"], int(request.get("repeat", 1)), request.get("params") or {}))
        except Exception as error:  # the bench wants an answer to every line
            say({"error": f"{type(error).__name__}: {error}"})


def main(arguments):
    if arguments[:1] == ["--once"] and len(arguments) in (2, 3):
        params = json.loads(arguments[2]) if len(arguments) == 3 else {}
        answer = Runner().run(arguments[1], 1, params, warm_up=0)
        print(json.dumps({"job": arguments[1], **answer, "peakMb": peak_mb()}), flush=True)
    elif arguments:
        sys.exit("usage: pytorch_peer.py [--once JOB [PARAMS_JSON]]")
    else:
        serve()


if __name__ == "__main__":
    main(sys.argv[1:])
