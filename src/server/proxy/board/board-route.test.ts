import { expect, test } from 'vitest'
import { BoardRunLine, type BoardRunRequest, boardRunPath } from '../../../protocol/board-run.ts'
import { ndjsonLine, readLines } from '../../../protocol/ndjson.ts'
import { createSeededRandom } from '../../embedded/content/seeded-random.ts'
import type { PlainAnswer } from '../plain-server.test-support.ts'
import { postJson, problemOf, type ProxyOnSocket } from '../proxy-on-socket.test-support.ts'
import { proxySetup } from '../proxy.test-support.ts'

/** Many evaluations through one connection, before a real server that misbehaves. */

const sha256 = 'ab'.repeat(32)
const scans = ['release', 'security', 'licences']
const ndjson = { 'content-type': 'application/x-ndjson' }
const satisfied = ndjsonLine({ policyUri: '/policies/BuildTool/supported', status: 'satisfied' })
const failing = ndjsonLine({
  policyUri: '/policies/Sbom/sbom-present',
  status: 'unsatisfied',
  policyRemediation: 'Publish an SBOM. Then evaluate again.',
})

function board(count: number, more: Partial<BoardRunRequest> = {}): BoardRunRequest {
  const names = Array.from({ length: count }, (_, index) => `app-${index}`)
  return {
    packages: names.map((name) => ({
      address: { type: 'oci', name, version: '1.0.0' },
      sha256,
      repositoryUrl: 'registry.example/shop',
    })),
    scans,
    cells: names.flatMap((_, one) => scans.map((_scan, scan): [number, number] => [one, scan])),
    mostInFlight: 64,
    begunMsAgo: null,
    ...more,
  }
}

const post = (proxy: ProxyOnSocket, body: unknown, signal?: AbortSignal): Promise<Response> =>
  postJson(proxy, boardRunPath, body, signal)

async function* linesOf(response: Response): AsyncGenerator<BoardRunLine, void, undefined> {
  if (response.body === null) return
  for await (const line of readLines(response.body)) yield BoardRunLine.parse(JSON.parse(line))
}

/** Reads to the end, for what happens meanwhile. */
async function drain(response: Response): Promise<void> {
  for await (const { is } of linesOf(response)) if (is === 'over') return
}

/** Time passes only while the upstream has nothing to do, so that no limit strikes by chance. */
function letTimePass(proxy: ProxyOnSocket): () => void {
  let isOver = false
  const tick = (): void => {
    if (isOver) return
    if (proxy.governor.open() === 0) proxy.clock.advance(250)
    setTimeout(tick, 1)
  }
  tick()
  return () => {
    isOver = true
  }
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
    if (mood < 1 / 3) {
      response.writeHead(429, mood < 0.1 ? { 'retry-after': '2' } : {}).end()
    } else if (mood < 1 / 3 + 0.05 && (broken.get(url) ?? 0) < 3) {
      broken.set(url, (broken.get(url) ?? 0) + 1)
      response.writeHead(200, ndjson).write(satisfied, () => raw.socket.destroy())
    } else {
      whole.set(url, (whole.get(url) ?? 0) + 1)
      response.writeHead(200, ndjson).end(satisfied + (url.endsWith('release') ? failing : ''))
    }
  }
  return { answer, whole }
}

test('200 packages and 3 scans end complete, and nothing is evaluated twice', async () => {
  const { answer, whole } = moody(7)
  const proxy = await proxySetup(undefined, answer)
  const stop = letTimePass(proxy)
  const told: BoardRunLine[] = []
  for await (const line of linesOf(await post(proxy, board(200)))) told.push(line)
  stop()
  const done = told.filter((line) => line.is === 'done')
  expect(new Set(done.map(({ cell }) => cell)).size).toBe(600)
  expect(done).toHaveLength(600)
  expect(told.filter(({ is }) => is === 'refused' || is === 'broken')).toEqual([])
  expect(told.at(-1)).toEqual({ is: 'over' })
  expect([...whole.values()].every((count) => count === 1)).toBe(true)
  expect(whole.size).toBe(600)
  expect(told.some((line) => line.is === 'waiting' && line.forMs >= 1000)).toBe(true)
  expect(done.find(({ cell }) => cell === 0)?.outcome).toMatchObject({
    verdict: 'not-releasable',
    counts: { satisfied: 1, unsatisfied: 1 },
    failing: [{ uri: '/policies/Sbom/sbom-present', remedy: 'Publish an SBOM.' }],
  })
})

