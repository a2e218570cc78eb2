// [owner] Data sets as a package entry: reading, writing, importing and simulating owners' windows.
export * from '../errors.ts';
export type { Bundle } from '../exchange/bundle/bundle.ts';
export type { SampleType } from '../exchange/bundle/sample-ids.ts';
export type { LabelSet } from '../exchange/labels/labels.ts';
export { chooseSplit } from './dataset/choose-split.ts';
export { type Dataset, openDataset } from './dataset/dataset.ts';
export type { DatasetCard, OwnerData } from './dataset/dataset-format.ts';
export { type DatasetInfo, describeDataset, type OwnerInfo } from './dataset/dataset-info.ts';
export { DatasetWriter, type NewDataset, writeDataset } from './dataset/dataset-writer.ts';
export type { NewOwner } from './dataset/owner-checks.ts';
export { readLabels, readOwnerFolder } from './dataset/owner-folder.ts';
export type { GapRule } from './import/find-windows.ts';
export type { ImportReport, ProgressDetail, ProgressListener } from './import/import-report.ts';
export { importTable, type TableImport } from './import/import-table.ts';
export { importTraffic, TRAFFIC_CLASSES, type TrafficImport } from './import/import-traffic.ts';
export type { LongTableColumns, TimeUnit } from './import/long-table.ts';
export { formatRate, parseRate, type Rate } from './import/rate.ts';
export { GRID_PRESETS, type GridOptions, type GridPreset } from './simulate/grid/grid-presets.ts';
export { type GridReport, type SimulateGridOptions, simulateGrid } from './simulate/grid/simulate-grid.ts';
export {
  PLANTED_DEFAULTS,
  type Planted,
  type PlantedOptions,
  plantedClasses,
  simulatePlanted,
} from './simulate/planted.ts';
export { type PlantedDataset, type PlantedReport, writePlanted } from './simulate/planted-dataset.ts';
