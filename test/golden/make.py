"""Golden vectors from PyTorch: `/usr/bin/python3 test/golden/make.py [case ...]` writes <case>.json beside itself.

A case is a function marked @case that returns {name: tensor}. Layout of a file:
{ "<name>": { "shape": [...], "values": [...] } }. The derivative of the loss with respect to <name> is named
"gradient of <name>". Start from `uniform` numbers: they are float32, so both sides begin with the same ones, and the
derivatives are then taken in float64.
"""
import json
import math
import pathlib
import sys

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.stateless import functional_call
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from edge_noise import noise

HERE = pathlib.Path(__file__).parent
LARGEST = 200_000  # bytes of a file
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def uniform(*shape, bound=1.0):
    return (torch.rand(*shape) * 2 - 1) * bound


def with_gradients(parameters, rest):
    """Parameters (after backward) and their gradients, and whatever else the case wants to show."""
    gradients = {f"gradient of {name}": tensor.grad for name, tensor in parameters.items()}
    return {**parameters, **gradients, **rest}


def local_model(kind):
    """Recurrent states → weighted sum over time → linear head → mean cross-entropy."""
    batch, time, width, hidden, classes = 7, 5, 2, 6, 3
    model = kind(width, hidden, batch_first=True)
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(uniform(*weight.shape))
    model.double()
    x = uniform(batch, time, width).double().requires_grad_()
    labels = torch.randint(classes, (batch,))
    time_weights, time_bias, head_weight, head_bias = (
        uniform(*shape).double().requires_grad_() for shape in ((time,), (1,), (hidden, classes), (classes,))
    )
    states, _ = model(x)
    embedding = torch.einsum("bth,t->bh", states, time_weights) + time_bias
    logits = embedding @ head_weight + head_bias
    loss = functional.cross_entropy(logits, labels)
    loss.backward()
    parameters = {
        "x": x,
        "weightInput": model.weight_ih_l0,
        "weightHidden": model.weight_hh_l0,
        "biasInput": model.bias_ih_l0,
        "biasHidden": model.bias_hh_l0,
        "timeWeights": time_weights,
        "timeBias": time_bias,
        "headWeight": head_weight,
        "headBias": head_bias,
    }
    rest = {"labels": labels, "states": states, "embedding": embedding, "logits": logits, "loss": loss}
    return with_gradients(parameters, rest)


@case
def lstm():
    return local_model(nn.LSTM)


@case
def gru():
    return local_model(nn.GRU)


@case
def tcn():
    """Two causal convolutions of three taps, dilated by 1 and 2, the second added to the first → as `local_model`."""
    batch, time, width, hidden, classes, taps = 7, 8, 2, 6, 3, 3
    shapes = {
        "x": (batch, time, width),
        "weight0": (taps * width, hidden),
        "bias0": (hidden,),
        "weight1": (taps * hidden, hidden),
        "bias1": (hidden,),
        "timeWeights": (time,),
        "timeBias": (1,),
        "headWeight": (hidden, classes),
        "headBias": (classes,),
    }
    p = {name: uniform(*shape).double().requires_grad_() for name, shape in shapes.items()}
    labels = torch.randint(classes, (batch,))

    def convolve(x, weight, bias, dilation):
        # PyTorch's kernel is [out, in, taps] with the present step last; ours is [taps · in, out] with it first.
        kernel = weight.view(taps, -1, hidden).flip(0).permute(2, 1, 0)
        padded = functional.pad(x.transpose(1, 2), ((taps - 1) * dilation, 0))
        return functional.conv1d(padded, kernel, bias, dilation=dilation).transpose(1, 2).relu()

    first = convolve(p["x"], p["weight0"], p["bias0"], 1)
    states = first + convolve(first, p["weight1"], p["bias1"], 2)
    embedding = torch.einsum("bth,t->bh", states, p["timeWeights"]) + p["timeBias"]
    logits = embedding @ p["headWeight"] + p["headBias"]
    loss = functional.cross_entropy(logits, labels)
    loss.backward()
    rest = {"labels": labels, "states": states, "embedding": embedding, "logits": logits, "loss": loss}
    return with_gradients(p, rest)


