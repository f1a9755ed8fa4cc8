import { describe, expect, test } from 'vitest'
import { check, type CheckOptions } from './check.ts'
import { applyEdits } from './diagnostic.ts'
import { parse } from './parse.ts'

/** The query with what the diagnostic underlines between « and »; its code; the query after each fix. */
type Row = readonly [marked: string, code: string, afterFixes: readonly string[]]

function only(marked: string, options?: CheckOptions) {
  const query = marked.replace(/[«»]/g, '')
  const found = check(parse(query), options)
  return found.map(({ from, to, code, severity, fixes }) => [
    `${query.slice(0, from)}«${query.slice(from, to)}»${query.slice(to)}`,
    `${severity} ${code}`,
    fixes.map(({ edits }) => applyEdits(query, edits)),
  ])
}

describe('shape', () => {
  test.each<Row>([
    ['tag:a «and»', 'error syntax.dangling-operator', ['tag:a']],
    ['tag:a «OR»', 'error syntax.dangling-operator', ['tag:a']],
    ['«and» tag:a', 'error syntax.dangling-operator', ['tag:a']],
    ['«or»', 'error syntax.dangling-operator', ['']],
    ['«not»', 'error syntax.dangling-operator', ['']],
    ['tag:a or «or» tag:b', 'error syntax.dangling-operator', ['tag:a or tag:b']],
    ['(tag:a «and»)', 'error syntax.dangling-operator', ['(tag:a)']],
    ['(tag:a)«and»', 'error syntax.dangling-operator', ['(tag:a)']],
    ['«(»tag:a or tag:b', 'error syntax.unclosed-group', ['(tag:a or tag:b)']],
    ['«(»tag:a or tag:b  ', 'error syntax.unclosed-group', ['(tag:a or tag:b)  ']],
    ['«(»tag:a\\', 'error syntax.unclosed-group', ['(tag:a\\ )']],
    ['tag:a«)»', 'error syntax.unexpected-closing', ['tag:a']],
    ['«]» tag:a', 'error syntax.unexpected-closing', ['tag:a']],
    ['«()»', 'error syntax.empty-group', ['']],
    ['tag:a «()»', 'error syntax.empty-group', ['tag:a']],
    ['«( )» tag:a', 'error syntax.empty-group', ['tag:a']],
    ['(«()»)', 'error syntax.empty-group', ['']],
    ['-«()»', 'error syntax.empty-group', ['']],
    ['tag:«"a»', 'error syntax.unclosed-quote', ['tag:"a"']],
    ['tag:x«"a»', 'error syntax.unclosed-quote', ['tag:x"a"']],
    ['tag:«"a\\»', 'error syntax.unclosed-quote', ['tag:"a\\\\"']],
    ['buildDuration:«[1m to 5m»', 'error syntax.unclosed-range', ['buildDuration:[1m to 5m]']],
    [
      'buildDuration:«[1m to 5m» tag:a',
      'error syntax.unclosed-range',
      ['buildDuration:[1m to 5m] tag:a'],
    ],
    ['buildDuration:«[1m to 5m to 1h]»', 'error syntax.range-shape', []],
    ['buildDuration:«[1m - 5m - 1h]»', 'error syntax.range-shape', []],
    ['buildDuration:«[1m - 5m]»', 'error syntax.range-shape', ['buildDuration:[1m to 5m]']],
    ['buildDuration:«[1m .. 5m]»', 'error syntax.range-shape', ['buildDuration:[1m to 5m]']],
    ['buildDuration:«[1m 5m]»', 'error syntax.range-shape', ['buildDuration:[1m to 5m]']],
    ['tag:«[a b c]»', 'error value.operator-not-allowed', ['tag:"[a b c]"']],
    ['tag:«["a" b c]»', 'error value.operator-not-allowed', []],
  ])('is reported in %s', (marked, code, afterFixes) => {
    expect(only(marked)).toEqual([[marked, code, afterFixes]])
  })

  test('takes no list of values for the one that a word compares with', () => {
    for (const query of ['user is a,b', 'user is a, b', "user like 'a,b'"]) {
      expect(check(parse(query)).map(({ code }) => code)).not.toContain('syntax.worded-operator')
    }
  })

  test('is reported for a closing parenthesis without gluing what stands around it', () => {
    expect(only('tag:a«)»tag:b')).toEqual([
      ['tag:a«)»tag:b', 'error syntax.unexpected-closing', ['tag:a tag:b']],
    ])
  })

  test('lets a quote be closed at the word or at the end', () => {
    expect(only('tag:"a b')).toEqual([
      ['tag:«"a» b', 'error syntax.unclosed-quote', ['tag:"a" b', 'tag:"a b"']],
      [
        'tag:"a «b»',
        'error syntax.free-text',
        ['tag:"a project:b', 'tag:"a tag:b', 'tag:"a requested:*b*'],
      ],
    ])
  })

  test('that is too deep or too long is one error without a fix', () => {
    const deep = check(parse('('.repeat(200) + 'tag:a' + ')'.repeat(200)))
    expect(deep.map(({ code, fixes }) => [code, fixes.length])).toEqual([['syntax.too-deep', 0]])
    const long = check(parse('tag:a '.repeat(30_000)))
    expect(long.map(({ code, fixes }) => [code, fixes.length])).toEqual([['syntax.too-long', 0]])
  })
})

