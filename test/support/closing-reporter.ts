// Says at the end of a run how many tests were skipped, and why, and which passed only when tried again: neither is to pass for a
// success.
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';
import './unless.ts';

export default class ClosingReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const line of flakyLines(modules)) this.#vitest?.logger.log(line);
    // Whoever asks for some tests by name knows that the others are left out.
    if (this.#vitest?.config.testNamePattern) return;
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    for (const line of skipLines(skipped)) this.#vitest?.logger.log(line);
  }
}

/** A line per reason. */
export function skipLines(skipped: readonly TestCase[]): string[] {
  const byReason = Map.groupBy(skipped, reasonOf);
  return [...byReason].map(([reason, tests]) => {
    const count = tests.length === 1 ? '1 test' : `${tests.length} tests`;
    const files = new Set(tests.map(({ module }) => module.relativeModuleId));
    return ` skipped: ${count} of ${[...files].sort().join(', ')}, because ${reason}`;
  });
}

/** A line per test that failed before it passed, with what it failed of. */
function flakyLines(modules: readonly TestModule[]): string[] {
  const passed = modules.flatMap((module) => [...module.children.allTests('passed')]);
  const flaky = passed.filter((test) => test.diagnostic()?.flaky);
  return flaky.map((test) => {
    const [error] = test.result().errors ?? [];
    return ` failed first: ${test.module.relativeModuleId} > ${test.fullName}: ${error?.message ?? 'nobody said why'}`;
  });
}

function reasonOf(test: TestCase): string {
  const { note } = test.result() as { note?: string };
  if (note) return note;
  for (let task: TestCase | TestSuite | TestModule = test; task.type !== 'module'; task = task.parent) {
    const { missing } = task.meta();
    if (missing) return missing;
  }
  return 'nobody said why';
}
