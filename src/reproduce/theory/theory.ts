// `f3 reproduce theory`: CDF and bias of both relaxations, advice on τ, convergence of Sinkhorn–Knopp.
import { setImmediate as pause } from 'node:timers/promises';
import { Engine } from '../../core/engine/engine.ts';
import type { ExperimentContext, ExperimentResult } from '../experiment.ts';
import { readConfig } from '../experiment-files.ts';
import { edgeSimulation } from './simulate-edges.ts';
import { biasFindings } from './theory-bias.ts';
import { cdfFindings } from './theory-cdf.ts';
import type { TheoryConfig } from './theory-config.ts';
import { sinkhornFindings } from './theory-sinkhorn.ts';
import { temperatureFindings } from './theory-temperature.ts';

export interface TheoryOptions {
  /** Changes to experiments/theory/config.json. */
  config?: Partial<TheoryConfig>;
}

/** Runs on one thread; the numbers would be the same on more. */
export async function theory(context: ExperimentContext, options: TheoryOptions = {}): Promise<ExperimentResult> {
  const start = performance.now();
  const config = { ...readConfig<TheoryConfig>('theory'), ...options.config };
  const engine = new Engine({ threads: 1 });
  try {
    const simulate = edgeSimulation(engine, config.seed);
    const cdf = await cdfFindings(config, simulate, context);
    const bias = await biasFindings(config, simulate, context);
    context.progress('temperature', 0, 1);
    const temperature = temperatureFindings(config);
    context.progress('temperature', 1, 1);
    await pause();
    context.signal?.throwIfAborted();
    const sinkhorn = sinkhornFindings(config, engine);
    const parts = [cdf, bias, temperature, sinkhorn];
    return {
      name: 'theory',
      title: config.title,
      simulated: false,
      command: 'f3 reproduce theory',
      seeds: 1,
      seconds: (performance.now() - start) / 1000,
      summary: summary(cdf, bias, temperature, sinkhorn),
      tables: parts.flatMap(({ tables }) => tables),
      figures: parts.flatMap(({ figures }) => figures),
      remarks: parts.flatMap(({ remarks }) => remarks),
      configuration: config,
      values: Object.assign({}, ...parts.map(({ values }) => values)),
    };
  } finally {
    await engine.dispose();
  }
}

function summary(
  cdf: Awaited<ReturnType<typeof cdfFindings>>,
  bias: Awaited<ReturnType<typeof biasFindings>>,
  { presetBias: [icdf, gumbel], temperature }: ReturnType<typeof temperatureFindings>,
  { ratios }: ReturnType<typeof sinkhornFindings>,
): string {
  const range = (values: number[]) => `${Math.min(...values).toFixed(3)} to ${Math.max(...values).toFixed(3)}`;
  const percent = (share: number) => `${(100 * share).toFixed(0)} %`;
  return [
    `Simulated CDFs lie within ${cdf.largest.toFixed(5)} of the exact ones (chance passes ${cdf.bound.toFixed(5)} once in 1000).`,
    `${percent(bias.withinTwo)} of the simulated biases lie within two standard errors of the exact ones, the worst at ${bias.worst.toFixed(1)}.`,
    `The sign is as Theorem 4 says at ${bias.agreeing} of ${bias.signPoints} points.`,
    `At τ = ${temperature} no edge’s mean is off by more than ${icdf.toFixed(4)} (ICDF) or ${gumbel.toFixed(4)} (Gumbel).`,
    `The logarithm of Sinkhorn–Knopp’s error falls per sweep by ${range(ratios)} times 2·|log σ₂|; Theorem 5 says 1 or more.`,
  ].join(' ');
}
