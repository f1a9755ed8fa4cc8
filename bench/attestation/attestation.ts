/**
 * A 10 MB envelope decoded and verified, beside the bare calls of the platform for the same work
 * (JSON.parse, base64, JSON.parse, SHA-256 and subtle.verify) in the same run, in turns: in Node, and
 * in Chromium, where people do it. Then how many envelopes of a common size are decoded and verified
 * in a second, one after another, and how long the main thread of the page is kept by a dropped file
 * of 10 MB. Processor time counts all threads, so it is what one core would take, whatever else the
 * machine does.
 */
import { measureInBrowser } from './in-browser.ts'
import { readBare } from './bare.ts'
import { median, type Turn, takeTurns } from './turns.ts'
import { readOurs } from './ours.ts'
import { createSigned } from './signed-envelopes.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 9)

const large = await createSigned({ payloadBytes: 10_000_000, count: 1 })
say('envelope', `${(large.texts[0]?.length ?? 0).toLocaleString('en-US')} characters`)
const clock = { collect: () => globalThis.gc?.(), processor: processorMs }
const { bare, ours } = await takeTurns({
  rounds,
  ...clock,
  bare: () => readBare(large, 'Buffer'),
  ours: () => readOurs(large),
})
tell('Node, bare with Buffer', bare)
tell('Node, decode and verify', ours)
const times = median(ours, 'processor') / median(bare, 'processor')
say('  times bare', `${times.toFixed(2)}   goal: 1.5`)
const old = await takeTurns({
  rounds: 2,
  ...clock,
  bare: () => readBare(large, 'atob'),
  ours: () => readOurs(large),
})
const timesOld = median(old.ours, 'processor') / median(old.bare, 'processor')
say('  times bare with atob', timesOld.toFixed(2))

const small = await createSigned({ payloadBytes: 1400, count: 500 })
const many = await takeTurns({
  rounds: 3,
  ...clock,
  bare: () => readBare(small, 'Buffer'),
  ours: () => readOurs(small),
})
tell('Node, 500 bare', many.bare)
tell('Node, 500 envelopes', many.ours)
const perSecond = (1000 * small.texts.length) / median(many.ours, 'processor')
say('  a second, on one core', `${perSecond.toFixed(0)}   goal: 500`)
if (times > 1.5 || perSecond < 500) process.exitCode = 1

const inBrowser = await measureInBrowser(rounds)
if (inBrowser === undefined) {
  say('Chromium', 'left out: it needs CHROMIUM_PATH and the built product')
} else {
  tell('Chromium, bare', inBrowser.bare)
  tell('Chromium, ours', inBrowser.ours)
  const timesThere = median(inBrowser.ours, 'elapsed') / median(inBrowser.bare, 'elapsed')
  say('  times bare', `${timesThere.toFixed(2)}   goal: 1.5`)
  const longest = inBrowser.longestTasks.map((ms) => ms.toFixed(0)).join(' ')
  say('Page, longest task', `${longest} ms   told from 50 ms on   goal: none`)
  if (timesThere > 1.5 || Math.max(...inBrowser.longestTasks) > 50) process.exitCode = 1
}

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function tell(name: string, turns: readonly Turn[]): void {
  const elapsed = `${median(turns, 'elapsed').toFixed(0)} ms`
  const processor = median(turns, 'processor')
  say(name, processor > 0 ? `${elapsed}, processor ${processor.toFixed(0)} ms` : elapsed)
}

function say(name: string, text: string): void {
  console.log(`${name.padEnd(26)} ${text}`)
}
