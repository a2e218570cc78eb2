// docs/http-api.md names the routes that there are; its error codes exist.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describedRoutes, HTTP_API, httpApiPage } from '../scripts/http-api.ts';
import { ERRORS } from '../src/errors.ts';
import { ROUTE_NOTES } from '../src/server/http/route-notes.ts';

describe('docs/http-api.md', () => {
  it('is what the coordinator says of its routes; npm run docs writes it', async () => {
    expect(readFileSync(HTTP_API, 'utf8')).toBe(await httpApiPage());
  });

  it('explains every route and no other', async () => {
    expect(Object.keys(ROUTE_NOTES).sort()).toEqual([...(await describedRoutes()).keys()].sort());
  });

  it('names errors that exist', () => {
    const codes = Object.values(ROUTE_NOTES).flatMap(({ errors = [] }) => errors);
    expect(codes.filter((code) => !code.endsWith('…') && !(code in ERRORS))).toEqual([]);
  });

  it('names every error of requests, tokens, invitations and uploads', () => {
    const page = readFileSync(HTTP_API, 'utf8');
    const codes = Object.keys(ERRORS).filter((code) => /^F3_(REQUEST|AUTH|INVITATION|UPLOAD)/.test(code));
    expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  });
});
