"""Noise of sampled edges as docs/random-numbers.md defines it, written a second time: the same bits across languages."""
import math

import torch

MASK = 0xFFFFFFFF


def edge_keys(seed, example, step, stream):
    c = [0, example, step, stream]
    k = [seed & MASK, seed >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & MASK, (a >> 32) ^ c[3] ^ k[1], a & MASK]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c[0], c[1]


def edge_bits(keys, slot):
    x = (slot + keys[0]) & MASK
    x = ((x ^ (x >> 17)) * 0xED5AD4BB) & MASK
    x = ((x ^ (x >> 11)) + keys[1]) & MASK
    x = (x * 0xAC4C1B51) & MASK
    x = ((x ^ (x >> 15)) * 0x31848BAB) & MASK
    return x ^ (x >> 14)


def edge_slot(i, j, n):
    blocks, p = (n + 3) // 4, i // 4
    return 8 * p * (2 * blocks - p + 1) + (i % 4) * 4 * (blocks - p) + (j - 4 * p)


def normal_noise(keys, slot):
    first = slot & ~4
    u = ((edge_bits(keys, first) >> 8) | 1) / 2**24
    signed = edge_bits(keys, first + 4)
    signed -= 2**32 if signed >= 2**31 else 0
    x = ((signed >> 7) | 1) / 2**24
    radius = math.sqrt(-2 * math.log(u))
    return radius * (math.cos(math.pi * x) if slot & 4 else math.sin(math.pi * x))


def noise(n, seed, step, examples):
    s = torch.zeros(examples, n, n, dtype=torch.float64)
    for b in range(examples):
        keys = edge_keys(seed, b, step, 0)
        for i in range(n):
            for j in range(i + 1, n):
                s[b, i, j] = normal_noise(keys, edge_slot(i, j, n))
    return s
