# One training step of the fused model in SecretFlow SPU (PyPI `spu`, with `jax`): ABY3, three parties in threads of one process, as ours are.
#
# Jobs: `quadratic` is our step, written so that SPU does no more than we do: logits are opened and their gradient is shared again, so softmax is in the
# clear; graph and weights of the mean are public. `relu-adam` is the step as users of SPU write it: jax.grad of the whole loss, ReLU, Adam.
# Speaks the protocol of bench/peer.ts: a line of JSON in, a line of JSON out.
import importlib.metadata
import json
import os
import sys
import threading
import time

# SPU logs to the standard output, which is for answers alone.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

try:
    import jax
    import jax.numpy as jnp
    import numpy as np
    import spu
    from spu import libspu
    from spu.utils import frontend
except ImportError as error:
    print(json.dumps({"error": f"SPU: {error}"}), file=answers, flush=True)
    sys.exit(0)

SECRET, PUBLIC = libspu.Visibility.VIS_SECRET, libspu.Visibility.VIS_PUBLIC
MOMENTUM, RATE = 0.9, 0.1


class Parties:
    """Three runtimes that keep their variables between programs."""

    def __init__(self, field, bits):
        self.config = libspu.RuntimeConfig(protocol=libspu.ProtocolKind.ABY3, field=field)
        self.config.fxp_fraction_bits = bits
        self.io = spu.Io(3, self.config)
        description = libspu.link.Desc()
        for rank in range(3):
            description.add_party(f"id_{rank}", f"thread_{rank}")
        self.runtimes = [None] * 3

        def start(rank):
            self.runtimes[rank] = spu.Runtime(libspu.link.create_mem(description, rank), self.config)

        together(start)

    def store(self, values, public=()):
        for name, value in values.items():
            shares = self.io.make_shares(np.asarray(value, np.float32), PUBLIC if name in public else SECRET)
            for rank, runtime in enumerate(self.runtimes):
                runtime.set_var(name, shares[rank])

    def read(self, name):
        return self.io.reconstruct([runtime.get_var(name) for runtime in self.runtimes])

    def run(self, program):
        together(lambda rank: self.runtimes[rank].run(program))