describe('spaces and missing values', () => {
  test.each<Row>([
    ['«user:»', 'error syntax.missing-value', ['user:*']],
    ['«user:» tag:a', 'error syntax.missing-value', ['user:* tag:a']],
    ['«user>»', 'error syntax.missing-value', []],
    ['«user:» or tag:a', 'error syntax.missing-value', ['user:* or tag:a']],
    ['(«user:»)', 'error syntax.missing-value', ['(user:*)']],
    ['«user: dylan»', 'error syntax.space-after-colon', ['user:dylan']],
    ['«user: dylan» tag:a', 'error syntax.space-after-colon', ['user:dylan tag:a']],
    ['«user: "dylan m"»', 'error syntax.space-after-colon', ['user:"dylan m"']],
    ['-«user: dylan»', 'error syntax.space-after-colon', ['-user:dylan']],
    ['«buildDuration: > 5m»', 'error syntax.space-after-colon', ['buildDuration:>5m']],
    ['«buildDuration: >5m»', 'error syntax.space-after-colon', ['buildDuration:>5m']],
    ['«buildDuration> 5m»', 'error syntax.space-after-colon', ['buildDuration>5m']],
    ['«buildDuration: [1m to 5m]»', 'error syntax.space-after-colon', ['buildDuration:[1m to 5m]']],
    ['«buildDuration > 5m»', 'error syntax.space-around-operator', ['buildDuration>5m']],
    ['«buildDuration >5m» tag:a', 'error syntax.space-around-operator', ['buildDuration>5m tag:a']],
    ['«user :dylan»', 'error syntax.space-around-operator', ['user:dylan']],
    ['«user : dylan»', 'error syntax.space-around-operator', ['user:dylan']],
    ['«tag:(a or b)»', 'error syntax.missing-value', ['(tag:a or tag:b)']],
    ['«tag: (a "b c")» user:x', 'error syntax.missing-value', ['(tag:a tag:"b c") user:x']],
  ])('are reported in %s', (marked, code, afterFixes) => {
    expect(only(marked)).toEqual([[marked, code, afterFixes]])
  })
})

