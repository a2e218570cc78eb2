// Predicts live in `f3 demo`: owners come back one by one and stream what they see, while some stay away.
import type { Dataset } from '../../data/dataset/dataset.ts';
import type { DemoFederation } from './demo-federation.ts';
import type { DemoAnswer } from './demo-result.ts';
import type { DemoScene } from './demo-scene.ts';
import type { TestPart } from './demo-scores.ts';

/** The coordinator keeps an embedding at least this long for owners that come later, which slow machines need. */
const DEADLINE_MS = 50_000;

const EVENTS = 8;

interface StreamedAnswer {
  sample: string;
  class: string;
  classes: string[];
  probabilities: number[];
  owners: string[];
}

/** Takes the first events of the test part that some present owner saw, so that none is picked by hand. */
export function chooseEvents({ samples }: TestPart, absent: readonly string[]): TestPart['samples'] {
  const isSeen = ({ embeddings }: TestPart['samples'][number]) =>
    [...embeddings.keys()].some((owner) => !absent.includes(owner));
  return samples.filter(isSeen).slice(0, EVENTS);
}

/** Runs `f3 owner stream` for each owner. Returns each event's answer from the most owners, in the order of `events`. */
export async function streamLive(
  scene: DemoScene,
  federation: DemoFederation,
  { dir, samples, labels, classes }: Dataset,
  { events, owners }: { events: TestPart['samples']; owners: readonly string[] },
  onOwner: (done: number, of: number) => void,
): Promise<DemoAnswer[]> {
  const answers = new Map<string, StreamedAnswer>();
  const streams = owners
    .map((owner) => ({ owner, seen: events.filter(({ embeddings }) => embeddings.has(owner)).map(({ id }) => id) }))
    .filter(({ seen }) => seen.length > 0);
  let done = 0;
  onOwner(done, streams.length);
  await federation.pool(streams, async ({ owner, seen }) => {
    const folder = federation.folder(dir, owner);
    // A quorum of one: whoever comes gets an answer at once, from all who have come so far.
    const limits = ['--quorum', '1', '--deadline', String(DEADLINE_MS)];
    const sharing = federation.charter === undefined ? [] : ['--share'];
    const how = ['--home', federation.home(owner), ...sharing, ...limits];
    const args = ['owner', 'stream', folder, ...how, '--samples', ...seen];
    const { stdout } = await scene.processes.run(`owner ${owner}, live`, args);
    for (const text of stdout.trimEnd().split('\n')) {
      const line = JSON.parse(text) as StreamedAnswer;
      if (line.owners.length > (answers.get(line.sample)?.owners.length ?? 0)) answers.set(line.sample, line);
    }
    onOwner(++done, streams.length);
  });
  return [...answers.values()]
    .sort((a, b) => orderOf(events, a.sample) - orderOf(events, b.sample))
    .map(({ sample, class: answer, classes: named, probabilities, owners: present }) => {
      const truth = classes[labels[samples.indexOf(sample)]];
      return { sample, truth, class: answer, probability: probabilities[named.indexOf(answer)], present };
    });
}

const orderOf = (events: TestPart['samples'], sample: string): number => events.findIndex(({ id }) => id === sample);
