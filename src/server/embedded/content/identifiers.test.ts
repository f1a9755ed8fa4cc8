import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isBuildId } from '../../../protocol/build-message.ts'
import {
  createBuildId,
  createCacheKey,
  createCommitId,
  createEventId,
  createScopeId,
  createSeededRandom,
} from './seeded-random.ts'

describe('identifiers', () => {
  test('have the shapes of real ones', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = createSeededRandom(seed)
        expect(isBuildId(createBuildId(random))).toBe(true)
        expect(createScopeId(random)).toMatch(/^[a-z2-7]{26}$/)
        expect(createCommitId(random)).toMatch(/^[0-9a-f]{40}$/)
        expect(createCacheKey(random)).toMatch(/^[0-9a-f]{32}$/)
      }),
    )
  })

  test('of events fit into 64 bits and never into a JavaScript number', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const id = createEventId(createSeededRandom(seed))
        expect(BigInt.asIntN(64, id)).toBe(id)
        expect(id > BigInt(Number.MAX_SAFE_INTEGER) || id < BigInt(Number.MIN_SAFE_INTEGER)).toBe(
          true,
        )
      }),
    )
  })

  test('of events are of both signs', () => {
    const random = createSeededRandom('signs')
    const negative = Array.from({ length: 1000 }, () => createEventId(random)).filter(
      (id) => id < 0n,
    )
    expect(negative.length).toBeGreaterThan(400)
    expect(negative.length).toBeLessThan(600)
  })
})
