import { expect, test } from 'vitest'
import { parse } from '../../../search/parse.ts'
import { searchRequest } from './use-search-page.ts'

const minute = 60_000
const hour = 60 * minute

test("relative times of a search are those of the build server's clock, as known by its first build", () => {
  const pageNow = Date.UTC(2026, 0, 1, 12)
  let ahead = 0
  const text = 'buildStartTime:>-30m'
  const wanted = searchRequest(parse(text), text, { now: () => pageNow + ahead, timeZone: 'UTC' })
  ahead = -24 * hour
  const started = (startTime: number) =>
    wanted.verdict({
      ...{ buildId: 'aaaaaaaaaaaaa', receivedAt: startTime, buildTool: 'gradle' },
      ...{ buildToolVersion: '9', agentVersion: '4', startTime },
    })
  expect(started(pageNow - 24 * hour - 29 * minute)).toBe('yes')
  expect(started(pageNow - 24 * hour - 31 * minute)).toBe('no')
  expect(wanted.from?.()).toBe(pageNow - 24 * hour - 30 * minute + 1)
})
