// Names within a report: headings, anchors and the files of figures, each once however often an experiment was run.
import type { ResultFigure } from '../../figures/result.ts';
import type { DatasetName, ExperimentResult } from '../experiment.ts';

export const REPRODUCTION = 'Federated Feature Fusion, reproduced';

/** What the reports say of the program and the machine. */
export interface ReportFacts {
  /** Of f3 */
  version: string;
  node: string;
  platform: string;
  cpu: string;
  cores: number;
  created: Date;
  /** Of a report that reproduces nothing: it has no overview and says nothing of the paper. */
  heading?: { title: string; introduction: string };
}

const DATASET_TITLES: Record<DatasetName, string> = {
  'metr-la': 'METR-LA',
  'pems-bay-74': 'PEMS-BAY-74',
  'pmu-b': 'PMU-B',
  'pmu-c': 'PMU-C',
};

export function datasetTitle({ dataset }: Pick<ExperimentResult, 'dataset'>): string | undefined {
  return dataset && DATASET_TITLES[dataset];
}

/** Result → anchor. */
export function anchorsOf(results: readonly ExperimentResult[]): Map<ExperimentResult, string> {
  const names = new UniqueNames();
  return new Map(results.map((result) => [result, names.take([result.name, result.dataset ?? ''].join(' '))]));
}

/** Figure → file name with its ending. */
export function figureFiles(results: readonly ExperimentResult[]): Map<ResultFigure, string> {
  const names = new UniqueNames();
  return new Map(results.flatMap(({ figures }) => figures.map((figure) => [figure, `${names.take(figure.name)}.svg`])));
}

export function factLine({ version, node, platform, cpu, cores, created }: ReportFacts): string {
  const day = created.toISOString().slice(0, 16).replace('T', ' ');
  return `f3 ${version}, Node ${node.replace(/^v/, '')}, ${platform}, ${cpu}, ${cores} cores, ${day} UTC`;
}

class UniqueNames {
  readonly #taken = new Set<string>();

  /** Letters, digits and hyphens only: fit for a file, an anchor and a link. */
  take(wish: string): string {
    const plain =
      wish
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, '') || 'unnamed';
    let name = plain;
    for (let count = 2; this.#taken.has(name); count++) name = `${plain}-${count}`;
    this.#taken.add(name);
    return name;
  }
}
