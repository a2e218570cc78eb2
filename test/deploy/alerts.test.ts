// deploy/alerts.yml: every metric that a rule asks for is one that a coordinator gives, and docs/operations.md has each alert.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type OpenedServer, openServer } from '../../src/server/start-server.ts';
import { copyEmbeddedTemplate } from '../support/embedded-template.ts';
import { suiteDirectory } from '../support/temporary-directory.ts';

interface Rules {
  groups: {
    name: string;
    rules: { alert: string; expr: string; labels: object; annotations: { summary: string } }[];
  }[];
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const rules = (parse(read('deploy/alerts.yml')) as Rules).groups.flatMap((group) => group.rules);
/** Words of the query language, and labels. */
const WORDS = new Set(
  'by le rate increase sum histogram_quantile for instance status code route job live events backups'.split(' '),
);
/** Prometheus makes this one itself. */
const BY_PROMETHEUS = ['up'];

/** Names in an expression that are metrics: what stands in quotes, braces and brackets is not. */
function metricsOf(expr: string): string[] {
  const bare = expr.replaceAll(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, ' ').replaceAll(/\bby \([^)]*\)/g, ' ');
  return [...bare.matchAll(/[a-z_][a-z0-9_]*/g)].map(([name]) => name).filter((name) => !WORDS.has(name));
}

describe('the alert rules', () => {
  const dir = suiteDirectory();
  let server: OpenedServer;
  let metrics: string;
  beforeAll(async () => {
    await copyEmbeddedTemplate(join(dir, 'database'));
    server = await openServer({ data: dir, port: 0, work: false });
    await fetch(`${server.url}/v1/me`); // so that there is a refusal to count
    metrics = await (await fetch(`${server.url}/metrics`)).text();
  });
  afterAll(() => server?.close());

  it.each(rules)('$alert asks for metrics that are there', ({ expr }) => {
    const asked = metricsOf(expr).filter((name) => !BY_PROMETHEUS.includes(name));
    for (const name of asked) expect(metrics).toMatch(new RegExp(`^${name}[{ ]`, 'm'));
    expect(metricsOf(expr)).not.toEqual([]);
  });

  it('all say what is wrong, and the operator finds each in docs/operations.md', () => {
    const page = read('docs/operations.md');
    for (const { alert, annotations, labels } of rules) {
      expect(annotations.summary).toMatch(/\.$/);
      expect(labels).toHaveProperty('severity');
      expect(page).toContain(`\`${alert}\``);
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  it('tell a coordinator that is ready and whose logs are whole', () => {
    expect(metrics).toMatch(/^f3_ready 1$/m);
    expect(metrics).toMatch(/^f3_audit_changed_logs 0$/m);
    expect(metrics).toMatch(/^f3_refusals_total\{code="F3_AUTH_TOKEN"\} 1$/m);
  });
});
