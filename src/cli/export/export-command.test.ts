import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../../protocol/clock.ts'
import { runs } from '../../property-runs.test-support.ts'
import { run } from '../run.ts'
import { ExportLine } from './export-line.ts'
import type { ExportDisk } from './export-output.ts'
import { type RawBuild, type RawServer, startRawServer } from './export-server.test-support.ts'
import { fetchWhole } from '../server-request.ts'

// The command in this process, against a raw server and a disk that can break off anywhere.

/** A thousand times as fast as the real one, so that waits cost nothing. */
function fastClock(): Clock {
  const start = Date.now()
  return {
    now: () => start + Math.round((performance.now() - origin) * 1000),
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms / 1000)
      return () => {
        clearTimeout(timer)
      }
    },
  }
}
const origin = performance.now()

class Killed extends Error {}

/** Files in memory; the process is killed at its `killAt`-th step, in the middle of a write. */
function createDisk() {
  const files = new Map<string, Buffer>()
  let steps = 0
  let killAt = Infinity
  let share = 0
  let onWrite: () => void = () => undefined
  const step = (path: string, content: Buffer, isWhole: boolean): void => {
    steps += 1
    const before = files.get(path) ?? Buffer.alloc(0)
    if (steps < killAt) files.set(path, content)
    else if (!isWhole) {
      const more = Math.floor((content.length - before.length) * share)
      files.set(path, content.subarray(0, before.length + more))
    } else if (share > 0.5) files.set(path, content)
    onWrite()
    if (steps >= killAt) throw new Killed()
  }
  const disk: ExportDisk = {
    openPipe: () => undefined,
    openLines: (path) => {
      const content = (): Buffer => files.get(path) ?? Buffer.alloc(0)
      return {
        size: () => content().length,
        read: (from, most) => content().subarray(from, from + most),
        cut: (size) => {
          step(path, content().subarray(0, size), true)
        },
        append: (text) => {
          step(path, Buffer.concat([content(), Buffer.from(text)]), false)
          return Buffer.byteLength(text)
        },
        close: () => undefined,
      }
    },
    readState: (path) => files.get(path)?.toString(),
    saveState: (path, text) => {
      step(path, Buffer.from(text), true)
    },
  }
  return {
    disk,
    text: (path: string) => files.get(path)?.toString() ?? '',
    put: (path: string, text: string) => files.set(path, Buffer.from(text)),
    killAt: (at: number, partly: number) => {
      ;[steps, killAt, share] = [0, at, partly]
    },
    onWrite: (callback: () => void) => {
      onWrite = callback
    },
  }
}

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

async function shell(
  words: readonly string[],
  {
    server,
    disk = createDisk().disk,
    signal,
    printAll,
    environment = {},
  }: {
    environment?: Record<string, string>
    server: RawServer
    disk?: ExportDisk
    signal?: AbortSignal
    printAll?: (text: string) => Promise<boolean>
  },
): Promise<Ended> {
  let out = ''
  let err = ''
  const code = await run({
    words: ['export', ...words],
    environment: { SIGHTLINE_URL: server.url, SIGHTLINE_TOKEN: token, ...environment },
    readFile: () => '',
    appendFile: () => undefined,
    openReport: () => {
      throw new Error('no report is written')
    },
    fetch: fetchWhole,
    clock: fastClock(),
    random: Math.random,
    print: (text) => (out += text),
    printAll:
      printAll ??
      ((text) => {
        out += text
        return Promise.resolve(true)
      }),
    disk,
    log: (line) => (err += `${line}\n`),
    isColourTerminal: false,
    signal: signal ?? new AbortController().signal,
    version: '0.0.0',
  })
  expect(err).not.toContain(token)
  return { code, out, err }
}

const token = `slt_${'a'.repeat(43)}`

async function rawServer(pageSize?: number): Promise<RawServer> {
  const server = await startRawServer({ token, ...(pageSize === undefined ? {} : { pageSize }) })
  onTestFinished(server.stop)
  return server
}

function rawBuild(index: number, more: Partial<RawBuild> = {}): RawBuild {
  return {
    id: `build${String(index).padStart(8, '0')}`,
    at: Date.UTC(2026, 10, 1) + index * 1000,
    project: index % 3 === 0 ? 'shop' : 'site',
    facts: 'with it',
    ...more,
  }
}