def together(work):
    failed = []

    def guarded(rank):
        try:
            work(rank)
        except BaseException as error:  # reported by the thread that waits
            failed.append(error)

    threads = [threading.Thread(target=guarded, args=(rank,)) for rank in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def compiled(function, values, public, outputs):
    """`values` by name, in the order of the function's arguments."""
    names = list(values)
    visibility = [PUBLIC if name in public else SECRET for name in names]
    args = tuple(np.asarray(value, np.float32) for value in values.values())
    program, _ = frontend.compile(
        frontend.Kind.JAX, function, args, {}, names, visibility, lambda out: outputs, copts=libspu.CompilerOptions()
    )
    return program


def first_values(owners, batch, width, hidden, classes):
    random = np.random.default_rng(1)
    uniform = lambda size, *shape: random.uniform(-size, size, shape).astype(np.float32)
    edges = np.triu(random.uniform(0, 1, (owners, owners)), 1)
    edges = edges + edges.T + np.eye(owners)
    root = 1 / np.sqrt(edges.sum(1))
    graph = edges * root[:, None] * root[None, :] + np.eye(owners)
    return {
        "H": uniform(1, owners, batch, width),
        "P": uniform(0.3, owners, width, width),
        "W0": uniform(0.3, width, hidden),
        "b0": uniform(0.3, hidden),
        "W1": uniform(0.3, hidden, classes),
        "b1": uniform(0.3, classes),
        "graph": graph.astype(np.float32),
        "weights": (graph.sum(0) / owners).astype(np.float32),
    }


WEIGHTS = ["P", "W0", "b0", "W1", "b1"]


def project(H, P, W0, graph, b0):
    matrices = jnp.einsum("nck,ch->nkh", P, W0)
    X = jnp.einsum("nbk,nkh->nbh", H, matrices)
    n, batch, hidden = X.shape
    Z = (graph @ X.reshape(n, batch * hidden)).reshape(n, batch, hidden) + b0
    return X, Z


def forward(H, P, W0, b0, W1, b1, graph, weights):
    X, Z = project(H, P, W0, graph, b0)
    active = Z * (0.25 * Z + 0.5)
    n, batch, hidden = X.shape
    pooled = (weights[None, :] @ active.reshape(n, batch * hidden)).reshape(batch, hidden)
    return X, Z, active, pooled, pooled @ W1 + b1


def backward(H, P, W0, W1, graph, weights, X, Z, active, pooled, dlogits, vP, vW0, vb0, vW1, vb1, b0, b1):
    n, batch, hidden = X.shape
    dpooled = dlogits @ W1.T
    dZ = (0.5 * Z + 0.5) * weights[:, None, None] * dpooled[None]
    edges = dZ.reshape(n, batch * hidden) @ X.reshape(n, batch * hidden).T + (active * dpooled[None]).sum((1, 2))[None, :]
    dX = (graph.T @ dZ.reshape(n, batch * hidden)).reshape(n, batch, hidden)
    dmatrices = jnp.einsum("nbk,nbh->nkh", H, dX)
    gradients = [
        jnp.einsum("ch,nkh->nck", W0, dmatrices),
        jnp.einsum("nck,nkh->ch", P, dmatrices),
        dZ.sum((0, 1)),
        pooled.T @ dlogits,
        dlogits.sum(0),
    ]
    velocities = [MOMENTUM * v + g for v, g in zip([vP, vW0, vb0, vW1, vb1], gradients)]
    return [w - v for w, v in zip([P, W0, b0, W1, b1], velocities)] + velocities + [edges]


def quadratic_step(params):
    sizes, repeat = params["sizes"], params["repeat"]
    values = first_values(**sizes)
    public = {"graph", "weights"}
    parties = Parties(getattr(libspu.FieldType, params["field"]), params["bits"])
    velocities = {f"v{name}": np.zeros_like(values[name]) for name in WEIGHTS}
    parties.store({**values, **velocities}, public)
    n, batch, hidden, classes = (sizes[name] for name in ["owners", "batch", "hidden", "classes"])
    shaped = {
        "X": np.zeros((n, batch, hidden)),
        "Z": np.zeros((n, batch, hidden)),
        "active": np.zeros((n, batch, hidden)),
        "pooled": np.zeros((batch, hidden)),
    }
    ahead = compiled(forward, {name: values[name] for name in ["H", *WEIGHTS, "graph", "weights"]}, public, [*shaped, "logits"])
    inputs = {name: values[name] for name in ["H", "P", "W0", "W1", "graph", "weights"]}
    inputs.update(shaped)
    inputs["dlogits"] = np.zeros((batch, classes))
    inputs.update(velocities)
    inputs.update({name: values[name] for name in ["b0", "b1"]})
    back = compiled(backward, inputs, public, [*WEIGHTS, *velocities, "edges"])
    labels = np.random.default_rng(2).integers(0, classes, batch)

    def step():
        parties.run(ahead)
        logits = parties.read("logits")
        gradient = np.exp(logits - logits.max(1, keepdims=True))
        gradient /= gradient.sum(1, keepdims=True)
        gradient[np.arange(batch), labels] -= 1
        parties.store({"dlogits": gradient * RATE / batch})
        parties.run(back)
        parties.read("edges")

    return timed(step, repeat)


def relu_adam_step(params):
    sizes, repeat = params["sizes"], params["repeat"]
    values = first_values(**sizes)
    public = {"graph"}
    parties = Parties(getattr(libspu.FieldType, params["field"]), params["bits"])
    classes, batch = sizes["classes"], sizes["batch"]
    labels = np.eye(classes, dtype=np.float32)[np.random.default_rng(2).integers(0, classes, batch)]
    moments = {f"{kind}{name}": np.zeros_like(values[name]) for kind in "mv" for name in WEIGHTS}

    def loss(learned, graph, H, Y):
        P, W0, b0, W1, b1 = learned
        _, Z = project(H, P, W0, graph, b0)
        logits = jnp.einsum("n,nbh->bh", graph.sum(0) / H.shape[0], jax.nn.relu(Z)) @ W1 + b1
        return -(Y * jax.nn.log_softmax(logits)).sum(1).mean()

    def step(H, Y, graph, P, W0, b0, W1, b1, *old):
        learned = [P, W0, b0, W1, b1]
        gradients, edges = jax.grad(loss, argnums=(0, 1))(learned, graph, H, Y)
        first = [0.9 * m + 0.1 * g for m, g in zip(old[:5], gradients)]
        second = [0.999 * v + 0.001 * g * g for v, g in zip(old[5:], gradients)]
        updated = [w - RATE * m / (jnp.sqrt(v) + 1e-4) for w, m, v in zip(learned, first, second)]
        return updated + first + second + [edges]

    inputs = {"H": values["H"], "Y": labels, "graph": values["graph"], **{name: values[name] for name in WEIGHTS}, **moments}
    parties.store(inputs, public)
    program = compiled(step, inputs, public, [*WEIGHTS, *moments, "edges"])

    def whole():
        parties.run(program)
        parties.read("edges")

    return timed(whole, repeat)


def timed(step, repeat):
    step()
    times, cpu = [], time.process_time()
    for _ in range(repeat):
        start = time.perf_counter()
        step()
        times.append(1000 * (time.perf_counter() - start))
    return {"ms": times, "cpuMs": 1000 * (time.process_time() - cpu) / repeat}


print(json.dumps({"peer": "SPU", "version": importlib.metadata.version("spu")}), file=answers, flush=True)
JOBS = {"quadratic": quadratic_step, "relu-adam": relu_adam_step}
for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = JOBS[request["job"]]({**request["params"], "repeat": request["repeat"]})
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"[:300]}
    print(json.dumps(answer), file=answers, flush=True)
