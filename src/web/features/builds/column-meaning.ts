import { branchOf } from '../../../facts/failure-streak.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { plainColumn, type PlainColumn, valueOfColumn } from './column-names.ts'
import type { CsvValue } from '../../../protocol/csv.ts'

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
export function failureKind(facts: Facts): string | null {
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