function linesOf(text: string): ExportLine[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => ExportLine.parse(JSON.parse(line)))
}

function idsOf(text: string): string[] {
  return linesOf(text).map(({ id }) => id)
}

const all = ['--since', '2026-11-01']

test('old builds come page by page as lines with UTC times and facts', async () => {
  const server = await rawServer(2)
  const builds = Array.from({ length: 7 }, (_, index) => rawBuild(index))
  server.publish(builds)
  const { code, out, err } = await shell(all, { server })
  expect(code).toBe(0)
  expect(idsOf(out)).toEqual(builds.map(({ id }) => id))
  expect(linesOf(out)[0]).toMatchObject({
    version: 1,
    id: 'build00000000',
    receivedAt: '2026-11-01T00:00:00.000Z',
    startedAt: '2026-10-31T23:58:59.000Z',
    finishedAt: '2026-10-31T23:59:59.000Z',
    matches: 'yes',
    complete: true,
    facts: { project: 'shop', outcome: 'succeeded', durationMs: 60_000 },
  })
  expect(err).toBe('7 written.\n')
})

test('the facts of builds whose list has none are read from their events', async () => {
  const server = await startRawServer({ token, pageSize: 4, isBare: true })
  onTestFinished(server.stop)
  server.publish(
    Array.from({ length: 9 }, (_, index) =>
      rawBuild(index, index === 4 || index === 5 ? { facts: index === 4 ? 'never' : 'bare' } : {}),
    ),
  )
  server.break([{ after: 4000 }, { after: 300 }])
  const { code, out } = await shell([...all, '--query', 'project:shop'], { server })
  expect(code).toBe(0)
  expect(linesOf(out).map(({ id, matches, complete }) => [id, matches, complete])).toEqual([
    ['build00000000', 'yes', true],
    ['build00000003', 'yes', true],
    ['build00000004', 'unknown', false],
    ['build00000005', 'unknown', false],
    ['build00000006', 'yes', true],
  ])
})

