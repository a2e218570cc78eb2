// [owner] Writes a planted problem as a data set: windows are embeddings, bundles lie beside them, graph and permutations in truth/.
import { join } from 'node:path';
import { formatGraph } from '../../exchange/labels/graph-csv.ts';
import { randomSplit } from '../../exchange/labels/sample-parts.ts';
import { writeDataset } from '../dataset/dataset-writer.ts';
import type { ImportReport, ProgressListener } from '../import/import-report.ts';
import { type PlantedOptions, plantedClasses, simulatePlanted } from './planted.ts';

/** A planted problem and where to write it. */
export interface PlantedDataset extends PlantedOptions {
  out: string;
  overwrite: boolean;
}

/** A planted data set needs no training: its bundles are there. */
export interface PlantedReport extends ImportReport {
  /** Folder of the bundles. */
  bundles: string;
}

/** Draws a planted problem and writes it as a data set with its bundles, and the truth beside it. */
export async function writePlanted(options: PlantedDataset, progress?: ProgressListener): Promise<PlantedReport> {
  const { out, overwrite, ...planted } = options;
  const { owners, samples: count, width, seed } = planted;
  const card = {
    name: `planted-${owners}`,
    classes: plantedClasses(width),
    simulated: true,
    source: { kind: 'planted', ...planted },
    overwrite,
  };
  let labels: Int32Array = new Int32Array();
  await writeDataset(out, card, async (writer) => {
    progress?.('simulating', 0, 1);
    const { embeddings, truth, ...rest } = simulatePlanted(planted);
    labels = rest.labels;
    const samples = Array.from({ length: count }, (_, s) => `s${String(s).padStart(6, '0')}`);
    const variates = Array.from({ length: width }, (_, k) => `e${k}`);
    for (let i = 0; i < owners; i++) {
      const windows = new Float32Array(count * width);
      for (let s = 0; s < count; s++) {
        const at = (s * owners + i) * width;
        windows.set(embeddings.subarray(at, at + width), s * width);
      }
      const id = `owner-${String(i).padStart(String(owners - 1).length, '0')}`;
      await writer.addOwner({ id, length: 1, variates, rate: 'none', samples, windows });
      writer.writeBundle({ owner: id, samples, sampleType: 'text', width, embeddings: windows });
      progress?.('writing owners', i + 1, owners);
    }
    writer.setLabels(samples, labels);
    writer.setSplit(randomSplit(samples, seed));
    writer.writeTruth('adjacency.csv', formatGraph(truth.adjacency, owners));
    writer.writeTruth('permutations.json', `${JSON.stringify(truth.permutations.map((order) => [...order]))}\n`);
    writer.writeTruth('positions.json', `${JSON.stringify([...truth.positions])}\n`);
  });
  const classes = card.classes.map((_, c) => labels.reduce((sum, label) => sum + (label === c ? 1 : 0), 0));
  return { out, owners, samples: count, classes, dropped: 0, bundles: join(out, 'bundles') };
}
