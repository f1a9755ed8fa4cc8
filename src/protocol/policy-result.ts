import * as z from 'zod/mini'

/** How a policy came out; `unknown` is a word that this client does not know, never a pass. */
export type PolicyStatus = 'satisfied' | 'unsatisfied' | 'not-applicable' | 'unknown'

/** One policy evaluated on one attestation (docs/services.md#policy-result). */
export interface PolicyResult {
  readonly policyUri: string
  readonly status: PolicyStatus
  /** The status as the server wrote it, or that it wrote none. */
  readonly statusText: string
  readonly labels: Readonly<Record<string, string>>
  readonly description: string
  /** Markdown from the server: untrusted. Empty where there is nothing to do. */
  readonly remediation: string
  readonly attestationUri: string | null
  readonly sourcedFromUri: string | null
  /** An object, of which policies have a few shapes; anything else is kept as it came. */
  readonly details: unknown
}

/** A text; what is none is kept as JSON, so that an odd field costs nothing but its own form. */
const text = z.pipe(
  z.optional(z.unknown()),
  z.transform((value) =>
    typeof value === 'string' ? value : isAbsent(value) ? '' : JSON.stringify(value),
  ),
)
const uri = z.pipe(
  z.optional(z.unknown()),
  z.transform((value) => (typeof value === 'string' ? value : null)),
)
const labels = z.pipe(
  z.optional(z.unknown()),
  z.transform((value) => {
    if (isAbsent(value)) return {}
    const entries =
      typeof value === 'object' && !Array.isArray(value)
        ? Object.entries(value)
        : [['labels', value] as const]
    return Object.fromEntries(
      entries.map(([name, label]) => [
        name,
        typeof label === 'string' ? label : JSON.stringify(label),
      ]),
    )
  }),
)
const details = z.pipe(
  z.optional(z.unknown()),
  z.transform((value) => value ?? {}),
)

/** What every generation of the service writes of a result; the older ones leave much out. */
const Result = z.looseObject({
  policyUri: z.string().check(z.minLength(1)),
  /** Where it is null or missing, the policy is known, and how it came out isn't. */
  status: z.nullish(z.string()),
  labels,
  policyDescription: text,
  policyRemediation: text,
  attestationUri: uri,
  attestationStoreUri: uri,
  sourcedFromUri: uri,
  details,
})

/** The first generation: an object that holds results by attestation, each with evaluations. */
const ByAttestation = z.looseObject({ results: z.array(z.unknown()) })
const OfAttestation = z.looseObject({ storeUri: uri, evaluations: z.array(z.unknown()) })

/** One of those evaluations: its attestation is named around it. */
const Evaluation = z.looseObject({
  attestationUri: z.optional(z.unknown()),
  attestationStoreUri: z.optional(z.unknown()),
})

export interface PolicyAnswer {
  readonly results: readonly PolicyResult[]
  /** Parts that are not results: counted, and never taken for a pass. */
  readonly unreadable: number
}

/**
 * Reads a parsed answer of an evaluation by its shape: an array of results, one result (a line of
 * NDJSON), or the object of the oldest servers (docs/services.md#older-policy-services).
 */
export function readPolicyAnswer(answer: unknown): PolicyAnswer {
  const values = resultsAsWritten(answer)
  const results = values.flatMap((value) => {
    const plain = readPlainResult(value)
    if (plain !== undefined) return [plain]
    const read = Result.safeParse(value)
    return read.success ? [policyResult(read.data)] : []
  })
  return { results, unreadable: values.length - results.length }
}

/** Whether a parsed answer ends with a bracket that no other result could follow, as one result can't tell. */
export function endsItself(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && !('policyUri' in answer)
}

/** The parts of such an answer, each as it was written; the array of them reads as the answer does. */
export function resultsAsWritten(answer: unknown): readonly unknown[] {
  if (Array.isArray(answer)) return answer
  // Most are results, of which many come: they need no schema to be told from the oldest object.
  if (typeof answer !== 'object' || answer === null || !('results' in answer)) return [answer]
  // A result may have a field of that name.
  if ('policyUri' in answer || 'status' in answer) return [answer]
  const byAttestation = ByAttestation.safeParse(answer)
  if (!byAttestation.success) return [answer]
  const { results, ...beside } = byAttestation.data
  const parts = results.flatMap((one) => {
    const read = OfAttestation.safeParse(one)
    if (!read.success) return [{ leftOut: one }]
    const { storeUri, evaluations, ...more } = read.data
    return [
      ...evaluations.map((evaluation) => ofAttestation(evaluation, storeUri)),
      ...leftOut(more, evaluations.length === 0),
    ]
  })
  return [...parts, ...leftOut(beside, results.length === 0)]
}

