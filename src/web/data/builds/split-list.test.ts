import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import type { BuildSummary } from '../../../protocol/build-data.ts'
import { runs } from '../../../property-runs.test-support.ts'
import { compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import type { Request } from '../core/request.ts'
import { createBuildListReader } from './build-list-reader.ts'
import { readerOfQuery } from './split-list.ts'

/** A build server whose builds have nothing but tags, and what it was asked. */
function listOf(builds: readonly { id: string; at: number; tags: readonly string[] }[]) {
  const asked: string[] = []
  const newest = [...builds].sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
  const request: Request = (path, schema) => {
    const search = new URL(path, 'http://list.example').searchParams
    const query = search.get('query') ?? ''
    asked.push(query)
    const matches = compile(parse(query), { now: 0, timeZone: 'UTC' })
    const from = newest.findIndex(({ id }) => id === search.get('fromBuild')) + 1
    const found = newest
      .slice(from)
      .filter(({ id, tags }) => matches({ ...unknown, buildId: id, tags: [...tags] }) === 'yes')
      .slice(0, Number(search.get('maxBuilds')))
    return Promise.resolve(
      z.parse(
        schema,
        found.map(({ id, at }) => ({
          id,
          availableAt: at,
          buildToolType: 'gradle',
          buildToolVersion: '9.0',
          buildAgentVersion: '4.0',
        })),
      ),
    )
  }
  return { reader: createBuildListReader(request, createManualClock(0)), asked, newest }
}

const unknown = {
  buildId: '',
  buildTool: 'gradle',
  buildToolVersion: '9.0',
  agentVersion: '4.0',
  receivedAt: 1,
  startedAt: 1,
}

/** All pages of a query, with `max` builds each. */
async function walk(list: ReturnType<typeof listOf>, query: string, max: number) {
  const reader = readerOfQuery(list.reader, query)
  const found: BuildSummary[] = []
  const { signal } = new AbortController()
  for (;;) {
    const wanted = { query, after: found.at(-1), from: undefined, max, withAttributes: false }
    const answer = await reader.page(wanted, signal)
    if (!answer.ok) throw answer.refusal
    const { builds } = answer.page
    expect(builds.length).toBeLessThanOrEqual(max)
    if (builds.length === 0) return found
    found.push(...builds)
  }
}

const idOf = (index: number) => `b${String(index).padStart(12, '0')}`
const tag = (index: number) => `tag-number-${index}-of-a-list-that-is-far-too-long-for-one-address`
const longQuery = Array.from({ length: 300 }, (_, index) => `tag:${tag(index)}`).join(' or ')

describe('a query that is too long for one request', () => {
  test('gives each build once, the newest first, however its matches lie in the parts', async () => {
    const build = fc.record({
      at: fc.integer({ min: 1, max: 6 }),
      tags: fc.array(fc.integer({ min: 0, max: 320 }).map(tag), { maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(build, { maxLength: 25 }),
        fc.integer({ min: 1, max: 7 }),
        async (builds, max) => {
          const list = listOf(builds.map((one, index) => ({ ...one, id: idOf(index) })))
          const found = await walk(list, longQuery, max)
          const known = new Set(Array.from({ length: 300 }, (_, index) => tag(index)))
          const wanted = list.newest.filter(({ tags }) => tags.some((one) => known.has(one)))
          expect(found.map(({ id }) => id).sort()).toEqual(wanted.map(({ id }) => id).sort())
          expect(found.map(({ availableAt }) => availableAt)).toEqual(wanted.map(({ at }) => at))
        },
      ),
      { numRuns: runs(40) },
    )
  })

  test('misses no build where a part could not be read at first', async () => {
    const builds = Array.from({ length: 40 }, (_, at) => ({
      ...{ id: idOf(at), at: 100 - at, tags: [tag(at % 4 === 0 ? 0 : 299)] },
    }))
    const list = listOf(builds)
    const found: BuildSummary[] = []
    let asked = 0
    const reader = readerOfQuery(
      {
        page: (wanted, signal) => {
          asked += 1
          return found.length > 0 && asked % 2 === 0
            ? Promise.reject(new Error('503'))
            : list.reader.page(wanted, signal)
        },
      },
      longQuery,
    )
    for (let turn = 0; turn < 200; turn++) {
      const wanted = { query: longQuery, after: found.at(-1), from: undefined, max: 7 }
      const answer = await reader
        .page({ ...wanted, withAttributes: false }, new AbortController().signal)
        .catch(() => undefined)
      if (answer?.ok !== true) continue
      if (answer.page.builds.length === 0) break
      found.push(...answer.page.builds)
    }
    expect(found.map(({ id }) => id)).toEqual(builds.map(({ id }) => id))
  })

  test('is sent in parts that fit, and only as they are needed', async () => {
    const list = listOf([{ id: idOf(1), at: 1, tags: [tag(299)] }])
    expect(await walk(list, longQuery, 100)).toHaveLength(1)
    const parts = new Set(list.asked.filter((query) => query.startsWith('tag:')))
    expect(parts.size).toBeGreaterThan(2)
    for (const part of parts) {
      expect(part.length).toBeLessThan(4097)
      expect(encodeURIComponent(part).length).toBeLessThan(7001)
    }
  })

  test('is refused with what helps where it is no list of alternatives', async () => {
    const list = listOf([])
    await expect(walk(list, longQuery.replaceAll(' or ', ' '), 10)).rejects.toThrow(
      /characters; a request takes 4,096/,
    )
    expect(list.asked).toEqual([])
  })
})
