import { beforeAll } from 'vitest'
import { decode } from './attestation/decode.ts'
import { decodeBase64, toBase64 } from './attestation/decode/base64.ts'
import {
  derChildren,
  derSequence,
  derText,
  derTime,
  derUnsigned,
  readDer,
} from './attestation/decode/der.ts'
import { parseJsonTree } from './attestation/decode/parse-json-tree.ts'
import { pemBlocks } from './attestation/decode/pem.ts'
import { decodeUtf8 } from './attestation/decode/utf8.ts'
import { explain } from './attestation/explain.ts'
import {
  certificatePem,
  ecPem,
  ed25519Pem,
  rsaPem,
  rsaPkcs1Pem,
  rsaPssPem,
  sshKeys,
} from './attestation/foreign-keys.test-support.ts'
import { identityOf, isIdentityKeyId } from './attestation/keys/identity.ts'
import { certificateKey, readSpki, rsaNumbers } from './attestation/keys/public-key.ts'
import { readKeys } from './attestation/keys/read-keys.ts'
import { readSshKey } from './attestation/keys/ssh-key.ts'
import { readSshSig } from './attestation/signatures/sshsig.ts'
import { createSigner, paeOf } from './attestation/signing.test-support.ts'
import { verify } from './attestation/verify.ts'
import { createBuildFailures } from './facts/insight/build-failures.ts'
import { readEventData, readEventHead } from './facts/event.ts'
import { createEventLog, prettyJson } from './facts/event-log.ts'
import { createExecutions, executionEventTypes } from './facts/executions.ts'
import { createFailureReader } from './facts/failures.ts'
import { factsFromAttributes } from './facts/facts-from-attributes.ts'
import { factEventTypes, factsFromEvents } from './facts/facts-from-events.ts'
import {
  fuzz,
  type FuzzedParser,
  jsonWords,
  pieces,
  refusing,
  requireEqual,
  streamOf,
  textOf,
} from './fuzzing.test-support.ts'
import { readBoardList } from './policy/board.ts'
import { writeBoardList } from './policy/board-list.test-support.ts'
import { readAttributes, readBuildSummary, readListedBuild } from './protocol/build-data.ts'
import { decodeBuildEvent } from './protocol/build-export.ts'
import { decodeBuildMessage, readBuildMessage } from './protocol/build-message.ts'
import { parseExactJson } from './protocol/exact-json.ts'
import { createJsonSplitter, type JsonSplitter, readJsonValue } from './protocol/json-splitter.ts'
import { readLines } from './protocol/ndjson.ts'
import {
  decodedSegment,
  readAttestationUri,
  readRepositoryUrl,
  readScanName,
  readSha256,
} from './protocol/package-address.ts'
import { readPackageReference } from './protocol/package-reference.ts'
import { packageUrlText, readPackageUrl } from './protocol/package-url.ts'
import { readPolicyAnswer, resultsAsWritten } from './protocol/policy-result.ts'
import { readPublishAnswer } from './protocol/publish-answer.ts'
import { createSseReader } from './protocol/sse.ts'
import { check } from './search/check.ts'
import { complete } from './search/complete.ts'
import { explain as explainQuery } from './search/explain.ts'
import { format } from './search/format.ts'
import { hover } from './search/hover.ts'
import { compile } from './search/match.ts'
import { parse } from './search/parse.ts'
import { splitQuery } from './search/split.ts'
import { canonicalQuery } from './search/to-api.ts'

const isRangeError = (error: unknown): boolean => error instanceof RangeError
const isSyntaxError = (error: unknown): boolean => error instanceof SyntaxError
/** What a schema refuses: zod's own error. */
const isZodError = (error: unknown): boolean => error instanceof Error && error.name.includes('Zod')
const unread = (): void => undefined
const now = Date.UTC(2026, 10, 23)

