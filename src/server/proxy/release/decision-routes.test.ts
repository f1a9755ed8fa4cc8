import { describe, expect, test } from 'vitest'
import { ActionList } from '../../../protocol/audit-log.ts'
import {
  Decision,
  DecisionList,
  DecisionRecord,
  decisionsPath,
} from '../../../protocol/decision.ts'
import type { Role } from '../../../protocol/session.ts'
import { addEvaluation } from '../../store/evaluations.ts'
import {
  addWaiver,
  sampleEvaluation,
  samplePackage,
  samplePerson,
  sampleWaiver,
} from '../../store/sample-history.test-support.ts'
import { type HistoryServer, historyServer } from '../history/history-server.test-support.ts'
import { postJson, problemOf } from '../proxy-on-socket.test-support.ts'

const sha256 = 'ab'.repeat(32)
/** Of a pasted board no configuration says what it has. */
const subject = { is: 'board', board: 'pasted-shop' }
const shop = {
  name: 'shop',
  scans: ['release', 'nightly'],
  packages: [
    {
      purl: 'pkg:npm/%40acme/app@1.0.0',
      sha256,
      repositoryUrl: 'registry.example/shop',
      scans: [],
    },
    { purl: 'pkg:oci/pay@2', sha256, repositoryUrl: 'registry.example/shop', scans: ['release'] },
  ],
  require: [],
}
const passed = {
  verdict: 'releasable',
  counts: { satisfied: 3, unsatisfied: 0, 'not-applicable': 2, unknown: 0 },
  unreadable: 0,
  failing: [],
} as const

function place(run: string | null, scan = 'release') {
  return { packagePath: samplePackage, sha256, repositoryUrl: 'registry.example/shop', scan, run }
}

async function record(
  { database, clock }: HistoryServer,
  change: Parameters<typeof sampleEvaluation>[1] = {},
  ago = 1000,
): Promise<string> {
  const evaluation = sampleEvaluation(clock.now() - ago, { ...passed, failing: [], ...change })
  await addEvaluation(database, evaluation)
  return evaluation.summary.id
}

const decide = (proxy: HistoryServer, body: object): Promise<Response> =>
  postJson(proxy, decisionsPath, { subject, reason: 'it is time', ...body })

const release = { action: 'release', newest: null, accepted: [] }

