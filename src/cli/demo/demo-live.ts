// Live prediction in `f3 demo`: owners come back one by one, stream what they see, and some stay away.
import type { Dataset } from '../../data/dataset/dataset.ts';
import type { DemoFederation } from './demo-federation.ts';
import type { DemoAnswer } from './demo-result.ts';
import type { DemoScene } from './demo-scene.ts';
import type { TestPart } from './demo-scores.ts';

/** So long the coordinator keeps an embedding for owners that come later, at least; slow machines need it. */
const DEADLINE_MS = 50_000;

const EVENTS = 8;

interface Line {
  sample: string;
  class: string;
  classes: string[];
  probabilities: number[];
  owners: string[];
}

/** The first of the test part that an owner saw who is not away: nothing is picked. */
export function chooseEvents({ samples }: TestPart, absent: readonly string[]): TestPart['samples'] {
  const isSeen = ({ embeddings }: TestPart['samples'][number]) =>
    [...embeddings.keys()].some((owner) => !absent.includes(owner));
  return samples.filter(isSeen).slice(0, EVENTS);
}

/** `f3 owner stream` for each owner; the answers that rest on most owners, in the order of `events`. */
export async function streamLive(
  scene: DemoScene,
  federation: DemoFederation,
  { dir, samples, labels, classes }: Dataset,
  { events, owners }: { events: TestPart['samples']; owners: readonly string[] },
  onOwner: (done: number, of: number) => void,
): Promise<DemoAnswer[]> {
  const answers = new Map<string, Line>();
  const streams = owners
    .map((owner) => ({ owner, seen: events.filter(({ embeddings }) => embeddings.has(owner)).map(({ id }) => id) }))
    .filter(({ seen }) => seen.length > 0);
  let done = 0;
  onOwner(done, streams.length);
  await federation.pool(streams, async ({ owner, seen }) => {
    const folder = federation.folder(dir, owner);
    // A quorum of one: whoever comes gets an answer at once, from all who have come so far.
    const limits = ['--quorum', '1', '--deadline', String(DEADLINE_MS)];
    const args = ['owner', 'stream', folder, '--home', federation.home(owner), ...limits, '--samples', ...seen];
    const { stdout } = await scene.processes.run(`owner ${owner}, live`, args);
    for (const text of stdout.trimEnd().split('\n')) {
      const line = JSON.parse(text) as Line;
      if (line.owners.length > (answers.get(line.sample)?.owners.length ?? 0)) answers.set(line.sample, line);
    }
    onOwner(++done, streams.length);
  });
  return [...answers.values()]
    .sort((a, b) => orderOf(events, a.sample) - orderOf(events, b.sample))
    .map(({ sample, class: answer, probabilities, owners: present }) => {
      const truth = classes[labels[samples.indexOf(sample)]];
      return { sample, truth, class: answer, probability: Math.max(...probabilities), present };
    });
}

const orderOf = (events: TestPart['samples'], sample: string): number => events.findIndex(({ id }) => id === sample);
