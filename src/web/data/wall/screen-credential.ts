import { Session } from '../../../protocol/session.ts'

const key = 'sightline.screen'

/** The part of localStorage that is used. */
export type CredentialStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/**
 * A screen's own credential, kept on its device: a wall has to come back by itself after a power cut.
 * It is the only token that is ever stored; it can read builds and nothing else, and is revoked from
 * the list of screens. What cannot be read or written is not kept.
 */
export interface ScreenCredential {
  readonly get: () => Session | undefined
  readonly keep: (session: Session) => void
  readonly forget: () => void
}

/** Keeps it on `storage`; where a browser allows none (undefined), until the page is closed. */
export function createScreenCredential(storage: CredentialStorage | undefined): ScreenCredential {
  let kept = read(storage)
  return {
    get: () => kept,
    keep: (session) => {
      kept = session
      attempt(() => storage?.setItem(key, JSON.stringify(session)))
    },
    forget: () => {
      kept = undefined
      attempt(() => storage?.removeItem(key))
    },
  }
}

function read(storage: CredentialStorage | undefined): Session | undefined {
  try {
    return Session.safeParse(JSON.parse(storage?.getItem(key) ?? 'null')).data
  } catch {
    // Written by something else, or storage is blocked: the screen asks for a code.
    return undefined
  }
}

function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // Full or blocked: it holds until the page is closed.
  }
}
