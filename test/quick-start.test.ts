// Part 2 of docs/quick-start.md, typed line by line: every command does what the page says, and the next one finds what it needs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Ran, startF3 } from './cli/start-f3.ts';
import { CoordinatorProcess } from './support/coordinator-process.ts';
import { copyEmbeddedTemplate } from './support/embedded-template.ts';
import { suiteDirectory } from './support/temporary-directory.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../docs/quick-start.md'), 'utf8');
const PART = PAGE.slice(PAGE.indexOf('## 2. '), PAGE.indexOf('## 3. '));
const LINES = Array.from(PART.matchAll(/^```\n(.*?)^```/gms), ([, block]) => block.trimEnd().split('\n')).flat();

const dir = suiteDirectory();
let coordinator: CoordinatorProcess;

beforeAll(async () => {
  const [serve] = LINES.filter((line) => line.startsWith('f3 serve'));
  const data = words(serve)[words(serve).indexOf('--data') + 1];
  await copyEmbeddedTemplate(join(data, 'database'));
  coordinator = await CoordinatorProcess.start(data);
});
afterAll(() => coordinator?.stop());

/** Arguments of a command, with the folder and the address of this test. */
function words(command: string): string[] {
  const [, ...args] = command.trim().split(/\s+/);
  return args.map((word) => {
    if (word.startsWith('first/')) return join(dir, word);
    return word === 'http://127.0.0.1:7700' ? coordinator.url : word;
  });
}

/** Runs a line as a shell does, pipes included. */
async function type(line: string): Promise<Ran> {
  let ran: Ran = { status: 0, stdout: '', stderr: '' };
  for (const command of line.split(' | ')) {
    ran = await startF3(words(command), { input: ran.stdout, env: { F3_HOME: join(dir, 'home') } });
    expect(ran.status, `${command}\n${ran.stderr}`).toBe(0);
  }
  return ran;
}

it('leads from a coordinator to live answers of two owners', async () => {
  const said = new Map<string, Ran>();
  const background: Promise<void>[] = [];
  const run = async (line: string) => void said.set(line, await type(line));
  for (const line of LINES.filter((each) => !each.startsWith('f3 serve'))) {
    if (line.endsWith(' &')) background.push(run(line.slice(0, -2)));
    else await run(line);
  }
  await Promise.all(background);
  expect(said.size).toBe(LINES.length - 1);

  const outputOf = (start: string) =>
    Array.from(said).flatMap(([line, { stdout }]) => (line.startsWith(start) ? [stdout] : []));
  expect(outputOf('f3 federation status')[0]).toMatch(/owners +4, 4 with a bundle/);
  const answers = outputOf('f3 owner stream').flatMap((text) =>
    text
      .trimEnd()
      .split('\n')
      .map((json) => JSON.parse(json)),
  );
  expect(answers.length).toBeGreaterThan(2);
  for (const { owners, probabilities } of answers) {
    expect(owners.length).toBeGreaterThan(0);
    expect(probabilities).toHaveLength(4);
  }
  expect(answers.some(({ owners }) => owners.length === 2)).toBe(true);
});
