import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AssistContext } from './assist/context.ts'
import { hover } from './hover.ts'
import { parse } from './parse.ts'

const context: AssistContext = {
  now: Date.parse('2026-11-20T10:00:00Z'),
  timeZone: 'Europe/Berlin',
  serverRelease: '2023.3',
}

/** What is told at the `|` of a text, behind the stretch that it is about. */
function told(written: string, known: AssistContext = context): readonly string[] | undefined {
  const pos = written.indexOf('|')
  const text = written.replace('|', '')
  const found = hover(text, pos, known)
  return found && [text.slice(found.from, found.to), ...found.lines]
}

describe('a field', () => {
  test('tells what it is, how its values are written and since when it is there', () => {
    expect(told('pro|ject:x')).toEqual([
      'project',
      'Name of the root project, top-level module or workspace.',
      'Text, in any case of letters: project:main. A * stands for any run of characters: project:release/*. Quotes go around spaces: project:"a b".',
      'Servers have it since release 2023.3.',
    ])
  })

  test.each([
    [
      '|value:a=b',
      'A name and a value: value:"Git branch=main". A * stands for any run of characters: value:"Git branch=release/*".',
    ],
    [
      '|buildDuration>5m',
      'A duration in d, h, m, s or ms: buildDuration>5m, buildDuration<=1h30m, buildDuration:[1m to 5m].',
    ],
    [
      '|buildStartTime>-7d',
      'A date, a time, or how long ago: buildStartTime:2024-01-31, buildStartTime>=2024-01-31T10:30, buildStartTime>-7d.',
    ],
    [
      '|gradle.environment.numberOfCpuCores:8',
      'A number: gradle.environment.numberOfCpuCores:4, gradle.environment.numberOfCpuCores>4, gradle.environment.numberOfCpuCores:[2 to 8].',
    ],
    ['gradle.environment.numberOfCpuCores|>8', 'More than this, and not equal.'],
    [
      '|gradle.environment.jvmMaxMemoryHeapSize>1gi',
      'Bytes, also in k, m, g and t (1000) or ki, mi, gi and ti (1024): gradle.environment.jvmMaxMemoryHeapSize>=2gi, gradle.environment.jvmMaxMemoryHeapSize:[512mi to 4gi].',
    ],
    ['(tag:a)|user:ada', 'Name of the account that ran the build.'],
    ['|buildOutcome:failed', 'Its values are succeeded, failed.'],
    ['|sbt.requestedTasks:a', 'Only builds by sbt have it.'],
    [
      '|rootProjectName:a',
      'Servers had it from release 2022.4 to 2023.2.3. It is called project now.',
    ],
    [
      'hasVerification|Failure',
      'Servers have it since release 2024.1. This one has release 2023.3 and does not have it yet.',
    ],
    ['gradle.develocitySettings.testOutput|CapturingEnabled', 'Output of tests was captured.'],
    ['projct|:a', 'No field is called projct. Did you mean project?'],
    ['xyzzyxyzzy|:a', 'No field is called xyzzyxyzzy.'],
    ['xyzzyxyzzy:|a', 'No field is called xyzzyxyzzy.'],
  ])('of %s: %s', (written, line) => {
    expect(told(written)).toContain(line)
  })

  test('is not said to be missing from a server whose release is not known', () => {
    expect(told('|hasVerificationFailure', {})).toContain('Servers have it since release 2024.1.')
  })
})

