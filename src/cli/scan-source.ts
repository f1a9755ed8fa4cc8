import type { ReleaseBoard } from '../protocol/proxy-config.ts'
import type { Waiver } from '../protocol/waiver.ts'
import type { Subject } from './subject.ts'

/** Who evaluates, and what else is known there. All of it throws a ProblemError where it fails. */
export interface ScanSource {
  /** In plain words, for sentences: "the policy scan service". */
  readonly who: string
  /** Asks for an evaluation; resolves when the answer begins. */
  readonly evaluate: (subject: Subject, signal: AbortSignal) => Promise<Response>
  /** The waivers of a package, in force or not; none where nobody keeps any. */
  readonly waivers: (subject: Subject, signal: AbortSignal) => Promise<readonly Waiver[]>
  /** The release boards that are offered; none where nobody keeps any. */
  readonly boards: (signal: AbortSignal) => Promise<readonly ReleaseBoard[]>
  /** Where people see the record of an evaluation, if one is made. */
  readonly recordOf: (subject: Subject, response: Response) => string | undefined
}

/** JSON as well: a service that does not stream would otherwise have nothing to answer. */
export const acceptedResults =
  'application/x-ndjson, application/json;q=0.9, application/problem+json;q=0.8'
