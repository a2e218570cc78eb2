// The order of test files: the longest first, so that none of them runs alone at the end, when everything else has been done.
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longer than most, the longest first. Vitest remembers durations, but a fresh clone has nothing to remember. */
export const LONGEST = [
  'test/demo.test.ts',
  'test/package/package.test.ts',
  'test/backup.test.ts',
  'test/reproduce.test.ts',
  'test/dashboard.test.ts',
  'test/coordinator-kill.test.ts',
  'src/server/fuzz.test.ts',
  'test/cli/fuse.test.ts',
  'test/cli/federation-models.test.ts',
  'test/cli/federation.test.ts',
  'test/demo-on-shares.test.ts',
  'test/shares-federation.test.ts',
  'test/cli/access.test.ts',
  'src/storage/database/open-database.test.ts',
];

export class LongestFirst extends BaseSequencer {
  /** Files that share a process come last: they are short, and two processes share them to the end. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const place = new Map(LONGEST.map((file, i) => [file, i]));
    const rank = ({ moduleId, project }: TestSpecification) =>
      place.get(relative(root, moduleId).replaceAll('\\', '/')) ?? LONGEST.length + (project.config.isolate ? 0 : 1);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
