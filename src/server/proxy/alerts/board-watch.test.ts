import { createServer, type ServerResponse } from 'node:http'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { onLoopback } from '../../../free-port.test-support.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { boardTile, dueAlerts } from '../../store/alerts.ts'
import type { Database } from '../../store/database.ts'
import { addDecision } from '../../store/decisions.ts'
import { listDeliveries, retryDelivery } from '../../store/deliveries.ts'
import { addEvaluation } from '../../store/evaluations.ts'
import { onEachDatabase } from '../../store/on-each-database.test-support.ts'
import {
  addWaiver,
  sampleEvaluation,
  samplePerson,
  sampleWaiver,
} from '../../store/sample-history.test-support.ts'
import type { AuditEntry } from '../history/audit.ts'
import { startAlertWatch } from './alert-watch.ts'
import { nothingRead } from './nothing-read.test-support.ts'
import { createWebhook } from './webhook.ts'

const minute = 60_000
const start = Date.UTC(2026, 0, 5, 9)
const day = 24 * 60 * minute
const sbom = '/policies/BuildTool/sbom'

const board = {
  name: 'shop',
  title: 'Shop <2.4>',
  packages: [
    {
      purl: 'pkg:npm/%40acme/app@1.0.0',
      sha256: 'AB'.repeat(32),
      repositoryUrl: 'registry.example/shop',
      scans: [],
    },
  ],
  scans: ['release'],
  require: [],
}
const passed: Partial<EvaluationSummary> = {
  verdict: 'releasable',
  counts: { satisfied: 4, unsatisfied: 0, 'not-applicable': 0, unknown: 0 },
  unreadable: 0,
  failing: [],
}
const failed: Partial<EvaluationSummary> = {
  verdict: 'not-releasable',
  counts: { satisfied: 3, unsatisfied: 1, 'not-applicable': 0, unknown: 0 },
  unreadable: 0,
  failing: [sbom],
}