test('a search in which something is likely mistyped says so before it finds nothing', async () => {
  const server = await rawServer()
  server.publish([rawBuild(0)])
  const { code, out, err } = await shell([...all, '--query', 'buildOutcome:faild'], { server })
  expect({ code, out }).toEqual({ code: 0, out: '' })
  expect(err).toMatch(/^--query: .*faild.*\n0 written, 1 didn't match\.\n$/)
})

test('a search leaves out what does not match, and since and until are kept to', async () => {
  const server = await rawServer()
  server.publish(Array.from({ length: 10 }, (_, index) => rawBuild(index)))
  const words = [
    '--since=2026-11-01T00:00:02Z',
    '--until=2026-11-01T00:00:07',
    '--query',
    'project:shop',
  ]
  const { code, out, err } = await shell(words, { server })
  expect([code, idsOf(out), err]).toEqual([
    0,
    ['build00000003', 'build00000006'],
    "2 written, 4 didn't match.\n",
  ])
})

test('following goes on where the list ends, and a build waits for its facts no longer than it may', async () => {
  const more = [rawBuild(4, { facts: 'never' }), rawBuild(5, { facts: 'late' })]
  const server = await startRawServer({
    token,
    pageSize: 3,
    onReader: () => {
      server.publish(more.splice(0))
    },
  })
  onTestFinished(server.stop)
  server.publish([0, 1, 2, 3].map((index) => rawBuild(index)))
  const end = new AbortController()
  let out = ''
  const { code } = await shell([...all, '--follow', '--wait', '20s'], {
    server,
    signal: end.signal,
    printAll: (text) => {
      out += text
      if (idsOf(out).length === 6) end.abort()
      return Promise.resolve(true)
    },
  })
  expect(code).toBe(0)
  expect(idsOf(out)).toEqual([0, 1, 2, 3, 4, 5].map((index) => rawBuild(index).id))
  expect(linesOf(out).slice(4)).toMatchObject([
    { complete: false, facts: { buildTool: 'gradle' } },
    { complete: true, facts: { project: 'site' } },
  ])
})

test.each([['out'], [undefined]])(
  'builds that the server repeats after a restart are not written twice (--output %s)',
  async (output) => {
    const server = await rawServer()
    const { disk, text } = createDisk()
    let printed = ''
    const written = (): string => (output === undefined ? printed : text(output))
    const upTo = async (count: number): Promise<void> => {
      const end = new AbortController()
      const words = [...all, '--follow', '--state', 'state', '--wait', '5s']
      await shell(output === undefined ? words : [...words, '--output', output], {
        server,
        signal: end.signal,
        disk: {
          ...disk,
          saveState: (path, content) => {
            disk.saveState(path, content)
            if (idsOf(written()).length >= count) end.abort()
          },
        },
        printAll: (more) => {
          printed += more
          return Promise.resolve(true)
        },
      })
    }
    // Minutes lie between them: the repeated ones are older than what was handled last.
    const builds = Array.from({ length: 27 }, (_, index) => rawBuild(index * 100))
    server.publish(builds.slice(0, 20))
    await upTo(20)
    server.publish([...builds.slice(20, 25), ...builds.slice(15, 25)])
    await upTo(25)
    server.publish(builds.slice(25))
    await upTo(27)
    expect(idsOf(written())).toEqual(builds.map(({ id }) => id))
  },
)

test('a build server whose clock is ahead has old builds all the same, which come with their facts', async () => {
  const end = new AbortController()
  const aheadMs = 4 * 3_600_000
  const onReader = (): void => {
    end.abort()
  }
  const server = await startRawServer({ token, aheadMs, onReader })
  onTestFinished(server.stop)
  // Old ones by its clock, and to come by ours.
  const at = Date.now() + aheadMs - 3_600_000
  server.publish([0, 1, 2].map((index) => rawBuild(index, { at: at + index, facts: 'never' })))
  const { out } = await shell(['--since', '1d', '--follow'], { server, signal: end.signal })
  expect(linesOf(out).map(({ complete }) => complete)).toEqual([true, true, true])
})

test('a build whose facts are waited for is not left out where following ends by --until', async () => {
  const more = [rawBuild(4, { facts: 'never' })]
  const server = await startRawServer({
    token,
    onReader: () => {
      server.publish(more.splice(0))
    },
  })
  onTestFinished(server.stop)
  server.publish([0, 1, 2, 3].map((index) => rawBuild(index)))
  const until = `--until=${new Date(rawBuild(4).at).toISOString()}`
  const { code, out } = await shell([...all, '--follow', '--wait', '20s', until], { server })
  expect(code).toBe(0)
  expect(idsOf(out)).toEqual([0, 1, 2, 3, 4].map((index) => rawBuild(index).id))
})

test.each([
  [403, 'permission “Access build data via the API”.\n'],
  [401, 'Renew the credentials.\n'],
] as const)(
  'a build list that is denied with %i ends an export at once',
  async (deniedBy, next) => {
    const server = await startRawServer({ token, deniedBy })
    onTestFinished(server.stop)
    server.publish([rawBuild(0)])
    const { code, err } = await shell(all, { server })
    expect([code, server.requests().length]).toEqual([3, 1])
    expect(err).toMatch(new RegExp(`${next}$`))
  },
)

test('where the list is denied, following goes on with the live feed', async () => {
  const end = new AbortController()
  const onReader = (): void => {
    end.abort()
  }
  const server = await startRawServer({ token, deniedBy: 403, onReader })
  onTestFinished(server.stop)
  const { err } = await shell(['--since', '1d', '--follow'], { server, signal: end.signal })
  expect(err).toContain(
    "The build list can't be read, so facts of older builds may be missing: The",
  )
})

test('what an earlier export wrote stays until there is something in its place', async () => {
  const server = await rawServer()
  server.publish([rawBuild(0)])
  const { disk, put, text } = createDisk()
  put('out', 'old')
  const refused = await shell([...all, '--output', 'out', '--timeout', '1s'], {
    server: { ...server, url: 'http://127.0.0.1:9' },
    disk,
  })
  expect([refused.code, text('out')]).toEqual([3, 'old'])
  expect((await shell([...all, '--output', 'out'], { server, disk })).code).toBe(0)
  expect(idsOf(text('out'))).toEqual([rawBuild(0).id])
  // Nothing is in the place of it, too, where nothing was built.
  const later = ['--since', '2026-11-02', '--output', 'out']
  expect((await shell(later, { server, disk })).code).toBe(0)
  expect(text('out')).toBe('')
})

test('a reader that leaves before the end is reported', async () => {
  const server = await rawServer()
  server.publish([rawBuild(0)])
  const printAll = () => Promise.resolve(false)
  const { code, err } = await shell(all, { server, printAll })
  expect([code, err]).toEqual([
    2,
    'The output was closed before all was written: at least 0 written.\n',
  ])
})

test('lines and state are two files', async () => {
  const server = await rawServer()
  const words = [...all, '--output', 'one', '--state', './one']
  expect(await shell(words, { server })).toMatchObject({
    code: 2,
    err: '--output and --state are both one. Use two files.\n',
  })
})

test.each(['2026-02-30', '2026-04-31T10:00Z'])('%s is no day to begin with', async (since) => {
  const { code, err } = await shell(['--since', since], { server: await rawServer() })
  expect(code).toBe(2)
  expect(err).toContain(`--since is “${since}”`)
})

describe('whatever is killed, cut or away, each build stands in the file exactly once', () => {
  const scenario = fc.record({
    facts: fc.array(fc.constantFrom('with it' as const, 'late' as const, 'never' as const), {
      minLength: 1,
      maxLength: 40,
    }),
    // Builds of the last minute are left to the live feed.
    isYoung: fc.boolean(),
    listed: fc.nat(40),
    times: fc.constantFrom(0, 1, 1000),
    pageSize: fc.integer({ min: 1, max: 9 }),
    kills: fc.array(
      fc.tuple(fc.integer({ min: 1, max: 9 }), fc.double({ min: 0, max: 1, noNaN: true })),
      {
        maxLength: 8,
      },
    ),
    faults: fc.array(fc.record({ after: fc.oneof(fc.constant(0), fc.nat(4000)) }), {
      maxLength: 10,
    }),
    forgotten: fc.array(fc.nat(39), { maxLength: 3 }),
    query: fc.constantFrom('', 'project:shop'),
  })

  test('over restarts of the command, deaths of the server and lost resume points', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const server = await startRawServer({ token, pageSize: given.pageSize })
        const first = given.isYoung ? Date.now() + 3_600_000 : Date.UTC(2026, 10, 1)
        const builds = given.facts.map((facts, index) =>
          rawBuild(index, { facts, at: first + index * given.times }),
        )
        const listed = Math.min(given.listed, builds.length)
        server.publish(builds.slice(0, listed))
        server.forget(given.forgotten.map((index) => rawBuild(index).id))
        server.break(given.faults)
        let published = listed
        const publishing = setInterval(() => {
          const count = 1 + (published % 4)
          server.publish(builds.slice(published, published + count))
          published += count
          if (published % 5 === 0) server.dropAll()
          if (published >= builds.length) clearInterval(publishing)
        }, 3)
        const files = createDisk()
        const wanted = new Set(
          builds
            .filter(({ project }) => given.query === '' || project === 'shop')
            .map(({ id }) => id),
        )
        const words = [...all, '--follow', '--wait', '5s', '--output', 'out', '--state', 'state']
        if (given.query !== '') words.push('--query', given.query)
        try {
          for (const kill of [...given.kills, undefined]) {
            files.killAt(kill?.[0] ?? Infinity, kill?.[1] ?? 0)
            const end = new AbortController()
            const last = builds.at(-1)?.id ?? ''
            files.onWrite(() => {
              if (files.text('state').includes(last)) end.abort()
            })
            if (files.text('state').includes(last)) break
            await shell(words, { server, disk: files.disk, signal: end.signal }).catch(
              (error: unknown) => {
                if (!(error instanceof Killed)) throw error
              },
            )
          }
          const lines = linesOf(files.text('out'))
          const ids = lines.map(({ id }) => id)
          expect(ids).toEqual([...new Set(ids)])
          expect(ids.toSorted()).toEqual(ids)
          expect([...wanted].filter((id) => !ids.includes(id))).toEqual([])
          // Nobody knows whose a build is whose facts did not come in time: it stands there, marked.
          const others = lines.filter(({ id }) => !wanted.has(id))
          expect(
            others.filter(({ matches, complete }) => matches !== 'unknown' || complete),
          ).toEqual([])
        } finally {
          clearInterval(publishing)
          await server.stop()
        }
      }),
      { numRuns: runs(400) },
    )
  }, 60_000)
})