const statement = JSON.stringify({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'app.jar', digest: { sha256: 'a'.repeat(64) } }],
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: {
      buildType: 'https://example.com/b/v1',
      externalParameters: { ref: 'main' },
      resolvedDependencies: [
        { uri: 'git+https://example.com/a', digest: { sha1: 'b'.repeat(40) } },
      ],
    },
    runDetails: {
      builder: { id: 'https://example.com/w' },
      metadata: { startedOn: '2026-11-20T09:00:00Z' },
    },
  },
})
const predicateTypes = [
  'https://slsa.dev/provenance/v0.2',
  'https://spdx.dev/Document',
  'https://cyclonedx.org/bom',
  'https://in-toto.io/attestation/vulns/v0.1',
  'https://in-toto.io/attestation/test-result/v0.1',
  'https://slsa.dev/verification_summary/v1',
  'https://openvex.dev/ns/v0.2.0',
]
const statements = predicateTypes.map((predicateType) =>
  JSON.stringify({
    _type: 'https://in-toto.io/Statement/v0.1',
    subject: [{ name: 'a', digest: { sha512: 'c'.repeat(128), gitCommit: 'd'.repeat(40) } }],
    predicateType,
    predicate: {
      result: 'PASSED',
      components: [{ name: 'a' }],
      packages: [],
      scanner: { result: [] },
    },
  }),
)
const base64 = (text: string): string => toBase64(new TextEncoder().encode(text))
const envelope = JSON.stringify({
  payloadType: 'application/vnd.in-toto+json',
  payload: base64(statement),
  signatures: [{ keyid: 'SHA256:abc', sig: base64('x'.repeat(64)) }],
})
const certificate = certificatePem.split('\n').slice(1, -2).join('')
const bundle = JSON.stringify({
  mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
  verificationMaterial: {
    certificate: { rawBytes: certificate },
    tlogEntries: [{ logIndex: '1', integratedTime: '1700000000', canonicalizedBody: base64('{}') }],
    timestampVerificationData: { rfc3161Timestamps: [{ signedTimestamp: base64('x') }] },
  },
  dsseEnvelope: JSON.parse(envelope) as unknown,
})
const derOf = (pem: string): Uint8Array =>
  Uint8Array.from(Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64'))
const pems = [ecPem, ed25519Pem, rsaPem, rsaPkcs1Pem, rsaPssPem, certificatePem]
const sshLines = sshKeys.map(({ line }) => line)

const build = {
  buildId: 'k3j7q2m5x7a4c',
  timestamp: 5000,
  toolType: 'gradle',
  toolVersion: '9.2',
  agentVersion: '4.1',
}
const event = (eventType: string, data: unknown): string =>
  JSON.stringify({ timestamp: 1000, type: { majorVersion: 1, minorVersion: 0, eventType }, data })
const events = [
  event('BuildStarted', {}),
  event('TaskStarted', { id: '-3107853242888327571', path: ':a', buildPath: ':', className: 'T' }),
  event('TaskFinished', { id: '-3107853242888327571', outcome: 'success', cacheable: true }),
  event('TestStarted', { id: 7, task: 3, className: 'a.B', name: 'c()', suite: false }),
  event('TestFinished', { id: 7, failed: true, skipped: false, failureId: 3 }),
  event('ExceptionData', {
    exceptions: { 3: { message: 'x', className: 'a.E', causes: [3], stackTrace: 4 } },
  }),
  event('BuildFinished', { failureId: 3, failure: { message: 'no', causes: [{}] } }),
  event('UserTag', { tag: 'CI' }),
  event('UserNamedValue', { key: 'Git branch', value: 'main' }),
]
const summary = {
  id: build.buildId,
  availableAt: 5000,
  buildToolType: 'gradle',
  buildToolVersion: '9.2',
  buildAgentVersion: '4.1',
  models: {
    gradleAttributes: {
      model: {
        id: build.buildId,
        buildStartTime: 4000,
        buildDuration: 900,
        rootProjectName: 'shop',
        requestedTasks: ['check'],
        hasFailed: true,
        hasVerificationFailure: false,
        tags: ['CI'],
        values: [{ name: 'Git branch', value: 'main' }],
        links: [{ label: 'a', url: 'https://example.com' }],
        environment: { username: 'ann', publicHostname: 'h' },
        buildOptions: { daemonEnabled: true },
      },
    },
  },
}
const result = {
  labels: { severity: 'high' },
  status: 'unsatisfied',
  policyUri: '/policies/BuildTool/supported',
  attestationUri: '/packages/oci/a/1/sha256:1/attestations/af:e/1',
  details: { buildTool: 'gradle 4' },
}
const published = {
  successes: [
    { storeType: 's3', storeUri: 'https://s.example', storeRequest: { body: { payload: 'e30=' } } },
  ],
  errors: [
    { storeType: 's3', storeResponse: { status: 403, message: 'no', body: { errors: [] } } },
  ],
}
const queries = [
  'project:shop and (tag:CI or -user:ann) buildDuration>1h30m',
  'value:"Git branch=main" buildStartTime:[2026-11-01 to 2026-11-20T10:00] not tag:Local*',
  'gradle.buildCache:true buildTool:[gradle maven] "some words" buildStartTime>-7d',
]
const queryWords = [
  ' and ',
  ' or ',
  ' not ',
  '(',
  ')',
  '[',
  ' to ',
  ']',
  'tag:',
  'buildDuration<',
  '>=',
  '*',
  '-',
  '“',
  '1h',
  '-7d',
]
const references = [
  'pkg:maven/org.acme/shop@1.2?type=jar#lib/a',
  'pkg:npm/%40acme/shop@1.0.0',
  'org.acme:shop:1.2',
  `registry.example.com/acme/shop:1.2@sha256:${'a'.repeat(64)}`,
  'https://example.com/packages/oci/acme/shop/1.2/policy-scans/release',
]

let isRight: (bytes: Uint8Array<ArrayBuffer>) => Promise<boolean> = () => Promise.resolve(false)

beforeAll(async () => {
  const { key, sign } = await createSigner('P-256')
  const signature = await sign(paeOf(statement))
  const whole = { payloadType: 'application/vnd.in-toto+json', payload: base64(statement) }
  const signed = decode(JSON.stringify({ ...whole, signatures: [{ sig: toBase64(signature) }] }))
  isRight = async (bytes) => {
    if (!signed.ok || signed.envelope === undefined) throw new Error('no envelope')
    const [first] = signed.envelope.signatures
    if (first === undefined) throw new Error('no signature')
    const changed = { ...signed.envelope, payload: bytes, signatures: [first] }
    const [verdict] = await verify(changed, [key])
    return verdict?.verdict === 'verified'
  }
})

/** Each element with the cut of the bytes in pieces, and as a whole: the same must be read. */
function bothWays(
  bytes: Uint8Array<ArrayBuffer>,
  read: (parts: readonly Uint8Array<ArrayBuffer>[]) => unknown,
): void {
  requireEqual(read(pieces(bytes)), read([bytes]), 'cut into pieces')
}

function split(splitter: JsonSplitter, parts: readonly string[]): unknown {
  const elements = parts.flatMap((part) => splitter.push(part))
  const { elements: last, was } = splitter.end()
  return [[...elements, ...last].map(({ text, within }) => [text, within([1])]), was]
}

const protocol: readonly FuzzedParser[] = [
  {
    name: 'server-sent events',
    seeds: [
      'id: 1\nevent: Build\ndata: {"a":1}\ndata: b\n\n: beat\n\nretry: 100\n\n',
      '\ufeffdata:x\r\n\r\ndata:y\r\r',
    ],
    words: ['data:', 'event: ', 'id:', 'retry: 9', ': ', '\r', '\n\n', '\r\n\r\n'],
    read: (bytes) => {
      bothWays(bytes, (parts) => {
        const read: unknown[] = []
        const reader = createSseReader(
          {
            onMessage: (message) => read.push(message),
            onRetry: (ms) => read.push(ms),
            onComment: () => read.push(':'),
          },
          2_000_000,
        )
        for (const part of parts) reader.feed(part)
        return [read, reader.isAtBorder()]
      })
      refusing(() => {
        createSseReader({ onMessage: unread }, 100).feed(bytes)
      }, isRangeError)
    },
  },
  {
    name: 'NDJSON',
    seeds: ['{"a":1}\r\n\n[2]\n"x"'],
    words: ['\n', '\r\n', '{}'],
    read: async (bytes) => {
      const read = async (parts: readonly Uint8Array<ArrayBuffer>[]): Promise<string[]> => {
        const lines: string[] = []
        for await (const line of readLines(streamOf(parts))) lines.push(line)
        return lines
      }
      requireEqual(await read(pieces(bytes)), await read([bytes]), 'cut into pieces')
    },
  },
  {
    name: 'exact JSON',
    seeds: [
      '{"id":-3107853242888327571,"b":[1.5,12345678901234567890e1,"1234567890123456789"],"c":null}',
    ],
    words: [...jsonWords, '1234567890123456', '-', '.', 'e', '\\"'],
    read: (bytes) => {
      const text = textOf(bytes)
      const isJson = refusing(() => [JSON.parse(text) as unknown], isSyntaxError) !== undefined
      const isRead = refusing(() => [parseExactJson(text)], isSyntaxError) !== undefined
      if (isJson !== isRead) throw new Error(isJson ? 'JSON is refused' : 'what is no JSON is read')
      readJsonValue(text)
    },
  },
  {
    name: 'JSON in pieces',
    seeds: [
      '[{"a":"]"},2,[3]]',
      '{"n":1,"lists":[{"head":"h","values":[1,{"a":2}]},{"values":[],"head":2}]}',
    ],
    words: [...jsonWords, '"lists":[', '"head":', '"values":['],
    read: (bytes) => {
      const beside = (members: unknown, isEmpty: boolean) => [{ members, isEmpty }]
      const nested = { lists: 'lists', head: 'head', values: 'values', beside }
      bothWays(bytes, (parts) => {
        const decoder = new TextDecoder()
        const texts = [
          ...parts.map((part) => decoder.decode(part, { stream: true })),
          decoder.decode(),
        ]
        return [split(createJsonSplitter(), texts), split(createJsonSplitter(nested), texts)]
      })
      refusing(() => split(createJsonSplitter(nested, 50), [textOf(bytes)]), isRangeError)
    },
  },
  {
    name: 'package URL',
    seeds: references,
    words: ['pkg:', '@', '?', '#', '%40', '%e2%82', '%zz', '&type=', '//', '..'],
    read: (bytes) => {
      const read = readPackageUrl(textOf(bytes))
      if (!read.ok) return
      // A lone surrogate has no UTF-8, and so no canonical text.
      const text = refusing(
        () => packageUrlText(read.purl),
        (error) => error instanceof URIError,
      )
      if (text === undefined) return
      const again = readPackageUrl(text)
      requireEqual(again.ok ? packageUrlText(again.purl) : again, text, 'read again')
    },
  },
  {
    name: 'package reference and board list',
    seeds: [
      ...references,
      `${references.join('\n')}\n# no\n${references[2] ?? ''} ${'b'.repeat(64)} repo.example.com/a`,
    ],
    words: [':', '@', '/', 'sha256:', '\n', '#', 'https://', 'pkg:', '%40'],
    read: (bytes) => {
      const text = textOf(bytes)
      readPackageReference(text)
      const list = readBoardList(text)
      // Behind a repository these are of a table, and a host by the name of a hash is read as a digest.
      const packages = list.packages.filter(
        ({ repositoryUrl }) => !/[,;]$|^sha-?256[:=]/i.test(repositoryUrl),
      )
      const again = readBoardList(writeBoardList(packages))
      requireEqual(again.packages, packages, 'written and read again')
    },
  },
  {
    name: 'package address',
    seeds: [
      '/packages/oci/acme/shop/1.2/sha256:1/attestations/af:e/1',
      `sha256:${'a'.repeat(64)}`,
      'https://r.example.com/a',
    ],
    words: ['/packages/', 'attestations', '%2F', ':', '://', '@', '?'],
    read: (bytes) => {
      const text = textOf(bytes)
      readAttestationUri(text)
      for (const read of [readSha256, readRepositoryUrl, readScanName, decodedSegment]) read(text)
    },
  },
  {
    name: 'builds, their list and their models',
    seeds: [JSON.stringify(build), JSON.stringify(summary)],
    words: [...jsonWords, '"gradleAttributes":', '"model":', '"problem":', '"environment":', '-1'],
    read: (bytes) => {
      const value = readJsonValue(textOf(bytes))
      refusing(() => decodeBuildMessage(value), isZodError)
      const read = readBuildMessage(value)
      readBuildSummary(value)
      const listed = readListedBuild(value, unread)
      readAttributes(value, unread)
      if (listed?.models !== undefined) factsFromAttributes(build, listed.models, unread)
      return read
    },
  },
  {
    name: 'answers of policy scans and of publishing',
    seeds: [JSON.stringify([result]), JSON.stringify(result), JSON.stringify(published)],
    words: [...jsonWords, '"status":', '"successes":[', '"errors":[', '"results":[', '"details":{'],
    read: (bytes) => {
      const value = readJsonValue(textOf(bytes))
      readPolicyAnswer(value)
      resultsAsWritten(value)
      readPublishAnswer(value)
    },
  },
]

const evidence: readonly FuzzedParser[] = [
  {
    name: 'attestations',
    seeds: [
      statement,
      ...statements,
      envelope,
      bundle,
      base64(envelope),
      `${envelope}\n${bundle}`,
      `["${base64(statement)}"]`,
    ],
    words: [
      ...jsonWords,
      '"payload":"',
      '"signatures":[',
      '"sig":""',
      '"keyid":',
      '```json\n',
      'e30=',
      '“',
    ],
    read: (bytes) => {
      for (const input of [bytes, textOf(bytes)]) {
        const decoded = decode(input)
        if (!decoded.ok) continue
        for (const { content, statement: said } of decoded.items) {
          if (content.kind !== 'json' || said === undefined) continue
          for (const list of explain(content.tree, said).lists) {
            for (let at = 0; at < Math.min(list.length, 20); at++) list.at(at)
          }
        }
      }
    },
  },
  {
    name: 'JSON tree',
    seeds: [statement, '[1,-0.5e+3,"\\ud83d\\ude80",true,null,{}]'],
    words: jsonWords,
    read: (bytes) => {
      const text = textOf(bytes)
      const isJson = refusing(() => [JSON.parse(text) as unknown], isSyntaxError) !== undefined
      if (parseJsonTree(text).ok !== isJson) throw new Error('JSON.parse says otherwise')
    },
  },
  {
    name: 'base64 and UTF-8',
    seeds: ['aGVsbG8=', 'aGVs bG8', '_-8', 'é€🚀'],
    words: ['=', '==', '-', '_', '+', '/', '\n'],
    read: (bytes) => {
      const strict = refusing(
        () => [new TextDecoder('utf-8', { fatal: true }).decode(bytes)],
        (error) => error instanceof TypeError,
      )
      if (decodeUtf8(bytes).ok !== (strict !== undefined))
        throw new Error('TextDecoder says otherwise')
      const decoded = decodeBase64(textOf(bytes))
      if (!decoded.ok) return
      const again = decodeBase64(toBase64(decoded.bytes))
      requireEqual(again.ok ? [...again.bytes] : again, [...decoded.bytes], 'encoded again')
    },
  },
  {
    name: 'DER of keys and certificates',
    seeds: pems.map(derOf),
    words: ['\x30\x80', '\x02\x01\x00', '\x03\x02\x00', '\x17\x0d', '\x06\x03', '\x30\x00'],
    read: (bytes) => {
      const visit = (element: ReturnType<typeof readDer>, depth: number): void => {
        if (element === undefined || depth > 20) return
        derUnsigned(bytes, element)
        derText(bytes, element)
        derTime(bytes, element)
        for (const child of derChildren(bytes, element) ?? []) visit(child, depth + 1)
      }
      visit(readDer(bytes), 0)
      derSequence(bytes)
      readSpki(bytes)
      rsaNumbers(bytes)
      certificateKey(bytes)
      readSshKey(bytes)
      readSshSig(bytes)
      identityOf(toBase64(bytes))
    },
  },
  {
    name: 'PEM, SSH keys and JSON Web Keys',
    seeds: [
      ...pems,
      ...sshLines,
      '{"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","kid":"1"}]}',
      JSON.stringify({ release: { pem: ecPem, keyIds: ['a'] } }),
    ],
    words: [
      '-----BEGIN ',
      '-----END ',
      'PUBLIC KEY-----',
      'PRIVATE KEY-----',
      'ssh-ed25519 AAAA',
      'ssh-rsa ',
      '"kty":"RSA"',
      '"n":"AQAB"',
    ],
    read: (bytes) => {
      const text = textOf(bytes)
      pemBlocks(text)
      readKeys(text)
      identityOf(text)
      isIdentityKeyId('a::b', text)
    },
  },
  {
    name: 'signed payload',
    seeds: [statement],
    words: [' ', '\n'],
    read: async (bytes) => {
      const isSame = textOf(bytes) === statement
      if ((await isRight(bytes)) !== isSame) throw new Error(isSame ? 'not verified' : 'verified')
    },
  },
]

const languages: readonly FuzzedParser[] = [
  {
    name: 'query language',
    seeds: queries,
    words: queryWords,
    read: (bytes) => {
      const text = textOf(bytes)
      const query = parse(text)
      const faults = check(query)
      explainQuery(query, { most: 50 })
      const at = bytes.length % (text.length + 1)
      complete(query, at)
      hover(query, at)
      splitQuery(text, (part) => part.length < 40)
      compile(query, { now, timeZone: 'UTC' })({
        buildId: 'a',
        receivedAt: 1,
        buildTool: 'gradle',
        buildToolVersion: '9',
        agentVersion: '4',
      })
      if (faults.some(({ severity }) => severity === 'error')) return
      const formatted = format(query)
      requireEqual(format(parse(formatted)), formatted, 'formatted again')
      const canonical = canonicalQuery(query)
      requireEqual(canonicalQuery(parse(canonical)), canonical, 'made canonical again')
    },
  },
  {
    name: 'events of a build',
    seeds: events,
    words: [
      ...jsonWords,
      '"eventType":"TaskStarted"',
      '"data":{',
      '"causes":[3]',
      '-1234567890123456789',
    ],
    read: (bytes) => {
      const text = textOf(bytes)
      const isRefusal = (error: unknown): boolean =>
        isSyntaxError(error) || isZodError(error) || error instanceof TypeError
      prettyJson(text)
      const one = refusing(
        () => decodeBuildEvent(text),
        (error) => isSyntaxError(error) || isZodError(error),
      )
      if (one) factsFromEvents(build, [one, ...events.map(decodeBuildEvent)])
      const head = refusing(
        () => readEventHead(text),
        (error) => isSyntaxError(error) || isZodError(error),
      )
      if (head === undefined) return
      const log = createEventLog(100_000)
      const executions = createExecutions()
      const failures = createBuildFailures()
      const reader = createFailureReader()
      for (const each of [...events, text]) {
        const { eventType, timestamp, dataAt } = each === text ? head : readEventHead(each)
        log.append(eventType, each, '1')
        failures.take(each, readEventHead(each))
        refusing(() => {
          executions.take(eventType, timestamp, each, dataAt)
          reader.take(readEventData(each))
          reader.takeEnd(readEventData(each))
        }, isRefusal)
      }
      reader.ofBuild()
      failures.failures()
      log.slice(undefined, 0, 10)
      return [factEventTypes, executionEventTypes]
    },
  },
]

fuzz([...protocol, ...evidence, ...languages])
