import { expect, test } from 'vitest'
import { ActionList, actionsPath } from '../../../protocol/audit-log.ts'
import {
  ChangedWaivers,
  type NewWaiver,
  Waiver,
  waiverApprovalPath,
  waiverBulkPath,
  waiverEndPath,
  WaiverList,
  unmatchedWaiversPath,
  UnmatchedWaivers,
  waiversPath,
} from '../../../protocol/waiver.ts'
import type { Database } from '../../store/database.ts'
import { addEvaluation } from '../../store/evaluations.ts'
import { sampleEvaluation, sampleWaiver } from '../../store/sample-history.test-support.ts'
import { gzipSync } from 'node:zlib'
import { postJson as post } from '../proxy-on-socket.test-support.ts'
import { type HistoryServer, historyServer } from './history-server.test-support.ts'

const day = 24 * 3_600_000

function asked(proxy: HistoryServer, change: Partial<NewWaiver> = {}): NewWaiver {
  return sampleWaiver(proxy.clock.now() + 14 * day, change)
}

async function give(proxy: HistoryServer, change: Partial<NewWaiver> = {}): Promise<Waiver> {
  const response = await post(proxy, waiversPath, asked(proxy, change))
  expect(response.status).toBe(201)
  return Waiver.parse(await response.json())
}

async function list(proxy: HistoryServer): Promise<WaiverList> {
  return WaiverList.parse(await (await proxy.ask(waiversPath)).json())
}

async function detailOf(response: Response): Promise<string> {
  return String(((await response.json()) as { detail?: unknown }).detail)
}

const versionPath = (version: string) => `/packages/npm/@acme/app/${version}`

test('one policy is waived on many packages by one request, each noted with its group', async () => {
  const proxy = await historyServer()
  const waivers = Array.from({ length: 40 }, (_, n) =>
    asked(proxy, { packagePath: versionPath(`1.0.${n}`), ticket: 'REL-42' }),
  )
  const response = await post(proxy, waiverBulkPath, { waivers })
  expect(response.status).toBe(201)
  const given = ChangedWaivers.parse(await response.json()).waivers
  expect(given).toHaveLength(40)
  expect(new Set(given.map(({ group }) => group)).size).toBe(1)
  const { actions } = ActionList.parse(await (await proxy.ask(actionsPath)).json())
  expect(actions).toHaveLength(40)
  expect(actions[0]?.detail).toContain('one of 40 at once, ticket REL-42')
})

test('of many waivers with one mistake none is given, and the mistake is named by its place', async () => {
  const proxy = await historyServer()
  const bad = { waivers: [asked(proxy), asked(proxy, { reason: ' ' }), asked(proxy)] }
  const response = await post(proxy, waiverBulkPath, bad)
  expect(response.status).toBe(400)
  expect(await detailOf(response)).toBe(
    'waivers[1].reason is empty. Explain why the policy is waived.',
  )
  expect((await list(proxy)).waivers).toEqual([])
  const many = { waivers: Array.from({ length: 501 }, () => asked(proxy)) }
  expect(await detailOf(await post(proxy, waiverBulkPath, many))).toContain('more than 500 waivers')
  expect(await detailOf(await post(proxy, waiverBulkPath, { waivers: [] }))).toContain('no waivers')
})

test('several are ended by one request, or none where one is over', async () => {
  const proxy = await historyServer()
  const [one, two] = [await give(proxy), await give(proxy, { scan: 'audit' })]
  const ids = [one.id, two.id]
  expect((await post(proxy, waiverEndPath, { ids })).status).toBe(200)
  // The answer was lost: who ended them is not told that they did.
  const same = await post(proxy, waiverEndPath, { ids })
  expect(ChangedWaivers.parse(await same.json()).waivers).toMatchObject(ids.map((id) => ({ id })))
  const three = await give(proxy)
  const bob = await historyServer(undefined, { user: 'bob', database: proxy.database })
  const again = await post(bob, waiverEndPath, { ids: [three.id, one.id] })
  expect([again.status, await detailOf(again)]).toEqual([409, 'ada has already ended it (sbom).'])
  expect((await list(proxy)).waivers.find(({ id }) => id === three.id)?.endedAt).toBeNull()
  await give(proxy, { renews: three.id, expiresAt: proxy.clock.now() + 30 * day })
  const renewed = await post(proxy, waiverEndPath, { ids: [three.id] })
  expect(await detailOf(renewed)).toBe('ada has already renewed it.')
  expect((await post(proxy, waiverEndPath, { ids: ['nothing'] })).status).toBe(404)
})

