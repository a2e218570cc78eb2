"""Rows of Table 3 in plain PyTorch, on the embeddings that torch-table-3.ts leaves in a folder: is a figure the recipe's, or f3's?

    torch_table_3.py FOLDER none|soft none|given|knn|icdf SEED

The recipe of the paper preset: W, b ~ U(±1/√fan_out), Adam 0.01, batches of 100, 500 epochs at most, 50 without a lower
validation loss, the best epoch kept. ICDF draws one graph per batch here, ten at prediction.
"""
import json
import math
import sys
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import f1_score, roc_auc_score
from torch.nn import Parameter
from torch.nn.functional import cross_entropy, normalize

folder, alignment, graph, seed = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
facts = json.loads((folder / "facts.json").read_text())
samples, n, d = facts["shape"]
hidden, classes, neighbours, temperature, batch = 8, facts["classes"], 10, 0.1, 100
torch.manual_seed(seed)
torch.set_num_threads(facts["threads"])

read = lambda name, kind: np.fromfile(folder / name, kind)
embeddings = torch.from_numpy(read("embeddings.f32", np.float32).reshape(samples, n, d))
labels = torch.from_numpy(read("labels.i32", np.int32).astype(np.int64))
train, validation, test = (torch.from_numpy(read(f"{part}.u32", np.uint32).astype(np.int64)) for part in ("train", "validation", "test"))
identity = torch.eye(n)

uniform = lambda shape, bound: Parameter((2 * torch.rand(shape) - 1) * bound)
fan_out = lambda *shape: uniform(shape, 1 / math.sqrt(shape[-1]))
W0, b0, W1, b1 = fan_out(d, hidden), fan_out(hidden), fan_out(hidden, classes), fan_out(classes)
parameters = [W0, b0, W1, b1]
if alignment == "soft":
    P = uniform((n, d, d), math.sqrt(6 / (d * d + n * d)))
    parameters.append(P)
if graph == "knn":
    W_knn = fan_out(d, hidden)
    parameters.append(W_knn)
if graph == "icdf":
    theta = Parameter(torch.rand(n, n))
    parameters.append(theta)
if graph == "given":
    given = (torch.from_numpy(read("graph.f32", np.float32).reshape(n, n)) > 0).float() * (1 - identity)


def edges(x):
    if graph == "given":
        return given
    if graph == "icdf":
        z = torch.sigmoid((torch.special.ndtri(theta.clamp(1e-4, 1 - 1e-4)) - torch.randn(n, n)) / temperature).triu(1)
        return z + z.T
    owners = normalize((x @ W_knn).permute(1, 0, 2).reshape(n, -1), dim=1)
    similar = owners @ owners.T
    kept = torch.zeros(n, n).scatter(1, similar.topk(neighbours + 1, dim=1).indices, 1.0)
    nearest = torch.relu(similar * kept)
    return (nearest + nearest.T) / 2


def logits(x):
    x = torch.einsum("nij,bnj->bni", P, x) if alignment == "soft" else x
    if graph == "none":
        return torch.relu(x @ W0 + b0).mean(1) @ W1 + b1
    looped = edges(x) + identity
    scale = looped.sum(1).rsqrt()
    a = scale[:, None] * looped * scale + identity
    h = torch.relu(torch.einsum("ij,bjk->bik", a, x @ W0) + b0)
    return (torch.einsum("ij,bjk->bik", a, h @ W1) + b1).mean(1)


@torch.no_grad()
def predict(rows):
    draws = 10 if graph == "icdf" else 1
    return torch.cat([sum(logits(embeddings[part]) for _ in range(draws)) / draws for part in rows.split(batch)])


optimizer = torch.optim.Adam(parameters, lr=0.01)
best = {"loss": math.inf, "epoch": 0}
for epoch in range(1, 501):
    for rows in train[torch.randperm(len(train))].split(batch):
        optimizer.zero_grad()
        cross_entropy(logits(embeddings[rows]), labels[rows]).backward()
        optimizer.step()
    loss = cross_entropy(predict(validation), labels[validation]).item()
    if loss < best["loss"]:
        best = {"loss": loss, "epoch": epoch, "logits": predict(test)}
    if epoch - best["epoch"] >= 50:
        break
probability = best["logits"].softmax(1)[:, 1].numpy()
truth = labels[test].numpy()
print(json.dumps({"epochs": epoch, "bestEpoch": best["epoch"], "f1": f1_score(truth, probability > 0.5), "auc": roc_auc_score(truth, probability)}))