/**
 * What says beside results that others are missing, as a part that is no result: an error, a further page. Where
 * there is none at all (`isEmpty`), anything that the format doesn't have may be the reason.
 */
export function leftOut(
  beside: Readonly<Record<string, unknown>>,
  isEmpty: boolean,
): readonly unknown[] {
  const told = Object.entries(beside).filter(
    ([name, value]) =>
      (missing.test(name) || (isEmpty && !ofTheFormat.has(name))) && !isNothing(value),
  )
  return told.length === 0 ? [] : [{ leftOut: Object.fromEntries(told) }]
}

function isNothing(value: unknown): boolean {
  return typeof value === 'object' && value !== null
    ? Object.keys(value).length === 0
    : value === '' || value === 0 || value === false || isAbsent(value)
}

/** What was asked, and of what there are no evaluations. */
const ofTheFormat = new Set(['request', 'attestation', 'storeType'])
const missing = /error|fail|problem|truncat|incomplete|partial|^next|has_?more/i

/** An evaluation that says itself which attestation it was of. */
function ofAttestation(evaluation: unknown, storeUri: string | null): unknown {
  const named = Evaluation.safeParse(evaluation)
  const { attestationUri = null, attestationStoreUri = null } = named.data ?? {}
  const isNamed = attestationUri !== null || attestationStoreUri !== null
  return !named.success || storeUri === null || isNamed
    ? evaluation
    : { ...named.data, attestationStoreUri: storeUri }
}

function policyResult(result: z.infer<typeof Result>): PolicyResult {
  return {
    policyUri: result.policyUri,
    status: policyStatus(result.status ?? ''),
    statusText: (result.status ?? '') || 'no status',
    labels: result.labels,
    description: result.policyDescription || textAmong(result.details, 'description'),
    remediation: result.policyRemediation || textAmong(result.details, 'remediation'),
    attestationUri: result.attestationUri ?? result.attestationStoreUri,
    sourcedFromUri: result.sourcedFromUri,
    details: result.details,
  }
}

/**
 * The result that `Result` would read, for those written exactly as in
 * docs/services.md#policy-result; undefined where anything is unusual, which is then for the schema
 * to judge. Of fifty thousand results the schema takes fifteen times as long.
 */
function readPlainResult(value: unknown): PolicyResult | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  if ('results' in value || 'attestationStoreUri' in value) return undefined
  if (!('policyUri' in value && 'status' in value && 'labels' in value && 'details' in value)) {
    return undefined
  }
  if (!('policyDescription' in value && 'policyRemediation' in value)) return undefined
  if (!('attestationUri' in value && 'sourcedFromUri' in value)) return undefined
  const { policyUri, status, labels, details, attestationUri, sourcedFromUri } = value
  const { policyDescription: description, policyRemediation: remediation } = value
  if (
    typeof policyUri !== 'string' ||
    policyUri === '' ||
    typeof status !== 'string' ||
    !isPlainRecord(labels) ||
    !isTextRecord(labels) ||
    !isPlainRecord(details) ||
    typeof description !== 'string' ||
    typeof remediation !== 'string' ||
    !(attestationUri === null || typeof attestationUri === 'string') ||
    !(sourcedFromUri === null || typeof sourcedFromUri === 'string') ||
    // The oldest servers put the texts there.
    'description' in details ||
    'remediation' in details
  ) {
    return undefined
  }
  return {
    policyUri,
    status: policyStatus(status),
    statusText: status || 'no status',
    labels,
    description,
    remediation,
    attestationUri,
    sourcedFromUri,
    details,
  }
}

/** Without the names that mean something to the language itself. */
function isPlainRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !Object.hasOwn(value, '__proto__') &&
    !Object.hasOwn(value, 'constructor')
  )
}

function isTextRecord(value: Record<string, unknown>): value is Record<string, string> {
  for (const name in value) if (typeof value[name] !== 'string') return false
  return true
}

/** Any case, and a space or underscore for the hyphen: real servers write `UNSATISFIED`. */
function policyStatus(text: string): PolicyStatus {
  if (text === 'satisfied' || text === 'unsatisfied' || text === 'not-applicable') return text
  const word = text.trim().toLowerCase().replace(/[\s_]/g, '-')
  return word === 'satisfied' || word === 'unsatisfied' || word === 'not-applicable'
    ? word
    : 'unknown'
}

/** A text that the oldest servers put among the details. */
function textAmong(details: unknown, name: 'description' | 'remediation'): string {
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return ''
  const found: unknown = Object.getOwnPropertyDescriptor(details, name)?.value
  return typeof found === 'string' ? found : ''
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined
}
