import { execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync, sign, verify as verifies } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { KyselyPlugin, QueryId } from 'kysely'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { decode } from '../../../attestation/decode.ts'
import { readKeys } from '../../../attestation/keys/read-keys.ts'
import { verify } from '../../../attestation/verify.ts'
import { decisionsPath } from '../../../protocol/decision.ts'
import { bundlePath } from '../../../protocol/evidence-bundle.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { listActions } from '../../store/actions.ts'
import { memoryDatabase } from '../../store/memory-database.test-support.ts'
import { addEvaluation } from '../../store/evaluations.ts'
import {
  addWaiver,
  sampleEvaluation,
  samplePackage,
  samplePerson,
  sampleWaiver,
} from '../../store/sample-history.test-support.ts'
import { answering, type PlainAnswer } from '../plain-server.test-support.ts'
import { postJson, problemOf, startProxyOnSocket } from '../proxy-on-socket.test-support.ts'
import { readSigningKey } from './signing-key.ts'

const work = mkdtempSync(join(tmpdir(), 'bundle-'))
afterAll(() => {
  rmSync(work, { recursive: true })
})

const now = Date.UTC(2026, 0, 5)
const sha256 = 'ab'.repeat(32)
const repositoryUrl = 'registry.example/shop'
const release = generateKeyPairSync('ed25519')
const releasePem = release.publicKey.export({ type: 'spki', format: 'pem' }).toString()

const inTotoType = 'application/vnd.in-toto+json'

