import { ActionList, actionsPath } from '../../../protocol/audit-log.ts'
import { describe, expect, test } from 'vitest'
import { EvaluationList, evaluationsPath } from '../../../protocol/evaluation.ts'
import {
  Waiver,
  waiverApprovalPath,
  waiverBulkPath,
  waiverEndPath,
  WaiverList,
  waiversPath,
} from '../../../protocol/waiver.ts'
import { addEvaluation } from '../../store/evaluations.ts'
import {
  sampleEvaluation,
  samplePackage,
  sampleWaiver,
} from '../../store/sample-history.test-support.ts'
import { type HistoryServer, historyServer } from './history-server.test-support.ts'
import { answering } from '../plain-server.test-support.ts'
import { postJson as post, problemOf } from '../proxy-on-socket.test-support.ts'

const day = 24 * 60 * 60 * 1000

async function give(proxy: HistoryServer, change: Parameters<typeof sampleWaiver>[1] = {}) {
  const asked = sampleWaiver(proxy.clock.now() + 30 * day, change)
  const response = await post(proxy, waiversPath, asked)
  expect(response.status).toBe(201)
  return Waiver.parse(await response.json())
}

describe('recorded evaluations', () => {
  test('are listed in pages, filtered as requested', async () => {
    const proxy = await historyServer()
    for (let n = 1; n <= 5; n += 1) {
      await addEvaluation(
        proxy.database,
        sampleEvaluation(n, { scan: n === 3 ? 'audit' : 'release' }),
      )
    }
    const page = async (query: string) =>
      EvaluationList.parse(await (await proxy.ask(`${evaluationsPath}?${query}`)).json())
    const path = encodeURIComponent('/packages/npm/@acme/app/*')
    const first = await page(`path=${path}&scan=release&limit=3`)
    expect(first.evaluations.map(({ startedAt }) => startedAt)).toEqual([5, 4, 2])
    expect(first.recording).toEqual({ ok: true, lost: 0, reason: null })
    const next = await page(`path=${path}&scan=release&limit=3&before=${first.next ?? ''}`)
    expect(next.evaluations.map(({ startedAt }) => startedAt)).toEqual([1])
    expect(next.next).toBeNull()
    expect((await page('limit=5')).next).toBeNull()
    await addEvaluation(
      proxy.database,
      sampleEvaluation(6, { repositoryUrl: 'registry.example.com/two', ended: 'broken' }),
    )
    const ofTwo = await page('repository=registry.example.com%2Ftwo')
    expect(ofTwo.evaluations.map(({ startedAt }) => startedAt)).toEqual([6])
    expect((await page('ended=complete')).evaluations).toHaveLength(5)
  })

  test.each([
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=', 'limit'],
    ['scan=a&scan=b', '"scan" may be given only once'],
    ['sort=by', '"sort". Known parameters: path, scan'],
    [`by=${'a'.repeat(3000)}`, '"by" is longer'],
    ['ended=well', '"ended" must be one of: complete, broken, cancelled.'],
  ])('refuse %s and say why', async (query, words) => {
    const proxy = await historyServer()
    const response = await proxy.ask(`${evaluationsPath}?${query}`)
    expect(response.status).toBe(400)
    expect((await problemOf(response)).detail).toContain(words)
  })

  test('are distinct from what was never recorded', async () => {
    const proxy = await historyServer()
    const response = await proxy.ask(`${evaluationsPath}/nothing`)
    expect(response.status).toBe(404)
    expect((await problemOf(response)).detail).toContain(
      "This run isn't recorded. It may have been deleted, may have failed to record,",
    )
  })
})

