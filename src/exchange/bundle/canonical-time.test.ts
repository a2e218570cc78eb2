import { describe, expect, it, test } from 'vitest';
import fc from '../../../test/support/seeded-fast-check.ts';
import { canonicalSampleId, firstTime, mixedTimes, timeKind } from './canonical-time.ts';

describe('a time without a zone', () => {
  test.each([
    ['Python, str(datetime), and pandas', '2012-03-01 07:00:00'],
    ['Python, datetime.isoformat()', '2012-03-01T07:00:00'],
    ['Python, with microseconds', '2012-03-01T07:00:00.000000'],
    ['NumPy, datetime64[ns]', '2012-03-01T07:00:00.000000000'],
    ['R, format(POSIXct)', '2012-03-01 07:00:00'],
    ['R, format(x, "%Y-%m-%d %H:%M")', '2012-03-01 07:00'],
    ['Java, LocalDateTime', '2012-03-01T07:00'],
    ['Java, java.sql.Timestamp', '2012-03-01 07:00:00.0'],
    ['.NET, "o"', '2012-03-01T07:00:00.0000000'],
    ['ISO 8601 with a comma', '2012-03-01T07:00:00,000'],
  ])('%s', (_, written) => {
    expect(canonicalSampleId(written)).toBe('2012-03-01T07:00');
  });

  test.each([
    ['2012-03-01 07:00:30', '2012-03-01T07:00:30'],
    ['2012-03-01T07:00:30.500000', '2012-03-01T07:00:30.5'],
    ['2012-03-01T07:00:00.000000001', '2012-03-01T07:00:00.000000001'],
    ['0001-01-01 00:00:00', '0001-01-01T00:00'],
  ])('%s keeps the seconds and fractions that it has', (written, canonical) => {
    expect(canonicalSampleId(written)).toBe(canonical);
  });
});

describe('a time with a zone', () => {
  test.each([
    ['JavaScript, toISOString()', '2012-03-01T07:00:00.000Z'],
    ['Python, isoformat() of an aware datetime', '2012-03-01T07:00:00+00:00'],
    ['pandas, str(Timestamp)', '2012-03-01 07:00:00+00:00'],
    ['Arrow, cast to string', '2012-03-01 07:00:00.000000Z'],
    ['R, format(x, usetz = TRUE)', '2012-03-01 07:00:00 UTC'],
    ['R, "%Y-%m-%dT%H:%M:%SZ"', '2012-03-01T07:00:00Z'],
    ['R, "%z"', '2012-03-01 08:00:00 +0100'],
    ['Java, Instant', '2012-03-01T07:00:00Z'],
    ['Java, OffsetDateTime', '2012-03-01T07:00Z'],
    ['Java, ZonedDateTime', '2012-03-01T08:00+01:00[Europe/Paris]'],
    ['PostgreSQL', '2012-03-01 07:00:00+00'],
    ['west of Greenwich', '2012-02-29T23:00:00-08:00'],
    ['India', '2012-03-01T12:30+05:30'],
    ['RFC 3339 in small letters', '2012-03-01t07:00:00z'],
    ['the unknown local offset of RFC 3339', '2012-03-01T07:00:00-00:00'],
  ])('%s is converted to UTC', (_, written) => {
    expect(canonicalSampleId(written)).toBe('2012-03-01T07:00Z');
  });

  it('keeps its fraction', () => {
    expect(canonicalSampleId('2012-03-01 08:00:00.250000+01:00')).toBe('2012-03-01T07:00:00.25Z');
  });
});

describe('anything else stays as it is', () => {
  test.each([
    ...[
      's000001',
      '7',
      '',
      '2012-03-01',
      '2012-03-01T07',
      '20120301T070000Z',
      'event 2012-03-01 07:00:00',
      ' 2012-03-01 07:00',
    ],
    ...[
      '2012-03-01 07:00:00 ',
      '2012-02-30 07:00:00',
      '2012-03-01 24:00:00',
      '2012-06-30T23:59:60Z',
      '2012-13-01T07:00:00',
    ],
    ...[
      '2012-03-01 07:00:00+24:00',
      '2012-03-01 07:00:00 CET',
      '2012-03-01T07:00[Europe/Paris]',
      '12012-03-01 07:00:00',
    ],
    ...['0000-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00', '2012-03-01T07:00/pmu-3', '2012/03/01 07:00:00'],
  ])('%j', (id) => {
    expect(canonicalSampleId(id)).toBe(id);
  });

  it('METR-LA’s ids among it: they are canonical already', () => {
    expect(canonicalSampleId('2012-03-01T07:00')).toBe('2012-03-01T07:00');
  });
});

const time = fc.date({
  min: new Date('0001-01-02T00:00:00Z'),
  max: new Date('9999-12-30T00:00:00Z'),
  noInvalidDate: true,
});

describe('the canonical form', () => {
  it('is its own canonical form', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          time.map((date) => date.toISOString()),
        ),
        (id) => {
          const canonical = canonicalSampleId(id);
          expect(canonicalSampleId(canonical)).toBe(canonical);
        },
      ),
    );
  });

  it('is the same for one moment in every zone, and another for another moment', () => {
    fc.assert(
      fc.property(time, fc.integer({ min: -14 * 60, max: 14 * 60 }), (date, offset) => {
        const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, 23);
        const two = (value: number) => String(value).padStart(2, '0');
        const size = Math.abs(offset);
        const written = `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
        expect(canonicalSampleId(written)).toBe(canonicalSampleId(date.toISOString()));
        expect(Date.parse(canonicalSampleId(written))).toBe(date.getTime());
      }),
    );
  });
});

describe('times with and without a zone', () => {
  it('are told apart', () => {
    expect(timeKind('2012-03-01T07:00')).toBe('without a zone');
    expect(timeKind('2012-03-01T07:00:30.25Z')).toBe('with a zone');
    expect(timeKind('s000001')).toBeUndefined();
    expect(timeKind('2012-03-01T07:0x:y0')).toBeUndefined();
  });

  it('are found in a list', () => {
    expect(firstTime(['a', '2012-03-01T07:00Z'])).toEqual({ id: '2012-03-01T07:00Z', kind: 'with a zone' });
    expect(firstTime(['a', 'b'])).toBeUndefined();
    expect(mixedTimes(['a', '2012-03-01T07:00', '2012-03-01T08:00', '2012-03-01T09:00Z'])).toEqual([1, 3]);
    expect(mixedTimes(['a', '2012-03-01T07:00', 'b'])).toBeUndefined();
  });
});
