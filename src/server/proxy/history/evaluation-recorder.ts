import { promisify } from 'node:util'
import { createGzip, gunzip } from 'node:zlib'
import { z } from 'zod'
import { createBoardTally } from '../../../policy/board-tally.ts'
import {
  groupByPolicy,
  isWorse,
  type PolicyGroup,
  policyKey,
} from '../../../policy/policy-group.ts'
import { requiredIn } from '../../../policy/severity.ts'
import { mostPolicies } from '../../../policy/verdict.ts'
import { waivedVerdict } from '../../../policy/waived-verdict.ts'
import type { Clock } from '../../../protocol/clock.ts'
import type { EvaluationSummary, RunReasons } from '../../../protocol/evaluation.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { readJsonValue } from '../../../protocol/json-splitter.ts'
import {
  type PolicyResult,
  readPolicyAnswer,
  resultsAsWritten,
} from '../../../protocol/policy-result.ts'
import { ProblemDetail } from '../../../protocol/problem.ts'
import type { Database } from '../../store/database.ts'
import { addEvaluation } from '../../store/evaluations.ts'
import { waiversOfScan } from '../../store/waivers.ts'
import type { Changes } from '../changes/changes.ts'
import {
  type BodyCopy,
  type BodyEnd,
  createBodyCopy,
  type ReadableCopy,
} from '../upstream/body-stream.ts'
import { readResponseParts, type ResponsePart } from './evaluation-response.ts'
import type { HistoryWriter } from './history-writer.ts'

/** An evaluation that begins to be answered. */
export interface BegunEvaluation extends Pick<
  EvaluationSummary,
  'id' | 'startedAt' | 'by' | 'packagePath' | 'scan'
> {
  /** Called once, when the response has ended, with how. */
  readonly onEnded: (ended: EvaluationSummary['ended']) => void
  /** What its body said; never rejects. */
  readonly artifact: Promise<AskedArtifact>
}

/** Records evaluations while their answers are passed on. */
export interface EvaluationRecorder {
  /** Records one: whatever is taken is read, and at the end it is handed to the writer. */
  readonly record: (evaluation: BegunEvaluation, mediaType: string) => BodyCopy
  /** Resolves when nothing is being read any more. */
  readonly settled: () => Promise<void>
}

/** As many URIs of failing policies are kept. */
const mostFailing = 10_000

/** Makes the recorder; its memory is bounded for each evaluation, whatever is answered. */
export function createEvaluationRecorder(options: {
  readonly database: Database
  readonly clock: Clock
  readonly writer: HistoryWriter
  readonly changes: Pick<Changes, 'publish'>
  /** What boards require (`requiredOf` in policy/severity.ts); nothing unless given. */
  readonly require?: readonly string[] | undefined
}): EvaluationRecorder {
  const { database, clock, writer, changes, require } = options
  const running = new Set<Promise<void>>()

  async function run(
    evaluation: BegunEvaluation,
    mediaType: string,
    answer: ReadableCopy,
  ): Promise<void> {
    const tally = createEvaluationTally(evaluation.startedAt, require)
    const kept = createKeptAnswer()
    let isRead = true
    try {
      for await (const part of readResponseParts(answer, mediaType)) {
        for (const { text, weight } of tally.add(part)) kept.add(text, weight)
      }
    } catch {
      isRead = false
    }
    const how = await answer.ended
    const endedAt = clock.now()
    // What is cut off ends in the middle of something; what is whole should not.
    if (!isRead && how === 'complete') tally.addUnreadable()
    const total = tally.total()
    const ended = how === 'complete' && total.isBroken ? 'broken' : how
    const { onEnded, ...begun } = evaluation
    onEnded(ended)
    const { body, leftOut } = await kept.finish()
    const summary = summarised(begun, { endedAt, ended, total })
    writer.add({
      bytes: body.length + 4096 + 200 * Math.min(total.groups.length, mostFailing),
      write: async () => {
        await addEvaluation(database, { summary: await summary(database), leftOut, body })
        changes.publish('evaluations', `${begun.packagePath} ${begun.scan}`)
      },
    })
  }

  return {
    record: (evaluation, mediaType) => {
      const readable = createBodyCopy()
      const work = run(evaluation, mediaType, readable)
      running.add(work)
      void work.finally(() => running.delete(work))
      return readable.copy
    },
    settled: async () => {
      await Promise.all(running)
    },
  }
}

