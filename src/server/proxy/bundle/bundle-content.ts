import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { readKeys } from '../../../attestation/keys/read-keys.ts'
import { pemOf, type TrustedKey } from '../../../attestation/keys/trusted-key.ts'
import { countOf } from '../../../protocol/count.ts'
import { readPolicyAnswer } from '../../../protocol/policy-result.ts'
import type { SharedConfig } from '../../../protocol/proxy-config.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import { packageTextAt } from '../../../protocol/package-reference.ts'
import type { Database } from '../../store/database.ts'
import { findEvaluation } from '../../store/evaluations.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { bundleReadme } from './bundle-readme.ts'
import { type BundleSubject, runPage } from './bundle-subject.ts'
import { fetchEnvelope, judgeEnvelope } from './evidence-envelopes.ts'
import { ownKeyName, type SigningKey } from './signing-key.ts'
import { bundleVerdict, runSentence, verificationSummary } from './verification-summary.ts'
import { fileName, uniqueNames, type ZipStream } from './zip-stream.ts'

/** What a bundle is made from. */
export interface BundleSources {
  readonly database: Database
  /** Undefined where no policy service is configured. */
  readonly governor: Upstream | undefined
  readonly trustedKeys: SharedConfig['trustedKeys']
  readonly signingKey: SigningKey | undefined
  readonly version: string
  /** Where people open this Sightline. */
  readonly origin: string
}

/** Who wants it, and when (epoch ms). */
export interface BundleAct {
  readonly by: string
  readonly at: number
  /** Aborts when the reader leaves or the session ends. */
  readonly signal: AbortSignal
}

/** Results and envelopes beyond this are left out, bytes each. */
const mostResultBytes = 512 * 1024 * 1024
const mostEnvelopeBytes = 256 * 1024 * 1024
const mostEnvelopes = 5000
/** Fetched together; a service that fails so often in a row is not asked any more. */
const together = 8

/**
 * Writes a bundle file by file; what is missing from it is said in its README and in
 * `signatures.json`, never left out in silence. Rejects where the database fails or the reader leaves.
 */
export async function writeBundle(
  zip: ZipStream,
  subject: BundleSubject,
  sources: BundleSources,
  { by, at, signal }: BundleAct,
): Promise<void> {
  const files = new Map<string, string>()
  const gaps = [...subject.notes]
  const add = async (name: string, content: Uint8Array | string): Promise<void> => {
    signal.throwIfAborted()
    files.set(name, await zip.add(name, content))
  }
  const addJson = (name: string, value: unknown): Promise<void> =>
    add(name, `${JSON.stringify(value, null, 2)}\n`)

  const decision = subject.decision ?? noDecision
  await addJson('decision.json', decision.record)
  const evidence = await writeRuns(subject, { ...sources, files, gaps, add, addJson })
  const keys = readKeys(sources.trustedKeys, { origin: 'configuration' }).keys
  const envelopes = await writeEnvelopes(evidence, keys, {
    ...sources,
    ...{ at, signal, gaps, add, addJson },
  })
  const keyFile = await writeKeys(keys, sources.signingKey, add)
  const { waivers } = subject
  await addJson('waivers.json', waivers.map(writtenWaiver))
  if (subject.missing.length > 0) {
    gaps.push(
      `${countOf(subject.missing.length, 'package and scan', 'packages and scans')} never evaluated.`,
    )
  }
  const verdict = bundleVerdict(subject)
  await add(
    'README.txt',
    bundleReadme({
      ...verdict,
      subject,
      page: `${sources.origin}${subject.page}`,
      decoder: `${sources.origin}/decode`,
      madeAt: at,
      madeBy: by,
      version: sources.version,
      decision: decision.sentence,
      envelopes: new Set(envelopes.map(({ sha256 }) => sha256)).size,
      gaps,
      waivers: waivers.length,
      key: sources.signingKey,
      keyFile,
    }),
  )
  const summary = verificationSummary(
    {
      ...verdict,
      runs: subject.runs,
      verifier: { id: sources.origin, version: sources.version },
      verifiedAt: at,
      resourceUri: resourceOf(subject, sources.origin),
      policyUri: policyOf(subject, sources.origin),
      files,
      envelopes,
      decision: decision.record,
      caveats: gaps,
    },
    sources.signingKey,
  )
  await add('summary.intoto.json', summary)
  const sums = [...files].map(([name, sha256]) => `${sha256}  ${name}\n`)
  await zip.add('SHA256SUMS', sums.join(''))
  zip.end()
}

const noDecision = {
  sentence: 'No decision is recorded.',
  record: { decision: null, sentence: 'No decision is recorded.' },
}

