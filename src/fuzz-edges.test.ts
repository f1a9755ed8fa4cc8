import { afterAll, beforeAll, vi } from 'vitest'
import { certificatePem, ecPem } from './attestation/foreign-keys.test-support.ts'
import { readCommand } from './cli/command.ts'
import { readResults } from './cli/read-response.ts'
import { readSubject } from './cli/subject.ts'
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
import { createManualClock } from './protocol/manual-clock.test-support.ts'
import { leftOut } from './protocol/policy-result.ts'
import { ProblemError } from './protocol/problem.ts'
import { readAccessKeys } from './server/access-key.ts'
import { readConfig } from './server/config.ts'
import { readAccounts } from './server/embedded/credentials.ts'
import { parseFaults } from './server/embedded/faults.ts'
import { readPackageRequest } from './server/embedded/governor/package-request.ts'
import { readPolicySet } from './server/embedded/governor/policy-definition.ts'
import { readSigningKey } from './server/proxy/bundle/signing-key.ts'
import { readConfigFile } from './server/proxy/config-file.ts'
import { readJsonValues } from './server/proxy/history/evaluation-response.ts'
import {
  readNewWaiver,
  readNewWaivers,
  readWaiverIds,
} from './server/proxy/history/waiver-request.ts'
import { readLimit } from './server/proxy/read-request.ts'
import { readSharedQuery } from './server/proxy/shared-search/shared-search-list.ts'
import { cookieIn, createSessionSecrets } from './server/proxy/sign-in/session-cookie.ts'
import { readEventSource, type StreamMessage } from './web/data/core/event-source.ts'
import { readJsonParts } from './web/data/core/json-parts.ts'
import { decodeLiveMessage } from './web/data/live/stream-source.ts'
import { readTiles, writeTiles } from './web/domain/wall/tiles-in-link.ts'
import { boardInAddress, readPastedBoard, readScans } from './web/features/board/pasted-board.tsx'
import { readDigest } from './web/features/decode/compared-digest.ts'
import { readEnvelopeFragment } from './web/features/decode/envelope-input.tsx'
import { readQuery } from './web/features/feed/feed-query.ts'
import {
  readBuildIds,
  readDraft,
  readPublishAddress,
} from './web/features/publish/publish-draft.ts'
import { linkParameters, readSettings } from './web/features/wall/wall-link.ts'

const isProblem = (error: unknown): boolean => error instanceof ProblemError
/** What policies are refused with, whatever the YAML library says. */
const isPolicyError = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith("Can't read the policies")