test.each<[string, Partial<NewWaiver>, string]>([
  ['a script for a ticket', { ticket: 'javascript:alert(1)' }, 'ticket must be an address'],
  ['a password in a ticket', { ticket: 'https://u:p@tickets.example/1' }, 'ticket must be an'],
  ['a ticket too long', { ticket: `https://t.example/${'a'.repeat(500)}` }, 'ticket has more than'],
  [
    'versions the wrong way round',
    { versions: { from: '2.10', until: '2.9' } },
    'versions match nothing: 2.10 comes after 2.9.',
  ],
  [
    'versions that have no order',
    { versions: { from: 'latest', until: '2.9' } },
    "versions can't be compared: latest and 2.9.",
  ],
  ['a renewal of nothing', { renews: 'nothing' }, "renews isn't the id of a waiver"],
])('a waiver with %s is refused', async (_what, change, words) => {
  const proxy = await historyServer()
  const response = await post(proxy, waiversPath, asked(proxy, change))
  expect([response.status, await detailOf(response)]).toEqual([
    400,
    expect.stringContaining(words) as unknown,
  ])
})

test('a renewal is another entry with a new end; only one of another policy is refused', async () => {
  const proxy = await historyServer()
  const old = await give(proxy)
  const other = await post(proxy, waiversPath, asked(proxy, { renews: old.id, scan: 'audit' }))
  expect(other.status).toBe(400)
  proxy.clock.advance(1)
  const renewed = await give(proxy, { renews: old.id, expiresAt: proxy.clock.now() + 30 * day })
  const { waivers } = await list(proxy)
  expect(waivers.map(({ id, endedAt }) => [id, endedAt === null])).toEqual([
    [renewed.id, true],
    [old.id, false],
  ])
  const again = await post(proxy, waiversPath, asked(proxy, { renews: old.id }))
  expect(again.status).toBe(409)
  const { actions } = ActionList.parse(await (await proxy.ask(actionsPath)).json())
  expect(actions.map(({ action }) => action)).toEqual(['waiver-renewed', 'waiver-given'])
})

async function withApproval(approval: WaiverList['approval']) {
  const ada = await historyServer(undefined, { user: 'ada', settings: { approval } })
  const { database } = ada
  const as = (user: string, more: Parameters<typeof historyServer>[1] = {}) =>
    historyServer(undefined, { user, database, settings: { approval }, ...more })
  return { ada, bob: await as('bob'), as }
}

test('where approval is required a waiver counts once somebody else has approved it', async () => {
  const { ada, bob, as } = await withApproval('required')
  const { id, needsApproval } = await give(ada)
  expect(needsApproval).toBe(true)
  expect((await list(ada)).approval).toBe('required')
  const own = await post(ada, waiverApprovalPath, { ids: [id] })
  expect([own.status, await detailOf(own)]).toEqual([
    403,
    'You granted this waiver. Another releaser must approve.',
  ])
  bob.clock.advance(1)
  const response = await post(bob, waiverApprovalPath, { ids: [id] })
  const { waivers } = ChangedWaivers.parse(await response.json())
  expect(waivers).toMatchObject([{ id, approvedBy: 'bob', by: 'ada' }])
  const again = await post(bob, waiverApprovalPath, { ids: [id] })
  expect(ChangedWaivers.parse(await again.json())).toEqual({ waivers })
  const late = await post(await as('cy'), waiverApprovalPath, { ids: [id] })
  expect([late.status, await detailOf(late)]).toEqual([409, 'bob has already approved it.'])
  const { actions } = ActionList.parse(await (await ada.ask(actionsPath)).json())
  expect(actions.map(({ action, by }) => [action, by])).toEqual([
    ['waiver-approved', 'bob'],
    ['waiver-given', 'ada'],
  ])
})