test('a slow reader of the output is waited for, and one that leaves ends it quietly', async () => {
  const server = await rawServer(5)
  server.publish(Array.from({ length: 50 }, (_, index) => rawBuild(index)))
  let taken = 0
  const { code, err } = await shell([...all, '--follow'], {
    server,
    printAll: (text) => {
      taken += idsOf(text).length
      // No page is read ahead of the reader but the one that is on its way.
      expect(server.requests().length).toBeLessThanOrEqual(Math.ceil(taken / 5) + 1)
      return Promise.resolve(taken < 20)
    },
  })
  expect(code).toBe(0)
  expect(err).toMatch(/^(?:\d+ written; the newest was received .* ago\.\n)*$/)
})

test('what cannot be continued is said before anything is read', async () => {
  const server = await rawServer()
  server.publish([rawBuild(0)])
  const { disk, put, text } = createDisk()
  const words = [...all, '--output', 'out', '--state', 'state']
  expect((await shell(words, { server, disk })).code).toBe(0)
  const other = await shell([...words, '--query', 'project:shop'], { server, disk })
  expect([other.code, other.err]).toEqual([
    2,
    '--state: state belongs to an export with another query. Use another file.\n',
  ])
  put('out', `${text('out')}{"id": 1}\n`)
  expect((await shell(words, { server, disk })).err).toMatch(
    /^--output: out has a line that no export wrote, after byte \d+\. /,
  )
  put('out', '')
  expect((await shell(words, { server, disk })).err).toContain('out is shorter than --state says')
  put('state', '{')
  expect((await shell(words, { server, disk })).err).toContain(
    "state isn't a state of this release",
  )
})

