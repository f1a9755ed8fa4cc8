import { createReadStream, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readEvents } from '../store/build-events.ts'
import { findBuild, positionOf } from '../store/build-listing.ts'
import { messageOf } from '../store/build-rows.ts'
import { beginBuild } from '../store/build-writing.ts'
import type { Database } from '../store/database.ts'
import { memoryDatabase } from '../store/memory-database.test-support.ts'
import { createPendingWrites } from './arrivals.ts'
import { importRecording } from './build-intake.ts'
import { event } from './seed.test-support.ts'
import { realData } from '../../real-data.test-support.ts'

const recordings = realData('recordings/')
const v1 =
  '{"buildId":"recordedbuild","pluginVersion":"1.6","gradleVersion":"3.3","timestamp":1547508669967}'
const v2 =
  '{"buildId":"recordedbuild","timestamp":1547508669967,"toolType":"bazel","toolVersion":"8","agentVersion":"2"}'

let database: Database
let announced: boolean[]
beforeEach(async () => {
  database = await memoryDatabase()
  announced = []
})
afterEach(() => database.close())

async function importing(bytes: AsyncIterable<Uint8Array>) {
  const seen: Promise<void>[] = []
  const imported = await importRecording(
    {
      database,
      announced: () => {
        seen.push(
          findBuild(database, 'recordedbuild').then((build) => {
            announced.push(build?.readable ?? false)
          }),
        )
      },
      pending: createPendingWrites(),
      missing: () => ({}),
    },
    bytes,
  )
  await Promise.all(seen)
  return imported
}

/** A recording in pieces that are cut anywhere. */
async function* pieces(...lines: string[]): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''))
  for (let start = 0; start < bytes.length; start += 1009) {
    await Promise.resolve()
    yield bytes.subarray(start, start + 1009)
  }
}

async function stored(buildId: string): Promise<string[]> {
  const texts: string[] = []
  const position = (await positionOf(database, buildId)) ?? -1
  for await (const page of readEvents(database, position))
    texts.push(...page.map(({ text }) => text))
  return texts
}

async function toolOf(buildId: string): Promise<string | undefined> {
  const build = await findBuild(database, buildId)
  return build === undefined ? undefined : messageOf(build).toolType
}

