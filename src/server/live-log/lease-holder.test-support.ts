import pino from 'pino'
import { LeaseLost } from './live-log.ts'
import { realClock } from '../real-clock.test-support.ts'
import { openLiveLog } from './open-live-log.ts'

// A process of its own, which the test kills and stops: takes the lease, appends a build every few
// milliseconds and writes the id of each that stands in the log.

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const log = openLiveLog({
  url: process.env.LIVE_LOG_OF_TEST ?? '',
  fallback: false,
  clock: realClock,
  random: Math.random,
  logger: pino({ level: 'silent' }),
})
const lease = await log.lease('follower', new AbortController().signal)
if (lease === undefined) throw new Error('no lease')
say('held')
lease.lost.addEventListener('abort', () => {
  say('lost')
})
for (let number = 1; ; number++) {
  const id = `h${number}`
  try {
    await log.append([{ kind: 'build', id, timestamp: number, json: '{}' }], lease)
    say(id)
  } catch (error) {
    say(error instanceof LeaseLost ? 'refused' : String(error))
    break
  }
  await new Promise((resolve) => setTimeout(resolve, 5))
}
await log.close()