/** What is waived is looked up as late as when it is written, as of the time when it ended. */
function summarised(
  { artifact, ...begun }: Omit<BegunEvaluation, 'onEnded'>,
  { endedAt, ended, total }: { endedAt: number; ended: BodyEnd; total: EvaluationTotal },
): (database: Database) => Promise<EvaluationSummary> {
  const { results, unreadable, groups, reasons } = total
  return async (database) => {
    const { sha256, repositoryUrl } = await artifact
    const scan = { packagePath: begun.packagePath, sha256, scan: begun.scan }
    const waivers = await waiversOfScan(database, scan, endedAt)
    const answer = { unreadable, complete: ended === 'complete' }
    const { said, waived } = waivedVerdict(groups, answer, { waivers, scan, now: endedAt })
    const failing = groups.filter(({ status }) => status === 'unsatisfied').slice(0, mostFailing)
    return {
      ...begun,
      endedAt,
      sha256,
      repositoryUrl,
      ended,
      verdict: said.verdict,
      counts: said.counts,
      results,
      unreadable,
      failing: failing.map(({ policyUri }) => policyUri),
      waived: failing.filter(({ key }) => waived.has(key)).map(({ policyUri }) => policyUri),
      reasons,
    }
  }
}

/** Which package an operation of the policy service was on, and what followed it in the address. */
export interface OperationAddress {
  /** As protocol/package-address.ts writes it. */
  readonly packagePath: string
  /** The last segment: the name of a policy scan where it was evaluated. */
  readonly last: string
}

/** What the body of an evaluation says of the package; empty where it says nothing readable. */
interface AskedArtifact {
  /** Lower-case hex, or as it was asked. */
  readonly sha256: string
  readonly repositoryUrl: string
}

/**
 * Reads the decoded segments of `/packages/<type>/[<namespace>/]<name>/<version>` with `following`
 * segments behind it; the allow-list has seen to it that they are.
 */
export function operationAddress(segments: readonly string[], following: number): OperationAddress {
  const [, type = '', ...parts] = segments.slice(0, segments.length - following)
  const [name = '', version = ''] = parts.slice(-2)
  const namespace = parts.length > 2 ? parts[0] : undefined
  return {
    packagePath: packagePath({ type, namespace, name, version }),
    last: segments.at(-1) ?? '',
  }
}

/** Reads a body as JSON, form or multipart, by its media type (docs/services.md#request-bodies). */
export async function readRequestedArtifact(
  body: Uint8Array,
  contentType: string | null,
): Promise<AskedArtifact> {
  const read = Body.safeParse(await valueOf(body, contentType ?? ''))
  return read.data ?? { sha256: '', repositoryUrl: '' }
}

/** So that nothing large is recorded of a body that the service let pass. */
const longest = 2000
const text = z
  .string()
  .catch('')
  .transform((value) => value.slice(0, longest))

const Body = z.object({
  sha256: text.transform((value) => (/^[0-9a-f]{64}$/i.test(value) ? value.toLowerCase() : value)),
  // A password that somebody left in an address is nobody else's to read.
  repositoryUrl: text.transform((value) =>
    value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/]*@/i, '$1'),
  ),
})

async function valueOf(body: Uint8Array, contentType: string): Promise<unknown> {
  try {
    if (/^application\/json\b/i.test(contentType)) return JSON.parse(new TextDecoder().decode(body))
    const response = new Response(new Uint8Array(body), {
      headers: { 'content-type': contentType },
    })
    return Object.fromEntries(await response.formData())
  } catch {
    // The service judges what it is sent; here it is only noted.
    return {}
  }
}

/** What is kept of an answer: its first results, and later ones that weigh, compressed while they arrive. */
export interface StoredResponse {
  /** Keeps a result, a JSON text without line breaks, or counts it as left out. */
  readonly add: (result: string, weight: Weight) => void
  /** Once, at the end. */
  readonly finish: () => Promise<{ readonly body: Uint8Array; readonly leftOut: number }>
}

/**
 * How many times as much is kept for a result: 1 for any, more for the first one that makes its policy
 * as bad as it is, most where the policy then doesn't pass. So what a record shows of a policy is true.
 */
type Weight = 1 | 2.5 | 3

/** How much of one answer is kept. */
const keptResults = 20_000
const keptCharacters = 16 * 1024 * 1024
/** Short texts are compressed together, characters. */
const batch = 64 * 1024

