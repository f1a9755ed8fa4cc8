import type { Clock } from '../../../protocol/clock.ts'
import type { CredentialState } from '../../../protocol/credential-state.ts'
import { mediaType, type UpstreamResponse } from './upstream-client.ts'

/** When a credential ends, epoch ms; `isLatest` where it may end earlier. */
export interface Expiry {
  readonly at: number
  readonly isLatest: boolean
}

/** What is known of how one credential stands; written by whoever finds something out. */
export interface CredentialRecord {
  readonly state: () => CredentialState
  /** Learns from the response to a request with the credential itself; undefined: none came. */
  readonly answered: (response: UpstreamResponse | undefined) => void
  readonly checked: (state: 'valid' | 'refused' | 'unreachable') => void
  /** Undefined: nothing says when. */
  readonly expires: (expiry: Expiry | undefined) => void
  readonly granted: (permissions: CredentialState['permissions']) => void
  readonly noticed: (sentence: string | null) => void
}

/** Knows nothing yet. */
export function createCredentialRecord(
  kind: CredentialState['kind'],
  clock: Pick<Clock, 'now'>,
): CredentialRecord {
  let known: CredentialState = {
    kind,
    state: 'unchecked',
    checkedAt: null,
    expiresAt: null,
    expiresEarlier: false,
    permissions: null,
    notice: null,
  }
  const checked: CredentialRecord['checked'] = (state) => {
    known = { ...known, state, checkedAt: clock.now() }
  }
  return {
    state: () => known,
    answered: (response) => {
      const state = response === undefined ? 'unreachable' : stateBy(response)
      if (state !== undefined) checked(state)
    },
    checked,
    expires: (expiry) => {
      known = {
        ...known,
        expiresAt: expiry?.at ?? null,
        expiresEarlier: expiry?.isLatest ?? false,
      }
    },
    granted: (permissions) => {
      known = { ...known, permissions }
    },
    noticed: (notice) => {
      known = { ...known, notice }
    },
  }
}

/** A server that allows or forbids knows who is asking; a sign-in page or a fault says nothing. */
function stateBy(response: UpstreamResponse): 'valid' | 'refused' | undefined {
  const { status } = response
  if (status === 401) return 'refused'
  if (status === 403) return 'valid'
  const isData = /json|event-stream/.test(mediaType(response))
  const isSaid =
    status === 204 || (isData && (status < 300 || [400, 404, 410, 422].includes(status)))
  return isSaid ? 'valid' : undefined
}
