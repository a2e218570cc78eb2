"""The model written down in PyTorch as the paper's equations read: cached embeddings, vectorised, 2 threads, no further tuning.

pytorch_peer.py is the same model tuned as far as we could (owner-major layout, products reordered, one draw per edge,
allocator settings). Same line protocol.
"""
import json
import sys
import time

try:
    import torch
    from torch import nn
    from torch.nn import functional
except ImportError as missing:
    print(json.dumps({"peer": "pytorch", "error": f"torch is absent: {missing}"}), flush=True)
    sys.exit(3)

TRAIN_SAMPLES, BATCH, WIDTH, HIDDEN, CLASSES, TIME, TEMPERATURE = 1999, 100, 16, 8, 2, 12, 0.1


def uniform(bound, *shape):
    return nn.Parameter((torch.rand(*shape) * 2 - 1) * bound)


class Fusion(nn.Module):
    def __init__(self, n, sampler, per_example):
        super().__init__()
        self.n, self.sampler, self.per_example = n, sampler, per_example
        self.alignment = uniform((6 / (WIDTH * WIDTH + n * WIDTH)) ** 0.5, n, WIDTH, WIDTH)
        self.theta = nn.Parameter(torch.rand(n, n))
        self.w0, self.b0 = uniform(HIDDEN**-0.5, WIDTH, HIDDEN), uniform(HIDDEN**-0.5, HIDDEN)
        self.w1, self.b1 = uniform(CLASSES**-0.5, HIDDEN, CLASSES), uniform(CLASSES**-0.5, CLASSES)

    def sample(self, batch):
        theta = self.theta.clamp(1e-4, 1 - 1e-4)
        shape = (batch, self.n, self.n) if self.per_example else (self.n, self.n)
        if self.sampler == "icdf":
            z = torch.sigmoid((torch.special.ndtri(theta) - torch.randn(shape)) / TEMPERATURE)
        else:
            scores = torch.stack([theta.log(), (1 - theta).log()], -1).expand(*shape, 2)
            z = functional.gumbel_softmax(scores, tau=TEMPERATURE)[..., 0]
        upper = z.triu(1)
        return upper + upper.transpose(-1, -2)

    def forward(self, embeddings):
        loops = self.sample(len(embeddings)) + torch.eye(self.n)
        root = loops.sum(-1).rsqrt()
        graph = root.unsqueeze(-1) * loops * root.unsqueeze(-2) + torch.eye(self.n)
        aligned = torch.einsum("bnd,nkd->bnk", embeddings, self.alignment)
        hidden = torch.relu(graph @ (aligned @ self.w0) + self.b0)
        return (graph @ (hidden @ self.w1) + self.b1).mean(1)


def step(sampler, per_example):
    def prepare(params):
        n = params.get("n", 207)
        model = Fusion(n, sampler, per_example)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        embeddings, labels = torch.randn(TRAIN_SAMPLES, n, WIDTH), torch.randint(CLASSES, (TRAIN_SAMPLES,))

        def run():
            rows = torch.randint(TRAIN_SAMPLES, (BATCH,))
            optimizer.zero_grad(set_to_none=True)
            functional.cross_entropy(model(embeddings[rows]), labels[rows]).backward()
            optimizer.step()

        return run

    return prepare


class Local(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, WIDTH, batch_first=True)
        self.time = nn.Linear(TIME, 1)
        self.head = nn.Linear(WIDTH, CLASSES)

    def forward(self, windows):
        states, _ = self.lstm(windows)
        return self.head(self.time(states.transpose(1, 2)).squeeze(2))


def lstm_epoch(_):
    model = Local()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    windows, labels = torch.rand(TRAIN_SAMPLES, TIME, 1) * 70, torch.randint(CLASSES, (TRAIN_SAMPLES,))

    def run():
        for rows in torch.randperm(TRAIN_SAMPLES).split(BATCH):
            optimizer.zero_grad(set_to_none=True)
            functional.cross_entropy(model(windows[rows]), labels[rows]).backward()
            optimizer.step()

    return run


def matmul(params):
    left, right = torch.randn(207, 207), torch.randn(207, 800)
    return lambda: left @ right


JOBS = {
    "step-icdf-batch": (step("icdf", False), 2),
    "step-icdf-example": (step("icdf", True), 2),
    "step-gumbel-batch": (step("gumbel", False), 2),
    "step-gumbel-example": (step("gumbel", True), 2),
    "lstm-epoch": (lstm_epoch, 1),
    "matmul": (matmul, 1),
}


def main():
    print(json.dumps({"peer": "pytorch", "version": f"{torch.__version__}, as the paper reads", "threads": 2}), flush=True)
    ready = {}
    for line in sys.stdin:
        request = json.loads(line)
        job, params = request["job"], request.get("params") or {}
        if job not in JOBS:
            print(json.dumps({"error": f"job must be one of {', '.join(JOBS)}, got {job}"}), flush=True)
            continue
        prepare, threads = JOBS[job]
        torch.set_num_threads(params.get("threads", threads))
        if job not in ready:
            torch.manual_seed(1)
            ready[job] = prepare(params)
            for _ in range(3):
                ready[job]()
        times = []
        for _ in range(request.get("repeat", 1)):
            start = time.perf_counter()
            ready[job]()
            times.append((time.perf_counter() - start) * 1000)
        print(json.dumps({"ms": times}), flush=True)


if __name__ == "__main__":
    main()
