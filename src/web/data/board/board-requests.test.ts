import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { createRequest } from '../core/request.ts'
import { createSession } from '../core/session.ts'
import { type AnsweringServer, answeringServer } from '../scans/policy-scan.test-support.ts'
import { createBoardStorage } from './board-cells.ts'
import { type BoardSnapshot, createBoardRun } from './board-run.ts'
import { createLookUpEvaluations, type EvaluateBoard, readRecorded } from './board-requests.ts'

/** What the history of a proxy says of cells, over a real socket. */

const now = Date.UTC(2026, 10, 20)
const sha256 = 'ab'.repeat(32)
const repositoryUrl = 'registry.example/shop'
let server: AnsweringServer | undefined

afterEach(async () => {
  await server?.stop()
  server = undefined
})

function question(name: string, scan = 'release') {
  return { address: { type: 'oci', name, version: '1.0.0' }, scan, sha256, repositoryUrl }
}

function summary(name: string, fields: Partial<EvaluationSummary> = {}): EvaluationSummary {
  return {
    id: `id-${name}`,
    startedAt: now - 5000,
    endedAt: now - 4000,
    by: 'alice',
    packagePath: `/packages/oci/${name}/1.0.0`,
    sha256,
    repositoryUrl,
    scan: 'release',
    ended: 'complete',
    verdict: 'releasable',
    counts: { satisfied: 1, unsatisfied: 0, 'not-applicable': 0, unknown: 0 },
    results: 1,
    unreadable: 0,
    failing: [],
    waived: [],
    ...fields,
  }
}

