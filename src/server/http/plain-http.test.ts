import { expect, it } from 'vitest';
import { plainHttpWarning } from './plain-http.ts';

it.each(['0.0.0.0', '::', '10.0.0.5', '192.168.1.2', 'coordinator.example', '128.0.0.1'])(
  'listening at %s without TLS is warned of, and with TLS it is not',
  (host) => {
    expect(plainHttpWarning(host, false)).toContain('plain HTTP');
    expect(plainHttpWarning(host, true)).toBeUndefined();
  },
);

it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost', 'LOCALHOST'])(
  "listening at %s is nobody else's business",
  (host) => {
    expect(plainHttpWarning(host, false)).toBeUndefined();
  },
);