describe('operators', () => {
  test.each<Row>([
    ['tag«=»a', 'error syntax.bad-operator', ['tag:a']],
    ['tag«:=»a', 'error syntax.bad-operator', ['tag:a']],
    ['tag«==»a', 'error syntax.bad-operator', ['tag:a']],
    ['tag«!=»a', 'error syntax.bad-operator', ['-tag:a']],
    ['tag«<>»a', 'error syntax.bad-operator', ['-tag:a']],
    ['buildDuration«<>»5m', 'error syntax.bad-operator', ['-buildDuration:5m']],
    ['«tag <> a»', 'error syntax.space-around-operator', ['-tag:a']],
    ['«user is dylan»', 'error syntax.worded-operator', ['user:dylan']],
    ['«user is not "d e"» tag:a', 'error syntax.worded-operator', ['-user:"d e" tag:a']],
    ['«project contains app»', 'error syntax.worded-operator', ['project:*app*']],
    ["«project not like 'app%'»", 'error syntax.worded-operator', ['-project:app*']],
    ['«project in (a)»', 'error syntax.worded-operator', ['project:a']],
    [
      '«project IN (a, \'b c\', "d")» tag:x',
      'error syntax.worded-operator',
      ['(project:a or project:"b c" or project:d) tag:x'],
    ],
    ['«project not in (a,b)»', 'error syntax.worded-operator', ['-(project:a or project:b)']],
    ['-«_exists_:user»', 'error syntax.free-text', ['-user:*']],
    ['tag:a and «_exists_:user»', 'error syntax.free-text', ['tag:a and user:*']],
    ['«_exists_:user»', 'error syntax.free-text', ['user:*']],
    ['buildDuration«:!=»5m', 'error syntax.bad-operator', ['-buildDuration:5m']],
    ['user«>»a', 'error value.operator-not-allowed', ['user:a']],
    ['user«:<=»a', 'error value.operator-not-allowed', ['user:a']],
    ['value«>»a=b', 'error value.operator-not-allowed', ['value:a=b']],
    [
      'hasVerificationFailure«>»true',
      'error value.operator-not-allowed',
      ['hasVerificationFailure:true'],
    ],
    ['user«>»*', 'error value.operator-not-allowed', ['user:*']],
    ['buildDuration«>»*', 'error value.operator-not-allowed', ['buildDuration:*']],
    ['tag:«[a to b]»', 'error value.operator-not-allowed', ['tag:"[a to b]"']],
    ['tag:«[a]»', 'error value.operator-not-allowed', ['tag:"[a]"']],
    ['hasVerificationFailure:«[a to b]»', 'error value.operator-not-allowed', []],
    [
      'buildStartTime«:-5d»',
      'error value.operator-not-allowed',
      ['buildStartTime>-5d', 'buildStartTime<-5d'],
    ],
  ])('are reported in %s', (marked, code, afterFixes) => {
    expect(only(marked)).toEqual([[marked, code, afterFixes]])
  })
})

describe('words without a field', () => {
  const ways = (text: string, word: string, quoted = word) => [
    text.replace('?', `project:${quoted}`),
    text.replace('?', `tag:${quoted}`),
    text.replace('?', quoted.startsWith('"') ? `requested:"*${word}*"` : `requested:*${word}*`),
  ]
  test.each<Row>([
    ['«hello»', 'error syntax.free-text', ways('?', 'hello')],
    ['«hello world»', 'error syntax.free-text', ways('?', 'hello world', '"hello world"')],
    ['«"hello world"»', 'error syntax.free-text', ways('?', 'hello world', '"hello world"')],
    ['«“hello world”»', 'error syntax.free-text', ways('?', 'hello world', '"hello world"')],
    [
      'tag:a «hello» tag:b',
      'error syntax.free-text',
      ways('tag:a ? tag:b', 'hello').toSpliced(1, 0, 'tag:"a hello" tag:b'),
    ],
    [
      '-user:grace «hopper»',
      'error syntax.free-text',
      ways('-user:grace ?', 'hopper').toSpliced(1, 0, '-user:"grace hopper"'),
    ],
    ['-«hello»', 'error syntax.free-text', ways('-?', 'hello')],
    ['«failed»', 'error syntax.free-text', ['buildOutcome:failed', ...ways('?', 'failed')]],
    ['«Gradle»', 'error syntax.free-text', ['buildTool:gradle', ...ways('?', 'Gradle')]],
    ['tag:a «-»', 'error syntax.free-text', ['tag:a']],
    ['«- >» tag:a', 'error syntax.free-text', ['tag:a']],
    [
      '«:app:build»',
      'error syntax.free-text',
      ['requested:"*:app:build*"', 'project:":app:build"', 'tag:":app:build"'],
    ],
  ])('are reported in %s', (marked, code, afterFixes) => {
    expect(only(marked)).toEqual([[marked, code, afterFixes]])
  })
})

