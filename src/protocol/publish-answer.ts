import * as z from 'zod/mini'
import { readAttestationUri } from './package-address.ts'

export interface PublishOutcome {
  readonly stored: boolean
  /** `artifactory`, `s3`, …; empty where the server does not tell. */
  readonly storeType: string
  /** Where the store is, or the attestation in it; empty where the server does not tell. */
  readonly storeUri: string
  readonly predicateType: string | null
  /** Its name in the store. */
  readonly name: string | null
  /** What the store said to a refusal. */
  readonly message: string | null
  /** Where what it says comes from, most often the page of a build. */
  readonly sourcedFromUri: string | null
  /** What was stored, where the answer holds it: a DSSE envelope as JSON. */
  readonly envelope: unknown
}

export interface PublishAnswer {
  readonly outcomes: readonly PublishOutcome[]
  /** A word for the whole, such as `SUCCESS`, in lower case; servers that tell no single outcomes. */
  readonly status: string | null
  /** Parts that say nothing that could be read. */
  readonly unreadable: number
}

const text = z.pipe(
  z.nullish(z.string()),
  z.transform((value) => value ?? null),
)

const Response = z.looseObject({
  name: text,
  uri: text,
  predicate_type: text,
  message: text,
  status: z.nullish(z.union([z.number(), z.string()])),
  metadata: z.nullish(z.record(z.string(), z.unknown())),
  body: z.catch(
    z.nullish(z.looseObject({ errors: z.nullish(z.array(z.looseObject({ message: text }))) })),
    null,
  ),
})

const Outcome = z.looseObject({
  storeType: text,
  storeUri: text,
  sourcedFromUri: text,
  storeRequest: z.catch(
    z.nullish(z.looseObject({ uri: text, body: z.optional(z.unknown()) })),
    null,
  ),
  storeResponse: z.catch(z.nullish(Response), null),
})
type Outcome = z.infer<typeof Outcome>

const Lists = z.looseObject({
  successes: z.nullish(z.array(z.unknown())),
  errors: z.nullish(z.array(z.unknown())),
})

/** A status of the whole or of one attestation; with a policy it is a policy result. */
const Status = z.looseObject({
  status: z.string(),
  policyUri: text,
  attestationUri: text,
  sourcedFromUri: text,
  details: z.catch(
    z.nullish(
      z.looseObject({ storeName: text, storeType: text, predicateType: text, message: text }),
    ),
    null,
  ),
})

/** Among the errors of an answer: a problem detail, or whatever says in a sentence what happened. */
const Failure = z.looseObject({ title: text, detail: text, message: text })

/**
 * Reads a parsed answer of the publish operation by its shape, as servers differ
 * (docs/services.md#publish-responses): an array of answers, one answer (a line of NDJSON),
 * `{successes, errors}`, also within the problem detail of a partial failure, `{status, details}`,
 * or policy results, each of which names the attestation that it was evaluated on.
 */
export function readPublishAnswer(answer: unknown): PublishAnswer {
  if (Array.isArray(answer)) return combined(answer.flat(deepestList).map(readOneAnswer))
  return readOneAnswer(answer)
}

/** Lists in lists are read to this depth; what stands deeper is no answer. */
const deepestList = 20

function readOneAnswer(answer: unknown): PublishAnswer {
  const lists = Lists.safeParse(answer)
  if (lists.success && (lists.data.successes ?? lists.data.errors)) {
    return combined([
      ...(lists.data.successes ?? []).map(readSuccess),
      ...(lists.data.errors ?? []).map(readFailure),
    ])
  }
  const status = Status.safeParse(answer)
  if (status.success) return readStatus(status.data)
  return readOutcome(answer, true)
}

/** All that some servers say of what they stored. */
const Named = z.looseObject({ attestationUri: z.string() })

/** An entry of `successes`: an outcome, a status or a policy result, or the URI of an attestation. */
function readSuccess(entry: unknown): PublishAnswer {
  if (typeof entry === 'string') {
    const outcome = attestationOutcome(entry, null, null)
    return outcome === undefined ? nothing(1) : answerOf([outcome])
  }
  const status = Status.safeParse(entry)
  if (status.success) return readStatus(status.data)
  const named = Named.safeParse(entry)
  return named.success ? readSuccess(named.data.attestationUri) : readOutcome(entry, true)
}

function readFailure(entry: unknown): PublishAnswer {
  const outcome = readOutcome(entry, false)
  const failure = Failure.safeParse(entry)
  const message =
    typeof entry === 'string'
      ? entry
      : failure.success
        ? (failure.data.detail ?? failure.data.message ?? failure.data.title)
        : null
  if (outcome.unreadable === 0 || message === null) return outcome
  return answerOf([{ ...emptyOutcome, stored: false, message }])
}