describe('a recording', () => {
  test('of version 1 becomes a build of Gradle, its events as they stand', async () => {
    const events = [event('BuildStarted', '{}'), event('TaskStarted')]
    expect(await importing(pieces(v1, ...events))).toEqual({
      buildId: 'recordedbuild',
      events: 2,
      repeated: 0,
    })
    expect(await stored('recordedbuild')).toEqual(events)
    const build = await findBuild(database, 'recordedbuild')
    expect(build?.text).toBe(
      '{"buildId":"recordedbuild","timestamp":1547508669967,"toolType":"gradle","toolVersion":"3.3","agentVersion":"1.6"}',
    )
    expect(announced).toEqual([true])
  })

  test('of version 1 with events of Maven becomes a build of Maven', async () => {
    await importing(pieces(v1, event('Os'), event('MvnBuildStarted')))
    expect(await toolOf('recordedbuild')).toBe('maven')
  })

  test('of version 2 says its tool itself', async () => {
    await importing(pieces(v2, event('A')))
    expect(await toolOf('recordedbuild')).toBe('bazel')
  })

  test('without events is a build without events', async () => {
    expect(await importing(pieces(v2))).toMatchObject({ buildId: 'recordedbuild', events: 0 })
  })

  test.each([3, 700])(
    'a second Build message after %i events starts the build again',
    async (n) => {
      const first = Array.from({ length: n }, () => event('First'))
      const second = Array.from({ length: 1200 }, () => event('Second'))
      expect(await importing(pieces(v2, ...first, v2, ...second))).toMatchObject({ events: 1200 })
      expect(new Set(await stored('recordedbuild'))).toEqual(new Set([event('Second')]))
      expect(await stored('recordedbuild')).toHaveLength(1200)
    },
  )

  test('a second Build message in the shape of an event starts the build again as well', async () => {
    const again = `{"timestamp":1,"type":{"eventType":"Build"},"data":${v2}}`
    const run = [event('BuildStarted'), event('TaskStarted')]
    expect(await importing(pieces(v2, ...run, again, ...run))).toMatchObject({ events: 2 })
    expect(await stored('recordedbuild')).toEqual(run)
  })

  test('a second run without a Build message is noticed, and its repeats are left out', async () => {
    const line = event('OutputLogEvent')
    const run = [event('BuildStarted'), line, line, event('TaskStarted')]
    const imported = await importing(pieces(v2, ...run, ...run, event('BuildFinished')))
    expect(imported).toMatchObject({ events: 5, repeated: 4 })
    expect(await stored('recordedbuild')).toEqual([...run, event('BuildFinished')])
  })

  test('of a large build is announced first and readable at the end', async () => {
    const events = Array.from({ length: 1700 }, (_, n) => event(`T${n}`))
    await importing(pieces(v2, ...events))
    expect(announced).toEqual([false, true])
    expect(await stored('recordedbuild')).toEqual(events)
  })

  test('gives what builds are searched by', async () => {
    const agent = event(
      'BuildAgent',
      '{"username":"ada","publicHostname":"ci-7","localHostname":null,"ipAddresses":[]}',
    )
    await importing(pieces(v1, event('BuildStarted', '{}'), agent))
    const row = await database.kysely
      .selectFrom('builds')
      .innerJoin('build_facts', 'build_seq', 'seq')
      .select(['start_time', 'facts'])
      .executeTakeFirst()
    expect(row?.start_time).toBe(900)
    expect(JSON.parse(row?.facts ?? '')).toMatchObject({ user: 'ada', hostname: 'ci-7' })
  })

  test.each([
    ['nothing', [], 'The recording is empty'],
    ['no Build message', [event('A')], /^Line 1 .* isn't a Build message: /],
    ['a line that is no JSON', [v2, event('A'), '{"x'], /^Line 3 .* isn't valid JSON/],
    ['a line that is no event', [v2, '7'], /^Line 2 .* isn't an event: /],
    ['an event without a type', [v2, '{"timestamp":1,"data":{}}'], /^Line 2 .*: type: /],
    ['another build', [v2, v2.replace('recordedbuild', 'anotherbuild1')], /contains two builds,/],
    [
      'a wrong line after many',
      [v2, ...Array.from({ length: 900 }, () => event('A')), 'x'],
      /^Line 902 .* isn't valid JSON/,
    ],
  ])('with %s is refused, and nothing of it is kept', async (_, lines, sentence) => {
    await expect(importing(pieces(...lines))).rejects.toThrow(sentence)
    expect(await database.kysely.selectFrom('builds').selectAll().execute()).toEqual([])
    expect(await database.kysely.selectFrom('event_chunks').selectAll().execute()).toEqual([])
  })

  test.each([1, 900])('with %i events is refused where its build exists', async (n) => {
    await importing(pieces(v2, event('Kept')))
    const again = importing(pieces(v2, ...Array.from({ length: n }, () => event('A'))))
    await expect(again).rejects.toThrow('Build recordedbuild already exists.')
    expect(await stored('recordedbuild')).toEqual([event('Kept')])
  })

  test.each([1, 900])('with %i events replaces one that was broken off', async (n) => {
    await beginBuild(database, {
      buildId: 'recordedbuild',
      timestamp: 1,
      toolType: 'bazel',
      toolVersion: '1',
      agentVersion: '1',
    })
    await importing(pieces(v2, ...Array.from({ length: n }, () => event('A'))))
    expect(await stored('recordedbuild')).toHaveLength(n)
  })
})

const present = existsSync(recordings)
describe.skipIf(!present)(
  present ? 'real recordings' : 'REAL RECORDINGS: LEFT OUT, none found',
  () => {
    test.each([
      ['gradle-build-cache', 'gradle', 5514],
      ['gradle-failing-test', 'gradle', 152],
      ['maven-failed', 'maven', 63],
      ['gradle-small', 'gradle', 13],
      ['gradle-dependencies', 'gradle', 174],
    ])('%s is stored to the byte', async (name, tool, events) => {
      const path = new URL(`${name}.jsonl`, recordings)
      const imported = await importing(createReadStream(path))
      expect(imported.events).toBe(events)
      expect(await toolOf(imported.buildId)).toBe(tool)
      const [, ...lines] = (await readFile(path, 'utf8')).trim().split('\n')
      expect(await stored(imported.buildId)).toEqual(lines)
    })
  },
)
