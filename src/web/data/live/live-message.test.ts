import { describe, expect, test } from 'vitest'
import { decodeLiveMessage } from './live-message.ts'

const build = (buildId: string): Record<string, unknown> => ({
  buildId,
  timestamp: 1000,
  toolType: 'maven',
  toolVersion: '3.9',
  agentVersion: '2.1',
})
const first = build('aaaaaaaaaaaa1')
const second = build('aaaaaaaaaaaa2')
const status = {
  upstream: 'live',
  since: 1,
  now: 2,
  lastHeardAt: null,
  nextAttemptAt: null,
  message: 'Fine.',
  malformed: 0,
}
const facts = {
  buildId: 'aaaaaaaaaaaa1',
  receivedAt: 1000,
  buildTool: 'maven',
  buildToolVersion: '3.9',
  agentVersion: '2.1',
}

function decode(event: string, data: unknown): ReturnType<typeof decodeLiveMessage> {
  return decodeLiveMessage({
    id: '',
    event,
    data: typeof data === 'string' ? data : JSON.stringify(data),
  })
}

describe('a message of the live feed', () => {
  test('may be one build or many, oldest first', () => {
    expect(decode('Build', first)).toEqual({ type: 'builds', builds: [first], malformed: 0 })
    expect(decode('Builds', [first, second])).toEqual({
      type: 'builds',
      builds: [first, second],
      malformed: 0,
    })
  })

  test('gives the builds that can be read and counts the others', () => {
    expect(decode('Builds', [first, { buildId: 'short' }, null, second])).toEqual({
      type: 'builds',
      builds: [first, second],
      malformed: 2,
    })
    expect(decode('Build', { ...first, timestamp: '1' })).toEqual({
      type: 'builds',
      builds: [],
      malformed: 1,
    })
  })

  test('may be facts, a status or a gap', () => {
    expect(decode('Facts', { buildId: facts.buildId, facts })).toMatchObject({
      type: 'facts',
      facts: { facts },
    })
    expect(decode('Status', status)).toEqual({ type: 'status', status })
    expect(decode('Gap', { from: null, oldest: null })).toEqual({ type: 'gap' })
  })

  test.each([
    ['Build', 'no JSON'],
    ['Builds', []],
    ['Builds', first],
    ['Facts', { buildId: facts.buildId }],
    ['Status', { ...status, upstream: 'sleepy' }],
    ['Gap', '[]'],
  ])('%s with %j is malformed', (event, data) => {
    const said = decode(event, data)
    expect(said.type === 'builds' ? said.malformed : said.type).toBe(
      said.type === 'builds' ? 1 : 'malformed',
    )
  })

  test('of an unknown kind is left alone, as newer proxies may send it', () => {
    expect(decode('Weather', 'sunny')).toEqual({ type: 'other' })
  })
})
