import type { BoardOutcome } from '../../../protocol/board-run.ts'
import { createBoardCells } from './board-cells.ts'
import { afterEach, expect, test } from 'vitest'
import { EvaluationList, evaluationsPath } from '../../../protocol/evaluation.ts'
import { ndjsonLine } from '../../../protocol/ndjson.ts'
import { problem } from '../../../protocol/problem.ts'
import { createSeededRandom } from '../../../server/embedded/content/seeded-random.ts'
import type { PlainAnswer } from '../../../server/proxy/plain-server.test-support.ts'
import type { BoardSnapshot } from './board-run.ts'
import {
  boardWorld,
  type BoardWorld,
  deviceLocks,
  manyPackages,
  memoryStorage,
} from './board.test-support.ts'

/** The run of a board as a page has it: through a real proxy, before an upstream that misbehaves. */

const ndjson = { 'content-type': 'application/x-ndjson' }
const satisfied = ndjsonLine({ policyUri: '/policies/BuildTool/supported', status: 'satisfied' })
let world: BoardWorld | undefined

afterEach(async () => {
  await world?.stop()
  world = undefined
})

async function start(answer: PlainAnswer): Promise<BoardWorld> {
  world = await boardWorld(answer)
  return world
}

/**
 * A third is refused, one in twenty breaks off, none so often that it is given up; counts the whole
 * answers by address.
 */
function moody(seed: number): { answer: PlainAnswer; whole: Map<string, number> } {
  const random = createSeededRandom(seed, 'board')
  const whole = new Map<string, number>()
  const broken = new Map<string, number>()
  const answer: PlainAnswer = ({ url }, response, raw) => {
    const mood = random()
    if (mood < 1 / 3) response.writeHead(429).end()
    else if (mood < 1 / 3 + 0.05 && (broken.get(url) ?? 0) < 3) {
      broken.set(url, (broken.get(url) ?? 0) + 1)
      response.writeHead(200, ndjson).write(satisfied, () => raw.socket.destroy())
    } else {
      whole.set(url, (whole.get(url) ?? 0) + 1)
      response.writeHead(200, ndjson).end(satisfied)
    }
  }
  return { answer, whole }
}

function isIdle({ state }: BoardSnapshot): boolean {
  return state.is === 'idle'
}

function known({ cells }: BoardSnapshot): number {
  return [...cells.values()].filter((cell) => cell.known !== undefined).length
}

test('a board that is larger than one request is evaluated in several', async () => {
  const { open } = await start((_, response) => {
    response.writeHead(200, ndjson).end(satisfied)
  })
  const { packages, ...board } = manyPackages(20)
  const repositoryUrl = `https://registry.example/${'x'.repeat(60_000)}`
  const page = open({ ...board, packages: packages.map((one) => ({ ...one, repositoryUrl })) })
  page.run.evaluate(page.keys)
  const end = await page.until(
    (now) => (isIdle(now) && known(now) === 60) || now.state.is === 'stopped',
  )
  expect(known(end)).toBe(60)
})

test('200 packages and 3 scans end complete, though the page is loaded again twice', async () => {
  const { answer, whole } = moody(21)
  const { open } = await start(answer)
  const storage = memoryStorage()
  const board = manyPackages(200)
  const first = open(board, { storage })
  first.run.evaluate(first.keys)
  for (const half of [150, 400]) {
    const page = half === 150 ? first : open(board, { storage })
    await page.until((snapshot) => known(snapshot) >= half)
    // What a page does as it goes; then its connections break.
    page.run.save()
    page.vanish()
  }
  const last = open(board, { storage })
  const end = await last.until((snapshot) => known(snapshot) === 600 && isIdle(snapshot))
  expect([...end.cells.values()].every(({ doing, fault }) => doing.is === 'idle' && !fault)).toBe(
    true,
  )
  expect(whole.size).toBe(600)
  expect([...whole.values()].filter((count) => count !== 1)).toEqual([])
  expect(end.run).toMatchObject({ total: 600, done: 600 })
})

test('a page that opens later shows what was evaluated, and requests nothing', async () => {
  const { answer, whole } = moody(5)
  const { open } = await start(answer)
  const storage = memoryStorage()
  const page = open(manyPackages(3), { storage })
  page.run.evaluate(page.keys)
  await page.until((snapshot) => known(snapshot) === 9 && isIdle(snapshot))
  const later = open(manyPackages(3), { storage })
  await later.until((snapshot) => known(snapshot) === 9)
  expect(isIdle(later.run.getSnapshot())).toBe(true)
  expect([...whole.values()]).toEqual(Array.from({ length: 9 }, () => 1))
})