/** One package is what the summary is about; of several, their page is. */
function resourceOf({ runs, page }: BundleSubject, origin: string): string {
  const packages = new Set(runs.map(({ packagePath }) => packageTextAt(packagePath)))
  const [only] = packages
  return packages.size === 1 && only !== undefined ? only : `${origin}${page}`
}

function policyOf({ runs, page }: BundleSubject, origin: string): string {
  const scans = new Set(runs.map(({ scan }) => scan))
  const [only] = scans
  return scans.size === 1 && only !== undefined
    ? `${origin}/policy-scans/${encodeURIComponent(only)}`
    : `${origin}${page}`
}

type Add = (name: string, content: Uint8Array | string) => Promise<void>
type AddJson = (name: string, value: unknown) => Promise<void>

/** The attestations that results refer to, with the digests of the artifacts that they are used for. */
type Evidence = ReadonlyMap<string, Set<string>>

async function writeRuns(
  { runs, verdicts }: BundleSubject,
  {
    database,
    origin,
    files,
    gaps,
    add,
    addJson,
  }: Pick<BundleSources, 'database' | 'origin'> & {
    readonly files: ReadonlyMap<string, string>
    readonly gaps: string[]
    readonly add: Add
    readonly addJson: AddJson
  },
): Promise<Evidence> {
  const evidence = new Map<string, Set<string>>()
  const name = uniqueNames()
  let bytes = 0
  for (const run of runs) {
    const own = `runs/${name(fileName(run.id))}`
    const found = await findEvaluation(database, run.id)
    const results = found === undefined ? undefined : await promisify(gunzip)(found.body)
    bytes += results?.length ?? 0
    const isKept = results !== undefined && bytes <= mostResultBytes
    const resultsFile = `${own}.results.ndjson`
    if (isKept) {
      await add(resultsFile, results)
      for (const uri of await attestationsIn(results)) {
        evidence.set(uri, (evidence.get(uri) ?? new Set()).add(run.sha256))
      }
    } else {
      gaps.push(
        `${resultsFile}: ${results === undefined ? 'the run was deleted while this bundle was made' : 'left out, as all results together are larger than 512 MiB'}.`,
      )
    }
    const leftOut = found?.leftOut ?? 0
    if (leftOut > 0) {
      gaps.push(`${resultsFile}: ${countOf(leftOut, 'result')} not kept when the run was recorded.`)
    }
    await addJson(`${own}.json`, {
      ...run,
      startedAt: new Date(run.startedAt).toISOString(),
      endedAt: new Date(run.endedAt).toISOString(),
      address: `${origin}${runPage(run)}`,
      package: packageTextAt(run.packagePath),
      sentence: runSentence(run, verdicts),
      leftOut,
      resultsFile: isKept ? resultsFile : null,
      resultsSha256: files.get(resultsFile) ?? null,
    })
  }
  return evidence
}

/** Lines that are read in one go: a few milliseconds, then others get their turn. */
const linesTogether = 2000

async function attestationsIn(results: Buffer): Promise<Set<string>> {
  const uris = new Set<string>()
  const lines = results.toString('utf8').split('\n')
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    if (index % linesTogether === linesTogether - 1) await promisify(setImmediate)()
    for (const { attestationUri } of readPolicyAnswer(JSON.parse(line)).results) {
      if (attestationUri !== null) uris.add(attestationUri)
    }
  }
  return uris
}