test('packages whose evaluation hangs keep the others of a board waiting only for a while, and are tried again last', async () => {
  const asked: string[] = []
  const proxy = await proxySetup(undefined, ({ url }, response) => {
    asked.push(url)
    if (/app-[12]?\d\//.test(url)) return
    response.writeHead(200, ndjson).end(satisfied)
  })
  const leave = new AbortController()
  const told: BoardRunLine[] = []
  const read = async (): Promise<void> => {
    for await (const line of linesOf(await post(proxy, board(40), leave.signal))) told.push(line)
  }
  const reading = read().catch(() => undefined)
  for (const [ms, requests] of [
    [0, 24],
    [15_000, 48],
    [15_000, 64],
    [270_000, 88],
  ] as const) {
    proxy.clock.advance(ms)
    await expect.poll(() => asked.length).toBe(requests)
  }
  await expect
    .poll(() => told.findLast(({ is }) => is === 'waiting'))
    .toMatchObject({
      reason: "The policy service didn't complete its response within 5 minutes.",
    })
  proxy.clock.advance(15_000)
  await expect.poll(() => told.filter(({ is }) => is === 'done').length).toBe(30)
  leave.abort()
  await reading
})

test('a reader that leaves halfway and comes back gets the rest, and nothing is requested twice', async () => {
  const { answer, whole } = moody(11)
  const proxy = await proxySetup(undefined, answer)
  const stop = letTimePass(proxy)
  const leave = new AbortController()
  const done = new Set<number>()
  const first = await post(proxy, board(40), leave.signal)
  await expect(
    (async () => {
      for await (const line of linesOf(first)) {
        if (line.is === 'done') done.add(line.cell)
        if (done.size >= 55) leave.abort()
      }
    })(),
  ).rejects.toThrow(/abort/i)
  const all = board(40)
  const cells = all.cells.filter((_, cell) => !done.has(cell))
  const rest = new Set<string>()
  const again = board(40, { cells, begunMsAgo: 600_000 })
  for await (const line of linesOf(await post(proxy, again))) {
    if (line.is === 'done') rest.add(String(cells[line.cell]))
  }
  stop()
  expect(rest.size).toBe(120 - done.size)
  expect(whole.size).toBe(120)
  expect([...whole.values()].every((count) => count === 1)).toBe(true)
})

test('a new run requests everything again, also what was answered a moment ago', async () => {
  const { answer, whole } = moody(3)
  const proxy = await proxySetup(undefined, answer)
  const stop = letTimePass(proxy)
  for (const begunMsAgo of [null, null, 0]) {
    await drain(await post(proxy, board(1, { begunMsAgo })))
    proxy.clock.advance(1000)
  }
  stop()
  expect([...whole.values()]).toEqual([3, 3, 3])
})

test('of two concurrent runs of one user, neither requests what the other has begun since', async () => {
  let isHeld = true
  const held: (() => void)[] = []
  const proxy = await proxySetup(undefined, (_request, response) => {
    const answer = (): void => void response.writeHead(200, ndjson).end(satisfied)
    if (isHeld) held.push(answer)
    else answer()
  })
  const { cells } = board(2)
  const first = await post(proxy, board(2, { mostInFlight: 1 }))
  await expect.poll(() => held.length).toBe(1)
  proxy.clock.advance(1000)
  const second = await post(proxy, board(2, { cells: [...cells].reverse(), mostInFlight: 1 }))
  await expect.poll(() => held.length).toBe(2)
  proxy.clock.advance(1000)
  isHeld = false
  for (const answer of held) answer()
  await Promise.all([drain(first), drain(second)])
  // The first was asked before the second run began: it wants to know anew.
  const asked = proxy.governor.received.map(({ url }) => url)
  expect([asked.length, new Set(asked).size]).toEqual([7, 6])
})

test.each([
  [404, { status: 404, detail: "Policy scan 'security' not found" }],
  [403, { status: 502, upstreamStatus: 403 }],
])(
  'a package refused with %d is reported with its reason and not retried; the others go on',
  async (status, problem) => {
    const proxy = await proxySetup(undefined, ({ url }, response) => {
      if (url.endsWith('release')) response.writeHead(200, ndjson).end(satisfied)
      else {
        const detail = "Policy scan 'security' not found"
        response
          .writeHead(status, { 'content-type': 'application/problem+json' })
          .end(JSON.stringify({ title: 'Refused', status, detail }))
      }
    })
    const cells: [number, number][] = [
      [0, 1],
      [0, 0],
    ]
    const told: BoardRunLine[] = []
    for await (const line of linesOf(await post(proxy, board(1, { cells })))) told.push(line)
    expect(told.find(({ is }) => is === 'refused')).toMatchObject({
      cell: 0,
      problem,
    })
    expect(told.find(({ is }) => is === 'done')).toMatchObject({
      cell: 1,
      outcome: { verdict: 'releasable', by: 'local user' },
    })
    expect(proxy.governor.received).toHaveLength(2)
  },
)

test.each([
  ['an array', 'application/json', `[${satisfied},${failing}]`],
  [
    'an array over several lines',
    'application/vnd.scan+json; v=1',
    `[\n${satisfied},\n${failing}]`,
  ],
  ['lines that are announced as one JSON text', 'application/json', satisfied + failing],
])('%s says what lines say', async (_what, type, body) => {
  const proxy = await proxySetup(undefined, (_request, response) => {
    response.writeHead(200, { 'content-type': type }).end(body)
  })
  const told: BoardRunLine[] = []
  for await (const line of linesOf(await post(proxy, board(1, { cells: [[0, 0]] })))) {
    told.push(line)
  }
  expect(told.at(-2)).toMatchObject({
    is: 'done',
    outcome: { verdict: 'not-releasable', counts: { satisfied: 1, unsatisfied: 1 }, unreadable: 0 },
  })
})

test('an answer that breaks off each time is given up after four', async () => {
  const proxy = await proxySetup(undefined, (_request, response, raw) => {
    response.writeHead(200, ndjson).write(satisfied, () => raw.socket.destroy())
  })
  const stop = letTimePass(proxy)
  const told: BoardRunLine[] = []
  for await (const line of linesOf(await post(proxy, board(1, { cells: [[0, 0]] })))) {
    told.push(line)
  }
  stop()
  expect(told.at(-2)).toMatchObject({ is: 'broken', cell: 0 })
  expect(proxy.governor.received).toHaveLength(4)
})

test('a service that needs minutes for its first byte is waited for, as by a gate', async () => {
  let begin = (): unknown => undefined
  const proxy = await proxySetup(undefined, (_request, response) => {
    begin = () => response.writeHead(200, ndjson).end(satisfied)
  })
  const run = linesOf(await post(proxy, board(1, { cells: [[0, 0]] })))
  await expect.poll(() => proxy.governor.received.length).toBe(1)
  proxy.clock.advance(299_000)
  begin()
  const told: string[] = []
  for await (const { is } of run) if (is !== 'alive') told.push(is)
  expect(told.slice(-2)).toEqual(['done', 'over'])
  expect(proxy.governor.received).toHaveLength(1)
})

test("no more requests are in flight than were allowed, and the credential is the proxy's own", async () => {
  let most = 0
  const open: (() => void)[] = []
  // Answered two by two: where fewer were let in flight, this would wait for ever.
  const proxy = await proxySetup(undefined, (_request, response) => {
    open.push(() => response.writeHead(200, ndjson).end(satisfied))
    most = Math.max(most, open.length)
    if (open.length < 2) return
    setImmediate(() => {
      for (const answer of open.splice(0)) answer()
    })
  })
  await drain(await post(proxy, board(20, { mostInFlight: 2 })))
  expect(most).toBe(2)
  const [request] = proxy.governor.received
  expect(request?.headers.authorization).toMatch(/^Basic /)
  expect(request?.headers.authorization).not.toContain(proxy.token)
  expect(proxy.log.join('')).toContain('"path":"/upstream/board"')
})

test.each([
  ['no JSON', 'nonsense', /The body:/],
  ['no cells', board(1, { cells: [] }), /"cells"/],
  ['a cell outside', board(1, { cells: [[5, 0]] }), /The cell \[5, 0\] is outside/],
  ['too much at once', board(1, { mostInFlight: 65 }), /"mostInFlight"/],
])('%s is a named error', async (_what, body, words) => {
  const proxy = await proxySetup()
  const response = await post(proxy, body)
  expect(response.status).toBe(400)
  expect((await problemOf(response)).detail).toMatch(words)
})

test('a package cannot lead to another address of the proxy', async () => {
  const proxy = await proxySetup(undefined, (_request, response) => response.writeHead(200).end())
  const [one] = board(1).packages
  const packages = [{ ...one, address: { type: '..', namespace: '..', name: '..', version: '..' } }]
  const told: BoardRunLine[] = []
  const asked = { ...board(1, { cells: [[0, 0]] }), packages }
  for await (const line of linesOf(await post(proxy, asked))) told.push(line)
  expect(told.find(({ is }) => is === 'refused')).toMatchObject({ problem: { status: 400 } })
  expect(proxy.governor.received).toEqual([])
})

test('without a session there is no board, and it takes POST only', async () => {
  const proxy = await proxySetup()
  const bare = await fetch(`${proxy.url}${boardRunPath}`, { method: 'POST', body: '{}' })
  expect(bare.status).toBe(401)
  expect((await proxy.ask(boardRunPath)).headers.get('allow')).toBe('POST')
})
