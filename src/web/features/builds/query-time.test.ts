import { expect, test } from 'vitest'
import { parse } from '../../../search/parse.ts'
import { startRange, withoutStart, withStartRange } from './query-time.ts'
import { serverSearchLink } from './result-tools.tsx'

const now = Date.UTC(2026, 10, 20, 12)
const day = 86_400_000
const at = { now, timeZone: 'Europe/Berlin' }

test.each([
  ['project:x', undefined, undefined],
  ['buildStartTime>=-7d', now - 7 * day, undefined],
  [
    'tag:a buildStartTime>=2026-11-01T00:00:00Z buildStartTime<2026-11-03T00:00:00Z',
    Date.UTC(2026, 10, 1),
    Date.UTC(2026, 10, 3),
  ],
  [
    'buildStartTime:[2026-11-01T00:00:00Z to 2026-11-02T00:00:00Z]',
    Date.UTC(2026, 10, 1),
    Date.UTC(2026, 10, 2) + 1,
  ],
  ['buildStartTime:2026-11-01', Date.UTC(2026, 9, 31, 23), Date.UTC(2026, 10, 1, 23)],
  ['buildStartTime>=-7d or tag:a', undefined, undefined],
  ['-buildStartTime>=-7d', undefined, undefined],
  ['buildStartTime>nonsense', undefined, undefined],
])('%s', (text, from, to) => {
  expect(startRange(parse(text), at)).toEqual({
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  })
})

const narrowed = 'buildStartTime:[2026-11-20T11:00:00Z to 2026-11-20T11:59:59.999Z]'

test.each([
  ['', narrowed],
  ['project:x', `project:x ${narrowed}`],
  ['a:1 or b:2', `(a:1 or b:2) ${narrowed}`],
  ['buildStartTime>-7d project:x', `${narrowed} project:x`],
  ['buildStartTime>-7d and project:x and buildStartTime<-1d', `${narrowed} and project:x`],
])('%s is narrowed to an hour', (text, expected) => {
  expect(withStartRange(parse(text), now - day / 24, now)).toBe(expected)
})

test('what is narrowed has that range', () => {
  const text = withStartRange(parse('project:x buildStartTime>-7d'), now - day, now)
  expect(startRange(parse(text), at)).toEqual({ from: now - day, to: now })
  expect(withoutStart(parse(text)).trim()).toBe('project:x')
})

test('the search on the page of the server has its time beside it', () => {
  const server = { kind: 'server', origin: 'https://ge.example.com' } as const
  const query = parse('project:"a b" buildStartTime>=-1d')
  expect(serverSearchLink(server, query, at)).toBe(
    `https://ge.example.com/scans?search.query=project%3A%22a%20b%22&search.startTimeMin=${now - day}&search.startTimeMax=${now}&search.timeZoneId=Europe%2FBerlin`,
  )
  expect(serverSearchLink({ kind: 'embedded', origin: null }, query, at)).toBeUndefined()
})