test('wrong options are said together, and a refused token ends with 3', async () => {
  const server = await rawServer()
  const wrong = await shell(
    ['--since=yesterday', '--query', 'projekt:shop', '--format', 'csv', '--board=x'],
    { server },
  )
  expect(wrong.code).toBe(2)
  expect(wrong.err).toMatch(
    /--board can't be used with export\.\n.*ndjson\.\n--since is “yesterday”.*\n--query: /,
  )
  expect(await shell([], { server })).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^Missing --since: [^\n]*\nSee sightline --help\.\n$/) as unknown,
  })
  expect(await shell(['--since=2099-01-01', '--timeout=0s'], { server })).toMatchObject({
    code: 2,
    err: '--since is in the future. Add --follow to wait for builds, or set an earlier time.\n--timeout must be greater than zero.\nSee sightline --help.\n',
  })
  const nobody = await shell(all, { server, environment: { SIGHTLINE_TOKEN: '' } })
  expect([nobody.code, nobody.err]).toEqual([
    3,
    'Sign in. Set SIGHTLINE_TOKEN to an access token.\n',
  ])
  const stranger = await startRawServer({ token: 'another' })
  onTestFinished(stranger.stop)
  const refused = await shell(all, { server: stranger })
  expect([refused.code, refused.err]).toEqual([3, 'Sign in.\n'])
  const later = await startRawServer({ pageSize: 2, accepted: 2 })
  onTestFinished(later.stop)
  later.publish([0, 1, 2, 3, 4, 5].map((index) => rawBuild(index)))
  const revoked = await shell(all, { server: later })
  expect([revoked.code, revoked.err]).toEqual([
    3,
    `Sign in.\n${idsOf(revoked.out).length} written before that: the output is incomplete.\n`,
  ])
  expect(idsOf(revoked.out)).not.toHaveLength(0)
  const away = await shell([...all, '--timeout', '3s'], {
    server: { ...server, url: 'http://127.0.0.1:59998' },
  })
  expect([away.code, away.err]).toEqual([3, expect.stringContaining('Connection refused.')])
})
