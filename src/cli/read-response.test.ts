import { createServer, type Server } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { createManualClock } from '../protocol/manual-clock.test-support.ts'
import { evaluate, type Evaluation } from './evaluate.ts'
import { createServiceSource } from './scan-source.ts'
import { specResult } from './spec-server.test-support.ts'
import { fetchWhole } from './server-request.ts'
import { onLoopback } from '../free-port.test-support.ts'

// Raw sockets: what is cut where, and how the connection ends, is written here to the byte.

let server: Server | undefined
afterEach(() => {
  server?.close()
  server = undefined
})

const requests: string[] = []

/** What the gate makes of a response whose bytes these are; the connection ends behind them. */
async function evaluated(head: readonly string[], body: string | Buffer): Promise<Evaluation> {
  requests.length = 0
  server = createServer((socket) => {
    socket.once('data', (data) => {
      requests.push(String(data))
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      socket.end(body)
    })
  })
  const { port } = await onLoopback(server)
  const clock = createManualClock(1000)
  return evaluate(
    {
      address: { type: 'oci', name: 'checkout', version: '2.4.0' },
      purl: 'pkg:oci/checkout@2.4.0',
      scan: 'release',
      sha256: 'ab'.repeat(32),
      repositoryUrl: 'registry.example.com/shop',
    },
    {
      source: createServiceSource(
        {
          to: 'service',
          url: new URL(`http://127.0.0.1:${String(port)}`),
          credential: undefined,
        },
        { fetch: fetchWhole, clock, version: '0' },
      ),
      clock,
      random: () => 0.5,
      log: () => {
        queueMicrotask(() => {
          while (clock.pending() > 0) clock.advance(1000)
        })
      },
      timeoutMs: 300_000,
      signal: new AbortController().signal,
    },
  )
}

const good = specResult('BuildTool/a', 'satisfied')
const line = `${JSON.stringify(good)}\n`
const lines = 'content-type: application/x-ndjson'
const json = 'content-type: application/json'
const old = 'HTTP/1.0 200 OK'
const now = 'HTTP/1.1 200 OK'
const chunked = 'transfer-encoding: chunked'
const close = 'connection: close'

function chunk(body: string | Buffer): Buffer {
  const bytes = Buffer.from(body)
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ])
}

