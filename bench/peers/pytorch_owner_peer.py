"""PyTorch pre-training one owner with the paper preset: the peer of `f3 owner train`. Same line protocol as pytorch_peer.py.

{"job": "owner", "params": {"folder": …, "owner": i, "threads": 1}} → {"ms": [t], "epochs": e, "testAccuracy": a}
The folder holds windows.f32 [owner, sample, time, variate], labels.i32 [sample] and meta.json (shape, split).
"""
import json
import pathlib
import sys
import time

try:
    import numpy as np
    import torch
    from torch import nn
    from torch.nn import functional
except ImportError as error:
    print(json.dumps({"error": f"PyTorch: {error}"}), flush=True)
    sys.exit(3)

HIDDEN, CLASSES, BATCH, EPOCHS, PATIENCE, RATE = 16, 2, 100, 200, 20, 1e-3


class LocalModel(nn.Module):
    def __init__(self, length, variates):
        super().__init__()
        self.lstm = nn.LSTM(variates, HIDDEN, batch_first=True)
        self.time = nn.Linear(length, 1)
        self.head = nn.Linear(HIDDEN, CLASSES)

    def forward(self, x):
        states, _ = self.lstm(x)
        return self.head(self.time(states.transpose(1, 2)).squeeze(2))


def train(windows, labels, split):
    """Best validation accuracy kept (ties: the later epoch), stop after more than 20 epochs without reaching it."""
    x, y = torch.from_numpy(windows), torch.from_numpy(labels).long()
    part = {name: torch.tensor(rows) for name, rows in split.items()}
    train_x, train_y = x[part["train"]], y[part["train"]]
    valid_x, valid_y = x[part["validation"]], y[part["validation"]]
    model = LocalModel(x.shape[1], x.shape[2])
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    best, best_epoch, epoch, state = -1.0, 0, 0, None
    while epoch < EPOCHS and epoch - best_epoch <= PATIENCE:
        epoch += 1
        for rows in torch.randperm(len(train_x)).split(BATCH):
            optimizer.zero_grad(set_to_none=True)
            functional.cross_entropy(model(train_x[rows]), train_y[rows]).backward()
            optimizer.step()
        with torch.no_grad():
            accuracy = (model(valid_x).argmax(1) == valid_y).float().mean().item()
        if accuracy >= best:
            best, best_epoch = accuracy, epoch
            state = {name: value.clone() for name, value in model.state_dict().items()}
    model.load_state_dict(state)
    with torch.no_grad():
        test = (model(x[part["test"]]).argmax(1) == y[part["test"]]).float().mean().item()
    return epoch, test


def main():
    print(json.dumps({"peer": "pytorch", "version": torch.__version__}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if request.get("quit"):
            return
        params = request["params"]
        folder = pathlib.Path(params["folder"])
        meta = json.loads((folder / "meta.json").read_text())
        windows = np.fromfile(folder / "windows.f32", dtype=np.float32).reshape(meta["shape"])[params["owner"]]
        labels = np.fromfile(folder / "labels.i32", dtype=np.int32)
        torch.set_num_threads(params.get("threads", 1))
        torch.manual_seed(params.get("seed", 1))
        start = time.perf_counter()
        epochs, accuracy = train(windows, labels, meta["split"])
        ms = (time.perf_counter() - start) * 1000
        print(json.dumps({"ms": [ms], "epochs": epochs, "testAccuracy": accuracy}), flush=True)


main()