describe('a value', () => {
  test.each([
    ['project:|checkout', ['checkout', 'The value is checkout, in any case of letters.']],
    ['project:check|out', ['checkout', 'The value is checkout, in any case of letters.']],
    ['project:checkout|', ['checkout', 'The value is checkout, in any case of letters.']],
    ['project:check|*', ['*', 'Stands for any run of characters, also for none.']],
    ['project:che|ck*', ['check*', 'The value begins with check, in any case of letters.']],
    ['project:|"a b"', ['"a b"', 'The value is "a b", in any case of letters.']],
    ['project:|*', ['*', 'There is a value, whatever it is.']],
    [
      'value:|"Git branch=release/*"',
      [
        '"Git branch=release/*"',
        'The name is "Git branch".',
        'The value begins with release/, in any case of letters.',
      ],
    ],
    [
      'value:|branch',
      ['branch', 'value is written name=value. Write branch=* for any value of branch.'],
    ],
    ['buildDuration>|5m30s', ['5m30s', 'Longer than 5 min 30 s.']],
    ['buildDuration<=|PT90M', ['PT90M', 'At most 1 h 30 min.']],
    ['buildDuration:[|1m to 5m]', ['[1m to 5m]', 'From 1 min to 5 min.']],
    ['buildDuration>|5', ['5', '5 has no unit. Write d, h, m, s or ms after each number.']],
    [
      'gradle.environment.jvmMaxMemoryHeapSize>=|2gi',
      ['2gi', 'At least 2 GiB.', 'In bytes: 2147483648.'],
    ],
    [
      'gradle.environment.jvmMaxMemoryHeapSize:[|1k to 2k]',
      ['[1k to 2k]', 'From 1 kB to 2 kB.', 'In bytes: 1000 to 2000.'],
    ],
    ['gradle.environment.numberOfCpuCores>|8', ['8', 'More than 8.']],
    ['gradle.buildOptions.daemonEnabled:|false', ['false', 'Known to be false.']],
    ['gradle.buildOptions.daemonEnabled:|true', ['true', 'Known to be true.']],
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
      ['-7d', 'In the last 7 days.', 'Now that is after 2026-11-13 11:00 (Europe/Berlin).'],
    ],
    [
      'buildStartTime<=|-1d',
      [
        '-1d',
        'At least 24 hours ago.',
        'Now that is at or before 2026-11-19 11:00 (Europe/Berlin).',
      ],
    ],
    [
      'buildStartTime:[-7d to |-1d]',
      [
        '[-7d to -1d]',
        'From 7 days ago to 24 hours ago.',
        'Now that is from 2026-11-13 11:00 to 2026-11-19 11:00 (Europe/Berlin).',
      ],
    ],
  ])('of %s', (written, expected) => {
    expect(told(written)).toEqual(expected)
  })

  test('without a clock at hand is not told as a day', () => {
    expect(told('buildStartTime>|-7d', {})).toEqual(['-7d', 'In the last 7 days.'])
    expect(told('buildStartTime>|2024-01-01', {})).toEqual([
      '2024-01-01',
      'After 2024-01-01 00:00 (local time).',
    ])
  })
})

describe('what stands between', () => {
  test.each([
    ['project|:x', ':', 'Matches the whole value, in any case of letters.'],
    ['buildDuration|>=5m', '>=', 'At least this.'],
    ['buildStartTime|<-1d', '<', 'Before this time.'],
    ['project|=x', '=', 'No operator of the language. Write a colon.'],
    ['project:|', ':', 'Matches the whole value, in any case of letters.'],
    [
      'tag:a a|nd tag:b',
      'and',
      'Both sides have to be true. It may be left out, and binds tighter than or.',
    ],
    [
      'tag:a O|R tag:b',
      'OR',
      'One of the sides has to be true. Put parentheses around it beside and.',
    ],
    [
      'tag:a and|',
      'and',
      'Both sides have to be true. It may be left out, and binds tighter than or.',
    ],
    ['n|ot tag:a', 'not', 'The opposite of what follows. Builds without a value are among it.'],
    ['|-tag:a', '-', 'The opposite of what follows. Builds without a value are among it.'],
    ['tag:b |!(tag:a)', '!', 'The opposite of what follows. Builds without a value are among it.'],
    ['buildDuration:[1m |to 5m]', 'to', 'Between the ends of a range. Both ends belong to it.'],
    [
      'tag:a free-|text',
      'free-text',
      'Words alone select nothing. Write a field before them, such as project: or tag:.',
    ],
  ])('in %s: %s', (written, stretch, line) => {
    expect(told(written)).toEqual([stretch, line])
  })

  test.each(['|', 'tag:a  |  tag:b', '(|', 'tag:a )|'])('in %s is nothing', (written) => {
    expect(told(written)).toBeUndefined()
  })
})

test('a query that is parsed already is taken as well', () => {
  expect(hover(parse('project:x'), 2, context)).toEqual(hover('project:x', 2, context))
})

test('what is told is about a stretch that the position touches, whatever the text', () => {
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
    { numRuns: 1000 },
  )
})