test.each([
  ['buildStartTime>2026-11-25 10:00', 'buildStartTime>2026-11-25T10:00'],
  ['buildDuration:>1h 30m', 'buildDuration:>1h30m'],
])('the second half of a value is put to the first: %s', (text, joined) => {
  const [found] = check(parse(text))
  expect(applyEdits(text, found?.fixes[0]?.edits ?? [])).toBe(joined)
})

test('words behind a value are its end first where such a value was seen', () => {
  const text = 'project:web shop tag:CI'
  const values = () => [{ value: 'Web Shop', count: 3 }]
  const [found] = check(parse(text), { values })
  expect(found?.message).toBe('shop has no field. Add one, such as project:"web shop".')
  expect(applyEdits(text, found?.fixes[0]?.edits ?? [])).toBe('project:"web shop" tag:CI')
})

describe('names of fields', () => {
  test.each<Row>([
    ['«projct»:a', 'error field.unknown', ['project:a']],
    ['value:«Git branch=main»', 'error value.pair-missing-equals', ['value:"Git branch=main"']],
    ['«Project»:a', 'error field.unknown', ['project:a']],
    ['«TAG»:a', 'error field.unknown', ['tag:a']],
    ['«duration»>5m', 'error field.unknown', ['buildDuration>5m']],
    ['«author»:ada', 'error field.unknown', ['user:ada']],
    ['«has»:user', 'error field.unknown', ['user:*']],
    ['«has»:hasVerificationFailure', 'error field.unknown', ['hasVerificationFailure']],
    [
      '«is»:failed',
      'error field.unknown',
      ['buildOutcome:failed', 'project:failed', 'tag:failed', 'requested:*failed*'],
    ],
    ['«status»:failed', 'error field.unknown', ['buildOutcome:failed']],
    ['«tasks»:build', 'error field.unknown', ['requested:build']],
    ['«pluginVersion»:3', 'error field.unknown', ['gradle.pluginVersion:3', 'sbt.pluginVersion:3']],
    ['tag:a («usr»:b or tag:c)', 'error field.unknown', ['tag:a (user:b or tag:c)']],
    [
      '«http»://x.y/z',
      'error field.unknown',
      ['project:"http://x.y/z"', 'tag:"http://x.y/z"', 'requested:"*http://x.y/z*"'],
    ],
    [
      '«app»:build',
      'error field.unknown',
      ['requested:"*app:build*"', 'project:"app:build"', 'tag:"app:build"'],
    ],
    [
      '«hasVerificationFailur»',
      'error field.unknown',
      [
        'hasVerificationFailure',
        'project:hasVerificationFailur',
        'tag:hasVerificationFailur',
        'requested:*hasVerificationFailur*',
      ],
    ],
    ['«user»', 'error field.not-boolean', ['user:*']],
    ['«buildDuration» tag:a', 'error field.not-boolean', ['buildDuration:* tag:a']],
    ['!«user»', 'error field.not-boolean', ['!user:*']],
    ['«rootProjectName»:a', 'info field.deprecated', ['project:a']],
    [
      '«gradle.platformSettings.taskInputsFileCapturingEnabled»',
      'info field.deprecated',
      ['gradle.platformSettings.fileFingerprintCapturingEnabled'],
    ],
    [
      '«maven.develocitySettings.goalInputsFileCapturingEnabled»:true',
      'info field.deprecated',
      ['maven.develocitySettings.fileFingerprintCapturingEnabled:true'],
    ],
  ])('are reported in %s', (marked, code, afterFixes) => {
    expect(only(marked)).toEqual([[marked, code, afterFixes]])
  })

  test('offers the word behind a name as its value', () => {
    expect(only('user dylan')[0]).toEqual([
      '«user» dylan',
      'error field.not-boolean',
      ['user:dylan', 'user:* dylan'],
    ])
  })
})

