// Reads golden vectors (test/golden/make.py) and compares with them.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Engine } from '../../src/core/engine/engine.ts';
import type { Tensor } from '../../src/core/engine/tensor.ts';

const GRADIENT = 'gradient of ';

export class Golden {
  readonly #file: Record<string, { shape: number[]; values: number[] }>;
  readonly #name: string;

  /** Reads `test/golden/<name>.json`. */
  constructor(name: string) {
    this.#name = name;
    this.#file = JSON.parse(readFileSync(new URL(`../golden/${name}.json`, import.meta.url), 'utf8'));
  }

  values(tensor: string): number[] {
    return this.#of(tensor).values;
  }

  shape(tensor: string): number[] {
    return this.#of(tensor).shape;
  }

  /** Makes a parameter of every tensor whose gradient the file holds, by its name. */
  parameters(engine: Engine): Record<string, Tensor> {
    const names = Object.keys(this.#file).filter((name) => `${GRADIENT}${name}` in this.#file);
    return Object.fromEntries(names.map((name) => [name, engine.parameter(this.shape(name), this.values(name))]));
  }

  /** Expects ‖got − wanted‖ ≤ tolerance · ‖wanted‖. */
  expectClose(got: Tensor, tensor: string, tolerance: number): void {
    expect(got.shape, `${this.#name} ${tensor}`).toEqual(this.shape(tensor));
    this.#compare(got.data, tensor, tolerance);
  }

  /** Compares the gradients of what `parameters` made. */
  expectGradients(parameters: Record<string, Tensor>, tolerance: number): void {
    for (const [name, tensor] of Object.entries(parameters)) {
      this.#compare(tensor.gradient, `${GRADIENT}${name}`, tolerance);
    }
  }

  #compare(got: Float32Array, tensor: string, tolerance: number): void {
    const wanted = this.values(tensor);
    expect(got.length, `${this.#name} ${tensor}: length`).toBe(wanted.length);
    const off = Math.hypot(...wanted.map((value, i) => got[i] - value)) / Math.hypot(...wanted);
    expect(off, `${this.#name} ${tensor}: relative distance`).toBeLessThanOrEqual(tolerance);
  }

  #of(tensor: string) {
    const found = this.#file[tensor];
    if (!found)
      throw new Error(`golden ${this.#name}: must hold "${tensor}", got ${Object.keys(this.#file).join(', ')}`);
    return found;
  }
}
