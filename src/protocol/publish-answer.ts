import * as z from 'zod/mini'

/** One attestation that was to be stored. */
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

/** What an answer of the publish operation says. */
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

const Status = z.looseObject({
  status: z.string(),
  attestationUri: text,
  sourcedFromUri: text,
  details: z.catch(
    z.nullish(
      z.looseObject({ storeName: text, storeType: text, predicateType: text, message: text }),
    ),
    null,
  ),
})

/**
 * Reads a parsed answer of the publish operation by its shape, as servers differ
 * (docs/services.md#publish-responses): an array of answers, one answer (a line of NDJSON),
 * `{successes, errors}`, also within the problem detail of a partial failure, or `{status,
 * details}`.
 */
export function readPublishAnswer(answer: unknown): PublishAnswer {
  if (Array.isArray(answer)) return combined(answer.map(readPublishAnswer))
  const lists = Lists.safeParse(answer)
  if (lists.success && (lists.data.successes ?? lists.data.errors)) {
    return combined([
      ...(lists.data.successes ?? []).map((one) => readOutcome(one, true)),
      ...(lists.data.errors ?? []).map((one) => readOutcome(one, false)),
    ])
  }
  const status = Status.safeParse(answer)
  if (status.success) {
    const word = status.data.status.toLowerCase()
    return { outcomes: statusOutcome(status.data, word === 'success'), status: word, unreadable: 0 }
  }
  return readOutcome(answer, true)
}

/** A status that names no store is a word for the whole, and tells of no single attestation. */
function statusOutcome(
  { status, attestationUri, sourcedFromUri, details }: z.infer<typeof Status>,
  stored: boolean,
): PublishOutcome[] {
  if (!details?.storeName) return []
  return [
    {
      stored,
      storeType: details.storeType ?? '',
      storeUri: attestationUri ?? details.storeName,
      predicateType: details.predicateType,
      name: details.storeName,
      message: stored ? details.message : (details.message ?? status),
      sourcedFromUri,
      envelope: undefined,
    },
  ]
}

function readOutcome(value: unknown, stored: boolean): PublishAnswer {
  const read = Outcome.safeParse(value)
  const tells =
    read.success &&
    (read.data.storeType !== null || read.data.storeUri !== null || read.data.storeResponse)
  if (!tells) return { outcomes: [], status: null, unreadable: 1 }
  return { outcomes: [outcome(read.data, stored)], status: null, unreadable: 0 }
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

function combined(parts: readonly PublishAnswer[]): PublishAnswer {
  return {
    outcomes: parts.flatMap(({ outcomes }) => outcomes),
    status: parts.find(({ status }) => status !== null)?.status ?? null,
    unreadable: parts.reduce((sum, { unreadable }) => sum + unreadable, 0),
  }
}
