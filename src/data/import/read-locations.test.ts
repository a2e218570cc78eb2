// Where sensors are, with and without a header; a line that says nothing sensible is named.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { suiteDirectory } from '../../../test/support/temporary-directory.ts';
import { readPlaceFile } from '../dataset/owner-place.ts';
import { readLocations } from './read-locations.ts';

describe('locations of sensors', () => {
  const dir = suiteDirectory();
  const written = (name: string, text: string) => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };

  it('are read by the names in the header, or in their order where there is none', async () => {
    const place = { latitude: 34.15, longitude: -118.32 };
    const headed = written('headed.csv', 'index,sensor_id,latitude,longitude\r\n0,773869,34.15,-118.32\r\n');
    expect(await readLocations(headed)).toEqual(new Map([['773869', place]]));
    expect(await readLocations(written('bare.csv', '773869,34.15,-118.32\n'))).toEqual(new Map([['773869', place]]));
  });

  it.each([
    'sensor_id,latitude,longitude\n1,34,118\n2,,118',
    '1,34,118\n2,91,118',
    '1,34,118\n2,here,there',
    '1,34,118\n,1,1',
  ])('must be degrees on every line: %j', async (text) => {
    const line = text.startsWith('sensor_id') ? 3 : 2;
    const refused = { code: 'F3_DATA_FORMAT', message: expect.stringContaining(`(line ${line})`) };
    await expect(readLocations(written('wrong.csv', text))).rejects.toMatchObject(refused);
  });

  it('of one owner are a small JSON file', async () => {
    const place = { latitude: -1, longitude: 180 };
    expect(await readPlaceFile(written('place.json', JSON.stringify({ ...place, extra: 1 })))).toEqual(place);
    const refused = { code: 'F3_DATA_FORMAT' };
    await expect(readPlaceFile(written('far.json', '{"latitude": 1}'))).rejects.toMatchObject(refused);
    await expect(readPlaceFile(written('text.json', '34, 118'))).rejects.toThrow('must be JSON');
  });
});
