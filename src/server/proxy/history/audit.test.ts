import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { listActions } from '../../store/actions.ts'
import type { Database } from '../../store/database.ts'
import { memoryDatabase } from '../../store/memory-database.test-support.ts'
import { samplePerson } from '../../store/sample-history.test-support.ts'
import { type Audit, type AuditEntry, systemOrigin } from './audit.ts'
import { createHistory, type History } from './history.ts'

interface Setup {
  readonly audit: Audit
  readonly history: History
  readonly clock: ManualClock
  readonly database: Database
  /** What stands in the log once all is written, the newest first. */
  readonly rows: () => Promise<Awaited<ReturnType<typeof listActions>>>
}

async function setUp(): Promise<Setup> {
  const database = await memoryDatabase()
  const clock = createManualClock(Date.UTC(2026, 0, 5))
  const history = createHistory({
    database,
    clock,
    logger: pino({ level: 'silent' }),
    settings: { keepDays: 365, keepPerScan: 500, longestWaiverDays: 90 },
    changes: { publish: () => undefined },
    redact: (text) => text.replaceAll('configured-secret', '[secret]'),
  })
  onTestFinished(() => database.close())
  onTestFinished(history.close)
  const rows = async () => {
    await expect.poll(() => history.writer().waiting).toBe(0)
    return listActions(database, {}, 1000)
  }
  return { audit: history.audit, history, clock, database, rows }
}

const refusal: AuditEntry = {
  ...samplePerson(),
  action: 'access-refused',
  subject: 'POST /upstream/board',
  detail: 'Requires the role releaser or admin.',
  outcome: 'refused',
}

describe('the audit log', () => {
  test('says who, in what capacity, from where, what and how it came out', async () => {
    const { audit, clock, rows } = await setUp()
    audit.record(refusal)
    clock.advance(5)
    audit.record({ ...systemOrigin, action: 'settings-loaded', subject: 's', detail: 'd' })
    expect(await rows()).toMatchObject([
      { by: 'Sightline', kind: 'system', outcome: 'done', from: null, session: null, times: 1 },
      {
        at: Date.UTC(2026, 0, 5),
        by: 'ada',
        kind: 'person',
        action: 'access-refused',
        subject: 'POST /upstream/board',
        outcome: 'refused',
        from: '192.0.2.7',
        session: 's1',
      },
    ])
  })

  test('has one row, with a count, for a refusal that repeats within a minute', async () => {
    const { audit, clock, rows } = await setUp()
    audit.record(refusal)
    await rows()
    for (let n = 1; n < 50; n += 1) {
      clock.advance(1000)
      audit.record(refusal)
    }
    const [first, ...others] = await rows()
    expect([first?.times, others]).toEqual([1, []])
    clock.advance(11_000)
    expect(await rows()).toMatchObject([{ times: 50, lastAt: Date.UTC(2026, 0, 5) + 49_000 }])
    audit.record(refusal)
    expect((await rows()).map(({ times }) => times)).toEqual([1, 50])
  })

  test('tells apart what other people, other addresses and other requests are refused', async () => {
    const { audit, rows } = await setUp()
    const others: Partial<AuditEntry>[] = [
      {},
      samplePerson('bob'),
      { from: '192.0.2.8' },
      { subject: 'GET /tokens' },
      { action: 'sign-in-refused' },
      { outcome: 'failed' },
    ]
    for (const change of [...others, ...others]) audit.record({ ...refusal, ...change })
    expect(await rows()).toHaveLength(others.length)
  })

  test('tells failures apart by how they ended: a part may be done', async () => {
    const { audit, rows } = await setUp()
    const details = ['The policy service responded with 429.', '1 attestation stored, then 500.']
    for (const detail of [...details, ...details])
      audit.record({ ...refusal, action: 'attestations-published', outcome: 'failed', detail })
    expect((await rows()).map(({ detail }) => detail).toSorted()).toEqual(details.toSorted())
  })

  test('counts what is done each time', async () => {
    const { audit, rows } = await setUp()
    for (let n = 0; n < 3; n += 1) audit.record({ ...refusal, outcome: 'done' })
    expect(await rows()).toHaveLength(3)
  })

  test('grows by a bounded number of rows a minute, whatever is refused to whom', async () => {
    const { audit, clock, rows } = await setUp()
    for (let n = 0; n < 5000; n += 1) {
      audit.record({ ...refusal, from: '192.0.2.9', subject: `GET /${n}` })
      audit.record({ ...refusal, ...samplePerson(`p${n}`), from: `198.51.100.${n}` })
    }
    audit.record({ ...refusal, from: '203.0.113.1', action: 'sign-in-refused', outcome: 'done' })
    await rows()
    clock.advance(60_000)
    const all = await rows()
    expect(all.length).toBeLessThan(310)
    expect(all.reduce((sum, { times }) => sum + times, 0)).toBe(10_001)
    expect(all.filter(({ from }) => from === '192.0.2.9')).toHaveLength(30)
    const together = all.find(({ by }) => by === 'several')
    expect(together?.detail).toContain('More refusals in this minute than are listed')
  })

  test('writes the counts of an unfinished minute when it is closed', async () => {
    const { audit, history, database, clock } = await setUp()
    audit.record(refusal)
    audit.record(refusal)
    await history.close()
    expect(await listActions(database, {}, 9)).toMatchObject([{ times: 2 }])
    clock.advance(120_000)
    expect(await listActions(database, {}, 9)).toHaveLength(1)
  })

  test.each([
    ['a configured-secret inside', 'a [secret] inside'],
    ['the token slt_0123456789abcdef', 'the token slt_…'],
    [`screen_0123456789abcdef_${'x'.repeat(43)}`, 'screen_…'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOiIxIn0.c2lnbmF0dXJl!', '[token]!'],
    ['Authorization: Bearer 0123456789abcdef0123', 'Authorization: Bearer [secret]'],
    ['https://ann:pass@host.example/x', 'https://host.example/x'],
    ['Basic authentication is required.', 'Basic authentication is required.'],
    ['pkg:npm/@acme/app@1.0.0', 'pkg:npm/@acme/app@1.0.0'],
  ])('shows %s as %s', async (text, shown) => {
    const { audit, rows } = await setUp()
    const actor = { kind: 'person', name: text } as const
    audit.record({ actor, from: null, action: 'evaluated', subject: text, detail: text })
    expect(await rows()).toMatchObject([{ by: shown, subject: shown, detail: shown }])
  })

  test('cuts texts that are too long, and takes what no database takes', async () => {
    const { audit, rows } = await setUp()
    const long = '\0\ud800é'.repeat(4000)
    const actor = { kind: 'token', name: long } as const
    audit.record({ actor, from: long, action: 'evaluated', subject: long, detail: long })
    const [row] = await rows()
    expect([row?.by, row?.from, row?.subject, row?.detail].map((text) => text?.length)).toEqual([
      200, 100, 800, 4000,
    ])
  })
})