describe('the release of the server', () => {
  test.each<readonly [release: string, ...Row]>([
    ['2023.2', '«project»:a', 'error field.not-since', ['rootProjectName:a', '']],
    [
      '2024.2.1',
      'tag:a «gradle.configurationCache.outcome»:hit',
      'error field.not-since',
      ['tag:a'],
    ],
    ['2024.1', '«npm.projectName»:a', 'error field.not-since', ['']],
    ['2023.4', '«hasVerificationFailure»', 'error field.not-since', ['']],
    ['2023.3', '«rootProjectName»:a', 'error field.deprecated', ['project:a', '']],
    [
      '2024.2',
      '«gradle.platformSettings.taskInputsFileCapturingEnabled»',
      'error field.deprecated',
      ['gradle.platformSettings.fileFingerprintCapturingEnabled', ''],
    ],
  ])('%s has not the field of %s', (serverRelease, marked, code, afterFixes) => {
    expect(only(marked, { serverRelease })).toEqual([[marked, code, afterFixes]])
  })

  test.each([
    ['2023.3', 'project:a'],
    ['2023.2.3', 'rootProjectName:a'],
    ['2024.1.6', 'gradle.platformSettings.taskInputsFileCapturingEnabled'],
    ['2024.3.1', 'npm.projectName:a gradle.configurationCache.outcome:hit or tag:a'],
    ['a build of its own', 'project:a'],
  ])('%s has the field of %s', (serverRelease, query) => {
    const codes = only(query, { serverRelease }).map(([, code]) => code)
    expect(codes.filter((code) => String(code).includes('field.'))).toEqual([])
  })
})

