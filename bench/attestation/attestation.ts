/**
 * A 10 MB envelope decoded and verified, beside the bare calls of the platform for the same work
 * (JSON.parse, base64, JSON.parse, SHA-256 and subtle.verify) in the same run, in turns; then how
 * many envelopes of a common size are decoded and verified in a second, one after another. Processor
 * time counts all threads, so it is what one core would take, whatever else the machine does.
 */
import { decode } from '../../src/attestation/decode.ts'
import { readKeys } from '../../src/attestation/read-keys.ts'
import { verify } from '../../src/attestation/verify.ts'
import { type Base64, readBare } from './bare.ts'
import { createSigned, type Signed } from './signed-envelopes.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 7)

/** What one reading took, in ms. */
interface Cost {
  readonly elapsed: number
  readonly processor: number
}

const large = await createSigned({ payloadBytes: 10_000_000, count: 1 })
const costs: Record<string, Cost[]> = {
  'bare, Buffer': [],
  'bare, atob': [],
  'decode and verify': [],
}
for (let round = -1; round < rounds; round++) {
  const taken = {
    'bare, Buffer': await costOf(() => bare(large, 'Buffer')),
    'bare, atob': await costOf(() => bare(large, 'atob')),
    'decode and verify': await costOf(() => ours(large)),
  }
  // The first round warms everything up.
  if (round >= 0) for (const [name, cost] of Object.entries(taken)) costs[name]?.push(cost)
}
say('envelope', `${(large.texts[0]?.length ?? 0).toLocaleString('en-US')} characters`)
for (const [name, list] of Object.entries(costs)) {
  say(
    name,
    `${median(list, 'elapsed').toFixed(0)} ms, processor ${median(list, 'processor').toFixed(0)} ms`,
  )
}
const bareBuffer = costs['bare, Buffer'] ?? []
const bareAtob = costs['bare, atob'] ?? []
const own = costs['decode and verify'] ?? []
const times = median(own, 'processor') / median(bareBuffer, 'processor')
say('times bare, Buffer', `${times.toFixed(2)}   goal: 1.5`)
say('times bare, atob', (median(own, 'processor') / median(bareAtob, 'processor')).toFixed(2))

const small = await createSigned({ payloadBytes: 1400, count: 500 })
await ours(small)
const bareSmall = await costOf(() => bare(small, 'Buffer'))
const ownSmall = await costOf(() => ours(small))
const perSecond = (1000 * small.texts.length) / ownSmall.processor
say(
  '500 envelopes, bare',
  `${bareSmall.elapsed.toFixed(0)} ms, processor ${bareSmall.processor.toFixed(0)} ms`,
)
say(
  '500 envelopes',
  `${ownSmall.elapsed.toFixed(0)} ms, processor ${ownSmall.processor.toFixed(0)} ms`,
)
say('a second, on one core', `${perSecond.toFixed(0)}   goal: 500`)
if (times > 1.5 || perSecond < 500) process.exitCode = 1

async function ours({ texts, pem }: Signed): Promise<void> {
  const { keys } = readKeys(pem)
  for (const text of texts) {
    const decoded = decode(text)
    if (!decoded.ok || !decoded.envelope) throw new Error('not decoded')
    const [verdict] = await verify(decoded.envelope, keys)
    if (verdict?.verdict !== 'verified') throw new Error(verdict?.reason ?? 'no verdict')
  }
}

async function bare({ texts, spki }: Signed, base64: Base64): Promise<void> {
  for (const text of texts) await readBare(text, spki, base64)
}

async function costOf(work: () => Promise<void>): Promise<Cost> {
  globalThis.gc?.()
  const begin = performance.now()
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { elapsed: performance.now() - begin, processor: (user + system) / 1000 }
}

function median(list: readonly Cost[], of: keyof Cost): number {
  const sorted = list.map((cost) => cost[of]).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function say(name: string, text: string): void {
  console.log(`${name.padEnd(24)} ${text}`)
}