/** A DSSE envelope about the artifact, signed here and now with Node alone. */
function envelopeOf(predicateType: string, payloadType = inTotoType): string {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'app', digest: { sha256 } }],
    predicateType,
    predicate: {},
  }
  const payload = Buffer.from(JSON.stringify(statement))
  const head = Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `)
  const sig = sign(null, Buffer.concat([head, payload]), release.privateKey).toString('base64')
  return JSON.stringify({ payloadType, payload: payload.toString('base64'), signatures: [{ sig }] })
}

const provenance = envelopeOf('https://slsa.dev/provenance/v1')
const storedAt = `${samplePackage}/sha256:${sha256}/attestations/af:evidence`

const serving: PlainAnswer = (request, response) => {
  const isKnown = decodeURIComponent(request.url) === `${storedAt}/one`
  response.writeHead(isKnown ? 200 : 404, jsonType)
  response.end(isKnown ? provenance : '{}')
}
const jsonType = { 'content-type': 'application/json' }

function resultLine(name: string, attestationUri: string | null): string {
  // Written as no program of ours would: what is kept is what came in.
  return `{ "policyUri":"/policies/BuildTool/${name}", "status":"satisfied", "attestationUri":${JSON.stringify(attestationUri)}, "big":12345678901234567890 }\n`
}

interface Run {
  readonly change?: Partial<EvaluationSummary>
  readonly lines: string
}

async function serverWith(
  runs: readonly Run[],
  {
    governor = serving,
    keyType = 'ed25519',
    boards = [] as string[],
    scans = ['release', 'audit'],
    // Waited for before the first look at waivers is answered.
    late = Promise.resolve(),
  } = {},
) {
  const reader = await memoryDatabase()
  onTestFinished(() => reader.close().catch(() => undefined))
  let first: QueryId | undefined
  const plugin: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      if (JSON.stringify(node).includes('"name":"waivers"')) first ??= queryId
      return node
    },
    transformResult: async ({ result, queryId }) => {
      if (queryId === first) await late
      return result
    },
  }
  const database = { ...reader, kysely: reader.kysely.withPlugin(plugin) }
  for (const [n, { change, lines }] of runs.entries()) {
    const { summary } = sampleEvaluation(now - 60_000 + n, change)
    await addEvaluation(database, { summary, leftOut: 0, body: new Uint8Array(gzipSync(lines)) })
  }
  const { privateKey } =
    keyType === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const proxy = await startProxyOnSocket(
    { governor },
    {
      clock: createManualClock(now),
      history: { database, settings: { keepDays: 365, keepPerScan: 500, longestWaiverDays: 90 } },
      signingKey: keyType === 'none' ? undefined : readSigningKey(pem),
      shared: {
        trustedKeys: { '../../release key': { pem: releasePem } },
        boards: boards.map((name) => ({
          name,
          packages: [{ purl: 'pkg:npm/%40acme/app@1.0.0', sha256, repositoryUrl, scans: [] }],
          scans,
          require: name === 'strict' ? ['high', 'signed'] : [],
        })),
      },
    },
  )
  onTestFinished(() => proxy.close())
  return { ...proxy, database }
}

/** Opened by Debian's unzip, checked by sha256sum: neither has anything of ours. */
function opened(zip: ArrayBuffer): { readonly folder: string; readonly names: string[] } {
  const folder = mkdtempSync(join(work, 'zip-'))
  const file = `${folder}.zip`
  writeFileSync(file, Buffer.from(zip))
  execFileSync('unzip', ['-q', file, '-d', folder])
  execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: folder })
  const listed = execFileSync('unzip', ['-Z1', file], { encoding: 'utf8' }).trimEnd().split('\n')
  const summed = readFileSync(join(folder, 'SHA256SUMS'), 'utf8')
  for (const name of listed) {
    if (name !== 'SHA256SUMS') expect(summed).toContain(`  ${name}\n`)
  }
  return { folder, names: listed }
}

async function bundle(response: Response) {
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/zip')
  const { folder, names } = opened(await response.arrayBuffer())
  const text = (name: string): string => readFileSync(join(folder, name), 'utf8')
  return { folder, names, text, json: (name: string): unknown => JSON.parse(text(name)) }
}

const Envelope = z.object({
  payloadType: z.string(),
  payload: z.string(),
  signatures: z.array(z.object({ keyid: z.string(), sig: z.string() })),
})

const Summary = z.looseObject({
  subject: z.array(z.object({ name: z.string(), digest: z.object({ sha256: z.string() }) })),
  predicateType: z.literal('https://slsa.dev/verification_summary/v1'),
  predicate: z.looseObject({
    verificationResult: z.enum(['PASSED', 'FAILED']),
    timeVerified: z.string(),
    inputAttestations: z.array(
      z.object({ uri: z.string(), digest: z.object({ sha256: z.string() }) }),
    ),
    sightline_files: z.record(z.string(), z.string()),
    sightline_sentence: z.string(),
  }),
})

function summaryIn(text: string) {
  const { payload } = Envelope.parse(JSON.parse(text))
  return Summary.parse(JSON.parse(Buffer.from(payload, 'base64').toString('utf8')))
}

const releasable = {
  verdict: 'releasable',
  counts: { satisfied: 2, unsatisfied: 0, 'not-applicable': 0, unknown: 0 },
  unreadable: 0,
  failing: [],
} as const satisfies Partial<EvaluationSummary>

describe('the evidence bundle', () => {
  test('has a run that ended a moment ago and is still being recorded', async () => {
    let record = (): void => undefined
    const late = new Promise<void>((resolve) => {
      record = resolve
    })
    const governor: PlainAnswer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(resultLine('a', null))
    }
    const proxy = await serverWith([], { governor, boards: ['release'], late })
    const scan = `/upstream/governor${samplePackage}/policy-scans/release`
    const evaluated = await postJson(proxy, scan, { sha256, repositoryUrl })
    expect(await evaluated.text()).toContain('BuildTool/a')
    const before = proxy.clock.pending()
    const asked = proxy.ask(`${bundlePath}?board=release`)
    await expect.poll(() => proxy.clock.pending()).toBeGreaterThan(before)
    record()
    const { names } = await bundle(await asked)
    expect(names.filter((name) => name.endsWith('.results.ndjson'))).toHaveLength(1)
  })

  test('has the run, its results byte for byte, the envelopes, the keys and the verdict of each signature', async () => {
    const lines = resultLine('a', `${storedAt}/one`) + resultLine('b', `${storedAt}/gone`)
    const proxy = await serverWith([{ change: releasable, lines }])
    await addWaiver(proxy.database, sampleWaiver(now + 1000), {
      ...samplePerson(),
      at: now - 500,
      detail: 'Waived.',
    })
    const [{ id } = { id: '' }] = await listed(proxy.ask)
    const response = await proxy.ask(`${bundlePath}?run=${id}`)
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="evidence-run-${id}-2026-01-05.zip"`,
    )
    const { names, text, json, folder } = await bundle(response)
    const envelope = `envelopes/sha256-${createHash('sha256').update(provenance).digest('hex')}.json`
    expect(names).toEqual([
      'decision.json',
      `runs/${id}.results.ndjson`,
      `runs/${id}.json`,
      envelope,
      'signatures.json',
      'keys/sightline-signing-key.pem',
      'keys/release-key.pem',
      'waivers.json',
      'README.txt',
      'summary.intoto.json',
      'SHA256SUMS',
    ])
    expect(text(`runs/${id}.results.ndjson`)).toBe(lines)
    expect(text(envelope)).toBe(provenance)
    expect(json(`runs/${id}.json`)).toMatchObject({
      id,
      by: 'ada',
      startedAt: '2026-01-04T23:59:00.000Z',
      address: `${proxy.url}${samplePackage}/policy-scans/release/runs/${id}`,
      package: 'pkg:npm/%40acme/app@1.0.0',
      repositoryUrl: 'registry.example/shop',
      sentence: 'Releasable: 2 of 2 policies satisfied.',
    })
    expect(json('signatures.json')).toMatchObject([
      {
        uri: `${storedAt}/one`,
        file: envelope,
        attestations: [
          {
            predicateType: 'https://slsa.dev/provenance/v1',
            signature: { word: 'valid' },
            signer: { word: 'trusted', sentence: 'Signed by ../../release key.' },
            artifact: { word: 'matches' },
          },
        ],
      },
      {
        uri: `${storedAt}/gone`,
        file: null,
        problem: "Not found on the policy service, or Sightline's user may not see it.",
      },
    ])
    expect(json('waivers.json')).toMatchObject([
      { by: 'ada', expiresAt: '2026-01-05T00:00:01.000Z' },
    ])
    expect(text('README.txt')).toContain(
      '1 attestation of 2 not fetched: signatures.json lists each',
    )
    expect(json('decision.json')).toMatchObject({ decision: null })
    // Python's reader agrees that it is whole.
    execFileSync('python3', ['-m', 'zipfile', '-t', `${folder}.zip`])
  })

  test('counts an attestation that is stored under two addresses once, as it is one file', async () => {
    const governor: PlainAnswer = (_request, response) => {
      response.writeHead(200, jsonType).end(provenance)
    }
    const lines = resultLine('a', `${storedAt}/one`) + resultLine('b', `${storedAt}/two`)
    const proxy = await serverWith([{ change: releasable, lines }], { governor })
    const { names, text } = await bundle(await proxy.ask(scanQuery('release')))
    expect(names.filter((name) => name.startsWith('envelopes/'))).toHaveLength(1)
    expect(text('README.txt')).toContain('attestations that results refer to (1),')
  })

  test.each(['ed25519', 'ec'] as const)(
    'has a verification summary with an %s signature that openssl, Node and the decoder verify',
    async (keyType) => {
      const lines = resultLine('a', `${storedAt}/one`)
      const proxy = await serverWith([{ change: releasable, lines }], { keyType })
      const response = await proxy.ask(scanQuery('release'))
      const { text, folder } = await bundle(response)
      const file = text('summary.intoto.json')
      const statement = summaryIn(file)
      expect(statement.subject).toEqual([{ name: 'pkg:npm/%40acme/app@1.0.0', digest: { sha256 } }])
      expect(statement.predicate.verificationResult).toBe('PASSED')
      expect(statement.predicate.inputAttestations).toEqual([
        {
          uri: `${storedAt}/one`,
          digest: { sha256: createHash('sha256').update(provenance).digest('hex') },
        },
      ])
      // What is signed covers every other file.
      const summed = text('SHA256SUMS')
      for (const [name, sum] of Object.entries(statement.predicate.sightline_files)) {
        expect(summed).toContain(`${sum}  ${name}\n`)
      }
      expect(Object.keys(statement.predicate.sightline_files)).toContain('README.txt')

      const pem = text('keys/sightline-signing-key.pem')
      const { payloadType, payload, signatures } = Envelope.parse(JSON.parse(file))
      const body = Buffer.from(payload, 'base64')
      const head = Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `)
      const sig = Buffer.from(signatures[0]?.sig ?? '', 'base64')
      const hash = keyType === 'ec' ? 'sha256' : null
      expect(verifies(hash, Buffer.concat([head, body]), pem, sig)).toBe(true)

      // The commands of the README, as they stand there.
      const commands =
        text('README.txt').split('Without Sightline:\n')[1]?.split('\nRUNS\n')[0] ?? ''
      expect(execFileSync('sh', ['-ec', commands], { cwd: folder, encoding: 'utf8' })).toMatch(
        /Verified OK|Signature Verified Successfully/,
      )

      const decoded = decode(file)
      if (!decoded.ok || decoded.envelope === undefined) throw new Error('not decoded')
      expect(decoded.statement?.predicateType).toBe('https://slsa.dev/verification_summary/v1')
      const keys = readKeys(pem, { origin: 'device' }).keys
      expect(await verify(decoded.envelope, keys)).toMatchObject([
        { verdict: 'verified', keyIdForm: 'sha256-spki' },
      ])
    },
  )

  test('says that it is not signed where no key is configured', async () => {
    const proxy = await serverWith([{ change: releasable, lines: resultLine('a', null) }], {
      keyType: 'none',
    })
    const { text, names } = await bundle(await proxy.ask(scanQuery('release')))
    expect(JSON.parse(text('summary.intoto.json'))).toMatchObject({ signatures: [] })
    expect(text('README.txt')).toContain('The verification summary is not signed')
    expect(names).not.toContain('keys/sightline-signing-key.pem')
  })

  test('is not made, nor noted in the audit log, where only its headers are requested', async () => {
    const proxy = await serverWith([
      { change: { ...releasable, id: 'one' }, lines: resultLine('one', null) },
    ])
    const path = `${bundlePath}?run=one`
    const head = await proxy.ask(path, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/zip'])
    await bundle(await proxy.ask(path))
    expect(await exported(proxy.database)).toHaveLength(1)
  })

  test('of a configured board has the last whole run of each cell and fails for what nobody evaluated', async () => {
    const proxy = await serverWith(
      [
        { change: { ...releasable, id: 'old' }, lines: resultLine('old', null) },
        { change: { ...releasable, id: 'whole' }, lines: resultLine('whole', null) },
        { change: { ...releasable, id: 'zcut', ended: 'broken', verdict: 'undecided' }, lines: '' },
      ],
      { boards: ['production'] },
    )
    const { names, text } = await bundle(await proxy.ask(`${bundlePath}?board=production`))
    expect(names.filter((name) => name.startsWith('runs/'))).toEqual([
      'runs/whole.results.ndjson',
      'runs/whole.json',
    ])
    const readme = text('README.txt')
    expect(readme).toContain('Verdict:   Not releasable: of 2 runs, 1 never evaluated.')
    expect(readme).toContain(
      '- pkg:npm/%40acme/app@1.0.0, release: the newer run zcut is incomplete, so run whole is here.',
    )
    expect(readme).toContain('pkg:npm/%40acme/app@1.0.0, audit\n    Never evaluated.')
    const { predicate } = summaryIn(text('summary.intoto.json'))
    expect(predicate.verificationResult).toBe('FAILED')
    expect(await exported(proxy.database)).toMatchObject([
      {
        by: 'local user',
        action: 'evidence-exported',
        subject: '/board/production',
        outcome: 'done',
      },
    ])
  })

  test.each([
    ['broken', { ended: 'broken', verdict: 'undecided' }],
    ['canceled', { ended: 'cancelled', verdict: 'releasable' }],
    ['failing', { verdict: 'not-releasable', counts: { ...releasable.counts, unsatisfied: 1 } }],
    ['empty', { verdict: 'nothing-applied', counts: { ...releasable.counts, satisfied: 0 } }],
    ['partly unreadable', { unreadable: 1 }],
  ] as const satisfies [string, Partial<EvaluationSummary>][])(
    'never passes for a run that is %s',
    async (_, change) => {
      const proxy = await serverWith([{ change: { ...releasable, ...change }, lines: '' }])
      const { text } = await bundle(await proxy.ask(scanQuery('release')))
      expect(summaryIn(text('summary.intoto.json')).predicate.verificationResult).toBe('FAILED')
      expect(text('README.txt')).toContain('Verdict:   Not releasable')
      // Without digest and repository the page would ask for them.
      expect(text('README.txt')).toContain(
        `/policy-scans/release?sha256=${sha256}&repository=registry.example%2Fshop\n`,
      )
    },
  )

  test('has what broke off where there is nothing else, whatever was run of other repositories', async () => {
    const broken = { ended: 'broken', verdict: 'undecided' } as const
    const others = Array.from({ length: 20 }, () => ({ repositoryUrl: 'other.example/shop' }))
    const proxy = await serverWith(
      [broken, ...others].map((change) => ({ change: { ...releasable, ...change }, lines: '' })),
      { boards: ['production'], scans: ['release'] },
    )
    const response = await proxy.ask(`${bundlePath}?board=production`)
    const { text } = await bundle(response)
    expect(text('README.txt')).toContain('1 run, 0 never evaluated.')
  })

  test('passes with waivers where all that fails is waived: now, and for a run as it was then', async () => {
    const failing = ['/policies/BuildTool/sbom']
    const counts = { ...releasable.counts, unsatisfied: 1 }
    const change = { ...releasable, verdict: 'not-releasable', counts, failing } as const
    const proxy = await serverWith([
      { change: { ...change, id: 'zrun1' }, lines: '' },
      { change: { ...change, id: 'zrun2', scan: 'other', waived: failing }, lines: '' },
    ])
    let runs = ''
    const result = async (query: string): Promise<string> => {
      const { text } = await bundle(await proxy.ask(query))
      runs = text('README.txt').split('RUNS')[1] ?? ''
      const { predicate } = summaryIn(text('summary.intoto.json'))
      return `${predicate.verificationResult}: ${predicate.sightline_sentence}`
    }
    const reported = /Releasable with waivers: the policy service reports 1 of \d+ policies/
    expect(await result(scanQuery('release'))).toMatch(/^FAILED/)
    expect(runs).toMatch(/Not releasable: 1 of \d+ policies unsatisfied[^.]*\.\n/)
    expect(await result(`${bundlePath}?run=zrun2`)).toMatch(/^PASSED: .*with waivers/)
    expect(runs).toMatch(reported)
    // What was waived then no longer is.
    expect(await result(scanQuery('other'))).toMatch(/^FAILED/)
    expect(runs).toMatch(/Not releasable: .* 1 policy waived when it was evaluated\./)
    await addWaiver(proxy.database, sampleWaiver(now + 1000), {
      ...samplePerson(),
      at: now - 500,
      detail: 'Waived.',
    })
    expect(await result(scanQuery('release'))).toMatch(/^PASSED: .*with waivers/)
    expect(runs).toMatch(reported)
  })

  test('of a decision has the runs that it pins, whatever was run later, and who decided what', async () => {
    const first = { change: { ...releasable, id: 'zdecided' }, lines: resultLine('a', null) }
    const proxy = await serverWith([first], { boards: ['production'], scans: ['release'] })
    const decided = async (more: object): Promise<string> => {
      const body = { subject: { is: 'board', board: 'production' }, ...more }
      const response = await postJson(proxy, decisionsPath, body)
      expect(response.status).toBe(201)
      return z.object({ id: z.string() }).parse(await response.json()).id
    }
    const places = [{ ...cell('release'), run: 'zdecided' }]
    const release = { action: 'release', reason: 'All good', newest: null, places, accepted: [] }
    const id = await decided(release)
    const failed = { ...releasable, id: 'zlater', verdict: 'not-releasable' } as const
    await addEvaluation(proxy.database, {
      summary: sampleEvaluation(now, { ...failed, counts: { ...failed.counts, unsatisfied: 1 } })
        .summary,
      leftOut: 0,
      body: new Uint8Array(gzipSync('')),
    })
    const { names, json, text } = await bundle(await proxy.ask(`${bundlePath}?decision=${id}`))
    expect(names).toContain('runs/zdecided.json')
    expect(names).not.toContain('runs/zlater.json')
    expect(json('decision.json')).toMatchObject({
      decision: { id, by: 'local user', at: '2026-01-05T00:00:00.000Z', reason: 'All good' },
      places: [{ run: 'zdecided', verdict: 'releasable' }],
    })
    expect(text('README.txt')).toContain(
      'Decision:  Released by local user on 1 run of the release board',
    )
    const { predicate } = summaryIn(text('summary.intoto.json'))
    expect(predicate.verificationResult).toBe('PASSED')
    expect(predicate.sightline_decision).toMatchObject({ decision: { id } })

    // The board as it is now fails, and says on what was decided.
    const board = await bundle(await proxy.ask(`${bundlePath}?board=production`))
    expect(board.names).toContain('runs/zlater.json')
    expect(board.text('README.txt')).toContain('(1 of 1 run here is later than the decision)')
    expect(summaryIn(board.text('summary.intoto.json')).predicate.verificationResult).toBe('FAILED')

    const revoked = await decided({ action: 'revoke', reason: 'Broken', newest: id })
    const after = await bundle(await proxy.ask(`${bundlePath}?decision=${id}`))
    expect(after.text('README.txt')).toContain('A later decision was made: Revoked by local user')
    const ofRevocation = await bundle(await proxy.ask(`${bundlePath}?decision=${revoked}`))
    expect(ofRevocation.names).toContain('runs/zdecided.json')
    expect(ofRevocation.text('README.txt')).toContain('Decision:  Revoked by local user: Broken')
  })

  test('fails where the board requires a policy that was not applicable', async () => {
    const reasons = {
      failing: [],
      notApplicable: [{ uri: '/policies/A/signed', severity: 'high' }],
    }
    const change = { ...releasable, reasons }
    const runs = ['release', 'audit'].map((scan) => ({ change: { ...change, scan }, lines: '' }))
    const proxy = await serverWith(runs, { boards: ['strict'] })
    const { text } = await bundle(await proxy.ask(`${bundlePath}?board=strict`))
    expect(text('README.txt')).toContain('release: the board requires signed.')
    expect(summaryIn(text('summary.intoto.json')).predicate.verificationResult).toBe('FAILED')
    const page = { title: 'x', page: '/board/strict?view=evidence', cells: [cell('release')] }
    const same = await bundle(await posted(proxy.ask, page))
    expect(same.text('README.txt')).toContain('Verdict:   Not releasable')
  })

  test('fails where no scan of a package has what the board requires', async () => {
    const result = async (...satisfied: string[]) => {
      const reasons = { failing: [], notApplicable: [], satisfied }
      const counts = { ...releasable.counts, satisfied: Math.max(1, satisfied.length) }
      const change = { ...releasable, reasons, counts }
      const runs = ['release', 'audit'].map((scan) => ({ change: { ...change, scan }, lines: '' }))
      const proxy = await serverWith(runs, { boards: ['strict'] })
      const { text } = await bundle(await proxy.ask(`${bundlePath}?board=strict`))
      return [
        summaryIn(text('summary.intoto.json')).predicate.verificationResult,
        text('README.txt'),
      ]
    }
    expect(await result('/policies/A/signed')).toEqual(['PASSED', expect.anything()])
    expect(await result('/policies/A/signature')).toEqual([
      'FAILED',
      expect.stringContaining('release: the board requires signed.'),
    ])
    // It has more policies than are kept of it.
    expect(await result()).toEqual([
      'FAILED',
      expect.stringContaining("release: It isn't known whether all required"),
    ])
  })

  test('has each run once, however often its place is named', async () => {
    const proxy = await serverWith([{ change: { ...releasable, id: 'one' }, lines: '' }])
    const cells = [cell('release'), cell('audit'), cell('release'), cell('audit')]
    const { names, text } = await bundle(
      await posted(proxy.ask, { title: 'x', page: '/board', cells }),
    )
    expect(names.filter((name) => name.startsWith('runs/'))).toEqual([
      'runs/one.results.ndjson',
      'runs/one.json',
    ])
    expect(text('README.txt')).toContain('of 2 runs, 1 never evaluated.')
  })

  test('is whole but for the envelopes while the policy service is down, and says so', async () => {
    const uris = Array.from({ length: 20 }, (_, n) => resultLine('a', `${storedAt}/${n}`)).join('')
    const proxy = await serverWith([{ change: releasable, lines: uris }], {
      governor: answering(503),
    })
    const { names, json, text } = await bundle(await proxy.ask(scanQuery('release')))
    expect(names.filter((name) => name.startsWith('envelopes/'))).toEqual([])
    const reasons = z
      .array(z.object({ file: z.null(), problem: z.string() }))
      .parse(json('signatures.json'))
    expect(reasons).toHaveLength(20)
    expect(reasons[19]?.problem).toContain('failed 8 times in a row')
    expect(text('README.txt')).toContain('20 attestations of 20 not fetched')
    expect(proxy.governor.received).toHaveLength(8)
  })

  test('says of each kind of evidence that is missing or proves nothing how much there is', async () => {
    const stranger = JSON.stringify({
      ...(JSON.parse(provenance) as object),
      signatures: [{ sig: Buffer.alloc(64, 7).toString('base64') }],
    })
    const bodies = [
      '{"payload":"e30=","payloadType":"x","signatures":[]}',
      ...['<p>', '<p>', stranger, envelopeOf('a:b', 'text/plain')],
    ]
    const names = [...bodies.keys(), 403, 404]
    const lines = names.map((name) => resultLine('a', `${storedAt}/${name}`)).join('')
    const proxy = await serverWith([{ change: releasable, lines }], {
      governor: ({ url }, response) => {
        const name = Number(url.slice(url.lastIndexOf('/') + 1))
        response.writeHead(name > 400 ? name : 200, jsonType).end(bodies[name])
      },
    })
    const { text } = await bundle(await proxy.ask(scanQuery('release')))
    const readme = text('README.txt')
    expect(readme).toContain(
      '2 attestations of 7 not fetched: signatures.json lists each with its reason.\n',
    )
    expect(readme).toContain("2 responses of 7 aren't attestations.")
    expect(readme).toContain('1 attestation of 7 not signed, so anyone may have written it.')
    expect(readme).toContain('1 attestation of 7 not verified by a key in this bundle.')
    expect(readme).toContain('1 attestation of 7 not compared with the artifact.')
  })

  test.each([
    [200, 'application/json', null],
    // The page refuses these, too: a service that is still at it, and something in between.
    [202, 'application/json', 'an unexpected status (202)'],
    [200, 'text/html', 'a web page instead of data'],
  ])('takes an attestation as the page does: status %i, %s', async (status, type, problem) => {
    const proxy = await serverWith(
      [{ change: releasable, lines: resultLine('a', `${storedAt}/one`) }],
      {
        governor: (_, response) => {
          response.writeHead(status, { 'content-type': type }).end(provenance)
        },
      },
    )
    const page = await proxy.ask(`/upstream/governor${storedAt}/one`)
    expect(page.status).toBe(problem === null ? 200 : 502)
    const { json } = await bundle(await proxy.ask(scanQuery('release')))
    const [judged] = z
      .array(z.object({ problem: z.nullable(z.string()) }))
      .parse(json('signatures.json'))
    if (problem === null) expect(judged).toEqual({ problem })
    else {
      expect(judged?.problem).toContain(problem)
      expect(await page.text()).toContain(problem)
    }
  })

  test('holds hostile names and 20,000 results, and no path leads out of it', async () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => resultLine(`p${n}`, null)).join('')
    // In front what sorts behind all times: what is old is swept away.
    const id = 'zz/../../etc/\npasswd'
    const odd =
      resultLine('x', '/packages/npm/../../../admin') + resultLine('y', 'file:///etc/passwd')
    const proxy = await serverWith([
      {
        change: { ...releasable, scan: 'release', by: 'eve\u001b[2J\nVerdict: Releasable' },
        lines,
      },
      { change: { ...releasable, id, scan: '../x' }, lines: odd },
    ])
    const cells = [cell('release'), cell('../x')]
    const { names, text } = await bundle(await posted(proxy.ask, { title: '../../evil\n', cells }))
    for (const name of names) {
      expect(name).toMatch(/^[\w@+-][\w.@+-]*(?:\/[\w@+-][\w.@+-]*)*$/)
      expect(name.split('/')).not.toContain('..')
    }
    expect(names).toContain('runs/zz-..-..-etc-passwd.json')
    const [large = ''] = names.filter((name) => name.endsWith('.results.ndjson'))
    expect(text(large)).toBe(lines)
    expect(text('README.txt')).not.toMatch(/\p{Cc}(?<!\n)|^Verdict: Releasable/mu)
    expect(proxy.governor.received).toEqual([])
  })

  test.each([
    ['', 400, 'Name one of'],
    ['?run=nothing', 404, 'No run of'],
    ['?board=nothing', 404, 'There is no configured board "nothing"'],
    ['?path=/packages/npm/a/1', 400, 'belong together'],
    ['?run=a&run=b', 400, 'only once'],
  ])('of %j is refused in plain words', async (query, status, words) => {
    const proxy = await serverWith([])
    const response = await proxy.ask(`${bundlePath}${query}`)
    expect(response.status).toBe(status)
    expect((await problemOf(response)).detail).toContain(words)
  })

  test('breaks off where it cannot be finished, so that nobody takes a part for all of it', async () => {
    const lines = Array.from({ length: 5000 }, (_, n) => resultLine(`${Math.sin(n)}`, null)).join(
      '',
    )
    const runs = Array.from({ length: 12 }, (_, n) => ({
      change: { ...releasable, id: `run${n}`, scan: `s${n}` },
      lines,
    }))
    const proxy = await serverWith(runs)
    const cells = runs.map(({ change }) => cell(change.scan))
    const response = await posted(proxy.ask, { title: 'b', cells })
    await response.body?.getReader().read()
    await proxy.database.kysely.deleteFrom('evaluations').execute()
    await proxy.database.kysely.destroy()
    await expect(
      posted(proxy.ask, { title: 'b', cells }).then(({ status }) => status),
    ).resolves.toBe(503)
    await expect.poll(() => proxy.log.join('')).toContain('an evidence bundle broke off')
  })
})

function scanQuery(scan: string): string {
  return `${bundlePath}?${new URLSearchParams({ path: samplePackage, scan, sha256, repository: repositoryUrl }).toString()}`
}

function cell(scan: string) {
  return { packagePath: samplePackage, sha256, repositoryUrl, scan }
}

function posted(ask: (path: string, init: RequestInit) => Promise<Response>, body: unknown) {
  const headers = { 'content-type': 'application/json' }
  return ask(bundlePath, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function listed(ask: (path: string) => Promise<Response>) {
  const Runs = z.object({ evaluations: z.array(z.looseObject({ id: z.string() })) })
  return Runs.parse(await (await ask('/history/evaluations')).json()).evaluations
}

async function exported(database: Parameters<typeof listActions>[0]) {
  let rows = await listActions(database, { actions: ['evidence-exported'] }, 9)
  await expect
    .poll(async () => {
      rows = await listActions(database, { actions: ['evidence-exported'] }, 9)
      return rows.length
    })
    .toBe(1)
  return rows
}
