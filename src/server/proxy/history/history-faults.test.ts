import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { claimsPath } from '../../../protocol/claim.ts'
import { evaluationHeader, EvaluationList, evaluationsPath } from '../../../protocol/evaluation.ts'
import { ndjsonLine } from '../../../protocol/ndjson.ts'
import { waiversPath } from '../../../protocol/waiver.ts'
import { openDatabase } from '../../store/open-database.ts'
import { memoryDatabase } from '../../store/memory-database.test-support.ts'
import { findEvaluation, listEvaluations } from '../../store/evaluations.ts'
import { samplePackage, sampleWaiver } from '../../store/sample-history.test-support.ts'
import {
  findPostgres,
  startPostgres,
  type ThrowawayPostgres,
} from '../../store/throwaway-postgres.test-support.ts'
import { type HistoryServer, historyServer } from './history-server.test-support.ts'
import { answering } from '../plain-server.test-support.ts'
import { postJson, problemOf } from '../proxy-on-socket.test-support.ts'

const line = ndjsonLine({ policyUri: '/policies/BuildTool/a', status: 'satisfied' })
const answer = answering(200, { 'content-type': 'application/x-ndjson' }, line.repeat(3))

function evaluate(proxy: HistoryServer, signal?: AbortSignal): Promise<Response> {
  const path = `/upstream/governor${samplePackage}/policy-scans/release`
  return postJson(proxy, path, { sha256: 'ab'.repeat(32), repositoryUrl: 'r' }, signal)
}

async function metric(proxy: HistoryServer, name: string): Promise<number> {
  const text = await (await proxy.ask('/metrics')).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

describe('a database that fails', () => {
  test('never stops an evaluation, and is reported wherever people look', async () => {
    const proxy = await historyServer(answer)
    await proxy.database.close()
    for (let n = 1; n <= 2; n += 1) {
      const response = await evaluate(proxy)
      expect([response.status, await response.text()]).toEqual([200, line.repeat(3)])
      expect(response.headers.get(evaluationHeader)).toMatch(/^[0-9a-z]{26}$/)
    }
    // Each evaluation, and its line in the audit log; they wait as long as the database is away.
    for (let n = 0; n < 20; n += 1) {
      proxy.clock.advance(10_000)
      await expect.poll(() => metric(proxy, 'sightline_history_waiting')).toBe(4)
    }
    expect(await metric(proxy, 'sightline_history_lost_total')).toBe(0)
    const ready = await proxy.ask('/readyz')
    expect(ready.status).toBe(200)
    const { parts } = z
      .object({ parts: z.array(z.object({ name: z.string(), message: z.string() })) })
      .parse(await ready.json())
    expect(parts.find(({ name }) => name === 'history')?.message).toContain(
      '4 entries are waiting, and 0 are lost',
    )
    for (const [path, method] of [
      [evaluationsPath, 'GET'],
      [`${evaluationsPath}/x`, 'GET'],
      [`${waiversPath}/x/end`, 'POST'],
    ] as const) {
      const response = await proxy.ask(path, { method })
      expect(response.status).toBe(503)
      expect((await problemOf(response)).detail).toContain("isn't responding")
    }
    const told = proxy.log.filter((entry) => entry.includes('writing the history fails'))
    expect(told).toHaveLength(1)
    expect(proxy.log.join('')).not.toContain('"level":50')
  })

  test('that is full says so where something is saved', async () => {
    const proxy = await historyServer(answer, { user: 'ann', roles: ['releaser'] })
    await sql`pragma max_page_count = 1`.execute(proxy.database.kysely)
    const statuses: number[] = []
    // Until the last page is full.
    for (let n = 0; n < 100 && !statuses.includes(503); n += 1) {
      const query = `tag:t${n} and tag:${'x'.repeat(900)}`
      const response = await postJson(proxy, claimsPath, { query, kind: 'claim' })
      statuses.push(response.status)
      if (response.status === 503)
        expect((await problemOf(response)).detail).toBe(
          "Sightline can't use its database. The disk of the database is full. Make room on it, and try again.",
        )
    }
    expect(statuses).toContain(503)
  })

  test('that is merely held up records later, and its list says so meanwhile', async () => {
    const proxy = await historyServer(answer)
    let letGo = (): void => undefined
    let isHeld = (): void => undefined
    const held = new Promise<void>((resolve) => {
      isHeld = resolve
    })
    // The one connection of SQLite is taken, as by a long search.
    const holding = proxy.database.kysely.transaction().execute(async () => {
      isHeld()
      await new Promise<void>((resolve) => {
        letGo = resolve
      })
    })
    await held
    const response = await evaluate(proxy)
    expect(await response.text()).toBe(line.repeat(3))
    const listing = proxy.ask(evaluationsPath)
    await expect.poll(() => metric(proxy, 'sightline_history_waiting')).toBe(2)
    await expect
      .poll(() => {
        proxy.clock.advance(1000)
        return proxy.log.join('')
      })
      .toContain('reading or writing the history failed')
    expect((await listing).status).toBe(503)
    letGo()
    await holding
    await expect
      .poll(async () => {
        proxy.clock.advance(1000)
        return (await listEvaluations(proxy.database, {}, 9)).length
      })
      .toBe(1)
    const list = EvaluationList.parse(await (await proxy.ask(evaluationsPath)).json())
    expect(list.evaluations).toHaveLength(1)
    expect(list.recording.lost).toBe(0)
  })
})

describe('the end of the proxy', () => {
  test('waits for what is being recorded, also of readers that are cut off by it', async () => {
    const database = await memoryDatabase()
    const proxy = await historyServer(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write(line)
      },
      { database },
    )
    const response = await evaluate(proxy)
    await response.body?.getReader().read()
    await proxy.close()
    const [cut] = await listEvaluations(database, {}, 9)
    expect(cut).toMatchObject({ results: 1, verdict: 'undecided' })
    expect(cut?.ended).not.toBe('complete')
    await database.close()
  })
})

