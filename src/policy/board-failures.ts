import { groupedBy } from '../protocol/keyed.ts'
import type { BoardRow, RowCell } from './board-row.ts'
import { policyKey, policyName } from './policy-group.ts'

export type FailureGrouping = 'policy' | 'owner' | 'policy-owner'

/** A policy that keeps one cell of a board from being released. */
export interface BoardFailure {
  readonly row: BoardRow
  readonly cell: RowCell
  /** As `policyKey` gives it. */
  readonly policy: string
  readonly policyUri: string
  readonly name: string
  readonly kind: string
  /** What the label of the policy says of its owner; empty where it has none. */
  readonly policyOwner: string
  /** Whoever the package belongs to: as configured, else its namespace; empty where neither is known. */
  readonly owner: string
  /** Never empty: where nothing is known, it says so. */
  readonly causes: readonly string[]
  readonly isWaived: boolean
}

/** What fails for one cause, or one policy in a group of several. */
export interface FailureLine {
  readonly policy: string
  readonly name: string
  readonly cause: string
  /** How many packages, waived ones left out. */
  readonly packages: number
  readonly failures: readonly BoardFailure[]
}

/** Failures of one policy, or of one owner. */
export interface FailureGroup {
  readonly key: string
  readonly title: string
  /** The first of it: what all of a group have in common is read from it. */
  readonly first: BoardFailure
  /** How many packages fail, waived ones left out. */
  readonly packages: number
  /** In how many cells it is waived. */
  readonly waived: number
  /** The cause that most packages have comes first. */
  readonly lines: readonly FailureLine[]
}

/** What a result says that has no details. */
const noDetails = 'No details'
/** What is known of a run that an older release recorded. */
export const inTheRun = 'Open the run for details'
/** Why a policy that the board requires fails a package that it was not applicable to. */
export const notChecked = 'Required, but not checked: its evidence is missing'
/** Why a policy that the board requires fails a package none of whose scans has it. */
export const notInResponse = 'Required, but not in the response'

/** What was not checked is missing evidence: there is no result to accept. */
export function canBeWaived(failure: BoardFailure): boolean {
  return !failure.isWaived && !wasNotChecked(failure)
}

/** Whether it fails only because the board requires a policy of which there is no result. */
export function wasNotChecked({ causes }: Pick<BoardFailure, 'causes'>): boolean {
  return causes[0] === notChecked || causes[0] === notInResponse
}

/** Every policy that fails in every cell, waived ones too, in the order of the rows. */
export function boardFailures(rows: readonly BoardRow[]): readonly BoardFailure[] {
  return rows.flatMap(rowFailures)
}

/** A row never changes, and several parts of a board want its failures each time it is drawn. */
const failuresOfRows = new WeakMap<BoardRow, readonly BoardFailure[]>()

function rowFailures(row: BoardRow): readonly BoardFailure[] {
  const known = failuresOfRows.get(row)
  if (known !== undefined) return known
  const failures = row.cells.flatMap((cell) => (cell === undefined ? [] : cellFailures(row, cell)))
  failuresOfRows.set(row, failures)
  return failures
}

function cellFailures(row: BoardRow, cell: RowCell): readonly BoardFailure[] {
  const owner = row.of.owner ?? row.of.address.namespace ?? ''
  const failing = (cell.cell.known?.outcome.failing ?? [])
    .filter(({ status }) => status === 'unsatisfied')
    .map((one) => ({
      ...failureOf(one.uri),
      policyOwner: one.owner ?? '',
      causes:
        one.causes === undefined ? [inTheRun] : one.causes.length === 0 ? [noDetails] : one.causes,
    }))
  const missing = cell.missing.map(({ uri, isAbsent }) => ({
    ...failureOf(uri),
    policyOwner: '',
    causes: [isAbsent === true ? notInResponse : notChecked],
  }))
  return [...failing, ...missing].map((one) => ({
    ...one,
    row,
    cell,
    owner,
    // Only what is unsatisfied can be waived.
    isWaived: !wasNotChecked(one) && cell.waived.has(one.policy),
  }))
}

function failureOf(uri: string): Pick<BoardFailure, 'policy' | 'policyUri' | 'name' | 'kind'> {
  return { policy: policyKey(uri), policyUri: uri, ...policyName(uri) }
}

/** Failures in groups, each with its causes: the group that most packages are in comes first. */
export function failureGroups(
  failures: readonly BoardFailure[],
  by: FailureGrouping,
): readonly FailureGroup[] {
  return [...groupedBy(failures, (failure) => groupKey(failure, by))]
    .flatMap(([key, of]) => {
      const [first] = of
      if (first === undefined) return []
      return [
        {
          key,
          title: by === 'policy' ? first.name : key,
          first,
          packages: packagesOf(of),
          waived: new Set(of.flatMap((one) => (one.isWaived ? one.cell.place.key : []))).size,
          lines: linesOf(of),
        },
      ]
    })
    .sort((a, b) => b.packages - a.packages || b.waived - a.waived || (a.key < b.key ? -1 : 1))
}

function groupKey({ policy, owner, policyOwner }: BoardFailure, by: FailureGrouping): string {
  switch (by) {
    case 'policy':
      return policy
    case 'owner':
      return owner
    case 'policy-owner':
      return policyOwner
  }
}

function linesOf(failures: readonly BoardFailure[]): readonly FailureLine[] {
  const lines = new Map<
    string,
    { policy: string; name: string; cause: string; of: BoardFailure[] }
  >()
  for (const failure of failures) {
    const { policy, name } = failure
    for (const cause of failure.causes) {
      const key = `${policy}\n${cause}`
      const line = lines.get(key)
      if (line === undefined) lines.set(key, { policy, name, cause, of: [failure] })
      else line.of.push(failure)
    }
  }
  return [...lines.values()]
    .map(({ of, ...line }) => ({ ...line, packages: packagesOf(of), failures: of }))
    .sort((a, b) => b.packages - a.packages || b.failures.length - a.failures.length)
}

/** How many packages these are of, those left out whose failures are all waived. */
export function packagesOf(failures: readonly BoardFailure[]): number {
  return new Set(failures.flatMap(({ isWaived, row }) => (isWaived ? [] : [row.row]))).size
}

/** Which failures are looked at; an empty text lets all through. */
export interface FailureFilter {
  /** As `policyKey` gives it. */
  readonly policy: string
  readonly cause: string
  /** Of the package; `noOwner` for those without. */
  readonly owner: string
  /** Of the policy; `noOwner` for those without. */
  readonly policyOwner: string
}

/** In a filter and on the screen: what belongs to nobody that is known. */
export const noOwner = 'No owner'

/** Whether a row has a failure that the filter is about. */
export function failsSo(row: BoardRow, filter: FailureFilter): boolean {
  return rowFailures(row).some((failure) => isFailureOf(failure, filter))
}

/** Whether the filter is about a failure. */
export function isFailureOf(
  { policy, causes, owner, policyOwner }: BoardFailure,
  filter: FailureFilter,
): boolean {
  return (
    (filter.policy === '' || filter.policy === policy) &&
    (filter.cause === '' || causes.includes(filter.cause)) &&
    (filter.owner === '' || filter.owner === (owner || noOwner)) &&
    (filter.policyOwner === '' || filter.policyOwner === (policyOwner || noOwner))
  )
}