test('an approval of what was withdrawn or declined meanwhile says who did', async () => {
  const { ada, bob, as } = await withApproval('required')
  const cy = await as('cy')
  for (const [by, words] of [
    [ada, 'ada has already withdrawn it.'],
    [cy, 'cy has already declined it.'],
  ] as const) {
    const { id } = await give(ada)
    expect((await post(by, waiverEndPath, { ids: [id] })).status).toBe(200)
    const late = await post(bob, waiverApprovalPath, { ids: [id] })
    expect([late.status, await detailOf(late)]).toEqual([409, words])
  }
  const { actions } = ActionList.parse(await (await ada.ask(actionsPath)).json())
  expect(actions.map(({ detail }) => detail.split(' ')[0]).toSorted()).toEqual([
    'Declined',
    'Waived',
    'Waived',
    'Withdrew',
  ])
})

test('beside an identity provider only an admin approves what was given with an access token, as one person may have both', async () => {
  const { ada: token, as } = await withApproval('required')
  const { id } = await give(token)
  const releaser = await as('ada@acme.example', { mode: 'oidc', roles: ['releaser'] })
  const refused = await post(releaser, waiverApprovalPath, { ids: [id] })
  expect([refused.status, await detailOf(refused)]).toEqual([
    403,
    "This waiver was granted with an access token, which doesn't say who has it. An admin must approve it.",
  ])
  expect((await list(releaser)).waivers).toMatchObject([{ isOwn: false, needsAdmin: true }])
  expect((await list(token)).waivers).toMatchObject([{ isOwn: true, needsAdmin: false }])
  const admin = await as('root', { mode: 'oidc', roles: ['admin'] })
  expect((await post(admin, waiverApprovalPath, { ids: [id] })).status).toBe(200)
  const given = await give(releaser)
  const other = await as('bob@acme.example', { mode: 'oidc', roles: ['releaser'] })
  expect((await post(other, waiverApprovalPath, { ids: [given.id] })).status).toBe(200)
})

async function addRun(
  database: Database,
  at: number,
  change: Parameters<typeof sampleEvaluation>[1] = {},
  severities = ['HIGH'],
): Promise<void> {
  const lines = severities.map((severity) => {
    const labels = { 'policy.acme.example/severity': severity }
    const result = { policyUri: '/policies/BuildTool/sbom', status: 'unsatisfied', labels }
    return `${JSON.stringify(result)}\n`
  })
  const run = sampleEvaluation(at, { failing: ['/policies/BuildTool/sbom'], ...change })
  await addEvaluation(database, {
    ...run,
    leftOut: 0,
    body: new Uint8Array(gzipSync(lines.join(''))),
  })
}

test('approval may depend on the scan, and on how severe the recorded run says the policy is', async () => {
  const { ada } = await withApproval({ scans: ['audit'], severities: ['high'] })
  const needs = async (change: Partial<NewWaiver> = {}) => (await give(ada, change)).needsApproval
  expect(await needs({ scan: 'audit' })).toBe(true)
  // Nothing is recorded: it may be severe.
  expect(await needs()).toBe(true)
  await addRun(ada.database, ada.clock.now() - 1000, {}, ['low'])
  expect(await needs()).toBe(false)
  await addRun(ada.database, ada.clock.now(), {}, ['High', 'low'])
  expect(await needs()).toBe(true)
})

test('the register says which waivers no run has needed since they were given', async () => {
  const proxy = await historyServer()
  const now = proxy.clock.now()
  await addRun(proxy.database, now - day, { failing: [] })
  const [needed, unneeded, unknown] = [
    await give(proxy),
    await give(proxy, { policyUri: '/policies/BuildTool/other' }),
    await give(proxy, { packagePath: versionPath('9.9') }),
  ]
  const unmatched = async () =>
    UnmatchedWaivers.parse(await (await proxy.ask(unmatchedWaiversPath)).json()).ids
  expect(await unmatched()).toEqual([])
  await addRun(proxy.database, now + 1000)
  await addRun(proxy.database, now + 2000, { failing: [] })
  const ids = await unmatched()
  expect(ids).toEqual([unneeded.id])
  expect(ids).not.toContain(needed.id)
  expect(ids).not.toContain(unknown.id)
  // Nor do runs of another scan or package say anything of it.
  const [ofScan, ofPackage] = [
    await give(proxy, { scan: 'nightly' }),
    await give(proxy, { packagePath: '/packages/npm/@acme/other/1.0.0' }),
  ]
  await addRun(proxy.database, now + 3000, { failing: [] })
  expect(await unmatched()).not.toContain(ofScan.id)
  expect(await unmatched()).not.toContain(ofPackage.id)
})
