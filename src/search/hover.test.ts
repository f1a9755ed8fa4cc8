import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import type { AssistContext } from './assist/completion.ts'
import { hover } from './hover.ts'
import { parse } from './parse.ts'

const context: AssistContext = {
  now: Date.parse('2026-11-20T10:00:00Z'),
  timeZone: 'Europe/Berlin',
  serverRelease: '2023.3',
}

/** The hover text at the `|` of a text, behind the stretch that it is about. */
function hoverAt(written: string, known: AssistContext = context): readonly string[] | undefined {
  const pos = written.indexOf('|')
  const text = written.replace('|', '')
  const found = hover(text, pos, known)
  return found && [text.slice(found.from, found.to), ...found.lines]
}

describe('a field', () => {
  test('says what it is, how its values are written and since when it is there', () => {
    expect(hoverAt('pro|ject:x')).toEqual([
      'project',
      'Name of the root project, top-level module or workspace.',
      'Text, case-insensitive: project:main. * matches any characters: project:release/*. Quote values with spaces: project:"a b".',
      'Available since server release 2023.3.',
    ])
  })

  test.each([
    [
      '|value:a=b',
      'A name and a value: value:"Git branch=main". * matches any characters: value:"Git branch=release/*".',
    ],
    [
      '|buildDuration>5m',
      'A duration in d, h, m, s or ms: buildDuration>5m, buildDuration<=1h30m, buildDuration:[1m to 5m].',
    ],
    [
      '|buildStartTime>-7d',
      'A date, a time, or an age: buildStartTime:2024-01-31, buildStartTime>=2024-01-31T10:30, buildStartTime>-7d.',
    ],
    [
      '|gradle.environment.numberOfCpuCores:8',
      'A number: gradle.environment.numberOfCpuCores:4, gradle.environment.numberOfCpuCores>4, gradle.environment.numberOfCpuCores:[2 to 8].',
    ],
    ['gradle.environment.numberOfCpuCores|>8', 'More than this.'],
    [
      '|gradle.environment.jvmMaxMemoryHeapSize>1gi',
      'Bytes, with an optional unit: k, m, g, t (powers of 1000) or ki, mi, gi, ti (powers of 1024), such as gradle.environment.jvmMaxMemoryHeapSize>=2gi, gradle.environment.jvmMaxMemoryHeapSize:[512mi to 4gi].',
    ],
    ['(tag:a)|user:ada', 'User account that ran the build.'],
    ['|buildOutcome:failed', 'Values: succeeded, failed.'],
    ['|sbt.requestedTasks:a', 'sbt builds only.'],
    [
      '|rootProjectName:a',
      "Available on servers from release 2022.4 to 2023.2.3. It's now called project.",
    ],
    [
      'hasVerification|Failure',
      "Available since server release 2024.1. This server has 2023.3, which doesn't support it.",
    ],
    ['gradle.develocitySettings.testOutput|CapturingEnabled', 'Test output captured.'],
    ['projct|:a', 'Unknown field projct. Did you mean project?'],
    ['xyzzyxyzzy|:a', 'Unknown field xyzzyxyzzy.'],
    ['xyzzyxyzzy:|a', 'Unknown field xyzzyxyzzy.'],
  ])('of %s: %s', (written, line) => {
    expect(hoverAt(written)).toContain(line)
  })

  test('is not said to be missing from a server whose release is not known', () => {
    expect(hoverAt('|hasVerificationFailure', {})).toContain(
      'Available since server release 2024.1.',
    )
  })
})

