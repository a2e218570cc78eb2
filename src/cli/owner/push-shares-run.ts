// The work behind `f3 owner push --share`.
import type { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import { makeHomeFolder, membershipFolder } from '../../exchange/identity/home.ts';
import { reportWait } from '../federation/member-client.ts';
import { printResult } from '../run-command.ts';
import { withProgress } from '../terminal/progress.ts';
import { shownSize } from '../terminal/shown-size.ts';
import { type CodedBytes, codesText } from './codes-options.ts';
import { type AllowedBundle, noiseText } from './noise-options.ts';
import type { PseudonymousSender } from './pseudonym-options.ts';

interface SharesPushRun {
  client: CoordinatorClient;
  sender: PseudonymousSender;
  bytes: Uint8Array;
  charter: string | undefined;
  newWidth: boolean;
  again: boolean;
  settle: AllowedBundle['settle'];
  coded: CodedBytes | undefined;
  json: boolean | undefined;
}

export async function runSharesPush(run: SharesPushRun): Promise<void> {
  const { client, sender, bytes, charter, newWidth, again, settle, coded, json } = run;
  const { membership, key, home } = sender;
  const { owner, url } = membership;
  const federation = membership.federation as string;
  const folder = membershipFolder(home, federation, url);
  makeHomeFolder(home, folder);
  const { loadKeyPair } = await import('../../exchange/identity/key-pair.ts');
  const { pushShares } = await import('../../shares/owner/push-shares.ts');
  const keys = await loadKeyPair(key);
  const pushed = await withProgress((progress) =>
    pushShares({
      client,
      federation,
      keys,
      bytes,
      coding: coded?.stated,
      folder,
      fingerprint: charter,
      newWidth,
      again,
      beforeSending: settle,
      onProgress: (received, size) => progress('sending shares', received, size),
      onRetry: reportWait,
    }),
  );
  const paid = settle(); // what was settled before it was sent, or what entities had already
  const { version, newest, root, fingerprint, entities, sent } = pushed;
  const done = sent === 0 ? 'was there already' : `${shownSize(sent)} sent, a share to each of ${entities} entities`;
  const lines = [
    `bundle of ${owner}, version ${version} in federation ${federation} at ${url}: ${done}`,
    `root ${root}, charter ${fingerprint}`,
    ...(version < newest ? [`version ${newest} counts, not this one; --again sends this one as a new version`] : []),
    ...(coded ? [codesText(coded)] : []),
    ...(paid ? [noiseText(paid)] : []),
  ];
  const facts = {
    federation,
    owner,
    kind: 'bundle',
    version,
    newest,
    root,
    charter: fingerprint,
    entities,
    sent,
    ...(coded && { coding: coded.stated }),
    ...(paid && { privacy: paid.spent }),
  };
  printResult(facts, lines.join('\n'), json);
}
