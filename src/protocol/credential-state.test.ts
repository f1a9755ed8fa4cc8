import { describe, expect, test } from 'vitest'
import { type CredentialState, credentialText } from './credential-state.ts'

const now = 1_000_000_000
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const valid: CredentialState = {
  ...{ kind: 'access-key', state: 'valid', checkedAt: now, expiresAt: null },
  ...{ expiresEarlier: false, permissions: null, notice: null },
}

describe('a credential', () => {
  test.each<[Partial<CredentialState>, string]>([
    [{ kind: 'none' }, 'No credential is configured.'],
    [{}, 'The access key is valid.'],
    [{ state: 'unchecked' }, 'The access key is not checked yet.'],
    [{ kind: 'bearer', state: 'refused' }, 'The server rejects the bearer token.'],
    [
      { kind: 'basic', state: 'unreachable' },
      "The user name and password were not checked: the server can't be reached.",
    ],
    [{ state: 'unreachable' }, "The access key was not checked: the server can't be reached."],
    [
      { kind: 'basic', notice: 'Use a token.' },
      'The user name and password are valid. Use a token.',
    ],
  ])('%j reads as “%s”', (more, text) => {
    expect(credentialText({ ...valid, ...more }, now)).toBe(text)
  })

  test.each<[number, string]>([
    [6 * day + hour, 'The access key expires in 6 days.'],
    [2 * day, 'The access key expires in 2 days.'],
    [2 * day - 1, 'The access key expires in 48 hours.'],
    [61 * minute, 'The access key expires in 2 hours.'],
    [hour, 'The access key expires in 60 minutes.'],
    [1, 'The access key expires in 1 minute.'],
    [0, 'The access key has expired.'],
    [-day, 'The access key has expired.'],
  ])('that has %i ms left: “%s”', (left, text) => {
    expect(credentialText({ ...valid, expiresAt: now + left }, now)).toBe(
      `The access key is valid. ${text}`,
    )
  })

  test('that may expire earlier does so within that time', () => {
    const soon = { ...valid, kind: 'basic', expiresAt: now + day, expiresEarlier: true } as const
    expect(credentialText(soon, now)).toContain('expire within 24 hours.')
  })
})
