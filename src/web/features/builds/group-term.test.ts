import { describe, expect, test } from 'vitest'
import { factsFromAttributes } from '../../../facts/facts-from-attributes.ts'
import { textOf } from '../../../facts/insight/build-rows.ts'
import { check } from '../../../search/check.ts'
import { compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import { groupTerm } from './group-term.ts'

const message = {
  buildId: 'b000000000001',
  timestamp: 1_780_000_000_000,
  toolType: 'gradle',
  toolVersion: '9.1',
  agentVersion: '4',
}

/** A build with these attributes. */
function build(model: object) {
  const { buildId, timestamp, toolType, toolVersion, agentVersion } = message
  return factsFromAttributes(
    { buildId, timestamp, toolType, toolVersion, agentVersion },
    { gradleAttributes: { model } },
  )
}

const full = build({
  rootProjectName: 'check "out"',
  requestedTasks: [':app:test', 'clean all'],
  values: [{ name: 'Git branch', value: 'feature/a b' }],
  environment: { username: 'CI\\ada' },
  hasFailed: true,
})
const empty = build({ requestedTasks: [], values: [], environment: {} })
const at = { now: message.timestamp, timeZone: 'UTC' }

describe('the condition of a group', () => {
  test.each(['project', 'branch', 'user', 'requested'] as const)(
    'by %s finds its builds, and no others',
    (by) => {
      const term = groupTerm(by, textOf(full, by) ?? null) ?? ''
      expect(compile(parse(term), at)(full)).toBe('yes')
      expect(compile(parse(term), at)(empty)).toBe('no')
    },
  )

  test.each(['project', 'branch', 'user', 'requested'] as const)(
    'by %s finds builds without a value',
    (by) => {
      const term = groupTerm(by, null) ?? ''
      expect(compile(parse(term), at)(empty)).toBe('yes')
      expect(compile(parse(term), at)(full)).toBe('no')
    },
  )

  test('by requested work of one word leaves out builds that requested more', () => {
    const finds = compile(parse(groupTerm('requested', 'test') ?? ''), at)
    expect(finds(build({ requestedTasks: ['test'] }))).toBe('yes')
    expect(finds(build({ requestedTasks: ['clean', 'test'] }))).toBe('no')
    expect(finds(build({ requestedTasks: ['test', 'run'] }))).toBe('no')
  })

  test('by outcome finds builds of which it is known, and those of which it is not', () => {
    expect(compile(parse(groupTerm('outcome', 'failed') ?? ''), at)(full)).toBe('yes')
    expect(compile(parse(groupTerm('outcome', null) ?? ''), at)(full)).toBe('no')
  })

  test('by failure is none: the search language knows no messages', () => {
    expect(groupTerm('failure', 'timed out')).toBeUndefined()
  })
})

test.each(['user', 'project'] as const)(
  'the link of builds without a %s finds those with an empty one, too',
  (by) => {
    const term = groupTerm(by, null) ?? ''
    expect(check(parse(term), {})).toEqual([])
    const none = { buildId: 'b', receivedAt: 0, buildTool: 'gradle', buildToolVersion: '9' }
    for (const value of ['', null, 'ada']) {
      const facts = { ...none, agentVersion: '4', [by]: value }
      const answer = compile(parse(term), { now: 0, timeZone: 'UTC' })(facts)
      expect(answer).toBe(value === 'ada' ? 'no' : 'yes')
    }
  },
)