@case
def adam():
    """Parameters after each of 20 steps over one fixed sequence of gradients, whose scale changes from step to step."""
    steps, size = 20, 7
    start = uniform(size)
    gradients = uniform(steps, size) * torch.logspace(-4, 1, 5).repeat(4).unsqueeze(1)

    def trajectory(make):
        parameter = nn.Parameter(start.clone())
        optimizer = make([parameter])
        rows = []
        for gradient in gradients:
            parameter.grad = gradient.clone()
            optimizer.step()
            rows.append(parameter.detach().clone())
        return torch.stack(rows)

    return {
        "start": start,
        "gradients": gradients,
        "adam 0.01": trajectory(lambda p: torch.optim.Adam(p, lr=0.01)),
        "adam 0.001": trajectory(lambda p: torch.optim.Adam(p, lr=0.001)),
        "sgd 0.1": trajectory(lambda p: torch.optim.SGD(p, lr=0.1)),
        "sgd 0.1 momentum 0.9": trajectory(lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9)),
    }


@case
def averaged():
    """AdamW's parameters after each of 20 steps, and their exponential mean (decay 0.9) as AveragedModel keeps it."""
    steps, size = 20, 7
    start = uniform(size)
    gradients = uniform(steps, size) * torch.logspace(-4, 1, 5).repeat(4).unsqueeze(1)
    module = nn.Module()
    module.weight = nn.Parameter(start.clone())
    optimizer = torch.optim.AdamW(module.parameters(), lr=0.01, weight_decay=0.3)
    mean = AveragedModel(module, multi_avg_fn=get_ema_multi_avg_fn(0.9))
    rows, means = [], []
    for gradient in gradients:
        module.weight.grad = gradient.clone()
        optimizer.step()
        mean.update_parameters(module)
        rows.append(module.weight.detach().clone())
        means.append(mean.module.weight.detach().clone())
    return {"start": start, "gradients": gradients, "adamw": torch.stack(rows), "mean": torch.stack(means)}


@case
def clip():
    """clip_grad_norm_ to 0.7 over two parameters."""
    parameters = [nn.Parameter(torch.zeros(3, 4)), nn.Parameter(torch.zeros(5))]
    for parameter in parameters:
        parameter.grad = uniform(*parameter.shape)
    before = {f"before {i}": parameter.grad.clone() for i, parameter in enumerate(parameters)}
    norm = nn.utils.clip_grad_norm_(parameters, 0.7)
    return {**before, "norm": norm, **{f"after {i}": parameter.grad for i, parameter in enumerate(parameters)}}


def ten_sweeps(free, k0):
    """Ten Sinkhorn sweeps with the new c; loss = Σ weights · result + 0.01 · mean row entropy."""
    n, d, _ = free.shape
    r = torch.ones(n, d, dtype=torch.float64)
    for _ in range(10):
        c = 1 / torch.einsum("nij,ni->nj", k0, r)
        r = 1 / torch.einsum("nij,nj->ni", k0, c)
    result = r.unsqueeze(2) * k0 * c.unsqueeze(1)
    entropy = -(result * result.log()).sum(2).mean()
    weights = uniform(n, d, d)
    ((result * weights.double()).sum() + 0.01 * entropy).backward()
    return with_gradients({"free": free}, {"weights": weights, "result": result, "entropy": entropy})


@case
def sinkhorn_square():
    free = uniform(2, 7, 7).double().requires_grad_()
    return ten_sweeps(free, free * free)


@case
def sinkhorn_exp():
    free = uniform(2, 7, 7, bound=0.1).double().requires_grad_()
    return ten_sweeps(free, torch.exp(torch.sigmoid(free) / 0.01))


@case
def knn():
    """κ-NN graph of concatenated owner vectors, then normalised with the skip connection; loss = Σ weights · normalised."""
    batch, n, f, neighbours = 4, 13, 3, 4
    features = uniform(batch, n, f).double().requires_grad_()
    unit = functional.normalize(features.transpose(0, 1).reshape(n, batch * f), dim=1)
    similarity = unit @ unit.T
    kept = torch.zeros_like(similarity).scatter_(1, similarity.topk(neighbours + 1, dim=1).indices, 1.0)
    sparse = torch.relu(similarity * kept)
    graph = (sparse + sparse.T) / 2
    loops = graph + torch.eye(n)
    r = loops.sum(1).rsqrt()
    normalised = r.unsqueeze(1) * loops * r.unsqueeze(0) + torch.eye(n)
    weights = uniform(n, n)
    (normalised * weights.double()).sum().backward()
    return with_gradients({"features": features}, {"weights": weights, "graph": graph, "normalised": normalised})