/** All that a promise or an iteration gives, or undefined where it is refused as documented. */
async function refusingLater<Answer>(
  answer: () => Promise<Answer>,
  isRefusal: (error: unknown) => boolean,
): Promise<Answer | undefined> {
  try {
    return await answer()
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

const yamlWords = [
  '- ',
  ': ',
  '\n  ',
  '&a ',
  '*a',
  '<<: *a',
  '!!js/function ',
  '|',
  '>-',
  '{',
  '[',
  '---\n',
  '%YAML 1.1\n',
]

const configuration = `savedQueries:
  - name: Failed
    query: buildOutcome:failed
trustedKeys:
  release:
    pem: |
      ${ecPem.trim().replaceAll('\n', '\n      ')}
packages:
  - purl: pkg:oci/shop@1.2
    sha256: ${'a'.repeat(64)}
    repositoryUrl: registry.example.com/acme
boards:
  - name: release
    packages: [pkg:oci/shop@1.2]
    scans: [release]
walls:
  - name: core
    tiles: [{ title: shop, query: 'project:shop' }]
history: { keepDays: 30 }
waivers: { longestDays: 30, remindDays: [7, 1] }
alerts: { walls: [core], redFor: 10m }
`
const policies = `apiVersion: v1
kind: BuildTool
metadata:
  name: supported
  labels: { severity: high }
spec:
  description: Supported
---
kind: PolicyScanDefinition
metadata: { name: release }
spec: { policySelector: { matchLabels: { severity: high } } }
`
const waiver = {
  purl: 'pkg:oci/shop@1.2',
  policyUri: '/policies/A/b',
  reason: 'known',
  expiresAt: 1_800_000_000_000,
}

const server: readonly FuzzedParser[] = [
  {
    name: 'configuration file',
    longest: 3000,
    seeds: [configuration],
    words: [...yamlWords, 'walls:', 'boards:', 'name: ', 'keepDays: ', ecPem],
    read: (bytes) => {
      const read = readConfigFile('sightline.yaml', textOf(bytes), () => {
        throw new Error('there is no such file')
      })
      if (!read.ok && read.mistakes.length === 0) throw new Error('refused without a reason')
    },
  },
  {
    name: 'settings, access keys and faults',
    seeds: [
      'PORT=8081',
      'ACCESS_KEY=host.example=abc;other=def',
      'cut-after=2000,status=503x3@/api,slow=10/s',
    ],
    words: ['=', ';', 'SIGHTLINE_', '_FILE', '--port', 'https://', '@/', 'x3', '\n'],
    read: (bytes) => {
      const text = textOf(bytes)
      const [name = '', value = ''] = text.split('=', 2)
      const environment = {
        [`SIGHTLINE_${name}`]: value,
        SIGHTLINE_ACCESS_KEY: text,
        SIGHTLINE_UPSTREAM_URL: value,
      }
      const sources = { environment, flags: text.split(/[ \n]/), readFile: () => text }
      const read = readConfig(sources)
      if (!read.ok && read.mistakes.length === 0) throw new Error('refused without a reason')
      readAccessKeys(text)
      parseFaults(text)
    },
  },
  {
    name: 'accounts and policies of the embedded services',
    longest: 3000,
    seeds: [
      policies,
      'accounts:\n  - name: ann\n    accessKey: abc\n    permissions: [viewBuilds]\n',
    ],
    words: yamlWords,
    read: (bytes) => {
      const text = textOf(bytes)
      refusing(() => readPolicySet(text), isPolicyError)
      refusing(() => readAccounts(text, 'accounts'), isProblem)
    },
  },
  {
    name: 'cookies',
    seeds: [
      '__Host-sightline=abcdefghijklmnopqrstuv.1.abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG; a="b"; c',
    ],
    words: ['; ', '=', '__Host-sightline=', '"', ','],
    read: (bytes) => {
      const text = textOf(bytes).replace(/[^\t -~\u0080-\u00ff]/g, '')
      const value = cookieIn(new Headers({ cookie: text }), '__Host-sightline')
      const secrets = createSessionSecrets('a secret of the test')
      if (secrets.read(value) !== undefined) throw new Error('a session of its own making')
      if (secrets.open(text, 'here') !== undefined) throw new Error('opened what was never sealed')
    },
  },
  {
    name: 'requests for waivers and attestations',
    seeds: [
      JSON.stringify(waiver),
      JSON.stringify({ waivers: [waiver] }),
      JSON.stringify({ ids: ['a', 'b'] }),
      JSON.stringify({
        sha256: 'a'.repeat(64),
        repositoryUrl: 'r.example/a',
        buildScan: { ids: ['a'], queries: [] },
      }),
      'sha256=a&repositoryUrl=b&buildScan.ids=c&buildScan.ids=',
      '--x\r\nContent-Disposition: form-data; name="sha256"\r\n\r\na\r\n--x--\r\n',
    ],
    words: [...jsonWords, '&', '=', '--x', '\r\n', '"ids":['],
    read: async (bytes) => {
      const limits = { now: 1_700_000_000_000, longestDays: 90 }
      for (const read of [readNewWaiver, readNewWaivers])
        refusing(() => read(bytes, limits), isProblem)
      refusing(() => readWaiverIds(bytes), isProblem)
      refusing(() => readLimit(textOf(bytes)), isProblem)
      refusing(() => readSharedQuery(textOf(bytes)), isProblem)
      for (const type of [
        'application/json',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
      ]) {
        const request = new Request('http://a.example/', {
          method: 'POST',
          body: bytes,
          headers: { 'content-type': type },
        })
        await refusingLater(() => readPackageRequest(request), isProblem)
      }
    },
  },
  {
    name: 'answers that are recorded',
    seeds: ['[{"a":1},2]', '{"a":1}\n{"b":2}\n', '{"a":1}'],
    words: jsonWords,
    read: async (bytes) => {
      const read = async (parts: readonly Uint8Array<ArrayBuffer>[]): Promise<string[]> => {
        const values: string[] = []
        for await (const { text } of readJsonValues(streamOf(parts), 2_000_000)) values.push(text)
        return values
      }
      requireEqual(await read(pieces(bytes)), await read([bytes]), 'cut into pieces')
      await refusingLater(
        async () => {
          for await (const { text } of readJsonValues(streamOf([bytes]), 20))
            if (text === 'never') return
        },
        (error) => error instanceof RangeError,
      )
    },
  },
  {
    name: 'signing key',
    seeds: [ecPem, certificatePem],
    words: ['-----BEGIN PRIVATE KEY-----\n', '-----END PRIVATE KEY-----'],
    read: (bytes) => readSigningKey(textOf(bytes)),
  },
]

const liveMessage = JSON.stringify([
  {
    buildId: 'k3j7q2m5x7a4c',
    timestamp: 1,
    toolType: 'gradle',
    toolVersion: '9',
    agentVersion: '4',
  },
])

const browser: readonly FuzzedParser[] = [
  {
    name: 'live messages and their stream',
    seeds: [
      `id: 1\nevent: builds\ndata: ${liveMessage}\n\n: beat\n\nevent: status\ndata: {"state":"live"}\n\nretry: 5\n\n`,
    ],
    words: ['data: ', 'event: builds\n', 'id: ', '\n\n', '\r\n', 'retry: ', ...jsonWords],
    read: async (bytes) => {
      const read = async (parts: readonly Uint8Array<ArrayBuffer>[]): Promise<unknown> => {
        const messages: StreamMessage[] = []
        const headers = { 'content-type': 'text/event-stream' }
        await refusingLater(
          () =>
            readEventSource(
              {
                fetch: () => Promise.resolve(new Response(streamOf(parts), { headers })),
                clock: createManualClock(0),
                isOnline: () => true,
                url: 'http://a.example/live',
                token: 'a',
                lastId: undefined,
                maxLineBytes: 100_000,
                silenceLimitMs: 1000,
                onOpen: () => undefined,
                onBytes: () => undefined,
                onMessage: (message) => messages.push(message),
                onRetry: () => undefined,
              },
              new AbortController().signal,
            ),
          isProblem,
        )
        return messages.map(decodeLiveMessage)
      }
      requireEqual(await read(pieces(bytes)), await read([bytes]), 'cut into pieces')
    },
  },
  {
    name: 'answers as they arrive',
    seeds: [
      '[{"a":1},2]',
      '{"a":1}\n{"b":2}\n',
      '{"results":[{"storeUri":"a","evaluations":[1]}]}',
    ],
    words: [...jsonWords, '"results":[', '"evaluations":['],
    read: async (bytes) => {
      const nested = {
        lists: 'results',
        head: 'storeUri',
        values: 'evaluations',
        beside: leftOut,
      }
      for (const type of ['application/json', 'application/x-ndjson']) {
        const response = (): Response =>
          new Response(bytes.slice(), { headers: { 'content-type': type } })
        await refusingLater(async () => {
          for await (const values of readJsonParts(response(), nested))
            if (values.length === 0) return
        }, isProblem)
        await readResults(response(), 'the service')
      }
    },
  },
  {
    name: 'addresses of pages',
    seeds: [
      '?tiles=shop~project:shop~main;!tag:CI&order=failing-first#healthy:fold,margin:3,rotate:core+web',
      '#envelope=eyJwYXlsb2FkIjoiIn0',
      '?package=pkg:oci/shop@1&sha256=a&repository=b&zone=UTC#builds=a,b',
      '?packages=pkg%3Aoci%2Fshop%401&scans=release&title=a',
    ],
    words: ['~', ';', '!', '\\', '&', '=', '%', '+', '#envelope=', ',', 'margin:'],
    read: (bytes) => {
      const text = textOf(bytes)
      const hash = text.includes('#') ? text.slice(text.indexOf('#')) : ''
      const search = text.slice(0, text.length - hash.length)
      const parameters = linkParameters(search, hash)
      for (const value of [text, ...parameters.values()].slice(0, 20)) {
        readSettings(value)
        const { tiles, ignored } = readTiles(value)
        if (ignored.length === 0)
          requireEqual(readTiles(writeTiles(tiles)).tiles, tiles, 'written and read again')
      }
      readEnvelopeFragment(hash)
      readDraft(readPublishAddress({ search, hash }), 'UTC')
      boardInAddress(parameters)
    },
  },
  {
    name: 'what is pasted into fields',
    seeds: [
      'k3j7q2m5x7a4c, https://builds.example.com/s/k3j7q2m5x7a4d',
      `sha256:${'a'.repeat(64)}`,
      'release, nightly',
      'pkg:oci/shop@1',
    ],
    words: [',', ' ', '\n', 'https://', '/s/', ':', '#'],
    read: (bytes) => {
      const text = textOf(bytes)
      readBuildIds(text)
      readDigest(text)
      readScans(text)
      readQuery(text)
      readPastedBoard({ title: '', text, scans: ['release'] }, () => undefined)
    },
  },
  {
    name: 'words of the command line',
    seeds: [
      'check pkg:oci/shop@1 --scan release --url http://a.example',
      'export --since 1h --follow --query tag:CI',
      'build k3j7q2m5x7a4c',
    ],
    words: [' --', '=', '--wait 1h30m', '--timeout', ' -- ', '-h', '1d'],
    read: (bytes) => {
      const words = textOf(bytes).split(/\s/)
      const clock = createManualClock(1_700_000_000_000)
      readCommand({ words, environment: {}, clock, readFile: () => 'text' })
      readSubject({ package: words[0], scan: words[3], sha256: words[1], repositoryUrl: words[2] })
    },
  },
]

// The library that reads event streams looks for a browser once a connection has ended.
beforeAll(() => {
  vi.stubGlobal('window', { setTimeout, clearTimeout })
  vi.stubGlobal('document', { removeEventListener: () => undefined })
})
afterAll(() => {
  vi.unstubAllGlobals()
})

fuzz([...server, ...browser])