async function writeEnvelopes(
  evidence: Evidence,
  keys: readonly TrustedKey[],
  {
    governor,
    at,
    signal,
    gaps,
    add,
    addJson,
  }: Pick<BundleSources, 'governor'> & {
    readonly at: number
    readonly signal: AbortSignal
    readonly gaps: string[]
    readonly add: Add
    readonly addJson: AddJson
  },
): Promise<readonly { readonly uri: string; readonly sha256: string }[]> {
  const judged: unknown[] = []
  const kept: { uri: string; sha256: string }[] = []
  const names = new Set<string>()
  const wanted = [...evidence]
  let bytes = 0
  let failedInARow = 0
  const failures = new Set<string>()
  let lastFailure = ''
  let missing = 0
  let refuted = 0
  let unsigned = 0
  let unverified = 0
  let uncompared = 0
  let unreadable = 0
  const leaveOut = (uri: string, reason: string): void => {
    missing += 1
    judged.push({ uri, file: null, problem: reason })
  }
  for (let from = 0; from < wanted.length; from += together) {
    signal.throwIfAborted()
    const part = wanted.slice(from, from + together)
    const obstacle =
      governor === undefined
        ? 'No policy service is configured.'
        : failedInARow >= together
          ? `Not requested: the policy service failed ${failedInARow} times in a row. ${lastFailure}`
          : from >= mostEnvelopes || bytes >= mostEnvelopeBytes
            ? 'Left out: a bundle holds at most 5,000 attestations or 256 MiB of them.'
            : undefined
    if (governor === undefined || obstacle !== undefined) {
      for (const [uri] of part) leaveOut(uri, obstacle ?? '')
      continue
    }
    const fetched = await Promise.all(
      part.map(([uri]) => fetchEnvelope(governor, uri, { at, signal })),
    )
    for (const [index, envelope] of fetched.entries()) {
      const [uri, artifacts] = part[index] ?? ['', new Set<string>()]
      if (!envelope.ok) {
        failedInARow = envelope.isAway ? failedInARow + 1 : 0
        lastFailure = envelope.reason
        failures.add(lastFailure)
        leaveOut(uri, envelope.reason)
        continue
      }
      failedInARow = 0
      const sha256 = await sha256Of(envelope.bytes)
      const file = `envelopes/sha256-${sha256}.json`
      if (!names.has(file)) {
        names.add(file)
        bytes += envelope.bytes.length
        await add(file, envelope.bytes)
      }
      kept.push({ uri, sha256 })
      const attestations = await judgeEnvelope(envelope.bytes, keys, [...artifacts].sort())
      const problem = attestations.length === 0 ? notJson : null
      judged.push({ uri, file, sha256, problem, attestations })
      const isRefuted = attestations.some(
        ({ signature, artifact }) => signature.word === 'mismatch' || artifact.word === 'mismatch',
      )
      if (isRefuted) refuted += 1
      else if (attestations.some(({ signature }) => signature.word === 'not signed')) unsigned += 1
      else if (attestations.some(({ signature }) => !signature.word.endsWith('valid'))) {
        unverified += 1
      } else if (attestations.some(({ artifact }) => artifact.word !== 'matches')) uncompared += 1
      if (problem !== null) unreadable += 1
    }
  }
  if (missing > 0) {
    // Of several reasons one would look like that of all.
    const reason = failures.size === 1 ? ` ${lastFailure}` : ''
    gaps.push(
      `${countOf(missing, 'attestation')} of ${wanted.length} not fetched: signatures.json lists each with its reason.${reason}`,
    )
  }
  if (unreadable > 0) {
    gaps.push(
      `${countOf(unreadable, 'response')} of ${wanted.length} ${unreadable === 1 ? "isn't an attestation" : "aren't attestations"}. signatures.json says which.`,
    )
  }
  if (refuted > 0) {
    gaps.push(
      `${countOf(refuted, 'attestation')} of ${wanted.length}: mismatch, by signature or artifact. signatures.json says which.`,
    )
  }
  if (unsigned > 0) {
    gaps.push(
      `${countOf(unsigned, 'attestation')} of ${wanted.length} not signed, so anyone may have written ${unsigned === 1 ? 'it' : 'them'}. signatures.json says which.`,
    )
  }
  if (unverified > 0) {
    gaps.push(
      `${countOf(unverified, 'attestation')} of ${wanted.length} not verified by a key in this bundle. signatures.json says which.`,
    )
  }
  if (uncompared > 0) {
    gaps.push(
      `${countOf(uncompared, 'attestation')} of ${wanted.length} not compared with the artifact. signatures.json says which.`,
    )
  }
  await addJson('signatures.json', judged)
  return kept
}

const notJson =
  "The response isn't an attestation in JSON. Sightline's decoder reads gzip data and YAML, too."

async function sha256Of(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))
  return Buffer.from(digest).toString('hex')
}

/** The keys that count, and the one of the summary; returns where that one is. */
async function writeKeys(
  keys: readonly TrustedKey[],
  signingKey: SigningKey | undefined,
  add: Add,
): Promise<string> {
  const name = uniqueNames()
  const own = `keys/${name(ownKeyName)}.pem`
  if (signingKey !== undefined) await add(own, signingKey.publicPem)
  for (const key of keys) {
    const pem = pemOf(key)
    if (pem.trim() !== signingKey?.publicPem.trim())
      await add(`keys/${name(fileName(key.name))}.pem`, pem)
  }
  return own
}

function writtenWaiver(waiver: Waiver): unknown {
  const iso = (ms: number | null | undefined): string | null =>
    ms === null || ms === undefined ? null : new Date(ms).toISOString()
  return {
    ...waiver,
    package: packageTextAt(waiver.packagePath),
    createdAt: iso(waiver.createdAt),
    expiresAt: iso(waiver.expiresAt),
    endedAt: iso(waiver.endedAt),
    approvedAt: iso(waiver.approvedAt),
  }
}