test('a colleague who opens the same board reads what was recorded, without an evaluation', async () => {
  const remedy = 'Upgrade it. Then build again.'
  const failing = ndjsonLine({
    policyUri: '/policies/PackageUrl/no-log4shell',
    status: 'unsatisfied',
    policyRemediation: remedy,
  })
  const { open, proxy } = await start(({ url }, response) => {
    response.writeHead(200, ndjson).end(url.endsWith('security') ? failing : satisfied)
  })
  const board = manyPackages(2)
  const page = open(board)
  page.run.evaluate(page.keys)
  await page.until((snapshot) => known(snapshot) === 6 && isIdle(snapshot))

  await expect
    .poll(async () => {
      const list: unknown = await (await proxy.ask(evaluationsPath)).json()
      return EvaluationList.parse(list).evaluations.length
    })
    .toBe(6)
  const storage = memoryStorage()
  storage.setItem(
    'sightline.board.release',
    JSON.stringify({ version: 1, cells: {}, run: null, mostInFlight: 16 }),
  )
  const colleague = open(board, { storage })
  expect(colleague.run.getSnapshot().isLookingUp).toBe(true)
  const { cells } = await colleague.until(
    (snapshot) =>
      known(snapshot) === 6 &&
      [...snapshot.cells.values()].every(({ known }) =>
        known?.outcome.failing.every((one) => one.remedy !== ''),
      ),
  )
  expect(new Set([...cells.values()].map(({ known }) => known?.outcome.by)).size).toBe(1)
  expect([...cells.values()][0]?.known?.outcome.by).toEqual(expect.any(String))
  const verdicts = [...cells.values()].map(({ known }) => known?.outcome.verdict)
  expect(verdicts.filter((verdict) => verdict === 'not-releasable')).toHaveLength(2)
  expect([...cells.values()].flatMap(({ known }) => known?.outcome.failing ?? [])).toEqual(
    Array.from({ length: 2 }, () => ({
      uri: '/policies/PackageUrl/no-log4shell',
      status: 'unsatisfied',
      remedy: 'Upgrade it.',
      causes: [],
    })),
  )
  expect([...cells.values()].every(({ doing }) => doing.is === 'idle')).toBe(true)
  expect(proxy.governor.received).toHaveLength(6)

  // Another tab that has not looked yet writes what it keeps of the board.
  colleague.run.hear()
  expect(known(colleague.run.getSnapshot())).toBe(6)

  // What is evaluated here and fails is not covered up by an older record.
  colleague.run.evaluate(colleague.keys.slice(0, 1))
  await colleague.until(({ run, state }) => run?.done === 1 && state.is === 'idle')
  expect(proxy.governor.received).toHaveLength(7)
})

test('a board that is open shows what others evaluate as it is recorded, many runs with one request', async () => {
  const { open, proxy } = await start((_, response) => {
    response.writeHead(200, ndjson).end(satisfied)
  })
  const board = manyPackages(70)
  const colleague = open(board)
  await colleague.until(({ isLookingUp }) => !isLookingUp)
  const seen: number[] = []
  const stop = colleague.run.subscribe(() => seen.push(known(colleague.run.getSnapshot())))
  const one = open(board)
  one.run.evaluate(one.keys)
  const end = await colleague.until((snapshot) => known(snapshot) === 210)
  stop()
  expect([...end.cells.values()].every(({ known: its }) => its?.outcome.by !== undefined)).toBe(
    true,
  )
  expect(end.state.is).toBe('idle')
  expect(seen.some((count) => count > 0 && count < 210)).toBe(true)
  const isRun = ({ url }: { readonly url: string }): boolean => url.includes('/policy-scans/')
  expect(proxy.governor.received.filter(isRun)).toHaveLength(210)
  const lookUps = proxy.log.filter((line) => line.includes('"/history/evaluations/latest"'))
  expect(lookUps.length).toBeLessThan(105)
})

test('of two runs the one that began last counts, whichever ended first', () => {
  const key = 'k'
  const cells = createBoardCells(new Set([key]))
  const outcome = (evaluation: string): BoardOutcome => ({
    ...{ verdict: 'releasable', results: 1, unreadable: 0, failing: [], evaluation },
    counts: { satisfied: 1, unsatisfied: 0, 'not-applicable': 0, unknown: 0 },
  })
  const now = (): string | null | undefined => cells.all().get(key)?.known?.outcome.evaluation
  cells.take(key, 5, outcome('run 2'))
  cells.find(key, 9, outcome('run 1'))
  expect(now()).toBe('run 2')
  cells.find(key, 4, outcome('run 3'))
  expect(now()).toBe('run 3')
  cells.want([key], 6)
  cells.apply(key, { is: 'done', cell: 0, outcome: outcome('run 2') }, 7)
  expect(now()).toBe('run 3')
  expect(cells.wanted()).toEqual([])
})

