import pg from 'pg'
import { expect, test } from 'vitest'
import type { NewDecision, ReleasedPlace } from '../../protocol/decision.ts'
import { listActions } from './actions.ts'
import { addDecision, findDecision, listDecisions, newestDecision } from './decisions.ts'
import { addEvaluation, findEvaluation } from './evaluations.ts'
import { sweepHistory } from './history-sweep.ts'
import { onEachDatabase, openForEachTest } from './on-each-database.test-support.ts'
import { openDatabase } from './open-database.ts'
import {
  addWaiver,
  findWaiver,
  sampleEvaluation,
  samplePackage,
  samplePerson,
  sampleWaiver,
} from './sample-history.test-support.ts'

const day = 86_400_000
const now = Date.UTC(2026, 0, 5)
const subject = { is: 'board', board: 'shop' } as const

onEachDatabase((open, address) => {
  const database = openForEachTest(open)

  /** Records a run and decides on it. */
  async function release(newest: string | null, at = now, by = 'ann', on = database) {
    const evaluation = sampleEvaluation(at - 1000)
    await addEvaluation(on, evaluation)
    const { id, packagePath, sha256, repositoryUrl, scan } = evaluation.summary
    const waiver = await addWaiver(on, sampleWaiver(at + day), {
      ...samplePerson(),
      at,
      detail: 'Waived.',
    })
    const places: ReleasedPlace[] = [
      {
        ...{ packagePath, sha256, repositoryUrl, scan, run: id },
        ...{ verdict: 'releasable-with-waivers', by: 'ada', endedAt: at },
      },
    ]
    const asked: NewDecision = {
      ...{ action: 'release', subject, reason: 'it is \0 time', newest },
      ...{ places, accepted: [] },
    }
    const decision = await addDecision(
      on,
      asked,
      {
        ...{ verdict: 'releasable-with-waivers', content: 'c', waivers: [waiver.id], concerns: [] },
        places,
      },
      { ...samplePerson(by), at, detail: `Released by ${by}.` },
    )
    return { decision, run: id, waiver: waiver.id, places }
  }

  async function revoke(newest: string, at = now, on = database) {
    const asked = { action: 'revoke', subject, reason: 'a leak', newest } as const
    return addDecision(on, asked, undefined, {
      ...samplePerson('bo'),
      at,
      detail: 'Revoked.',
    })
  }

  test('a release is listed with what it stands on, and noted', async () => {
    const { decision, places } = await release(null)
    expect(decision).toMatchObject({
      ...{ by: 'ann', action: 'release', subject, reason: 'it is \ufffd time', runs: 1 },
      ...{ verdict: 'releasable-with-waivers', content: 'c', concerns: [] },
    })
    expect(await listDecisions(database, { board: 'shop' }, 10)).toEqual([decision])
    expect(await listDecisions(database, { board: 'other' }, 10)).toEqual([])
    expect(await findDecision(database, decision?.id ?? '')).toEqual({ decision, places })
    const [action] = await listActions(database, { actions: ['released'] }, 1)
    expect(action).toMatchObject({ action: 'released', subject: 'board shop', by: 'ann' })
  })

  test('of two who decide at once one does', async () => {
    const both = await Promise.all([release(null, now, 'ann'), release(null, now, 'bo')])
    const made = both.flatMap(({ decision }) => decision ?? [])
    expect(made.length).toBe(1)
    expect(await listDecisions(database, {}, 10)).toEqual(made)
    const noted = await listActions(database, { actions: ['released'] }, 10)
    expect(noted.map(({ by }) => by)).toEqual(made.map(({ by }) => by))
  })

  test('a release is revoked by another entry, whose clock may be behind', async () => {
    const { decision } = await release(null)
    const revoked = await revoke(decision?.id ?? '', now - day)
    expect(revoked).toMatchObject({ action: 'revoke', by: 'bo', revokes: decision?.id })
    expect(await newestDecision(database, subject)).toEqual(revoked)
    expect(await listDecisions(database, {}, 10)).toEqual([revoked, decision])
    expect((await release(decision?.id ?? '')).decision).toBeUndefined()
    expect((await release(revoked?.id ?? '')).decision).toBeDefined()
  })

  test('the newest is the newest where letters have another order', async (context) => {
    if (database.dialect === 'sqlite') context.skip('SQLite sorts ids in one order.')
    const url = new URL(await address())
    const server = new pg.Client(url.href)
    await server.connect()
    await server.query(`create database estonian template template0 encoding 'UTF8'
      locale 'C' locale_provider icu icu_locale 'et'`)
    await server.end()
    url.pathname = '/estonian'
    const estonian = await openDatabase(url.href)
    // The ids begin alike but for a t and a z, which comes before it there.
    const [first, second] = [26, 31].map((digit) => Math.floor(now / 32) * 32 + digit)
    const { decision: one } = await release(null, first, 'ann', estonian)
    const other = await revoke(one?.id ?? '', second, estonian)
    expect(other?.action).toBe('revoke')
    expect(await newestDecision(estonian, subject)).toEqual(other)
    expect(await listDecisions(estonian, {}, 9)).toEqual([other, one])
    await estonian.close()
  })

  test('the runs and waivers of a release outlast the sweep, and what stood beside them does not', async () => {
    const beside = sampleEvaluation(now - 2000)
    await addEvaluation(database, beside)
    const { run, waiver, decision } = await release(null)
    await revoke(decision?.id ?? '')
    const limits = { keepFrom: now + 400 * day, keepPerScan: 1 }
    expect(await sweepHistory(database, limits)).toBe(1)
    expect(await findEvaluation(database, run)).toBeDefined()
    expect(await findWaiver(database, waiver)).toBeDefined()
    expect(await findEvaluation(database, beside.summary.id)).toBeUndefined()
  })

  test('the database lets nobody change or remove a decision', async () => {
    const { decision } = await release(null)
    const { kysely } = database
    await expect(kysely.updateTable('decisions').set({ by_user: 'eve' }).execute()).rejects.toThrow(
      /never changed/,
    )
    await expect(kysely.deleteFrom('decisions').execute()).rejects.toThrow(/never changed/)
    expect(await listDecisions(database, {}, 10)).toEqual([decision])
  })

  test('a decision on a scan is found by its package, in all versions too', async () => {
    const place = { packagePath: samplePackage, sha256: 'ab'.repeat(32), repositoryUrl: 'r' }
    const asked: NewDecision = {
      ...{ action: 'release', subject: { is: 'scan', ...place, scan: 'release' }, reason: 'r' },
      ...{
        newest: null,
        places: [{ ...place, scan: 'release', run: null }],
        accepted: ['missing'],
      },
    }
    const findings = { verdict: 'open', content: 'c', waivers: [], concerns: ['missing'] } as const
    const act = { ...samplePerson(), at: now, detail: 'd' }
    const decision = await addDecision(
      database,
      asked,
      { ...findings, waivers: [], concerns: ['missing'], places: [] },
      act,
    )
    const all = samplePackage.replace(/[^/]*$/, '*')
    for (const filter of [{ path: samplePackage }, { path: all }, { path: all, scan: 'release' }]) {
      expect(await listDecisions(database, filter, 10)).toEqual([decision])
    }
    expect(await listDecisions(database, { path: all, scan: 'nightly' }, 10)).toEqual([])
  })
})
