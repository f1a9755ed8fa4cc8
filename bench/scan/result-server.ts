import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** What an evaluation of the bench answers with. */
export interface AnswerSize {
  readonly results: number
  readonly policies: number
  /** Characters of the remediation of the first policy; the others have a short one. */
  readonly remediation: number
  /** Lines of NDJSON, or the one object of the oldest servers: results by attestation, 500 each. */
  readonly shape: 'lines' | 'oldest'
}

/** By the name of the policy scan that asks for it. */
export const answerSizes: Readonly<Record<string, AnswerSize>> = {
  release: { results: 50_000, policies: 50, remediation: 0, shape: 'lines' },
  'one-policy': { results: 50_000, policies: 1, remediation: 0, shape: 'lines' },
  'many-policies': { results: 50_000, policies: 5000, remediation: 0, shape: 'lines' },
  oldest: { results: 50_000, policies: 50, remediation: 0, shape: 'oldest' },
  'long-text': { results: 100, policies: 10, remediation: 1_000_000, shape: 'lines' },
}

/** So long after the first result come the others, ms: time enough to draw it. */
const headStartMs = 250
const pieceBytes = 64 * 1024

/**
 * A service that evaluates (docs/services.md#evaluate), on a free port of loopback: the first
 * result at once, all others in one go. Its bytes are made beforehand. Tells its address to the
 * process that started it.
 */
export async function serveResults(): Promise<void> {
  const made = new Map(
    Object.entries(answerSizes).map(([scan, size]) => [scan, piecesOf(size)] as const),
  )
  const server = createServer((request, response) => {
    const scan = /\/policy-scans\/([\w-]+)$/.exec(request.url ?? '')?.[1] ?? ''
    const [first, ...others] = made.get(scan) ?? []
    if (first === undefined) {
      response.writeHead(404).end()
      return
    }
    const { shape } = answerSizes[scan] ?? { shape: 'lines' }
    const type = shape === 'lines' ? 'application/x-ndjson' : 'application/json'
    response.writeHead(200, { 'content-type': type }).write(first)
    void (async () => {
      await pause(headStartMs)
      for (const piece of others) {
        if (response.destroyed) return
        if (!response.write(piece)) await once(response, 'drain')
      }
      response.end()
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  process.send?.(`http://127.0.0.1:${String(typeof address === 'object' ? address?.port : '')}`)
}

/** The first result alone, then all others in pieces that do not care for lines. */
function piecesOf(size: AnswerSize): readonly Buffer[] {
  const [first = '', ...others] = Array.from({ length: size.results }, (_, index) =>
    size.shape === 'lines' ? resultLine(index, size) : evaluationText(index, size),
  )
  const rest = Buffer.from(others.join(''))
  const count = Math.ceil(rest.length / pieceBytes)
  return [
    Buffer.from(first),
    ...Array.from({ length: count }, (_, index) =>
      rest.subarray(index * pieceBytes, (index + 1) * pieceBytes),
    ),
  ]
}

const statuses = ['satisfied', 'satisfied', 'unsatisfied', 'not-applicable']

/** A result as real services write it: in each policy one of four fails, one does not apply. */
function result(index: number, { policies, remediation }: AnswerSize) {
  const policy = index % policies
  const round = Math.floor(index / policies)
  const kind = ['BuildTool', 'PackageUrl', 'TrustedPublicKeys'][policy % 3] ?? ''
  const digest = (index * 2_654_435_761).toString(16).padStart(12, '0')
  const text = policy === 0 && remediation > 0 ? longMarkdown(remediation) : shortMarkdown
  const found = [
    { buildTool: `gradle 9.${index % 7}.0` },
    { vulnerablePackage: `pkg:maven/com.example/lib-${index}@1.${index % 90}` },
    { keyIds: [digest.repeat(5).slice(0, 64)] },
  ]
  return {
    labels: {
      'policy.example.com/compliance/severity': ['critical', 'high', 'low'][policy % 3],
      'policy.example.com/enforcement/point': policy % 2 === 0 ? 'release' : 'deploy',
    },
    status: statuses[(round + policy) % 4],
    policyUri: `/policies/${kind}/policy-${policy}`,
    policyDescription: `What policy ${policy} asks for, in a sentence of a usual length.`,
    policyRemediation: text,
    attestationUri: `/packages/oci/app/1.0.0/sha256:${'ab'.repeat(32)}/attestations/s3:archive/${digest}`,
    sourcedFromUri: 'https://builds.example.com/s/k3j7q2m5x7a4c',
    details: found[policy % 3],
  }
}

function resultLine(index: number, size: AnswerSize): string {
  return `${JSON.stringify(result(index, size))}\n`
}

const evaluationsTogether = 500

/** The same with what stands around it: the head of its attestation, and the end of it all. */
function evaluationText(index: number, size: AnswerSize): string {
  const attestation = Math.floor(index / evaluationsTogether)
  const head = `{"storeType":"s3","storeUri":"https://store.example.com/${attestation}","evaluations":[`
  const isFirst = index % evaluationsTogether === 0
  const start = index === 0 ? `{"request":{},"results":[${head}` : isFirst ? `]},${head}` : ','
  const end = index === size.results - 1 ? ']}]}' : ''
  return `${start}${JSON.stringify({ ...result(index, size), attestationUri: undefined })}${end}`
}

const shortMarkdown =
  'Upgrade it in `settings.gradle.kts`, see [the guide](https://wiki.example.com/x).'

function longMarkdown(length: number): string {
  const part = `${shortMarkdown} And **do** read what _others_ did about it.\n\n- one\n- two\n\n`
  return part.repeat(Math.ceil(length / part.length)).slice(0, length)
}
