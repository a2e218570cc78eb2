# One training step of the fused model in MPyC (PyPI `mpyc`, with `numpy` and, if there is one, `gmpy2`): Shamir's scheme as ours, threshold 1, three processes.
#
#   python mpyc_step.py -M3 --no-log OWNERS BATCH WIDTH HIDDEN CLASSES
#
# Forward and backward pass with the quadratic activation on secure fixed-point arrays. Logits are opened and their gradient is shared again, as in ours.
# The graph is a constant. Party 0 prints a line of JSON.
import importlib.metadata
import json
import resource
import sys
import time

try:
    import numpy as np
    from mpyc.runtime import mpc
except ImportError as error:
    print(json.dumps({"error": f"MPyC: {error}"}), flush=True)
    sys.exit(0)

MOMENTUM, RATE = 0.9, 0.1
owners, batch, width, hidden, classes = (int(word) for word in sys.argv[-5:])
secfxp = mpc.SecFxp(48, 24)
random = np.random.default_rng(1)


def shared(size, *shape):
    return mpc.input(secfxp.array(random.uniform(-size, size, shape)), senders=0)


def cpu():
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime


async def main():
    await mpc.start()
    H = [shared(1, batch, width) for _ in range(owners)]
    P = [shared(0.3, width, width) for _ in range(owners)]
    W0, b0 = shared(0.3, width, hidden), shared(0.3, hidden)
    W1, b1 = shared(0.3, hidden, classes), shared(0.3, classes)
    edges = random.uniform(0, 1, (owners, owners))
    edges = (edges + edges.T) / 2
    np.fill_diagonal(edges, 1)
    root = 1 / np.sqrt(edges.sum(1))
    normalised = edges * root[:, None] * root[None, :] + np.eye(owners)
    graph = secfxp.array(normalised)
    weights = secfxp.array(normalised.sum(0)[None, :] / owners)
    labels = random.integers(0, classes, batch)
    zeros = lambda like: secfxp.array(np.zeros(like.shape))
    velocity = {"W0": zeros(W0), "b0": zeros(b0), "W1": zeros(W1), "b1": zeros(b1), "P": [zeros(p) for p in P]}
    # Everything that was asked for before is there before the clock starts.
    await mpc.output(b1)
    await mpc.barrier()
    start, used = time.perf_counter(), cpu()

    matrices = [p.T @ W0 for p in P]
    X = mpc.np_vstack([(h @ m).reshape(1, batch * hidden) for h, m in zip(H, matrices)])
    Z = (graph @ X).reshape(owners * batch, hidden) + b0
    active = (Z * (Z * 0.25 + 0.5)).reshape(owners, batch * hidden)
    pooled = (weights @ active).reshape(batch, hidden)
    logits = np.array(await mpc.output(pooled @ W1 + b1), dtype=float)
    gradient = np.exp(logits - logits.max(1, keepdims=True))
    gradient /= gradient.sum(1, keepdims=True)
    gradient[np.arange(batch), labels] -= 1
    dlogits = mpc.input(secfxp.array(gradient * RATE / batch), senders=0)

    dpooled = (dlogits @ W1.T).reshape(1, batch * hidden)
    dZ = (Z * 0.5 + 0.5).reshape(owners, batch * hidden) * (weights.T @ dpooled)
    opened = mpc.output(dZ @ X.T)
    dX = graph.T @ dZ
    changes = []
    dW0 = zeros(W0)
    for i in range(owners):
        dmatrix = H[i].T @ dX[i].reshape(batch, hidden)
        velocity["P"][i] = velocity["P"][i] * MOMENTUM + W0 @ dmatrix.T
        dW0 = dW0 + P[i] @ dmatrix
        changes.append(P[i] - velocity["P"][i])
    gradients = {"W0": dW0, "b0": sum_rows(dZ.reshape(owners * batch, hidden)), "W1": pooled.T @ dlogits, "b1": sum_rows(dlogits)}
    for (name, gradient_), weight in zip(gradients.items(), [W0, b0, W1, b1]):
        velocity[name] = velocity[name] * MOMENTUM + gradient_
        changes.append(weight - velocity[name])
    await opened
    for change in changes:
        await mpc.gather(change)
    seconds, mine = time.perf_counter() - start, cpu() - used
    cpus = await mpc.transfer(mine)
    await mpc.shutdown()
    if mpc.pid == 0:
        hello = {"peer": "MPyC", "version": importlib.metadata.version("mpyc")}
        print(json.dumps({**hello, "ms": [1000 * seconds], "cpuMs": 1000 * sum(cpus)}), flush=True)


def sum_rows(matrix):
    return mpc.np_sum(matrix, axis=0)


mpc.run(main())
