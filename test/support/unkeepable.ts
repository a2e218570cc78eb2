// Requests whose JSON no database can keep: half characters, and integers that are too large.
import { type Attack, GRID } from './attack-requests.ts';

/** JSON may spell half of a pair of UTF-16; PostgreSQL cannot keep it. */
const HALF = '"\\ud800"';
const spelled = (path: string, json: string): Attack['attack'] => {
  const asked = { method: 'POST', path, body: Buffer.from(json) };
  return (scene) => scene.ask('operator', asked);
};

export const UNKEEPABLE: Attack[] = [
  {
    name: 'half a character in a class',
    code: 'F3_REQUEST',
    attack: spelled('/v1/federations', `{"name":"half","classes":[${HALF},"b"]}`),
  },
  {
    name: 'half a character in an owner',
    code: 'F3_REQUEST',
    attack: spelled(`${GRID}/invitations`, `{"owner":${HALF}}`),
  },
  {
    name: 'half a character in a split',
    code: 'F3_REQUEST',
    attack: spelled(`${GRID}/trainings`, `{"split":{"train":[${HALF}],"validation":["a"],"test":["b"]}}`),
  },
  {
    name: 'half a character in a name',
    code: 'F3_REQUEST',
    attack: spelled(`${GRID}/predict`, `{"samples":[{"id":"s","embeddings":{${HALF}:[]}}]}`),
  },
  {
    name: 'a model to refit that no integer numbers',
    code: 'F3_REQUEST',
    attack: spelled(`${GRID}/trainings`, '{"refit":{"owner":"owner-0","model":99999999999}}'),
  },
];