describe('a response that may have been cut is never whole', () => {
  const zipped = gzipSync(line + line)
  const half = zipped.subarray(0, zipped.length - 12)
  test.each([
    ['lines that only the end of the connection ends', [old, lines], line],
    ['no lines at all', [old, lines], ''],
    ['one line that is announced as JSON', [old, json], line],
    ['lines that are announced as nothing', [now, 'connection: close'], line + line],
    [
      'zipped lines that are complete for HTTP',
      [now, lines, 'content-encoding: gzip', `content-length: ${half.length}`],
      half,
    ],
    ['zipped lines that end with the connection', [old, lines, 'content-encoding: gzip'], half],
    [
      'zipped lines in chunks',
      [now, lines, 'content-encoding: gzip', chunked],
      Buffer.concat([chunk(half), Buffer.from('0\r\n\r\n')]),
    ],
    ['lines in chunks without the last one', [now, lines, chunked], chunk(line)],
    [
      'lines in chunks without the last one before a close',
      [now, close, lines, chunked],
      chunk(line),
    ],
    ['lines in chunks without the last one over HTTP/1.0', [old, lines, chunked], chunk(line)],
    ['lines in another coding', [now, lines, 'transfer-encoding: identity'], line],
    [
      'zipped lines that are cut between two members',
      [now, lines, 'content-encoding: gzip'],
      gzipSync(line),
    ],
    ['lines shorter than their length', [now, lines, `content-length: ${line.length + 1}`], line],
  ])('%s', async (_, head, body) => {
    expect(await evaluated(head, body)).toMatchObject({
      is: 'answered',
      broken: { status: expect.any(Number) as unknown },
    })
  })

  test('an array that lacks its last bracket, zipped or not', async () => {
    const array = JSON.stringify([good, good])
    const cut = array.slice(0, -1)
    expect(await evaluated([old, json], cut)).toMatchObject({ unreadable: 1 })
    const zip = gzipSync(array)
    const head = [now, json, 'content-encoding: gzip', `content-length: ${zip.length - 12}`]
    const evaluation = await evaluated(head, zip.subarray(0, -12))
    expect(evaluation.is === 'answered' && evaluation.broken).toBeTruthy()
  })

  test('an array that a Sightline server had to break off, with what came before', async () => {
    const bad = specResult('BuildTool/b', 'unsatisfied')
    const array = JSON.stringify([good, bad, good])
    const said = { type: 'urn:x', title: 'Broke off', status: 502, detail: 'The service hung up.' }
    const cut = `${array.slice(0, -40)}\n${JSON.stringify(said)}\n`
    // The connection breaks behind it, without a last chunk.
    expect(await evaluated([now, json, chunked], chunk(cut))).toMatchObject({
      results: [{ status: 'satisfied' }, { status: 'unsatisfied' }],
      unreadable: 0,
      broken: { message: 'The service hung up.' },
    })
    expect(await evaluated([now, json, chunked], chunk(array.slice(0, -40)))).toMatchObject({
      results: [{ status: 'satisfied' }, { status: 'unsatisfied' }],
      unreadable: 0,
      broken: { status: 503 },
    })
  })

  test('and the sentence names the reason and what to do', async () => {
    const open = await evaluated([old, lines], line)
    const said = open.is === 'answered' ? open.broken?.message : ''
    expect(said).toMatch(
      /^Only the end of the connection ended the response from the policy service at http\S+, so it may have been cut\. Use HTTP\/1\.1 all the way to it/,
    )
    expect(requests).toHaveLength(1)
    const encoded = [now, lines, 'content-encoding: gzip', `content-length: ${zipped.length}`]
    const zip = await evaluated(encoded, zipped)
    expect(zip.is === 'answered' ? zip.broken?.message : '').toContain('came compressed (gzip)')
  })
})

describe('a response that says where it ends is whole', () => {
  test.each([
    ['an array that only the end of the connection ends', [old, json], JSON.stringify([good])],
    ['no results in an array', [old, json], '[]'],
    ['the object of the oldest servers', [old, json], '{"results": []}'],
    ['lines with their length', [now, lines, `content-length: ${line.length}`], line],
    [
      'lines in chunks',
      [now, lines, chunked],
      Buffer.concat([chunk(line), Buffer.from('0\r\n\r\n')]),
    ],
    [
      'lines in chunks before a close',
      [now, close, lines, chunked],
      Buffer.concat([chunk(line), Buffer.from('0\r\n\r\n')]),
    ],
    [
      'an array behind 100 Continue, which nobody asked for',
      ['HTTP/1.1 100 Continue', '', now, json, 'content-length: 2'],
      '[]',
    ],
    [
      'a zipped array',
      [now, json, 'content-encoding: gzip', chunked],
      Buffer.concat([chunk(gzipSync(JSON.stringify([good]))), Buffer.from('0\r\n\r\n')]),
    ],
  ])('%s', async (_, head, body) => {
    expect(await evaluated(head, body)).toMatchObject({
      is: 'answered',
      unreadable: 0,
      broken: undefined,
    })
  })
})

test('an array without compression is requested', async () => {
  await evaluated([old, json], '[]')
  expect(requests[0]).toMatch(/^accept: application\/json, application\/x-ndjson;q=0\.9/im)
  expect(requests[0]).toMatch(/^accept-encoding: identity\r$/im)
})

test.each([201, 206])('a success of status %d is no evaluation', async (status) => {
  const evaluation = await evaluated([`HTTP/1.1 ${status} Other`, json, 'content-length: 2'], '[]')
  expect(evaluation).toMatchObject({ is: 'refused', problem: { status } })
})

test('nothing at all is no results only as lines', async () => {
  expect(await evaluated([now, 'content-length: 0'], '')).toMatchObject({ unreadable: 1 })
  expect(await evaluated([now, lines, 'content-length: 0'], '')).toMatchObject({
    unreadable: 0,
    broken: undefined,
  })
})
