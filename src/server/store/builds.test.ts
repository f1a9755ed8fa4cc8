import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Facts } from '../../protocol/facts.ts'
import { lastEventId, readEvents, type StoredEvent } from './build-events.ts'
import {
  attributesOf,
  findBuild,
  lastPosition,
  listBuilds,
  positionBefore,
  positionOf,
} from './build-listing.ts'
import { messageOf } from './build-rows.ts'
import {
  addBuilds,
  appendEvents,
  beginBuild,
  completeBuild,
  pruneBuilds,
  removeBuild,
  restartBuild,
} from './build-writing.ts'
import type { Database } from './database.ts'
import { openDatabase } from './open-database.ts'
import { memoryDatabase } from './memory-database.test-support.ts'
import { at, build, event, id, listed, message } from './sample-builds.test-support.ts'
import { onEachDatabase, openForEachTest } from './on-each-database.test-support.ts'

onEachDatabase(suite)

test('builds that come with a position stand before later ones, and the next one after all', async () => {
  const database = await memoryDatabase()
  await addBuilds(database, [build(5), build(6)], 100)
  await addBuilds(database, [build(3), build(4)], 98)
  await addBuilds(database, [build(7)])
  expect(await listed(database)).toEqual([3, 4, 5, 6, 7].map(id))
  expect(await at(database, id(3))).toBe(98)
  await database.close()
})

describe('on an SQLite file', () => {
  let folder = ''
  let opened = 0
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sightline-store-'))
  })
  afterAll(() => rm(folder, { recursive: true }))
  suite(() => openDatabase(`file:${folder}/${(opened += 1)}.db`))
})

