/**
 * A build of 562,697 events from a socket to a complete waterfall, beside a bare JSON.parse of the
 * same lines: read from the same socket, and already in memory. The server is a process of its own,
 * and so is each reading, so that memory is that of the reading alone; processor time leaves out
 * what else the machine does. Then the same build in Chromium, if the product is built.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { serveBuild } from './export-server.ts'
import { buildSize } from './generated-build.ts'
import { feel } from './in-browser.ts'
import { readBare, readBareFromSocket, type Reading, readToWaterfall } from './readings.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const ReadingMessage = z.object({
  seconds: z.number(),
  processor: z.number(),
  peakBytes: z.number(),
  found: z.string(),
})

const [role, address] = process.argv.slice(2)

if (role === 'serve') await serveBuild()
else if (role === 'bare') process.send?.(await readBare(address ?? ''))
else if (role === 'socket') process.send?.(await readBareFromSocket(address ?? ''))
else if (role === 'waterfall') process.send?.(await readToWaterfall(address ?? '', false))
else if (role === 'everything') process.send?.(await readToWaterfall(address ?? '', true))
else await measure()

async function measure(): Promise<void> {
  const { server, origin } = await startServer()
  const all = `${origin}/build-export/v2/build/${buildSize.buildId}/events`
  const readings: Record<string, Reading[]> = {
    bare: [],
    socket: [],
    waterfall: [],
    everything: [],
  }
  for (let round = 0; round < rounds; round++) {
    for (const [name, list] of Object.entries(readings)) list.push(await readingOf(name, all))
  }
  const felt = await feel(origin)
  server.kill()

  const { bare = [], socket = [], waterfall = [], everything = [] } = readings
  say('events', `${buildSize.events.toLocaleString('en-US')} in one stream`)
  say('JSON.parse, from memory', line(bare))
  say('JSON.parse, from socket', line(socket))
  say('socket to waterfall', line(waterfall))
  say('', waterfall.at(-1)?.found ?? '')
  say('and raw events kept', line(everything))
  say('', everything.at(-1)?.found ?? '')
  sayShare('share of bare, from socket', socket, waterfall, everything, '   goal: 0.40')
  sayShare('share of bare, from memory', bare, waterfall, everything, '')
  const peak = Math.max(...everything.map(({ peakBytes }) => peakBytes))
  say('peak memory', `${(peak / 1e6).toFixed(0)} MB resident   goal: 500 MB`)
  const isFast = median(socket, 'processor') / median(everything, 'processor') >= 0.4
  if (!isFast || peak > 500e6) process.exitCode = 1

  if (typeof felt === 'string') {
    say('in Chromium', felt)
    return
  }
  say('in Chromium, first rows', `after ${felt.firstRowsMs.toFixed(0)} ms   goal: 500 ms`)
  say(
    '  complete',
    `after ${(felt.completeMs / 1000).toFixed(1)} s, through the proxy and the worker`,
  )
  say(
    '  longest task',
    `${taskText(felt.longestReading)} while reading, ${taskText(felt.longestLooking)} while scrolling, sorting, searching   goal: 50 ms`,
  )
  say('  frames over 50 ms', `${felt.lateFrames} of ${felt.frames}`)
  if (Math.max(felt.longestReading, felt.longestLooking) > 50) process.exitCode = 1
}

function sayShare(
  name: string,
  bare: readonly Reading[],
  waterfall: readonly Reading[],
  everything: readonly Reading[],
  goal: string,
): void {
  const share = (ours: readonly Reading[], of: 'seconds' | 'processor'): string =>
    (median(bare, of) / median(ours, of)).toFixed(2)
  say(
    name,
    `${share(waterfall, 'processor')} by processor time, ${share(waterfall, 'seconds')} by the clock; ` +
      `with raw events ${share(everything, 'processor')} and ${share(everything, 'seconds')}${goal}`,
  )
}

async function startServer() {
  const server = fork(fileURLToPath(import.meta.url), ['serve'])
  const origin = await new Promise<string>((resolve) => {
    server.once('message', (message) => {
      resolve(z.string().parse(message))
    })
  })
  return { server, origin }
}

async function readingOf(name: string, url: string): Promise<Reading> {
  const child = fork(fileURLToPath(import.meta.url), [name, url], { execArgv: ['--expose-gc'] })
  const message = await new Promise<unknown>((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => {
      reject(new Error(`the reading "${name}" ended with ${String(code)}`))
    })
  })
  child.kill()
  return ReadingMessage.parse(message)
}

function median(readings: readonly Reading[], of: 'seconds' | 'processor'): number {
  const sorted = readings.map((reading) => reading[of]).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}

function line(readings: readonly Reading[]): string {
  const seconds = readings.map((reading) => reading.seconds.toFixed(2)).join(' ')
  return `${median(readings, 'seconds').toFixed(2)} s by the clock (${seconds}), ${median(readings, 'processor').toFixed(2)} s of the processor`
}

function say(name: string, text: string): void {
  console.log(`${name.padEnd(28)}${text}`)
}

/** Browsers tell of tasks from 50 ms on. */
function taskText(ms: number): string {
  return ms === 0 ? 'under 50 ms' : `${ms.toFixed(0)} ms`
}