describe('a release', () => {
  test('is made on what the history says, whoever asks what, and stands in the audit log', async () => {
    const proxy = await historyServer()
    const run = await record(proxy)
    const made = await decide(proxy, { ...release, places: [{ ...place(run), verdict: 'open' }] })
    expect(made.status).toBe(201)
    const decision: unknown = await made.json()
    expect(decision).toMatchObject({ by: 'ada', verdict: 'releasable', runs: 1, waivers: [] })
    const list = DecisionList.parse(
      await (await proxy.ask(`${decisionsPath}?board=pasted-shop`)).json(),
    )
    expect(list.decisions).toEqual([decision])
    const [{ id } = { id: '' }] = list.decisions
    const found: unknown = await (await proxy.ask(`${decisionsPath}/${id}`)).json()
    expect(DecisionRecord.parse(found).places).toMatchObject([{ run, verdict: 'releasable' }])
    const { actions } = ActionList.parse(await (await proxy.ask('/history/actions')).json())
    expect(actions[0]).toMatchObject({
      action: 'released',
      subject: 'board pasted-shop',
      detail: 'Released by ada on 1 run of pasted-shop: it is time',
    })
  })

  test('counts the waivers in force, and names them', async () => {
    const proxy = await historyServer()
    const policyUri = '/policies/BuildTool/sbom'
    const run = await record(proxy, {
      verdict: 'not-releasable',
      counts: { satisfied: 3, unsatisfied: 1, 'not-applicable': 0, unknown: 0 },
      failing: [policyUri],
    })
    const refused = await decide(proxy, { ...release, places: [place(run)] })
    expect(await problemOf(refused)).toMatchObject({
      type: 'urn:sightline:problem:decision-concerns',
      status: 409,
      detail: '1 run has unsatisfied policies: app 1.0.0 (release).',
      concerns: ['unsatisfied'],
    })
    const waiver = await addWaiver(
      proxy.database,
      sampleWaiver(proxy.clock.now() + 60_000, { policyUri }),
      { ...samplePerson(), at: proxy.clock.now(), detail: 'Waived.' },
    )
    const made = await decide(proxy, { ...release, places: [place(run)] })
    expect(await made.json()).toMatchObject({
      verdict: 'releasable-with-waivers',
      waivers: [waiver.id],
      concerns: [],
    })
  })

  test('on what is incomplete, stale or missing takes a confirmation that says so', async () => {
    const proxy = await historyServer()
    const old = await record(proxy, { scan: 'nightly' }, 25 * 3_600_000)
    const cut = await record(proxy, { ended: 'broken', verdict: 'undecided' })
    const places = [place(old, 'nightly'), place(cut), place(null, 'weekly')]
    const refused = await decide(proxy, { ...release, places, accepted: ['stale'] })
    expect(await problemOf(refused)).toMatchObject({
      status: 409,
      concerns: ['incomplete', 'missing'],
      detail:
        '1 run is incomplete: app 1.0.0 (release). 1 scan has no recorded run: app 1.0.0 (weekly).',
    })
    const accepted = ['stale', 'incomplete', 'missing']
    const made = await decide(proxy, { ...release, places, accepted })
    expect(await made.json()).toMatchObject({ concerns: ['incomplete', 'missing', 'stale'] })
  })

  test('may be on thousands of results', async () => {
    const proxy = await historyServer()
    const places = Array.from({ length: 8000 }, (_, at) => place(null, `scan-${at}`))
    expect(JSON.stringify(places).length).toBeGreaterThan(1024 * 1024)
    const refused = await decide(proxy, { ...release, places })
    expect(await problemOf(refused)).toMatchObject({ status: 409, concerns: ['missing'] })
    const made = await decide(proxy, { ...release, places, accepted: ['missing'] })
    expect(made.status).toBe(201)
  })

  test('on a run after which a newer one was recorded takes a confirmation that says so', async () => {
    const proxy = await historyServer()
    const seen = await record(proxy, {}, 60_000)
    const latest = await record(proxy, {
      verdict: 'not-releasable',
      counts: { satisfied: 3, unsatisfied: 1, 'not-applicable': 0, unknown: 0 },
      failing: ['/policies/A/b'],
    })
    // Newer, but it doesn't say how the scan comes out.
    await record(proxy, { ended: 'broken' }, 500)
    const refused = await decide(proxy, { ...release, places: [place(seen)] })
    expect(await problemOf(refused)).toMatchObject({
      status: 409,
      concerns: ['superseded'],
      detail: "1 run isn't the newest one recorded: app 1.0.0 (release).",
    })
    const onLatest = await decide(proxy, { ...release, places: [place(latest)] })
    expect(await problemOf(onLatest)).toMatchObject({ concerns: ['unsatisfied'] })
    const made = await decide(proxy, {
      ...release,
      places: [place(seen)],
      accepted: ['superseded'],
    })
    expect(await made.json()).toMatchObject({ verdict: 'releasable', concerns: ['superseded'] })
  })

  test('on a run that began before the newest one takes it, too, though it ended later', async () => {
    const proxy = await historyServer()
    const slow = await record(proxy, { endedAt: proxy.clock.now() }, 60_000)
    const quick = await record(proxy, {}, 30_000)
    const refused = await decide(proxy, { ...release, places: [place(slow)] })
    expect(await problemOf(refused)).toMatchObject({ concerns: ['superseded'] })
    expect((await decide(proxy, { ...release, places: [place(quick)] })).status).toBe(201)
  })

  test('on a run before one that found an unsatisfied policy and broke off takes it, too', async () => {
    const proxy = await historyServer()
    const seen = await record(proxy, {}, 60_000)
    const policyUri = '/policies/A/b'
    const cut = await record(proxy, {
      ...{ ended: 'broken', verdict: 'not-releasable', failing: [policyUri] },
      counts: { satisfied: 1, unsatisfied: 1, 'not-applicable': 0, unknown: 0 },
    })
    const refused = await decide(proxy, { ...release, places: [place(seen)] })
    expect(await problemOf(refused)).toMatchObject({ concerns: ['superseded'] })
    // What it has not read may fail, too: a waiver for what it has read lets nothing pass.
    const { clock, database } = proxy
    const act = { ...samplePerson(), at: clock.now(), detail: 'Waived.' }
    await addWaiver(database, sampleWaiver(clock.now() + 60_000, { policyUri }), act)
    const accepted = ['incomplete']
    const made = await decide(proxy, { ...release, places: [place(cut)], accepted })
    expect(await made.json()).toMatchObject({ verdict: 'undecided' })
  })

  test('on the last complete run takes none where all that later ones found is waived', async () => {
    const proxy = await historyServer()
    const { clock, database } = proxy
    const seen = await record(proxy, {}, 60_000)
    const broke = { ended: 'broken', verdict: 'not-releasable' } as const
    const counts = { satisfied: 1, unsatisfied: 1, 'not-applicable': 0, unknown: 0 }
    await record(proxy, { ...broke, counts, failing: ['/policies/A/b'] }, 50_000)
    await record(proxy, { ...broke, counts, failing: ['/policies/A/c'] }, 40_000)
    const waive = (policyUri: string) =>
      addWaiver(database, sampleWaiver(clock.now() + 60_000, { policyUri }), {
        ...{ ...samplePerson(), at: clock.now(), detail: 'Waived.' },
      })
    await waive('/policies/A/c')
    const refused = await decide(proxy, { ...release, places: [place(seen)] })
    expect(await problemOf(refused)).toMatchObject({ concerns: ['superseded'] })
    await waive('/policies/A/b')
    const made = await decide(proxy, { ...release, places: [place(seen)] })
    expect(await made.json()).toMatchObject({ verdict: 'releasable', concerns: [] })
  })

  test('on a run that checked nothing takes it, too', async () => {
    const proxy = await historyServer()
    const counts = { satisfied: 0, unsatisfied: 0, 'not-applicable': 0, unknown: 0 }
    const run = await record(proxy, { verdict: 'nothing-applied', counts })
    const refused = await decide(proxy, { ...release, places: [place(run)] })
    expect(await problemOf(refused)).toMatchObject({
      concerns: ['nothing-checked'],
      detail: '1 run checked nothing: app 1.0.0 (release).',
    })
  })

  test('without the evidence that its board requires, or of high severity, takes a confirmation too', async () => {
    const board = { ...shop, scans: ['release'], packages: shop.packages.slice(0, 1) }
    const boards = [
      { ...board, require: ['signed'] },
      { ...board, name: 'another' },
    ]
    const proxy = await historyServer(undefined, { shared: { boards } })
    const notApplicable = [
      { uri: '/policies/Keys/signed', severity: '' },
      { uri: '/policies/BuildTool/sbom', severity: 'high' },
    ]
    const run = await record(proxy, { reasons: { failing: [], notApplicable } })
    const places = [place(run)]
    const onShop = { ...release, places, subject: { is: 'board', board: 'shop' } }
    const refused = await problemOf(await decide(proxy, onShop))
    expect(refused).toMatchObject({ status: 409, concerns: ['required', 'unchecked'] })
    const elsewhere = { ...release, places, subject: { is: 'board', board: 'another' } }
    expect(await problemOf(await decide(proxy, elsewhere))).toMatchObject({
      concerns: ['unchecked'],
    })
    const made = await decide(proxy, { ...onShop, accepted: ['required', 'unchecked'] })
    expect(made.status).toBe(201)
    const { decision, places: kept } = DecisionRecord.parse(
      await (await proxy.ask(`${decisionsPath}/${Decision.parse(await made.json()).id}`)).json(),
    )
    expect(decision).toMatchObject({ concerns: ['required', 'unchecked'] })
    expect(Object.keys(kept[0] ?? {})).not.toContain('unchecked')
  })

  test('is refused to whoever has not seen the one before it, with that one', async () => {
    const proxy = await historyServer()
    const places = [place(await record(proxy))]
    const first: unknown = await (await decide(proxy, { ...release, places })).json()
    const refused = await decide(proxy, { ...release, places, reason: 'another one' })
    expect(await problemOf(refused)).toMatchObject({
      type: 'urn:sightline:problem:decision-newer',
      status: 409,
      detail: 'ada has released it in the meantime: it is time',
      newest: first,
    })
  })

  test('that is sent again, as its answer was lost, is made and noted once', async () => {
    const proxy = await historyServer()
    const asked = { ...release, places: [place(await record(proxy))] }
    const made: unknown = await (await decide(proxy, asked)).json()
    const { id } = Decision.parse(made)
    const again = await Promise.all([decide(proxy, asked), decide(proxy, asked)])
    for (const response of again) {
      expect(response.status).toBe(201)
      expect(await response.json()).toEqual(made)
    }
    const other = { ...asked, places: [place(await record(proxy))] }
    expect((await decide(proxy, other)).status).toBe(409)
    const revoke = { action: 'revoke', newest: id, reason: 'a leak' }
    const revoked: unknown = await (await decide(proxy, revoke)).json()
    expect(await (await decide(proxy, revoke)).json()).toEqual(revoked)
    expect((await decide(proxy, asked)).status).toBe(409)
    const { actions } = ActionList.parse(await (await proxy.ask('/history/actions')).json())
    expect(actions.map(({ action }) => action).toSorted()).toEqual(['release-revoked', 'released'])
  })

  test.each([
    ['a run that is none', { places: [place('nothing')] }],
    ['no place', { places: [] }],
    ['no reason', { places: [place(null)], reason: ' ' }],
    ['a place twice', { places: [place(null), place(null)], accepted: ['missing'] }],
  ])('with %s is refused', async (_, body) => {
    const proxy = await historyServer()
    expect((await decide(proxy, { ...release, ...body })).status).toBe(400)
  })

  test('on a run of another repository is one of another artifact', async () => {
    const proxy = await historyServer()
    const run = await record(proxy)
    const other = { ...place(run), repositoryUrl: 'other.example/shop' }
    const refused = await decide(proxy, { ...release, places: [other] })
    expect(await problemOf(refused)).toMatchObject({ status: 409, concerns: ['digest'] })
  })

  test('on a run of another scan is refused', async () => {
    const proxy = await historyServer()
    const run = await record(proxy, { scan: 'nightly' })
    expect((await decide(proxy, { ...release, places: [place(run)] })).status).toBe(400)
  })
})

