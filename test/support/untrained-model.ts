// A model of row K as it is stored, with its first weights: a prediction takes as long as with its last ones.
import { Engine } from '../../src/core/engine/engine.ts';
import { paperPreset } from '../../src/fuse/fusion-config.ts';
import { encodeFusedModel } from '../../src/fuse/model/fused-card.ts';
import { GlobalModel } from '../../src/fuse/model/global-model.ts';

export async function untrainedModel(names: readonly string[], width: number, classes: string[]) {
  const engine = new Engine({ threads: 1 });
  const none = { accuracy: 0, f1: 0, auc: 0, prAuc: 0, loss: 0 };
  const owners = names.map((owner) => ({ owner, width, bundle: '', rows: 0, joined: 0 }));
  const facts = {
    config: paperPreset,
    classes,
    owners,
    samples: { train: 0, validation: 0, test: 0 },
    epochs: 0,
    bestEpoch: 0,
    seconds: 0,
    history: [],
    validation: none,
    test: none,
  };
  const network = new GlobalModel(engine, paperPreset, { owners: names.length, width, classes: classes.length });
  const encoded = encodeFusedModel({ kind: 'learned', facts, network });
  await engine.dispose();
  return encoded;
}