const emptyOutcome: PublishOutcome = {
  stored: true,
  storeType: '',
  storeUri: '',
  predicateType: null,
  name: null,
  message: null,
  sourcedFromUri: null,
  envelope: undefined,
}

function nothing(unreadable: number): PublishAnswer {
  return { outcomes: [], status: null, unreadable }
}

function answerOf(
  outcomes: readonly PublishOutcome[],
  status: string | null = null,
): PublishAnswer {
  return { outcomes, status, unreadable: 0 }
}

/**
 * The status of a policy result is about the policy: the attestation that it names exists. Any other
 * status that names neither an attestation nor a store is a word for the whole.
 */
function readStatus(answer: z.infer<typeof Status>): PublishAnswer {
  const { attestationUri, sourcedFromUri, details } = answer
  const predicateType = details?.predicateType ?? null
  if (answer.policyUri !== null) {
    const outcome =
      attestationUri === null
        ? undefined
        : attestationOutcome(attestationUri, predicateType, sourcedFromUri)
    return answerOf(outcome === undefined ? [] : [outcome])
  }
  const status = answer.status.toLowerCase()
  const name = details?.storeName ?? null
  const stored = status === 'success'
  const said = details?.message ?? null
  // A failure that says why is shown even where it names nothing.
  if (name === null && attestationUri === null && (stored || said === null))
    return answerOf([], status)
  const storeUri = attestationUri ?? name ?? ''
  const message = said ?? (stored ? null : answer.status)
  const storeType = details?.storeType ?? ''
  const outcome = { ...emptyOutcome, stored, storeType, storeUri, predicateType, name, message }
  return answerOf([{ ...outcome, sourcedFromUri }], status)
}

/** An attestation that exists, by its URI; its instance says in which store. */
function attestationOutcome(
  uri: string,
  predicateType: string | null,
  sourcedFromUri: string | null,
): PublishOutcome | undefined {
  if (uri === '') return undefined
  const [storeType = '', name = null] = readAttestationUri(uri)?.instance.split(':') ?? []
  return { ...emptyOutcome, storeType, storeUri: uri, predicateType, name, sourcedFromUri }
}

function readOutcome(value: unknown, stored: boolean): PublishAnswer {
  const read = Outcome.safeParse(value)
  const tells =
    read.success &&
    (read.data.storeType !== null || read.data.storeUri !== null || read.data.storeResponse)
  return tells ? answerOf([outcome(read.data, stored)]) : nothing(1)
}

function outcome(
  { storeType, storeUri, sourcedFromUri, storeRequest, storeResponse }: Outcome,
  stored: boolean,
): PublishOutcome {
  const ofMetadata = storeResponse?.metadata?.['predicate-type']
  const said = [
    storeResponse?.message,
    ...(storeResponse?.body?.errors ?? []).map(({ message }) => message),
  ].filter((message) => typeof message === 'string' && message !== '')
  return {
    stored,
    storeType: storeType ?? '',
    storeUri: storeResponse?.uri ?? storeRequest?.uri ?? storeUri ?? '',
    predicateType:
      storeResponse?.predicate_type ?? (typeof ofMetadata === 'string' ? ofMetadata : null),
    name: storeResponse?.name ?? null,
    message: said.length === 0 ? null : said.join(': '),
    sourcedFromUri,
    envelope: storeRequest?.body,
  }
}

/** Together; an attestation that several policy results name is one. */
function combined(parts: readonly PublishAnswer[]): PublishAnswer {
  return {
    outcomes: withoutRepeats(
      parts.flatMap(({ outcomes }) => outcomes),
      new Set(),
    ),
    status: parts.reduce<string | null>((known, { status }) => worseStatus(known, status), null),
    unreadable: parts.reduce((sum, { unreadable }) => sum + unreadable, 0),
  }
}

/** Of two words for the whole the one that is no success, else the first: a failure stays one, whatever follows. */
export function worseStatus(known: string | null, next: string | null): string | null {
  if (known === null || next === null) return known ?? next
  return known === 'success' ? next : known
}

/**
 * The outcomes without the attestations that are in `seen` or come twice, which are added to it: a
 * service writes one policy result for each policy that it evaluates on an attestation.
 */
export function withoutRepeats(
  outcomes: readonly PublishOutcome[],
  seen: Set<string>,
): readonly PublishOutcome[] {
  return outcomes.filter(({ stored, storeUri }) => {
    if (!stored || readAttestationUri(storeUri) === undefined) return true
    const isNew = !seen.has(storeUri)
    seen.add(storeUri)
    return isNew
  })
}