test('what was found before changes nothing when it is found again, unless it says more', () => {
  const cells = createBoardCells(new Set(['k']))
  const plain: BoardOutcome = {
    ...{ verdict: 'not-releasable', results: 1, unreadable: 0, evaluation: 'one' },
    failing: [{ uri: '/policies/A/b', status: 'unsatisfied', remedy: '' }],
    counts: { satisfied: 0, unsatisfied: 1, 'not-applicable': 0, unknown: 0 },
  }
  const recorded = { ...plain, by: 'ann' }
  expect(cells.find('k', 5, plain)).toBe(true)
  expect(cells.find('k', 5, recorded)).toBe(true)
  const before = cells.all().get('k')
  expect(cells.find('k', 5, recorded)).toBe(false)
  expect(cells.all().get('k')).toBe(before)
  const remedied = {
    ...recorded,
    failing: plain.failing.map((one) => ({ ...one, remedy: 'Fix.' })),
  }
  expect(cells.find('k', 5, remedied)).toBe(true)
  expect(cells.find('k', 5, recorded)).toBe(false)
})

test('once a run is over, a device keeps what the server has not recorded, or only now', () => {
  const cells = createBoardCells(new Set(['kept', 'recorded']))
  const outcome = (evaluation: string | null): BoardOutcome => ({
    ...{ verdict: 'releasable', results: 1, unreadable: 0, failing: [], evaluation },
    counts: { satisfied: 1, unsatisfied: 0, 'not-applicable': 0, unknown: 0 },
  })
  cells.want(['kept', 'recorded'], 1)
  cells.apply('recorded', { is: 'done', cell: 0, outcome: outcome('id') }, 2)
  // Another tab reads it from there while the run goes on.
  expect(Object.keys(cells.saved(false, 2).cells)).toEqual(['recorded'])
  cells.apply('kept', { is: 'done', cell: 0, outcome: outcome(null) }, 3)
  const saved = cells.saved(false, 3)
  expect(Object.keys(saved.cells)).toEqual(['kept', 'recorded'])
  expect(Object.keys(cells.saved(false, 60_003).cells)).toEqual(['kept'])
  for (const [now, keys] of [
    [4, ['kept', 'recorded']],
    [60_003, ['kept']],
  ] as const) {
    const later = createBoardCells(new Set(['kept', 'recorded']))
    later.restore(saved, now)
    expect([...later.all()].flatMap(([key, { known }]) => (known ? [key] : []))).toEqual(keys)
  }
})

test('a refusal by the limits of who asks leaves what is known as it was', () => {
  const cells = createBoardCells(new Set(['known', 'new']))
  const refused = (code: string) =>
    ({
      is: 'refused',
      cell: 0,
      problem: problem(403, code, 'Outside your limits', 'Your roles cover the packages oci/b.'),
    }) as const
  const outcome: BoardOutcome = {
    ...{ verdict: 'releasable', results: 1, unreadable: 0, failing: [], evaluation: 'one' },
    counts: { satisfied: 1, unsatisfied: 0, 'not-applicable': 0, unknown: 0 },
  }
  cells.take('known', 5, outcome)
  cells.want(['known', 'new'], 6)
  for (const key of ['known', 'new']) cells.apply(key, refused('outside-limits'), 7)
  expect(cells.wanted()).toEqual([])
  const all = cells.all()
  expect(all.get('known')).toEqual({
    doing: { is: 'idle' },
    known: { at: 5, outcome },
    fault: undefined,
  })
  expect(all.get('new')?.fault?.problem.title).toBe('Outside your limits')
  // Any other refusal may mean that what is known is out of date.
  cells.want(['known'], 8)
  cells.apply('known', refused('scan-gone'), 9)
  expect(cells.all().get('known')?.fault?.at).toBe(9)
  // It stays so when the same result is found again, until there is a newer one.
  expect(cells.find('known', 5, { ...outcome, by: 'ada' })).toBe(false)
  expect(cells.all().get('known')?.fault?.at).toBe(9)
  expect(cells.find('known', 10, { ...outcome, evaluation: 'two' })).toBe(true)
  expect(cells.all().get('known')?.fault).toBeUndefined()
})

test('failed cells are requested again alone', async () => {
  let isBroken = true
  const { open, proxy } = await start(({ url }, response) => {
    if (isBroken && url.endsWith('security')) response.writeHead(400).end()
    else response.writeHead(200, ndjson).end(satisfied)
  })
  const page = open(manyPackages(2))
  page.run.evaluate(page.keys)
  const first = await page.until((snapshot) => snapshot.run?.done === 6 && isIdle(snapshot))
  const failed = [...first.cells].filter(([, { fault }]) => fault !== undefined)
  expect(failed.map(([, { fault }]) => [fault?.is, fault?.problem.status])).toEqual([
    ['refused', 400],
    ['refused', 400],
  ])
  expect(proxy.governor.received).toHaveLength(6)
  isBroken = false
  page.run.evaluate(failed.map(([key]) => key))
  const end = await page.until((snapshot) => known(snapshot) === 6 && isIdle(snapshot))
  expect([...end.cells.values()].some(({ fault }) => fault !== undefined)).toBe(false)
  expect(proxy.governor.received).toHaveLength(8)
})

