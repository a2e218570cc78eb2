// A directory that exists as long as one test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

export function temporaryDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'f3-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A directory that exists as long as the `describe` inside which this is called. */
export function suiteDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'f3-test-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