describe('values', () => {
  test.each<Row>([
    [
      'buildDuration>«5»',
      'error value.unit-missing',
      ['buildDuration>5s', 'buildDuration>5m', 'buildDuration>5h'],
    ],
    ['buildDuration>5«x»', 'error value.unit-unknown', []],
    ['buildDuration>2«w»', 'error value.unit-unknown', ['buildDuration>14d']],
    ['buildDuration>"5«min»"', 'error value.unit-unknown', ['buildDuration>5m']],
    ['buildDuration:«abc»', 'error value.duration-invalid', []],
    ['buildDuration:5«*»', 'error value.wildcard-not-allowed', ['buildDuration:5']],
    ['buildDuration:[1m to 5«*»]', 'error value.wildcard-not-allowed', ['buildDuration:[1m to 5]']],
    ['buildDuration:«[5m to 1m]»', 'error value.range-reversed', ['buildDuration:[1m to 5m]']],
    ['buildDuration:«[5m to ]»', 'error value.range-half-open', ['buildDuration>=5m']],
    ['buildDuration:«[ to 5m]»', 'error value.range-half-open', ['buildDuration<=5m']],
    ['buildDuration:«[* to 5m]»', 'error value.range-half-open', ['buildDuration<=5m']],
    ['buildDuration:«[5m]»', 'error value.range-half-open', ['buildDuration>=5m']],
    ['buildDuration:«[to]»', 'error value.range-half-open', ['buildDuration:*']],
    [
      'buildDuration:[«5» to 1h]',
      'error value.unit-missing',
      ['buildDuration:[5s to 1h]', 'buildDuration:[5m to 1h]', 'buildDuration:[5h to 1h]'],
    ],
    ['buildStartTime:«2024-02-30»', 'error value.instant-invalid', ['buildStartTime:2024-02-29']],
    ['buildStartTime>«2024/1/5»', 'error value.instant-invalid', ['buildStartTime>2024-01-05']],
    ['buildStartTime>-5«x»', 'error value.unit-unknown', []],
    ['buildStartTime>«5d»', 'warning value.relative-future', ['buildStartTime>-5d']],
    ['buildStartTime>«+5d»', 'warning value.relative-future', ['buildStartTime>-5d']],
    [
      'buildStartTime:[-7d to «1d»]',
      'warning value.relative-future',
      ['buildStartTime:[-7d to -1d]'],
    ],
    [
      'buildStartTime:«[-1d to -7d]»',
      'error value.range-reversed',
      ['buildStartTime:[-7d to -1d]'],
    ],
    [
      'buildStartTime:[2024-01-01 to «2024-01-31»]',
      'info logic.range-end-midnight',
      [
        'buildStartTime:[2024-01-01 to 2024-01-31T23:59:59.999]',
        'buildStartTime:[2024-01-01 to 2024-02-01T00:00]',
      ],
    ],
    [
      'buildStartTime:[2024-01-01 to «2024-12-31Z»]',
      'info logic.range-end-midnight',
      [
        'buildStartTime:[2024-01-01 to 2024-12-31T23:59:59.999Z]',
        'buildStartTime:[2024-01-01 to 2025-01-01T00:00Z]',
      ],
    ],
    ['gradle.environment.numberOfCpuCores>«four»', 'error value.number-invalid', []],
    [
      'gradle.environment.numberOfCpuCores:«[8 to 4]»',
      'error value.range-reversed',
      ['gradle.environment.numberOfCpuCores:[4 to 8]'],
    ],
    ['gradle.environment.jvmMaxMemoryHeapSize>1«mx»', 'error value.unit-unknown', []],
    [
      'gradle.environment.jvmMaxMemoryHeapSize>«1.5»',
      'error value.size-invalid',
      ['gradle.environment.jvmMaxMemoryHeapSize>2'],
    ],
    [
      'hasVerificationFailure:«yes»',
      'error value.boolean-invalid',
      ['hasVerificationFailure:true'],
    ],
    [
      'hasVerificationFailure:t«*»',
      'error value.wildcard-not-allowed',
      ['hasVerificationFailure:t'],
    ],
    ['value:«branch»', 'error value.pair-missing-equals', ['value:branch=*', 'value:*=branch']],
    [
      'value:«"Git branch"»',
      'error value.pair-missing-equals',
      ['value:"Git branch=*"', 'value:"*=Git branch"'],
    ],
    ['buildTool:«gradel»', 'warning value.not-one-of', ['buildTool:gradle']],
    ['buildOutcome:«success»', 'warning value.not-one-of', ['buildOutcome:succeeded']],
    ['buildOutcome:«failure»', 'warning value.not-one-of', ['buildOutcome:failed']],
    [
      'buildOutcome:«canceled»',
      'warning value.not-one-of',
      ['buildOutcome:succeeded', 'buildOutcome:failed'],
    ],
    [
      '-project:«shop,web-site»',
      'warning value.comma',
      ['-(project:shop or project:web-site)', '-project:"shop,web-site"'],
    ],
    [
      'buildOutcome:«failed,succeeded»',
      'warning value.comma',
      ['(buildOutcome:failed or buildOutcome:succeeded)', 'buildOutcome:"failed,succeeded"'],
    ],
    ["tag:«'CI'»", 'warning syntax.single-quotes', ['tag:CI']],
    ["buildDuration>«'5m'»", 'error syntax.single-quotes', ['buildDuration>5m']],
    ['buildStartTime>«now-1d»', 'error value.instant-invalid', ['buildStartTime>-1d']],
    ['buildStartTime>«now-»', 'error value.instant-invalid', []],
    ['buildStartTime:«25.11.2026»', 'error value.instant-invalid', ['buildStartTime:2026-11-25']],
    ['buildStartTime:«11/25/2026»', 'error value.instant-invalid', ['buildStartTime:2026-11-25']],
    [
      'buildStartTime:«1/2/2026»',
      'error value.instant-invalid',
      ['buildStartTime:2026-01-02', 'buildStartTime:2026-02-01'],
    ],
    ['buildStartTime:«31/31/2026»', 'error value.instant-invalid', []],
    ['buildStartTime:«today»', 'error value.instant-invalid', []],
    ['buildStartTime:«[2026-11-25 10:00 to 2026-11-26 9:30]»', 'error syntax.range-shape', []],
    [
      'buildStartTime:«[2026-11-25 10:00 to 2026-11-26]»',
      'error syntax.range-shape',
      ['buildStartTime:[2026-11-25T10:00 to 2026-11-26]'],
    ],
    [
      'gradle.configurationCache.outcome:«null»',
      'warning value.not-one-of',
      ['-gradle.configurationCache.outcome:*'],
    ],
    ['tag:«“a b”»', 'warning syntax.curly-quotes', ['tag:"a b"']],
    ['tag:«“»a', 'warning syntax.curly-quotes', ['tag:a']],
    ['buildDuration>«“5m”»', 'error syntax.curly-quotes', ['buildDuration>"5m"']],
  ])('are reported in %s', (marked, code, afterFixes) => {
    expect(only(marked)).toEqual([[marked, code, afterFixes]])
  })
})

