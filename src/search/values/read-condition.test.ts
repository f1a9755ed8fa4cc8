import { describe, expect, test } from 'vitest'
import { findField } from '../fields/fields.ts'
import { parse } from '../parse.ts'
import type { AmountEdge, MomentEdge } from './condition.ts'
import { wallTime } from './instant.ts'
import { flagCondition, readCondition } from './read-condition.ts'

function read(query: string) {
  const { root } = parse(query)
  if (root?.type !== 'term') throw new Error('no term')
  const field = findField(root.field.name)
  if (!field) throw new Error('no field')
  return readCondition(root, field)
}

function edgeText(
  edge: AmountEdge | MomentEdge | undefined,
  [open, closed]: readonly [string, string],
) {
  if (!edge) return ''
  const bracket = edge.inclusive ? closed : open
  if ('amount' in edge) return bracket + String(edge.amount)
  const { moment } = edge
  if (moment.type === 'relative') return bracket + String(moment.distance)
  const time = moment.type === 'local' ? wallTime(moment.clock) : moment.time
  const text = new Date(time).toISOString()
  return bracket + (moment.type === 'local' ? text.slice(0, -1) : text)
}

/** Edges as in mathematics: `[a`, or `(a` where it is not included. */
function span(query: string): string {
  const reading = read(query)
  if (!reading.ok) return reading.problem.code
  const { condition } = reading
  if (condition.type !== 'amount' && condition.type !== 'instant') return condition.type
  return [edgeText(condition.low, ['(', '[']), edgeText(condition.high, [')', ']'])]
    .join(' ')
    .trim()
}

describe('a condition', () => {
  test.each([
    ['buildDuration:5m', '[300000 ]300000'],
    ['buildDuration>5m', '(300000'],
    ['buildDuration>=PT5M', '[300000'],
    ['buildDuration<5m', ')300000'],
    ['buildDuration<=5m', ']300000'],
    ['buildDuration:>5m', '(300000'],
    ['buildDuration:<=1.5h', ']5400000'],
    ['buildDuration:[1m to 1h]', '[60000 ]3600000'],
    ['buildDuration:[1m TO PT1H]', '[60000 ]3600000'],
    ['buildDuration:[5m to 5m]', '[300000 ]300000'],
    ['buildDuration:"5m"', '[300000 ]300000'],
    ['buildDuration:*', 'known'],
    ['gradle.environment.numberOfCpuCores:8', '[8 ]8'],
    ['gradle.environment.numberOfCpuCores>=2.5', '[2.5'],
    ['gradle.environment.numberOfCpuCores:[-1 to 4]', '[-1 ]4'],
    ['gradle.environment.jvmMaxMemoryHeapSize>1m', '(1000000'],
    ['gradle.environment.jvmMaxMemoryHeapSize:[1ki to 1Mib]', '[1024 ]1048576'],
    ['buildStartTime:2024-01-31', '[2024-01-31T00:00:00.000 )2024-02-01T00:00:00.000'],
    ['buildStartTime:2024-01-31T10:30Z', '[2024-01-31T10:30:00.000Z )2024-01-31T10:31:00.000Z'],
    ['buildStartTime>2024-01-31', '(2024-01-31T00:00:00.000'],
    ['buildStartTime<=2024-01-31T10:30+02:00', ']2024-01-31T08:30:00.000Z'],
    ['buildStartTime>-5d', '(-432000000'],
    ['buildStartTime<-1d', ')-86400000'],
    [
      'buildStartTime:[2024-01-01 to 2024-01-31]',
      '[2024-01-01T00:00:00.000 ]2024-01-31T00:00:00.000',
    ],
    ['buildStartTime:[-7d to -1d]', '[-604800000 ]-86400000'],
    ['buildStartTime:[2024-01-01 to -1d]', '[2024-01-01T00:00:00.000 ]-86400000'],
    ['buildStartTime:*', 'known'],
    ['user:*', 'known'],
    ['value:*', 'known'],
    ['hasVerificationFailure:*', 'known'],
    ['user:a', 'text'],
    ['user:a*', 'text'],
    ['value:a=b', 'pair'],
    ['hasVerificationFailure:true', 'boolean'],
  ])('%s reaches from low to high: %s', (query, edges) => {
    expect(span(query)).toBe(edges)
  })

  test('of text, pairs and Booleans holds what was written', () => {
    expect(read('user:"Dylan M*"')).toMatchObject({ condition: { pattern: ['Dylan M', ''] } })
    expect(read('value:"a b=c"')).toMatchObject({ condition: { name: ['a b'], value: ['c'] } })
    expect(read('hasVerificationFailure:FALSE')).toMatchObject({ condition: { wanted: false } })
  })

  test.each([
    'buildStartTime:[2024-01-02 to 2024-01-01]',
    'buildStartTime:[2024-01-02T00:00Z to 2024-01-01T23:59Z]',
    'buildStartTime:[2024-01-03 to 2024-01-01Z]',
    'buildStartTime:[-1d to -2d]',
    'buildDuration:[1h to 1m]',
    'gradle.environment.jvmMaxMemoryHeapSize:[1ki to 1k]',
  ])('is none where a range holds nothing: %s', (query) => {
    expect(span(query)).toBe('value.range-reversed')
  })

  test.each([
    'buildStartTime:[2024-01-02T00:00+02:00 to 2024-01-01T23:00Z]',
    'buildStartTime:[2024-01-02 to 2024-01-01T23:00Z]',
    'buildStartTime:[-1d to 2024-01-01T10:00]',
    'buildStartTime:[2024-01-01 to 2024-01-01]',
  ])('is one where a range may hold something, somewhere and sometimes: %s', (query) => {
    expect(read(query).ok).toBe(true)
  })

  test('says what is doubtful beside it', () => {
    const codes = (query: string) => {
      const reading = read(query)
      return reading.ok && reading.hints.map(({ code }) => code)
    }
    expect(codes('buildTool:gradel')).toEqual(['value.not-one-of'])
    expect(codes('buildTool:GRADLE')).toEqual([])
    expect(codes('buildTool:grad*')).toEqual([])
    expect(codes('project:a,b')).toEqual(['value.comma'])
    expect(codes('project:"a,b"')).toEqual([])
    expect(codes('project:a,')).toEqual([])
    expect(codes('buildStartTime>1d')).toEqual(['value.relative-future'])
    expect(codes('buildStartTime:[1d to 2024-01-01]')).toEqual([
      'value.relative-future',
      'logic.range-end-midnight',
    ])
    expect(codes('buildStartTime:[2024-01-01 to 2024-01-31T10:00]')).toEqual([])
  })
})

describe('a name alone', () => {
  test('demands that a Boolean field is true', () => {
    const field = findField('hasVerificationFailure')
    expect(field && flagCondition(field)).toEqual({
      ok: true,
      condition: { type: 'boolean', wanted: true },
    })
  })

  test('demands nothing of another field', () => {
    const field = findField('user')
    expect(field && flagCondition(field)).toEqual({ ok: false })
  })
})
