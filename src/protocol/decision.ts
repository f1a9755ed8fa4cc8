import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'
import { groupedBy } from './keyed.ts'

/** Where decisions are listed and made; with `/<id>` after it, one of them with its places. */
export const decisionsPath = '/history/decisions'

const text = z.string().check(z.minLength(1), z.maxLength(2000))

/** One policy scan of one artifact: what a run was, or was to be, of. */
const Place = z.object({
  /** As `packagePath` of protocol/package-address.ts writes it, version and all. */
  packagePath: text,
  /** Lower-case hex. */
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  repositoryUrl: text,
  scan: text,
})

/** What is decided: a board by its name, or one policy scan of an artifact. */
export const DecisionSubject = z.discriminatedUnion('is', [
  z.object({ is: z.literal('board'), board: text }),
  z.extend(Place, { is: z.literal('scan') }),
])
export type DecisionSubject = z.infer<typeof DecisionSubject>

/**
 * What speaks against a decision, so that it takes another confirmation:
 * - `unsatisfied`: policies fail and aren't waived
 * - `inconclusive`: nothing fails, and not everything is known
 * - `incomplete`: a run broke off, or was canceled
 * - `nothing-checked`: no policy of a run was applicable, or it has none
 * - `missing`: a place has no recorded run
 * - `required`: evidence wasn't there that the board requires
 * - `unchecked`: a policy of high severity was not applicable, and nothing required it
 * - `superseded`: a newer complete run is recorded than the one it stands on
 * - `stale`: a run is older than 24 hours
 * - `digest`: a run was of another artifact of that package
 */
export const decisionConcerns = [
  'unsatisfied',
  'inconclusive',
  'incomplete',
  'nothing-checked',
  'missing',
  'required',
  'unchecked',
  'superseded',
  'stale',
  'digest',
] as const
export const DecisionConcern = z.enum(decisionConcerns)
export type DecisionConcern = z.infer<typeof DecisionConcern>

/** A place of what is decided, and the run that it stands on. */
export const DecidedPlace = z.extend(Place, {
  /** The id of the recorded evaluation; null where there is none. */
  run: z.nullable(text),
})
export type DecidedPlace = z.infer<typeof DecidedPlace>

/** The most places that a decision may have. */
const mostDecidedPlaces = 10_000

const reason = z.string().check(z.trim(), z.minLength(1), z.maxLength(2000))

/** What somebody sends who decides (`POST /history/decisions`); who that is, the proxy knows. */
export const NewDecision = z.discriminatedUnion('action', [
  z.object({
    action: z.literal('release'),
    subject: DecisionSubject,
    reason,
    /** The newest decision that they have seen; with another one the answer is 409 (`decision-newer`, `newest`). */
    newest: z.nullable(z.string()),
    places: z.array(DecidedPlace).check(z.minLength(1), z.maxLength(mostDecidedPlaces)),
    /** The concerns that they have confirmed: with others the answer is 409 (`decision-concerns`). */
    accepted: z.array(DecisionConcern),
  }),
  z.object({
    action: z.literal('revoke'),
    subject: DecisionSubject,
    reason,
    /** The release that is revoked: the newest decision on the subject. */
    newest: z.string(),
  }),
])
export type NewDecision = z.infer<typeof NewDecision>

/** What a place said when it was decided; `open` without a run. */
export const DecidedVerdict = z.enum([
  'releasable',
  'releasable-with-waivers',
  'not-releasable',
  'undecided',
  'nothing-applied',
  'open',
])
export type DecidedVerdict = z.infer<typeof DecidedVerdict>

const Made = z.looseObject({
  id: z.string().check(z.minLength(1)),
  at: EpochMs,
  /** The user of the session. */
  by: z.string(),
  subject: DecisionSubject,
  reason: z.string(),
})

/** Somebody released it. Its runs and waivers are kept as long as it is, which is for ever. */
export const Release = z.extend(Made, {
  action: z.literal('release'),
  /** The worst of its places. */
  verdict: DecidedVerdict,
  /** SHA-256 of the places without their runs, sorted, as JSON: what exactly was decided. */
  content: z.string(),
  /** How many runs it stands on. */
  runs: z.int().check(z.nonnegative()),
  /** Ids of the waivers that counted. */
  waivers: z.array(z.string()),
  /** What was confirmed; more may come. */
  concerns: z.array(z.string()),
})
export type Release = z.infer<typeof Release>

/** A decision is never changed: it is revoked by another one. */
export const Decision = z.discriminatedUnion('action', [
  Release,
  z.extend(Made, { action: z.literal('revoke'), revokes: z.string() }),
])
export type Decision = z.infer<typeof Decision>

/** A place of a release, with what it said then. */
export const ReleasedPlace = z.extend(DecidedPlace, {
  verdict: DecidedVerdict,
  /** Of its run: who requested it and when it ended; null without one. */
  by: z.nullable(z.string()),
  endedAt: z.nullable(EpochMs),
})
export type ReleasedPlace = z.infer<typeof ReleasedPlace>

/** The answer of `GET /history/decisions/<id>`; a revocation has no places. */
export const DecisionRecord = z.looseObject({
  decision: Decision,
  places: z.array(ReleasedPlace),
})
export type DecisionRecord = z.infer<typeof DecisionRecord>

/**
 * The answer of `GET /history/decisions?board=…` or `?path=…&scan=…` (both optional; `path` as in
 * protocol/waiver.ts): the newest first, up to 200.
 */
export const DecisionList = z.looseObject({ decisions: z.array(Decision) })
export type DecisionList = z.infer<typeof DecisionList>

/** A subject as one text, the same for the same subject. */
export function decisionSubjectKey(subject: DecisionSubject): string {
  return subject.is === 'board' ? `board ${subject.board}` : `scan ${placeKey(subject)}`
}

/** Things by their place (`placeKey`), in the order in which they came. */
export function byPlace<Thing extends Omit<DecidedPlace, 'run'>>(
  things: readonly Thing[],
): ReadonlyMap<string, readonly Thing[]> {
  return groupedBy(things, placeKey)
}

/** A place as one text, whatever its run. */
export function placeKey({
  packagePath,
  sha256,
  repositoryUrl,
  scan,
}: Omit<DecidedPlace, 'run'>): string {
  return JSON.stringify([packagePath, sha256, repositoryUrl, scan])
}
