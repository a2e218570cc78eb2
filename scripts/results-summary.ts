// Writes docs/results/README.md from the figures on record in experiments/: npm run docs
import { fileURLToPath } from 'node:url';
import { writeResultsSummary } from '../src/reproduce/report/results-folder.ts';

writeResultsSummary(fileURLToPath(new URL('../docs/results', import.meta.url)));
