import type { AnswerForm } from './evaluation-answer.ts'
import type { BodyCopy } from './body-copy.ts'

/** A request that is passed on to an upstream. */
export interface PassedRequest {
  /** The pattern of its route, and its path in decoded segments. */
  readonly pattern: string
  readonly segments: readonly string[]
  readonly body: Uint8Array | null
  readonly contentType: string | null
  /** The user of the session. */
  readonly by: string
}

/** Whoever watches one request. Never throws, and never holds it up. */
export interface RequestWatch {
  /** The upstream answered with this status, or not at all (null). Told once. */
  readonly answered: (status: number | null) => void
  /** The answer is passed on: under which header, and who reads along. Asked after `answered`. */
  readonly passed: (form: AnswerForm) => {
    readonly headers: Readonly<Record<string, string>>
    readonly copy: BodyCopy | undefined
  }
}

/** Says who watches a request; undefined where nobody does. */
export type ForwardWatch = (request: PassedRequest) => RequestWatch | undefined
