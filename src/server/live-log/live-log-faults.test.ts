import { type ChildProcess, spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { build as bundle } from 'vite'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../../protocol/clock.ts'
import { realClock } from '../real-clock.test-support.ts'
import { freePort, onLoopback } from '../../free-port.test-support.ts'
import { LeaseLost } from './live-log.ts'
import {
  appendAll,
  appendOnce,
  build,
  buildsOf,
  ids,
  leaseOf,
  type LogProcess,
  onEachServer,
  startProcess,
  until,
} from './on-each-live-log.test-support.ts'

// What becomes of the log when a process or the server is killed, stopped or cut off.

/** Beside the packages that it loads. */
const outDir = join(import.meta.dirname, '../../../dist/test/live-log')
beforeAll(async () => {
  await bundle({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: fileURLToPath(new URL('./lease-holder.test-support.ts', import.meta.url)),
      outDir,
      target: 'node20',
      copyPublicDir: false,
      rolldownOptions: { output: { entryFileNames: 'lease-holder.mjs' } },
    },
  })
})
afterAll(() => rm(outDir, { recursive: true }))

/** A process of its own that holds the lease and appends h1, h2 and so on. */
interface Holder {
  readonly child: ChildProcess
  readonly lines: string[]
}

async function startHolder(url: string): Promise<Holder> {
  const child = spawn(process.execPath, [join(outDir, 'lease-holder.mjs')], {
    env: { ...process.env, LIVE_LOG_OF_TEST: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  createInterface(child.stdout).on('line', (line) => lines.push(line))
  await until('it appends', () => lines.length > 5)
  return { child, lines }
}

/** A way to a server that can be cut, and closed for a while. */
async function startCutter(target: string): Promise<{
  readonly url: string
  readonly cut: () => void
  readonly setOpen: (isOpen: boolean) => void
  /** How many came while it was closed. */
  readonly refused: () => number
}> {
  const to = new URL(target)
  const sockets = new Set<Socket>()
  let isOpen = true
  let refused = 0
  const proxy = createServer((socket) => {
    if (!isOpen) {
      refused++
      socket.destroy()
      return
    }
    const onward = connect(Number(to.port), to.hostname)
    for (const end of [socket, onward]) {
      sockets.add(end)
      end.on('error', () => undefined)
      end.once('close', () => {
        sockets.delete(end)
        socket.destroy()
        onward.destroy()
      })
    }
    socket.pipe(onward).pipe(socket)
  })
  const { port, close } = await onLoopback(proxy, await freePort())
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    void close()
    cut()
  })
  return {
    url: Object.assign(new URL(target), { port: String(port) }).href,
    cut,
    refused: () => refused,
    setOpen: (value) => {
      isOpen = value
      if (!isOpen) cut()
    },
  }
}

const allHave = (processes: readonly LogProcess[], count: number): Promise<void> =>
  until(`${count} builds each`, () => processes.every((each) => buildsOf(each).length >= count))

onEachServer((server) => {
  const newUrl = (): Promise<string> => server().emptyDatabase()

  test('when the process that follows is killed, another one goes on, and no build is lost or doubled', async () => {
    const url = await newUrl()
    const [one, two] = [startProcess(url), startProcess(url)]
    const { child, lines } = await startHolder(url)
    const next = leaseOf(one.log)
    await until('some builds', () => lines.length > 20)
    child.kill('SIGKILL')
    const lease = await next
    const taken = buildsOf(one)
    expect(lease.resumeAfter).toBe(taken.at(-1))
    expect(taken).toEqual(Array.from({ length: taken.length }, (_, at) => `h${at + 1}`))
    const acknowledged = lines.filter((line) => line.startsWith('h') && line !== 'held')
    expect(taken.slice(0, acknowledged.length)).toEqual(acknowledged)
    await one.log.append(['h1', ...taken.slice(-3), 'b1'].map(build), lease)
    await until('b1', () => buildsOf(two).includes('b1'))
    expect(buildsOf(two)).toEqual([...taken, 'b1'])
  })

  test('a process that was stopped for longer than its lease lasts can append no more', async () => {
    const url = await newUrl()
    const one = startProcess(url)
    const { child, lines } = await startHolder(url)
    child.kill('SIGSTOP')
    const lease = await leaseOf(one.log)
    const before = buildsOf(one)
    await one.log.append(ids(1, 3).map(build), lease)
    child.kill('SIGCONT')
    await until('it is told', () => lines.includes('refused'))
    expect(lines).toContain('lost')
    await one.log.append([build('b4')], lease)
    await until('b4', () => buildsOf(one).includes('b4'))
    expect(buildsOf(one)).toEqual([...before, ...ids(1, 4)])
  })

  test('a server that is killed in the middle and started again loses and doubles nothing', async () => {
    const url = await newUrl()
    const [one, two] = [startProcess(url), startProcess(url)]
    let returns = 0
    two.log.onReturn(() => (returns += 1))
    const appending = appendAll(one.log, ids(1, 400), 2)
    await until('the middle', () => buildsOf(two).length > 50)
    await server().kill()
    await until('both say so', () => [one, two].every(({ log }) => !log.state().isReachable))
    expect(two.log.state().message).toMatch(
      /^Can't reach the live log in (PostgreSQL|Redis) at 127\.0\.0\.1:\d+: connection refused\. Trying again\.$/,
    )
    const returnsBefore = returns
    await server().start()
    await appending
    await allHave([one, two], 400)
    expect(buildsOf(one)).toEqual(ids(1, 400))
    expect(buildsOf(two)).toEqual(ids(1, 400))
    await until('it returned', () => returns > returnsBefore)
    expect(two.log.state()).toMatchObject({ isReachable: true, message: undefined })
  })

  test('a server that answers nothing for a while costs the lease, and nothing else', async () => {
    const url = await newUrl()
    const [one, two] = [startProcess(url), startProcess(url)]
    const lease = await leaseOf(one.log)
    await one.log.append(ids(1, 3).map(build), lease)
    await allHave([two], 3)
    await server().freeze()
    const refused = one.log.append(ids(4, 6).map(build), lease).catch((error: unknown) => error)
    await until('it is lost', () => lease.lost.aborted)
    expect(await refused).toBeInstanceOf(LeaseLost)
    await until('both say so', () => [one, two].every(({ log }) => !log.state().isReachable))
    expect(two.log.state().message).toContain(': no answer. Trying again.')
    await server().thaw()
    await appendAll(one.log, ids(1, 20), 3)
    await allHave([one, two], 20)
    expect(buildsOf(one)).toEqual(ids(1, 20))
    expect(two.given).toEqual(one.given)
  })

  test('connections that are cut again and again lose and double nothing, notices neither', async () => {
    const cutter = await startCutter(await newUrl())
    const [one, two] = [startProcess(cutter.url), startProcess(cutter.url)]
    await until('reached', () => [one, two].every(({ log }) => log.state().isReachable))
    const heard: unknown[] = []
    let returns = 0
    two.log.onNotice('n', (value) => heard.push(value))
    two.log.onReturn(() => (returns += 1))
    const appending = appendAll(one.log, ids(1, 300), 3)
    for (let cut = 1; cut <= 5; cut++) {
      await until('some more', () => buildsOf(two).length >= cut * 40)
      one.log.notify('n', cut)
      cutter.cut()
    }
    await appending
    await allHave([one, two], 300)
    expect(buildsOf(one)).toEqual(ids(1, 300))
    expect(two.given).toEqual(one.given)
    // One that was on its way is lost, but whoever did not hear it looks for itself.
    await until('heard or told', () => heard.length === 5 || returns > 0)
    expect(new Set(heard).size).toBe(heard.length)
  })

  test('what a process could not say while it was cut off, the others look up when it is back', async () => {
    const url = await newUrl()
    const cutter = await startCutter(url)
    const [cutOff, other] = [startProcess(cutter.url), startProcess(url)]
    await until('reached', () => [cutOff, other].every(({ log }) => log.state().isReachable))
    let returns = 0
    other.log.onReturn(() => (returns += 1))
    cutter.setOpen(false)
    await until('it says so', () => !cutOff.log.state().isReachable)
    const refused = cutter.refused()
    cutOff.log.notify('n', 'unheard')
    await until('nobody heard it', () => cutter.refused() > refused + 1)
    cutter.setOpen(true)
    await until('the other one is told', () => returns === 1)
    expect(other.states.filter(({ isReachable }) => !isReachable)).toHaveLength(1)
  })

  test('a process starts while the log is away, says so, and has everything when it is there', async () => {
    const url = await newUrl()
    const before = startProcess(url)
    await appendOnce(before.log, ids(1, 3).map(build))
    const cutter = await startCutter(url)
    cutter.setOpen(false)
    const late = startProcess(cutter.url)
    expect(late.log.state()).toMatchObject({ isReachable: false })
    expect(late.log.state().message).toMatch(/^Connecting to the live log in /)
    const lease = leaseOf(late.log)
    await until('it says so', () => late.states.length > 1)
    expect(late.log.state().message).toMatch(/^Can't reach the live log in .*\. Trying again\.$/)
    expect([late.given, late.caughtUp()]).toEqual([[], 0])
    cutter.setOpen(true)
    expect((await lease).resumeAfter).toBe('b3')
    expect([buildsOf(late), late.caughtUp()]).toEqual([ids(1, 3), 1])
  })

  test('one that may follow alone does so until the log is there, and then goes on in it', async () => {
    const url = await newUrl()
    const cutter = await startCutter(url)
    cutter.setOpen(false)
    const quick: Clock = {
      now: realClock.now,
      after: (ms, callback) => realClock.after(ms / 4, callback),
    }
    const alone = startProcess(cutter.url, { fallback: true, clock: quick })
    const others = startProcess(url)
    const lease = await leaseOf(alone.log)
    await alone.log.append(ids(1, 5).map(build), lease)
    expect([buildsOf(alone), alone.caughtUp()]).toEqual([ids(1, 5), 1])
    expect(alone.log.state().message).toMatch(/Until then this process reads builds by itself\.$/)
    await appendOnce(others.log, ids(3, 7).map(build))
    cutter.setOpen(true)
    await until('it is lost', () => lease.lost.aborted)
    await appendAll(alone.log, ids(1, 9))
    await allHave([alone], 9)
    await allHave([others], 7)
    expect(buildsOf(alone)).toEqual(ids(1, 9))
    expect(buildsOf(others)).toEqual(ids(3, 9))
    expect(alone.log.state().message).toBeUndefined()
  })

  test('a wrong password is said without the password, and without the user', async () => {
    const wrong = Object.assign(new URL(await newUrl()), {
      username: 'anna',
      password: 'throw-away2',
    })
    const { log, lines } = startProcess(wrong.href)
    await until('it says so', () => log.state().message?.startsWith("Can't") === true)
    expect(log.state().message).toContain(': wrong user or password. Trying again.')
    expect(JSON.stringify([log.state(), lines])).not.toMatch(/anna|throw-away/)
  })

  test('a PostgreSQL user needs no more than the tables', async ({ skip }) => {
    if (server().kind !== 'postgres') skip()
    const url = await newUrl()
    const admin = new pg.Client(url)
    await admin.connect()
    await admin.query(`create role plain login password 'throw-away'`)
    const plainUrl = Object.assign(new URL(url), { username: 'plain' }).href
    const plain = startProcess(plainUrl)
    await until('it says so', () => plain.states.length > 1)
    expect(plain.log.state().message).toContain(': the user lacks a permission there. Trying')
    await admin.query('grant create on schema public to plain')
    await appendOnce(plain.log, [build('b1')])
    await until('b1', () => buildsOf(plain).length === 1)
    await admin.end()
  })
})