async function requestIn(answers: (url: string) => unknown) {
  server = await answeringServer((request, response) => {
    const answer = answers(request.url ?? '')
    if (answer === undefined) response.writeHead(500).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  const { origin } = server
  const clock = createManualClock(now)
  const send: typeof fetch = (path, init) =>
    path === '/session'
      ? Promise.resolve(
          Response.json({ token: 't', expiresAt: now * 2, user: { name: 'a', roles: [] } }),
        )
      : fetch(`${origin}${path instanceof Request ? path.url : path.toString()}`, init)
  const isOnline = (): boolean => true
  const session = createSession({ fetch: send, clock, isOnline })
  return createRequest({ fetch: send, session, clock, isOnline })
}

async function lookUpIn(answers: (url: string) => unknown) {
  return createLookUpEvaluations(await requestIn(answers), () => now)
}

const { signal } = new AbortController()
const recording = { ok: true, lost: 0 }

test('whole evaluations since the run began are found, page by page', async () => {
  const lookUp = await lookUpIn((url) =>
    url.includes('before=p2')
      ? { evaluations: [summary('two')], next: null, recording }
      : {
          evaluations: [summary('one'), summary('cut', { ended: 'broken' }), summary('other')],
          next: 'p2',
          recording,
        },
  )
  const requested = [question('one'), question('two'), question('cut'), question('one', 'security')]
  const found = await lookUp.since(requested, 60_000, signal)
  expect(found.map(({ question: { address, scan } }) => [address.name, scan])).toEqual([
    ['one', 'release'],
    ['two', 'release'],
  ])
  expect(found[0]).toMatchObject({ agoMs: 4000, outcome: { evaluation: 'id-one', failing: [] } })
})

test('what is older is not taken, and nothing behind it is read', async () => {
  const lookUp = await lookUpIn((url) => {
    if (url.includes('before')) throw new Error('read too far')
    return { evaluations: [summary('one', { startedAt: now - 9000 })], next: 'p2', recording }
  })
  expect(await lookUp.since([question('one')], 6000, signal)).toEqual([])
})

const uri = '/policies/Sbom/sbom-present'
const failing = summary('one', {
  verdict: 'not-releasable',
  counts: { satisfied: 0, unsatisfied: 1, 'not-applicable': 1, unknown: 0 },
  failing: [uri],
})

test('the list of runs says why they fail and what was not checked: no record is read', async () => {
  const reasons = {
    failing: [{ uri, status: 'unsatisfied' as const, remedy: 'Publish it.', causes: ['None'] }],
    notApplicable: [{ uri: '/policies/A/b', severity: 'high' }],
  }
  const lookUp = await lookUpIn((url) =>
    url.includes('/id-one')
      ? undefined
      : { evaluations: [{ ...failing, reasons }], next: null, recording },
  )
  const [found] = await lookUp.since([question('one')], 60_000, signal)
  expect(found?.outcome).toMatchObject(reasons)
})

test('a run that an older release recorded says which policies fail', async () => {
  const lookUp = await lookUpIn(() => ({ evaluations: [failing], next: null, recording }))
  const [found] = await lookUp.since([question('one')], 60_000, signal)
  expect(found?.outcome.failing).toEqual([{ uri, status: 'unsatisfied', remedy: '' }])
})

test('what is recorded of a large board is read in parts, and a failure is no empty history', async () => {
  let parts = 0
  const many = Array.from({ length: 300 }, (_, index) => question(`app-${index}`))
  const request = await requestIn(() => ({
    evaluations: parts++ === 0 ? [summary('app-7')] : [summary('app-299'), summary('stranger')],
  }))
  const found = await readRecorded(request, () => now, many, signal)
  expect(parts).toBe(2)
  expect(found.map((one) => [one.question, one.agoMs])).toEqual([
    [many[7], 4000],
    [many[299], 4000],
  ])
  await server?.stop()
  const failing = await requestIn(() => undefined)
  await expect(readRecorded(failing, () => now, many, signal)).rejects.toThrow()
})

test('a board whose recorded results fail to load says so until they are loaded', async () => {
  let fails = true
  const one = question('one')
  const lookUp = await lookUpIn(() => (fails ? undefined : { evaluations: [summary('one')] }))
  const run = createBoardRun('shop', new Map([['k', one]]), {
    evaluate: () => {
      throw new Error('nothing is evaluated')
    },
    lookUp,
    storage: createBoardStorage(undefined),
    locks: undefined,
    changes: { subscribe: () => () => undefined },
    clock: createManualClock(now),
    random: () => 0,
  })
  const until = async (isSo: (snapshot: BoardSnapshot) => boolean): Promise<void> =>
    new Promise((resolve) => {
      const stop = run.subscribe(() => {
        if (!isSo(run.getSnapshot())) return
        stop()
        resolve()
      })
    })
  const stop = run.subscribe(() => undefined)
  await until(({ isLookingUp }) => !isLookingUp)
  expect(run.getSnapshot()).toMatchObject({ lookUpFault: { status: 500 }, cells: new Map() })
  fails = false
  run.lookUpAgain()
  await until(({ lookUpFault }) => lookUpFault === undefined)
  expect(run.getSnapshot().cells.get('k')?.known?.outcome.evaluation).toBe('id-one')
  stop()
})

test('a run that is paused while recorded results are looked up evaluates nothing', async () => {
  const clock = createManualClock(now)
  const asked: unknown[] = []
  const looking = new Map<AbortSignal, () => void>()
  const evaluate: EvaluateBoard = async function* (request) {
    asked.push(request)
    await Promise.resolve()
    yield { is: 'pace', allowed: 1 }
  }
  const run = createBoardRun('shop', new Map([['k', question('one')]]), {
    evaluate,
    lookUp: {
      since: (_, _since, signal) =>
        new Promise((resolve) => {
          looking.set(signal, () => {
            resolve([])
          })
        }),
      latest: async function* () {
        // Nothing is recorded.
      },
    },
    storage: createBoardStorage(undefined),
    locks: undefined,
    changes: { subscribe: () => () => undefined },
    clock,
    random: () => 0,
  })
  const stop = run.subscribe(() => undefined)
  run.evaluate(['k'])
  await expect.poll(() => asked.length).toBeGreaterThan(0)
  run.pause()
  asked.length = 0
  run.resume()
  await expect.poll(() => looking.size).toBe(1)
  run.pause()
  for (const end of looking.values()) end()
  await setImmediate()
  expect(run.getSnapshot().state).toEqual({ is: 'paused' })
  expect(asked).toEqual([])
  stop()
})

test('a history that fails costs an evaluation, never an answer', async () => {
  const lookUp = await lookUpIn(() => undefined)
  expect(await lookUp.since([question('one')], 60_000, signal)).toEqual([])
})
