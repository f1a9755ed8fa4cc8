import { toolName } from '../protocol/build-tool.ts'
import { explain } from '../search/explain.ts'
import type { Field, FieldType, SearchTool } from '../search/fields/field.ts'
import { fields, genericFields } from '../search/fields/fields.ts'
import { parse } from '../search/parse.ts'
import { codeOf, pageOf, tableOf } from './markdown-page.ts'

/** Queries with what they show; a test checks that none of them has a problem. */
export const queryExamples = {
  'First queries': [
    'project:checkout buildOutcome:failed',
    'user:ann -tag:ci',
    'buildTool:gradle buildDuration>10m',
    'requested:check (tag:main or tag:release*)',
    'buildStartTime>-7d value:"Git branch=main"',
  ],
  'And, or, not': [
    'project:checkout tag:ci',
    'project:checkout and tag:ci',
    'project:checkout or project:shop',
    'tag:ci (project:checkout or project:shop)',
    '-tag:ci',
    'not (tag:ci or tag:nightly)',
    '!hasVerificationFailure',
  ],
  Text: [
    'project:checkout',
    'project:check*',
    'requested:"clean build"',
    'requested:\\:app\\:compile',
    'user:*',
    '-user:*',
  ],
  'Custom values': ['value:"CI run=123"', 'value:"Git branch=release/*"', 'value:CI*=*'],
  Durations: [
    'buildDuration>90s',
    'buildDuration>=1h30m',
    'buildDuration<PT2M',
    'buildDuration:[1m to 5m]',
  ],
  Times: [
    'buildStartTime:2026-11-22',
    'buildStartTime>=2026-11-22T08:30',
    'buildStartTime<2026-11-22T08:30:00Z',
    'buildStartTime>2026-11-22T08:30+02:00',
    'buildStartTime>-12h',
    'buildStartTime:[2026-11-01 to 2026-11-22]',
  ],
  'True and false': [
    'hasVerificationFailure',
    'hasVerificationFailure:true',
    'hasVerificationFailure:false',
    'hasVerificationFailure:*',
    '!hasVerificationFailure:*',
  ],
  Numbers: [
    'gradle.buildOptions.maxNumberOfGradleWorkers>8',
    'gradle.environment.numberOfCpuCores:[4 to 16]',
  ],
  Sizes: [
    'gradle.environment.jvmMaxMemoryHeapSize>=4gi',
    'maven.environment.jvmMaxMemoryHeapSize<512mb',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** One query for each field; the test checks each of them, too. */
export function exampleOf({ name, type, values }: Field): string {
  const [value] = values ?? []
  if (value !== undefined) return `${name}:${value}`
  if (type !== 'text') return examplesByType[type](name)
  const known = textExamples.find(([ending]) => name.toLowerCase().endsWith(ending))
  return `${name}:${known?.[1] ?? '*'}`
}

const examplesByType = {
  pair: (name) => `${name}:"Git branch=main"`,
  duration: (name) => `${name}>5m`,
  instant: (name) => `${name}>-1d`,
  boolean: (name) => name,
  number: (name) => `${name}>=4`,
  size: (name) => `${name}>=2gi`,
} as const satisfies Readonly<Record<Exclude<FieldType, 'text'>, (name: string) => string>>

/** By how the name ends. */
const textExamples: readonly (readonly [ending: string, value: string])[] = [
  ['user', 'ann'],
  ['hostname', 'ci-agent-*'],
  ['project', 'checkout'],
  ['projectname', 'checkout'],
  ['requested', 'check'],
  ['requestedtasks', 'check'],
  ['requestedgoals', 'verify'],
  ['requestedtargets', '"//app/..."'],
  ['requestedcommands', '*install*'],
  ['tag', 'ci'],
  ['operatingsystem', 'Linux*'],
  ['localipaddress', '10.*'],
  ['charset', 'UTF-8'],
  ['locale', 'en_*'],
  ['jreversion', '*Temurin*'],
  ['jvmversion', '*Temurin*'],
  ['version', '8.*'],
]

const typeNames = {
  text: 'text',
  pair: 'name=value',
  duration: 'duration',
  instant: 'time',
  boolean: 'true or false',
  number: 'number',
  size: 'size',
} as const satisfies Readonly<Record<FieldType, string>>

/** The page of the query language: how it is written, and all of its fields. */
export function queryLanguagePage(): string {
  const tools = [...new Set(fields.flatMap(({ tool }) => tool ?? []))]
  return pageOf(
    'Query language',
    `Searches, filters of the feed, tiles of walls and the builds to publish are queries in one language: the search language of the build
server. What a query means is what the dashboard says below it; the sentences on this page are made by the same code, and a test
parses every example.`,
    exampleTable('First queries'),
    '## Grammar',
    `A query is a list of terms, with spaces between them. An empty query matches every build.`,
    tableOf(
      ['Written', 'Means'],
      [
        ['`field:pattern`', 'the value of the field matches the pattern'],
        [
          '`field>value`, `>=`, `<`, `<=`',
          'the value is larger or smaller; `field:>value` is read as well',
        ],
        ['`field:[a to b]`', 'the value is from a to b, both included'],
        ['`field`', 'a field that is true or false is true'],
        ['`field:*`', 'the field has a value, whatever it is'],
        ['`a b`, `a and b`', 'both match'],
        ['`a or b`', 'one of them matches, or both; `and` binds tighter'],
        ['`-a`, `not a`, `!a`', 'every build that `a` does not match, also one without a value'],
        ['`(…)`', 'what belongs together'],
      ],
    ),
    `Names of fields are case-sensitive; \`and\`, \`or\` and \`not\` aren't. A comparison or a range never matches a build without a value.
There is no search over all text: words without a field are offered as conditions (Tab takes them over).`,
    exampleTable('And, or, not'),
    '## Values',
    '### Text',
    `The whole value, in any case of letters. \`*\` stands for any characters, also none, anywhere in the pattern. Spaces and special
characters need double quotes, in which wildcards still work, and \`\\"\` and \`\\\\\` are a quote and a backslash. Outside quotes \`\\:\` is a colon.
A field with several values, such as \`tag\`, matches if one of them does.`,
    exampleTable('Text'),
    '### Custom values',
    'A name and a value with `=` between them, with wildcards in both. Quotes go around the whole pair.',
    exampleTable('Custom values'),
    '### Durations',
    'Units `d`, `h`, `m`, `s` and `ms`, longest first, each once at most (`1h30m`, `1.5h`), or ISO 8601 (`PT1H30M`).',
    exampleTable('Durations'),
    '### Times',
    `A date, or a date with hours and minutes, seconds and fractions; with \`Z\` or an offset, else in the time zone of the dashboard (in UTC
for the API). A duration with a sign is a distance from now. Equality matches all of the day, minute or second that was written.`,
    exampleTable('Times'),
    '### True and false',
    'A negated field matches everything that is not known to be true.',
    exampleTable('True and false'),
    '### Numbers',
    'Integers or decimals.',
    exampleTable('Numbers'),
    '### Sizes',
    'Bytes, or with a unit: `k`, `m`, `g`, `t` are powers of 1000, `ki`, `mi`, `gi`, `ti` powers of 1024, each with or without `b`, in any case.',
    exampleTable('Sizes'),
    '## Fields of every build',
    fieldTable(genericFields),
    ...tools.flatMap((tool) => [
      `## Fields of ${toolName(tool)} builds`,
      `They select only builds of ${toolName(tool)}.${
        fieldsOf(tool).some(isSetting)
          ? ` \`${tool}.develocitySettings.…\` is another spelling of \`${tool}.platformSettings.…\`.`
          : ''
      }`,
      fieldTable(fieldsOf(tool)),
    ]),
    '## Limits',
    `A query has at most 131,072 characters. The build server gets 4,096 of them in one request; a longer query is searched in parts if it is
one long list of alternatives. Which release of the build server first had a field stands in the tables: a field that the server is
too old for is an error before anything is sent.`,
  )
}

function fieldsOf(tool: SearchTool): readonly Field[] {
  return fields.filter((field) => field.tool === tool)
}

function isSetting({ name }: Field): boolean {
  return name.includes('.platformSettings.')
}

function exampleTable(group: keyof typeof queryExamples): string {
  return tableOf(
    ['Query', 'What it finds'],
    queryExamples[group].map((query) => [
      codeOf(query),
      explain(parse(query), { timeZone: 'UTC' }),
    ]),
  )
}

function fieldTable(shown: readonly Field[]): string {
  return tableOf(
    ['Field', 'Value', 'Meaning', 'Release', 'Example'],
    shown.map((field) => [
      codeOf(field.name),
      field.values?.map(codeOf).join(', ') ?? typeNames[field.type],
      field.meaning,
      releaseOf(field),
      codeOf(exampleOf(field)),
    ]),
  )
}

function releaseOf({ since, until }: Field): string {
  if (since === undefined) return until === undefined ? '' : `up to ${until}`
  return until === undefined ? `since ${since}` : `${since} to ${until}`
}