function suite(open: () => Promise<Database>): void {
  const database = openForEachTest(open)

  test('lists builds in the order of receipt, whatever their ids and times', async () => {
    await addBuilds(database, [build(3), build(1, { message: message(1, 3000) })])
    await addBuilds(database, [build(2, { message: message(2, 10) })])
    expect(await listed(database)).toEqual([id(3), id(1), id(2)])
    expect(await listed(database, { newestFirst: true })).toEqual([id(2), id(1), id(3)])
  })

  test('pages go on from the position of the last build', async () => {
    await addBuilds(
      database,
      Array.from({ length: 10 }, (_, n) => build(n)),
    )
    const ids: string[] = []
    let after = 0
    for (;;) {
      const page = await listBuilds(database, { after }, 3)
      if (page.length === 0) break
      after = page.at(-1)?.position ?? after
      ids.push(...page.map((stored) => stored.buildId))
    }
    expect(ids).toEqual(Array.from({ length: 10 }, (_, n) => id(n)))
  })

  test('an instant selects builds received at or after it, or before it', async () => {
    await addBuilds(database, [build(5), build(1), build(9), build(2)])
    expect(await listed(database, { receivedFrom: 5000 })).toEqual([id(5), id(9)])
    expect(await listed(database, { receivedBefore: 5000 })).toEqual([id(1), id(2)])
    expect(await listed(database, { after: await positionBefore(database, 2000) })).toEqual([
      id(5),
      id(1),
      id(9),
      id(2),
    ])
    expect(await listed(database, { after: await positionBefore(database, 9000) })).toEqual([
      id(9),
      id(2),
    ])
    expect(await positionBefore(database, 9001)).toBe(await lastPosition(database))
    expect(await positionBefore(database, 0)).toBe(0)
  })

  test('an empty store has no builds, no position and no last event', async () => {
    expect(await listed(database)).toEqual([])
    expect(await lastPosition(database)).toBe(0)
    expect(await positionBefore(database, 5)).toBe(0)
    expect(await findBuild(database, id(1))).toBeUndefined()
    expect(await positionOf(database, id(1))).toBeUndefined()
    expect(await lastEventId(database, 1)).toBe(0)
    expect(await pruneBuilds(database, 10)).toBe(0)
    expect(await attributesOf(database, [])).toEqual(new Map())
  })

  test('a build comes back as it was given, unknown keys and odd characters included', async () => {
    const odd = { ...message(1), toolVersion: 'NUL \0, ☃, 𝕏', extra: { n: 1.5 } }
    const attributes = { buildStartTime: 5, rootProjectName: 'naïve', environment: { x: true } }
    await addBuilds(database, [build(1, { message: odd, attributes }), build(2)])
    const stored = await findBuild(database, id(1))
    if (stored === undefined) throw new Error('not found')
    expect(messageOf(stored)).toEqual(odd)
    const found = await attributesOf(database, [stored.position, stored.position + 1])
    expect([...found.entries()]).toEqual([[stored.position, JSON.stringify(attributes)]])
  })

  test('events come back with their exact texts and consecutive numbers from 1', async () => {
    const events = Array.from({ length: 1234 }, (_, n) => event(`T${n % 3}`, n))
    await addBuilds(database, [build(1, { events }), build(2)])
    const found = await eventsOf(database, id(1))
    expect(found.map((one) => one.text)).toEqual(events)
    expect(found.map((one) => one.id)).toEqual(events.map((_, n) => n + 1))
    expect(await lastEventId(database, await at(database, id(1)))).toBe(1234)
  })

  test('events are read after a number and of some types', async () => {
    const events = Array.from({ length: 1200 }, (_, n) => event(n < 600 ? 'A' : 'B', n))
    await addBuilds(database, [build(1, { events: [...events, event('a')] })])
    const types = (...names: string[]) => ({ types: new Set(names) })
    expect(await eventsOf(database, id(1), types('B'))).toHaveLength(600)
    expect((await eventsOf(database, id(1), types('a'))).map((one) => one.id)).toEqual([1201])
    expect(await eventsOf(database, id(1), types('C'))).toEqual([])
    const resumed = await eventsOf(database, id(1), { after: 599, ...types('A', 'B') })
    expect(resumed.map((one) => one.id)).toEqual(Array.from({ length: 601 }, (_, n) => n + 600))
    expect(await eventsOf(database, id(1), { after: 1201 })).toEqual([])
  })

  test('a build without events has none', async () => {
    await addBuilds(database, [build(1, { events: [] })])
    expect(await eventsOf(database, id(1))).toEqual([])
  })

  test('a build whose id exists is refused by name, and its whole batch with it', async () => {
    await addBuilds(database, [build(1)])
    const again = addBuilds(database, [build(2), build(1)])
    await expect(again).rejects.toThrow(`Build ${id(1)} already exists.`)
    await expect(addBuilds(database, [build(3), build(3)])).rejects.toMatchObject({ status: 409 })
    await expect(beginBuild(database, message(1))).rejects.toMatchObject({ status: 409 })
    expect(await listed(database)).toEqual([id(1)])
  })

  test('a begun build is listed at once and readable when it is complete', async () => {
    const position = await beginBuild(database, message(1))
    await addBuilds(database, [build(2)])
    expect(await findBuild(database, id(1))).toMatchObject({ position, readable: false })
    await appendEvents(database, position, [event('A'), event('B')])
    await appendEvents(database, position, [])
    await appendEvents(database, position, [event('C')])
    await completeBuild(database, position, { attributes: { tags: ['x'] } })
    expect(await findBuild(database, id(1))).toMatchObject({ position, readable: true })
    expect((await eventsOf(database, id(1))).map((one) => one.id)).toEqual([1, 2, 3])
    expect(await attributesOf(database, [position])).toEqual(
      new Map([[position, '{"tags":["x"]}']]),
    )
    expect(await listed(database)).toEqual([id(1), id(2)])
  })

  test('a begun build that starts again has only its new events', async () => {
    const position = await beginBuild(database, message(1))
    await appendEvents(database, position, [event('A'), event('B')])
    await restartBuild(database, position)
    await appendEvents(database, position, [event('C')])
    await completeBuild(database, position, { attributes: null })
    const found = await eventsOf(database, id(1))
    expect(found).toEqual([{ id: 1, text: event('C') }])
  })

  test('facts fill the columns that builds are searched by', async () => {
    const facts = {
      buildId: id(1),
      receivedAt: 1,
      buildTool: 'gradle',
      buildToolVersion: '9.1',
      agentVersion: '4.0',
      user: 'ada\0',
      project: 'shop',
      hostname: null,
      outcome: 'failed' as const,
      startTime: 1_735_689_600_123,
      durationMs: 4321,
    }
    await addBuilds(database, [build(1, { facts }), build(2)])
    const rows = await database.kysely
      .selectFrom('builds')
      .leftJoin('build_facts', 'build_seq', 'seq')
      .select(['tool_key', 'outcome', 'start_time', 'duration_ms', 'facts'])
      .orderBy('seq')
      .execute()
    const known = { outcome: 'failed', start_time: 1_735_689_600_123, duration_ms: 4321 }
    const unknown = { outcome: null, start_time: null, duration_ms: null }
    expect(rows).toEqual([
      { tool_key: 'gradle', ...known, facts: JSON.stringify(facts) },
      { tool_key: 'maven', ...unknown, facts: null },
    ])
    expect(await termsIn(database)).toEqual([`pshop 1`, 'uada\ufffd 1'])
  })

  test('a build has names and failures of any length, in any script', async () => {
    // Text that doesn't repeat, so that no database makes it shorter.
    const long = Array.from({ length: 1000 }, (_, n) =>
      String.fromCharCode(0x4e00 + ((n * 7919) % 20_000)),
    ).join('')
    const facts: Facts = {
      buildId: id(1),
      receivedAt: 1,
      buildTool: 'gradle',
      buildToolVersion: '9.1',
      agentVersion: '4.0',
      user: long,
      project: long,
      requested: [long],
      values: [{ name: 'Git branch', value: long }],
    }
    const counts = { cacheHits: null, cacheable: null, failures: [long] }
    await addBuilds(database, [build(1, { facts, counts })])
    expect(await listed(database)).toEqual([id(1)])
  })

  test('pruning keeps the newest, and the ids of the others still serve as cursors', async () => {
    await addBuilds(
      database,
      Array.from({ length: 1100 }, (_, n) => build(n, { events: [] })),
    )
    expect(await pruneBuilds(database, 3)).toBe(1097)
    expect(await listed(database)).toEqual([id(1097), id(1098), id(1099)])
    expect(await findBuild(database, id(5))).toBeUndefined()
    expect(await listed(database, { after: await at(database, id(5)) })).toHaveLength(3)
    expect(await pruneBuilds(database, 3)).toBe(0)
    const left = await database.kysely.selectFrom('event_chunks').selectAll().execute()
    expect(left).toEqual([])
  })

  test('a removed build takes its events along and its position is never used again', async () => {
    await addBuilds(database, [build(1, { attributes: {} }), build(2, { attributes: {} })])
    const position = await at(database, id(2))
    await removeBuild(database, position, id(2))
    expect(await eventsOf(database, id(1))).toHaveLength(2)
    expect(await attributesOf(database, [position])).toEqual(new Map())
    expect(await lastEventId(database, position)).toBe(0)
    await addBuilds(database, [build(2)])
    expect(await at(database, id(2))).toBeGreaterThan(position)
    await removeBuild(database, await at(database, id(2)), id(2))
    expect(await at(database, id(2))).toBeGreaterThan(position)
  })

  test('reading a build that is removed meanwhile fails instead of ending early', async () => {
    const events = Array.from({ length: 1200 }, (_, n) => event('A', n))
    await addBuilds(database, [build(1, { events })])
    const position = await at(database, id(1))
    const reading = readEvents(database, position)
    expect((await reading.next()).value).toHaveLength(500)
    await removeBuild(database, position, id(1))
    await expect(reading.next()).rejects.toThrow('removed')
  })
}

async function eventsOf(
  database: Database,
  buildId: string,
  selection: Parameters<typeof readEvents>[2] = {},
): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  const position = await at(database, buildId)
  for await (const page of readEvents(database, position, selection)) events.push(...page)
  return events
}

/** Which builds have which terms: the term and the position, in order. */
async function termsIn({ kysely }: Database): Promise<string[]> {
  const rows = await kysely
    .selectFrom('build_terms')
    .innerJoin('search_terms', 'id', 'term')
    .select(['text', 'build_seq'])
    .orderBy('text')
    .execute()
  return rows.map((row) => `${row.text} ${row.build_seq}`)
}
