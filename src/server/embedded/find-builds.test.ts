import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { factsOfMessage } from '../../facts/merged-facts.ts'
import { runs } from '../../property-runs.test-support.ts'
import type { BuildMessage } from '../../protocol/build-message.ts'
import type { Facts } from '../../protocol/facts.ts'
import { compile } from '../../search/match.ts'
import { parse } from '../../search/parse.ts'
import { quoteValue } from '../../search/values/text.ts'
import { addBuilds, beginBuild } from '../store/build-writing.ts'
import type { Listing } from '../store/build-listing.ts'
import type { Database } from '../store/database.ts'
import { onEachDatabase } from '../store/on-each-database.test-support.ts'
import { findBuilds } from './find-builds.ts'
import { knowledge, queryText, texts } from './random-searches.test-support.ts'

onEachDatabase(law)

/** More builds than are looked through in one stretch. */
const size = 2500
/** Of the newest builds, so many that each of `texts` is a tag of some. */
const fewer = 500
const now = Date.UTC(2026, 2, 1)

const builds: readonly { readonly message: BuildMessage; readonly facts: Facts | undefined }[] = fc
  .sample(knowledge, { numRuns: size, seed: 7 })
  .map((known, n) => {
    const buildId = `b${n.toString(36).padStart(12, '0')}`
    const message = {
      buildId,
      timestamp: n,
      toolType: known.buildTool,
      toolVersion: '9.1',
      agentVersion: '4.0',
    }
    // Of some only the message is known: their events are still being stored.
    return { message, facts: n % 50 === 49 ? undefined : { ...known, buildId, receivedAt: n } }
  })

function law(open: () => Promise<Database>): void {
  let database: Database
  beforeAll(async () => {
    database = await open()
    const known = builds.filter(({ facts }) => facts !== undefined)
    await addBuilds(
      database,
      known.map(({ message, facts }) => ({
        message,
        attributes: null,
        events: [],
        ...(facts === undefined ? {} : { facts }),
      })),
    )
    for (const { message, facts } of builds) if (!facts) await beginBuild(database, message)
  })
  afterAll(() => database.close())

  test('a search finds what evaluating the query on every build finds, in order, page by page', async () => {
    await fc.assert(
      fc.asyncProperty(
        queryText,
        fc.boolean(),
        fc.integer({ min: 60, max: 900 }),
        async (text, newestFirst, max) => {
          const expected = evaluated(text, newestFirst)
          const pages: string[][] = []
          let rest: Listing = { newestFirst }
          do {
            const page = await findBuilds(
              database,
              rest,
              { query: parse(text), now },
              { max, isTimeOver: () => false, signal: new AbortController().signal },
            )
            pages.push(page.builds.map(({ buildId }) => buildId))
            const last = page.builds.at(-1)?.position
            rest = { newestFirst, ...(newestFirst ? { before: last ?? 0 } : { after: last ?? 0 }) }
          } while ((pages.at(-1)?.length ?? 0) > 0)
          expect(pages.flat()).toEqual(expected)
          // Only the last page that holds something may be short.
          expect(pages.slice(0, -2).every((page) => page.length === max)).toBe(true)
        },
      ),
      { numRuns: runs(50) },
    )
  })

  test.each(['tag:', '-tag:', 'tag:*'])(
    'every text is distinguished from all others by %s',
    async (start) => {
      const newest = await pageOf('', { newestFirst: true }, fewer)
      const isNewest = new Set(newest.map(({ buildId }) => buildId))
      const some = builds.filter(({ message }) => isNewest.has(message.buildId))
      expect(new Set(some.flatMap(({ facts }) => facts?.tags ?? []))).toEqual(new Set(texts))
      const after = (newest.at(-1)?.position ?? 0) - 1
      for (const text of texts) {
        const query = start + (text === '' ? '""' : quoteValue(text))
        const found = await pageOf(query, { newestFirst: true, after }, size)
        expect([query, found.map(({ buildId }) => buildId)]).toEqual([
          query,
          evaluated(query, true, some),
        ])
      }
    },
  )

  test.each([
    ['negations', Array.from({ length: 1200 }, (_, n) => `-tag:t${n}`).join(' ')],
    ['alternatives', Array.from({ length: 1200 }, (_, n) => `tag:t${n} or user:*b`).join(' or ')],
    ['patterns', Array.from({ length: 200 }, (_, n) => `project:*${n}*p*`).join(' or ')],
    ['levels', `${'(tag:a or ('.repeat(40)}user:shop${'))'.repeat(40)}`],
    ['rows', Array.from({ length: 300 }, (_, n) => `buildDuration>${n}ms`).join(' ')],
  ])('a query of very many %s is answered', async (_what, text) => {
    const found = await pageOf(text, { newestFirst: true }, size)
    expect(found.map(({ buildId }) => buildId)).toEqual(evaluated(text, true))
  })

  async function pageOf(text: string, listing: Listing, max: number) {
    const page = await findBuilds(
      database,
      listing,
      { query: parse(text), now },
      { max, isTimeOver: () => false, signal: new AbortController().signal },
    )
    return page.builds
  }
}

function evaluated(text: string, newestFirst: boolean, of = builds): string[] {
  const answer = compile(parse(text), { now, timeZone: 'UTC', absent: 'none' })
  const answerEarly = compile(parse(text), { now, timeZone: 'UTC' })
  const found = [...of.filter(({ facts }) => facts), ...of.filter(({ facts }) => !facts)]
    .filter(
      ({ message, facts }) =>
        (facts ? answer(facts) : answerEarly(factsOfMessage(message))) === 'yes',
    )
    .map(({ message }) => message.buildId)
  return newestFirst ? found.reverse() : found
}