/** Keeps nothing yet. What it holds in memory is compressed but for the last few results. */
function createKeptAnswer(): StoredResponse {
  const gzip = createGzip({ level: 4 })
  const chunks: Buffer[] = []
  gzip.on('data', (chunk: Buffer) => chunks.push(chunk))
  let waiting: string[] = []
  let waitingLength = 0
  let kept = 0
  let keptLength = 0
  let leftOut = 0

  function flush(): void {
    // Its own queue cannot grow beyond what is kept at most.
    if (waiting.length > 0) gzip.write(waiting.join(''))
    waiting = []
    waitingLength = 0
  }

  return {
    add: (result, weight) => {
      // Once one is left out, so are all that follow and don't weigh.
      const isFull =
        (weight === 1 && leftOut > 0) ||
        kept >= keptResults * weight ||
        keptLength + result.length > keptCharacters * weight
      if (isFull) {
        leftOut += 1
        return
      }
      kept += 1
      keptLength += result.length
      waiting.push(result, '\n')
      waitingLength += result.length
      if (waitingLength >= batch) flush()
    },
    finish: () =>
      new Promise((resolve, reject) => {
        gzip.once('error', reject)
        gzip.once('end', () => {
          resolve({ body: new Uint8Array(Buffer.concat(chunks)), leftOut })
        })
        flush()
        gzip.end()
      }),
  }
}

/** What was kept, as the text of a JSON array: each result as it was written. */
export async function keptAsJson(body: Uint8Array): Promise<string> {
  const lines = (await promisify(gunzip)(body)).toString('utf8')
  // A line break stands behind each result, and nowhere else.
  return `[${lines.replace(/\n$/, '').replaceAll('\n', ',')}]`
}

/** What an answer comes to, counted as its parts go by. */
interface EvaluationTally {
  /** Counts a part; answers its results as JSON, one to a text without line breaks. */
  readonly add: (
    part: ResponsePart,
  ) => readonly { readonly text: string; readonly weight: Weight }[]
  /** A part, or the rest of the answer, could not be read. */
  readonly addUnreadable: () => void
  readonly total: () => EvaluationTotal
}

/** The sum of it. */
interface EvaluationTotal {
  readonly results: number
  readonly unreadable: number
  /** The service told of a failure after its answer had begun. */
  readonly isBroken: boolean
  /** As results have them; each with its worst result only, without texts. */
  readonly groups: readonly PolicyGroup[]
  readonly reasons: RunReasons
}

/** As much of a part that can't be read is kept, characters. */
const keptOfNoJson = 1000

/**
 * Counts nothing yet, of an answer that began at `begunAt` (epoch ms), and says how what boards `require` came out. Its size is that of the policies,
 * however many results there are; those of policies beyond `mostPolicies` and one more count as unreadable, but for the first that fail.
 */
export function createEvaluationTally(
  begunAt: number,
  require: readonly string[] = [],
): EvaluationTally {
  const policies = new Map<string, PolicyResult>()
  const why = createBoardTally(begunAt)
  let results = 0
  let unreadable = 0
  let isBroken = false

  function addResult(result: PolicyResult): Weight {
    const { status } = result
    const key = policyKey(result.policyUri)
    const known = policies.get(key)
    const isFull = policies.size > (status === 'unsatisfied' ? 1.1 : 1) * mostPolicies
    if (known === undefined && isFull) {
      unreadable += 1
      return 1
    }
    results += 1
    why.add(result)
    if (known !== undefined && !isWorse(status, known.status)) return 1
    policies.set(key, withoutTexts(result))
    return status === 'unsatisfied' || status === 'unknown' ? 3 : 2.5
  }

  return {
    add: ({ text: part, isElement }) => {
      const value = readJsonValue(part)
      if (value === undefined) {
        unreadable += 1
        return [{ text: JSON.stringify(part.slice(0, keptOfNoJson)), weight: 1 }]
      }
      return (isElement ? [value] : resultsAsWritten(value)).map((one) => {
        // In a list, an odd one isn't taken for a whole answer.
        const [result] = readPolicyAnswer([one]).results
        let weight: Weight = 1
        if (result !== undefined) weight = addResult(result)
        else {
          unreadable += 1
          // A result has its status in words, a problem in digits.
          if (ProblemDetail.safeParse(value).success) {
            isBroken = true
            weight = 3
          }
        }
        const isPart = one === value
        return { text: isPart ? part.replace(/[\r\n]+/g, ' ') : JSON.stringify(one), weight }
      })
    },
    addUnreadable: () => {
      unreadable += 1
    },
    total: () => ({
      results,
      unreadable,
      isBroken,
      reasons: { ...why.reasons(), ...requiredIn(policies.values(), require) },
      groups: groupByPolicy([...policies.values()]),
    }),
  }
}

function withoutTexts(result: PolicyResult): PolicyResult {
  return { ...result, description: '', remediation: '', labels: {}, details: {} }
}