describe('what is decided on is held by the limits, whatever the request says of its places', () => {
  const roles: Role[] = ['releaser']
  const limits = { packages: ['npm/@acme/app'], scans: ['release'] }
  const boards = [shop]
  const limited = async () => historyServer(undefined, { roles, limits, shared: { boards } })
  const pay = { ...place(null), packagePath: '/packages/oci/pay/2' }

  test('a policy scan is released on its own place alone', async () => {
    const proxy = await limited()
    const own = place(await record(proxy))
    const { run: _, ...of } = own
    const foreign = { is: 'scan', ...of, packagePath: pay.packagePath }
    const forged = { ...release, accepted: ['digest'] }
    expect((await decide(proxy, { ...forged, subject: foreign, places: [own] })).status).toBe(400)
    const refused = await decide(proxy, { ...forged, subject: foreign, places: [pay] })
    expect(await problemOf(refused)).toMatchObject({ status: 403 })
    const more = {
      ...forged,
      subject: { is: 'scan', ...of },
      places: [own, place(null, 'nightly')],
    }
    expect((await decide(proxy, more)).status).toBe(400)
    const made = await decide(proxy, { ...release, subject: { is: 'scan', ...of }, places: [own] })
    expect(made.status).toBe(201)
  })

  test('a configured board is released on all of its cells', async () => {
    const all = await historyServer(undefined, { shared: { boards } })
    const run = place(await record(all))
    const onShop = { ...release, subject: { is: 'board', board: 'shop' }, accepted: ['missing'] }
    const some = await decide(all, { ...onShop, places: [run] })
    expect(await problemOf(some)).toMatchObject({
      status: 409,
      type: expect.stringMatching(/board-changed$/) as unknown,
    })
    const places = [run, place(null, 'nightly'), pay]
    const made = await decide(all, { ...onShop, places })
    expect(made.status).toBe(201)
    const { id } = Decision.parse(await made.json())
    const { database } = all
    const proxy = await historyServer(undefined, { roles, limits, shared: { boards }, database })
    const again = { ...onShop, newest: id }
    expect((await decide(proxy, { ...again, places })).status).toBe(403)
    expect((await decide(proxy, { ...again, places: [run] })).status).toBe(409)
    const revoke = { action: 'revoke', newest: id, subject: onShop.subject }
    expect((await decide(proxy, revoke)).status).toBe(403)
  })

  test('a board that is neither configured nor pasted is not released', async () => {
    const proxy = await limited()
    const places = [place(await record(proxy))]
    const nowhere = { ...release, places, subject: { is: 'board', board: 'Shop' } }
    expect((await decide(proxy, nowhere)).status).toBe(404)
  })

  test('a pasted board is held by its places, and by those of the decision before', async () => {
    const all = await historyServer()
    const places = [place(await record(all))]
    const first = await decide(all, { ...release, accepted: ['missing'], places: [pay] })
    const { id } = Decision.parse(await first.json())
    const { database } = all
    const proxy = await historyServer(undefined, { roles, limits, database })
    expect((await decide(proxy, { ...release, places, newest: id })).status).toBe(403)
    expect((await decide(proxy, { action: 'revoke', newest: id })).status).toBe(403)
  })
})

test('a release is revoked once, with a reason', async () => {
  const proxy = await historyServer()
  const places = [place(await record(proxy))]
  const { id } = Decision.parse(await (await decide(proxy, { ...release, places })).json())
  const revoke = { action: 'revoke', newest: id, reason: 'a leak' }
  const revoked = await decide(proxy, revoke)
  expect(await revoked.json()).toMatchObject({ action: 'revoke', revokes: id, reason: 'a leak' })
  expect((await decide(proxy, { ...revoke, reason: 'two leaks' })).status).toBe(409)
  const { actions } = ActionList.parse(await (await proxy.ask('/history/actions')).json())
  // Two actions of one millisecond may stand either way.
  const revocation = actions.find(({ action }) => action === 'release-revoked')
  expect(revocation?.detail).toBe('Revoked by ada: a leak')
})

test('a viewer reads decisions and makes none', async () => {
  const proxy = await historyServer(undefined, { roles: ['viewer'] })
  expect((await proxy.ask(decisionsPath)).status).toBe(200)
  const refused = await decide(proxy, { ...release, places: [place(null)] })
  expect(await problemOf(refused)).toMatchObject({ status: 403, requires: 'decide' })
})