describe('a value', () => {
  test.each([
    ['project:|checkout', ['checkout', 'The value is checkout, case-insensitive.']],
    ['project:check|out', ['checkout', 'The value is checkout, case-insensitive.']],
    ['project:checkout|', ['checkout', 'The value is checkout, case-insensitive.']],
    ['project:check|*', ['*', 'Matches any characters, including none.']],
    ['project:che|ck*', ['check*', 'The value begins with check, case-insensitive.']],
    ['project:|"a b"', ['"a b"', 'The value is “a b”, case-insensitive.']],
    ['project:|*', ['*', 'Any value.']],
    [
      'value:|"Git branch=release/*"',
      [
        '"Git branch=release/*"',
        'The name is “Git branch”.',
        'The value begins with release/, case-insensitive.',
      ],
    ],
    [
      'value:|branch',
      ['branch', 'value takes name=value. Use branch=* to match any value of branch.'],
    ],
    ['buildDuration>|5m30s', ['5m30s', 'Longer than 5 min 30 s.']],
    ['buildDuration<=|PT90M', ['PT90M', 'At most 1 h 30 min.']],
    ['buildDuration:[|1m to 5m]', ['[1m to 5m]', 'From 1 min to 5 min.']],
    ['buildDuration>|5', ['5', '5 has no unit. Add d, h, m, s or ms to each number.']],
    [
      'gradle.environment.jvmMaxMemoryHeapSize>=|2gi',
      ['2gi', 'At least 2 GiB.', 'In bytes: 2147483648.'],
    ],
    [
      'gradle.environment.jvmMaxMemoryHeapSize:[|1k to 2k]',
      ['[1k to 2k]', 'From 1 kB to 2 kB.', 'In bytes: 1000 to 2000.'],
    ],
    ['gradle.environment.numberOfCpuCores>|8', ['8', 'More than 8.']],
    ['gradle.buildOptions.daemonEnabled:|false', ['false', 'False.']],
    ['gradle.buildOptions.daemonEnabled:|true', ['true', 'True.']],
    [
      'buildStartTime:|2024-01-01',
      ['2024-01-01', 'From 2024-01-01 00:00 to before 2024-01-02 00:00 (Europe/Berlin).'],
    ],
    [
      'buildStartTime>=|2024-07-01T10:00Z',
      ['2024-07-01T10:00Z', 'At or after 2024-07-01 12:00 (Europe/Berlin).'],
    ],
    [
      'buildStartTime>|-7d',
      ['-7d', 'In the last 7 days.', 'Currently after 2026-11-13 11:00 (Europe/Berlin).'],
    ],
    [
      'buildStartTime<=|-1d',
      ['-1d', 'At least 24 hours ago.', 'Currently at or before 2026-11-19 11:00 (Europe/Berlin).'],
    ],
    [
      'buildStartTime:[-7d to |-1d]',
      [
        '[-7d to -1d]',
        'From 7 days ago to 24 hours ago.',
        'Currently from 2026-11-13 11:00 to 2026-11-19 11:00 (Europe/Berlin).',
      ],
    ],
    [
      'buildStartTime:[|-999999999d to 9999999999d]',
      [
        '[-999999999d to 9999999999d]',
        'From 999999999 days ago to 9999999999 days from now.',
        'Currently from 0001-01-01 00:53:28 to 10000-01-01 00:59:59.999 (Europe/Berlin).',
      ],
    ],
  ])('of %s', (written, expected) => {
    expect(hoverAt(written)).toEqual(expected)
  })

  test('without a clock at hand is not given as a day', () => {
    expect(hoverAt('buildStartTime>|-7d', {})).toEqual(['-7d', 'In the last 7 days.'])
    expect(hoverAt('buildStartTime>|2024-01-01', {})).toEqual([
      '2024-01-01',
      'After 2024-01-01 00:00 (local time).',
    ])
  })
})

describe('what stands between', () => {
  test.each([
    ['project|:x', ':', 'Matches the whole value, case-insensitive.'],
    ['buildDuration|>=5m', '>=', 'At least this.'],
    ['buildStartTime|<-1d', '<', 'Before this time.'],
    ['project|=x', '=', 'Not an operator. Use a colon.'],
    ['project:|', ':', 'Matches the whole value, case-insensitive.'],
    ['tag:a a|nd tag:b', 'and', 'Both sides must match. Optional, and binds tighter than or.'],
    [
      'tag:a O|R tag:b',
      'OR',
      'At least one side must match. Use parentheses when you mix it with and.',
    ],
    ['tag:a and|', 'and', 'Both sides must match. Optional, and binds tighter than or.'],
    ['n|ot tag:a', 'not', 'Negates what follows. Builds without a value match, too.'],
    ['|-tag:a', '-', 'Negates what follows. Builds without a value match, too.'],
    ['tag:b |!(tag:a)', '!', 'Negates what follows. Builds without a value match, too.'],
    ['buildDuration:[1m |to 5m]', 'to', 'Separates the ends of a range. Both ends are included.'],
    ['tag:a free-|text', 'free-text', 'Text needs a field, such as project: or tag:.'],
  ])('in %s: %s', (written, stretch, line) => {
    expect(hoverAt(written)).toEqual([stretch, line])
  })

  test.each(['|', 'tag:a  |  tag:b', '(|', 'tag:a )|'])('in %s is nothing', (written) => {
    expect(hoverAt(written)).toBeUndefined()
  })
})

test('a query that is parsed already is taken as well', () => {
  expect(hover(parse('project:x'), 2, context)).toEqual(hover('project:x', 2, context))
})

test('a hover text is about a stretch that the position touches, whatever the text', () => {
  const letters = fc.constantFrom(...'tag:a()"*\\-![]<>= '.split(''), 'value:', 'to ', 'or ', '-7d')
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 40 }), fc.nat(80), (text, nat) => {
      const pos = nat % (text.length + 1)
      const found = hover(text, pos, context)
      if (!found) return
      expect(found.from <= pos && pos <= found.to).toBe(true)
      expect(found.title).not.toBe('')
      expect(found.lines.join('')).not.toBe('')
    }),
    { numRuns: runs(1000) },
  )
})
