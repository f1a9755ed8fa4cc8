import type { ReactElement, ReactNode } from 'react'
import { branchOf } from '../../../facts/failure-streak.ts'
import type { CsvValue } from '../../../protocol/csv.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { durationText } from '../../ui/format.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import type { TableBuild } from './table-build.ts'

/** The columns that every build can fill, in the order of reading. */
export const plainColumns = [
  'outcome',
  'project',
  'requested',
  'branch',
  'user',
  'host',
  'user-host',
  'tags',
  'duration',
  'started',
  'received',
  'tool',
  'agent',
  'failure',
] as const
type PlainColumn = (typeof plainColumns)[number]

/** A custom value as a column: `value:Git commit id`. */
const ofValue = 'value:'

/** The columns of a device on which none were chosen. */
export const usualColumns: readonly string[] = [
  'outcome',
  'project',
  'requested',
  'branch',
  'user',
  'duration',
  'tool',
  'received',
]

/** The plain column of that name, or undefined. */
function plainColumn(name: string): PlainColumn | undefined {
  return plainColumns.find((plain) => plain === name)
}

/** The name of the custom value that is shown by a column, or undefined for a plain one. */
function valueOfColumn(name: string): string | undefined {
  return name.startsWith(ofValue) && name.length > ofValue.length
    ? name.slice(ofValue.length)
    : undefined
}

/** The column that shows a custom value. */
export function columnOfValue(valueName: string): string {
  return `${ofValue}${valueName}`
}

/** Those of `names` that are columns, each once. */
export function toColumnNames(names: readonly string[]): readonly string[] {
  return [...new Set(names)].filter(
    (name) => plainColumn(name) !== undefined || valueOfColumn(name) !== undefined,
  )
}

/** A column that is shown, and its width in px. */
export interface ShownColumn {
  readonly name: string
  readonly width: number
}

/** Columns stay readable, and leave room for others. */
const narrowest = 56
const widest = 640

/** The columns to show: those of a link, else those chosen on this device, else the usual ones. */
export function shownColumns(
  ofLink: readonly string[] | undefined,
  chosen: readonly ShownColumn[] | undefined,
): readonly ShownColumn[] {
  const names = toColumnNames(ofLink ?? chosen?.map(({ name }) => name) ?? usualColumns)
  return (names.length === 0 ? usualColumns : names).map((name) => ({
    name,
    width: withinBounds(
      chosen?.find((column) => column.name === name)?.width ?? columnMeaning(name).width,
    ),
  }))
}

/** With a column at the end, or without it; the last one stays. */
export function toggledColumn(
  columns: readonly ShownColumn[],
  name: string,
): readonly ShownColumn[] {
  if (!columns.some((column) => column.name === name)) {
    return [...columns, { name, width: columnMeaning(name).width }]
  }
  return columns.length === 1 ? columns : columns.filter((column) => column.name !== name)
}

/** With a column moved by some places; not beyond the ends. */
export function movedColumn(
  columns: readonly ShownColumn[],
  name: string,
  by: number,
): readonly ShownColumn[] {
  const from = columns.findIndex((column) => column.name === name)
  const column = columns[from]
  if (column === undefined) return columns
  const others = columns.filter((other) => other !== column)
  const to = Math.min(Math.max(from + by, 0), others.length)
  return [...others.slice(0, to), column, ...others.slice(to)]
}

/** With a column of another width, px. */
export function resizedColumn(
  columns: readonly ShownColumn[],
  name: string,
  width: number,
): readonly ShownColumn[] {
  return columns.map((column) =>
    column.name === name ? { name, width: withinBounds(width) } : column,
  )
}

function withinBounds(width: number): number {
  return Math.round(Math.min(Math.max(width, narrowest), widest))
}

/** What stands in a column: under which headings, how wide, and what of a build. */
export interface ColumnMeaning {
  readonly heading: string
  /** Of a table that is exported, where the unit has to stand in it. */
  readonly csvHeading: string
  /** At first, px. */
  readonly width: number
  readonly isNumber?: boolean
  readonly csv: (facts: Facts) => CsvValue
  /** The name and value in a record that is exported; absent where it is not known. */
  readonly key: string
  readonly json: (facts: Facts) => unknown
}

/** The meaning of a column, also of one that shows a custom value. */
export function columnMeaning(name: string): ColumnMeaning {
  const plain = plainColumn(name)
  return plain === undefined ? valueColumn(valueOfColumn(name) ?? name) : meanings[plain]
}

