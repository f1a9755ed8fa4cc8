import { createHash } from 'node:crypto'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { dayMs } from '../../../protocol/clock.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { memoryDatabase } from '../../store/memory-database.test-support.ts'
import { createAccessTokens } from './access-tokens.ts'

test('what was begun with an access token ends when it expires, however far off that is', async () => {
  const database = await memoryDatabase()
  onTestFinished(() => database.close())
  const clock = createManualClock(Date.UTC(2026, 0, 5))
  const token = `slt_${'a'.repeat(43)}`
  const expires = clock.now() + 100 * dayMs
  const { verify } = createAccessTokens({
    users: [
      {
        name: 'ci',
        roles: ['viewer'],
        tokens: [
          {
            sha256: createHash('sha256').update(token).digest('hex'),
            prefix: 'slt_aaaa',
            created: clock.now(),
            expires,
          },
        ],
      },
    ],
    database,
    clock,
    logger: pino({ level: 'silent' }),
  })
  // As many spaces as one likes (RFC 9110, 11.4).
  const session = await verify(`Bearer   ${token}`, undefined)
  for (let day = 0; day < 99; day++) clock.advance(dayMs)
  clock.advance(dayMs - 1)
  expect(session?.ended.aborted).toBe(false)
  clock.advance(1)
  expect(session?.ended.aborted).toBe(true)
})