const programs = await findPostgres()

describe.skipIf(programs === undefined)(
  programs === undefined ? 'PostgreSQL: LEFT OUT, no /usr/lib/postgresql found' : 'on PostgreSQL',
  () => {
    test('two proxies show the same, and may request one thing at once without harm', async () => {
      const cluster: ThrowawayPostgres = await startPostgres(programs ?? '')
      const url = await cluster.emptyDatabase()
      const databases = await Promise.all([openDatabase(url), openDatabase(url)])
      try {
        const [one, two] = await Promise.all([
          historyServer(answer, { database: databases[0], user: 'ada' }),
          historyServer(answer, { database: databases[1], user: 'bob' }),
        ])
        const ids = await Promise.all(
          [one, two, one, two].map(async (proxy) => {
            const response = await evaluate(proxy)
            await response.text()
            return response.headers.get(evaluationHeader) ?? ''
          }),
        )
        for (const id of ids) {
          await expect.poll(() => findEvaluation(databases[0], id)).toBeDefined()
        }
        const expiresAt = one.clock.now() + 1000
        const given = await Promise.all(
          [one, two].map(async (proxy) => {
            const response = await postJson(proxy, waiversPath, sampleWaiver(expiresAt))
            return z.object({ id: z.string() }).parse(await response.json()).id
          }),
        )
        const ends = await Promise.all(
          [one, two].map((proxy) =>
            proxy.ask(`${waiversPath}/${given[0] ?? ''}/end`, { method: 'POST' }),
          ),
        )
        expect(ends.map(({ status }) => status).sort()).toEqual([200, 409])
        for (const path of [
          evaluationsPath,
          `${evaluationsPath}/${ids[0] ?? ''}`,
          waiversPath,
          '/history/actions',
        ]) {
          const texts = await Promise.all(
            [one, two].map(async (proxy) => (await proxy.ask(path)).text()),
          )
          // Whose a waiver is depends on who reads it.
          const [first, second] = texts.map((text) =>
            text.replaceAll(/,"(?:isOwn|needsAdmin)":\w+/g, ''),
          )
          expect(first).toBe(second)
        }
        const list = EvaluationList.parse(await (await one.ask(evaluationsPath)).json())
        expect(list.evaluations.map(({ id }) => id)).toEqual([...ids].sort().reverse())
        expect(new Set(list.evaluations.map(({ by }) => by))).toEqual(new Set(['ada', 'bob']))
        await Promise.all([one.close(), two.close()])
      } finally {
        await Promise.all(databases.map((database) => database.close()))
        await cluster.stop()
      }
    })
  },
)