onEachDatabase((open) => {
  let database: Database
  let clock: ManualClock
  /** How the receiver answers; undefined: not at all. */
  let answers: (number | undefined)[]
  let address: string
  let close: () => Promise<void>
  let sending: number
  const texts: string[] = []
  const log: string[] = []
  const audited: AuditEntry[] = []
  const watches: (() => Promise<void>)[] = []

  beforeEach(async () => {
    database = await open()
    clock = createManualClock(start)
    for (const list of [texts, log, audited]) list.length = 0
    answers = []
    sending = 0
    const held: ServerResponse[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (piece: string) => (body += piece))
      request.on('end', () => {
        texts.push(z.strictObject({ text: z.string() }).parse(JSON.parse(body)).text)
        const status = answers.length > 0 ? answers.shift() : 200
        if (status === undefined) held.push(response)
        else response.writeHead(status).end('ok')
      })
    })
    const listening = await onLoopback(server)
    address = `${listening.url}/canary`
    close = listening.close
  })
  afterEach(async () => {
    await close()
    await Promise.all(watches.splice(0).map((end) => end()))
    await database.close()
  })

  /** A proxy where only a board has a webhook. */
  async function watch(): Promise<void> {
    const webhook = createWebhook({ url: { reveal: () => address }, clock, version: '1' })
    const counted = {
      ...webhook,
      send: async (messages: Parameters<typeof webhook.send>[0]) => {
        sending++
        const delivery = await webhook.send(messages)
        sending--
        return delivery
      },
    }
    const watching = startAlertWatch({
      rules: {
        walls: [],
        everyProject: false,
        redFor: [],
        recovered: false,
        webhookHosts: [],
        routes: [],
      },
      webhook: undefined,
      routes: [],
      boards: [{ board, webhook: counted }],
      boardRules: {
        dashboard: 'https://sightline.example/',
        redact: (text) => text.replaceAll('hunter2', '[credential]'),
      },
      remindDays: [7],
      walls: () => Promise.resolve([]),
      defaultBranches: {},
      database,
      audit: { record: (entry) => void audited.push(entry) },
      searches: {
        request: () => Promise.reject(new Error('nobody searches')),
        size: () => 0,
        close: () => undefined,
      },
      isLive: () => false,
      facts: { read: nothingRead },
      failures: { read: nothingRead },
      clockSkewMs: () => 0,
      origin: null,
      clock,
      random: () => 0,
      logger: pino({ level: 'debug' }, { write: (line) => log.push(line) }),
    })
    watches.push(async () => {
      await watching.close()
      await webhook.close()
    })
    await settle()
  }

  /** Lets the rounds that are due come to their end, and what is due be sent, unless the receiver holds it. */
  async function settle(isHeld = false): Promise<void> {
    for (let calm = 0; calm < 6; calm++) {
      await new Promise((resolve) => setTimeout(resolve, 2))
      const due = await dueAlerts(database, clock.now(), { tile: boardTile(board.name) })
      const isBusy = clock.pending() < watches.length || sending > 0 || due.length > 0
      if (!isHeld && isBusy) calm = 0
    }
  }
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 30_000) {
      clock.advance(Math.min(30_000, left))
      await settle()
    }
  }
  async function record(change: Partial<EvaluationSummary>): Promise<string> {
    clock.advance(1)
    const evaluation = sampleEvaluation(clock.now(), change)
    await addEvaluation(database, evaluation)
    return evaluation.summary.id
  }
  const receivers = { routes: [], boards: ['shop'] }
  const deliveries = () => listDeliveries(database, { board: 'shop', limit: 20, receivers })
  const retry = (id: string) => retryDelivery(database, id, { now: clock.now(), receivers })

  test('a change of the verdict is sent, and a run that changes nothing is not', async () => {
    await record(passed)
    await watch()
    await pass(minute)
    await record(passed)
    await pass(minute)
    expect(texts).toEqual([])
    await record(failed)
    await pass(minute)
    expect(texts).toEqual([
      "✕ Shop &lt;2.4&gt; is not releasable (was releasable): The package can't be released: it fails sbom. (Jan 5, 2026, 09:02 UTC) <https://sightline.example/board/shop|Board>",
    ])
    await record({ ...failed, results: 9 })
    await pass(minute)
    expect(texts).toHaveLength(1)
    await record(passed)
    await pass(minute)
    await record(failed)
    await pass(minute)
    expect(texts.slice(1)).toEqual([
      expect.stringContaining('is releasable (was not releasable): The package can be'),
      expect.stringContaining('is not releasable (was releasable)'),
    ])
  })

  test('a waiver that counts and then ends turns the verdict, by the clock alone', async () => {
    await record(failed)
    await watch()
    const waiver = sampleWaiver(clock.now() + 10 * minute, { policyUri: sbom })
    await addWaiver(database, waiver, { ...samplePerson(), at: clock.now(), detail: 'x' })
    await pass(minute)
    expect(texts).toEqual([expect.stringContaining('is releasable (was not releasable)')])
    await pass(10 * minute)
    expect(texts.slice(1)).toEqual([expect.stringContaining('is not releasable')])
  })

  test('a decision is sent with its person and reason, without a credential, once', async () => {
    const run = await record(passed)
    await watch()
    await watch()
    const place = {
      packagePath: '/packages/npm/@acme/app/1.0.0',
      sha256: 'ab'.repeat(32),
      repositoryUrl: 'registry.example/shop',
      scan: 'release',
      run,
    }
    const decision = await addDecision(
      database,
      {
        action: 'release',
        subject: { is: 'board', board: 'shop' },
        reason: 'all is <well>, hunter2',
        newest: null,
        places: [place],
        accepted: [],
      },
      {
        verdict: 'releasable',
        content: 'c',
        waivers: [],
        concerns: [],
        places: [{ ...place, verdict: 'releasable', by: 'ada', endedAt: clock.now() }],
      },
      { ...samplePerson('ann'), at: clock.now(), detail: 'x' },
    )
    expect(decision).toBeDefined()
    await pass(2 * minute)
    expect(texts).toEqual([
      'Shop &lt;2.4&gt;: Released by ann on 1 run of Shop &lt;2.4&gt;: all is &lt;well&gt;, [credential] (Jan 5, 2026, 09:00 UTC) <https://sightline.example/board/shop|Board>',
    ])
    expect(audited).toMatchObject([{ subject: 'webhook of board shop', outcome: 'done' }])
  })

  test('what was decided and turned between two looks is sent in its order, the verdict last', async () => {
    const run = await record(passed)
    await watch()
    const place = {
      packagePath: '/packages/npm/@acme/app/1.0.0',
      sha256: 'ab'.repeat(32),
      repositoryUrl: 'registry.example/shop',
      scan: 'release',
      run,
    }
    let newest: string | null = null
    const common = { subject: { is: 'board' as const, board: 'shop' }, reason: 'so it is' }
    for (const action of ['release', 'revoke', 'release'] as const) {
      clock.advance(1)
      const decision = await addDecision(
        database,
        action === 'revoke'
          ? { ...common, action, newest: newest ?? '' }
          : { ...common, action, newest, places: [place], accepted: [] },
        action === 'revoke'
          ? undefined
          : {
              verdict: 'releasable',
              content: 'c',
              waivers: [],
              concerns: [],
              places: [{ ...place, verdict: 'releasable', by: 'ada', endedAt: clock.now() }],
            },
        { ...samplePerson('ann'), at: clock.now(), detail: 'x' },
      )
      newest = decision?.id ?? null
    }
    await record(failed)
    await pass(minute)
    expect(texts).toEqual([
      expect.stringContaining('Released by ann'),
      expect.stringContaining('evoked by ann'),
      expect.stringContaining('Released by ann'),
      expect.stringContaining('is not releasable (was releasable)'),
    ])
  })

  test('several proxies on one database send each change once, also after a restart', async () => {
    await record(passed)
    for (let proxy = 0; proxy < 3; proxy++) await watch()
    await record(failed)
    await pass(2 * minute)
    expect(texts).toHaveLength(1)
    await Promise.all(watches.splice(0).map((end) => end()))
    await record(passed)
    await watch()
    await pass(minute)
    expect(texts).toHaveLength(2)
  })

  test('a receiver that fails twice gets the message the third time, and each try is shown', async () => {
    await record(passed)
    await watch()
    answers = [500, 503]
    await record(failed)
    await pass(30_000)
    expect(await deliveries()).toMatchObject([
      { state: 'waiting', attempts: 1, reason: 'The webhook responded with 500.' },
    ])
    await pass(10 * minute)
    expect(texts).toHaveLength(3)
    expect(new Set(texts).size).toBe(1)
    expect(await deliveries()).toMatchObject([{ state: 'sent', attempts: 3, reason: null }])
    expect(log.join()).not.toContain('canary')
  })

  test('a receiver that hangs is left after 10 s, and tried again', async () => {
    await record(passed)
    await watch()
    answers = [undefined]
    await record(failed)
    clock.advance(30_000)
    await expect.poll(() => texts.length).toBe(1)
    const [waiting] = await deliveries()
    expect(waiting).toMatchObject({ state: 'waiting', reason: null })
    expect(await retry(waiting?.id ?? '')).toBeUndefined()
    clock.advance(10_000)
    await settle()
    const reason = "The webhook didn't respond within 10 s."
    expect(await deliveries()).toMatchObject([{ reason }])
    await pass(2 * minute)
    expect(await deliveries()).toMatchObject([{ state: 'sent', attempts: 2 }])
  })

  test('a receiver that is gone is given up, until somebody sends the message again', async () => {
    await record(passed)
    await watch()
    answers = [410]
    await record(failed)
    await pass(minute)
    const [gone] = await deliveries()
    expect(gone).toMatchObject({
      state: 'failed',
      attempts: 1,
      reason: 'The webhook responded with 410. It may have been removed: check its URL.',
      nextAt: null,
    })
    await pass(2 * minute)
    clock.advance(day)
    await settle()
    expect(texts).toHaveLength(1)
    expect(await retry(gone?.id ?? '')).toBeDefined()
    await pass(minute)
    expect(texts).toHaveLength(2)
    expect(await deliveries()).toMatchObject([{ state: 'sent', id: gone?.id }])
    expect(await retry(gone?.id ?? '')).toBeUndefined()
    expect(await retry('nonsense')).toBeUndefined()
  })
})
