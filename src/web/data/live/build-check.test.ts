import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BuildMessage } from '../../../protocol/build-message.ts'
import { isBuildMessage } from './build-check.ts'

const good = {
  buildId: 'k3j7abcd01234',
  timestamp: 1_780_000_000_000,
  toolType: 'gradle',
  toolVersion: '9.2.0',
  agentVersion: '4.2',
}

test('a build message is accepted, also with more fields than are known', () => {
  expect(isBuildMessage(good)).toBe(true)
  expect(isBuildMessage({ ...good, extra: { deep: [1] } })).toBe(true)
})

/** Values near the border of what is accepted, beside any JSON value. */
const field = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>('', 'gradle', 0, -0, -1, 0.5, 2 ** 53, 2 ** 53 - 1, 1e300, null),
  fc.stringMatching(/^[a-z0-9]{12,14}$/),
  fc.stringMatching(/^[a-z0-9]{12}[A-Z\n_]$/),
)

test('it agrees with the schema on every value', () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.record(
      Object.fromEntries(
        Object.entries(good).map(([key, value]) => [
          key,
          fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: field }),
        ]),
      ),
      { requiredKeys: ['buildId', 'timestamp'] },
    ),
  )
  fc.assert(
    fc.property(value, (candidate) => {
      // As it would come over the wire: JSON knows no -0 and no missing key that is undefined.
      const parsed: unknown = JSON.parse(JSON.stringify(candidate))
      expect(isBuildMessage(parsed)).toBe(BuildMessage.safeParse(parsed).success)
    }),
    { numRuns: 3000 },
  )
})
