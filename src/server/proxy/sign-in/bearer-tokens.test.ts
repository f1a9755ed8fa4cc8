import { expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { createBearerTokens } from './bearer-tokens.ts'

const start = Date.UTC(2026, 10, 22)

function tokens(secret = 'a secret of at least 32 characters') {
  const clock = createManualClock(start)
  return { clock, tokens: createBearerTokens({ secret, clock }) }
}

const claims = { user: { name: 'ann', roles: ['viewer' as const] }, kind: 'person' as const }

test('a token that was checked before ends at the same moment as any other', async () => {
  const here = tokens()
  const token = await here.tokens.sign(claims, start + 60_000)
  const first = await here.tokens.verify(`Bearer ${token}`)
  expect(await here.tokens.verify(`Bearer ${token}`)).toEqual(first)

  here.clock.advance(59_999)
  expect(await here.tokens.verify(`Bearer ${token}`)).toEqual(first)
  here.clock.advance(1)
  await expect(here.tokens.verify(`Bearer ${token}`)).rejects.toThrow(/session has ended/)
  // As if it had never been checked.
  await expect(here.tokens.verify(`Bearer ${token}`)).rejects.toThrow(/session has ended/)
})

test('what was checked before says nothing about another text', async () => {
  const here = tokens()
  const token = await here.tokens.sign(claims, start + 60_000)
  await here.tokens.verify(`Bearer ${token}`)

  const [head, body, signature = ''] = token.split('.')
  const forged = `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
  await expect(here.tokens.verify(`Bearer ${forged}`)).rejects.toThrow(/session has ended/)
  const elsewhere = tokens('another secret of at least 32 characters')
  await expect(elsewhere.tokens.verify(`Bearer ${token}`)).rejects.toThrow(/session has ended/)
})
