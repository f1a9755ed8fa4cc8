import type { ReactElement, ReactNode } from 'react'
import { toolName } from '../../../protocol/build-tool.ts'
import { branchOf, type Facts } from '../../../protocol/facts.ts'
import { durationText } from '../../ui/format.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { BuildTime } from '../../ui/time.tsx'

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
export function valueOfColumn(name: string): string | undefined {
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
  /** Somebody set the width: it neither grows nor shrinks with the room there is. */
  readonly isFixed?: boolean | undefined
}

export interface BuildSort {
  readonly column: string
  readonly isDescending: boolean
}

/** Columns stay readable, and leave room for others. */
const narrowest = 56
const widest = 640

/** The columns to show: those of a link, else those chosen on this device, else the usual ones. */
export function shownColumns(
  ofLink: readonly string[] | undefined,
  chosen: readonly ShownColumn[] | undefined,
  usual = usualColumns,
): readonly ShownColumn[] {
  const names = toColumnNames(ofLink ?? chosen?.map(({ name }) => name) ?? usual)
  return (names.length === 0 ? usual : names).map((name) => {
    const known = chosen?.find((column) => column.name === name)
    const width = withinBounds(name, known?.width ?? columnMeaning(name).width)
    return { name, width, ...(known?.isFixed === true && { isFixed: true }) }
  })
}

/** How narrow and how wide a column may be, px: a word that is a status and a number are never cut. */
export function boundsOf(name: string): { readonly least: number; readonly most: number } {
  return {
    least: isWhole(name) ? leastOf({ name, width: columnMeaning(name).width }) : narrowest,
    most: widest,
  }
}

/** A width, px, that a column may have. */
export function withinBounds(name: string, width: number): number {
  const { least, most } = boundsOf(name)
  return Math.round(Math.min(Math.max(width, least), most))
}

/** Columns shrink to this share of their width before they have to be scrolled; words and numbers stay readable. */
const leastShare = { text: 0.6, whole: 0.9 }

/** Whether a column must show all of its value. */
export function isWhole(name: string): boolean {
  return name === 'outcome' || columnMeaning(name).isNumber === true
}

/** What a column needs at least, px. */
export function leastOf({ name, width, isFixed = false }: ShownColumn): number {
  return isFixed ? width : Math.round(width * leastShare[isWhole(name) ? 'whole' : 'text'])
}

/** What stands in a column: its heading, how wide it is, and what of a build. */
export interface ColumnMeaning {
  readonly heading: string
  /** At first, px. */
  readonly width: number
  readonly isNumber?: boolean
  /** Of numbers and times, which are written by `buildCell`, nothing. */
  readonly text: (facts: Facts) => string | null | undefined
}

/** The meaning of a column, also of one that shows a custom value. */
export function columnMeaning(name: string): ColumnMeaning {
  const plain = plainColumn(name)
  if (plain !== undefined) return meanings[plain]
  const value = valueOfColumn(name) ?? name
  return { heading: value, width: 140, text: (facts) => valuesNamed(facts, value).join(', ') }
}

/** The values of a build under one name, in any case of letters. */
export function valuesNamed({ values }: Facts, name: string): readonly string[] {
  const wanted = name.toLowerCase()
  return (values ?? []).flatMap((each) => (each.name.toLowerCase() === wanted ? [each.value] : []))
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
  outcome: { heading: 'Outcome', width: 104, text: ({ outcome }) => outcome },
  project: { heading: 'Project', width: 140, text: ({ project }) => project },
  requested: { heading: 'Requested', width: 220, text: ({ requested }) => requested?.join(' ') },
  branch: { heading: 'Branch', width: 140, text: branchOf },
  user: { heading: 'User', width: 100, text: ({ user }) => user },
  host: { heading: 'Host', width: 140, text: ({ hostname }) => hostname },
  'user-host': { heading: 'User and host', width: 160, text: userAndHost },
  tags: { heading: 'Tags', width: 140, text: ({ tags }) => tags?.join(', ') },
  duration: numbers('Duration', 96),
  started: numbers('Started', 104),
  received: numbers('Received', 104),
  tool: {
    heading: 'Tool',
    width: 112,
    text: (facts) => `${facts.buildTool} ${facts.buildToolVersion}`,
  },
  agent: { heading: 'Agent', width: 80, text: ({ agentVersion }) => agentVersion },
  failure: { heading: 'Failure', width: 120, text: failureKind },
}

function numbers(heading: string, width: number): ColumnMeaning {
  return { heading, width, isNumber: true, text: () => null }
}

/** A dash for the eye; a screen reader passes over it. */
const nothing = <span aria-hidden="true">–</span>

/** What a column shows of a build. */
export function buildCell(name: string, build: TableBuild): ReactNode {
  const { facts } = build
  switch (name) {
    case 'tool':
      // In a table for programs it is written as in a query.
      return cellText(`${toolName(facts.buildTool)} ${facts.buildToolVersion}`)
    case 'outcome':
      return <OutcomeMark {...build} />
    case 'duration':
      return typeof facts.durationMs === 'number' ? durationText(facts.durationMs) : nothing
    case 'started':
      return typeof facts.startTime === 'number' ? <BuildTime at={facts.startTime} /> : nothing
    case 'received':
      return <BuildTime at={facts.receivedAt} />
    case 'project':
      if (build.isPending === true) return <span title="loading details">loading details</span>
  }
  const text = columnMeaning(name).text(facts) ?? ''
  return text.trim() === '' ? nothing : cellText(text)
}

function cellText(text: string): ReactElement {
  return <span title={text}>{text}</span>
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

/**
 * How a build stands to a query: it matches, or does not; it is too early to say while its details
 * are on their way (`waiting`), or they came and leave it open (`unknown`).
 */
export type Verdict = 'yes' | 'no' | 'waiting' | 'unknown'

export interface TableBuild {
  readonly facts: Facts
  /** `yes` by default. */
  readonly verdict?: Verdict
  readonly isPending?: boolean
}