test('a value in single quotes is kept together', () => {
  const [, rest, afterFixes] = only("tag:'a «b'»")[0] ?? []
  expect([rest, afterFixes?.[0]]).toEqual(['error syntax.free-text', 'tag:"a b"'])
})

test('a range with one zone is empty in the zone of the query', () => {
  const query = parse('buildStartTime:[2026-11-28T09:00Z to 2026-11-28T09:30]')
  expect(check(query, { timeZone: 'Europe/Berlin' })[0]?.code).toBe('value.range-reversed')
  expect(check(query, { timeZone: 'UTC' })).toEqual([])
})

test('the days of today and yesterday are those of the zone, where the time is known', () => {
  const at = { now: Date.UTC(2026, 10, 26, 23, 30), timeZone: 'Europe/Berlin' }
  const code = 'error value.instant-invalid'
  expect(only('buildStartTime:«Today»', at)).toEqual([
    ['buildStartTime:«Today»', code, ['buildStartTime:2026-11-27']],
  ])
  expect(only('buildStartTime:[«yesterday» to -1h]', at)).toEqual([
    ['buildStartTime:[«yesterday» to -1h]', code, ['buildStartTime:[2026-11-26 to -1h]']],
  ])
})

describe('what does not go together', () => {
  test.each<Row>([
    ['«tag:a tag:b» or tag:c', 'warning logic.mixed-and-or', ['(tag:a tag:b) or tag:c']],
    ['tag:a or «tag:b and tag:c»', 'warning logic.mixed-and-or', ['tag:a or (tag:b and tag:c)']],
    [
      '«tag:a tag:b» or tag:c -tag:d',
      'warning logic.mixed-and-or',
      ['(tag:a tag:b) or (tag:c -tag:d)'],
    ],
    [
      'project:a «project:b»',
      'warning logic.contradiction',
      ['(project:a or project:b)', 'project:a'],
    ],
    [
      'project:a and «project:b»',
      'warning logic.contradiction',
      ['(project:a or project:b)', 'project:a'],
    ],
    [
      'project:a tag:x «project:b» tag:y',
      'warning logic.contradiction',
      ['(project:a or project:b) tag:x tag:y', 'project:a tag:x tag:y'],
    ],
    [
      'project:a (tag:x «project:b»)',
      'warning logic.contradiction',
      ['(project:a or project:b) (tag:x)', 'project:a (tag:x)'],
    ],
    [
      'project:a («project:b»)',
      'warning logic.contradiction',
      ['(project:a or project:b)', 'project:a'],
    ],
    ['project:a («project:b» or tag:x)', 'warning logic.contradiction', ['project:a (tag:x)']],
    [
      'buildOutcome:failed «buildOutcome:succeeded»',
      'warning logic.contradiction',
      ['(buildOutcome:failed or buildOutcome:succeeded)', 'buildOutcome:failed'],
    ],
    ['tag:a «-tag:a»', 'warning logic.contradiction', ['tag:a']],
    [
      'hasVerificationFailure «!hasVerificationFailure»',
      'warning logic.contradiction',
      ['hasVerificationFailure'],
    ],
    [
      'hasVerificationFailure «hasVerificationFailure:false»',
      'warning logic.contradiction',
      ['(hasVerificationFailure or hasVerificationFailure:false)', 'hasVerificationFailure'],
    ],
    [
      'buildTool:maven «gradle.pluginVersion:3»',
      'warning logic.tool-conflict',
      ['(buildTool:maven or gradle.pluginVersion:3)', 'buildTool:maven'],
    ],
    [
      'maven.requestedGoals:a «bazel.requestedTargets:b»',
      'warning logic.tool-conflict',
      ['(maven.requestedGoals:a or bazel.requestedTargets:b)', 'maven.requestedGoals:a'],
    ],
    [
      'buildTool:maven («gradle.pluginVersion:3» or tag:a)',
      'warning logic.tool-conflict',
      ['buildTool:maven (tag:a)'],
    ],
    ['tag:a «tag:a»', 'info logic.duplicate-term', ['tag:a']],
    ['tag:a «tag:A»', 'info logic.duplicate-term', ['tag:a']],
    ['tag:a or «tag:a»', 'info logic.duplicate-term', ['tag:a']],
    ['-tag:a tag:b «-tag:a»', 'info logic.duplicate-term', ['-tag:a tag:b']],
    ['«--»tag:a', 'info logic.double-negation', ['tag:a']],
    ['«not -»tag:a', 'info logic.double-negation', ['tag:a']],
    ['«-(-»tag:a)', 'info logic.double-negation', ['(tag:a)']],
    ['«--»-tag:a', 'info logic.double-negation', ['-tag:a']],
    [
      'tag:b «not !»hasVerificationFailure',
      'info logic.double-negation',
      ['tag:b hasVerificationFailure'],
    ],
  ])('is reported in %s', (marked, code, afterFixes) => {
    expect(only(marked)).toEqual([[marked, code, afterFixes]])
  })

  test.each([
    'project:a or project:b',
    'project:a -project:b',
    'project:a* project:*b',
    '-(project:a tag:c) project:b',
    'tag:a tag:b',
    'requested:clean requested:build',
    'gradle.environment.localIPAddress:10.60.1.19 gradle.environment.localIPAddress:172.17.0.1',
    'value:a=b value:a=c',
    'gradle.requestedTasks:a gradle.requestedTasks:b',
    'buildTool:gradle gradle.pluginVersion:3',
    'buildTool:maven -gradle.pluginVersion:3',
    'buildTool:gradle or maven.requestedGoals:a',
    '(buildTool:gradle gradle.pluginVersion:3) or (buildTool:maven maven.requestedGoals:a)',
    'tag:a or -tag:a',
    '(tag:a tag:b) or tag:a',
    'buildDuration>1m buildDuration<5m',
    '(tag:a or tag:b) tag:c',
  ])('is not reported in %s', (query) => {
    expect(only(query)).toEqual([])
  })
})

