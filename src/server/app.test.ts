import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createManualClock } from '../protocol/manual-clock.ts'
import { startApp } from './app.ts'
import { readConfig } from './config.ts'
import { startPlainServer } from './proxy/plain-server.test-support.ts'

test('a start that fails says nothing of requests that it cuts off by that', async () => {
  // Asked for an access token first, it never answers.
  const silent = await startPlainServer(() => undefined)
  const read = readConfig({
    environment: {
      SIGHTLINE_PORT: silent.url.port,
      SIGHTLINE_DATABASE_URL: 'memory:',
      SIGHTLINE_BUILD_DATA_URL: silent.url.origin,
      SIGHTLINE_BUILD_DATA_ACCESS_KEY: 'a-key',
      SIGHTLINE_GOVERNOR_URL: silent.url.origin,
    },
    flags: [],
    readFile: () => '',
  })
  if (!read.ok) throw new Error(read.mistakes.join(' '))
  const clock = createManualClock(Date.UTC(2026, 0, 5))
  const log: string[] = []
  let said: unknown
  startApp({
    config: read.config,
    clock,
    random: () => 0.5,
    logger: pino({ level: 'warn' }, { write: (line) => log.push(line) }),
    version: '1',
    staticRoot: fileURLToPath(new URL('embedded/', import.meta.url)),
  }).catch((error: unknown) => {
    said = error
  })
  await expect
    .poll(() => {
      clock.advance(1000)
      return String(said)
    })
    .toContain('is already in use. Stop the other process,')
  expect(log).toEqual([])
  await silent.close()
})