/** The values of a build under one name, in any case of letters. */
function valuesNamed({ values }: Facts, name: string): readonly string[] {
  const wanted = name.toLowerCase()
  return (values ?? []).flatMap((each) => (each.name.toLowerCase() === wanted ? [each.value] : []))
}

function valueColumn(name: string): ColumnMeaning {
  return {
    heading: name,
    csvHeading: name,
    width: 140,
    csv: (facts) => valuesNamed(facts, name).join(', '),
    key: name,
    json: (facts) => (facts.values === undefined ? undefined : valuesNamed(facts, name)),
  }
}

/** "verification", "other", or both, of a build that failed. */
function failureKind(facts: Facts): string | null {
  const kinds = [
    facts.hasVerificationFailure === true ? 'verification' : '',
    facts.hasNonVerificationFailure === true ? 'other' : '',
  ].filter((kind) => kind !== '')
  return kinds.length === 0 ? null : kinds.join(', ')
}

const meanings: Readonly<Record<PlainColumn, ColumnMeaning>> = {
  outcome: text('Outcome', 104, 'outcome', ({ outcome }) => outcome),
  project: text('Project', 140, 'project', ({ project }) => project),
  requested: {
    ...text('Requested', 220, 'requested', ({ requested }) => requested?.join(' ')),
    json: ({ requested }) => requested,
  },
  branch: text('Branch', 140, 'branch', branchOf),
  user: text('User', 100, 'user', ({ user }) => user),
  host: text('Host', 140, 'hostname', ({ hostname }) => hostname),
  'user-host': text('User and host', 160, 'userAndHost', userAndHost),
  tags: {
    ...text('Tags', 140, 'tags', ({ tags }) => tags?.join(', ')),
    json: ({ tags }) => tags,
  },
  duration: {
    heading: 'Duration',
    csvHeading: 'Duration (ms)',
    width: 96,
    isNumber: true,
    csv: ({ durationMs }) => durationMs ?? null,
    key: 'durationMs',
    json: ({ durationMs }) => durationMs,
  },
  started: time('Started', 'startTime', ({ startTime }) => startTime),
  received: time('Received', 'receivedAt', ({ receivedAt }) => receivedAt),
  tool: {
    ...text('Tool', 112, 'buildTool', (facts) => `${facts.buildTool} ${facts.buildToolVersion}`),
    json: ({ buildTool }) => buildTool,
  },
  agent: text('Agent', 80, 'agentVersion', ({ agentVersion }) => agentVersion),
  failure: text('Failure', 120, 'failure', failureKind),
}

function text(
  heading: string,
  width: number,
  key: string,
  of: (facts: Facts) => string | null | undefined,
): ColumnMeaning {
  return { heading, csvHeading: heading, width, key, json: of, csv: (facts) => of(facts) ?? null }
}

function time(
  heading: string,
  key: string,
  of: (facts: Facts) => number | null | undefined,
): ColumnMeaning {
  const csv = (facts: Facts): CsvValue => {
    const at = of(facts)
    return typeof at === 'number' ? new Date(at).toISOString() : null
  }
  return { heading, csvHeading: `${heading} (UTC)`, width: 104, isNumber: true, key, json: of, csv }
}

/** A dash for the eye; a screen reader passes over it. */
const nothing = <span aria-hidden="true">–</span>

/** What a column shows of a build; `skew` is what to add to this browser's clock to get the server's, ms. */
export function buildCell(name: string, build: TableBuild, skew = 0): ReactNode {
  const { facts } = build
  switch (name) {
    case 'outcome':
      return <OutcomeMark {...build} />
    case 'duration':
      return typeof facts.durationMs === 'number' ? durationText(facts.durationMs) : nothing
    case 'started':
      return typeof facts.startTime === 'number' ? (
        <RelativeTime at={facts.startTime} skew={skew} />
      ) : (
        nothing
      )
    case 'received':
      return <RelativeTime at={facts.receivedAt} skew={skew} />
    case 'project':
      if (build.isPending === true) return 'loading details'
  }
  const text = columnMeaning(name).csv(facts)
  return text === null || text === '' ? nothing : <span title={String(text)}>{text}</span>
}

/** How a build ended, as color, shape and word. */
export function OutcomeMark({ facts, isPending = false }: TableBuild): ReactElement {
  const word = facts.outcome ?? 'unknown'
  return <StatusMark tone={isPending ? 'waiting' : tones[word]} word={word} />
}

const tones = { succeeded: 'good', failed: 'bad', unknown: 'none' } as const

/** "alice@agent-12", or what of it is known. */
export function userAndHost({ user, hostname }: Facts): string | null {
  return [user, hostname].filter((part) => (part ?? '') !== '').join('@') || null
}