describe('who may see the history', () => {
  const paths = [evaluationsPath, `${evaluationsPath}/x`, actionsPath, waiversPath, '/history/x']

  test('nobody without a session, and no page of another site', async () => {
    const proxy = await historyServer()
    for (const path of paths) {
      expect((await fetch(`${proxy.url}${path}`)).status).toBe(401)
      const foreign = await proxy.ask(path, { headers: { origin: 'https://evil.example' } })
      expect(foreign.status).toBe(403)
    }
  })

  test('no screen', async () => {
    const proxy = await historyServer(undefined, { roles: ['screen'] })
    for (const path of paths) expect((await proxy.ask(path)).status).toBe(403)
    const waiver = sampleWaiver(proxy.clock.now() + day)
    expect((await post(proxy, waiversPath, waiver)).status).toBe(403)
    expect((await post(proxy, `${waiversPath}/x/end`)).status).toBe(403)
  })

  test.each([
    [evaluationsPath, 'POST', 'GET, HEAD'],
    [`${evaluationsPath}/x`, 'POST', 'GET, HEAD'],
    [actionsPath, 'POST', 'GET, HEAD'],
    [waiversPath, 'PUT', 'GET, HEAD, POST'],
    [`${waiversPath}/x/end`, 'GET', 'POST'],
    [waiverBulkPath, 'GET', 'POST'],
    [waiverEndPath, 'GET', 'POST'],
    [waiverApprovalPath, 'GET', 'POST'],
  ])('%s takes no %s', async (path, method, allow) => {
    const proxy = await historyServer()
    const response = await proxy.ask(path, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
  })

  test('nothing else is there', async () => {
    const proxy = await historyServer()
    expect((await proxy.ask('/history/else')).status).toBe(404)
    expect((await proxy.ask(`${waiversPath}/x`)).status).toBe(404)
  })
})

describe('waivers', () => {
  test('are given by who is signed in, listed, ended and noted', async () => {
    const proxy = await historyServer(undefined, { user: 'ada' })
    const waiver = await give(proxy, { reason: '  known  ', sha256: 'AB'.repeat(32) })
    expect(waiver).toMatchObject({
      by: 'ada',
      reason: 'known',
      person: 'Grace',
      sha256: 'ab'.repeat(32),
      packagePath: samplePackage,
      endedAt: null,
    })
    proxy.clock.advance(1000)
    const response = await post(proxy, `${waiversPath}/${waiver.id}/end`)
    const ended = Waiver.parse(await response.json())
    expect(ended).toEqual({ ...waiver, endedAt: waiver.createdAt + 1000, endedBy: 'ada' })
    const list = WaiverList.parse(
      await (await proxy.ask(`${waiversPath}?path=${encodeURIComponent(samplePackage)}`)).json(),
    )
    expect(list).toEqual({
      waivers: [{ ...ended, isOwn: true, needsAdmin: false }],
      longestMs: 90 * day,
      approval: 'none',
    })
    const { actions } = ActionList.parse(await (await proxy.ask(actionsPath)).json())
    expect(actions.map(({ action, subject, detail }) => [action, subject, detail])).toEqual([
      ['waiver-ended', samplePackage, 'Ended the waiver of sbom of release.'],
      [
        'waiver-given',
        samplePackage,
        'Waived sbom of release until Feb 4, 2026, 00:00 UTC. Responsible: Grace. Reason: known',
      ],
    ])
  })

  test('are given for one artifact whatever way its path is written', async () => {
    const proxy = await historyServer()
    const waiver = await give(proxy, { packagePath: '/packages/npm/%40acme/app/1%2e0.0' })
    expect(waiver.packagePath).toBe(samplePackage)
  })

  test('cannot be given or ended by a viewer, who learns which role it takes', async () => {
    const proxy = await historyServer(undefined, { roles: ['viewer'] })
    for (const path of [waiversPath, `${waiversPath}/x/end`]) {
      const response = await post(proxy, path, sampleWaiver(proxy.clock.now() + day))
      expect(response.status).toBe(403)
      expect((await problemOf(response)).detail).toContain('role releaser or admin')
    }
  })

  test.each<[string, (now: number) => unknown, string]>([
    ['no reason', () => ({ reason: undefined }), 'reason is missing.'],
    ['an empty reason', () => ({ reason: ' \n' }), 'reason is empty'],
    ['a reason too long', () => ({ reason: 'a'.repeat(2001) }), 'reason has more than 2000'],
    ['no person', () => ({ person: '' }), 'person is empty'],
    ['no end', () => ({ expiresAt: undefined }), 'expiresAt must be a time'],
    ['an end that is a text', () => ({ expiresAt: '2027-01-01' }), 'expiresAt must be a time'],
    ['an end that is past', (now) => ({ expiresAt: now }), "expiresAt isn't in the future."],
    [
      'an end too far',
      (now) => ({ expiresAt: now + 91 * day }),
      'expiresAt is too far ahead. A waiver can last at most 90 days',
    ],
    ['a digest too short', () => ({ sha256: 'ab' }), 'sha256 must be 64 hexadecimal digits.'],
    ['a place that is none', () => ({ packagePath: '/board/x' }), 'packagePath must be the path'],
    [
      'a scan in the path',
      () => ({ packagePath: `${samplePackage}/policy-scans/release` }),
      'packagePath must be',
    ],
    ['no scan', () => ({ scan: '' }), 'scan is empty.'],
    ['no policy', () => ({ policyUri: 7 }), 'policyUri must be text.'],
    [
      'an origin that is not known',
      () => ({ carriedFrom: 'nothing' }),
      "carriedFrom isn't the id of a",
    ],
  ])('are refused with %s, by the name of the field', async (_what, change, words) => {
    const proxy = await historyServer()
    const now = proxy.clock.now()
    const response = await post(
      proxy,
      waiversPath,
      Object.assign(sampleWaiver(now + day), change(now)),
    )
    expect(response.status).toBe(400)
    const { detail, mistakes } = await problemOf(response)
    expect(detail).toContain(words)
    expect(mistakes).toEqual([
      {
        field: words.split(' ')[0]?.replace(/^a$/, 'expiresAt'),
        mistake: expect.any(String) as unknown,
      },
    ])
  })

  test('may last as long as is configured, and every error is reported at once', async () => {
    const proxy = await historyServer(undefined, { settings: { longestWaiverDays: 3 } })
    const now = proxy.clock.now()
    expect((await post(proxy, waiversPath, sampleWaiver(now + 3 * day))).status).toBe(201)
    const bad = await post(
      proxy,
      waiversPath,
      sampleWaiver(now + 4 * day, { reason: '', person: '' }),
    )
    expect((await problemOf(bad)).mistakes).toHaveLength(3)
  })

  test.each<[string, string, number]>([
    ['no JSON', '{', 400],
    ['a list', '[]', 400],
    ['nothing', '', 400],
    ['more than fits', JSON.stringify({ reason: 'a'.repeat(4 * 1024 * 1024) }), 413],
  ])('are not given by a body that is %s', async (_what, body, status) => {
    const proxy = await historyServer()
    expect((await post(proxy, waiversPath, body)).status).toBe(status)
    const typeless = await proxy.ask(waiversPath, { method: 'POST', body: 'a=b' })
    expect(typeless.status).toBe(415)
  })

  test('end once: by a person, by another at the same time, or by themselves', async () => {
    const proxy = await historyServer()
    const { id } = await give(proxy)
    const people = await Promise.all(
      ['ada', 'bob', 'cy'].map((user) =>
        historyServer(undefined, { user, database: proxy.database }),
      ),
    )
    const answers = await Promise.all(people.map((one) => post(one, `${waiversPath}/${id}/end`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const late = answers.find(({ status }) => status === 409)
    if (late === undefined) throw new Error('nobody was late')
    expect((await problemOf(late)).detail).toMatch(/^(?:ada|bob|cy) has already ended it\.$/)
    const other = await give(proxy, { expiresAt: proxy.clock.now() + 1000 })
    proxy.clock.advance(1000)
    const over = await post(proxy, `${waiversPath}/${other.id}/end`)
    expect([over.status, (await problemOf(over)).detail]).toEqual([409, 'It has already expired.'])
    expect((await post(proxy, `${waiversPath}/nothing/end`)).status).toBe(404)
  })

  test('are carried to another version by name', async () => {
    const proxy = await historyServer()
    const { id } = await give(proxy)
    const next = await give(proxy, {
      carriedFrom: id,
      packagePath: '/packages/npm/@acme/app/1.1.0',
    })
    expect(next.carriedFrom).toBe(id)
  })
})

describe('publishing', () => {
  test.each([
    [200, 'the service responded with 200'],
    [500, 'the service responded with 500'],
    [403, 'the service responded with 403'],
  ])('is noted with what was answered (%i)', async (status, words) => {
    const proxy = await historyServer(
      answering(status, { 'content-type': 'application/json' }, '[]'),
    )
    await post(proxy, `/upstream/governor${samplePackage}/attestations`, '{}')
    await expect.poll(async () => (await proxy.ask(actionsPath)).text()).toContain(words)
    const { actions } = ActionList.parse(
      await (await proxy.ask(`${actionsPath}?subject=${encodeURIComponent(samplePackage)}`)).json(),
    )
    expect(actions).toMatchObject([
      { action: 'attestations-published', by: 'ada', subject: samplePackage },
    ])
  })

  test('is noted as what became of it where its response broke off', async () => {
    const left = new AbortController()
    let isCut = true
    const proxy = await historyServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.write('{}\n', () => isCut && response.destroy())
    })
    const publish = (signal?: AbortSignal) =>
      post(proxy, `/upstream/governor${samplePackage}/attestations`, '{}', signal)
    const noted = async () =>
      ActionList.parse(await (await proxy.ask(actionsPath)).json()).actions.map(
        ({ outcome, detail }) => `${outcome}: ${detail}`,
      )
    await (await publish()).text().catch(() => undefined)
    await expect
      .poll(noted)
      .toEqual([
        'failed: Requested publishing of attestations; the service responded with 200; the response broke off. A part may be stored.',
      ])
    isCut = false
    // Actions of the same millisecond are in no order.
    proxy.clock.advance(1)
    const reader = (await publish(left.signal)).body?.getReader()
    await reader?.read()
    expect(await noted()).toHaveLength(1)
    left.abort()
    await expect
      .poll(noted)
      .toEqual([
        'failed: Requested publishing of attestations; the service responded with 200; canceled before the response was complete. A part may be stored.',
        expect.anything(),
      ])
  })

  test('is noted where there was no answer', async () => {
    const proxy = await historyServer((_request, response) => void response.destroy())
    await post(proxy, `/upstream/governor${samplePackage}/attestations`, '{}')
    await expect
      .poll(async () => (await proxy.ask(actionsPath)).text())
      .toContain("didn't respond.")
  })

  test('is noted as canceled where its reader left before the answer', async () => {
    const left = new AbortController()
    const proxy = await historyServer(() => {
      left.abort()
    })
    const publish = `/upstream/governor${samplePackage}/attestations`
    const posted = post(proxy, publish, '{}', left.signal)
    await expect(posted).rejects.toThrow('abort')
    await expect
      .poll(async () => (await proxy.ask(actionsPath)).text())
      .toContain('canceled before the service responded.')
  })
})
