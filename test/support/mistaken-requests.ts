// Requests of an operator that are well-formed and still make no sense: graphs that fit nobody, and classes and names that
// cannot be told apart.
import { type Attack, GRID } from './attack-requests.ts';
import { OWNERS } from './federation-scene.ts';

const train = (body: object): Attack['attack'] => {
  const asked = { method: 'POST', path: `${GRID}/trainings`, body };
  return (scene) => scene.ask('operator', asked);
};
const given = (weights: number[][], owners = OWNERS) =>
  train({ config: { graph: 'given' }, adjacency: { owners, weights } });
const ones = (rows: number, columns = rows) => Array.from({ length: rows }, () => new Array<number>(columns).fill(1));

const GRAPHS: Attack[] = [
  { name: 'a graph without weights', code: 'F3_FUSE_GRAPH', attack: given([]) },
  { name: 'a graph of too few rows', code: 'F3_FUSE_GRAPH', attack: given(ones(2, 3)) },
  { name: 'a graph with a short row', code: 'F3_FUSE_GRAPH', attack: given([...ones(2, 3), [1]]) },
  { name: 'a negative weight', code: 'F3_FUSE_GRAPH', attack: given([...ones(2, 3), [1, -1, 1]]) },
  {
    name: 'a weight that is infinite as float32',
    code: 'F3_FUSE_GRAPH',
    attack: given([...ones(2, 3), [1, 1e308, 1]]),
  },
  { name: 'a graph with an owner twice', code: 'F3_FUSE_GRAPH', attack: given(ones(4), [...OWNERS, OWNERS[0]]) },
  { name: 'a graph without one of the owners', code: 'F3_FUSE_GRAPH', attack: given(ones(2), OWNERS.slice(1)) },
  { name: 'graph given and none given', code: 'F3_FUSE_GRAPH', attack: train({ config: { graph: 'given' } }) },
  {
    name: 'a graph that nobody asked for',
    code: 'F3_FUSE_GRAPH',
    attack: train({ adjacency: { owners: OWNERS, weights: ones(3) } }),
  },
];

const create = (classes: string[]): Attack['attack'] => {
  const asked = { method: 'POST', path: '/v1/federations', body: { name: 'twice', classes } };
  return (scene) => scene.ask('operator', asked);
};

const CLASSES: Attack[] = [
  { name: 'a class twice in a federation', code: 'F3_REQUEST', attack: create(['a', 'a']) },
  { name: 'a class twice in a training', code: 'F3_REQUEST', attack: train({ classes: ['calm', 'storm', 'calm'] }) },
  { name: 'a class of two lines in a federation', code: 'F3_REQUEST', attack: create(['a', 'b\nc']) },
  { name: 'a class that rings the bell in a training', code: 'F3_REQUEST', attack: train({ classes: ['a', '\x07'] }) },
];

const invite = (owner: string) => ({ method: 'POST', path: `${GRID}/invitations`, body: { owner } });

const NAMES: Attack[] = [
  ...['coordinator', 'Coordinator'].map(
    (owner): Attack => ({
      name: `a member called ${owner}, as the audit log calls us`,
      code: 'F3_REQUEST',
      attack: (scene) => scene.ask('operator', invite(owner)),
    }),
  ),
  {
    name: 'a member called as the operator of the server',
    code: 'F3_MEMBER_EXISTS',
    attack: (scene) => scene.ask('operator', invite(`operator-${scene.key('operator').id.slice(0, 8)}`)),
  },
];

export const MISTAKES: Attack[] = [...GRAPHS, ...CLASSES, ...NAMES];