test('paused, nothing more is requested; what was in flight is taken over afterwards', async () => {
  const { answer, whole } = moody(8)
  const { open } = await start(answer)
  const page = open(manyPackages(30))
  page.run.evaluate(page.keys)
  await page.until((snapshot) => known(snapshot) >= 20)
  page.run.pause()
  expect(page.run.getSnapshot().state.is).toBe('paused')
  expect(
    [...page.run.getSnapshot().cells.values()].some(({ doing }) => doing.is === 'asking'),
  ).toBe(false)
  page.run.resume()
  await page.until((snapshot) => known(snapshot) === 90 && isIdle(snapshot))
  expect([...whole.values()].filter((count) => count !== 1)).toEqual([])
})

test('a paused board shows what is recorded meanwhile, also after a reload, and so it does once cancelled', async () => {
  let isFailing = false
  const failing = ndjsonLine({ policyUri: '/policies/A/b', status: 'unsatisfied' })
  const held: (() => void)[] = []
  let isHeld = false
  const { open, proxy } = await start((_, response) => {
    const answer = isFailing ? failing : satisfied
    const end = (): void => void response.writeHead(200, ndjson).end(answer)
    if (isHeld) held.push(end)
    else end()
  })
  const board = manyPackages(1)
  const storage = memoryStorage()
  const verdicts = ({ cells }: BoardSnapshot): readonly (string | undefined)[] => [
    ...new Set([...cells.values()].map((cell) => cell.known?.outcome.verdict)),
  ]
  const page = open(board, { storage })
  page.run.evaluate(page.keys)
  await page.until((snapshot) => known(snapshot) === 3 && isIdle(snapshot))
  expect(verdicts(page.run.getSnapshot())).toEqual(['releasable'])

  isHeld = true
  isFailing = true
  page.run.evaluate(page.keys)
  await expect.poll(() => held.length).toBe(3)
  page.run.pause()
  for (const end of held) end()
  // What was in flight is recorded, and comes as what others evaluate does.
  const isPaused = ({ state }: BoardSnapshot): boolean => state.is === 'paused'
  const failed = await page.until((snapshot) => verdicts(snapshot).join() === 'not-releasable')
  expect(isPaused(failed)).toBe(true)
  expect([...failed.cells.values()].every(({ doing }) => doing.is === 'queued')).toBe(true)

  isHeld = false
  isFailing = false
  const reloaded = open(board, { storage })
  const colleague = open(board)
  colleague.run.evaluate(colleague.keys)
  await page.until((snapshot) => verdicts(snapshot).join() === 'releasable')
  const again = await reloaded.until((snapshot) => verdicts(snapshot).join() === 'releasable')
  expect(isPaused(again)).toBe(true)
  page.run.cancel()
  expect(isIdle(page.run.getSnapshot())).toBe(true)
  expect(verdicts(page.run.getSnapshot())).toEqual(['releasable'])
  expect(proxy.governor.received.length).toBe(9)
})

test('cancelled, the rest is given up and what is known stays', async () => {
  const { answer } = moody(9)
  const { open } = await start(answer)
  const page = open(manyPackages(30))
  page.run.evaluate(page.keys)
  const half = await page.until((snapshot) => known(snapshot) >= 10)
  page.run.cancel()
  const after = page.run.getSnapshot()
  expect(after.state.is).toBe('idle')
  expect(known(after)).toBeGreaterThanOrEqual(known(half))
  expect([...after.cells.values()].every(({ doing }) => doing.is === 'idle')).toBe(true)
})

test('of two tabs one evaluates, and the other goes on when it is closed', async () => {
  const { answer, whole } = moody(13)
  const { open } = await start(answer)
  const storage = memoryStorage()
  const locks = deviceLocks()
  const board = manyPackages(30)
  const one = open(board, { storage, locks })
  one.run.evaluate(one.keys)
  await one.until((snapshot) => known(snapshot) >= 10)
  one.run.save()
  const other = open(board, { storage, locks })
  await other.until(({ state }) => state.is === 'following')
  other.run.hear()
  expect(known(other.run.getSnapshot())).toBeGreaterThanOrEqual(10)
  one.run.pause()
  one.run.resume()
  one.vanish()
  one.run.cancel()
  other.run.evaluate(other.keys)
  const end = await other.until((snapshot) => isIdle(snapshot))
  expect([...whole.values()].filter((count) => count > 1)).toEqual([])
  expect(end.cells.size).toBeGreaterThan(0)
})
