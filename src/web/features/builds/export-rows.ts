import { csvLine, type CsvValue, cutText } from '../../../protocol/untrusted-text.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { ndjsonLine } from '../../../protocol/ndjson.ts'
import {
  columnMeaning,
  columnOfValue,
  valueOfColumn,
  valuesNamed,
} from '../../domain/build-table/build-columns.tsx'

/** The forms in which builds are exported. */
export const exportForms = [
  { form: 'csv', name: 'CSV', use: 'for spreadsheets' },
  { form: 'ndjson', name: 'NDJSON', use: 'one build per line, for programs' },
  { form: 'json', name: 'JSON', use: 'one list, for programs' },
] as const
export type ExportForm = (typeof exportForms)[number]['form']

/** Builds as text: first the head, then rows in any number of pieces, then the foot. */
export interface ExportRows {
  readonly mediaType: string
  readonly head: string
  /** `isFirst`: no rows stand before these. */
  readonly rows: (builds: readonly Facts[], isFirst: boolean) => string
  readonly foot: string
}

/**
 * The columns that are shown, in their order, behind the id. What a spreadsheet would run is made text. Where builds are filtered
 * here, `isUnsure` says of which ids it isn't known whether they match: a column after the id says so of each build.
 */
export function exportRows(
  form: ExportForm,
  columns: readonly string[],
  isUnsure?: (buildId: string) => boolean,
): ExportRows {
  const shown = columns.map(exportColumn)
  const own = new Set([
    ...['buildId', 'queryMatch'],
    ...shown.flatMap(({ key, isValue }) => (isValue === true ? [] : [key])),
  ])
  const meanings = [
    ...(isUnsure === undefined ? [] : [matchColumn(isUnsure)]),
    // A custom value may be called as another column is.
    ...shown.map((one) =>
      one.isValue === true && own.has(one.key) ? { ...one, key: columnOfValue(one.key) } : one,
    ),
  ]
  const recordOf = (facts: Facts): Record<string, unknown> =>
    Object.fromEntries<unknown>([
      ['buildId', facts.buildId],
      ...meanings.map(({ key, json }): readonly [string, unknown] => [key, json(facts)]),
    ])
  switch (form) {
    case 'csv':
      return {
        mediaType: 'text/csv;charset=utf-8',
        // Spreadsheets take CSV for the encoding of their region, unless it begins with this mark.
        head: `\uFEFF${csvLine(['Build', ...meanings.map(({ heading }) => heading)])}`,
        rows: (builds) =>
          builds
            .map((facts) => csvLine([facts.buildId, ...meanings.map(({ csv }) => csv(facts))]))
            .join(''),
        foot: '',
      }
    case 'ndjson':
      return {
        mediaType: 'application/x-ndjson',
        head: '',
        rows: (builds) => builds.map((facts) => ndjsonLine(recordOf(facts))).join(''),
        foot: '',
      }
    case 'json':
      return {
        mediaType: 'application/json',
        head: '[\n',
        rows: (builds, isFirst) =>
          builds
            .map(
              (facts, at) => (isFirst && at === 0 ? '' : ',\n') + JSON.stringify(recordOf(facts)),
            )
            .join(''),
        foot: '\n]\n',
      }
  }
}

/** The longest part of a file's name that comes from the query, characters. */
const longestSlug = 60

/**
 * What a file is called: after the query and the day (`YYYY-MM-DD`), in letters, digits and hyphens
 * that every file system takes.
 */
export function exportFileName(query: string, day: string, form: ExportForm): string {
  const words = query.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')
  const slug = cutText(words, longestSlug).replace(/^-|-$/g, '')
  return `${['builds', slug, day].filter((part) => part !== '').join('-')}.${form}`
}

/** A column in a file. */
interface ExportColumn {
  /** With the unit, which has to stand in it. */
  readonly heading: string
  readonly csv: (facts: Facts) => CsvValue
  /** The name and value in a record; absent where the value is unknown. */
  readonly key: string
  readonly json: (facts: Facts) => unknown
  /** It is that of a custom value, which anyone may have named. */
  readonly isValue?: boolean
}

function matchColumn(isUnsure: (buildId: string) => boolean): ExportColumn {
  const text = ({ buildId }: Facts): string => (isUnsure(buildId) ? 'unknown' : 'yes')
  return { heading: 'Query match', key: 'queryMatch', csv: text, json: text }
}

function exportColumn(name: string): ExportColumn {
  const { heading, text } = columnMeaning(name)
  const value = valueOfColumn(name)
  const csv = (facts: Facts): CsvValue => text(facts) ?? null
  if (value === undefined) return { heading, csv, key: name, json: text, ...ownExports[name] }
  const json = (facts: Facts): unknown => facts.values && valuesNamed(facts, value)
  return { heading, csv, key: value, json, isValue: true }
}

/** Where a column has another key than its name, or more than a text. */
const ownExports: Readonly<Record<string, Partial<ExportColumn>>> = {
  requested: { json: ({ requested }) => requested },
  tags: { json: ({ tags }) => tags },
  host: { key: 'hostname' },
  'user-host': { key: 'userAndHost' },
  tool: { key: 'buildTool' },
  agent: { key: 'agentVersion' },
  duration: {
    heading: 'Duration (ms)',
    key: 'durationMs',
    csv: ({ durationMs }) => durationMs ?? null,
    json: ({ durationMs }) => durationMs,
  },
  started: timeExport('Started', 'startTime'),
  received: timeExport('Received', 'receivedAt'),
}

function timeExport(heading: string, key: 'startTime' | 'receivedAt'): Partial<ExportColumn> {
  return {
    heading: `${heading} (UTC)`,
    key,
    csv: ({ [key]: at }) => (typeof at === 'number' ? new Date(at).toISOString() : null),
    json: ({ [key]: at }) => at,
  }
}
