// Names within a report: headings, anchors and files of figures. No two are the same, however often an experiment ran.
import type { ResultFigure } from '../../figures/result.ts';
import type { DatasetName, ExperimentResult } from '../experiment.ts';

export const REPRODUCTION = 'Federated Feature Fusion, reproduced';

/** What reports say of the program and the machine. */
export interface ReportFacts {
  /** Version of f3 that made the report. */
  version: string;
  node: string;
  platform: string;
  cpu: string;
  cores: number;
  created: Date;
  /** Heading of a report that reproduces nothing; such a report has no overview and says nothing of the paper. */
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

/** The anchor of each result. */
export function anchorsOf(results: readonly ExperimentResult[]): Map<ExperimentResult, string> {
  const names = new UniqueNames();
  return new Map(results.map((result) => [result, names.take([result.name, result.dataset ?? ''].join(' '))]));
}

/** The file name of each figure, with its ending. */
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

  /** Gives a name close to `wish`, of letters, digits and hyphens only: fit for a file, an anchor and a link. */
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