describe('check', () => {
  test('has nothing to say of an empty query', () => {
    expect(only('')).toEqual([])
    expect(only('  ')).toEqual([])
  })

  test('orders what it says by position and gives a term one error at most', () => {
    const found = only('usr:"a projct>[ tag:a or buildDuration:5 and')
    const starts = found.map(([marked]) => String(marked).indexOf('«'))
    expect(starts).toEqual(starts.toSorted((a, b) => a - b))
    expect(only('«usr»>')).toHaveLength(1)
    expect(only('tag:["a')).toHaveLength(1)
  })

  test.each([
    ['projct:a', 'Unknown field projct. Did you mean project?'],
    ['user: dylan', "There's a space between user and its value. Remove it."],
    ['tag!=a', "!= isn't an operator. Use -tag: and the value."],
    ['buildDuration>2w', "w isn't a time unit. Use d, h, m, s or ms."],
    [
      'project:a project:b',
      'No build can match both project:a and project:b. Remove one, or put or between them.',
    ],
    ['buildStartTime:2023-02-29', "2023-02-29 doesn't exist: February 2023 has 28 days."],
    ['value:a', 'value takes name=value. Use a=* to match any value of a.'],
  ])('says of %s: %s', (query, message) => {
    expect(check(parse(query))[0]?.message).toBe(message)
  })
})
