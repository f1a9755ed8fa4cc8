import { z } from 'zod'

/** How a policy came out; `unknown` is a word that this client does not know, never a pass. */
export type PolicyStatus = 'satisfied' | 'unsatisfied' | 'not-applicable' | 'unknown'

/** One policy evaluated on one attestation (spec/1 "PolicyScan.Result"). */
export interface PolicyResult {
  readonly policyUri: string
  readonly status: PolicyStatus
  /** The status as the server wrote it. */
  readonly statusText: string
  readonly labels: Readonly<Record<string, string>>
  readonly description: string
  /** Markdown from the server: untrusted. Empty where there is nothing to do. */
  readonly remediation: string
  readonly attestationUri: string | null
  readonly sourcedFromUri: string | null
  readonly details: Readonly<Record<string, unknown>>
}

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')
const uri = z
  .string()
  .nullish()
  .transform((value) => value ?? null)
const labels = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((value) =>
    Object.fromEntries(
      Object.entries(value ?? {}).map(([name, label]) => [
        name,
        typeof label === 'string' ? label : JSON.stringify(label),
      ]),
    ),
  )
const details = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((value) => value ?? {})

/** What every generation of the service writes of a result; the older ones leave much out. */
const Result = z.looseObject({
  policyUri: z.string().min(1),
  status: z.string(),
  labels,
  policyDescription: text,
  policyRemediation: text,
  attestationUri: uri,
  attestationStoreUri: uri,
  sourcedFromUri: uri,
  details,
})

/** The first generation: an object that holds results by attestation, each with evaluations. */
const ByAttestation = z.looseObject({
  results: z.array(z.looseObject({ storeUri: uri, evaluations: z.array(z.unknown()) })),
})

/** What an answer of the evaluation holds. */
export interface PolicyAnswer {
  readonly results: readonly PolicyResult[]
  /** Parts that are not results: counted, and never taken for a pass. */
  readonly unreadable: number
}

/**
 * Reads a parsed answer of an evaluation by its shape: an array of results, one result (a line of
 * NDJSON), or the object of the oldest servers (research: three generations of the service).
 */
export function readPolicyAnswer(answer: unknown): PolicyAnswer {
  if (Array.isArray(answer)) return readAll(answer, null)
  const byAttestation = ByAttestation.safeParse(answer)
  if (!byAttestation.success) return readAll([answer], null)
  const parts = byAttestation.data.results.map(({ storeUri, evaluations }) =>
    readAll(evaluations, storeUri),
  )
  return {
    results: parts.flatMap(({ results }) => results),
    unreadable: parts.reduce((sum, part) => sum + part.unreadable, 0),
  }
}

function readAll(values: readonly unknown[], storeUri: string | null): PolicyAnswer {
  const results = values.flatMap((value) => {
    const read = Result.safeParse(value)
    return read.success ? [policyResult(read.data, storeUri)] : []
  })
  return { results, unreadable: values.length - results.length }
}

function policyResult(result: z.infer<typeof Result>, storeUri: string | null): PolicyResult {
  return {
    policyUri: result.policyUri,
    status: policyStatus(result.status),
    statusText: result.status,
    labels: result.labels,
    description: result.policyDescription || textOf(result.details.description),
    remediation: result.policyRemediation || textOf(result.details.remediation),
    attestationUri: result.attestationUri ?? result.attestationStoreUri ?? storeUri,
    sourcedFromUri: result.sourcedFromUri,
    details: result.details,
  }
}

/** Any case, and a space or underscore for the hyphen: real servers write `UNSATISFIED`. */
function policyStatus(text: string): PolicyStatus {
  const word = text.trim().toLowerCase().replace(/[\s_]/g, '-')
  return word === 'satisfied' || word === 'unsatisfied' || word === 'not-applicable'
    ? word
    : 'unknown'
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