def training_step(examples):
    """F³ with soft alignment, ICDF graph (τ = 0.1, seed 5, step 3), two GCN layers with skip, mean over owners."""
    batch, n, d, h, classes = 5, 7, 4, 3, 2
    x = uniform(batch, n, d, bound=2).double()
    shapes = {"P": (n, d, d), "W0": (d, h), "b0": (h,), "W1": (h, classes), "b1": (classes,)}
    p = {name: uniform(*shape).double().requires_grad_() for name, shape in shapes.items()}
    theta = (torch.rand(n, n) * 0.9 + 0.05).double().requires_grad_()
    labels = torch.tensor([0, 1, 1, 0, 1])
    quantile = math.sqrt(2) * torch.erfinv(2 * theta.clamp(1e-4, 1 - 1e-4) - 1)
    upper = torch.sigmoid((quantile - noise(n, 5, 3, examples)) / 0.1).triu(1)
    loops = upper + upper.transpose(1, 2) + torch.eye(n)
    root = loops.sum(2).rsqrt()
    graph = root[:, :, None] * loops * root[:, None, :] + torch.eye(n)
    aligned = torch.einsum("nij,bnj->bni", p["P"], x)
    hidden = torch.relu(graph @ (aligned @ p["W0"]) + p["b0"])
    logits = (graph @ (hidden @ p["W1"])).mean(1) + p["b1"]
    loss = functional.cross_entropy(logits, labels)
    loss.backward()
    return with_gradients({**p, "theta": theta}, {"x": x, "labels": labels, "logits": logits, "loss": loss})


@case
def gcn_batch():
    return training_step(examples=1)


@case
def gcn_example():
    return training_step(examples=5)


@case
def attention():
    """A set transformer's block over owners, some absent: attention, residual, norm, feed-forward, residual, norm;
    mean over owners → linear head → mean cross-entropy. Weights are [in, out]. The key bias moves all scores of a row
    alike, so that its gradient is nothing but rounding: it is a constant here."""
    batch, n, d, heads, inner, classes = 3, 6, 16, 4, 24, 3
    shapes = {
        **{f"{name}Weight": (d, d) for name in ("query", "key", "value", "output")},
        **{f"{name}Bias": (d,) for name in ("query", "value", "output")},
        **{name: (d,) for name in ("gain0", "shift0", "gain1", "shift1")},
        **{"innerWeight": (d, inner), "innerBias": (inner,), "outerWeight": (inner, d), "outerBias": (d,)},
        **{"headWeight": (d, classes), "headBias": (classes,)},
    }
    x = uniform(batch, n, d, bound=2).double().requires_grad_()
    p = {name: uniform(*shape).double().requires_grad_() for name, shape in shapes.items()}
    labels = torch.randint(classes, (batch,))
    present = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 0, 1, 1, 1, 1], [0, 1, 0, 0, 1, 0]])
    key_bias = uniform(d).double()
    weights = {
        "in_proj_weight": torch.cat([p[f"{name}Weight"].T for name in ("query", "key", "value")]),
        "in_proj_bias": torch.cat([p["queryBias"], key_bias, p["valueBias"]]),
        "out_proj.weight": p["outputWeight"].T,
        "out_proj.bias": p["outputBias"],
    }
    options = {"key_padding_mask": present == 0, "need_weights": False}
    module = nn.MultiheadAttention(d, heads, batch_first=True).double()
    attended, _ = functional_call(module, weights, (x, x, x), options)
    middle = functional.layer_norm(x + attended, (d,), p["gain0"], p["shift0"])
    inside = torch.relu(middle @ p["innerWeight"] + p["innerBias"])
    outside = inside @ p["outerWeight"] + p["outerBias"]
    block = functional.layer_norm(middle + outside, (d,), p["gain1"], p["shift1"])
    logits = block.mean(1) @ p["headWeight"] + p["headBias"]
    loss = functional.cross_entropy(logits, labels)
    loss.backward()
    constants = {"present": present, "keyBias": key_bias, "labels": labels}
    return with_gradients(
        {"x": x, **p}, {**constants, "attended": attended, "block": block, "logits": logits, "loss": loss}
    )


def write(name):
    torch.manual_seed(20230801)  # each case on its own: adding one leaves the others as they are
    tensors = {
        key: {"shape": list(tensor.shape), "values": [float(f"{value:.9g}") for value in tensor.flatten().tolist()]}
        for key, tensor in CASES[name]().items()
    }
    path = HERE / f"{name}.json"
    text = json.dumps(tensors) + "\n"
    if len(text) > LARGEST:
        sys.exit(f"{path.name}: must be at most {LARGEST} bytes, got {len(text)}")
    path.write_text(text)
    print(f"{path.name}: {len(text)} bytes, {', '.join(tensors)}")


if __name__ == "__main__":
    unknown = set(sys.argv[1:]) - set(CASES)
    if unknown:
        sys.exit(f"case: must be one of {', '.join(CASES)}, got {', '.join(sorted(unknown))}")
    for case_name in sys.argv[1:] or CASES:
        write(case_name)
