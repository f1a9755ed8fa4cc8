import { Button, Group, Progress, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import { Link } from 'react-router'
import { typeName } from '../../../attestation/predicates/predicate-types.ts'
import type { BoardRow } from '../../../policy/board-row.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import { useRunner } from '../../data/attestation/attestation-runner.ts'
import {
  createBoardEvidence,
  type EvidenceQuestion,
  isRead,
  type PackageEvidence,
  worstEvidence,
} from '../../data/board/board-evidence.ts'
import { useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import { evaluationQuery } from '../../data/scans/evaluation-history.ts'
import {
  createEvidenceChecks,
  type EvidenceStanding,
  type JudgedEvidence,
  standingOf,
} from '../../data/scans/evidence-checks.ts'
import { useTrustedKeys } from '../../domain/attestation/trusted-keys.ts'
import { packageLink } from '../../domain/package/package-links.ts'
import { Section } from '../../ui/page.tsx'
import { StatusMark, type StatusTone } from '../../ui/status-mark.tsx'
import { PackageName, WideTable } from './board-table.tsx'
import css from './board.module.css'

/** More than this is drawn, and read, on demand. */
const readAtOnce = 50

/**
 * Packages by predicate types: what has evidence, and whose. Read from the attestations that the last
 * recorded runs name, a few at a time and 50 packages at most before somebody wants more.
 */
export function BoardEvidenceView({ rows }: { rows: readonly BoardRow[] }): ReactElement {
  const { isKnown, keys, sigstore } = useTrustedKeys()
  const { request, clock } = useServices()
  const client = useQueryClient()
  const runner = useRunner()
  const evidence = useMemo(
    () =>
      createBoardEvidence({
        checks: createEvidenceChecks(request, runner, { keys, sigstore }),
        record: (id) => client.query(evaluationQuery(request, id)),
        clock,
      }),
    [request, runner, keys, sigstore, client, clock],
  )
  const { packages, isRunning, done, of } = useStore(evidence)
  const unread = useMemo(
    () =>
      rows
        .map(questionOf)
        .filter((one) => one.runs.length > 0 && !isRead(packages.get(one.row), one)),
    [rows, packages],
  )
  const types = useMemo(() => typesOf(rows, packages), [rows, packages])
  const next = unread.slice(0, readAtOnce)
  return (
    <Section title="Evidence">
      <Group gap="8px 16px">
        <Text role="status">{summary(rows, packages, types)}</Text>
        {isRunning ? (
          <>
            <Progress
              w={160}
              size={6}
              value={(100 * done) / Math.max(1, of)}
              aria-label={`Packages read: ${done} of ${of}`}
            />
            <Button variant="default" onClick={evidence.cancel}>
              Cancel
            </Button>
          </>
        ) : (
          next.length > 0 && (
            <Button
              disabled={!isKnown}
              onClick={() => {
                evidence.read(next)
              }}
            >
              Check evidence of {countOf(next.length, 'package')}
            </Button>
          )
        )}
      </Group>
      {packages.size > 0 && (
        <WideTable>
          <table className={css.table}>
            <thead>
              <tr>
                <th scope="col">Package</th>
                {types.map((type) => (
                  <th key={type} scope="col" title={type}>
                    {typeName(type) || 'No statement'}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows
                .filter(({ row }) => packages.has(row))
                .map((row) => (
                  <EvidenceRow
                    key={row.row}
                    row={row}
                    evidence={packages.get(row.row)}
                    types={types}
                  />
                ))}
            </tbody>
          </table>
        </WideTable>
      )}
    </Section>
  )
}

function EvidenceRow({
  row: { of },
  evidence,
  types,
}: {
  row: BoardRow
  evidence: PackageEvidence | undefined
  types: readonly string[]
}): ReactElement {
  const faults = evidence?.faults ?? []
  return (
    <tr data-package={packageText(of.address)}>
      <th scope="row">
        <Link to={packageLink(of.address, of)} className={css.name}>
          <PackageName text={packageText(of.address)} />
        </Link>
        {faults.length > 0 && (
          <Text component="div" fz="xs" c="var(--bad-ink)" title={faults.join(' ')}>
            {faults[0]}
            {faults.length > 1 && ` And ${countText(faults.length - 1)} more.`}
          </Text>
        )}
      </th>
      {types.map((type) => {
        const { tone, word } = wordsOf(evidence, type)
        return (
          <td key={type} data-scan={typeName(type)} data-evidence={word}>
            <StatusMark tone={tone} word={word} />
          </td>
        )
      })}
    </tr>
  )
}

interface EvidenceWords {
  readonly tone: StatusTone
  readonly word: string
}

function wordsOf(evidence: PackageEvidence | undefined, type: string): EvidenceWords {
  const worst = worstEvidence(evidence?.types.get(type) ?? [])
  if (worst !== undefined) {
    const { tone, word } = standingWords(worst.standing, worst.evidence)
    return { tone, word: worst.count > 1 ? `${word} (${countText(worst.count)})` : word }
  }
  if (evidence?.is !== 'done') return { tone: 'none', word: 'reading' }
  // What could not be read may be it.
  return evidence.faults.length > 0
    ? { tone: 'waiting', word: 'unknown' }
    : { tone: 'none', word: 'missing' }
}

function standingWords(standing: EvidenceStanding, { signature }: JudgedEvidence): EvidenceWords {
  switch (standing) {
    case 'mismatch':
      return { tone: 'bad', word: 'mismatch' }
    case 'another-artifact':
      return { tone: 'bad', word: 'about another artifact' }
    case 'no-subject':
      return { tone: 'bad', word: 'no subject' }
    case 'unsigned':
      return { tone: 'bad', word: 'unsigned' }
    case 'other-form':
      return { tone: 'waiting', word: 'other form' }
    case 'untrusted-signer':
      return { tone: 'waiting', word: 'signer not trusted' }
    case 'unknown-signer':
      return { tone: 'waiting', word: 'unknown signer' }
    case 'not-checked':
      return { tone: 'waiting', word: 'not checked' }
    case 'not-compared':
      return { tone: 'waiting', word: 'subject not compared' }
    case 'partly-valid':
      return signature.is === 'valid'
        ? { tone: 'good', word: `${signature.verified} of ${signature.all} valid` }
        : { tone: 'waiting', word: 'not checked' }
    case 'valid':
      return { tone: 'good', word: 'valid' }
  }
}

function questionOf({ row, of, cells }: BoardRow): EvidenceQuestion {
  return {
    row,
    sha256: of.sha256,
    runs: cells.flatMap((cell) => {
      const id = cell?.cell.known?.outcome.evaluation
      return typeof id === 'string' ? [id] : []
    }),
  }
}

/** Every predicate type that a package has, those that most have first. */
function typesOf(
  rows: readonly BoardRow[],
  packages: ReadonlyMap<number, PackageEvidence>,
): readonly string[] {
  const counts = new Map<string, number>()
  for (const { row } of rows) {
    for (const type of packages.get(row)?.types.keys() ?? []) {
      counts.set(type, (counts.get(type) ?? 0) + 1)
    }
  }
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([type]) => type)
}

/** "12 of 12 packages: every attestation is valid. 5 lack a kind that others have." */
function summary(
  rows: readonly BoardRow[],
  packages: ReadonlyMap<number, PackageEvidence>,
  types: readonly string[],
): string {
  const read = rows.flatMap(({ row }) => {
    const evidence = packages.get(row)
    return evidence?.is === 'done' ? [evidence] : []
  })
  if (read.length === 0) {
    return rows.every((row) => questionOf(row).runs.length === 0)
      ? 'No recorded runs yet. Evaluate the board to see which evidence there is.'
      : 'Which packages have which attestations, and who signed them.'
  }
  const valid = read.filter(
    ({ types: own, faults }) =>
      own.size > 0 &&
      faults.length === 0 &&
      [...own.values()].flat().every((one) => standingOf(one) === 'valid'),
  )
  const lacking = read.filter(
    ({ types: own, isPartial }) => !isPartial && types.some((type) => !own.has(type)),
  )
  const lack = lacking.length === 1 ? 'lacks' : 'lack'
  const partial = read.filter(({ isPartial }) => isPartial).length
  return [
    `Every attestation is valid in ${countText(valid.length)} of ${countOf(read.length, 'package')}.`,
    ...(lacking.length > 0
      ? [`${countText(lacking.length)} ${lack} a kind of attestation that others have.`]
      : []),
    ...(partial > 0 ? [`Not all evidence of ${countOf(partial, 'package')} could be loaded.`] : []),
  ].join(' ')
}
